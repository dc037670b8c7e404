/*-------------------------------------------------------------------------
 *
 * engine_cases.c
 *	  Calls of the CPU engine against brute force, see engine_cases.h.
 *
 *-------------------------------------------------------------------------
 */
#include "engine_cases.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECONDS_A_CASE		600 /* longer means an endless loop */

Case	   *current;

bool
CasesInit(void)
{
	void	   *memory = mmap(NULL, sizeof(Case), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	current = memory != MAP_FAILED ? memory : NULL;
	return current != NULL;
}

typedef struct Worker
{
	const FimItemsetsSpec *spec;
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
	FimTally   *tally = worker->spec->head.count_only ? &worker->tally : NULL;

	worker->result = MineItemsets(worker->spec, worker->db, worker->shared,
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
			return Complain("{%s} with support %u is not frequent", text, support);
		if (set->support != support)
			return Complain("{%s} has support %u, not %u", text, set->support, support);
		if (!BruteWants(brute, worker->spec, set))
			return Complain("{%s} with support %u is not wanted", text, support);
		if (set->seen == run)
			return Complain("{%s} with support %u is there twice", text, support);
		set->seen = run;
		at += length + 2;
	}
	return true;
}

static bool
CheckAllListed(const FimItemsetsSpec *spec, Brute *brute, uint32_t run)
{
	char		text[512];

	for (uint32_t s = 0; s < brute->nsets; s++)
	{
		BruteSet   *set = &brute->sets[s];

		if (BruteWants(brute, spec, set) && set->seen != run)
		{
			DescribeItems(text, sizeof(text), brute->items + set->at, set->length);
			return Complain("{%s} with support %u is missing", text, set->support);
		}
	}
	return true;
}

static bool
CheckListing(Worker *workers, uint32_t n, const FimItemsetsSpec *spec, Brute *brute)
{
	static uint32_t run;

	run++;
	for (uint32_t w = 0; w < n; w++)
		if (!CheckListed(&workers[w], brute, run))
			return false;
	return CheckAllListed(spec, brute, run);
}

/* What is wanted of each length, but for the lengths of a tally. */
static uint64_t
WantedOfLength(const Brute *brute, const FimItemsetsSpec *spec, uint64_t length)
{
	uint64_t	n = 0;

	for (uint32_t s = 0; s < brute->nsets; s++)
		if (brute->sets[s].length + (uint64_t) spec->nrequired == length &&
			BruteWants(brute, spec, &brute->sets[s]))
			n++;
	return n;
}

static uint64_t
Wanted(const Brute *brute, const FimItemsetsSpec *spec)
{
	uint64_t	n = 0;

	for (uint32_t s = 0; s < brute->nsets; s++)
		n += BruteWants(brute, spec, &brute->sets[s]);
	return n;
}

static bool
CheckTally(Worker *workers, uint32_t n, const FimItemsetsSpec *spec, const Brute *brute)
{
	FimTally   *sum = &workers[0].tally;
	uint64_t	tallied = 0;

	for (uint32_t w = 0; w < n; w++)
		if (workers[w].sink.batches > 0)
			return Complain("a count calls the sink");
	for (uint32_t w = 1; w < n; w++)
		FimTallyAdd(sum, &workers[w].tally);
	for (uint32_t length = 0; length < sum->lengths; length++)
	{
		uint64_t	wanted = WantedOfLength(brute, spec, length);

		if (sum->counts[length].high != 0 || sum->counts[length].low != wanted)
			return Complain("%llu itemsets of length %u, counted %llu * 2^64 + %llu",
							(unsigned long long) wanted, length,
							(unsigned long long) sum->counts[length].high,
							(unsigned long long) sum->counts[length].low);
		tallied += wanted;
	}
	if (tallied != Wanted(brute, spec))
		return Complain("itemsets longer than the tally's %u lengths", sum->lengths);
	return true;
}

static bool
CheckEnd(Worker *workers, uint32_t n)
{
	for (uint32_t w = 0; w < n; w++)
	{
		if (workers[w].sink.error != NULL)
			return Complain("%s", workers[w].sink.error);
		if (workers[w].result != FIM_DONE)
			return Complain("worker %u of %u returns %s", w + 1, n, ResultName(workers[w].result));
		if (workers[w].host.wrong_free)
			return Complain("frees what was not allocated");
		if (workers[w].host.live > 0)
			return Complain("%llu blocks are not freed",
							(unsigned long long) workers[w].host.live);
	}
	return true;
}

static bool
CheckShared(const FimShared *shared, const FimItemsetsSpec *spec, const Brute *brute)
{
	uint64_t	wanted = Wanted(brute, spec);

	/* nothing need be done for limits that leave nothing */
	if (shared->done != shared->total && spec->max_length > spec->nrequired &&
		spec->max_length >= spec->min_length)
		return Complain("%llu of %llu classes are done", (unsigned long long) shared->done, (unsigned long long) shared->total);
	/* a count's progress need not be exact */
	if (!spec->head.count_only && shared->results != wanted)
		return Complain("%llu results, progress says %llu", (unsigned long long) wanted,
						(unsigned long long) shared->results);
	return true;
}

/* Run one case on a database and compare with what brute force found. */
static bool
CheckCase(const Case *c, const FimDatabase *db, Brute *brute)
{
	Worker		workers[MAX_WORKERS];
	FimShared  *shared = NewShared(&c->spec, db);
	bool		good;

	assert(c->workers <= MAX_WORKERS);
	if (!FimSetIsa(c->isa) || strcmp(FimIsa(), c->isa) != 0)
		return Complain("instruction set %s cannot be set", c->isa);
	for (uint32_t w = 0; w < c->workers; w++)
	{
		Worker	   *worker = &workers[w];

		worker->spec = &c->spec;
		worker->db = db;
		worker->shared = shared;
		HostInit(&worker->host);
		SinkInit(&worker->sink, db, true);
		TallyInit(&worker->tally, &c->spec, db);
	}

	RunThreads(WorkerMain, workers, sizeof(Worker), c->workers);
	good = CheckEnd(workers, c->workers) &&
		(c->spec.head.count_only ? CheckTally(workers, c->workers, &c->spec, brute) :
		 CheckListing(workers, c->workers, &c->spec, brute)) &&
		CheckShared(shared, &c->spec, brute);

	for (uint32_t w = 0; w < c->workers; w++)
	{
		HostFreeAll(&workers[w].host);
		SinkFree(&workers[w].sink);
		TallyFree(&workers[w].tally);
	}
	FreeShared(shared);
	return good;
}

bool
TryCase(const Case *c, const FimDatabase *db, Brute *brute)
{
	*current = *c;
	alarm(SECONDS_A_CASE);
	return CheckCase(c, db, brute);
}

/* What the database says of itself needs no more than the table. */
static bool
CheckHeader(const FimDatabase *db, const Table *table)
{
	if (db == NULL)
		return Complain("the database cannot be built");
	if (db->transactions != table->nrows)
		return Complain("%u transactions, the database says %llu", table->nrows,
						(unsigned long long) db->transactions);
	if (db->nitems != table->nitems)
		return Complain("%u items, the database says %u", table->nitems, db->nitems);
	return true;
}

FimDatabase *
BuildCheckedDatabase(const Table *table)
{
	FimDatabase *db = BuildDatabase(table);

	if (CheckHeader(db, table))
		return db;
	FreeDatabase(db);
	return NULL;
}

uint64_t
DatabaseChecksum(const FimDatabase *db)
{
	const unsigned char *bytes = (const unsigned char *) db;
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < db->head.size; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
	return sum;
}

bool
CheckUnchanged(const FimDatabase *db, uint64_t checksum)
{
	return DatabaseChecksum(db) == checksum || Complain("mining changes the database");
}

/* With what brute force finds. */
static bool
TryOnTable(const Case *c, const FimDatabase *db, const Table *table)
{
	uint64_t	before = DatabaseChecksum(db);
	bool		good = true;
	Brute		brute;

	if (!BruteMine(&brute, table, c->spec.minsup, UINT32_MAX - 1))
		abort();

	/* several workers may need several tries to fail */
	for (int i = 0; good && i < (c->workers > 1 ? 20 : 1); i++)
		good = TryCase(c, db, &brute);
	BruteFree(&brute);
	return good && CheckUnchanged(db, before);
}

bool
CheckOnTable(const Case *c, const Table *table)
{
	FimDatabase *db = BuildCheckedDatabase(table);
	bool		good = db != NULL && (c->workers == 0 || TryOnTable(c, db, table));

	FreeDatabase(db);
	return good;
}
