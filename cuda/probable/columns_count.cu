/*-------------------------------------------------------------------------
 *
 * columns_count.cu
 *	  Counting items, see columns.h.
 *
 * A block of threads counts in shared memory, if all items have room there.  Otherwise
 * the blocks would wait for one another's atomic additions to the counts of items that
 * are in most transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/columns.h"

#define THREADS			512
#define EACH			32			/* items that a thread counts, about */
#define SHARED_ITEMS	8192		/* items that have room in shared memory */

static __global__ void __launch_bounds__(THREADS)
SharedCountKernel(const uint32_t *items, uint32_t n, uint32_t *counts, uint32_t nitems)
{
	__shared__ uint32_t of_block[SHARED_ITEMS];

	for (uint32_t i = threadIdx.x; i < nitems; i += THREADS)
		of_block[i] = 0;
	__syncthreads();
	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
		atomicAdd(&of_block[items[i]], 1);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < nitems; i += THREADS)
		if (of_block[i] > 0)
			atomicAdd(&counts[i], of_block[i]);
}

static __global__ void __launch_bounds__(THREADS)
CountKernel(const uint32_t *items, uint32_t n, uint32_t *counts)
{
	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
		atomicAdd(&counts[items[i]], 1);
}

static __global__ void __launch_bounds__(THREADS)
WidenKernel(const uint16_t *narrow, uint32_t n, uint32_t *items)
{
	for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
		items[i] = narrow[i];
}

cudaError_t
LaunchWidenItems(GpuDevice *device, const uint16_t *narrow, uint32_t n, uint32_t *items)
{
	WidenKernel<<<GpuBlocks(n, THREADS * EACH), THREADS, 0, device->streams[GPU_COUNT]>>>(narrow, n, items);
	return GpuLaunched(device, "counting items");
}

cudaError_t
LaunchCountItems(GpuDevice *device, const uint32_t *items, uint32_t n, uint32_t *counts, uint32_t nitems)
{
	uint32_t	blocks = GpuBlocks(n, THREADS * EACH);
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (nitems <= SHARED_ITEMS)
		SharedCountKernel<<<blocks, THREADS, 0, stream>>>(items, n, counts, nitems);
	else
		CountKernel<<<blocks, THREADS, 0, stream>>>(items, n, counts);
	return GpuLaunched(device, "counting items");
}
