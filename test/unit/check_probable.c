/*-------------------------------------------------------------------------
 *
 * check_probable.c
 *	  The CPU engine of probable itemsets against brute force on thousands of random
 *	  databases.
 *
 * Both kinds of uncertainty, with probabilities 0, 1, 1/2, tiny and any; every
 * strategy, instruction set and kind, values and decisions only, by probability and by
 * expectation, with thresholds at values that are exactly reached and right above
 * them, with random limits of length and required items; by one worker and by several
 * threads.  A listing must give each wanted itemset once, with values as near as
 * promised.  Workers also leave early, at every place where they can, and must leave
 * nothing behind.
 *
 * Usage: check_probable [-s seed] [-n databases] [-d number]
 *
 * The seed is also taken from FIM_SEED and the number of databases from
 * FIM_DATABASES; -d tries one of them only.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/ancestors/papriori/papriori.h"
#include "engine/probable/miner.h"
#include "support.h"
#include "uncertain.h"

#define DEFAULT_DATABASES	1500
#define MAX_WORKERS			4
#define SECONDS_A_DATABASE	600 /* longer means an endless loop */

/* How near values are to be, as probable.h promises. */
#define ABSOLUTE_ERROR		1e-12
#define RELATIVE_ERROR		1e-9
#define RELATIVE_DOWN_TO	1e-100

#define LEAST				0x1p-1074	/* double above 0 */

/* One call of the engine. */
typedef struct Case
{
	FimProbableSpec spec;
	const char *isa;
	uint32_t	workers;
} Case;

typedef struct Record
{
	uint32_t	mask;
	double		probability;
	double		expected;
	uint32_t	occurrences;
} Record;

/*
 * Random databases.
 */

static double
RandomProbability(Rng *rng, uint32_t flavour)
{
	static const double special[] = {1, 1, 0.5, 0.5, 0.25, 0.75, 0.1, 0.7, 1e-3, 1e-10, 1e-200,
	LEAST, DBL_MIN, 1 - DBL_EPSILON / 2};

	switch (flavour)
	{
		case 0:
			return RngUnit(rng);
		case 1:
			return special[RngBelow(rng, sizeof(special) / sizeof(special[0]))];
		case 2:
			return 0.5;
		case 3:
			return RngChance(rng, 0.7) ? 1 : RngUnit(rng);
		case 4:
			return RngUnit(rng) * 1e-4;
		case 5:
			return 1 - RngUnit(rng) * 1e-9;
		default:
			return (double) RngBelow(rng, 11) / 10;
	}
}

#define FLAVOURS	7

/*
 * So many transactions that an expected support that is off by a few hundredths is off by several
 * standard deviations, which is more than Chernoff's bound in pApriori allows for.
 */
#define LONG_ROWS	4000
#define LONG_PART	500			/* one database in so many */

static bool
IsLong(uint32_t number)
{
	return number % LONG_PART == LONG_PART / 2;
}

/* One item, likely in all rows. */
static void
MakeLong(Uncertain *table, Rng *rng)
{
	table->nitems = 1;
	table->nrows = LONG_ROWS;
	table->by_entry = RngChance(rng, 0.5);
	table->p = calloc(LONG_ROWS, sizeof(double));
	assert(table->p != NULL);
	for (uint32_t r = 0; r < LONG_ROWS; r++)
		table->p[r] = 0.85 + 0.1 * RngUnit(rng);
}

/* Up to one standard deviation below the expected support. */
static uint32_t
LongThreshold(const Uncertain *table, Rng *rng)
{
	double		mean = 0;
	double		variance = 0;

	for (uint32_t r = 0; r < table->nrows; r++)
	{
		mean += table->p[r];
		variance += table->p[r] * (1 - table->p[r]);
	}
	return (uint32_t) (mean - RngUnit(rng) * sqrt(variance));
}

static void
MakeUncertain(Uncertain *table, Rng *rng, uint32_t number)
{
	bool		large = number % 100 == 99;
	double		density = RngUnit(rng);
	uint32_t	flavour = RngBelow(rng, FLAVOURS);

	table->nitems = large ? 6 : 1 + RngBelow(rng, 7);
	table->nrows = large ? 150 + RngBelow(rng, 200) : RngBelow(rng, 25);
	table->by_entry = RngChance(rng, 0.5);
	table->p = calloc((size_t) table->nrows * table->nitems + 1, sizeof(double));
	assert(table->p != NULL);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		double		of_row = RandomProbability(rng, flavour);

		for (uint32_t i = 0; i < table->nitems; i++)
			if (RngChance(rng, density))
				table->p[(size_t) r * table->nitems + i] =
					table->by_entry ? RandomProbability(rng, flavour) : of_row;
	}
}

