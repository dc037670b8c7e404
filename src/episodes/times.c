/*-------------------------------------------------------------------------
 *
 * times.c
 *	  The times of events and the gaps between them: from SQL values to those of the engine,
 *	  and times back.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat.h"
#include "episodes/episodes.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

/* Digits of a second after the point: the server counts microseconds. */
#define SECOND_SCALE	6

bool
IsTimeType(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

void
TimesInit(EventTimes *times, Oid type, int32 typmod)
{
	memset(times, 0, sizeof(EventTimes));
	times->type = type;
	times->typmod = typmod;
	times->real = type == FLOAT4OID || type == FLOAT8OID;
	if (type == TIMEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID || type == INTERVALOID)
		times->scale = SECOND_SCALE;
}

const char *
UnitOfGaps(const EventTimes *times)
{
	switch (times->type)
	{
		case DATEOID:
			return "days";
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return "seconds";
		default:
			return NULL;
	}
}

int64
PowerOfTen(int n)
{
	static const int64 powers[TIME_DIGITS + 1] = {
		INT64CONST(1), INT64CONST(10), INT64CONST(100), INT64CONST(1000),
		INT64CONST(10000), INT64CONST(100000), INT64CONST(1000000),
		INT64CONST(10000000), INT64CONST(100000000), INT64CONST(1000000000),
		INT64CONST(10000000000), INT64CONST(100000000000), INT64CONST(1000000000000),
		INT64CONST(10000000000000), INT64CONST(100000000000000),
		INT64CONST(1000000000000000), INT64CONST(10000000000000000),
		INT64CONST(100000000000000000), INT64CONST(1000000000000000000)
	};

	return powers[n];
}

/*
 * Read the digits of a decimal number as a whole number.  *scale becomes the number of digits
 * behind the point, without zeros at the end.  Returns false if there are more than TIME_DIGITS
 * digits.
 */
static bool
ReadDigits(const char *text, int64 *digits, int *scale)
{
	bool		negative = *text == '-';
	bool		behind = false;
	int64		read = 0;
	int			zeros = 0;

	*scale = 0;
	for (text += negative; *text != '\0'; text++)
	{
		if (*text == '.')
		{
			behind = true;
			continue;
		}
		if (behind && *text == '0')
		{
			zeros++;
			continue;
		}
		/* zeros behind the point count once another digit follows */
		*scale += zeros + behind;
		for (; zeros >= 0; zeros--)
		{
			if (read >= PowerOfTen(TIME_DIGITS - 1))
				return false;
			read *= 10;
		}
		zeros = 0;
		read += *text - '0';
	}
	*digits = negative ? -read : read;
	return *scale <= TIME_DIGITS;
}

/* Does a whole number, multiplied by 10^power, still have at most TIME_DIGITS digits? */
static bool
FitsScaled(int64 number, int power)
{
	return number <= (PowerOfTen(TIME_DIGITS) - 1) / PowerOfTen(power);
}

static TimeFault
TimeOfNumeric(EventTimes *times, Datum value, FimTime *time)
{
	Numeric		number = DatumGetNumeric(value);
	int64		digits;
	int			scale;

	if (numeric_is_nan(number) || numeric_is_inf(number))
		return TIME_NOT_FINITE;
	if (!ReadDigits(DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(number))),
					&digits, &scale))
		return TIME_TOO_LONG;
	if (scale > times->scale)
	{
		int			more = scale - times->scale;

		if (!FitsScaled(times->largest, more))
			return TIME_TOO_LONG;
		times->largest *= PowerOfTen(more);
		times->grown += more;
		times->scale = scale;
	}
	if (!FitsScaled(llabs(digits), times->scale - scale))
		return TIME_TOO_LONG;
	time->integer = digits * PowerOfTen(times->scale - scale);
	times->largest = Max(times->largest, llabs(time->integer));
	return TIME_GOOD;
}

