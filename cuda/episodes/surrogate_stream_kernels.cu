/*-------------------------------------------------------------------------
 *
 * surrogate_stream_kernels.cu
 *	  Making surrogates: moving events at random, copying what surrogates have in common, and putting
 *	  events in order; or moving instants, where times serve as such.  See surrogates.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>

#include "episodes/surrogates.h"
#include "lanes.h"

/* ---- moving events ---- */

/* A wanted event of the stream that was given. */
typedef struct WantedEvent
{
	uint32_t	event;
	uint32_t	of_class;
	uint32_t	type;
} WantedEvent;

static __device__ __forceinline__ WantedEvent
WantedEventOf(const Moving &moving, uint32_t wanted)
{
	WantedEvent w;

	w.of_class = LastUpTo(moving.wanted_start, moving.nclasses, wanted);
	w.type = w.of_class % moving.ntypes;
	w.event = moving.place[moving.start[w.type] + moving.skipped[w.of_class] + wanted - moving.wanted_start[w.of_class]];
	return w;
}

/* The time of a wanted event of this type in a surrogate. */
static __device__ __forceinline__ FimTime
MovedTime(const Moving &moving, uint32_t wanted, uint32_t type, uint32_t surrogate)
{
	return FimSurrogateTime(&moving.moves, &moving.span[moving.partition_of[wanted]], moving.hidden[wanted], type, surrogate);
}

#define THREADS			256
#define SIGN_BIT		(UINT64_C(1) << 63)

/* Keys are unsigned numbers in the order of times.  KeyOf() makes one of a time, TimeOf() the time of a key. */
static __device__ uint64_t
KeyOf(bool real, FimTime time)
{
	uint64_t	bits = (uint64_t) time.integer;

	return real && (bits & SIGN_BIT) != 0 ? ~bits : bits ^ SIGN_BIT;
}

static __device__ FimTime
TimeOf(bool real, uint64_t key)
{
	FimTime		time;

	time.integer = (int64_t) (real && (key & SIGN_BIT) == 0 ? ~key : key ^ SIGN_BIT);
	return time;
}

/* A thread for each wanted event. */
static __global__ void __launch_bounds__(THREADS)
HideKernel(Moving moving)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	WantedEvent wanted;

	if (i >= moving.wanted)
		return;
	wanted = WantedEventOf(moving, i);
	moving.partition_of[i] = moving.partition[wanted.event];
	moving.hidden[i] = FimHiddenTime(&moving.moves, &moving.span[moving.partition_of[i]], moving.time[wanted.event], wanted.type);
}

/* A thread for each event of each surrogate. */
static __global__ void __launch_bounds__(THREADS)
MoveKernel(Moving moving, uint32_t first, uint32_t events, Moved moved)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	copy;
	uint32_t	wanted;
	uint32_t	of_class;
	FimTime		time;

	if (i >= events)
		return;
	copy = i / moving.wanted;
	wanted = i - copy * moving.wanted;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, wanted);
	time = MovedTime(moving, wanted, of_class % moving.ntypes, first + copy);
	moved.key_of[i] = KeyOf(moving.moves.real, time) - moving.least;
	moved.type_of[i] = copy * moving.nclasses + of_class;
	if (moved.partition_of != nullptr)
		moved.partition_of[i] = copy * moving.partitions + moving.partition_of[wanted];
	moved.key[0][i] = moved.key_of[i];
	moved.event[0][i] = i;
}

static __global__ void __launch_bounds__(THREADS)
FillKernel(const uint32_t *first, uint32_t partitions, uint32_t events, uint32_t *partition_of)
{
	uint32_t	event = blockIdx.x * THREADS + threadIdx.x;

	if (event < events)
		partition_of[event] = LastUpTo(first, partitions, event);
}

static __global__ void __launch_bounds__(THREADS)
GatherKernel(const uint32_t *from, const uint32_t *number, uint32_t n, uint32_t *to)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i < n)
		to[i] = from[number[i]];
}

static __global__ void __launch_bounds__(THREADS)
GatherTimesKernel(bool real, uint64_t least, const uint64_t *key_of, const uint32_t *event, uint32_t n, FimTime *time)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i < n)
		time[i] = TimeOf(real, key_of[event[i]] + least);
}

/* A block for each extension, which is a single type. */
static __global__ void __launch_bounds__(THREADS)
CountTypesKernel(DeviceStream stream, const Extension *types, Counted *counted)
{
	Extension	what = types[blockIdx.x];
	uint32_t	first = stream.start[what.type];
	uint32_t	end = stream.start[what.type + 1];
	uint32_t	n = 0;

	if (threadIdx.x == 0)
		counted[what.to].support = 0;
	__syncthreads();
	for (uint32_t place = first + threadIdx.x; place < end; place += THREADS)
		n += place == first || stream.back[place] != stream.back[place - 1];
	atomicAdd(&counted[what.to].support, n);
}

