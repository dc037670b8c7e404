/*-------------------------------------------------------------------------
 *
 * packed_times.h
 *	  Times of events in half of their bytes, on their way to the devices.
 *
 * Events that follow each other are usually not far apart in time.  So a block of them has the time
 * of its first event in 64 bits, and how much later each event is in 32 bits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PACKED_TIMES_H
#define FIM_PACKED_TIMES_H

#include "episodes/episodes_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define PACKED_EVENTS	1024

/* A block of PACKED_EVENTS events.  Its size is a multiple of 16 bytes. */
typedef struct PackedTimes
{
	int64_t		first;
	int64_t		unused;
	int32_t		later[PACKED_EVENTS];	/* less than 0 where a partition begins before the first event's time */
} PackedTimes;

/* Times that the host's threads pack into a half of the buffer that devices share. */
typedef struct Packing
{
	int			half;
	PackedTimes *to;
	const FimTime *times;		/* [events] */
	uint32_t	events;
	bool		fails;			/* atomic: some difference does not fit in 32 bits */
} Packing;

/* Whether the half has room for so many events. */
extern bool CanBePacked(uint32_t events);

/*
 * BeginPacking() has the host's threads begin to pack times, which are integers, while the caller goes on.
 * Whatever fails in between, SendPacked() has to follow before the threads get other work.  It packs what is
 * left, and sends all to an array on a device.  If packing->fails then, nothing has been sent.
 */
extern cudaError_t BeginPacking(GpuTeam *team, const FimTime *times, uint32_t events, Packing *packing);
extern cudaError_t SendPacked(GpuTeam *team, GpuDevice *device, int stream, void *to, Packing *packing);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PACKED_TIMES_H */
