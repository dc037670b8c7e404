/*-------------------------------------------------------------------------
 *
 * prefix_scan.cu
 *	  Numbering the meetings of sets, see prefix_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "fault.h"
#include "sets/prefix_device.h"

cudaError_t
MeetingScanScratch(uint32_t n, size_t *bytes)
{
	uint64_t   *none = nullptr;

	*bytes = 0;
	return cub::DeviceScan::ExclusiveSum(nullptr, *bytes, none, none, (uint64_t) n + 1, 0);
}

cudaError_t
ScanMeetings(GpuDevice *device, void *scratch, size_t bytes, uint64_t *meeting, uint32_t n)
{
	return GpuCheck(device, cub::DeviceScan::ExclusiveSum(scratch, bytes, meeting, meeting, (uint64_t) n + 1,
														  device->streams[GPU_COUNT]), "numbering meetings");
}
