/*-------------------------------------------------------------------------
 *
 * check_tail.c
 *	  The probability that support reaches a threshold, against the classical dynamic
 *	  programme in long double.
 *
 *-------------------------------------------------------------------------
 */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/probable/tail.h"

/* What is promised of the values. */
#define ABSOLUTELY		1e-12
#define RELATIVELY		1e-9
#define LEAST			1e-100

static void
ComplainOfBracket(const char *what, uint32_t n, uint32_t k, FimInterval found, long double truth)
{
	if (IsShown())
		printf("%s, n = %u, k = %u: [%.17g, %.17g] for %.19Lg\n", what, n, k, found.low, found.high, truth);
}

static void
Expect(const char *what, const FimChances *chances, uint32_t k, long double truth, long double slack)
{
	FimInterval found = {-1, -1};
	double		width;

	if (FimTailBracket(&ws, chances, k, &found) != FIM_DONE)
		ComplainOfBracket("not done", chances->n, k, found, truth);
	tried++;
	width = found.high - found.low;
	if (!(found.low >= 0 && found.high <= 1 && found.low <= truth * (1 + slack) &&
		  found.high >= truth * (1 - slack)))
		ComplainOfBracket(what, chances->n, k, found, truth);
	else if (chances->error == 0 &&
			 (width > ABSOLUTELY || (truth >= LEAST && width > RELATIVELY * (double) truth)))
		ComplainOfBracket("too wide", chances->n, k, found, truth);
}

/* Thresholds of interest: the ends, around the mean, in both tails. */
static uint32_t
SomeThreshold(Rng *rng, const double *p, uint32_t n)
{
	double		mean = 0;
	double		variance = 0;
	double		k;

	for (uint32_t i = 0; i < n; i++)
	{
		mean += p[i];
		variance += p[i] * (1 - p[i]);
	}
	switch (RngBelow(rng, 8))
	{
		case 0:
			return RngBelow(rng, 2);
		case 1:
			return n + RngBelow(rng, 2);
		case 2:
			return RngBelow(rng, n + 1);
		case 3:
		case 4:
			k = floor(mean + (RngUnit(rng) - 0.5) * 50 * sqrt(variance));
			break;
		default:
			k = floor(mean + (RngUnit(rng) - 0.5) * 6 * sqrt(variance)) + RngBelow(rng, 3) - 1;
			break;
	}
	return k < 0 ? 0 : k > n + 1.0 ? n + 1 : (uint32_t) k;
}

static void
CheckList(Rng *rng, const char *kind, const FimChances *chances, const Support *support)
{
	uint32_t	n = chances->n;

	for (uint32_t i = 0; i < (n < 20 ? n + 2 : 20); i++)
	{
		uint32_t	k = n < 20 ? i : SomeThreshold(rng, chances->p, n);

		Expect(kind, chances, k, support->reaches[k], (n + 2) * 2e-19L);
	}
}

/* Variables in pairs p and 1 - p beside one of 1/2: half of the sums are above the middle. */
static void
CheckSymmetric(Rng *rng, uint32_t pairs)
{
	uint32_t	n = 2 * pairs + 1;
	double	   *p = malloc(sizeof(double) * n);
	FimChances	chances = {n, p, 0, 1, NULL};

	for (uint32_t i = 0; i < pairs; i++)
	{
		p[i] = (1 + RngBelow(rng, (1 << 30) - 1)) / (double) (1 << 30);
		p[n - 1 - i] = 1 - p[i];
	}
	p[pairs] = 0.5;
	Expect("symmetric", &chances, pairs + 1, 0.5L, 0);
	free(p);
}

static FimResult
Compute(const FimChances *chances)
{
	FimInterval tail;

	return FimTailBracket(&ws, chances, chances->n / 2 + 2000, &tail);
}

static void
CheckOthers(Rng *rng)
{
	for (uint32_t pairs = 0; pairs < 500000; pairs = pairs * 9 + 1)
		CheckSymmetric(rng, pairs);
	CheckSymmetric(rng, 500000);
	CheckSymmetric(rng, 5000000);
}

int
main(int argc, char **argv)
{
	static const ListChecks checks = {"intervals", CheckList, Compute, CheckOthers};

	return CheckLists(argc, argv, &checks);
}
