/*-------------------------------------------------------------------------
 *
 * measure.c
 *	  Similarities of sets as their nearest float8, decided without error.
 *
 * Of the quotient of two whole numbers up to 2^53, the processor's division gives the
 * nearest float8.  For the cosine that is not enough: its root would be rounded before the
 * division.  So a float8 near the cosine is corrected by comparing squares, in whole
 * numbers of 256 bits.  Lift and leverage are quotients of numbers that may be larger.
 *
 *-------------------------------------------------------------------------
 */
#include "measure.h"

#include "engine/deviance.h"

#include <math.h>

/* A whole number of 256 bits, the lowest word first. */
typedef struct Wide
{
	uint64_t	word[4];
} Wide;

static Wide
WideTimes(Wide a, uint64_t b)
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < 4; i++)
	{
		carry += (unsigned __int128) a.word[i] * b;
		a.word[i] = (uint64_t) carry;
		carry >>= 64;
	}
	return a;
}

static Wide
WideShift(Wide a, unsigned bits)
{
	for (; bits >= 32; bits -= 32)
		a = WideTimes(a, UINT64_C(1) << 32);
	return WideTimes(a, UINT64_C(1) << bits);
}

static int
WideCompare(Wide a, Wide b)
{
	for (int i = 3; i >= 0; i--)
		if (a.word[i] != b.word[i])
			return a.word[i] < b.word[i] ? -1 : 1;
	return 0;
}

/*
 * Whether the nearest float8 of overlap / sqrt(n * m) is at least x, which is between 2^-33
 * and 2.  That is so if the square of overlap / sqrt(n * m) is not below the square of the
 * middle between x and the float8 before x.  The two are never equal: the middle is an odd
 * number of 54 bits times a power of 2, and this odd number would divide the overlap, which
 * has 32 bits.
 */
static bool
CosineReaches(uint32_t overlap, uint32_t n, uint32_t m, double x)
{
	int			exponent;
	double		fraction = frexp(x, &exponent);
	uint64_t	middle = (uint64_t) ldexp(fraction, 54);
	Wide		square = {{overlap}};
	Wide		bound = {{middle}};

	/* x is middle * 2^(exponent - 54), and the float8 before it is nearer if x is a power of 2 */
	if (fraction == 0.5)
	{
		middle = 2 * middle - 1;
		exponent--;
	}
	else
		middle--;
	bound.word[0] = middle;
	square = WideShift(WideTimes(square, overlap), 2 * (54 - (unsigned) exponent));
	bound = WideTimes(WideTimes(WideTimes(bound, middle), n), m);
	return WideCompare(square, bound) >= 0;
}

static double
RoughCosine(uint32_t overlap, uint32_t n, uint32_t m)
{
	return overlap / (sqrt((double) n) * sqrt((double) m));
}

static double
Cosine(uint32_t overlap, uint32_t n, uint32_t m)
{
	double		x = RoughCosine(overlap, n, m);

	while (!CosineReaches(overlap, n, m, x))
		x = nextafter(x, 0);
	while (CosineReaches(overlap, n, m, nextafter(x, 2)))
		x = nextafter(x, 2);
	return x;
}

/*
 * CellRule in cuda/sets/sets.h decides the same without this function.  The guesses below may be off, but
 * the bounds in cuda/sets (rows_kernels.cu, prefix_kernels.cu) must not be too high.
 */
double
SimilarityOf(FimSetsMeasure measure, uint32_t overlap, uint32_t n, uint32_t m)
{
	switch (measure)
	{
		case FIM_JACCARD:
			return (double) overlap / ((double) n + (double) m - (double) overlap);
		case FIM_COSINE:
			return Cosine(overlap, n, m);
		case FIM_OVERLAP:
			return (double) overlap / (double) (n < m ? n : m);
		default:
			return (double) overlap / (double) n;
	}
}

/*
 * The nearest float8 of a / b.  Larger numbers than the processor divides exactly are divided as whole numbers, with more bits
 * than a float8 has, the last of which is set if something is left over.
 */
static double
Quotient(uint64_t a, uint64_t b)
{
	int			shift;
	unsigned __int128 dividend;
	uint64_t	quotient;

	if (a == 0 || (a <= UINT64_C(1) << 53 && b <= UINT64_C(1) << 53))
		return (double) a / (double) b;
	shift = 56 + __builtin_clzll(a) - __builtin_clzll(b);
	shift = shift > 0 ? shift : 0;
	dividend = (unsigned __int128) a << shift;
	quotient = (uint64_t) (dividend / b) | (dividend % b != 0);
	return ldexp((double) quotient, -shift);
}

