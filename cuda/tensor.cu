/*-------------------------------------------------------------------------
 *
 * tensor.cu
 *	  Strategy "tensor": levels of prefix classes as products of bit matrices.
 *
 * A class has a row of bits for each of its members, over the transactions of
 * its prefix alone.  One launch multiplies all classes of a level on the 1-bit
 * tensor cores (product.h) and writes the pairs of members that are frequent
 * together.  Sorted, the pairs of member x are the members of the class of x, and
 * compact.h makes their rows, renumbered to x's transactions.  So a level costs a
 * few launches, no candidate is ever listed, and rows get short as supports do.
 *
 * Members are in the order of ascending support, so that the classes with the
 * most members have the fewest transactions.  x is extended by what comes after
 * it.  For closed and maximal itemsets a class has members before those too, the
 * excluded ones: those of earlier classes that are frequent with the prefix.
 * They have pairs but no classes:
 *
 *		all			a later member in all of x's transactions is perfect: it goes
 *					with each itemset below, and is multiplied out at the end
 *		closed		an earlier such member covers x: what x would give was found
 *					there.  A later one is in the closure (prefix-preserving
 *					closure extension; Uno, Kiyomi and Arimura, LCM ver. 2)
 *		maximal		a closed itemset that nothing is frequent with
 *
 * A class with few members to extend it becomes a table of all of their sets
 * (tables.h), and nothing is below it.
 *
 * Levels are gone down depth first, and the rows of a level are made for as many
 * classes at a time as memory has room for, so that any number of itemsets can
 * be mined with the memory of one class at each depth.
 *
 *-------------------------------------------------------------------------
 */
#include "tensor_level.h"

/* Of the free memory, what the rows of one step may take. */
#define ROWS_SHARE		4

/*
 * Memory to begin with, besides what is needed.  After so many steps that it made
 * smaller there is to be so many times as much.  Taking a GB costs milliseconds, so
 * the next time it takes more such steps, by another factor.
 */
#define FIRST_MEMORY	((uint64_t) 1 << 30)
#define MEMORY_GROWTH	8
#define FIRST_CUTS		8
#define CUTS_GROWTH		512

#define LEAST_PAIRS		((uint64_t) 1 << 16)
#define MOST_PAIRS		((uint64_t) 1 << 30)

/* A pair with what turning and sorting it takes: key and support, four times. */
#define BYTES_OF_PAIR	(4 * (sizeof(uint64_t) + sizeof(uint32_t)))

/* A member with its class and verdict, and what else a step takes. */
#define BYTES_OF_MEMBER	256
#define STEP_MEMORY		((uint64_t) 32 << 20)

/* Blocks that fill any device while they read transactions. */
#define ROOT_BLOCKS		2048

/* ---- the root's rows ---- */


/* The rows of all items; a warp takes a transaction and writes a bit for each item. */
static __global__ void __launch_bounds__(TENSOR_THREADS)
RootKernel(const FimRow *rows, const uint32_t *items, const uint64_t *start, uint32_t nrows,
		   uint32_t skip, uint32_t nitems, uint32_t *lines)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	nmembers = nitems - skip;
	uint32_t	nwarps = gridDim.x * TENSOR_THREADS / 32;

	for (uint32_t r = (blockIdx.x * TENSOR_THREADS + threadIdx.x) / 32; r < nrows; r += nwarps)
	{
		FimRow		row = rows[r];

		for (uint32_t e = skip + lane; e < row.length; e += 32)
		{
			uint32_t	item = items[row.at + e];

			if (item >= nitems)
				break;
			for (uint32_t copy = 0; copy < row.weight; copy++)
			{
				uint64_t	tid = start[r] + copy;
				uint64_t	line = tid / FIM_SLAB_BITS * nmembers + (nitems - 1 - item);

				atomicOr(lines + line * LINE_WORDS + tid % FIM_SLAB_BITS / 32, 1u << tid % 32);
			}
		}
	}
}

/* ---- rows ---- */

