/*-------------------------------------------------------------------------
 *
 * set_checks.c
 *	  Whether an engine finds the products, pairs and similar sets that are there, see
 *	  set_checks.h.
 *
 *-------------------------------------------------------------------------
 */
#include "set_checks.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/arena.h"
#include "relations.h"

#define MAX_WORKERS			3
#define MOST_PARTS			9
#define SMALL				12
#define LARGE				150
#define MANY				800
#define FEW					30

static const char *const cpu_strategies[] = FIM_SETS_STRATEGY_NAMES;

static FimResult
MineOnCpu(const FimTask *task, FimHost *host, FimSink *sink)
{
	return FimMine(task, host, sink);
}

/* All values are 3 whole tiles and one of two values. */
const SetsEngine cpu_sets_engine = {.strategies = cpu_strategies, .strategy = -1,
	.split = {128, 3 * 1024 + 2 - 128, 0.3, 1, 0.15}, .mine = MineOnCpu};

void
StartSetsTask(const SetsEngine *engine, const FimSetsSpec *spec, const FimSetsData *data, TaskWorker *workers, uint32_t n)
{
	StartWorkers(engine->mine, FimSetsTask(spec, data, NULL), workers, n);
	if (engine->prepare != NULL)
		engine->prepare(&workers[0].task);
}

/* Does a pair stand for its reverse, too? */
static bool
GoesBothWays(const TestRelations *relations, const FimSetsSpec *spec)
{
	return relations->one && (spec->result != FIM_SETS_SIMILAR || spec->measure != FIM_CONTAINMENT);
}

static bool
CheckPair(const TestRelations *relations, const FimSetsSpec *spec, TestCell *cells, uint32_t value,
		  uint32_t other, const uint32_t *witnesses, const double *similarity)
{
	size_t		n = relations->right.nvalues;
	TestCell   *cell;

	if (value >= relations->left.nvalues || other >= n)
		return Complain("a value that is not there");
	cell = &cells[value * n + other];
	if (!cell->wanted)
		return Complain("%u, %u with %u witnesses is not wanted", value, other, cell->witnesses);
	if (witnesses != NULL && *witnesses != cell->witnesses)
		return Complain("%u, %u with %u witnesses, not %u", value, other, *witnesses, cell->witnesses);
	if (similarity != NULL && *similarity != cell->similarity)
		return Complain("%u, %u with similarity %.17g, not %.17g", value, other, *similarity, cell->similarity);
	cell->given++;
	if (value != other && GoesBothWays(relations, spec))
		cells[other * n + value].given++;
	return true;
}

/* The number of results is counted as the header says. */
static bool
CheckRecords(const TestRelations *relations, const FimSetsSpec *spec, TestCell *cells, const WordSink *sink)
{
	size_t		at = 0;
	size_t		results = 0;

	while (at < sink->nwords)
	{
		const uint32_t *record = sink->words + at;
		uint32_t	n = record[1];
		const uint32_t *witnesses = spec->witnesses ? record + 2 + n : NULL;
		const uint32_t *similarities = record + 2 + (spec->witnesses ? 2 : 1) * (size_t) n;

		at += FimSetsRecordWords(spec, n);
		if (n == 0 || at > sink->nwords)
			return Complain("a record of %u pairs", n);
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t	other = record[2 + i];
			double		similarity;

			if (spec->result == FIM_SETS_SIMILAR)
				memcpy(&similarity, similarities + 2 * i, sizeof(double));
			if (!CheckPair(relations, spec, cells, record[0], other, witnesses != NULL ? witnesses + i : NULL,
						   spec->result == FIM_SETS_SIMILAR ? &similarity : NULL))
				return false;
			results += spec->result == FIM_SETS_PRODUCT && relations->one && record[0] != other ? 2 : 1;
		}
	}
	return results == sink->results || Complain("%zu results, not %zu", sink->results, results);
}

