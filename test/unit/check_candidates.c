/*-------------------------------------------------------------------------
 *
 * check_candidates.c
 *	  Supports of candidates in random databases, against counting the rows that hold each.
 *
 * Candidates are parts of rows, random items, the beginnings of others, the same twice with items in another order or
 * repeated, the empty itemset, and some that are said to be nowhere.  One worker or several count them, with each
 * instruction set.  Workers also leave early, at every place where they can, and must leave nothing
 * behind, and neither must the making of the tree without memory.
 *
 * Usage: check_candidates [seed [databases]]
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

#define DEFAULT_DATABASES	1500
#define MAX_WORKERS			4
#define MOST_ITEMS			60	/* of a random candidate */
#define LONG_ITEMS			600

typedef struct Case
{
	Table		table;
	FimDatabase *db;
	FimCandidates candidates;
	uint32_t	room;			/* candidates that there is room for */
	uint32_t	nitems;			/* used of candidates.items */
	uint32_t   *wanted;			/* supports */
	uint32_t   *node;
	bool	   *holds;			/* [nrows][nitems] */
} Case;

/*
 * Candidates.
 */

/* Make room for candidates of the table, and for so many items of all of them together. */
static void
CaseInit(Case *c, uint32_t room, uint32_t items)
{
	c->room = room;
	c->nitems = 0;
	c->candidates.n = 0;
	c->candidates.length = malloc((room + 1) * sizeof(uint32_t));
	c->candidates.items = malloc(((size_t) items + 1) * sizeof(uint32_t));
	c->wanted = malloc((room + 1) * sizeof(uint32_t));
	c->node = malloc((room + 1) * sizeof(uint32_t));
	c->holds = calloc((size_t) c->table.nrows * c->table.nitems + 1, sizeof(bool));
	assert(c->candidates.length != NULL && c->candidates.items != NULL && c->wanted != NULL && c->node != NULL &&
		   c->holds != NULL);
	for (uint32_t r = 0; r < c->table.nrows; r++)
		for (uint32_t i = c->table.at[r]; i < c->table.at[r + 1]; i++)
			c->holds[(size_t) r * c->table.nitems + c->table.items[i]] = true;
}

static void
CaseFree(Case *c)
{
	free(c->candidates.length);
	free(c->candidates.items);
	free(c->wanted);
	free(c->node);
	free(c->holds);
}

static uint32_t
SupportOf(const Case *c, const uint32_t *items, uint32_t n)
{
	uint32_t	support = 0;

	for (uint32_t r = 0; r < c->table.nrows; r++)
	{
		const bool *holds = c->holds + (size_t) r * c->table.nitems;
		uint32_t	i = 0;

		while (i < n && holds[items[i]])
			i++;
		support += i == n;
	}
	return support;
}

static void
AddCandidate(Case *c, const uint32_t *items, uint32_t n, uint32_t wanted)
{
	memcpy(c->candidates.items + c->nitems, items, n * sizeof(uint32_t));
	c->wanted[c->candidates.n] = wanted;
	c->candidates.length[c->candidates.n++] = n;
	c->nitems += n;
}

/* Draws a candidate into items[]. */
static uint32_t
RandomCandidate(const Case *c, Rng *rng, uint32_t *items, double density)
{
	uint32_t	n = 0;

	if (c->table.nrows > 0 && RngChance(rng, 0.8))
	{
		uint32_t	r = RngBelow(rng, c->table.nrows);

		for (uint32_t i = c->table.at[r]; i < c->table.at[r + 1] && n < MOST_ITEMS / 2; i++)
			if (RngChance(rng, density))
				items[n++] = c->table.items[i];
	}
	while (n < MOST_ITEMS / 2 && RngChance(rng, n == 0 ? 0.7 : 0.1))
		items[n++] = RngBelow(rng, c->table.nitems);
	return n;
}

static void
AddRandomCandidates(Case *c, Rng *rng)
{
	uint32_t	items[MOST_ITEMS];
	uint32_t	n = 0;
	double		density = 0.1 + 0.8 * RngUnit(rng);

	while (c->candidates.n < c->room)
	{
		if (RngChance(rng, 0.05))
		{
			c->wanted[c->candidates.n] = 0;
			c->candidates.length[c->candidates.n++] = FIM_NOWHERE;
			continue;
		}
		if (n == 0 || RngChance(rng, 0.7))
			n = RandomCandidate(c, rng, items, density);
		else if (RngChance(rng, 0.5))
			n = RngBelow(rng, n + 1);
		else if (n < MOST_ITEMS)
		{
			/* in another order, and one of them twice */
			uint32_t	from = RngBelow(rng, n);

			items[n++] = items[from];
			items[from] = items[0];
			items[0] = items[n - 1];
		}
		AddCandidate(c, items, n, SupportOf(c, items, n));
	}
}

