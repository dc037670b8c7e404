/*-------------------------------------------------------------------------
 *
 * product_plan_device.cu
 *	  Plans of many matrices, made on the device that has them.
 *
 * With many matrices nothing is gained by looking for the best way to cut them, but much is
 * gained if the host need not look at each.  One kernel adds up the work that there is for each
 * of the product kernels.  From that follows how long the parts of long tiles may be, so that
 * none is longer than a small part of a worker's work.  A second kernel counts the ranges that
 * this makes.  Then the host knows how much memory the plan takes.  When the plan is run, a
 * third kernel writes the ranges.  They are in the order of matrices from the last to the
 * first, because the last matrices of a level tend to be long.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "bits/bits.h"
#include "bits/product_kernel.h"
#include "lanes.h"

#define THREADS		256
#define PARTS_OF_WORK	4		/* a part is at most 1 / PARTS_OF_WORK of a worker's work, or, if that is */
#define LEAST		4			/* less than this, LEAST times a range's overhead */
#define BLOCKS		512			/* enough to fill any device */

/* How the kernels of a way cut a matrix. */
typedef struct Cuts
{
	uint32_t	limit[FIM_MAX_KERNELS];
	uint32_t	tile_rows[FIM_MAX_KERNELS];
	uint32_t	tile_columns[FIM_MAX_KERNELS];
	uint32_t	workers[FIM_MAX_KERNELS];
	uint32_t	least[FIM_MAX_KERNELS]; /* slabs of a part, at least */
	uint32_t	from[FIM_MAX_KERNELS]; /* where the kernel's ranges begin */
	uint32_t	length[FIM_MAX_KERNELS]; /* slabs of a part, at most */
} Cuts;

typedef unsigned long long Sum;

/* What all matrices add up to, for each product kernel. */
typedef struct Survey
{
	Sum			slabs[FIM_MAX_KERNELS]; /* of all tiles */
	Sum			ranges[FIM_MAX_KERNELS];
	Sum			divided[FIM_MAX_KERNELS];
	Sum			tests;
} Survey;

static_assert(sizeof(Survey) <= FIM_SURVEY_BYTES, "FIM_SURVEY_BYTES is too small");

static __device__ __forceinline__ const FimMatrix &
MatrixAt(const FimMatrices &matrices, uint32_t i)
{
	return *(const FimMatrix *) ((const char *) matrices.matrices + i * matrices.stride);
}

/* The number of the matrix's kernel, or -1 if it has no pairs. */
static __device__ __forceinline__ int
KernelOf(const Cuts &cuts, const FimMatrix &of)
{
	int			k = 0;

	if (IsEmpty(&of))
		return -1;
	while (of.rows > cuts.limit[k])
		k++;
	return k;
}

static __device__ uint32_t
CountTiles(const Cuts &cuts, int k, const FimMatrix &of)
{
	uint32_t	n = 0;

	if (of.rows <= cuts.tile_rows[k] && of.rows <= cuts.tile_columns[k])
		return 1;
	for (TileWalk walk = WalkTiles(&of, cuts.tile_rows[k], cuts.tile_columns[k]);
		 IsAtTile(&walk); GoOn(&walk))
		n++;
	return n;
}

/* Add a thread's value for kernel k.  All indexes are constants, so that the sums are in registers. */
static __device__ __forceinline__ void
AddTo(Sum (&sums)[FIM_MAX_KERNELS], int k, Sum value)
{
#pragma unroll
	for (int i = 0; i < FIM_MAX_KERNELS; i++)
		sums[i] += i == k ? value : 0;
}

/* Add the values of a warp to *to.  All lanes must call it. */
static __device__ __forceinline__ void
AddUp(Sum *to, Sum value)
{
	value = LongSumOverLanes(value);
	if (threadIdx.x % 32 == 0 && value > 0)
		atomicAdd(to, value);
}

static __device__ __forceinline__ void
AddUpAll(Sum *to, const Sum (&sums)[FIM_MAX_KERNELS])
{
#pragma unroll
	for (int i = 0; i < FIM_MAX_KERNELS; i++)
		AddUp(&to[i], sums[i]);
}

