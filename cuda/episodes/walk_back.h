/*-------------------------------------------------------------------------
 *
 * walk_back.h
 *	  From the ends of occurrences back to their first events, on a device.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_WALK_BACK_H
#define FIM_GPU_WALK_BACK_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Finding the events of occurrences of an episode.  All arrays are on the device. */
typedef struct WalkBack
{
	DeviceStream stream;
	const uint32_t *types;		/* [length] */
	const uint32_t *gaps;		/* [length - 1] */
	uint32_t	length;
	const DeviceList *lists;	/* [length - 1] of the prefixes, by their lengths from 1 on */
	const uint32_t *end;		/* the moments at which the occurrences end */
} WalkBack;

/* Writes the moments of n occurrences, from number "first" on, to moments[n][length], which is on the device. */
extern cudaError_t FindEvents(GpuDevice *device, const WalkBack *walk, uint32_t first, uint32_t n,
							  uint32_t *moments);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_WALK_BACK_H */
