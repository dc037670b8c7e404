/*-------------------------------------------------------------------------
 *
 * check_database.c
 *	  The database built from random tables: does it say what they say?
 *
 * The rows, named back and expanded by their weights, must be the table's rows
 * as a multiset; supports, occurrences and the figures in the header must agree
 * with them, nothing may lie outside the size, and the size within the bound.
 *
 * Usage: check_database [seed [databases]]; or FIM_SEED and FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/arena.h"
#include "engine/fill.h"
#include "engine/itemsets/itemsets.h"
#include "harness.h"
#include "tables.h"

/* Tables with so many rows may keep equal ones apart, if they are few. */
#define MAY_STAY_APART		4096

/* A database's arrays. */
typedef struct Parts
{
	const FimDatabase *db;
	const uint32_t *support;
	const uint32_t *name;
	const FimRow *row;
	const uint32_t *items;
	const uint64_t *occ;
	const uint32_t *occurrences;
} Parts;

/* A row as the table has it: ascending items, as caller's numbers. */
typedef struct Line
{
	uint32_t	length;
	uint32_t	weight;
	uint32_t   *items;
} Line;

static const void *
Part(const FimDatabase *db, uint64_t at)
{
	return (const char *) db + at;
}

static bool
Inside(const FimDatabase *db, uint64_t at, uint64_t count, size_t size)
{
	return at % (size < 8 ? size : 8) == 0 && at >= sizeof(FimDatabase) && at <= db->head.size &&
		count * size <= db->head.size - at;
}

static const char *
FindParts(const FimDatabase *db, Parts *parts)
{
	if (!Inside(db, db->support_at, db->nitems, 4) || !Inside(db, db->name_at, db->nitems, 4) ||
		!Inside(db, db->row_at, db->nrows, sizeof(FimRow)) ||
		!Inside(db, db->items_at, db->entries, 4) ||
		!Inside(db, db->occ_at, (uint64_t) db->nitems + 1, 8) ||
		!Inside(db, db->occurrences_at, db->entries, 4))
		return "an array is outside the database or not aligned";
	parts->db = db;
	parts->support = Part(db, db->support_at);
	parts->name = Part(db, db->name_at);
	parts->row = Part(db, db->row_at);
	parts->items = Part(db, db->items_at);
	parts->occ = Part(db, db->occ_at);
	parts->occurrences = Part(db, db->occurrences_at);
	return NULL;
}

static const char *
CheckNames(const Parts *parts)
{
	uint32_t	n = parts->db->nitems;
	char	   *seen = calloc(n + 1, 1);
	const char *fault = NULL;

	for (uint32_t i = 0; fault == NULL && i < n; i++)
	{
		if (parts->name[i] >= n || seen[parts->name[i]])
			fault = "the names are no permutation";
		else
			seen[parts->name[i]] = 1;
	}
	free(seen);
	return fault;
}

static const char *
CheckRows(const Parts *parts)
{
	const FimDatabase *db = parts->db;
	uint64_t	entries = 0;
	uint32_t	longest = 0;
	bool		weighted = false;

	for (uint32_t r = 0; r < db->nrows; r++)
	{
		const FimRow *row = &parts->row[r];
		const uint32_t *items = parts->items + row->at;

		if (row->length == 0 || row->at > db->entries || row->length > db->entries - row->at)
			return "a row is empty or outside the items";
		for (uint32_t i = 0; i < row->length; i++)
			if (items[i] >= db->nitems || (i > 0 && items[i] <= items[i - 1]))
				return "the items of a row do not ascend";
		if (row->weight == 0)
			return "a row has weight 0";
		if (row->weight > 1)
			weighted = true;
		if (row->length > longest)
			longest = row->length;
		entries += row->length;
	}
	if (entries != db->entries)
		return "entries is not the number of items in all rows";
	if (longest != db->max_row)
		return "max_row is not the longest row";
	if (weighted != (db->weighted != 0))
		return "weighted is wrong";
	return NULL;
}

