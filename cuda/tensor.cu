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
#include "compact.h"
#include "product.h"
#include "tables.h"
#include "tensor.h"

#include <cub/cub.cuh>
#include <string.h>

#define THREADS			256
#define FULL_MASK		0xffffffffu

/* Of the free memory, what the rows and the pairs of one step may take. */
#define ROWS_SHARE		4
#define PAIRS_SHARE		8
#define LEAST_PAIRS		((uint64_t) 1 << 16)

/* A pair with what turning and sorting it takes: key and support, four times. */
#define BYTES_OF_PAIR	(4 * (sizeof(uint64_t) + sizeof(uint32_t)))
#define MOST_PAIRS		((uint64_t) 1 << 30)
#define BYTES_OF_SET	(sizeof(uint64_t) + sizeof(uint32_t))

/* Tables of one launch, and what may be taken for counting their itemsets. */
#define MOST_TABLES		(UINT32_C(1) << 18)
#define MOST_COUNTS		((size_t) 64 << 20)

/* Blocks that fill any device while they read transactions. */
#define ROOT_BLOCKS		2048

#define LINE_WORDS		(FIM_LINE_BYTES / 4)

/* Memory of the device: levels grow from its bottom, what a step needs from its top. */
typedef struct Block
{
	char	   *base;
	uint64_t	bottom;
	uint64_t	top;
} Block;

/* What the kernels need to know of a level; all in device memory. */
typedef struct Members
{
	FimCompact *classes;		/* [nclasses] and how each is made from the parent's rows */
	uint32_t   *depth;			/* [nclasses] of the path */
	uint32_t   *nperfect;		/* [nclasses] */
	uint32_t   *source;			/* [nmembers] what the parent's pairs call it */
	uint32_t   *item;			/* [nmembers] the engine's number */
	uint32_t   *support;		/* [nmembers] with the prefix */
	uint32_t   *class_of;		/* [nmembers] */
} Members;

/* The classes of a level, and on the host what telling their itemsets needs. */
typedef struct Level
{
	const struct Level *parent;
	uint32_t	nclasses;
	uint32_t	nmembers;
	Members		device;
	FimCompact *classes;		/* [nclasses] */
	uint32_t   *depth;			/* [nclasses] */
	uint32_t   *nperfect;		/* [nclasses] */
	uint32_t   *parent_class;	/* [nclasses] */

	/* when listing */
	uint32_t   *item;			/* [nmembers] */
	uint32_t   *support;		/* [nmembers] */
	const uint32_t **fixed;		/* [nclasses] items fixed with its prefix ... */
	uint32_t   *nfixed;			/* ... and how many */

	/* rows of some classes, moved so that the classes' line numbers fit them */
	char	   *lines;
} Level;

/* Classes first .. end - 1 of a level, which are done together. */
typedef struct Step
{
	Level	   *level;
	uint32_t	first;
	uint32_t	end;
	uint32_t	first_member;
	uint32_t	nmembers;
	uint64_t	line;
	uint64_t	nlines;
} Step;

/* Frequent pairs, sorted: those of a member follow one another. */
typedef struct Sorted
{
	const uint64_t *key;
	const uint32_t *support;
	uint32_t	n;
} Sorted;

/* What a member's pairs say of it. */
typedef struct Verdict
{
	uint32_t	begin;			/* its first pair */
	uint32_t	npairs;
	uint32_t	kept;			/* members of its class or table; 0: there is none */
	uint32_t	excluded;		/* of these, before it */
} Verdict;

/* The same for the host: what it emits, and how many items are fixed with it. */
#define MARK_EMITTED	1u
#define MARK_CLASS		2u
#define MARK_TABLE		4u
#define MARK_FIXED		3		/* a shift */

/* Sums over members, for placing their classes and tables. */
typedef struct Place
{
	uint64_t	lines;
	uint32_t	classes;
	uint32_t	members;
	uint32_t	tables;
	uint32_t	table_members;
	uint32_t	fixed;
	uint32_t	unused;
} Place;

struct PlaceSum
{
	__host__ __device__ Place operator() (const Place &a, const Place &b) const
	{
		return {a.lines + b.lines, a.classes + b.classes, a.members + b.members,
			a.tables + b.tables, a.table_members + b.table_members, a.fixed + b.fixed, 0};
	}
};

typedef struct Tensor
{
	Miner	   *m;
	TensorDevice *device;
	cudaStream_t stream;
	FimWay		way;
	Block		block;
	unsigned long long *npairs; /* device */
	bool		tables;			/* small classes become tables */
	FimPatternCounts counts;	/* of all itemsets, if the device counts them */
} Tensor;

/* ---- kernels ---- */

