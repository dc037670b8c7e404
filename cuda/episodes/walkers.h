/*-------------------------------------------------------------------------
 *
 * walkers.h
 *	  Counting candidates by walking along the stream with each of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_WALKERS_H
#define FIM_WALKERS_H

#include "episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t WalkersLeast(uint32_t most_events);

/*
 * Set the supports of the candidates chosen in their batch: by automata, or to upper bounds.  The stream must
 * be there by event.
 */
extern cudaError_t CountByAutomata(EpisodesJob *job, const EventStream *stream, const Chosen *chosen);
extern cudaError_t FindUpperBounds(EpisodesJob *job, const EventStream *stream, const Chosen *chosen);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_WALKERS_H */
