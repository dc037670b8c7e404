/*-------------------------------------------------------------------------
 *
 * surrogate_plan.h
 *	  How surrogates are cut into batches and slices, and the memory that this takes.
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

/* How the work is cut, and the bytes of device memory that it takes. */
typedef struct BatchPlan
{
	uint64_t	copies;			/* surrogates in a batch, at most */
	uint32_t	slices;			/* of each surrogate */
	uint64_t	once;			/* bytes that are taken once, whatever the number of surrogates */
	uint64_t	each;			/* bytes for each surrogate of a batch */
	TriePlan	trie;			/* if this fits, slices are counted in shared memory, otherwise level by level */
} BatchPlan;

/*
 * Estimates the bytes of a device's memory: *wanted for batches as large as make sense, *least for batches of
 * a single surrogate.
 */
extern void SurrogatesMemory(const FimEpisodesJob *asked, const FimEpisodesData *data, uint64_t *wanted,
							 uint64_t *least);

/*
 * Plans the batches, and the moments where times can serve as such.  *moments is zeroed before.  For batches
 * of a single surrogate, the plan takes no more than *least bytes, or than every device has room for.  What is
 * allocated on the host is the team's.
 */
extern cudaError_t ChoosePlan(EpisodesJob *job, const TestedLevels *t, MomentPlan *moments, BatchPlan *plan);

/* The bytes of each device that the blocks' spills may take, see SlicedTrie: at least LeastSpillBytes(). */
extern uint64_t RoomForSpill(const EpisodesJob *job, const BatchPlan *plan);

/*
 * The number of surrogates in a batch, at least 1: as many as every device of the team has room for, but no
 * more than it takes to give each device a batch.
 */
extern uint32_t CopiesOf(const EpisodesJob *job, const BatchPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SURROGATE_PLAN_H */
