/*-------------------------------------------------------------------------
 *
 * set_timing.c
 *	  How long a GPU takes to multiply sets, see set_timing.h.
 *
 *-------------------------------------------------------------------------
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/purchases.h"
#include "../unit/harness.h"
#include "engine/arena.h"
#include "engine/sets/sets.h"
#include "gpu_library.h"
#include "set_timing.h"

/* Threads of the CPU engine that is to find the same. */
#define CPU_WORKERS		16

/* What is timed. */
typedef struct TimedSets
{
	FimSetsSpec	spec;
	FimSetsSize size;
	FimSetsPair *pair;			/* the row is the value, the column the key */
	uint64_t	npairs;
	uint64_t	room;
} TimedSets;

static void
AddPair(TimedSets *sets, uint32_t value, uint32_t key)
{
	if (sets->npairs == sets->room)
	{
		sets->room = sets->room == 0 ? 1 << 20 : 2 * sets->room;
		sets->pair = realloc(sets->pair, sizeof(FimSetsPair) * sets->room);
		if (sets->pair == NULL)
			Die("out of memory");
	}
	sets->pair[sets->npairs++] = (FimSetsPair) {key, value};
	sets->size.left_values = value < sets->size.left_values ? sets->size.left_values : value + 1;
	sets->size.keys = key < sets->size.keys ? sets->size.keys : key + 1;
}

static void
ReadGraph(TimedSets *sets, const char *name)
{
	FILE	   *file = fopen(name, "r");
	char	   *line = NULL;
	size_t		size = 0;
	uint32_t	row;
	uint32_t	column;

	if (file == NULL)
		Die("cannot open the file");
	while (getline(&line, &size, file) >= 0)
		if (line[0] != '#' && line[0] != '%' && sscanf(line, "%" SCNu32 " %" SCNu32, &row, &column) == 2)
			AddPair(sets, row, column);
	free(line);
	fclose(file);
}

static void
MakeDense(TimedSets *sets, uint32_t nsets, uint32_t nkeys, double density)
{
	Rng			rng = {1};

	for (uint32_t s = 0; s < nsets; s++)
		for (uint32_t k = 0; k < nkeys; k++)
			if (RngChance(&rng, density))
				AddPair(sets, s, k);
}

static void
MakeAlike(TimedSets *sets, uint32_t nsets, uint32_t nkeys, double size)
{
	Rng			rng = {1};

	for (uint32_t s = 0; s < nsets; s++)
	{
		uint64_t	before = sets->npairs;
		uint32_t	n = (uint32_t) (size * (0.5 + RngUnit(&rng)));

		for (uint32_t i = 0; i < n; i++)
			AddPair(sets, s, s % 10 == 9 && before > i && RngChance(&rng, 0.95) && sets->pair[before - 1 - i].value == s - 1 ?
					sets->pair[before - 1 - i].key : RngBelow(&rng, nkeys));
	}
}

static void
MakeBought(TimedSets *sets, uint32_t customers, uint32_t items, uint64_t n)
{
	sets->size.keys = customers;
	sets->size.left_values = items;
	sets->pair = malloc(sizeof(FimSetsPair) * 2 * n);
	if (sets->pair == NULL)
		Die("out of memory");
	sets->npairs = MakePurchases(customers, items, n, sets->pair);
}

static FimSetsData *
BuildTimed(TimedSets *sets, bool one, FimHost *host)
{
	size_t		bound;
	FimSetsData *data;

	sets->size.one = one;
	sets->size.left_pairs = sets->npairs;
	if (!one)
	{
		sets->size.right_pairs = sets->npairs;
		sets->size.left_values = sets->size.keys = sets->size.right_values =
			sets->size.left_values > sets->size.keys ? sets->size.left_values : sets->size.keys;
	}
	bound = FimSetsBound(&sets->size);
	data = malloc(bound);
	if (data == NULL)
		Die("out of memory");
	FimSetsBegin(data, bound, &sets->size);
	for (uint64_t p = 0; p < sets->npairs; p++)
	{
		FimSetsAddLeft(data, sets->pair[p].key, sets->pair[p].value);
		/* of A*A, the rows of the second matrix are keys */
		if (!one)
			FimSetsAddRight(data, sets->pair[p].value, sets->pair[p].key);
	}
	if (FimSetsFinish(data, host) != FIM_DONE)
		Die("cannot build the relations");
	free(sets->pair);
	return data;
}

/* The data of a description, and the job. */
static FimSetsData *
Describe(const char *what, FimSetsSpec *spec, FimHost *host)
{
	TimedSets	sets = {.npairs = 0};
	unsigned	nsets;
	unsigned	nkeys;
	double		amount;
	double		threshold;
	unsigned	measure;
	bool		existence = what[0] == '=';
	int			read = sscanf(what + existence, "%u,%u,%lf,%lf,%u", &nsets, &nkeys, &amount, &threshold, &measure);

	*spec = (FimSetsSpec) {.head = {sizeof(*spec), 0, true}, .result = FIM_SETS_PRODUCT, .min_witnesses = 1};
	if (read == 5)
	{
		*spec = (FimSetsSpec) {.head = {sizeof(*spec)}, .result = FIM_SETS_BEST, .witnesses = true, .min_witnesses = 1,
			.measure = (FimSetsMeasure) measure, .most_partners = (uint32_t) threshold, .transactions = nsets};
		MakeBought(&sets, nsets, nkeys, (uint64_t) amount);
	}
	else if (read == 4)
	{
		spec->result = FIM_SETS_SIMILAR;
		spec->witnesses = true;
		spec->threshold = threshold;
		MakeAlike(&sets, nsets, nkeys, amount);
	}
	else if (read == 3)
	{
		spec->result = existence ? FIM_SETS_PRODUCT : FIM_SETS_PAIRS;
		spec->min_witnesses = existence ? 1 : 2;
		MakeDense(&sets, nsets, nkeys, amount);
	}
	else
		ReadGraph(&sets, what + (what[0] == '@'));
	return BuildTimed(&sets, read >= 3 || what[0] == '@', host);
}