double
ScoreOf(const FimSetsSpec *spec, uint32_t overlap, uint32_t n, uint32_t m)
{
	uint64_t	all = spec->transactions;
	uint64_t	observed = overlap * all;
	uint64_t	expected = (uint64_t) n * m;
	double		ratio;

	switch (spec->measure)
	{
		case FIM_LIFT:
			return Quotient(observed, expected);
		case FIM_LEVERAGE:
			return observed >= expected ? Quotient(observed - expected, all * all) : -Quotient(expected - observed, all * all);
		case FIM_LOG_LIKELIHOOD_RATIO:
			ratio = FimLogLikelihoodRatio(overlap, n, m, all);
			return observed >= expected ? ratio : -ratio;
		default:
			return SimilarityOf(spec->measure, overlap, n, m);
	}
}

double
RoughScoreOf(const FimSetsSpec *spec, uint32_t overlap, uint32_t n, uint32_t m)
{
	return spec->measure == FIM_COSINE ? RoughCosine(overlap, n, m) : ScoreOf(spec, overlap, n, m);
}

/* Similarity grows with the overlap, so an estimate of the least overlap is corrected step by step. */
uint32_t
LeastOverlap(const FimSetsSpec *spec, uint32_t n, uint32_t m)
{
	FimSetsMeasure measure = spec->measure;
	double		t = spec->threshold;
	uint32_t	most = n < m ? n : m;
	double		guess = measure == FIM_JACCARD ? t / (1 + t) * ((double) n + (double) m) :
		measure == FIM_COSINE ? t * sqrt((double) n) * sqrt((double) m) :
		measure == FIM_OVERLAP ? t * most : t * n;
	uint32_t	least = guess >= most ? most : guess < 1 ? 1 : (uint32_t) guess;

	while (least > 1 && SimilarityOf(measure, least - 1, n, m) >= t)
		least--;
	while (least <= most && SimilarityOf(measure, least, n, m) < t)
		least++;
	return least;
}

/* Two sets are most similar if the smaller one is contained in the larger one. */
uint32_t
LeastPartner(const FimSetsSpec *spec, uint32_t n)
{
	FimSetsMeasure measure = spec->measure;
	double		t = spec->threshold;
	double		guess = measure == FIM_JACCARD ? t * n : t * t * n;
	uint32_t	least = guess >= n ? n : guess < 1 ? 1 : (uint32_t) guess;

	if (measure == FIM_OVERLAP || measure == FIM_CONTAINMENT)
		return 1;
	while (least > 1 && SimilarityOf(measure, least - 1, least - 1, n) >= t)
		least--;
	while (least < n && SimilarityOf(measure, least, least, n) < t)
		least++;
	return least;
}

uint32_t
RanksOfSize(const uint64_t *start, uint32_t nvalues, uint32_t least)
{
	uint32_t	low = 0;
	uint32_t	high = nvalues;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (start[middle + 1] - start[middle] >= least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The larger of both containments is that of the smaller set in the larger one, which is the overlap measure. */
FimSetsSpec
WithoutDirection(const FimSetsSpec *spec)
{
	FimSetsSpec	needed = *spec;

	if (needed.measure == FIM_CONTAINMENT)
		needed.measure = FIM_OVERLAP;
	return needed;
}

/*
 * How many of the rarest keys of a set must be looked at to find one that it shares with another
 * set, if both share at least "overlap" keys; 0 if the set has fewer keys than that.
 */
static uint32_t
AllBut(uint32_t size, uint32_t overlap)
{
	return overlap > size ? 0 : size - overlap + 1;
}

/* Of the sets that are not smaller, those of the same size need the least overlap. */
uint32_t
PrefixOfIndex(const FimSetsSpec *spec, uint32_t size)
{
	FimSetsSpec	needed = WithoutDirection(spec);

	return AllBut(size, LeastOverlap(&needed, size, size));
}

/* Of the sets that it can be similar to, the smallest need the least overlap. */
uint32_t
PrefixOfProbe(const FimSetsSpec *spec, uint32_t size)
{
	FimSetsSpec	needed = WithoutDirection(spec);

	return AllBut(size, LeastOverlap(&needed, size, LeastPartner(&needed, size)));
}
