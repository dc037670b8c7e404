/*-------------------------------------------------------------------------
 *
 * precise.c
 *	  P(S >= k) in double-double arithmetic, for what double precision leaves open.
 *
 * The bulks are as in tree.c, and the tilt is tilt.c's.  Numbers are so exact that all errors
 * may go in one direction: they are counted in ulps (convolution.h) of each coefficient and
 * added up.  Where probabilities have few different values, the leaves are the binomial
 * distributions of these.
 *
 *-------------------------------------------------------------------------
 */
#include "tree.h"

#include <string.h>

#include "tail.h"

/* Variables of a leaf. */
#define LEAF			8

/* Where values occur less often than this on the average, leaves of LEAF variables are faster: measured. */
#define LEAST_TIMES		16

/* The mass that a bulk may lack at each end, and minus its logarithm. */
#define TRIM			1e-38
#define LOG_TRIM		89.0	/* above -log(TRIM / 2) */

/* Errors in ulps, see convolution.h. */
#define TILTED_ULPS		44.0	/* of a tilted probability */
#define REST_ULPS		4.0		/* of 1 - p */
#define STEP_ULPS		12.0	/* of a step of a sum */
#define SUM_ULPS		32.0	/* of a sum of tilted odds, with multiplying it to the scale */
#define POWER_ULPS		16.0	/* of the power of the ratio, for each variable */
#define FACTOR_ULPS		8.0		/* of a product, for each factor */
#define LAST_ULPS		1024.0	/* of powers, beside the ulps of the numbers that they are powers of */

/* More than is lost to underflow, and the exponent below which that begins. */
#define UNDERFLOW		0x1p-900
#define LEAST_EXPONENT	(-800)

/* Probabilities between two polls. */
#define AT_ONCE			(UINT32_C(1) << 16)

typedef struct PreciseBulk
{
	Pairs		f;				/* [n], with CONVOLUTION_PAD zeros before and behind */
	uint32_t	n;
	uint64_t	offset;
} PreciseBulk;

typedef struct PreciseTree
{
	FimWorkspace *ws;
	const FimChances *chances;
	const Tilt *tilt;
	Repeats		repeats;		/* of probabilities that have no factors */
	double	   *factors;		/* [nfactors] */
	size_t		low_at;			/* the distance, in doubles, from a high part to its low part */
	WideNumber	scale;			/* the product of the sums of tilted odds so far */
	double		ulps;			/* the error so far, in ulps */
	double		dropped;		/* mass that was cut off */
} PreciseTree;

static DoubleDouble
ProbabilityOf(const FimChances *chances, uint32_t i, double *factors)
{
	DoubleDouble p = {1, 0};

	if (chances->nfactors <= 1)
		return (DoubleDouble) {chances->p[i], 0};
	chances->factors(chances, i, factors);
	for (uint32_t j = 0; j < chances->nfactors; j++)
		p = DdTimes(p, (DoubleDouble) {factors[j], 0});
	return p;
}

static double
FactorError(const FimChances *chances)
{
	return chances->nfactors <= 1 ? 0 : FACTOR_ULPS * DD_ULP * chances->nfactors;
}

/* The tilted probability of variable i, and 1 less that; multiplies the sum of its odds to the scale. */
static void
TiltOne(PreciseTree *tree, uint32_t i, DoubleDouble *yes, DoubleDouble *no)
{
	const TiltWeights *weights = &tree->tilt->weights;
	DoubleDouble sum;

	*yes = ProbabilityOf(tree->chances, i, tree->factors);
	*no = DdRest(*yes);
	if (tree->tilt->ratio == 1)
		return;
	*yes = DdTimes(*yes, (DoubleDouble) {weights->yes, 0});
	*no = DdTimes(*no, (DoubleDouble) {weights->no, 0});
	sum = DdPlus(*yes, *no);
	tree->scale = WideTimes(tree->scale, WideFrom(sum));
	*yes = DdQuotient(*yes, sum);
	*no = DdQuotient(*no, sum);
}

