/*-------------------------------------------------------------------------
 *
 * tree.c
 *	  The distribution of support as a tree of convolutions of bulks, with a certified error.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "convolution.h"
#include "tail.h"
#include "tree.h"

/*
 * The sum of m variables lies within a few times sqrt(m) of its mean.  So the bulk of its
 * distribution, which is all of it but a mass of at most TRIM at each end, is that wide.  Two
 * bulks are convolved directly: all terms are positive, so each coefficient is right to a
 * number of roundings.
 *
 * That number grows with n, and so would a bound that lets all roundings go in one
 * direction.  But once a node is divided by its mass, its errors add up to 0, and its mean
 * is measured.  The rest of its error changes the result only as far as the distribution of
 * all the other variables is curved, and that distribution is smooth.
 * doc/probable_numbers.md has the proof.
 *
 * Variables lie in groups, each of which is a tree of leaves, and the groups are merged.  Where
 * probabilities have few different values, the variables of each value are a group, whose
 * distribution is binomial.
 */

/* More than factors that underflow can change any probability by. */
#define UNDERFLOW_OF_FACTORS	0x1p-960

/*
 * The most variables of a group of leaves: of one among several, whose roundings add up, and of
 * one that is the only group.
 */
#define GROUP			512
#define LONE_GROUP		1024
#define LEAF_ROOM		(LONE_GROUP / LEAVES)

/* Where values occur less often than this on the average, groups of leaves are faster: measured. */
#define LEAST_TIMES		256

/* The mass that a bulk may lack at each end, and minus its logarithm. */
#define TRIM			1e-21
#define LOG_TRIM		49.0	/* above -log(TRIM / 2) */

/* Roundings of a mass that is a sum over n numbers, and of the few operations with it. */
#define MASS_ROUNDINGS(n)	(SUM_ROUNDINGS(n) + 4.0)

/* The error of "first", as a part of its sum of absolute values, see ConvolutionKernels.moments(). */
#define FIRST_ERROR(n)		((n + 64.0) * 0x1p-77)

/* Allows for terms that the bounds leave out because they are small, see doc/probable_numbers.md. */
#define SLACK			1.01

typedef struct Tree
{
	const ConvolutionKernels *kernels;
	FimWorkspace *ws;
	const double *p;
	uint32_t	n;
	uint32_t	groups;
	Repeats		repeats;		/* if it has values, these are the groups */
	const Tilt *tilt;

	double	   *yes;			/* [LONE_GROUP] tilted probabilities of a group */
	double	   *no;
	double	   *leaves;			/* [(LEAF_ROOM + 1) * LEAVES], with room before */

	double		roundings;
	double		dropped;
	double		error;
} Tree;

Smoothness
SmoothnessOf(double variance, double without, double ratio, uint32_t n)
{
	double		surely = Larger(variance - without - 1e-7 * variance, 0);
	double		deviation = sqrt(surely);
	double		off = 32 * UNIT_ROUNDOFF * ((double) n + 1000);	/* of any coefficient */
	double		value = Smaller(1, 0.62666 / deviation);
	double		slope = Smaller(1, 0.7854 / surely + 2 * off * value);
	double		bend = Smaller(2, 1.5463 / (surely * deviation) + 4 * off * value);

	if (ratio == 1)
		return (Smoothness) {value, slope};
	return (Smoothness) {Smaller(value, slope / (1 - ratio)), Smaller(2 * slope, bend / (1 - ratio))};
}

/*
 * The derivatives of the tail by log p[i] add up to k P(S = k).  P(S = k) is at most the largest
 * value of a smooth distribution, and at most the upper tail.  Errors of 1 % in sum change these
 * bounds by less than 3 %.
 */
