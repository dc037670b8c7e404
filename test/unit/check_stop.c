/*-------------------------------------------------------------------------
 *
 * check_stop.c
 *	  Calls that do not run to their end: stopped, cancelled, without memory,
 *	  left by longjmp.
 *
 * The databases have more itemsets than could be mined in years.  Whatever ends
 * a call must end it at once with the right result, give back all memory, and
 * leave nothing behind that another worker of the same job would wait for.
 *
 * No time is compared with a number of seconds: a limit is so many times what a
 * fixed piece of work takes this machine at this moment.  What an interrupt takes
 * in milliseconds is measured by bench/run cancel.
 *
 * Usage: check_stop [seed]; or FIM_SEED.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/arena.h"
#include "engine/fill.h"
#include "engine/itemsets/itemsets.h"
#include "tables.h"

/*
 * Between two polls there is no more processor time than drawing so many random
 * numbers takes.  They take ten times as long as the engine's polls are apart at most
 * under the sanitizers, 0.6 s where that is 0.06; one that does not poll at all mines
 * on for years.
 */
#define LONGEST_GAP_DRAWS	300000000

/*
 * A virtual machine's processor may be taken away for longer, and nobody is told.  What
 * does not poll takes as long each time.
 */
#define GAP_TRIES			3

#define SECONDS_A_CALL		600 /* longer means that it does not stop at all */

/* Processor seconds after which poll says stop: to look at what has happened by then. */
#define MINING_SECONDS		0.08
#define ENOUGH_SECONDS		0.02	/* to come to an allocation or poll */
#define OUT_OF_MEMORY_CASES	10
#define LONGJMP_CASES		4

/* A database to be mined, and how. */
typedef struct Call
{
	const char *name;
	const FimDatabase *db;
	FimItemsetsSpec spec;
	const char *isa;
	const char *event;			/* what is done to it, for messages */
	FimShared  *shared;
	TestHost	host;
	TestSink	sink;
	FimTally	tally;
	FimResult	result;
} Call;

static bool
Fail(const Call *call, const char *format,...)
{
	va_list		args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("; %s, database %s, kind %s, strategy %s, %s, minsup %u, %s\n", call->event,
		   call->name, KindName(call->spec.kind),
		   FimItemsetsFamily.strategies[call->spec.head.strategy], call->isa, call->spec.minsup,
		   call->spec.head.count_only ? "counting" : "listing");
	fflush(stdout);
	return false;
}

/* Is this longer than the engine may go on without a poll, in processor seconds? */
static bool
IsLongGap(double seconds)
{
	static double least = 0;	/* seconds of the draws, the quickest so far */
	volatile uint64_t drawn = 0;
	Rng			rng = {.state = 1};
	double		start;

	if (seconds <= least)
		return false;
	start = ThreadSeconds();
	for (uint32_t i = 0; i < LONGEST_GAP_DRAWS; i++)
		drawn = drawn + RngNext(&rng);
	start = ThreadSeconds() - start;
	if (least == 0 || start < least)
		least = start;

	/* the machine may be slower now than it was */
	return seconds > start;
}

static void
CallBegin(Call *call, const char *event)
{
	call->event = event;
	call->shared = NewShared(&call->spec, call->db);
	HostInit(&call->host);
	SinkInit(&call->sink, call->db, false);
	call->sink.host = &call->host;
	TallyInit(&call->tally, &call->spec, call->db);
}

/* The call at hand did not end in time: say which one. */
static Call *running;

static void
Overdue(int signal)
{
	Fail(running, "no end after %d s", SECONDS_A_CALL);
	_exit(1);
}

static void
CallMine(Call *call)
{
	running = call;
	alarm(SECONDS_A_CALL);
	HostStartClock(&call->host);
	call->result = MineItemsets(&call->spec, call->db, call->shared, &call->host.base,
								&call->sink.base, &call->tally);
	alarm(0);
	HostStopClock(&call->host);
}