/* The rows of all items; a warp takes a transaction and writes a bit for each item. */
static __global__ void __launch_bounds__(THREADS)
RootKernel(const FimRow *rows, const uint32_t *items, const uint64_t *start, uint32_t nrows,
		   uint32_t skip, uint32_t nitems, uint32_t *lines)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	nmembers = nitems - skip;
	uint32_t	nwarps = gridDim.x * THREADS / 32;

	for (uint32_t r = (blockIdx.x * THREADS + threadIdx.x) / 32; r < nrows; r += nwarps)
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

/* Each pair the other way round, too. */
static __global__ void __launch_bounds__(THREADS)
TurnKernel(uint64_t *key, uint32_t *support, uint32_t n)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i >= n)
		return;
	key[n + i] = key[i] << 32 | key[i] >> 32;
	support[n + i] = support[i];
}

/* Where x's pairs begin. */
static __device__ uint32_t
FirstPair(const Sorted &pairs, uint64_t x)
{
	uint32_t	low = 0;
	uint32_t	high = pairs.n;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (pairs.key[middle] < x << 32)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* sm_75 has no instruction for it. */
static __device__ __forceinline__ uint32_t
WarpSum(uint32_t value)
{
	for (int offset = 16; offset > 0; offset /= 2)
		value += __shfl_xor_sync(FULL_MASK, value, offset);
	return value;
}

/* A warp looks at a member's pairs. */
static __global__ void __launch_bounds__(THREADS)
JudgeKernel(Sorted pairs, Members of, uint32_t first, uint32_t nmembers, FimKind kind,
			uint32_t max_depth, bool tables, FimPatternCounts counts, Verdict *verdicts,
			Place *places, uint32_t *marks)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = (blockIdx.x * THREADS + threadIdx.x) / 32;
	uint32_t	x = first + n;
	uint32_t	before = 0;
	uint32_t	after = 0;
	uint32_t	fixed = 0;
	bool		covered = false;
	Verdict		verdict = {0, 0, 0, 0};
	Place		place = {};
	uint32_t	mark = 0;

	if (n >= nmembers)
		return;

	uint32_t	c = of.class_of[x];

	if (x >= of.classes[c].to.first + of.classes[c].excluded)
	{
		uint32_t	support = of.support[x];
		uint32_t	end = FirstPair(pairs, (uint64_t) x + 1);

		verdict.begin = FirstPair(pairs, x);
		verdict.npairs = end - verdict.begin;
		for (uint32_t i = verdict.begin + lane; i < end; i += 32)
		{
			bool		later = (uint32_t) pairs.key[i] > x;
			bool		same = pairs.support[i] == support;

			covered |= same && !later;
			fixed += same && later;
			before += !same && !later;
			after += !same && later;
		}
		covered = __any_sync(FULL_MASK, covered);
		fixed = WarpSum(fixed);
		before = WarpSum(before);
		after = WarpSum(after);

		uint32_t	depth = of.depth[c] + 1 + (kind == FIM_ALL ? 0 : fixed);

		place.fixed = covered ? 0 : fixed;
		if (!covered && (kind != FIM_MAXIMAL || before + after == 0))
			mark |= MARK_EMITTED;
		if (!covered && after > 0 && depth < max_depth)
		{
			verdict.kept = before + after;
			verdict.excluded = before;
			if (tables && FimIsTable(after, before, support))
			{
				place.tables = 1;
				place.table_members = verdict.kept;
				mark |= MARK_TABLE;
			}
			else
			{
				place.classes = 1;
				place.members = verdict.kept;
				if (verdict.kept > 1)
					place.lines = (uint64_t) verdict.kept *
						((support + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS);
				mark |= MARK_CLASS;
			}
		}
		mark |= place.fixed << MARK_FIXED;
		if (lane == 0 && counts.counts != NULL && (mark & MARK_EMITTED) != 0)
		{
			uint32_t	nperfect = of.nperfect[c] + (kind == FIM_ALL ? fixed : 0);

			atomicAdd(counts.counts + (size_t) nperfect * counts.lengths + depth, 1ULL);
		}
	}
	if (lane == 0)
	{
		verdicts[n] = verdict;
		places[n] = place;
		marks[n] = mark;
	}
}

/* A warp makes a member's class or table, and lists what is fixed with it. */
static __global__ void __launch_bounds__(THREADS)
ClassKernel(Sorted pairs, Members of, uint32_t first, uint32_t nmembers, FimKind kind,
			const Verdict *verdicts, const Place *places, const uint32_t *marks,
			Members classes, Members tables, uint32_t *fixed_items)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = (blockIdx.x * THREADS + threadIdx.x) / 32;
	uint32_t	x = first + n;

	if (n >= nmembers || (marks[n] & ~MARK_EMITTED) == 0)
		return;

	Verdict		verdict = verdicts[n];
	Place		place = places[n];
	uint32_t	c = of.class_of[x];
	uint32_t	support = of.support[x];
	uint32_t	nfixed = marks[n] >> MARK_FIXED;
	bool		is_table = (marks[n] & MARK_TABLE) != 0;
	bool		wanted = is_table || (marks[n] & MARK_CLASS) != 0;
	Members		to = is_table ? tables : classes;
	uint32_t	number = is_table ? place.tables : place.classes;
	uint32_t	at = is_table ? place.table_members : place.members;
	uint32_t	fixed = place.fixed;

	if (wanted && lane == 0)
	{
		FimCompact	class_ = {};

		class_.from = of.classes[c].to;
		class_.to.line = place.lines;
		class_.to.rows = verdict.kept;
		class_.to.slabs = verdict.kept > 1 && !is_table ?
			(support + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS : 0;
		class_.to.first = at;
		class_.members = at;
		class_.prefix = x;
		class_.excluded = verdict.excluded;
		to.classes[number] = class_;
		to.depth[number] = of.depth[c] + 1 + (kind == FIM_ALL ? 0 : nfixed);
		to.nperfect[number] = of.nperfect[c] + (kind == FIM_ALL ? nfixed : 0);
	}
	for (uint32_t i = 0; i < verdict.npairs; i += 32)
	{
		uint32_t	pair = verdict.begin + i + lane;
		bool		mine = i + lane < verdict.npairs;
		uint32_t	y = mine ? (uint32_t) pairs.key[pair] : 0;
		uint32_t	both = mine ? pairs.support[pair] : 0;
		bool		is_fixed = mine && both == support;
		bool		is_kept = mine && wanted && both != support;
		uint32_t	all_fixed = __ballot_sync(FULL_MASK, is_fixed);
		uint32_t	all_kept = __ballot_sync(FULL_MASK, is_kept);
		uint32_t	below = (1u << lane) - 1;

		if (is_fixed)
			fixed_items[fixed + __popc(all_fixed & below)] = of.item[y];
		if (is_kept)
		{
			uint32_t	member = at + __popc(all_kept & below);

			to.source[member] = y;
			to.item[member] = of.item[y];
			to.support[member] = both;
			to.class_of[member] = number;
		}
		fixed += __popc(all_fixed);
		at += __popc(all_kept);
	}
}

/* ---- memory and errors ---- */

static inline void
Check(Tensor *t, cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		t->device->fault(t->device, error, what);
}

static inline uint64_t
Room(const Tensor *t)
{
	return t->block.top - t->block.bottom;
}

static inline uint64_t
Aligned(uint64_t size)
{
	return (size + 255) / 256 * 256;
}

static void
NeedRoom(Tensor *t, uint64_t size, const char *what)
{
	if (size > Room(t))
		t->device->full(t->device, what, size, Room(t));
}

/* For as long as a level, or the rows of some of its classes, live. */
static void *
AllocBottom(Tensor *t, uint64_t size, const char *what)
{
	void	   *memory = t->block.base + t->block.bottom;

	NeedRoom(t, Aligned(size), what);
	t->block.bottom += Aligned(size);
	return memory;
}

/* For the length of a step. */
static void *
AllocTop(Tensor *t, uint64_t size, const char *what)
{
	NeedRoom(t, Aligned(size), what);
	t->block.top -= Aligned(size);
	return t->block.base + t->block.top;
}

static void
ToDevice(Tensor *t, void *to, const void *from, size_t size)
{
	Check(t, cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, t->stream),
		  "copying to the device");
}

