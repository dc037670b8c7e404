/*-------------------------------------------------------------------------
 *
 * moments_kernels.cu
 *	  Summing the probabilities of candidates, see probable.h.
 *
 * A warp has the prefix's probabilities in a slab in its registers and goes through the
 * candidates: it ANDs the last column's line with the prefix's, and adds up the terms of
 * the transactions that are left.  In sparse data most words have no such transaction;
 * these words are skipped.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/probable.h"
#include "probable/probable_device.h"

#define THREADS		(MOMENT_WARPS * 32)
#define SUM_WARPS	8

/* Sums over transactions: mean, variance and third moment. */
struct Sums
{
	double		value[MOMENT_SUMS];
};

static __device__ __forceinline__ void
AddTerms(Sums &sums, double p)
{
	double		variance = fma(-p, p, p);

	sums.value[0] += p;
	sums.value[1] += variance;
	sums.value[2] += fma(-2 * variance, variance, variance);
}

static __device__ __forceinline__ double
SumOfLanes(double value)
{
	for (int step = 16; step > 0; step /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, step);
	return value;
}

/*
 * Adds up the sums that the block's warps have of each of the load's candidates, and stores them as
 * its part.
 */
static __device__ __forceinline__ void
StorePart(const MomentShare &share, const MomentLoad &load,
		  const double (&sums)[MOMENT_WARPS][MOMENT_LOAD][MOMENT_SUMS],
		  const uint32_t (&counts)[MOMENT_WARPS][MOMENT_LOAD])
{
	for (uint32_t i = threadIdx.x; i < load.n * (MOMENT_SUMS + 1); i += THREADS)
	{
		uint32_t	c = i / (MOMENT_SUMS + 1);
		uint32_t	s = i % (MOMENT_SUMS + 1);
		uint64_t	to = (uint64_t) (load.first - share.first + c) * share.parts + blockIdx.y;
		double		sum = 0;
		uint32_t	count = 0;

		for (uint32_t w = 0; w < MOMENT_WARPS; w++)
			if (s < MOMENT_SUMS)
				sum += sums[w][c][s];
			else
				count += counts[w][c];
		if (s < MOMENT_SUMS)
			share.part_sums[to * MOMENT_SUMS + s] = sum;
		else
			share.part_counts[to] = count;
	}
}

/*
 * A block of threads for each load and part.  It does MOMENT_WARPS slabs in a turn, one with each warp.
 * Of all turns, a part has the numbers part, part + parts, part + 2 * parts, ...
 */
template <bool BY_ENTRY>
static __global__ void __launch_bounds__(THREADS)
MomentsKernel(UncertainSheet sheet, MomentShare share, uint32_t length, uint32_t first_load)
{
	__shared__ double sums[MOMENT_WARPS][MOMENT_LOAD][MOMENT_SUMS];
	__shared__ uint32_t counts[MOMENT_WARPS][MOMENT_LOAD];
	MomentLoad	load = share.loads[first_load + blockIdx.x];
	const uint32_t *columns = share.columns + (uint64_t) load.prefix * length;
	const uint32_t *last = share.last + (load.first - share.first);
	uint32_t	warp = threadIdx.x / 32;
	uint32_t	lane = LaneNumber();
	double		p[LINE_WORDS];

	for (uint32_t i = lane; i < MOMENT_LOAD * MOMENT_SUMS; i += 32)
		sums[warp][i / MOMENT_SUMS][i % MOMENT_SUMS] = 0;
	counts[warp][lane] = 0;
	__syncwarp();
	for (uint32_t slab = blockIdx.y * MOMENT_WARPS + warp; slab < sheet.nslabs;
		 slab += gridDim.y * MOMENT_WARPS)
	{
		uint32_t	common = CommonWord(sheet, slab, columns, length);

		if (__ballot_sync(ALL_LANES, common != 0) == 0)
			continue;
		ReadProbabilities<BY_ENTRY>(sheet, slab, columns, length, common, p);
		for (uint32_t c = 0; c < load.n; c++)
		{
			ValuedLine	line;
			uint32_t	word;
			uint32_t	filled;
			uint32_t	count;
			Sums		of = {{0, 0, 0}};

			line.word = LineWord(sheet, slab, last[c]);
			word = line.word & common;
			filled = __ballot_sync(ALL_LANES, word != 0);
			if (filled == 0)
				continue;
			if (BY_ENTRY)
				line = ReadValuedLine(sheet, slab, last[c]);
#pragma unroll
			for (int i = 0; i < LINE_WORDS; i++)
				if (filled >> i & 1)
				{
					bool		has = HasBit(word, i);

					AddTerms(of, BY_ENTRY ? p[i] * ValueIn(line, i, has) : has ? p[i] : 0);
				}
			count = SumOverLanes(__popc(word));
#pragma unroll
			for (int s = 0; s < MOMENT_SUMS; s++)
				of.value[s] = SumOfLanes(of.value[s]);
			if (lane == 0)
			{
				counts[warp][c] += count;
				for (int s = 0; s < MOMENT_SUMS; s++)
					sums[warp][c][s] += of.value[s];
			}
		}
	}
	__syncthreads();
	StorePart(share, load, sums, counts);
}

/* A warp for each candidate: adds its parts to the sums over the sheets before this one. */
static __global__ void __launch_bounds__(SUM_WARPS * 32)
AddKernel(MomentShare share)
{
	uint32_t	candidate = blockIdx.x * SUM_WARPS + threadIdx.x / 32;
	uint64_t	from = (uint64_t) candidate * share.parts;
	uint32_t	count = 0;
	Sums		of = {{0, 0, 0}};

	if (candidate >= share.n)
		return;
	for (uint32_t part = LaneNumber(); part < share.parts; part += 32)
	{
		count += share.part_counts[from + part];
		for (int s = 0; s < MOMENT_SUMS; s++)
			of.value[s] += share.part_sums[(from + part) * MOMENT_SUMS + s];
	}
	count = SumOverLanes(count);
	for (int s = 0; s < MOMENT_SUMS; s++)
		of.value[s] = SumOfLanes(of.value[s]);
	if (LaneNumber() > 0)
		return;
	share.counts[candidate] += count;
	for (int s = 0; s < MOMENT_SUMS; s++)
		share.sums[(uint64_t) candidate * MOMENT_SUMS + s] += of.value[s];
}

cudaError_t
LaunchMoments(GpuDevice *device, const UncertainSheet *sheet, const MomentShare *share,
			  uint32_t length, uint32_t from, uint32_t n)
{
	dim3		grid(n, share->parts);
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (sheet->row_p == NULL)
		MomentsKernel<true><<<grid, THREADS, 0, stream>>>(*sheet, *share, length, from);
	else
		MomentsKernel<false><<<grid, THREADS, 0, stream>>>(*sheet, *share, length, from);
	return GpuLaunched(device, "summing probabilities");
}

cudaError_t
AddMoments(GpuDevice *device, const MomentShare *share)
{
	AddKernel<<<GpuBlocks(share->n, SUM_WARPS), SUM_WARPS * 32, 0, device->streams[GPU_COUNT]>>>(*share);
	return GpuLaunched(device, "summing probabilities");
}
