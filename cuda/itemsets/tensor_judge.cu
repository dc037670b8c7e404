/*-------------------------------------------------------------------------
 *
 * tensor_judge.cu
 *	  What the frequent pairs of a level's members say: which members are emitted, and which of them have a class or a table of their own.
 *
 * A class has a matrix of its members' counts, in which a member's pairs are a row.  One kernel
 * looks at each member's row, a scan finds the places of the classes and tables that are to be
 * made, and another kernel makes them.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>
#include <cuda_runtime_api.h>

#include "itemsets/tensor.h"
#include "lanes.h"

/* A member and its row of counts. */
struct Pairs
{
	const uint32_t *count;		/* [members of the class] the counts with each of them */
	uint32_t	c;				/* the class */
	uint32_t	self;			/* the number of the member in its class */
	uint32_t	end;			/* the number of the class's members; 0 if it has no counts */
};

static __device__ __forceinline__ Pairs
PairsOf(const StepCounts &counts, const LevelMembers &of, uint32_t x)
{
	uint32_t	c = of.class_of[x];
	const FimMatrix &class_ = of.classes[c].to;
	uint32_t	self = x - class_.first;

	return Pairs {counts.count + (class_.count - counts.from) +
		(size_t) (self - max(counts.begin, class_.skip)) * class_.rows, c, self,
		class_.slabs > 0 ? class_.rows : 0};
}

/* The first member of the class whose count matters. */
static __device__ __forceinline__ uint32_t
FirstOf(const Pairs &pairs, FimKind kind)
{
	return kind == FIM_ALL ? pairs.self + 1 : 0;
}

/*
 * The length of a member's path.  The items that are fixed, since all of the member's transactions
 * have them, belong to it unless all itemsets are mined.
 */
static __device__ __forceinline__ uint32_t
DepthOf(const LevelMembers &of, uint32_t c, FimKind kind, uint32_t fixed)
{
	return of.depth[c] + 1 + (kind == FIM_ALL ? 0 : fixed);
}

/* The number of items that are kept apart from the path. */
static __device__ __forceinline__ uint32_t
PerfectOf(const LevelMembers &of, uint32_t c, FimKind kind, uint32_t fixed)
{
	return of.nperfect[c] + (kind == FIM_ALL ? fixed : 0);
}

static __device__ __forceinline__ void
CountItemset(const FimPatternCounts &counts, uint32_t depth, uint32_t nperfect)
{
	atomicAdd(counts.counts + (size_t) nperfect * counts.lengths + depth, 1ULL);
}

/*
 * Where the classes and tables of members are placed.
 */

/* What the class or table of a member takes, or those of all members before it. */
typedef struct Placement
{
	ClassPlace	classes;
	uint32_t	tables;
	uint32_t	table_members;
	uint32_t	fixed;
	uint32_t	unused;
} Placement;

struct PlacementSum
{
	__host__ __device__ Placement operator() (const Placement &a, const Placement &b) const
	{
		const ClassPlace &x = a.classes;
		const ClassPlace &y = b.classes;

		return {{x.line + y.line, x.count + y.count, x.number + y.number, x.member + y.member,
				 x.part + y.part, 0},
			a.tables + b.tables, a.table_members + b.table_members, a.fixed + b.fixed, 0};
	}
};

/*
 * Replaces each of places[0 .. n-1] by the sum over those before it, on a stream; places[n]
 * becomes the sum over all.  If scratch is NULL, only sets *size to the bytes of scratch memory
 * that this takes.
 */
static cudaError_t
TensorPlace(void *scratch, size_t *size, Placement *places, uint32_t n, cudaStream_t stream)
{
	return cub::DeviceScan::ExclusiveScan(scratch, *size, places, places, PlacementSum(), Placement(),
										  (int64_t) n + 1, stream);
}

/*
 * Looking ahead from members: whether a member and everything that extends it are frequent together.
 */

/* At most this many members may extend one that is looked ahead from. */
#define AHEAD_MEMBERS	256

/* The members that are to be looked ahead from. */
typedef struct Ahead
{
	uint32_t   *members;		/* their numbers, counted from the step's first member; NULL if there is no
								 * look ahead */
	unsigned long long *n;		/* the number of these members */
} Ahead;

/* What a step's kernels share, in device memory, as long as the step. */
typedef struct StepArrays
{
	uint32_t	first;			/* the first of the step's members */
	uint32_t	n;				/* their number */
	Verdict    *verdicts;		/* [n] */
	Placement  *places;			/* [n + 1] */
	uint32_t   *marks;			/* [n] */
	uint32_t   *supports;		/* [n] if maximal itemsets are mined: the supports of itemsets that
								 * MARK_TOGETHER marks; otherwise NULL */
} StepArrays;

