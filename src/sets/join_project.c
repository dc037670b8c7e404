/*-------------------------------------------------------------------------
 *
 * join_project.c
 *	  The SQL functions join_project(), join_project_count() and
 *	  boolean_matrix_product().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "call.h"
#include "sets/product_call.h"
#include "sets/request.h"

static void
ReadListing(FunctionCallInfo fcinfo, void *request)
{
	ReadJoinRequest(fcinfo, request, true);
}

static void
ReadCounting(FunctionCallInfo fcinfo, void *request)
{
	ReadJoinRequest(fcinfo, request, false);
}

static void
ReadMatrices(FunctionCallInfo fcinfo, void *request)
{
	ReadMatrixRequest(fcinfo, request);
}

PG_FUNCTION_INFO_V1(gpufim_join_project);

Datum
gpufim_join_project(PG_FUNCTION_ARGS)
{
	SetsRequest request = {.function = "join_project"};

	return CallFunction(fcinfo, request.function, ReadListing, ListPairs, &request);
}

PG_FUNCTION_INFO_V1(gpufim_join_project_count);

Datum
gpufim_join_project_count(PG_FUNCTION_ARGS)
{
	SetsRequest request = {.function = "join_project_count"};

	CallValueFunction(fcinfo, request.function, ReadCounting, CountPairs, &request);
	PG_RETURN_INT64((int64) request.found);
}

PG_FUNCTION_INFO_V1(gpufim_boolean_matrix_product);

Datum
gpufim_boolean_matrix_product(PG_FUNCTION_ARGS)
{
	SetsRequest request = {.function = "boolean_matrix_product"};

	return CallFunction(fcinfo, request.function, ReadMatrices, ListPairs, &request);
}