/* Cut the ends off the n coefficients at f: what is left is a bulk at "at".  Returns the place after it. */
static double *
CutBulk(PreciseTree *tree, PreciseBulk *bulk, double *at, Pairs f, uint32_t n, uint64_t offset)
{
	double		low = 0;
	double		high = 0;
	uint32_t	first = 0;
	uint32_t	last = n - 1;

	while (first < last && low + f.high[first] <= TRIM)
		low += f.high[first++];
	while (last > first && high + f.high[last] <= TRIM)
		high += f.high[last--];
	tree->dropped += (low + high) * 1.01;

	bulk->n = last - first + 1;
	bulk->offset = offset + first;
	bulk->f.high = at + CONVOLUTION_PAD;
	bulk->f.low = bulk->f.high + tree->low_at;
	memmove(bulk->f.high, f.high + first, sizeof(double) * bulk->n);
	memmove(bulk->f.low, f.low + first, sizeof(double) * bulk->n);
	for (int part = 0; part < 2; part++)
	{
		double	   *values = part == 0 ? bulk->f.high : bulk->f.low;

		memset(values - CONVOLUTION_PAD, 0, sizeof(double) * CONVOLUTION_PAD);
		memset(values + bulk->n, 0, sizeof(double) * CONVOLUTION_PAD);
	}
	return bulk->f.high + bulk->n + CONVOLUTION_PAD;
}

static double *
MakeLeaf(PreciseTree *tree, uint32_t from, uint32_t n, double *at, PreciseBulk *bulk)
{
	double		high[LEAF + 1] = {1};
	double		low[LEAF + 1] = {0};
	DoubleDouble f[LEAF + 1] = {{1, 0}};

	for (uint32_t i = 0; i < n; i++)
	{
		DoubleDouble yes;
		DoubleDouble no;

		TiltOne(tree, from + i, &yes, &no);
		f[i + 1] = DdTimes(f[i], yes);
		for (uint32_t k = i; k > 0; k--)
			f[k] = DdPlus(DdTimes(f[k], no), DdTimes(f[k - 1], yes));
		f[0] = DdTimes(f[0], no);
	}
	tree->ulps += n * (STEP_ULPS + (tree->tilt->ratio < 1 ? TILTED_ULPS : REST_ULPS));
	for (uint32_t k = 0; k <= n; k++)
	{
		high[k] = f[k].high;
		low[k] = f[k].low;
	}
	return CutBulk(tree, bulk, at, (Pairs) {high, low}, n + 1, 0);
}

/* Make the bulk of all variables that have one of the values.  Returns as MakeBulk() does. */
static double *
MakeRepeated(PreciseTree *tree, uint32_t which, double *at, PreciseBulk *bulk)
{
	uint32_t	times = tree->repeats.times[which];
	Pairs		to = {at + CONVOLUTION_PAD, at + CONVOLUTION_PAD + tree->low_at};
	DoubleDouble sum;
	Binomial	of = TiltedBinomial(tree->repeats.value[which], times, &tree->tilt->weights, &sum);
	uint64_t	offset;
	double		ulps;
	double		dropped;
	uint32_t	n = BinomialBulk(&of, TRIM, &to, &offset, &ulps, &dropped);

	tree->scale = WideTimes(tree->scale, WidePower(WideFrom(sum), times));
	tree->ulps += ulps;
	tree->dropped += dropped;
	return WorkspaceStops(tree->ws, 64 * (uint64_t) n) ? NULL : CutBulk(tree, bulk, at, to, n, offset);
}

/*
 * Make the bulk of n variables or, if there are repeats, of all variables that have one of n
 * values, beginning with number "from".  Returns the place after it, NULL if the host wants to stop.
 */
