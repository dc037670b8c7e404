/*-------------------------------------------------------------------------
 *
 * check_minsup.c
 *	  The threshold that minsup means, against exact integers.
 *
 * -n sets the largest N for which every s / N is tried.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"

#define BELOW_2_31		UINT32_C(0x7fffffff)

static uint64_t wrong;
static uint64_t tried;

/* Is the threshold, before it is rounded up, that number or a decimal that is rounded up to it? */
static bool
UnroundedAgrees(double minsup, uint64_t n, uint64_t expected)
{
	char		text[FIM_DECIMAL_TEXT];
	unsigned long long digits;
	int			exponent;
	uint32_t	whole;
	unsigned __int128 scale = 1;

	if (minsup >= 1 || n == 0)
		return true;
	if (FimFractionIsWhole(minsup, n, &whole, text))
		return whole == expected;
	if (sscanf(text, "%llue%d", &digits, &exponent) != 2 || exponent >= 0 ||
		(strtod(text, NULL) != minsup && strtof(text, NULL) != (float) minsup))
		return false;
	/* the product has up to 27 digits */
	if (exponent < -28)
		return expected == 1;
	while (exponent++ < 0)
		scale *= 10;
	return ((unsigned __int128) digits * n + scale - 1) / scale == expected;
}

static void
Expect(const char *what, double minsup, uint64_t n, uint64_t expected)
{
	uint64_t	found = FimThreshold(minsup, n);

	tried++;
	if (!UnroundedAgrees(minsup, n, expected) && wrong++ < 20)
		printf("%s: %.17g of %llu is not %llu before it is rounded\n", what, minsup,
			   (unsigned long long) n, (unsigned long long) expected);
	if (found == expected)
		return;
	if (wrong++ < 20)
		printf("%s: %.17g of %llu is %llu, not %llu\n", what, minsup,
			   (unsigned long long) n, (unsigned long long) expected,
			   (unsigned long long) found);
}

static void
Report(const char *name)
{
	printf("%s: %llu cases\n", name, (unsigned long long) tried);
	tried = 0;
}

/* s / N in float8, and the doubles on both sides, which numeric may come out as. */
static void
ExpectQuotient(uint64_t s, uint64_t n)
{
	double		f = (double) s / (double) n;

	Expect("quotient", f, n, s);
	if (s < n)
		Expect("quotient rounded up", nextafter(f, 1), n, nextafter(f, 1) < 1 ? s : 1);
	Expect("quotient rounded down", nextafter(f, 0), n, s);
}

