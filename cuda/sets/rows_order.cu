/*-------------------------------------------------------------------------
 *
 * rows_order.cu
 *	  Rows in the order of their kinds, see rows_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "ascending.h"
#include "sets/rows_device.h"

#define THREADS		256
#define KIND_BITS	4

/* The cost of the row at place i. */
struct CostOfPlace
{
	const uint64_t *cost;
	const uint32_t *row;

	__device__ __forceinline__ uint64_t
	operator()(uint32_t i) const
	{
		return cost[row[i]];
	}
};

static __global__ void
FindKindsKernel(const uint8_t *kind, uint32_t n, uint32_t *first)
{
	if (threadIdx.x <= ROW_KINDS)
		first[threadIdx.x] = FirstNotBelow(kind, 0u, n, (uint8_t) threadIdx.x);
}

static __global__ void __launch_bounds__(THREADS)
CutRowsKernel(const uint64_t *sum, uint32_t n, uint32_t *cut, uint32_t ncuts)
{
	uint32_t	u = blockIdx.x * THREADS + threadIdx.x;

	if (u < ncuts)
		cut[u] = FirstNotBelow(sum, 0u, n, u * UNIT_COST);
}

/* ---- the host's side ---- */

static cudaError_t
Sort(const RowOrder *order, void *scratch, size_t *bytes, uint32_t n, cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortPairs(scratch, *bytes, (const uint8_t *) order->kind[0], order->kind[1],
										   (const uint32_t *) order->row[0], order->row[1], n, 0, KIND_BITS, stream);
}

static cudaError_t
Scan(const RowOrder *order, void *scratch, size_t *bytes, uint32_t n, cudaStream_t stream)
{
	auto		costs = thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
														CostOfPlace{order->cost, order->row[1]});

	return cub::DeviceScan::InclusiveSum(scratch, *bytes, costs, order->sum, n, stream);
}

cudaError_t
RowOrderScratch(uint32_t n, size_t *bytes)
{
	RowOrder	order = {};
	size_t		of_scan = 0;

	*bytes = 0;
	GPU_TRY(Sort(&order, nullptr, bytes, n, 0));
	GPU_TRY(Scan(&order, nullptr, &of_scan, n, 0));
	*bytes = GpuGreater(*bytes, of_scan);
	return cudaSuccess;
}

cudaError_t
OrderRows(GpuDevice *device, const RowOrder *order, uint32_t n)
{
	size_t		bytes = order->scratch_bytes;
	cudaStream_t stream = device->streams[GPU_COUNT];

	GPU_TRY(GpuCheck(device, Sort(order, order->scratch, &bytes, n, stream), "sorting rows by kind"));
	bytes = order->scratch_bytes;
	GPU_TRY(GpuCheck(device, Scan(order, order->scratch, &bytes, n, stream), "adding up paths"));
	FindKindsKernel<<<1, 32, 0, stream>>>(order->kind[1], n, order->first);
	return GpuLaunched(device, "finding kinds of rows");
}

cudaError_t
CutRows(GpuDevice *device, const RowOrder *order, uint32_t n, uint32_t *cut, uint32_t ncuts)
{
	CutRowsKernel<<<GpuBlocks(ncuts, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(order->sum, n, cut, ncuts);
	return GpuLaunched(device, "cutting rows");
}
