/*-------------------------------------------------------------------------
 *
 * gaps.c
 *	  The gaps of a call: ranges of numeric, and their form in the engine.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "episodes/gaps.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

/*
 * The most different gaps of a call.  For each event, the engine's data have the places where
 * each gap begins and ends, so there would hardly be memory for more gaps.
 */
#define MOST_GAPS	1000

static TypeCacheEntry *
RangeInfo(void)
{
	return lookup_type_cache(NUMRANGEOID, TYPECACHE_RANGE_INFO);
}

static char *
RangeText(RangeType *range)
{
	return OidOutputFunctionCall(F_RANGE_OUT, RangeTypePGetDatum(range));
}

static int
CompareToInteger(Datum number, int64 integer)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, number,
											 NumericGetDatum(int64_to_numeric(integer))));
}

/* Hint at the range that admits all times above 0 up to the same upper bound. */
static int
PositiveHint(const RangeBound *upper)
{
	if (!upper->infinite && CompareToInteger(upper->val, 0) <= 0)
		return errhint("A gap begins above 0, as \"(0,5]\" does.");
	return errhint("Write \"(0,%s%s\": simultaneous events never follow each other.",
				   upper->infinite ? "" : DatumGetCString(DirectFunctionCall1(numeric_out, upper->val)),
				   upper->inclusive ? "]" : ")");
}

static void
CheckGap(RangeType *range)
{
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	int			above;

	range_deserialize(RangeInfo(), range, &lower, &upper, &empty);
	if (empty)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"gaps\" must not contain empty ranges")));
	above = lower.infinite ? -1 : CompareToInteger(lower.val, 0);
	if (above < 0 || (above == 0 && lower.inclusive))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gap \"%s\" in argument \"gaps\" admits 0%s", RangeText(range),
						above < 0 ? " or less" : ""),
				 PositiveHint(&upper)));
}

/* Returns the index of a gap in gaps->range, after adding it if it is new. */
static uint32
GapNumber(Gaps *gaps, RangeType *range)
{
	CHECK_FOR_INTERRUPTS();
	for (uint32 i = 0; i < gaps->n; i++)
		if (range_eq_internal(RangeInfo(), gaps->range[i], range))
			return i;
	CheckGap(range);
	if (gaps->n == MOST_GAPS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"gaps\" must not have more than %d different gaps", MOST_GAPS)));
	gaps->range[gaps->n] = range;
	return gaps->n++;
}

void
TakeGaps(Arguments *args, Gaps *gaps)
{
	ArrayType  *array = DatumGetArrayTypePCopy(TakeRequired(args, "gaps"));
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	deconstruct_array(array, NUMRANGEOID, -1, false, RangeInfo()->typalign, &elements, &nulls, &n);
	gaps->n = 0;
	gaps->given = n;
	gaps->range = palloc((n + 1) * sizeof(RangeType *));
	gaps->number = palloc((n + 1) * sizeof(uint32));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"gaps\" must not contain nulls")));
		gaps->number[i] = GapNumber(gaps, DatumGetRangeTypeP(elements[i]));
	}
}

static bool
IsUnbounded(const RangeBound *upper)
{
	return upper->infinite || numeric_is_nan(DatumGetNumeric(upper->val)) ||
		numeric_is_inf(DatumGetNumeric(upper->val));
}

/* A bound as float8.  For an exclusive bound this is the next float8 inside the range. */
static double
RealBound(const RangeBound *bound)
{
	double		value = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, bound->val));

	if (!bound->inclusive)
		return nextafter(value, bound->lower ? get_float8_infinity() : 0);
	/* a number above 0 may be so small that it is 0 as float8 */
	return bound->lower && value == 0 ? nextafter(0, 1) : value;
}

static FimGap
GapOfReals(const RangeBound *lower, const RangeBound *upper)
{
	FimGap		gap;

	gap.low.real = RealBound(lower);
	gap.high.real = IsUnbounded(upper) ? get_float8_infinity() : RealBound(upper);
	return gap;
}

/*
 * The least or the greatest whole number of the engine's units that a bound admits, for times of
 * this scale.
 */
