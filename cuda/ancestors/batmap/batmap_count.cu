/*-------------------------------------------------------------------------
 *
 * batmap_count.cu
 *	  Counting the keys that pairs of sets have in common, by their batmaps, see batmap_device.h.
 *
 * A block of threads has a tile of 64 by 64 sets, and each of its 16 by 16 threads has 4 by 4 of
 * them.  One line of all sets after the other is loaded to shared memory.  Where the tables of one
 * side have fewer lines than those of the other, they are gone through several times: line i of the
 * smaller table is compared with the lines i, i + its number of lines, ... of the larger one.
 *
 * Two places that are compared have the same number in the smaller table.  So the permuted
 * elements in them agree in their lower bits, as many as number the places of that table, and
 * only the planes of the bits above these are compared.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/batmap/batmap_device.h"
#include "device.h"
#include "lanes.h"

#define SIDE			16		/* threads along a side of the tile */
#define THREADS			(SIDE * SIDE)
#define EACH			(BATMAP_GROUP / SIDE)	/* sets that a thread has of each side */
#define WORDS			4		/* words of a plane of a line */
#define ROW				(BATMAP_GROUP + 4)	/* words of a row of a stage; 4 more against bank conflicts */
#define LOADS			(2 * BATMAP_GROUP * BATMAP_PLANES / THREADS)	/* of a thread, see LoadPiece() */

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
SideOfTile(const BatmapEdge &edge, uint32_t group)
{
	BatmapGroup of = edge.groups[group];

	return TileSide{edge.lines + of.line * BATMAP_PLANES, of.n, of.level};
}

/* Loads piece i of a side's lines number "at" of a table: one plane of one set.  0 if that is not needed. */
static __device__ __forceinline__ uint4
LoadPiece(const TileSide &side, uint32_t i, uint32_t planes, uint32_t table, uint32_t at)
{
	uint32_t	plane = i % BATMAP_PLANES;
	uint32_t	set = i / BATMAP_PLANES % BATMAP_GROUP;
	uint32_t	lines = 1u << (side.level - BATMAP_LINE_LEVEL);	/* of a table */
	uint64_t	line = ((uint64_t) set * BATMAP_TABLES + table) * lines + (at & (lines - 1));

	if (plane >= planes || set >= side.n)
		return uint4{0, 0, 0, 0};
	return side.lines[line * BATMAP_PLANES + plane];
}

static __device__ __forceinline__ void
LoadLine(uint4 (&pieces)[LOADS], const TileSide &left, const TileSide &right, uint32_t planes, uint32_t level,
		 uint32_t line)
{
	uint32_t	table = line >> (level - BATMAP_LINE_LEVEL);
	uint32_t	at = line & ((1u << (level - BATMAP_LINE_LEVEL)) - 1);

#pragma unroll
	for (int k = 0; k < LOADS; k++)
		pieces[k] = LoadPiece(k < LOADS / 2 ? left : right, threadIdx.x + k * THREADS, planes, table, at);
}

static __device__ __forceinline__ void
StoreLine(Stage &stage, const uint4 (&pieces)[LOADS])
{
#pragma unroll
	for (int k = 0; k < LOADS; k++)
	{
		uint32_t	i = threadIdx.x + k * THREADS;
		uint32_t	plane = i % BATMAP_PLANES;
		uint32_t	set = i / BATMAP_PLANES % BATMAP_GROUP;
		uint32_t	(*word)[BATMAP_PLANES][ROW] = stage.word[k >= LOADS / 2];

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
	uint4		pieces[LOADS];

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
AddCounts(const BatmapPairs &pairs, const uint32_t (&counts)[EACH][EACH], const BatmapGroup &left,
		  const BatmapGroup &right)
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
	uint32_t	row = tile / pairs.right.ngroups;
	uint32_t	column = tile % pairs.right.ngroups;
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
	AddCounts(pairs, counts, pairs.left.groups[row], pairs.right.groups[column]);
}

/* ---- failures ---- */

/* An edge, and the relation that its sets come from. */
struct FailureSide
{
	BatmapEdge	edge;
	DeviceSide	side;
};

/*
 * Whether a set of the edge has a key.  Unless failed_counts is true, a key that failed there does not
 * count.
 */
static __device__ __forceinline__ bool
HasKey(const FailureSide &of, uint32_t set, uint32_t key, bool failed_counts)
{
	const uint64_t *start = of.side.start + of.edge.from;
	uint64_t	at = FirstNotBelow(of.side.key, start[set], start[set + 1], key);

	if (at == start[set + 1] || of.side.key[at] != key)
		return false;
	return failed_counts || !of.edge.failed[at - start[0]];
}

/*
 * A block for each set of one edge: counts the keys that failed in it and that sets of the other edge have.
 * A key that failed in both sets is counted with the left edge.
 */
template <bool LEFT>
static __global__ void __launch_bounds__(FAILURE_THREADS)
FailuresKernel(FailureSide own, FailureSide other, uint32_t *count, uint64_t stride)
{
	const uint64_t *start = own.side.start + own.edge.from;
	uint32_t	set = blockIdx.x;

	if (own.edge.nfailed[set] == 0)
		return;
	for (uint64_t at = start[set]; at < start[set + 1]; at++)
	{
		if (!own.edge.failed[at - start[0]])
			continue;
		for (uint32_t o = threadIdx.x; o < other.edge.n; o += FAILURE_THREADS)
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
