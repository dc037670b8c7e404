/*-------------------------------------------------------------------------
 *
 * joining_select.cu
 *	  Finding the extensions that are frequent, see joining.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "episodes/joining.h"

struct FoundAt
{
	const Counted *counted;

	__device__ __forceinline__ Found
	operator()(uint32_t number) const
	{
		return {number, counted[number]};
	}
};

struct ReachesLeast
{
	uint64_t	least;

	__device__ __forceinline__ bool
	operator()(const Found &found) const
	{
		return found.counted.support >= least;
	}
};

static cudaError_t
Select(void *scratch, size_t *bytes, const Counted *counted, uint32_t n, uint64_t least, Found *to, uint32_t *nto,
	   cudaStream_t stream)
{
	FoundAt		found_at = {counted};
	ReachesLeast reaches_least = {least};

	return cub::DeviceSelect::If(scratch, *bytes,
								 thrust::make_transform_iterator(thrust::make_counting_iterator(0u), found_at),
								 to, nto, n, reaches_least, stream);
}

cudaError_t
FoundScratch(uint32_t n, size_t *bytes)
{
	return Select(nullptr, bytes, nullptr, n, 0, nullptr, nullptr, 0);
}

cudaError_t
SelectFound(GpuDevice *device, void *scratch, size_t bytes, const Counted *counted, uint32_t n, uint64_t least,
			FoundList *found)
{
	return GpuCheck(device, Select(scratch, &bytes, counted, n, least, found->found, &found->n,
								   device->streams[GPU_COUNT]), "finding frequent candidates");
}
