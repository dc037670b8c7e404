/*-------------------------------------------------------------------------
 *
 * compact.cu
 *	  Leaving columns of bit matrices out, see bits.h.
 *
 * A thread block takes a part of a child's members, in one of two ways.  If the prefix has few
 * of the parent's columns, the block lists these columns in shared memory.  Whenever it has
 * listed a slab's worth of them, 1024, each warp fetches the bits that a member has in them, a
 * lane for each column, and a vote makes a word of 32 bits.  So members are read only where the
 * prefix has a bit, and neighboring lanes mostly read the same words.
 *
 * If the prefix has many columns, as in all but the first levels of mining, members are read
 * word by word, and the bits that lie under the prefix's bits in a word are moved together in
 * five steps.  Which bits move in each step is the same for all members ("compress", Warren,
 * Hacker's Delight, section 7-4), so it is computed once.
 *
 *-------------------------------------------------------------------------
 */
#include "bits/bits.h"
#include "lanes.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* The prefix has many columns if it has at least one in DENSE_PART of the parent's, by slabs. */
#define DENSE_PART	8

/* The most columns in the list: those that a round adds, and those that the round before left over. */
#define MOST_TIDS	(THREADS * 32 + FIM_SLAB_BITS)
#define NO_TID		0xffffffffu

/* Steps that move 32 bits together: by 1, 2, 4, 8 and 16. */
#define MOVES		5

/* Words that a warp fills in a round: those left over, those of the round, and one beyond the end. */
#define OUT_WORDS	(FIM_LINE_WORDS + THREADS + 1)

typedef struct SparseWork
{
	uint32_t	tids[MOST_TIDS];
	uint32_t	warp_sums[WARPS];
} SparseWork;

typedef struct DenseWork
{
	uint32_t	mask[THREADS];	/* the prefix's words */
	uint32_t	move[MOVES][THREADS];
	uint32_t	at[THREADS];	/* where the bits of each word go */
	uint32_t	out[WARPS][OUT_WORDS]; /* the child's words of a round */
	uint32_t	left[FIM_COMPACTION_ROWS][FIM_LINE_WORDS]; /* of each member, what is less than a slab */
	uint32_t	warp_sums[WARPS];
} DenseWork;

/* Word w of row r of a matrix. */
static __device__ __forceinline__ uint32_t
LoadWord(const uint32_t *lines, const FimMatrix &matrix, uint32_t r, uint32_t w)
{
	return __ldg(FimWord(lines, matrix, w) + (size_t) r * FIM_LINE_WORDS);
}

/* The sum over the threads before this one.  Sets *total to the sum over all threads. */
static __device__ __forceinline__ uint32_t
BlockSums(uint32_t mine, uint32_t *warp_sums, uint32_t *total)
{
	uint32_t	warp = threadIdx.x / 32;
	uint32_t	sum = SumUpTo(mine);
	uint32_t	before = 0;

	if (threadIdx.x % 32 == 31)
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

/*
 * Look at the next 32 * THREADS columns, from word "word" on, and append those that the prefix
 * has to the list.  Returns the new length of the list.
 */
static __device__ uint32_t
ListTids(const uint32_t *lines, const FimMatrix &from, uint32_t prefix, uint32_t word,
		 uint32_t *tids, uint32_t ntids, uint32_t *warp_sums)
{
	uint32_t	w = word + threadIdx.x;
	uint32_t	bits = w < from.slabs * FIM_LINE_WORDS ? LoadWord(lines, from, prefix, w) : 0;
	uint32_t	total;
	uint32_t	at = ntids + BlockSums(__popc(bits), warp_sums, &total);

	for (; bits != 0; bits &= bits - 1)
		tids[at++] = w * 32 + __ffs(bits) - 1;
	__syncthreads();
	return ntids + total;
}

/* Write a slab of the child from nwords * 32 columns of the list.  A warp does one member at a time. */
static __device__ void
WriteSlab(const uint32_t *lines, uint32_t *to_lines, const FimCompaction &child,
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
		to_lines[(child.to.line + (uint64_t) slab * child.to.rows + member) * FIM_LINE_WORDS + lane] = line;
	}
}