/* Threads of a block.  A block looks ahead from one member at a time. */
#define AHEAD_THREADS	128
#define AHEAD_BLOCKS	4096	/* enough to fill any device */
#define AHEAD_AT_ONCE		8		/* words that a thread loads at the same time */

/*
 * The most words with transactions of a member and everything that extends it.  If there are
 * more words, nothing is said about the member.  The words lie in shared memory.
 */
#define AHEAD_WORDS		4096

/*
 * Called by a thread block: whether the prefix and all listed rows are frequent together, which
 * they are if no more than "spare" of the prefix's transactions are lost.  *lost must be 0 at
 * first; the lost transactions are added to it.  In most cases the first few words show that
 * too many are lost.  If the answer is yes, keep(w, all) has been called for each word w, with
 * the transactions that all rows have.
 */
template <class Keep>
static __device__ __forceinline__ bool
AllTogether(const uint32_t *lines, const FimMatrix &class_, uint32_t prefix,
			const uint32_t *rows, uint32_t nrows, uint32_t spare, uint32_t *lost, Keep keep)
{
	for (uint32_t base = 0; base < class_.slabs * FIM_LINE_WORDS; base += AHEAD_THREADS)
	{
		uint32_t	w = base + threadIdx.x;
		uint32_t	gone = 0;

		if (w < class_.slabs * FIM_LINE_WORDS)
		{
			const uint32_t *words = FimWord(lines, class_, w);
			uint32_t	tids = __ldg(words + (size_t) prefix * FIM_LINE_WORDS);
			uint32_t	all = tids;

			for (uint32_t i = 0; i < nrows && all != 0; i += AHEAD_AT_ONCE)
#pragma unroll
				for (uint32_t k = i; k < i + AHEAD_AT_ONCE; k++)
					all &= k < nrows ? __ldg(words + (size_t) rows[k] * FIM_LINE_WORDS) : ~0u;
			gone = __popc(tids ^ all);
			keep(w, all);
		}
		gone = SumOverLanes(gone);
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

/* What a thread block works on, in shared memory. */
struct Look
{
	uint32_t	rows[AHEAD_MEMBERS]; /* later members that lack some of the member's transactions */
	uint32_t	nrows;
	uint32_t	lost;			/* the member's transactions that some of these lack */
	unsigned long long lacking;	/* the transactions that each of these lacks, added up */
};

/*
 * List the later members that extend the member and lack some of its transactions, and add up
 * how many each of them lacks.
 */
static __device__ void
ListLater(const Pairs &pairs, uint32_t support, Look *look)
{
	if (threadIdx.x == 0)
		look->lacking = look->nrows = look->lost = 0;
	__syncthreads();
	for (uint32_t y = pairs.self + 1 + threadIdx.x; y < pairs.end; y += AHEAD_THREADS)
	{
		uint32_t	both = pairs.count[y];

		if (both > 0 && both != support)
		{
			look->rows[atomicAdd(&look->nrows, 1)] = y;
			atomicAdd(&look->lacking, (unsigned long long) (support - both));
		}
	}
	__syncthreads();
}

/*
 * Used if all frequent itemsets are counted on the device, with a thread block for each member
 * that is to have a class or table.  If a member and everything that extends it are frequent
 * together, so is the member with each subset of that, and all of these itemsets are counted
 * like those of perfect extensions.  Then the class or table is not needed.  (Miners of maximal
 * itemsets prune by such a look ahead: Bayardo, SIGMOD 1998, section 3.1.)
 */
static __global__ void __launch_bounds__(AHEAD_THREADS)
LookAheadKernel(StepCounts step, LevelMembers of, const uint32_t *lines, uint32_t first,
				uint32_t minsup, bool adds, FimPatternCounts counts, Ahead ahead,
				const Verdict *verdicts, Placement *places, uint32_t *marks)
{
	__shared__ Look look;

	for (uint32_t i = blockIdx.x; i < *ahead.n; i += gridDim.x)
	{
		uint32_t	n = ahead.members[i];
		uint32_t	x = first + n;
		uint32_t	kept = verdicts[n].kept;
		uint32_t	support = of.support[x];
		uint32_t	fixed = marks[n] >> MARK_FIXED_SHIFT;
		Pairs		pairs = PairsOf(step, of, x);
		bool		together = false;

		if (kept <= AHEAD_MEMBERS)
		{
			ListLater(pairs, support, &look);
			/* even if each of them lacks different transactions, enough are left */
			together = look.lacking <= support - minsup ||
				AllTogether(lines, of.classes[pairs.c].to, pairs.self, look.rows, look.nrows,
							support - minsup, &look.lost, [](uint32_t, uint32_t) {});
		}
		__syncthreads();
		if (threadIdx.x != 0)
			continue;
		if (adds)
			CountItemset(counts, DepthOf(of, pairs.c, FIM_ALL, fixed),
						 PerfectOf(of, pairs.c, FIM_ALL, fixed) + (together ? kept : 0));
		if (together)
		{
			places[n] = {};
			marks[n] = MARK_EMITTED;
		}
	}
}

/*
 * Maximal itemsets.
 */

/* The transactions of a member with everything that extends it, in shared memory. */
struct Together
{
	Look		look;
	uint32_t	nwords;			/* words that are not zero; there may be more than there is room for */
	uint32_t	word[AHEAD_WORDS]; /* the number of each word that is not zero */
	uint32_t	tids[AHEAD_WORDS]; /* the word: its transactions */
	uint32_t	extended;		/* whether an excluded member is frequent with these */
};

/*
 * Sets "extended" if an excluded member is in at least minsup of the transactions.  Each warp
 * counts the transactions of one excluded member at a time.
 */
static __device__ void
FindExtension(const uint32_t *lines, const FimMatrix &class_, const Pairs &pairs, uint32_t minsup,
			  Together *together)
{
	uint32_t	lane = threadIdx.x % 32;

	for (uint32_t base = threadIdx.x / 32 * 32; base < pairs.self; base += AHEAD_THREADS)
	{
		uint32_t	y = base + lane;
		uint32_t	votes = __ballot_sync(ALL_LANES, y < pairs.self && pairs.count[y] > 0);

		for (; votes != 0; votes &= votes - 1)
		{
			const uint32_t row = base + __ffs(votes) - 1;
			uint32_t	count = 0;

			for (uint32_t i = lane; i < together->nwords; i += 32)
				count += __popc(together->tids[i] & __ldg(FimWord(lines, class_, together->word[i]) +
														  (size_t) row * FIM_LINE_WORDS));
			/* any warp may find such a member, and each one looks whether another has */
			if (SumOverLanes(count) >= minsup && lane == 0)
				atomicExch(&together->extended, 1);
			__syncwarp();
			if (__any_sync(ALL_LANES, *(volatile uint32_t *) &together->extended != 0))
				return;
		}
	}
}

/*
 * Finds the transactions that the member and everything that extends it have.  Returns whether
 * they are enough to be frequent, and in few enough words to be listed.
 */
static __device__ bool
ListTogether(const uint32_t *lines, const FimMatrix &class_, const Pairs &pairs, uint32_t support,
			 uint32_t minsup, Together *together)
{
	Look	   *look = &together->look;

	if (threadIdx.x == 0)
	{
		together->nwords = 0;
		together->extended = 0;
	}
	ListLater(pairs, support, look);
	return AllTogether(lines, class_, pairs.self, look->rows, look->nrows, support - minsup, &look->lost,
					   [&](uint32_t w, uint32_t all)
	{
		uint32_t	at = all != 0 ? atomicAdd(&together->nwords, 1) : AHEAD_WORDS;

		if (at < AHEAD_WORDS)
		{
			together->word[at] = w;
			together->tids[at] = all;
		}
	}) && together->nwords <= AHEAD_WORDS;
}

/*
 * Whether each of the member's transactions has an excluded member.  If minsup is 1, nothing
 * below the member is maximal then: any itemset below it is frequent with the excluded member
 * that one of its transactions has.
 */
static __device__ bool
AllHaveExcluded(const uint32_t *lines, const FimMatrix &class_, const Pairs &pairs, uint32_t *shared_line)
{
	uint32_t	lane = threadIdx.x % 32;

	for (uint32_t slab = 0; slab < class_.slabs; slab++)
	{
		const uint32_t *words = FimWord(lines, class_, slab * FIM_LINE_WORDS + lane);
		uint32_t	without = __ldg(words + (size_t) pairs.self * FIM_LINE_WORDS);

		if (threadIdx.x < 32)
			shared_line[lane] = ~0u;
		for (uint32_t base = threadIdx.x / 32 * 32; base < pairs.self; base += AHEAD_THREADS)
		{
			uint32_t	y = base + lane;
			uint32_t	votes = __ballot_sync(ALL_LANES, y < pairs.self && pairs.count[y] > 0);

			for (; votes != 0; votes &= votes - 1)
				without &= ~__ldg(words + (size_t) (base + __ffs(votes) - 1) * FIM_LINE_WORDS);
			if (!__any_sync(ALL_LANES, without != 0))
				break;
		}
		__syncthreads();
		atomicAnd(&shared_line[lane], without);
		if (__syncthreads_or(without != 0) && __syncthreads_or(shared_line[lane] != 0))
			return false;
	}
	return true;
}

/* What is known of the maximal itemsets below a member. */
typedef enum Below
{
	BELOW_UNKNOWN,
	BELOW_NOTHING,				/* there are none */
	BELOW_ONE					/* the only one is the member with everything that extends it */
} Below;

/*
 * If a member and everything that extends it are frequent together, this one itemset is the only one
 * below the member that can be maximal, so there is no class or table.  It is maximal unless an
 * excluded member is frequent with it, too: an itemset that contains it and is not below the member
 * has an excluded member.
 *
 * MAFIA (Burdick, Calimlim and Gehrke, ICDE 2001, section 3: FHUT and HUTMFI) asks instead whether such
 * an itemset is part of a maximal one that is known already.  That prunes no more than this does,
 * and it needs classes to be mined one after the other.
 */
static __device__ Below
LookBelow(const uint32_t *lines, const FimMatrix &class_, const Pairs &pairs, uint32_t support,
		  uint32_t after, uint32_t minsup, Together *together)
{
	if (after <= AHEAD_MEMBERS && ListTogether(lines, class_, pairs, support, minsup, together))
	{
		FindExtension(lines, class_, pairs, minsup, together);
		__syncthreads();
		return together->extended ? BELOW_NOTHING : BELOW_ONE;
	}
	if (minsup == 1 && AllHaveExcluded(lines, class_, pairs, together->tids))
		return BELOW_NOTHING;
	return BELOW_UNKNOWN;
}

/* Looks ahead from members for maximal itemsets, with a thread block for each member. */
static __global__ void __launch_bounds__(AHEAD_THREADS)
MaximalAheadKernel(StepCounts step, LevelMembers of, const uint32_t *lines, uint32_t first,
				   uint32_t minsup, bool adds, FimPatternCounts counts, Ahead ahead, StepArrays to)
{
	__shared__ Together together;

	for (uint32_t i = blockIdx.x; i < *ahead.n; i += gridDim.x)
	{
		uint32_t	n = ahead.members[i];
		uint32_t	x = first + n;
		uint32_t	after = to.verdicts[n].kept - to.verdicts[n].excluded;
		uint32_t	support = of.support[x];
		uint32_t	fixed = (to.marks[n] >> MARK_FIXED_SHIFT) + after;
		Pairs		pairs = PairsOf(step, of, x);
		Below		below = LookBelow(lines, of.classes[pairs.c].to, pairs, support, after, minsup, &together);

		if (threadIdx.x == 0 && below != BELOW_UNKNOWN)
		{
			to.places[n] = {};
			to.marks[n] = 0;
		}
		if (threadIdx.x == 0 && below == BELOW_ONE)
		{
			to.places[n].fixed = fixed;
			to.marks[n] = MARK_EMITTED | MARK_TOGETHER | fixed << MARK_FIXED_SHIFT;
			to.supports[n] = support - together.look.lost;
			if (adds && counts.counts != NULL)
				CountItemset(counts, DepthOf(of, pairs.c, FIM_MAXIMAL, fixed), of.nperfect[pairs.c]);
		}
		__syncthreads();
	}
}

/*
 * Looks ahead from the members that are to have a class or a table.  If a member turns out to
 * need neither, its placement and marks are changed.  "adds" says whether this device counts
 * the itemsets of the step's members.  Called only if all frequent itemsets are counted on the
 * device, or if maximal itemsets are mined.
 */
static void
TensorLookAhead(Tensor *t, const ClassStep *step, const StepCounts *counts, const StepArrays *arrays,
				Ahead ahead, bool adds)
{
	const uint32_t *lines = (const uint32_t *) step->level->lines;
	uint32_t	blocks = arrays->n < AHEAD_BLOCKS ? arrays->n : AHEAD_BLOCKS;

	if (t->m->spec->kind == FIM_MAXIMAL)
		MaximalAheadKernel<<<blocks, AHEAD_THREADS, 0, t->stream>>>(*counts, step->level->device, lines,
			arrays->first, t->m->spec->minsup, adds, t->counts, ahead, *arrays);
	else
		LookAheadKernel<<<blocks, AHEAD_THREADS, 0, t->stream>>>(*counts, step->level->device, lines,
			arrays->first, t->m->spec->minsup, adds, t->counts, ahead, arrays->verdicts, arrays->places,
			arrays->marks);
	Launched(t, "looking ahead");
}

/*
 * Judging.
 */

static inline uint32_t
WarpsGrid(uint32_t nwarps)
{
	return (uint32_t) (((uint64_t) nwarps * 32 + TENSOR_THREADS - 1) / TENSOR_THREADS);
}

/* Classes that more members extend are taken by a device as a whole, see Sharing. */
#define MANY_MEMBERS	256

/* Only classes of few members are looked ahead from.  These are dealt out by members, and judged only once. */
static_assert(AHEAD_MEMBERS <= MANY_MEMBERS, "classes that are taken as a whole are looked ahead from");

/* A device's share of its team's work. */
typedef struct TeamShare
{
	Sharing		here;			/* how the classes whose members are judged are shared */
	Sharing		below;			/* how the classes that are made are shared */
	uint32_t	ndevices;
	uint32_t	number;			/* of the device */
} TeamShare;

static __device__ __forceinline__ uint32_t
DigitSum(uint32_t x, uint32_t base)
{
	uint32_t	sum = 0;

	for (; x > 0; x /= base)
		sum += x % base;
	return sum;
}

/*
 * Whether a member is dealt out to the device.  Later members have less work below them.
 * Dealing members out by the sums of their numbers' digits (the sequence
 * of Prouhet, Thue and Morse) evens that out, but for the last few members.
 */
static __device__ __forceinline__ bool
IsDealt(const TeamShare &share, uint32_t prefix, uint32_t member)
{
	return (DigitSum(prefix, share.ndevices) + DigitSum(member, share.ndevices)) %
		share.ndevices == share.number;
}

static __device__ __forceinline__ bool
IsMine(const TeamShare &share, const FimCompaction &class_, uint32_t member)
{
	return share.here != SHARE_MEMBERS || IsDealt(share, class_.prefix, member);
}

static __device__ __forceinline__ bool
MakesClass(const TeamShare &share, uint32_t members)
{
	return share.below == SHARE_NOTHING || (members > MANY_MEMBERS) == (share.below == SHARE_CLASSES);
}

/* What the task's part has of a member. */
struct Owned
{
	bool		itemset;		/* its itemset */
	bool		some;			/* that, or some of what extends it */
	bool		all;
};

/*
 * A member of the root has a class of the part's, and a member of a class below the root a pair, which the part has or has not.  All
 * that is below is the pair's: "part" has no bits then.
 */
static __device__ __forceinline__ Owned
OwnedOf(const ItemsetPart &part, bool is_root, const LevelMembers &of, uint32_t c, uint32_t x)
{
	if (part.bits == NULL)
		return Owned {true, true, true};

	uint32_t	item = of.item[x];

	if (is_root)
		return Owned {PartBit(&part, part.bits, item, item), part.row_of[item] != PART_NOTHING,
			part.row_of[item] == PART_ALL};

	/* members of the root are in descending order of items */
	bool		has = PartBit(&part, part.bits, part.nitems - 1 - of.classes[c].prefix, item);

	return Owned {has, has, has};
}

/* What a class of "members" members takes, of which "extending" are not excluded. */
static __device__ __forceinline__ ClassPlace
PlaceOfClass(uint32_t members, uint32_t extending, uint32_t support)
{
	ClassPlace place = {};

	place.number = 1;
	place.member = members;
	if (members > 1)
	{
		place.line = (uint64_t) members * FimSlabs(support);
		place.count = (uint64_t) extending * members;
		place.part = (members - 1) / FIM_COMPACTION_ROWS + 1;
	}
	return place;
}

/*
 * A warp looks at a member's pairs and decides what becomes of the member.  If the device
 * counts itemsets, the warp counts the member's itemset, unless the member is to be looked
 * ahead from.  A member of which the part has only some is neither looked ahead from nor made a table,
 * because these do not tell pairs apart.
 */
static __global__ void __launch_bounds__(TENSOR_THREADS)
JudgeKernel(StepCounts step, LevelMembers of, uint32_t first, uint32_t nmembers, FimKind kind,
			uint32_t min_depth, uint32_t max_depth, bool tables, TeamShare share, ItemsetPart part, bool is_root,
			FimPatternCounts counts, Ahead ahead, Verdict *verdicts, Placement *places, uint32_t *marks)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = blockIdx.x * (TENSOR_THREADS / 32) + threadIdx.x / 32;
	uint32_t	x = first + n;
	uint32_t	before = 0;
	uint32_t	after = 0;
	uint32_t	fixed = 0;
	bool		covered = false;
	Verdict		verdict = {0, 0};
	Placement	place = {};
	uint32_t	mark = 0;

	if (n >= nmembers)
		return;

	Pairs		pairs = PairsOf(step, of, x);
	Owned		owned = OwnedOf(part, is_root, of, pairs.c, x);

	if (pairs.self >= of.classes[pairs.c].to.skip && IsMine(share, of.classes[pairs.c], pairs.self) && owned.some)
	{
		uint32_t	support = of.support[x];

		for (uint32_t y = FirstOf(pairs, kind) + lane; y < pairs.end; y += 32)
		{
			uint32_t	both = pairs.count[y];
			bool		later = y > pairs.self;
			bool		same = both == support;

			if (both == 0)
				continue;
			covered |= same && !later;
			fixed += same && later;
			before += !same && !later;
			after += !same && later;
		}
		covered = __any_sync(ALL_LANES, covered);
		fixed = SumOverLanes(fixed);
		before = SumOverLanes(before);
		after = SumOverLanes(after);

		uint32_t	depth = DepthOf(of, pairs.c, kind, fixed);
		uint32_t	perfect = PerfectOf(of, pairs.c, kind, fixed);
		bool		grows = depth < max_depth && depth + perfect + after >= min_depth;

		place.fixed = covered ? 0 : fixed;
		if (!covered && owned.itemset && (kind != FIM_MAXIMAL || before + after == 0))
			mark |= MARK_EMITTED;
		if (!covered && after > 0 && grows && MakesClass(share, after))
		{
			verdict.kept = before + after;
			verdict.excluded = before;
			if (tables && owned.all && FimIsTable(kind, after, before, support))
			{
				place.tables = 1;
				place.table_members = verdict.kept;
				mark |= MARK_TABLE;
			}
			else
			{
				place.classes = PlaceOfClass(verdict.kept, after, support);
				mark |= MARK_CLASS;
			}
		}
		mark |= place.fixed << MARK_FIXED_SHIFT;
		if (lane == 0 && ahead.members != NULL && owned.all && verdict.kept > 0)
			ahead.members[atomicAdd(ahead.n, 1ULL)] = n;
		else if (lane == 0 && counts.counts != NULL && (mark & MARK_EMITTED) != 0)
			CountItemset(counts, depth, perfect);
	}
	if (lane == 0)
	{
		verdicts[n] = verdict;
		places[n] = place;
		marks[n] = mark;
	}
}

/*
 * Classes.
 */

/* Called by one lane: set a class or table up. */
static __device__ __forceinline__ void
MakeClass(const LevelMembers &of, uint32_t x, uint32_t c, FimKind kind, uint32_t fixed,
		  const Verdict &verdict, const Placement &place, bool is_table, const LevelMembers &to)
{
	uint32_t	number = is_table ? place.tables : place.classes.number;
	FimCompaction class_ = {};

	class_.from = of.classes[c].to;
	class_.to.line = place.classes.line;
	class_.to.count = place.classes.count;
	class_.to.rows = verdict.kept;
	class_.to.slabs = verdict.kept > 1 && !is_table ? FimSlabs(of.support[x]) : 0;
	class_.to.skip = verdict.excluded;
	class_.to.first = is_table ? place.table_members : place.classes.member;
	class_.members = class_.to.first;
	class_.prefix = x;
	class_.part = place.classes.part;
	to.classes[number] = class_;
	to.depth[number] = DepthOf(of, c, kind, fixed);
	to.nperfect[number] = PerfectOf(of, c, kind, fixed);
}

/* A warp makes a member's class or table, and lists what is fixed with it. */
static __global__ void __launch_bounds__(TENSOR_THREADS)
ClassKernel(StepCounts step, LevelMembers of, uint32_t first, uint32_t nmembers, FimKind kind,
			const Verdict *verdicts, const Placement *places, const uint32_t *marks,
			LevelMembers classes, LevelMembers tables, uint32_t *fixed_items)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	n = blockIdx.x * (TENSOR_THREADS / 32) + threadIdx.x / 32;
	uint32_t	x = first + n;

	if (n >= nmembers || (marks[n] & ~MARK_EMITTED) == 0)
		return;

	Verdict		verdict = verdicts[n];
	Placement	place = places[n];
	Pairs		pairs = PairsOf(step, of, x);
	uint32_t	support = of.support[x];
	bool		is_table = (marks[n] & MARK_TABLE) != 0;
	bool		wanted = is_table || (marks[n] & MARK_CLASS) != 0;
	bool		together = (marks[n] & MARK_TOGETHER) != 0;
	LevelMembers to = is_table ? tables : classes;
	uint32_t	number = is_table ? place.tables : place.classes.number;
	uint32_t	at = is_table ? place.table_members : place.classes.member;
	uint32_t	fixed = place.fixed;

	if (wanted && lane == 0)
		MakeClass(of, x, pairs.c, kind, marks[n] >> MARK_FIXED_SHIFT, verdict, place, is_table, to);
	if (wanted && !is_table && verdict.kept > 1)
		for (uint32_t i = lane; i * FIM_COMPACTION_ROWS < verdict.kept; i += 32)
			to.parts[place.classes.part + i] = {number, i * FIM_COMPACTION_ROWS};
	for (uint32_t base = FirstOf(pairs, kind); base < pairs.end; base += 32)
	{
		uint32_t	y = base + lane;
		uint32_t	both = y < pairs.end ? pairs.count[y] : 0;
		bool		is_fixed = both != 0 && (both == support || (together && y > pairs.self));
		bool		is_kept = wanted && both != 0 && both != support;
		uint32_t	all_fixed = __ballot_sync(ALL_LANES, is_fixed);
		uint32_t	all_kept = __ballot_sync(ALL_LANES, is_kept);
		uint32_t	below = (1u << lane) - 1;
		uint32_t	name = x - pairs.self + y;

		if (is_fixed)
			fixed_items[fixed + __popc(all_fixed & below)] = of.item[name];
		if (is_kept)
		{
			uint32_t	member = at + __popc(all_kept & below);

			to.source[member] = name;
			to.item[member] = of.item[name];
			to.support[member] = both;
			to.class_of[member] = number;
		}
		fixed += __popc(all_fixed);
		at += __popc(all_kept);
	}
}

