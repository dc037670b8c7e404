/*-------------------------------------------------------------------------
 *
 * untyped_call.c
 *	  The functions that mine episodes, for parameters without types; see untyped.h.
 *	  As there is one form only, nothing is left to be guessed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "episodes/episode_significance.h"
#include "episodes/frequent_episodes.h"
#include "untyped.h"

#define FIRST_OPTIONAL		5	/* this argument and those after it have the default '' */

/* Begin a call with the arguments that all functions that mine have in common. */
static void
BeginCall(FunctionCallInfo fcinfo, FunctionCallInfo call, Untyped *given)
{
	ReadUntyped(fcinfo, FIRST_OPTIONAL, given);
	BeginTypedCall(fcinfo, call);
	AddArgument(call, TEXTOID, given->text[0]);
	AddArgument(call, NAMEOID, given->text[1]);
	AddArgument(call, NAMEOID, given->text[2]);
	AddArgument(call, FLOAT8OID, given->text[3]);
	AddArgument(call, NUMRANGEARRAYOID, given->text[4]);
	AddArgument(call, INT4OID, UntypedOr(given, 5, "1"));
	AddArgument(call, INT4OID, UntypedOr(given, 6, NULL));
	AddArgument(call, NAMEOID, UntypedOr(given, 7, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(given, 8, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(given, 9, NULL));
	AddArgument(call, TEXTOID, UntypedOr(given, 10, "all"));
}

static Datum
RunUntyped(FunctionCallInfo fcinfo, const char *function, bool count_only)
{
	LOCAL_FCINFO(call, UNTYPED_MAX_ARGUMENTS);
	Untyped		given;

	BeginCall(fcinfo, call, &given);
	return EpisodesFunction(call, function, count_only);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_episodes_untyped);

Datum
gpufim_frequent_episodes_untyped(PG_FUNCTION_ARGS)
{
	return RunUntyped(fcinfo, "frequent_episodes", false);
}

PG_FUNCTION_INFO_V1(gpufim_episode_counts_untyped);

Datum
gpufim_episode_counts_untyped(PG_FUNCTION_ARGS)
{
	return RunUntyped(fcinfo, "episode_counts", true);
}

PG_FUNCTION_INFO_V1(gpufim_episode_significance_untyped);

Datum
gpufim_episode_significance_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_MAX_ARGUMENTS);
	Untyped		given;

	BeginCall(fcinfo, call, &given);
	AddArgument(call, INT4OID, UntypedOr(&given, 11, "1000"));
	AddArgument(call, NUMERICOID, UntypedOr(&given, 12, NULL));
	AddArgument(call, INT8OID, UntypedOr(&given, 13, NULL));
	AddArgument(call, TEXTOID, UntypedOr(&given, 14, "shift"));
	return gpufim_episode_significance(call);
}
