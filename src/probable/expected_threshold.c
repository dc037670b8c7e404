/*-------------------------------------------------------------------------
 *
 * expected_threshold.c
 *	  The expected support that a user's "minsup" means.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "engine/minsup.h"
#include "fmgr.h"
#include "probable/expected_threshold.h"
#include "utils/builtins.h"
#include "utils/float.h"

/* Is a fraction the quotient of two whole numbers, rounded to float8 or to float4? */
static bool
IsQuotient(double fraction, double whole, double transactions)
{
	double		quotient = whole / transactions;

	return fabs(fraction - quotient) <= fraction * DBL_EPSILON ||
		(float4) quotient == fraction;
}

/* The fraction as the user typed it: the shortest decimal that float8 or float4 reads as this number. */
static Datum
TypedFraction(double fraction)
{
	char	   *text = float8out_internal(fraction);

	if ((float4) fraction == fraction)
	{
		char	   *shorter = DatumGetCString(DirectFunctionCall1(float4out,
																  Float4GetDatum((float4) fraction)));

		if (strlen(shorter) < strlen(text))
			text = shorter;
	}
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

double
ExpectedThreshold(double minsup, int64 transactions)
{
	uint32		whole;
	Datum		product;

	if (minsup >= 1 || transactions == 0)
		return minsup;
	whole = FimThreshold(minsup, transactions);
	if (IsQuotient(minsup, whole, transactions))
		return whole;
	product = DirectFunctionCall2(numeric_mul, TypedFraction(minsup),
								  DirectFunctionCall1(int8_numeric, Int64GetDatum(transactions)));
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, product));
}
