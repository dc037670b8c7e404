/*-------------------------------------------------------------------------
 *
 * check_convolution.c
 *	  The kernels that convolve distributions: each result must be as near to the long
 *	  double one as its comment says, on every instruction set.
 *
 * -n sets the number of random cases.
 *
 *-------------------------------------------------------------------------
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/probable/convolution.h"

#define ROUNDING	0x1p-53L

/* What long double itself may be off. */
#define OWN_ERROR	0x1p-58L

/* More than what is lost to underflow. */
#define UNDERFLOW	1e-300L

static uint64_t wrong;
static uint64_t tried;

/* The exact product of the numbers in both parts may need more than a long double. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 Wide;
#define WIDE_SLACK	1
#else
typedef long double Wide;
#define WIDE_SLACK	(1 << 20)
#endif

static void
ExpectNear(const char *what, const char *isa, uint32_t n, long double found, long double truth, long double error)
{
	tried++;
	if (fabsl(found - truth) <= error + UNDERFLOW)
		return;
	if (wrong++ < 20)
		printf("%s, %s, n = %u: %.20Lg for %.20Lg, off by %.3Lg, allowed %.3Lg\n", isa, what, n, found,
			   truth, fabsl(found - truth), error);
}

static double *
Padded(uint32_t n)
{
	return (double *) calloc(n + 3 * CONVOLUTION_PAD, sizeof(double)) + CONVOLUTION_PAD;
}

static void
FreePadded(double *f)
{
	free(f - CONVOLUTION_PAD);
}

static void
Fill(Rng *rng, double *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		f[i] = RngChance(rng, 0.1) ? 0 : ldexp(RngUnit(rng), -(int) RngBelow(rng, 60));
}

static uint32_t
SomeLength(Rng *rng)
{
	return 1 + RngBelow(rng, UINT32_C(1) << RngBelow(rng, 10));
}

static void
CheckLeaves(Rng *rng, const ConvolutionKernels *kernels)
{
	uint32_t	m = 4 * (1 + RngBelow(rng, 16));
	double	   *yes = malloc(sizeof(double) * m * LEAVES);
	double	   *no = malloc(sizeof(double) * m * LEAVES);
	double	   *room = malloc(sizeof(double) * (m + 5) * LEAVES);
	double	   *f = room + 4 * LEAVES;

	Fill(rng, yes, m * LEAVES);
	Fill(rng, no, m * LEAVES);
	kernels->leaves(yes, no, m, f);
	for (uint32_t j = 0; j < LEAVES; j++)
	{
		long double g[65] = {1};

		for (uint32_t i = 0; i < m; i++)
			for (uint32_t k = i + 1; k <= i + 1; k--)
				g[k] = (k <= i ? g[k] * no[i * LEAVES + j] : 0) + (k > 0 ? g[k - 1] * yes[i * LEAVES + j] : 0);
		for (uint32_t k = 0; k <= m; k++)
			ExpectNear("leaves", kernels->name, m, f[k * LEAVES + j], g[k], g[k] * (m * 3 * ROUNDING + OWN_ERROR));
	}
	free(yes);
	free(no);
	free(room);
}

static void
CheckConvolve(Rng *rng, const ConvolutionKernels *kernels)
{
	uint32_t	na = SomeLength(rng);
	uint32_t	nb = na + (RngChance(rng, 0.2) ? 0 : SomeLength(rng));
	uint32_t	n = na + nb - 1;
	uint32_t	cut = CONVOLUTION_PAD * RngBelow(rng, n / CONVOLUTION_PAD + 1);
	double	   *a = Padded(na);
	double	   *b = Padded(nb);
	double	   *to = Padded(n);

	Fill(rng, a, na);
	Fill(rng, b, nb);
	kernels->convolve(a, na, b, nb, cut, n, to);
	if (cut > 0)
		kernels->convolve(a, na, b, nb, 0, cut, to);
	for (uint32_t k = 0; k < n; k++)
	{
		long double sum = 0;

		for (uint32_t i = k < nb ? 0 : k - nb + 1; i < na && i <= k; i++)
			sum += (long double) a[i] * b[k - i];
		ExpectNear("convolve", kernels->name, na, to[k], sum,
				   sum * (CONVOLUTION_ROUNDINGS(na) * ROUNDING + OWN_ERROR));
	}
	FreePadded(a);
	FreePadded(b);
	FreePadded(to);
}

static void
MakePairs(Rng *rng, Pairs *f, uint32_t n)
{
	f->high = Padded(n);
	f->low = Padded(n);
	Fill(rng, f->high, n);
	for (uint32_t i = 0; i < n; i++)
		f->low[i] = f->high[i] * (RngUnit(rng) - 0.5) * 0x1p-53;
}

static void
CheckConvolvePairs(Rng *rng, const ConvolutionKernels *kernels)
{
	uint32_t	na = SomeLength(rng);
	uint32_t	nb = na + SomeLength(rng) - 1;
	uint32_t	n = na + nb - 1;
	Pairs		a;
	Pairs		b;
	Pairs		to;

	MakePairs(rng, &a, na);
	MakePairs(rng, &b, nb);
	MakePairs(rng, &to, n);
	kernels->convolve_pairs(&a, na, &b, nb, 0, n, &to);
	for (uint32_t k = 0; k < n; k++)
	{
		Wide		sum = 0;
		Wide		off;

		for (uint32_t i = k < nb ? 0 : k - nb + 1; i < na && i <= k; i++)
			sum += ((Wide) a.high[i] + (Wide) a.low[i]) * ((Wide) b.high[k - i] + (Wide) b.low[k - i]);
		off = (Wide) to.high[k] + (Wide) to.low[k] - sum;
		ExpectNear("convolve pairs", kernels->name, na, (long double) off, 0,
				   (long double) sum * PAIRS_ULPS(na) * (long double) DD_ULP * WIDE_SLACK);
	}
	FreePadded(a.high);
	FreePadded(a.low);
	FreePadded(b.high);
	FreePadded(b.low);
	FreePadded(to.high);
	FreePadded(to.low);
}

static void
CheckSums(Rng *rng, const ConvolutionKernels *kernels)
{
	uint32_t	n = SomeLength(rng) + SomeLength(rng) + SUM_CHUNK * RngBelow(rng, 4);
	double	   *a = malloc(sizeof(double) * n);
	double	   *b = malloc(sizeof(double) * n);
	double		center = (double) RngBelow(rng, n + 10) - 5;
	long double product = 0;
	long double mass = 0;
	long double first = 0;
	long double scale = 0;
	double		high;
	double		low;

	Fill(rng, a, n);
	Fill(rng, b, n);
	for (uint32_t i = 0; i < n; i++)
	{
		product += (long double) a[i] * b[i];
		mass += a[i];
		first += (i - (long double) center) * a[i];
		scale += fabsl(i - (long double) center) * a[i];
	}
	ExpectNear("dot", kernels->name, n, kernels->dot(a, b, n), product,
			   product * (SUM_ROUNDINGS(n) * ROUNDING + OWN_ERROR));
	kernels->moments(a, n, center, &high, &low);
	ExpectNear("mass", kernels->name, n, high, mass, mass * (SUM_ROUNDINGS(n) * ROUNDING + OWN_ERROR));
	/* long double is not exact enough for all that is promised here */
	ExpectNear("first moment", kernels->name, n, low, first, fabsl(first) * 4 * ROUNDING +
			   scale * ((n + 64) * 0x1p-77L + n * 0x1p-64L));
	kernels->sum(a, n, &high, &low);
	ExpectNear("sum", kernels->name, n, (long double) high + low, mass, mass * n * 0x1p-64L);
	if (fabs(low) > fabs(high) * 0x1p-53)
		ExpectNear("low part", kernels->name, n, low, 0, 0);
	free(a);
	free(b);
}

