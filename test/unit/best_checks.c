/*-------------------------------------------------------------------------
 *
 * best_checks.c
 *	  Whether an engine finds the best partners of values, see best_checks.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "best_checks.h"
#include "engine/sets/measure.h"
#include "relations.h"

#define MEASURES			7
#define MAX_WORKERS			3

/* Values that fill more than a tile, and of which a batch has no room for the partners of two. */
#define MANY_VALUES			1200
#define FEW_KEYS			24

/* As CheckBestOfWide() needs them: a device's block of threads has up to 32,768 values at a time. */
#define WIDE_VALUES			70000
#define WIDE_KEYS			70000
#define WIDE_PAIRS			4400000
#define WIDE_EQUAL			5000	/* values that only have one key, which is the same for all */
#define WIDE_PARTNERS		20

#define THIN_VALUES			300
#define THIN_KEYS			200
#define THIN_PAIRS			450

/* More than twice the digits of a float8, where the compiler has it. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 LongReal;
#else
typedef long double LongReal;
#endif

/*
 * Scores by the formulas, without the engine's functions.
 */

static long double
Term(long double observed, long double expected)
{
	return observed > 0 ? observed * logl(observed / expected) : 0;
}

static long double
LogLikelihoodRatio(long double o, long double a, long double b, long double n)
{
	long double sum = Term(o, a * b / n) + Term(a - o, a * (n - b) / n) + Term(b - o, (n - a) * b / n) +
		Term(n - a - b + o, (n - a) * (n - b) / n);

	return o * n < a * b ? -2 * sum : 2 * sum;
}

static double
Expected(const FimSetsSpec *spec, uint32_t o, uint32_t a, uint32_t b)
{
	LongReal	n = spec->transactions;
	LongReal	product = (LongReal) a * b;
	LongReal	root;

	switch (spec->measure)
	{
		case FIM_JACCARD:
			return (double) ((LongReal) o / ((LongReal) a + b - o));
		case FIM_COSINE:
			root = sqrtl((long double) product);
			return (double) (o / ((root + product / root) / 2));
		case FIM_OVERLAP:
			return (double) ((LongReal) o / (a < b ? a : b));
		case FIM_CONTAINMENT:
			return (double) ((LongReal) o / a);
		case FIM_LIFT:
			return (double) (o * n / product);
		case FIM_LEVERAGE:
			return (double) ((o * n - product) / (n * n));
		default:
			return (double) LogLikelihoodRatio(o, a, b, n);
	}
}

/* Only logarithms are rounded; those of long double are lost where the terms cancel each other. */
static bool
IsScore(const FimSetsSpec *spec, double score, uint32_t o, uint32_t a, uint32_t b)
{
	double		expected = Expected(spec, o, a, b);

	if (spec->measure == FIM_LOG_LIKELIHOOD_RATIO)
		return fabs(score - expected) <= 1e-12 * fabs(expected) + 1e-17 * spec->transactions;
	return score == expected;
}

/* Numbers of all sizes, and what is observed is what is expected, or hardly differs from it, too. */
bool
CheckScores(uint64_t seed)
{
	Rng			rng = {seed};
	FimSetsSpec	spec = {.transactions = 1 + (RngNext(&rng) & UINT32_MAX) / (1 + RngBelow(&rng, 1 << RngBelow(&rng, 31)))};
	uint32_t	all = (uint32_t) (spec.transactions < UINT32_MAX ? spec.transactions : UINT32_MAX - 1);
	uint32_t	a = 1 + RngBelow(&rng, all);
	uint32_t	b = 1 + RngBelow(&rng, all);
	uint64_t	least = (uint64_t) a + b > all ? (uint64_t) a + b - all : 0;
	uint32_t	most = a < b ? a : b;
	double		expected = (double) a * b / all;
	uint32_t	o = RngChance(&rng, 0.5) ? (uint32_t) expected : (uint32_t) (least + RngUnit(&rng) * (most - least + 1.0));

	spec.transactions = all;
	o = o < least ? (uint32_t) least : o > most ? most : o;
	o = o > 0 ? o : 1;
	for (int m = 0; m < MEASURES; m++)
	{
		double		score;

		spec.measure = (FimSetsMeasure) m;
		score = ScoreOf(&spec, o, a, b);
		if (!IsScore(&spec, score, o, a, b))
			return Complain("measure %d of %u, %u, %u, %u: %.17g, not %.17g", m, o, a, b, all, score,
							Expected(&spec, o, a, b));
		if (o > 1 && o > least && ScoreOf(&spec, o - 1, a, b) > score)
			return Complain("measure %d falls with the overlap: %u, %u, %u, %u", m, o, a, b, all);
		if (b > o && ScoreOf(&spec, o, a, b - 1) < score)
			return Complain("measure %d grows with the other set: %u, %u, %u, %u", m, o, a, b, all);
	}
	return true;
}

