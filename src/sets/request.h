/*-------------------------------------------------------------------------
 *
 * request.h
 *	  What a call of a function about products of sets asks for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_REQUEST_H
#define GPUFIM_SETS_REQUEST_H

#include "postgres.h"

#include "arguments.h"
#include "engine/sets/sets.h"
#include "sets/relation.h"

typedef struct SetsRequest
{
	const char *function;		/* SQL name */
	RelationSource left;
	RelationSource right;		/* without a source: the left relation is both sides */
	FimSetsJob	job;
	double		minsup;			/* of pairs of items, as the user gave it: a fraction below 1, a count
								 * from 1 up */
	uint64		found;			/* number of results, set when the call has run */
} SetsRequest;

/*
 * Read and check the arguments of a call into its request, in which the caller has set
 * "function". With "listing", the last argument is "witnesses".  With "arrays" or "row_numbers",
 * the arguments are those of the array form, whose transactions have no ids.
 */
extern void ReadJoinRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool listing);
extern void ReadMatrixRequest(FunctionCallInfo fcinfo, SetsRequest *request);
extern void ReadPairsRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool arrays);
extern void ReadSimilarRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool row_numbers);

#endif							/* GPUFIM_SETS_REQUEST_H */
