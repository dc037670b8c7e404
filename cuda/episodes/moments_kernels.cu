/*-------------------------------------------------------------------------
 *
 * moments_kernels.cu
 *	  Surrogates whose times serve as moments, see moments.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/moments.h"
#include "episodes/move_event.h"

#define THREADS		256

/*
 * A thread for each wanted event.  Its range, as moments, goes into first[] and moved[] until the events in it
 * are known.
 */
static __global__ void __launch_bounds__(THREADS)
FillKernel(Moving moving, const uint32_t *origin, Moments moments)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	WantedEvent wanted;
	FimRange	range;
	int64_t		time;
	uint32_t	moment;

	if (i >= moving.wanted)
		return;
	wanted = WantedEventOf(moving, i);
	time = moving.time[wanted.event].integer;
	range = FimRangeOf(&moving.moves, &moving.span[moving.partition_of[i]], moving.time[wanted.event]);
	moment = origin[wanted.event];
	moments.type[i] = wanted.type;
	moments.origin[i] = moment + (uint32_t) (moving.hidden[i].integer - time);
	moments.first[i] = moment - (uint32_t) (time - range.least);
	moments.moved[i] = moment + (uint32_t) (range.most - time);
}

/* Find the events after each that it can change places with: those of its class whose ranges meet its own. */
static __global__ void __launch_bounds__(THREADS)
EndKernel(Moving moving, Moments moments)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	of_class;

	if (i >= moving.wanted)
		return;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, i);
	moments.end[i] = FirstNotBelow(moments.first, i, moving.wanted_start[of_class + 1], moments.moved[i] + 1);
}

/* And those before it.  The ranges of the others are looked for by their ends. */
static __global__ void __launch_bounds__(THREADS)
FirstKernel(Moving moving, Moments moments)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	of_class;

	if (i >= moving.wanted)
		return;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, i);
	moments.first[i] = FirstNotBelow(moments.moved, moving.wanted_start[of_class], i, moments.first[i]);
}

/* A thread for each event of each surrogate: its moment after the move. */
static __global__ void __launch_bounds__(THREADS)
MoveKernel(Moving moving, Moments moments, uint32_t first, uint32_t events)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	copy;
	uint32_t	wanted;

	if (i >= events)
		return;
	copy = i / moving.wanted;
	wanted = i - copy * moving.wanted;
	moments.moved[i] = moments.origin[wanted] +
		(uint32_t) (MovedTime(moving, wanted, moments.type[wanted], first + copy).integer - moving.hidden[wanted].integer);
}

/*
 * A thread for each event of each surrogate: its moment goes to its place among those of its class.  Of
 * events with equal moments, the one that came first before the move stays first.
 */
static __global__ void __launch_bounds__(THREADS)
OrderKernel(Moving moving, Moments moments, uint32_t events, uint32_t *moment)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	wanted;
	uint32_t	base;
	uint32_t	own;
	uint32_t	place;
	uint32_t	end;

	if (i >= events)
		return;
	wanted = i % moving.wanted;
	base = i - wanted;
	own = moments.moved[i];
	place = base + moments.first[wanted];
	end = base + moments.end[wanted];
	for (uint32_t other = place; other < i; other++)
		place += moments.moved[other] <= own;
	for (uint32_t other = i + 1; other < end; other++)
		place += moments.moved[other] < own;
	moment[place] = own;
}

cudaError_t
FillMoments(GpuDevice *device, const Moving *moving, const uint32_t *origin, const Moments *moments)
{
	uint32_t	blocks = GpuBlocks(moving->wanted, THREADS);

	FillKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, origin, *moments);
	EndKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *moments);
	FirstKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *moments);
	return GpuLaunched(device, "finding the moments of events");
}

cudaError_t
MoveMoments(GpuDevice *device, const Moving *moving, const Moments *moments, uint32_t first, uint32_t end,
			uint32_t *moment)
{
	uint32_t	events = (end - first) * moving->wanted;
	uint32_t	blocks = GpuBlocks(events, THREADS);

	MoveKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *moments, first, events);
	OrderKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *moments, events, moment);
	return GpuLaunched(device, "moving events");
}