/* What holds whatever ended the call. */
static bool
CallEnd(Call *call)
{
	bool		good = true;

	if (call->sink.error != NULL)
		good = Fail(call, "%s", call->sink.error);
	else if (call->host.wrong_free)
		good = Fail(call, "frees what was not allocated");
	else if (call->host.live > 0)
		good = Fail(call, "%llu blocks are not freed", (unsigned long long) call->host.live);
	HostFreeAll(&call->host);
	SinkFree(&call->sink);
	TallyFree(&call->tally);
	FreeShared(call->shared);
	return good;
}

static bool
Returned(Call *call, FimResult wanted)
{
	if (call->result != wanted)
		return Fail(call, "mine() returns %s", ResultName(call->result));
	return true;
}

/* The sink refuses some batch. */
static bool
SinkStops(Call *call)
{
	bool		good = true;

	bool		reached = true;

	for (uint64_t at = 1; good && reached && at <= 4; at++)
	{
		CallBegin(call, "the sink says stop");
		call->sink.stop_at = at;

		/* batches may be few and far between */
		call->host.stop_after = ThreadSeconds() + MINING_SECONDS;
		CallMine(call);
		reached = call->sink.batches >= at;
		if (reached)
			good = Returned(call, FIM_STOPPED);
		good = CallEnd(call) && good;
	}
	return good;
}

static bool
PollStops(Call *call)
{
	bool		good = true;

	for (uint64_t at = 1; good && at <= 4; at++)
	{
		CallBegin(call, "poll says stop");
		call->host.stop_at = at;
		CallMine(call);
		good = Returned(call, call->host.polls >= at ? FIM_STOPPED : FIM_DONE);
		good = CallEnd(call) && good;
	}
	return good;
}

/* What is done to a call that has begun, before it is mined. */
typedef void (*Preparation) (Call *call);

/* Have a call begin and be mined; again if polls were far apart.  It is left to be ended. */
static bool
MinePolling(Call *call, const char *event, Preparation prepare)
{
	bool		good = true;

	for (int tries = 1;; tries++)
	{
		CallBegin(call, event);
		prepare(call);
		CallMine(call);
		if (!IsLongGap(call->host.longest_gap))
			return good;
		if (tries == GAP_TRIES)
			return Fail(call, "%.3f s between two polls", call->host.longest_gap);
		good = CallEnd(call) && good;
	}
}

static void
StopAfterAWhile(Call *call)
{
	call->host.stop_after = ThreadSeconds() + MINING_SECONDS;
}

static void
CancelIt(Call *call)
{
	call->shared->cancel = 1;
}

/* Mine for a while, and look at how often poll is called. */
static bool
PollsOften(Call *call)
{
	bool		good = MinePolling(call, "poll says stop after a while", StopAfterAWhile);

	if (good && call->result == FIM_DONE)
		good = call->shared->done == call->shared->total ||
			Fail(call, "not all classes are done");
	else if (good)
		good = Returned(call, FIM_STOPPED);
	return CallEnd(call) && good;
}

static bool
CancelledBefore(Call *call)
{
	bool		good = MinePolling(call, "cancelled before", CancelIt);

	/* by formulas a count may be done before it could stop */
	if (good)
		good = (call->result == FIM_DONE && call->shared->done == call->shared->total) ||
			Returned(call, FIM_STOPPED);
	return CallEnd(call) && good;
}

static void *
MineInThread(void *arg)
{
	CallMine(arg);
	return NULL;
}

static void
Sleep(double seconds)
{
	struct timespec time = {0, (long) (seconds * 1e9)};

	nanosleep(&time, NULL);
}

