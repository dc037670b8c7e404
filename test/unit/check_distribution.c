/*-------------------------------------------------------------------------
 *
 * check_distribution.c
 *	  The distribution of support against the classical dynamic programme in long
 *	  double.
 *
 *-------------------------------------------------------------------------
 */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/probable/tail.h"

/* What is promised of the values. */
#define ABSOLUTELY		1e-12

static void
ComplainOfChance(const char *what, uint32_t n, uint64_t s, double found, long double truth)
{
	if (IsShown())
		printf("%s, n = %u, s = %llu: %.17g for %.19Lg\n", what, n, (unsigned long long) s, found, truth);
}

/* All values from 0 to n, those left out being 0, are right to the error. */
static void
CheckList(Rng *rng, const char *kind, const FimChances *chances, const Support *support)
{
	FimDistribution found = {0, 0, NULL, 0};
	long double others = 0;

	tried++;
	if (FimDistributionOf(&ws, chances, &found) != FIM_DONE)
	{
		ComplainOfChance("not done", chances->n, 0, 0, 0);
		return;
	}
	if (chances->error == 0 && found.error > ABSOLUTELY)
		ComplainOfChance("error too large", chances->n, 0, found.error, ABSOLUTELY);
	if (found.count == 0 || found.first + found.count > (uint64_t) chances->n + 1)
		ComplainOfChance("out of range", chances->n, found.first, found.count, 0);
	for (uint64_t s = 0; s <= chances->n; s++)
	{
		long double truth = support->exactly[s];

		if (s < found.first || s >= found.first + found.count)
			others += truth;
		else if (fabsl(found.p[s - found.first] - truth) > found.error + 1e-18L)
			ComplainOfChance(kind, chances->n, s, found.p[s - found.first], truth);
	}
	if (others > found.error + 1e-18L)
		ComplainOfChance("left out", chances->n, 0, 0, others);
}

/* Long lists whose distribution is known: Bin(n, 1/2), by logarithms of factorials. */
static void
CheckHalves(uint32_t n)
{
	double	   *p = malloc(sizeof(double) * n);
	FimChances	chances = {n, p, 0, 1, NULL};
	FimDistribution found;

	for (uint32_t i = 0; i < n; i++)
		p[i] = 0.5;
	tried++;
	if (FimDistributionOf(&ws, &chances, &found) != FIM_DONE || found.error > ABSOLUTELY)
		ComplainOfChance("halves", n, 0, 0, 0);
	for (uint32_t i = 0; i < found.count; i += 1 + found.count / 1000)
	{
		long double s = found.first + i;
		long double truth = expl(lgammal(n + 1.0L) - lgammal(s + 1) - lgammal(n - s + 1) - n * logl(2));

		/* the logarithms are right to 10^-18 of themselves */
		if (fabsl(found.p[i] - truth) > found.error + truth * n * 1e-17L)
			ComplainOfChance("halves", n, found.first + i, found.p[i], truth);
	}
	free(p);
}

static FimResult
Compute(const FimChances *chances)
{
	FimDistribution found;

	return FimDistributionOf(&ws, chances, &found);
}

static void
CheckOthers(Rng *rng)
{
	CheckHalves(100000);
	CheckHalves(1000000);
}

int
main(int argc, char **argv)
{
	static const ListChecks checks = {"distributions", CheckList, Compute, CheckOthers};

	return CheckLists(argc, argv, &checks);
}
