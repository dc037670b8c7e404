/*-------------------------------------------------------------------------
 *
 * check_unwanted.c
 *	  What cannot be wanted is not searched: itemsets that are too short or too long, episodes
 *	  that have no room left for required types, and pairs of sets that can no longer be similar.
 *
 * The results would be the same without these rules, so the data are such that a search without
 * one does many times as much, or has no end.  Nodes and polls are counted, which do not depend
 * on the machine.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/episodes/episodes.h"
#include "harness.h"
#include "relations.h"
#include "streams.h"

/*
 * A search polls at each unit of work and each set of rows, here up to 821 times, and after a few
 * million steps.  One that polls more often than this is stopped.
 */
#define MOST_POLLS		1000

/* ---- itemsets ---- */

#define HOLES			40

/* Each row lacks another item, so that any items are together in as many rows as they leave. */
static FimDatabase *
BuildHoles(void)
{
	Table		table;
	FimDatabase *db;

	TableInit(&table, HOLES);
	for (uint32_t r = 0; r < HOLES; r++)
	{
		uint32_t	items[HOLES];
		uint32_t	n = 0;

		for (uint32_t i = 0; i < HOLES; i++)
			if (i != r)
				items[n++] = i;
		TableAdd(&table, items, n);
	}
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

typedef struct Limits
{
	FimKind		kind;
	uint32_t	minsup;
	uint32_t	min_length;
	uint32_t	max_length;
	int			strategies;		/* so many, from "auto" on; those after them search longer itemsets, too */
	uint64_t	itemsets;
	uint64_t	nodes;			/* at most: some twice what is measured; a search without end has more when it is stopped */
} Limits;

#define PAIRS			(HOLES * (HOLES - 1) / 2)

static const Limits limits[] = {
	{FIM_ALL, 1, HOLES - 2, FIM_NO_LIMIT, 4, PAIRS + HOLES, 20000},
	{FIM_CLOSED, 1, HOLES - 2, FIM_NO_LIMIT, 4, PAIRS + HOLES, 20000},
	{FIM_MAXIMAL, 3, HOLES - 2, FIM_NO_LIMIT, 4, 0, 20000},
	{FIM_ALL, 1, 1, 2, 4, PAIRS + HOLES, 2000},
	{FIM_CLOSED, 1, 1, 2, 3, PAIRS + HOLES, 2000},
	{FIM_MAXIMAL, HOLES / 2, 1, 2, 2, 0, 4000},
};

static bool
CheckLimits(const FimDatabase *db, const Limits *l, int strategy)
{
	FimItemsetsSpec spec = {.head = {.size = sizeof(spec),.strategy = strategy},.kind = l->kind,.minsup = l->minsup,
	.min_length = l->min_length,.max_length = l->max_length};
	TaskWorker	worker;
	bool		good;

	StartWorkers(FimMine, FimItemsetsTask(&spec, db, NULL), &worker, 1);
	worker.host.stop_at = MOST_POLLS;
	RunWorkers(&worker, 1);
	good = worker.result == FIM_DONE && worker.sink.results == l->itemsets && worker.task.shared->nodes <= l->nodes;
	if (!good)
		Complain("%s itemsets of %u to %u items by strategy %s: %s with %llu itemsets, %llu nodes, %llu polls", KindName(l->kind),
				 l->min_length, l->max_length, FimItemsetsFamily.strategies[strategy], ResultName(worker.result),
				 (unsigned long long) worker.sink.results, (unsigned long long) worker.task.shared->nodes,
				 (unsigned long long) worker.host.polls);
	return EndWorkers(&worker, 1) && good;
}

static bool
CheckItemsets(void)
{
	FimDatabase *db = BuildHoles();
	bool		good = true;

	for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++)
		for (int s = 0; s < limits[l].strategies; s++)
			good = good && CheckLimits(db, &limits[l], s);
	FreeDatabase(db);
	return good;
}

/* ---- episodes ---- */

#define TYPES			60
#define ROUNDS			10
#define REQUIRED		3

typedef union RequiringSpec
{
	FimEpisodesSpec spec;
	char		room[sizeof(FimEpisodesSpec) + REQUIRED * sizeof(uint32_t)];
} RequiringSpec;

/*
 * All types follow one another in any order.  The episodes of three events that have three required
 * types are mined by going on from no others.  Twice the 66 nodes that are measured are allowed;
 * there would be 3660.
 */
static bool
CheckEpisodes(void)
{
	RequiringSpec requiring = {.spec = {.head = {.size = sizeof(requiring)},.minsup = 2,.min_length = 1,.max_length = REQUIRED,
	.nrequired = REQUIRED}};
	FimGap		gap = {{.integer = 1}, {.integer = 2 * TYPES}};
	uint32_t	events = TYPES * ROUNDS;
	size_t		bound = FimEpisodesBound(events, TYPES, events, 1);
	FimEpisodesData *built = OddAlloc(bound);
	FimEpisodesData *data;
	TaskWorker	worker;
	bool		good;

	FimEpisodesBegin(built, bound, events, TYPES, events, &gap, 1, false);
	for (uint32_t i = 0; i < events; i++)
		FimEpisodesAdd(built, i % TYPES, (FimTime) {.integer = i});
	data = CompleteData(built);
	for (uint32_t r = 0; r < REQUIRED; r++)
		requiring.spec.words[r] = r * TYPES / REQUIRED;
	StartWorkers(FimMine, FimEpisodesTask(&requiring.spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	good = (worker.result == FIM_DONE && worker.sink.results == 6 && worker.task.shared->nodes <= 130) ||
		Complain("episodes of required types: %llu, %llu nodes", (unsigned long long) worker.sink.results,
				 (unsigned long long) worker.task.shared->nodes);
	good = EndWorkers(&worker, 1) && good;
	OddFree(data);
	return good;
}

/* ---- sets ---- */

#define SETS			400
#define KEYS			40000

/*
 * Random sets of some 2,000 keys share a hundred of them, and similar ones would share nearly all.
 * So after some 60 keys a pair is known not to be similar.  Measured are 4 polls, and 21 if all keys
 * are looked at.
 */
static bool
CheckSets(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = true,.nkeys = KEYS,.left.nvalues = SETS,.right.nvalues = SETS};
	FimSetsSpec	spec = {.head = {.size = sizeof(spec),.strategy = FIM_SETS_PREFIX},.result = FIM_SETS_SIMILAR,.min_witnesses = 1,
	.measure = FIM_JACCARD,.threshold = 0.95};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * SETS * KEYS / 10);
	FimSetsData *data;
	TaskWorker	worker;
	bool		good;

	for (uint32_t v = 0; v < SETS; v++)
		for (uint32_t k = 0; k < KEYS; k++)
			if (RngChance(&rng, 0.05))
				pair[relations.left.npairs++] = (FimSetsPair) {k, v};
	relations.left.pair = pair;
	data = BuildRelations(&relations);
	StartWorkers(FimMine, FimSetsTask(&spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	good = (worker.result == FIM_DONE && worker.sink.results == 0 && worker.host.polls <= 10) ||
		Complain("similar sets: %llu nodes, %llu polls", (unsigned long long) worker.task.shared->nodes,
				 (unsigned long long) worker.host.polls);
	good = EndWorkers(&worker, 1) && good;
	OddFree(data);
	free(pair);
	return good;
}

int
main(void)
{
	bool		good = CheckItemsets();

	good = CheckEpisodes() && good;
	good = CheckSets(1) && good;
	return good ? 0 : 1;
}
