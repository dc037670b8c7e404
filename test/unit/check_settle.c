/*-------------------------------------------------------------------------
 *
 * check_settle.c
 *	  Decisions on the probability and on the expected support, and their nearest
 *	  doubles, against arithmetic that is exact for numbers of few bits; and the more
 *	  exact stages one by one.
 *
 * -n sets the number of random cases of each sort.
 *
 *-------------------------------------------------------------------------
 */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/probable/tail.h"
#include "engine/probable/tree.h"

/* Sums and products of numbers of few bits are exact in this. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 Wide;
#define WIDE_BITS	113
#else
typedef long double Wide;
#define WIDE_BITS	LDBL_MANT_DIG
#endif

#define MOST_FACTORS	4

static uint64_t wrong;
static uint64_t tried;
static uint64_t by_rule[FIM_RULES];

static TestHost host;
static FimWorkspace ws;

/* A list with its factors. */
typedef struct List
{
	FimChances	chances;
	double	   *p;
	double	   *factor;			/* [n][nfactors] */
	Wide	   *exact;			/* the products */
} List;

static void
FactorsOf(const FimChances *chances, uint32_t i, double *factor)
{
	const List *list = (const List *) chances;

	memcpy(factor, list->factor + (size_t) i * chances->nfactors, sizeof(double) * chances->nfactors);
}

static void
ListInit(List *list, uint32_t n, uint32_t nfactors)
{
	list->p = malloc(sizeof(double) * (n + 1));
	list->factor = malloc(sizeof(double) * (n * nfactors + 1));
	list->exact = malloc(sizeof(Wide) * (n + 1));
	list->chances = (FimChances) {n, list->p, FimProductError(nfactors), nfactors, FactorsOf};
}

static void
ListFree(List *list)
{
	free(list->p);
	free(list->factor);
	free(list->exact);
}

static void
Multiply(List *list)
{
	uint32_t	nfactors = list->chances.nfactors;

	for (uint32_t i = 0; i < list->chances.n; i++)
	{
		list->p[i] = 1;
		list->exact[i] = 1;
		for (uint32_t j = 0; j < nfactors; j++)
		{
			list->p[i] *= list->factor[i * nfactors + j];
			list->exact[i] *= list->factor[i * nfactors + j];
		}
	}
}

/* P(S >= k) for all k, by the classical dynamic programme. */
static Wide *
TailsOf(const List *list)
{
	uint32_t	n = list->chances.n;
	Wide	   *f = calloc(n + 2, sizeof(Wide));

	f[0] = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = i + 1; k > 0; k--)
			f[k] = f[k] * (1 - list->exact[i]) + f[k - 1] * list->exact[i];
		f[0] *= 1 - list->exact[i];
	}
	for (uint32_t k = n; k > 0; k--)
		f[k - 1] += f[k];
	return f;
}

/* The nearest double, upward from the middle of two. */
static double
NearestOf(Wide x)
{
	double		nearest = (double) x;
	double		above;

	if ((Wide) nearest > x)
		return x < ((Wide) nearest + (Wide) nextafter(nearest, -1)) / 2 ? nextafter(nearest, -1) : nearest;
	above = nextafter(nearest, INFINITY);
	return x >= ((Wide) nearest + (Wide) above) / 2 ? above : nearest;
}

static void
ComplainOfValue(const char *what, const List *list, uint32_t k, double threshold, double found, Wide truth)
{
	if (wrong++ >= 20)
		return;
	printf("%s: n = %u of %u factors, k = %u, threshold %.17g: %.17g, but the truth is %.17g + %.3g\n", what,
		   list->chances.n, list->chances.nfactors, k, threshold, found, NearestOf(truth),
		   (double) (truth - (Wide) NearestOf(truth)));
}

/* A decision and, of short lists, the value; truth is right to "slack" of it. */
static void
ExpectSettled(const List *list, uint32_t k, double threshold, bool want_value, Wide truth, double slack)
{
	FimSettled	found;
	double		nearest = NearestOf(truth);
	bool		unsure = NearestOf(truth * (1 - (Wide) slack)) != NearestOf(truth * (1 + (Wide) slack));

	if (FimTailSettle(&ws, &list->chances, k, threshold, want_value, &found) != FIM_DONE)
		ComplainOfValue("not done", list, k, threshold, 0, truth);
	tried++;
	by_rule[found.rule]++;
	if (unsure)
		return;
	if (!isnan(threshold) && found.reaches != (nearest >= threshold))
		ComplainOfValue("decided wrongly", list, k, threshold, found.reaches, truth);
	if (found.value > nearest)
		ComplainOfValue("value is too high", list, k, threshold, found.value, truth);
	if (want_value && list->chances.n <= FIM_FEW_TRANSACTIONS && found.value != nearest)
		ComplainOfValue("value is not the nearest", list, k, threshold, found.value, truth);
	if (want_value && (found.value < nearest - 1e-12 ||
					   (nearest > 1e-100 && found.value < nearest * (1 - 1e-9))))
		ComplainOfValue("value is not near", list, k, threshold, found.value, truth);
}

