/*-------------------------------------------------------------------------
 *
 * random_tables.c
 *	  The CPU engine against brute force on random databases, see random_tables.h.
 *
 *-------------------------------------------------------------------------
 */
#include "random_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "failing_case.h"

#define DEFAULT_DATABASES	1000

/* What the options say, see random_tables.h. */
typedef struct Options
{
	uint64_t	seed;
	uint32_t	first;			/* databases from here on ... */
	uint32_t	end;			/* ... up to this one */
	FimKind		first_kind;
	FimKind		last_kind;
	bool		several_only;	/* not the cases of one worker */
} Options;

static uint32_t
CountStrategies(void)
{
	uint32_t	n = 0;

	while (FimItemsetsFamily.strategies[n] != NULL)
		n++;
	return n;
}

static void
RandomLimits(FimItemsetsSpec *spec, Rng *rng, uint32_t nitems)
{
	uint32_t	reach = nitems < 12 ? nitems + 2 : 12;

	spec->nrequired = RngChance(rng, 0.6) ? 0 : RngChance(rng, 0.9) ? RngBelow(rng, 4) : 1000;
	spec->min_length = RngChance(rng, 0.5) ? 1 : 1 + RngBelow(rng, reach + spec->nrequired);
	spec->max_length = RngChance(rng, 0.5) ? FIM_NO_LIMIT :
		1 + RngBelow(rng, reach + spec->nrequired);
}

static TableSize
SizeOf(uint32_t number)
{
	return number % 10 == 9 ? LARGE : number % 10 == 4 ? WIDE : number % 50 == 25 ? HEAVY :
		number % 50 == 15 ? TALL : SMALL;
}

/* Whether a strategy comes to an end: sets of so many items may be beyond number. */
static bool
Ends(uint32_t number, uint32_t strategy)
{
	return SizeOf(number) != WIDE || strategy == FIM_AUTO || strategy == FIM_ROWS;
}

/* A kind with every strategy and instruction set, by one worker. */
static bool
CheckOneWorker(const FimDatabase *db, Brute *brute, Case *c, Rng *rng, bool thorough)
{
	c->workers = 1;
	for (uint32_t strategy = 0; FimItemsetsFamily.strategies[strategy] != NULL; strategy++)
		for (const char *const *isa = Isas(); *isa != NULL && Ends(c->number, strategy); isa++)
		{
			strcpy(c->isa, *isa);
			c->spec.head.strategy = (FimItemsetsStrategy) strategy;
			c->spec.head.count_only = RngChance(rng, 0.5);
			RandomLimits(&c->spec, rng, db->nitems);
			if (!TryCase(c, db, brute))
				return false;
			if (!thorough)
				continue;
			c->spec.head.count_only = !c->spec.head.count_only;
			RandomLimits(&c->spec, rng, db->nitems);
			if (!TryCase(c, db, brute))
				return false;
		}
	return true;
}

/* With some strategy, by two workers and by three. */
static bool
CheckSeveralWorkers(const FimDatabase *db, Brute *brute, Case *c, Rng *rng)
{
	strcpy(c->isa, Isas()[0]);
	for (c->workers = 2; c->workers <= MAX_WORKERS; c->workers++)
	{
		do
			c->spec.head.strategy = (FimItemsetsStrategy) RngBelow(rng, CountStrategies());
		while (!Ends(c->number, (uint32_t) c->spec.head.strategy));
		c->spec.head.count_only = RngChance(rng, 0.3);
		RandomLimits(&c->spec, rng, db->nitems);
		if (!TryCase(c, db, brute))
			return false;
	}
	return true;
}

static bool
CheckAllCases(const Options *options, const FimDatabase *db, Brute *brute, uint32_t number, uint32_t minsup, uint32_t nany,
			  Rng *rng)
{
	bool		thorough = SizeOf(number) == SMALL;

	for (int kind = options->first_kind; kind <= (int) options->last_kind; kind++)
	{
		Case		c = {.number = number};

		/* brute force finds only closed ones there */
		if (kind == FIM_ALL && SizeOf(number) == WIDE)
			continue;
		c.spec.kind = (FimKind) kind;
		c.spec.minsup = minsup;
		c.spec.nany = nany;
		if (!options->several_only && !CheckOneWorker(db, brute, &c, rng, thorough))
			return false;
		for (int i = 0; i < (options->several_only ? 5 : 1); i++)
			if (!CheckSeveralWorkers(db, brute, &c, rng))
				return false;
	}
	return true;
}

