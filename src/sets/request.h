/*-------------------------------------------------------------------------
 *
 * request.h
 *	  What a call of a function about products of sets asks for.
 *
 * Included by the files of src/sets.
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
	double		minsup;			/* pairs of items: as given, a fraction below 1 */
	uint64		found;			/* how many results there are, when the call has run */
} SetsRequest;

/*
 * Read and check the arguments of a call into its request, whose function has been set.
 * The last argument of a listing join is "witnesses".
 */
extern void ReadJoinRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool listing);
extern void ReadMatrixRequest(FunctionCallInfo fcinfo, SetsRequest *request);
extern void ReadPairsRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool arrays);
extern void ReadSimilarRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool row_numbers);

#endif							/* GPUFIM_SETS_REQUEST_H */