static Datum
WholeBound(const RangeBound *bound, int scale)
{
	Datum		one = NumericGetDatum(int64_to_numeric(1));
	Datum		power = NumericGetDatum(int64_to_numeric(PowerOfTen(scale)));
	Datum		value = DirectFunctionCall2(numeric_mul, bound->val, power);

	if (bound->lower)
		return bound->inclusive ? DirectFunctionCall1(numeric_ceil, value) :
			DirectFunctionCall2(numeric_add, DirectFunctionCall1(numeric_floor, value), one);
	return bound->inclusive ? DirectFunctionCall1(numeric_floor, value) :
		DirectFunctionCall2(numeric_sub, DirectFunctionCall1(numeric_ceil, value), one);
}

/*
 * The engine's bounds are below INT64_MAX, which means that there is no upper bound.  Two times
 * can be further apart than that, but by less than 2^64.  So an upper bound above 2^64 - 2 can be
 * left out, while one between INT64_MAX and that raises an error.
 */
static int64
IntegerBound(RangeType *range, const RangeBound *bound, int scale)
{
	Datum		whole;

	if (!bound->lower && IsUnbounded(bound))
		return PG_INT64_MAX;
	if (!numeric_is_inf(DatumGetNumeric(bound->val)) && !numeric_is_nan(DatumGetNumeric(bound->val)))
	{
		whole = WholeBound(bound, scale);
		if (CompareToInteger(whole, PG_INT64_MAX) < 0)
			return DatumGetInt64(DirectFunctionCall1(numeric_int8, whole));
		if (!bound->lower &&
			CompareToInteger(DirectFunctionCall2(numeric_div, whole,
												 NumericGetDatum(int64_to_numeric(2))),
							 PG_INT64_MAX) > 0)
			return PG_INT64_MAX;
	}
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("gap \"%s\" in argument \"gaps\" is out of range for the times of the source",
					RangeText(range)),
			 bound->lower ?
			 errhint("The least distance that a gap admits must be less than 2^63 - 1 of the smallest units of these times.") :
			 errhint("Leave the upper bound of a gap out if there is none, as in \"(0,)\".")));
}

FimGap *
GapsInTimes(const Gaps *gaps, const EventTimes *times)
{
	FimGap	   *result = palloc((gaps->n + 1) * sizeof(FimGap));

	for (uint32 i = 0; i < gaps->n; i++)
	{
		RangeBound	lower;
		RangeBound	upper;
		bool		empty;

		range_deserialize(RangeInfo(), gaps->range[i], &lower, &upper, &empty);
		if (times->real)
			result[i] = GapOfReals(&lower, &upper);
		else
		{
			result[i].low.integer = IntegerBound(gaps->range[i], &lower, times->scale);
			result[i].high.integer = IntegerBound(gaps->range[i], &upper, times->scale);
		}
	}
	return result;
}

/*
 * If times are whole numbers, the dither is rounded down to the number of steps that an event can
 * move to either side.
 */
FimTime
DitherInTimes(Datum dither, const EventTimes *times)
{
	RangeBound	bound = {.val = dither, .inclusive = true};
	FimTime		result;
	Datum		whole;

	if (times->real)
	{
		result.real = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, dither));
		if (result.real > 0 && !isinf(result.real))
			return result;
	}
	else
	{
		whole = WholeBound(&bound, times->scale);
		if (CompareToInteger(whole, 0) > 0 && CompareToInteger(whole, PG_INT64_MAX) <= 0)
		{
			result.integer = DatumGetInt64(DirectFunctionCall1(numeric_int8, whole));
			return result;
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("argument \"dither\" is out of range for the times of the source"),
			 times->real ? 0 :
			 errdetail("The dither is %s, and the smallest unit of these times is %s.",
					   DatumGetCString(DirectFunctionCall1(numeric_out, dither)),
					   DatumGetCString(DirectFunctionCall1(numeric_out,
														   NumericGetDatum(int64_div_fast_to_numeric(1, times->scale))))),
			 errhint("An event moves by at least the smallest unit of these times, and by as much as they can hold at most.")));
}
