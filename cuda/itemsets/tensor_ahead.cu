/*-------------------------------------------------------------------------
 *
 * tensor_ahead.cu
 *	  Looking ahead from members: whether a member and everything that extends it are frequent together.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/tensor_judge.h"
#include "lanes.h"

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

void
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
