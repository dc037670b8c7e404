/*-------------------------------------------------------------------------
 *
 * check_engine.c
 *	  The CPU engine against brute force on thousands of random databases.
 *
 * Every kind with every strategy and instruction set, with random limits of
 * length and prefixes, listing and counting, by one worker and by several
 * threads that share a job.  A listing must give each wanted itemset once with
 * its support, a count the same numbers by length.
 *
 * The databases are tried in a child process, so that a crash or an endless
 * loop is found like a wrong result.  The parent then makes the database
 * smaller as long as the failure stays and prints what is left in FIMI form
 * with the command that tries it again.
 *
 * Usage:
 *	  check_engine [-s seed] [-n databases] [-d number] [-k kind] [-w workers]
 *	  check_engine -f FILE -m minsup [-k kind] [-S strategy] [-I isa] [-w workers]
 *				   [-c] [-a min_length] [-b max_length] [-p nrequired]
 *
 * The seed is also taken from FIM_SEED and the number of databases from
 * FIM_DATABASES; -d tries one of them only, -k one kind only
 * and -w, from 2 up, only cases with several workers.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tables.h"

#define DEFAULT_DATABASES	2000
#define MAX_WORKERS			3
#define SECONDS_A_CASE		600 /* longer means an endless loop */
#define SHRINK_SECONDS		60

/* One call of the engine. */
typedef struct Case
{
	FimItemsetsJob job;
	char		isa[16];
	uint32_t	workers;
	uint32_t	number;			/* of the random database */
} Case;

/* The case at hand, shared by parent and child. */
static Case *current;

/* The kinds to be tried. */
static FimKind first_kind = FIM_ALL;
static FimKind last_kind = FIM_MAXIMAL;

/* Not the cases of one worker. */
static bool several_only;

/* In the child that only answers whether a case fails. */
static bool quiet;

static uint32_t
CountStrategies(void)
{
	uint32_t	n = 0;

	while (FimItemsetsFamily.strategies[n] != NULL)
		n++;
	return n;
}

static bool
Fail(const char *format,...)
{
	va_list		args;

	if (!quiet)
	{
		va_start(args, format);
		printf("# ");
		vprintf(format, args);
		printf("\n");
		fflush(stdout);
		va_end(args);
	}
	return false;
}

typedef struct Worker
{
	const FimItemsetsJob *job;
	const FimDatabase *db;
	FimShared  *shared;
	TestHost	host;
	TestSink	sink;
	FimTally	tally;
	FimResult	result;
} Worker;

/* A listing gets no tally and a count a sink that must not be called. */
static void *
WorkerMain(void *arg)
{
	Worker	   *worker = arg;
	FimTally   *tally = worker->job->head.count_only ? &worker->tally : NULL;

	worker->result = MineItemsets(worker->job, worker->db, worker->shared,
								  &worker->host.base, &worker->sink.base, tally);
	return NULL;
}

static void
DescribeItems(char *text, size_t size, const uint32_t *items, uint32_t length)
{
	size_t		used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < length && used + 16 < size; i++)
		used += snprintf(text + used, size - used, i > 0 ? " %u" : "%u", items[i]);
}

/* The itemsets of one worker's sink, against those wanted and not yet seen. */
static bool
CheckListed(Worker *worker, Brute *brute, uint32_t run)
{
	TestSink   *sink = &worker->sink;
	char		text[512];
	size_t		at = 0;

	while (at < sink->nwords)
	{
		uint32_t	length = sink->words[at];
		uint32_t   *items = &sink->words[at + 1];
		uint32_t	support = items[length];
		BruteSet   *set;

		SortItems(items, length);
		DescribeItems(text, sizeof(text), items, length);
		set = BruteFind(brute, items, length);
		if (set == NULL)
			return Fail("{%s} with support %u is not frequent", text, support);
		if (set->support != support)
			return Fail("{%s} has support %u, not %u", text, set->support, support);
		if (!BruteWants(worker->job, set))
			return Fail("{%s} with support %u is not wanted", text, support);
		if (set->seen == run)
			return Fail("{%s} with support %u is there twice", text, support);
		set->seen = run;
		at += length + 2;
	}
	return true;
}

