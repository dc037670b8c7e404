/*-------------------------------------------------------------------------
 *
 * convolution_kernels.h
 *	  The convolution kernels as vectors of LANES doubles, compiled once for each
 *	  instruction set.
 *
 * A compiler may or may not contract a product and a sum into one operation with one
 * rounding; the error bounds hold in both cases.  Only the product in ExactProduct() must be
 * rounded by itself: there it is an operand of MULTIPLY_SUBTRACT, or the processor has no
 * such operation.
 *
 *		LANES		doubles in a vector, at most LEAVES
 *		DIAGONALS	values that a convolution takes at a time, LANES apart
 *		MULTIPLY_SUBTRACT(a, b, c)	a * b - c with one rounding, if the processor can
 *
 *-------------------------------------------------------------------------
 */
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "convolution.h"

/* Vectors of a convolution's result that are computed at a time. */
#define ROWS	6
#define TILE	(LANES * ROWS)

/* The sums that each of these vectors has, to which diagonals are added in turn: measured. */
#define SUMS	(DIAGONALS / 2)

typedef double Vec __attribute__((vector_size(LANES * 8)));
typedef int64_t Bits __attribute__((vector_size(LANES * 8)));

/* The same in memory, at any address of doubles. */
typedef double Doubles __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

static inline Vec
Load(const double *from)
{
	return *(const Doubles *) from;
}

static inline void
Store(double *to, Vec v)
{
	*(Doubles *) to = v;
}

static inline Vec
All(double x)
{
	return (Vec) {0} + x;
}

/* LANES values, of which the last ones may be missing. */
static inline Vec
LoadSome(const double *p, uint32_t n, double missing)
{
	Vec			v;

	if (n >= LANES)
		return Load(p);
	v = All(missing);
	memcpy(&v, p, sizeof(double) * n);
	return v;
}

static inline void
StoreSome(double *to, Vec v, uint32_t n)
{
	if (n >= LANES)
		Store(to, v);
	else
		memcpy(to, &v, sizeof(double) * n);
}

static inline double
SumOfLanes(Vec v)
{
	double		sum = v[0];

	for (int i = 1; i < LANES; i++)
		sum += v[i];
	return sum;
}

/* The products of the polynomials (no + yes x) of two variables, for LANES leaves. */
typedef struct Pair
{
	Vec			c[3];
} Pair;

static inline Pair
PairOf(const double *yes, const double *no)
{
	Vec			y0 = Load(yes);
	Vec			y1 = Load(yes + LEAVES);
	Vec			n0 = Load(no);
	Vec			n1 = Load(no + LEAVES);

	return (Pair) {{n0 * n1, y0 * n1 + n0 * y1, y0 * y1}};
}

/* Multiply the LANES polynomials of degree "degree" at f, in place, by those of four more variables each. */
static inline void
AddFour(const double *yes, const double *no, uint32_t degree, double *f)
{
	Pair		a = PairOf(yes, no);
	Pair		b = PairOf(yes + 2 * LEAVES, no + 2 * LEAVES);
	Vec			c0 = a.c[0] * b.c[0];
	Vec			c1 = a.c[0] * b.c[1] + a.c[1] * b.c[0];
	Vec			c2 = a.c[0] * b.c[2] + a.c[1] * b.c[1] + a.c[2] * b.c[0];
	Vec			c3 = a.c[1] * b.c[2] + a.c[2] * b.c[1];
	Vec			c4 = a.c[2] * b.c[2];
	double	   *at = f + (size_t) (degree + 4) * LEAVES;
	Vec			f0 = {0};
	Vec			f1 = {0};
	Vec			f2 = {0};
	Vec			f3 = {0};

	for (; at >= f; at -= LEAVES)
	{
		Vec			f4 = Load(at - 4 * LEAVES);

		Store(at, c0 * f0 + c1 * f1 + c2 * f2 + c3 * f3 + c4 * f4);
		f0 = f1;
		f1 = f2;
		f2 = f3;
		f3 = f4;
	}
}