double
PerturbationError(const Tilt *tilt, double error, uint32_t n, uint32_t k, double tail)
{
	double		value = SmoothnessOf(tilt->own_variance, 0, 1, n).first;

	if (error == 0)
		return 0;
	if (n * error > MOST_PERTURBED)
		return 1;
	return 1.05 * error * k * Smaller(value, tilt->upper ? tail : 1) + UNDERFLOW_OF_FACTORS;
}

/* No bulk of n variables is wider than this (Hoeffding's inequality). */
static size_t
WidestBulk(uint64_t n)
{
	double		width = 2 * sqrt((double) n * LOG_TRIM / 2) + 4;

	return width < (double) n + 1 ? (size_t) width : (size_t) n + 1;
}

/* The doubles of a bulk of n coefficients with the zeros behind it, in whole lines of a cache. */
static size_t
BulkRoom(size_t n)
{
	return (n + CONVOLUTION_PAD + 7) & ~(size_t) 7;
}

/*
 * The doubles of all bulks that exist at one time: on each level of the tree the left bulk
 * is kept while the right one is made, and the result is made beside both.
 */
static size_t
GroupRoom(uint64_t n)
{
	size_t		room = 0;

	/* a part has at most two thirds of the variables: of three groups, two are in one half */
	for (uint64_t part = n; part > 8; part = part - part / 3 + 1)
		room += WidestBulk(part) + 3 * CONVOLUTION_PAD;
	return room + 3 * (WidestBulk(n) + 3 * CONVOLUTION_PAD) + 2 * LEAVES * (LEAF_ROOM + 3 * CONVOLUTION_PAD);
}

/* The levels of a tree of MOST_VALUES groups. */
#define REPEATED_LEVELS		6

/* The same for groups of equal probabilities, which differ in size: on each level a bulk of any width. */
static size_t
RepeatedRoom(const Tree *tree)
{
	size_t		largest = 0;
	size_t		widest = WidestBulk(tree->n) + 3 * CONVOLUTION_PAD;

	for (uint32_t i = 0; i < tree->repeats.n; i++)
	{
		size_t		binomial = 2 * BinomialRoom(tree->repeats.times[i], TRIM);

		largest = binomial > largest ? binomial : largest;
	}
	return (REPEATED_LEVELS + 3) * widest + largest;
}

/*
 * The number of coefficients that may be cut off at one end of n > 0.  f is the end, and "step"
 * leads to the next coefficient.  At least one is left.
 */
static uint32_t
LightEnd(Tree *tree, const double *f, uint32_t n, int step)
{
	double		mass = 0;
	uint32_t	i = 0;

	for (; i + 1 < n && mass + *f <= TRIM; i++, f += step)
		mass += *f;
	tree->dropped += mass * SLACK;
	return i;
}

/*
 * Cut the ends off the n coefficients at f, and add zeros: what is left is a bulk at "at", before
 * which there are zeros.  f is at "at" or behind it.  Returns the end of the bulk's room.
 */
static double *
CutBulk(Tree *tree, Bulk *bulk, double *at, const double *f, uint32_t n, uint64_t offset)
{
	uint32_t	first = LightEnd(tree, f, n, 1);
	uint32_t	beyond = LightEnd(tree, f + n - 1, n - first, -1);
	size_t		room;

	bulk->f = at;
	bulk->n = n - first - beyond;
	bulk->offset = offset + first;
	memmove(bulk->f, f + first, sizeof(double) * bulk->n);
	room = BulkRoom(bulk->n);
	memset(bulk->f + bulk->n, 0, sizeof(double) * (room - bulk->n));
	return bulk->f + room;
}

bool
BulksConvolve(FimWorkspace *ws, const Bulk *a, const Bulk *b, double *to)
{
	uint32_t	n = a->n + b->n - 1;
	uint32_t	part = CONVOLUTION_PAD * (uint32_t) (1 + WORK_PER_POLL / CONVOLUTION_PAD / a->n);

	for (uint32_t first = 0; first < n; first += part)
	{
		uint32_t	last = n - first < part ? n : first + part;

		if (WorkspaceStops(ws, (uint64_t) (last - first) * a->n))
			return false;
		CurrentConvolution()->convolve(a->f, a->n, b->f, b->n, first, last, to);
	}
	return true;
}