static void
ToHost(Tensor *t, void *to, const void *from, size_t size)
{
	Check(t, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, t->stream),
		  "copying from the device");
}

static void
Wait(Tensor *t, const char *what)
{
	Check(t, cudaStreamSynchronize(t->stream), what);
	MinerPoll(t->m);
}

static uint32_t
WarpsGrid(uint32_t nwarps)
{
	return (uint32_t) (((uint64_t) nwarps * 32 + THREADS - 1) / THREADS);
}

/* ---- rows ---- */

/* Make the rows of a step's classes from the parent's. */
static void
CompactRows(Tensor *t, const Step *step)
{
	const Level *level = step->level;
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
ListProducts(Tensor *t, const Step *step, FimClass *classes, uint64_t *candidates)
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
Multiply(Tensor *t, const Step *step, const FimClass *classes, uint32_t nclasses,
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

/* Sort n pairs; the arrays have room for twice as many.  What comes back lies in them. */
static Sorted
SortPairs(Tensor *t, uint64_t *key, uint32_t *support, uint32_t n, uint64_t capacity, bool turn)
{
	cub::DoubleBuffer<uint64_t> keys(key, key + capacity);
	cub::DoubleBuffer<uint32_t> supports(support, support + capacity);
	uint64_t	top = t->block.top;
	size_t		size = 0;
	void	   *scratch;

	if (turn && n > 0)
	{
		TurnKernel<<<(n + THREADS - 1) / THREADS, THREADS, 0, t->stream>>>(key, support, n);
		Check(t, cudaGetLastError(), "turning pairs");
		n *= 2;
	}
	if (n > 0)
	{
		Check(t, cub::DeviceRadixSort::SortPairs(NULL, size, keys, supports, (int64_t) n, 0, 64,
												 t->stream), "sorting pairs");
		scratch = AllocTop(t, size, "sorting pairs");
		Check(t, cub::DeviceRadixSort::SortPairs(scratch, size, keys, supports, (int64_t) n, 0, 64,
												 t->stream), "sorting pairs");
		t->block.top = top;
	}
	return {keys.Current(), supports.Current(), n};
}

/* ---- itemsets, on the host ---- */

/* Items fixed with a class's prefix and those of its parents, the path or apart. */
static void
AddFixed(Miner *m, const uint32_t *items, uint32_t n)
{
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);

	for (uint32_t i = 0; i < n; i++)
		if (m->job->kind == FIM_ALL)
			m->out.perfect[m->out.nperfect++] = name[items[i]];
		else
			OutputPush(&m->out, name[items[i]]);
}

/* The path of a class, its parents' first. */
static void
PushPath(Miner *m, const Level *level, uint32_t c)
{
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);

	if (level->parent == NULL)
		return;
	PushPath(m, level->parent, level->parent_class[c]);
	OutputPush(&m->out, name[level->parent->item[level->classes[c].prefix]]);
	AddFixed(m, level->fixed[c], level->nfixed[c]);
}

