/*-------------------------------------------------------------------------
 *
 * pairs_select.cu
 *	  Selecting the pairs that have been counted, see pairs.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "probable/pairs.h"

struct IsCounted
{
	const uint32_t *counts;

	__device__ __forceinline__ bool
	operator() (uint64_t number) const
	{
		return counts[number] > 0;
	}
};

static cudaError_t
Select(void *scratch, size_t *bytes, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs,
	   uint64_t *npairs, cudaStream_t stream)
{
	return cub::DeviceSelect::If(scratch, *bytes, thrust::counting_iterator<uint64_t>(0), pairs, npairs,
								 (int64_t) ncounts, IsCounted {counts}, stream);
}

cudaError_t
SelectionScratch(uint64_t ncounts, size_t *bytes)
{
	return Select(nullptr, bytes, nullptr, ncounts, nullptr, nullptr, 0);
}

cudaError_t
SelectPairs(GpuDevice *device, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs, uint64_t *npairs,
			void *scratch, size_t bytes)
{
	return GpuCheck(device, Select(scratch, &bytes, counts, ncounts, pairs, npairs,
								   device->streams[GPU_COUNT]), "selecting pairs");
}