/* Make the rows of a step's classes from the parent's. */
static void
CompactRows(Tensor *t, const ClassStep *step)
{
	const ClassLevel *level = step->level;
	ArenaMark	mark = ArenaGetMark(&t->m->arena);
	uint64_t	top = t->block.top;
	uint64_t	most = 0;
	uint32_t	n = 0;
	FimCompactPart *parts;
	FimCompactPart *device_parts;

	for (uint32_t c = step->first; c < step->end; c++)
		if (level->classes[c].to.slabs > 0)
			most += (level->classes[c].to.rows + FIM_COMPACT_MEMBERS - 1) / FIM_COMPACT_MEMBERS;
	parts = (FimCompactPart *) ArenaAlloc(&t->m->arena, sizeof(FimCompactPart) * most);
	for (uint32_t c = step->first; c < step->end; c++)
		if (level->classes[c].to.slabs > 0)
			for (uint32_t r = 0; r < level->classes[c].to.rows; r += FIM_COMPACT_MEMBERS)
				parts[n++] = {c, r};
	device_parts = (FimCompactPart *) AllocTop(t, sizeof(FimCompactPart) * most, "listing classes");
	ToDevice(t, device_parts, parts, sizeof(FimCompactPart) * most);
	Check(t, FimCompactChildren(level->parent->lines, level->lines, level->device.classes,
								level->device.source, device_parts, n, t->stream),
		  "making the rows of classes");
	Wait(t, "making the rows of classes");
	t->block.top = top;
	ArenaRelease(&t->m->arena, mark);
}

/* ---- products ---- */

/* The step's classes that have pairs, with line numbers from 0. */
static uint32_t
ListProducts(Tensor *t, const ClassStep *step, FimClass *classes, uint64_t *candidates)
{
	uint32_t	n = 0;

	*candidates = 0;
	for (uint32_t c = step->first; c < step->end; c++)
	{
		FimClass	class_ = step->level->classes[c].to;

		if (class_.slabs == 0)
			continue;
		class_.line -= step->line;
		*candidates += (uint64_t) class_.rows * (class_.rows - 1) / 2;
		t->device->tests += (uint64_t) class_.rows * (class_.rows - 1) / 2 * class_.slabs *
			FIM_SLAB_BITS;
		classes[n++] = class_;
	}
	return n;
}

/*
 * The step's frequent pairs, in room for "capacity"; returns how many there are,
 * which may be more.
 */