/* The itemsets of a class's members. */
static const uint32_t *
EmitClass(Tensor *t, const Level *level, uint32_t c, const uint32_t *marks, const uint32_t *fixed)
{
	Miner	   *m = t->m;
	Output	   *out = &m->out;
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);
	uint32_t	depth = out->depth;
	uint32_t	nperfect = out->nperfect;
	bool		list = !m->job->count_only;

	if (list)
		PushPath(m, level, c);
	else
	{
		out->depth = level->depth[c];
		out->nperfect = level->nperfect[c];
	}

	uint32_t	path = out->depth;
	uint32_t	apart = out->nperfect;

	for (uint32_t i = 0; i < level->classes[c].to.rows; i++)
	{
		uint32_t	nfixed = marks[i] >> MARK_FIXED;
		uint32_t	x = level->classes[c].to.first + i;

		if (marks[i] & MARK_EMITTED)
		{
			if (list)
			{
				OutputPush(out, name[level->item[x]]);
				AddFixed(m, fixed, nfixed);
			}
			else if (m->job->kind == FIM_ALL)
			{
				out->depth++;
				out->nperfect += nfixed;
			}
			else
				out->depth += 1 + nfixed;
			if (m->job->kind == FIM_ALL)
				OutputAll(m, list ? level->support[x] : 0);
			else
				OutputOne(m, list ? level->support[x] : 0);
			out->depth = path;
			out->nperfect = apart;
		}
		fixed += nfixed;
	}
	MinerWork(m, 8 * (uint64_t) level->classes[c].to.rows);
	out->depth = depth;
	out->nperfect = nperfect;
	return fixed;
}

static void
EmitStep(Tensor *t, const Step *step, const uint32_t *marks, const uint32_t *fixed)
{
	for (uint32_t c = step->first; c < step->end; c++)
	{
		fixed = EmitClass(t, step->level, c, marks, fixed);
		marks += step->level->classes[c].to.rows;
	}
}

/* What the host has to know of the classes and tables below: whose they are. */
static void
Descend(Tensor *t, const Step *step, const uint32_t *marks, const uint32_t *fixed,
		Level *classes, Level *tables)
{
	const Level *level = step->level;
	bool		all = t->m->job->kind == FIM_ALL;
	uint32_t	nclasses = 0;
	uint32_t	ntables = 0;

	for (uint32_t c = step->first; c < step->end; c++)
		for (uint32_t i = 0; i < level->classes[c].to.rows; i++, marks++)
		{
			uint32_t	nfixed = *marks >> MARK_FIXED;

			if (*marks & (MARK_CLASS | MARK_TABLE))
			{
				Level	   *below = *marks & MARK_TABLE ? tables : classes;
				uint32_t	n = *marks & MARK_TABLE ? ntables++ : nclasses++;

				below->parent_class[n] = c;
				below->depth[n] = level->depth[c] + 1 + (all ? 0 : nfixed);
				below->nperfect[n] = level->nperfect[c] + (all ? nfixed : 0);
				below->fixed[n] = fixed;
				below->nfixed[n] = nfixed;
			}
			if (fixed != NULL)
				fixed += nfixed;
		}
	MinerWork(t->m, 2 * (uint64_t) step->nmembers);
}

