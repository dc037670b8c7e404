/*-------------------------------------------------------------------------
 *
 * fft.h
 *	  Batched transforms of real numbers, by cuFFT.
 *
 * cuFFT is a library of 200 MB that only one of the strategies needs.  So it is loaded
 * when that strategy mines for the first time, and gpufim_cuda.so does without it.
 *
 * Included by papriori.c and by papriori_tree.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_FFT_H
#define FIM_FFT_H

#include "device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Loads cuFFT, if that has not been done.  A lack of it is an error that says which file is wanted. */
extern cudaError_t FftLoad(GpuDevice *device);

typedef enum FftDirection
{
	FFT_FORWARD,				/* from rows of n numbers to rows of n / 2 + 1 complex ones */
	FFT_INVERSE					/* and back, times n */
} FftDirection;

/* Transforms so many rows, each of which follows the one before. */
typedef struct FftPlan
{
	int			handle;			/* cuFFT's, if there is one */
	bool		made;
	FftDirection direction;
	uint64_t	n;
	uint64_t	rows;
	size_t		work_bytes;		/* device memory that running it takes, the caller's */
} FftPlan;

/* Makes a plan, unless it is the one that is there. */
extern cudaError_t FftPlanMake(GpuDevice *device, FftPlan *plan, FftDirection direction, uint64_t n,
							   uint64_t rows);
extern cudaError_t FftPlanRun(GpuDevice *device, const FftPlan *plan, const void *from, void *to, void *work);
extern void FftPlanFree(FftPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_FFT_H */
