/*-------------------------------------------------------------------------
 *
 * interval.h
 *	  Intervals that are proven to hold a number.
 *
 * "double" must be what IEEE 754 calls binary64, and each operation on it rounded to
 * that: error bounds and arithmetic on pairs of doubles rest on it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_INTERVAL_H
#define FIM_INTERVAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#if FLT_EVAL_METHOD != 0 || DBL_MANT_DIG != 53
#error "operations on double must be rounded to double; on i386, compile with -msse2 -mfpmath=sse"
#endif

/* The largest relative error of an operation whose result is not subnormal. */
#define UNIT_ROUNDOFF	(DBL_EPSILON / 2)

typedef struct FimInterval
{
	double		low;
	double		high;
} FimInterval;

/* Cheaper than fmin() and fmax(), which treat NaN separately. */
static inline double
Smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double
Larger(double a, double b)
{
	return a > b ? a : b;
}

/* The doubles beside x. */
static inline double
DoubleBelow(double x)
{
	return nextafter(x, -INFINITY);
}

static inline double
DoubleAbove(double x)
{
	return nextafter(x, INFINITY);
}

/* The interval of a probability between two numbers, each of which was rounded once. */
static inline FimInterval
ProbabilityWithin(double low, double high)
{
	low = DoubleBelow(low);
	high = DoubleAbove(high);
	return (FimInterval) {low > 0 ? low : 0, high < 1 ? high : 1};
}

/* The interval of 1 - p. */
static inline FimInterval
Complement(FimInterval p)
{
	return (FimInterval) {p.high > 0 ? ProbabilityWithin(1 - p.high, 1).low : 1,
		p.low < 1 ? ProbabilityWithin(0, 1 - p.low).high : 0};
}

/* Whether a number reaches a threshold, or has another property. */
typedef enum FimVerdict
{
	FIM_NO,
	FIM_YES,
	FIM_OPEN					/* cannot be told */
} FimVerdict;

/*
 * A number reaches a threshold if its nearest double is not below the threshold; the middle
 * of two doubles is rounded upward.  From an interval of doubles no more can be told than
 * what this returns.
 */
static inline FimVerdict
VerdictOn(FimInterval x, double threshold)
{
	if (x.low >= threshold)
		return FIM_YES;
	return x.high <= DoubleBelow(threshold) ? FIM_NO : FIM_OPEN;
}

#endif							/* FIM_INTERVAL_H */