/*
 * All partners of a value, in the order that they must come in.
 */

typedef struct Partner
{
	double		score;
	uint32_t	witnesses;
	uint32_t	other;
} Partner;

static int
ComparePartners(const void *left, const void *right)
{
	const Partner *a = left;
	const Partner *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->witnesses != b->witnesses)
		return a->witnesses > b->witnesses ? -1 : 1;
	return a->other < b->other ? -1 : a->other > b->other;
}

/* Sorts the partners of a value into list[], and returns how many are wanted. */
static uint32_t
ListPartners(const FimSetsSpec *spec, const TestCell *cells, uint32_t nvalues, uint32_t value, Partner *list)
{
	uint32_t	n = 0;

	for (uint32_t v = 0; v < nvalues; v++)
	{
		const TestCell *cell = &cells[(size_t) value * nvalues + v];
		uint32_t	size = cells[(size_t) value * nvalues + value].witnesses;
		uint32_t	other = cells[(size_t) v * nvalues + v].witnesses;

		if (v == value || cell->witnesses < spec->min_witnesses ||
			(spec->threshold > 0 && ScoreOf(spec, cell->witnesses, size, other) < spec->threshold))
			continue;
		list[n++] = (Partner) {ScoreOf(spec, cell->witnesses, size, other), cell->witnesses, v};
	}
	qsort(list, n, sizeof(Partner), ComparePartners);
	return n < spec->most_partners ? n : spec->most_partners;
}

/* The partners that workers have given a value, by their place; score NaN where none was given. */
typedef struct Given
{
	uint32_t	room;			/* places of each value */
	Partner    *list;			/* [nvalues][room] */
	uint64_t	results;
} Given;

static void
GivenInit(Given *given, const FimSetsSpec *spec, uint32_t nvalues)
{
	*given = (Given) {.room = 1 + (spec->most_partners < nvalues ? spec->most_partners : nvalues)};
	given->list = malloc(sizeof(Partner) * given->room * ((size_t) nvalues + 1));
	for (size_t i = 0; i < given->room * (size_t) nvalues; i++)
		given->list[i].score = NAN;
}

static bool
TakeRecords(const FimSetsSpec *spec, uint32_t nvalues, const WordSink *sink, Given *given)
{
	size_t		results = 0;

	for (size_t at = 0; at < sink->nwords;)
	{
		const uint32_t *record = sink->words + at;
		uint32_t	n = record[1];
		uint32_t	first;

		at += FimSetsRecordWords(spec, n);
		first = sink->words[at - 1];
		if (n == 0 || at > sink->nwords || record[0] >= nvalues || first + n > given->room)
			return Complain("a record of %u partners, of which the first is number %u", n, first);
		for (uint32_t i = 0; i < n; i++)
		{
			Partner    *to = &given->list[(size_t) record[0] * given->room + first + i];

			if (!isnan(to->score))
				return Complain("number %u of value %u comes twice", first + i, record[0]);
			to->other = record[2 + i];
			to->witnesses = spec->witnesses ? record[2 + n + i] : 0;
			memcpy(&to->score, record + 2 + (spec->witnesses ? 2 : 1) * (size_t) n + 2 * i, sizeof(double));
		}
		results += n;
	}
	given->results += results;
	return results == sink->results || Complain("%zu results, not %zu", sink->results, results);
}

