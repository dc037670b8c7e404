/*-------------------------------------------------------------------------
 *
 * bits.h
 *	  Bit matrices on the device: their layout, leaving columns out, and products: how many bits each
 *	  pair of rows of a matrix has in common, where these are at least minsup.
 *
 * A matrix R is multiplied with itself: the count of rows i and j is popc(row i & row j), which is an element
 * of R * R^T.  Only the part above the diagonal is counted, and of that only what reaches minsup leaves the
 * multiprocessors.  A group of matrices is multiplied by one launch for each kernel that they take.  For
 * example, supports of itemsets are such counts: the matrix of a prefix class has a row for each extension,
 * and a column for each transaction.
 *
 * Everything is asynchronous on the stream that the caller gives.  Pointers that are called "device" are to
 * memory of the device and belong to the caller.  Functions return the CUDA error of the call that failed, or
 * cudaSuccess, and leave nothing behind if they fail.  Only one host thread at a time may use a plan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_BITS_BITS_H
#define GPU_BITS_BITS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bit matrices on the device, and their layout.
 *
 * A matrix lies in slabs.  A slab has 1024 of the matrix's columns: one line of 128 bytes for
 * each row, the rows one after the other without gaps.  The slabs of a matrix follow one
 * another, and all matrices of a group lie in one buffer of lines.  So word w (of 32 bits, of
 * which the lowest is the first column) of row r is in line
 *
 * 	matrix->line + w / 32 * matrix->rows + r, at word w % 32,
 *
 * and slabs, the tiles of a product and the parts of a sum that different blocks compute are
 * all contiguous in memory.  Bits of a row beyond its last column must be zero.  The number of
 * rows need not be padded.
 *
 * A matrix may have any number of rows, but the buffer has at most FIM_MAX_LINES
 * lines, and a count must fit in 32 bits.
 */

#define FIM_SLAB_BITS	1024
#define FIM_LINE_BYTES	128
#define FIM_MAX_LINES	INT32_MAX

/* Marks a function that both the host and the device call. */
#ifdef __CUDACC__
#define FIM_HOST_DEVICE __host__ __device__
#else
#define FIM_HOST_DEVICE
#endif