static uint64_t
Multiply(Tensor *t, const ClassStep *step, const FimClass *classes, uint32_t nclasses,
		 uint64_t *key, uint32_t *support, uint64_t capacity)
{
	uint64_t	top = t->block.top;
	FimPairs	pairs = {key, support, t->npairs, capacity};
	FimPlan    *plan;
	unsigned long long n = 0;
	void	   *scratch;
	cudaError_t error;

	Check(t, FimPlanMake(t->way, classes, nclasses, &plan), "planning products");
	if (Aligned(FimPlanScratch(plan)) > Room(t))
	{
		uint64_t	needed = FimPlanScratch(plan);

		FimPlanFree(plan);
		t->device->full(t->device, "multiplying classes", needed, Room(t));
	}
	scratch = AllocTop(t, FimPlanScratch(plan), "multiplying classes");
	error = cudaMemsetAsync(t->npairs, 0, sizeof(*t->npairs), t->stream);
	if (error == cudaSuccess)
		error = FimPlanRun(plan, step->level->lines + step->line * FIM_LINE_BYTES, step->nlines,
						   t->m->job->minsup, &pairs, scratch, t->stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(&n, t->npairs, sizeof(n), cudaMemcpyDeviceToHost, t->stream);
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(t->stream);
	FimPlanFree(plan);
	Check(t, error, "multiplying classes");
	MinerPoll(t->m);
	t->block.top = top;
	return n;
}

/* ---- levels ---- */

static void MineLevel(Tensor *t, ClassLevel *level);

/* The step's pairs, judged: emit its members and go on below.  What was taken from top on is free. */
static void
Conclude(Tensor *t, const ClassStep *step, SortedPairs pairs, uint64_t top)
{
	Judgement	judgement;

	TensorJudge(t, step, pairs, &judgement);
	t->block.top = top;
	if (step->level->parent == NULL)
		t->m->shared->classes = judgement.classes.nclasses;
	TensorEmitStep(t, step, &judgement);
	TensorMineTables(t, &judgement.tables, step->level->lines);
	if (judgement.classes.nclasses > 0)
		MineLevel(t, &judgement.classes);
}

/* Room for as many pairs as there can be, or for a share of what is free. */
static uint64_t
PairsCapacity(const Tensor *t, uint64_t candidates)
{
	uint64_t	most = Room(t) / PAIRS_SHARE / BYTES_OF_PAIR;
	uint64_t	least = LEAST_PAIRS;

	if (most > MOST_PAIRS)
		most = MOST_PAIRS;
	if (most < least)
		most = least;
	return candidates < most ? candidates : most;
}

/* The rest of what is going on may use it, and what is below. */
static bool
GetMore(Tensor *t, uint64_t least, uint64_t wanted)
{
	void	   *memory = t->device->more(t->device, least, &wanted);

	if (memory == NULL)
		return false;
	t->more = {(char *) memory, 0, wanted / 256 * 256};
	return true;
}

/*
 * Where so much is needed and that is more than there may be, go on in another
 * block: the last one got, if nobody is there, or a new one.
 */
static void
UseMore(Tensor *t, uint64_t needed, uint64_t most)
{
	bool		is_free = t->more.base != NULL && t->block.base != t->more.base;

	if (needed <= most)
		return;
	if ((is_free && needed * 2 <= t->more.top) ||
		GetMore(t, needed * 2, needed * MEMORY_GROWTH))
		t->block = t->more;
}

/* What a step takes if there are so many pairs, roughly. */
static uint64_t
BytesOfStep(const ClassStep *step, uint64_t npairs)
{
	return npairs * (BYTES_OF_PAIR + BYTES_OF_MEMBER) + step->nmembers * BYTES_OF_MEMBER + STEP_MEMORY;
}

static void MineStep(Tensor *t, ClassStep *step, uint64_t capacity);

/* More pairs than there was room for: half of the classes at a time, or more room. */
static void
MineAgain(Tensor *t, const ClassStep *step, uint64_t npairs)
{
	ClassStep	half = *step;
	uint32_t	middle = step->first + (step->end - step->first) / 2;

	if (middle == step->first)
	{
		MineStep(t, &half, npairs);
		return;
	}
	half.end = middle;
	half.nmembers = step->level->classes[middle].to.first - step->first_member;
	half.nlines = step->level->classes[middle].to.line - step->line;
	MineStep(t, &half, 0);
	half = *step;
	half.first = middle;
	half.first_member = step->level->classes[middle].to.first;
	half.nmembers = step->first_member + step->nmembers - half.first_member;
	half.line = step->level->classes[middle].to.line;
	half.nlines = step->line + step->nlines - half.line;
	MineStep(t, &half, 0);
}

/* Multiply the step's classes, whose rows are there, and go on with what is frequent. */
static void
MineStep(Tensor *t, ClassStep *step, uint64_t capacity)
{
	ArenaMark	mark = ArenaGetMark(&t->m->arena);
	DeviceBlock own = t->block;
	uint32_t	turns = t->m->job->kind == FIM_ALL ? 1 : 2;
	FimClass   *classes = (FimClass *) ArenaAlloc(&t->m->arena, sizeof(FimClass) *
												  (size_t) (step->end - step->first));
	uint64_t	candidates;
	uint32_t	nclasses = ListProducts(t, step, classes, &candidates);
	uint64_t	room;
	uint64_t	top;
	uint64_t	npairs = 0;
	uint64_t   *key;
	uint32_t   *support;

	if (capacity == 0)
		capacity = PairsCapacity(t, candidates);
	room = capacity * turns;
	UseMore(t, BytesOfStep(step, room), Room(t));
	top = t->block.top;
	key = (uint64_t *) AllocTop(t, sizeof(uint64_t) * room * 2, "holding frequent pairs");
	support = (uint32_t *) AllocTop(t, sizeof(uint32_t) * room * 2, "holding frequent pairs");
	if (nclasses > 0)
		npairs = Multiply(t, step, classes, nclasses, key, support, capacity);
	t->m->nodes += step->nmembers;
	if (npairs <= capacity)
		Conclude(t, step, TensorSortPairs(t, key, support, (uint32_t) npairs, room, turns == 2), top);
	t->block = own;
	ArenaRelease(&t->m->arena, mark);
	if (npairs > capacity)
		MineAgain(t, step, npairs);
}

/* As many classes as there is room for their rows and as are wanted, one at least. */
static void
ChooseStep(Tensor *t, ClassLevel *level, uint32_t first, uint32_t wanted, ClassStep *step)
{
	uint64_t	most = Room(t) / ROWS_SHARE / FIM_LINE_BYTES;
	const FimClass *class_ = &level->classes[first].to;

	step->level = level;
	step->first = first;
	step->end = first;
	step->first_member = class_->first;
	step->line = class_->line;
	step->nmembers = 0;
	step->nlines = 0;
	for (uint32_t c = first; c < level->nclasses && c - first < wanted; c++)
	{
		uint64_t	lines;

		class_ = &level->classes[c].to;
		lines = (uint64_t) class_->rows * class_->slabs;
		if (c > first && step->nlines + lines > most)
		{
			t->cuts++;
			break;
		}
		step->nlines += lines;
		step->nmembers += class_->rows;
		step->end = c + 1;
	}
}

/*
 * The classes to do next; false: there are none.  A team shares the root's classes
 * out, fewer at a time as the end comes near, so that all are done at about the
 * same time.
 */
static bool
NextStep(Tensor *t, ClassLevel *level, ClassStep *step)
{
	uint32_t   *next = &t->team->next_class;
	uint32_t	first = step->end;
	bool		shared = level->parent->parent == NULL && t->team->ndevices > 1;

	if (!shared)
	{
		if (first < level->nclasses)
			ChooseStep(t, level, first, level->nclasses, step);
		return first < level->nclasses;
	}
	first = __atomic_load_n(next, __ATOMIC_RELAXED);
	do
	{
		if (first >= level->nclasses)
			return false;
		ChooseStep(t, level, first, (level->nclasses - first) / (2 * t->team->ndevices) + 1, step);
	} while (!__atomic_compare_exchange_n(next, &first, step->end, false, __ATOMIC_RELAXED,
										  __ATOMIC_RELAXED));
	return true;
}

/*
 * What is below the level may have another block of memory than the level itself,
 * the last one that was got: all that was there is done by then.
 */
static void
MineLevel(Tensor *t, ClassLevel *level)
{
	DeviceBlock own = t->block;
	ClassStep	step = {};

	for (;;)
	{
		if (t->cuts >= t->most_cuts)
		{
			uint64_t	size = t->more.base != NULL ? t->more.top : t->device->size;

			t->cuts = 0;
			t->most_cuts *= CUTS_GROWTH;
			(void) GetMore(t, size * 2, size * MEMORY_GROWTH);
		}
		if (t->more.base != NULL && own.base != t->more.base)
			t->block = t->more;
		if (!NextStep(t, level, &step))
			break;
		UseMore(t, step.nlines * FIM_LINE_BYTES, Room(t) / 2);
		level->lines = (char *) AllocBottom(t, step.nlines * FIM_LINE_BYTES, "holding the rows of classes") -
			step.line * FIM_LINE_BYTES;
		if (step.nlines > 0)
			CompactRows(t, &step);
		MineStep(t, &step, 0);
		t->block = own;
		if (level->parent->parent == NULL)
			__atomic_fetch_add(&t->m->shared->classes_done, step.end - step.first, __ATOMIC_RELAXED);
	}
	t->block = own;
}

/* ---- the root ---- */

/* The root's only class: all frequent items that not every transaction has. */
static void
FillRoot(Tensor *t, ClassLevel *root, uint32_t skip, uint32_t nitems)
{
	const FimDatabase *db = t->m->db;
	const uint32_t *support = (const uint32_t *) ((const char *) db + db->support_at);
	uint32_t	n = nitems - skip;
	uint32_t   *words = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * 3 * (size_t) n);
	uint32_t   *item = words;
	uint32_t   *with = words + n;
	FimCompact *class_ = &root->classes[0];

	memset(words, 0, sizeof(uint32_t) * 3 * (size_t) n);
	for (uint32_t x = 0; x < n; x++)
	{
		item[x] = nitems - 1 - x;
		with[x] = support[item[x]];
	}
	memset(class_, 0, sizeof(*class_));
	class_->to.rows = n;
	class_->to.slabs = FimSlabs(db->transactions);
	root->depth[0] = t->m->job->kind == FIM_ALL ? 0 : skip;
	root->nperfect[0] = t->m->job->kind == FIM_ALL ? skip : 0;
	root->nfixed[0] = 0;
	root->fixed[0] = NULL;
	ToDevice(t, root->device.item, item, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.support, with, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.class_of, words + 2 * (size_t) n, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.depth, root->depth, sizeof(uint32_t));
	ToDevice(t, root->device.nperfect, root->nperfect, sizeof(uint32_t));
	ToDevice(t, root->device.classes, class_, sizeof(*class_));
	if (!t->m->job->count_only)
	{
		memcpy(root->item, item, sizeof(uint32_t) * (size_t) n);
		memcpy(root->support, with, sizeof(uint32_t) * (size_t) n);
	}
	Wait(t, "copying to the device");
}