/* Whether each value has been given its best partners, and how many these are. */
static bool
CheckGiven(const FimSetsSpec *spec, const TestCell *cells, uint32_t nvalues, const Given *given, uint64_t *wanted)
{
	Partner    *list = malloc(sizeof(Partner) * (nvalues + 1));
	bool		good = true;

	*wanted = 0;
	for (uint32_t v = 0; v < nvalues && good; v++)
	{
		uint32_t	n = ListPartners(spec, cells, nvalues, v, list);

		*wanted += n;
		for (uint32_t i = 0; i < n && good && !spec->head.count_only; i++)
		{
			const Partner *found = &given->list[(size_t) v * given->room + i];

			good = (found->score == list[i].score && found->other == list[i].other &&
					found->witnesses == (spec->witnesses ? list[i].witnesses : 0)) ||
				Complain("partner %u of %u is %u with %u witnesses and %.17g, not %u with %u and %.17g", i, v,
						 found->other, found->witnesses, found->score, list[i].other, list[i].witnesses, list[i].score);
		}
	}
	free(list);
	return good;
}

static bool
CheckTask(const SetsEngine *engine, const TestRelations *relations, const FimSetsData *data, const FimSetsSpec *spec,
		  const TestCell *cells, uint32_t n)
{
	uint32_t	nvalues = relations->left.nvalues;
	Given		given;
	TaskWorker	workers[MAX_WORKERS];
	FimSetsSummary sum = {0};
	uint64_t	wanted = 0;
	uint64_t	found = 0;
	FimShared  *shared;
	bool		good = true;

	GivenInit(&given, spec, nvalues);
	StartSetsTask(engine, spec, data, workers, n);
	shared = workers[0].task.shared;
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n && good; w++)
	{
		good = workers[w].result == FIM_DONE || Complain("result %d", workers[w].result);
		FimSetsFamily.summary_add(&workers[w].task, &sum, workers[w].task.summary);
		good = good && TakeRecords(spec, nvalues, &workers[w].sink, &given);
	}
	good = good && CheckGiven(spec, cells, nvalues, &given, &wanted);
	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
		found += sum.found[s];
	if (good && (sum.pairs != wanted || shared->results != wanted || found != wanted ||
				 given.results != (spec->head.count_only ? 0 : wanted)))
		good = Complain("%u results, %u in the end, %u by strategy, %u given, not %u", (unsigned) sum.pairs,
						(unsigned) shared->results, (unsigned) found, (unsigned) given.results, (unsigned) wanted);
	if (good && shared->done != shared->total)
		good = Complain("%llu units of %llu were done", (unsigned long long) shared->done, (unsigned long long) shared->total);
	free(given.list);
	return EndWorkers(workers, n) && good;
}

/*
 * A task with every strategy of the engine, and instruction set if that matters; and the same when it is stopped, unless it
 * is large.
 */
static bool
CheckStrategies(const SetsEngine *engine, Rng *rng, const TestRelations *relations, const FimSetsData *data, FimSetsSpec spec, bool large)
{
	FimSetsSpec	all = {.result = FIM_SETS_PAIRS, .min_witnesses = 1};
	TestCell   *cells = FindCells(relations, &all);
	bool		good = true;

	for (int s = 0; engine->strategies[s] != NULL && good; s++)
		for (const char *const *isa = Isas(); *isa != NULL && good; isa++)
		{
			uint32_t	n = engine->one_worker ? 1 : 1 + RngBelow(rng, MAX_WORKERS);
			TaskWorker	worker;

			if ((engine->strategy >= 0 && engine->strategy != s) ||
				((s != FIM_SETS_BITS || engine->one_worker) && isa[1] != NULL))
				continue;
			spec.head.strategy = s;
			FimSetIsa(*isa);
			good = CheckTask(engine, relations, data, &spec, cells, n);
			if (good && !large)
			{
				StartSetsTask(engine, &spec, data, &worker, 1);
				good = RunHindered(&worker, rng);
				good = EndWorkers(&worker, 1) && good;
			}
			if (!good)
				Complain("strategy %s, %s, %u workers: count %d, witnesses %d, at least %u, at most %u, measure %d",
						 engine->strategies[s], *isa, n, spec.head.count_only, spec.witnesses, (unsigned) spec.min_witnesses,
						 spec.most_partners, spec.measure);
		}
	FimSetIsa(NULL);
	free(cells);
	return good;
}

static void
DrawOneRelation(Rng *rng, TestRelations *relations, uint32_t most_values, uint32_t most_keys)
{
	while (DrawRelations(rng, relations, most_values, most_keys), !relations->one)
		FreeRelations(relations);
}

