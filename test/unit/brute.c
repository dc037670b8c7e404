/*-------------------------------------------------------------------------
 *
 * brute.c
 *	  What is frequent, closed and maximal by definition, for the unit tests.
 *
 * Three plain methods.  Over few items every subset is counted against every row.
 * Over more items itemsets grow by one item at a time and carry the rows
 * that hold them, as bits; counting each item in those rows tells which itemsets
 * are frequent, closed and maximal.  Supports never grow with the itemset, so
 * that looking at supersets with one more item is enough for both.  Over very many
 * items, in few rows, every set of rows is intersected.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"

#define NOTHING UINT32_MAX

static void *
Grow(void *block, size_t count, size_t size)
{
	/* powers of two only: called before each addition */
	if (count & (count - 1))
		return block;
	block = realloc(block, (count ? 2 * count : 1) * size);
	assert(block != NULL);
	return block;
}

static void *
Zeroed(size_t count, size_t size)
{
	void	   *block = calloc(count + 1, size);

	assert(block != NULL);
	return block;
}

void
TableInit(Table *table, uint32_t nitems)
{
	table->nitems = nitems;
	table->nrows = 0;
	table->nany = 0;
	table->at = Zeroed(1, sizeof(uint32_t));
	table->items = NULL;
}

void
TableAdd(Table *table, const uint32_t *items, uint32_t length)
{
	uint32_t	used = table->at[table->nrows];

	for (uint32_t i = 0; i < length; i++)
	{
		table->items = Grow(table->items, used, sizeof(uint32_t));
		table->items[used++] = items[i];
	}
	table->at = Grow(table->at, table->nrows + 1, sizeof(uint32_t));
	table->at[++table->nrows] = used;
}

void
TableFree(Table *table)
{
	free(table->at);
	free(table->items);
}

void
TableNeedAny(Table *table, uint32_t nany)
{
	Table		kept;

	TableInit(&kept, table->nitems);
	kept.nany = nany;
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	i = table->at[r];

		while (i < table->at[r + 1] && table->items[i] < table->nitems - nany)
			i++;
		if (i < table->at[r + 1])
			TableAdd(&kept, table->items + table->at[r], table->at[r + 1] - table->at[r]);
	}
	TableFree(table);
	*table = kept;
}

static BruteSet *
AddSet(Brute *brute, const uint32_t *items, uint32_t length, uint32_t support)
{
	BruteSet   *set;

	brute->sets = Grow(brute->sets, brute->nsets, sizeof(BruteSet));
	set = &brute->sets[brute->nsets++];
	memset(set, 0, sizeof(BruteSet));
	set->at = brute->nitems;
	set->length = length;
	set->support = support;
	for (uint32_t i = 0; i < length; i++)
	{
		brute->items = Grow(brute->items, brute->nitems, sizeof(uint32_t));
		brute->items[brute->nitems++] = items[i];
	}
	return set;
}

/* Every subset against every row. */
static bool
EnumerateSubsets(Brute *brute, const Table *table, uint32_t minsup, uint32_t limit)
{
	uint32_t	subsets = (uint32_t) 1 << table->nitems;
	uint32_t   *support = Zeroed(subsets, sizeof(uint32_t));
	bool		fits = true;

	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	row = 0;

		for (uint32_t i = table->at[r]; i < table->at[r + 1]; i++)
			row |= (uint32_t) 1 << table->items[i];
		for (uint32_t subset = 0; subset < subsets; subset++)
			if ((subset & row) == subset)
				support[subset]++;
	}

	for (uint32_t subset = 0; fits && subset < subsets; subset++)
	{
		uint32_t	items[BRUTE_SUBSETS];
		uint32_t	length = 0;
		bool		closed = true;
		bool		maximal = true;
		BruteSet   *set;

		if (support[subset] < minsup)
			continue;
		for (uint32_t i = 0; i < table->nitems; i++)
		{
			uint32_t	item = (uint32_t) 1 << i;

			if (subset & item)
				items[length++] = i;
			else
			{
				if (support[subset | item] == support[subset])
					closed = false;
				if (support[subset | item] >= minsup)
					maximal = false;
			}
		}
		set = AddSet(brute, items, length, support[subset]);
		set->closed = closed;
		set->maximal = maximal;
		fits = brute->nsets <= limit;
	}
	free(support);
	return fits;
}

/* What an itemset needs while those that grow from it are tried; kept for the next of its length. */
typedef struct GrowthLevel
{
	uint32_t   *count;			/* of the rows with each item */
	uint64_t   *within;			/* the rows of the itemset that is tried, as bits */
} GrowthLevel;

