/*-------------------------------------------------------------------------
 *
 * walkers.h
 *	  Counting candidates by walking along the stream with each of them.
 *
 * Included by episodes.c, state_machine.c and two_pass.c, and by walkers.c.
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

/* The least memory of a device that it takes beside the stream, if no type has more events than that. */
extern uint64_t WalkersLeast(uint32_t most_events);

/* The supports of those chosen by automata, or upper bounds of them; the stream is there by event. */
extern cudaError_t CountByAutomata(EpisodesJob *job, const EventStream *stream, const Chosen *chosen);
extern cudaError_t FindUpperBounds(EpisodesJob *job, const EventStream *stream, const Chosen *chosen);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_WALKERS_H */
