/*-------------------------------------------------------------------------
 *
 * packed_times.c
 *	  Packing times on the host, see packed_times.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "episodes/packed_times.h"
#include "host_threads.h"

/* How many blocks a thread packs at a time, and how many a half of the shared buffer holds. */
#define BLOCKS_AT_ONCE	4
#define BLOCKS_OF_HALF	(GPU_SHARED / sizeof(PackedTimes))

/* Pack the times of n events into a block.  Returns whether the differences fit. */
static bool
PackBlock(PackedTimes *to, const FimTime *times, uint32_t n)
{
	PackedTimes block;
	uint64_t	all = 0;

	block.first = times[0].integer;
	block.unused = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	later = (uint64_t) times[i].integer - (uint64_t) block.first;

		block.later[i] = (int32_t) (uint32_t) later;
		all |= later + (UINT64_C(1) << 31);
	}
	for (uint32_t i = n; i < PACKED_EVENTS; i++)
		block.later[i] = 0;
	GpuStreamOut(to, &block, sizeof(block));
	return all >> 32 == 0;
}

static void
PackPart(void *of, uint32_t number, uint32_t thread)
{
	Packing    *packing = (Packing *) of;
	uint32_t	begin = number * BLOCKS_AT_ONCE * PACKED_EVENTS;
	uint32_t	end = (uint32_t) GpuLesser(packing->events, (uint64_t) begin + BLOCKS_AT_ONCE * PACKED_EVENTS);

	for (uint32_t at = begin; at < end && !__atomic_load_n(&packing->fails, __ATOMIC_RELAXED); at += PACKED_EVENTS)
		if (!PackBlock(&packing->to[at / PACKED_EVENTS], packing->times + at,
					   (uint32_t) GpuLesser(PACKED_EVENTS, end - at)))
			__atomic_store_n(&packing->fails, true, __ATOMIC_RELAXED);
}

bool
CanBePacked(uint32_t events)
{
	return events <= BLOCKS_OF_HALF * PACKED_EVENTS;
}

cudaError_t
BeginPacking(GpuTeam *team, const FimTime *times, uint32_t events, Packing *packing)
{
	char	   *at;

	GPU_TRY(GpuNextHalf(team, &packing->half, &at));
	packing->to = (PackedTimes *) at;
	packing->times = times;
	packing->events = events;
	packing->fails = false;
	HostBegin(GpuBlocks(events, BLOCKS_AT_ONCE * PACKED_EVENTS), PackPart, packing);
	return cudaSuccess;
}

cudaError_t
SendPacked(GpuTeam *team, GpuDevice *device, int stream, void *to, Packing *packing)
{
	GPU_TRY(HostEnd(team));
	if (packing->fails)
		return cudaSuccess;
	return GpuSendShared(device, stream, packing->half, to,
						 sizeof(PackedTimes) * GpuBlocks(packing->events, PACKED_EVENTS),
						 "copying events to the device");
}
