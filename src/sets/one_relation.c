/*-------------------------------------------------------------------------
 *
 * one_relation.c
 *	  The SQL functions frequent_pairs() and similar_sets().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "call.h"
#include "sets/one_relation.h"
#include "sets/product_call.h"
#include "sets/request.h"

static void
ReadArrays(FunctionCallInfo fcinfo, void *request)
{
	ReadPairsRequest(fcinfo, request, true);
}

static void
ReadPairs(FunctionCallInfo fcinfo, void *request)
{
	ReadPairsRequest(fcinfo, request, false);
}

static void
ReadSets(FunctionCallInfo fcinfo, void *request)
{
	ReadSimilarRequest(fcinfo, request, false);
}

static void
ReadSetsOfRows(FunctionCallInfo fcinfo, void *request)
{
	ReadSimilarRequest(fcinfo, request, true);
}

static Datum
ListOfOne(FunctionCallInfo fcinfo, const char *function, CallStep read)
{
	SetsRequest request = {.function = function};

	return CallFunction(fcinfo, function, read, ListPairs, &request);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_pairs_array);

Datum
gpufim_frequent_pairs_array(PG_FUNCTION_ARGS)
{
	return ListOfOne(fcinfo, "frequent_pairs", ReadArrays);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_pairs);

Datum
gpufim_frequent_pairs(PG_FUNCTION_ARGS)
{
	return ListOfOne(fcinfo, "frequent_pairs", ReadPairs);
}

PG_FUNCTION_INFO_V1(gpufim_similar_sets);

Datum
gpufim_similar_sets(PG_FUNCTION_ARGS)
{
	return ListOfOne(fcinfo, "similar_sets", ReadSets);
}

PG_FUNCTION_INFO_V1(gpufim_similar_sets_array);

Datum
gpufim_similar_sets_array(PG_FUNCTION_ARGS)
{
	return ListOfOne(fcinfo, "similar_sets", ReadSetsOfRows);
}