/* Each occurrence leads to a row with the item, and all of them do. */
static const char *
CheckOccurrences(const Parts *parts)
{
	const FimDatabase *db = parts->db;

	if (parts->occ[0] != 0 || parts->occ[db->nitems] != db->entries)
		return "the occurrences do not cover the items";
	for (uint32_t item = 0; item < db->nitems; item++)
	{
		uint64_t	support = 0;

		if (parts->occ[item + 1] < parts->occ[item] || parts->occ[item + 1] > db->entries)
			return "an item's occurrences are outside";
		for (uint64_t o = parts->occ[item]; o < parts->occ[item + 1]; o++)
		{
			uint32_t	r = parts->occurrences[o];
			bool		found = false;

			if (r >= db->nrows || (o > parts->occ[item] && r <= parts->occurrences[o - 1]))
				return "an item's occurrences do not ascend";
			for (uint32_t i = 0; i < parts->row[r].length; i++)
				found = found || parts->items[parts->row[r].at + i] == item;
			if (!found)
				return "an occurrence in a row without the item";
			support += parts->row[r].weight;
		}
		if (support != parts->support[item])
			return "an item's support is not that of its rows";
	}
	return NULL;
}

static int
CompareLines(const void *a, const void *b)
{
	const Line *x = a;
	const Line *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	for (uint32_t i = 0; i < x->length; i++)
		if (x->items[i] != y->items[i])
			return x->items[i] < y->items[i] ? -1 : 1;
	return 0;
}

/* Sort lines; equal ones become one with their weights together. */
static uint32_t
MergeLines(Line *lines, uint32_t n)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < n; i++)
		SortItems(lines[i].items, lines[i].length);
	if (n > 0)
		qsort(lines, n, sizeof(Line), CompareLines);
	for (uint32_t i = 0; i < n; i++)
	{
		if (kept > 0 && CompareLines(&lines[kept - 1], &lines[i]) == 0)
		{
			lines[kept - 1].weight += lines[i].weight;
			free(lines[i].items);
		}
		else
			lines[kept++] = lines[i];
	}
	return kept;
}

static void
SetLine(Line *line, uint32_t length, uint32_t weight)
{
	line->length = length;
	line->weight = weight;
	line->items = calloc(length + 1, sizeof(uint32_t));
	if (line->items == NULL)
		abort();
}

static uint32_t
LinesOfTable(const Table *table, Line *lines)
{
	uint32_t	n = 0;

	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	length = table->at[r + 1] - table->at[r];

		if (length == 0)
			continue;
		SetLine(&lines[n], length, 1);
		memcpy(lines[n++].items, table->items + table->at[r], length * sizeof(uint32_t));
	}
	return MergeLines(lines, n);
}

static uint32_t
LinesOfDatabase(const Parts *parts, Line *lines)
{
	for (uint32_t r = 0; r < parts->db->nrows; r++)
	{
		const FimRow *row = &parts->row[r];

		SetLine(&lines[r], row->length, row->weight);
		for (uint32_t i = 0; i < row->length; i++)
			lines[r].items[i] = parts->name[parts->items[row->at + i]];
	}
	return MergeLines(lines, parts->db->nrows);
}

static const char *
CompareWithTable(const Parts *parts, const Table *table)
{
	Line	   *wanted = calloc(table->nrows + 1, sizeof(Line));
	Line	   *found = calloc((size_t) parts->db->nrows + 1, sizeof(Line));
	uint32_t	nwanted = LinesOfTable(table, wanted);
	uint32_t	nfound = LinesOfDatabase(parts, found);
	const char *fault = NULL;

	if (nfound != parts->db->nrows && table->nrows < MAY_STAY_APART)
		fault = "equal rows are not merged";
	else if (nwanted != nfound)
		fault = "the number of distinct rows is wrong";
	for (uint32_t r = 0; fault == NULL && r < nwanted; r++)
	{
		if (CompareLines(&wanted[r], &found[r]) != 0)
			fault = "a row is not one of the table's";
		else if (wanted[r].weight != found[r].weight)
			fault = "a row's weight is not the number of equal rows";
	}
	for (uint32_t r = 0; r < nwanted; r++)
		free(wanted[r].items);
	for (uint32_t r = 0; r < nfound; r++)
		free(found[r].items);
	free(wanted);
	free(found);
	return fault;
}