/*
 * Convolve two bulks into one at "at", which may be where they lie; the right one's room ends at
 * "end".  Returns false if the host wants to stop.
 */
static bool
Merge(Tree *tree, const Bulk *left, const Bulk *right, double *at, double *end, Bulk *bulk,
	  double **after)
{
	const Bulk *a = left->n < right->n ? left : right;
	const Bulk *b = left->n < right->n ? right : left;

	if (!BulksConvolve(tree->ws, a, b, end))
		return false;
	tree->roundings += CONVOLUTION_ROUNDINGS(a->n);
	*after = CutBulk(tree, bulk, at, end, a->n + b->n - 1, left->offset + right->offset);
	return true;
}

/* Make the bulk of leaves first .. first + n - 1 of a group, which have m variables each. */
static bool
MergeLeaves(Tree *tree, uint32_t m, int first, int n, double *at, Bulk *bulk, double **after)
{
	Bulk		left;
	Bulk		right;

	if (n == 1)
	{
		for (uint32_t k = 0; k <= m; k++)
			at[k] = tree->leaves[k * LEAVES + (uint32_t) first];
		*after = CutBulk(tree, bulk, at, at, m + 1, 0);
		return true;
	}
	return MergeLeaves(tree, m, first, n / 2, at, &left, after) &&
		MergeLeaves(tree, m, first + n / 2, n / 2, *after, &right, after) &&
		Merge(tree, &left, &right, at, *after, bulk, after);
}

/* Make the leaves of a group, variables *from .. *from + *n - 1.  Returns how many variables a leaf has. */
static uint32_t
MakeLeaves(Tree *tree, uint32_t group, uint32_t *from, uint32_t *n)
{
	uint32_t	end = (uint32_t) ((uint64_t) tree->n * (group + 1) / tree->groups);
	uint32_t	m;

	*from = (uint32_t) ((uint64_t) tree->n * group / tree->groups);
	*n = end - *from;
	m = (*n + 4 * LEAVES - 1) / (4 * LEAVES) * 4;
	tree->kernels->tilt(tree->p + *from, *n, tree->tilt->weights, tree->yes, tree->no);
	for (uint32_t i = *n; i < m * LEAVES; i++)
	{
		tree->yes[i] = 0;
		tree->no[i] = 1;
	}
	tree->kernels->leaves(tree->yes, tree->no, m, tree->leaves);
	tree->roundings += m / 4 * LEAVES * (12 + 4.0 * (tree->tilt->ratio < 1 ? TILT_ROUNDINGS : 1));
	return m;
}

/* How a bulk was made, from its children or from probabilities. */
typedef struct Making
{
	double		roundings;		/* that making it took */
	double		dropped;		/* mass that was cut off */
	double		width;			/* of the bulk before that */
	double		mass;			/* what the mass would be if making it had added no error */
	double		base;			/* base + rest is what the mean would be, right to mean_error */
	double		rest;
	double		mean_error;
} Making;

/* Measure mass and mean of a bulk, and add the error of making it to the tree's. */
static void
Measure(Tree *tree, Bulk *bulk, const Making *making)
{
	const Tilt *tilt = tree->tilt;
	double		rounding = MASS_ROUNDINGS(bulk->n) * UNIT_ROUNDOFF;
	Smoothness	others = SmoothnessOf(tilt->variance, bulk->variance, tilt->ratio, tree->n);
	double		uneven;
	double		shift;
	double		first;

	bulk->base = making->base + floor(making->rest);
	tree->kernels->moments(bulk->f, bulk->n, bulk->base - (double) bulk->offset, &bulk->mass, &first);
	bulk->rest = first / bulk->mass;
	bulk->mean_error = SLACK * (rounding * fabs(bulk->rest) +
								FIRST_ERROR(bulk->n) * (sqrt(bulk->variance) + 1));

	uneven = making->roundings * UNIT_ROUNDOFF + fabs(bulk->mass / making->mass - 1) + 3 * rounding;
	shift = fabs(bulk->rest - (making->rest - floor(making->rest))) + bulk->mean_error +
		making->mean_error + 2 * making->dropped * making->width;
	tree->error += SLACK * (uneven * bulk->variance * others.second / 2 + shift * others.first +
							2 * making->dropped);
}