/*
 * Writes the members of classes in the order of ascending support, but for the excluded ones.
 * A member's place among the others of its class is found by comparing it with each of them.
 * That takes fewer steps than the product of the class will take.
 */
static __global__ void __launch_bounds__(TENSOR_THREADS)
OrderKernel(LevelMembers from, uint32_t nmembers, LevelMembers to)
{
	uint32_t	m = blockIdx.x * TENSOR_THREADS + threadIdx.x;

	if (m >= nmembers)
		return;

	const FimMatrix &class_ = from.classes[from.class_of[m]].to;
	uint32_t	support = from.support[m];
	uint32_t	begin = class_.first + class_.skip;
	uint32_t	end = class_.first + class_.rows;
	uint32_t	at = m < begin ? m : begin;

	for (uint32_t i = begin; i < end && m >= begin; i++)
		at += from.support[i] < support || (from.support[i] == support && i < m);
	to.source[at] = from.source[m];
	to.item[at] = from.item[m];
	to.support[at] = support;
}

/*
 * Launching them.
 */

/*
 * Replace each member's placement by the sum over the members before it; return the sum over
 * all members.
 */
static Placement
SumPlacements(Tensor *t, Placement *places, uint32_t n)
{
	const char *what = "placing classes";
	size_t		size = 0;
	void	   *scratch;
	Placement	total;

	Check(t, cudaMemsetAsync(places + n, 0, sizeof(Placement), t->stream), what);
	Check(t, TensorPlace(NULL, &size, places, n, t->stream), what);
	scratch = AllocTop(t, size, what);
	Check(t, TensorPlace(scratch, &size, places, n, t->stream), what);
	ToHost(t, &total, places + n, sizeof(total));
	Wait(t, what);
	return total;
}

