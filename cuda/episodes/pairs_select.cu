/*-------------------------------------------------------------------------
 *
 * pairs_select.cu
 *	  Choosing the pairs of types that may be frequent, see pairs_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "episodes/pairs_device.h"

struct BoundAt
{
	const uint32_t *counts;

	__device__ __forceinline__ PairBound
	operator()(uint32_t pair) const
	{
		return {pair, counts[pair]};
	}
};

struct MayBeFrequent
{
	uint64_t	least;

	__device__ __forceinline__ bool
	operator()(const PairBound &pair) const
	{
		return pair.bound >= least;
	}
};

static cudaError_t
Select(void *scratch, size_t *bytes, const PairCounters *c, uint64_t least, cudaStream_t stream)
{
	BoundAt		bound_at = {c->counts};
	MayBeFrequent may_be_frequent = {least};

	return cub::DeviceSelect::If(scratch, *bytes,
								 thrust::make_transform_iterator(thrust::make_counting_iterator(0u), bound_at),
								 c->bound, c->nbounds, c->n, may_be_frequent, stream);
}

cudaError_t
BoundsScratch(uint32_t n, size_t *bytes)
{
	PairCounters none = {n, nullptr, nullptr, nullptr, nullptr, 0};

	return Select(nullptr, bytes, &none, 0, 0);
}

cudaError_t
SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least)
{
	size_t		bytes = counters->scratch_bytes;

	return GpuCheck(device, Select(counters->scratch, &bytes, counters, least, device->streams[GPU_COUNT]),
					"choosing pairs of types");
}