static bool
CheckAllListed(const FimItemsetsJob *job, Brute *brute, uint32_t run)
{
	char		text[512];

	for (uint32_t s = 0; s < brute->nsets; s++)
	{
		BruteSet   *set = &brute->sets[s];

		if (BruteWants(job, set) && set->seen != run)
		{
			DescribeItems(text, sizeof(text), brute->items + set->at, set->length);
			return Fail("{%s} with support %u is missing", text, set->support);
		}
	}
	return true;
}

static bool
CheckListing(Worker *workers, uint32_t n, const FimItemsetsJob *job, Brute *brute)
{
	static uint32_t run;

	run++;
	for (uint32_t w = 0; w < n; w++)
		if (!CheckListed(&workers[w], brute, run))
			return false;
	return CheckAllListed(job, brute, run);
}

/* What is wanted of each length, but for the lengths of a tally. */
static uint64_t
WantedOfLength(const Brute *brute, const FimItemsetsJob *job, uint64_t length)
{
	uint64_t	n = 0;

	for (uint32_t s = 0; s < brute->nsets; s++)
		if (brute->sets[s].length + (uint64_t) job->nrequired == length &&
			BruteWants(job, &brute->sets[s]))
			n++;
	return n;
}

static uint64_t
Wanted(const Brute *brute, const FimItemsetsJob *job)
{
	uint64_t	n = 0;

	for (uint32_t s = 0; s < brute->nsets; s++)
		n += BruteWants(job, &brute->sets[s]);
	return n;
}

static bool
CheckTally(Worker *workers, uint32_t n, const FimItemsetsJob *job, const Brute *brute)
{
	FimTally   *sum = &workers[0].tally;
	uint64_t	tallied = 0;

	for (uint32_t w = 0; w < n; w++)
		if (workers[w].sink.batches > 0)
			return Fail("a count calls the sink");
	for (uint32_t w = 1; w < n; w++)
		FimTallyAdd(sum, &workers[w].tally);
	for (uint32_t length = 0; length < sum->lengths; length++)
	{
		uint64_t	wanted = WantedOfLength(brute, job, length);

		if (sum->counts[length].high != 0 || sum->counts[length].low != wanted)
			return Fail("%llu itemsets of length %u, counted %llu * 2^64 + %llu",
						(unsigned long long) wanted, length,
						(unsigned long long) sum->counts[length].high,
						(unsigned long long) sum->counts[length].low);
		tallied += wanted;
	}
	if (tallied != Wanted(brute, job))
		return Fail("itemsets longer than the tally's %u lengths", sum->lengths);
	return true;
}

static bool
CheckEnd(Worker *workers, uint32_t n)
{
	for (uint32_t w = 0; w < n; w++)
	{
		if (workers[w].sink.error != NULL)
			return Fail("%s", workers[w].sink.error);
		if (workers[w].result != FIM_DONE)
			return Fail("worker %u of %u returns %s", w + 1, n, ResultName(workers[w].result));
		if (workers[w].host.wrong_free)
			return Fail("frees what was not allocated");
		if (workers[w].host.live > 0)
			return Fail("%llu blocks are not freed",
						(unsigned long long) workers[w].host.live);
	}
	return true;
}

static bool
CheckShared(const FimShared *shared, const FimItemsetsJob *job, const Brute *brute)
{
	uint64_t	wanted = Wanted(brute, job);

	/* nothing need be done for limits that leave nothing */
	if (shared->units_done != shared->units && job->max_length > job->nrequired &&
		job->max_length >= job->min_length)
		return Fail("%u of %u classes are done", shared->units_done, shared->units);
	/* a count's progress need not be exact */
	if (!job->head.count_only && shared->results != wanted)
		return Fail("%llu results, progress says %llu", (unsigned long long) wanted,
					(unsigned long long) shared->results);
	return true;
}

