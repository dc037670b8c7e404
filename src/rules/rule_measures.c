/*-------------------------------------------------------------------------
 *
 * rule_measures.c
 *	  The SQL function rule_measures().
 *
 * The engine computes; here arguments are checked and become a row, as quickly as can be: the function may be
 * called for each of millions of rules.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "compat.h"
#include "engine/rules/rules.h"
#include "fmgr.h"
#include "funcapi.h"

/* The whole numbers up to here are float8s. */
#define MAX_TRANSACTIONS	(INT64CONST(1) << 53)

/* All that transactions are counted for; argument i of the function is named names[i]. */
enum
{
	SUPPORT, ANTECEDENT, CONSEQUENT, TRANSACTIONS, NCOUNTS
};

static const char *const names[NCOUNTS] = {
	"support", "antecedent_support", "consequent_support", "transactions"
};

static void
CheckNotAbove(const int64 *counts, int smaller, int larger, const char *hint)
{
	if (counts[smaller] > counts[larger])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not be greater than \"%s\"", names[smaller], names[larger]),
				 errdetail("%lld is greater than %lld.", (long long) counts[smaller], (long long) counts[larger]),
				 errhint("%s", hint)));
}

/* Is there a source that has such a rule? */
static void
CheckCounts(const int64 *counts)
{
	const char *of_a_side = "The transactions that hold the whole rule are among those that hold one of its sides.";
	const char *of_all = "\"transactions\" is the number of all transactions of the source.";
	int64		least;

	for (int i = 0; i < NCOUNTS; i++)
		if (counts[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"%s\" must not be negative", names[i]),
					 errhint("It is a number of transactions.")));
	if (counts[TRANSACTIONS] > MAX_TRANSACTIONS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"transactions\" must not be greater than %lld", (long long) MAX_TRANSACTIONS),
				 errhint("Larger numbers of transactions have no exact float8.")));
	CheckNotAbove(counts, SUPPORT, ANTECEDENT, of_a_side);
	CheckNotAbove(counts, SUPPORT, CONSEQUENT, of_a_side);
	CheckNotAbove(counts, ANTECEDENT, TRANSACTIONS, of_all);
	CheckNotAbove(counts, CONSEQUENT, TRANSACTIONS, of_all);
	least = counts[ANTECEDENT] + counts[CONSEQUENT] - counts[SUPPORT];
	if (counts[TRANSACTIONS] < least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"transactions\" must be at least %lld", (long long) least),
				 errdetail("So many transactions hold at least one side of the rule: "
						   "\"antecedent_support\" + \"consequent_support\" - \"support\"."),
				 errhint("%s", of_all)));
}

/* The row type, looked up once for all calls of a query. */
static TupleDesc
MeasuresRowType(FunctionCallInfo fcinfo)
{
	FmgrInfo   *function = fcinfo->flinfo;

	if (function->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(function->fn_mcxt);
		TupleDesc	desc;

		if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE || desc->natts > FIM_RULE_MEASURES)
			elog(ERROR, "rule_measures() does not return a row of measures");
		function->fn_extra = BlessTupleDesc(CreateTupleDescCopy(desc));
		MemoryContextSwitchTo(caller);
	}
	return function->fn_extra;
}

PG_FUNCTION_INFO_V1(gpufim_rule_measures);

Datum
gpufim_rule_measures(PG_FUNCTION_ARGS)
{
	TupleDesc	desc = MeasuresRowType(fcinfo);
	int64		counts[NCOUNTS];
	double		measures[FIM_RULE_MEASURES];
	Datum		values[FIM_RULE_MEASURES];
	bool		nulls[FIM_RULE_MEASURES];

	for (int i = 0; i < NCOUNTS; i++)
		counts[i] = PG_GETARG_INT64(i);
	CheckCounts(counts);
	FimRuleMeasures(counts[SUPPORT], counts[ANTECEDENT], counts[CONSEQUENT], counts[TRANSACTIONS], measures);
	for (int i = 0; i < FIM_RULE_MEASURES; i++)
	{
		values[i] = Float8GetDatum(measures[i]);
		nulls[i] = isnan(measures[i]);
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
