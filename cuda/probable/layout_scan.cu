/*-------------------------------------------------------------------------
 *
 * layout_scan.cu
 *	  Where the probabilities of a block's lines begin, see layout.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "fault.h"
#include "probable/layout.h"

/*
 * Writes to "to" the exclusive prefix sums of the counts, beginning with the number that is at "to"
 * already.
 */
static cudaError_t
Scan(void *scratch, size_t *bytes, const uint32_t *counts, uint64_t *to, uint64_t ncounts, cudaStream_t stream)
{
	return cub::DeviceScan::ExclusiveScan(scratch, *bytes, counts, to, ::cuda::std::plus<uint64_t>(),
										  cub::FutureValue<uint64_t>(to), (int64_t) ncounts, stream);
}

cudaError_t
PlacingScratch(uint64_t nlines, size_t *bytes)
{
	return Scan(nullptr, bytes, nullptr, nullptr, nlines + 1, 0);
}

cudaError_t
PlaceValues(GpuDevice *device, const UncertainBlock *block, const Layout *layout, uint32_t first_slab,
			uint32_t nslabs)
{
	uint64_t	first = (uint64_t) first_slab * block->ncolumns;
	uint64_t	nlines = (uint64_t) nslabs * block->ncolumns;
	size_t		bytes = layout->scratch_bytes;

	GPU_TRY(CountBits(device, block, layout, first, nlines));
	return GpuCheck(device, Scan(layout->scratch, &bytes, layout->counts, block->value_at + first, nlines + 1,
								 device->streams[GPU_COUNT]), "placing probabilities");
}
