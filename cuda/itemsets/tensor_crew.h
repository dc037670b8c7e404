/*-------------------------------------------------------------------------
 *
 * tensor_crew.h
 *	  Strategy "tensor" as one of the GPU engine's strategies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_CREW_H
#define FIM_TENSOR_CREW_H

#include "itemsets/itemset_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Mines the job on its team and gives out what it finds.  If something stops it, it leaves by
 * JobLeave().  Returns false if the job does not fit, before anything was given out.
 */
extern bool TensorMineJob(ItemsetJob *job);

/* To be called at the end of every job: gives back what strategy "tensor" holds, if it mined the job. */
extern void TensorRelease(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_CREW_H */
