/*-------------------------------------------------------------------------
 *
 * binomial.c
 *	  Tails of the binomial, the Poisson and the normal distribution, as intervals.
 *
 * A tail is its largest term times a series of positive terms that fall at least as
 * fast as a geometric one, whose rest is known.  The term is computed by way of the
 * deviance and Stirling's formula (C. Loader, Fast and accurate computation of binomial
 * probabilities, 2000), which keeps large logarithms from being subtracted.
 *
 * log1p, log, exp and erfc of the C library are taken to be right to LIBM_ERROR, which
 * is several times what the manuals of the libraries in use give.
 *
 *-------------------------------------------------------------------------
 */
#include "binomial.h"

#define LIBM_ERROR		(16 * UNIT_ROUNDOFF)	/* relative */

/* The series ends when its rest is below this part of the sum. */
#define SERIES_REST		(1.0 / (1 << 20))
#define SERIES_STEPS	16		/* terms between two looks at the rest */

/* The Stirling error of x below this is taken from a table. */
#define STIRLING_TABLE	16
#define STIRLING_ERROR	1e-11

/* A number with a bound of its absolute error. */
typedef struct Approximate
{
	double		value;
	double		error;
} Approximate;

/* log(x!) - log(sqrt(2 pi x) (x / e)^x), for a whole number x > 0. */
static double
StirlingError(double x)
{
	static const double table[STIRLING_TABLE] = {
		0, 0.0810614667953272582, 0.0413406959554092941, 0.0276779256849983391,
		0.0207906721037650931, 0.0166446911898211922, 0.0138761288230707480,
		0.0118967099458917701, 0.0104112652619720965, 0.0092554621827127329,
		0.0083305634333628713, 0.0075736754879518408, 0.0069428401072095299,
		0.0064089941880042071, 0.0059513701127588475, 0.0055547335519628014
	};
	double		square = x * x;

	if (x < STIRLING_TABLE)
		return table[(int) x];
	return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / x;
}

/* k log(k / mean), given d = k - mean; k > 0. */
static double
DevianceTerm(double k, double d, double mean)
{
	return k * log1p(d / mean);
}

/*
 * A binomial distribution and a place k.  Mean and rest are the expected numbers of
 * successes and of failures, and d is k - mean.  They are passed separately so that each
 * is right to a few units in its last place.
 */
typedef struct BinomialPlace
{
	double		n;
	double		mean;
	double		rest;
	double		k;
	double		d;
} BinomialPlace;

/*
 * k log(k / mean) + (n - k) log((n - k) / rest).  The two terms almost cancel: one is close
 * to d, the other to -d.  Errors of a few units in d, in the quotients and in log1p cause an
 * error of as many units of d and of the terms.
 */
static Approximate
BinomialDeviance(const BinomialPlace *at)
{
	double		left = at->k > 0 ? DevianceTerm(at->k, at->d, at->mean) : 0;
	double		right = at->k < at->n ? DevianceTerm(at->n - at->k, -at->d, at->rest) : 0;
	double		scale = fabs(at->d) + fabs(left) + fabs(right);

	return (Approximate) {left + right, (LIBM_ERROR + 8 * UNIT_ROUNDOFF) * scale};
}

/* k log(k / mean) - (k - mean). */
static Approximate
PoissonDeviance(double mean, double k)
{
	double		d = k - mean;
	double		left = k > 0 ? DevianceTerm(k, d, mean) : 0;

	return (Approximate) {left - d, (LIBM_ERROR + 8 * UNIT_ROUNDOFF) * (fabs(d) + fabs(left))};
}

double
FimBinomialDivergence(double n, double mean, double k)
{
	BinomialPlace at = {n, mean, n - mean, k, k - mean};
	Approximate deviance;

	if (mean <= 0 || mean >= n)
		return mean == k ? 0 : INFINITY;
	deviance = BinomialDeviance(&at);
	return deviance.value - deviance.error;
}

/* P(X = k), for 0 < mean < n. */
static Approximate
BinomialTerm(const BinomialPlace *at)
{
	Approximate deviance = BinomialDeviance(at);
	double		value = exp(-deviance.value);
	double		failures = at->n - at->k;
	double		error = deviance.error + LIBM_ERROR;

	if (at->k > 0 && failures > 0)
	{
		value *= sqrt(at->n / (2 * M_PI * at->k * failures)) *
			exp(StirlingError(at->n) - StirlingError(at->k) - StirlingError(failures));
		error += 3 * STIRLING_ERROR + 2 * LIBM_ERROR;
	}
	return (Approximate) {value, 1.01 * error * value};
}

