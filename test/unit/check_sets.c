/*-------------------------------------------------------------------------
 *
 * check_sets.c
 *	  Products, pairs and similar sets of random relations, by every strategy, instruction
 *	  set and number of workers, compared with looking at every pair.
 *
 * Usage: check_sets [-r] [seed [relations]]; or FIM_SEED and FIM_DATABASES.  With -r only random
 * relations are checked: larger ones take too long under the thread sanitizer.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sets/measure.h"
#include "relations.h"
#include "set_checks.h"

#define DEFAULT_RELATIONS	3000
#define MOST_VALUES			12

/* So many pairs that building the data polls several times. */
#define MANY_PAIRS			200000

/* Building from records and preparing go so many times through all pairs or values, and poll so often each time. */
#define RECORDS_PASSES		8
#define PASS_POLLS			3

#define LONG_VALUES			20
#define LONG_KEYS			60000

/* One more than fill a panel of a tile of bits. */
#define FULL_VALUES			33

/* The data are not built if the host has no memory. */
static bool
CheckBuilding(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations;
	TestHost	host;
	FimResult	result;

	DrawRelations(&rng, &relations, MOST_VALUES, 2 * MOST_VALUES);
	HostInit(&host);
	host.fail_at = 1 + RngBelow(&rng, 10);
	result = BuildWithHost(&relations, &host);
	FreeRelations(&relations);
	return result == (host.allocs >= host.fail_at ? FIM_OUT_OF_MEMORY : FIM_DONE) ||
		Complain("result %d when memory is refused", result);
}

/* What lies in the data between two offsets is the same. */
static bool
IsSame(const FimSetsData *a, const FimSetsData *b, uint64_t from, uint64_t to)
{
	return memcmp((const char *) a + from, (const char *) b + from, to - from) == 0;
}

/* Records make the same data as their pairs, and wrong numbers of them are noticed. */
static bool
CheckRecords(const TestRelations *relations, uint32_t batches)
{
	TestHost	host;
	FimSetsData *pairs = BuildRelations(relations);
	FimSetsData *records;
	bool		good;

	HostInit(&host);
	records = BuildFromRecords(relations, batches, 0, 0, &host);
	good = records != NULL && pairs->head.size == records->head.size && pairs->nkeys == records->nkeys &&
		memcmp(&pairs->left, &records->left, offsetof(FimSetsSide, values)) == 0 &&
		memcmp(&pairs->right, &records->right, offsetof(FimSetsSide, values)) == 0 &&
		pairs->most_paths == records->most_paths && pairs->most_right == records->most_right &&
		pairs->key_start_at == records->key_start_at && pairs->rank_at == records->rank_at &&
		IsSame(pairs, records, pairs->left.start_at, pairs->left.key_at);

	/* pairs have the numbers of keys with more values than there are keys taken for equal */
	if (good && relations->nkeys >= relations->left.nvalues)
		good = IsSame(pairs, records, pairs->left.key_at, pairs->left.key_at + sizeof(uint32_t) * pairs->left.npairs) &&
			IsSame(pairs, records, pairs->key_start_at, pairs->rank_at + sizeof(uint32_t) * pairs->right.npairs) &&
			memcmp(pairs->group, records->group, sizeof(pairs->group)) == 0;
	OddFree(records);
	if (relations->left.nvalues > 1 && pairs->left.longest > 1)
		for (uint32_t wrong = 1; wrong < 4; wrong++)
		{
			records = BuildFromRecords(relations, batches, wrong & 1, wrong >> 1, &host);
			good = good && records == NULL;
			OddFree(records);
		}
	OddFree(pairs);
	return good || Complain("data from records in %u batches", batches);
}

/* Have the pairs come once each. */
static void
ListPairs(TestRelations *relations)
{
	TestRelation *left = &relations->left;

	left->npairs = 0;
	for (uint32_t v = 0; v < left->nvalues; v++)
		for (uint32_t k = 0; k < relations->nkeys; k++)
			if (relations->in_left[(size_t) v * relations->nkeys + k])
				left->pair[left->npairs++] = (FimSetsPair) {k, v};
}

static bool
CheckRandomRecords(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations;
	bool		good = true;

	DrawRelations(&rng, &relations, 4 * MOST_VALUES, 16 * MOST_VALUES);
	if (relations.one)
	{
		ListPairs(&relations);
		good = CheckRecords(&relations, 1 + RngBelow(&rng, 20));
	}
	FreeRelations(&relations);
	return good;
}

/* So many records that there are several ranges of keys: empty ones, longer ones, and one with all values. */
static bool
CheckManyRecords(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = true, .nkeys = LONG_KEYS, .left.nvalues = LONG_VALUES, .right.nvalues = LONG_VALUES};
	bool		good;

	relations.left.pair = malloc(sizeof(FimSetsPair) * LONG_VALUES * LONG_KEYS);
	relations.in_left = calloc(LONG_VALUES, LONG_KEYS);
	for (uint32_t v = 0; v < LONG_VALUES; v++)
		for (uint32_t k = 0; k < LONG_KEYS; k++)
			relations.in_left[(size_t) v * LONG_KEYS + k] = k == LONG_KEYS / 2 ||
				(k % 7 > 0 && v > k % 5 && RngChance(&rng, 1 - 0.5 * k / LONG_KEYS));
	ListPairs(&relations);
	good = CheckRecords(&relations, 1) && CheckRecords(&relations, 100);
	free(relations.left.pair);
	free(relations.in_left);
	return good;
}