/* Copy the transactions and set the root's bits; copies of a row are transactions. */
static void
MakeRootRows(Tensor *t, ClassLevel *root, uint32_t skip, uint32_t nitems)
{
	const char *what = "making transaction bitmaps";
	const FimDatabase *db = t->m->db;
	const FimRow *rows = (const FimRow *) ((const char *) db + db->row_at);
	uint64_t   *start = (uint64_t *) ArenaAlloc(&t->m->arena, sizeof(uint64_t) * ((size_t) db->nrows + 1));
	uint64_t	size = (uint64_t) root->classes[0].to.slabs * root->classes[0].to.rows * FIM_LINE_BYTES;
	uint64_t	top = t->block.top;
	uint64_t	tid = 0;
	FimRow	   *device_rows;
	uint32_t   *device_items;
	uint64_t   *device_start;

	root->lines = (char *) AllocBottom(t, size, what);
	device_rows = (FimRow *) AllocTop(t, sizeof(FimRow) * (uint64_t) db->nrows, what);
	device_items = (uint32_t *) AllocTop(t, sizeof(uint32_t) * db->entries, what);
	device_start = (uint64_t *) AllocTop(t, sizeof(uint64_t) * (uint64_t) db->nrows, what);
	Check(t, cudaMemsetAsync(root->lines, 0, size, t->stream), what);
	for (uint32_t r = 0; r < db->nrows; r++)
	{
		start[r] = tid;
		tid += rows[r].weight;
	}
	t->device->upload(t->device, device_rows, rows, sizeof(FimRow) * (size_t) db->nrows);
	t->device->upload(t->device, device_items, (const char *) db + db->items_at,
					  sizeof(uint32_t) * (size_t) db->entries);
	t->device->upload(t->device, device_start, start, sizeof(uint64_t) * (size_t) db->nrows);
	t->device->begin_build(t->device, sizeof(FimRow) * (uint64_t) db->nrows +
						   sizeof(uint32_t) * db->entries + size);
	RootKernel<<<ROOT_BLOCKS, TENSOR_THREADS, 0, t->stream>>>(device_rows, device_items, device_start,
													   db->nrows, skip, nitems,
													   (uint32_t *) root->lines);
	Check(t, cudaGetLastError(), what);
	t->device->end_build(t->device);
	t->block.top = top;
}