static void
CheckTilt(Rng *rng, const ConvolutionKernels *kernels)
{
	uint32_t	n = SomeLength(rng);
	double	   *p = malloc(sizeof(double) * n);
	double	   *yes = malloc(sizeof(double) * n);
	double	   *no = malloc(sizeof(double) * n);
	int			shift = (int) RngBelow(rng, RngChance(rng, 0.3) ? 490 : 20);
	double		ratio = ldexp(floor(ldexp(0.5 + RngUnit(rng) / 2, 24)), -24 - shift);
	TiltWeights weights = RngChance(rng, 0.5) ? (TiltWeights) {ratio, 1} : (TiltWeights) {1, ratio};
	long double log_product = 0;
	long double means = 0;
	long double variances = 0;
	double		mean;
	double		variance;
	WideNumber	product;

	MakeChances(rng, (Chances) RngBelow(rng, CHANCES_TINY), p, n);
	kernels->tilt(p, n, weights, yes, no);
	for (uint32_t i = 0; i < n; i++)
	{
		long double y = (long double) p[i] * weights.yes;
		long double rest = (1 - (long double) p[i]) * weights.no;
		long double s = y + rest;

		ExpectNear("tilted probability", kernels->name, n, yes[i], y / s,
				   y / s * (TILT_ROUNDINGS * ROUNDING + OWN_ERROR));
		ExpectNear("tilted rest", kernels->name, n, no[i], rest / s,
				   rest / s * (TILT_ROUNDINGS * ROUNDING + OWN_ERROR));
		log_product += logl(s);
		means += y / s;
		variances += y / s * (rest / s);
	}
	kernels->tilted_moments(p, n, weights, &mean, &variance);
	ExpectNear("tilted mean", kernels->name, n, mean, means, means * 1e-9L);
	ExpectNear("tilted variance", kernels->name, n, variance, variances, variances * 1e-9L);
	kernels->tilt_product(p, n, weights, &product);
	if (product.high < 1 || product.high > 2)
		ExpectNear("mantissa", kernels->name, n, product.high, 1, 0);
	ExpectNear("product of sums", kernels->name, n,
			   logl((long double) product.high + product.low) + product.exponent * logl(2), log_product,
			   1e-17L * n * (fabsl(log_product) + 1));
	free(p);
	free(yes);
	free(no);
}

int
main(int argc, char **argv)
{
	Rng			rng = {EnvironmentOr("FIM_SEED", 1)};
	int			cases = 200;
	int			option;

	while ((option = getopt(argc, argv, "n:")) != -1)
	{
		if (option != 'n')
			return 2;
		cases = atoi(optarg);
	}
	for (const char *const *isa = Isas(); *isa != NULL; isa++)
	{
		const ConvolutionKernels *kernels;

		FimSetIsa(*isa);
		kernels = CurrentConvolution();
		if (strcmp(kernels->name, *isa) != 0)
		{
			printf("%s has kernels for %s\n", *isa, kernels->name);
			wrong++;
		}
		for (int i = 0; i < cases; i++)
		{
			CheckLeaves(&rng, kernels);
			CheckConvolve(&rng, kernels);
			CheckConvolvePairs(&rng, kernels);
			CheckSums(&rng, kernels);
			CheckTilt(&rng, kernels);
		}
		printf("%s: %llu numbers\n", *isa, (unsigned long long) tried);
		tried = 0;
	}
	FimSetIsa(NULL);
	return wrong > 0;
}