/* Copy to the host what the host needs to give itemsets out. */
static void
BringBelow(Tensor *t, StepJudgement *to, const uint32_t *fixed, uint32_t nfixed)
{
	ClassLevel *classes = &to->classes;
	ClassLevel *tables = &to->tables;
	size_t		nclasses = classes->end.number;
	size_t		nmembers = classes->end.member;

	ToHost(t, classes->classes, classes->device.classes, sizeof(FimCompaction) * nclasses);
	if (t->m->spec->head.count_only)
		return;
	to->fixed = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * (size_t) nfixed);
	ToHost(t, to->fixed, fixed, sizeof(uint32_t) * (size_t) nfixed);
	ToHost(t, classes->item, classes->device.item, sizeof(uint32_t) * nmembers);
	ToHost(t, classes->support, classes->device.support, sizeof(uint32_t) * nmembers);
	ToHost(t, tables->classes, tables->device.classes, sizeof(FimCompaction) * (size_t) tables->end.number);
	ToHost(t, tables->item, tables->device.item, sizeof(uint32_t) * (size_t) tables->end.member);
}

static StepArrays
SetUp(Tensor *t, const ClassStep *step)
{
	const char *what = "judging members";
	StepArrays	arrays;

	arrays.first = step->from.member + step->begin;
	arrays.n = MembersOf(step);
	arrays.verdicts = (Verdict *) AllocTop(t, sizeof(Verdict) * (uint64_t) arrays.n, what);
	arrays.places = (Placement *) AllocTop(t, sizeof(Placement) * ((uint64_t) arrays.n + 1), what);
	arrays.marks = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) arrays.n, what);
	arrays.supports = NULL;
	if (t->m->spec->kind == FIM_MAXIMAL)
	{
		arrays.supports = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) arrays.n, what);
		/* few members get a support, but all of the array is copied to the host */
		Check(t, cudaMemsetAsync(arrays.supports, 0, sizeof(uint32_t) * (size_t) arrays.n, t->stream), what);
	}
	return arrays;
}

