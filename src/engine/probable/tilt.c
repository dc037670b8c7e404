/*-------------------------------------------------------------------------
 *
 * tilt.c
 *	  What trees of bulks are made with: the different values of a list of probabilities; the tilt, which makes a
 *	  tail the middle of another distribution; and the bulk of a binomial distribution.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "convolution.h"
#include "tail.h"
#include "tree.h"

/*
 * Different values.
 */

/* Values between two polls. */
#define REPEATS_AT_ONCE	(UINT32_C(1) << 10)

#define TABLE_BITS		8
#define TABLE_SIZE		(1 << TABLE_BITS)

/* A hash table of the different values. */
typedef struct ValueTable
{
	Repeats    *repeats;
	uint32_t	most;			/* the most different values that are allowed */
	uint8_t		place[TABLE_SIZE]; /* by hash: the index into repeats + 1; 0 if the slot is free */
} ValueTable;

static inline uint32_t
HashOf(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return (uint32_t) ((bits * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TABLE_BITS));
}

/* The index of a value, which is added if it is new; table->most if it is one too many. */
static inline uint32_t
PlaceOf(ValueTable *table, double value)
{
	Repeats    *repeats = table->repeats;
	uint32_t	slot = HashOf(value);

	while (table->place[slot] != 0)
	{
		uint32_t	place = table->place[slot] - UINT32_C(1);

		if (repeats->value[place] == value)
			return place;
		slot = (slot + 1) % TABLE_SIZE;
	}
	if (repeats->n == table->most)
		return table->most;
	repeats->value[repeats->n] = value;
	repeats->times[repeats->n] = 0;
	table->place[slot] = (uint8_t) ++repeats->n;
	return repeats->n - 1;
}

/* Do all of them have the same value?  Compilers can vectorize this loop. */
static bool
AreEqual(const double *p, uint32_t n)
{
	uint32_t	equal = 0;

	for (uint32_t i = 0; i < n; i++)
		equal += p[i] == p[0];
	return equal == n;
}

/* Returns false if there are too many values. */
static bool
CountPart(ValueTable *table, const double *p, uint32_t n)
{
	uint32_t   *times = table->repeats->times;
	uint32_t	place;

	if (p[n - 1] == p[0] && AreEqual(p, n))
	{
		if ((place = PlaceOf(table, p[0])) == table->most)
			return false;
		times[place] += n;
		return true;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		if ((place = PlaceOf(table, p[i])) == table->most)
			return false;
		times[place]++;
	}
	return true;
}

bool
CountRepeats(FimWorkspace *ws, const double *p, uint32_t n, uint32_t least, Repeats *repeats)
{
	ValueTable	table = {.repeats = repeats,.most = n / least};

	if (table.most > MOST_VALUES)
		table.most = MOST_VALUES;
	repeats->n = 0;
	for (uint32_t i = 0; i < n; i += REPEATS_AT_ONCE)
	{
		uint32_t	part = n - i < REPEATS_AT_ONCE ? n - i : REPEATS_AT_ONCE;

		if (table.most == 0 || !CountPart(&table, p + i, part))
		{
			repeats->n = 0;
			break;
		}
		if (WorkspaceStops(ws, part))
			return false;
	}
	return true;
}

/*
 * The tilt, see tree.h.
 */

/* Within this many standard deviations of the mean, tails are large enough without a tilt. */
#define NEAR_MEAN		2.0

/* Ratios have this many bits; the smallest is 2^-498. */
#define RATIO_BITS		24
#define MOST_TILT		345.0

/* The mean need only come close to the target: within NEAR_TARGET * (standard deviation + 1). */
#define NEAR_TARGET		0.3
#define MOST_STEPS		60

/* Values between two polls. */
#define WEIGHTS_AT_ONCE	(UINT32_C(1) << 20)

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
		uint32_t	part = n - i < WEIGHTS_AT_ONCE ? n - i : WEIGHTS_AT_ONCE;
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
		uint32_t	part = n - i < WEIGHTS_AT_ONCE ? n - i : WEIGHTS_AT_ONCE;
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

/*
 * The bulk of a binomial distribution.
 */

/*
 * The quotient of neighbouring terms of the binomial distribution takes few operations.
 * Terms are made from the largest one, taken as 1, to both sides, and are then divided by
 * their sum.  That takes no logarithm or factorial, and a term is right to a number of
 * ulps that grows with its distance from the largest one.
 */

/* Errors in ulps. */
#define ODDS_ULPS		112.0	/* of the odds, or of their inverse */
#define STEP_ULPS		(ODDS_ULPS + 32)	/* of one step from a term to the next */
#define SUM_ULPS		4.0		/* of one step of the sum */
#define LAST_ULPS		32.0	/* of the division by the sum */

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

/* The bulk for variables that cannot be 0, or cannot be 1: a single coefficient. */
static uint32_t
WritePoint(const Pairs *to, double *ulps, double *dropped)
{
	to->high[0] = 1;
	to->low[0] = 0;
	*ulps = *dropped = 0;
	return 1;
}

uint32_t
BinomialBulk(const Binomial *of, double trim, const Pairs *to, uint64_t *offset, double *ulps,
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
		return WritePoint(to, ulps, dropped);
	*center.high = 1;
	*center.low = 0;
	above = binomial_side(n - mode, mode + 1, DdQuotient(of->yes, of->no), trim, reach, &center, 1);
	below = binomial_side(mode, n - mode + 1, DdQuotient(of->no, of->yes), trim, reach, &center, -1);
	terms = below.n + 1 + above.n;
	*offset = (uint64_t) mode - below.n;
	Normalize(to, at - below.n, terms, DdPlus(DdPlus(above.sum, below.sum), (DoubleDouble) {1, 0}));
	*ulps = STEP_ULPS * Larger(above.n, below.n) * 1.01 + SUM_ULPS * terms + LAST_ULPS;
	*dropped = (above.rest + below.rest) * 1.01;
	return terms;
}
