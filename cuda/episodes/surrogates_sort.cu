/*-------------------------------------------------------------------------
 *
 * surrogates_sort.cu
 *	  Putting moved events into order, see surrogates_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>

#include "episodes/surrogates_device.h"

template <typename Key>
static cudaError_t
Sort(void *scratch, size_t *bytes, Key *const *key, int key_bits, uint32_t *const *event, uint32_t n,
	 cudaStream_t stream, uint32_t **sorted)
{
	cub::DoubleBuffer<Key> keys(key[0], key[1]);
	cub::DoubleBuffer<uint32_t> events(event[0], event[1]);

	GPU_TRY(cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, events, n, 0, key_bits, stream));
	*sorted = events.Current();
	return cudaSuccess;
}

cudaError_t
OrderScratch(const Moved *moved, uint32_t events, size_t *bytes)
{
	uint32_t   *sorted;
	size_t		by_time = 0;
	size_t		by_partition = 0;

	GPU_TRY(Sort(nullptr, &by_time, moved->key, moved->key_bits, moved->event, events, 0, &sorted));
	GPU_TRY(Sort(nullptr, &by_partition, moved->partition, moved->partition_bits, moved->event, events, 0, &sorted));
	*bytes = by_time > by_partition ? by_time : by_partition;
	return cudaSuccess;
}

cudaError_t
OrderEvents(GpuDevice *device, const Moved *moved, uint32_t events, const uint32_t **event)
{
	const char *what = "putting moved events into order";
	cudaStream_t stream = device->streams[GPU_COUNT];
	size_t		bytes = moved->scratch_bytes;
	uint32_t   *both[2];
	uint32_t   *sorted;

	GPU_TRY(GpuCheck(device, Sort(moved->scratch, &bytes, moved->key, moved->key_bits, moved->event, events, stream,
								  &sorted), what));
	*event = sorted;
	if (moved->partition[0] == nullptr)
		return cudaSuccess;
	GPU_TRY(Gather(device, moved->partition_of, sorted, events, moved->partition[0]));
	both[0] = sorted;
	both[1] = sorted == moved->event[0] ? moved->event[1] : moved->event[0];
	bytes = moved->scratch_bytes;
	GPU_TRY(GpuCheck(device, Sort(moved->scratch, &bytes, moved->partition, moved->partition_bits, both, events,
								  stream, &sorted), what));
	*event = sorted;
	return cudaSuccess;
}
