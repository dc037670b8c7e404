/*-------------------------------------------------------------------------
 *
 * moments_kernels.cu
 *	  Surrogates whose times serve as moments, see moments.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ascending.h"
#include "episodes/moments.h"
#include "episodes/random_moves.h"

#define THREADS		256

/* A thread for each wanted event. */
static __global__ void __launch_bounds__(THREADS)
FillKernel(Moving moving, const uint32_t *origin, Moments moments)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	of_class;
	uint32_t	type;
	uint32_t	rank;

	if (i >= moving.wanted)
		return;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, i);
	type = of_class % moving.ntypes;
	rank = moving.skipped[of_class] + i - moving.wanted_start[of_class];
	moments.type[i] = type;
	moments.rank[i] = rank;
	moments.origin[i] = origin[moving.place[moving.start[type] + rank]];
}

/* Find which events each can change places with: those of its class less than twice the dither away. */
static __global__ void __launch_bounds__(THREADS)
WindowKernel(Moving moving, Moments moments)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	twice = 2 * (uint32_t) moving.dither.integer;
	uint32_t	of_class;
	uint32_t	origin;

	if (i >= moving.wanted)
		return;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, i);
	origin = moments.origin[i];
	moments.first[i] = FirstNotBelow(moments.origin, moving.wanted_start[of_class], i, origin > twice ? origin - twice : 0);
	moments.end[i] = FirstNotBelow(moments.origin, i, moving.wanted_start[of_class + 1], origin + twice);
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
		(uint32_t) WholeMove(moving, moments.rank[wanted], moments.type[wanted], first + copy);
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
	WindowKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *moments);
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
