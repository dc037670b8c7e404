/*-------------------------------------------------------------------------
 *
 * tensor_alloc.h
 *	  Memory for the classes of a level.
 *
 * Included by tensor_judge.cu and tensor_root.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_ALLOC_H
#define FIM_TENSOR_ALLOC_H

#include "itemsets/tensor_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Allocates a level of a size, on the device and as far as needed on the host. */
extern void TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent,
							 const ClassPlace *end);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_ALLOC_H */
