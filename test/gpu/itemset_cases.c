/*-------------------------------------------------------------------------
 *
 * itemset_cases.c
 *	  Random databases and jobs for itemsets, see itemset_cases.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/parts.h"
#include "itemset_cases.h"
#include "itemset_runs.h"
#include "../unit/tables.h"

#define MOST_BATCHES		3		/* of itemsets of a random database: several thousand */

/* Items that are added to all transactions, and where their subsets are not listed. */
#define SOME_COMMON			12
#define MANY_COMMON			40

static void
RandomSpec(FimItemsetsSpec *spec, Rng *rng, const FimDatabase *db)
{
	memset(spec, 0, sizeof(FimItemsetsSpec));
	spec->kind = (FimKind) RngBelow(rng, 3);
	spec->head.count_only = RngChance(rng, 0.3);
	spec->minsup = 1 + (uint32_t) (pow(RngUnit(rng), 2) * (double) db->transactions);
	spec->min_length = 1;
	spec->max_length = FIM_NO_LIMIT;
	if (RngChance(rng, 0.2))
		spec->nrequired = RngBelow(rng, 4);
	if (RngChance(rng, 0.2))
		spec->min_length = 1 + RngBelow(rng, 5);
	if (RngChance(rng, 0.3))
		spec->max_length = RngBelow(rng, 7);
}

/* Raise minsup until there are not too many itemsets: listing them does not end. */
static void
TameSpec(FimItemsetsSpec *spec, const FimDatabase *db)
{
	for (;;)
	{
		FimItemsetsSpec list = *spec;
		ItemsetRun	run;

		list.head.count_only = false;
		list.kind = FIM_ALL;
		list.head.strategy = FIM_AUTO;
		list.min_length = 1;
		list.max_length = FIM_NO_LIMIT;
		RunItemsets(FimMine, &list, db, MOST_BATCHES, false, &run);
		FreeItemsetRun(&run);
		if (run.result == FIM_DONE)
			return;
		spec->minsup += spec->minsup / 2 + 1;
	}
}

/*
 * Short transactions of many items, one in so many databases: with the least memory
 * the counts of the root's pairs do not fit, and the root is done in fractions.
 */
#define WIDE_PART	50

static void
WideTable(Table *table, Rng *rng)
{
	uint32_t	nitems = 1000 + RngBelow(rng, 2500);
	uint32_t	nrows = 50 + RngBelow(rng, 300);
	double		power = 1 + 2 * RngUnit(rng);
	char	   *has = malloc(nitems);
	uint32_t   *row = malloc(sizeof(uint32_t) * nitems);

	assert(has != NULL && row != NULL);
	TableInit(table, nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint32_t	length = 0;

		memset(has, 0, nitems);
		for (uint32_t n = RngBelow(rng, 60); n > 0; n--)
			has[(uint32_t) (pow(RngUnit(rng), power) * nitems)] = 1;
		for (uint32_t i = 0; i < nitems; i++)
			if (has[i])
				row[length++] = i;
		TableAdd(table, row, length);
	}
	free(row);
	free(has);
}

/*
 * So many transactions that they do not fit the buffer through which they are copied
 * to the devices: one in so many databases, and not the first.
 */
#define LONG_PART	1000
#define LONG_NUMBER	50
#define LONG_MEMORY (UINT64_C(8) << 20) /* the least; with less there is no end of blocks */

static bool
IsLong(uint32_t number)
{
	return number % LONG_PART == LONG_NUMBER;
}

static void
LongTable(Table *table, Rng *rng)
{
	uint32_t	nitems = 300 + RngBelow(rng, 900);
	uint32_t	nrows = 250000 + RngBelow(rng, 250000);
	double		power = 1 + RngUnit(rng);
	uint32_t	row[40];

	TableInit(table, nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint32_t	length = 0;
		uint32_t	item = 0;

		/* ascending: the steps are random, shorter where items are frequent */
		while (length < 40)
		{
			item += 1 + (uint32_t) (pow(RngUnit(rng), power) * nitems / 12);
			if (item > nitems)
				break;
			row[length++] = item - 1;
		}
		TableAdd(table, row, length);
	}
}

/* Add n items to all transactions. */
static void
AddCommonItems(Table *table, uint32_t n)
{
	Table		to;
	uint32_t   *row = malloc(sizeof(uint32_t) * ((size_t) table->nitems + n));

	assert(row != NULL);
	TableInit(&to, table->nitems + n);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	length = table->at[r + 1] - table->at[r];

		for (uint32_t i = 0; i < n; i++)
			row[i] = table->nitems + i;
		if (length > 0)
			memcpy(row + n, table->items + table->at[r], sizeof(uint32_t) * length);
		TableAdd(&to, row, n + length);
	}
	free(row);
	TableFree(table);
	*table = to;
}

/* Lengths that itemsets have only with items that are common to all. */
static void
RaiseLengths(FimItemsetsSpec *spec, Rng *rng, uint32_t ncommon)
{
	uint32_t	by = RngBelow(rng, ncommon + 1);

	spec->min_length += by;
	if (spec->max_length != FIM_NO_LIMIT)
		spec->max_length += by;
}

/* Where there are few transactions, classes are not divided among parts. */
static TableSize
RandomSize(Rng *rng, const FimPart *part)
{
	return FimIsPart(part) && RngChance(rng, 0.5) ? TALL : (TableSize) RngBelow(rng, 3);
}

FimDatabase *
RandomItemsetCase(FimItemsetsSpec *spec, Rng *rng, uint32_t number)
{
	Table		table;
	FimDatabase *db;
	FimPart		part = RandomPart(rng);
	bool		is_long = IsLong(number);
	bool		wide = !is_long && RngBelow(rng, WIDE_PART) == 0;

	if (is_long)
		LongTable(&table, rng);
	else if (wide)
		WideTable(&table, rng);
	else
		RandomTable(&table, rng, RandomSize(rng, &part));
	db = BuildDatabase(&table);
	RandomSpec(spec, rng, db);
	if (wide)
		spec->minsup = 1 + RngBelow(rng, 3);
	if (is_long)
		spec->minsup = (uint32_t) db->transactions / (20 + RngBelow(rng, 200));
	TameSpec(spec, db);
	if (RngChance(rng, 0.25))
	{
		bool		multiplied = spec->kind == FIM_ALL && !spec->head.count_only;
		uint32_t	ncommon = !multiplied && RngChance(rng, 0.2) ? MANY_COMMON :
			1 + RngBelow(rng, SOME_COMMON);

		AddCommonItems(&table, ncommon);
		FreeDatabase(db);
		db = BuildDatabase(&table);
		if (RngChance(rng, 0.5))
			RaiseLengths(spec, rng, ncommon);
		if (multiplied)
			TameSpec(spec, db);
	}
	TableFree(&table);
	spec->head.part = part;
	return db;
}

uint64_t
ReasonableMemory(uint32_t number)
{
	return IsLong(number) ? LONG_MEMORY : 0;
}