static const char *
CheckDatabase(const FimDatabase *db, const Table *table)
{
	Parts		parts;
	const char *fault;

	if (db == NULL)
		return "it is not built, leaks or exceeds its bound";
	if (db->transactions != table->nrows || db->nitems != table->nitems)
		return "the number of transactions or items is wrong";
	if ((fault = FindParts(db, &parts)) != NULL ||
		(fault = CheckNames(&parts)) != NULL ||
		(fault = CheckRows(&parts)) != NULL ||
		(fault = CheckOccurrences(&parts)) != NULL)
		return fault;
	return CompareWithTable(&parts, table);
}

/* Move and Finish without memory, at each allocation, and stopped at each poll. */
static const char *
CheckRefusals(const Table *table)
{
	uint64_t	entries = table->at[table->nrows];
	size_t		bound = FimDatabaseIndexedBound(table->nrows, entries, table->nitems);
	uint32_t   *support = calloc(table->nitems + 1, sizeof(uint32_t));
	const char *fault = NULL;
	bool		finished = false;

	for (uint64_t i = 0; i < entries; i++)
		support[table->items[i]]++;
	for (uint64_t at = 1; fault == NULL && !finished; at++)
	{
		finished = true;
		for (int poll = 0; fault == NULL && poll < 2; poll++)
		{
			FimDatabase *db = OddAlloc(bound);
			FimDatabase *moved = OddAlloc(bound);
			TestHost	host;
			bool		built;
			bool		refused;

			FimDatabaseBegin(db, bound, table->nrows, entries, table->nitems, 0, support);
			for (uint32_t r = 0; r < table->nrows; r++)
				FimDatabaseAddTimes(db, table->items + table->at[r], table->at[r + 1] - table->at[r], 1);
			HostInit(&host);
			if (poll)
				host.stop_at = at;
			else
				host.fail_at = at;
			built = FimDatabaseMove(db, moved, bound, table->nrows, entries, &host.base) &&
				FimDatabaseFinish(moved, true, &host.base) && FimDatabaseIndex(moved, &host.base);
			refused = poll ? host.polls >= at : host.allocs >= at;
			if (refused)
				finished = false;
			if (built && refused)
				fault = "it is finished without memory or after stop";
			else if (!built && !refused)
				fault = "it is not finished, for no reason";
			else if (host.live > 0 || host.wrong_free)
				fault = "memory is not freed";
			HostFreeAll(&host);
			OddFree(moved);
			OddFree(db);
		}
	}
	free(support);
	return fault;
}

/* As it was before anything was filled in. */
static void
Empty(FimDatabase *db)
{
	TestHost	host;

	HostInit(&host);
	if (!FimDatabaseIndex(db, &host.base))
		abort();
	memset((char *) db + db->occurrences_at, 0xff, sizeof(uint32_t) * db->entries);
}

/* Filling a database in without memory, at each allocation, and stopped at each poll. */
static const char *
CheckHinderedFilling(FimDatabase *db, const FimItemsetsSpec *spec, bool poll)
{
	FimTask		task = FimItemsetsTask(spec, db, NULL);
	FimResult	result = FIM_STOPPED;

	for (uint64_t at = 1; result != FIM_DONE; at++)
	{
		TestHost	host;

		HostInit(&host);
		*(poll ? &host.stop_at : &host.fail_at) = at;
		Empty(db);
		task.shared = NewShared(spec, db);
		result = FimFillData(&task, &host.base);
		FreeShared(task.shared);
		if (host.live > 0 || host.wrong_free)
			return "filling it in leaves memory behind";
		if (result != FIM_DONE && result != (poll ? FIM_STOPPED : FIM_OUT_OF_MEMORY))
			return "filling it in ends in another way than it should";
		if ((result == FIM_DONE) != FimIsFilled(&task) || (result == FIM_DONE) != ((poll ? host.polls : host.allocs) < at))
			return "it is complete where filling it in was hindered, or not where it was not";
	}
	return NULL;
}

