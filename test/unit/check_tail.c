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
CheckList(Rng *rng, Chances kind, uint32_t n)
{
	double	   *p = malloc(sizeof(double) * n);
	FimChances	chances = {n, p, 0, 1, NULL};
	Support		support;

	MakeChances(rng, kind, p, n);
	SupportInit(&support, p, n);
	for (uint32_t i = 0; i < (n < 20 ? n + 2 : 20); i++)
	{
		uint32_t	k = n < 20 ? i : SomeThreshold(rng, p, n);

		Expect(ChancesName(kind), &chances, k, support.reaches[k], (n + 2) * 2e-19L);
	}
	SupportFree(&support);
	free(p);
}

/* Probabilities that are off by a part of themselves. */
static void
CheckPerturbed(Rng *rng, uint32_t n)
{
	double	   *truth = malloc(sizeof(double) * n);
	double	   *p = malloc(sizeof(double) * n);
	double		error = pow(10, -4 - (double) RngBelow(rng, 12));
	FimChances	chances = {n, p, error, 2, NULL};
	double		direction = RngUnit(rng) * 2 - 1;
	Support		support;

	MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), truth, n);
	for (uint32_t i = 0; i < n; i++)
		p[i] = fmin(1, truth[i] * (1 + error * 0.99 * (direction > 0 ? RngUnit(rng) * 2 - 1 :
													  direction < -0.5 ? 1 : -1)));
	SupportInit(&support, truth, n);
	for (int i = 0; i < 20; i++)
	{
		uint32_t	k = SomeThreshold(rng, p, n);

		Expect("perturbed", &chances, k, support.reaches[k], (n + 2) * 2e-19L);
	}
	SupportFree(&support);
	free(truth);
	free(p);
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

/* The host says stop, or has no memory, at every place in turn. */
static void
CheckLeaving(Rng *rng)
{
	uint32_t	n = 200000;
	double	   *p = malloc(sizeof(double) * n);
	FimChances	chances = {n, p, 0, 1, NULL};
	FimInterval tail;
	uint64_t	polls;

	MakeChances(rng, CHANCES_UNIFORM, p, n);
	host.polls = 0;
	FimTailBracket(&ws, &chances, n / 2 + 2000, &tail);
	polls = host.polls;
	tried++;
	for (uint64_t at = 1; at <= polls; at++)
	{
		ws.work = 0;
		host.polls = 0;
		host.stop_at = at;
		if (FimTailBracket(&ws, &chances, n / 2 + 2000, &tail) != FIM_STOPPED)
			ComplainOfBracket("goes on after it was stopped", n, (uint32_t) at, tail, 0);
		tried++;
	}
	host.stop_at = NEVER;
	FimWorkspaceFree(&ws);
	host.fail_at = host.allocs + 1;
	if (polls < 3 || FimTailBracket(&ws, &chances, n / 2, &tail) != FIM_OUT_OF_MEMORY)
		ComplainOfBracket("finds memory where there is none", n, n / 2, tail, 0);
	host.fail_at = NEVER;
	free(p);
}

static void
CheckOthers(Rng *rng)
{
	for (uint32_t pairs = 0; pairs < 500000; pairs = pairs * 9 + 1)
		CheckSymmetric(rng, pairs);
	CheckSymmetric(rng, 500000);
	CheckLeaving(rng);
}

int
main(int argc, char **argv)
{
	static const ListChecks checks = {"intervals", CheckList, CheckPerturbed, CheckOthers};

	return CheckLists(argc, argv, &checks);
}