static void
Judge(Tensor *t, const ClassStep *step, const StepCounts *counts, Sharing below, const StepArrays *arrays)
{
	const char *what = "judging members";
	const FimItemsetsSpec *spec = t->m->spec;
	const LevelMembers *of = &step->level->device;
	bool		adds = GivesOut(t, step, below);
	bool		tables = t->tables && below == SHARE_NOTHING;
	TeamShare	share = {step->level->sharing, below, t->ndevices, t->number};
	FimPatternCounts none = {};
	Ahead		ahead = {};
	bool		looks = spec->kind == FIM_MAXIMAL || (spec->kind == FIM_ALL && t->counts.counts != NULL);
	bool		is_root = step->level->parent == NULL;
	ItemsetPart part = t->part;

	if (!is_root && step->level->parent->parent != NULL)
		part.bits = NULL;

	/* when the root is judged again, everything that can be looked ahead from has been */
	if (looks && below != SHARE_CLASSES)
	{
		ahead.members = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) arrays->n, what);
		ahead.n = t->counter;
		Check(t, cudaMemsetAsync(ahead.n, 0, sizeof(*ahead.n), t->stream), what);
	}
	JudgeKernel<<<WarpsGrid(arrays->n), TENSOR_THREADS, 0, t->stream>>>(*counts, *of, arrays->first, arrays->n,
		spec->kind, t->m->out.min_depth, t->m->out.max_depth, tables, share, part, is_root,
		adds ? t->counts : none, ahead, arrays->verdicts, arrays->places, arrays->marks);
	Launched(t, what);
	if (ahead.members != NULL)
		TensorLookAhead(t, step, counts, arrays, ahead, adds);
}

