/*-------------------------------------------------------------------------
 *
 * tensor_judge.cu
 *	  What the frequent pairs of a level's members say: which members are emitted,
 *	  and which of them have a class or a table of their own.
 *
 * Pairs are sorted, so that those of a member follow one another.  One kernel
 * looks at each member's pairs, a scan places what is to be made of them, another
 * kernel makes it.
 *
 *-------------------------------------------------------------------------
 */
#include "tensor_level.h"

#include <cub/cub.cuh>

/* A block of so many threads looks ahead, at so many members at most. */
#define TOGETHER_THREADS	128
#define TOGETHER_MEMBERS	256

/* ---- sorting pairs ---- */

/* Each pair the other way round, too. */
static __global__ void __launch_bounds__(TENSOR_THREADS)
TurnKernel(uint64_t *key, uint32_t *support, uint32_t n)
{
	uint32_t	i = blockIdx.x * TENSOR_THREADS + threadIdx.x;

	if (i >= n)
		return;
	key[n + i] = key[i] << 32 | key[i] >> 32;
	support[n + i] = support[i];
}

/* Sort n pairs; the arrays have room for twice as many.  What comes back lies in them. */
SortedPairs
TensorSortPairs(Tensor *t, uint64_t *key, uint32_t *support, uint32_t n, uint64_t capacity,
				bool turn)
{
	cub::DoubleBuffer<uint64_t> keys(key, key + capacity);
	cub::DoubleBuffer<uint32_t> supports(support, support + capacity);
	uint64_t	top = t->block.top;
	size_t		size = 0;
	void	   *scratch;

	if (turn && n > 0)
	{
		TurnKernel<<<(n + TENSOR_THREADS - 1) / TENSOR_THREADS, TENSOR_THREADS, 0, t->stream>>>(key, support, n);
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

/* ---- judging ---- */

/* Where x's pairs begin. */
static __device__ uint32_t
FirstPair(const SortedPairs &pairs, uint64_t x)
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
static __global__ void __launch_bounds__(TENSOR_THREADS)
JudgeKernel(SortedPairs pairs, LevelMembers of, uint32_t first, uint32_t nmembers, FimKind kind,
			uint32_t max_depth, bool tables, Verdict *verdicts, Place *places, uint32_t *marks)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = (blockIdx.x * TENSOR_THREADS + threadIdx.x) / 32;
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
					place.lines = (uint64_t) verdict.kept * FimSlabs(support);
				mark |= MARK_CLASS;
			}
		}
		mark |= place.fixed << MARK_FIXED;
	}
	if (lane == 0)
	{
		verdicts[n] = verdict;
		places[n] = place;
		marks[n] = mark;
	}
}

/* The first word of a class's row at word w of its transactions. */
static __device__ __forceinline__ const uint32_t *
WordOf(const uint32_t *lines, const FimClass &class_, uint32_t w)
{
	return lines + (class_.line + (uint64_t) (w / LINE_WORDS) * class_.rows) * LINE_WORDS +
		w % LINE_WORDS;
}

/*
 * A block: are the prefix and all listed rows together frequent?  Mostly the
 * first few words show that too many of the prefix's transactions are lost.
 */
static __device__ bool
AllTogether(const uint32_t *lines, const FimClass &class_, uint32_t prefix,
			const uint32_t *rows, uint32_t nrows, uint32_t spare, uint32_t *lost)
{
	for (uint32_t base = 0; base < class_.slabs * LINE_WORDS; base += TOGETHER_THREADS)
	{
		uint32_t	w = base + threadIdx.x;
		uint32_t	gone = 0;

		if (w < class_.slabs * LINE_WORDS)
		{
			const uint32_t *words = WordOf(lines, class_, w);
			uint32_t	tids = __ldg(words + (size_t) prefix * LINE_WORDS);
			uint32_t	all = tids;

			for (uint32_t i = 0; i < nrows && all != 0; i++)
				all &= __ldg(words + (size_t) rows[i] * LINE_WORDS);
			gone = __popc(tids ^ all);
		}
		gone = WarpSum(gone);
		if (threadIdx.x % 32 == 0 && gone > 0)
			atomicAdd(lost, gone);
		__syncthreads();
		gone = *lost;
		__syncthreads();
		if (gone > spare)
			return false;
	}
	return true;
}

