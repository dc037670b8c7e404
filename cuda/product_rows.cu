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
#define TEAMS		(THREADS / LANES)
#define AT_ONCE		4			/* lines that a team loads at once */
#define CHUNK		512			/* lines that a block writes */
#define WORDS		16			/* of 64 bits in a line */

/* The last child that begins at or before the line. */
static __device__ uint32_t
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

/* 16 bytes of the prefix and of the row that is ANDed with it. */
typedef struct Operands
{
	uint4		prefix;
	uint4		row;
} Operands;

/* Rows of the parent, and a slab of the child. */
typedef struct Source
{
	uint32_t	prefix;
	uint32_t	row;
	uint32_t	slab;
} Source;

static __device__ __forceinline__ Source
FindSource(const FimChild &child, uint64_t line, const uint32_t *members)
{
	uint32_t	offset = (uint32_t) (line - child.to.line);

	return {child.prefix - child.from.first,
		members[child.members + offset % child.to.rows] - child.from.first,
		offset / child.to.rows};
}

/* Grains are lines: the slab's or, if all are live, the same slab's. */
static __device__ __forceinline__ Operands
LoadLine(const uint4 *from, const FimChild &child, const uint32_t *live, const Source &source)
{
	uint32_t	slab = child.live == FIM_ALL_LIVE ? source.slab : live[child.live + source.slab];
	const uint4 *lines = from + (child.from.line + (uint64_t) slab * child.from.rows) * LANES +
		threadIdx.x % LANES;

	return {lines[(size_t) source.prefix * LANES], lines[(size_t) source.row * LANES]};
}

/* Grains are words: one of the child's, or zero beyond its last. */
static __device__ __forceinline__ void
LoadWord(const uint2 *from, const FimChild &child, const uint32_t *live, const Source &source,
		 uint32_t word, uint2 *prefix, uint2 *row)
{
	*prefix = *row = {0, 0};
	if (word < child.nlive)
	{
		uint32_t	grain = live[child.live + word];
		const uint2 *words = from + grain % WORDS +
			(child.from.line + (uint64_t) (grain / WORDS) * child.from.rows) * WORDS;

		*prefix = words[(size_t) source.prefix * WORDS];
		*row = words[(size_t) source.row * WORDS];
	}
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

/* Eight lanes load for a few lines, then write them: so many loads are on their way. */
template <FimGrain GRAIN>
static __global__ void __launch_bounds__(THREADS)
MakeChildrenKernel(const void *from, uint4 *to, uint64_t line, uint64_t nlines,
				   const FimChild *children, uint32_t nchildren,
				   const uint32_t *members, const uint32_t *live)
{
	__shared__ uint32_t first;
	uint64_t	begin = line + (uint64_t) blockIdx.x * CHUNK;
	uint64_t	end = min(begin + CHUNK, line + nlines);

	if (threadIdx.x == 0)
		first = FindChild(children, nchildren, begin);
	__syncthreads();

	uint32_t	c = first;

	for (begin += threadIdx.x / LANES; begin < end; begin += AT_ONCE * TEAMS)
	{
		Operands	operands[AT_ONCE];

#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
		{
			uint64_t	at = min(begin + i * TEAMS, end - 1);

			while (c + 1 < nchildren && children[c + 1].to.line <= at)
				c++;

			const FimChild &child = children[c];
			Source		source = FindSource(child, at, members);

			if (GRAIN == FIM_GRAIN_LINE || child.live == FIM_ALL_LIVE)
				operands[i] = LoadLine((const uint4 *) from, child, live, source);
			else
				operands[i] = LoadWords((const uint2 *) from, child, live, source);
		}
#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
		{
			const uint4 &a = operands[i].prefix;
			const uint4 &b = operands[i].row;

			if (begin + i * TEAMS < end)
				__stcs(&to[(begin + i * TEAMS) * LANES + threadIdx.x % LANES],
					   uint4 {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w});
		}
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
	uint32_t	blocks = (uint32_t) ((nlines + CHUNK - 1) / CHUNK);

	if (blocks == 0 || nchildren == 0)
		return cudaSuccess;
	if (grain == FIM_GRAIN_LINE)
		MakeChildrenKernel<FIM_GRAIN_LINE> <<<blocks, THREADS, 0, stream>>>
			(from, (uint4 *) to, line, nlines, children, nchildren, members, live);
	else
		MakeChildrenKernel<FIM_GRAIN_WORD> <<<blocks, THREADS, 0, stream>>>
			(from, (uint4 *) to, line, nlines, children, nchildren, members, live);
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