static bool
MakeGroup(Tree *tree, uint32_t group, double *at, Bulk *bulk, double **after)
{
	Making		making = {tree->roundings, tree->dropped, GROUP, 1, 0, 0, 0};
	uint32_t	from;
	uint32_t	n;
	uint32_t	m = MakeLeaves(tree, group, &from, &n);
	double		high;
	double		low;

	if (!MergeLeaves(tree, m, 0, LEAVES, at, bulk, after))
		return false;
	making.roundings = tree->roundings - making.roundings;
	making.dropped = tree->dropped - making.dropped;
	tree->kernels->sum(tree->yes, n, &high, &low);
	making.base = floor(high);
	making.rest = high - making.base + low;
	making.mean_error = (tree->tilt->ratio < 1 ? (TILT_ROUNDINGS + 1) * high + 2 : 2) * UNIT_ROUNDOFF;
	bulk->variance = tree->kernels->dot(tree->yes, tree->no, n);
	Measure(tree, bulk, &making);
	return true;
}

/* The work of a binomial coefficient, in multiplications. */
#define REPEATED_WORK		64

/* Roundings of a binomial coefficient: one to the nearest double, and one for everything smaller. */
#define BINOMIAL_ROUNDINGS	2

/* Make the bulk of all variables that have one of the values. */
static void
MakeRepeated(Tree *tree, uint32_t which, double *at, Bulk *bulk, double **after)
{
	Making		making = {BINOMIAL_ROUNDINGS, 0, 0, 1, 0, 0, 0};
	uint32_t	times = tree->repeats.times[which];
	DoubleDouble sum;
	Binomial	of = TiltedBinomial(tree->repeats.value[which], times, &tree->tilt->weights, &sum);
	DoubleDouble mean = DdTimes(of.yes, (DoubleDouble) {times, 0});
	size_t		room = BinomialRoom(times, TRIM);
	Pairs		to = {at, at + room};
	uint64_t	offset;
	double		ulps;
	double		dropped = tree->dropped;
	uint32_t	n = BinomialBulk(&of, TRIM, &to, &offset, &ulps, &making.dropped);

	tree->dropped += making.dropped;
	*after = CutBulk(tree, bulk, at, to.high, n, offset);
	tree->roundings += BINOMIAL_ROUNDINGS;
	making.dropped = tree->dropped - dropped;
	making.width = n;
	making.base = floor(mean.high);
	making.rest = mean.high - making.base + mean.low;
	making.mean_error = 2 * UNIT_ROUNDOFF;
	bulk->variance = mean.high * of.no.high;
	Measure(tree, bulk, &making);
}

/* Make the bulk of groups first .. first + n - 1.  Returns false if the host wants to stop. */
static bool
MakeBulk(Tree *tree, uint32_t first, uint32_t n, double *at, Bulk *bulk, double **after)
{
	Bulk		left;
	Bulk		right;
	Making		making;

	if (n == 1 && tree->repeats.n > 0)
	{
		MakeRepeated(tree, first, at, bulk, after);
		return !WorkspaceStops(tree->ws, REPEATED_WORK * (uint64_t) bulk->n);
	}
	if (n == 1)
		return MakeGroup(tree, first, at, bulk, after);
	if (!MakeBulk(tree, first, n / 2, at, &left, after) ||
		!MakeBulk(tree, first + n / 2, n - n / 2, *after, &right, after))
		return false;
	making = (Making) {tree->roundings, tree->dropped, left.n + right.n, left.mass * right.mass,
		left.base + right.base, left.rest + right.rest, left.mean_error + right.mean_error};
	if (!Merge(tree, &left, &right, at, *after, bulk, after))
		return false;
	making.roundings = tree->roundings - making.roundings;
	making.dropped = tree->dropped - making.dropped;
	bulk->variance = left.variance + right.variance;
	Measure(tree, bulk, &making);
	return true;
}

