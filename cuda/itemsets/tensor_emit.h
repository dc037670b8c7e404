/*-------------------------------------------------------------------------
 *
 * tensor_emit.h
 *	  Giving out the itemsets of strategy "tensor", or counting them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_EMIT_H
#define FIM_TENSOR_EMIT_H

#include "itemsets/tensor_judge.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Decides whether the host or the device counts itemsets, and takes memory for the device's counts. */
extern void TensorPrepareCounts(Tensor *t);

/* Gives out the itemsets of a step's members, unless the device counts them. */
extern void TensorEmitStep(Tensor *t, const ClassStep *step, StepJudgement *judgement);

/* Mines tables.  "lines" has the rows of their parents. */
extern void TensorMineTables(Tensor *t, const ClassLevel *tables, const char *lines);

/* Adds what the device has counted to the miner's counts. */
extern void TensorCollectCounts(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_EMIT_H */
