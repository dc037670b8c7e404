/*-------------------------------------------------------------------------
 *
 * papriori_device.h
 *	  What GPU pApriori does on the device.
 *
 * All functions put their work into the device's counting stream.  The device must be the
 * current one, and all addresses are of its memory.  A bit string is a row of
 * nslabs * LINE_WORDS words, with a bit for each transaction.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAPRIORI_DEVICE_H
#define FIM_PAPRIORI_DEVICE_H

#include "probable/probable.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* How the transactions of a bit string are found. */
typedef enum Decoding
{
	DECODE_POPC,				/* the bits set in a word are counted, then found one by one (Algorithm 2) */
	DECODE_LOOP					/* each of a word's 32 bits is tested */
} Decoding;

/*
 * Both write the bit strings of n candidates to "bits".  IncludeColumns() ANDs the lines of each
 * candidate's "length" columns.  IncludeMembers() ANDs the bit strings of two members of the level
 * before, whose numbers member[i] and partner[i] are; "members" has the members' bit strings.
 */
extern cudaError_t IncludeColumns(GpuDevice *device, const UncertainBlock *block, const uint32_t *columns,
								  uint32_t length, uint32_t n, uint32_t *bits);
extern cudaError_t IncludeMembers(GpuDevice *device, const UncertainBlock *block, const uint32_t *members,
								  const uint32_t *member, const uint32_t *partner, uint32_t n, uint32_t *bits);

/* Copies the bit strings of the n candidates in "which" to "to", one after the other. */
extern cudaError_t GatherBits(GpuDevice *device, const UncertainBlock *block, const uint32_t *bits,
							  const uint32_t *which, uint32_t n, uint32_t *to);

/*
 * Computes count, mean, variance and third moment of n candidates under tuple uncertainty, as in
 * MomentBatch.
 */
extern cudaError_t ReduceCandidates(GpuDevice *device, const UncertainBlock *block, const uint32_t *bits,
									uint32_t n, Decoding decoding, uint32_t *counts, double *sums);

/*
 * Pruning n candidates by count (Lemma 2) and by Chernoff's bound (Lemma 3).  The numbers of
 * those that are left go to "survivors", in ascending order, and how many there are to
 * *nsurvivors.
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

/*
 * Under tuple uncertainty, writes the probabilities of the transactions of each of the n candidates in
 * "which" to a list of "places" places.  The lists must have been set to 0 before.
 */
extern cudaError_t DecodeLists(GpuDevice *device, const UncertainBlock *block, const uint32_t *bits,
							   const uint32_t *which, uint32_t n, Decoding decoding, uint64_t places,
							   double *lists);

/* ---- the convolution tree ---- */

#define TREE_BASE		256		/* transactions of a node above the levels in shared memory */

/*
 * A node of m transactions has m + 1 coefficients.  The last one is kept in "tops".  The others, and m
 * zeros behind them, are a row of 2m values.  So the product of two nodes' rows has less than 2m
 * coefficients, and transforms of length 2m compute it.
 */

/* Computes the first eight levels: from n times TREE_BASE probabilities, the rows and tops of n nodes. */
extern cudaError_t ConvolveBase(GpuDevice *device, const double *lists, uint64_t n, double *rows,
								double *tops);

/* Multiplies n pairs of adjacent rows of m + 1 spectral coefficients, to n adjacent rows. */
extern cudaError_t MultiplySpectra(GpuDevice *device, const double2 *spectra, uint64_t n, uint64_t m,
								   double2 *products);

/*
 * Makes n nodes of 2m transactions, "rows" and "new_tops".  "values" has the inverse
 * transforms of the products, n rows of 2m values that are not yet divided by 2m.  "nodes"
 * and "tops" are the 2n nodes of m transactions.
 */
extern cudaError_t UnpackNodes(GpuDevice *device, const double *values, const double *nodes,
							   const double *tops, uint64_t n, uint64_t m, double *rows, double *new_tops);

/* Computes the tails of n roots of m transactions: the sum of their coefficients from minsup on. */
extern cudaError_t SumRoots(GpuDevice *device, const double *rows, const double *tops, uint64_t n,
							uint64_t m, uint32_t minsup, double *tails);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAPRIORI_DEVICE_H */
