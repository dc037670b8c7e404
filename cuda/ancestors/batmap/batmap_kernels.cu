/*-------------------------------------------------------------------------
 *
 * batmap_kernels.cu
 *	  Building batmaps, and counting the keys that pairs of sets have in common by them.
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
#include "ancestors/batmap/batmap.h"
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
	const uint64_t *start = build.side.start + build.band.from;
	uint32_t	set = build.first + number;
	uint64_t	line = build.line + ((uint64_t) number * BATMAP_TABLES << (build.level - BATMAP_LINE_LEVEL));
	Places		places = {memory, build.side.key + start[set], (uint32_t) (start[set + 1] - start[set]),
		build.band.failed + (start[set] - start[0])};

	for (uint32_t p = threadIdx.x; p < BATMAP_TABLES << build.level; p += blockDim.x)
		memory[p] = 0;
	__syncthreads();
	if (__syncthreads_or(InsertAll(build, places)))
	{
		RemoveFailed(build, places, &build.band.nfailed[set]);
		__syncthreads();
	}
	WriteLines(build, places, build.band.lines + line * BATMAP_PLANES);
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

/*
 * Counting the keys that pairs of sets have in common, by their batmaps.
 *
 * A block of threads has a tile of 64 by 64 sets, and each of its 16 by 16 threads has 4 by 4 of
 * them.  One line of all sets after the other is loaded to shared memory.  Where the tables of one
 * side have fewer lines than those of the other, they are gone through several times: line i of the
 * smaller table is compared with the lines i, i + its number of lines, ... of the larger one.
 *
 * Two places that are compared have the same number in the smaller table.  So the permuted
 * elements in them agree in their lower bits, as many as number the places of that table, and
 * only the planes of the bits above these are compared.
 */

#define SIDE			16		/* threads along a side of the tile */
#define THREADS			(SIDE * SIDE)
#define EACH			(BATMAP_BUNDLE / SIDE)	/* sets that a thread has of each side */
#define WORDS			4		/* words of a plane of a line */
#define ROW				(BATMAP_BUNDLE + 4)	/* words of a row of a stage; 4 more against bank conflicts */
#define PIECES			(2 * BATMAP_BUNDLE * BATMAP_PLANES / THREADS)	/* of a thread, see LoadPiece() */

/* Most lines that a block goes through; if sets have more, several blocks share a tile. */
#define LINES_A_BLOCK	1024

#define FAILURE_THREADS	256

/* A line of all sets of a tile: word w of plane p of set i of a side is word[side][w][p][i]. */
struct Stage
{
	uint32_t	word[2][WORDS][BATMAP_PLANES][ROW];
};

/* One side of a tile. */
struct TileSide
{
	const uint4 *lines;			/* lines of the first set */
	uint32_t	n;				/* sets */
	uint32_t	level;
};

static __device__ __forceinline__ TileSide
SideOfTile(const BatmapBand &band, uint32_t bundle)
{
	BatmapBundle of = band.bundles[bundle];

	return TileSide{band.lines + of.line * BATMAP_PLANES, of.n, of.level};
}

/* Loads piece i of a side's lines number "at" of a table: one plane of one set.  0 if that is not needed. */
static __device__ __forceinline__ uint4
LoadPiece(const TileSide &side, uint32_t i, uint32_t planes, uint32_t table, uint32_t at)
{
	uint32_t	plane = i % BATMAP_PLANES;
	uint32_t	set = i / BATMAP_PLANES % BATMAP_BUNDLE;
	uint32_t	lines = 1u << (side.level - BATMAP_LINE_LEVEL);	/* of a table */
	uint64_t	line = ((uint64_t) set * BATMAP_TABLES + table) * lines + (at & (lines - 1));

	if (plane >= planes || set >= side.n)
		return uint4{0, 0, 0, 0};
	return side.lines[line * BATMAP_PLANES + plane];
}

static __device__ __forceinline__ void
LoadLine(uint4 (&pieces)[PIECES], const TileSide &left, const TileSide &right, uint32_t planes, uint32_t level,
		 uint32_t line)
{
	uint32_t	table = line >> (level - BATMAP_LINE_LEVEL);
	uint32_t	at = line & ((1u << (level - BATMAP_LINE_LEVEL)) - 1);

#pragma unroll
	for (int k = 0; k < PIECES; k++)
		pieces[k] = LoadPiece(k < PIECES / 2 ? left : right, threadIdx.x + k * THREADS, planes, table, at);
}

