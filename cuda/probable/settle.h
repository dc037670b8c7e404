/*-------------------------------------------------------------------------
 *
 * settle.h
 *	  What the devices leave in doubt, settled by the host with as many digits as it takes.
 *
 * Included by the files of cuda/probable that judge candidates and give values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETTLE_H
#define FIM_SETTLE_H

#include "probable/probable_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The transactions of each column; they are made when the first itemset is to be settled. */
typedef struct Settler
{
	uint64_t   *column_at;		/* [ncolumns + 1], into rows; NULL if not made yet */
	uint32_t   *rows;			/* ascending in a column */
	double	   *factors;		/* beside rows, under attribute uncertainty */
	FimWorkspace workspace;
	bool		open;			/* the workspace has been set up */

	/* of the itemset at hand */
	uint32_t   *common;			/* its rows */
	double	   *p;				/* its probabilities there */
	uint32_t   *places;			/* [its rows][its columns] where the factors are */
	uint64_t	common_room;
	uint64_t	p_room;
	uint64_t	place_room;
} Settler;

/*
 * Whether the itemset of n columns is selected.  *value becomes its probability as it
 * is shown, if the job wants values, or what is known of it.
 */
extern cudaError_t SettleItemset(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
								 bool *reaches, double *value, FimProbableRule *rule);

/* The same by expectation.  *expected becomes the expected support. */
extern cudaError_t SettleExpectation(ProbableJob *job, Settler *settler, const uint32_t *columns,
									 uint32_t n, bool *reaches, double *expected);

/* The probability of an itemset that is selected. */
extern cudaError_t SettleValue(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
							   double *value);

/*
 * Whether a column has probability 1 in all transactions of an itemset that it is in,
 * under attribute uncertainty.
 */
extern cudaError_t SettleCertain(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
								 uint32_t column, bool *certain);

/* Gives the workspace back; the team has the rest. */
extern void SettleEnd(Settler *settler);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETTLE_H */
