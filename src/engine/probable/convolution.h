/*-------------------------------------------------------------------------
 *
 * convolution.h
 *	  The inner loops of convolving distributions of support, one set per instruction set.
 *
 * Numbers as the sum of two doubles come first, then what the loops' results are right to, then
 * the loops.
 *
 * All numbers are from 0 to 1 and nothing is subtracted from them.  So every result is right
 * to a number of roundings, each of one part in 2^53 of itself; the comments say how many.
 * Results that are subnormal are off by up to 2^-1074 more.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_CONVOLUTION_H
#define FIM_PROBABLE_CONVOLUTION_H

#include <math.h>
#include <stdint.h>

/*
 * Numbers as the sum of two doubles, with a relative error of about 2^-104.
 *
 * T. Dekker, A floating-point technique for extending the available precision, Numer.
 * Math. 18 (1971), 224-242; D. Knuth, The Art of Computer Programming 2, section 4.2.2.
 */

/* Errors of these numbers are counted in ulps, each of which is this part of the number. */
#define DD_ULP		0x1p-106

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

/* Right to 4 ulps of |a| + |b|. */
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

/* Right to 8 ulps. */
static inline DoubleDouble
DdTimes(DoubleDouble a, DoubleDouble b)
{
	double		high = a.high * b.high;
	double		low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);

	return DdOrdered(high, low);
}

/* Right to 16 ulps. */
static inline DoubleDouble
DdQuotient(DoubleDouble a, DoubleDouble b)
{
	double		quotient = a.high / b.high;
	double		rest = fma(-quotient, b.high, a.high) + (a.low - quotient * b.low);

	return DdOrdered(quotient, rest / b.high);
}

/* 1 - a for a from 0 to 1; right to 4 ulps. */
static inline DoubleDouble
DdRest(DoubleDouble a)
{
	DoubleDouble rest = DdSum(1, -a.high);

	return DdOrdered(rest.high, rest.low - a.low);
}

/* Right to 8 ulps. */
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
 * x^power.  Squaring doubles an error and adds 8 ulps.  So if x is right to e ulps, the result
 * is right to 8 + e ulps for each of its factors x, and 8 for each bit of the exponent.
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

/* The number of leaves of the tree that are computed at a time. */
#define LEAVES			8

/*
 * An array has this many zeros before and after it where kernels may read beyond its ends,
 * and this many places after it where they may write beyond its end.
 */
#define CONVOLUTION_PAD	64

/* The terms of a convolution that are added up before their sum goes to the total. */
#define CONVOLUTION_CHUNK	64

/* The roundings of a sum over n terms, their products included. */
#define CONVOLUTION_ROUNDINGS(n) \
	(((n) < CONVOLUTION_CHUNK ? (n) : CONVOLUTION_CHUNK) + (n) / CONVOLUTION_CHUNK + 2)

/* The terms of other sums that are added up before their sum goes to the total. */
#define SUM_CHUNK		1024

/* The roundings of such a sum over n terms, their products included. */
#define SUM_ROUNDINGS(n) \
	(((n) < SUM_CHUNK ? (n) : SUM_CHUNK) / 32 + (n) / SUM_CHUNK + 24)

/* Numbers in two parts, see DoubleDouble. */
typedef struct Pairs
{
	double	   *high;
	double	   *low;
} Pairs;

/* The terms in two parts that are added up before their sum goes to the total. */
#define PAIRS_CHUNK		16

/* The error of a sum over n products of such numbers, in ulps of the sum. */
#define PAIRS_ULPS(n)	((n) + 512.0)

/* The terms of a binomial distribution on one side of its largest one. */
typedef struct BinomialSide
{
	uint32_t	n;
	DoubleDouble sum;
	double		rest;			/* an upper bound of the sum of those that were left out */
} BinomialSide;

/*
 * Tilting: p becomes p * yes / s and 1 - p becomes (1 - p) * no / s, where s is the sum of
 * the numerators, the tilted odds.  One of yes and no is 1, the other one from 2^-500 to 1.
 */
