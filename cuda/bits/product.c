/*-------------------------------------------------------------------------
 *
 * product.c
 *	  Running plans of products.
 *
 *-------------------------------------------------------------------------
 */
#include "bits/product_kernel.h"

#define ALIGNMENT		256

/* Where things are in scratch memory, in bytes. */
typedef struct Layout
{
	size_t		matrices;
	size_t		ranges;
	size_t		counters;		/* a counter for each kernel, then the tickets and sums of each kernel */
	size_t		end;
} Layout;

static size_t
Align(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static Layout
LayOut(const FimPlan *plan)
{
	Layout		layout;

	layout.matrices = 0;
	layout.ranges = Align(plan->nmatrices * sizeof(FimMatrix));
	layout.counters = layout.ranges + Align(plan->nranges * sizeof(FimRange));
	layout.end = layout.counters + ALIGNMENT;
	for (int b = 0; b < plan->nkernels; b++)
	{
		size_t		divided = plan->by_kernel[b].divided;

		layout.end += Align(divided * FIM_TICKETS * sizeof(uint32_t)) +
			Align(divided * plan->by_kernel[b].kernel->sums * sizeof(uint32_t));
	}
	return layout;
}

size_t
FimPlanScratch(const FimPlan *plan)
{
	return LayOut(plan).end;
}

double
FimPlanTests(const FimPlan *plan)
{
	return plan->tests;
}

/* Bring the plan to the device, or have the device make it, and zero counters, tickets and sums. */
static cudaError_t
SendPlan(const FimPlan *plan, const Layout *layout, char *scratch, cudaStream_t stream)
{
	FimMatrix  *matrices = (FimMatrix *) (scratch + layout->matrices);
	FimRange   *ranges = (FimRange *) (scratch + layout->ranges);
	uint32_t   *counters = (uint32_t *) (scratch + layout->counters);
	cudaError_t error = cudaMemsetAsync(counters, 0, layout->end - layout->counters, stream);

	if (error != cudaSuccess)
		return error;
	if (plan->matrices == NULL)
		return FimFillPlan(plan, matrices, ranges, counters + FIM_MAX_KERNELS, stream);
	error = cudaMemcpyAsync(matrices, plan->matrices, plan->nmatrices * sizeof(FimMatrix),
							cudaMemcpyHostToDevice, stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(ranges, plan->ranges, plan->nranges * sizeof(FimRange),
								cudaMemcpyHostToDevice, stream);
	return error;
}

cudaError_t
FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines, uint32_t minsup,
		   const FimCounts *counts, void *scratch, cudaStream_t stream)
{
	Layout		layout = LayOut(plan);
	char	   *counters = (char *) scratch + layout.counters;
	char	   *at = counters + ALIGNMENT;
	cudaError_t error = cudaSuccess;

	if (plan->nranges > 0)
		error = SendPlan(plan, &layout, (char *) scratch, stream);
	for (int b = 0; b < plan->nkernels && error == cudaSuccess; b++)
	{
		const KernelRanges *ranges = &plan->by_kernel[b];
		FimLaunch	launch;

		if (ranges->n == 0)
			continue;
		launch.lines = (const uint4 *) lines;
		launch.nlines = nlines;
		launch.matrices = (const FimMatrix *) ((char *) scratch + layout.matrices);
		launch.ranges = (const FimRange *) ((char *) scratch + layout.ranges) + ranges->from;
		launch.nranges = ranges->n;
		launch.minsup = minsup > 0 ? minsup : 1;
		launch.counts = *counts;
		launch.next = (uint32_t *) counters + b;
		launch.tickets = (uint32_t *) at;
		at += Align(ranges->divided * FIM_TICKETS * sizeof(uint32_t));
		launch.sums = (uint32_t *) at;
		at += Align((size_t) ranges->divided * ranges->kernel->sums * sizeof(uint32_t));
		error = (counts->tally != NULL ? ranges->kernel->tally : ranges->kernel->launch)
			(&launch, plan->processors, stream);
	}
	return error;
}
