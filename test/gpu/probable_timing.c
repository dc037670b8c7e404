/*-------------------------------------------------------------------------
 *
 * probable_timing.c
 *	  How long probable itemsets take, see probable_timing.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fimi_file.h"
#include "probable_runs.h"
#include "probable_timing.h"
#include "uncertain_rows.h"

Drawing
DrawingOf(const char *text)
{
	Drawing		drawing = {.uniform = strcmp(text, "uniform") == 0};
	double		variance;

	if (!drawing.uniform && sscanf(text, "%lf,%lf", &drawing.mean, &variance) != 2)
		Die("-p takes uniform or MEAN,VARIANCE");
	if (!drawing.uniform)
		drawing.deviation = sqrt(variance);
	return drawing;
}

static double
Draw(const Drawing *drawing, Rng *rng)
{
	double		p;

	if (drawing->uniform)
		return 1 - RngUnit(rng);
	p = drawing->mean + drawing->deviation * sqrt(-2 * log(1 - RngUnit(rng))) * cos(2 * M_PI * RngUnit(rng));
	return p > 1 ? 1 : p < 0.001 ? 0.001 : p;
}

static void
GiveProbabilities(UncertainRows *of, const Drawing *drawing, Rng *rng)
{
	uint64_t	n = of->by_entry ? of->starts[of->nrows] : of->nrows;

	of->p = Take(sizeof(double) * n);
	for (uint64_t i = 0; i < n; i++)
		of->p[i] = Draw(drawing, rng);
}

/* So many rows, drawn at random. */
static void
SampleRows(UncertainRows *of, uint32_t nrows, Rng *rng)
{
	UncertainRows to = {.nrows = nrows,.nitems = of->nitems,.by_entry = of->by_entry};
	uint32_t   *rows = Take(sizeof(uint32_t) * nrows);
	uint64_t	entries = 0;

	for (uint32_t r = 0; r < nrows; r++)
	{
		rows[r] = RngBelow(rng, of->nrows);
		entries += of->starts[rows[r] + 1] - of->starts[rows[r]];
	}
	to.starts = Take(sizeof(uint64_t) * (nrows + 1));
	to.items = Take(sizeof(uint32_t) * entries);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint64_t	n = of->starts[rows[r] + 1] - of->starts[rows[r]];

		memcpy(to.items + to.starts[r], of->items + of->starts[rows[r]], sizeof(uint32_t) * n);
		to.starts[r + 1] = to.starts[r] + n;
	}
	free(rows);
	FreeRows(of);
	*of = to;
}

static void
PrintRun(const char *name, const FimProbableSpec *spec, const char *strategy, const ProbableRun *run,
		 bool on_gpu)
{
	static const char *const rules[] = {"count", "median", "hoeffding", "berry_esseen", "chernoff", "poisson",
	"inversion", "convolution", "double_double", "exact", "expectation"};
	const FimGpuReport *report = library != NULL ? library->report() : NULL;

	printf("%-24s minsup %u minprob %g %s %-9s %s %8llu itemsets in %.4f s;", name, spec->minsup, spec->minprob,
		   spec->exact ? "exact" : "decisions", strategy, run->result == FIM_DONE ? "done" : "FAILED",
		   (unsigned long long) run->results, run->seconds);
	for (int r = 0; r < FIM_RULES; r++)
		if (run->summary.settled[r] > 0)
			printf(" %s %llu", rules[r], (unsigned long long) run->summary.settled[r]);
	printf(" values %llu;", (unsigned long long) run->summary.values);
	for (int p = 0; on_gpu && p < FIM_GPU_NPHASES; p++)
		printf(" %s %.2f ms", phase_names[p], report->ms[p]);
	if (on_gpu)
		printf(" peak %.1f MB candidates %llu", (double) report->peak_memory / 1e6,
			   (unsigned long long) report->candidates);
	printf("\n");
	fflush(stdout);
}

/* One run on the engine that is asked for, with the strategy of that number. */
static bool
TimeRun(const FimGpuFamily *gpu, const ProbableTiming *timing, const char *name, FimProbableSpec *spec,
		const FimProbableData *data, int strategy)
{
	const char *const *strategies = timing->on_cpu ? FimProbableFamily.strategies : gpu->strategies;
	ProbableRun run;

	spec->head.strategy = strategy;
	RunProbable(timing->on_cpu ? FimMine : MineOnGpu, spec, data, false, &run);
	PrintRun(name, spec, strategies[strategy], &run, !timing->on_cpu);
	return run.result == FIM_DONE;
}

