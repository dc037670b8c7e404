/*-------------------------------------------------------------------------
 *
 * frequent_itemsets.h
 *	  The SQL functions frequent_itemsets() and itemset_counts().
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_FREQUENT_ITEMSETS_H
#define GPUFIM_FREQUENT_ITEMSETS_H

#include "postgres.h"

#include "fmgr.h"

/* Run the function with this SQL name on the arguments of its pair form or of its array form. */
extern Datum ItemsetsFunction(FunctionCallInfo fcinfo, const char *function, bool pairs,
							  bool count_only);

#endif							/* GPUFIM_FREQUENT_ITEMSETS_H */