static FimSetsSpec
DrawSpec(const SetsEngine *engine, Rng *rng, const TestRelations *relations)
{
	FimSetsSpec	spec = {.head = {.size = sizeof(spec), .count_only = RngChance(rng, 0.2)}, .result = FIM_SETS_BEST};

	spec.witnesses = RngChance(rng, 0.7);
	spec.min_witnesses = RngChance(rng, 0.5) ? 1 : 1 + RngBelow(rng, 1 + relations->nkeys / 3);
	spec.measure = (FimSetsMeasure) RngBelow(rng, MEASURES);
	spec.most_partners = RngChance(rng, 0.1) ? UINT32_MAX : 1 + RngBelow(rng, RngChance(rng, 0.5) ? 4 : 20);
	spec.transactions = relations->nkeys + (RngChance(rng, 0.5) ? RngBelow(rng, 100) : 0);
	if (spec.transactions == 0)
		spec.transactions = 1;
	/* measures of sets come with a threshold, which is often just reached; devices have none */
	if (!engine->one_worker && spec.measure <= FIM_CONTAINMENT && RngChance(rng, 0.5))
	{
		spec.threshold = RngChance(rng, 0.5) ? RngUnit(rng) :
			ScoreOf(&spec, 1 + RngBelow(rng, 3), 3 + RngBelow(rng, 4), 3 + RngBelow(rng, 4));
		spec.threshold = RngChance(rng, 0.3) ? nextafter(spec.threshold, 2) : spec.threshold;
	}
	return spec;
}

bool
CheckBestOfRandom(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	uint32_t	most = RngChance(&rng, 0.05) ? 150 : 14;
	TestRelations relations;
	FimSetsData *data;
	FimSetsSpec	spec;
	bool		good;

	DrawOneRelation(&rng, &relations, most, 2 * most);
	spec = DrawSpec(engine, &rng, &relations);
	data = BuildRelations(&relations);
	good = CheckStrategies(engine, &rng, &relations, data, spec, false);
	if (!good)
		Complain("relations of seed %llu", (unsigned long long) seed);
	OddFree(data);
	FreeRelations(&relations);
	return good;
}

/* More than one tile, and records that are cut short where a batch ends. */
bool
CheckBestOfMany(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations;
	FimSetsData *data;
	FimSetsSpec	spec;
	bool		good = true;

	do
		DrawOneRelation(&rng, &relations, MANY_VALUES, FEW_KEYS);
	while (relations.left.nvalues < MANY_VALUES * 9 / 10 || relations.nkeys < FEW_KEYS / 3 ? FreeRelations(&relations), true : false);
	data = BuildRelations(&relations);
	for (int i = 0; i < 2 && good; i++)
	{
		spec = DrawSpec(engine, &rng, &relations);
		spec.head.count_only = false;
		spec.most_partners = i == 0 ? UINT32_MAX : 1 + RngBelow(&rng, 30);
		good = CheckStrategies(engine, &rng, &relations, data, spec, true);
	}
	OddFree(data);
	FreeRelations(&relations);
	return good;
}

/* Values with so few paths that a row lists the cells that it meets, in the order of its keys: good ones may come last. */
bool
CheckBestOfThin(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = true, .nkeys = THIN_KEYS, .left = {.nvalues = THIN_VALUES, .npairs = THIN_PAIRS},
	.right.nvalues = THIN_VALUES};
	uint8_t    *in = calloc(THIN_VALUES, THIN_KEYS);
	FimSetsPair pair[THIN_PAIRS];
	FimSetsData *data;
	bool		good = true;

	for (int p = 0; p < THIN_PAIRS; p++)
	{
		pair[p] = (FimSetsPair) {RngBelow(&rng, THIN_KEYS), RngBelow(&rng, THIN_VALUES)};
		in[(size_t) pair[p].value * THIN_KEYS + pair[p].key] = true;
	}
	relations.left.pair = pair;
	relations.in_left = relations.in_right = in;
	data = BuildRelations(&relations);
	for (int m = 0; m < MEASURES && good; m++)
	{
		FimSetsSpec	spec = {.head.size = sizeof(spec), .result = FIM_SETS_BEST, .witnesses = true, .min_witnesses = 1,
			.measure = (FimSetsMeasure) m, .transactions = THIN_KEYS, .most_partners = 1 + RngBelow(&rng, 2)};

		good = CheckStrategies(engine, &rng, &relations, data, spec, true);
	}
	OddFree(data);
	free(in);
	return good;
}