static __global__ void __launch_bounds__(THREADS)
SurveyKernel(FimMatrices matrices, Cuts cuts, Survey *survey)
{
	Sum			slabs[FIM_MAX_KERNELS] = {};
	Sum			tests = 0;

	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < matrices.n; i += gridDim.x * THREADS)
	{
		FimMatrix	of = MatrixAt(matrices, i);
		int			k = KernelOf(cuts, of);

		if (k < 0)
			continue;
		AddTo(slabs, k, (Sum) CountTiles(cuts, k, of) * of.slabs);
		tests += (Sum) FimPairsOf(&of) * of.slabs * FIM_SLAB_BITS;
	}
	AddUpAll(survey->slabs, slabs);
	AddUp(&survey->tests, tests);
}

static __host__ __device__ inline uint32_t
LengthOf(const Cuts &cuts, const Survey &survey, int k)
{
	Sum			length = survey.slabs[k] / cuts.workers[k] / PARTS_OF_WORK;

	return length < cuts.least[k] ? cuts.least[k] : length > UINT32_MAX ? UINT32_MAX :
		(uint32_t) length;
}

static __global__ void __launch_bounds__(THREADS)
CountRangesKernel(FimMatrices matrices, Cuts cuts, Survey *survey)
{
	Sum			ranges[FIM_MAX_KERNELS] = {};
	Sum			divided[FIM_MAX_KERNELS] = {};

	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < matrices.n; i += gridDim.x * THREADS)
	{
		FimMatrix	of = MatrixAt(matrices, i);
		int			k = KernelOf(cuts, of);

		if (k < 0)
			continue;

		uint32_t	tiles = CountTiles(cuts, k, of);
		uint32_t	parts = (of.slabs - 1) / LengthOf(cuts, *survey, k) + 1;

		AddTo(ranges, k, (Sum) tiles * parts);
		AddTo(divided, k, parts > 1 ? tiles : 0);
	}
	AddUpAll(survey->ranges, ranges);
	AddUpAll(survey->divided, divided);
}

/*
 * Reserve places for a block's threads, each of which wants n places of kernel k, and return
 * where the thread's places begin.  For "counters" see FillKernel().
 */
static __device__ __forceinline__ uint32_t
Reserve(uint32_t *counters, uint32_t *block, int k, uint32_t n)
{
	uint32_t	at = 0;

	if (threadIdx.x < FIM_MAX_KERNELS)
		block[threadIdx.x] = 0;
	__syncthreads();
	if (n > 0)
		at = atomicAdd(&block[k], n);
	__syncthreads();
	if (threadIdx.x < FIM_MAX_KERNELS && block[threadIdx.x] > 0)
		block[threadIdx.x] = atomicAdd(&counters[threadIdx.x], block[threadIdx.x]);
	__syncthreads();
	if (n > 0)
		at += block[k];
	__syncthreads();
	return at;
}

static __device__ void
WriteRanges(const Cuts &cuts, const FimMatrix &of, uint32_t i, int k, uint32_t parts, uint32_t sums,
		   FimRange *ranges)
{
	for (TileWalk walk = WalkTiles(&of, cuts.tile_rows[k], cuts.tile_columns[k]);
		 IsAtTile(&walk); GoOn(&walk), sums++)
		for (uint32_t part = 0; part < parts; part++)
		{
			uint32_t	slab = (uint32_t) ((uint64_t) of.slabs * part / parts);
			uint32_t	end = (uint32_t) ((uint64_t) of.slabs * (part + 1) / parts);

			*ranges++ = FimRange {i, walk.row, walk.column, slab, end - slab, parts, sums, 0};
		}
}

/*
 * Write the plan's matrices and ranges.  "counters" has, for each kernel, the number of ranges
 * that have got a place so far, and behind these numbers, for each kernel, the number of
 * divided tiles that have got partial sums.
 */
static __global__ void __launch_bounds__(THREADS)
FillKernel(FimMatrices matrices, Cuts cuts, FimMatrix *to, FimRange *ranges, uint32_t *counters)
{
	__shared__ uint32_t block[FIM_MAX_KERNELS];
	uint32_t	i = matrices.n - 1 - (blockIdx.x * THREADS + threadIdx.x);
	FimMatrix	of = {};
	int			k = -1;
	uint32_t	tiles = 0;
	uint32_t	parts = 0;

	if (i < matrices.n)
	{
		of = MatrixAt(matrices, i);
		of.line -= matrices.line;
		of.count -= matrices.count;
		to[i] = of;
		k = KernelOf(cuts, of);
	}
	if (k >= 0)
	{
		tiles = CountTiles(cuts, k, of);
		parts = (of.slabs - 1) / cuts.length[k] + 1;
	}

	uint32_t	at = Reserve(counters, block, k, tiles * parts);
	uint32_t	sums = Reserve(counters + FIM_MAX_KERNELS, block, k, parts > 1 ? tiles : 0);

	if (k >= 0)
		WriteRanges(cuts, of, i, k, parts, sums, ranges + cuts.from[k] + at);
}

