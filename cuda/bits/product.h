/*-------------------------------------------------------------------------
 *
 * product.h
 *	  Counting on the device: how many bits each pair of rows of a bit matrix has
 *	  in common, where these are at least minsup.
 *
 * The supports of a prefix class are a product: with one row of bits for each
 * extension (which of the prefix's transactions have it), the support of the
 * prefix with extensions i and j is popc(row i & row j).  So the classes of a
 * level are a group of products R * R^T of which only the part above the
 * diagonal is counted, and of that only what reaches minsup leaves the
 * multiprocessors.
 *
 * Layout.  A class's rows lie in slabs.  A slab has 1024 transactions: of each
 * row one line of 128 bytes, the rows one after the other without gaps.  The
 * slabs of a class follow one another, and all classes lie in one buffer of
 * lines.  So word w (of 32 bits, its lowest bit the first transaction) of row
 * r is in line
 *
 *		class->line + w / 32 * class->rows + r, at word w % 32,
 *
 * and transaction blocks, the tiles of a product and the parts of a sum that
 * different blocks compute are all contiguous in memory.  What a row has beyond
 * its last transaction must be zero.  Rows need no padding in their number.
 *
 * A class may have any number of rows, but the buffer at most FIM_MAX_LINES
 * lines, and a count must fit in 32 bits.
 *
 * Everything is asynchronous on the stream that the caller gives, and pointers
 * called "device" belong to the caller.  Functions return the CUDA error of the
 * call that failed, cudaSuccess otherwise; none of them leaves anything behind
 * when it fails.  One host thread at a time may use a plan.
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

/* Slabs that hold so many bits. */
static inline FIM_HOST_DEVICE uint32_t
FimSlabs(uint64_t bits)
{
	return (uint32_t) ((bits + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS);
}

typedef struct FimClass
{
	uint64_t	line;			/* its first line in the buffer */
	uint64_t	count;			/* its first count, see FimCounts */
	uint32_t	rows;
	uint32_t	slabs;
	uint32_t	first;			/* what the caller calls its first row */
	uint32_t	skip;			/* rows that are not paired with one another */
} FimClass;

/*
 * Where counts go.  A class has a matrix of them, without its first rows, "skip" of
 * them: that of rows i and j is count[class->count + (i - skip) * class->rows + j], for
 * i < j, and with "both" for i > j, too.  Written is what reaches minsup and is not 0;
 * the caller zeroes the rest.
 *
 * A class whose matrix is too large may be done in bands, rows begin .. end - 1 of
 * the matrix at a time: the first row that is there then is "begin", if that is not
 * skipped.
 */
typedef struct FimCounts
{
	uint32_t   *count;			/* device */
	bool		both;
	uint32_t	begin;
	uint32_t	end;			/* UINT32_MAX: all rows */
} FimCounts;

/* What multiplies.  Each way is there only on some devices. */
typedef enum FimWay
{
	FIM_POPC,					/* AND and POPC on the CUDA cores */
	FIM_MMA,					/* 1-bit mma.sync: sm_80 to sm_90 */
	FIM_WGMMA					/* 1-bit wgmma: sm_90a alone */
} FimWay;

/* The best way that the current device has and this library is compiled for. */
extern cudaError_t FimBestWay(FimWay *way);

/*
 * A plan says which block computes what: classes are cut into tiles and, where
 * there are too few tiles to keep the device busy to the end, tiles into ranges
 * of slabs whose counts are added in scratch memory.  Making one needs the
 * shapes of the classes only.  FimPlanMake() looks for what ends first, which
 * costs about 0.1 us for each class and tile.  FimPlanMany() is for more classes
 * than that pays for: they are on the device, and so is the plan.
 *
 * Both take the counts for their band and "both"; of these only FimPlanMake() can do
 * bands.  Scratch is device memory of FimPlanScratch() bytes, aligned to 256, and
 * the run's alone until the stream has passed it.
 */
typedef struct FimPlan FimPlan;

/* Classes on the device, each so many bytes after the one before it. */
typedef struct FimClasses
{
	const FimClass *classes;	/* device */
	size_t		stride;
	uint32_t	n;
	uint64_t	line;			/* taken off their numbers of lines ... */
	uint64_t	count;			/* ... and of counts */
} FimClasses;

/* What FimPlanMany() itself needs on the device, aligned to 256. */
#define FIM_SURVEY_BYTES	1024

extern cudaError_t FimPlanMake(FimWay way, const FimClass *classes, uint32_t nclasses,
							   const FimCounts *counts, FimPlan **plan);

/* Waits for the stream. */
extern cudaError_t FimPlanMany(FimWay way, const FimClasses *classes, void *survey,
							   cudaStream_t stream, FimPlan **plan);
extern size_t FimPlanScratch(const FimPlan *plan);

/* Pairs of bits that it counts. */
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

/* Word w of a class's first row; that of row r is r lines further. */
static __device__ __forceinline__ const uint32_t *
FimWord(const uint32_t *lines, const FimClass &of, uint32_t w)
{
	return lines + (of.line + (uint64_t) (w / FIM_LINE_WORDS) * of.rows) * FIM_LINE_WORDS +
		w % FIM_LINE_WORDS;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_PRODUCT_H */
