/*-------------------------------------------------------------------------
 *
 * walk_back.cu
 *	  The events of occurrences, see walk_back.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ascending.h"
#include "episodes/walk_back.h"

#define THREADS		128

/*
 * The end of the last entry of the list that the event of a type at a moment can follow under a gap.  There
 * is one, and it is not too far, since the event ends an occurrence.
 */
static __device__ uint32_t
EventBefore(const DeviceStream &stream, uint32_t type, uint32_t gap, const DeviceList &list, uint32_t moment)
{
	uint32_t	first = stream.start[type];
	uint32_t	place = first + CountLess(stream.back + first, stream.start[type + 1] - first, moment);
	uint32_t	high = stream.back[(uint64_t) stream.gap[gap].low * stream.events + place];

	return list.end[CountLess(list.end, list.n, high) - 1];
}

/* A thread for each occurrence. */
static __global__ void __launch_bounds__(THREADS)
WalkBackKernel(WalkBack walk, uint32_t first, uint32_t n, uint32_t *moments)
{
	uint32_t	o = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	moment;

	if (o >= n)
		return;
	moment = walk.end[first + o];
	moments += (uint64_t) o * walk.length;
	moments[walk.length - 1] = moment;
	for (uint32_t k = walk.length - 1; k > 0; k--)
	{
		moment = EventBefore(walk.stream, walk.types[k], walk.gaps[k - 1], walk.lists[k - 1], moment);
		moments[k - 1] = moment;
	}
}

cudaError_t
FindEvents(GpuDevice *device, const WalkBack *walk, uint32_t first, uint32_t n, uint32_t *moments)
{
	WalkBackKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*walk, first, n, moments);
	return GpuLaunched(device, "finding the events of occurrences");
}
