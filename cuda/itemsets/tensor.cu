/*-------------------------------------------------------------------------
 *
 * tensor.cu
 *	  Strategy "tensor": levels of prefix classes as products of bit matrices.
 *
 * A class has a row of bits for each of its members, over the transactions of
 * its prefix alone.  One launch multiplies all classes of a level on the 1-bit
 * tensor cores (bits/product.c) and writes the counts of the pairs of members that are
 * frequent together.  The members that are frequent with member x are the members of
 * the class of x, and compaction makes their rows, which have x's transactions alone.
 * So a level costs a few launches, no candidate is ever listed, and rows get shorter
 * as supports do.
 *
 * Members are in the order of ascending support, so that the classes with the
 * most members have the fewest transactions.  x is extended by what comes after
 * it.  For closed and maximal itemsets a class has excluded members, too: items that
 * earlier classes extend by, and that are frequent with the prefix.  They come first,
 * and are paired with the others but have no classes of their own.  The kinds differ
 * in what the counts of x's pairs mean:
 *
 * 	all			a later member in all of x's transactions is perfect: it goes
 * 				with each itemset below, and is multiplied out at the end
 * 	closed		an earlier member in all of x's transactions covers x: what x
 * 				would give was found there.  A later one is in the closure
 * 				(prefix-preserving closure extension; Uno, Kiyomi and Arimura,
 * 				LCM ver. 2)
 * 	maximal		a closed itemset that no member is frequent with; see
 * 				tensor_ahead.cu for what is left out
 *
 * A class with few members to extend it becomes a table of all of their sets
 * (itemsets.h), and nothing is below it.
 *
 * Levels are gone down depth first, and the rows of a level are made for as many classes at a
 * time as memory has room for, so that any number of itemsets can be mined with the memory of
 * one class at each depth.  If there is not enough memory even for the counts of one class, it is
 * done in fractions, which are some of its members each.
 *
 * The host knows the size of a level, but not the level's classes, unless it has to give their
 * itemsets out.
 *
 *-------------------------------------------------------------------------
 */
#include "bits/bits.h"
#include "itemsets/tensor.h"

/*
 * The root of strategy "tensor": from transactions to the first class.
 *
 * The root is a level of one class without a prefix, whose members are all frequent items
 * that not every transaction has, in the order of ascending support.  Its rows are made
 * on the device from the transactions.
 */

extern "C"
{
}

/* A job begins with this many bytes of memory besides those that it needs. */
#define FIRST_MEMORY	((uint64_t) 1 << 30)

/* Enough thread blocks to fill any device while they read transactions. */
#define ROOT_BLOCKS		2048

/* Write the rows of all items.  A warp takes a transaction and sets a bit for each item. */
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

				atomicOr(lines + line * FIM_LINE_WORDS + tid % FIM_SLAB_BITS / 32, 1u << tid % 32);
			}
		}
	}
}

/* How much there is of the root, which is one class of n items. */
static ClassPlace
RootEnd(const FimDatabase *db, uint32_t n)
{
	return {(uint64_t) n * FimSlabs(db->transactions), (uint64_t) n * n, 1, n};
}

