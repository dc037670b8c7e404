/*-------------------------------------------------------------------------
 *
 * settle.h
 *	  Settling what the devices leave in doubt, on the host and with as many digits as it takes.
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

/* The data by column, in host memory.  It is made when the first itemset is to be settled. */
typedef struct Settler
{
	uint64_t   *column_at;		/* [ncolumns + 1], into rows; NULL if not made yet */
	uint32_t   *rows;			/* the rows that have a column, ascending in each column */
	double	   *factors;		/* under attribute uncertainty: the item's probability in each of "rows" */
	FimWorkspace workspace;
	bool		open;			/* the workspace has been set up */

	/* of the itemset that is being settled */
	uint32_t   *common;			/* the rows that have all of its columns */
	double	   *p;				/* its probabilities in these rows */
	uint32_t   *places;			/* [its rows][its columns] where the row is among the column's; NULL under
								 * tuple uncertainty */
	uint64_t	common_room;
	uint64_t	p_room;
	uint64_t	place_room;
} Settler;

/*
 * Sets *reaches to whether the itemset of n columns is selected by its probability, and *rule
 * to what settled that.  *value becomes the probability as it is shown if the job wants values,
 * otherwise the lower bound that was found on the way.
 */
extern cudaError_t SettleItemset(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
								 bool *reaches, double *value, FimProbableRule *rule);

/* Sets *reaches to whether the itemset is selected by its expected support, which *expected becomes. */
extern cudaError_t SettleExpectation(ProbableJob *job, Settler *settler, const uint32_t *columns,
									 uint32_t n, bool *reaches, double *expected);

/* Sets *value to the probability of an itemset that is selected, as it is shown. */
extern cudaError_t SettleValue(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
							   double *value);

/*
 * Only under attribute uncertainty: sets *certain to whether "column", which is one of the
 * itemset's n columns, has probability 1 in all transactions of the itemset.
 */
extern cudaError_t SettleCertain(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
								 uint32_t column, bool *certain);

/* Gives the workspace back.  The other memory is freed when the team's job ends. */
extern void SettleEnd(Settler *settler);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETTLE_H */