/* Months have 30 days and days 24 hours, as where PostgreSQL compares intervals. */
static TimeFault
TimeOfInterval(const Interval *interval, FimTime *time)
{
	int64		days = (int64) interval->month * DAYS_PER_MONTH + interval->day;

	if (IntervalIsInfinite(interval))
		return TIME_NOT_FINITE;
	if (pg_mul_s64_overflow(days, USECS_PER_DAY, &days) ||
		pg_add_s64_overflow(days, interval->time, &time->integer))
		return TIME_TOO_LARGE;
	return TIME_GOOD;
}

static TimeFault
FiniteOrNot(bool finite)
{
	return finite ? TIME_GOOD : TIME_NOT_FINITE;
}

TimeFault
TimeOfValue(EventTimes *times, Datum value, FimTime *time)
{
	switch (times->type)
	{
		case INT2OID:
			time->integer = DatumGetInt16(value);
			return TIME_GOOD;
		case INT4OID:
			time->integer = DatumGetInt32(value);
			return TIME_GOOD;
		case INT8OID:
			time->integer = DatumGetInt64(value);
			return TIME_GOOD;
		case NUMERICOID:
			return TimeOfNumeric(times, value, time);
		case FLOAT4OID:
			time->real = DatumGetFloat4(value);
			return FiniteOrNot(isfinite(time->real));
		case FLOAT8OID:
			time->real = DatumGetFloat8(value);
			return FiniteOrNot(isfinite(time->real));
		case DATEOID:
			time->integer = DatumGetDateADT(value);
			return FiniteOrNot(!DATE_NOT_FINITE(time->integer));
		case TIMEOID:
			time->integer = DatumGetTimeADT(value);
			return TIME_GOOD;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			time->integer = DatumGetTimestamp(value);
			return FiniteOrNot(!TIMESTAMP_NOT_FINITE(time->integer));
		case INTERVALOID:
			return TimeOfInterval(DatumGetIntervalP(value), time);
		default:
			elog(ERROR, "there are no times of type %u", times->type);
	}
}

char *
TextOfTime(const EventTimes *times, int64 time)
{
	int64		power = PowerOfTen(times->scale);
	uint64		size = time < 0 ? -(uint64) time : (uint64) time;
	char	   *text = psprintf("%s%llu", time < 0 ? "-" : "", (unsigned long long) (size / power));

	if (size % power > 0)
	{
		char	   *end;

		text = psprintf("%s.%0*llu", text, times->scale, (unsigned long long) (size % power));
		for (end = text + strlen(text); end[-1] == '0'; end--)
			end[-1] = '\0';
	}
	return text;
}

/* The numeric has the scale of the column's type if that has one. */
static Datum
NumericOfTime(const EventTimes *times, int64 time)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(TextOfTime(times, time)), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(times->typmod));
}

static Datum
IntervalOfTime(int64 time)
{
	Interval   *interval = palloc(sizeof(Interval));

	interval->month = 0;
	interval->day = (int32) (time / USECS_PER_DAY);
	interval->time = time % USECS_PER_DAY;
	return IntervalPGetDatum(interval);
}

Datum
ValueOfTime(const EventTimes *times, FimTime time)
{
	switch (times->type)
	{
		case INT2OID:
			return Int16GetDatum((int16) time.integer);
		case INT4OID:
			return Int32GetDatum((int32) time.integer);
		case INT8OID:
			return Int64GetDatum(time.integer);
		case NUMERICOID:
			return NumericOfTime(times, time.integer);
		case FLOAT4OID:
			return Float4GetDatum((float4) time.real);
		case FLOAT8OID:
			return Float8GetDatum(time.real);
		case DATEOID:
			return DateADTGetDatum((DateADT) time.integer);
		case TIMEOID:
			return TimeADTGetDatum(time.integer);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TimestampGetDatum(time.integer);
		case INTERVALOID:
			return IntervalOfTime(time.integer);
		default:
			elog(ERROR, "there are no times of type %u", times->type);
	}
}

/*
 * The gaps of a call: ranges of numeric, and their form in the engine.
 */

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
					   DatumGetCString(DirectFunctionCall1(numeric_out, dither)), TextOfTime(times, 1)),
			 errhint("An event moves by at least the smallest unit of these times, and by as much as they can hold at most.")));
}