/* Set up the root's only class, whose members are all frequent items that not every transaction has. */
static void
FillRoot(Tensor *t, ClassLevel *root, uint32_t skip, uint32_t nitems)
{
	const FimDatabase *db = t->m->db;
	const uint32_t *support = (const uint32_t *) ((const char *) db + db->support_at);
	uint32_t	n = nitems - skip;
	uint32_t   *words = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * 3 * (size_t) n);
	uint32_t   *item = words;
	uint32_t   *with = words + n;
	FimCompaction *class_ = &root->classes[0];

	memset(words, 0, sizeof(uint32_t) * 3 * (size_t) n);
	for (uint32_t x = 0; x < n; x++)
	{
		item[x] = nitems - 1 - x;
		with[x] = support[item[x]];
	}
	memset(class_, 0, sizeof(*class_));
	class_->to.rows = n;
	class_->to.slabs = FimSlabs(db->transactions);
	root->depth[0] = t->m->spec->kind == FIM_ALL ? 0 : skip;
	root->nperfect[0] = t->m->spec->kind == FIM_ALL ? skip : 0;
	root->nfixed[0] = 0;
	root->fixed[0] = NULL;
	ToDevice(t, root->device.item, item, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.support, with, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.class_of, words + 2 * (size_t) n, sizeof(uint32_t) * (size_t) n);
	ToDevice(t, root->device.depth, root->depth, sizeof(uint32_t));
	ToDevice(t, root->device.nperfect, root->nperfect, sizeof(uint32_t));
	ToDevice(t, root->device.classes, class_, sizeof(*class_));
	if (!t->m->spec->head.count_only)
	{
		memcpy(root->item, item, sizeof(uint32_t) * (size_t) n);
		memcpy(root->support, with, sizeof(uint32_t) * (size_t) n);
	}
	Wait(t, "copying to the device");
}

/* Take memory for the root's rows, and for the transactions that they are made of. */
static void
PlaceRoot(Tensor *t, ClassLevel *root)
{
	const char *what = "making transaction bitmaps";
	const FimDatabase *db = t->m->db;
	TensorSource *source = &t->source;
	uint64_t	size = root->end.line * FIM_LINE_BYTES;

	root->lines = (char *) AllocBottom(t, size, what);
	source->top = t->memory.top;
	source->rows = (FimRow *) AllocTop(t, sizeof(FimRow) * (uint64_t) db->nrows, what);
	source->items = (uint32_t *) AllocTop(t, sizeof(uint32_t) * db->entries, what);
	source->start = (uint64_t *) AllocTop(t, sizeof(uint64_t) * (uint64_t) db->nrows, what);
	Check(t, cudaMemsetAsync(root->lines, 0, size, t->stream), what);
}

const TensorSource *
TensorSourceOf(const Tensor *t)
{
	return &t->source;
}

void
TensorBuild(Tensor *t)
{
	const FimDatabase *db = t->m->db;
	const TensorSource *source = &t->source;
	uint32_t	skip;
	uint32_t	nitems = RootItems(t->m->spec, db, &skip);

	t->device->begin_build(t->device, sizeof(FimRow) * (uint64_t) db->nrows +
						   sizeof(uint32_t) * db->entries + t->root.end.line * FIM_LINE_BYTES);
	RootKernel<<<ROOT_BLOCKS, TENSOR_THREADS, 0, t->stream>>>(source->rows, source->items, source->start,
													   db->nrows, skip, nitems,
													   (uint32_t *) t->root.lines);
	Launched(t, "making transaction bitmaps");
	t->device->end_build(t->device);
	t->memory.top = source->top;
}

void
TensorMemory(const FimItemsetsSpec *spec, const FimDatabase *db, uint64_t *least, uint64_t *wanted)
{
	uint32_t	skip;
	uint64_t	n = RootItems(spec, db, &skip);
	uint64_t	rows = (n - skip) * (db->transactions / FIM_SLAB_BITS + 1) * FIM_LINE_BYTES;
	uint64_t	source = db->entries * sizeof(uint32_t) +
		(uint64_t) db->nrows * (sizeof(FimRow) + sizeof(uint64_t));

	*least = rows + (source > rows ? source : rows) + PartBytes(spec, (uint32_t) n) + ((uint64_t) 64 << 20);
	*wanted = *least + FIRST_MEMORY;
}

/* Whether there can be itemsets of wanted lengths beyond those of items that all transactions have. */
static bool
NeedsDevice(const Miner *m, uint32_t skip, uint32_t nitems)
{
	return m->db->transactions >= m->spec->minsup && nitems > skip &&
		m->out.depth < m->out.max_depth && OutputReaches(&m->out, m->out.nperfect + nitems - skip);
}

