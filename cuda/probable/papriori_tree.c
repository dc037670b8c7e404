/*-------------------------------------------------------------------------
 *
 * papriori_tree.c
 *	  The convolution tree of GPU pApriori, see papriori_tree.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "copies.h"
#include "probable/papriori_tree.h"

#define ROUNDOFF		0x1p-53

/*
 * Most places of all trees together, if there is more than one: a step over them takes a device a few
 * milliseconds.
 */
#define MOST_PLACES		(UINT64_C(1) << 26)

/*
 * Bytes for each place: 1 double in the list, 4 in rows, 2 in spectra, 1 in products, and 4 for cuFFT,
 * tops and ends.
 */
#define PLACE_BYTES		(12 * sizeof(double))

/* In the unit of moments.c: what a place costs in the levels in shared memory, and in each step above. */
#define BASE_COST		32.0
#define STEP_COST		16.0

/* The number of levels above those in shared memory. */
static uint32_t
LevelsOf(uint64_t places)
{
	uint32_t	levels = 0;

	while ((uint64_t) TREE_BASE << levels < places)
		levels++;
	return levels;
}

cudaError_t
TreeClose(GpuDevice *device, Tree *tree)
{
	void	   *all[] = {tree->lists, tree->rows[0], tree->rows[1], tree->tops[0], tree->tops[1], tree->spectra,
	tree->products, tree->tails, tree->work};

	for (int level = 0; level < TREE_LEVELS; level++)
		for (int direction = 0; direction < 2; direction++)
			FftPlanFree(&tree->plans[level][direction]);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GPU_TRY(GpuFree(device, all[i]));
	memset(tree, 0, sizeof(*tree));
	return cudaSuccess;
}

uint64_t
TreeLeast(uint64_t places)
{
	return places * PLACE_BYTES + (UINT64_C(1) << 16);
}

cudaError_t
TreeOpen(ProbableJob *job, GpuDevice *device, Tree *tree, uint64_t places, uint32_t n)
{
	const char *what = "allocating memory for distributions";
	uint64_t	room = GpuRoom(device) / TreeLeast(places);
	uint64_t	most = GpuGreater(MOST_PLACES / places, 1);
	uint64_t	all;

	(void) job;
	GPU_TRY(TreeClose(device, tree));
	if (room == 0)
		return GpuOutOfMemory(device, places * PLACE_BYTES, what);
	tree->places = places;
	tree->room = (uint32_t) GpuLesser(GpuLesser(room, most), n);
	all = (uint64_t) tree->room * places;
	GPU_TRY(GpuAlloc(device, sizeof(double) * all, what, (void **) &tree->lists));
	for (int side = 0; side < 2; side++)
	{
		GPU_TRY(GpuAlloc(device, sizeof(double) * 2 * all, what, (void **) &tree->rows[side]));
		GPU_TRY(GpuAlloc(device, sizeof(double) * (all / TREE_BASE), what, (void **) &tree->tops[side]));
	}
	/* rows of m transactions have m + 1 spectral coefficients */
	GPU_TRY(GpuAlloc(device, sizeof(double2) * (all + all / TREE_BASE), what, (void **) &tree->spectra));
	GPU_TRY(GpuAlloc(device, sizeof(double2) * (all / 2 + all / TREE_BASE), what, (void **) &tree->products));
	return GpuAlloc(device, sizeof(double) * tree->room, what, (void **) &tree->tails);
}

cudaError_t
TreeClear(GpuDevice *device, const Tree *tree, uint32_t n)
{
	const char *what = "decoding bit strings";

	GPU_TRY(GpuUse(device, what));
	return GpuCheck(device, cudaMemsetAsync(tree->lists, 0, sizeof(double) * n * tree->places,
											device->streams[GPU_COUNT]), what);
}

/*
 * Makes the plans of a level on which there are "nodes" nodes of m transactions, and takes memory to
 * run them.
 */