/* The rows that hold the required items, their items in random order. */
static FimProbableData *
BuildData(const Uncertain *table, uint32_t nrequired, Rng *rng)
{
	size_t		bound = FimProbableBound(table->nrows, (uint64_t) table->nrows * table->nitems,
										 table->nitems, table->by_entry);
	FimProbableData *building = OddAlloc(bound);
	FimProbableData *data;
	TestHost	host;

	FimProbableBegin(building, bound, table->nrows, (uint64_t) table->nrows * table->nitems,
					 table->nitems, table->by_entry);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		const double *p = table->p + (size_t) r * table->nitems;
		uint32_t	items[UNCERTAIN_ITEMS];
		double		probabilities[UNCERTAIN_ITEMS];
		uint32_t	n = 0;
		double		of_row = 0;
		bool		holds = true;

		for (uint32_t i = 0; i < table->nitems; i++)
		{
			uint32_t	to = RngBelow(rng, n + 1);

			holds = holds && (i >= nrequired || p[i] > 0);
			if (p[i] == 0 && !table->by_entry)
				continue;
			items[n] = items[to];
			probabilities[n++] = probabilities[to];
			items[to] = i;
			probabilities[to] = p[i];
			of_row = p[i];
		}
		if (holds)
			FimProbableAdd(building, items, probabilities, n, of_row);
	}
	HostInit(&host);
	if (!FimProbableFinish(building, &host.base))
		abort();
	assert(building->head.size <= bound);
	data = OddAlloc(FimProbableFamily.cpu_size(&building->head));
	memcpy(data, building, building->head.size);
	OddFree(building);
	if (!FimProbableFamily.cpu_prepare(&data->head, &host.base))
		abort();
	return data;
}

/*
 * Random jobs.
 */

/* A threshold at the value of some itemset or beside it, or any. */
static double
RandomThreshold(Rng *rng, double value, double any)
{
	switch (RngBelow(rng, 6))
	{
		case 0:
			return value > 0 ? value : any;
		case 1:
			return nextafter(value, INFINITY);
		case 2:
			return value > LEAST ? nextafter(value, 0) : any;
		default:
			return any;
	}
}

static void
RandomSpec(FimProbableSpec *spec, Rng *rng, const Uncertain *table, const UncertainSet *sets)
{
	static const double minprobs[] = {0.5, 0.5, 0.99, 0.9, 1, 1e-3, 1e-50, 1e-300, LEAST,
	1 - DBL_EPSILON / 2};
	const UncertainSet *set = &sets[1 + RngBelow(rng, (1u << table->nitems) - 1)];

	spec->head.size = sizeof(*spec);
	spec->head.count_only = RngChance(rng, 0.05);
	spec->exact = RngChance(rng, 0.5);
	spec->minprob = NAN;
	spec->min_expected = 1;
	if (RngChance(rng, 0.3))
		spec->min_expected = RandomThreshold(rng, (double) set->expected,
											RngUnit(rng) * (table->nrows + 1) + 1e-9);
	else
	{
		spec->minprob = RngChance(rng, 0.7) ? minprobs[RngBelow(rng, sizeof(minprobs) / sizeof(double))] :
			RngUnit(rng) + 1e-300;
		spec->minprob = RandomThreshold(rng, (double) set->tail, spec->minprob);
		if (spec->minprob > 1)
			spec->minprob = 1;
	}
	spec->min_length = RngChance(rng, 0.6) ? 1 : 1 + RngBelow(rng, 4);
	spec->max_length = RngChance(rng, 0.6) ? FIM_NO_LIMIT : 1 + RngBelow(rng, 6);
}

/*
 * Running a case and looking at what comes.
 */

static size_t
ReadRecord(const uint32_t *words, Record *record, bool *sorted)
{
	uint32_t	n = words[0];

	record->mask = 0;
	*sorted = true;
	for (uint32_t i = 1; i <= n; i++)
	{
		*sorted = *sorted && (i == 1 || words[i] > words[i - 1]);
		record->mask |= UINT32_C(1) << words[i];
	}
	memcpy(&record->probability, words + n + 1, sizeof(double));
	memcpy(&record->expected, words + n + 3, sizeof(double));
	record->occurrences = words[n + 5];
	return FIM_PROBABLE_RECORD_WORDS(n);
}