static void
leaves(const double *yes, const double *no, uint32_t m, double *f)
{
	memset(f - 4 * LEAVES, 0, sizeof(double) * 4 * LEAVES);
	for (int lane = 0; lane < LEAVES; lane++)
		f[lane] = 1;
	for (uint32_t i = 0; i < m; i += 4)
		for (int lane = 0; lane < LEAVES; lane += LANES)
			AddFour(yes + (size_t) i * LEAVES + lane, no + (size_t) i * LEAVES + lane, i, f + lane);
}

/*
 * Add the products of DIAGONALS * LANES values of a, from a[0] on, to a tile of the result.  b
 * points to the value that is multiplied by a[0] for the tile's first place.  Values of a that
 * are LANES apart are multiplied by the same vectors of b, in neighbouring rows of the tile, so
 * that each vector is loaded once.
 */
static inline void
AddProducts(const double *a, const double *b, Vec sum[SUMS][ROWS])
{
	for (int j = 0; j < LANES; j++, b--)
	{
		Vec			x[DIAGONALS];
		Vec			v[DIAGONALS - 1 + ROWS];

		for (int d = 0; d < DIAGONALS; d++)
			x[d] = All(a[d * LANES + j]);
		for (int r = 0; r < DIAGONALS - 1 + ROWS; r++)
			v[r] = Load(b + (r - (DIAGONALS - 1)) * LANES);
		for (int d = 0; d < DIAGONALS; d++)
			for (int r = 0; r < ROWS; r++)
				sum[d % SUMS][r] += x[d] * v[DIAGONALS - 1 - d + r];
	}
}

/* Each tile of the result stays in registers while a chunk of a is multiplied. */
static void
convolve(const double *a, uint32_t na, const double *b, uint32_t nb, uint32_t first, uint32_t last,
		 double *to)
{
	for (uint32_t k = first; k < last; k += TILE)
	{
		uint32_t	from = k >= nb ? k - nb + 1 : 0;
		uint32_t	end = na < k + TILE ? na : k + TILE;
		Vec			total[ROWS] = {{0}};

		for (uint32_t i = from; i < end;)
		{
			uint32_t	stop = end - i < CONVOLUTION_CHUNK ? end : i + CONVOLUTION_CHUNK;
			Vec			sum[SUMS][ROWS] = {{{0}}};

			for (; i < stop; i += DIAGONALS * LANES)
				AddProducts(a + i, b + ((ptrdiff_t) k - (ptrdiff_t) i), sum);
			for (int s = 0; s < SUMS; s++)
				for (int r = 0; r < ROWS; r++)
					total[r] += sum[s][r];
		}
		for (int r = 0; r < ROWS; r++)
			Store(to + k + r * LANES, total[r]);
	}
}

static BinomialSide
binomial_side(double top, double bottom, DoubleDouble odds, double trim, uint32_t most, const Pairs *to,
			  int step)
{
	DoubleDouble term = {1, 0};
	BinomialSide side = {0, {0, 0}, 0};
	double	   *high = to->high;
	double	   *low = to->low;

	for (; top > 0; top--, bottom++)
	{
		DoubleDouble quotient = DdTimes(DdQuotient((DoubleDouble) {top, 0}, (DoubleDouble) {bottom, 0}), odds);
		double		q = quotient.high * (1 + DBL_EPSILON);

		if (q < 1 && (term.high * q <= trim * (1 - q) || side.n == most))
		{
			side.rest = term.high * q / (1 - q);
			break;
		}
		term = DdTimes(term, quotient);
		side.sum = DdPlus(side.sum, term);
		side.n++;
		*(high += step) = term.high;
		*(low += step) = term.low;
	}
	return side;
}

/* Sums over 32 places at a time keep the chains of additions short. */
#define STRIDE	32
#define PARTS	(STRIDE / LANES)