/* A value with all keys, one with more than 2^16 of them, one with fewer; equal ones; and others of which few have many keys. */
static void
DrawWidePairs(Rng *rng, FimSetsPair *pair)
{
	static const uint32_t counts[] = {WIDE_KEYS, 66000, 30000, 3000};
	uint32_t	first = sizeof(counts) / sizeof(counts[0]);
	uint32_t	n = 0;

	for (uint32_t v = 0; v < first; v++)
		for (uint32_t k = 0; k < counts[v]; k++)
			pair[n++] = (FimSetsPair) {k, v};
	for (uint32_t v = WIDE_VALUES - WIDE_EQUAL; v < WIDE_VALUES; v++)
		pair[n++] = (FimSetsPair) {WIDE_KEYS / 2, v};
	while (n < WIDE_PAIRS)
		pair[n++] = (FimSetsPair) {RngBelow(rng, WIDE_KEYS),
		first + (uint32_t) ((WIDE_VALUES - WIDE_EQUAL - first) * pow(RngUnit(rng), 4))};
}

static bool
GiveBest(const SetsEngine *engine, const FimSetsData *data, const FimSetsSpec *spec, Given *given)
{
	uint32_t	n = engine->one_worker ? 1 : 2;
	TaskWorker	workers[2];
	bool		good = true;

	GivenInit(given, spec, WIDE_VALUES);
	StartSetsTask(engine, spec, data, workers, n);
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n; w++)
	{
		good = good && (workers[w].result == FIM_DONE || Complain("result %d", workers[w].result));
		good = good && TakeRecords(spec, WIDE_VALUES, &workers[w].sink, given);
	}
	return EndWorkers(workers, n) && good;
}

/* Whether a partner is the same in both, or in none. */
static bool
CompareGiven(const Given *found, const Given *wanted)
{
	for (size_t i = 0; i < found->room * (size_t) WIDE_VALUES; i++)
	{
		const Partner *a = &found->list[i];
		const Partner *b = &wanted->list[i];

		if (isnan(a->score) != isnan(b->score) || (!isnan(a->score) && (a->score != b->score || a->other != b->other ||
																		 a->witnesses != b->witnesses)))
			return Complain("partner %zu of %zu is %u with %u witnesses and %.17g, not %u with %u and %.17g",
							i % found->room, i / found->room, a->other, a->witnesses, a->score, b->other, b->witnesses,
							b->score);
	}
	return true;
}

static bool
CheckWide(const SetsEngine *engine, const FimSetsData *data, FimSetsSpec spec)
{
	Given		wanted;
	bool		good;

	good = GiveBest(&cpu_sets_engine, data, &spec, &wanted);
	for (int s = 0; engine->strategies[s] != NULL && good; s++)
	{
		Given		found;

		if (engine->strategy >= 0 && engine->strategy != s)
			continue;
		spec.head.strategy = s;
		good = GiveBest(engine, data, &spec, &found) && CompareGiven(&found, &wanted);
		if (!good)
			Complain("strategy %s, measure %d, wide", engine->strategies[s], spec.measure);
		free(found.list);
	}
	free(wanted.list);
	return good;
}

bool
CheckBestOfWide(const SetsEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations = {.one = true, .nkeys = WIDE_KEYS, .left = {.nvalues = WIDE_VALUES, .npairs = WIDE_PAIRS},
	.right.nvalues = WIDE_VALUES};
	FimSetsPair *pair = malloc(sizeof(FimSetsPair) * WIDE_PAIRS);
	FimSetsData *data;
	bool		good = true;

	DrawWidePairs(&rng, pair);
	relations.left.pair = pair;
	data = BuildRelations(&relations);
	for (int m = 0; m < MEASURES && good; m++)
	{
		FimSetsSpec	spec = {.head = {.size = sizeof(spec), .strategy = FIM_SETS_ROWS}, .result = FIM_SETS_BEST,
			.witnesses = true, .min_witnesses = 1 + m % 2, .measure = (FimSetsMeasure) m, .transactions = WIDE_KEYS,
			.most_partners = m % 3 == 0 ? 1 + m : WIDE_PARTNERS};

		good = CheckWide(engine, data, spec);
	}
	OddFree(data);
	free(pair);
	return good;
}
