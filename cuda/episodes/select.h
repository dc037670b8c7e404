/*-------------------------------------------------------------------------
 *
 * select.h
 *	  Selecting some elements of an array that is computed, in their order.
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
 * Writes selected_at(i), for each i below n, to "to" if is_wanted() accepts it, and sets *nto to how many
 * these are.  "to" and *nto may be in pinned memory of the host; all else is on the device.  If scratch is
 * NULL, this only sets *bytes to the size of the scratch memory, as CUB does.
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