static double
SumOfParts(const Vec *part)
{
	Vec			sum = part[0];

	for (int i = 1; i < PARTS; i++)
		sum += part[i];
	return SumOfLanes(sum);
}

static double
DotOfChunk(const double *a, const double *b, uint32_t n)
{
	Vec			part[PARTS] = {{0}};
	uint32_t	i = 0;

	for (; i + STRIDE <= n; i += STRIDE)
		for (int k = 0; k < PARTS; k++)
			part[k] += Load(a + i + k * LANES) * Load(b + i + k * LANES);
	for (; i < n; i++)
		part[i % STRIDE / LANES][i % LANES] += a[i] * b[i];
	return SumOfParts(part);
}

static double
dot(const double *a, const double *b, uint32_t n)
{
	double		sum = 0;

	for (uint32_t i = 0; i < n; i += SUM_CHUNK)
		sum += DotOfChunk(a + i, b + i, n - i < SUM_CHUNK ? n - i : SUM_CHUNK);
	return sum;
}

/* Numbers in two parts, one in each lane; see DoubleDouble. */
typedef struct Two
{
	Vec			high;
	Vec			low;
} Two;

/* a + b exactly (D. Knuth, The Art of Computer Programming 2, section 4.2.2). */
static inline Two
ExactSum(Vec a, Vec b)
{
	Vec			sum = a + b;
	Vec			from_b = sum - a;

	return (Two) {sum, (a - (sum - from_b)) + (b - from_b)};
}

/* The same where |a| >= |b| or a is 0. */
static inline Two
ExactSumOrdered(Vec a, Vec b)
{
	Vec			sum = a + b;

	return (Two) {sum, b - (sum - a)};
}

#if !defined(MULTIPLY_SUBTRACT) && defined(__FP_FAST_FMA)
#define MULTIPLY_SUBTRACT(a, b, c)	MultiplySubtract(a, b, c)

static inline Vec
MultiplySubtract(Vec a, Vec b, Vec c)
{
	for (int i = 0; i < LANES; i++)
		a[i] = __builtin_fma(a[i], b[i], -c[i]);
	return a;
}
#endif

/* The number with the first 26 bits of its mantissa only; what is left takes at most 27. */
static inline Vec
UpperHalf(Vec v)
{
	return (Vec) ((Bits) v & ~((INT64_C(1) << 27) - 1));
}

