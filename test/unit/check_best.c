/*-------------------------------------------------------------------------
 *
 * check_best.c
 *	  The best partners of the values of random relations, by every measure, strategy,
 *	  instruction set and number of workers, compared with sorting all pairs.
 *
 * Usage: check_best [seed [relations]]; or FIM_SEED and FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>

#include "best_checks.h"
#include "relations.h"

#define DEFAULT_RELATIONS	3000

/* So many values that there is no room for all partners of all rows of a tile. */
#define CROWDED_VALUES		4200

static bool
CheckRelations(uint64_t seed)
{
	return CheckBestOfRandom(&cpu_sets_engine, seed) && CheckScores(seed);
}

/* How many results strategy "bits" finds by tiles. */
static uint64_t
FoundByBits(const FimSetsData *data, uint32_t most_partners)
{
	FimSetsSpec	spec = {.head = {.size = sizeof(spec), .strategy = FIM_SETS_BITS, .count_only = true},
		.result = FIM_SETS_BEST, .min_witnesses = 1, .transactions = 1, .most_partners = most_partners};
	TaskWorker	worker;
	uint64_t	found;

	StartWorkers(FimMine, FimSetsTask(&spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	found = ((FimSetsSummary *) worker.task.summary)->found[FIM_SETS_BITS];
	EndWorkers(&worker, 1);
	return found;
}

/* Tiles are not for more partners than there is room for. */
static bool
CheckRoom(void)
{
	TestRelations relations = {.one = true, .nkeys = 1, .left.nvalues = CROWDED_VALUES, .right.nvalues = CROWDED_VALUES};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * CROWDED_VALUES);
	FimSetsData *data;
	bool		good;

	for (uint32_t v = 0; v < CROWDED_VALUES; v++)
		pair[relations.left.npairs++] = (FimSetsPair) {0, v};
	relations.left.pair = pair;
	data = BuildRelations(&relations);
	good = (FoundByBits(data, 10) == 10 * CROWDED_VALUES && FoundByBits(data, UINT32_MAX) == 0) ||
		Complain("tiles with too many partners, or no tiles");
	OddFree(data);
	free(pair);
	return good;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	relations = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_RELATIONS);
	uint64_t	failures = 0;

	FimSetIsa(NULL);
	failures += !CheckRoom();
	failures += !CheckBestOfMany(&cpu_sets_engine, seed);
	failures += !CheckBestOfThin(&cpu_sets_engine, seed);
	failures += !CheckSeeds(CheckRelations, seed, relations);
	printf("# best partners of %llu random relations, seed %llu\n", (unsigned long long) relations,
		   (unsigned long long) seed);
	return failures > 0;
}