/* Make the part's members column by column, for a prefix that has few columns. */
static __device__ void
CompactSparse(const uint32_t *lines, uint32_t *to_lines, const FimCompaction &child,
			  const uint32_t *members, uint32_t first, uint32_t last, SparseWork &work)
{
	uint32_t	prefix = child.prefix - child.from.first;
	uint32_t	nwords = child.from.slabs * FIM_LINE_WORDS;
	uint32_t   *tids = work.tids;
	uint32_t	ntids = 0;
	uint32_t	slab = 0;

	for (uint32_t word = 0; word < nwords; word += THREADS)
	{
		uint32_t	done = 0;

		ntids = ListTids(lines, child.from, prefix, word, tids, ntids, work.warp_sums);
		for (; ntids - done >= FIM_SLAB_BITS; done += FIM_SLAB_BITS)
			WriteSlab(lines, to_lines, child, members, first, last, slab++, tids + done, FIM_LINE_WORDS);
		__syncthreads();
		if (done == 0)
			continue;
		/* what is left is less than a slab, so it can move to the front without overlap */
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
	WriteSlab(lines, to_lines, child, members, first, last, slab, tids, (ntids + 31) / 32);
}

/* Each thread finds out which bits of a word of the prefix move in each step. */
static __device__ __forceinline__ void
FindMoves(uint32_t mask, DenseWork &work)
{
	uint32_t	gaps = ~mask << 1;

	work.mask[threadIdx.x] = mask;
#pragma unroll
	for (int i = 0; i < MOVES; i++)
	{
		uint32_t	odd = gaps ^ gaps << 1;	/* for each bit, the number of gaps at and below it, modulo 2 */
		uint32_t	moving;

		odd ^= odd << 2;
		odd ^= odd << 4;
		odd ^= odd << 8;
		odd ^= odd << 16;
		moving = odd & mask;
		work.move[i][threadIdx.x] = moving;
		mask = (mask ^ moving) | moving >> (1 << i);
		gaps &= ~odd;
	}
}

/* Move a member's bits of word w together, and put them where they belong in the child. */
static __device__ __forceinline__ void
PlaceWord(const DenseWork &work, uint32_t w, uint32_t bits, uint32_t *out)
{
	uint32_t	at = work.at[w];

	bits &= work.mask[w];
#pragma unroll
	for (int i = 0; i < MOVES; i++)
	{
		uint32_t	moving = bits & work.move[i][w];

		bits = (bits ^ moving) | moving >> (1 << i);
	}
	if (bits == 0)
		return;
	atomicOr(out + at / 32, bits << at % 32);
	if (at % 32 != 0 && bits >> (32 - at % 32) != 0)
		atomicOr(out + at / 32 + 1, bits >> (32 - at % 32));
}

/*
 * A warp does a round of a member: THREADS words of the parent from "word" on.  The columns of
 * the round and those left over from the round before are nbits together.  Whole slabs of them
 * go to "to", and the rest stays in "left".
 */
static __device__ void
CompactRound(const uint32_t *lines, const FimMatrix &from, uint32_t row, uint32_t word,
			 uint32_t nbits, DenseWork &work, uint32_t *left, uint32_t *to, uint32_t stride)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t   *out = work.out[threadIdx.x / 32];
	uint32_t	nwords = from.slabs * FIM_LINE_WORDS - word;
	uint32_t	nslabs = nbits / FIM_SLAB_BITS;

	out[lane] = left[lane];
	for (uint32_t i = 1; i <= nslabs; i++)
		out[i * FIM_LINE_WORDS + lane] = 0;
	if (lane == 0)
		out[(nslabs + 1) * FIM_LINE_WORDS] = 0;
	__syncwarp();
	for (uint32_t w = lane; w < THREADS && w < nwords; w += 32)
		PlaceWord(work, w, LoadWord(lines, from, row, word + w), out);
	__syncwarp();
	for (uint32_t i = 0; i < nslabs; i++)
		to[i * stride + lane] = out[i * FIM_LINE_WORDS + lane];
	left[lane] = out[nslabs * FIM_LINE_WORDS + lane];
	__syncwarp();
}

/* Make the part's members word by word of the parent, for a prefix that has many columns. */
static __device__ void
CompactDense(const uint32_t *lines, uint32_t *to_lines, const FimCompaction &child,
			 const uint32_t *members, uint32_t first, uint32_t last, DenseWork &work)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	warp = threadIdx.x / 32;
	uint32_t	prefix = child.prefix - child.from.first;
	uint32_t	nwords = child.from.slabs * FIM_LINE_WORDS;
	uint32_t	stride = child.to.rows * FIM_LINE_WORDS;
	uint32_t	nbits = 0;
	uint32_t   *to = to_lines + (child.to.line + first) * FIM_LINE_WORDS;

	for (uint32_t i = warp; i < last - first; i += WARPS)
		work.left[i][lane] = 0;
	for (uint32_t word = 0; word < nwords; word += THREADS)
	{
		uint32_t	w = word + threadIdx.x;
		uint32_t	mask = w < nwords ? LoadWord(lines, child.from, prefix, w) : 0;
		uint32_t	total;

		work.at[threadIdx.x] = nbits + BlockSums(__popc(mask), work.warp_sums, &total);
		FindMoves(mask, work);
		nbits += total;
		__syncthreads();
		for (uint32_t i = warp; i < last - first; i += WARPS)
			CompactRound(lines, child.from, members[child.members + first + i] - child.from.first,
						 word, nbits, work, work.left[i], to + i * FIM_LINE_WORDS, stride);
		to += (size_t) (nbits / FIM_SLAB_BITS) * stride;
		nbits %= FIM_SLAB_BITS;
		__syncthreads();
	}
	for (uint32_t i = warp; i < last - first && nbits > 0; i += WARPS)
		to[i * FIM_LINE_WORDS + lane] = work.left[i][lane];
}

static __global__ void __launch_bounds__(THREADS)
CompactKernel(const uint32_t *lines, uint32_t *to_lines, const FimCompaction *children,
			  const uint32_t *members, const FimCompactionPart *parts)
{
	__shared__ union
	{
		SparseWork	sparse;
		DenseWork	dense;
	}			work;
	FimCompactionPart part = parts[blockIdx.x];
	FimCompaction child = children[part.child];
	uint32_t	last = min(part.first + FIM_COMPACTION_ROWS, child.to.rows);

	if ((uint64_t) child.to.slabs * DENSE_PART >= child.from.slabs)
		CompactDense(lines, to_lines, child, members, part.first, last, work.dense);
	else
		CompactSparse(lines, to_lines, child, members, part.first, last, work.sparse);
}

cudaError_t
FimCompactMatrices(const void *from, void *to, const FimCompaction *children,
				   const uint32_t *members, const FimCompactionPart *parts,
				   uint32_t nparts, cudaStream_t stream)
{
	if (nparts == 0)
		return cudaSuccess;
	CompactKernel<<<nparts, THREADS, 0, stream>>>((const uint32_t *) from, (uint32_t *) to,
												  children, members, parts);
	return cudaGetLastError();
}
