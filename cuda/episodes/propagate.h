/*-------------------------------------------------------------------------
 *
 * propagate.h
 *	  The strategy "propagate": latest-start propagation, level by level.
 *
 * Included by episodes.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_PROPAGATE_H
#define FIM_GPU_PROPAGATE_H

#include "episodes/sections.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The least memory of a device that it takes beside the stream, if no type has more events than that. */
extern uint64_t PropagateLeast(uint32_t most_events);

extern cudaError_t PropagateMine(EpisodesJob *job, Sections *sections);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_PROPAGATE_H */