/* Make the classes and tables of a step's members, and list the items that are fixed with the members. */
static void
MakeClasses(Tensor *t, const ClassStep *step, const StepCounts *counts, const StepArrays *arrays,
			StepJudgement *to, uint32_t *fixed)
{
	const char *what = "making classes";
	uint64_t	nmembers = to->classes.end.member;
	bool		ordered = t->m->spec->kind == FIM_MAXIMAL && nmembers > 0;
	LevelMembers classes = to->classes.device;

	if (ordered)
	{
		classes.source = (uint32_t *) AllocTop(t, sizeof(uint32_t) * nmembers, what);
		classes.item = (uint32_t *) AllocTop(t, sizeof(uint32_t) * nmembers, what);
		classes.support = (uint32_t *) AllocTop(t, sizeof(uint32_t) * nmembers, what);
	}
	ClassKernel<<<WarpsGrid(arrays->n), TENSOR_THREADS, 0, t->stream>>>(*counts, step->level->device,
		arrays->first, arrays->n, t->m->spec->kind, arrays->verdicts, arrays->places, arrays->marks, classes,
		to->tables.device, fixed);
	Launched(t, what);
	if (!ordered)
		return;
	OrderKernel<<<(uint32_t) ((nmembers - 1) / TENSOR_THREADS + 1), TENSOR_THREADS, 0, t->stream>>>(classes,
		(uint32_t) nmembers, to->classes.device);
	Launched(t, what);
}