#ifdef __cplusplus
extern "C"
{
#endif

/* The number of slabs that "bits" columns take. */
static inline FIM_HOST_DEVICE uint32_t
FimSlabs(uint64_t bits)
{
	return (uint32_t) ((bits + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS);
}

typedef struct FimMatrix
{
	uint64_t	line;			/* the number of its first line in the buffer */
	uint64_t	count;			/* the number of its first count, see FimCounts */
	uint32_t	rows;
	uint32_t	slabs;
	uint32_t	first;			/* the caller's number for the first row */
	uint32_t	skip;			/* the first "skip" rows are not paired with one another */
} FimMatrix;

/* An array of matrices on the device, each "stride" bytes after the one before it. */
typedef struct FimMatrices
{
	const FimMatrix *matrices;	/* device */
	size_t		stride;
	uint32_t	n;
	uint64_t	line;			/* subtracted from the "line" of each matrix */
	uint64_t	count;			/* subtracted from the "count" of each matrix */
} FimMatrices;

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

#define FIM_LINE_WORDS	(FIM_LINE_BYTES / 4)

/* The address of word w of a matrix's first row; that of row r is r lines further. */
static __device__ __forceinline__ const uint32_t *
FimWord(const uint32_t *lines, const FimMatrix &of, uint32_t w)
{
	return lines + (of.line + (uint64_t) (w / FIM_LINE_WORDS) * of.rows) * FIM_LINE_WORDS +
		w % FIM_LINE_WORDS;
}

#endif							/* __CUDACC__ */

/*
 * compact.cu: Bit matrices with those columns of another in which one of its rows has a bit.
 *
 * A compaction takes some rows of a matrix, the members, and keeps those of their columns in
 * which another row of the same matrix, the prefix, has a bit.  The columns that are kept are
 * renumbered without gaps.  In mining, columns are transactions: a class's child has the
 * transactions of its prefix alone, so rows get shorter as supports do.  Layout, names and
 * errors are as in product.c.
 */

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct FimCompaction
{
	FimMatrix	from;			/* the parent */
	FimMatrix	to;				/* the child: to.rows is the number of members, to.slabs the slabs that the
								 * columns of the prefix take, and to.skip the number of excluded members,
								 * which come first */
	uint64_t	members;		/* the index of the first member in the list of members */
	uint32_t	prefix;			/* the prefix's row; the parent's first row is from.first */
	uint32_t	part;			/* the index of its first part, unless to.slabs is 0 */
} FimCompaction;

/*
 * A part of the work, which one thread block does: up to FIM_COMPACTION_ROWS members of a
 * child, from member "first" on.
 */
#define FIM_COMPACTION_ROWS	64

typedef struct FimCompactionPart
{
	uint32_t	child;			/* the index of the compaction */
	uint32_t	first;
} FimCompactionPart;

/*
 * Makes the children.  The parts must cover each member of each child once.  "from" and "to"
 * are the buffers of lines of the parents and of the children.  "members" lists rows, of which
 * the first of each parent has the number from.first.  All arrays are device memory.
 */
extern cudaError_t FimCompactMatrices(const void *from, void *to, const FimCompaction *children,
									  const uint32_t *members, const FimCompactionPart *parts,
									  uint32_t nparts, cudaStream_t stream);

/*
 * product.c: Products of bit matrices on the device: how many bits each pair of rows of a matrix has in
 * common, where these are at least minsup.
 */

/*
 * Where counts go.  A matrix R has a square of counts, from which the first "skip" rows are
 * left out.  The count of rows i and j, i < j, is
 *
 *		count[R->count + (i - R->skip) * R->rows + j],
 *
 * With "both", the same count is written for i > j, too.  Only counts that reach minsup and are
 * not 0 are written; the caller zeroes the rest.
 *
 * A matrix whose square is too large may be done a few rows at a time, "begin" to "end" - 1 of
 * the square.  The first row that is in memory then is "begin", or "skip" if that is greater.
 *
 * With a "tally", no counts are written.  Instead, "weight" is added to the tally for each
 * count that would be written, if its column is not below "first_column".  A tally cannot be
 * used with "both", and only for matrices for which FimCanTally() is true (product.c).
 */
typedef struct FimCounts
{
	uint32_t   *count;			/* device */
	bool		both;
	uint32_t	begin;
	uint32_t	end;			/* UINT32_MAX: up to the last row */
	unsigned long long *tally;	/* device, or NULL */
	uint32_t	first_column;
	uint32_t	weight;
} FimCounts;

/* The ways to multiply.  All but the first exist only on some devices. */
typedef enum FimWay
{
	FIM_POPC,					/* AND and POPC on the CUDA cores: everywhere */
	FIM_MMA,					/* 1-bit mma.sync: from sm_80 to sm_90 */
	FIM_WGMMA					/* 1-bit wgmma: on sm_90a alone */
} FimWay;

/* A plan of products, see product_kernel.h. */
typedef struct FimPlan FimPlan;

/*
 * product_plan.c: Which way a device multiplies, and making and freeing plans of products.
 */

/* The best way that the current device has and that this library is compiled for. */
extern cudaError_t FimBestWay(FimWay *way);

/* Whether the pairs of matrices of "rows" rows can be told to a tally, see FimCounts. */
extern bool FimCanTally(FimWay way, uint32_t rows);

/*
 * Makes a plan on the host, for matrices in host memory.  It looks for the way to cut the work
 * that will be done first, which takes the host about 0.1 us for each matrix and tile.  Where
 * that is too long, FimPlanMany() makes a plan on the device (product_plan_device.cu).  Of
 * "counts", only "begin", "end" and "both" are used.
 */
extern cudaError_t FimPlanMake(FimWay way, const FimMatrix *matrices, uint32_t nmatrices,
							   const FimCounts *counts, FimPlan **plan);
extern void FimPlanFree(FimPlan *plan);

/*
 * product.c: Running plans.
 */

/*
 * The bytes of scratch memory that a run needs.  Scratch memory is memory of the device,
 * aligned to 256 bytes, and belongs to the run alone until the stream has passed the run.
 */
extern size_t FimPlanScratch(const FimPlan *plan);

/* How many pairs of bits a run of the plan counts. */
extern double FimPlanTests(const FimPlan *plan);

/*
 * Multiplies the plan's matrices, which lie in a buffer "lines" of nlines lines.  A run does
 * not change the plan.
 */
extern cudaError_t FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines,
							  uint32_t minsup, const FimCounts *counts,
							  void *scratch, cudaStream_t stream);

/*
 * product_plan_device.cu: Plans that the device makes, of many matrices.
 */

/* Bytes of device memory, aligned to 256, that FimPlanMany() needs while it runs. */
#define FIM_SURVEY_BYTES	1024

/* Like FimPlanMake(), for matrices on the device, of which all rows are counted.  It waits for the stream. */
extern cudaError_t FimPlanMany(FimWay way, const FimMatrices *matrices, void *survey,
							   cudaStream_t stream, FimPlan **plan);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_BITS_BITS_H */
