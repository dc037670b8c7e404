/*-------------------------------------------------------------------------
 *
 * state_machine.h
 *	  The strategy "state_machine": an automaton for each candidate.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_STATE_MACHINE_H
#define FIM_GPU_STATE_MACHINE_H

#include "episodes/sections.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The sections' form must be STREAM_BY_EVENT. */
extern cudaError_t StateMachineMine(EpisodesJob *job, Sections *sections);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_STATE_MACHINE_H */