static void
ExpectMean(const List *list, double threshold, Wide truth, double slack)
{
	FimSettled	found;
	double		nearest = NearestOf(truth);

	if (FimExpectationSettle(&ws, &list->chances, threshold, &found) != FIM_DONE)
		ComplainOfValue("mean not done", list, 0, threshold, 0, truth);
	tried++;
	if (NearestOf(truth * (1 - (Wide) slack)) != NearestOf(truth * (1 + (Wide) slack)))
		return;
	if (!isnan(threshold) && found.reaches != (nearest >= threshold))
		ComplainOfValue("mean decided wrongly", list, 0, threshold, found.reaches, truth);
	if (found.value != nearest)
		ComplainOfValue("mean is not the nearest", list, 0, threshold, found.value, truth);
}

/* Thresholds at the value, beside it and elsewhere. */
static void
ExpectAround(Rng *rng, const List *list, uint32_t k, Wide truth, double slack)
{
	double		nearest = NearestOf(truth);
	bool		want_value = RngChance(rng, 0.5);

	ExpectSettled(list, k, nearest, want_value, truth, slack);
	ExpectSettled(list, k, nextafter(nearest, 2), want_value, truth, slack);
	ExpectSettled(list, k, nextafter(nearest, -1), want_value, truth, slack);
	ExpectSettled(list, k, RngUnit(rng), !want_value, truth, slack);
	ExpectSettled(list, k, NAN, true, truth, slack);
}

static void
ExpectAll(Rng *rng, const List *list, double slack)
{
	Wide	   *tail = TailsOf(list);
	Wide		mean = 0;
	double		nearest;

	for (uint32_t i = 0; i < list->chances.n; i++)
		mean += list->exact[i];
	nearest = NearestOf(mean);
	for (uint32_t i = 0; i < 6; i++)
	{
		uint32_t	k = i == 0 ? (uint32_t) nearest : i == 1 ? (uint32_t) nearest + 1 :
			RngBelow(rng, list->chances.n + 2);

		if (k <= list->chances.n)
			ExpectAround(rng, list, k, tail[k], slack);
	}
	ExpectMean(list, nearest, mean, slack);
	ExpectMean(list, nextafter(nearest, -1), mean, slack);
	ExpectMean(list, nextafter(nearest, INFINITY), mean, slack);
	free(tail);
}

/* Factors of few bits: everything is exact, and the middle of two doubles is often met. */
static void
CheckFewBits(Rng *rng, int cases)
{
	for (int c = 0; c < cases; c++)
	{
		uint32_t	nfactors = 1 + (RngChance(rng, 0.4) ? RngBelow(rng, MOST_FACTORS) : 0);
		uint32_t	bits = 1 + RngBelow(rng, 8);
		uint32_t	most = (WIDE_BITS - 1) / (bits * nfactors);
		uint32_t	n = 1 + RngBelow(rng, most);
		List		list;

		if (RngChance(rng, 0.5))
			n = 54 / (bits * nfactors) > 0 ? 54 / (bits * nfactors) : 1;
		ListInit(&list, n, nfactors);
		for (uint32_t i = 0; i < n * nfactors; i++)
			list.factor[i] = ldexp(1 + RngBelow(rng, UINT32_C(1) << bits), -(int) bits);
		Multiply(&list);
		ExpectAll(rng, &list, 0);
		ListFree(&list);
	}
	printf("factors of few bits: %llu cases, %llu exact\n", (unsigned long long) tried,
		   (unsigned long long) by_rule[FIM_RULE_EXACT]);
	if (by_rule[FIM_RULE_EXACT] == 0 || by_rule[FIM_RULE_DOUBLE_DOUBLE] == 0)
	{
		printf("the more exact stages were not needed\n");
		wrong++;
	}
	tried = 0;
}