/* Two workers of one job, cancelled from outside. */
static bool
CancelledMeanwhile(Call *call)
{
	Call		other = *call;
	pthread_t	threads[2];
	bool		good = true;

	CallBegin(call, "cancelled meanwhile");
	other.event = call->event;
	other.shared = call->shared;
	HostInit(&other.host);
	SinkInit(&other.sink, other.db, false);
	TallyInit(&other.tally, &other.spec, other.db);
	if (pthread_create(&threads[0], NULL, MineInThread, call) != 0 ||
		pthread_create(&threads[1], NULL, MineInThread, &other) != 0)
		abort();
	Sleep(0.03);
	__atomic_store_n(&call->shared->cancel, 1, __ATOMIC_RELAXED);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (call->shared->done < call->shared->total &&
		call->result != FIM_STOPPED && other.result != FIM_STOPPED)
		good = Fail(call, "neither worker says that it was stopped");
	if (other.host.live > 0 || other.sink.error != NULL)
		good = Fail(&other, "the second worker leaks or errs");
	SinkFree(&other.sink);
	TallyFree(&other.tally);
	HostFreeAll(&other.host);
	return CallEnd(call) && good;
}

/*
 * A host that leaves by longjmp frees all memory itself and cancels the job;
 * the next worker must not find anything locked.
 */
static bool
LeftByLongjmp(Call *call, uint64_t at_alloc, uint64_t at_poll)
{
	volatile bool left = true;
	bool		good;

	CallBegin(call, "left by longjmp");
	call->host.jump_at_alloc = at_alloc;
	call->host.jump_at_poll = at_poll;

	/* it may come to neither */
	call->host.stop_after = ThreadSeconds() + ENOUGH_SECONDS;
	if (setjmp(call->host.jump) == 0)
	{
		CallMine(call);
		left = false;
	}
	good = left || (call->host.allocs < at_alloc && call->host.polls < at_poll);
	if (!good)
		Fail(call, "the longjmp was lost");
	HostFreeAll(&call->host);
	HostInit(&call->host);

	call->event = "another worker left by longjmp";
	__atomic_store_n(&call->shared->cancel, 1, __ATOMIC_RELAXED);
	CallMine(call);

	/* where no class is left it has nothing to be stopped at */
	if (left && (call->result != FIM_DONE || call->shared->next_unit < call->shared->units))
		good = Returned(call, FIM_STOPPED) && good;
	return CallEnd(call) && good;
}

static bool
LongjmpLeaves(Call *call)
{
	bool		good = true;

	for (uint64_t at = 1; good && at <= LONGJMP_CASES; at++)
		good = LeftByLongjmp(call, at, NEVER) && LeftByLongjmp(call, NEVER, at);
	return good;
}

/* No memory, at the call's first allocations. */
static bool
RunsOutOfMemory(Call *call)
{
	bool		good = true;
	bool		reached = true;

	for (uint64_t at = 1; good && reached && at <= OUT_OF_MEMORY_CASES; at++)
	{
		CallBegin(call, "out of memory");
		call->host.fail_at = at;

		/* far more work than the first allocations take */
		call->host.stop_after = ThreadSeconds() + ENOUGH_SECONDS;
		CallMine(call);
		reached = call->host.allocs >= at;
		if (reached)
			good = Returned(call, FIM_OUT_OF_MEMORY);
		good = CallEnd(call) && good;
	}
	return good;
}

static bool
CheckEndless(const char *name, const Table *table, uint32_t minsup, FimKind kind)
{
	FimDatabase *db = BuildDatabase(table);
	bool		good = db != NULL;

	if (!good)
		printf("# the database %s cannot be built\n", name);
	for (uint32_t s = 0; good && FimItemsetsFamily.strategies[s] != NULL; s++)
		for (int count = 0; good && count < 2; count++)
		{
			Call		call = {.name = name,.db = db,.isa = FimIsa()};

			call.spec.kind = kind;
			call.spec.head.strategy = (FimItemsetsStrategy) s;
			call.spec.head.count_only = count;
			call.spec.minsup = minsup;
			call.spec.min_length = 1;
			call.spec.max_length = FIM_NO_LIMIT;
			good = PollsOften(&call) && (count || SinkStops(&call));

			/* the rest is dear: listing and counting by turns */
			if (good && (kind + s) % 2 == (uint32_t) count)
				good = PollStops(&call) && CancelledBefore(&call) &&
					CancelledMeanwhile(&call) && LongjmpLeaves(&call) && RunsOutOfMemory(&call);
		}
	FreeDatabase(db);
	return good;
}

