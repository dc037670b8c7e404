/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Counting pairs of items, see probable.h.
 *
 * One device multiplies the bit matrix with itself and selects the pairs that are in enough
 * transactions.  The host makes the members' partners of these.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "probable/probable.h"
#include "team.h"

#define LEAST_MEMBERS	64		/* if there are fewer, all pairs are candidates */
#define MOST_COLUMNS	65535	/* so that a pair's number fits in 32 bits */
#define MOST_TESTS		2e14	/* pairs of bits that a launch may count, about 0.05 s */

/* The memory that counting takes on the device that does it. */
typedef struct PairCounts
{
	GpuDevice  *device;
	uint32_t   *counts;			/* [ncounts] transactions of columns i < j, at i * ncolumns + j */
	uint64_t	ncounts;
	uint64_t   *pairs;			/* [ncounts] numbers of the counts that are not 0 */
	uint64_t   *npairs;
	void	   *scratch;
	size_t		scratch_bytes;
	void	   *product;
} PairCounts;

static cudaError_t
FreeCounts(PairCounts *of)
{
	GPU_TRY(GpuFree(of->device, of->counts));
	GPU_TRY(GpuFree(of->device, of->pairs));
	GPU_TRY(GpuFree(of->device, of->npairs));
	GPU_TRY(GpuFree(of->device, of->scratch));
	return GpuFree(of->device, of->product);
}

/* Takes the memory; *enough says whether the device had enough. */
static cudaError_t
TakeCounts(PairCounts *of, size_t product_bytes, bool *enough)
{
	const char *what = "counting pairs";

	GPU_TRY(GpuCheck(of->device, SelectionScratch(of->ncounts, &of->scratch_bytes), what));
	GPU_TRY(GpuTryAlloc(of->device, sizeof(uint32_t) * of->ncounts, what, (void **) &of->counts));
	GPU_TRY(GpuTryAlloc(of->device, sizeof(uint64_t) * of->ncounts, what, (void **) &of->pairs));
	GPU_TRY(GpuTryAlloc(of->device, sizeof(uint64_t), what, (void **) &of->npairs));
	GPU_TRY(GpuTryAlloc(of->device, of->scratch_bytes + 1, what, &of->scratch));
	GPU_TRY(GpuTryAlloc(of->device, product_bytes + 1, what, &of->product));
	*enough = of->counts != NULL && of->pairs != NULL && of->npairs != NULL && of->scratch != NULL &&
		of->product != NULL;
	return cudaSuccess;
}

static cudaError_t
RunProduct(ProbableJob *job, const UncertainSheet *sheet, const FimPlan *plan, PairCounts *of)
{
	const char *what = "counting pairs";
	cudaStream_t stream = of->device->streams[GPU_COUNT];
	FimCounts	counts = {.count = of->counts, .end = UINT32_MAX};
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, of->device, what));
	GPU_TRY(GpuCheck(of->device, cudaMemsetAsync(of->counts, 0, sizeof(uint32_t) * of->ncounts, stream), what));
	GPU_TRY(GpuBegin(of->device, GPU_COUNT, FIM_GPU_BUILD, FimPlanTests(plan) / 8, &timer));
	GPU_TRY(GpuCheck(of->device,
					 FimPlanRun(plan, sheet->lines, (uint64_t) sheet->nslabs * sheet->ncolumns,
								job->least_count, &counts, of->product, stream), what));
	GPU_TRY(GpuLaunched(of->device, what));
	GPU_TRY(SelectPairs(of->device, of->counts, of->ncounts, of->pairs, of->npairs, of->scratch,
						of->scratch_bytes));
	return GpuEnd(of->device, GPU_COUNT, timer);
}

/*
 * Counts all pairs by a plan, and copies the numbers of the n pairs that are in enough transactions to
 * *pairs, which is host memory.  *n becomes GPU_NONE if the device has too little memory.
 */