/* Run one case on a database and compare with what brute force found. */
static bool
CheckCase(const Case *c, const FimDatabase *db, Brute *brute)
{
	Worker		workers[MAX_WORKERS];
	FimShared  *shared = NewShared(&c->job, db);
	bool		good;

	assert(c->workers <= MAX_WORKERS);
	if (!FimSetIsa(c->isa) || strcmp(FimIsa(), c->isa) != 0)
		return Fail("instruction set %s cannot be set", c->isa);
	for (uint32_t w = 0; w < c->workers; w++)
	{
		Worker	   *worker = &workers[w];

		worker->job = &c->job;
		worker->db = db;
		worker->shared = shared;
		HostInit(&worker->host);
		SinkInit(&worker->sink, db, true);
		TallyInit(&worker->tally, &c->job, db);
	}

	RunThreads(WorkerMain, workers, sizeof(Worker), c->workers);
	good = CheckEnd(workers, c->workers) &&
		(c->job.head.count_only ? CheckTally(workers, c->workers, &c->job, brute) :
		 CheckListing(workers, c->workers, &c->job, brute)) &&
		CheckShared(shared, &c->job, brute);

	for (uint32_t w = 0; w < c->workers; w++)
	{
		HostFreeAll(&workers[w].host);
		SinkFree(&workers[w].sink);
		TallyFree(&workers[w].tally);
	}
	FreeShared(shared);
	return good;
}

static bool
TryCase(const Case *c, const FimDatabase *db, Brute *brute)
{
	*current = *c;
	alarm(SECONDS_A_CASE);
	return CheckCase(c, db, brute);
}

static uint64_t
Checksum(const FimDatabase *db)
{
	const unsigned char *bytes = (const unsigned char *) db;
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < db->head.size; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
	return sum;
}

static void
RandomLimits(FimItemsetsJob *job, Rng *rng, uint32_t nitems)
{
	uint32_t	reach = nitems < 12 ? nitems + 2 : 12;

	job->nrequired = RngChance(rng, 0.6) ? 0 : RngChance(rng, 0.9) ? RngBelow(rng, 4) : 1000;
	job->min_length = RngChance(rng, 0.5) ? 1 : 1 + RngBelow(rng, reach + job->nrequired);
	job->max_length = RngChance(rng, 0.5) ? FIM_NO_LIMIT :
		1 + RngBelow(rng, reach + job->nrequired);
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
			c->job.head.strategy = (FimStrategy) strategy;
			c->job.head.count_only = RngChance(rng, 0.5);
			RandomLimits(&c->job, rng, db->nitems);
			if (!TryCase(c, db, brute))
				return false;
			if (!thorough)
				continue;
			c->job.head.count_only = !c->job.head.count_only;
			RandomLimits(&c->job, rng, db->nitems);
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
			c->job.head.strategy = (FimStrategy) RngBelow(rng, CountStrategies());
		while (!Ends(c->number, (uint32_t) c->job.head.strategy));
		c->job.head.count_only = RngChance(rng, 0.3);
		RandomLimits(&c->job, rng, db->nitems);
		if (!TryCase(c, db, brute))
			return false;
	}
	return true;
}

