/*-------------------------------------------------------------------------
 *
 * check_deep.c
 *	  Searches whose depth the data drive: as deep as 100,000, or to the end of the stack.
 *
 * What is a loop goes through 100,000 perfect items or events.  What is a recursion calls
 * poll when the stack is nearly used up, and ends there.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "engine/probable/probable.h"
#include "harness.h"
#include "streams.h"

#define DEEP	100000

/* ---- loops ---- */

/* Rows of the same n items, of which those are listed that have at least min_length. */
static bool
CheckPerfect(uint32_t n, uint32_t rows, uint32_t min_length, uint64_t wanted)
{
	FimItemsetsSpec spec = {.kind = FIM_ALL,.minsup = rows,.min_length = min_length,.max_length = FIM_NO_LIMIT};
	uint32_t   *items = malloc(sizeof(uint32_t) * n);
	Table		table;
	FimDatabase *db;
	FimShared  *shared;
	TestHost	host;
	TestSink	sink;
	bool		good;

	assert(items != NULL);
	TableInit(&table, n);
	for (uint32_t i = 0; i < n; i++)
		items[i] = i;
	for (uint32_t r = 0; r < rows; r++)
		TableAdd(&table, items, n);
	db = BuildDatabase(&table);
	shared = NewShared(&spec, db);
	HostInit(&host);
	SinkInit(&sink, db, false);
	/* more than a few polls are more than a few times 2 million steps */
	host.stop_at = 100;
	good = MineItemsets(&spec, db, shared, &host.base, &sink.base, NULL) == FIM_DONE && sink.error == NULL &&
		sink.itemsets == wanted;
	if (!good)
		Complain("%u items in %u rows, from %u on: %llu itemsets, %llu polls", n, rows, min_length,
				 (unsigned long long) sink.itemsets, (unsigned long long) host.polls);
	HostFreeAll(&host);
	SinkFree(&sink);
	FreeShared(shared);
	FreeDatabase(db);
	TableFree(&table);
	free(items);
	return good;
}

