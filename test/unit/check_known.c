/*-------------------------------------------------------------------------
 *
 * check_known.c
 *	  Maximal itemsets of a worker, while another one is in a class.
 *
 * What a worker finds must not depend on how far the others have got.  Which of two
 * threads comes first is up to the machine, so here one worker stands still: it has
 * done some classes, is in the next one, and has published what it knows and which
 * items the class has passed.  All of that is made from what brute force finds,
 * with as little known as the number that it publishes allows.  The other worker then
 * mines the classes that are left.
 *
 * Usage: check_known [seed [databases]]; or FIM_SEED, FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/itemsets/known.h"
#include "tables.h"

#define DATABASES		300
#define HALTS			16		/* in each database */
#define MOST_ITEMSETS	100000

/* Tables whose classes have more items than a word has bits, for so many others. */
#define TABLES_A_CROWDED_ONE	100

/* A database, and what is in it. */
typedef struct Case
{
	FimItemsetsSpec spec;
	FimDatabase *db;
	Brute		brute;
	uint32_t   *rank;			/* [items] what the database calls an item of the table */
} Case;

/* Where the first worker stands still. */
typedef struct Halt
{
	uint32_t	class;			/* the one that it is in */
	uint32_t	passed;			/* from this item of the database on, the class has passed all */
} Halt;

static void
RankItems(Case *c, uint32_t nitems)
{
	const uint32_t *name = FimItemNames(c->db);

	c->rank = calloc((size_t) nitems + 1, sizeof(uint32_t));
	assert(c->rank != NULL);
	for (uint32_t i = 0; i < c->db->nitems; i++)
		c->rank[name[i]] = i;
}

/* The class that an itemset belongs to is that of its rarest item. */
static uint32_t
ClassOf(const Case *c, const BruteSet *set)
{
	uint32_t	rarest = 0;

	for (uint32_t i = 0; i < set->length; i++)
		if (c->rank[c->brute.items[set->at + i]] > rarest)
			rarest = c->rank[c->brute.items[set->at + i]];
	return c->db->nitems - rarest;
}

/* Whether the itemset has an item, other than its class's, that the class has passed. */
static bool
HasPassed(const Case *c, const BruteSet *set, uint32_t passed)
{
	for (uint32_t i = 0; i < set->length; i++)
	{
		uint32_t	rank = c->rank[c->brute.items[set->at + i]];

		if (rank >= passed && rank != c->db->nitems - ClassOf(c, set))
			return true;
	}
	return false;
}

/* Publish the class as one that has passed all items from there on; 0: as done. */
static void
PublishClass(Miner *m, const Case *c, uint32_t class, uint32_t passed)
{
	KnownBeginClass(m, class);
	for (uint32_t s = 0; s < c->brute.nsets; s++)
	{
		const BruteSet *set = &c->brute.sets[s];

		if (BruteWants(&c->brute, &c->spec, set) && ClassOf(c, set) == class &&
			(passed == 0 || HasPassed(c, set, passed)))
			KnownAdd(m, c->brute.items + set->at, set->length);
	}
	KnownPublish(m, passed);
}

static void
BeginMiner(Miner *m, const FimItemsetsSpec *spec, const FimDatabase *db, FimShared *shared, TestHost *host)
{
	HostInit(host);
	MinerInit(m, spec, db, shared, &host->base, NULL);
	if (setjmp(m->leave) != 0 || !KnownInit(m))
		abort();
}

/* The first worker comes to where it stands still. */
static void
BringToHalt(Miner *m, const Case *c, Halt halt, FimShared *shared, TestHost *host)
{
	BeginMiner(m, &c->spec, c->db, shared, host);
	for (uint32_t class = 1; class < halt.class; class++)
		PublishClass(m, c, class, 0);
	PublishClass(m, c, halt.class, halt.passed);
}

/* Whether the second worker is to find the itemset: class 0 is not its own either. */
static bool
IsLeft(const Case *c, const BruteSet *set, Halt halt, uint32_t units)
{
	uint32_t	class = ClassOf(c, set);

	return BruteWants(&c->brute, &c->spec, set) && class > halt.class && class < units;
}

/* Whether the sink has all itemsets of the classes that were left, each once, and no others. */
static bool
CheckFound(Case *c, const TestSink *sink, Halt halt, uint32_t units)
{
	static uint32_t run;
	uint32_t	missing = 0;

	run++;
	for (size_t at = 0; at < sink->nwords; at += sink->words[at] + 2)
	{
		uint32_t   *items = sink->words + at + 1;
		BruteSet   *set;

		SortItems(items, sink->words[at]);
		set = BruteFind(&c->brute, items, sink->words[at]);
		if (set == NULL || !IsLeft(c, set, halt, units))
			return Complain("an itemset of %u items that is not maximal, or not of these classes",
							sink->words[at]);
		if (set->seen == run)
			return Complain("an itemset twice");
		set->seen = run;
	}
	for (uint32_t s = 0; s < c->brute.nsets; s++)
		missing += IsLeft(c, &c->brute.sets[s], halt, units) && c->brute.sets[s].seen != run;
	return missing == 0 || Complain("%u itemsets are missing", missing);
}

