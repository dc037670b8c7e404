/*-------------------------------------------------------------------------
 *
 * probable_itemsets.h
 *	  The SQL function probable_itemsets().
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PROBABLE_ITEMSETS_H
#define GPUFIM_PROBABLE_ITEMSETS_H

#include "engine/probable/probable.h"
#include "fmgr.h"
#include "items.h"
#include "itemset_rows.h"
#include "postgres.h"
#include "work/job.h"

/* Run probable_itemsets() on the arguments of its pair form or of its array form. */
extern Datum ProbableFunction(FunctionCallInfo fcinfo, bool pairs);

#endif							/* GPUFIM_PROBABLE_ITEMSETS_H */