/*
 * List the rows of x's later members that are not in all of its transactions, and
 * add up how many of these each of them lacks.
 */
static __device__ void
ListLater(const SortedPairs &pairs, const Verdict &verdict, uint32_t x, uint32_t support,
		  uint32_t first, uint32_t *rows, uint32_t *nrows, unsigned long long *lacking)
{
	for (uint32_t i = threadIdx.x; i < verdict.npairs; i += TOGETHER_THREADS)
	{
		uint32_t	y = (uint32_t) pairs.key[verdict.begin + i];
		uint32_t	both = pairs.support[verdict.begin + i];

		if (y > x && both != support)
		{
			rows[atomicAdd(nrows, 1)] = y - first;
			atomicAdd(lacking, (unsigned long long) (support - both));
		}
	}
}

/*
 * Itemsets are counted on the device: a block for each member.  Where all that
 * extends a member is frequent together, so is each subset of it, and these count
 * like perfect extensions: the class or table that was to be made need not be.
 * (Such a look ahead is how miners of maximal itemsets prune: Bayardo, SIGMOD 1998,
 * section 3.1.)
 */
static __global__ void __launch_bounds__(TOGETHER_THREADS)
CountKernel(SortedPairs pairs, LevelMembers of, const uint32_t *lines, uint32_t first,
			FimKind kind, uint32_t minsup, bool adds, FimPatternCounts counts,
			const Verdict *verdicts, Place *places, uint32_t *marks)
{
	__shared__ uint32_t rows[TOGETHER_MEMBERS];
	__shared__ unsigned long long lacking;
	__shared__ uint32_t nrows;
	__shared__ uint32_t lost;
	uint32_t	n = blockIdx.x;
	uint32_t	x = first + n;
	uint32_t	mark = marks[n];
	uint32_t	together = 0;

	if ((mark & MARK_EMITTED) == 0)
		return;

	Verdict		verdict = verdicts[n];
	uint32_t	c = of.class_of[x];
	uint32_t	fixed = mark >> MARK_FIXED;
	uint32_t	support = of.support[x];

	if (kind == FIM_ALL && (mark & (MARK_CLASS | MARK_TABLE)) != 0 &&
		verdict.kept <= TOGETHER_MEMBERS)
	{
		FimClass	class_ = of.classes[c].to;

		if (threadIdx.x == 0)
			lacking = nrows = lost = 0;
		__syncthreads();
		ListLater(pairs, verdict, x, support, class_.first, rows, &nrows, &lacking);
		__syncthreads();
		/* at worst each lacks others */
		if (lacking <= support - minsup ||
			AllTogether(lines, class_, x - class_.first, rows, nrows, support - minsup, &lost))
			together = verdict.kept;
	}
	if (threadIdx.x != 0)
		return;
	if (adds)
	{
		uint32_t	depth = of.depth[c] + 1 + (kind == FIM_ALL ? 0 : fixed);
		uint32_t	nperfect = of.nperfect[c] + (kind == FIM_ALL ? fixed : 0) + together;

		atomicAdd(counts.counts + (size_t) nperfect * counts.lengths + depth, 1ULL);
	}
	if (together > 0)
	{
		places[n] = {};
		marks[n] = MARK_EMITTED;
	}
}

/* A warp makes a member's class or table, and lists what is fixed with it. */
static __global__ void __launch_bounds__(TENSOR_THREADS)
ClassKernel(SortedPairs pairs, LevelMembers of, uint32_t first, uint32_t nmembers, FimKind kind,
			const Verdict *verdicts, const Place *places, const uint32_t *marks,
			LevelMembers classes, LevelMembers tables, uint32_t *fixed_items)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = (blockIdx.x * TENSOR_THREADS + threadIdx.x) / 32;
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
	LevelMembers		to = is_table ? tables : classes;
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
			FimSlabs(support) : 0;
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

/* ---- levels ---- */

static void
AllocMembers(Tensor *t, LevelMembers *to, uint32_t nclasses, uint32_t nmembers)
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

void
TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent, uint32_t nclasses,
				 uint32_t nmembers)
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