/* A thread for each node. */
static __global__ void __launch_bounds__(THREADS)
AddCountsKernel(const Counted *counted, uint32_t surrogates, uint32_t slices, const uint32_t *support,
				uint32_t nodes, FimSurrogateCounts *counts)
{
	uint32_t	node = blockIdx.x * THREADS + threadIdx.x;
	FimSurrogateCounts sum;

	if (node >= nodes || support[node] == 0)
		return;
	sum = counts[node];
	for (uint32_t copy = 0; copy < surrogates; copy++)
	{
		uint32_t	here = 0;

		for (uint32_t slice = 0; slice < slices; slice++)
			here += counted[((uint64_t) copy * slices + slice) * nodes + node].support;
		sum.sum += here;
		sum.reached += here >= support[node];
	}
	counts[node] = sum;
}

/* ---- copies ---- */

static __global__ void __launch_bounds__(THREADS)
RepeatStartsKernel(const uint32_t *from, uint32_t n, uint32_t all, uint32_t *to)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i <= all)
		to[i] = i / n * from[n] + from[i % n];
}

static __global__ void __launch_bounds__(THREADS)
RepeatExtensionsKernel(const Extension *from, uint32_t all, uint32_t parts, uint32_t ntypes, uint32_t nodes,
					   Extension *to)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	part = i % parts;
	Extension	extension;

	if (i >= all)
		return;
	extension = from[i / parts];
	extension.list += part * nodes;
	extension.type += part * ntypes;
	extension.to += part * nodes;
	to[i] = extension;
}

static __global__ void __launch_bounds__(THREADS)
RepeatListsKernel(const DeviceList *from, uint32_t n, uint32_t all, uint64_t events, uint64_t room, DeviceList *to)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	DeviceList	list;
	uint64_t	after;

	if (i >= all)
		return;
	list = from[i % n];
	after = i / n * (list.end == list.start ? events : room);
	list.end += after;
	list.start += after;
	to[i] = list;
}

/* ---- the host's side ---- */

