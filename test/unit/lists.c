/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Lists of probabilities of each kind with each instruction set.
 *
 *-------------------------------------------------------------------------
 */
#include "lists.h"

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
CheckWithIsa(Rng *rng, const char *isa, int lists, uint32_t longest, const ListChecks *checks)
{
	for (Chances kind = 0; kind < CHANCES_KINDS; kind++)
	{
		for (int i = 0; i < lists; i++)
			checks->list(rng, kind, 1 + RngBelow(rng, i < 2 ? longest : i % 4 == 0 ? 1100 : 30));
		Report(isa, ChancesName(kind), checks->what);
	}
	for (int i = 0; i < 4 * lists; i++)
		checks->perturbed(rng, 1 + RngBelow(rng, i < 4 ? longest : 50));
	Report(isa, "perturbed", checks->what);
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