/* A value from below, as near as promised; DBL_EPSILON: it may be the nearest double. */
static bool
ProbabilityIsGood(const FimProbableSpec *spec, double shown, Real truth)
{
	Real		error = truth - shown;

	if (!(shown >= 0 && shown <= 1) || error < -truth * DBL_EPSILON - (Real) LEAST)
		return false;
	if (!isnan(spec->minprob) && shown < spec->minprob)
		return false;
	if (!spec->exact)
		return true;
	return error <= ABSOLUTE_ERROR &&
		(truth < RELATIVE_DOWN_TO || error <= RELATIVE_ERROR * truth);
}

static bool
CheckRecord(const FimProbableSpec *spec, const Record *record, UncertainSet *set, uint32_t run)
{
	Real		error = set->expected - record->expected;

	if (!set->selected)
		return Complain("itemset %#x, probability %.17g, is not probable: %.17g", record->mask,
						record->probability, (double) set->tail);
	if (!UncertainWants(spec, set))
		return Complain("itemset %#x is not wanted", record->mask);
	if (set->seen == run)
		return Complain("itemset %#x is there twice", record->mask);
	set->seen = run;
	if (record->occurrences != set->occurrences)
		return Complain("itemset %#x occurs %u times, not %u", record->mask, set->occurrences,
						record->occurrences);
	if (error < 0)
		error = -error;
	if (!(error <= ABSOLUTE_ERROR * set->expected + 100 * (Real) LEAST))
		return Complain("itemset %#x is expected %.17g times, not %.17g", record->mask,
						(double) set->expected, record->expected);
	if (!ProbabilityIsGood(spec, record->probability, set->tail))
		return Complain("itemset %#x has probability %.17g, not %.17g", record->mask,
						(double) set->tail, record->probability);
	return true;
}

static bool
CheckRecords(const TaskWorker *worker, const Case *c, const Uncertain *table, UncertainSet *sets,
			 uint32_t run)
{
	size_t		at = 0;

	while (at < worker->sink.nwords)
	{
		Record		record;
		bool		sorted;

		at += ReadRecord(worker->sink.words + at, &record, &sorted);
		if (!sorted || record.mask >> table->nitems != 0)
			return Complain("an itemset is not sorted or has items that there are not");
		if (!CheckRecord(&c->spec, &record, &sets[record.mask], run))
			return false;
	}
	return true;
}

static bool
CheckAll(const FimShared *shared, const Case *c, const Uncertain *table, const UncertainSet *sets,
		 uint32_t run)
{
	uint64_t	wanted = 0;

	for (uint32_t mask = 1; mask >> table->nitems == 0; mask++)
	{
		if (!UncertainWants(&c->spec, &sets[mask]))
			continue;
		wanted++;
		if (!c->spec.head.count_only && sets[mask].seen != run)
			return Complain("itemset %#x, probability %.17g, expected %.17g times, is missing", mask,
							(double) sets[mask].tail, (double) sets[mask].expected);
	}
	if (shared->results != wanted)
		return Complain("%llu results, progress says %llu", (unsigned long long) wanted,
						(unsigned long long) shared->results);
	return shared->done == shared->total || c->spec.max_length <= c->spec.nrequired ||
		Complain("%llu of %llu units are done", (unsigned long long) shared->done, (unsigned long long) shared->total);
}

static bool
CheckCase(const Case *c, const FimProbableData *data, const Uncertain *table, UncertainSet *sets)
{
	static uint32_t run;
	TaskWorker	workers[MAX_WORKERS];
	bool		good = true;

	if (!FimSetIsa(c->isa))
		abort();
	StartWorkers(FimMine, FimProbableTask(&c->spec, data, NULL), workers, c->workers);
	RunWorkers(workers, c->workers);
	run++;
	for (uint32_t w = 0; w < c->workers && good; w++)
		good = workers[w].result == FIM_DONE ? CheckRecords(&workers[w], c, table, sets, run) :
			Complain("a worker returns %s", ResultName(workers[w].result));
	good = good && CheckAll(workers[0].task.shared, c, table, sets, run);
	good = EndWorkers(workers, c->workers) && good;
	if (!good)
		Complain("fails: strategy %s, %s, kind %s, minsup %u, minprob %.17g, min_expected %.17g, exact %d, "
				 "required %u, lengths %u to %u, %u workers",
				 FimProbableFamily.strategies[c->spec.head.strategy], c->isa, KindName(c->spec.kind),
				 c->spec.minsup, c->spec.minprob, c->spec.min_expected, c->spec.exact, c->spec.nrequired,
				 c->spec.min_length, c->spec.max_length, c->workers);
	return good;
}