static bool
CheckRelations(uint64_t seed)
{
	return CheckRandomRelations(&cpu_sets_engine, seed) && CheckBuilding(seed) && CheckRandomRecords(seed);
}

/* Building many pairs is stopped at any poll. */
static bool
CheckStoppedBuilding(void)
{
	FimSetsPair one = {0, 0};
	TestRelations relations = {.nkeys = 1, .left = {1, 1, &one}, .right = {MANY_PAIRS, MANY_PAIRS, NULL}};
	bool		good = true;
	FimResult	result = FIM_STOPPED;

	relations.right.pair = malloc(sizeof(FimSetsPair) * MANY_PAIRS);
	for (uint32_t v = 0; v < MANY_PAIRS; v++)
		relations.right.pair[v] = (FimSetsPair) {0, v};
	for (uint64_t poll = 1; result == FIM_STOPPED; poll++)
	{
		TestHost	host;

		HostInit(&host);
		host.stop_at = poll;
		result = BuildWithHost(&relations, &host);
		if (result != (host.polls >= poll ? FIM_STOPPED : FIM_DONE) || (poll == 1 && host.polls == 0))
			good = Complain("result %d when stopped at poll %d", result, (int) poll);
	}
	free(relations.right.pair);
	return good;
}

/* So is building from records, where one range of keys has as many values as pairs. */
static bool
CheckStoppedRecords(void)
{
	TestRelations relations = {.one = true, .nkeys = 1, .left = {MANY_PAIRS, MANY_PAIRS, NULL}};
	FimSetsData *data = NULL;
	bool		good = true;

	relations.in_left = malloc(MANY_PAIRS);
	memset(relations.in_left, true, MANY_PAIRS);
	for (uint64_t poll = 1; data == NULL && good; poll++)
	{
		TestHost	host;

		HostInit(&host);
		host.stop_at = poll;
		data = BuildFromRecords(&relations, 1, 0, 0, &host);
		if ((data != NULL) != (host.polls < poll) || (data != NULL && poll <= RECORDS_PASSES * PASS_POLLS))
			good = Complain("records are %s when stopped at poll %d", data != NULL ? "built" : "not built", (int) poll);
	}
	OddFree(data);
	free(relations.in_left);
	return good;
}

/* Values of many keys, of which later ones are ever rarer: what "auto" expects is near what there is. */
static bool
CheckEstimates(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = true, .nkeys = LONG_KEYS, .left.nvalues = LONG_VALUES, .right.nvalues = LONG_VALUES};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * LONG_VALUES * LONG_KEYS);
	FimSetsData *data;
	double		all_paths = 0;
	double		paths = 0;
	double		keys = 0;
	bool		good;

	for (uint32_t k = 0; k < LONG_KEYS; k++)
	{
		uint64_t	before = relations.left.npairs;

		for (uint32_t v = 0; v < LONG_VALUES; v++)
			if (RngChance(&rng, 1 - 0.9 * k / LONG_KEYS))
				pair[relations.left.npairs++] = (FimSetsPair) {k, v};
		all_paths += pow((double) (relations.left.npairs - before), 2);
	}
	relations.left.pair = pair;
	data = BuildRelations(&relations);
	for (int g = 0; g < FIM_SETS_KEY_GROUPS; g++)
	{
		paths += (double) data->group[0][g].paths;
		keys += (double) data->group[0][g].keys;
	}
	good = (fabs(paths / all_paths - 1) < 0.1 && fabs((double) data->paths / all_paths - 1) < 0.1 &&
			fabs(keys / (double) data->left.npairs - 1) < 0.1) ||
		Complain("%g or %g paths and %g keys are expected of %g and %g", paths, (double) data->paths, keys, all_paths,
				 (double) data->left.npairs);
	OddFree(data);
	free(pair);
	return good;
}