/* Copy the job's part to the device. */
static void
CopyPart(Tensor *t, const ItemsetPart *part)
{
	const char *what = "copying the part to the device";
	size_t		rows = sizeof(uint32_t) * (size_t) part->nitems;
	size_t		bits = sizeof(uint32_t) * (size_t) part->nrows * part->words;

	t->part = *part;
	t->part.row_of = (uint32_t *) AllocBottom(t, rows, what);
	t->part.bits = (uint32_t *) AllocBottom(t, bits, what);
	ToDevice(t, t->part.row_of, part->row_of, rows);
	ToDevice(t, t->part.bits, part->bits, bits);
}

Tensor *
TensorBegin(Miner *m, TensorDevice *device, uint32_t ndevices, uint32_t number)
{
	Tensor	   *t;
	ClassPlace	end;
	uint32_t	skip;
	uint32_t	nitems = RootItems(m->spec, m->db, &skip);

	RootBegin(m, skip);
	if (number == 0 && JobHasRoot(device->part))
		RootEmit(m, nitems > skip);
	if (!NeedsDevice(m, skip, nitems))
		return NULL;
	t = (Tensor *) ArenaAlloc(&m->arena, sizeof(Tensor));
	memset(t, 0, sizeof(*t));
	t->m = m;
	t->device = device;
	t->stream = device->stream;
	t->ndevices = ndevices;
	t->number = number;
	t->memory = {(char *) device->memory, 0, device->size / 256 * 256};
	t->begin = Milliseconds();
	Check(t, FimBestWay(&t->way), "choosing how to multiply");
	t->counter = (unsigned long long *) AllocBottom(t, sizeof(*t->counter), "counting pairs");
	TensorPrepareCounts(t);
	if (device->part != NULL)
		CopyPart(t, device->part);
	end = RootEnd(m->db, nitems - skip);
	TensorAllocLevel(t, &t->root, NULL, &end);
	FillRoot(t, &t->root, skip, nitems);
	PlaceRoot(t, &t->root);
	return t;
}

/*
 * The rows of one step may take one part in ROWS_PART of the free memory, and its counts one
 * in COUNTS_PART.  The rest is for the level below: a count can become a member of that level,
 * which takes 16 bytes, and members share classes of 120 bytes.  Steps are chosen such that
 * counts take half of their part, which leaves room for everything else.
 */
#define ROWS_PART		8
#define COUNTS_PART		16

/*
 * After MOST_CUTS steps that were smaller for want of memory, a job takes MEMORY_GROWTH times
 * as much memory, if taking it costs no more than one part in TAKING_PART of the time that has
 * passed.  A GB costs more than 2 ms, as measured on an H200 (BYTES_OF_MS), but memory that was
 * kept since the last job costs nothing.
 */
#define MEMORY_GROWTH	4
#define MOST_CUTS		8
#define BYTES_OF_MS		(UINT64_C(400) << 20)
#define TAKING_PART		8

/*
 * Besides rows and counts, a step takes BYTES_OF_MEMBER bytes for each member, its class and
 * plan included.  It may use one part in MEMBERS_PART of the free memory for these, and
 * STEP_MEMORY in any case.
 */
#define BYTES_OF_MEMBER	256
#define MEMBERS_PART	4
#define STEP_MEMORY		((uint64_t) 32 << 20)

/*
 * The pairs of bits that one launch may count, by FimWay.  That takes an H200 about 0.1 s, and
 * nothing stops a launch that is under way.  Fractions that are made for this reason have at least
 * FRACTION_MEMBERS members, so that they have whole tiles.
 */
static const double most_tests[] = {1e13, 2e14, 7e14};

#define FRACTION_MEMBERS	256

/* The host plans the products of up to FEW_CLASSES classes, the device those of more. */
#define FEW_CLASSES		128

/* A device takes one part in TAKEN_PART of its share of the root's members that are left at a time. */
#define TAKEN_PART		4

/* ---- rows ---- */

