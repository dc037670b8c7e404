/*-------------------------------------------------------------------------
 *
 * product_call.h
 *	  What all calls of functions about products of sets do.
 *
 * Included by the files of src/sets that have SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PRODUCT_CALL_H
#define GPUFIM_SETS_PRODUCT_CALL_H

#include "postgres.h"

#include "fmgr.h"

/*
 * Read what a SetsRequest asks for, multiply it, and put the pairs into the function's result, or
 * only count them; found[] of the request says how many they are.  They are of type CallStep.
 */
extern void ListPairs(FunctionCallInfo fcinfo, void *request);
extern void CountPairs(FunctionCallInfo fcinfo, void *request);

#endif							/* GPUFIM_SETS_PRODUCT_CALL_H */