/*
 * Counting them.
 */

static bool
Compare(const Case *c, const TaskWorker *workers, uint32_t nworkers)
{
	for (uint32_t k = 0; k < c->candidates.n; k++)
	{
		uint64_t	support = 0;

		if (c->node[k] == 0)
			support = c->db->transactions;
		else if (c->node[k] != FIM_NOWHERE)
			for (uint32_t w = 0; w < nworkers; w++)
				support += ((const uint32_t *) workers[w].task.summary)[c->node[k]];
		if (support != c->wanted[k])
			return Complain("candidate %u has %llu, not %u", k, (unsigned long long) support, c->wanted[k]);
	}
	return true;
}

static bool
Count(const Case *c, const FimCandidatesSpec *tree, uint32_t nworkers, Rng *hinder)
{
	TaskWorker	workers[MAX_WORKERS];
	FimTask		task = FimTaskOf(&FimItemsetsFamily, &tree->itemsets.head, &c->db->head, NULL);
	bool		good = true;

	StartWorkers(FimMine, task, workers, nworkers);
	if (hinder != NULL)
		good = RunHindered(workers, hinder);
	else
	{
		RunWorkers(workers, nworkers);
		for (uint32_t w = 0; w < nworkers; w++)
			good = good && (workers[w].result == FIM_DONE || Complain("%s", ResultName(workers[w].result)));
		for (uint32_t w = 1; w < nworkers; w++)
			FimItemsetsFamily.summary_add(&task, workers[0].task.summary, workers[w].task.summary);
		good = good && Compare(c, workers, 1);
	}
	return EndWorkers(workers, nworkers) && good;
}

/* Without memory, or stopped, there is no tree, and nothing is left of it.  The lists are as they were. */
static bool
HinderTree(const Case *c, Rng *rng)
{
	TestHost	host;
	FimCandidates lists = c->candidates;
	FimCandidatesSpec *tree;
	bool		good;

	lists.length = malloc((c->candidates.n + 1) * sizeof(uint32_t));
	lists.items = malloc((c->nitems + 1) * sizeof(uint32_t));
	assert(lists.length != NULL && lists.items != NULL);
	memcpy(lists.length, c->candidates.length, c->candidates.n * sizeof(uint32_t));
	memcpy(lists.items, c->candidates.items, c->nitems * sizeof(uint32_t));
	HostInit(&host);
	if (RngChance(rng, 0.8))
		host.fail_at = 1 + RngBelow(rng, 7);
	else
		host.stop_at = 1;
	tree = FimCandidatesTree(&lists, c->db, &host.base, c->node);
	good = (tree == NULL) == (host.allocs >= host.fail_at || host.polls >= host.stop_at);
	if (tree != NULL)
		host.base.free(&host.base, tree);
	good = (good && host.live == 0 && !host.wrong_free) || Complain("making the tree was hindered");
	HostFreeAll(&host);
	free(lists.length);
	free(lists.items);
	return good;
}

static bool
CheckCase(Case *c, Rng *rng)
{
	TestHost	host;
	FimCandidatesSpec *tree;
	const char *const *isa = Isas();
	bool		good;

	if (!HinderTree(c, rng))
		return false;
	HostInit(&host);
	tree = FimCandidatesTree(&c->candidates, c->db, &host.base, c->node);
	good = tree != NULL;
	for (; good && *isa != NULL; isa++)
	{
		FimSetIsa(*isa);
		good = Count(c, tree, 1 + RngBelow(rng, MAX_WORKERS), NULL) || Complain("with %s", *isa);
	}
	FimSetIsa(NULL);
	good = good && Count(c, tree, 1, rng);
	if (tree != NULL)
		host.base.free(&host.base, tree);
	good = (host.live == 0 || Complain("the tree left something")) && good;
	HostFreeAll(&host);
	return good;
}

/* Build the database, check it, and free all. */
static bool
CheckAndFree(Case *c, Rng *rng)
{
	bool		good;

	c->db = BuildDatabase(&c->table);
	good = CheckCase(c, rng) || Complain("%u candidates, %u rows of %u items", c->candidates.n, c->table.nrows, c->table.nitems);
	FreeDatabase(c->db);
	CaseFree(c);
	TableFree(&c->table);
	return good;
}

