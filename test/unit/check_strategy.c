/*-------------------------------------------------------------------------
 *
 * check_strategy.c
 *	  Whether "auto" goes through sets of rows or of items, on either side of the border.
 *
 * Usage: check_strategy [seed]; or FIM_SEED.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>

#include "engine/itemsets/miner.h"
#include "harness.h"

/* Of the longest row of any table here. */
#define MOST_ITEMS	3000

/* A table in which rows of different clusters share nothing. */
typedef struct Clusters
{
	uint32_t	nitems;
	uint32_t	nrows;
	uint32_t	nclusters;
	double		density;		/* of a cluster's items in its rows */
} Clusters;

static FimDatabase *
BuildClusters(const Clusters *c, Rng *rng)
{
	Table		table;
	FimDatabase *db;

	TableInit(&table, c->nitems);
	for (uint32_t r = 0; r < c->nrows; r++)
	{
		uint32_t	row[MOST_ITEMS];
		uint32_t	length = 0;

		for (uint32_t i = r % c->nclusters; i < c->nitems; i += c->nclusters)
			if (RngChance(rng, c->density))
				row[length++] = i;
		TableAdd(&table, row, length);
	}
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

/* Rows of a few popular items, and of some that hardly another row has. */
#define BASKETS			400
#define POPULAR			10
#define BASKET_ITEMS	1000
#define RARE_IN_BASKET	3

static FimDatabase *
BuildBaskets(Rng *rng)
{
	Table		table;
	FimDatabase *db;

	TableInit(&table, BASKET_ITEMS);
	for (uint32_t r = 0; r < BASKETS; r++)
	{
		uint32_t	row[POPULAR + RARE_IN_BASKET];
		uint32_t	length = 0;

		for (uint32_t i = 0; i < POPULAR; i++)
			if (RngChance(rng, 0.3))
				row[length++] = i;
		for (uint32_t i = 0; i < RARE_IN_BASKET; i++)
		{
			uint32_t	among = (BASKET_ITEMS - POPULAR) / RARE_IN_BASKET;

			row[length++] = POPULAR + i * among + RngBelow(rng, among);
		}
		TableAdd(&table, row, length);
	}
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

/* Whether rows are chosen at a threshold, for a kind; the database is freed by the caller. */
static bool
Chosen(const FimDatabase *db, FimKind kind, uint32_t minsup, bool wanted, const char *what)
{
	FimItemsetsSpec spec = {.head = {.size = sizeof(spec),.strategy = FIM_AUTO},.kind = kind,.minsup = minsup,
	.min_length = 1,.max_length = FIM_NO_LIMIT};

	if (MinesRowSets(&spec, db) == wanted)
		return true;
	return Complain("%s, kind %s, minsup %u: sets of %s are chosen", what, KindName(kind), minsup,
					wanted ? "items" : "rows");
}

/* Two rows of a cluster share some 47 items, and three of them 23. */
static bool
CheckManyShared(Rng *rng)
{
	FimDatabase *db = BuildClusters(&(Clusters) {.nitems = 1500,.nrows = 120,.nclusters = 8,.density = 0.5}, rng);
	bool		good = true;

	for (uint32_t minsup = 1; minsup <= 3; minsup++)
		good = Chosen(db, FIM_MAXIMAL, minsup, true, "many shared") && good;
	good = Chosen(db, FIM_MAXIMAL, 4, false, "many shared") && good;
	good = Chosen(db, FIM_CLOSED, 1, false, "many shared") && good;
	good = Chosen(db, FIM_ALL, 1, false, "many shared") && good;
	FreeDatabase(db);
	return good;
}

/* Two rows of a cluster share some 25 items, three of them hardly two. */
static bool
CheckFewByThree(Rng *rng)
{
	FimDatabase *db = BuildClusters(&(Clusters) {.nitems = 3000,.nrows = 90,.nclusters = 1,.density = 0.09}, rng);
	bool		good = true;

	for (uint32_t minsup = 1; minsup <= 2; minsup++)
		good = Chosen(db, FIM_CLOSED, minsup, true, "few shared by three") && good;
	good = Chosen(db, FIM_CLOSED, 3, false, "few shared by three") && good;
	FreeDatabase(db);
	return good;
}

/* Two rows share some seven items, and most sets of three one or none, but these are ten million. */
static bool
CheckManyTriples(Rng *rng)
{
	FimDatabase *db = BuildClusters(&(Clusters) {.nitems = 3000,.nrows = 400,.nclusters = 1,.density = 0.05}, rng);
	bool		good = Chosen(db, FIM_CLOSED, 2, false, "many sets of three") &&
		Chosen(db, FIM_MAXIMAL, 2, true, "many sets of three");

	FreeDatabase(db);
	return good;
}

/*
 * Two rows share some seven items, each of which is in a hundred rows.  If pairs were counted as
 * often as they share an item, items would seem to be quicker.
 */
static bool
CheckManyPairs(Rng *rng)
{
	FimDatabase *db = BuildClusters(&(Clusters) {.nitems = 700,.nrows = 1000,.nclusters = 1,.density = 0.1}, rng);
	bool		good = Chosen(db, FIM_MAXIMAL, 2, true, "many pairs");

	FreeDatabase(db);
	return good;
}

/* Two rows share one item or two, always the same ones. */
static bool
CheckPopular(Rng *rng)
{
	FimDatabase *db = BuildBaskets(rng);
	bool		good = true;

	for (uint32_t minsup = 2; minsup <= 3; minsup++)
		good = Chosen(db, FIM_MAXIMAL, minsup, false, "popular items") && good;
	for (uint32_t minsup = 1; minsup <= 2; minsup++)
		good = Chosen(db, FIM_CLOSED, minsup, false, "popular items") && good;
	FreeDatabase(db);
	return good;
}

#define PAIRED_ROWS		400
#define PAIRED_ITEMS	8000

/* Each item is in two rows, which hardly share another. */
static FimDatabase *
BuildPaired(Rng *rng)
{
	static uint32_t rows[PAIRED_ROWS][MOST_ITEMS];
	uint32_t	length[PAIRED_ROWS] = {0};
	Table		table;
	FimDatabase *db;

	for (uint32_t i = 0; i < PAIRED_ITEMS; i++)
	{
		uint32_t	r = RngBelow(rng, PAIRED_ROWS);
		uint32_t	other = (r + 1 + RngBelow(rng, PAIRED_ROWS - 1)) % PAIRED_ROWS;

		rows[r][length[r]++] = i;
		rows[other][length[other]++] = i;
	}
	TableInit(&table, PAIRED_ITEMS);
	for (uint32_t r = 0; r < PAIRED_ROWS; r++)
		TableAdd(&table, rows[r], length[r]);
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

/* If one of an item's two rows could be drawn twice, it would seem to share forty items with the other. */
static bool
CheckPaired(Rng *rng)
{
	FimDatabase *db = BuildPaired(rng);
	bool		good = Chosen(db, FIM_MAXIMAL, 2, false, "items in two rows");

	FreeDatabase(db);
	return good;
}

static bool
CheckChoice(uint64_t seed)
{
	Rng			rng = {seed};

	return CheckManyShared(&rng) && CheckFewByThree(&rng) && CheckManyTriples(&rng) && CheckManyPairs(&rng) &&
		CheckPopular(&rng) && CheckPaired(&rng);
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);

	printf("# seed %llu\n", (unsigned long long) seed);
	return CheckSeeds(CheckChoice, seed, 20) ? 0 : 1;
}