static cudaError_t
PlanLevel(GpuDevice *device, Tree *tree, uint32_t level, uint64_t nodes, uint64_t m)
{
	FftPlan    *plans = tree->plans[level];
	size_t		needed;

	GPU_TRY(FftPlanMake(device, &plans[FFT_FORWARD], FFT_FORWARD, 2 * m, nodes));
	GPU_TRY(FftPlanMake(device, &plans[FFT_INVERSE], FFT_INVERSE, 2 * m, nodes / 2));
	needed = GpuGreater(plans[FFT_FORWARD].work_bytes, plans[FFT_INVERSE].work_bytes);
	if (needed <= tree->work_bytes)
		return cudaSuccess;
	GPU_TRY(GpuCheck(device, cudaStreamSynchronize(device->streams[GPU_COUNT]), "planning transforms"));
	GPU_TRY(GpuFree(device, tree->work));
	tree->work = NULL;
	GPU_TRY(GpuAlloc(device, needed, "allocating memory for transforms", &tree->work));
	tree->work_bytes = needed;
	return cudaSuccess;
}

static cudaError_t
BeginStep(ProbableJob *job, GpuDevice *device, double cost, GpuTimer **timer)
{
	GPU_TRY(GpuThrottle(&job->team, device, "convolving distributions"));
	return GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, cost, timer);
}

/*
 * Merges the nodes of a level two by two, for n trees, from rows[side] and tops[side] to rows[!side]
 * and tops[!side].
 */
static cudaError_t
MergeLevel(ProbableJob *job, GpuDevice *device, Tree *tree, uint32_t level, uint32_t n, int side)
{
	uint64_t	m = (uint64_t) TREE_BASE << level;
	uint64_t	nodes = (uint64_t) n * (tree->places / m);
	double		cost = STEP_COST * (double) n * (double) tree->places;
	FftPlan    *plans = tree->plans[level];
	GpuTimer   *timer;

	GPU_TRY(PlanLevel(device, tree, level, nodes, m));
	GPU_TRY(BeginStep(job, device, cost, &timer));
	GPU_TRY(FftPlanRun(device, &plans[FFT_FORWARD], tree->rows[side], tree->spectra, tree->work));
	GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	GPU_TRY(BeginStep(job, device, cost, &timer));
	GPU_TRY(MultiplySpectra(device, tree->spectra, nodes / 2, m, tree->products));
	GPU_TRY(FftPlanRun(device, &plans[FFT_INVERSE], tree->products, tree->lists, tree->work));
	GPU_TRY(UnpackNodes(device, tree->lists, tree->rows[side], tree->tops[side], nodes / 2, m,
						tree->rows[!side], tree->tops[!side]));
	return GpuEnd(device, GPU_COUNT, timer);
}

cudaError_t
TreeCompute(ProbableJob *job, GpuDevice *device, Tree *tree, uint32_t n, double *tails)
{
	uint64_t	nbases = (uint64_t) n * (tree->places / TREE_BASE);
	int			side = 0;
	GpuTimer   *timer;

	GPU_TRY(BeginStep(job, device, BASE_COST * (double) n * (double) tree->places, &timer));
	GPU_TRY(ConvolveBase(device, tree->lists, nbases, tree->rows[0], tree->tops[0]));
	GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	for (uint32_t level = 0; level < LevelsOf(tree->places); level++, side = !side)
		GPU_TRY(MergeLevel(job, device, tree, level, n, side));
	GPU_TRY(SumRoots(device, tree->rows[side], tree->tops[side], n, tree->places, job->asked->minsup,
					 tree->tails));
	return GpuReceive(&job->team, device, GPU_COUNT, tails, tree->tails, sizeof(double) * n,
					  "copying sums of distributions");
}

/*
 * A transform of 2m numbers has an error of up to 8 log2(2m) roundings, relative to the
 * norm (Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2), and a
 * product takes three transforms.  The error of a node's tail is up to sqrt(2m) times
 * that, and the errors of all nodes add up.
 */
double
TreeError(uint64_t places)
{
	double		error = 4.0 * (double) places;

	for (uint64_t m = TREE_BASE; m < places; m *= 2)
		error += (double) (places / (2 * m)) * sqrt(2.0 * (double) m) * 25 * log2(2.0 * (double) m);
	return (error + (double) places) * ROUNDOFF;
}
