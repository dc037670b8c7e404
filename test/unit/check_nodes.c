/*-------------------------------------------------------------------------
 *
 * check_nodes.c
 *	  The search for maximal itemsets visits few nodes for each that it finds.
 *
 * How many maximal itemsets there are says little about how many itemsets a
 * search has to look at.  A good order of items and what is known already keep
 * both near each other, a bad one lets a search take minutes in place of
 * milliseconds.  The databases here are made to mislead: the rarer an item is in
 * the rows that have long itemsets, the more other rows have it, so that the
 * order of the whole database is the opposite of the one that is needed.
 *
 * Nodes are counted by the engine and do not depend on the machine.  The seeds
 * are fixed.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

/*
 * Measured are 0.7 to 1.3 nodes for each itemset, 3 to 14 with the columns of
 * nodes in the order of the database.
 */
#define NODES_FOR_ITEMSET	2

/* So many itemsets at least: with few, any number of nodes would be few. */
#define LEAST_ITEMSETS		1000

typedef struct Shape
{
	uint32_t	rows;			/* that have long itemsets */
	uint32_t	items;
	double		missing;		/* how often they lack the last item; less the others */
	uint32_t	others;			/* rows of the last item alone; fewer of the others */
	uint32_t	minsup;
} Shape;

static const Shape shapes[] = {
	{40, 40, 0.4, 100, 20},
	{60, 40, 0.6, 200, 20},
	{60, 40, 0.6, 200, 15},
	{100, 40, 0.8, 200, 15},
	{60, 30, 0.5, 200, 15},
	{60, 70, 0.9, 200, 22},
};

static void
MisleadingTable(Table *table, const Shape *shape, uint64_t seed)
{
	uint32_t   *row = malloc(sizeof(uint32_t) * shape->items);
	Rng			rng = {seed};

	assert(row != NULL);
	TableInit(table, shape->items);
	for (uint32_t r = 0; r < shape->rows; r++)
	{
		uint32_t	n = 0;

		for (uint32_t i = 0; i < shape->items; i++)
			if (!RngChance(&rng, shape->missing * i / shape->items))
				row[n++] = i;
		TableAdd(table, row, n);
	}
	for (uint32_t i = 0; i < shape->items; i++)
		for (uint32_t r = 0; r < shape->others * i / shape->items; r++)
			TableAdd(table, &i, 1);
	free(row);
}

static bool
CheckShape(const Shape *shape, uint64_t seed)
{
	FimItemsetsJob job = {.kind = FIM_MAXIMAL,.minsup = shape->minsup,.min_length = 1,
	.max_length = FIM_NO_LIMIT};
	Table		table;
	FimDatabase *db;
	FimShared  *shared;
	TestHost	host;
	TestSink	sink;
	bool		good;

	MisleadingTable(&table, shape, seed);
	db = BuildDatabase(&table);
	assert(db != NULL);
	shared = NewShared(&job, db);
	HostInit(&host);
	SinkInit(&sink, db, false);
	good = MineItemsets(&job, db, shared, &host.base, &sink.base, NULL) == FIM_DONE;
	good = good && sink.itemsets >= LEAST_ITEMSETS &&
		shared->nodes <= sink.itemsets * NODES_FOR_ITEMSET;
	if (!good)
		printf("# %u rows, %u items, minsup %u, seed %llu: %llu itemsets, %llu nodes\n",
			   shape->rows, shape->items, shape->minsup, (unsigned long long) seed,
			   (unsigned long long) sink.itemsets, (unsigned long long) shared->nodes);
	HostFreeAll(&host);
	SinkFree(&sink);
	FreeShared(shared);
	FreeDatabase(db);
	TableFree(&table);
	return good;
}

int
main(void)
{
	bool		good = true;

	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
		for (uint64_t seed = 1; seed <= 4; seed++)
			good &= CheckShape(&shapes[s], seed);
	return good ? 0 : 1;
}
