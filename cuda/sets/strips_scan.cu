/*-------------------------------------------------------------------------
 *
 * strips_scan.cu
 *	  Where each strip's cells go, see strips.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "sets/strips.h"

/* The number of cells of strip i; 0 for i = n, so that the scan ends with the sum of all. */
struct CellsOfStrip
{
	const uint32_t *cells;
	uint32_t	n;

	__device__ __forceinline__ uint64_t
	operator()(uint32_t i) const
	{
		return i < n ? cells[i] : 0;
	}
};

static cudaError_t
Scan(void *scratch, size_t *bytes, const uint32_t *cells, uint32_t n, uint64_t *start, cudaStream_t stream)
{
	auto		numbers = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), CellsOfStrip{cells, n});

	return cub::DeviceScan::ExclusiveSum(scratch, *bytes, numbers, start, n + 1, stream);
}

cudaError_t
StripScanScratch(size_t *bytes)
{
	*bytes = 0;
	return Scan(nullptr, bytes, nullptr, STRIPS_AT_ONCE, nullptr, 0);
}

cudaError_t
ScanStrips(SetsDevice *on, uint32_t n)
{
	size_t		bytes = on->scratch_bytes;

	return GpuCheck(on->device, Scan(on->scratch, &bytes, on->cells, n, on->start, on->device->streams[GPU_COUNT]),
					"adding up cells");
}