/* A number that is the same for the same partners, whatever order their records come in. */
static uint64_t
SumOfPartners(const FimSetsSpec *spec, const WordSink *sink)
{
	uint64_t	sum = 0;

	for (size_t at = 0; at < sink->nwords; at += FimSetsRecordWords(spec, sink->words[at + 1]))
	{
		const uint32_t *record = sink->words + at;
		uint32_t	n = record[1];
		uint32_t	first = record[FimSetsRecordWords(spec, n) - 1];

		for (uint32_t i = 0; i < n; i++)
		{
			uint64_t	score;

			memcpy(&score, record + 2 + 2 * (size_t) n + 2 * i, sizeof(score));
			sum += FimHash64(FimHash64(((uint64_t) record[0] << 32 | record[2 + i]) ^ FimHash64(score)) ^
							 ((uint64_t) record[2 + n + i] << 32 | (first + i)));
		}
	}
	return sum;
}

/* Has the CPU engine find the same partners, which are timed, too. */
static FimSetsData *
TimeCpu(const FimSetsSpec *spec, FimSetsData *data, FimHost *host, uint64_t *sum)
{
	TaskWorker	workers[CPU_WORKERS];
	double		start = WallSeconds();

	data = realloc(data, FimSetsFamily.cpu_size(&data->head));
	if (data == NULL || !FimSetsFamily.cpu_prepare(&data->head, host))
		Die("out of memory");
	printf("%" PRIu64 " pairs, %" PRIu64 " paths, made ready for the CPU in %.0f ms", data->left.npairs, data->paths,
		   1e3 * (WallSeconds() - start));
	StartWorkers(FimMine, FimSetsTask(spec, data, NULL), workers, CPU_WORKERS);
	start = WallSeconds();
	RunWorkers(workers, CPU_WORKERS);
	printf(", %.0f ms with %d workers\n", 1e3 * (WallSeconds() - start), CPU_WORKERS);
	*sum = 0;
	for (int w = 0; w < CPU_WORKERS; w++)
		*sum += SumOfPartners(spec, &workers[w].sink);
	EndWorkers(workers, CPU_WORKERS);
	return data;
}

/* *sum is that of the partners that are wanted, if the task is to list them. */
static void
TimeRun(const FimGpuFamily *gpu, const FimSetsSpec *spec, const FimSetsData *data, FimHost *host, uint64_t sum)
{
	WordSink	sink;
	FimSetsSummary summary = {0};
	FimTask		task = FimSetsTask(spec, data, &summary);
	double		elements = (double) data->left.npairs * data->right.nvalues + (double) data->right.npairs * data->left.nvalues;
	double		start;
	double		ms;
	double		on_device = 0;
	FimResult	result;

	task.shared = calloc(1, FimSharedSize(&task));
	WordSinkInit(&sink);
	start = WallSeconds();
	result = MineOnGpu(&task, host, &sink.base);
	ms = 1e3 * (WallSeconds() - start);
	free(task.shared);
	if (result != FIM_DONE)
		Die("the GPU did not do it");
	if (!spec->head.count_only && SumOfPartners(spec, &sink) != sum)
		Die("the partners are not those that the CPU has found");
	free(sink.words);
	printf("%s%s\t%" PRIu64 " results\t%.3f ms", gpu->strategies[spec->head.strategy], spec->witnesses ? " counting" : "",
		   summary.pairs, ms);
	for (int p = 0; p < FIM_GPU_NPHASES; p++)
	{
		on_device += p == FIM_GPU_BUILD || p == FIM_GPU_COUNT ? library->report()->ms[p] : 0;
		printf("\t%s %.3f", phase_names[p], library->report()->ms[p]);
	}
	/* pairs of one relation are half of all */
	printf("\ttiled %u x %u\t%.3g elements/s\t%.3g with building\n", summary.tiled_left, summary.tiled_right,
		   elements / (data->one ? 2 : 1) / library->report()->ms[FIM_GPU_COUNT] * 1e3,
		   elements / (data->one ? 2 : 1) / on_device * 1e3);
}

int
TimeSets(const FimGpuFamily *gpu, int strategy, const char *what, int runs)
{
	TestHost	host;
	FimGpuOptions options = Options(0);
	FimSetsSpec	spec;
	FimSetsData *data;
	uint64_t	sum = 0;

	HostInit(&host);
	data = Describe(what, &spec, &host.base);
	if (!spec.head.count_only)
		data = TimeCpu(&spec, data, &host.base, &sum);
	if (!library->open(&options))
		Die("there is no device");
	for (int s = strategy < 0 ? 0 : strategy; gpu->strategies[s] != NULL && (strategy < 0 || s == strategy); s++)
		for (int run = 0; run < runs; run++)
		{
			spec.head.strategy = s;
			library->set_options(&options);
			TimeRun(gpu, &spec, data, &host.base, sum);
		}
	free(data);
	return 0;
}
