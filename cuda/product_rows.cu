/*-------------------------------------------------------------------------
 *
 * product_rows.cu
 *	  The rows of the next level's classes.
 *
 * A child's rows are rows of its parent ANDed with one of them, its prefix.
 * Where that has no bit the children's rows have none, so what is dead of it can
 * be left out: lines at little cost, since lines are what memory moves anyway,
 * or words of 64 bits, which shrinks more and reads at worst four times as much.
 *
 * All of this is bound by memory.  Eight lanes do a line, each 16 bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "product.h"

#define THREADS		256
#define WARPS		(THREADS / 32)
#define LANES		8			/* of a line */
#define TEAMS		(32 / LANES)	/* of lanes in a warp */
#define AT_ONCE		4			/* lines that a team loads at once */
#define CHUNK		128			/* lines that a warp writes */
#define WORDS		16			/* of 64 bits in a line */

/* The last child that begins at or before the line. */
static __device__ __forceinline__ uint32_t
FindChild(const FimChild *children, uint32_t nchildren, uint64_t line)
{
	uint32_t	low = 0;
	uint32_t	high = nchildren;

	while (high - low > 1)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (children[middle].to.line <= line)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Where a line comes from: lines of the parent, in the same slab or in its first. */
typedef struct Source
{
	uint32_t	child;
	uint32_t	slab;			/* of the child */
	uint32_t	prefix;
	uint32_t	row;
} Source;

template <FimGrain GRAIN>
static __device__ __forceinline__ Source
FindSource(const FimChild &child, uint32_t line, const uint32_t *members, const uint32_t *live)
{
	uint32_t	offset = line - (uint32_t) child.to.line;
	uint32_t	slab = offset / child.to.rows;
	uint32_t	row = members[child.members + offset - slab * child.to.rows];
	uint32_t	from = (uint32_t) child.from.line - child.from.first;

	if (GRAIN == FIM_GRAIN_LINE)
		from += (child.live == FIM_ALL_LIVE ? slab : live[child.live + slab]) * child.from.rows;
	return {0, slab, from + child.prefix, from + row};
}

static __device__ __forceinline__ Source
TellSource(const Source &source, uint32_t lane)
{
	return {__shfl_sync(~0u, source.child, lane), __shfl_sync(~0u, source.slab, lane),
		__shfl_sync(~0u, source.prefix, lane), __shfl_sync(~0u, source.row, lane)};
}

/* 16 bytes of the prefix and of the row that is ANDed with it. */
typedef struct Operands
{
	uint4		prefix;
	uint4		row;
} Operands;

static __device__ __forceinline__ Operands
LoadLine(const uint4 *from, const Source &source)
{
	from += threadIdx.x % LANES;
	return {from[(size_t) source.prefix * LANES], from[(size_t) source.row * LANES]};
}

/* Grains are words: one of the child's, or zero beyond its last. */
static __device__ __forceinline__ void
LoadWord(const uint2 *from, const FimChild &child, const uint32_t *live, const Source &source,
		 uint32_t word, uint2 *prefix, uint2 *row)
{
	*prefix = *row = {0, 0};
	if (child.live != FIM_ALL_LIVE)
	{
		if (word >= child.nlive)
			return;
		word = live[child.live + word];
	}
	from += (size_t) (word / WORDS) * child.from.rows * WORDS + word % WORDS;
	*prefix = from[(size_t) source.prefix * WORDS];
	*row = from[(size_t) source.row * WORDS];
}

static __device__ __forceinline__ Operands
LoadWords(const uint2 *from, const FimChild &child, const uint32_t *live, const Source &source)
{
	uint32_t	word = source.slab * WORDS + threadIdx.x % LANES * 2;
	uint2		prefix[2];
	uint2		row[2];

	LoadWord(from, child, live, source, word, &prefix[0], &row[0]);
	LoadWord(from, child, live, source, word + 1, &prefix[1], &row[1]);
	return {{prefix[0].x, prefix[0].y, prefix[1].x, prefix[1].y},
	{row[0].x, row[0].y, row[1].x, row[1].y}};
}

/*
 * Each lane finds where one of 32 lines comes from; then eight lanes together
 * load each line.  Some are loaded before the first is written, so that many
 * loads are on their way.
 */
template <FimGrain GRAIN>
static __device__ __forceinline__ void
MakeLines(const void *from, uint4 *to, uint32_t lines, const Source &mine,
		  const FimChild *children, const uint32_t *live)
{
	uint32_t	team = threadIdx.x % 32 / LANES;

	to += threadIdx.x % 32;
	for (uint32_t first = 0; first < lines; first += AT_ONCE * TEAMS)
	{
		Operands	operands[AT_ONCE];

#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
		{
			uint32_t	line = first + i * TEAMS + team;
			Source		source = TellSource(mine, min(line, lines - 1));

			if (GRAIN == FIM_GRAIN_LINE)
				operands[i] = LoadLine((const uint4 *) from, source);
			else
				operands[i] = LoadWords((const uint2 *) from, children[source.child], live, source);
		}
#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
		{
			const uint4 &a = operands[i].prefix;
			const uint4 &b = operands[i].row;

			if (first + i * TEAMS + team < lines)
				__stcs(to + (first + i * TEAMS) * LANES,
					   uint4 {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w});
		}
	}
}

template <FimGrain GRAIN>
static __global__ void __launch_bounds__(THREADS)
MakeChildrenKernel(const void *from, uint4 *to, uint32_t line, uint32_t nlines,
				   const FimChild *children, uint32_t nchildren,
				   const uint32_t *members, const uint32_t *live)
{
	uint32_t	chunk = (blockIdx.x * WARPS + threadIdx.x / 32) * CHUNK;
	uint32_t	end = min(chunk + CHUNK, nlines);
	uint32_t	c;

	if (chunk >= end)
		return;
	c = FindChild(children, nchildren, line + chunk);
	for (; chunk < end; chunk += 32)
	{
		uint32_t	lines = min(32u, end - chunk);
		uint32_t	mine = line + chunk + min(threadIdx.x % 32, lines - 1);
		Source		source;

		while (c + 1 < nchildren && children[c + 1].to.line <= mine)
			c++;
		source = FindSource<GRAIN> (children[c], mine, members, live);
		source.child = c;
		MakeLines<GRAIN> (from, to + (size_t) (line + chunk) * LANES, lines, source, children, live);
	}
}

/* Which of the 32 words from the given one on have a bit of the prefix? */
static __device__ __forceinline__ uint32_t
FindLiveWords(const uint64_t *from, const FimChild &child, uint32_t word, uint32_t nwords)
{
	uint64_t	row = child.prefix - child.from.first;
	uint64_t	line;

	word += threadIdx.x % 32;
	line = child.from.line + (uint64_t) (word / WORDS) * child.from.rows + row;
	return __ballot_sync(~0u, word < nwords && from[line * WORDS + word % WORDS] != 0);
}

/* Likewise of 32 lines, four at a time. */
static __device__ __forceinline__ uint32_t
FindLiveLines(const uint4 *from, const FimChild &child, uint32_t slab, uint32_t nslabs)
{
	uint64_t	row = child.prefix - child.from.first;
	uint32_t	found = 0;

	slab += threadIdx.x % 32 / LANES;
#pragma unroll
	for (uint32_t i = 0; i < 32; i += 4)
	{
		uint64_t	line = child.from.line + (uint64_t) (slab + i) * child.from.rows + row;
		uint4		piece = {0, 0, 0, 0};
		uint32_t	mask;

		if (slab + i < nslabs)
			piece = from[line * LANES + threadIdx.x % LANES];
		mask = __ballot_sync(~0u, (piece.x | piece.y | piece.z | piece.w) != 0);
		for (uint32_t j = 0; j < 4; j++)
			found |= (uint32_t) ((mask >> j * LANES & 0xFF) != 0) << (i + j);
	}
	return found;
}

/* A block for each child; warps find 32 grains each at a time. */
template <FimGrain GRAIN>
static __global__ void __launch_bounds__(THREADS)
ListLiveKernel(const void *from, const FimChild *children, uint32_t *live, uint32_t *count)
{
	__shared__ uint32_t number[2][WARPS];
	const FimChild &child = children[blockIdx.x];
	uint32_t	ngrains = child.from.slabs * (FIM_SLAB_BITS / GRAIN);
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	warp = threadIdx.x / 32;
	uint32_t	total = 0;

	for (uint32_t grain = 0, step = 0; grain < ngrains; grain += THREADS, step ^= 1)
	{
		uint32_t	mine = grain + warp * 32;
		uint32_t	found = GRAIN == FIM_GRAIN_LINE ?
			FindLiveLines((const uint4 *) from, child, mine, ngrains) :
			FindLiveWords((const uint64_t *) from, child, mine, ngrains);
		uint32_t	before = total;

		if (lane == 0)
			number[step][warp] = __popc(found);
		__syncthreads();
		for (uint32_t w = 0; w < WARPS; w++)
		{
			before += w < warp ? number[step][w] : 0;
			total += number[step][w];
		}
		if (found >> lane & 1)
			live[child.live + before + __popc(found & ((1u << lane) - 1))] = mine + lane;
	}
	if (threadIdx.x == 0)
		count[blockIdx.x] = total;
}

cudaError_t
FimMakeChildren(const void *from, void *to, uint64_t line, uint64_t nlines,
				const FimChild *children, uint32_t nchildren,
				const uint32_t *members, const uint32_t *live, FimGrain grain,
				cudaStream_t stream)
{
	uint32_t	blocks = (uint32_t) ((nlines + CHUNK * WARPS - 1) / (CHUNK * WARPS));

	if (blocks == 0 || nchildren == 0)
		return cudaSuccess;
	if (grain == FIM_GRAIN_LINE)
		MakeChildrenKernel<FIM_GRAIN_LINE> <<<blocks, THREADS, 0, stream>>>
			(from, (uint4 *) to, (uint32_t) line, (uint32_t) nlines, children, nchildren, members, live);
	else
		MakeChildrenKernel<FIM_GRAIN_WORD> <<<blocks, THREADS, 0, stream>>>
			(from, (uint4 *) to, (uint32_t) line, (uint32_t) nlines, children, nchildren, members, live);
	return cudaGetLastError();
}

cudaError_t
FimListLive(const void *from, const FimChild *children, uint32_t nchildren, FimGrain grain,
			uint32_t *live, uint32_t *count, cudaStream_t stream)
{
	if (nchildren == 0)
		return cudaSuccess;
	if (grain == FIM_GRAIN_LINE)
		ListLiveKernel<FIM_GRAIN_LINE> <<<nchildren, THREADS, 0, stream>>>
			(from, children, live, count);
	else
		ListLiveKernel<FIM_GRAIN_WORD> <<<nchildren, THREADS, 0, stream>>>
			(from, children, live, count);
	return cudaGetLastError();
}