cudaError_t
FillPartitions(GpuDevice *device, const uint32_t *first, uint32_t partitions, uint32_t events, uint32_t *partition_of)
{
	FillKernel<<<GpuBlocks(events, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(first, partitions, events, partition_of);
	return GpuLaunched(device, "finding the partitions of events");
}

cudaError_t
RepeatStarts(GpuDevice *device, const uint32_t *from, uint32_t n, uint32_t copies, uint32_t *to)
{
	RepeatStartsKernel<<<GpuBlocks((uint64_t) n * copies + 1, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(from, n, n * copies, to);
	return GpuLaunched(device, "making room for surrogates");
}

cudaError_t
RepeatExtensions(GpuDevice *device, const Extension *from, uint32_t n, uint32_t parts, uint32_t ntypes,
				 uint32_t nodes, Extension *to)
{
	RepeatExtensionsKernel<<<GpuBlocks((uint64_t) n * parts, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(from, n * parts, parts, ntypes, nodes, to);
	return GpuLaunched(device, "making room for surrogates");
}

cudaError_t
RepeatLists(GpuDevice *device, const DeviceList *from, uint32_t n, uint32_t copies, uint64_t events, uint64_t room,
			DeviceList *to)
{
	RepeatListsKernel<<<GpuBlocks((uint64_t) n * copies, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(from, n, n * copies, events, room, to);
	return GpuLaunched(device, "making room for surrogates");
}

cudaError_t
HideStream(GpuDevice *device, const Moving *moving)
{
	HideKernel<<<GpuBlocks(moving->wanted, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*moving);
	return GpuLaunched(device, "hiding the stream");
}

cudaError_t
MoveEvents(GpuDevice *device, const Moving *moving, uint32_t first, uint32_t end, const Moved *moved)
{
	uint32_t	events = (end - first) * moving->wanted;

	MoveKernel<<<GpuBlocks(events, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*moving, first, events, *moved);
	return GpuLaunched(device, "moving events");
}

cudaError_t
Gather(GpuDevice *device, const uint32_t *from, const uint32_t *event, uint32_t n, uint32_t *to)
{
	GatherKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(from, event, n, to);
	return GpuLaunched(device, "moving events");
}

cudaError_t
GatherTimes(GpuDevice *device, const Moving *moving, const uint64_t *key_of, const uint32_t *event, uint32_t n,
			FimTime *time)
{
	GatherTimesKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(moving->moves.real, moving->least, key_of, event, n, time);
	return GpuLaunched(device, "moving events");
}

cudaError_t
CountTypes(GpuDevice *device, const DeviceStream *stream, const Extension *types, uint32_t n, Counted *counted)
{
	CountTypesKernel<<<n, THREADS, 0, device->streams[GPU_COUNT]>>>(*stream, types, counted);
	return GpuLaunched(device, "counting types");
}

cudaError_t
AddCounts(GpuDevice *device, const Counted *counted, uint32_t surrogates, uint32_t slices, const uint32_t *support,
		  uint32_t nodes, FimSurrogateCounts *counts)
{
	AddCountsKernel<<<GpuBlocks(nodes, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(counted, surrogates, slices, support, nodes, counts);
	return GpuLaunched(device, "adding supports up");
}

/* ---- putting moved events in order ---- */

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

/* ---- moving instants ---- */

/*
 * A thread for each wanted event.  Its range, as instants, goes into first[] and moved[] until the events in it
 * are known.
 */
static __global__ void __launch_bounds__(THREADS)
FillKernel(Moving moving, const uint32_t *origin, Instants instants)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	WantedEvent wanted;
	FimRange	range;
	int64_t		time;
	uint32_t	instant;

	if (i >= moving.wanted)
		return;
	wanted = WantedEventOf(moving, i);
	time = moving.time[wanted.event].integer;
	range = FimRangeOf(&moving.moves, &moving.span[moving.partition_of[i]], moving.time[wanted.event]);
	instant = origin[wanted.event];
	instants.type[i] = wanted.type;
	instants.origin[i] = instant + (uint32_t) (moving.hidden[i].integer - time);
	instants.first[i] = instant - (uint32_t) (time - range.least);
	instants.moved[i] = instant + (uint32_t) (range.most - time);
}

/* Find the events after each that it can change places with: those of its class whose ranges meet its own. */
static __global__ void __launch_bounds__(THREADS)
EndKernel(Moving moving, Instants instants)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	of_class;

	if (i >= moving.wanted)
		return;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, i);
	instants.end[i] = FirstNotBelow(instants.first, i, moving.wanted_start[of_class + 1], instants.moved[i] + 1);
}

/* And those before it.  The ranges of the others are looked for by their ends. */
static __global__ void __launch_bounds__(THREADS)
FirstKernel(Moving moving, Instants instants)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	of_class;

	if (i >= moving.wanted)
		return;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, i);
	instants.first[i] = FirstNotBelow(instants.moved, moving.wanted_start[of_class], i, instants.first[i]);
}

/* A thread for each event of each surrogate: its instant after the move. */
static __global__ void __launch_bounds__(THREADS)
MoveKernel(Moving moving, Instants instants, uint32_t first, uint32_t events)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	copy;
	uint32_t	wanted;

	if (i >= events)
		return;
	copy = i / moving.wanted;
	wanted = i - copy * moving.wanted;
	instants.moved[i] = instants.origin[wanted] +
		(uint32_t) (MovedTime(moving, wanted, instants.type[wanted], first + copy).integer -
					moving.hidden[wanted].integer);
}

/*
 * A thread for each event of each surrogate: its instant goes to its place among those of its class.  Of
 * events with equal instants, the one that came first before the move stays first.
 */
static __global__ void __launch_bounds__(THREADS)
OrderKernel(Moving moving, Instants instants, uint32_t events, uint32_t *instant)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	wanted;
	uint32_t	base;
	uint32_t	own;
	uint32_t	place;
	uint32_t	end;

	if (i >= events)
		return;
	wanted = i % moving.wanted;
	base = i - wanted;
	own = instants.moved[i];
	place = base + instants.first[wanted];
	end = base + instants.end[wanted];
	for (uint32_t other = place; other < i; other++)
		place += instants.moved[other] <= own;
	for (uint32_t other = i + 1; other < end; other++)
		place += instants.moved[other] < own;
	instant[place] = own;
}

cudaError_t
FillInstants(GpuDevice *device, const Moving *moving, const uint32_t *origin, const Instants *instants)
{
	uint32_t	blocks = GpuBlocks(moving->wanted, THREADS);

	FillKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, origin, *instants);
	EndKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *instants);
	FirstKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *instants);
	return GpuLaunched(device, "finding the instants of events");
}

cudaError_t
MoveInstants(GpuDevice *device, const Moving *moving, const Instants *instants, uint32_t first, uint32_t end,
			 uint32_t *instant)
{
	uint32_t	events = (end - first) * moving->wanted;
	uint32_t	blocks = GpuBlocks(events, THREADS);

	MoveKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *instants, first, events);
	OrderKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*moving, *instants, events, instant);
	return GpuLaunched(device, "moving events");
}
