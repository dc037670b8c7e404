/*-------------------------------------------------------------------------
 *
 * papriori.h
 *	  Strategies "fft" and "fft_loop": GPU pApriori of Kozawa, Amagasa and Kitagawa, "GPU acceleration
 *	  of probabilistic frequent itemset mining from uncertain databases" (CIKM 2012).
 *
 * doc/ancestors/papriori.md says which function is which section, and what was changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ANCESTORS_PAPRIORI_H
#define GPU_ANCESTORS_PAPRIORI_H

#include "device.h"
#include "probable/probable.h"

/*
 * fft.c: Batched transforms of real numbers, by cuFFT.
 *
 * cuFFT is a library of 200 MB that only pApriori needs.  So gpufim_cuda.so is not
 * linked with it; it is loaded when pApriori mines for the first time.
 */

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

/*
 * papriori_kernels.cu: What pApriori does on the device.
 *
 * All functions put their work into the device's counting stream.  The device must be the
 * current one, and all addresses are of its memory.  A bit string is a row of
 * nslabs * LINE_WORDS words, with a bit for each transaction.
 */

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
extern cudaError_t IncludeColumns(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *columns,
								  uint32_t length, uint32_t n, uint32_t *bits);
extern cudaError_t IncludeMembers(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *members,
								  const uint32_t *member, const uint32_t *partner, uint32_t n, uint32_t *bits);

/* Copies the bit strings of the n candidates in "which" to "to", one after the other. */
extern cudaError_t GatherBits(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *bits,
							  const uint32_t *which, uint32_t n, uint32_t *to);

/*
 * Computes count, mean, variance and third moment of n candidates under tuple uncertainty, as in
 * MomentBatch.
 */
extern cudaError_t ReduceCandidates(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *bits,
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
extern cudaError_t DecodeLists(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *bits,
							   const uint32_t *which, uint32_t n, Decoding decoding, uint64_t places,
							   double *lists);

/*
 * The convolution tree.
 */

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

/*
 * papriori.c: Mining by pApriori, with tails by a tree of fast Fourier transforms.
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

	/* device memory; see below for rows and tops, which levels use in turn */
	double	   *lists;			/* [room][places]; inverse transforms of all levels go here, too */
	double	   *rows[2];		/* [room][2 * places] */
	double	   *tops[2];		/* [room][places / TREE_BASE] */
	double2    *spectra;		/* forward transforms of a level's rows */
	double2    *products;		/* products of pairs of these */
	double	   *tails;			/* [room] */
	void	   *work;			/* for cuFFT */
	size_t		work_bytes;

	FftPlan		plans[TREE_LEVELS][2]; /* of each level, by FftDirection */
} Tree;

/* The least memory of the device that these strategies need beside that for all transactions. */
extern uint64_t PaprioriLeast(const ProbableJob *job);

/* Mines the job.  It is an error if the transactions do not fit into one sheet. */
extern cudaError_t PaprioriMine(ProbableJob *job, Transactions *t);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ANCESTORS_PAPRIORI_H */
