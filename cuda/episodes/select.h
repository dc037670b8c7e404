/*-------------------------------------------------------------------------
 *
 * select.h
 *	  Bringing together what an array says of some numbers, in their order.
 *
 * Included by device code of cuda/episodes that selects with cub.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SELECT_H
#define FIM_GPU_SELECT_H

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "device.h"

/* A number with what the array has at it. */
template <typename Selected, typename Value>
struct SelectedAt
{
	const Value *values;

	__device__ __forceinline__ Selected
	operator()(uint32_t number) const
	{
		return {number, values[number]};
	}
};

/*
 * Of the numbers below n those that are wanted go to "to", with their values, and how many these are to
 * *nto; all arrays are on the device.  Without scratch memory only its size is told, as cub does.
 */
template <typename Selected, typename Value, typename IsWanted>
static cudaError_t
SelectNumbers(void *scratch, size_t *bytes, const Value *values, uint32_t n, IsWanted is_wanted, Selected *to,
			  uint32_t *nto, cudaStream_t stream)
{
	SelectedAt<Selected, Value> selected_at = {values};

	return cub::DeviceSelect::If(scratch, *bytes,
								 thrust::make_transform_iterator(thrust::make_counting_iterator(0u), selected_at),
								 to, nto, n, is_wanted, stream);
}

#endif							/* FIM_GPU_SELECT_H */
