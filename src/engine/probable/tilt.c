/*-------------------------------------------------------------------------
 *
 * tilt.c
 *	  Which side of the distribution of support to sum, and how to make a tail the
 *	  middle of another distribution.
 *
 *-------------------------------------------------------------------------
 */
#include "tilt.h"

#include <math.h>

/* Within this many standard deviations of the mean, tails are large enough without a tilt. */
#define NEAR_MEAN		2.0

/* Ratios have this many bits; the smallest is 2^-498. */
#define RATIO_BITS		24
#define MOST_TILT		345.0

/* The mean need only come close to the target: within NEAR_TARGET * (standard deviation + 1). */
#define NEAR_TARGET		0.3
#define MOST_STEPS		60

/* Values between two polls. */
#define AT_ONCE			(UINT32_C(1) << 20)

static TiltWeights
WeightsOf(bool upper, double ratio)
{
	return upper ? (TiltWeights) {1, ratio} : (TiltWeights) {ratio, 1};
}

static double
RatioOf(double tilt)
{
	double		ratio = exp(-tilt);
	int			exponent;
	double		mantissa = frexp(ratio, &exponent);

	return ldexp(floor(ldexp(mantissa, RATIO_BITS)), exponent - RATIO_BITS);
}

/* 1 / x^power with a relative error of at most power * 2^-90, for a positive x of few bits. */
static WideNumber
InversePower(double x, uint32_t power)
{
	WideNumber	factor;
	int			exponent;
	double		mantissa = 2 * frexp(x, &exponent);

	/* the inverse is y (1 + rest) with y = 1 / mantissa rounded */
	factor.high = 1 / mantissa;
	factor.low = factor.high * -fma(factor.high, mantissa, -1);
	factor.exponent = 1 - exponent;
	if (factor.high < 1)
		factor = (WideNumber) {2 * factor.high, 2 * factor.low, factor.exponent - 1};
	return WidePower(factor, power);
}

/* Moments of the tilted distribution.  Returns false if the host wants to stop. */
static bool
MomentsAt(FimWorkspace *ws, const double *p, uint32_t n, TiltWeights weights, double *mean, double *variance)
{
	*mean = *variance = 0;
	for (uint32_t i = 0; i < n;)
	{
		uint32_t	part = n - i < AT_ONCE ? n - i : AT_ONCE;
		double		means;
		double		variances;

		CurrentConvolution()->tilted_moments(p + i, part, weights, &means, &variances);
		*mean += means;
		*variance += variances;
		i += part;
		if (WorkspaceStops(ws, (uint64_t) part * 4))
			return false;
	}
	return true;
}

/* The product of all sums of tilted odds, see TiltWeights.  Returns false if the host wants to stop. */
static bool
ProductOfSums(FimWorkspace *ws, const double *p, uint32_t n, TiltWeights weights, WideNumber *product)
{
	*product = (WideNumber) {1, 0, 0};
	for (uint32_t i = 0; i < n;)
	{
		uint32_t	part = n - i < AT_ONCE ? n - i : AT_ONCE;
		WideNumber	factor;

		CurrentConvolution()->tilt_product(p + i, part, weights, &factor);
		*product = WideTimes(*product, factor);
		i += part;
		if (WorkspaceStops(ws, (uint64_t) part * 16))
			return false;
	}
	return true;
}

/*
 * Find the tilt, the logarithm of 1 / ratio, by Newton's method within an interval that holds
 * it.  "outward" is how far the mean still has to move away from where it was at first.
 * Returns false if the host wants to stop.
 */
static bool
FindRatio(FimWorkspace *ws, const double *p, uint32_t n, double target, double outward, Tilt *tilt)
{
	double		least = 0;
	double		most = MOST_TILT;
	double		at = 0;

	for (int step = 0; step < MOST_STEPS; step++)
	{
		double		next = at + outward / tilt->variance;
		double		mean;

		if (!(next > least && next < most))
			next = step == 0 ? most : (least + most) / 2;
		at = next;
		tilt->ratio = RatioOf(at);
		tilt->weights = WeightsOf(tilt->upper, tilt->ratio);
		if (!MomentsAt(ws, p, n, tilt->weights, &mean, &tilt->variance))
			return false;
		outward = tilt->upper ? target - mean : mean - target;
		if (fabs(outward) <= NEAR_TARGET * (sqrt(tilt->variance) + 1) || least == MOST_TILT)
			break;
		if (outward > 0)
			least = at;
		else
			most = at;
	}
	return true;
}

bool
TiltNone(FimWorkspace *ws, const double *p, uint32_t n, Tilt *tilt, double *mean)
{
	tilt->upper = true;
	tilt->ratio = 1;
	tilt->weights = (TiltWeights) {1, 1};
	tilt->scale = (WideNumber) {1, 0, 0};
	if (!MomentsAt(ws, p, n, tilt->weights, mean, &tilt->variance))
		return false;
	tilt->own_variance = tilt->variance;
	return true;
}

bool
TiltChoose(FimWorkspace *ws, const double *p, uint32_t n, uint32_t k, Tilt *tilt)
{
	double		mean;
	double		outward;

	if (!TiltNone(ws, p, n, tilt, &mean))
		return false;
	tilt->upper = k > mean;
	outward = tilt->upper ? k - mean : mean - (k - 1.0);
	if (outward <= NEAR_MEAN * sqrt(tilt->variance))
		return true;
	return FindRatio(ws, p, n, k - 0.5, tilt->upper ? k - 0.5 - mean : mean - (k - 0.5), tilt);
}

WideNumber
TiltPower(const Tilt *tilt, uint32_t n, uint32_t k)
{
	return InversePower(tilt->ratio, tilt->upper ? n - k : k - 1);
}

bool
TiltScale(FimWorkspace *ws, const double *p, uint32_t n, uint32_t k, Tilt *tilt)
{
	WideNumber	product;

	if (tilt->ratio == 1)
		return true;
	if (!ProductOfSums(ws, p, n, tilt->weights, &product))
		return false;
	tilt->scale = WideTimes(product, TiltPower(tilt, n, k));
	return true;
}