/* The wide numbers are not exact, but nearer than doubles. */
static void
CheckDoubles(Rng *rng, int cases)
{
	for (int c = 0; c < cases; c++)
	{
		uint32_t	nfactors = 1 + (RngChance(rng, 0.4) ? RngBelow(rng, MOST_FACTORS) : 0);
		uint32_t	n = 1 + RngBelow(rng, c % 20 == 0 ? 1500 : c % 4 == 0 ? 200 : 15);
		List		list;

		ListInit(&list, n, nfactors);
		MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), list.factor, n * nfactors);
		Multiply(&list);
		ExpectAll(rng, &list, 8.0 * (n + nfactors) * ldexp(1, 1 - WIDE_BITS));
		ListFree(&list);
	}
	printf("doubles: %llu cases\n", (unsigned long long) tried);
	tried = 0;
}

/* Each of the stages alone must hold what it says. */
static void
ExpectStages(const List *list, uint32_t k, Wide truth, double slack)
{
	Precise		precise;
	Wide		off;
	double		value = -1;
	bool		reaches = false;
	double		nearest = NearestOf(truth);

	tried++;
	if (PreciseTail(&ws, &list->chances, k, &precise) != FIM_DONE)
		ComplainOfValue("precise is not done", list, k, 0, 0, truth);
	off = (Wide) precise.value.high + (Wide) precise.value.low - truth;
	off = off < 0 ? -off : off;
	if (!(off <= (Wide) precise.error + truth * (Wide) slack))
		ComplainOfValue("precise is not right", list, k, precise.error, precise.value.high, truth);
	if (!(precise.error <= 1e-24 * nearest + 1e-240) && !(precise.error < 1e-28))
		ComplainOfValue("precise is not precise", list, k, precise.error, precise.value.high, truth);
	if (ExactTail(&ws, &list->chances, k, &(ExactQuestion) {nearest, &reaches, &value}) != FIM_DONE)
		ComplainOfValue("exact is not done", list, k, 0, 0, truth);
	if (NearestOf(truth * (1 - (Wide) slack)) == NearestOf(truth * (1 + (Wide) slack)) &&
		(value != nearest || !reaches))
		ComplainOfValue("exact is not exact", list, k, nearest, value, truth);
}

static void
CheckStages(Rng *rng, int cases)
{
	for (int c = 0; c < cases; c++)
	{
		uint32_t	nfactors = 1 + (RngChance(rng, 0.4) ? RngBelow(rng, MOST_FACTORS) : 0);
		uint32_t	n = 1 + RngBelow(rng, c % 10 == 0 ? 300 : 40);
		List		list;
		Wide	   *tail;

		ListInit(&list, n, nfactors);
		MakeChances(rng, (Chances) RngBelow(rng, CHANCES_TINY), list.factor, n * nfactors);
		Multiply(&list);
		tail = TailsOf(&list);
		for (int i = 0; i < 5; i++)
		{
			uint32_t	k = 1 + RngBelow(rng, n);

			ExpectStages(&list, k, tail[k], 8.0 * (n + nfactors) * ldexp(1, 1 - WIDE_BITS));
		}
		free(tail);
		ListFree(&list);
	}
	printf("stages: %llu cases\n", (unsigned long long) tried);
	tried = 0;
}

static void
SettleOne(const char *what, const double *p, uint32_t n, uint32_t k, double threshold, bool reaches, double value)
{
	FimChances	chances = {n, p, 0, 1, NULL};
	FimSettled	found;

	tried++;
	if (FimTailSettle(&ws, &chances, k, threshold, true, &found) == FIM_DONE && found.reaches == reaches &&
		found.value == value)
		return;
	wrong++;
	printf("%s: %d, %.17g\n", what, found.reaches, found.value);
}