/* Databases with too many itemsets of any kind. */

static void
RandomRows(Table *table, Rng *rng, uint32_t nitems, uint32_t nrows, double density)
{
	uint32_t   *row = calloc(nitems, sizeof(uint32_t));

	assert(row != NULL);
	TableInit(table, nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint32_t	length = 0;

		for (uint32_t i = 0; i < nitems; i++)
			if (RngChance(rng, density))
				row[length++] = i;
		TableAdd(table, row, length);
	}
	free(row);
}

/* Row r holds all items but r: all itemsets are closed. */
static void
Complement(Table *table, uint32_t n)
{
	uint32_t   *row = calloc(n, sizeof(uint32_t));

	assert(row != NULL);
	TableInit(table, n);
	for (uint32_t r = 0; r < n; r++)
	{
		uint32_t	length = 0;

		for (uint32_t i = 0; i < n; i++)
			if (i != r)
				row[length++] = i;
		TableAdd(table, row, length);
	}
	free(row);
}

static bool
CheckAllKinds(const char *name, Table *table, uint32_t minsup)
{
	bool		good = true;

	for (int kind = FIM_ALL; good && kind <= FIM_MAXIMAL; kind++)
		good = CheckEndless(name, table, minsup, (FimKind) kind);
	TableFree(table);
	return good;
}

static bool
CheckEndlessOnes(Rng *rng)
{
	Table		table;
	bool		good = true;

	Complement(&table, 40);
	good = CheckAllKinds("complement of 40", &table, 20) && good;
	Complement(&table, 150);
	good = CheckAllKinds("complement of 150", &table, 100) && good;
	RandomRows(&table, rng, 80, 400, 0.6);
	good = CheckAllKinds("dense", &table, 5) && good;
	RandomRows(&table, rng, 600, 2000, 0.1);
	good = CheckAllKinds("sparse", &table, 2) && good;
	RandomRows(&table, rng, 100, 20000, 0.3);
	good = CheckAllKinds("long", &table, 20) && good;
	RandomRows(&table, rng, 90, 1, 1.0);
	good = CheckAllKinds("one row", &table, 1) && good;
	return good;
}

/*
 * Databases that can be mined to the end: at each allocation of the whole call
 * memory can end.
 */
static bool
CheckEachAllocation(Call *call)
{
	uint64_t	allocs;
	bool		good;

	CallBegin(call, "undisturbed");
	CallMine(call);
	allocs = call->host.allocs;
	good = Returned(call, FIM_DONE);
	good = CallEnd(call) && good;
	for (uint64_t at = 1; good && at <= allocs; at += at < 100 ? 1 : 1 + at / 20)
	{
		CallBegin(call, "out of memory");
		call->host.fail_at = at;
		CallMine(call);
		good = Returned(call, FIM_OUT_OF_MEMORY);
		good = CallEnd(call) && good;
	}
	return good;
}

static bool
CheckRandomTables(Rng *rng)
{
	bool		good = true;

	for (uint32_t number = 0; good && number < 40; number++)
	{
		Table		table;
		Brute		brute;
		FimDatabase *db;
		uint32_t	minsup = 1;

		RandomTable(&table, rng, number % 4 == 0 ? SMALL : number % 4 == 1 ? HEAVY : LARGE);
		while (!BruteMine(&brute, &table, minsup, 500))
			minsup += 1 + minsup / 4;
		BruteFree(&brute);
		db = BuildDatabase(&table);
		for (int kind = FIM_ALL; good && kind <= FIM_MAXIMAL; kind++)
			for (uint32_t s = 0; good && FimItemsetsFamily.strategies[s] != NULL; s++)
			{
				Call		call = {.name = "random",.db = db,.isa = FimIsa()};

				call.spec.kind = (FimKind) kind;
				call.spec.head.strategy = (FimItemsetsStrategy) s;
				call.spec.head.count_only = RngChance(rng, 0.5);
				call.spec.minsup = minsup;
				call.spec.min_length = 1;
				call.spec.max_length = FIM_NO_LIMIT;
				good = CheckEachAllocation(&call);
			}
		if (!good)
		{
			printf("# the database, items 0 .. %u:\n", table.nitems - 1);
			PrintTable(&table);
			printf("# end of the database\n");
		}
		FreeDatabase(db);
		TableFree(&table);
	}
	return good;
}