static bool
CheckCells(const TestRelations *relations, const TestCell *cells)
{
	for (uint32_t l = 0; l < relations->left.nvalues; l++)
		for (uint32_t r = 0; r < relations->right.nvalues; r++)
		{
			const TestCell *cell = &cells[(size_t) l * relations->right.nvalues + r];

			if (cell->given != cell->wanted)
				return Complain("%u, %u with %u witnesses was given %u times", l, r, cell->witnesses, cell->given);
		}
	return true;
}

/* Pairs without order are cells on both sides of the diagonal. */
static uint64_t
WantedResults(const TestRelations *relations, const FimSetsSpec *spec, const TestCell *cells)
{
	uint64_t	wanted = 0;

	for (uint32_t l = 0; l < relations->left.nvalues; l++)
		for (uint32_t r = 0; r < relations->right.nvalues; r++)
			wanted += cells[(size_t) l * relations->right.nvalues + r].wanted;
	if (spec->result == FIM_SETS_PRODUCT || !GoesBothWays(relations, spec))
		return wanted;
	return wanted / 2;
}

/* Do a task, which may be a part, and note the cells that it gives.  Adds its results to *results. */
static bool
RunTask(const SetsEngine *engine, const TestRelations *relations, const FimSetsData *data, const FimSetsSpec *spec,
		uint32_t n, TestCell *cells, uint64_t *results)
{
	TaskWorker	workers[MAX_WORKERS];
	FimSetsSummary sum = {0};
	uint64_t	by_strategy = 0;
	FimShared  *shared;
	bool		good = true;

	StartSetsTask(engine, spec, data, workers, n);
	shared = workers[0].task.shared;
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n && good; w++)
	{
		good = workers[w].result == FIM_DONE || Complain("result %d", workers[w].result);
		FimSetsFamily.summary_add(&workers[w].task, &sum, workers[w].task.summary);
		good = good && CheckRecords(relations, spec, cells, &workers[w].sink);
	}
	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
		by_strategy += sum.found[s];
	if (good && (sum.pairs != shared->results || by_strategy != shared->results))
		good = Complain("%u results, %u in the end, %u by strategy", (unsigned) sum.pairs, (unsigned) shared->results,
						(unsigned) by_strategy);
	if (good && shared->done != shared->total)
		good = Complain("%llu units of %llu were done", (unsigned long long) shared->done, (unsigned long long) shared->total);
	*results += sum.pairs;
	return EndWorkers(workers, n) && good;
}

/* Do the whole, or, if there are no data of it, all of its parts. */
static bool
CheckTask(const SetsEngine *engine, const TestRelations *relations, const FimSetsData *whole, const FimSetsSpec *asked,
		  uint32_t n)
{
	TestCell   *cells = FindCells(relations, asked);
	FimSetsSpec spec = *asked;
	uint64_t	wanted = WantedResults(relations, asked, cells);
	uint64_t	results = 0;
	bool		good = true;

	if (whole != NULL)
		good = RunTask(engine, relations, whole, &spec, n, cells, &results);
	for (; whole == NULL && spec.head.part.number < spec.head.part.of && good; spec.head.part.number++)
	{
		FimSetsData *data = BuildPart(relations, &spec);

		good = RunTask(engine, relations, data, &spec, n, cells, &results);
		OddFree(data);
	}
	if (good && results != wanted)
		good = Complain("%u results, not %u", (unsigned) results, (unsigned) wanted);
	if (good && !spec.head.count_only)
		good = CheckCells(relations, cells);
	free(cells);
	return good;
}

/* Similarities that sets have, what is next to them, and others. */
static double
DrawThreshold(Rng *rng)
{
	double		m = 1 + RngBelow(rng, 12);
	double		n = 1 + RngBelow(rng, (uint32_t) m);
	double		threshold = RngChance(rng, 0.3) ? n / sqrt(m * (1 + RngBelow(rng, 12))) : n / m;

	if (RngChance(rng, 0.2))
		threshold = nextafter(threshold, RngBelow(rng, 3));
	if (RngChance(rng, 0.2))
		threshold = 1 - RngUnit(rng);
	return threshold > 1 ? 1 : threshold;
}

