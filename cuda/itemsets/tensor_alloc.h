/*-------------------------------------------------------------------------
 *
 * tensor_alloc.h
 *	  Memory for the classes of a level.
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

/* Allocates a level that ends at "end" on the device, and what the host needs of it on the host. */
extern void TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent,
							 const ClassPlace *end);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_ALLOC_H */