static __device__ __forceinline__ void
StoreLine(Stage &stage, const uint4 (&pieces)[PIECES])
{
#pragma unroll
	for (int k = 0; k < PIECES; k++)
	{
		uint32_t	i = threadIdx.x + k * THREADS;
		uint32_t	plane = i % BATMAP_PLANES;
		uint32_t	set = i / BATMAP_PLANES % BATMAP_BUNDLE;
		uint32_t	(*word)[BATMAP_PLANES][ROW] = stage.word[k >= PIECES / 2];

		word[0][plane][set] = pieces[k].x;
		word[1][plane][set] = pieces[k].y;
		word[2][plane][set] = pieces[k].z;
		word[3][plane][set] = pieces[k].w;
	}
}

/* A word of four sets, which lie side by side. */
struct Four
{
	uint32_t	of[EACH];
};

static __device__ __forceinline__ Four
FourWords(const uint32_t *word)
{
	uint4		four = *(const uint4 *) word;

	return Four{{four.x, four.y, four.z, four.w}};
}

/*
 * Counts the places of a word in which two sets have the same element: both places are taken, and the planes
 * agree.  Two sets may have an element in common in two tables; to count it once, it counts where one
 * of both sets has its other copy in the next table.
 */
static __device__ __forceinline__ void
CountWord(uint32_t (&counts)[EACH][EACH], const uint32_t (*left)[ROW], const uint32_t (*right)[ROW], uint32_t planes)
{
	uint32_t	row = threadIdx.x / SIDE * EACH;
	uint32_t	column = threadIdx.x % SIDE * EACH;
	uint32_t	match[EACH][EACH];
	Four		left_taken = FourWords(&left[0][row]);
	Four		left_next = FourWords(&left[1][row]);
	Four		right_taken = FourWords(&right[0][column]);
	Four		right_next = FourWords(&right[1][column]);

#pragma unroll
	for (int i = 0; i < EACH; i++)
#pragma unroll
		for (int j = 0; j < EACH; j++)
			match[i][j] = (left_taken.of[i] & right_next.of[j]) | (left_next.of[i] & right_taken.of[j]);
	for (uint32_t p = 2; p < planes; p++)
	{
		Four		a = FourWords(&left[p][row]);
		Four		b = FourWords(&right[p][column]);

#pragma unroll
		for (int i = 0; i < EACH; i++)
#pragma unroll
			for (int j = 0; j < EACH; j++)
				match[i][j] &= ~(a.of[i] ^ b.of[j]);
	}
#pragma unroll
	for (int i = 0; i < EACH; i++)
#pragma unroll
		for (int j = 0; j < EACH; j++)
			counts[i][j] += __popc(match[i][j]);
}

static __device__ __forceinline__ void
CountLines(uint32_t (&counts)[EACH][EACH], Stage (&stages)[2], const TileSide &left, const TileSide &right,
		   uint32_t planes, uint32_t level, uint32_t line, uint32_t end)
{
	uint4		pieces[PIECES];

	LoadLine(pieces, left, right, planes, level, line);
	for (int at = 0; line < end; at ^= 1)
	{
		StoreLine(stages[at], pieces);
		/*
		 * when all threads have come here, they have finished counting the other stage, which is
		 * stored next
		 */
		__syncthreads();
		line++;
		if (line < end)
			LoadLine(pieces, left, right, planes, level, line);
#pragma unroll
		for (int w = 0; w < WORDS; w++)
			CountWord(counts, stages[at].word[0][w], stages[at].word[1][w], planes);
	}
}

static __device__ __forceinline__ void
AddCounts(const BatmapPairs &pairs, const uint32_t (&counts)[EACH][EACH], const BatmapBundle &left,
		  const BatmapBundle &right)
{
#pragma unroll
	for (int i = 0; i < EACH; i++)
#pragma unroll
		for (int j = 0; j < EACH; j++)
		{
			uint32_t	row = threadIdx.x / SIDE * EACH + i;
			uint32_t	column = threadIdx.x % SIDE * EACH + j;
			uint32_t   *count = &pairs.count[(left.first + row) * pairs.stride + right.first + column];

			if (row >= left.n || column >= right.n)
				continue;
			if (gridDim.y == 1)
				*count = counts[i][j];
			else if (counts[i][j] > 0)
				atomicAdd(count, counts[i][j]);
		}
}