/* What needs numbers of more than a thousand bits, and the ends. */
static void
CheckEdges(void)
{
	const double least = 0x1p-1074;
	double		tiny[2] = {least, least};
	double		odd[1] = {3 * least};
	double		tenth[10];
	double		half[1001];
	double		near[2] = {1 - 0x1p-27, 1 - 0x1p-27};
	double		below[2] = {0.5, 0x1p-53 * (1 - 0x1p-53)};
	double		above[2] = {0.5, 0x1p-53 * (1 + 0x1p-52)};
	double		upper[3] = {1, 1, 0.25};

	SettleOne("least", tiny, 1, 1, least, true, least);
	SettleOne("above the least", tiny, 1, 1, 2 * least, false, least);
	SettleOne("three times the least", odd, 1, 1, 3 * least, true, 3 * least);
	SettleOne("one of two", tiny, 2, 1, 2 * least, true, 2 * least);
	SettleOne("both of two", tiny, 2, 2, least, false, 0);
	SettleOne("none", tiny, 2, 0, 1, true, 1);
	SettleOne("three of two", tiny, 2, 3, least, false, 0);
	SettleOne("no threshold to speak of", tiny, 2, 2, 0, true, 0);
	/* 1 - 2^-54 is the middle of two doubles */
	SettleOne("a middle", near, 2, 1, 1, true, 1);
	/* below and above 1/2 + 2^-54 by a part in 2^106 */
	SettleOne("below a middle", below, 2, 1, nextafter(0.5, 1), false, 0.5);
	SettleOne("above a middle", above, 2, 1, nextafter(0.5, 1), true, nextafter(0.5, 1));
	SettleOne("two are certain", upper, 3, 2, 1, true, 1);
	SettleOne("the third is not", upper, 3, 3, 0.25, true, 0.25);
	for (int i = 0; i < 10; i++)
		tenth[i] = 0.7;
	tried++;
	{
		FimChances	chances = {10, tenth, 0, 1, NULL};
		FimSettled	found;

		if (FimExpectationSettle(&ws, &chances, 7, &found) != FIM_DONE || !found.reaches || found.value != 7)
		{
			wrong++;
			printf("ten times 0.7 is not 7\n");
		}
	}
	for (int i = 0; i < 1001; i++)
		half[i] = 0.5;
	SettleOne("half of an odd number", half, 1001, 501, 0.5, true, 0.5);
	SettleOne("more than half of an odd number", half, 1001, 501, nextafter(0.5, 1), false, 0.5);
	printf("edges: %llu cases\n", (unsigned long long) tried);
	tried = 0;
}

/* Products of two factors, each 9/16 of the least double and so rounded to all of it. */
static void
CheckUnderflow(Rng *rng)
{
	for (uint32_t n = 1; n <= 8; n++)
	{
		List		list;

		ListInit(&list, n, 2);
		for (uint32_t i = 0; i < 2 * n; i++)
			list.factor[i] = 0x1.8p-538;
		Multiply(&list);
		ExpectAll(rng, &list, ldexp(1, -50));
		ListFree(&list);
	}
	printf("products that underflow: %llu cases\n", (unsigned long long) tried);
	tried = 0;
}

/* Fixed-point numbers of one word of fraction against 128 bits. */
static void
CheckFixed(Rng *rng, int cases)
{
	for (int c = 0; c < cases; c++)
	{
		uint64_t	a[2] = {RngNext(rng) << RngBelow(rng, 64), 0};
		uint64_t	b[2] = {RngNext(rng) << RngBelow(rng, 64), 0};
		uint64_t	sum[2] = {a[0], 0};
		uint64_t	product[2];
		uint64_t	scratch[4];
		unsigned __int128 truth = (unsigned __int128) a[0] * b[0];
		bool		exact = FixedMultiply(product, a, b, 2, scratch);
		double		x = RngUnit(rng) * ldexp(1, (int) RngBelow(rng, 20) - 15);
		bool		fits = FixedFrom(x, scratch, 2);

		tried++;
		FixedAdd(sum, b, 2);
		if (product[0] != (uint64_t) (truth >> 64) || product[1] != 0 || exact != ((uint64_t) truth == 0) ||
			(((unsigned __int128) sum[1] << 64) | sum[0]) != (unsigned __int128) a[0] + b[0] ||
			FixedCompare(a, b, 2) != (a[0] > b[0]) - (a[0] < b[0]) ||
			(Wide) scratch[0] + (Wide) scratch[1] * (Wide) 0x1p64 > (Wide) x * (Wide) 0x1p64 ||
			fits != (FixedBits(x) <= 64) ||
			(fits && FixedNearest(scratch, 2) != x))
		{
			wrong++;
			printf("fixed-point numbers %llx and %llx, %.17g\n", (unsigned long long) a[0],
				   (unsigned long long) b[0], x);
		}
		FixedSubtract(sum, b, 2);
		if (FixedCompare(sum, a, 2) != 0)
			wrong++;
	}
	printf("fixed-point numbers: %llu cases\n", (unsigned long long) tried);
	tried = 0;
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
	HostInit(&host);
	FimWorkspaceInit(&ws, &host.base);
	CheckEdges();
	CheckUnderflow(&rng);
	CheckFixed(&rng, 10 * cases);
	for (const char *const *isa = Isas(); *isa != NULL; isa++)
	{
		FimSetIsa(*isa);
		CheckFewBits(&rng, cases);
		CheckDoubles(&rng, cases);
		CheckStages(&rng, cases);
	}
	FimSetIsa(NULL);
	FimWorkspaceFree(&ws);
	if (host.live > 0 || host.wrong_free)
	{
		printf("memory was not given back\n");
		wrong++;
	}
	return wrong > 0;
}
