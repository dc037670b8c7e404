/*-------------------------------------------------------------------------
 *
 * long_lists_select.cu
 *	  Bringing the entries of a list together, see long_lists_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "episodes/long_lists_device.h"

/* Whether an event has a start. */
struct HasStart
{
	__device__ __forceinline__ bool
	operator()(uint32_t start) const
	{
		return start != GPU_NONE;
	}
};

static cudaError_t
SelectMoments(void *scratch, size_t *bytes, const uint32_t *moment, const uint32_t *start, uint32_t *to,
			  uint32_t *nto, uint32_t n, cudaStream_t stream)
{
	return cub::DeviceSelect::Flagged(scratch, *bytes, moment, thrust::make_transform_iterator(start, HasStart()),
									  to, nto, n, stream);
}

static cudaError_t
SelectStarts(void *scratch, size_t *bytes, const uint32_t *start, uint32_t *to, uint32_t *nto, uint32_t n,
			 cudaStream_t stream)
{
	return cub::DeviceSelect::If(scratch, *bytes, start, to, nto, n, HasStart(), stream);
}

cudaError_t
SelectScratch(uint32_t n, size_t *bytes)
{
	size_t		moments;
	size_t		starts;

	GPU_TRY(SelectMoments(nullptr, &moments, nullptr, nullptr, nullptr, nullptr, n, 0));
	GPU_TRY(SelectStarts(nullptr, &starts, nullptr, nullptr, nullptr, n, 0));
	*bytes = moments > starts ? moments : starts;
	return cudaSuccess;
}

cudaError_t
SelectEntries(GpuDevice *device, void *scratch, size_t bytes, const uint32_t *moment, const uint32_t *start,
			  uint32_t n, const DeviceList *made, uint32_t *nmade)
{
	cudaStream_t stream = device->streams[GPU_COUNT];
	size_t		same = bytes;

	GPU_TRY(GpuCheck(device, SelectMoments(scratch, &bytes, moment, start, made->end, nmade, n, stream),
					 "extending a long list"));
	return GpuCheck(device, SelectStarts(scratch, &same, start, made->start, nmade, n, stream),
					"extending a long list");
}