static FimSetsSpec
DrawSpec(Rng *rng, const TestRelations *relations)
{
	FimSetsSpec	spec = {.head = {.size = sizeof(spec), .count_only = RngChance(rng, 0.4)}, .min_witnesses = 1};

	if (relations->one)
		spec.result = (FimSetsResult) RngBelow(rng, 3);
	else if (relations->whole)
		spec.result = FIM_SETS_SIMILAR;
	spec.witnesses = RngChance(rng, 0.5);
	/* few pairs have many */
	if (RngChance(rng, 0.5))
		spec.min_witnesses = 1 + RngBelow(rng, RngChance(rng, 0.5) ? 3 : 1 + relations->nkeys / 2);
	spec.measure = (FimSetsMeasure) RngBelow(rng, 4);
	spec.threshold = DrawThreshold(rng);
	return spec;
}

/* A task that is stopped somewhere, or finds no memory, says so and leaves nothing. */
static bool
CheckStopping(const SetsEngine *engine, Rng *rng, const FimSetsData *data, FimSetsSpec spec)
{
	TaskWorker	worker;
	bool		good;

	StartSetsTask(engine, &spec, data, &worker, 1);
	good = RunHindered(&worker, rng);
	return EndWorkers(&worker, 1) && good;
}

/* A task with a random number of workers, and the same when it is stopped. */
static bool
CheckStrategy(const SetsEngine *engine, Rng *rng, const TestRelations *relations, const FimSetsData *data,
			  const FimSetsSpec *spec, const char *isa)
{
	uint32_t	n = engine->one_worker ? 1 : 1 + RngBelow(rng, MAX_WORKERS);

	FimSetsSpec part = *spec;

	/* devices have parts of two relations only */
	part.head.part.of = 1 + RngBelow(rng, MOST_PARTS);
	if (CheckTask(engine, relations, data, spec, n) && CheckStopping(engine, rng, data, *spec) &&
		((engine->one_worker && relations->one) || RngChance(rng, 0.7) || CheckTask(engine, relations, NULL, &part, n)))
		return true;
	return Complain("strategy %s, %s, %u workers: result %d, count %d, witnesses %d, at least %u, measure %d, "
					"threshold %.17g", engine->strategies[spec->head.strategy], isa, n, spec->result,
					spec->head.count_only, spec->witnesses, (unsigned) spec->min_witnesses, spec->measure, spec->threshold);
}

/* The strategies of the engine, and every instruction set with each if it depends on that. */
static bool
CheckStrategies(const SetsEngine *engine, Rng *rng, const TestRelations *relations, const FimSetsData *data)
{
	FimSetsSpec	spec = DrawSpec(rng, relations);
	bool		good = true;

	for (int s = 0; engine->strategies[s] != NULL && good; s++)
	{
		spec.head.strategy = s;
		if (engine->strategy >= 0 && engine->strategy != s)
			continue;
		if (engine->one_worker)
			good = CheckStrategy(engine, rng, relations, data, &spec, "on devices");
		for (const char *const *isa = Isas(); *isa != NULL && good && !engine->one_worker; isa++)
		{
			FimSetIsa(*isa);
			good = CheckStrategy(engine, rng, relations, data, &spec, *isa);
		}
	}
	FimSetIsa(NULL);
	return good;
}

/* Most relations are small.  Bits of many values are multiplied by other kernels on devices. */
static void
DrawSize(const SetsEngine *engine, Rng *rng, TestRelations *relations)
{
	double		many = engine->one_worker ? 0.05 : 0.01;
	double		size = RngUnit(rng);

	if (size < many)
		DrawRelations(rng, relations, MANY, FEW);
	else if (size < many + 0.1)
		DrawRelations(rng, relations, LARGE, 2 * LARGE);
	else
		DrawRelations(rng, relations, SMALL, 2 * SMALL);
}