/* All sets of a table's members, ascending: depth first, the lowest member last. */
static void
EmitAllSets(Miner *m, const uint32_t *item, const uint64_t *pattern, const uint32_t *support,
			uint64_t n)
{
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);
	Output	   *out = &m->out;
	uint32_t	length[FIM_TABLE_MEMBERS + 1];	/* of the path that ends with a member */

	length[FIM_TABLE_MEMBERS] = out->depth;
	for (uint64_t i = 0; i < n; i++)
	{
		uint32_t	set = (uint32_t) pattern[i];
		uint32_t	lowest = (uint32_t) __builtin_ctz(set);
		uint32_t	parent = (set & (set - 1)) | 1u << FIM_TABLE_MEMBERS;

		out->depth = length[__builtin_ctz(parent)];
		OutputPush(out, name[item[lowest]]);
		length[lowest] = out->depth;
		OutputAll(m, support[i]);
	}
}

/* Some of them. */
static void
EmitClosedSets(Miner *m, const uint32_t *item, const uint64_t *pattern, const uint32_t *support,
			   uint64_t n)
{
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);
	uint32_t	depth = m->out.depth;

	for (uint64_t i = 0; i < n; i++)
	{
		for (uint32_t set = (uint32_t) pattern[i]; set != 0; set &= set - 1)
			OutputPush(&m->out, name[item[__builtin_ctz(set)]]);
		OutputOne(m, support[i]);
		m->out.depth = depth;
	}
}

static void
EmitTable(Miner *m, const Level *tables, uint32_t c, const uint64_t *pattern,
		  const uint32_t *support, uint64_t n)
{
	const FimCompact *class_ = &tables->classes[c];
	const uint32_t *item = tables->item + class_->to.first + class_->excluded;
	uint32_t	depth = m->out.depth;
	uint32_t	nperfect = m->out.nperfect;

	PushPath(m, tables, c);
	if (m->job->kind == FIM_ALL)
		EmitAllSets(m, item, pattern, support, n);
	else
		EmitClosedSets(m, item, pattern, support, n);
	MinerWork(m, 8 * n);
	m->out.depth = depth;
	m->out.nperfect = nperfect;
}

/* ---- tables ---- */

/* As many tables as there is surely room for all of their sets. */
static uint32_t
TablesAtOnce(const Tensor *t)
{
	uint64_t	n = Room(t) / PAIRS_SHARE / (BYTES_OF_SET << FIM_TABLE_MEMBERS);

	return n > MOST_TABLES ? MOST_TABLES : n > 0 ? (uint32_t) n : 1;
}

static void
ListTables(Tensor *t, const Level *tables, const char *lines)
{
	const char *what = "listing tables";
	uint32_t	at_once = TablesAtOnce(t);
	uint64_t	room = (uint64_t) at_once << FIM_TABLE_MEMBERS;

	for (uint32_t first = 0; first < tables->nclasses; first += at_once)
	{
		uint32_t	end = tables->nclasses - first < at_once ? tables->nclasses : first + at_once;
		ArenaMark	mark = ArenaGetMark(&t->m->arena);
		uint64_t	top = t->block.top;
		FimPatterns patterns;
		unsigned long long n;
		uint64_t   *pattern;
		uint32_t   *support;

		patterns.pattern = (uint64_t *) AllocTop(t, sizeof(uint64_t) * room, what);
		patterns.support = (uint32_t *) AllocTop(t, sizeof(uint32_t) * room, what);
		patterns.count = t->npairs;
		Check(t, cudaMemsetAsync(t->npairs, 0, sizeof(*t->npairs), t->stream), what);
		Check(t, FimMineTables(lines, tables->device.classes, tables->device.source, first, end,
							   t->m->job->minsup, t->m->job->kind,
							   &patterns, &t->counts, t->stream), what);
		ToHost(t, &n, t->npairs, sizeof(n));
		Wait(t, what);
		pattern = (uint64_t *) ArenaAlloc(&t->m->arena, sizeof(uint64_t) * n);
		support = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * n);
		ToHost(t, pattern, patterns.pattern, sizeof(uint64_t) * n);
		ToHost(t, support, patterns.support, sizeof(uint32_t) * n);
		Wait(t, what);
		t->block.top = top;
		for (uint64_t i = 0, next; i < n; i = next)
		{
			for (next = i + 1; next < n && pattern[next] >> 32 == pattern[i] >> 32;)
				next++;
			EmitTable(t->m, tables, (uint32_t) (pattern[i] >> 32), pattern + i, support + i, next - i);
		}
		ArenaRelease(&t->m->arena, mark);
	}
}

