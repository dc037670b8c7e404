/*-------------------------------------------------------------------------
 *
 * papriori_tree.h
 *	  The convolution tree of GPU pApriori: tails by fast Fourier transform.
 *
 * Included by papriori.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAPRIORI_TREE_H
#define FIM_PAPRIORI_TREE_H

#include "probable/fft.h"
#include "probable/papriori_device.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define TREE_LEVELS		24		/* above those in shared memory */

/* Trees of the same number of places, a power of two from TREE_BASE on. */
typedef struct Tree
{
	uint64_t	places;			/* of each list */
	uint32_t	room;			/* trees that are computed together */

	/* device memory */
	double	   *lists;			/* [room][places]; also for inverse transforms */
	double	   *rows[2];		/* [room][2 * places] */
	double	   *tops[2];		/* [room][places / TREE_BASE] */
	double2    *spectra;
	double2    *products;
	double	   *tails;			/* [room] */
	void	   *work;
	size_t		work_bytes;

	FftPlan		plans[TREE_LEVELS][2];
} Tree;

/* The device memory that one tree takes. */
extern uint64_t TreeLeast(uint64_t places);

/* Takes memory for as many trees as fit, n at most.  Trees that are there already are given back. */
extern cudaError_t TreeOpen(ProbableJob *job, GpuDevice *device, Tree *tree, uint64_t places, uint32_t n);

/* Sets the lists to 0, for n trees. */
extern cudaError_t TreeClear(GpuDevice *device, const Tree *tree, uint32_t n);

/* Computes n tails from the lists, and copies them to the host. */
extern cudaError_t TreeCompute(ProbableJob *job, GpuDevice *device, Tree *tree, uint32_t n, double *tails);

/* How far a tail may be off. */
extern double TreeError(uint64_t places);

/* Gives back everything. */
extern cudaError_t TreeClose(GpuDevice *device, Tree *tree);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAPRIORI_TREE_H */
