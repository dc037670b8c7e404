/*-------------------------------------------------------------------------
 *
 * surrogate_plan.h
 *	  How surrogates are cut into batches and slices, and the memory that it takes.
 *
 * Included by surrogates.c, surrogate_plan.c and episodes.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SURROGATE_PLAN_H
#define FIM_GPU_SURROGATE_PLAN_H

#include "episodes/sliced_trie.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* How the work is cut, and the bytes that it takes. */
typedef struct BatchPlan
{
	uint64_t	copies;			/* surrogates in a batch, at most */
	uint32_t	slices;			/* of each surrogate */
	uint64_t	once;			/* bytes for the job */
	uint64_t	each;			/* bytes for each surrogate of a batch */
	TriePlan	trie;			/* counts in shared memory, if it fits */
} BatchPlan;

/* The memory of a device that is wanted, for many surrogates at a time, and that it takes at least. */
extern void SurrogatesMemory(const FimEpisodesJob *asked, const FimEpisodesData *data, uint64_t *wanted,
							 uint64_t *least);

/* With times as moments where they fit.  Host memory is the team's. */
extern cudaError_t ChoosePlan(EpisodesJob *job, const TestedLevels *t, MomentPlan *moments, BatchPlan *plan);

/* The bytes that a trie's lists may take where they do not fit in shared memory. */
extern uint64_t RoomForSpill(const EpisodesJob *job, const BatchPlan *plan);

/* As many surrogates in a batch as all devices have room for, and have work with. */
extern uint32_t CopiesOf(const EpisodesJob *job, const BatchPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SURROGATE_PLAN_H */
