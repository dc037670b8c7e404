/*-------------------------------------------------------------------------
 *
 * joining_select.cu
 *	  Finding the extensions that are frequent, see joining.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/joining.h"
#include "episodes/select.h"

/* The number of an extension, with what was counted of it. */
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

cudaError_t
FoundScratch(uint32_t n, size_t *bytes)
{
	return SelectNumbers<Found>(nullptr, bytes, FoundAt{nullptr}, n, ReachesLeast{0}, nullptr, nullptr, 0);
}

cudaError_t
SelectFound(GpuDevice *device, void *scratch, size_t bytes, const Counted *counted, uint32_t n, uint64_t least,
			FoundList *found)
{
	return GpuCheck(device, SelectNumbers(scratch, &bytes, FoundAt{counted}, n, ReachesLeast{least}, found->found,
										  &found->n, device->streams[GPU_COUNT]), "finding frequent candidates");
}