static bool
CheckAllCases(const FimDatabase *db, Brute *brute, uint32_t number, uint32_t minsup, Rng *rng,
			  bool thorough)
{
	for (int kind = first_kind; kind <= (int) last_kind; kind++)
	{
		Case		c = {.number = number};

		/* brute force finds only closed ones there */
		if (kind == FIM_ALL && SizeOf(number) == WIDE)
			continue;
		c.job.kind = (FimKind) kind;
		c.job.minsup = minsup;
		if (!several_only && !CheckOneWorker(db, brute, &c, rng, thorough))
			return false;
		for (int i = 0; i < (several_only ? 5 : 1); i++)
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

/* What the database says of itself needs no more than the table. */
static bool
CheckHeader(const FimDatabase *db, const Table *table)
{
	if (db == NULL)
		return Fail("the database cannot be built");
	if (db->transactions != table->nrows)
		return Fail("%u transactions, the database says %llu", table->nrows,
					(unsigned long long) db->transactions);
	if (db->nitems != table->nitems)
		return Fail("%u items, the database says %u", table->nitems, db->nitems);
	return true;
}

static bool
CheckTable(const Table *table, Rng *rng, uint32_t number)
{
	int			thresholds = SizeOf(number) == SMALL ? 2 : 1;
	FimDatabase *db;
	bool		good;

	current->number = number;
	current->workers = 0;		/* while the database is built */
	db = BuildDatabase(table);
	good = CheckHeader(db, table);
	for (int i = 0; good && i < thresholds; i++)
	{
		Brute		brute;
		uint32_t	minsup = MineAtRandom(&brute, table, rng, number);
		uint64_t	before = Checksum(db);

		good = CheckAllCases(db, &brute, number, minsup, rng, SizeOf(number) == SMALL);
		if (good && Checksum(db) != before)
			good = Fail("mining changes the database");
		BruteFree(&brute);
	}
	FreeDatabase(db);
	return good;
}

/* In the child. */
static bool
CheckDatabases(uint64_t seed, uint32_t first, uint32_t end)
{
	bool		good = true;

	for (uint32_t number = first; good && number < end; number++)
	{
		Rng			rng;
		Table		table;

		MakeTable(&table, &rng, seed, number);
		good = CheckTable(&table, &rng, number);
		TableFree(&table);
	}
	return good;
}

/* One case on one table, from building the database on. */
static bool
CheckOne(const Case *c, const Table *table)
{
	FimDatabase *db = BuildDatabase(table);
	bool		good = CheckHeader(db, table);

	if (good && c->workers > 0)
	{
		Brute		brute;
		uint64_t	before = Checksum(db);

		if (!BruteMine(&brute, table, c->job.minsup, UINT32_MAX - 1))
			abort();

		/* several workers may need several tries to fail */
		for (int i = 0; good && i < (c->workers > 1 ? 20 : 1); i++)
			good = TryCase(c, db, &brute);
		if (good && Checksum(db) != before)
			good = Fail("mining changes the database");
		BruteFree(&brute);
	}
	FreeDatabase(db);
	return good;
}

/*
 * Making a failing case smaller.
 */

static bool
StillFails(const Case *c, const Table *table)
{
	pid_t		child;
	int			status;

	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		int			nowhere = open("/dev/null", O_WRONLY);

		dup2(nowhere, STDERR_FILENO);
		quiet = true;
		_exit(CheckOne(c, table) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* The table without rows first .. first+n-1, or without one item. */
static void
CopyWithout(Table *copy, const Table *table, uint32_t first, uint32_t n, uint32_t item)
{
	TableInit(copy, table->nitems);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	begin = table->at[r];
		uint32_t	length = table->at[r + 1] - begin;
		uint32_t   *row = calloc(length + 1, sizeof(uint32_t));
		uint32_t	kept = 0;

		assert(row != NULL);
		for (uint32_t i = 0; i < length; i++)
			if (table->items[begin + i] != item)
				row[kept++] = table->items[begin + i];
		if (r < first || r >= first + n)
			TableAdd(copy, row, kept);
		free(row);
	}
}

static bool
ShrinkTo(const Case *c, Table *table, Table *smaller)
{
	bool		fails = StillFails(c, smaller);

	TableFree(fails ? table : smaller);
	if (fails)
		*table = *smaller;
	return fails;
}

static void
Shrink(const Case *c, Table *table)
{
	double		end = WallSeconds() + SHRINK_SECONDS;
	bool		shrunk = true;
	Table		smaller;

	while (shrunk && WallSeconds() < end)
	{
		shrunk = false;
		for (uint32_t n = table->nrows; n > 0; n /= 2)
			for (uint32_t first = 0; first < table->nrows && WallSeconds() < end;)
			{
				CopyWithout(&smaller, table, first, n, UINT32_MAX);
				if (ShrinkTo(c, table, &smaller))
					shrunk = true;
				else
					first += n;
			}
		for (uint32_t item = 0; item < table->nitems && WallSeconds() < end; item++)
		{
			CopyWithout(&smaller, table, 0, 0, item);
			if (smaller.at[smaller.nrows] == table->at[table->nrows])
				TableFree(&smaller);
			else if (ShrinkTo(c, table, &smaller))
				shrunk = true;
		}
	}
}

static void
PrintCase(const Case *c)
{
	printf("# fails: check_engine -f FILE -m %u -k %s -S %s -I %s -w %u%s -a %u -b %u -p %u\n",
		   c->job.minsup, KindName(c->job.kind), FimItemsetsFamily.strategies[c->job.head.strategy],
		   c->isa, c->workers, c->job.head.count_only ? " -c" : "", c->job.min_length,
		   c->job.max_length, c->job.nrequired);
}

static void
Report(uint64_t seed, int status)
{
	Case		c = *current;
	Rng			rng;
	Table		table;

	if (WIFSIGNALED(status))
		printf("# signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	printf("# seed %llu, database %u\n", (unsigned long long) seed, c.number);
	if (c.workers > 0)
		PrintCase(&c);
	else
		printf("# fails while the database is built\n");
	MakeTable(&table, &rng, seed, c.number);
	if (StillFails(&c, &table))
	{
		Shrink(&c, &table);
		printf("# the database, made smaller, items 0 .. %u:\n", table.nitems - 1);
	}
	else
		printf("# the database (it does not fail when tried alone), items 0 .. %u:\n",
			   table.nitems - 1);
	PrintTable(&table);
	printf("# end of the database\n");
	TableFree(&table);
}

static bool
RunDatabases(uint64_t seed, uint32_t first, uint32_t end)
{
	pid_t		child;
	int			status;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(CheckDatabases(seed, first, end) ? 0 : 1);
	if (child < 0 || waitpid(child, &status, 0) != child)
	{
		printf("# cannot fork: %s\n", strerror(errno));
		return false;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	Report(seed, status);
	return false;
}

/* A FIMI file; its items are numbers from 0 up. */
static void
ReadTable(Table *table, const char *path)
{
	FILE	   *file = fopen(path, "r");
	char	   *line = NULL;
	size_t		size = 0;

	if (file == NULL)
	{
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	TableInit(table, 0);
	while (getline(&line, &size, file) > 0)
	{
		uint32_t   *row = calloc(strlen(line) + 1, sizeof(uint32_t));
		uint32_t	length = 0;

		assert(row != NULL);
		for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n"))
		{
			row[length] = (uint32_t) strtoul(word, NULL, 10);
			if (row[length] >= table->nitems)
				table->nitems = row[length] + 1;
			length++;
		}
		TableAdd(table, row, length);
		free(row);
	}
	free(line);
	fclose(file);
}

/* With every kind and strategy. */
static bool
CheckKinds(Case *c, const Table *table)
{
	bool		good = true;

	for (c->job.kind = first_kind; c->job.kind <= last_kind; c->job.kind++)
		for (c->job.head.strategy = FIM_AUTO; c->job.head.strategy <= FIM_PROJECTED; c->job.head.strategy++)
			good = good && CheckOne(c, table);
	return good;
}

/* How many items are looked at together: the searches' flags, and words of bits. */
#define ITEMS_TOGETHER	64

/*
 * Tables with about so many items, the two rarest of which are always together: what
 * leaves the last item out finds itemsets without it.
 */
static bool
CheckLastItems(void)
{
	Case		c = {.workers = 1,.isa = "portable",.job = {.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT}};
	bool		good = true;

	for (uint32_t n = ITEMS_TOGETHER - 1; n <= ITEMS_TOGETHER + 2; n++)
	{
		uint32_t	last[] = {0, n - 2, n - 1};
		Table		table;

		TableInit(&table, n);
		for (uint32_t i = 0; i < (n - 2) * 2; i++)
		{
			uint32_t	row[] = {i % (n - 2), (i + 1) % (n - 2)};

			TableAdd(&table, row, 2);
		}
		TableAdd(&table, last, 3);
		good = good && CheckKinds(&c, &table);
		TableFree(&table);
	}
	return good;
}

#define CROWDED_ITEMS	90
#define CROWDED_ROWS	40
#define CROWDED_MINSUP	7

/* Most pairs of more items than are looked at together are frequent, and few itemsets of more. */
static bool
CheckCrowdedItems(uint64_t seed)
{
	Case		c = {.workers = 1,.isa = "portable",
		.job = {.minsup = CROWDED_MINSUP,.min_length = 1,.max_length = FIM_NO_LIMIT}};
	Rng			rng = {seed};
	Table		table;
	bool		good;

	TableInit(&table, CROWDED_ITEMS);
	for (uint32_t r = 0; r < CROWDED_ROWS; r++)
	{
		uint32_t	row[CROWDED_ITEMS];
		uint32_t	length = 0;

		for (uint32_t i = 0; i < CROWDED_ITEMS; i++)
			if (RngChance(&rng, 0.5))
				row[length++] = i;
		TableAdd(&table, row, length);
	}
	good = CheckKinds(&c, &table);
	TableFree(&table);
	return good;
}

static FimKind
KindNamed(const char *name)
{
	return name[0] == 'a' ? FIM_ALL : name[0] == 'c' ? FIM_CLOSED : FIM_MAXIMAL;
}

static FimStrategy
StrategyNamed(const char *name)
{
	for (uint32_t i = 0; FimItemsetsFamily.strategies[i] != NULL; i++)
		if (strcmp(FimItemsetsFamily.strategies[i], name) == 0)
			return (FimStrategy) i;
	fprintf(stderr, "no strategy %s\n", name);
	exit(2);
}

static uint32_t
Number(const char *text)
{
	return (uint32_t) strtoul(text, NULL, 10);
}

/* What the options say, see above. */
typedef struct Options
{
	uint64_t	seed;
	uint32_t	first;			/* databases from here on ... */
	uint32_t	end;			/* ... up to this one */
	const char *path;			/* NULL: databases are drawn */
	Case		c;				/* of the file at path */
} Options;

static bool
ReadOptions(int argc, char **argv, Options *options)
{
	Case	   *c = &options->c;
	int			option;

	while ((option = getopt(argc, argv, "s:n:d:f:m:k:S:I:w:ca:b:p:")) != -1)
	{
		switch (option)
		{
			case 's':
				options->seed = strtoull(optarg, NULL, 10);
				break;
			case 'n':
				options->end = Number(optarg);
				break;
			case 'd':
				options->first = Number(optarg);
				options->end = options->first + 1;
				break;
			case 'f':
				options->path = optarg;
				break;
			case 'm':
				c->job.minsup = Number(optarg);
				break;
			case 'k':
				c->job.kind = first_kind = last_kind = KindNamed(optarg);
				break;
			case 'S':
				c->job.head.strategy = StrategyNamed(optarg);
				break;
			case 'I':
				snprintf(c->isa, sizeof(c->isa), "%s", optarg);
				break;
			case 'w':
				c->workers = Number(optarg);
				several_only = c->workers > 1;
				break;
			case 'c':
				c->job.head.count_only = true;
				break;
			case 'a':
				c->job.min_length = Number(optarg);
				break;
			case 'b':
				c->job.max_length = Number(optarg);
				break;
			case 'p':
				c->job.nrequired = Number(optarg);
				break;
			default:
				return false;
		}
	}
	return true;
}

static bool
CheckFile(const char *path, Case *c)
{
	Table		table;
	bool		good;

	ReadTable(&table, path);
	good = CheckOne(c, &table);
	TableFree(&table);
	return good;
}

static bool
CheckAll(uint64_t seed, uint32_t first, uint32_t end)
{
	bool		good;

	printf("# seed %llu, %u databases\n", (unsigned long long) seed, end - first);
	good = CheckLastItems() && CheckCrowdedItems(seed);
	alarm(0);
	return good && RunDatabases(seed, first, end);
}

int
main(int argc, char **argv)
{
	Options		options = {.seed = EnvironmentOr("FIM_SEED", (uint64_t) time(NULL)),
		.end = (uint32_t) EnvironmentOr("FIM_DATABASES", DEFAULT_DATABASES),
	.c = {.workers = 1,.isa = "portable",.job = {.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT}}};
	bool		good;

	if (!ReadOptions(argc, argv, &options))
		return 2;
	current = mmap(NULL, sizeof(Case), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (current == MAP_FAILED)
		return 2;
	good = options.path != NULL ? CheckFile(options.path, &options.c) :
		CheckAll(options.seed, options.first, options.end);
	munmap(current, sizeof(Case));
	return good ? 0 : 1;
}
