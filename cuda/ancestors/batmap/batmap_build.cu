/*-------------------------------------------------------------------------
 *
 * batmap_build.cu
 *	  Building batmaps, see batmap_device.h.
 *
 * A block of threads builds a set.  Each element is inserted twice.  A thread inserts it by
 * an atomic exchange, which puts the element into its place and takes out the one that lay
 * there.  That one goes to its place in the next table, and so on, until a place was free.
 * So of each element there are always two copies, which are in places or held by threads,
 * and never two in the same table.
 *
 * When an insertion takes too many moves, the element that the thread holds has failed.  It
 * is only marked at first, since another thread may still hold its other copy.  When all
 * threads are done, the copies of marked elements are removed from the tables.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/batmap/batmap_device.h"
#include "device.h"
#include "lanes.h"

#define FEW_THREADS		128
#define MANY_THREADS	1024
#define MANY_LEVEL		12		/* from tables of 2^12 places on, blocks have MANY_THREADS */

/* Bytes of shared memory that are left for the kernel's own variables. */
#define SPARE_SHARED	1024

/*
 * The permutation of a table: a multiplication by an odd number and a shift, twice.  Both can be undone
 * modulo 2^bits.
 */
static __device__ __forceinline__ uint32_t
Permute(const BatmapSpace &space, uint32_t table, uint32_t x)
{
	uint32_t	first = table == 0 ? 0x9E3779B1u : table == 1 ? 0xC2B2AE3Du : 0x165667B1u;
	uint32_t	second = table == 0 ? 0x85EBCA77u : table == 1 ? 0x27D4EB2Fu : 0xD3A2646Du;
	uint32_t	mask = 0xffffffffu >> (32 - space.bits);
	uint32_t	shift = space.bits / 2;

	x = (x * first + table) & mask;
	x ^= x >> shift;
	x = x * second & mask;
	return x ^ x >> shift;
}

static __device__ __forceinline__ uint32_t
NextTable(uint32_t table)
{
	return table + 1 < BATMAP_TABLES ? table + 1 : 0;
}

/* A set that is being built. */
struct Places
{
	uint32_t   *of;				/* [BATMAP_TABLES << level] the key in each place, plus 1; 0 if it is free */
	const uint32_t *key;		/* [n] ascending */
	uint32_t	n;
	uint8_t    *failed;			/* [n] */
};

static __device__ __forceinline__ uint32_t *
PlaceOf(const BatmapBuild &build, const Places &places, uint32_t table, uint32_t key)
{
	uint32_t	place = Permute(build.space, table, key) & ((1u << build.level) - 1);

	return &places.of[((size_t) table << build.level) + place];
}

/*
 * Inserts a key, beginning with a table.  Returns 0 if every key has found a place, otherwise the key that
 * has none after max_loop moves, plus 1.
 */
static __device__ uint32_t
Insert(const BatmapBuild &build, const Places &places, uint32_t key, uint32_t table)
{
	uint32_t	homeless = key + 1;

	for (uint32_t move = 0; move < build.space.max_loop; move++)
	{
		homeless = atomicExch(PlaceOf(build, places, table, homeless - 1), homeless);
		if (homeless == 0)
			return 0;
		table = NextTable(table);
	}
	return homeless;
}

/*
 * Inserts all keys twice, by the threads of a block.  Returns whether an insertion of this thread has
 * failed.
 */
static __device__ bool
InsertAll(const BatmapBuild &build, const Places &places)
{
	bool		any = false;

	for (uint64_t i = threadIdx.x; i < 2 * (uint64_t) places.n; i += blockDim.x)
	{
		uint32_t	homeless = Insert(build, places, places.key[i / 2], i % 2);

		if (homeless == 0)
			continue;
		places.failed[FirstNotBelow(places.key, 0u, places.n, homeless - 1)] = 1;
		any = true;
	}
	return any;
}

static __device__ void
RemoveFailed(const BatmapBuild &build, const Places &places, uint32_t *nfailed)
{
	for (uint32_t i = threadIdx.x; i < places.n; i += blockDim.x)
	{
		if (!places.failed[i])
			continue;
		atomicAdd(nfailed, 1);
		for (uint32_t table = 0; table < BATMAP_TABLES; table++)
		{
			uint32_t   *place = PlaceOf(build, places, table, places.key[i]);

			if (*place == places.key[i] + 1)
				*place = 0;
		}
	}
}

