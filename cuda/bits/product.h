/*-------------------------------------------------------------------------
 *
 * product.h
 *	  Products of bit matrices on the device: how many bits each pair of rows of a
 *	  matrix has in common, where these are at least minsup.
 *
 * A matrix R is multiplied with itself: the count of rows i and j is
 * popc(row i & row j), which is an element of R * R^T.  Only the part above the
 * diagonal is counted, and of that only what reaches minsup leaves the
 * multiprocessors.  A group of matrices is multiplied by one launch for each kernel
 * that they take.  For example, supports of itemsets are such counts: the matrix of a
 * prefix class has a row for each extension, and a column for each transaction.
 *
 * Layout.  A matrix lies in slabs.  A slab has 1024 of the matrix's columns: of each
 * row one line of 128 bytes, the rows one after the other without gaps.  The slabs of
 * a matrix follow one another, and all matrices of a group lie in one buffer of lines.
 * So word w (of 32 bits, of which the lowest is the first column) of row r is in line
 *
 *		matrix->line + w / 32 * matrix->rows + r, at word w % 32,
 *
 * and slabs, the tiles of a product and the parts of a sum that different blocks
 * compute are all contiguous in memory.  What a row has beyond its last column must be
 * zero.  Rows need no padding in their number.
 *
 * A matrix may have any number of rows, but the buffer has at most FIM_MAX_LINES
 * lines, and a count must fit in 32 bits.
 *
 * Everything is asynchronous on the stream that the caller gives.  Pointers that are
 * called "device" are to memory of the device and belong to the caller.  Functions
 * return the CUDA error of the call that failed, or cudaSuccess, and leave nothing
 * behind if they fail.  Only one host thread at a time may use a plan.
 *
 * Included by compact.h, product_kernel.h and the strategies that multiply.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_H
#define FIM_PRODUCT_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* How many slabs so many columns take. */
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
	uint32_t	first;			/* what the caller calls the first row */
	uint32_t	skip;			/* so many of the first rows are not paired with one another */
} FimMatrix;

/*
 * Where counts go.  A matrix R has a square of them, without the first "skip" rows of
 * it: the count of rows i and j, i < j, is
 *
 *		count[R->count + (i - R->skip) * R->rows + j],
 *
 * and with "both" that for i > j is there, too.  Only counts are written that reach
 * minsup and are not 0; the caller zeroes the rest.
 *
 * A matrix whose square is too large may be done in bands: rows begin .. end - 1 of
 * the square at a time.  The first row that is there then is "begin", or "skip" if that
 * is greater.
 */
typedef struct FimCounts
{
	uint32_t   *count;			/* device */
	bool		both;
	uint32_t	begin;
	uint32_t	end;			/* UINT32_MAX for all rows */
} FimCounts;

/* What multiplies.  Each way exists only on some devices. */
typedef enum FimWay
{
	FIM_POPC,					/* AND and POPC on the CUDA cores: everywhere */
	FIM_MMA,					/* 1-bit mma.sync: from sm_80 to sm_90 */
	FIM_WGMMA					/* 1-bit wgmma: on sm_90a alone */
} FimWay;

/* The best way that the current device has and that this library is compiled for. */
extern cudaError_t FimBestWay(FimWay *way);

/*
 * A plan says which block computes what.  Matrices are cut into tiles.  Where there are
 * too few tiles to keep the device busy to the end, tiles are cut into ranges of slabs,
 * whose counts are added up in scratch memory.  To make a plan, only the shapes of the
 * matrices are needed.
 *
 * FimPlanMake() looks for what ends first, which costs the host about 0.1 us for each
 * matrix and tile.  FimPlanMany() is for more matrices than that pays for: they are on
 * the device, and so is the plan.  Both are given the counts, of which they look at the
 * band and at "both".  Only FimPlanMake() can do bands.
 *
 * Scratch is device memory of FimPlanScratch() bytes, aligned to 256.  It is the run's
 * alone until the stream has passed the run.
 */
typedef struct FimPlan FimPlan;

/* Matrices on the device, each "stride" bytes after the one before it. */
typedef struct FimMatrices
{
	const FimMatrix *matrices;	/* device */
	size_t		stride;
	uint32_t	n;
	uint64_t	line;			/* subtracted from the number of each one's first line ... */
	uint64_t	count;			/* ... and first count */
} FimMatrices;

/* Bytes of device memory, aligned to 256, that FimPlanMany() needs while it runs. */
#define FIM_SURVEY_BYTES	1024

extern cudaError_t FimPlanMake(FimWay way, const FimMatrix *matrices, uint32_t nmatrices,
							   const FimCounts *counts, FimPlan **plan);

/* Like FimPlanMake(), for matrices on the device.  It waits for the stream. */
extern cudaError_t FimPlanMany(FimWay way, const FimMatrices *matrices, void *survey,
							   cudaStream_t stream, FimPlan **plan);
extern size_t FimPlanScratch(const FimPlan *plan);

/* How many pairs of bits a run of the plan counts. */
extern double FimPlanTests(const FimPlan *plan);
extern cudaError_t FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines,
							  uint32_t minsup, const FimCounts *counts,
							  void *scratch, cudaStream_t stream);
extern void FimPlanFree(FimPlan *plan);

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

#endif							/* FIM_PRODUCT_H */
