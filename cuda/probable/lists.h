/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Lists of the probabilities of itemsets: one for each transaction that has all columns.
 *
 * Included by the files of cuda/probable that compute distributions.
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

/* Lists on a device.  The order of the transactions is that of the data. */
typedef struct ProbabilityLists
{
	uint32_t	length;			/* columns of the longest itemset */
	uint32_t	unit;			/* each list begins at a multiple of so many values: ... */
	const uint32_t *start;		/* ... [n + 1] this one, or its own number if NULL */
	const uint32_t *columns;	/* [n][length], behind those of a shorter itemset GPU_NONE */
	uint32_t   *filled;			/* [n] values in each list so far */
	double	   *list;
	double	   *rest;			/* what each value, a product, lacks; or NULL if that is not wanted */
} ProbabilityLists;

/* Appends the probabilities of n itemsets in a block of transactions to their lists. */
extern cudaError_t ListsAppend(ProbableJob *job, GpuDevice *device, const UncertainBlock *block,
							   const ProbabilityLists *lists, uint32_t n);

/* ---- among the module's own files ---- */

/* The same for itemsets from, from + 1, ... , in one launch. */
extern cudaError_t LaunchLists(GpuDevice *device, const UncertainBlock *block,
							   const ProbabilityLists *lists, uint32_t from, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LISTS_H */