bool
CheckRandomRelations(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations;
	FimSetsData *data;
	bool		good;

	DrawSize(engine, &rng, &relations);
	/* devices look for similar sets in one relation only */
	relations.whole = !relations.one && !engine->one_worker && RngChance(&rng, 0.5);
	data = BuildRelations(&relations);
	good = CheckStrategies(engine, &rng, &relations, data);
	if (!good)
	{
		Complain("relations of seed %llu", (unsigned long long) seed);
		if (relations.left.npairs + relations.right.npairs < 300)
			PrintRelations(&relations);
	}
	OddFree(data);
	FreeRelations(&relations);
	return good;
}

/* The results of a task in any order, so that those of two strategies can be compared. */
typedef struct Results
{
	uint64_t	n;
	uint64_t	sum;			/* of a hash of each */
	uint64_t	found[FIM_SETS_STRATEGIES];
} Results;

static uint64_t
HashOf(uint32_t a, uint32_t b, uint32_t witnesses)
{
	return FimHash64(((uint64_t) a << 32 | b) ^ FimHash64(witnesses));
}

static void
AddRecords(const FimSetsSpec *spec, bool ordered, const WordSink *sink, Results *results)
{
	for (size_t at = 0; at < sink->nwords; at += FimSetsRecordWords(spec, sink->words[at + 1]))
	{
		const uint32_t *record = sink->words + at;

		for (uint32_t i = 0; i < record[1]; i++)
		{
			uint32_t	a = record[0];
			uint32_t	b = record[2 + i];
			uint32_t	witnesses = spec->witnesses ? record[2 + record[1] + i] : 1;

			results->sum += ordered || a < b ? HashOf(a, b, witnesses) : HashOf(b, a, witnesses);
		}
	}
}

/* By one or two workers. */
static Results
ResultsOfWorkers(const SetsEngine *engine, const FimSetsData *data, FimSetsSpec spec, FimSetsStrategy strategy,
				 uint32_t n)
{
	TaskWorker	workers[2];
	FimSetsSummary sum = {0};
	Results		results = {0};

	spec.head.strategy = strategy;
	StartSetsTask(engine, &spec, data, workers, n);
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n; w++)
	{
		assert(workers[w].result == FIM_DONE);
		FimSetsFamily.summary_add(&workers[w].task, &sum, workers[w].task.summary);
		AddRecords(&spec, !data->one, &workers[w].sink, &results);
	}
	results.n = sum.pairs;
	memcpy(results.found, sum.found, sizeof(results.found));
	EndWorkers(workers, n);
	return results;
}

static Results
ResultsOf(const SetsEngine *engine, const FimSetsData *data, FimSetsSpec spec, FimSetsStrategy strategy)
{
	return ResultsOfWorkers(engine, data, spec, strategy, engine->one_worker ? 1 : 2);
}

/* All strategies of the engine but "auto" find the same as the CPU engine's "rows". */
static bool
CheckSame(const SetsEngine *engine, const char *what, const FimSetsData *data, FimSetsSpec spec)
{
	Results		wanted = ResultsOf(&cpu_sets_engine, data, spec, FIM_SETS_ROWS);
	bool		good = true;

	for (int s = 0; engine->strategies[s] != NULL; s++)
	{
		Results		found;

		if (engine->strategy >= 0 && engine->strategy != s)
			continue;
		found = ResultsOf(engine, data, spec, (FimSetsStrategy) s);
		if (found.n != wanted.n || found.sum != wanted.sum || found.n == 0)
			good = Complain("%s, result %d: %u by strategy %s, not %u", what, spec.result, (unsigned) found.n,
							engine->strategies[s], (unsigned) wanted.n);
	}
	return good;
}

