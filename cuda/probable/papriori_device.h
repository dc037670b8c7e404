/*-------------------------------------------------------------------------
 *
 * papriori_device.h
 *	  What GPU pApriori does on the device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.  Bit strings are rows of
 * nslabs * LINE_WORDS words, a bit for each transaction.
 *
 * Included by papriori.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAPRIORI_DEVICE_H
#define FIM_PAPRIORI_DEVICE_H

#include "probable/transactions.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* How the transactions of a bit string are found. */
typedef enum Decoding
{
	DECODE_POPC,				/* a word's bits are counted, and found one by one (Algorithm 2) */
	DECODE_LOOP					/* each bit of a word is looked at */
} Decoding;

/* The bit string of each candidate: of its columns, ANDed anew, or of a member's and its partner's. */
extern cudaError_t IncludeColumns(GpuDevice *device, const UncertainBlock *block, const uint32_t *columns,
								  uint32_t length, uint32_t n, uint32_t *bits);
extern cudaError_t IncludeMembers(GpuDevice *device, const UncertainBlock *block, const uint32_t *members,
								  const uint32_t *member, const uint32_t *partner, uint32_t n, uint32_t *bits);

/* The bit strings of some candidates, those in "which", one after the other. */
extern cudaError_t GatherBits(GpuDevice *device, const UncertainBlock *block, const uint32_t *bits,
							  const uint32_t *which, uint32_t n, uint32_t *to);

/* Count, mean, variance and third moment of each candidate, as in moments.h. */
extern cudaError_t ReduceCandidates(GpuDevice *device, const UncertainBlock *block, const uint32_t *bits,
									uint32_t n, Decoding decoding, uint32_t *counts, double *sums);

/*
 * Pruning by count (Lemma 2) and by Chernoff's bound (Lemma 3): numbers of the candidates
 * that are left, ascending, and how many there are.
 */
typedef struct Pruning
{
	uint32_t	n;
	const uint32_t *counts;
	const double *sums;			/* the first of MOMENT_SUMS is the mean */
	uint32_t	minsup;
	double		minprob;
	uint32_t   *survivors;
	uint32_t   *nsurvivors;
	void	   *scratch;
	size_t		scratch_bytes;
} Pruning;

extern cudaError_t PruningScratch(uint32_t n, size_t *bytes);
extern cudaError_t PruneCandidates(GpuDevice *device, const Pruning *pruning);

/* The probabilities of each of n bit strings, in a list of so many places, which are 0 before. */
extern cudaError_t DecodeLists(GpuDevice *device, const UncertainBlock *block, const uint32_t *bits,
							   const uint32_t *which, uint32_t n, Decoding decoding, uint64_t places,
							   double *lists);

/* ---- the convolution tree ---- */

#define TREE_BASE		256		/* transactions of a node after the levels in shared memory */

/*
 * A node of m transactions is a row of 2m values: its coefficients but that of m, which
 * is in "tops", and m zeros.  So the product of two nodes' rows has less than 2m of them.
 */

/* The first eight levels, of n nodes of TREE_BASE values each. */
extern cudaError_t ConvolveBase(GpuDevice *device, const double *lists, uint64_t n, double *rows,
								double *tops);

/* Of n pairs of rows of m + 1 spectral coefficients, the products in the first row of each pair's place. */
extern cudaError_t MultiplySpectra(GpuDevice *device, const double2 *spectra, uint64_t n, uint64_t m,
								   double2 *products);

/*
 * n nodes of 2m transactions from the inverse transforms of the products, which are
 * rows of 2m values, not yet divided by 2m; nodes and tops are those of the 2n before.
 */
extern cudaError_t UnpackNodes(GpuDevice *device, const double *values, const double *nodes,
							   const double *tops, uint64_t n, uint64_t m, double *rows, double *new_tops);

/* The sum from minsup on of n roots of m transactions. */
extern cudaError_t SumRoots(GpuDevice *device, const double *rows, const double *tops, uint64_t n,
							uint64_t m, uint32_t minsup, double *tails);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAPRIORI_DEVICE_H */
