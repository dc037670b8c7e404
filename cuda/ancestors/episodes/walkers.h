/*-------------------------------------------------------------------------
 *
 * walkers.h
 *	  Counting candidates by walking along the stream with each of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_WALKERS_H
#define FIM_WALKERS_H

#include "ancestors/episodes/candidate_groups.h"
#include "episodes/episodes.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t WalkersLeast(uint32_t most_events);

/*
 * The strategy "state_machine": an automaton for each candidate.
 */

/* The sections' form must be STREAM_BY_EVENT. */
extern cudaError_t StateMachineMine(EpisodesJob *job, Sections *sections);

/*
 * The strategy "two_pass": upper bounds first, and then the candidates whose bounds are high enough are
 * counted in one of the two other ways, depending on how many they are.
 */

/* The sections' form must be STREAM_BY_EVENT. */
extern cudaError_t TwoPassMine(EpisodesJob *job, Sections *sections);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_WALKERS_H */