static void
CountTables(Tensor *t, const Level *tables, const char *lines)
{
	const char *what = "counting itemsets";
	FimPatternCounts counts = t->counts;
	FimPatterns none = {};

	counts.depth = tables->device.depth;
	counts.nperfect = tables->device.nperfect;
	for (uint32_t first = 0; first < tables->nclasses; first += MOST_TABLES)
	{
		uint32_t	end = tables->nclasses - first < MOST_TABLES ? tables->nclasses : first + MOST_TABLES;

		Check(t, FimMineTables(lines, tables->device.classes, tables->device.source, first, end,
							   t->m->job->minsup, t->m->job->kind,
							   &none, &counts, t->stream), what);
		Wait(t, what);
	}
}

/* What the device counted goes to the miner's counts. */
static void
CollectCounts(Tensor *t)
{
	uint32_t	lengths = t->counts.lengths;
	size_t		size = sizeof(unsigned long long) * lengths * lengths;
	unsigned long long *counts;
	uint32_t	nperfect = t->m->out.nperfect;

	if (t->counts.counts == NULL)
		return;
	counts = (unsigned long long *) ArenaAlloc(&t->m->arena, size);
	ToHost(t, counts, t->counts.counts, size);
	Wait(t, "counting itemsets");
	for (uint32_t e = 0; e < lengths; e++)
		for (uint32_t d = 0; d < lengths; d++)
			if (counts[(size_t) e * lengths + d] > 0)
			{
				t->m->out.nperfect = e;
				OutputCounts(t->m)[d] += counts[(size_t) e * lengths + d];
				t->m->out.results += counts[(size_t) e * lengths + d] << (e < 20 ? e : 20);
			}
	t->m->out.nperfect = nperfect;
}

/* Counting tables takes room for their counts; other itemsets are then counted there, too. */
static void
PrepareTables(Tensor *t)
{
	size_t		lengths = (size_t) t->m->db->max_row + 1;
	size_t		size = sizeof(unsigned long long) * lengths * lengths;

	t->tables = !t->m->job->count_only || size <= MOST_COUNTS;
	if (!t->tables || !t->m->job->count_only)
		return;
	t->counts.lengths = (uint32_t) lengths;
	t->counts.counts = (unsigned long long *) AllocBottom(t, size, "counting itemsets");
	Check(t, cudaMemsetAsync(t->counts.counts, 0, size, t->stream), "counting itemsets");
}

/* ---- levels ---- */

static void
AllocMembers(Tensor *t, Members *to, uint32_t nclasses, uint32_t nmembers)
{
	const char *what = "listing the members of classes";

	to->classes = (FimCompact *) AllocBottom(t, sizeof(FimCompact) * (uint64_t) nclasses, what);
	to->depth = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * (uint64_t) nclasses, what);
	to->nperfect = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * (uint64_t) nclasses, what);
	to->source = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * (uint64_t) nmembers, what);
	to->item = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * (uint64_t) nmembers, what);
	to->support = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * (uint64_t) nmembers, what);
	to->class_of = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * (uint64_t) nmembers, what);
}

static void
AllocLevel(Tensor *t, Level *level, const Level *parent, uint32_t nclasses, uint32_t nmembers)
{
	Arena	   *arena = &t->m->arena;
	size_t		words = sizeof(uint32_t) * (size_t) nclasses;

	memset(level, 0, sizeof(*level));
	level->parent = parent;
	level->nclasses = nclasses;
	level->nmembers = nmembers;
	AllocMembers(t, &level->device, nclasses, nmembers);
	level->classes = (FimCompact *) ArenaAlloc(arena, sizeof(FimCompact) * (size_t) nclasses);
	level->depth = (uint32_t *) ArenaAlloc(arena, words);
	level->nperfect = (uint32_t *) ArenaAlloc(arena, words);
	level->parent_class = (uint32_t *) ArenaAlloc(arena, words);
	level->nfixed = (uint32_t *) ArenaAlloc(arena, words);
	level->fixed = (const uint32_t **) ArenaAlloc(arena, sizeof(uint32_t *) * (size_t) nclasses);
	if (!t->m->job->count_only)
	{
		level->item = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * (size_t) nmembers);
		level->support = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * (size_t) nmembers);
	}
}

static void MineLevel(Tensor *t, Level *level);