typedef struct Growth
{
	Brute	   *brute;
	const Table *table;
	const uint64_t *holds;		/* of each item, the rows that hold it, as bits */
	uint32_t	nwords;			/* of so many rows */
	uint32_t	minsup;
	uint32_t	limit;
	uint32_t   *items;			/* the itemset */
	uint32_t	length;
	GrowthLevel *levels;		/* by its length */
	uint64_t	known;			/* itemsets found, or known to come */
} Growth;

static GrowthLevel *
LevelOf(Growth *growth)
{
	GrowthLevel *level = &growth->levels[growth->length];

	if (level->count == NULL)
	{
		level->count = Zeroed(growth->table->nitems, sizeof(uint32_t));
		level->within = Zeroed(growth->nwords, sizeof(uint64_t));
	}
	return level;
}

static uint32_t
CountCommon(const uint64_t *a, const uint64_t *b, uint32_t nwords)
{
	uint32_t	n = 0;

	for (uint32_t w = 0; w < nwords; w++)
		n += (uint32_t) __builtin_popcountll(a[w] & b[w]);
	return n;
}

/* Add the itemset, which is in these rows, and those that grow from it. */
static bool
GrowItemset(Growth *growth, const uint64_t *rows, uint32_t nrows, uint32_t first)
{
	const Table *table = growth->table;
	GrowthLevel *level = LevelOf(growth);
	uint32_t   *count = level->count;
	uint64_t   *within = level->within;
	BruteSet   *set;
	bool		fits;

	for (uint32_t i = 0; i < table->nitems; i++)
		count[i] = CountCommon(rows, growth->holds + (size_t) i * growth->nwords, growth->nwords);
	for (uint32_t i = 0; i < growth->length; i++)
		count[growth->items[i]] = 0; /* not an extension */

	set = AddSet(growth->brute, growth->items, growth->length, nrows);
	set->closed = true;
	set->maximal = true;
	for (uint32_t i = 0; i < table->nitems; i++)
	{
		if (count[i] == nrows)
			set->closed = false;
		if (count[i] >= growth->minsup)
			set->maximal = false;
	}

	/* known before they are tried, so that a threshold at which there are too many is soon given up */
	for (uint32_t i = first; i < table->nitems; i++)
		growth->known += count[i] >= growth->minsup;
	fits = growth->known <= growth->limit;
	for (uint32_t i = first; fits && i < table->nitems; i++)
	{
		const uint64_t *holds = growth->holds + (size_t) i * growth->nwords;

		if (count[i] < growth->minsup)
			continue;
		for (uint32_t w = 0; w < growth->nwords; w++)
			within[w] = rows[w] & holds[w];
		growth->items[growth->length++] = i;
		fits = GrowItemset(growth, within, count[i], i + 1);
		growth->length--;
	}
	return fits;
}

static bool
GrowItemsets(Brute *brute, const Table *table, uint32_t minsup, uint32_t limit)
{
	Growth		growth = {.brute = brute,.table = table,.minsup = minsup,.limit = limit,.known = 1};
	uint32_t	nwords = (table->nrows + 63) / 64;
	uint64_t   *rows = Zeroed(nwords, sizeof(uint64_t));
	uint64_t   *holds = Zeroed((size_t) table->nitems * nwords, sizeof(uint64_t));
	bool		fits = true;

	for (uint32_t r = 0; r < table->nrows; r++)
	{
		rows[r / 64] |= UINT64_C(1) << r % 64;
		for (uint32_t i = table->at[r]; i < table->at[r + 1]; i++)
			holds[(size_t) table->items[i] * nwords + r / 64] |= UINT64_C(1) << r % 64;
	}
	growth.nwords = nwords;
	growth.holds = holds;
	growth.items = Zeroed(table->nitems, sizeof(uint32_t));
	growth.levels = Zeroed(table->nitems + 1, sizeof(GrowthLevel));
	if (table->nrows >= minsup)
		fits = GrowItemset(&growth, rows, table->nrows, 0);
	for (uint32_t i = 0; i <= table->nitems; i++)
	{
		free(growth.levels[i].count);
		free(growth.levels[i].within);
	}
	free(growth.levels);
	free(growth.items);
	free(holds);
	free(rows);
	return fits;
}

static uint32_t
Bucket(const Brute *brute, const uint32_t *items, uint32_t length)
{
	uint64_t	hash = length;

	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ items[i]) * UINT64_C(0x9E3779B97F4A7C15);
	return (uint32_t) ((hash >> 32) % brute->nbuckets);
}

static void
BuildHash(Brute *brute)
{
	brute->nbuckets = 2 * brute->nsets + 1;
	brute->buckets = Zeroed(brute->nbuckets, sizeof(uint32_t));
	for (uint32_t i = 0; i < brute->nbuckets; i++)
		brute->buckets[i] = NOTHING;
	for (uint32_t s = 0; s < brute->nsets; s++)
	{
		BruteSet   *set = &brute->sets[s];
		uint32_t	bucket = Bucket(brute, brute->items + set->at, set->length);

		set->next = brute->buckets[bucket];
		brute->buckets[bucket] = s;
	}
}

