/*-------------------------------------------------------------------------
 *
 * times.c
 *	  The times of events: from a column's values to those of the engine, and back.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat.h"
#include "episodes/times.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

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

/* The numeric has the scale of the column's type if that has one, otherwise no zeros at its end. */
static Datum
NumericOfTime(const EventTimes *times, int64 time)
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
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
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