/* Copy the marks of the step's members to new host memory, and if need be their supports. */
static void
BringMarks(Tensor *t, const StepArrays *arrays, StepJudgement *to)
{
	size_t		size = sizeof(uint32_t) * (size_t) arrays->n;

	to->marks = (uint32_t *) ArenaAlloc(&t->m->arena, size);
	ToHost(t, to->marks, arrays->marks, size);
	if (arrays->supports == NULL || t->m->spec->head.count_only)
		return;
	to->supports = (uint32_t *) ArenaAlloc(&t->m->arena, size);
	ToHost(t, to->supports, arrays->supports, size);
}

void
TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *counts, Sharing below,
			StepJudgement *to)
{
	StepArrays	arrays = SetUp(t, step);
	ClassPlace	tables = {};
	uint32_t   *fixed;
	Placement	total;

	memset(to, 0, sizeof(*to));
	Judge(t, step, counts, below, &arrays);
	if (t->counts.counts == NULL)
		BringMarks(t, &arrays, to);
	total = SumPlacements(t, arrays.places, arrays.n);
	tables.number = total.tables;
	tables.member = total.table_members;
	TensorAllocLevel(t, &to->tables, step->level, &tables);
	TensorAllocLevel(t, &to->classes, step->level, &total.classes);
	to->classes.sharing = below;
	fixed = (uint32_t *) AllocTop(t, sizeof(uint32_t) * (uint64_t) total.fixed, "judging members");
	MakeClasses(t, step, counts, &arrays, to, fixed);
	if (t->counts.counts != NULL)
		return;
	BringBelow(t, to, fixed, total.fixed);
	Wait(t, "making classes");
}