/* Make the rows of a step's classes from those of the parent. */
static void
CompactRows(Tensor *t, const ClassStep *step)
{
	const ClassLevel *level = step->level;

	Check(t, FimCompactMatrices(level->parent->lines, level->lines, level->device.classes,
								level->device.source, level->device.parts + step->from.part,
								step->to.part - step->from.part, t->stream),
		  "making the rows of classes");
}

/* ---- products ---- */

/* Have the host plan the step's products, with numbers of lines and counts from 0. */
static FimPlan *
PlanFew(Tensor *t, const ClassStep *step, const FimCounts *counts)
{
	ArenaMark	mark = ArenaGetMark(&t->m->arena);
	uint32_t	n = ClassesOf(step);
	FimCompaction *from = (FimCompaction *) ArenaAlloc(&t->m->arena, sizeof(FimCompaction) * n);
	FimMatrix  *classes = (FimMatrix *) ArenaAlloc(&t->m->arena, sizeof(FimMatrix) * n);
	FimPlan    *plan;

	ToHost(t, from, step->level->device.classes + step->from.number, sizeof(FimCompaction) * n);
	Wait(t, "planning products");
	for (uint32_t c = 0; c < n; c++)
	{
		classes[c] = from[c].to;
		classes[c].line -= step->from.line;
		classes[c].count -= step->from.count;
	}
	Check(t, FimPlanMake(t->way, classes, n, counts, &plan), "planning products");
	ArenaRelease(&t->m->arena, mark);
	return plan;
}

/* Have the device plan the step's products. */
static FimPlan *
PlanMany(Tensor *t, const ClassStep *step)
{
	FimMatrices	classes = {&step->level->device.classes[step->from.number].to, sizeof(FimCompaction),
	ClassesOf(step), step->from.line, step->from.count};
	uint64_t	top = t->memory.top;
	void	   *survey = AllocTop(t, FIM_SURVEY_BYTES, "planning products");
	FimPlan    *plan;

	Check(t, FimPlanMany(t->way, &classes, survey, t->stream, &plan), "planning products");
	t->memory.top = top;
	return plan;
}

/* Count the pairs of the step's members. */
static void
Multiply(Tensor *t, const ClassStep *step, const FimCounts *counts)
{
	const char *what = "multiplying classes";
	uint64_t	top = t->memory.top;
	FimPlan    *plan = ClassesOf(step) <= FEW_CLASSES ? PlanFew(t, step, counts) : PlanMany(t, step);
	uint64_t	needed = Aligned(FimPlanScratch(plan));
	cudaError_t error;

	if (needed > Room(t))
	{
		FimPlanFree(plan);
		t->device->full(t->device, what, needed, Room(t));
	}
	error = FimPlanRun(plan, step->level->lines + step->from.line * FIM_LINE_BYTES, LinesOf(step),
					   t->m->spec->minsup, counts, AllocTop(t, needed, what), t->stream);
	t->device->tests += (uint64_t) (FimPlanTests(plan) * MembersOf(step) /
									(step->to.member - step->from.member));
	FimPlanFree(plan);
	Check(t, error, what);
	t->memory.top = top;
}

/* ---- memory ---- */

/*
 * Get another block of memory, of "wanted" bytes, or fewer but not less than "least".  Returns
 * false if there is none.
 */
static bool
GetMore(Tensor *t, uint64_t least, uint64_t wanted)
{
	void	   *memory = t->device->more(t->device, least, &wanted);

	if (memory == NULL)
		return false;
	t->more = {(char *) memory, 0, wanted / 256 * 256};
	t->device->kept -= wanted < t->device->kept ? wanted : t->device->kept;
	return true;
}

/*
 * If "needed" bytes are more than the room in the block of memory at hand, go on in another one.
 * That is the one that was got last, if nothing uses it and it is large enough, or a new one,
 * which must have at least "least" bytes.  If there is none, stay in the one at hand.
 */
