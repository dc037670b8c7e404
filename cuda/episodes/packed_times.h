/*-------------------------------------------------------------------------
 *
 * packed_times.h
 *	  Times of events by half of their bytes, on their way to the devices.
 *
 * Events that follow each other are not far apart in time more often than not.  So a block
 * has the time of its first event, and how much later the others are.
 *
 * Included by stream.c and packed_times.c, and by stream_device.h for the kernels that read them.
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

/* A multiple of 16 bytes. */
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
	const FimTime *times;
	uint32_t	events;
	bool		fails;			/* atomic: there is a difference that does not fit */
} Packing;

/* Whether there is room for so many events. */
extern bool CanBePacked(uint32_t events);

/*
 * Helpers begin to pack times, which are integers, while the caller goes on.  SendPacked() has to follow, whatever fails in
 * between, before they get any other work: it packs what is left, and, unless that fails, sends all to an array on each of
 * the team's devices, to[ndevices].
 */
extern cudaError_t BeginPacking(GpuTeam *team, const FimTime *times, uint32_t events, Packing *packing);
extern cudaError_t SendPacked(GpuTeam *team, int stream, void *const *to, Packing *packing);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PACKED_TIMES_H */
