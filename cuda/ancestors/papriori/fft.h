/*-------------------------------------------------------------------------
 *
 * fft.h
 *	  Batched transforms of real numbers, by cuFFT.
 *
 * cuFFT is a library of 200 MB that only pApriori needs.  So gpufim_cuda.so is not
 * linked with it; it is loaded when pApriori mines for the first time.
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

/* Loads cuFFT, unless it is loaded.  If it cannot be found, the error names the file that is needed. */
extern cudaError_t FftLoad(GpuDevice *device);

typedef enum FftDirection
{
	FFT_FORWARD,				/* from rows of n numbers to rows of n / 2 + 1 complex ones */
	FFT_INVERSE					/* back from complex rows to real ones, times n */
} FftDirection;

/* A plan to transform some rows, which follow one another in memory. */
typedef struct FftPlan
{
	int			handle;			/* cuFFT's, if the plan is made */
	bool		made;
	FftDirection direction;
	uint64_t	n;				/* real numbers of a row */
	uint64_t	rows;
	size_t		work_bytes;		/* device memory that the caller must give FftPlanRun() as "work" */
} FftPlan;

/* Makes *plan this plan, unless it is that already; a different one is freed. */
extern cudaError_t FftPlanMake(GpuDevice *device, FftPlan *plan, FftDirection direction, uint64_t n,
							   uint64_t rows);
extern cudaError_t FftPlanRun(GpuDevice *device, const FftPlan *plan, const void *from, void *to, void *work);
extern void FftPlanFree(FftPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_FFT_H */