static TestRelations
RelationsOf(const FimSetsSize *size, const FimSetsPair *left, const FimSetsPair *right)
{
	return (TestRelations) {.one = size->one, .nkeys = size->keys,
		.left = {size->left_values, (uint32_t) size->left_pairs, (FimSetsPair *) left},
		.right = {size->right_values, (uint32_t) size->right_pairs, (FimSetsPair *) right}};
}

static FimSetsData *
BuildPairs(const FimSetsSize *size, const FimSetsPair *left, const FimSetsPair *right)
{
	TestRelations relations = RelationsOf(size, left, right);

	return BuildRelations(&relations);
}

#define SPARSE_KEYS		3
#define SPLIT_KEYS		20000

static bool
IsSplit(const SetsEngine *engine, const FimSetsData *data, FimSetsSpec spec)
{
	Results		split = ResultsOf(engine, data, spec, FIM_SETS_AUTO);

	return (split.found[FIM_SETS_BITS] > 0 && split.found[FIM_SETS_ROWS] > 0) ||
		Complain("nothing was split, result %d", spec.result);
}

/* All tasks that there are of pairs as one relation, and as both of two; does "auto" have to split them? */
static bool
CheckAllTasks(const SetsEngine *engine, const char *what, FimSetsSize size, const FimSetsPair *pair, FimSetsSpec spec,
			  bool split)
{
	bool		good = true;

	for (int relations = 1; relations <= 2; relations++)
	{
		FimSetsData *data;

		size.one = relations == 1;
		size.right_pairs = size.one ? 0 : size.left_pairs;
		size.right_values = size.one ? 0 : size.left_values;
		data = BuildPairs(&size, pair, pair);
		for (int result = 0; result < (size.one ? 3 : 1); result++)
		{
			spec.result = (FimSetsResult) result;
			if (split && result != FIM_SETS_SIMILAR && engine->strategy <= FIM_SETS_AUTO)
				good = IsSplit(engine, data, spec) && good;
			good = CheckSame(engine, what, data, spec) && good;
		}
		OddFree(data);
	}
	return good;
}

/*
 * Some values with many keys among many with few, for which strategy "auto" has tiles and
 * rows.
 */
bool
CheckSplitRelations(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	/* only "auto" has to split them, and others would take long for many */
	const SplitShape *shape = engine->strategy > FIM_SETS_AUTO ? &cpu_sets_engine.split : &engine->split;
	FimSetsSize size = {.left_values = shape->dense + shape->sparse, .keys = SPLIT_KEYS};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) *
							   ((size_t) shape->dense * SPLIT_KEYS + SPARSE_KEYS * (size_t) shape->sparse));
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .min_witnesses = shape->min_witnesses, .witnesses = true,
		.threshold = shape->threshold};
	bool		good;

	for (uint32_t v = 0; v < shape->dense; v++)
		for (uint32_t k = 0; k < SPLIT_KEYS; k++)
			if (RngChance(&rng, shape->density))
				pair[size.left_pairs++] = (FimSetsPair) {k, v};
	for (uint32_t v = shape->dense; v < size.left_values; v++)
		for (int k = 0; k < SPARSE_KEYS; k++)
			pair[size.left_pairs++] = (FimSetsPair) {RngBelow(&rng, SPLIT_KEYS), v};
	good = CheckAllTasks(engine, "split", size, pair, spec, true);
	free(pair);
	return good;
}

#define COUNTED_VALUES	300
#define COUNTED_KEYS	400
#define COUNTED_DENSITY	0.1
#define COUNTED_LEAST	4

/*
 * Results that are only counted, of so many values that devices have a tally of a product of
 * bits rather than cells; about half of all pairs have enough witnesses.
 */
