/*-------------------------------------------------------------------------
 *
 * probable_itemsets.h
 *	  The SQL function probable_itemsets().
 *
 * Included by untyped_call.c; the server finds the functions by their names.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PROBABLE_ITEMSETS_H
#define GPUFIM_PROBABLE_ITEMSETS_H

#include "postgres.h"

#include "fmgr.h"

/* Run it on arguments of the pair form or of the array form. */
extern Datum ProbableFunction(FunctionCallInfo fcinfo, bool pairs);

#endif							/* GPUFIM_PROBABLE_ITEMSETS_H */
