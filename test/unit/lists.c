/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Lists of probabilities of each kind with each instruction set.
 *
 *-------------------------------------------------------------------------
 */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_SHOWN	20

TestHost	host;
FimWorkspace ws;
uint64_t	tried;

static uint64_t wrong;

bool
IsShown(void)
{
	return wrong++ < MOST_SHOWN;
}

static void
Report(const char *isa, const char *name, const char *what)
{
	printf("%s, %s: %llu %s\n", isa, name, (unsigned long long) tried, what);
	tried = 0;
}

static void
CheckList(Rng *rng, const ListChecks *checks, Chances kind, uint32_t n)
{
	double	   *p = malloc(sizeof(double) * n);
	FimChances	chances = {n, p, 0, 1, NULL};
	Support		support;

	MakeChances(rng, kind, p, n);
	SupportInit(&support, p, n);
	checks->list(rng, ChancesName(kind), &chances, &support);
	SupportFree(&support);
	free(p);
}

/* Probabilities that are off by a part of themselves: each in its own direction, or all upward or downward. */
static void
CheckPerturbed(Rng *rng, const ListChecks *checks, uint32_t n)
{
	double	   *truth = malloc(sizeof(double) * n);
	double	   *p = malloc(sizeof(double) * n);
	double		error = pow(10, -4 - (double) RngBelow(rng, 12));
	double		direction = RngUnit(rng) * 2 - 1;
	FimChances	chances = {n, p, error, 2, NULL};
	Support		support;

	MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), truth, n);
	for (uint32_t i = 0; i < n; i++)
		p[i] = fmin(1, truth[i] * (1 + error * 0.99 * (direction > 0 ? RngUnit(rng) * 2 - 1 :
													  direction < -0.5 ? 1 : -1)));
	SupportInit(&support, truth, n);
	checks->list(rng, "perturbed", &chances, &support);
	SupportFree(&support);
	free(truth);
	free(p);
}

#define LONG_LIST	200000

static FimResult
ComputeAnew(const ListChecks *checks, const FimChances *chances)
{
	ws.work = 0;
	host.polls = 0;
	return checks->compute(chances);
}

/* The host says stop, or has no memory, at every place in turn. */
static void
CheckLeaving(Rng *rng, const ListChecks *checks)
{
	double	   *p = malloc(sizeof(double) * LONG_LIST);
	FimChances	chances = {LONG_LIST, p, 0, 1, NULL};
	uint64_t	polls;

	MakeChances(rng, CHANCES_UNIFORM, p, LONG_LIST);
	if ((ComputeAnew(checks, &chances) != FIM_DONE || host.polls < 3) && IsShown())
		printf("a long list is not computed, or polls only %llu times\n", (unsigned long long) host.polls);
	polls = host.polls;
	tried++;
	for (host.stop_at = 1; host.stop_at <= polls; host.stop_at++, tried++)
		if (ComputeAnew(checks, &chances) != FIM_STOPPED && IsShown())
			printf("goes on after it was stopped at poll %llu\n", (unsigned long long) host.stop_at);
	host.stop_at = NEVER;
	FimWorkspaceFree(&ws);
	host.fail_at = host.allocs + 1;
	if (ComputeAnew(checks, &chances) != FIM_OUT_OF_MEMORY && IsShown())
		printf("finds memory where there is none\n");
	host.fail_at = NEVER;
	free(p);
}

static void
CheckWithIsa(Rng *rng, const char *isa, int lists, uint32_t longest, const ListChecks *checks)
{
	for (Chances kind = 0; kind < CHANCES_KINDS; kind++)
	{
		for (int i = 0; i < lists; i++)
			CheckList(rng, checks, kind, 1 + RngBelow(rng, i < 2 ? longest : i % 4 == 0 ? 1100 : 30));
		Report(isa, ChancesName(kind), checks->what);
	}
	for (int i = 0; i < 4 * lists; i++)
		CheckPerturbed(rng, checks, 1 + RngBelow(rng, i < 4 ? longest : 50));
	Report(isa, "perturbed", checks->what);
	CheckLeaving(rng, checks);
	checks->others(rng);
	Report(isa, "others", checks->what);
}

int
CheckLists(int argc, char **argv, const ListChecks *checks)
{
	Rng			rng = {EnvironmentOr("FIM_SEED", 1)};
	int			lists = 25;
	uint32_t	longest = 3000;
	int			option;

	while ((option = getopt(argc, argv, "n:l:")) != -1)
	{
		if (option == 'n')
			lists = atoi(optarg);
		else if (option == 'l')
			longest = (uint32_t) strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	HostInit(&host);
	FimWorkspaceInit(&ws, &host.base);
	for (const char *const *isa = Isas(); *isa != NULL; isa++)
	{
		FimSetIsa(*isa);
		CheckWithIsa(&rng, *isa, lists, longest, checks);
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
