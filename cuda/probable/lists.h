/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Lists of probabilities: an itemset's list has one for each transaction that has all of its columns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LISTS_H
#define FIM_LISTS_H

#include "probable/transactions.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Lists of n itemsets on a device.  The order of the transactions is that of the data.
 * List i begins at list[start[i] * unit], or at list[i * unit] if "start" is NULL.
 */
typedef struct ProbabilityLists
{
	uint32_t	length;			/* columns of the longest itemset */
	uint32_t	unit;			/* values: what starts are counted in */
	const uint32_t *start;		/* [n + 1] in units, or NULL */
	const uint32_t *columns;	/* [n][length], a shorter itemset's are filled up with GPU_NONE */
	uint32_t   *filled;			/* [n] values in each list so far */
	double	   *list;			/* the values */
	double	   *rest;			/* low parts of the values, which are sums of two doubles; or NULL */
} ProbabilityLists;

/* Appends the probabilities that n itemsets have in a block of transactions to their lists. */
extern cudaError_t ListsAppend(ProbableJob *job, GpuDevice *device, const UncertainBlock *block,
							   const ProbabilityLists *lists, uint32_t n);

/* ---- among the module's own files ---- */

/* Does the same for n itemsets, from number "from" on, in one launch. */
extern cudaError_t LaunchLists(GpuDevice *device, const UncertainBlock *block,
							   const ProbabilityLists *lists, uint32_t from, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LISTS_H */
