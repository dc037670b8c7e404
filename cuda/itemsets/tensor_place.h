/*-------------------------------------------------------------------------
 *
 * tensor_place.h
 *	  Where the classes and tables of members are placed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_PLACE_H
#define FIM_TENSOR_PLACE_H

#include <cuda_runtime_api.h>

#include "itemsets/tensor_level.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What the class or table of a member takes, or those of all members before it. */
typedef struct Placement
{
	ClassPlace	classes;
	uint32_t	tables;
	uint32_t	table_members;
	uint32_t	fixed;
	uint32_t	unused;
} Placement;

/*
 * Replaces each of places[0 .. n-1] by the sum over those before it, on a stream; places[n]
 * becomes the sum over all.  If scratch is NULL, only sets *size to the bytes of scratch memory
 * that this takes.
 */
extern cudaError_t TensorPlace(void *scratch, size_t *size, Placement *places, uint32_t n,
								   cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_PLACE_H */