/* Events of as many types, of which each follows the one before. */
static bool
CheckChain(FimKind kind)
{
	FimEpisodesSpec spec = {.head = {.size = sizeof(spec)},.kind = kind,.minsup = 1,.min_length = DEEP,
	.max_length = FIM_NO_LIMIT};
	FimGap		gap = {{.integer = 1}, {.integer = 1}};
	size_t		bound = FimEpisodesBound(DEEP, 1, DEEP, 1);
	FimEpisodesData *built = OddAlloc(bound);
	FimEpisodesData *data;
	TaskWorker	worker;
	bool		good;

	FimEpisodesBegin(built, bound, DEEP, 1, DEEP, &gap, 1, false);
	for (uint32_t i = 0; i < DEEP; i++)
		FimEpisodesAdd(built, i, (FimTime) {.integer = i});
	data = CompleteData(built);
	StartWorkers(FimMine, FimEpisodesTask(&spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	good = worker.result == FIM_DONE && worker.sink.results == 1 && worker.sink.words[0] == DEEP &&
		worker.task.shared->nodes <= 3 * DEEP;
	if (!good)
		Complain("a chain of %u events, %s: %llu episodes, %llu nodes", DEEP, KindName(kind),
				 (unsigned long long) worker.sink.results, (unsigned long long) worker.task.shared->nodes);
	good &= EndWorkers(&worker, 1);
	OddFree(data);
	return good;
}

/* ---- recursions ---- */

/* Bytes of the stack that a search may use, and those that it may use beyond, until it looks at the stack again. */
#define SHALLOW		(16 * 1024)
#define BEYOND		(3 * 1024)

/* A search that has not used them up after so many polls is given up. */
#define MOST_POLLS	50

/* A host that does what another one does, but leaves when the stack is used up. */
typedef struct ShallowHost
{
	FimHost		base;
	TestHost	under;
	jmp_buf		full;
	bool		in_time;		/* the search has ended before it used more than it may */
} ShallowHost;

static void *
ShallowAlloc(FimHost *host, size_t bytes)
{
	FimHost    *under = &((ShallowHost *) host)->under.base;

	return under->alloc(under, bytes);
}

static void
ShallowFree(FimHost *host, void *block)
{
	FimHost    *under = &((ShallowHost *) host)->under.base;

	under->free(under, block);
}

static bool
ShallowPoll(FimHost *host)
{
	ShallowHost *shallow = (ShallowHost *) host;
	const char *at = __builtin_frame_address(0);

	if (at < host->stack_end)
	{
		shallow->in_time = at >= host->stack_end - BEYOND;
		longjmp(shallow->full, 1);
	}
	return ++shallow->under.polls > MOST_POLLS;
}

/* Does the search end because it comes to the end of the stack? */
static bool
EndsAtStack(FimResult (*mine) (const FimTask *task, FimHost *host, FimSink *sink), const FimTask *of)
{
	static ShallowHost host;
	static WordSink sink;
	FimTask		task = *of;

	task.shared = OddAlloc(FimSharedSize(&task));
	FimSharedInit(&task);
	HostInit(&host.under);
	host.in_time = false;
	host.base = (FimHost) {ShallowAlloc, ShallowFree, ShallowPoll, (const char *) __builtin_frame_address(0) - SHALLOW};
	WordSinkInit(&sink);
	if (setjmp(host.full) == 0)
		(void) mine(&task, &host.base, &sink.base);
	HostFreeAll(&host.under);
	free(sink.words);
	OddFree(task.shared);
	return host.in_time;
}

#define HOLES		400
#define MINSUP		200

/* Each row lacks another item, so that any items are together in as many rows as they leave. */
static bool
CheckItemsets(FimKind kind, int strategy)
{
	FimItemsetsSpec spec = {.head = {.size = sizeof(spec),.strategy = strategy},.kind = kind,.minsup = MINSUP,
	.min_length = 1,.max_length = FIM_NO_LIMIT};
	uint32_t	items[HOLES];
	Table		table;
	FimDatabase *db;
	FimTask		task;
	bool		good;

	TableInit(&table, HOLES);
	for (uint32_t r = 0; r < HOLES; r++)
	{
		uint32_t	n = 0;

		for (uint32_t i = 0; i < HOLES; i++)
			if (i != r)
				items[n++] = i;
		TableAdd(&table, items, n);
	}
	db = BuildDatabase(&table);
	task = FimItemsetsTask(&spec, db, NULL);
	good = EndsAtStack(FimMine, &task) ||
		Complain("%s itemsets by strategy %s do not look at the end of the stack", KindName(kind),
				 FimItemsetsFamily.strategies[strategy]);
	FreeDatabase(db);
	TableFree(&table);
	return good;
}

static bool
CheckProbable(FimKind kind)
{
	FimProbableSpec spec = {.head = {.size = sizeof(spec)},.kind = kind,.minsup = MINSUP,.minprob = 0.5,.min_length = 1,
	.max_length = FIM_NO_LIMIT};
	size_t		size = FimProbableBound(HOLES, (uint64_t) HOLES * HOLES, HOLES, false);
	FimProbableData *built = OddAlloc(size);
	FimProbableData *data;
	uint32_t	items[HOLES];
	double		p[HOLES];
	TestHost	host;
	FimProbableSummary summary;
	FimTask		task;
	bool		good;

	FimProbableBegin(built, size, HOLES, (uint64_t) HOLES * HOLES, HOLES, false);
	for (uint32_t r = 0; r < HOLES; r++)
	{
		uint32_t	n = 0;

		for (uint32_t i = 0; i < HOLES; i++)
			if (i != r)
			{
				p[n] = 1;
				items[n++] = i;
			}
		FimProbableAdd(built, items, p, n, 0.9);
	}
	HostInit(&host);
	good = FimProbableFinish(built, &host.base);
	data = OddAlloc(FimProbableFamily.cpu_size(&built->head));
	memcpy(data, built, built->head.size);
	good = FimProbableFamily.cpu_prepare(&data->head, &host.base) && good;
	memset(&summary, 0, sizeof(summary));
	task = FimProbableTask(&spec, data, &summary);
	good = (EndsAtStack(FimMine, &task) ||
			Complain("%s probable itemsets do not look at the end of the stack", KindName(kind))) && good;
	OddFree(built);
	OddFree(data);
	return good;
}

int
main(void)
{
	bool		good = true;

	good &= CheckPerfect(DEEP, 1, DEEP, 1);
	good &= CheckPerfect(DEEP, 3, DEEP, 1);
	good &= CheckPerfect(DEEP, 1, DEEP + 1, 0);
	good &= CheckPerfect(60, 1, 60, 1);
	good &= CheckPerfect(40, 3, 39, 41);
	good &= CheckPerfect(1000, 1, 999, 1001);
	good &= CheckPerfect(200, 1, 198, 1 + 200 + 200 * 199 / 2);
	for (FimKind kind = FIM_ALL; kind <= FIM_MAXIMAL; kind++)
	{
		good &= CheckChain(kind);
		good &= CheckProbable(kind);
		for (int s = 0; FimItemsetsFamily.strategies[s] != NULL; s++)
			good &= CheckItemsets(kind, s);
	}
	return good ? 0 : 1;
}
