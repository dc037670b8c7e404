/*-------------------------------------------------------------------------
 *
 * regroup.h
 *	  Bringing the pairs of each transaction together where they came apart.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_REGROUP_H
#define GPUFIM_REGROUP_H

#include "read/rows.h"

/*
 * If transactions were scattered in the source, make the rows' records complete and the
 * items' counts exact.  Items that occur less often than minsup are left out, unless
 * entries have values.  Raises an error if an item has two probabilities in one
 * transaction.
 */
extern void RowsRegroup(GpufimRows *rows, uint32 minsup);

#endif							/* GPUFIM_REGROUP_H */