bool
CheckCountedRelations(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	FimSetsSize size = {.left_values = COUNTED_VALUES, .keys = COUNTED_KEYS};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * COUNTED_VALUES * COUNTED_KEYS);
	FimSetsSpec	spec = {.head = {.size = sizeof(spec), .count_only = true}, .min_witnesses = COUNTED_LEAST,
		.threshold = COUNTED_DENSITY / 2};
	bool		good;

	for (uint32_t v = 0; v < COUNTED_VALUES; v++)
		for (uint32_t k = 0; k < COUNTED_KEYS; k++)
			if (RngChance(&rng, COUNTED_DENSITY))
				pair[size.left_pairs++] = (FimSetsPair) {k, v};
	good = CheckAllTasks(engine, "counted", size, pair, spec, false);
	free(pair);
	return good;
}

#define GAP_FILLERS		1024
#define GAP_KEYS		20000

static void
AddGapKey(FimSetsSize *size, FimSetsPair *left, FimSetsPair *right, uint32_t key, uint32_t left_value,
		  uint32_t right_value)
{
	left[size->left_pairs++] = (FimSetsPair) {key, left_value};
	right[size->right_pairs++] = (FimSetsPair) {key, right_value};
}

/*
 * The last value of each side is alone in its tile, and between the first and the last of its
 * keys are chunks of keys that the other one has not.  All keys are equally frequent, so that
 * they keep their order.
 */
bool
CheckGapRelations(const SetsEngine *engine)
{
	FimSetsSize size = {.left_values = GAP_FILLERS + 1, .right_values = GAP_FILLERS + 1, .keys = GAP_KEYS};
	FimSetsPair *left = malloc(sizeof(FimSetsPair) * GAP_KEYS);
	FimSetsPair *right = malloc(sizeof(FimSetsPair) * GAP_KEYS);
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .min_witnesses = 1, .witnesses = true};
	FimSetsData *data;
	bool		good;

	for (uint32_t k = 0; k < GAP_KEYS; k++)
		AddGapKey(&size, left, right, k, k == 5 || k == GAP_KEYS - 1 ? GAP_FILLERS : k % GAP_FILLERS,
				  k == 9 || k == GAP_KEYS - 1 ? GAP_FILLERS : k % GAP_FILLERS);
	data = BuildPairs(&size, left, right);
	good = CheckSame(engine, "gap", data, spec);
	OddFree(data);
	free(left);
	free(right);
	return good;
}

#define WIDE_VALUES		1300000
#define WIDE_KEYS		20

/* So many right values that rows go through a hash table, or window by window. */
bool
CheckWideRelations(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	FimSetsSize size = {.left_values = 4, .right_values = WIDE_VALUES, .right_pairs = WIDE_VALUES,
	.keys = WIDE_KEYS};
	FimSetsPair left[WIDE_KEYS + 4] = {{0, 0}, {WIDE_KEYS - 1, 2}, {0, 3}, {WIDE_KEYS - 1, 3}};
	FimSetsPair *right = malloc(sizeof(FimSetsPair) * WIDE_VALUES);
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .min_witnesses = 1, .witnesses = true};
	FimSetsData *data;
	bool		good;

	for (uint32_t k = 0; k < WIDE_KEYS; k++)
		left[4 + k] = (FimSetsPair) {k, 1};
	/* few have the last key */
	for (uint32_t v = 0; v < WIDE_VALUES; v++)
		right[v] = (FimSetsPair) {v % 100 == 0 ? WIDE_KEYS - 1 : RngBelow(&rng, WIDE_KEYS - 1), v};
	size.left_pairs = sizeof(left) / sizeof(left[0]);
	data = BuildPairs(&size, left, right);
	good = CheckSame(engine, "wide", data, spec);
	OddFree(data);
	free(right);
	return good;
}

#define HEAVY_VALUES	100
#define HEAVY_KEYS		70000

/* Keys of left values whose rows have from a few paths to some millions; more than 2^16 keys are counted in words. */
static const uint32_t heavy_sizes[] = {HEAVY_KEYS, 65600, 30000, 2000, 200, 20, 3, 1};