/* The words of all planes for the 32 places of a warp's lanes; lane p returns the word of plane p. */
static __device__ __forceinline__ uint32_t
WordOfPlane(const BatmapBuild &build, const Places &places, uint32_t place)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	table = place >> build.level;
	uint32_t	there = places.of[place];
	bool		next = there != 0 && *PlaceOf(build, places, NextTable(table), there - 1) == there;
	uint32_t	code = there != 0 ? Permute(build.space, table, there - 1) : 0;
	uint32_t	mine = __ballot_sync(ALL_LANES, there != 0);
	uint32_t	word = __ballot_sync(ALL_LANES, next);

	mine = lane == 1 ? word : mine;
#pragma unroll
	for (uint32_t p = 0; p < BATMAP_CODE_PLANES; p++)
	{
		word = __ballot_sync(ALL_LANES, p < build.space.bits && code >> (build.space.bits - 1 - p) & 1);
		mine = lane == p + 2 ? word : mine;
	}
	return mine;
}

/* Writes the lines of a set, each warp of the block a line at a time. */
static __device__ void
WriteLines(const BatmapBuild &build, const Places &places, uint4 *lines)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	nlines = BATMAP_TABLES << (build.level - BATMAP_LINE_LEVEL);

	for (uint32_t line = threadIdx.x / 32; line < nlines; line += blockDim.x / 32)
	{
		uint32_t	place = (line << BATMAP_LINE_LEVEL) + lane;
		uint4		words;

		words.x = WordOfPlane(build, places, place);
		words.y = WordOfPlane(build, places, place + 32);
		words.z = WordOfPlane(build, places, place + 64);
		words.w = WordOfPlane(build, places, place + 96);
		if (lane < BATMAP_PLANES)
			lines[(size_t) line * BATMAP_PLANES + lane] = words;
	}
}

static __device__ void
BuildSet(const BatmapBuild &build, uint32_t *memory, uint32_t number)
{
	const uint64_t *start = build.side.start + build.edge.from;
	uint32_t	set = build.first + number;
	uint64_t	line = build.line + ((uint64_t) number * BATMAP_TABLES << (build.level - BATMAP_LINE_LEVEL));
	Places		places = {memory, build.side.key + start[set], (uint32_t) (start[set + 1] - start[set]),
		build.edge.failed + (start[set] - start[0])};

	for (uint32_t p = threadIdx.x; p < BATMAP_TABLES << build.level; p += blockDim.x)
		memory[p] = 0;
	__syncthreads();
	if (__syncthreads_or(InsertAll(build, places)))
	{
		RemoveFailed(build, places, &build.edge.nfailed[set]);
		__syncthreads();
	}
	WriteLines(build, places, build.edge.lines + line * BATMAP_PLANES);
	__syncthreads();
}

static __global__ void __launch_bounds__(MANY_THREADS)
SharedBuildKernel(BatmapBuild build)
{
	extern __shared__ uint32_t places[];

	BuildSet(build, places, blockIdx.x);
}

/* For sets whose places do not fit into shared memory: each block has device memory for one set at a time. */
static __global__ void __launch_bounds__(MANY_THREADS)
BuildKernel(BatmapBuild build)
{
	uint32_t   *places = build.places + (((size_t) blockIdx.x * BATMAP_TABLES) << build.level);

	for (uint32_t number = blockIdx.x; number < build.n; number += gridDim.x)
		BuildSet(build, places, number);
}

/* ---- the host's side ---- */

cudaError_t
BatmapSharedPlaces(const GpuDevice *device, uint64_t *bytes)
{
	int			most;

	GPU_TRY(GpuCheck(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->number),
					 "asking what a device is"));
	GPU_TRY(GpuCheck(device, cudaFuncSetAttribute(SharedBuildKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
												  most - SPARE_SHARED), "building batmaps"));
	*bytes = (uint64_t) most - SPARE_SHARED;
	return cudaSuccess;
}

cudaError_t
BuildBatmaps(GpuDevice *device, const BatmapBuild *build)
{
	uint32_t	threads = build->level >= MANY_LEVEL ? MANY_THREADS : FEW_THREADS;
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (build->places == NULL)
		SharedBuildKernel<<<build->n, threads, BatmapPlaceBytes(build->level), stream>>>(*build);
	else
		BuildKernel<<<(uint32_t) GpuLesser(build->n, build->blocks), threads, 0, stream>>>(*build);
	return GpuLaunched(device, "building batmaps");
}