/* The second worker mines what the first has left when it stands still. */
static bool
CheckHalt(Case *c, Halt halt)
{
	FimShared  *shared = NewShared(&c->spec, c->db);
	uint32_t	units = (uint32_t) shared->units;
	Miner		first;
	TestHost	first_host;
	TestHost	host;
	TestSink	sink;
	bool		good;

	BringToHalt(&first, c, halt, shared, &first_host);
	shared->next_unit = halt.class + 1;
	HostInit(&host);
	SinkInit(&sink, c->db, true);
	good = MineItemsets(&c->spec, c->db, shared, &host.base, &sink.base, NULL) == FIM_DONE &&
		sink.error == NULL && CheckFound(c, &sink, halt, units);
	if (!good)
		printf("# minsup %u, strategy %s, class %u of %u halted, items from %u on are passed\n",
			   c->spec.minsup, FimItemsetsFamily.strategies[c->spec.head.strategy], halt.class,
			   units, halt.passed);
	SinkFree(&sink);
	HostFreeAll(&host);
	KnownFree(&first);
	ArenaFree(&first.arena);
	HostFreeAll(&first_host);
	FreeShared(shared);
	return good;
}

/* How far a class can have got: often it has passed no or few items, and in the end all. */
static uint32_t
RandomPassed(Rng *rng, uint32_t item)
{
	switch (RngBelow(rng, 4))
	{
		case 0:
			return UINT32_MAX;
		case 1:
			return item;
		default:
			return RngBelow(rng, item + 1);
	}
}

static bool
CheckDatabase(const Table *table, Rng *rng, FimItemsetsStrategy strategy, uint32_t minsup)
{
	Case		c = {.spec = {.head.strategy = strategy,.kind = FIM_MAXIMAL,.minsup = minsup,.min_length = 1,
	.max_length = FIM_NO_LIMIT}};
	bool		good = true;

	if (!BruteMine(&c.brute, table, c.spec.minsup, MOST_ITEMSETS))
		return true;
	c.db = BuildDatabase(table);
	assert(c.db != NULL);
	RankItems(&c, table->nitems);
	for (uint32_t n = 0; good && n < HALTS && c.db->nitems > 1; n++)
	{
		Halt		halt = {.class = 1 + RngBelow(rng, c.db->nitems - 1)};

		halt.passed = RandomPassed(rng, c.db->nitems - halt.class);
		good = CheckHalt(&c, halt);
	}
	free(c.rank);
	FreeDatabase(c.db);
	BruteFree(&c.brute);
	return good;
}

static bool
CheckRandomTable(Table *table, Rng *rng)
{
	uint32_t	minsup;

	RandomTable(table, rng, SMALL);
	minsup = 1 + RngBelow(rng, table->nrows / 2 + 1);
	return CheckDatabase(table, rng, RngChance(rng, 0.5) ? FIM_BITMAP : FIM_PROJECTED, minsup);
}

static bool
CheckCrowdedTable(Table *table, Rng *rng)
{
	CrowdedTable(table, rng);
	return CheckDatabase(table, rng, FIM_BITMAP, CROWDED_MINSUP);
}

static bool
CheckTable(uint64_t seed, bool (*check) (Table *table, Rng *rng))
{
	Rng			rng = {seed};
	Table		table;
	bool		good = check(&table, &rng);

	if (!good)
	{
		printf("# check_known %llu 1\n", (unsigned long long) seed);
		PrintTable(&table);
	}
	TableFree(&table);
	return good;
}

/*
 * One worker is in the first class and has told nothing, while another one does a million classes.  If
 * it looked at all classes before each of them, that would take hours.
 */
#define MANY_CLASSES	1000000

static bool
CheckManyClasses(void)
{
	FimItemsetsSpec spec = {.kind = FIM_MAXIMAL,.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT};
	Table		table;
	Miner		miner[2];
	TestHost	host[2];
	FimDatabase *db;
	FimShared  *shared;
	bool		good = true;

	TableInit(&table, MANY_CLASSES);
	for (uint32_t i = 0; i < MANY_CLASSES; i++)
		TableAdd(&table, &i, 1);
	db = BuildDatabase(&table);
	assert(db != NULL);
	shared = NewShared(&spec, db);
	for (int w = 0; w < 2; w++)
		BeginMiner(&miner[w], &spec, db, shared, &host[w]);
	KnownBeginClass(&miner[0], 1);
	for (uint32_t class = 2; class <= MANY_CLASSES; class++)
	{
		KnownBeginClass(&miner[1], class);
		good &= miner[1].known->any_open;
		KnownEndClass(&miner[1]);
	}
	for (int w = 0; w < 2; w++)
	{
		KnownFree(&miner[w]);
		ArenaFree(&miner[w].arena);
	}
	FreeShared(shared);
	FreeDatabase(db);
	TableFree(&table);
	return good || Complain("the class of another worker is not open");
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", (uint64_t) time(NULL));
	uint64_t	databases = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DATABASES);

	printf("# seed %llu\n", (unsigned long long) seed);
	if (!CheckManyClasses())
		return 1;
	for (uint64_t d = 0; d < databases; d++)
		if (!CheckTable(seed + d, CheckRandomTable) ||
			(d % TABLES_A_CROWDED_ONE == 0 && !CheckTable(seed + d, CheckCrowdedTable)))
			return 1;
	return 0;
}