/* Every strategy, kind and instruction set, with jobs drawn anew each time. */
static bool
CheckCases(const FimProbableData *data, const Uncertain *table, UncertainSet *sets, Case *c,
		   Rng *rng)
{
	for (int strategy = 0; FimProbableFamily.strategies[strategy] != NULL; strategy++)
		for (int kind = FIM_ALL; kind <= FIM_MAXIMAL; kind++)
			for (const char *const *isa = Isas(); *isa != NULL; isa++)
			{
				c->isa = *isa;
				c->spec.kind = (FimKind) kind;
				c->spec.head.strategy = strategy;
				c->workers = RngChance(rng, 0.8) ? 1 : 2 + RngBelow(rng, MAX_WORKERS - 1);
				RandomSpec(&c->spec, rng, table, sets);
				if (UncertainSelect(table, sets, &c->spec) && !CheckCase(c, data, table, sets))
					return false;
			}
	return true;
}

static bool
CheckDatabase(uint64_t seed, uint32_t number)
{
	Rng			rng = {seed + number * UINT64_C(0x9E3779B97F4A7C15)};
	Uncertain	table;
	UncertainSet *sets;
	FimProbableData *data;
	Case		c;
	bool		good;

	memset(&c, 0, sizeof(c));
	if (IsLong(number))
		MakeLong(&table, &rng);
	else
		MakeUncertain(&table, &rng, number);
	c.spec.minsup = IsLong(number) ? LongThreshold(&table, &rng) : 1 + RngBelow(&rng, table.nrows + 1);
	c.spec.nrequired = RngChance(&rng, 0.7) ? 0 : RngBelow(&rng, table.nitems < 3 ? table.nitems + 1 : 3);
	sets = UncertainMine(&table, c.spec.minsup);
	data = BuildData(&table, c.spec.nrequired, &rng);
	alarm(SECONDS_A_DATABASE);
	good = CheckCases(data, &table, sets, &c, &rng);
	if (!good)
	{
		printf("# seed %llu, database %u\n", (unsigned long long) seed, number);
		UncertainPrint(&table);
	}
	OddFree(data);
	free(sets);
	free(table.p);
	return good;
}

/*
 * The tree of FFTs alone, whose error near a threshold is to be known.
 */
#ifdef FIM_KISSFFT
static bool
CheckFftTail(Rng *rng)
{
	uint32_t	n = 1 + RngBelow(rng, RngChance(rng, 0.3) ? 3000 : 600);
	double	   *p = calloc(n, sizeof(double));
	TestHost	host;
	FftTail		tree = {.host = &host.base};
	Support		support;
	bool		good = true;

	assert(p != NULL);
	HostInit(&host);
	MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), p, n);
	SupportInit(&support, p, n);
	for (uint32_t i = 0; good && i < 4; i++)
	{
		uint32_t	k = 1 + RngBelow(rng, n);
		double		tail;
		double		error;

		good = FftTailOf(&tree, p, n, k, &tail, &error) == FIM_DONE &&
			fabsl(support.reaches[k] - tail) <= error;
		if (!good)
			Complain("P(S >= %u) of %u transactions is %.17Lg, by FFT %.17g, error %g", k, n,
					 support.reaches[k], tail, error);
	}
	FftTailFree(&tree);
	SupportFree(&support);
	free(p);
	return good && host.live == 0;
}

/*
 * Transactions that are all the same: what rounding does to one node it does to all, and that
 * must not add up.  Next to all of the distribution is above half the mean.
 */
#define EQUAL_TRANSACTIONS	30000

