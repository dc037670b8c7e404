/*-------------------------------------------------------------------------
 *
 * harness.c
 *	  What the unit tests of the engine share.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"

#include "engine/fill.h"
#include "engine/itemsets/itemsets.h"

/* Rubbish for the first bytes only: enough to be noticed, not to be slow. */
#define RUBBISH_BYTES	(8 * 1024)

#define MOST_FAILURES	3

/* 40 bytes after malloc's 16-byte boundary is what OddAlloc() wants. */
typedef struct OddBlock
{
	TestHost   *owner;
	struct OddBlock *prev;
	struct OddBlock *next;
	size_t		bytes;
	uint64_t	magic;
} OddBlock;

#define ODD_MAGIC	UINT64_C(0x0DDB10C0DDB10C0D)

/*
 * Small blocks are taken and given back all the time: short stacks and a short
 * quarantine make that bearable.
 */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "malloc_context_size=6:quarantine_size_mb=16";
}

uint64_t
RngNext(Rng *rng)
{
	uint64_t	z = (rng->state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

uint32_t
RngBelow(Rng *rng, uint32_t n)
{
	return (uint32_t) (RngNext(rng) % n);
}

double
RngUnit(Rng *rng)
{
	return (double) (RngNext(rng) >> 11) / 9007199254740992.0;
}

bool
RngChance(Rng *rng, double p)
{
	return RngUnit(rng) < p;
}

double
ThreadSeconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

double
WallSeconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static OddBlock *
NewBlock(size_t bytes)
{
	OddBlock   *block = calloc(1, sizeof(OddBlock) + bytes);

	assert(sizeof(OddBlock) % 16 == 8);
	if (block == NULL)
		abort();
	block->bytes = bytes;
	block->magic = ODD_MAGIC;
	return block;
}

static void *
AddRubbish(OddBlock *block)
{
	return memset(block + 1, 0xA5, block->bytes < RUBBISH_BYTES ? block->bytes : RUBBISH_BYTES);
}

void *
OddAlloc(size_t bytes)
{
	return AddRubbish(NewBlock(bytes));
}

void
OddFree(void *block)
{
	if (block != NULL)
		free((OddBlock *) block - 1);
}

void
RunThreads(void *(*main) (void *worker), void *workers, size_t size, uint32_t n)
{
	pthread_t  *threads;

	if (n == 1)
	{
		main(workers);
		return;
	}
	threads = OddAlloc(n * sizeof(pthread_t));
	for (uint32_t w = 0; w < n; w++)
		if (pthread_create(&threads[w], NULL, main, (char *) workers + w * size) != 0)
			abort();
	for (uint32_t w = 0; w < n; w++)
		pthread_join(threads[w], NULL);
	OddFree(threads);
}

static void *
HostAlloc(FimHost *base, size_t bytes)
{
	TestHost   *host = (TestHost *) base;
	OddBlock   *block;

	host->allocs++;
	if (host->allocs == host->jump_at_alloc)
		longjmp(host->jump, 1);
	if (host->allocs >= host->fail_at)
		return NULL;

	block = NewBlock(bytes);
	block->owner = host;
	block->next = host->blocks;
	if (host->blocks != NULL)
		host->blocks->prev = block;
	host->blocks = block;
	host->live++;
	return AddRubbish(block);
}

static void
HostFree(FimHost *base, void *memory)
{
	TestHost   *host = (TestHost *) base;
	OddBlock   *block = (OddBlock *) memory - 1;

	/* pfree(NULL) crashes, so that a host may too */
	if (memory == NULL || block->magic != ODD_MAGIC || block->owner != host)
	{
		host->wrong_free = true;
		return;
	}
	if (block->prev != NULL)
		block->prev->next = block->next;
	else
		host->blocks = block->next;
	if (block->next != NULL)
		block->next->prev = block->prev;
	block->magic = 0;
	host->live--;
	free(block);
}

void
HostStartClock(TestHost *host)
{
	host->last_poll = ThreadSeconds();
	host->longest_gap = 0;
}

void
HostStopClock(TestHost *host)
{
	double		now = ThreadSeconds();

	if (now - host->last_poll > host->longest_gap)
		host->longest_gap = now - host->last_poll;
	host->last_poll = now;
}

static bool
HostPoll(FimHost *base)
{
	TestHost   *host = (TestHost *) base;

	HostStopClock(host);
	host->polls++;
	if (host->polls == host->jump_at_poll)
		longjmp(host->jump, 1);
	return host->polls >= host->stop_at ||
		(host->stop_after > 0 && host->last_poll >= host->stop_after);
}

void
HostInit(TestHost *host)
{
	memset(host, 0, sizeof(TestHost));
	host->base.alloc = HostAlloc;
	host->base.free = HostFree;
	host->base.poll = HostPoll;
	host->fail_at = NEVER;
	host->jump_at_alloc = NEVER;
	host->jump_at_poll = NEVER;
	host->stop_at = NEVER;
	HostStartClock(host);
}

/* What a host does that left by longjmp. */
void
HostFreeAll(TestHost *host)
{
	while (host->blocks != NULL)
		HostFree(&host->base, host->blocks + 1);
}

static void
KeepItemset(TestSink *sink, uint32_t length, uint32_t support)
{
	if (sink->nwords + length + 2 > sink->allocated)
	{
		sink->allocated = 2 * (sink->nwords + length + 2);
		sink->words = realloc(sink->words, sink->allocated * sizeof(uint32_t));
		assert(sink->words != NULL);
	}
	sink->words[sink->nwords++] = length;
	if (length > 0)
		memcpy(sink->words + sink->nwords, sink->itemset, length * sizeof(uint32_t));
	sink->nwords += length;
	sink->words[sink->nwords++] = support;
}

/* The item stands at this place of the itemset at hand; is it there twice? */
static bool
MarkItem(TestSink *sink, uint32_t place)
{
	uint32_t	item = sink->itemset[place];

	if (sink->mark[item] == sink->record)
		return false;
	sink->mark[item] = sink->record;
	return true;
}

static const char *
ReadBatch(TestSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	size_t		at = 0;
	size_t		n = 0;
	uint32_t	length = 0;

	if (nwords > FIM_BATCH_WORDS && nitemsets != 1)
		return "a batch longer than FIM_BATCH_WORDS with more than one record";
	while (at < nwords)
	{
		uint32_t	keep;
		uint32_t	added;

		if (nwords - at < 3)
			return "a record that ends outside its batch";
		keep = words[at++];
		added = words[at++];
		if (n == 0 && keep != 0)
			return "the first record of a batch keeps items";
		if (keep > length)
			return "a record keeps more than the previous itemset has";
		if (added > sink->nitems - keep)
			return "an itemset longer than there are items";
		if (added >= nwords - at)
			return "a record that ends outside its batch";
		sink->record++;
		length = keep + added;
		for (uint32_t i = 0; i < added; i++)
		{
			if (words[at] >= sink->nitems)
				return "an item that does not exist";
			sink->itemset[keep + i] = words[at++];
		}
		for (uint32_t i = 0; i < length; i++)
			if (!MarkItem(sink, i))
				return "an itemset with an item twice";
		n++;
		if (sink->keep)
			KeepItemset(sink, length, words[at]);
		at++;
	}
	if (n != nitemsets)
		return "nitemsets is not the number of records";
	return NULL;
}

static bool
SinkWrite(FimSink *base, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	TestSink   *sink = (TestSink *) base;
	const char *error;

	/* the sink's own time is not the engine's, and it can stop it as well */
	if (sink->host != NULL)
		HostStopClock(sink->host);
	sink->batches++;
	sink->itemsets += nitemsets;
	if (sink->batches > sink->stop_at)
		error = "a batch after the sink had said stop";
	else
		error = ReadBatch(sink, words, nwords, nitemsets);
	if (error != NULL && sink->error == NULL)
		sink->error = error;
	if (sink->host != NULL)
		sink->host->last_poll = ThreadSeconds();
	return sink->error == NULL && sink->batches < sink->stop_at;
}

static bool
KeepWords(FimSink *base, const uint32_t *words, size_t nwords, size_t nresults)
{
	WordSink   *sink = (WordSink *) base;

	sink->batches++;
	sink->wrong |= sink->batches > sink->stop_at || nresults == 0;
	sink->words = realloc(sink->words, sizeof(uint32_t) * (sink->nwords + nwords + 1));
	if (sink->words == NULL)
		abort();
	memcpy(sink->words + sink->nwords, words, sizeof(uint32_t) * nwords);
	sink->nwords += nwords;
	sink->results += nresults;
	if (nresults > 1 && nwords > sink->longest_of_many)
		sink->longest_of_many = nwords;
	return sink->batches < sink->stop_at;
}

void
WordSinkInit(WordSink *sink)
{
	memset(sink, 0, sizeof(WordSink));
	sink->base.write = KeepWords;
	sink->stop_at = NEVER;
}

void
StartWorkers(FimResult (*mine) (const FimTask *task, FimHost *host, FimSink *sink), FimTask task,
			 TaskWorker *workers, uint32_t n)
{
	size_t		size = FimSummarySize(&task);

	task.shared = OddAlloc(FimSharedSize(&task));
	memset(task.shared, 0, FimSharedSize(&task));
	FimSharedInit(&task);
	for (uint32_t w = 0; w < n; w++)
	{
		TaskWorker *worker = &workers[w];

		worker->mine = mine;
		worker->task = task;
		worker->task.summary = size > 0 ? memset(OddAlloc(size), 0, size) : NULL;
		HostInit(&worker->host);
		WordSinkInit(&worker->sink);
	}
}

static void *
WorkerMain(void *arg)
{
	TaskWorker *worker = arg;

	worker->result = worker->mine(&worker->task, &worker->host.base, &worker->sink.base);
	return NULL;
}

void
RunWorkers(TaskWorker *workers, uint32_t n)
{
	RunThreads(WorkerMain, workers, sizeof(TaskWorker), n);
}

static bool
EndWorker(TaskWorker *worker)
{
	const TestHost *host = &worker->host;
	const WordSink *sink = &worker->sink;
	bool		good = true;

	if (host->live > 0 || host->wrong_free)
		good = Complain("%u blocks were left behind, or one was freed that was not given out", (unsigned) host->live);
	if (sink->wrong || sink->longest_of_many > FIM_BATCH_WORDS || (worker->task.spec->count_only && sink->batches > 0))
		good = Complain("%u batches, of up to %u words, are not as they should be", (unsigned) sink->batches,
						(unsigned) sink->longest_of_many);
	HostFreeAll(&worker->host);
	free(worker->sink.words);
	OddFree(worker->task.summary);
	return good;
}

bool
EndWorkers(TaskWorker *workers, uint32_t n)
{
	FimShared  *shared = workers[0].task.shared;
	bool		good = true;

	for (uint32_t w = 0; w < n; w++)
		good = EndWorker(&workers[w]) && good;
	OddFree(shared);
	return good;
}

bool
RunHindered(TaskWorker *worker, Rng *rng)
{
	TestHost   *host = &worker->host;
	WordSink   *sink = &worker->sink;
	FimShared  *shared = worker->task.shared;
	uint32_t	how = RngBelow(rng, 4);
	FimResult	wanted;

	if (how == 0)
		host->fail_at = 1 + RngBelow(rng, 6);
	else if (how == 1)
		host->stop_at = 1 + RngBelow(rng, 6);
	else if (how == 2)
		sink->stop_at = 1;
	else
		shared->cancel = 1;
	WorkerMain(worker);
	wanted = host->allocs >= host->fail_at ? FIM_OUT_OF_MEMORY :
		host->polls >= host->stop_at || sink->batches >= sink->stop_at || shared->cancel ? FIM_STOPPED : FIM_DONE;
	return worker->result == wanted ||
		Complain("%s instead of %s when hindered in way %u", ResultName(worker->result), ResultName(wanted), how);
}

bool
CheckThreshold(const FimBest *best, const uint64_t *counts, double least, uint32_t nworkers)
{
	uint32_t	first = FimBestRange(least);
	uint32_t	range = FIM_BEST_RANGES;
	uint64_t	above = 0;

	while (--range > first)
	{
		above += counts[range];
		if (range > best->range && counts[range] != best->counts[range])
			return Complain("%llu scores from %g on, not %llu", (unsigned long long) best->counts[range], FimBestLeast(range),
							(unsigned long long) counts[range]);
		if (above >= best->k)
			break;
	}
	return best->range == range || (nworkers > 1 && best->range >= first && best->range < range) ||
		Complain("a threshold of %g, not %g", FimBestLeast(best->range), FimBestLeast(range));
}

bool
SameSummaries(const TaskWorker *a, const TaskWorker *b)
{
	size_t		size = FimSummarySize(&a->task);

	return size == FimSummarySize(&b->task) && (size == 0 || memcmp(a->task.summary, b->task.summary, size) == 0);
}

bool
Complain(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	return false;
}

void
SinkInit(TestSink *sink, const FimDatabase *db, bool keep)
{
	memset(sink, 0, sizeof(TestSink));
	sink->base.write = SinkWrite;
	sink->nitems = db->nitems;
	sink->keep = keep;
	sink->stop_at = NEVER;
	sink->itemset = calloc(db->nitems + 1, sizeof(uint32_t));
	sink->mark = calloc(db->nitems + 1, sizeof(uint32_t));
	assert(sink->itemset != NULL && sink->mark != NULL);
}

void
SinkFree(TestSink *sink)
{
	free(sink->words);
	free(sink->itemset);
	free(sink->mark);
}

/* A row, and whether the next rows are the same, up to "most" of them in all. */
static uint32_t
EqualRows(const Table *table, uint32_t r, uint32_t most)
{
	const uint32_t *row = table->items + table->at[r];
	uint32_t	length = table->at[r + 1] - table->at[r];
	uint32_t	n = 1;

	while (n < most && r + n < table->nrows && table->at[r + n + 1] - table->at[r + n] == length &&
		   (length == 0 || memcmp(row, table->items + table->at[r + n], length * sizeof(uint32_t)) == 0))
		n++;
	return n;
}

/* Move the database to where it has room for so many rows and entries more. */
static FimDatabase *
MoveDatabase(FimDatabase *db, uint32_t rows, uint64_t entries, TestHost *host)
{
	size_t		bound = FimDatabaseBound(db->nrows + rows, db->entries + entries, db->nitems);
	FimDatabase *moved = OddAlloc(bound);
	bool		good = FimDatabaseMove(db, moved, bound, db->nrows + rows, db->entries + entries,
									   &host->base);

	assert(good && moved->head.size == bound);
	OddFree(db);
	return moved;
}

/* A database with room for so many rows and entries at first, or for all of them if that is 0. */
static FimDatabase *
BeginDatabase(const Table *table, uint32_t room)
{
	uint64_t	entries = table->at[table->nrows];
	uint64_t	first_rows = room > 0 ? room : table->nrows;
	uint64_t	first_entries = room > 0 ? room : entries;
	size_t		bound = FimDatabaseBound(first_rows, first_entries, table->nitems);
	uint32_t   *support = calloc(table->nitems ? table->nitems : 1, sizeof(uint32_t));
	FimDatabase *db = OddAlloc(bound);

	assert(support != NULL);
	for (uint64_t i = 0; i < entries; i++)
		support[table->items[i]]++;
	FimDatabaseBegin(db, bound, first_rows, first_entries, table->nitems, table->nany, support);
	free(support);
	return db;
}

/* Add n rows that are equal to row r. */
static void
AddRow(FimDatabase *db, const Table *table, uint32_t r, uint32_t n)
{
	uint32_t	length = table->at[r + 1] - table->at[r];
	uint32_t   *row = malloc((length + 1) * sizeof(uint32_t));

	/* a copy of exact length, gone at once: nothing may be kept of it */
	assert(row != NULL);
	if (length > 0)
		memcpy(row, table->items + table->at[r], length * sizeof(uint32_t));
	FimDatabaseAddTimes(db, row, length, n);
	free(row);
}

/* Lists the rows of all items, as one worker. */
static bool
FillDatabase(const FimDatabase *db, FimHost *host)
{
	FimItemsetsSpec spec = {.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT};
	FimTask		task = FimItemsetsTask(&spec, db, NULL);
	bool		filled;

	task.shared = NewShared(&spec, db);
	filled = FimFillData(&task, host) == FIM_DONE;
	FreeShared(task.shared);
	return filled;
}

/*
 * The database is copied to another place, of just the size it says, and completed
 * there, as it is mapped elsewhere in each worker.
 */
FimDatabase *
BuildDatabaseInParts(const Table *table, uint32_t at_once, uint32_t merge_after, uint32_t room)
{
	FimDatabase *db = BeginDatabase(table, room);
	FimDatabase *moved = NULL;
	uint32_t	adds = 0;
	bool		merged = true;
	TestHost	host;

	HostInit(&host);
	for (uint32_t r = 0, n; r < table->nrows; r += n)
	{
		uint32_t	length = table->at[r + 1] - table->at[r];

		n = EqualRows(table, r, at_once);
		if (!FimDatabaseHasRoom(db, length))
			merged = FimDatabaseMerge(db, &host.base) && merged;
		if (!FimDatabaseHasRoom(db, length))
			db = MoveDatabase(db, room, (uint64_t) room + length, &host);
		AddRow(db, table, r, n);
		if (++adds % merge_after == 0)
			merged = FimDatabaseMerge(db, &host.base) && merged;
	}
	if (merged && FimDatabaseFinish(db, true, &host.base))
	{
		size_t		size = FimDatabaseIndexedSize(db);

		moved = OddAlloc(size);
		memcpy(moved, db, db->head.size);
		/* a database that was begun for more rows may keep a little of their room */
		if (!FimDatabaseIndex(moved, &host.base) || !FillDatabase(moved, &host.base) || moved->head.size != size ||
			size > FimDatabaseIndexedBound(table->nrows, table->at[table->nrows], table->nitems) + table->nrows * sizeof(FimRow) / 8 ||
			host.live > 0 || host.wrong_free)
		{
			OddFree(moved);
			moved = NULL;
		}
	}
	HostFreeAll(&host);
	OddFree(db);
	return moved;
}

FimDatabase *
BuildDatabase(const Table *table)
{
	return BuildDatabaseInParts(table, 1, UINT32_MAX, 0);
}

void
FreeDatabase(FimDatabase *db)
{
	OddFree(db);
}

FimShared *
NewShared(const FimItemsetsSpec *spec, const FimDatabase *db)
{
	FimTask		task = FimItemsetsTask(spec, db, NULL);

	task.shared = (FimShared *) (NewBlock(FimSharedSize(&task)) + 1);
	FimSharedInit(&task);
	return task.shared;
}

FimResult
MineItemsets(const FimItemsetsSpec *spec, const FimDatabase *db, FimShared *shared,
			 FimHost *host, FimSink *sink, FimTally *tally)
{
	FimTask		task = FimItemsetsTask(spec, db, tally ? tally->counts : NULL);

	task.shared = shared;
	return FimMine(&task, host, sink);
}

void
FreeShared(FimShared *shared)
{
	OddFree(shared);
}

void
TallyInit(FimTally *tally, const FimItemsetsSpec *spec, const FimDatabase *db)
{
	tally->lengths = FimTallyLengths(spec, db);
	tally->counts = calloc(tally->lengths + 1, sizeof(FimCount));
	assert(tally->counts != NULL);
}

void
TallyFree(FimTally *tally)
{
	free(tally->counts);
}

static int
CompareItems(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

void
SortItems(uint32_t *items, size_t n)
{
	qsort(items, n, sizeof(uint32_t), CompareItems);
}

const char *
KindName(FimKind kind)
{
	return kind == FIM_ALL ? "all" : kind == FIM_CLOSED ? "closed" : "maximal";
}

FimKind
KindNamed(const char *name)
{
	return name[0] == 'a' ? FIM_ALL : name[0] == 'c' ? FIM_CLOSED : FIM_MAXIMAL;
}

const char *
ResultName(FimResult result)
{
	return result == FIM_DONE ? "FIM_DONE" :
		result == FIM_STOPPED ? "FIM_STOPPED" :
		result == FIM_OUT_OF_MEMORY ? "FIM_OUT_OF_MEMORY" : "no FimResult";
}

/* In FIMI form: a transaction a line, an empty line for an empty one. */
void
PrintTable(const Table *table)
{
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		for (uint32_t i = table->at[r]; i < table->at[r + 1]; i++)
			printf(i > table->at[r] ? " %u" : "%u", table->items[i]);
		putchar('\n');
	}
}

const char *const *
Isas(void)
{
	static const char *const names[] = {"portable", "avx2", "avx512"};
	static const char *available[4];
	int			n = 0;

	for (int i = 0; i < 3; i++)
		if (FimSetIsa(names[i]))
			available[n++] = names[i];
	available[n] = NULL;
	FimSetIsa(NULL);
	return available;
}

uint64_t
EnvironmentOr(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text != NULL && *text != '\0' ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t
ArgumentOr(int argc, char **argv, int i, const char *variable, uint64_t otherwise)
{
	return argc > i && *argv[i] != '\0' ? strtoull(argv[i], NULL, 10) : EnvironmentOr(variable, otherwise);
}

bool
CheckSeeds(bool (*check) (uint64_t seed), uint64_t seed, uint64_t n)
{
	uint32_t	failures = 0;

	for (uint64_t i = 0; i < n && failures < MOST_FAILURES; i++)
		failures += !check(seed * UINT64_C(1000003) + i);
	return failures == 0;
}
