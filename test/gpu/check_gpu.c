/*-------------------------------------------------------------------------
 *
 * check_gpu.c
 *	  The GPU engine against the CPU engine.
 *
 * Without a file: random databases of many shapes, each mined by every strategy
 * with random kinds, limits, prefixes and memory limits, down to the least that
 * the library's own estimate asks for, so that transactions are streamed in many
 * blocks.  Some have items in all transactions, up to more than could be listed, some
 * very many items, and some very many transactions.  A listing must give each itemset
 * of the CPU engine's once and no other, a count the same numbers by length.  Before
 * them comes a database that is made for one part of strategy tensor.
 *
 * With a file of transactions: mines it and prints how many itemsets there are
 * and what it took; with -x the results are compared with the CPU engine's.
 *
 * With -F: faults are injected into every strategy, each in a process of its own.
 *
 * Usage:
 *	  check_gpu [-l LIBRARY] [-s seed] [-n databases] [-t seconds] [-d number]
 *				[-S strategy] [-g devices]
 *	  check_gpu [-l LIBRARY] -f FILE -m minsup [-S strategy] [-k kind] [-b max_length]
 *				[-M memory_limit] [-g devices] [-o] [-x] [-r repetitions] [-T seconds]
 *	  check_gpu [-l LIBRARY] -F
 *
 * -g 2 takes two devices; -o lists and discards the itemsets instead of counting;
 * -T gives a run up that takes longer, and its strategy with it.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/itemsets/itemsets.h"
#include "gpu_library.h"
#include "../unit/harness.h"
#include "../unit/tables.h"

#define DEFAULT_DATABASES	300
#define MOST_BATCHES		3		/* of itemsets of a random database: several thousand */

/* Items that are added to all transactions, and where their subsets are not listed. */
#define SOME_COMMON			12
#define MANY_COMMON			40

static const FimGpuFamily *gpu; /* the library's itemsets */
static const char *const kinds[] = {"all", "closed", "maximal", NULL};

/* ---- one call ---- */

typedef struct Run
{
	FimResult	result;
	TestSink	sink;
	FimTally	tally;
	double		seconds;
} Run;

/* Runs of the GPU engine that take longer are given up. */
static double most_seconds = HUGE_VAL;
static double give_up_at;
static bool (*poll_of_host) (FimHost *host);

static bool
PollInTime(FimHost *host)
{
	return poll_of_host(host) || WallSeconds() >= give_up_at;
}

/* One of FimItemsetsFamily or of the library's family of the same name. */
typedef FimResult (*Engine) (const FimTask *task, FimHost *host, FimSink *sink);

static void
RunEngine(Engine engine, const FimItemsetsJob *job, const FimDatabase *db, uint64_t batches,
		  bool keep, Run *run)
{
	TestHost	host;
	FimTask		task = FimItemsetsTask(job, db, NewShared(job, db), NULL);
	double		start;

	HostInit(&host);
	SinkInit(&run->sink, db, keep);
	run->sink.stop_at = batches;
	TallyInit(&run->tally, job, db);
	task.summary = run->tally.counts;
	start = WallSeconds();
	give_up_at = engine == gpu->mine ? start + most_seconds : HUGE_VAL;
	poll_of_host = host.base.poll;
	host.base.poll = PollInTime;
	run->result = engine(&task, &host.base, &run->sink.base);
	run->seconds = WallSeconds() - start;
	if (host.live != 0)
		Die("the engine did not free all memory");
	if (host.wrong_free)
		Die("the engine freed what it had not been given");
	FreeShared(task.shared);
}

static void
FreeRun(Run *run)
{
	SinkFree(&run->sink);
	TallyFree(&run->tally);
}

/* ---- comparing ---- */

