/*-------------------------------------------------------------------------
 *
 * propagate.h
 *	  The strategy "propagate": latest-start propagation, level by level.
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

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t PropagateLeast(uint32_t most_events);

extern cudaError_t PropagateMine(EpisodesJob *job, Sections *sections);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_PROPAGATE_H */