/* Nobody goes on before others have filled their parts in, too. */
static FimResult
Fill(const FimTask *task, FimHost *host, FimSink *sink)
{
	FimResult	result = FimFillData(task, host);

	return FimIsFilled(task) ? result : FIM_STOPPED;
}

static const char *
CheckFilling(FimDatabase *db, const Table *table)
{
	FimItemsetsSpec spec = {.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT};
	TaskWorker	workers[3];
	const char *fault = CheckHinderedFilling(db, &spec, false);

	if (fault == NULL)
		fault = CheckHinderedFilling(db, &spec, true);
	if (fault != NULL)
		return fault;
	Empty(db);
	StartWorkers(Fill, FimItemsetsTask(&spec, db, NULL), workers, 3);
	RunWorkers(workers, 3);
	for (int w = 0; w < 3; w++)
		if (workers[w].result != FIM_DONE)
			fault = "a worker does not fill it in";
	if (!EndWorkers(workers, 3))
		fault = "workers that fill it in leave something behind";
	return fault != NULL ? fault : CheckDatabase(db, table);
}

/* A row of its own: its number, in two items, and others up to some length. */
static void
AddLongRow(Table *table, Rng *rng, uint32_t number, uint32_t longest, uint32_t copies)
{
	uint32_t   *row = calloc(longest + 2, sizeof(uint32_t));
	uint32_t	length = 2;

	if (row == NULL)
		abort();
	row[0] = number / 100;
	row[1] = 100 + number % 100;
	for (uint32_t item = 200; item < table->nitems && length < longest; item++)
		if (RngBelow(rng, table->nitems - 200) < longest)
			row[length++] = item;
	for (uint32_t i = length; i > 1; i--)
	{
		uint32_t	j = RngBelow(rng, i);
		uint32_t	item = row[i - 1];

		row[i - 1] = row[j];
		row[j] = item;
	}
	while (copies-- > 0)
		TableAdd(table, row, length);
	free(row);
}

/*
 * Thousands of rows of all lengths, so that each way of sorting has some.  Those
 * with equals are merged where they are many.
 */
static const char *
CheckManyRows(Rng *rng, uint32_t nitems, double equal)
{
	Table		table;
	FimDatabase *db;
	uint32_t	distinct = 0;
	const char *fault;

	TableInit(&table, nitems);
	while (table.nrows < 2 * MAY_STAY_APART)
		AddLongRow(&table, rng, distinct++, 2 + RngBelow(rng, 100),
				   RngChance(rng, equal) ? 2 + RngBelow(rng, 3) : 1);
	db = BuildDatabase(&table);
	fault = CheckDatabase(db, &table);
	if (fault == NULL && db->nrows != (equal >= 0.5 ? distinct : table.nrows))
		fault = "the number of rows is not what merging, or not, leaves";
	if (fault == NULL)
		fault = CheckFilling(db, &table);
	FreeDatabase(db);
	/* merging some first leaves others to be merged in the end, or none */
	db = BuildDatabaseInParts(&table, 1, MAY_STAY_APART + RngBelow(rng, MAY_STAY_APART), 0);
	if (fault == NULL)
		fault = CheckDatabase(db, &table);
	/* how many stay apart is a matter of where merging fell */
	if (fault == NULL && (equal == 0 ? db->nrows != table.nrows : equal >= 0.5 && db->nrows == table.nrows))
		fault = "rows are merged in between, or not, where they should not be, or should";
	FreeDatabase(db);
	db = BuildDatabaseInParts(&table, 1, UINT32_MAX, MAY_STAY_APART + RngBelow(rng, MAY_STAY_APART));
	if (fault == NULL)
		fault = CheckDatabase(db, &table);
	FreeDatabase(db);
	TableFree(&table);
	return fault;
}

