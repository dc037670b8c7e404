/*-------------------------------------------------------------------------
 *
 * double_double.h
 *	  Numbers as the sum of two doubles, with a relative error of about 2^-104.
 *
 * T. Dekker, A floating-point technique for extending the available precision, Numer.
 * Math. 18 (1971), 224-242; D. Knuth, The Art of Computer Programming 2, section 4.2.2.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DOUBLE_DOUBLE_H
#define FIM_DOUBLE_DOUBLE_H

#include <math.h>
#include <stdint.h>

/* The unit of relative errors of the functions here. */
#define DD_UNIT		0x1p-106

/* high + low, where low is at most half a unit in the last place of high. */
typedef struct DoubleDouble
{
	double		high;
	double		low;
} DoubleDouble;

/* (high + low) * 2^exponent, where the mantissa high + low is from 1 to 2. */
typedef struct WideNumber
{
	double		high;
	double		low;
	int64_t		exponent;
} WideNumber;

/* a + b, where |a| >= |b| or a is 0; exact. */
static inline DoubleDouble
DdOrdered(double a, double b)
{
	double		sum = a + b;

	return (DoubleDouble) {sum, b - (sum - a)};
}

/* a + b, exact. */
static inline DoubleDouble
DdSum(double a, double b)
{
	double		sum = a + b;
	double		from_b = sum - a;

	return (DoubleDouble) {sum, (a - (sum - from_b)) + (b - from_b)};
}

/* Right to 4 units of |a| + |b|. */
static inline DoubleDouble
DdPlus(DoubleDouble a, DoubleDouble b)
{
	DoubleDouble sum = DdSum(a.high, b.high);

	return DdOrdered(sum.high, sum.low + (a.low + b.low));
}

static inline DoubleDouble
DdMinus(DoubleDouble a, DoubleDouble b)
{
	return DdPlus(a, (DoubleDouble) {-b.high, -b.low});
}

/* Right to 8 units. */
static inline DoubleDouble
DdTimes(DoubleDouble a, DoubleDouble b)
{
	double		high = a.high * b.high;
	double		low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);

	return DdOrdered(high, low);
}

/* Right to 16 units. */
static inline DoubleDouble
DdQuotient(DoubleDouble a, DoubleDouble b)
{
	double		quotient = a.high / b.high;
	double		rest = fma(-quotient, b.high, a.high) + (a.low - quotient * b.low);

	return DdOrdered(quotient, rest / b.high);
}

/* 1 - a for a from 0 to 1; right to 4 units. */
static inline DoubleDouble
DdRest(DoubleDouble a)
{
	DoubleDouble rest = DdSum(1, -a.high);

	return DdOrdered(rest.high, rest.low - a.low);
}

/* Right to 8 units. */
static inline WideNumber
WideTimes(WideNumber a, WideNumber b)
{
	DoubleDouble product = DdTimes((DoubleDouble) {a.high, a.low}, (DoubleDouble) {b.high, b.low});
	int64_t		exponent = a.exponent + b.exponent;

	if (product.high >= 2)
		return (WideNumber) {product.high / 2, product.low / 2, exponent + 1};
	return (WideNumber) {product.high, product.low, exponent};
}

/* The conversion of a number above 0. */
static inline WideNumber
WideFrom(DoubleDouble a)
{
	int			exponent;
	double		high = 2 * frexp(a.high, &exponent);

	return (WideNumber) {high, ldexp(a.low, 1 - exponent), exponent - 1};
}

/*
 * x^power.  Squaring doubles an error and adds 8 units.  So if x is right to e units, the result
 * is right to 8 + e units for each of its factors x, and 8 for each bit of the exponent.
 */
static inline WideNumber
WidePower(WideNumber x, uint32_t power)
{
	WideNumber	result = {1, 0, 0};

	for (; power > 0; power /= 2)
	{
		if (power % 2 > 0)
			result = WideTimes(result, x);
		x = WideTimes(x, x);
	}
	return result;
}

#endif							/* FIM_DOUBLE_DOUBLE_H */