void
TensorMemory(const FimJob *job, const FimDatabase *db, uint64_t *least, uint64_t *wanted)
{
	uint32_t	skip;
	uint64_t	n = MinerFrequentItems(job, db, &skip);
	uint64_t	rows = (n - skip) * (db->transactions / FIM_SLAB_BITS + 1) * FIM_LINE_BYTES;
	uint64_t	source = db->entries * sizeof(uint32_t) +
		(uint64_t) db->nrows * (sizeof(FimRow) + sizeof(uint64_t));

	*least = rows + (source > rows ? source : rows) + ((uint64_t) 64 << 20);
	*wanted = *least + FIRST_MEMORY;
}

/* Whether there is more than what is in all transactions. */
static bool
NeedsDevice(const Miner *m, uint32_t skip, uint32_t nitems)
{
	return m->db->transactions >= m->job->minsup && nitems > skip &&
		m->out.depth < m->out.max_depth;
}

Tensor *
TensorBegin(Miner *m, TensorDevice *device, TensorTeam *team, uint32_t number)
{
	Tensor	   *t;
	uint32_t	skip;
	uint32_t	nitems = MinerFrequentItems(m->job, m->db, &skip);

	MinerBeginRoot(m, skip);
	if (number == 0)
		MinerEmitRoot(m, nitems > skip);
	if (!NeedsDevice(m, skip, nitems))
		return NULL;
	t = (Tensor *) ArenaAlloc(&m->arena, sizeof(Tensor));
	memset(t, 0, sizeof(*t));
	t->m = m;
	t->device = device;
	t->stream = device->stream;
	t->team = team;
	t->number = number;
	t->block = {(char *) device->memory, 0, device->size / 256 * 256};
	t->most_cuts = FIRST_CUTS;
	Check(t, FimBestWay(&t->way), "choosing how to multiply");
	t->npairs = (unsigned long long *) AllocBottom(t, sizeof(*t->npairs), "counting pairs");
	TensorPrepareCounts(t);
	TensorAllocLevel(t, &t->root, NULL, 1, nitems - skip);
	FillRoot(t, &t->root, skip, nitems);
	MakeRootRows(t, &t->root, skip, nitems);
	return t;
}

void
TensorMine(Tensor *t)
{
	const FimClass *class_ = &t->root.classes[0].to;
	ClassStep	step = {};

	step.level = &t->root;
	step.end = 1;
	step.nmembers = class_->rows;
	step.nlines = (uint64_t) class_->slabs * class_->rows;
	MineStep(t, &step, 0);
	TensorCollectCounts(t);
}
