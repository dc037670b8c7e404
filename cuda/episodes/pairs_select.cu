/*-------------------------------------------------------------------------
 *
 * pairs_select.cu
 *	  Choosing the pairs of types that may be frequent, see pairs_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/pairs_device.h"
#include "episodes/select.h"

/* The number of a pair, with its counter and where its list is to begin. */
struct BoundAt
{
	const uint32_t *counts;
	const uint32_t *at;			/* NULL: there will be no lists */

	__device__ __forceinline__ PairBound
	operator()(uint32_t number) const
	{
		return {number, counts[number], at != nullptr ? at[number] : 0};
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

cudaError_t
BoundsScratch(uint32_t n, size_t *bytes)
{
	return SelectNumbers<PairBound>(nullptr, bytes, BoundAt{nullptr, nullptr}, n, MayBeFrequent{0}, nullptr, nullptr, 0);
}

cudaError_t
SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least)
{
	size_t		bytes = counters->scratch_bytes;

	return GpuCheck(device, SelectNumbers(counters->scratch, &bytes, BoundAt{counters->counts, counters->at},
										  counters->n, MayBeFrequent{least}, counters->list->bound, &counters->list->n,
										  device->streams[GPU_COUNT]),
					"choosing pairs of types");
}