/* a * b exactly, or to 2^-106 of it (T. Dekker, Numer. Math. 18 (1971), 224). */
static inline Two
ExactProduct(Vec a, Vec b)
{
	Vec			product = a * b;
#ifdef MULTIPLY_SUBTRACT
	return (Two) {product, MULTIPLY_SUBTRACT(a, b, product)};
#else
	Vec			a1 = UpperHalf(a);
	Vec			b1 = UpperHalf(b);
	Vec			a2 = a - a1;
	Vec			b2 = b - b1;

	return (Two) {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
#endif
}

/*
 * Add values to the mass, and values times places to "first".  The products of the values' upper
 * halves are exact, and so is adding them in two parts.  The products of the lower halves are at
 * most 2^-26 of these, so their roundings are small.
 */
static inline void
AddMoments(Vec value, Vec place, Vec *mass, Two *first)
{
	Vec			upper = UpperHalf(value);
	Two			sum = ExactSum(first->high, place * upper);

	*mass += value;
	first->high = sum.high;
	first->low += sum.low + place * (value - upper);
}

/* The sum of all lanes of PARTS sums in two parts. */
static double
SumOfTwo(const Two *part)
{
	Two			sum = {{0}, {0}};
	Two			lane = {{0}, {0}};
	Two			next;

	for (int i = 0; i < PARTS; i++)
	{
		next = ExactSum(sum.high, part[i].high);
		sum = (Two) {next.high, sum.low + next.low + part[i].low};
	}
	for (int i = 0; i < LANES; i++)
	{
		next = ExactSum(lane.high, All(sum.high[i]));
		lane = (Two) {next.high, lane.low + next.low};
	}
	return lane.high[0] + (lane.low[0] + SumOfLanes(sum.low));
}

/* The moments of values that begin at the given place; returns their mass. */
static double
MomentsOfChunk(const double *f, uint32_t n, Vec place, Two *firsts)
{
	Vec			masses[PARTS] = {{0}};
	uint32_t	i = 0;

	for (; i + STRIDE <= n; i += STRIDE)
		for (int k = 0; k < PARTS; k++, place += LANES)
			AddMoments(Load(f + i + k * LANES), place, &masses[k], &firsts[k]);
	for (int k = 0; i < n; i += LANES, place += LANES, k++)
		AddMoments(LoadSome(f + i, n - i, 0), place, &masses[k], &firsts[k]);
	return SumOfParts(masses);
}

static void
moments(const double *f, uint32_t n, double center, double *mass, double *first)
{
	Two			firsts[PARTS] = {{{0}, {0}}};
	Vec			place;

	for (int k = 0; k < LANES; k++)
		place[k] = k - center;
	*mass = 0;
	for (uint32_t i = 0; i < n; i += SUM_CHUNK)
		*mass += MomentsOfChunk(f + i, n - i < SUM_CHUNK ? n - i : SUM_CHUNK, place + (double) i, firsts);
	*first = SumOfTwo(firsts);
}

static inline bool
AreTilted(TiltWeights weights)
{
	return weights.yes != 1 || weights.no != 1;
}

static inline void
TiltLanes(Vec p, TiltWeights weights, bool tilted, Vec *yes, Vec *no)
{
	*yes = p;
	*no = 1 - p;
	if (tilted)
	{
		Vec			y = *yes * weights.yes;
		Vec			n = *no * weights.no;
		Vec			s = y + n;

		*yes = y / s;
		*no = n / s;
	}
}

static void
tilt(const double *p, uint32_t n, TiltWeights weights, double *yes, double *no)
{
	bool		tilted = AreTilted(weights);

	for (uint32_t i = 0; i < n; i += LANES)
	{
		Vec			y;
		Vec			rest;

		TiltLanes(LoadSome(p + i, n - i, 0), weights, tilted, &y, &rest);
		StoreSome(yes + i, y, n - i);
		StoreSome(no + i, rest, n - i);
	}
}

static void
tilted_moments(const double *p, uint32_t n, TiltWeights weights, double *mean, double *variance)
{
	bool		tilted = AreTilted(weights);
	double		means = 0;
	double		variances = 0;

	for (uint32_t i = 0; i < n;)
	{
		uint32_t	stop = n - i < 4096 ? n : i + 4096;
		Vec			mean_part = {0};
		Vec			variance_part = {0};

		for (; i < stop; i += LANES)
		{
			Vec			y;
			Vec			rest;

			TiltLanes(LoadSome(p + i, stop - i, 0), weights, tilted, &y, &rest);
			mean_part += y;
			variance_part += y * rest;
		}
		i = stop;
		means += SumOfLanes(mean_part);
		variances += SumOfLanes(variance_part);
	}
	*mean = means;
	*variance = variances;
}

/* Right to 8 * 2^-106 for positive numbers. */
static inline Two
Times(Two a, Two b)
{
	Two			product = ExactProduct(a.high, b.high);

	product.low += a.high * b.low + a.low * b.high;
	return ExactSumOrdered(product.high, product.low);
}

static inline Two
Plus(Two a, Two b)
{
	Two			sum = ExactSum(a.high, b.high);

	sum.low += a.low + b.low;
	return ExactSumOrdered(sum.high, sum.low);
}

/* s = p * yes + (1 - p) * no; one of the weights is 1. */
static inline Two
TiltSum(Vec p, TiltWeights weights)
{
	Two			rest = ExactSum(All(1), -p);
	Two			left = {p, {0}};

	if (weights.no != 1)
		rest = Times(rest, (Two) {All(weights.no), {0}});
	if (weights.yes != 1)
		left = Times(left, (Two) {All(weights.yes), {0}});
	return Plus(left, rest);
}

/* Scale numbers that are not 0 to the range from 1 to 2, and add what was taken out to their exponents. */
static inline Two
TakeExponent(Two a, Bits *exponent)
{
	const Bits	bias = (Bits) {0} + 1023;
	Bits		taken = (Bits) (((Bits) a.high >> 52) & 0x7ff) - bias;
	Vec			scale = (Vec) ((bias - taken) << 52);

	*exponent += taken;
	return (Two) {a.high * scale, a.low * scale};
}

static void
tilt_product(const double *p, uint32_t n, TiltWeights weights, WideNumber *product)
{
	Two			all = {All(1), {0}};
	Bits		exponent = {0};
	double		missing = weights.no == 1 ? 0 : 1; /* the p for which s is 1 */

	for (uint32_t i = 0; i < n; i += LANES)
	{
		Two			s = TiltSum(LoadSome(p + i, n - i, missing), weights);

		all = TakeExponent(Times(all, s), &exponent);
	}
	for (int step = LANES / 2; step > 0; step /= 2)
	{
		Two			other = all;

		for (int i = 0; i < step; i++)
		{
			other.high[i] = all.high[i + step];
			other.low[i] = all.low[i + step];
			exponent[i] += exponent[i + step];
		}
		all = TakeExponent(Times(all, other), &exponent);
	}
	*product = (WideNumber) {all.high[0], all.low[0], exponent[0]};
}

static void
sum(const double *p, uint32_t n, double *high, double *low)
{
	Two			total = {{0}, {0}};
	Two			whole = {{0}, {0}};

	for (uint32_t i = 0; i < n; i += LANES)
	{
		Two			next = ExactSum(total.high, LoadSome(p + i, n - i, 0));

		total = (Two) {next.high, total.low + next.low};
	}
	for (int i = 0; i < LANES; i++)
		whole = Plus(whole, ExactSum(All(total.high[i]), All(total.low[i])));
	*high = whole.high[0];
	*low = whole.low[0];
}

/*
 * Convolution of numbers in two parts.  The low parts of a few terms are added up in plain
 * double precision; then both parts go to the total.
 */
static void
convolve_pairs(const Pairs *a, uint32_t na, const Pairs *b, uint32_t nb, uint32_t first, uint32_t last,
			   const Pairs *to)
{
	for (uint32_t k = first; k < last; k += LANES)
	{
		uint32_t	i = k >= nb ? k - nb + 1 : 0;
		uint32_t	end = na < k + LANES ? na : k + LANES;
		Two			total = {{0}, {0}};

		while (i < end)
		{
			uint32_t	stop = end - i < PAIRS_CHUNK ? end : i + PAIRS_CHUNK;
			Two			sum = {{0}, {0}};

			for (; i < stop; i++)
			{
				ptrdiff_t	at = (ptrdiff_t) k - (ptrdiff_t) i;
				Vec			high = All(a->high[i]);
				Vec			other = Load(b->high + at);
				Two			product = ExactProduct(high, other);
				Two			next = ExactSum(sum.high, product.high);

				product.low += high * Load(b->low + at) + All(a->low[i]) * other;
				sum = (Two) {next.high, sum.low + (next.low + product.low)};
			}
			total = Plus(total, ExactSumOrdered(sum.high, sum.low));
		}
		Store(to->high + k, total.high);
		Store(to->low + k, total.low);
	}
}

#define CONVOLUTION_KERNELS(name) \
	{name, leaves, convolve, convolve_pairs, binomial_side, dot, moments, tilt, tilted_moments, tilt_product, sum}
