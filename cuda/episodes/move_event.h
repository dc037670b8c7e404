/*-------------------------------------------------------------------------
 *
 * move_event.h
 *	  Finding a wanted event on a device, and moving it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MOVE_EVENT_H
#define FIM_MOVE_EVENT_H

#include "ascending.h"
#include "episodes/surrogates_device.h"

/* A wanted event of the stream that was given. */
typedef struct WantedEvent
{
	uint32_t	event;
	uint32_t	of_class;
	uint32_t	type;
} WantedEvent;

static __device__ __forceinline__ WantedEvent
WantedEventOf(const Moving &moving, uint32_t wanted)
{
	WantedEvent w;

	w.of_class = LastUpTo(moving.wanted_start, moving.nclasses, wanted);
	w.type = w.of_class % moving.ntypes;
	w.event = moving.place[moving.start[w.type] + moving.skipped[w.of_class] + wanted - moving.wanted_start[w.of_class]];
	return w;
}

/* The time of a wanted event of this type in a surrogate. */
static __device__ __forceinline__ FimTime
MovedTime(const Moving &moving, uint32_t wanted, uint32_t type, uint32_t surrogate)
{
	return FimSurrogateTime(&moving.moves, &moving.span[moving.partition_of[wanted]], moving.hidden[wanted], type, surrogate);
}

#endif							/* FIM_MOVE_EVENT_H */