static void
MakeTable(Table *table, Rng *rng, uint64_t seed, uint32_t number)
{
	rng->state = seed * UINT64_C(0xD1342543DE82EF95) + number;
	RandomTable(table, rng, SizeOf(number));
	/* sets of rows, without which a wide one may not end, are not for itemsets that need one of some items */
	if (SizeOf(number) != WIDE && RngChance(rng, 0.2))
		TableNeedAny(table, 1 + RngBelow(rng, table->nitems));
}

/* Brute force at a random threshold, raised until there are not too many. */
static uint32_t
MineAtRandom(Brute *brute, const Table *table, Rng *rng, uint32_t number)
{
	TableSize	size = SizeOf(number);
	bool		many = RngChance(rng, size == SMALL ? 0.05 : 0.02);
	uint32_t	limit = size == HEAVY ? 1500 : many ? 90000 : size == SMALL ? 1500 : 3000;
	double		u = RngUnit(rng);
	uint32_t	minsup = 1 + (uint32_t) (u * u * table->nrows);

	if (RngChance(rng, 0.02))
		minsup = table->nrows + 1;
	while (!BruteMine(brute, table, minsup, limit))
		minsup += 1 + minsup / 4;
	return minsup;
}

/* With every case at a random threshold. */
static bool
CheckAtRandom(const Options *options, const FimDatabase *db, const Table *table, Rng *rng, uint32_t number)
{
	Brute		brute;
	uint32_t	minsup = MineAtRandom(&brute, table, rng, number);
	uint64_t	before = DatabaseChecksum(db);
	bool		good = CheckAllCases(options, db, &brute, number, minsup, table->nany, rng) && CheckUnchanged(db, before);

	BruteFree(&brute);
	return good;
}

static bool
CheckTable(const Options *options, const Table *table, Rng *rng, uint32_t number)
{
	int			thresholds = SizeOf(number) == SMALL ? 2 : 1;
	FimDatabase *db;
	bool		good;

	current->number = number;
	current->workers = 0;		/* while the database is built */
	db = BuildCheckedDatabase(table);
	good = db != NULL;
	for (int i = 0; good && i < thresholds; i++)
		good = CheckAtRandom(options, db, table, rng, number);
	FreeDatabase(db);
	return good;
}

/* In the child. */
static bool
CheckTables(const Options *options, bool (*has) (TableSize size))
{
	bool		good = true;

	for (uint32_t number = options->first; good && number < options->end; number++)
	{
		Rng			rng;
		Table		table;

		if (!has(SizeOf(number)))
			continue;
		MakeTable(&table, &rng, options->seed, number);
		good = CheckTable(options, &table, &rng, number);
		TableFree(&table);
	}
	return good;
}

/* What was at hand when the child ended in this way. */
static void
Report(uint64_t seed, int status)
{
	Case		c = *current;
	Rng			rng;
	Table		table;

	if (WIFSIGNALED(status))
		printf("# signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	printf("# seed %llu, database %u\n", (unsigned long long) seed, c.number);
	MakeTable(&table, &rng, seed, c.number);
	ReportCase(&c, &table);
	TableFree(&table);
}

static bool
RunTables(const Options *options, bool (*has) (TableSize size))
{
	pid_t		child;
	int			status;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(CheckTables(options, has) ? 0 : 1);
	if (child < 0 || waitpid(child, &status, 0) != child)
	{
		printf("# cannot fork: %s\n", strerror(errno));
		return false;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	Report(options->seed, status);
	return false;
}

static bool
ReadOptions(int argc, char **argv, Options *options)
{
	int			option;

	while ((option = getopt(argc, argv, "s:n:d:k:w:")) != -1)
	{
		switch (option)
		{
			case 's':
				options->seed = strtoull(optarg, NULL, 10);
				break;
			case 'n':
				options->end = (uint32_t) strtoul(optarg, NULL, 10);
				break;
			case 'd':
				options->first = (uint32_t) strtoul(optarg, NULL, 10);
				options->end = options->first + 1;
				break;
			case 'k':
				options->first_kind = options->last_kind = KindNamed(optarg);
				break;
			case 'w':
				options->several_only = strtoul(optarg, NULL, 10) > 1;
				break;
			default:
				return false;
		}
	}
	return true;
}

int
CheckRandomTables(int argc, char **argv, bool (*has) (TableSize size))
{
	Options		options = {.seed = EnvironmentOr("FIM_SEED", (uint64_t) time(NULL)),
		.end = (uint32_t) EnvironmentOr("FIM_DATABASES", DEFAULT_DATABASES),
	.first_kind = FIM_ALL,.last_kind = FIM_MAXIMAL};

	if (!ReadOptions(argc, argv, &options) || !CasesInit())
		return 2;
	printf("# seed %llu, %u databases\n", (unsigned long long) options.seed, options.end - options.first);
	return RunTables(&options, has) ? 0 : 1;
}
