/*-------------------------------------------------------------------------
 *
 * compact.cu
 *	  Renumbering a child's transactions, see compact.h.
 *
 * A block takes a part of a child's members.  It reads the prefix row and lists
 * its transactions in shared memory; with a slab's worth of them, 1024, each warp
 * fetches a member's bits, a lane for each transaction, and a vote makes a word
 * of 32 of them.  So the members' words are read where the prefix has a bit and
 * nowhere else, neighboring lanes mostly the same ones.
 *
 *-------------------------------------------------------------------------
 */
#include "compact.h"

#define THREADS		256
#define WARPS		(THREADS / 32)
#define LINE_WORDS	32
#define ALL_LANES	0xffffffffu

/* What a round adds at most, and what the one before left over. */
#define MOST_TIDS	(THREADS * 32 + FIM_SLAB_BITS)
#define NO_TID		0xffffffffu

/* Word w of row r of a class. */
static __device__ __forceinline__ uint32_t
LoadWord(const uint32_t *lines, const FimClass &class_, uint32_t r, uint32_t w)
{
	return __ldg(lines + (class_.line + (uint64_t) (w / LINE_WORDS) * class_.rows + r) * LINE_WORDS +
				 w % LINE_WORDS);
}

/* Threads' exclusive sums of what each adds; *total is that of all. */
static __device__ __forceinline__ uint32_t
BlockSums(uint32_t mine, uint32_t *warp_sums, uint32_t *total)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	warp = threadIdx.x / 32;
	uint32_t	sum = mine;
	uint32_t	before = 0;

	for (int offset = 1; offset < 32; offset *= 2)
	{
		uint32_t	other = __shfl_up_sync(ALL_LANES, sum, offset);

		sum += lane >= (uint32_t) offset ? other : 0;
	}
	if (lane == 31)
		warp_sums[warp] = sum;
	__syncthreads();
	*total = 0;
	for (uint32_t w = 0; w < WARPS; w++)
	{
		before += w < warp ? warp_sums[w] : 0;
		*total += warp_sums[w];
	}
	return before + sum - mine;
}

/* List the transactions of 32 * THREADS bits of the prefix behind those there. */
static __device__ uint32_t
ListTids(const uint32_t *lines, const FimClass &from, uint32_t prefix, uint32_t word,
		 uint32_t *tids, uint32_t ntids, uint32_t *warp_sums)
{
	uint32_t	w = word + threadIdx.x;
	uint32_t	bits = w < from.slabs * LINE_WORDS ? LoadWord(lines, from, prefix, w) : 0;
	uint32_t	total;
	uint32_t	at = ntids + BlockSums(__popc(bits), warp_sums, &total);

	for (; bits != 0; bits &= bits - 1)
		tids[at++] = w * 32 + __ffs(bits) - 1;
	__syncthreads();
	return ntids + total;
}

/* A slab of the child's members, a warp each, from nwords times 32 transactions. */
static __device__ void
WriteSlab(const uint32_t *lines, uint32_t *to_lines, const FimCompact &child,
		  const uint32_t *members, uint32_t first, uint32_t last, uint32_t slab,
		  const uint32_t *tids, uint32_t nwords)
{
	uint32_t	lane = threadIdx.x % 32;

	for (uint32_t member = first + threadIdx.x / 32; member < last; member += WARPS)
	{
		uint32_t	row = members[child.members + member] - child.from.first;
		uint32_t	line = 0;

#pragma unroll 8
		for (int g = 0; g < nwords; g++)
		{
			uint32_t	tid = tids[g * 32 + lane];
			bool		bit = tid != NO_TID &&
				(LoadWord(lines, child.from, row, tid / 32) >> tid % 32 & 1) != 0;
			uint32_t	word = __ballot_sync(ALL_LANES, bit);

			if (lane == (uint32_t) g)
				line = word;
		}
		to_lines[(child.to.line + (uint64_t) slab * child.to.rows + member) * LINE_WORDS + lane] = line;
	}
}

static __global__ void __launch_bounds__(THREADS)
CompactKernel(const uint32_t *lines, uint32_t *to_lines, const FimCompact *children,
			  const uint32_t *members, const FimCompactPart *parts)
{
	__shared__ uint32_t tids[MOST_TIDS];
	__shared__ uint32_t warp_sums[WARPS];
	FimCompactPart part = parts[blockIdx.x];
	FimCompact	child = children[part.child];
	uint32_t	last = min(part.first + FIM_COMPACT_MEMBERS, child.to.rows);
	uint32_t	prefix = child.prefix - child.from.first;
	uint32_t	nwords = child.from.slabs * LINE_WORDS;
	uint32_t	ntids = 0;
	uint32_t	slab = 0;

	for (uint32_t word = 0; word < nwords; word += THREADS)
	{
		uint32_t	done = 0;

		ntids = ListTids(lines, child.from, prefix, word, tids, ntids, warp_sums);
		for (; ntids - done >= FIM_SLAB_BITS; done += FIM_SLAB_BITS)
			WriteSlab(lines, to_lines, child, members, part.first, last, slab++, tids + done,
					  LINE_WORDS);
		__syncthreads();
		if (done == 0)
			continue;
		/* what is left, less than a slab, moves to the front: it cannot overlap */
		for (uint32_t i = threadIdx.x; i < ntids - done; i += THREADS)
			tids[i] = tids[done + i];
		ntids -= done;
		__syncthreads();
	}
	if (ntids == 0)
		return;
	for (uint32_t i = ntids + threadIdx.x; i < (ntids + 31) / 32 * 32; i += THREADS)
		tids[i] = NO_TID;
	__syncthreads();
	WriteSlab(lines, to_lines, child, members, part.first, last, slab, tids, (ntids + 31) / 32);
}

cudaError_t
FimCompactChildren(const void *from, void *to, const FimCompact *children,
				   const uint32_t *members, const FimCompactPart *parts,
				   uint32_t nparts, cudaStream_t stream)
{
	if (nparts == 0)
		return cudaSuccess;
	CompactKernel<<<nparts, THREADS, 0, stream>>>((const uint32_t *) from, (uint32_t *) to,
												  children, members, parts);
	return cudaGetLastError();
}
