/*-------------------------------------------------------------------------
 *
 * surrogates_kernels.cu
 *	  Moving events at random, see surrogates_device.h.
 *
 * Events move as in src/engine/episodes/surrogate.c: the random numbers are Philox
 * 4x32-10 of the event's number in its type, its type, the surrogate and the attempt, and
 * arithmetic is rounded step by step.
 *
 *-------------------------------------------------------------------------
 */
#include <float.h>

#include "ascending.h"
#include "episodes/random_moves.h"

#define THREADS			256
#define SIGN_BIT		(UINT64_C(1) << 63)

static __device__ int64_t
MovedInteger(int64_t time, int64_t move)
{
	if (move > 0 && time > INT64_MAX - move)
		return INT64_MAX;
	if (move < 0 && time < INT64_MIN - move)
		return INT64_MIN;
	return time + move;
}

static __device__ double
MovedReal(const Moving &moving, double time, uint32_t rank, uint32_t type, uint32_t surrogate)
{
	double		part = (double) (RandomBits(moving.seed, rank, type, surrogate, 0) >> 11);
	double		move = __dadd_rn(__dadd_rn(part, -4503599627370496.0), 0.5);

	move = __dmul_rn(__dmul_rn(move, 0x1p-52), moving.dither.real);
	return fmax(fmin(__dadd_rn(time, move), DBL_MAX), -DBL_MAX);
}

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

/* A thread for each event of each surrogate. */
static __global__ void __launch_bounds__(THREADS)
MoveKernel(Moving moving, uint32_t first, uint32_t events, Moved moved)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	copy;
	uint32_t	wanted;
	uint32_t	of_class;
	uint32_t	type;
	uint32_t	rank;
	uint32_t	event;
	FimTime		time;

	if (i >= events)
		return;
	copy = i / moving.wanted;
	wanted = i - copy * moving.wanted;
	of_class = LastUpTo(moving.wanted_start, moving.nclasses, wanted);
	type = of_class % moving.ntypes;
	rank = moving.skipped[of_class] + wanted - moving.wanted_start[of_class];
	event = moving.place[moving.start[type] + rank];
	time = moving.time[event];
	if (moving.real)
		time.real = MovedReal(moving, time.real, rank, type, first + copy);
	else
		time.integer = MovedInteger(time.integer, WholeMove(moving, rank, type, first + copy));
	moved.key_of[i] = KeyOf(moving.real, time) - moving.least;
	moved.type_of[i] = copy * moving.nclasses + of_class;
	if (moved.partition_of != nullptr)
		moved.partition_of[i] = copy * moving.partitions + (moving.partition != nullptr ? moving.partition[event] : 0);
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
		(moving->real, moving->least, key_of, event, n, time);
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