static bool
CheckEqualTransactions(void)
{
	double	   *p = malloc(sizeof(double) * EQUAL_TRANSACTIONS);
	TestHost	host;
	FftTail		tree = {.host = &host.base};
	bool		good = true;

	assert(p != NULL);
	HostInit(&host);
	for (int tenths = 1; good && tenths < 10; tenths++)
	{
		uint32_t	k = EQUAL_TRANSACTIONS / 20 * (uint32_t) tenths;
		double		tail;
		double		error;

		for (uint32_t i = 0; i < EQUAL_TRANSACTIONS; i++)
			p[i] = tenths / 10.0;
		good = FftTailOf(&tree, p, EQUAL_TRANSACTIONS, k, &tail, &error) == FIM_DONE && fabs(1 - tail) <= error;
		if (!good)
			Complain("P(S >= %u) of equal transactions is next to 1, by FFT %.17g, error %g", k, tail, error);
	}
	FftTailFree(&tree);
	free(p);
	return good && host.live == 0;
}
#endif

/* A bracket must hold the number, with each set of loops. */
static bool
CheckInversion(Rng *rng)
{
	uint32_t	n = 1 + RngBelow(rng, RngChance(rng, 0.3) ? 4000 : 1000);
	double	   *p = calloc(n, sizeof(double));
	FimMoments	moments;
	Support		support;
	bool		good = true;

	assert(p != NULL);
	MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), p, n);
	SupportInit(&support, p, n);
	FimMomentsOf(p, n, 0, &moments);
	for (const char *const *isa = Isas(); good && *isa != NULL; isa++)
	{
		double		near = moments.mean + (RngUnit(rng) - 0.5) * 14 * sqrt(moments.variance);
		uint32_t	k = near < 1 ? 1 : near > n ? n : (uint32_t) near;
		FimInterval bracket;

		FimSetIsa(*isa);
		bracket = FimInversionBracket(CurrentSums(), p, 0, &moments, k);
		good = bracket.low <= support.reaches[k] + 1e-15L && support.reaches[k] - 1e-15L <= bracket.high &&
			(bracket.high - bracket.low < 1e-4 || moments.variance < 110 ||
			 fabs(k - moments.mean) > 4.5 * sqrt(moments.variance));
		if (!good)
			Complain("P(S >= %u) of %u transactions is %.17Lg, by inversion %.17g to %.17g (%s)", k, n,
					 support.reaches[k], bracket.low, bracket.high, *isa);
	}
	SupportFree(&support);
	free(p);
	return good;
}

/*
 * Leaving early.
 */

/* What makes a worker leave, at the nth time. */
typedef enum Trouble
{
	TROUBLE_ALLOC,				/* there is no memory */
	TROUBLE_STOP,				/* the host says stop */
	TROUBLE_JUMP_ALLOC,			/* the host leaves by longjmp */
	TROUBLE_JUMP_POLL,
	TROUBLES
} Trouble;

/* Returns whether the trouble came; *good says whether all was given back. */
static bool
LeaveEarly(const Case *c, const FimProbableData *data, Trouble trouble, uint64_t nth, bool *good)
{
	TestHost	host;
	WordSink	sink;
	FimProbableSummary summary;
	FimTask		task = FimProbableTask(&c->spec, data, &summary);
	FimShared  *shared = OddAlloc(FimSharedSize(&task));
	FimResult	expected = trouble == TROUBLE_ALLOC ? FIM_OUT_OF_MEMORY : FIM_STOPPED;
	volatile bool jumped = true;
	FimResult	result = FIM_DONE;

	memset(&summary, 0, sizeof(summary));
	WordSinkInit(&sink);
	HostInit(&host);
	*(trouble == TROUBLE_ALLOC ? &host.fail_at : trouble == TROUBLE_STOP ? &host.stop_at :
	  trouble == TROUBLE_JUMP_ALLOC ? &host.jump_at_alloc : &host.jump_at_poll) = nth;
	memset(shared, 0, FimSharedSize(&task));
	task.shared = shared;
	FimSharedInit(&task);
	if (setjmp(host.jump) == 0)
	{
		result = FimMine(&task, &host.base, &sink.base);
		jumped = false;
		*good = !host.wrong_free && host.live == 0 && (result == FIM_DONE || result == expected);
	}
	HostFreeAll(&host);
	free(sink.words);
	OddFree(shared);
	return jumped || result != FIM_DONE;
}

/* Every place at which a worker may have to leave. */
static bool
CheckLeaving(const FimProbableData *data, Case *c)
{
	bool		good = true;

	for (int strategy = 0; FimProbableFamily.strategies[strategy] != NULL; strategy++)
		for (int trouble = 0; trouble < TROUBLES; trouble++)
			for (uint64_t nth = 1; good; nth++)
			{
				c->spec.head.strategy = strategy;
				if (!LeaveEarly(c, data, (Trouble) trouble, nth, &good))
					break;
				if (!good)
					Complain("strategy %s does not leave well from trouble %d, number %llu",
							 FimProbableFamily.strategies[strategy], trouble, (unsigned long long) nth);
			}
	return good;
}