typedef struct TiltWeights
{
	double		yes;
	double		no;
} TiltWeights;

/* The roundings of a tilted probability. */
#define TILT_ROUNDINGS	6

typedef struct ConvolutionKernels
{
	const char *name;

	/*
	 * The distributions of LEAVES sums of m variables each, m a multiple of 4.  f[k * LEAVES
	 * + j] for k = 0 .. m is that of leaf j, whose variables i are 1 with probability
	 * yes[i * LEAVES + j] and 0 with no[i * LEAVES + j].  Each value has m / 4 * 12 roundings
	 * beside those of m factors yes or no.  4 * LEAVES places before f are overwritten, too.
	 */
	void		(*leaves) (const double *yes, const double *no, uint32_t m, double *f);

	/*
	 * to[k] = sum of a[i] * b[k - i], with CONVOLUTION_ROUNDINGS(na), for k = first .. last - 1.
	 * first is a multiple of CONVOLUTION_PAD, last at most na + nb - 1, and na at most nb.  a
	 * and b are padded on both sides, "to" behind.
	 */
	void		(*convolve) (const double *a, uint32_t na, const double *b, uint32_t nb,
							 uint32_t first, uint32_t last, double *to);

	/* The same for numbers in two parts, with PAIRS_ULPS(na). */
	void		(*convolve_pairs) (const Pairs *a, uint32_t na, const Pairs *b, uint32_t nb,
								   uint32_t first, uint32_t last, const Pairs *to);

	/*
	 * Write terms of a binomial distribution beside the one at to[0], which is 1: after it if step
	 * is 1, before it if step is -1.  The quotient of neighbours is top / bottom * odds, where top
	 * falls to 0 and bottom rises in steps of 1.  It ends once the terms still to come add up to at
	 * most trim, or after "most" terms if they fall by then.  A step adds 32 ulps to those of
	 * the odds, and 4 to those of the sum.
	 */
	BinomialSide (*binomial_side) (double top, double bottom, DoubleDouble odds, double trim, uint32_t most,
								   const Pairs *to, int step);

	/* The sum of a[i] * b[i], with SUM_ROUNDINGS(n). */
	double		(*dot) (const double *a, const double *b, uint32_t n);

	/*
	 * mass is the sum of f[i], with SUM_ROUNDINGS(n).  first is the sum of (i - center) * f[i] for
	 * a whole center, off by at most four roundings of it and (n + 64) * 2^-77 of the sum of the
	 * absolute values of its terms.
	 */
	void		(*moments) (const double *f, uint32_t n, double center, double *mass, double *first);

	/*
	 * Tilted probabilities, each with TILT_ROUNDINGS.  If both weights are 1, they are p, which is
	 * exact, and 1 - p, with one rounding.
	 */
	void		(*tilt) (const double *p, uint32_t n, TiltWeights weights, double *yes, double *no);

	/* The mean and the variance of the sum of the tilted variables, right to one part in 10^9. */
	void		(*tilted_moments) (const double *p, uint32_t n, TiltWeights weights,
								   double *mean, double *variance);

	/* The product of s (see TiltWeights) over p[n], right to n * 2^-98 of itself. */
	void		(*tilt_product) (const double *p, uint32_t n, TiltWeights weights, WideNumber *product);

	/* The sum of p[n] in two parts, right to n^2 * 2^-106 of itself. */
	void		(*sum) (const double *p, uint32_t n, double *high, double *low);
} ConvolutionKernels;

/* The set for the instruction set that kernels.h says is in use. */
extern const ConvolutionKernels *CurrentConvolution(void);

extern const ConvolutionKernels ConvolutionPortable;
extern const ConvolutionKernels ConvolutionAvx2;
extern const ConvolutionKernels ConvolutionAvx512;

#endif							/* FIM_PROBABLE_CONVOLUTION_H */
