/*-------------------------------------------------------------------------
 *
 * product_call.h
 *	  What all calls of functions about products of sets do.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PRODUCT_CALL_H
#define GPUFIM_SETS_PRODUCT_CALL_H

#include "fmgr.h"
#include "postgres.h"
#include "sets/encode.h"

/*
 * Read the relations of a SetsRequest, multiply them, and put the pairs into the function's
 * result, or only count them.  Both set the request's "found" to the number of pairs.  Each is a
 * CallStep.
 */
extern void ListPairs(FunctionCallInfo fcinfo, void *request);
extern void CountPairs(FunctionCallInfo fcinfo, void *request);

#endif							/* GPUFIM_SETS_PRODUCT_CALL_H */