/* For a single group, each half has half of its leaves; no mass is measured. */
static bool
HalveGroup(Tree *tree, double *at, Halves *halves, double **after)
{
	uint32_t	from;
	uint32_t	n;
	uint32_t	m = MakeLeaves(tree, 0, &from, &n);

	halves->left.mass = halves->right.mass = 1;
	tree->error = INFINITY;
	return MergeLeaves(tree, m, 0, LEAVES / 2, at, &halves->left, after) &&
		MergeLeaves(tree, m, LEAVES / 2, LEAVES / 2, *after, &halves->right, after);
}

/* If all variables have one value, they are the left half, and the right half has none. */
static bool
HalveRepeated(Tree *tree, double *at, Halves *halves, double **after)
{
	const double none = 1;
	bool		done = MakeBulk(tree, 0, 1, at, &halves->left, after);

	*after = CutBulk(tree, &halves->right, *after, &none, 1, 0);
	halves->left.mass = halves->right.mass = 1;
	tree->error = INFINITY;
	return done;
}

static bool
HalveGroups(Tree *tree, double *at, Halves *halves, double **after)
{
	uint32_t	half = tree->groups / 2;

	return MakeBulk(tree, 0, half, at, &halves->left, after) &&
		MakeBulk(tree, half, tree->groups - half, *after, &halves->right, after);
}

FimResult
TreeHalves(FimWorkspace *ws, const double *p, uint32_t n, const Tilt *tilt, Halves *halves, double **room)
{
	Tree		tree;
	size_t		leaf_room = (LEAF_ROOM + 1 + 4) * LEAVES;
	size_t		bulks;
	double	   *at;
	bool		done;

	memset(&tree, 0, sizeof(tree));
	tree.kernels = CurrentConvolution();
	tree.ws = ws;
	tree.p = p;
	tree.n = n;
	tree.tilt = tilt;
	if (!CountRepeats(ws, p, n, LEAST_TIMES, &tree.repeats))
		return FIM_STOPPED;
	tree.groups = tree.repeats.n > 0 ? tree.repeats.n : n <= LONE_GROUP ? 1 : (n + GROUP - 1) / GROUP;
	bulks = tree.repeats.n > 0 ? RepeatedRoom(&tree) : GroupRoom(n);
	at = WorkspaceReserve(ws, sizeof(double) * (2 * LONE_GROUP + leaf_room + CONVOLUTION_PAD + bulks));
	if (at == NULL)
		return FIM_OUT_OF_MEMORY;
	tree.yes = at;
	tree.no = tree.yes + LONE_GROUP;
	tree.leaves = tree.no + LONE_GROUP + 4 * LEAVES;
	at = tree.yes + 2 * LONE_GROUP + leaf_room;
	memset(at, 0, sizeof(double) * CONVOLUTION_PAD);
	at += CONVOLUTION_PAD;
	if (tree.groups > 1)
		done = HalveGroups(&tree, at, halves, &at);
	else
		done = tree.repeats.n > 0 ? HalveRepeated(&tree, at, halves, &at) : HalveGroup(&tree, at, halves, &at);
	if (!done)
		return FIM_STOPPED;
	halves->roundings = tree.roundings;
	halves->dropped = tree.dropped;
	halves->error = tree.error;
	*room = at + CONVOLUTION_PAD;
	return FIM_DONE;
}