static uint64_t
CommonDivisor(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		uint64_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Is the float a decimal that float4 and float8 show alike?  Then it is taken as that. */
static bool
IsShortDecimal(float f)
{
	char		text[64];

	snprintf(text, sizeof(text), "%.9g", (double) f);
	return strtod(text, NULL) == (double) f;
}

/* s / N in float4, if it can be told from its neighbours. */
static void
ExpectSingleQuotient(uint64_t s, uint64_t n)
{
	float		f = (float) ((double) s / (double) n);

	if (f >= 1 || f == (float) ((double) (s - 1) / (double) n) ||
		f == (float) ((double) (s + 1) / (double) n))
		return;
	if (n >= 131072 && IsShortDecimal(f))
		return;
	Expect("quotient in float4", (double) f, n, s);
}

static void
CheckQuotients(uint64_t most)
{
	for (uint64_t n = 1; n <= most; n++)
		for (uint64_t s = 1; s < n; s++)
			ExpectQuotient(s, n);
	Report("every quotient in float8");
	for (uint64_t n = 1; n <= most / 5; n++)
		for (uint64_t s = 1; s < n; s++)
			ExpectSingleQuotient(s, n);
	Report("every quotient in float4");
}

static uint64_t
RandomTransactions(Rng *rng)
{
	return 2 + RngNext(rng) % (UINT64_C(1) << (2 + RngBelow(rng, 29)));
}

static void
CheckRandomQuotients(Rng *rng)
{
	for (int i = 0; i < 1000000; i++)
	{
		uint64_t	n = RandomTransactions(rng) & BELOW_2_31;
		uint64_t	s;

		if (n < 2)
			continue;
		s = 1 + RngNext(rng) % (n - 1);
		if (RngChance(rng, 0.2))
			s = 1 + RngNext(rng) % (s < 100 ? s : 100);
		ExpectQuotient(s, n);
		if (i % 4 == 0)
			ExpectSingleQuotient(s, n);
	}
	for (uint64_t i = 0; i < 100000; i++)
	{
		ExpectQuotient(1 + i, BELOW_2_31);
		ExpectQuotient(BELOW_2_31 - 1 - i, BELOW_2_31);
	}
	Report("random quotients");
}

static void
ExpectDecimal(uint64_t digits, int k, uint64_t n)
{
	char		text[64];
	uint64_t	scale = 1;

	for (int i = 0; i < k; i++)
		scale *= 10;
	snprintf(text, sizeof(text), "%.*f", k, (double) digits / (double) scale);
	Expect("decimal", strtod(text, NULL), n,
		   (uint64_t) (((unsigned __int128) digits * n + scale - 1) / scale));
}

static void
CheckDecimals(Rng *rng)
{
	static const uint64_t edges[] = {1, 2, 3, 7, 9, 10, 99, 100, 101, 1000, 65536, 99841, 1000000,
		16777215, 16777216, 16777217, 10000005, 1000000000, BELOW_2_31, UINT32_MAX};
	uint64_t	scale = 1;

	for (int k = 1; k <= 4; k++)
	{
		scale *= 10;
		for (uint64_t digits = 1; digits < scale; digits++)
		{
			for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
				ExpectDecimal(digits, k, edges[i]);
			for (int i = 0; i < 20; i++)
				ExpectDecimal(digits, k, RandomTransactions(rng));
			/* where digits * N is as near to a multiple of the scale as can be */
			for (int i = 0; i < 3; i++)
				ExpectDecimal(digits, k, RandomTransactions(rng) / scale * scale + (uint64_t) i +
							  scale / CommonDivisor(digits, scale) - 1);
		}
	}
	Report("every decimal of up to four digits");
	for (int i = 0; i < 1000000; i++)
	{
		int			k = 5 + (int) RngBelow(rng, 4);
		uint64_t	n = RandomTransactions(rng);

		scale = 1;
		for (int j = 0; j < k; j++)
			scale *= 10;
		if ((unsigned __int128) n * scale < (UINT64_C(1) << 52))
			ExpectDecimal(1 + RngNext(rng) % (scale - 1), k, n);
	}
	Report("random decimals of up to eight digits");
}

/* How many of the quotients s / N around f, as floats, are f. */
static int
SingleNumerators(float f, uint64_t n, uint64_t *s)
{
	uint64_t	nearest = (uint64_t) floor((double) f * (double) n + 0.5);
	int			found = 0;

	for (uint64_t i = nearest - 1; i <= nearest + 1; i++)
	{
		if (f != (float) ((double) i / (double) n))
			continue;
		found++;
		*s = i;
	}
	return found;
}

/* Decimals typed as float4. */
static void
CheckSingleDecimals(Rng *rng)
{
	for (int i = 0; i < 1000000; i++)
	{
		uint64_t	digits = 1 + RngBelow(rng, 9999);
		float		f = (float) ((double) digits / 10000);
		uint64_t	n = (UINT64_C(1) << 20) + RngNext(rng) % (UINT64_C(1) << (20 + RngBelow(rng, 9)));
		uint64_t	s = 0;
		bool		clear = SingleNumerators(f, n, &s) == 1;

		/* f is never a quotient in float8, too, unless the decimal is exact */
		if (!IsShortDecimal(f) && digits * n % 10000 != 0)
			Expect("decimal in float4, many transactions", (double) f, n,
				   clear ? s : (digits * n + 9999) / 10000);
	}
	Expect("decimal in float4 that is whole", (double) 0.3f, 1000000000, 300000000);
	Report("decimals in float4, many transactions");
	for (uint64_t digits = 1; digits < 10000; digits++)
	{
		static const uint64_t sizes[] = {1, 9, 10, 100, 101, 999, 1000};

		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			Expect("decimal in float4", (double) (float) ((double) digits / 10000), sizes[i],
				   (digits * sizes[i] + 9999) / 10000);
	}
	Report("decimals in float4");
}

static void
CheckEdges(void)
{
	Expect("five of six", 5 / 6.0, 6, 5);
	Expect("percent", 0.07, 100, 7);
	Expect("float4", (double) 0.3f, 10, 3);
	Expect("float4, 15 digits in float8", (double) 0.7f, 10, 7);
	/* a short decimal that float4 could also have got from 6250003 / 10000005 */
	Expect("short decimal", 0.625, 10000005, 6250004);
	Expect("count", 1, 100, 1);
	Expect("count", 100, 100, 100);
	Expect("count above N", 101, 100, 101);
	Expect("huge count", 1e300, 100, UINT32_MAX);
	Expect("2^32 - 1", 4294967295.0, 100, UINT32_MAX);
	Expect("tiny", 1e-300, 100, 1);
	Expect("smallest", 4.9406564584124654e-324, UINT32_MAX, 1);
	Expect("below one of N", 0.0099, 100, 1);
	Expect("next to 1", nextafter(1, 0), 100, 100);
	Expect("next to 1", nextafter(1, 0), UINT32_MAX, UINT32_MAX);
	Expect("nothing there", 0.5, 0, 1);
	Expect("nothing there", 3, 0, 3);
	Expect("above", 0.070000001, 100, 8);
	Expect("below", 0.0699999999, 100, 7);
	Report("edges");
}

/* Fractions that mean no whole number, and the decimals that they mean. */
static void
CheckUnrounded(void)
{
	static const struct
	{
		double		f;
		uint64_t	n;
		const char *decimal;
	}			cases[] = {
		/* as a float, 2625002 / 4200003 is this, of which float4 shows as many digits as float8 */
		{0.625, 4200003, "625e-3"},
		/* as floats, 30000000 / 100000001 and 30000001 / 100000001 are this */
		{(double) 0.3f, 100000001, "3e-1"},
		{0.25, 10, "25e-2"},
		{(double) 0.3f, 5, "3e-1"},
		{0.0099, 7, "99e-4"}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
	{
		char		text[FIM_DECIMAL_TEXT] = "a whole number";
		uint32_t	whole;

		tried++;
		if (FimFractionIsWhole(cases[i].f, cases[i].n, &whole, text) || strcmp(text, cases[i].decimal) != 0)
		{
			wrong++;
			printf("%.17g of %llu is %s, not %s\n", cases[i].f, (unsigned long long) cases[i].n, text,
				   cases[i].decimal);
		}
	}
	Report("fractions that are no whole number");
}

int
main(int argc, char **argv)
{
	Rng			rng = {EnvironmentOr("FIM_SEED", 1)};
	uint64_t	most = 5000;
	int			option;

	while ((option = getopt(argc, argv, "n:")) != -1)
	{
		if (option != 'n')
			return 2;
		most = strtoull(optarg, NULL, 10);
	}
	CheckEdges();
	CheckUnrounded();
	CheckQuotients(most);
	CheckRandomQuotients(&rng);
	CheckDecimals(&rng);
	CheckSingleDecimals(&rng);
	return wrong > 0;
}
