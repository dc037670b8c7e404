/*-------------------------------------------------------------------------
 *
 * row_estimate.h
 *	  Whether sets of rows are gone through sooner than sets of items, at low thresholds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_ESTIMATE_H
#define FIM_ROW_ESTIMATE_H

#include "miner.h"

/*
 * Whether closed or maximal itemsets are expected sooner from sets of rows, judging by what a
 * sample of two and of three rows share.  The items from "first" to "end" - 1 are those that
 * are frequent and not in all rows.  False at thresholds above those that were measured.  The
 * answer depends on nothing but the arguments.
 */
extern bool RowsAreQuicker(const FimItemsetsJob *job, const FimDatabase *db, uint32_t first, uint32_t end);

#endif							/* FIM_ROW_ESTIMATE_H */