static Approximate
PoissonTerm(double mean, double k)
{
	Approximate deviance = PoissonDeviance(mean, k);
	double		value = exp(-deviance.value);
	double		error = deviance.error + LIBM_ERROR;

	if (k > 0)
	{
		value *= exp(-StirlingError(k)) / sqrt(2 * M_PI * k);
		error += STIRLING_ERROR + 2 * LIBM_ERROR;
	}
	return (Approximate) {value, 1.01 * error * value};
}

/* Quotients of neighbouring terms, top / bottom * scale.  After each, top and bottom change by their steps. */
typedef struct Quotients
{
	double		top;
	double		top_step;
	double		bottom;
	double		bottom_step;
	double		scale;
} Quotients;

/*
 * The sum of 1 + r + r s + ... for falling quotients r, s, ... below 1; a quotient of 0 ends
 * it.  The rest after a term is at most that of a geometric series.
 */
static FimInterval
SumSeries(Quotients q)
{
	double		term = 1;
	double		sum = 1;
	double		terms = 1;
	double		rest;
	double		margin;

	do
	{
		double		next;

		for (int i = 0; i < SERIES_STEPS && q.top > 0; i++)
		{
			term *= q.top / q.bottom * q.scale;
			sum += term;
			q.top += q.top_step;
			q.bottom += q.bottom_step;
		}
		terms += SERIES_STEPS;
		next = q.top > 0 ? q.top / q.bottom * q.scale * (1 + 4 * UNIT_ROUNDOFF) : 0;
		rest = next < 1 ? term * next / (1 - next) : INFINITY;
	} while (rest > sum * SERIES_REST);
	margin = (5 * terms + 8) * UNIT_ROUNDOFF;
	return (FimInterval) {sum * (1 - margin), (sum + rest) * (1 + margin)};
}

/* The product of term and series, outward.  DBL_MIN allows for underflow, whose error is not relative. */
static FimInterval
TailOf(Approximate term, FimInterval series)
{
	return ProbabilityWithin((term.value - term.error) * series.low * (1 - 4 * UNIT_ROUNDOFF) - DBL_MIN,
							 (term.value + term.error) * series.high * (1 + 4 * UNIT_ROUNDOFF) + DBL_MIN);
}

/* P(X >= k) for k > mean. */
static FimInterval
BinomialUpperTail(const BinomialPlace *at)
{
	Quotients	q = {at->n - at->k, -1, at->k + 1, 1, at->mean / at->rest};

	return TailOf(BinomialTerm(at), SumSeries(q));
}

FimInterval
FimBinomialTail(double n, double mean, double k)
{
	BinomialPlace above = {n, mean, n - mean, k, k - mean};
	BinomialPlace below = {n, n - mean, mean, n - k + 1, mean - (k - 1)};

	if (k <= 0)
		return (FimInterval) {1, 1};
	if (k > n || mean <= 0)
		return (FimInterval) {0, 0};
	if (mean >= n)
		return (FimInterval) {1, 1};
	return k > mean ? BinomialUpperTail(&above) : Complement(BinomialUpperTail(&below));
}

/* P(X <= k) for k < mean, and P(X >= k) for k > mean. */
static FimInterval
PoissonLowerTail(double mean, double k)
{
	return TailOf(PoissonTerm(mean, k), SumSeries((Quotients) {k, -1, mean, 0, 1}));
}

static FimInterval
PoissonUpperTail(double mean, double k)
{
	return TailOf(PoissonTerm(mean, k), SumSeries((Quotients) {mean, 0, k + 1, 1, 1}));
}

FimInterval
FimPoissonTail(double mean, double k)
{
	if (k <= 0)
		return (FimInterval) {1, 1};
	return k > mean ? PoissonUpperTail(mean, k) : Complement(PoissonLowerTail(mean, k - 1));
}

FimInterval
FimNormalTail(double x)
{
	double		tail = 0.5 * erfc(x * M_SQRT1_2);

	/* an error of a few units in x changes the tail by at most 0.25 units */
	return ProbabilityWithin(tail - LIBM_ERROR, tail + LIBM_ERROR);
}