/* Most rows are equal, which come last, and the others are not. */
static const char *
CheckMostlyEqual(Rng *rng, uint32_t nequal)
{
	Table		table;
	FimDatabase *db;
	const char *fault;

	TableInit(&table, 400);
	for (uint32_t number = 0; number < 2 * MAY_STAY_APART; number++)
		AddLongRow(&table, rng, number, 2 + RngBelow(rng, 20), 1);
	AddLongRow(&table, rng, 2 * MAY_STAY_APART, 10, nequal);
	db = BuildDatabase(&table);
	fault = CheckDatabase(db, &table);
	if (fault == NULL && db->nrows != 2 * MAY_STAY_APART + 1)
		fault = "rows that are mostly equal are not merged";
	FreeDatabase(db);
	TableFree(&table);
	return fault;
}

/* A row of a sample: one of so many that are long, or, now and then, the one that is short. */
static void
AddToSample(FimRowSample *sample, Rng *rng, uint32_t nlong, double often)
{
	uint32_t	number = RngChance(rng, often) ? 0 : 1 + RngBelow(rng, nlong);

	FimRowSampleAdd(sample, FimHash64(number + UINT64_C(0x9e3779b97f4a7c15)), number == 0 ? 1 : 20 + number % 20);
}

/*
 * Is what a small sample foresees what a larger one then has?  They must agree where it
 * has at least half of its entries in equal rows, or next to none.
 */
static const char *
CheckRowSamples(Rng *rng, uint32_t nrows, uint32_t nlong, double often)
{
	TestHost	host;
	FimRowSample small;
	FimRowSample large;
	bool		foreseen;
	double		equal;

	HostInit(&host);
	FimRowSampleBegin(&small, FimRowSampleEnough(nrows), &host.base);
	FimRowSampleBegin(&large, nrows / 16, &host.base);
	for (uint64_t i = 0; i < FimRowSampleEnough(nrows); i++)
		AddToSample(&small, rng, nlong, often);
	for (uint32_t i = 0; i < nrows / 16; i++)
		AddToSample(&large, rng, nlong, often);
	foreseen = FimRowSampleForesees(&small, nrows / 16, 4);
	equal = (double) large.equal_entries / (double) large.entries;
	FimRowSampleEnd(&small, &host.base);
	FimRowSampleEnd(&large, &host.base);
	if (FimRowSampleEnough(nrows) > nrows / 16)
		return "a small sample is not small";
	if (equal >= 0.5 && !foreseen)
		return "a small sample does not foresee that many rows are equal";
	if (equal <= 0.06 && foreseen)
		return "a small sample foresees that many rows are equal where few are";
	return NULL;
}

/* No row is equal to another where there is none, or just one. */
static const char *
CheckSmallestSamples(void)
{
	TestHost	host;
	FimRowSample sample;
	bool		wrong = false;

	HostInit(&host);
	FimRowSampleBegin(&sample, 1, &host.base);
	for (uint32_t n = 0; n < 2; n++)
	{
		wrong |= FimRowSampleHasEqual(&sample, 1) || FimRowSampleForesees(&sample, 1000, 1);
		FimRowSampleAdd(&sample, 1, 1);
	}
	/* now there are two */
	wrong |= !FimRowSampleHasEqual(&sample, 2) || !FimRowSampleForesees(&sample, 2, 2);
	FimRowSampleEnd(&sample, &host.base);
	return wrong ? "a sample of no row, one or two foresees what is not there" : NULL;
}

