/*-------------------------------------------------------------------------
 *
 * lists_kernels.cu
 *	  Extending lists, see lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/by_entries.h"

#define THREADS		EXTENDING_THREADS
#define WARPS		(THREADS / 32)

/* A warp for each extension. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
ExtendKernel(Extending extending, uint32_t first, uint32_t end, uint32_t begin, uint32_t n)
{
	uint32_t	number = first + blockIdx.x * WARPS + threadIdx.x / 32;
	DeviceList	made = DeviceList();
	DeviceList	list;
	Extension	extension;
	Events		events;
	Pause		pause;

	if (number >= end)
		return;
	extension = extending.extensions[number];
	events = EventsUnder(extending.stream, extension);
	if (begin > 0 && begin >= events.n)
		return;
	pause = PauseAt(extending, extension.to, begin);
	if (pause.at == GPU_NONE)
		return;
	if (mode != COUNT_EXTENSIONS)
		made = extending.made[extension.to];
	list = extending.lists[extension.list];
	if (mode == COUNT_EXTENSIONS && IsDoneByEntries(list, events, extending.counts_entries))
		CountByEntries(extending, list, AllEventsUnder(extending.stream, extension), begin, n, &pause);
	else if (mode == COUNT_AND_WRITE_EXTENSIONS && IsDoneByEntries(list, events, false))
		WriteByEntries(list, AllEventsUnder(extending.stream, extension), made, begin, n, &pause);
	else
		Extend<mode>(extending.least, list, events, made, begin, n, &pause);
	StorePause<mode>(extending, extension.to, pause);
}

cudaError_t
LaunchExtensions(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end, uint32_t begin,
				 uint32_t events)
{
	uint32_t	blocks = GpuBlocks(end - first, WARPS);
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (extending->mode == COUNT_EXTENSIONS)
		ExtendKernel<COUNT_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	else if (extending->mode == WRITE_EXTENSIONS)
		ExtendKernel<WRITE_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	else if (extending->mode == COUNT_AND_WRITE_EXTENSIONS)
		ExtendKernel<COUNT_AND_WRITE_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	else
		ExtendKernel<TAKE_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	return GpuLaunched(device, "extending lists");
}
