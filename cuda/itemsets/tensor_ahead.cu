/*-------------------------------------------------------------------------
 *
 * tensor_ahead.cu
 *	  Looking ahead from members, see tensor_ahead.h.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/tensor_ahead.h"
#include "itemsets/tensor_pairs.h"

/* A block of so many threads looks ahead. */
#define AHEAD_THREADS	128
#define AHEAD_BLOCKS	4096	/* fill any device */
#define AHEAD_LOADS		8		/* words that are on their way together */

/*
 * Whether the prefix and all listed rows are frequent together, found out by a thread
 * block.  In most cases the first few words show that too many of the prefix's
 * transactions are lost.
 */
static __device__ bool
AllTogether(const uint32_t *lines, const FimMatrix &class_, uint32_t prefix,
			const uint32_t *rows, uint32_t nrows, uint32_t spare, uint32_t *lost)
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

			for (uint32_t i = 0; i < nrows && all != 0; i += AHEAD_LOADS)
#pragma unroll
				for (uint32_t k = i; k < i + AHEAD_LOADS; k++)
					all &= k < nrows ? __ldg(words + (size_t) rows[k] * FIM_LINE_WORDS) : ~0u;
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

/* What a thread block looks at, in shared memory. */
struct Look
{
	uint32_t	rows[AHEAD_MEMBERS];
	uint32_t	nrows;
	uint32_t	lost;
	unsigned long long lacking;
};

/*
 * List the later members that are not in all of x's transactions, and add up how
 * many of these each of them lacks.
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
 * Used if all itemsets are counted on the device, with a thread block for each member that
 * is to have a class or table.  If all that extends the member is frequent together with
 * it, so is each subset of that, and all of these are counted like perfect extensions.
 * Then the class or table is not needed.  (Miners of maximal itemsets prune by such a look
 * ahead: Bayardo, SIGMOD 1998, section 3.1.)
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
		uint32_t	fixed = marks[n] >> MARK_FIXED;
		Pairs		pairs = PairsOf(step, of, x);
		bool		together = false;

		if (kept <= AHEAD_MEMBERS)
		{
			ListLater(pairs, support, &look);
			/* they may lack no more transactions even if each lacks different ones */
			together = look.lacking <= support - minsup ||
				AllTogether(lines, of.classes[pairs.c].to, pairs.self, look.rows, look.nrows,
							support - minsup, &look.lost);
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

void
TensorLookAhead(Tensor *t, const ClassStep *step, const StepCounts *counts, const StepArrays *arrays,
				Ahead ahead, bool adds)
{
	LookAheadKernel<<<arrays->n < AHEAD_BLOCKS ? arrays->n : AHEAD_BLOCKS, AHEAD_THREADS, 0, t->stream>>>(*counts,
		step->level->device, (const uint32_t *) step->level->lines, arrays->first, t->m->job->minsup, adds,
		t->counts, ahead, arrays->verdicts, arrays->places, arrays->marks);
	Launched(t, "looking ahead");
}
