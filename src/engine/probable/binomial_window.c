/*-------------------------------------------------------------------------
 *
 * binomial_window.c
 *	  The distribution of a sum of variables that have the same probability.
 *
 * The quotient of neighbouring terms of the binomial distribution takes few operations.
 * Terms are made from the largest one, taken as 1, to both sides, and are then divided by
 * their sum.  That takes no logarithm or factorial, and a term is right to a number of
 * units that grows with its distance from the largest one.
 *
 *-------------------------------------------------------------------------
 */
#include "binomial_window.h"

#include "interval.h"

/* Errors in units. */
#define ODDS_UNITS		112.0	/* of the odds, or of their inverse */
#define STEP_UNITS		(ODDS_UNITS + 32)	/* of one step from a term to the next */
#define SUM_UNITS		4.0		/* of one step of the sum */
#define LAST_UNITS		32.0	/* of the division by the sum */

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
 * The most terms on one side of the largest one.  By Hoeffding's inequality at most
 * exp(-2 d^2 / n) lies beyond the mean by d; the sum of all terms, and the bound of what is
 * left after a term, each contribute a factor of at most n + 1.
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

/* The window of variables that cannot be 0, or cannot be 1: a single coefficient. */
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