/*
 * An arena gives its memory back once, wherever memory ends: with the first chunk,
 * the next one, or one in the place of a spare that is too small.
 */
static bool
ArenaRunsOut(uint64_t fail_at)
{
	jmp_buf		out_of_memory;
	TestHost	host;
	Arena		arena;
	volatile bool left = true;

	HostInit(&host);
	host.fail_at = fail_at;
	ArenaInit(&arena, &host.base, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
	{
		ArenaMark	mark;

		ArenaAlloc(&arena, 1);
		mark = ArenaGetMark(&arena);
		ArenaAlloc(&arena, 1 << 20);
		ArenaRelease(&arena, mark);
		ArenaAlloc(&arena, 4 << 20);
		left = false;
	}
	ArenaFree(&arena);
	if (left == (fail_at <= 3) && host.live == 0 && !host.wrong_free)
		return true;
	printf("# an arena without memory at allocation %llu: %s, %llu blocks are not freed\n",
		   (unsigned long long) fail_at, left ? "left" : "done", (unsigned long long) host.live);
	return false;
}

static bool
CheckArena(void)
{
	bool		good = true;

	for (uint64_t at = 1; at <= 4; at++)
		good = ArenaRunsOut(at) && good;
	return good;
}

/* Building a database of some size, and filling it in, polls too. */
static bool
CheckFinish(Rng *rng)
{
	FimItemsetsSpec spec = {.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT};
	FimTask		task;
	Table		table;
	uint32_t   *support;
	uint64_t	entries;
	size_t		bound;
	FimDatabase *db;
	TestHost	host;
	bool		good;

	RandomRows(&table, rng, 400, 40000, 0.08);
	entries = table.at[table.nrows];
	bound = FimDatabaseIndexedBound(table.nrows, entries, table.nitems);
	support = calloc(table.nitems, sizeof(uint32_t));
	for (uint64_t i = 0; i < entries; i++)
		support[table.items[i]]++;
	db = OddAlloc(bound);
	FimDatabaseBegin(db, bound, table.nrows, entries, table.nitems, 0, support);
	for (uint32_t r = 0; r < table.nrows; r++)
		FimDatabaseAddTimes(db, table.items + table.at[r], table.at[r + 1] - table.at[r], 1);
	HostInit(&host);
	good = FimDatabaseFinish(db, true, &host.base) && FimDatabaseIndex(db, &host.base);
	task = FimItemsetsTask(&spec, db, NULL);
	task.shared = NewShared(&spec, db);
	good = good && FimFillData(&task, &host.base) == FIM_DONE;
	HostStopClock(&host);
	FreeShared(task.shared);
	if (!good)
		printf("# FimDatabaseFinish(), FimDatabaseIndex() or FimFillData() is not done\n");
	else if (IsLongGap(host.longest_gap))
	{
		printf("# building a database: %.3f s between two polls\n", host.longest_gap);
		good = false;
	}
	HostFreeAll(&host);
	OddFree(db);
	free(support);
	TableFree(&table);
	return good;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", (uint64_t) time(NULL));
	Rng			rng = {.state = seed};
	bool		good;

	printf("# seed %llu\n", (unsigned long long) seed);
	fflush(stdout);
	signal(SIGALRM, Overdue);
	FimSetIsa(NULL);
	good = CheckArena();
	good = CheckFinish(&rng) && good;
	good = CheckRandomTables(&rng) && good;
	good = CheckEndlessOnes(&rng) && good;
	return good ? 0 : 1;
}
