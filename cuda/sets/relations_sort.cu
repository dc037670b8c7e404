/*-------------------------------------------------------------------------
 *
 * relations_sort.cu
 *	  The right relation by key, see relations.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>

#include "fault.h"
#include "sets/relations.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* A warp for each value. */
static __global__ void __launch_bounds__(THREADS)
ExpandRanksKernel(DeviceSide side, uint32_t *rank)
{
	uint32_t	r = blockIdx.x * WARPS + threadIdx.x / 32;

	if (r >= side.nvalues)
		return;
	for (uint64_t p = side.start[r] + threadIdx.x % 32; p < side.start[r + 1]; p += 32)
		rank[p] = r;
}

/* A thread for each pair, and one more.  A key that no pair has begins where the next key does. */
static __global__ void __launch_bounds__(THREADS)
FindKeyStartsKernel(const uint32_t *key, uint64_t npairs, uint32_t nkeys, uint64_t *key_start)
{
	uint64_t	p = (uint64_t) blockIdx.x * THREADS + threadIdx.x;
	uint32_t	first;
	uint32_t	end;

	if (p > npairs)
		return;
	first = p > 0 ? key[p - 1] + 1 : 0;
	end = p < npairs ? key[p] : nkeys;
	for (uint32_t k = first; k <= end; k++)
		key_start[k] = p;
}

/* ---- the host's side ---- */

cudaError_t
ExpandRanks(GpuDevice *device, const DeviceSide *side, uint32_t *rank)
{
	ExpandRanksKernel<<<GpuBlocks(side->nvalues, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>(*side, rank);
	return GpuLaunched(device, "ranking pairs");
}

static cudaError_t
Sort(const KeySort *sort, void *scratch, size_t *bytes, cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortPairs(scratch, *bytes, sort->key, sort->sorted_key, sort->rank,
										   sort->sorted_rank, sort->npairs, 0, GpuBitsBelow(sort->nkeys), stream);
}

cudaError_t
KeySortScratch(uint64_t npairs, uint32_t nkeys, size_t *bytes)
{
	KeySort		sort = {};

	sort.npairs = npairs;
	sort.nkeys = nkeys;
	*bytes = 0;
	return Sort(&sort, nullptr, bytes, 0);
}

cudaError_t
SortByKey(GpuDevice *device, const KeySort *sort)
{
	size_t		bytes = sort->scratch_bytes;

	return GpuCheck(device, Sort(sort, sort->scratch, &bytes, device->streams[GPU_COUNT]), "sorting pairs by key");
}

cudaError_t
FindKeyStarts(GpuDevice *device, const uint32_t *key, uint64_t npairs, uint32_t nkeys, uint64_t *key_start)
{
	FindKeyStartsKernel<<<GpuBlocks(npairs + 1, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(key, npairs, nkeys, key_start);
	return GpuLaunched(device, "finding keys");
}