static cudaError_t
CountPairs(ProbableJob *job, const UncertainSheet *sheet, const FimPlan *plan, uint64_t **pairs, uint64_t *n)
{
	PairCounts	of;
	bool		enough;

	memset(&of, 0, sizeof(of));
	of.device = job->team.devices[0];
	of.ncounts = (uint64_t) sheet->ncolumns * sheet->ncolumns;
	*n = GPU_NONE;
	GPU_TRY(TakeCounts(&of, FimPlanScratch(plan), &enough));
	if (enough)
	{
		GPU_TRY(RunProduct(job, sheet, plan, &of));
		GPU_TRY(GpuReceive(&job->team, of.device, n, of.npairs, sizeof(uint64_t), "copying pairs"));
		GPU_TRY(HostTake(job, sizeof(uint64_t) * *n, (void **) pairs));
		GPU_TRY(GpuReceive(&job->team, of.device, *pairs, of.pairs, sizeof(uint64_t) * *n, "copying pairs"));
	}
	return FreeCounts(&of);
}

/* Makes an array of the first level's members by their columns; GPU_NONE for a column that has no member. */
static cudaError_t
MembersByColumn(ProbableJob *job, const ProbableLevel *level, uint32_t **members)
{
	GPU_TRY(HostTake(job, sizeof(uint32_t) * job->ncolumns, (void **) members));
	memset(*members, 0xff, sizeof(uint32_t) * job->ncolumns);
	for (uint64_t m = 0; m < level->n; m++)
		(*members)[level->columns[m]] = (uint32_t) m;
	return HostWork(job, level->n);
}

/*
 * Fills in the members' partners.  Pairs come in ascending order of the first column, then of the
 * second, and so do members.  Pairs that are left out count as candidates that the count has settled.
 */
static cudaError_t
TakePairs(ProbableJob *job, ProbableLevel *level, const uint64_t *pairs, uint64_t npairs)
{
	uint32_t   *members;
	uint64_t	kept = 0;
	uint64_t	filled = 0;

	GPU_TRY(MembersByColumn(job, level, &members));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * (level->n + 1), (void **) &level->partner_at));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * npairs, (void **) &level->partners));
	level->partner_at[0] = 0;
	for (uint64_t i = 0; i < npairs; i++)
	{
		uint32_t	a = members[pairs[i] / job->ncolumns];
		uint32_t	b = members[pairs[i] % job->ncolumns];

		if (a == GPU_NONE || b == GPU_NONE)
			continue;
		while (filled < a)
			level->partner_at[++filled] = (uint32_t) kept;
		level->partners[kept++] = b;
	}
	while (filled < level->n)
		level->partner_at[++filled] = (uint32_t) kept;
	job->summary->settled[FIM_RULE_COUNT] += level->n * (level->n - 1) / 2 - kept;
	job->team.candidates += level->n * (level->n - 1) / 2 - kept;
	GpuHostFree(&job->team, members);
	return HostWork(job, npairs * 4);
}

cudaError_t
PairsFind(ProbableJob *job, Transactions *t, ProbableLevel *level)
{
	const char *what = "counting pairs";
	const UncertainSheet *sheet = &t->sheet[0];
	FimMatrix	matrix = {0, 0, job->ncolumns, sheet->nslabs, 0, 0};
	FimCounts	counts = {.end = UINT32_MAX};
	uint64_t   *pairs = NULL;
	uint64_t	n = GPU_NONE;
	FimWay		way;
	FimPlan    *plan;
	cudaError_t error;

	if (t->nsheets != 1 || level->n < LEAST_MEMBERS || job->ncolumns > MOST_COLUMNS ||
		(double) job->ncolumns * job->ncolumns * job->data->nrows / 2 > MOST_TESTS)
		return cudaSuccess;
	GPU_TRY(TransactionsLoad(job, t, 0));
	GPU_TRY(GpuUse(job->team.devices[0], what));
	GPU_TRY(GpuCheck(job->team.devices[0], FimBestWay(&way), what));
	GPU_TRY(GpuCheck(job->team.devices[0], FimPlanMake(way, &matrix, 1, &counts, &plan), what));
	error = CountPairs(job, sheet, plan, &pairs, &n);
	FimPlanFree(plan);
	GPU_TRY(error);
	if (n != GPU_NONE)
		GPU_TRY(TakePairs(job, level, pairs, n));
	GpuHostFree(&job->team, pairs);
	return cudaSuccess;
}
