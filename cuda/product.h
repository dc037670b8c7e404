/*-------------------------------------------------------------------------
 *
 * product.h
 *	  Counting on the device: which pairs of rows of a bit matrix have at least
 *	  minsup bits in common.
 *
 * The supports of a prefix class are a product: with one row of bits for each
 * extension (which of the prefix's transactions have it), the support of the
 * prefix with extensions i and j is popc(row i & row j).  So the classes of a
 * level are a group of products R * R^T of which only the part above the
 * diagonal is wanted, and of that only what reaches minsup: nothing else leaves
 * the multiprocessors.
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
#include <stddef.h>
#include <stdint.h>

#define FIM_SLAB_BITS	1024
#define FIM_LINE_BYTES	128
#define FIM_MAX_LINES	INT32_MAX

#ifdef __cplusplus
extern "C"
{
#endif

/* Slabs that hold so many bits. */
static inline
#ifdef __CUDACC__
__host__ __device__
#endif
uint32_t
FimSlabs(uint64_t bits)
{
	return (uint32_t) ((bits + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS);
}

typedef struct FimClass
{
	uint64_t	line;			/* its first line in the buffer */
	uint32_t	rows;
	uint32_t	slabs;
	uint32_t	first;			/* what its first row is called in pairs */
	uint32_t	unused;
} FimClass;

/*
 * Where frequent pairs go, in no particular order: pair is (class's first + i)
 * << 32 | (class's first + j) with i < j.  *count is added to, so the caller
 * zeroes it; it counts on beyond the capacity, and only pairs beyond are lost.
 * Pairs without a common bit are never written, whatever minsup.
 */
typedef struct FimPairs
{
	uint64_t   *pair;			/* device, as many as capacity */
	uint32_t   *support;		/* device, likewise */
	unsigned long long *count;	/* device */
	uint64_t	capacity;
} FimPairs;

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
 * shapes of the classes only and costs about 0.1 us for each class and tile.
 * scratch is device memory of FimPlanScratch() bytes, aligned to 256, and the
 * run's alone until the stream has passed it.
 */
typedef struct FimPlan FimPlan;

extern cudaError_t FimPlanMake(FimWay way, const FimClass *classes, uint32_t nclasses,
							   FimPlan **plan);
extern size_t FimPlanScratch(const FimPlan *plan);
extern cudaError_t FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines,
							  uint32_t minsup, const FimPairs *pairs,
							  void *scratch, cudaStream_t stream);
extern void FimPlanFree(FimPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_H */