static int
CompareItems(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* Itemsets are length, items, support: compare all of that. */
static int
CompareItemsets(const void *a, const void *b)
{
	const uint32_t *x = *(const uint32_t *const *) a;
	const uint32_t *y = *(const uint32_t *const *) b;
	uint32_t	n = (x[0] < y[0] ? x[0] : y[0]) + 2;

	for (uint32_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static const uint32_t **
SortedItemsets(TestSink *sink)
{
	const uint32_t **itemsets = calloc(sink->itemsets + 1, sizeof(uint32_t *));
	uint32_t   *at = sink->words;

	assert(itemsets != NULL);
	for (uint64_t i = 0; i < sink->itemsets; i++)
	{
		qsort(at + 1, at[0], sizeof(uint32_t), CompareItems);
		itemsets[i] = at;
		at += at[0] + 2;
	}
	qsort(itemsets, sink->itemsets, sizeof(uint32_t *), CompareItemsets);
	return itemsets;
}

static bool
SameItemsets(TestSink *a, TestSink *b)
{
	const uint32_t **x;
	const uint32_t **y;
	bool		same = a->itemsets == b->itemsets;

	if (!same)
		return false;
	x = SortedItemsets(a);
	y = SortedItemsets(b);
	for (uint64_t i = 0; same && i < a->itemsets; i++)
		same = CompareItemsets(&x[i], &y[i]) == 0;
	free(x);
	free(y);
	return same;
}

/* NULL, or what is wrong. */
static const char *
Compare(const FimItemsetsJob *job, Run *expected, Run *found)
{
	if (expected->result != FIM_DONE)
		return "the CPU engine failed";
	if (found->result != FIM_DONE)
		return "the GPU engine failed";
	if (found->sink.error != NULL)
		return found->sink.error;
	if (job->head.count_only && found->sink.itemsets != 0)
		return "itemsets listed where they are only to be counted";
	if (job->head.count_only)
		return memcmp(expected->tally.counts, found->tally.counts,
					  sizeof(FimCount) * expected->tally.lengths) == 0 ? NULL : "counts differ";
	return SameItemsets(&expected->sink, &found->sink) ? NULL : "itemsets differ";
}

/* ---- random databases ---- */

static void
RandomJob(FimItemsetsJob *job, Rng *rng, const FimDatabase *db)
{
	memset(job, 0, sizeof(FimItemsetsJob));
	job->kind = (FimKind) RngBelow(rng, 3);
	job->head.count_only = RngChance(rng, 0.3);
	job->minsup = 1 + (uint32_t) (pow(RngUnit(rng), 2) * (double) db->transactions);
	job->min_length = 1;
	job->max_length = FIM_NO_LIMIT;
	if (RngChance(rng, 0.2))
		job->nrequired = RngBelow(rng, 4);
	if (RngChance(rng, 0.2))
		job->min_length = 1 + RngBelow(rng, 5);
	if (RngChance(rng, 0.3))
		job->max_length = RngBelow(rng, 7);
}

/* Raise minsup until there are not too many itemsets: listing them does not end. */
static void
TameJob(FimItemsetsJob *job, const FimDatabase *db)
{
	for (;;)
	{
		FimItemsetsJob list = *job;
		Run			run;

		list.head.count_only = false;
		list.kind = FIM_ALL;
		list.head.strategy = FIM_AUTO;
		list.min_length = 1;
		list.max_length = FIM_NO_LIMIT;
		RunEngine(FimItemsetsFamily.mine, &list, db, MOST_BATCHES, false, &run);
		FreeRun(&run);
		if (run.result == FIM_DONE)
			return;
		job->minsup += job->minsup / 2 + 1;
	}
}

/*
 * Short transactions of many items, one in so many databases: with the least memory
 * the counts of the root's pairs do not fit, and its members are done in bands.
 */
#define WIDE_PART	50

static void
WideTable(Table *table, Rng *rng)
{
	uint32_t	nitems = 1000 + RngBelow(rng, 2500);
	uint32_t	nrows = 50 + RngBelow(rng, 300);
	double		power = 1 + 2 * RngUnit(rng);
	char	   *has = malloc(nitems);
	uint32_t   *row = malloc(sizeof(uint32_t) * nitems);

	assert(has != NULL && row != NULL);
	TableInit(table, nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint32_t	length = 0;

		memset(has, 0, nitems);
		for (uint32_t n = RngBelow(rng, 60); n > 0; n--)
			has[(uint32_t) (pow(RngUnit(rng), power) * nitems)] = 1;
		for (uint32_t i = 0; i < nitems; i++)
			if (has[i])
				row[length++] = i;
		TableAdd(table, row, length);
	}
	free(row);
	free(has);
}

/*
 * So many transactions that they do not fit the buffer through which they are copied
 * to the devices: one in so many databases, and not the first.
 */
#define LONG_PART	1000
#define LONG_NUMBER	50
#define LONG_MEMORY (UINT64_C(8) << 20) /* the least; with less there is no end of blocks */

static bool
IsLong(uint32_t number)
{
	return number % LONG_PART == LONG_NUMBER;
}

static void
LongTable(Table *table, Rng *rng)
{
	uint32_t	nitems = 300 + RngBelow(rng, 900);
	uint32_t	nrows = 250000 + RngBelow(rng, 250000);
	double		power = 1 + RngUnit(rng);
	uint32_t	row[40];

	TableInit(table, nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint32_t	length = 0;
		uint32_t	item = 0;

		/* ascending: the steps are random, shorter where items are frequent */
		while (length < 40)
		{
			item += 1 + (uint32_t) (pow(RngUnit(rng), power) * nitems / 12);
			if (item > nitems)
				break;
			row[length++] = item - 1;
		}
		TableAdd(table, row, length);
	}
}

/* Add n items to all transactions. */
static void
AddCommonItems(Table *table, uint32_t n)
{
	Table		to;
	uint32_t   *row = malloc(sizeof(uint32_t) * ((size_t) table->nitems + n));

	assert(row != NULL);
	TableInit(&to, table->nitems + n);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	length = table->at[r + 1] - table->at[r];

		for (uint32_t i = 0; i < n; i++)
			row[i] = table->nitems + i;
		if (length > 0)
			memcpy(row + n, table->items + table->at[r], sizeof(uint32_t) * length);
		TableAdd(&to, row, n + length);
	}
	free(row);
	TableFree(table);
	*table = to;
}

/* Lengths that itemsets have only with items that are common to all. */
static void
RaiseLengths(FimItemsetsJob *job, Rng *rng, uint32_t ncommon)
{
	uint32_t	by = RngBelow(rng, ncommon + 1);

	job->min_length += by;
	if (job->max_length != FIM_NO_LIMIT)
		job->max_length += by;
}

static FimDatabase *
RandomCase(FimItemsetsJob *job, Rng *rng, uint32_t number)
{
	Table		table;
	FimDatabase *db;
	bool		is_long = IsLong(number);
	bool		wide = !is_long && RngBelow(rng, WIDE_PART) == 0;

	if (is_long)
		LongTable(&table, rng);
	else if (wide)
		WideTable(&table, rng);
	else
		RandomTable(&table, rng, (TableSize) RngBelow(rng, 3));
	db = BuildDatabase(&table);
	RandomJob(job, rng, db);
	if (wide)
		job->minsup = 1 + RngBelow(rng, 3);
	if (is_long)
		job->minsup = (uint32_t) db->transactions / (20 + RngBelow(rng, 200));
	TameJob(job, db);
	if (RngChance(rng, 0.25))
	{
		bool		multiplied = job->kind == FIM_ALL && !job->head.count_only;
		uint32_t	ncommon = !multiplied && RngChance(rng, 0.2) ? MANY_COMMON :
			1 + RngBelow(rng, SOME_COMMON);

		AddCommonItems(&table, ncommon);
		FreeDatabase(db);
		db = BuildDatabase(&table);
		if (RngChance(rng, 0.5))
			RaiseLengths(job, rng, ncommon);
		if (multiplied)
			TameJob(job, db);
	}
	TableFree(&table);
	return db;
}

static uint64_t
RandomLimit(Rng *rng, const FimItemsetsJob *job, const FimDatabase *db)
{
	FimTask		task = FimItemsetsTask(job, db, NULL, NULL);
	uint64_t	wanted;
	uint64_t	least;

	gpu->estimate(&task, &wanted, &least);
	if (least > wanted)
		Die("the least memory is more than the most");
	switch (RngBelow(rng, 4))
	{
		case 0:
			return 0;
		case 1:
			return least;
		default:
			return least + (uint64_t) (pow(RngUnit(rng), 3) *
									   (double) (wanted > 8 * least ? wanted : 8 * least));
	}
}

static void
DescribeCase(uint64_t seed, uint32_t number, const FimItemsetsJob *job, uint64_t limit, const char *error)
{
	printf("FAILED: %s: -s %llu -d %u -S %s, %s, minsup %u, prefix %u, lengths %u to %u, %s, limit %llu\n",
		   error, (unsigned long long) seed, number, gpu->strategies[job->head.strategy],
		   KindName(job->kind), job->minsup, job->nrequired, job->min_length, job->max_length,
		   job->head.count_only ? "counted" : "listed", (unsigned long long) limit);
}

static bool
CheckDatabase(uint64_t seed, uint32_t number, int only)
{
	Rng			rng = {seed * 1000003 + number};
	FimItemsetsJob job;
	FimDatabase *db = RandomCase(&job, &rng, number);
	Run			expected;
	bool		passed = true;

	RunEngine(FimItemsetsFamily.mine, &job, db, NEVER, true, &expected);
	for (int s = 0; gpu->strategies[s] != NULL; s++)
	{
		FimGpuOptions options;
		Run			found;
		const char *error;

		job.head.strategy = s;
		options = Options(RandomLimit(&rng, &job, db));
		if (IsLong(number) && options.memory_limit > 0 && options.memory_limit < LONG_MEMORY)
			options.memory_limit = LONG_MEMORY;
		if (only >= 0 && s != only)
			continue;
		library->set_options(&options);
		RunEngine(gpu->mine, &job, db, NEVER, true, &found);
		error = Compare(&job, &expected, &found);
		if (error != NULL)
		{
			DescribeCase(seed, number, &job, options.memory_limit, error);
			if (found.result == FIM_DEVICE_FAULT)
				PrintFault();
			passed = false;
		}
		FreeRun(&found);
	}
	FreeRun(&expected);
	FreeDatabase(db);
	return passed;
}

/* As many as asked for, unless the time is up before. */
static int
CheckDatabases(uint64_t seed, uint32_t from, uint32_t n, double seconds, int only)
{
	uint32_t	failed = 0;
	uint32_t	done;
	double		start = WallSeconds();

	printf("# seed %llu\n", (unsigned long long) seed);
	for (done = 0; done < n && WallSeconds() - start < seconds; done++)
		failed += !CheckDatabase(seed, from + done, only);
	printf("# %u random databases, %u failed, %.1f s\n", done, failed, WallSeconds() - start);
	return failed > 0;
}

/* ---- a database for the steps of strategy tensor ---- */

/*
 * Strategy tensor multiplies as many classes of a level at a time as its memory has room
 * for, and numbers the lines and counts of a step from where the step begins.  Only a
 * level of several steps shows whether it does so, and random databases have none, since
 * with the least memory a step has room for half a million counts.  Here nearly all pairs
 * of 300 items are frequent, so the classes below the root have 8 million counts, or 12
 * million with excluded members.  They take 15 to 22 steps of at most 91 classes, few
 * enough for the host to plan their products.  In each class hundreds of pairs are
 * frequent, so that no step can go wrong without a difference.
 */
#define STEPS_ITEMS			300
#define STEPS_ROWS			400
#define STEPS_DENSITY		0.15
#define STEPS_MINSUP		5
#define STEPS_MEMORY		(UINT64_C(72) << 20)	/* just enough for tensor to begin */

static FimDatabase *
StepsDatabase(void)
{
	Rng			rng = {1};
	uint32_t	row[STEPS_ITEMS];
	FimDatabase *db;
	Table		table;

	TableInit(&table, STEPS_ITEMS);
	for (uint32_t r = 0; r < STEPS_ROWS; r++)
	{
		uint32_t	length = 0;

		for (uint32_t i = 0; i < STEPS_ITEMS; i++)
			if (RngChance(&rng, STEPS_DENSITY))
				row[length++] = i;
		TableAdd(&table, row, length);
	}
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

static bool
CheckStepsOfKind(const FimDatabase *db, FimKind kind, bool count_only)
{
	FimItemsetsJob job = {.kind = kind,.minsup = STEPS_MINSUP,.min_length = 1,.max_length = FIM_NO_LIMIT};
	FimGpuOptions options = Options(STEPS_MEMORY);
	Run			expected;
	Run			found;
	const char *error;

	job.head.count_only = count_only;
	RunEngine(FimItemsetsFamily.mine, &job, db, NEVER, true, &expected);
	job.head.strategy = FIM_GPU_TENSOR;
	library->set_options(&options);
	RunEngine(gpu->mine, &job, db, NEVER, true, &found);
	error = Compare(&job, &expected, &found);
	if (error == NULL && library->report()->strategy != FIM_GPU_TENSOR)
		error = "another strategy mined, for lack of memory";
	if (error != NULL)
	{
		printf("FAILED: steps: %s: %s, %s\n", error, KindName(kind), count_only ? "counted" : "listed");
		if (found.result == FIM_DEVICE_FAULT)
			PrintFault();
	}
	FreeRun(&expected);
	FreeRun(&found);
	return error == NULL;
}

static int
CheckSteps(void)
{
	FimDatabase *db = StepsDatabase();
	int			failed = 0;

	for (int kind = FIM_ALL; kind <= FIM_MAXIMAL; kind++)
	{
		failed += !CheckStepsOfKind(db, (FimKind) kind, false);
		failed += !CheckStepsOfKind(db, (FimKind) kind, true);
	}
	printf("# levels of several steps, %d of 6 failed\n", failed);
	FreeDatabase(db);
	return failed > 0;
}

/* ---- files ---- */

/* The items of the line being read; seen has for each item the last line that had it. */
typedef struct Line
{
	uint32_t   *items;
	uint32_t	length;
	uint32_t	room;
	uint32_t   *seen;
	uint32_t	nseen;
	uint32_t	number;			/* from 1 */
} Line;

static void
AddToLine(Line *line, uint32_t item)
{
	if (item >= line->nseen)
	{
		uint32_t	nseen = item * 2 + 64;

		line->seen = realloc(line->seen, nseen * sizeof(uint32_t));
		assert(line->seen != NULL);
		memset(line->seen + line->nseen, 0, (nseen - line->nseen) * sizeof(uint32_t));
		line->nseen = nseen;
	}
	if (line->seen[item] == line->number)
		return;
	line->seen[item] = line->number;
	if (line->length == line->room)
		line->items = realloc(line->items, (line->room = line->room * 2 + 64) * sizeof(uint32_t));
	assert(line->items != NULL);
	line->items[line->length++] = item;
}

static void
ReadTable(const char *name, Table *table)
{
	FILE	   *file = fopen(name, "r");
	Line		line = {.number = 1};
	bool		number = false;
	bool		any = false;
	uint32_t	item = 0;
	int			c;

	if (file == NULL)
		Die("there is no such file");
	TableInit(table, 0);
	do
	{
		c = getc_unlocked(file);
		if (c >= '0' && c <= '9')
		{
			item = (number ? item * 10 : 0) + (uint32_t) (c - '0');
			number = any = true;
			continue;
		}
		if (number)
		{
			AddToLine(&line, item);
			if (item >= table->nitems)
				table->nitems = item + 1;
			number = false;
		}
		if (c == '\n' || (c == EOF && any))
		{
			TableAdd(table, line.items, line.length);
			line.length = 0;
			line.number++;
			any = false;
		}
	} while (c != EOF);
	free(line.items);
	free(line.seen);
	fclose(file);
}

/* As gpufim does it: infrequent items are dropped before. */
static void
DropInfrequent(Table *table, uint32_t minsup)
{
	uint32_t   *support = calloc(table->nitems + 1, sizeof(uint32_t));
	uint32_t	kept = 0;
	uint32_t	from = 0;

	assert(support != NULL);
	for (uint32_t i = 0; i < table->at[table->nrows]; i++)
		support[table->items[i]]++;
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		for (; from < table->at[r + 1]; from++)
			if (support[table->items[from]] >= minsup)
				table->items[kept++] = table->items[from];
		table->at[r + 1] = kept;
	}
	free(support);
}

static void
PrintRun(const char *name, const FimItemsetsJob *job, const Run *run)
{
	static const char *const phases[] = {"transfer", "build", "count", "return"};
	const FimGpuReport *report = library->report();
	FimCount	sum = {0, 0};

	for (uint32_t i = 0; job->head.count_only && i < run->tally.lengths; i++)
		FimTallyAdd(&(FimTally) {1, &sum}, &(FimTally) {1, &run->tally.counts[i]});
	if (!job->head.count_only)
		sum.low = run->sink.itemsets;
	printf("%-28s %7u %-8s %-16s %12llu in %9.3f s, %10llu candidates, peak %7.1f MB;", name, job->minsup,
		   KindName(job->kind), gpu->strategies[report->strategy],
		   (unsigned long long) sum.low, run->seconds, (unsigned long long) report->candidates,
		   (double) report->peak_memory / 1e6);
	for (int p = 0; p < FIM_GPU_NPHASES; p++)
		printf(" %s %.1f ms %.3g/s%s", phases[p], report->ms[p],
			   report->ms[p] > 0 ? report->amount[p] / report->ms[p] * 1e3 : 0,
			   p + 1 < FIM_GPU_NPHASES ? "," : "\n");
	fflush(stdout);
}

static void
PrintGivenUp(const char *name, const FimItemsetsJob *job)
{
	printf("%-28s %7u %-8s %-16s over %g s\n", name, job->minsup, KindName(job->kind),
		   gpu->strategies[job->head.strategy], most_seconds);
	fflush(stdout);
}

static int
CheckFile(const char *name, FimItemsetsJob *job, const char *minsup, uint64_t limit, bool exact, int repetitions)
{
	const char *base = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
	FimGpuOptions options = Options(limit);
	double		least = atof(minsup);
	FimDatabase *db;
	Table		table;
	Run			expected;
	int			failed = 0;

	ReadTable(name, &table);
	job->minsup = (uint32_t) (least < 1 ? ceil(least * table.nrows - 1e-9) : least);
	DropInfrequent(&table, job->minsup);
	db = BuildDatabase(&table);
	TableFree(&table);
	printf("# read %s\n", base);
	fflush(stdout);
	if (exact)
		RunEngine(FimItemsetsFamily.mine, job, db, NEVER, true, &expected);
	for (int s = 0; gpu->strategies[s] != NULL; s++)
	{
		if (job->head.strategy >= 0 ? s != job->head.strategy : s < FIM_GPU_TENSOR)
			continue;
		for (int r = 0; r < repetitions; r++)
		{
			FimItemsetsJob one = *job;
			Run			run;

			one.head.strategy = s;
			library->set_options(&options);
			RunEngine(gpu->mine, &one, db, NEVER, exact, &run);
			if (run.result == FIM_DEVICE_FAULT)
				PrintFault();
			if (run.result == FIM_STOPPED)
			{
				PrintGivenUp(base, &one);
				FreeRun(&run);
				break;
			}
			PrintRun(base, &one, &run);
			if (exact)
			{
				const char *error = Compare(&one, &expected, &run);

				printf("%s\n", error == NULL ? "  same as the CPU engine's" : error);
				failed |= error != NULL;
			}
			failed |= run.result != FIM_DONE;
			FreeRun(&run);
		}
	}
	if (exact)
		FreeRun(&expected);
	FreeDatabase(db);
	return failed;
}

/* ---- faults ---- */

typedef struct FaultCase
{
	const char *name;
	FimGpuInjection inject;
	uint64_t	limit;
	FimResult	result;
	FimResult	tensor;			/* the result of strategy tensor */
	bool		sticky;
} FaultCase;

static const FaultCase fault_cases[] = {
	{"no fault", {0, 0, 0}, 0, FIM_DONE, FIM_DONE, false},
	{"one allocation fails", {1, 0, 0}, 0, FIM_DONE, FIM_DONE, false},
	{"a later allocation fails", {4, 0, 0}, 0, FIM_DONE, FIM_DONE, false},
	{"all allocations fail", {-1, 0, 0}, 0, FIM_DEVICE_FAULT, FIM_DEVICE_FAULT, false},
	/* tensor goes on with what it has */
	{"all later allocations fail", {-3, 0, 0}, 0, FIM_DEVICE_FAULT, FIM_DONE, false},
	{"a limit that nothing fits", {0, 0, 0}, 1024, FIM_DEVICE_FAULT, FIM_DEVICE_FAULT, false},
	{"a launch fails", {0, 1, 0}, 0, FIM_DEVICE_FAULT, FIM_DEVICE_FAULT, true},
	{"a later launch fails", {0, 3, 0}, 0, FIM_DEVICE_FAULT, FIM_DEVICE_FAULT, true},
	{"the device is lost", {0, 0, 2}, 0, FIM_DEVICE_FAULT, FIM_DEVICE_FAULT, true},
	{"the device is lost later", {0, 0, 11}, 0, FIM_DEVICE_FAULT, FIM_DEVICE_FAULT, true}
};

/* In a process of its own: a sticky fault ends it. */
static int
TryFault(const FaultCase *fault, int strategy)
{
	Rng			rng = {42};
	Table		table;
	FimDatabase *db;
	FimItemsetsJob job = {.kind = FIM_ALL,.head = {.strategy = strategy},.min_length = 1,.max_length = 4};
	FimGpuOptions options = Options(fault->limit);
	Run			run;
	bool		passed;

	gpu = LoadLibrary(&FimItemsetsFamily);
	do
		RandomTable(&table, &rng, LARGE);
	while (table.nrows < 200);
	db = BuildDatabase(&table);
	job.minsup = (uint32_t) db->transactions / 8 + 1;
	options.inject = fault->inject;
	/* tensor has a block of memory on each device before those that fail */
	if (options.inject.allocation < -1)
		options.inject.allocation = -(device_count + 2);
	library->set_options(&options);
	RunEngine(gpu->mine, &job, db, NEVER, false, &run);
	passed = run.result == (strategy == FIM_GPU_TENSOR ? fault->tensor : fault->result);
	if (run.result == FIM_DEVICE_FAULT)
	{
		passed &= library->fault()->sticky == fault->sticky;
		PrintFault();
	}
	FreeRun(&run);
	/* what comes after: the same answer for ever, or none of it */
	options = Options(0);
	library->set_options(&options);
	RunEngine(gpu->mine, &job, db, NEVER, false, &run);
	passed &= run.result == (fault->sticky ? FIM_DEVICE_FAULT : FIM_DONE);
	passed &= library->open(&options) == !fault->sticky;
	library->close();
	FreeRun(&run);
	return passed ? 0 : 1;
}

static int
CheckFaults(void)
{
	int			failed = 0;

	if (device_count == 0)
		device_count = 1;
	for (int s = FIM_GPU_TENSOR; s <= FIM_GPU_HIL; s++)
		for (size_t i = 0; i < sizeof(fault_cases) / sizeof(fault_cases[0]); i++)
		{
			pid_t		child;
			int			status;

			fflush(stdout);
			child = fork();
			if (child == 0)
				exit(TryFault(&fault_cases[i], s));
			if (waitpid(child, &status, 0) != child || status != 0)
			{
				printf("FAILED: strategy %d, %s\n", s, fault_cases[i].name);
				failed = 1;
			}
		}
	printf("faults: %s\n", failed ? "failed" : "passed");
	return failed;
}

/* ---- arguments ---- */

static int
OneOf(const char *name, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	Die("no such strategy or kind");
	return -1;
}

int
main(int argc, char **argv)
{
	static const char *const strategies[] = FIM_GPU_STRATEGY_NAMES;
	FimItemsetsJob job = {.head = {.strategy = -1,.count_only = true},.min_length = 1,.max_length = FIM_NO_LIMIT};
	const char *file = NULL;
	const char *minsup = "0.1";
	uint64_t	seed = (uint64_t) time(NULL);
	uint32_t	databases = DEFAULT_DATABASES;
	uint32_t	from = 0;
	uint64_t	limit = 0;
	bool		exact = false;
	bool		faults = false;
	int			failed = 0;
	int			repetitions = 1;
	double		seconds = HUGE_VAL;
	int			option;

	while ((option = getopt(argc, argv, "l:s:n:t:d:S:k:f:m:b:M:g:oxr:T:F")) != -1)
		switch (option)
		{
			case 'l':
				library_name = optarg;
				break;
			case 's':
				seed = strtoull(optarg, NULL, 10);
				break;
			case 'n':
				databases = (uint32_t) atoi(optarg);
				break;
			case 't':
				seconds = atof(optarg);
				break;
			case 'd':
				from = (uint32_t) atoi(optarg);
				databases = 1;
				break;
			case 'S':
				job.head.strategy = OneOf(optarg, strategies);
				break;
			case 'k':
				job.kind = (FimKind) OneOf(optarg, kinds);
				break;
			case 'f':
				file = optarg;
				break;
			case 'm':
				minsup = optarg;
				break;
			case 'b':
				job.max_length = (uint32_t) atoi(optarg);
				break;
			case 'M':
				limit = strtoull(optarg, NULL, 10);
				break;
			case 'g':
				device_count = atoi(optarg);
				break;
			case 'o':
				job.head.count_only = false;
				break;
			case 'x':
				exact = true;
				break;
			case 'r':
				repetitions = atoi(optarg);
				break;
			case 'T':
				most_seconds = atof(optarg);
				break;
			case 'F':
				faults = true;
				break;
			default:
				return 2;
		}
	if (faults)
		return CheckFaults();
	gpu = LoadLibrary(&FimItemsetsFamily);
	if (file != NULL)
		return CheckFile(file, &job, minsup, limit, exact, repetitions);
	if (from == 0 && (job.head.strategy < 0 || job.head.strategy == FIM_GPU_TENSOR))
		failed = CheckSteps();
	return CheckDatabases(seed, from, databases, seconds, job.head.strategy) | failed;
}