static bool
CheckLeavingOne(uint64_t seed, uint32_t number)
{
	Rng			rng = {seed ^ number * UINT64_C(0xD1B54A32D192ED03)};
	Uncertain	table;
	FimProbableData *data;
	Case		c;
	bool		good;

	memset(&c, 0, sizeof(c));
	MakeUncertain(&table, &rng, number);
	c.spec.kind = (FimKind) (number % 3);
	c.spec.minsup = 1 + RngBelow(&rng, 3);
	c.spec.minprob = number % 4 == 3 ? NAN : 0.3;
	c.spec.min_expected = 0.5;
	c.spec.exact = number % 2 == 0;
	c.spec.min_length = 1;
	c.spec.max_length = FIM_NO_LIMIT;
	data = BuildData(&table, 0, &rng);
	good = CheckLeaving(data, &c);
	OddFree(data);
	free(table.p);
	return good;
}

/* Rows of two items, so many that they are not moved at once when the data are complete. */
#define MANY_ROWS	(UINT32_C(1) << 20)

static bool
CompleteManyRows(FimProbableData *data, size_t bound, TestHost *host)
{
	static const uint32_t items[2] = {0, 1};

	FimProbableBegin(data, bound, 2 * MANY_ROWS, 2 * MANY_ROWS, 2, true);
	for (uint32_t r = 0; r < MANY_ROWS; r++)
	{
		double		p[2] = {(r + 1.0) / MANY_ROWS, 0.5};

		FimProbableAdd(data, items, p, 2, 0);
	}
	return FimProbableFinish(data, &host->base);
}

/* Who waits for the data can leave, and who stays finds them as they were added. */
static bool
CheckBuildingPolls(void)
{
	size_t		bound = FimProbableBound(2 * MANY_ROWS, 2 * MANY_ROWS, 2, true);
	FimProbableData *data = OddAlloc(bound);
	TestHost	host;
	bool		good;

	HostInit(&host);
	good = CompleteManyRows(data, bound, &host) && host.polls > 1;
	for (uint32_t r = 0; r < MANY_ROWS && good; r++)
		good = FIM_PROBABLE_ITEMS(data)[2 * r] == 0 && FIM_PROBABLE_ITEMS(data)[2 * r + 1] == 1 &&
			FIM_PROBABLE_PROBABILITIES(data)[2 * r] == (r + 1.0) / MANY_ROWS;
	for (uint64_t at = host.polls; at > 0 && good; at--)
	{
		HostInit(&host);
		host.stop_at = at;
		good = !CompleteManyRows(data, bound, &host);
	}
	OddFree(data);
	return good || Complain("data of many rows are not completed as they should be");
}

int
main(int argc, char **argv)
{
	uint64_t	seed = EnvironmentOr("FIM_SEED", (uint64_t) time(NULL));
	uint32_t	first = 0;
	uint32_t	end = (uint32_t) EnvironmentOr("FIM_DATABASES", DEFAULT_DATABASES);
	bool		good = CheckBuildingPolls();
	int			option;

	while ((option = getopt(argc, argv, "s:n:d:")) != -1)
	{
		switch (option)
		{
			case 's':
				seed = strtoull(optarg, NULL, 10);
				break;
			case 'n':
				end = (uint32_t) strtoul(optarg, NULL, 10);
				break;
			case 'd':
				first = (uint32_t) strtoul(optarg, NULL, 10);
				end = first + 1;
				break;
			default:
				return 2;
		}
	}
	printf("# seed %llu, %u databases\n", (unsigned long long) seed, end - first);
	for (uint32_t number = first; good && number < end; number++)
		good = CheckDatabase(seed, number) && (number % 50 != 0 || CheckLeavingOne(seed, number));
	for (uint32_t number = first; good && number < end; number++)
		good = CheckInversion(&(Rng) {seed + number});
#ifdef FIM_KISSFFT
	good = good && CheckEqualTransactions();
	for (uint32_t number = first; good && number < end; number += 2)
		good = CheckFftTail(&(Rng) {seed + number});
#endif
	return good ? 0 : 1;
}
