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

/*
 * Of what there is at the numbers below n, that which is wanted goes to "to", and how much this is to
 * *nto.  Both may be pinned memory of the host; all else is on the device.  Without scratch memory only its size is told, as cub does.
 */
template <typename Selected, typename At, typename IsWanted>
static cudaError_t
SelectNumbers(void *scratch, size_t *bytes, At selected_at, uint32_t n, IsWanted is_wanted, Selected *to,
			  uint32_t *nto, cudaStream_t stream)
{
	return cub::DeviceSelect::If(scratch, *bytes,
								 thrust::make_transform_iterator(thrust::make_counting_iterator(0u), selected_at),
								 to, nto, n, is_wanted, stream);
}

#endif							/* FIM_GPU_SELECT_H */
