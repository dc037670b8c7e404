/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  Strategy "tensor", see tensor.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_H
#define FIM_TENSOR_H

#include "itemsets/tensor_device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Mines the device's share of the job.  May be called by another thread than TensorBegin() was. */
extern void TensorMine(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_H */