/* The lists by key have the same pairs as those by value, where there are several ranges of keys and pairs come twice. */
static bool
CheckLists(uint64_t seed, bool one)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = one, .nkeys = LONG_KEYS, .left.nvalues = LONG_VALUES, .right.nvalues = LONG_VALUES};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * 2 * LONG_KEYS);
	FimSetsData *data;
	const uint64_t *key_start;
	uint64_t   *next;
	bool		good = true;

	for (uint32_t p = 0; p < 2 * LONG_KEYS; p++)
		pair[p] = (FimSetsPair) {RngBelow(&rng, LONG_KEYS), RngBelow(&rng, 1 + RngBelow(&rng, LONG_VALUES))};
	relations.left.pair = pair;
	relations.left.npairs = one ? 2 * LONG_KEYS : LONG_KEYS;
	relations.right.pair = pair + LONG_KEYS;
	relations.right.npairs = one ? 0 : LONG_KEYS;
	data = BuildRelations(&relations);
	key_start = (const uint64_t *) ((const char *) data + data->key_start_at);
	next = malloc(sizeof(uint64_t) * ((uint64_t) data->nkeys + 1));
	memcpy(next, key_start, sizeof(uint64_t) * ((uint64_t) data->nkeys + 1));
	for (uint32_t r = 0; r < data->right.nvalues; r++)
		for (uint64_t p = FIM_SETS_STARTS(data, &data->right)[r]; p < FIM_SETS_STARTS(data, &data->right)[r + 1]; p++)
		{
			uint32_t	key = FIM_SETS_KEYS(data, &data->right)[p];

			good = good && next[key] < key_start[key + 1] &&
				((const uint32_t *) ((const char *) data + data->rank_at))[next[key]++] == r;
		}
	good = good && memcmp(next, key_start + 1, sizeof(uint64_t) * data->nkeys) == 0;
	free(next);
	OddFree(data);
	free(pair);
	return good || Complain("the right ranks of keys, %d", one);
}

/* Once all cells of a tile are set, the chunks of keys that are left are not looked at, though panels are cut short. */
static bool
CheckFullTile(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = true, .nkeys = LONG_KEYS, .left.nvalues = FULL_VALUES, .right.nvalues = FULL_VALUES};
	FimSetsSpec	spec = {.head = {.size = sizeof(spec), .strategy = FIM_SETS_BITS}, .min_witnesses = 1};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * FULL_VALUES * LONG_KEYS);
	FimSetsData *data;
	TaskWorker	worker;
	bool		good;

	for (uint32_t v = 0; v < FULL_VALUES; v++)
		for (uint32_t k = 0; k < LONG_KEYS; k++)
			if (RngChance(&rng, 0.5))
				pair[relations.left.npairs++] = (FimSetsPair) {k, v};
	relations.left.pair = pair;
	data = BuildRelations(&relations);
	StartWorkers(FimMine, FimSetsTask(&spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	good = worker.task.shared->nodes < data->paths / 4 ||
		Complain("%g paths of %g are looked at", (double) worker.task.shared->nodes, (double) data->paths);
	good = EndWorkers(&worker, 1) && good;
	OddFree(data);
	free(pair);
	return good;
}

/* Cosines so little above or below 1/2 that 1/2 is the nearest float8. */
static bool
CheckHalves(void)
{
	for (uint32_t x = 20000; x < 32768; x += 2)
	{
		/* n * m is 4 * overlap^2 + 1, which makes the cosine smaller by 1 / (16 * overlap^2) */
		uint32_t	n = x * x + 1;
		uint32_t	m = 4 * x * x - 4 * x + 5;
		uint32_t	overlap = x * x - x / 2 + 1;

		if (SimilarityOf(FIM_COSINE, overlap, n, m) != 0.5 ||
			SimilarityOf(FIM_COSINE, overlap, 2 * overlap - 1, 2 * overlap + 1) != 0.5)
			return Complain("a cosine of sets with an overlap of %u", overlap);
	}
	return true;
}

static uint64_t
CheckFixed(uint64_t seed)
{
	uint64_t	failures = 0;

	failures += !CheckHalves();
	failures += !CheckStoppedBuilding();
	failures += !CheckStoppedRecords();
	failures += !CheckEstimates(seed);
	failures += !CheckLists(seed, true);
	failures += !CheckLists(seed, false);
	failures += !CheckFullTile(seed);
	failures += !CheckManyRecords(seed);
	failures += !CheckCountedRelations(&cpu_sets_engine, seed);
	failures += !CheckGapRelations(&cpu_sets_engine);
	failures += !CheckSplitRelations(&cpu_sets_engine, seed);
	failures += !CheckWideRelations(&cpu_sets_engine, seed);
	failures += !CheckHeavyRelations(&cpu_sets_engine, seed);
	failures += !CheckThinRelations(&cpu_sets_engine, seed);
	failures += !CheckTallRelations(&cpu_sets_engine);
	return failures;
}

int
main(int argc, char **argv)
{
	bool		random_only = argc > 1 && strcmp(argv[1], "-r") == 0;
	int			first = random_only ? 2 : 1;
	uint64_t	seed = ArgumentOr(argc, argv, first, "FIM_SEED", 1);
	uint64_t	relations = ArgumentOr(argc, argv, first + 1, "FIM_DATABASES", DEFAULT_RELATIONS);
	uint64_t	failures = 0;

	FimSetIsa(NULL);
	if (!random_only)
		failures += CheckFixed(seed);
	failures += !CheckSeeds(CheckRelations, seed, relations);
	printf("# sets of %llu random relations, seed %llu\n", (unsigned long long) relations,
		   (unsigned long long) seed);
	return failures > 0;
}