static bool
CheckDatabase(uint64_t seed)
{
	Rng			rng = {seed};
	TableSize	size = RngChance(&rng, 0.8) ? SMALL : (TableSize) RngBelow(&rng, TALL + 1);
	uint32_t	room = RngChance(&rng, 0.1) ? RngBelow(&rng, 3) : RngBelow(&rng, size == SMALL ? 400 : 150);
	Case		c;

	RandomTable(&c.table, &rng, size);
	CaseInit(&c, room, room * MOST_ITEMS);
	AddRandomCandidates(&c, &rng);
	return CheckAndFree(&c, &rng) || Complain("seed %llu", (unsigned long long) seed);
}

/* So many rows, of which "distinct" are different, of items that are the rarer the higher they are. */
static void
SkewedTable(Table *table, uint32_t nitems, uint32_t nrows, uint32_t distinct)
{
	uint32_t	row[32];

	TableInit(table, nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		Rng			rng = {r % distinct};
		uint32_t	n = 0;

		for (uint32_t i = 0; i < nitems; i++)
			if (RngChance(&rng, 0.95 - 0.9 * i / nitems))
				row[n++] = i;
		TableAdd(table, row, n);
	}
}

/* The supports of all sets of items, which are bits: those of rows, added up item by item. */
static uint32_t *
AllSupports(const Table *table)
{
	uint32_t	nsets = UINT32_C(1) << table->nitems;
	uint32_t   *support = calloc(nsets, sizeof(uint32_t));

	assert(support != NULL);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	row = 0;

		for (uint32_t i = table->at[r]; i < table->at[r + 1]; i++)
			row |= UINT32_C(1) << table->items[i];
		support[row]++;
	}
	for (uint32_t i = 0; i < table->nitems; i++)
		for (uint32_t s = 0; s < nsets; s++)
			if ((s >> i & 1) == 0)
				support[s] += support[s | UINT32_C(1) << i];
	return support;
}

/*
 * All sets of few items, in no order, in many rows: classes are divided into units, and columns are
 * made anew for what is below a node.
 */
static bool
CheckAllSets(uint32_t nitems, uint32_t nrows, uint32_t distinct, Rng *rng)
{
	uint32_t	nsets = UINT32_C(1) << nitems;
	uint32_t	turn = 2 * RngBelow(rng, nsets) + 1;
	uint32_t   *support;
	Case		c;

	SkewedTable(&c.table, nitems, nrows, distinct);
	CaseInit(&c, nsets, nsets / 2 * nitems);
	support = AllSupports(&c.table);
	for (uint32_t s = 0; s < nsets; s++)
	{
		uint32_t	set = s * turn & (nsets - 1);
		uint32_t	items[32];
		uint32_t	n = 0;

		for (uint32_t i = 0; i < nitems; i++)
			if (set >> i & 1)
				items[n++] = i;
		AddCandidate(&c, items, n, support[set]);
	}
	free(support);
	return CheckAndFree(&c, rng);
}

/* Candidates of which each begins with the next one, and the longest one twice. */
static bool
CheckLong(Rng *rng)
{
	uint32_t	items[LONG_ITEMS];
	Case		c;

	TableInit(&c.table, LONG_ITEMS);
	for (uint32_t i = 0; i < LONG_ITEMS; i++)
		items[i] = i;
	for (uint32_t n = 0; n <= LONG_ITEMS; n++)
		TableAdd(&c.table, items, n);
	CaseInit(&c, LONG_ITEMS + 1, LONG_ITEMS * (LONG_ITEMS + 3) / 2);
	AddCandidate(&c, items, LONG_ITEMS, 1);
	for (uint32_t n = LONG_ITEMS; n > 0; n--)
		AddCandidate(&c, items, n, LONG_ITEMS + 1 - n);
	return CheckAndFree(&c, rng);
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	databases = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_DATABASES);
	Rng			rng = {seed};

	if (!CheckSeeds(CheckDatabase, seed, databases) || !CheckLong(&rng) ||
		!CheckAllSets(16, 3000, 3000, &rng) || !CheckAllSets(16, 20000, 3000, &rng) ||
		!CheckAllSets(17, 9000, 9000, &rng) || !CheckAllSets(12, 70000, 70000, &rng))
		return 1;
	printf("# %llu random databases, seed %llu\n", (unsigned long long) databases, (unsigned long long) seed);
	return 0;
}
