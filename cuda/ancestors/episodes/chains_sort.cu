/*-------------------------------------------------------------------------
 *
 * chains_sort.cu
 *	  Adding up what chains have found, and sorting chains, see chains.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "ancestors/episodes/chains.h"

/* How many events each chain has found; 0 behind the last chain, so that the sums end with the number of all. */
struct NumberFound
{
	const NextEvents *found;
	uint32_t	n;

	__device__ __forceinline__ uint64_t
	operator()(uint32_t i) const
	{
		return i < n ? found[i].n : 0;
	}
};

static cudaError_t
Scan(void *scratch, size_t *bytes, const NextEvents *found, uint32_t n, uint64_t *sums, cudaStream_t stream)
{
	auto		numbers = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), NumberFound{found, n});

	return cub::DeviceScan::ExclusiveSum(scratch, *bytes, numbers, sums, n + 1, stream);
}

cudaError_t
ScanScratch(uint32_t n, size_t *bytes)
{
	return Scan(nullptr, bytes, nullptr, n, nullptr, 0);
}

cudaError_t
ScanFound(GpuDevice *device, void *scratch, size_t bytes, const NextEvents *found, uint32_t n, uint64_t *sums)
{
	return GpuCheck(device, Scan(scratch, &bytes, found, n, sums, device->streams[GPU_COUNT]),
					"adding up what chains have found");
}

cudaError_t
SortScratch(uint32_t n, size_t *bytes)
{
	cub::DoubleBuffer<Chain> none;

	return cub::DeviceRadixSort::SortKeys(nullptr, *bytes, none, n);
}

cudaError_t
SortChains(GpuDevice *device, void *scratch, size_t bytes, Chain *chains, Chain *other, uint32_t n, Chain **sorted)
{
	cub::DoubleBuffer<Chain> both(chains, other);

	GPU_TRY(GpuCheck(device, cub::DeviceRadixSort::SortKeys(scratch, bytes, both, n, 0, 64,
															device->streams[GPU_COUNT]), "sorting chains"));
	*sorted = both.Current();
	return cudaSuccess;
}
