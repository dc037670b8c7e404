/*-------------------------------------------------------------------------
 *
 * itemset_timing.c
 *	  How long a GPU takes for the itemsets of a file, see itemset_timing.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fimi_file.h"
#include "itemset_runs.h"
#include "itemset_timing.h"

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

/* The name of the strategy that mined, which is only one for itemsets; that of strategy 0 if there was nothing to mine. */
static const char *
StrategyOf(const FimGpuFamily *gpu, const FimGpuReport *report)
{
	int			strategy = 0;

	while (report->strategies >> strategy > 1)
		strategy++;
	return gpu->strategies[strategy];
}

static void
PrintRun(const char *name, const FimGpuFamily *gpu, const FimItemsetsSpec *spec, const ItemsetRun *run)
{
	const FimGpuReport *report = library->report();
	FimCount	sum = {0, 0};

	for (uint32_t i = 0; spec->head.count_only && i < run->tally.lengths; i++)
		FimTallyAdd(&(FimTally) {1, &sum}, &(FimTally) {1, &run->tally.counts[i]});
	if (!spec->head.count_only)
		sum.low = run->sink.itemsets;
	printf("%-28s %7u %-8s %-16s %12llu in %9.3f s, %10llu candidates, peak %7.1f MB;", name, spec->minsup,
		   KindName(spec->kind), StrategyOf(gpu, report),
		   (unsigned long long) sum.low, run->seconds, (unsigned long long) report->candidates,
		   (double) report->peak_memory / 1e6);
	for (int p = 0; p < FIM_GPU_NPHASES; p++)
		printf(" %s %.1f ms %.3g/s%s", phase_names[p], report->ms[p],
			   report->ms[p] > 0 ? report->amount[p] / report->ms[p] * 1e3 : 0,
			   p + 1 < FIM_GPU_NPHASES ? "," : "\n");
	fflush(stdout);
}

static void
PrintGivenUp(const char *name, const FimGpuFamily *gpu, const FimItemsetsSpec *spec)
{
	printf("%-28s %7u %-8s %-16s over %g s\n", name, spec->minsup, KindName(spec->kind),
		   gpu->strategies[spec->head.strategy], most_seconds);
	fflush(stdout);
}

/* The file's database, and the number that minsup means there. */
static FimDatabase *
DatabaseOfFile(const ItemsetTiming *timing, uint32_t *minsup)
{
	double		least = atof(timing->minsup);
	FimDatabase *db;
	Table		table;

	ReadFimi(timing->file, &table);
	*minsup = (uint32_t) (least < 1 ? ceil(least * table.nrows - 1e-9) : least);
	DropInfrequent(&table, *minsup);
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

/*
 * One run.  expected is what the CPU engine found, or NULL.  Returns whether something is
 * wrong; *given_up says whether the run took too long, which is not.
 */
static bool
TimeRun(const FimGpuFamily *gpu, const ItemsetTiming *timing, const FimItemsetsSpec *spec,
		const FimDatabase *db, ItemsetRun *expected, bool *given_up)
{
	const char *error = NULL;
	ItemsetRun	run;

	SetMemoryLimit(timing->memory_limit);
	RunItemsets(MineOnGpu, spec, db, NEVER, expected != NULL, &run);
	*given_up = run.result == FIM_STOPPED;
	if (*given_up)
		PrintGivenUp(basename(timing->file), gpu, spec);
	else
		PrintRun(basename(timing->file), gpu, spec, &run);
	if (expected != NULL && !*given_up)
	{
		error = CompareRuns(spec, expected, &run);
		printf("%s\n", error == NULL ? "  same as the CPU engine's" : error);
	}
	FreeItemsetRun(&run);
	return error != NULL || (run.result != FIM_DONE && !*given_up);
}

int
TimeItemsets(const FimGpuFamily *gpu, const ItemsetTiming *timing)
{
	FimItemsetsSpec spec = timing->spec;
	FimDatabase *db = DatabaseOfFile(timing, &spec.minsup);
	ItemsetRun	expected;
	bool		failed = false;

	printf("# read %s\n", basename(timing->file));
	fflush(stdout);
	if (timing->compare)
		RunItemsets(FimMine, &spec, db, NEVER, true, &expected);
	for (int s = FIM_GPU_TENSOR; gpu->strategies[s] != NULL; s++)
	{
		bool		given_up = false;

		if (timing->spec.head.strategy >= 0 && s != timing->spec.head.strategy)
			continue;
		spec.head.strategy = s;
		for (int r = 0; r < timing->repetitions && !given_up; r++)
			failed |= TimeRun(gpu, timing, &spec, db, timing->compare ? &expected : NULL, &given_up);
	}
	if (timing->compare)
		FreeItemsetRun(&expected);
	FreeDatabase(db);
	return failed;
}
