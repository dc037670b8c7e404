/*-------------------------------------------------------------------------
 *
 * check_threshold.c
 *	  The threshold of the k best itemsets of random databases, against the supports of all of them.
 *
 * Itemsets of kinds all and closed, with random limits, k and threshold to begin with, are counted by one worker or several, with
 * each strategy and instruction set; in some databases only those that have one of some items.  Workers also leave early, at every
 * place where they can, and must leave nothing behind.  Where databases have many rows, several supports have a range in common.
 *
 * Usage: check_threshold [seed [databases]]
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

#define DEFAULT_DATABASES	200
#define MAX_WORKERS			4
#define MOST_ITEMSETS		3000

/* Returns how many of the itemsets that the spec asks for have a support in each range. */
static uint64_t *
CountWanted(const Brute *brute, const FimItemsetsSpec *spec)
{
	uint64_t   *counts = calloc(FIM_BEST_RANGES, sizeof(uint64_t));

	assert(counts != NULL);
	for (uint32_t s = 0; s < brute->nsets; s++)
		if (brute->sets[s].support >= spec->minsup && BruteWants(brute, spec, &brute->sets[s]))
			counts[FimBestRange(brute->sets[s].support)]++;
	return counts;
}

static bool
FindThreshold(const FimTask *task, const uint64_t *counts, uint32_t n)
{
	const FimItemsetsSpec *spec = (const FimItemsetsSpec *) task->spec;
	TaskWorker	workers[MAX_WORKERS];
	bool		good = true;

	StartWorkers(FimMine, *task, workers, n);
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n; w++)
		good = good && (workers[w].result == FIM_DONE || Complain("%s", ResultName(workers[w].result))) &&
			(workers[w].sink.batches == 0 || Complain("a batch was written"));
	good = good && CheckThreshold(FimBestOf(workers[0].task.shared), counts, spec->minsup, n);
	return EndWorkers(workers, n) && good;
}

static bool
Hinder(const FimTask *task, Rng *rng)
{
	TaskWorker	worker;
	bool		good;

	StartWorkers(FimMine, *task, &worker, 1);
	good = RunHindered(&worker, rng);
	return EndWorkers(&worker, 1) && good;
}

static FimItemsetsSpec
RandomSpec(Rng *rng, uint32_t minsup, uint32_t nany, uint32_t rows)
{
	FimItemsetsSpec spec = {.head = {.size = sizeof(spec),.count_only = true},.kind = RngChance(rng, 0.5) ? FIM_ALL : FIM_CLOSED,
	.minsup = minsup,.nany = nany,.max_length = FIM_NO_LIMIT};

	if (RngChance(rng, 0.3))
		spec.minsup += RngBelow(rng, rows + 1);
	spec.nrequired = RngChance(rng, 0.7) ? 0 : RngBelow(rng, 4);
	spec.min_length = RngChance(rng, 0.5) ? 1 : 1 + RngBelow(rng, 5);
	if (RngChance(rng, 0.3))
		spec.max_length = spec.nrequired + RngBelow(rng, 6);
	spec.best = RngChance(rng, 0.5) ? 1 + RngBelow(rng, 30) : 1 + RngBelow(rng, 3000);
	return spec;
}

static bool
CheckSpec(const FimDatabase *db, const Brute *brute, FimItemsetsSpec *spec, Rng *rng)
{
	FimTask		task = FimTaskOf(&FimItemsetsFamily, &spec->head, &db->head, NULL);
	uint64_t   *counts = CountWanted(brute, spec);
	bool		good = true;

	for (int strategy = 0; FimItemsetsFamily.strategies[strategy] != NULL && good; strategy++)
		for (const char *const *isa = Isas(); *isa != NULL && good; isa++)
		{
			uint32_t	n = RngChance(rng, 0.6) ? 1 : 2 + RngBelow(rng, MAX_WORKERS - 1);

			spec->head.strategy = strategy;
			FimSetIsa(*isa);
			good = (FindThreshold(&task, counts, n) && Hinder(&task, rng)) ||
				Complain("%u best of kind %s, from %u, lengths %u to %u, %u required, one of %u, strategy %s, %s, %u workers", spec->best,
						 KindName(spec->kind), spec->minsup, spec->min_length, spec->max_length, spec->nrequired, spec->nany,
						 FimItemsetsFamily.strategies[strategy], *isa, n);
		}
	FimSetIsa(NULL);
	free(counts);
	return good;
}

static bool
CheckDatabase(uint64_t seed)
{
	Rng			rng = {seed};
	uint32_t	minsup;
	Table		table;
	Brute		brute;
	FimDatabase *db;
	bool		good;

	RandomTable(&table, &rng, RngChance(&rng, 0.7) ? SMALL : RngChance(&rng, 0.5) ? HEAVY : RngChance(&rng, 0.5) ? TALL : LARGE);
	if (RngChance(&rng, 0.4))
		TableNeedAny(&table, 1 + RngBelow(&rng, table.nitems));
	minsup = 1 + RngBelow(&rng, 1 + table.nrows / 4);
	while (!BruteMine(&brute, &table, minsup, MOST_ITEMSETS))
		minsup += 1 + minsup / 4;
	db = BuildDatabase(&table);
	good = db != NULL;
	for (int i = 0; i < 3 && good; i++)
	{
		FimItemsetsSpec spec = RandomSpec(&rng, minsup, table.nany, table.nrows);

		good = CheckSpec(db, &brute, &spec, &rng);
	}
	FreeDatabase(db);
	BruteFree(&brute);
	TableFree(&table);
	return good || Complain("seed %llu", (unsigned long long) seed);
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	databases = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_DATABASES);

	if (!CheckSeeds(CheckDatabase, seed, databases))
		return 1;
	printf("# %llu random databases, seed %llu\n", (unsigned long long) databases, (unsigned long long) seed);
	return 0;
}