/* Mines data, which it frees. */
static int
TimeMining(const FimGpuFamily *gpu, const ProbableTiming *timing, const char *name, FimProbableSpec *spec,
		   FimProbableData *data)
{
	const char *const *strategies = timing->on_cpu ? FimProbableFamily.strategies : gpu->strategies;
	int			only = timing->strategy != NULL ? OneOf(timing->strategy, strategies) : -1;
	int			failed = 0;

	if (timing->on_cpu)
		data = PrepareForCpu(data);
	else
		SetMemoryLimit(timing->memory_limit);
	for (int s = 0; strategies[s] != NULL; s++)
	{
		if (only >= 0 ? s != only : s == 0)
			continue;
		for (int r = 0; r < timing->repetitions; r++)
			failed |= !TimeRun(gpu, timing, name, spec, data, s);
	}
	free(data);
	return failed;
}

/* The rows of a file, with the probabilities that are asked for. */
static void
RowsOfFile(const ProbableTiming *timing, UncertainRows *of)
{
	Rng			rng = {1};
	Table		table;

	ReadFimi(timing->file, &table);
	of->nrows = table.nrows;
	of->nitems = table.nitems;
	of->by_entry = timing->by_entry;
	of->starts = Take(sizeof(uint64_t) * ((size_t) of->nrows + 1));
	for (uint32_t r = 0; r <= of->nrows; r++)
		of->starts[r] = table.at[r];
	of->items = Take(sizeof(uint32_t) * of->starts[of->nrows]);
	memcpy(of->items, table.items, sizeof(uint32_t) * of->starts[of->nrows]);
	TableFree(&table);
	if (timing->rows > 0)
		SampleRows(of, timing->rows, &rng);
	GiveProbabilities(of, &timing->drawing, &rng);
}

int
TimeProbable(const FimGpuFamily *gpu, const ProbableTiming *timing)
{
	FimProbableSpec spec = timing->spec;
	double		minsup = timing->minsup;
	UncertainRows of = {.nrows = 0};
	FimProbableData *data;

	RowsOfFile(timing, &of);
	spec.minsup = (uint32_t) (minsup < 1 ? ceil(minsup * of.nrows - 1e-9) : minsup);
	spec.min_expected = minsup < 1 ? minsup * of.nrows : minsup;
	data = BuildData(&of);
	FreeRows(&of);
	return TimeMining(gpu, timing, basename(timing->file), &spec, data);
}

/*
 * So many itemsets of nearly all transactions, all of which are selected and have
 * values that no bound knows: singletons, at the median of their support.
 */
int
TimeValues(const FimGpuFamily *gpu, const ProbableTiming *timing, uint32_t values, uint32_t nrows)
{
	Rng			rng = {7};
	uint32_t	nitems = (uint32_t) ceil(sqrt(2.0 * values));
	UncertainRows of = {.nrows = nrows,.nitems = nitems};
	Drawing		uniform = {.uniform = true};
	ProbableTiming bounds = {.strategy = "bounds",.repetitions = timing->repetitions};
	FimProbableSpec spec = {.head = {.size = sizeof(spec)},.minprob = 1e-6,.exact = true,.min_length = 2,
	.max_length = 2};
	FimProbableData *data;
	double		mean = 0;

	of.starts = Take(sizeof(uint64_t) * (nrows + 1));
	of.items = Take(sizeof(uint32_t) * (size_t) nrows * nitems);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint64_t	n = of.starts[r];

		/* each item is lacking in few rows, so that supports differ by a little */
		for (uint32_t i = 0; i < nitems; i++)
			if (RngNext(&rng) % 2000 != 0)
				of.items[n++] = i;
		of.starts[r + 1] = n;
	}
	GiveProbabilities(&of, &uniform, &rng);
	for (uint32_t r = 0; r < nrows; r++)
		mean += of.p[r];
	spec.minsup = (uint32_t) (mean * 0.999);
	data = BuildData(&of);
	FreeRows(&of);
	return TimeMining(gpu, &bounds, "values", &spec, data);
}