static const char *
CheckAllRowSamples(Rng *rng)
{
	static const uint32_t sizes[] = {10000, 100000, 2000000};
	const char *fault = CheckSmallestSamples();

	for (uint32_t size = 0; size < 3 && fault == NULL; size++)
	{
		/* from hardly any row twice to all rows many times */
		for (uint32_t times = 1; times <= sizes[size] && fault == NULL; times *= 4)
			fault = CheckRowSamples(rng, sizes[size], 1 + sizes[size] / times, 0);
		/* many rows are equal, but these have few entries */
		if (fault == NULL && sizes[size] <= 100000)
			fault = CheckRowSamples(rng, sizes[size], UINT32_MAX - 1, 0.4);
	}
	return fault;
}

/* No size_t can hold these. */
static const char *
CheckBounds(void)
{
	if (FimDatabaseBound(FIM_MAX_TRANSACTIONS - 1, UINT64_MAX / 4, 10) != SIZE_MAX ||
		FimDatabaseBound(10, UINT64_MAX, UINT32_MAX) != SIZE_MAX ||
		FimDatabaseBound(0, UINT64_MAX / 8 + 1, 0) != SIZE_MAX ||
		FimDatabaseIndexedBound(0, UINT64_MAX / 8 + 1, 0) != SIZE_MAX)
		return "a bound that does not fit a size_t is not its maximum";
	if (FimDatabaseBound(1000, 10000, 100) > 1000 * 100 + 10000 * 8 ||
		FimDatabaseIndexedBound(1000, 10000, 100) > 1000 * 100 + 10000 * 16)
		return "the bound of a small database is far too large";
	return NULL;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", (uint64_t) time(NULL));
	uint32_t	n = (uint32_t) ArgumentOr(argc, argv, 2, "FIM_DATABASES", 3000);
	const char *fault = CheckBounds();
	static const double equal[] = {0, 0.05, 0.5, 1};

	printf("# seed %llu, %u databases\n", (unsigned long long) seed, n);
	for (const char *const *isa = Isas(); fault == NULL && *isa != NULL; isa++)
	{
		FimSetIsa(*isa);
		for (uint32_t number = 0; fault == NULL && number < 8; number++)
		{
			Rng			rng = {.state = seed + number};

			fault = CheckManyRows(&rng, number % 2 ? 400 : 20000, equal[number / 2]);
		}
	}
	FimSetIsa(NULL);
	if (fault == NULL)
	{
		Rng			rng = {.state = seed};

		fault = CheckMostlyEqual(&rng, 4 * MAY_STAY_APART);
		if (fault == NULL)
			fault = CheckMostlyEqual(&rng, 40 * MAY_STAY_APART);
		if (fault == NULL)
			fault = CheckAllRowSamples(&rng);
	}
	if (fault != NULL)
		printf("# %s\n", fault);
	for (uint32_t number = 0; fault == NULL && number < n; number++)
	{
		Rng			rng = {.state = seed * UINT64_C(0xD1342543DE82EF95) + number};
		Table		table;
		FimDatabase *db;

		RandomTable(&table, &rng, number % 10 == 9 ? LARGE : number % 50 == 25 ? HEAVY : SMALL);
		db = BuildDatabase(&table);
		fault = CheckDatabase(db, &table);
		FreeDatabase(db);
		db = BuildDatabaseInParts(&table, 1 + number % 5, 1 + RngBelow(&rng, table.nrows + 1),
								  RngBelow(&rng, table.nrows + 1));
		if (fault == NULL)
			fault = CheckDatabase(db, &table);
		if (fault == NULL && number % 10 == 0)
			fault = CheckRefusals(&table);
		if (fault == NULL && number % 10 == 5)
			fault = CheckFilling(db, &table);
		if (fault != NULL)
		{
			printf("# %s; database %u, items 0 .. %u:\n", fault, number, table.nitems - 1);
			PrintTable(&table);
			printf("# end of the database\n");
		}
		FreeDatabase(db);
		TableFree(&table);
	}
	return fault != NULL;
}
