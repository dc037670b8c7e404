/*-------------------------------------------------------------------------
 *
 * expected_threshold.c
 *	  The expected support that a user's "minsup" means.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/minsup.h"
#include "fmgr.h"
#include "probable/expected_threshold.h"
#include "utils/builtins.h"

double
ExpectedThreshold(double minsup, int64 transactions)
{
	char		decimal[FIM_DECIMAL_TEXT];
	uint32		whole;
	Datum		product;

	if (minsup >= 1 || transactions == 0)
		return minsup;
	if (FimFractionIsWhole(minsup, transactions, &whole, decimal))
		return whole;
	product = DirectFunctionCall2(numeric_mul,
								  DirectFunctionCall3(numeric_in, CStringGetDatum(decimal),
													  ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)),
								  DirectFunctionCall1(int8_numeric, Int64GetDatum(transactions)));
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, product));
}