static Cuts
CutsOf(const FimPlan *plan)
{
	Cuts		cuts = {};

	for (int k = 0; k < plan->nkernels; k++)
	{
		const KernelRanges *ranges = &plan->by_kernel[k];

		cuts.limit[k] = ranges->kernel->limit;
		cuts.tile_rows[k] = ranges->kernel->tile_rows;
		cuts.tile_columns[k] = ranges->kernel->tile_columns;
		cuts.workers[k] = (uint32_t) ranges->workers;
		cuts.least[k] = ranges->kernel->overhead * LEAST;
		cuts.from[k] = ranges->from;
		cuts.length[k] = ranges->length;
	}
	return cuts;
}

static uint32_t
BlocksOf(const FimMatrices *matrices)
{
	return (matrices->n + THREADS - 1) / THREADS;
}

static cudaError_t
TakeSurvey(const FimPlan *plan, Survey *to, void *scratch, cudaStream_t stream)
{
	Cuts		cuts = CutsOf(plan);
	Survey	   *survey = (Survey *) scratch;
	uint32_t	blocks = BlocksOf(&plan->many) < BLOCKS ? BlocksOf(&plan->many) : BLOCKS;
	cudaError_t error = cudaMemsetAsync(survey, 0, sizeof(Survey), stream);

	if (error != cudaSuccess)
		return error;
	SurveyKernel<<<blocks, THREADS, 0, stream>>>(plan->many, cuts, survey);
	CountRangesKernel<<<blocks, THREADS, 0, stream>>>(plan->many, cuts, survey);
	error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(to, survey, sizeof(Survey), cudaMemcpyDeviceToHost, stream);
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(stream);
	return error;
}

/* Set up each kernel's ranges from the survey. */
static cudaError_t
UseSurvey(FimPlan *plan, const Survey *survey)
{
	Cuts		cuts = CutsOf(plan);
	Sum			nranges = 0;

	for (int k = 0; k < plan->nkernels; k++)
	{
		KernelRanges *ranges = &plan->by_kernel[k];

		ranges->from = (uint32_t) nranges;
		ranges->n = (uint32_t) survey->ranges[k];
		ranges->divided = (uint32_t) survey->divided[k];
		ranges->length = LengthOf(cuts, *survey, k);
		nranges += survey->ranges[k];
	}
	if (nranges > INT32_MAX)
		return cudaErrorMemoryAllocation;
	plan->nranges = (uint32_t) nranges;
	plan->tests = (double) survey->tests;
	return cudaSuccess;
}

cudaError_t
FimPlanMany(FimWay way, const FimMatrices *matrices, void *survey, cudaStream_t stream, FimPlan **result)
{
	const FimProductKernel *kernels[FIM_MAX_KERNELS];
	FimPlan    *plan = (FimPlan *) calloc(1, sizeof(FimPlan));
	Survey		found;
	int			device;
	cudaError_t error;

	if (plan == NULL)
		return cudaErrorMemoryAllocation;
	plan->many = *matrices;
	plan->nmatrices = matrices->n;
	plan->nkernels = FimKernelsOf(way, kernels);
	error = cudaGetDevice(&device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&plan->processors, cudaDevAttrMultiProcessorCount, device);
	for (int k = 0; k < plan->nkernels; k++)
	{
		plan->by_kernel[k].kernel = kernels[k];
		plan->by_kernel[k].workers = (uint64_t) plan->processors * kernels[k]->workers;
	}
	if (error == cudaSuccess)
		error = TakeSurvey(plan, &found, survey, stream);
	if (error == cudaSuccess)
		error = UseSurvey(plan, &found);
	if (error == cudaSuccess)
		*result = plan;
	else
		FimPlanFree(plan);
	return error;
}

cudaError_t
FimFillPlan(const FimPlan *plan, FimMatrix *matrices, FimRange *ranges, uint32_t *counters,
			cudaStream_t stream)
{
	FillKernel<<<BlocksOf(&plan->many), THREADS, 0, stream>>>(plan->many, CutsOf(plan), matrices,
															  ranges, counters);
	return cudaGetLastError();
}
