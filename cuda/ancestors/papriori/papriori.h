/*-------------------------------------------------------------------------
 *
 * papriori.h
 *	  Strategies "fft" and "fft_loop": GPU pApriori of Kozawa, Amagasa and Kitagawa, "GPU acceleration of probabilistic frequent itemset mining from uncertain databases" (CIKM 2012).
 *
 * doc/ancestors/papriori.md says which function is which section, and what was changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAPRIORI_H
#define FIM_PAPRIORI_H

#include "ancestors/papriori/fft.h"
#include "ancestors/papriori/papriori_device.h"
#include "probable/probable.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * The convolution tree of GPU pApriori: tails by fast Fourier transform.
 */

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

/* The least memory of the device that these strategies need beside that for all transactions. */
extern uint64_t PaprioriLeast(const ProbableJob *job);

/* Mines the job.  It is an error if the transactions do not fit into one block. */
extern cudaError_t PaprioriMine(ProbableJob *job, Transactions *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAPRIORI_H */