static double *
MakeBulk(PreciseTree *tree, uint32_t from, uint32_t n, double *at, PreciseBulk *bulk)
{
	PreciseBulk	left;
	PreciseBulk	right;
	PreciseBulk *a;
	PreciseBulk *b;
	double	   *end;
	Pairs		to;
	uint32_t	part;

	if (tree->repeats.n > 0 && n == 1)
		return MakeRepeated(tree, from, at, bulk);
	if (tree->repeats.n == 0 && n <= LEAF)
		return MakeLeaf(tree, from, n, at, bulk);
	if ((end = MakeBulk(tree, from, n / 2, at, &left)) == NULL ||
		(end = MakeBulk(tree, from + n / 2, n - n / 2, end, &right)) == NULL)
		return NULL;
	a = left.n < right.n ? &left : &right;
	b = left.n < right.n ? &right : &left;
	to.high = end + CONVOLUTION_PAD;
	to.low = to.high + tree->low_at;
	n = a->n + b->n - 1;
	part = CONVOLUTION_PAD * (1 + (uint32_t) (WORK_PER_POLL / (CONVOLUTION_PAD * 16 * (uint64_t) a->n + 1)));
	for (uint32_t first = 0; first < n; first += part)
	{
		uint32_t	last = n - first < part ? n : first + part;

		if (WorkspaceStops(tree->ws, (uint64_t) 16 * (last - first) * a->n))
			return NULL;
		CurrentConvolution()->convolve_pairs(&a->f, a->n, &b->f, b->n, first, last, &to);
	}
	tree->ulps += PAIRS_ULPS(a->n);
	return CutBulk(tree, bulk, at, to, n, left.offset + right.offset);
}

/* The doubles for the high parts of all bulks that exist at one time, as in tree.c. */
static size_t
BulkRoom(uint32_t n)
{
	size_t		room = 0;

	for (uint64_t part = n; part > LEAF; part = (part + 1) / 2)
	{
		double		width = 2 * sqrt((double) part * LOG_TRIM / 2) + 4;

		room += 4 * ((width < (double) part + 1 ? (size_t) width : (size_t) part + 1) + 3 * CONVOLUTION_PAD);
	}
	return room + 16 * (LEAF + 3 * CONVOLUTION_PAD);
}

/* The same for values, whose groups differ in size. */
static size_t
RepeatedRoom(const Repeats *repeats, uint32_t n)
{
	size_t		room = 0;
	double		width = 2 * sqrt((double) n * LOG_TRIM / 2) + 4;

	for (uint32_t i = 0; i < repeats->n; i++)
	{
		size_t		binomial = BinomialRoom(repeats->times[i], TRIM);

		room = binomial > room ? binomial : room;
	}
	return room + 9 * ((width < n + 1.0 ? (size_t) width : (size_t) n + 1) + 3 * CONVOLUTION_PAD);
}

/*
 * The sum of the coefficients on the side wanted, each times ratio^distance.  It begins at the
 * end that is farthest from the side's first place.
 */
static DoubleDouble
SumSide(const PreciseBulk *bulk, const Tilt *tilt, uint32_t k)
{
	DoubleDouble sum = {0, 0};
	int64_t		first = (int64_t) k - (int64_t) bulk->offset - (tilt->upper ? 0 : 1);
	int64_t		step = tilt->upper ? -1 : 1;
	int64_t		at = tilt->upper ? (int64_t) bulk->n - 1 : 0;

	for (; tilt->upper ? at >= first : at <= first; at += step)
	{
		sum = DdTimes(sum, (DoubleDouble) {tilt->ratio, 0});
		if (at >= 0 && at < bulk->n)
			sum = DdPlus(sum, (DoubleDouble) {bulk->f.high[at], bulk->f.low[at]});
		else if (sum.high == 0)
			break;
	}
	return sum;
}