/* The items that all rows of the set hold; returns how many. */
static uint32_t
Intersect(const Table *table, const char *holds, uint32_t rows, uint32_t *items)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < table->nitems; i++)
	{
		bool		in_all = true;

		for (uint32_t r = 0; r < table->nrows; r++)
			if ((rows >> r & 1) != 0 && !holds[(size_t) r * table->nitems + i])
				in_all = false;
		if (in_all)
			items[n++] = i;
	}
	return n;
}

static uint32_t
CountRows(const Table *table, const char *holds, const uint32_t *items, uint32_t length)
{
	uint32_t	n = 0;

	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	i = 0;

		while (i < length && holds[(size_t) r * table->nitems + items[i]])
			i++;
		n += i == length;
	}
	return n;
}

static bool
IsSubset(const uint32_t *small, uint32_t nsmall, const uint32_t *large, uint32_t nlarge)
{
	uint32_t	i = 0;

	for (uint32_t j = 0; i < nsmall && j < nlarge; j++)
		i += small[i] == large[j];
	return i == nsmall;
}

/*
 * A set of rows that is all of its intersection's rows gives a closed itemset,
 * and each closed itemset comes from just one such set.
 */
static bool
IntersectRows(Brute *brute, const Table *table, uint32_t minsup, uint32_t limit)
{
	char	   *holds = Zeroed((size_t) table->nrows * table->nitems, 1);
	uint32_t   *items = Zeroed(table->nitems, sizeof(uint32_t));

	assert(table->nrows <= BRUTE_ROWS);
	for (uint32_t r = 0; r < table->nrows; r++)
		for (uint32_t i = table->at[r]; i < table->at[r + 1]; i++)
			holds[(size_t) r * table->nitems + table->items[i]] = 1;
	for (uint32_t rows = 1; rows < (uint32_t) 1 << table->nrows; rows++)
	{
		uint32_t	n = (uint32_t) __builtin_popcount(rows);
		uint32_t	length = Intersect(table, holds, rows, items);

		if (n >= minsup && CountRows(table, holds, items, length) == n)
			AddSet(brute, items, length, n)->closed = true;
	}
	for (uint32_t s = 0; s < brute->nsets; s++)
	{
		BruteSet   *set = &brute->sets[s];

		set->maximal = true;
		for (uint32_t other = 0; other < brute->nsets && set->maximal; other++)
			if (other != s && IsSubset(brute->items + set->at, set->length,
									   brute->items + brute->sets[other].at, brute->sets[other].length))
				set->maximal = false;
	}
	free(items);
	free(holds);
	return brute->nsets <= limit;
}

bool
BruteMine(Brute *brute, const Table *table, uint32_t minsup, uint32_t limit)
{
	bool		fits;

	memset(brute, 0, sizeof(Brute));
	brute->table_items = table->nitems;
	if (table->nitems <= BRUTE_SUBSETS)
		fits = EnumerateSubsets(brute, table, minsup, limit);
	else if (table->nitems >= BRUTE_WIDE)
		fits = IntersectRows(brute, table, minsup, limit);
	else
		fits = GrowItemsets(brute, table, minsup, limit);
	if (fits)
	{
		/* never NULL, so that places in it can be formed */
		brute->items = Grow(brute->items, brute->nitems, sizeof(uint32_t));
		BuildHash(brute);
	}
	else
		BruteFree(brute);
	return fits;
}

void
BruteFree(Brute *brute)
{
	free(brute->sets);
	free(brute->items);
	free(brute->buckets);
	memset(brute, 0, sizeof(Brute));
}

BruteSet *
BruteFind(Brute *brute, const uint32_t *items, uint32_t length)
{
	uint32_t	s = brute->buckets[Bucket(brute, items, length)];

	for (; s != NOTHING; s = brute->sets[s].next)
	{
		BruteSet   *set = &brute->sets[s];

		if (set->length == length &&
			memcmp(brute->items + set->at, items, length * sizeof(uint32_t)) == 0)
			return set;
	}
	return NULL;
}

bool
BruteWants(const Brute *brute, const FimItemsetsSpec *spec, const BruteSet *set)
{
	uint64_t	length = (uint64_t) set->length + spec->nrequired;
	uint32_t	end = set->at + set->length;

	if (length == 0)
		return false;
	if (spec->nany > 0 && (set->length == 0 || brute->items[end - 1] < brute->table_items - spec->nany))
		return false;
	if (length < spec->min_length || length > spec->max_length)
		return false;
	if (spec->kind == FIM_CLOSED)
		return set->closed;
	if (spec->kind == FIM_MAXIMAL)
		return set->maximal;
	return true;
}
