/*-------------------------------------------------------------------------
 *
 * papriori_tree.h
 *	  The convolution tree of GPU pApriori: tails by fast Fourier transform.
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

/*
 * Memory for trees that have the same number of places: a power of two, at least TREE_BASE.  A tree's
 * list has a probability in each place, 0 in those behind the candidate's transactions.
 */
typedef struct Tree
{
	uint64_t	places;			/* of each list */
	uint32_t	room;			/* trees that are computed together */

	/* device memory; see papriori_device.h for rows and tops, which levels use in turn */
	double	   *lists;			/* [room][places]; inverse transforms of all levels go here, too */
	double	   *rows[2];		/* [room][2 * places] */
	double	   *tops[2];		/* [room][places / TREE_BASE] */
	double2    *spectra;		/* forward transforms of a level's rows */
	double2    *products;		/* products of pairs of these */
	double	   *tails;			/* [room] */
	void	   *work;			/* for cuFFT */
	size_t		work_bytes;

	FftPlan		plans[TREE_LEVELS][2];	/* of each level, by FftDirection */
} Tree;

/* The device memory that one tree takes. */
extern uint64_t TreeLeast(uint64_t places);

/* Takes memory for as many trees as fit, n at most; tree->room becomes their number.  Closes *tree before. */
extern cudaError_t TreeOpen(ProbableJob *job, GpuDevice *device, Tree *tree, uint64_t places, uint32_t n);

/* Sets the lists of the first n trees to 0. */
extern cudaError_t TreeClear(GpuDevice *device, const Tree *tree, uint32_t n);

/*
 * Computes the tails of the first n trees from their lists, which are overwritten, and copies them to
 * the host.
 */
extern cudaError_t TreeCompute(ProbableJob *job, GpuDevice *device, Tree *tree, uint32_t n, double *tails);

/* A bound of the absolute error of a tail. */
extern double TreeError(uint64_t places);

/* Gives back the memory and the plans; *tree is empty then. */
extern cudaError_t TreeClose(GpuDevice *device, Tree *tree);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAPRIORI_TREE_H */
