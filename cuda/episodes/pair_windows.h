/*-------------------------------------------------------------------------
 *
 * pair_windows.h
 *	  The windows in which an event is followed, for kernels that walk along them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAIR_WINDOWS_H
#define FIM_PAIR_WINDOWS_H

#include "episodes/pairs_device.h"

/*
 * How many threads share the windows of a place: in bursts, windows have a hundred times the events of most
 * others.
 */
#define SHARERS		8

/* Under a gap, the event at a place can follow the events from WindowLow() to the one before WindowHigh(). */
static __device__ __forceinline__ uint32_t
WindowLow(const DeviceStream &stream, uint32_t gap, uint32_t place)
{
	return stream.back[(uint64_t) stream.gap[gap].high * stream.events + place];
}

static __device__ __forceinline__ uint32_t
WindowHigh(const DeviceStream &stream, uint32_t gap, uint32_t place)
{
	return stream.back[(uint64_t) stream.gap[gap].low * stream.events + place];
}

/* Whether windows are narrow enough. */
static __device__ __forceinline__ bool
AreWithin(const WindowSizes &sizes, const WindowSizes &most)
{
	return sizes.total <= most.total && sizes.widest <= most.widest;
}

#endif							/* FIM_PAIR_WINDOWS_H */