/* The step's pairs, judged: emit its members and make the level below. */
static void
Conclude(Tensor *t, const Step *step, Sorted pairs, uint64_t top)
{
	const char *what = "judging members";
	Level	   *level = step->level;
	Miner	   *m = t->m;
	uint32_t	n = step->nmembers;
	Verdict    *verdicts = (Verdict *) AllocTop(t, sizeof(Verdict) * (uint64_t) n, what);
	Place	   *places = (Place *) AllocTop(t, sizeof(Place) * ((uint64_t) n + 1), what);
	uint32_t   *device_marks = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) n, what);
	uint32_t   *marks = (uint32_t *) ArenaAlloc(&m->arena, sizeof(uint32_t) * (size_t) n);
	uint32_t   *fixed = NULL;
	uint32_t   *device_fixed;
	size_t		size = 0;
	void	   *scratch;
	Place		total;
	Level		child;
	Level		tables;

	JudgeKernel<<<WarpsGrid(n), THREADS, 0, t->stream>>>(pairs, level->device, step->first_member,
														 n, m->job->kind, m->out.max_depth,
														 t->tables, t->counts, verdicts, places, device_marks);
	Check(t, cudaGetLastError(), what);
	Check(t, cudaMemsetAsync(places + n, 0, sizeof(Place), t->stream), what);
	Check(t, cub::DeviceScan::ExclusiveScan(NULL, size, places, places, PlaceSum(), Place(),
											(int64_t) n + 1, t->stream), what);
	scratch = AllocTop(t, size, what);
	Check(t, cub::DeviceScan::ExclusiveScan(scratch, size, places, places, PlaceSum(), Place(),
											(int64_t) n + 1, t->stream), what);
	ToHost(t, &total, places + n, sizeof(total));
	if (!t->counts.counts)
		ToHost(t, marks, device_marks, sizeof(uint32_t) * (size_t) n);
	Wait(t, what);

	AllocLevel(t, &tables, level, total.tables, total.table_members);
	AllocLevel(t, &child, level, total.classes, total.members);
	device_fixed = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) total.fixed, what);
	ClassKernel<<<WarpsGrid(n), THREADS, 0, t->stream>>>(pairs, level->device, step->first_member,
														 n, m->job->kind, verdicts, places,
														 device_marks, child.device,
														 tables.device, device_fixed);
	Check(t, cudaGetLastError(), "making classes");
	ToHost(t, child.classes, child.device.classes, sizeof(FimCompact) * (size_t) total.classes);
	if (!m->job->count_only)
	{
		fixed = (uint32_t *) ArenaAlloc(&m->arena, sizeof(uint32_t) * (size_t) total.fixed);
		ToHost(t, fixed, device_fixed, sizeof(uint32_t) * (size_t) total.fixed);
		ToHost(t, child.item, child.device.item, sizeof(uint32_t) * (size_t) total.members);
		ToHost(t, child.support, child.device.support, sizeof(uint32_t) * (size_t) total.members);
		ToHost(t, tables.classes, tables.device.classes, sizeof(FimCompact) * (size_t) total.tables);
		ToHost(t, tables.item, tables.device.item, sizeof(uint32_t) * (size_t) total.table_members);
	}
	Wait(t, "making classes");
	t->block.top = top;

	if (!t->counts.counts)
	{
		EmitStep(t, step, marks, fixed);
		Descend(t, step, marks, fixed, &child, &tables);
	}
	if (m->job->count_only)
		CountTables(t, &tables, level->lines);
	else
		ListTables(t, &tables, level->lines);
	if (child.nclasses > 0)
		MineLevel(t, &child);
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

static void MineStep(Tensor *t, Step *step, uint64_t capacity);

/* More pairs than there was room for: half of the classes at a time, or more room. */
static void
MineAgain(Tensor *t, const Step *step, uint64_t npairs)
{
	Step		half = *step;
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
MineStep(Tensor *t, Step *step, uint64_t capacity)
{
	ArenaMark	mark = ArenaGetMark(&t->m->arena);
	uint64_t	bottom = t->block.bottom;
	uint64_t	top = t->block.top;
	uint32_t	turns = t->m->job->kind == FIM_ALL ? 1 : 2;
	FimClass   *classes = (FimClass *) ArenaAlloc(&t->m->arena, sizeof(FimClass) *
												  (size_t) (step->end - step->first));
	uint64_t	candidates;
	uint32_t	nclasses = ListProducts(t, step, classes, &candidates);
	uint64_t	room;
	uint64_t	npairs = 0;
	uint64_t   *key;
	uint32_t   *support;

	if (capacity == 0)
		capacity = PairsCapacity(t, candidates);
	room = capacity * turns;
	key = (uint64_t *) AllocTop(t, sizeof(uint64_t) * room * 2, "holding frequent pairs");
	support = (uint32_t *) AllocTop(t, sizeof(uint32_t) * room * 2, "holding frequent pairs");
	if (nclasses > 0)
		npairs = Multiply(t, step, classes, nclasses, key, support, capacity);
	t->m->nodes += step->nmembers;
	if (npairs <= capacity)
		Conclude(t, step, SortPairs(t, key, support, (uint32_t) npairs, room, turns == 2), top);
	t->block.top = top;
	t->block.bottom = bottom;
	ArenaRelease(&t->m->arena, mark);
	if (npairs > capacity)
		MineAgain(t, step, npairs);
}

/* As many classes as there is room for their rows, one at least. */
static void
ChooseStep(const Tensor *t, Level *level, uint32_t first, Step *step)
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
	for (uint32_t c = first; c < level->nclasses; c++)
	{
		uint64_t	lines;

		class_ = &level->classes[c].to;
		lines = (uint64_t) class_->rows * class_->slabs;
		if (c > first && step->nlines + lines > most)
			break;
		step->nlines += lines;
		step->nmembers += class_->rows;
		step->end = c + 1;
	}
}