/* Right values have most of the keys, left values the first ones. */
bool
CheckHeavyRelations(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	FimSetsSize size = {.left_values = sizeof(heavy_sizes) / sizeof(heavy_sizes[0]), .right_values = HEAVY_VALUES,
	.keys = HEAVY_KEYS};
	FimSetsPair *left = malloc(sizeof(FimSetsPair) * size.left_values * HEAVY_KEYS);
	FimSetsPair *right = malloc(sizeof(FimSetsPair) * HEAVY_VALUES * HEAVY_KEYS);
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .witnesses = true, .min_witnesses = 1};
	FimSetsData *data;
	bool		good;

	for (uint32_t v = 0; v < size.left_values; v++)
		for (uint32_t k = 0; k < heavy_sizes[v]; k++)
			left[size.left_pairs++] = (FimSetsPair) {k, v};
	for (uint32_t v = 0; v < HEAVY_VALUES; v++)
		for (uint32_t k = 0; k < HEAVY_KEYS; k++)
			if (RngChance(&rng, 0.62))
				right[size.right_pairs++] = (FimSetsPair) {k, v};
	data = BuildPairs(&size, left, right);
	good = CheckSame(engine, "heavy", data, spec);
	spec.witnesses = false;
	good = CheckSame(engine, "heavy, existence", data, spec) && good;
	spec.min_witnesses = 1000;
	good = CheckSame(engine, "heavy, enough", data, spec) && good;
	OddFree(data);
	free(left);
	free(right);
	return good;
}

#define THIN_VALUES		1500
#define THIN_PAIRS		4500

/* Rows with few paths of many right values, which only have to be met. */
bool
CheckThinRelations(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	FimSetsSize size = {.left_values = THIN_VALUES, .left_pairs = THIN_PAIRS, .keys = THIN_VALUES};
	FimSetsPair pair[THIN_PAIRS];
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .min_witnesses = 1, .threshold = 0.3};
	bool		good = true;

	for (int p = 0; p < THIN_PAIRS; p++)
		pair[p] = (FimSetsPair) {RngBelow(&rng, THIN_VALUES), RngBelow(&rng, THIN_VALUES)};
	for (int count_only = 0; count_only < 2; count_only++)
	{
		spec.head.count_only = count_only;
		good = CheckAllTasks(engine, "thin", size, pair, spec, false) && good;
	}
	return good;
}

#define TALL_VALUES		140000

/*
 * A worker tells the rows that it has done apart by numbers of 16 bits, so every value has a key in common with one
 * whose row has the same number, if these begin again from 1 or from 0.  On the right, each key has one value.
 */
static bool
CheckTallRelation(const SetsEngine *engine, uint32_t keys)
{
	FimSetsSize size = {.left_values = TALL_VALUES, .left_pairs = TALL_VALUES, .right_values = keys,
	.right_pairs = keys, .keys = keys};
	FimSetsPair *left = malloc(sizeof(FimSetsPair) * TALL_VALUES);
	FimSetsPair *right = malloc(sizeof(FimSetsPair) * keys);
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .min_witnesses = 1};
	FimSetsData *data;
	uint64_t	sum = 0;
	Results		found;

	for (uint32_t v = 0; v < TALL_VALUES; v++)
	{
		left[v] = (FimSetsPair) {v % keys, v};
		sum += HashOf(v, v % keys, 1);
	}
	for (uint32_t k = 0; k < keys; k++)
		right[k] = (FimSetsPair) {k, k};
	data = BuildPairs(&size, left, right);
	found = ResultsOfWorkers(engine, data, spec, FIM_SETS_ROWS, 1);
	OddFree(data);
	free(left);
	free(right);
	return (found.n == TALL_VALUES && found.sum == sum) ||
		Complain("tall: %u, not %u", (unsigned) found.n, (unsigned) TALL_VALUES);
}

bool
CheckTallRelations(const SetsEngine *engine)
{
	return CheckTallRelation(engine, UINT16_MAX) && CheckTallRelation(engine, UINT16_MAX + 1);
}