/* ---- launching them ---- */

/* Sums over the members before each; returns those over all. */
static Place
SumPlaces(Tensor *t, Place *places, uint32_t n)
{
	const char *what = "placing classes";
	size_t		size = 0;
	void	   *scratch;
	Place		total;

	Check(t, cudaMemsetAsync(places + n, 0, sizeof(Place), t->stream), what);
	Check(t, cub::DeviceScan::ExclusiveScan(NULL, size, places, places, PlaceSum(), Place(),
											(int64_t) n + 1, t->stream), what);
	scratch = AllocTop(t, size, what);
	Check(t, cub::DeviceScan::ExclusiveScan(scratch, size, places, places, PlaceSum(), Place(),
											(int64_t) n + 1, t->stream), what);
	ToHost(t, &total, places + n, sizeof(total));
	Wait(t, what);
	return total;
}

/* What telling the itemsets takes on the host. */
static void
BringBelow(Tensor *t, Judgement *to, const uint32_t *fixed, uint32_t nfixed)
{
	ClassLevel *classes = &to->classes;
	ClassLevel *tables = &to->tables;

	ToHost(t, classes->classes, classes->device.classes, sizeof(FimCompact) * (size_t) classes->nclasses);
	if (t->m->job->count_only)
		return;
	to->fixed = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * (size_t) nfixed);
	ToHost(t, to->fixed, fixed, sizeof(uint32_t) * (size_t) nfixed);
	ToHost(t, classes->item, classes->device.item, sizeof(uint32_t) * (size_t) classes->nmembers);
	ToHost(t, classes->support, classes->device.support,
		   sizeof(uint32_t) * (size_t) classes->nmembers);
	ToHost(t, tables->classes, tables->device.classes, sizeof(FimCompact) * (size_t) tables->nclasses);
	ToHost(t, tables->item, tables->device.item, sizeof(uint32_t) * (size_t) tables->nmembers);
}

/* Takes memory for the length of the step from the top, and for what is below from the bottom. */
void
TensorJudge(Tensor *t, const ClassStep *step, SortedPairs pairs, Judgement *to)
{
	const char *what = "judging members";
	const FimJob *job = t->m->job;
	const LevelMembers *of = &step->level->device;
	uint32_t	first = step->first_member;
	uint32_t	n = step->nmembers;
	Verdict    *verdicts = (Verdict *) AllocTop(t, sizeof(Verdict) * (uint64_t) n, what);
	Place	   *places = (Place *) AllocTop(t, sizeof(Place) * ((uint64_t) n + 1), what);
	uint32_t   *marks = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) n, what);
	uint32_t   *fixed;
	Place		total;

	memset(to, 0, sizeof(*to));
	JudgeKernel<<<WarpsGrid(n), TENSOR_THREADS, 0, t->stream>>>(pairs, *of, first, n, job->kind,
																t->m->out.max_depth, t->tables,
																verdicts, places, marks);
	Check(t, cudaGetLastError(), what);
	if (t->counts.counts != NULL)
	{
		CountKernel<<<n, TOGETHER_THREADS, 0, t->stream>>>(pairs, *of, (const uint32_t *) step->level->lines,
														   first, job->kind, job->minsup,
														   t->number == 0 || step->level->parent != NULL,
														   t->counts, verdicts, places, marks);
		Check(t, cudaGetLastError(), what);
	}
	else
	{
		to->marks = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * (size_t) n);
		ToHost(t, to->marks, marks, sizeof(uint32_t) * (size_t) n);
	}
	total = SumPlaces(t, places, n);
	TensorAllocLevel(t, &to->tables, step->level, total.tables, total.table_members);
	TensorAllocLevel(t, &to->classes, step->level, total.classes, total.members);
	fixed = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) total.fixed, what);
	ClassKernel<<<WarpsGrid(n), TENSOR_THREADS, 0, t->stream>>>(pairs, *of, first, n, job->kind, verdicts,
																places, marks, to->classes.device,
																to->tables.device, fixed);
	Check(t, cudaGetLastError(), "making classes");
	BringBelow(t, to, fixed, total.fixed);
	Wait(t, "making classes");
}