static void
MineLevel(Tensor *t, Level *level)
{
	for (uint32_t c = 0; c < level->nclasses;)
	{
		uint64_t	bottom = t->block.bottom;
		Step		step;

		ChooseStep(t, level, c, &step);
		level->lines = (char *) AllocBottom(t, step.nlines * FIM_LINE_BYTES, "holding the rows of classes") -
			step.line * FIM_LINE_BYTES;
		if (step.nlines > 0)
			CompactRows(t, &step);
		MineStep(t, &step, 0);
		t->block.bottom = bottom;
		c = step.end;
	}
}

/* ---- the root ---- */

/* The root's only class: all frequent items that not every transaction has. */
static void
FillRoot(Tensor *t, Level *root, uint32_t skip, uint32_t nitems)
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
	class_->to.slabs = (uint32_t) ((db->transactions + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS);
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
MakeRootRows(Tensor *t, Level *root, uint32_t skip, uint32_t nitems)
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
	RootKernel<<<ROOT_BLOCKS, THREADS, 0, t->stream>>>(device_rows, device_items, device_start,
													   db->nrows, skip, nitems,
													   (uint32_t *) root->lines);
	Check(t, cudaGetLastError(), what);
	Wait(t, what);
	t->block.top = top;
}

/* How many items are frequent, and how many of them are in all transactions. */
static uint32_t
FrequentItems(const FimJob *job, const FimDatabase *db, uint32_t *skip)
{
	const uint32_t *support = (const uint32_t *) ((const char *) db + db->support_at);
	uint32_t	n = 0;

	while (n < db->nitems && support[n] >= job->minsup)
		n++;
	*skip = 0;
	while (*skip < n && support[*skip] == db->transactions)
		++*skip;
	return n;
}

void
TensorMemory(const FimJob *job, const FimDatabase *db, uint64_t *least, uint64_t *wanted)
{
	uint32_t	skip;
	uint64_t	n = FrequentItems(job, db, &skip);
	uint64_t	rows = (n - skip) * (db->transactions / FIM_SLAB_BITS + 1) * FIM_LINE_BYTES;
	uint64_t	source = db->entries * sizeof(uint32_t) +
		(uint64_t) db->nrows * (sizeof(FimRow) + sizeof(uint64_t));

	*least = rows + (source > rows ? source : rows) + ((uint64_t) 64 << 20);
	*wanted = *least + 64 * rows;
}

void
TensorMine(Miner *m, TensorDevice *device)
{
	Tensor		t = {};
	uint32_t	skip;
	uint32_t	nitems = FrequentItems(m->job, m->db, &skip);
	Level		root;
	Step		step = {};

	if (m->db->transactions < m->job->minsup)
		return;
	MinerBeginRoot(m, skip);
	MinerEmitRoot(m, nitems > skip);
	if (nitems == skip || m->out.depth >= m->out.max_depth)
		return;
	t.m = m;
	t.device = device;
	t.stream = device->stream;
	t.block = {(char *) device->memory, 0, device->size / 256 * 256};
	Check(&t, FimBestWay(&t.way), "choosing how to multiply");
	t.npairs = (unsigned long long *) AllocBottom(&t, sizeof(*t.npairs), "counting pairs");
	PrepareTables(&t);
	AllocLevel(&t, &root, NULL, 1, nitems - skip);
	FillRoot(&t, &root, skip, nitems);
	MakeRootRows(&t, &root, skip, nitems);
	step.level = &root;
	step.end = 1;
	step.nmembers = nitems - skip;
	step.nlines = (uint64_t) root.classes[0].to.slabs * step.nmembers;
	MineStep(&t, &step, 0);
	CollectCounts(&t);
}