/* P(S >= k) from the tilted sum of its side. */
static void
UndoTilt(const PreciseTree *tree, DoubleDouble sum, uint32_t k, Precise *tail)
{
	const FimChances *chances = tree->chances;
	const Tilt *tilt = tree->tilt;
	WideNumber	scale = tree->scale;
	double		ulps = tree->ulps;
	double		error;

	if (tilt->ratio < 1)
	{
		scale = WideTimes(scale, TiltPower(tilt, chances->n, k));
		ulps += SUM_ULPS * chances->n + POWER_ULPS * chances->n + LAST_ULPS;
	}
	error = sum.high * ulps * 1.01 * DD_ULP + 2 * tree->dropped + UNDERFLOW;
	if (scale.exponent < LEAST_EXPONENT || scale.exponent > -LEAST_EXPONENT)
	{
		/* sums are at most 1 */
		tail->value = (DoubleDouble) {0, 0};
		tail->error = scale.exponent < 0 ? ldexp(4, LEAST_EXPONENT) : 1;
	}
	else
	{
		DoubleDouble product = DdTimes(sum, (DoubleDouble) {scale.high, scale.low});

		tail->value.high = ldexp(product.high, (int) scale.exponent);
		tail->value.low = ldexp(product.low, (int) scale.exponent);
		tail->error = ldexp(scale.high * error * 1.01, (int) scale.exponent) + ldexp(1, LEAST_EXPONENT);
	}
	tail->error += PerturbationError(tilt, FactorError(chances), chances->n, k,
									 tail->value.high + tail->error);
	if (!tilt->upper)
	{
		tail->value = DdRest(tail->value);
		tail->error += 4 * DD_ULP;
	}
}

FimResult
PreciseTail(FimWorkspace *ws, const FimChances *chances, uint32_t k, Precise *tail)
{
	PreciseTree tree = {.ws = ws, .chances = chances};
	PreciseBulk	bulk;
	Tilt		tilt;
	uint32_t	leaves;
	double	   *at;

	if (!TiltChoose(ws, chances->p, chances->n, k, &tilt))
		return FIM_STOPPED;
	tree.tilt = &tilt;
	tree.scale = (WideNumber) {1, 0, 0};
	if (chances->nfactors <= 1 && !CountRepeats(ws, chances->p, chances->n, LEAST_TIMES, &tree.repeats))
		return FIM_STOPPED;
	leaves = tree.repeats.n > 0 ? tree.repeats.n : chances->n;
	tree.low_at = tree.repeats.n > 0 ? RepeatedRoom(&tree.repeats, chances->n) : BulkRoom(chances->n);
	at = WorkspaceReserve(ws, sizeof(double) * (2 * tree.low_at + chances->nfactors));
	if (at == NULL)
		return FIM_OUT_OF_MEMORY;
	tree.factors = at + 2 * tree.low_at;
	if (MakeBulk(&tree, 0, leaves, at, &bulk) == NULL)
		return FIM_STOPPED;
	tree.ulps += STEP_ULPS * (bulk.n + fabs((double) k - (double) bulk.offset));
	UndoTilt(&tree, SumSide(&bulk, &tilt, k), k, tail);
	return FIM_DONE;
}

FimResult
PreciseMean(FimWorkspace *ws, const FimChances *chances, Precise *mean)
{
	double	   *factors = WorkspaceReserve(ws, sizeof(double) * (chances->nfactors + 1));

	if (factors == NULL)
		return FIM_OUT_OF_MEMORY;
	mean->value = (DoubleDouble) {0, 0};
	for (uint32_t i = 0; i < chances->n; i++)
	{
		mean->value = DdPlus(mean->value, ProbabilityOf(chances, i, factors));
		if (i % AT_ONCE == 0 && WorkspaceStops(ws, AT_ONCE * 16))
			return FIM_STOPPED;
	}
	/* each addition has an error of up to four ulps of the sum so far */
	mean->error = mean->value.high * 1.01 * (4.0 * chances->n * DD_ULP + FactorError(chances)) +
		(chances->nfactors <= 1 ? 0 : UNDERFLOW);
	return FIM_DONE;
}