static __global__ void __launch_bounds__(THREADS, 2)
TileKernel(BatmapPairs pairs, uint32_t first)
{
	__shared__ Stage stages[2];
	uint32_t	tile = first + blockIdx.x;
	uint32_t	row = tile / pairs.right.nbundles;
	uint32_t	column = tile % pairs.right.nbundles;
	TileSide	left = SideOfTile(pairs.left, row);
	TileSide	right = SideOfTile(pairs.right, column);
	uint32_t	level = max(left.level, right.level);
	uint32_t	smaller = min(left.level, right.level);
	uint32_t	planes = 2 + (pairs.space.bits > smaller ? pairs.space.bits - smaller : 0);
	uint32_t	line = blockIdx.y * LINES_A_BLOCK;
	uint32_t	end = min(BATMAP_TABLES << (level - BATMAP_LINE_LEVEL), line + LINES_A_BLOCK);
	uint32_t	counts[EACH][EACH] = {};

	if (line >= end || (pairs.same && column < row))
		return;
	CountLines(counts, stages, left, right, planes, level, line, end);
	AddCounts(pairs, counts, pairs.left.bundles[row], pairs.right.bundles[column]);
}

/* ---- failures ---- */

/* A band, and the relation that its sets come from. */
struct FailureSide
{
	BatmapBand	band;
	DeviceSide	side;
};

/*
 * Whether a set of the band has a key.  Unless failed_counts is true, a key that failed there does not
 * count.
 */
static __device__ __forceinline__ bool
HasKey(const FailureSide &of, uint32_t set, uint32_t key, bool failed_counts)
{
	const uint64_t *start = of.side.start + of.band.from;
	uint64_t	at = FirstNotBelow(of.side.key, start[set], start[set + 1], key);

	if (at == start[set + 1] || of.side.key[at] != key)
		return false;
	return failed_counts || !of.band.failed[at - start[0]];
}

/*
 * A block for each set of one band: counts the keys that failed in it and that sets of the other band have.
 * A key that failed in both sets is counted with the left band.
 */
template <bool LEFT>
static __global__ void __launch_bounds__(FAILURE_THREADS)
FailuresKernel(FailureSide own, FailureSide other, uint32_t *count, uint64_t stride)
{
	const uint64_t *start = own.side.start + own.band.from;
	uint32_t	set = blockIdx.x;

	if (own.band.nfailed[set] == 0)
		return;
	for (uint64_t at = start[set]; at < start[set + 1]; at++)
	{
		if (!own.band.failed[at - start[0]])
			continue;
		for (uint32_t o = threadIdx.x; o < other.band.n; o += FAILURE_THREADS)
			if (HasKey(other, o, own.side.key[at], LEFT))
				atomicAdd(&count[LEFT ? set * stride + o : o * stride + set], 1);
	}
}

/* ---- the host's side ---- */

cudaError_t
CountTiles(GpuDevice *device, const BatmapPairs *pairs, uint32_t first, uint32_t n, uint32_t level)
{
	dim3		grid(n, GpuBlocks(BatmapLines(level), LINES_A_BLOCK));

	TileKernel<<<grid, THREADS, 0, device->streams[GPU_COUNT]>>>(*pairs, first);
	return GpuLaunched(device, "intersecting batmaps");
}

cudaError_t
CountFailures(GpuDevice *device, const BatmapPairs *pairs)
{
	FailureSide left = {pairs->left, pairs->left_side};
	FailureSide right = {pairs->right, pairs->right_side};
	cudaStream_t stream = device->streams[GPU_COUNT];

	FailuresKernel<true><<<pairs->left.n, FAILURE_THREADS, 0, stream>>>(left, right, pairs->count, pairs->stride);
	GPU_TRY(GpuLaunched(device, "looking up failed insertions"));
	FailuresKernel<false><<<pairs->right.n, FAILURE_THREADS, 0, stream>>>(right, left, pairs->count, pairs->stride);
	return GpuLaunched(device, "looking up failed insertions");
}
