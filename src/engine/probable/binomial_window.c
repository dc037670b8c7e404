/*-------------------------------------------------------------------------
 *
 * binomial_window.c
 *	  The distribution of a sum of variables of one probability.
 *
 * Neighbouring terms of the binomial distribution have quotients of few operations.  Terms
 * are made from the largest one, taken as 1, to both sides, and divided by their
 * sum: that takes no logarithm or factorial, and a term is right to a number of units that
 * grows with its distance from the largest one.
 *
 *-------------------------------------------------------------------------
 */
#include "binomial_window.h"

#include "interval.h"

/* Units: of the odds, or of their inverse; of one step; of a step of the sum; of the division by it. */
#define ODDS_UNITS		112.0
#define STEP_UNITS		(ODDS_UNITS + 32)
#define SUM_UNITS		4.0
#define LAST_UNITS		32.0

Binomial
TiltedBinomial(double p, uint32_t n, const TiltWeights *weights, DoubleDouble *sum)
{
	Binomial	of = {n, {p, 0}, DdRest((DoubleDouble) {p, 0})};

	*sum = (DoubleDouble) {1, 0};
	if (weights->yes == weights->no)
		return of;
	of.yes = DdTimes(of.yes, (DoubleDouble) {weights->yes, 0});
	of.no = DdTimes(of.no, (DoubleDouble) {weights->no, 0});
	*sum = DdPlus(of.yes, of.no);
	of.yes = DdQuotient(of.yes, *sum);
	of.no = DdQuotient(of.no, *sum);
	return of;
}

/*
 * Beyond the mean by d, Hoeffding's inequality leaves exp(-2 d^2 / n); the sum of all terms
 * and the bound of what is left after one are each at most n + 1 times as large.
 */
static size_t
ReachOf(uint32_t n, double trim)
{
	double		reach = sqrt(n / 2.0 * (2 * log(n + 1.0) - log(trim))) + 4;

	return reach < n ? (size_t) reach : n;
}

size_t
BinomialRoom(uint32_t n, double trim)
{
	return 2 * ReachOf(n, trim) + 1;
}

/* Divide n terms at "first" by their sum, and move them to the beginning. */
static void
Normalize(const Pairs *f, int64_t first, uint32_t n, DoubleDouble sum)
{
	DoubleDouble inverse = DdQuotient((DoubleDouble) {1, 0}, sum);

	for (uint32_t i = 0; i < n; i++)
	{
		DoubleDouble term = DdTimes((DoubleDouble) {f->high[first + i], f->low[first + i]}, inverse);

		f->high[i] = term.high;
		f->low[i] = term.low;
	}
}

/* No variable can be 0, or none can be 1. */
static uint32_t
WritePoint(const Pairs *to, double *units, double *dropped)
{
	to->high[0] = 1;
	to->low[0] = 0;
	*units = *dropped = 0;
	return 1;
}

uint32_t
BinomialWindow(const Binomial *of, double trim, const Pairs *to, uint64_t *offset, double *units,
			   double *dropped)
{
	BinomialSide (*binomial_side) (double, double, DoubleDouble, double, uint32_t, const Pairs *, int) =
		CurrentConvolution()->binomial_side;
	double		n = of->n;
	double		mode = Smaller(n, floor((n + 1) * of->yes.high));
	uint32_t	reach = (uint32_t) ReachOf(of->n, trim);
	int64_t		at = mode < reach ? (int64_t) mode : reach;
	Pairs		center = {to->high + at, to->low + at};
	BinomialSide above;
	BinomialSide below;
	uint32_t	terms;

	*offset = of->no.high == 0 ? of->n : 0;
	if (of->no.high == 0 || of->yes.high == 0)
		return WritePoint(to, units, dropped);
	*center.high = 1;
	*center.low = 0;
	above = binomial_side(n - mode, mode + 1, DdQuotient(of->yes, of->no), trim, reach, &center, 1);
	below = binomial_side(mode, n - mode + 1, DdQuotient(of->no, of->yes), trim, reach, &center, -1);
	terms = below.n + 1 + above.n;
	*offset = (uint64_t) mode - below.n;
	Normalize(to, at - below.n, terms, DdPlus(DdPlus(above.sum, below.sum), (DoubleDouble) {1, 0}));
	*units = STEP_UNITS * Larger(above.n, below.n) * 1.01 + SUM_UNITS * terms + LAST_UNITS;
	*dropped = (above.rest + below.rest) * 1.01;
	return terms;
}