static void
UseMore(Tensor *t, uint64_t needed, uint64_t least)
{
	bool		is_free = t->more.base != NULL && t->memory.base != t->more.base;
	uint64_t	wanted = needed * 2 > t->more.top ? needed * 2 : t->more.top;

	if (needed <= Room(t))
		return;
	if ((is_free && needed <= t->more.top) || GetMore(t, least, wanted))
		t->memory = t->more;
}

/* ---- levels ---- */

static void MineLevel(Tensor *t, const ClassStep *above, ClassLevel *level);

/* Tell how many classes below the root are known so far, unless another device has told of more. */
static void
TellClasses(Tensor *t, uint32_t n)
{
	uint64_t	known = __atomic_load_n(&t->m->shared->total, __ATOMIC_RELAXED);

	while (known < n && !__atomic_compare_exchange_n(&t->m->shared->total, &known, n, false,
													 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

/*
 * Judge the step's members, give out the itemsets that this device gives out, and mine those
 * classes below that are shared in the way "below".  The classes may use the memory up to
 * "top".
 */
static void
MineBelow(Tensor *t, const ClassStep *step, const StepCounts *pairs, Sharing below, uint64_t top)
{
	ArenaMark	mark = ArenaGetMark(&t->m->arena);
	MemoryBlock own = t->memory;
	bool		is_root = step->level->parent == NULL;
	StepJudgement judgement;

	TensorJudge(t, step, pairs, below, &judgement);
	t->memory.top = top;
	if (is_root)
		TellClasses(t, t->classes_before + judgement.classes.end.number);
	TensorEmitStep(t, step, &judgement);
	TensorMineTables(t, &judgement.tables, step->level->lines);
	if (judgement.classes.end.number > 0)
		MineLevel(t, step, &judgement.classes);
	if (is_root)
		t->classes_before += judgement.classes.end.number;
	t->memory = own;
	ArenaRelease(&t->m->arena, mark);
}

/* Multiply the step's classes, whose rows have been made, and go on with the members that are frequent. */
static void
MineMembers(Tensor *t, const ClassStep *step)
{
	const char *what = "counting pairs";
	MemoryBlock own = t->memory;
	uint64_t	ncounts = step->end == UINT32_MAX ? CountsOf(step) :
		(uint64_t) (step->end - step->begin) * (step->to.member - step->from.member);
	FimCounts	counts = {NULL, t->m->spec->kind != FIM_ALL, step->begin, step->end, NULL, 0, 0};
	StepCounts	pairs;

	counts.count = (uint32_t *) AllocTop(t, sizeof(uint32_t) * ncounts, what);
	Check(t, cudaMemsetAsync(counts.count, 0, sizeof(uint32_t) * ncounts, t->stream), what);
	if (LinesOf(step) > 0)
		Multiply(t, step, &counts);
	pairs = {counts.count, step->from.count, step->begin};
	t->m->nodes += MembersOf(step);
	if (t->ndevices == 1 || step->level->parent != NULL)
		MineBelow(t, step, &pairs, SHARE_NOTHING, own.top);
	else
	{
		MineBelow(t, step, &pairs, SHARE_MEMBERS, t->memory.top);
		MineBelow(t, step, &pairs, SHARE_CLASSES, own.top);
	}
	t->memory = own;
}

/* The size of fractions of the step's only class: as many members as fit and take little time. */
static uint64_t
FractionOf(const Tensor *t, const ClassStep *step, uint64_t rows)
{
	uint64_t	fitting = Room(t) / COUNTS_PART / sizeof(uint32_t) / rows;
	double		timely = most_tests[t->way] / ((double) LinesOf(step) * FIM_SLAB_BITS + 1);

	if (timely < FRACTION_MEMBERS)
		timely = FRACTION_MEMBERS;
	if (timely < (double) fitting)
		return (uint64_t) timely;
	return fitting > 0 ? fitting : 1;
}

/* Mine a step's classes together, or its only class in fractions. */
static void
MineStep(Tensor *t, ClassStep *step)
{
	MemoryBlock own = t->memory;
	uint64_t	rows = step->to.member - step->from.member;
	uint64_t	members = CountsOf(step) / rows;	/* if there is only one class: its members that are not
													 * excluded */
	uint64_t	needed = CountsOf(step) * sizeof(uint32_t) * COUNTS_PART + rows * BYTES_OF_MEMBER +
		STEP_MEMORY;
	uint64_t	fraction;

	/* other memory pays if it is twice as large as the room here: it makes half as many fractions */
	UseMore(t, needed, needed < Room(t) * 2 ? needed : Room(t) * 2);
	fraction = FractionOf(t, step, rows);
	if (ClassesOf(step) > 1 || fraction >= members)
		MineMembers(t, step);
	else
		for (uint64_t begin = rows - members; begin < rows; begin += fraction)
		{
			step->begin = (uint32_t) begin;
			step->end = (uint32_t) (begin + fraction < rows ? begin + fraction : rows);
			MineMembers(t, step);
		}
	t->memory = own;
}

static __device__ ClassPlace
PlaceOf(const FimCompaction *classes, uint32_t c, const ClassPlace &end)
{
	const FimCompaction *class_ = &classes[c];

	if (c == end.number)
		return end;
	return {class_->to.line, class_->to.count, c, class_->to.first, class_->part, 0};
}

/*
 * Find where a step that begins at "from" is to end: its classes together have no more lines,
 * counts and members than "most".  One class is taken in any case.
 */
static __global__ void
FitKernel(const FimCompaction *classes, ClassPlace from, ClassPlace most, ClassPlace end, ClassPlace *to)
{
	uint32_t	low = from.number + 1;
	uint32_t	last = end.number;

	while (low < last)
	{
		uint32_t	middle = last - (last - low) / 2;
		ClassPlace	place = PlaceOf(classes, middle, end);

		if (place.line - from.line <= most.line && place.count - from.count <= most.count &&
			place.member - from.member <= most.member)
			low = middle;
		else
			last = middle - 1;
	}
	*to = PlaceOf(classes, low, end);
}

/* Choose a step: as many classes as there is room for, from "from" on and up to "end". */
static void
ChooseStep(Tensor *t, ClassLevel *level, ClassPlace from, ClassPlace end, ClassStep *step)
{
	uint64_t	members = Room(t) / MEMBERS_PART / BYTES_OF_MEMBER;
	ClassPlace	most = {Room(t) / ROWS_PART / FIM_LINE_BYTES, Room(t) / COUNTS_PART / 2 / sizeof(uint32_t),
	0, members < UINT32_MAX ? (uint32_t) members : UINT32_MAX};
	uint64_t	top = t->memory.top;
	ClassPlace *place;

	*step = {level, from, end, 0, UINT32_MAX};
	/* most of the time, all classes that are left fit */
	if (LinesOf(step) <= most.line && CountsOf(step) <= most.count && MembersOf(step) <= most.member)
		return;
	place = (ClassPlace *) AllocTop(t, sizeof(ClassPlace), "choosing classes");
	FitKernel<<<1, 1, 0, t->stream>>>(level->device.classes, from, most, end, place);
	Launched(t, "choosing classes");
	ToHost(t, &step->to, place, sizeof(ClassPlace));
	Wait(t, "choosing classes");
	t->memory.top = top;
	t->cuts += step->to.number < end.number;
}

/* Take more memory, if that pays, after MOST_CUTS steps that were smaller for want of it. */
static void
GrowMemory(Tensor *t)
{
	uint64_t	size = MEMORY_GROWTH * (t->more.top > t->device->size ? t->more.top : t->device->size);

	t->cuts = 0;
	if (!t->m->spec->head.count_only)
		return;					/* giving itemsets out takes longer than more memory would save */
	if (size < t->device->kept + (Milliseconds() - t->begin) / TAKING_PART * BYTES_OF_MS)
		(void) GetMore(t, size / MEMORY_GROWTH * 2, size);
}

/*
 * Mine classes of a level, step by step.  Their rows and all below them may use another block
 * of memory than the level itself: the one that was got last, because everything that used it
 * is done by then.
 */
static void
MineClasses(Tensor *t, ClassLevel *level, ClassPlace from, ClassPlace end)
{
	MemoryBlock own = t->memory;
	bool		in_progress = level->parent->parent == NULL &&
		(t->number == 0 || level->sharing == SHARE_CLASSES);
	ClassStep	step = {};

	for (step.to = from; step.to.number < end.number;)
	{
		uint64_t	bytes;

		if (t->cuts >= MOST_CUTS)
			GrowMemory(t);
		if (own.base != t->more.base && t->more.top > Room(t))
			t->memory = t->more;
		ChooseStep(t, level, step.to, end, &step);
		bytes = LinesOf(&step) * FIM_LINE_BYTES;
		UseMore(t, bytes * 2, bytes * 2);
		level->lines = (char *) AllocBottom(t, bytes, "holding the rows of classes") -
			step.from.line * FIM_LINE_BYTES;
		CompactRows(t, &step);
		MineStep(t, &step);
		t->memory = own;
		if (in_progress)
			__atomic_fetch_add(&t->m->shared->done, ClassesOf(&step), __ATOMIC_RELAXED);
	}
	t->memory = own;
}

/* Two threads find where the classes of the root's members begin .. end - 1 begin and end. */
static __global__ void
PlacesKernel(const FimCompaction *classes, ClassPlace last, uint32_t begin, uint32_t end, ClassPlace *to)
{
	uint32_t	member = threadIdx.x == 0 ? begin : end;
	uint32_t	low = 0;
	uint32_t	high = last.number;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (classes[middle].prefix < member)
			low = middle + 1;
		else
			high = middle;
	}
	to[threadIdx.x] = PlaceOf(classes, low, last);
}

/*
 * Take some of the root's members, up to "end", that no device of the team has taken.  They are
 * a part of the members that are left, so that they get fewer and fewer.  Returns false if none
 * are left.  This works with fractions of the root, too, although each device chooses its own
 * fractions: a device is done with a fraction when all of its members have been taken.
 */
static bool
TakeMembers(Tensor *t, uint32_t end, uint32_t *first, uint32_t *last)
{
	uint32_t   *taken = t->device->taken;

	*first = __atomic_load_n(taken, __ATOMIC_RELAXED);
	do
	{
		uint32_t	n = (t->root.end.member - *first) / (TAKEN_PART * t->ndevices) + 1;

		if (*first >= end)
			return false;
		*last = end - *first < n ? end : *first + n;
	} while (!__atomic_compare_exchange_n(taken, first, *last, false, __ATOMIC_RELAXED,
										  __ATOMIC_RELAXED));
	return true;
}

/* Mine the classes of a step's members: all of them, or those that the device takes. */
static void
MineLevel(Tensor *t, const ClassStep *above, ClassLevel *level)
{
	const char *what = "taking classes";
	uint32_t	end = above->begin + MembersOf(above);
	uint32_t	first;
	uint32_t	last;

	MinerCheckStack(t->m);
	if (level->sharing != SHARE_CLASSES)
	{
		MineClasses(t, level, {}, level->end);
		return;
	}
	while (TakeMembers(t, end, &first, &last))
	{
		uint64_t	top = t->memory.top;
		ClassPlace *places = (ClassPlace *) AllocTop(t, sizeof(ClassPlace) * 2, what);
		ClassPlace	range[2];

		PlacesKernel<<<1, 2, 0, t->stream>>>(level->device.classes, level->end, first, last, places);
		Launched(t, what);
		ToHost(t, range, places, sizeof(range));
		Wait(t, what);
		t->memory.top = top;
		MineClasses(t, level, range[0], range[1]);
	}
}

/* ---- the root ---- */

void
TensorMine(Tensor *t)
{
	ClassStep	step = {&t->root, {}, t->root.end, 0, UINT32_MAX};

	MineStep(t, &step);
	TensorCollectCounts(t);
}
