/*-------------------------------------------------------------------------
 *
 * check_probable.c
 *	  Probable itemsets on GPUs against brute force, and how long they take.
 *
 * Without a file: random uncertain databases of both kinds, with probabilities of many
 * shapes and thresholds that are reached exactly, mined by every strategy with random
 * kinds, limits, required items, numbers of devices and memory limits.  Of every subset
 * of the items, a long-double dynamic programme says whether it is to be found and with
 * which values.  Some databases have several items only, but so many transactions that
 * a distribution is convolved on many levels.
 *
 * With a file of transactions: gives them random probabilities, mines them and prints
 * what it took; -c takes a strategy of the CPU engine.
 *
 * With -V: convolves that many random itemsets of so many transactions, for their values.
 *
 * With -F: faults are injected into every strategy, each in a process of its own.
 *
 * Usage:
 *	  check_probable [-l LIBRARY] [-s seed] [-n databases] [-t seconds] [-d number]
 *					 [-S strategy] [-g devices]
 *	  check_probable [-l LIBRARY] -f FILE -m minsup [-q minprob] [-p uniform | MEAN,VARIANCE]
 *					 [-a] [-R rows] [-S strategy | -c strategy] [-D] [-b max_length] [-M memory_limit]
 *					 [-g devices] [-r repetitions]
 *	  check_probable [-l LIBRARY] -V values -R rows [-r repetitions]
 *	  check_probable [-l LIBRARY] -F
 *
 * -q nan selects by expectation, -a gives each entry a probability, -R takes so many
 * of the file's rows at random, and -D wants decisions only.
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

#include "engine/probable/probable.h"
#include "gpu_library.h"
#include "../unit/harness.h"

#define DEFAULT_DATABASES	300
#define MOST_ITEMS			7		/* of a random database */

static const FimGpuFamily *gpu; /* the library's probable itemsets */

static void *
Take(size_t bytes)
{
	void	   *address = calloc(bytes + 1, 1);

	if (address == NULL)
		Die("out of memory");
	return address;
}

/* ---- databases ---- */

/* Rows as a caller has them. */
typedef struct Uncertain
{
	uint32_t	nrows;
	uint32_t	nitems;
	bool		by_entry;
	uint64_t   *starts;			/* [nrows + 1] */
	uint32_t   *items;
	double	   *p;				/* of entries or of rows */
} Uncertain;

static void
FreeUncertain(Uncertain *of)
{
	free(of->starts);
	free(of->items);
	free(of->p);
}

static FimProbableData *
BuildData(const Uncertain *of)
{
	uint64_t	entries = of->starts[of->nrows];
	size_t		size = FimProbableBound(of->nrows, entries, of->nitems, of->by_entry);
	FimProbableData *data = Take(size);

	FimProbableBegin(data, size, of->nrows, entries, of->nitems, of->by_entry);
	for (uint32_t r = 0; r < of->nrows; r++)
		FimProbableAdd(data, of->items + of->starts[r], of->by_entry ? of->p + of->starts[r] : NULL,
					   (uint32_t) (of->starts[r + 1] - of->starts[r]), of->by_entry ? 0 : of->p[r]);
	FimProbableFinish(data);
	return data;
}

/* How probabilities are drawn. */
typedef enum Shape
{
	UNIFORM,
	HALVES,
	TENTHS,
	TINY,
	NEARLY_ONE,
	ONES,						/* many of them */
	MIXED,
	SHAPES
} Shape;

static double
RandomProbability(Rng *rng, Shape shape)
{
	switch (shape)
	{
		case UNIFORM:
			return RngUnit(rng);
		case HALVES:
			return 0.5;
		case TENTHS:
			return RngBelow(rng, 11) / 10.0;
		case TINY:
			return pow(RngUnit(rng), 20);
		case NEARLY_ONE:
			return 1 - pow(RngUnit(rng), 10) * 0.1;
		case ONES:
			return RngChance(rng, 0.6) ? 1 : RngUnit(rng);
		default:
			return RandomProbability(rng, (Shape) RngBelow(rng, MIXED));
	}
}

static void
RandomRows(Uncertain *of, Rng *rng, uint32_t nrequired, Shape shape)
{
	double		density = 0.2 + 0.8 * RngUnit(rng);

	of->starts = Take(sizeof(uint64_t) * (of->nrows + 1));
	of->items = Take(sizeof(uint32_t) * (size_t) of->nrows * of->nitems);
	of->p = Take(sizeof(double) * (size_t) of->nrows * (of->nitems + 1));
	for (uint32_t r = 0; r < of->nrows; r++)
	{
		uint64_t	n = of->starts[r];

		for (uint32_t i = 0; i < of->nitems; i++)
			if (i < nrequired || RngChance(rng, density))
				of->items[n++] = i;
		of->starts[r + 1] = n;
		if (!of->by_entry)
			of->p[r] = RandomProbability(rng, shape);
		for (uint64_t e = of->starts[r]; of->by_entry && e < n; e++)
		{
			of->p[e] = RandomProbability(rng, shape);
			/* the caller leaves out rows that lack a required item */
			if (of->items[e] < nrequired && of->p[e] == 0)
				of->p[e] = 0.25;
		}
	}
}

/* ---- brute force ---- */

/* Numbers with 113 bits of precision. */
#ifdef __x86_64__
typedef __float128 Wide;
#else
typedef long double Wide;
#endif
#define WIDE_ROUNDOFF	0x1p-112

/* Lists from this length on are convolved with fewer digits, and what is negligible is left out. */
#define LONG_LIST		3000
#define NEGLIGIBLE		1e-30L

/* What there is to know of one itemset. */
typedef struct Truth
{
	uint32_t	count;
	Wide		expected;
	Wide		tail;
	Wide		error;			/* of the tail, in proportion */
	bool		selected;
	bool		unclear;		/* too near to the threshold for that */
	bool		given;
} Truth;

static Wide
Magnitude(Wide x)
{
	return x < 0 ? -x : x;
}

/* P(S >= k). */
static Wide
Tail(const Wide *p, uint32_t n, uint32_t k)
{
	Wide	   *f = Take(sizeof(Wide) * (n + 2));
	Wide		sum = 0;

	f[0] = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t s = i + 1; s > 0; s--)
			f[s] = f[s] * (1 - p[i]) + f[s - 1] * p[i];
		f[0] *= 1 - p[i];
	}
	for (uint32_t s = n + 1; s-- > k;)
		sum += f[s];
	free(f);
	return sum;
}

static long double
LongTail(const Wide *p, uint32_t n, uint32_t k)
{
	long double *f = Take(sizeof(long double) * (n + 2));
	uint32_t	low = 0;
	uint32_t	high = 0;
	long double sum = 0;

	f[0] = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		long double yes = (long double) p[i];
		long double no = (long double) (1 - p[i]);

		f[++high] = 0;
		for (uint32_t s = high; s > low; s--)
			f[s] = f[s] * no + f[s - 1] * yes;
		f[low] *= no;
		while (low < high && f[low] < NEGLIGIBLE)
			low++;
		while (low < high && f[high] < NEGLIGIBLE)
			high--;
	}
	for (uint32_t s = high + 1; s-- > low;)
		if (s >= k)
			sum += f[s];
	free(f);
	return sum;
}

/* The probabilities of an itemset, a set of bits. */
static uint32_t
Probabilities(const FimProbableData *data, uint32_t itemset, Wide *p)
{
	const uint64_t *starts = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *values = FIM_PROBABLE_PROBABILITIES(data);
	uint32_t	n = 0;

	for (uint32_t r = 0; r < data->nrows; r++)
	{
		uint32_t	has = 0;
		Wide		product = data->by_entry ? 1 : values[r];

		for (uint64_t e = starts[r]; e < starts[r + 1]; e++)
			if (itemset >> items[e] & 1)
			{
				has |= 1u << items[e];
				if (data->by_entry)
					product *= values[e];
			}
		if (has == itemset)
			p[n++] = product;
	}
	return n;
}

/* Whether a number with an error reaches a threshold, and whether that is clear. */
static bool
Reaches(Wide x, double threshold, Wide error, bool *unclear)
{
	Wide		middle = ((Wide) threshold + nextafter(threshold, -INFINITY)) / 2;

	/* what is exactly there was computed without rounding, or would not be */
	*unclear = x != middle && Magnitude(x - middle) < x * error;
	return x >= middle;
}

static Truth *
FindTruth(const FimProbableJob *job, const FimProbableData *data)
{
	uint32_t	nsets = 1u << data->nitems;
	Truth	   *truth = Take(sizeof(Truth) * nsets);
	Wide	   *p = Take(sizeof(Wide) * (data->nrows + 1));

	for (uint32_t x = 0; x < nsets; x++)
	{
		Truth	   *of = &truth[x];
		uint32_t	n = Probabilities(data, x, p);
		Wide		roundings = 4 * n + 100;
		bool		is_long = n >= LONG_LIST;

		of->count = n;
		for (uint32_t i = 0; i < n; i++)
			of->expected += p[i];
		of->tail = is_long ? LongTail(p, n, job->minsup) : Tail(p, n, job->minsup);
		of->error = roundings * (is_long ? 0x1p-63 : WIDE_ROUNDOFF);
		of->selected = isnan(job->minprob) ?
			Reaches(of->expected, job->min_expected, roundings * WIDE_ROUNDOFF, &of->unclear) :
			Reaches(of->tail, job->minprob, of->error, &of->unclear);
	}
	free(p);
	return truth;
}

/* Whether item has probability 1 wherever the itemset is. */
static bool
SameDistribution(const FimProbableData *data, uint32_t itemset, uint32_t item, const Truth *truth)
{
	const uint64_t *starts = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *values = FIM_PROBABLE_PROBABILITIES(data);

	if (truth[itemset].count != truth[itemset | 1u << item].count)
		return false;
	for (uint32_t r = 0; data->by_entry && r < data->nrows; r++)
	{
		uint32_t	has = 0;
		double		of_item = 0;

		for (uint64_t e = starts[r]; e < starts[r + 1]; e++)
		{
			has |= itemset & 1u << items[e];
			if (items[e] == item)
				of_item = values[e];
		}
		if (has == itemset && of_item != 1)
			return false;
	}
	return true;
}

/* Which are to be given; false if that hangs on something unclear. */
static bool
MarkGiven(const FimProbableJob *job, const FimProbableData *data, Truth *truth)
{
	uint32_t	nsets = 1u << data->nitems;
	uint32_t	required = (1u << job->nrequired) - 1;

	for (uint32_t x = 1; x < nsets; x++)
	{
		uint32_t	length = (uint32_t) __builtin_popcount(x);

		if ((x & required) != required)
			continue;
		if (truth[x].unclear)
			return false;
		truth[x].given = truth[x].selected;
		for (uint32_t i = 0; truth[x].given && job->kind != FIM_ALL && i < data->nitems; i++)
		{
			if (x >> i & 1)
				continue;
			if (job->kind == FIM_MAXIMAL ? truth[x | 1u << i].selected : SameDistribution(data, x, i, truth))
				truth[x].given = false;
		}
		truth[x].given &= length >= job->min_length && length <= job->max_length;
	}
	return true;
}

/* ---- runs ---- */

typedef struct Run
{
	FimResult	result;
	FimProbableSummary summary;
	uint64_t	results;
	double		seconds;
	uint32_t   *words;
	size_t		nwords;
} Run;

typedef struct KeepingSink
{
	FimSink		base;
	Run		   *run;
	bool		keep;
} KeepingSink;

static bool
KeepBatch(FimSink *base, const uint32_t *words, size_t nwords, size_t nresults)
{
	KeepingSink *sink = (KeepingSink *) base;
	Run		   *run = sink->run;

	run->results += nresults;
	if (!sink->keep)
		return true;
	run->words = realloc(run->words, sizeof(uint32_t) * (run->nwords + nwords + 1));
	assert(run->words != NULL);
	memcpy(run->words + run->nwords, words, sizeof(uint32_t) * nwords);
	run->nwords += nwords;
	return true;
}

typedef FimResult (*Engine) (const FimTask *task, FimHost *host, FimSink *sink);

static void
RunEngine(Engine engine, const FimProbableJob *job, const FimProbableData *data, bool keep, Run *run)
{
	TestHost	host;
	KeepingSink sink = {{KeepBatch, NULL}, run, keep};
	FimTask		task = FimProbableTask(job, data, NULL, &run->summary);
	double		start;

	memset(run, 0, sizeof(*run));
	HostInit(&host);
	task.shared = Take(FimSharedSize(&task));
	FimSharedInit(&task);
	start = WallSeconds();
	run->result = engine(&task, &host.base, &sink.base);
	run->seconds = WallSeconds() - start;
	if (host.live != 0)
		Die("the engine did not free all memory");
	if (host.wrong_free)
		Die("the engine freed what it had not been given");
	free(task.shared);
}

/* ---- comparing ---- */

static const char *
CheckValue(const FimProbableJob *job, const Truth *truth, double value)
{
	Wide		slack = truth->tail * truth->error + (truth->count >= LONG_LIST ? NEGLIGIBLE * truth->count : 0);

	/* above is only what the truth is rounded to, or a threshold that it reaches */
	if (value > truth->tail + slack && value != (double) truth->tail &&
		!(value == job->minprob && truth->selected))
		return "a probability is above the truth";
	if (!job->exact)
		return NULL;
	if (value < truth->tail - 1e-12L - slack)
		return "a probability is too far below the truth";
	if (truth->tail > 1e-100L && value < truth->tail * (1 - 1e-9L) - slack)
		return "a probability is too far below the truth in proportion";
	return NULL;
}

/* NULL, or what is wrong. */
static const char *
CheckRun(const FimProbableJob *job, const FimProbableData *data, const Truth *truth, const Run *run)
{
	char	   *seen = Take(1u << data->nitems);
	const char *error = NULL;
	const uint32_t *at = run->words;

	if (run->result != FIM_DONE)
		return "the GPU engine failed";
	while (at < run->words + run->nwords && error == NULL)
	{
		uint32_t	n = *at++;
		uint32_t	x = 0;
		double		value;
		double		expected;

		for (uint32_t i = 0; i < n; i++)
		{
			if (i > 0 && at[i] <= at[i - 1])
				error = "items are not ascending";
			x |= 1u << at[i];
		}
		at += n;
		memcpy(&value, at, sizeof(double));
		memcpy(&expected, at + 2, sizeof(double));
		if (seen[x]++)
			error = "an itemset is given twice";
		else if (!truth[x].given)
			error = "an itemset is given that is not to be";
		else if (at[4] != truth[x].count)
			error = "wrong occurrences";
		else if (Magnitude(expected - truth[x].expected) > 1e-12L * truth[x].expected)
			error = "wrong expected support";
		else
			error = CheckValue(job, &truth[x], value);
		at += 5;
	}
	for (uint32_t x = 1; error == NULL && x < 1u << data->nitems; x++)
		if (truth[x].given && !seen[x])
			error = "an itemset is missing";
	free(seen);
	return error;
}

/* ---- random cases ---- */

/* A database with many transactions, one in so many. */
#define LONG_PART	40

static void
RandomJob(FimProbableJob *job, Rng *rng, const FimProbableData *data)
{
	job->kind = (FimKind) RngBelow(rng, 3);
	job->exact = RngChance(rng, 0.6);
	job->minsup = 1 + RngBelow(rng, data->nrows + data->nrows / 10 + 1);
	if (data->nrows > 100)
		job->minsup = 1 + (uint32_t) (data->nrows * (0.1 + 0.8 * RngUnit(rng)));
	job->min_length = RngChance(rng, 0.2) ? 1 + RngBelow(rng, 3) : 1;
	job->max_length = RngChance(rng, 0.3) ? RngBelow(rng, data->nitems + 1) : FIM_NO_LIMIT;
	switch (RngBelow(rng, 4))
	{
		case 0:
			job->minprob = 0.5;
			break;
		case 1:
			job->minprob = RngChance(rng, 0.5) ? 0.99 : 1 - pow(10, -1 - 14 * RngUnit(rng));
			break;
		case 2:
			job->minprob = pow(10, -20 * RngUnit(rng));
			break;
		default:
			job->minprob = NAN;
	}
	job->min_expected = 0.001 + data->nrows * RngUnit(rng) * 0.5;
}

/* Some thresholds are what some itemset reaches. */
static void
HitThreshold(FimProbableJob *job, Rng *rng, const FimProbableData *data)
{
	Truth	   *truth = FindTruth(job, data);
	const Truth *of = &truth[1 + RngBelow(rng, (1u << data->nitems) - 1)];

	if (isnan(job->minprob) && of->expected > 0)
		job->min_expected = (double) of->expected;
	else if (of->tail > 1e-300L)
		job->minprob = (double) of->tail;
	free(truth);
}

/* Sets *truth to NULL if something is unclear. */
static FimProbableData *
RandomCase(FimProbableJob *job, Rng *rng, uint32_t number, Truth **truth)
{
	bool		is_long = number % LONG_PART == LONG_PART / 2;
	Uncertain	of;
	FimProbableData *data;

	memset(&of, 0, sizeof(of));
	memset(job, 0, sizeof(*job));
	job->head.size = sizeof(*job);
	of.nitems = 1 + RngBelow(rng, is_long ? 3 : MOST_ITEMS);
	of.nrows = is_long ? 3000 + RngBelow(rng, 30000) : 1 + RngBelow(rng, RngChance(rng, 0.3) ? 300 : 20);
	of.by_entry = RngChance(rng, 0.5);
	if (RngChance(rng, 0.25))
		job->nrequired = RngBelow(rng, of.nitems < 3 ? of.nitems + 1 : 3);
	RandomRows(&of, rng, job->nrequired, (Shape) RngBelow(rng, SHAPES));
	data = BuildData(&of);
	FreeUncertain(&of);
	if (data->nrows == 0)
	{
		*truth = NULL;
		return data;
	}
	RandomJob(job, rng, data);
	if (RngChance(rng, 0.3))
		HitThreshold(job, rng, data);
	*truth = FindTruth(job, data);
	if (!MarkGiven(job, data, *truth))
	{
		free(*truth);
		*truth = NULL;
	}
	return data;
}

static uint64_t
RandomLimit(Rng *rng, const FimProbableJob *job, const FimProbableData *data)
{
	FimTask		task = FimProbableTask(job, data, NULL, NULL);
	uint64_t	wanted;
	uint64_t	least;

	gpu->estimate(&task, &wanted, &least);
	if (least > wanted)
		Die("the least memory is more than the most");
	switch (RngBelow(rng, 3))
	{
		case 0:
			return 0;
		case 1:
			return least;
		default:
			return least + (uint64_t) (pow(RngUnit(rng), 3) * (double) (wanted - least));
	}
}

static void
DescribeCase(uint64_t seed, uint32_t number, const FimProbableJob *job, const FimProbableData *data,
			 uint64_t limit, const char *error)
{
	printf("FAILED: %s: -s %llu -d %u -S %s, kind %d, %s, %s, minsup %u, minprob %.17g, expected %.17g, "
		   "required %u, lengths %u to %u, %u rows, %u items, limit %llu\n", error,
		   (unsigned long long) seed, number, gpu->strategies[job->head.strategy], (int) job->kind,
		   data->by_entry ? "attribute" : "tuple", job->exact ? "exact" : "decisions", job->minsup,
		   job->minprob, job->min_expected, job->nrequired, job->min_length, job->max_length, data->nrows,
		   data->nitems, (unsigned long long) limit);
}

static bool
CheckDatabase(uint64_t seed, uint32_t number, int only)
{
	Rng			rng = {seed * 1000003 + number};
	FimProbableJob job;
	Truth	   *truth;
	FimProbableData *data = RandomCase(&job, &rng, number, &truth);
	bool		passed = true;

	for (int s = 0; gpu->strategies[s] != NULL && truth != NULL; s++)
	{
		FimGpuOptions options;
		Run			run;
		const char *error;

		job.head.strategy = s;
		options = Options(RandomLimit(&rng, &job, data));
		if (only >= 0 && s != only)
			continue;
		library->set_options(&options);
		RunEngine(gpu->mine, &job, data, true, &run);
		error = CheckRun(&job, data, truth, &run);
		if (error != NULL)
		{
			DescribeCase(seed, number, &job, data, options.memory_limit, error);
			if (run.result == FIM_DEVICE_FAULT)
				PrintFault();
			passed = false;
		}
		free(run.words);
	}
	free(truth);
	free(data);
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
	for (done = 0; done < n && WallSeconds() - start < seconds && failed < 10; done++)
		failed += !CheckDatabase(seed, from + done, only);
	printf("# %u random uncertain databases, %u failed, %.1f s\n", done, failed, WallSeconds() - start);
	return failed > 0;
}

/* ---- files ---- */

/* What probabilities of a file's rows are: uniform, or normal and cut to (0, 1]. */
typedef struct Drawing
{
	bool		uniform;
	double		mean;
	double		deviation;
} Drawing;

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
GiveProbabilities(Uncertain *of, const Drawing *drawing, Rng *rng)
{
	uint64_t	n = of->by_entry ? of->starts[of->nrows] : of->nrows;

	of->p = Take(sizeof(double) * n);
	for (uint64_t i = 0; i < n; i++)
		of->p[i] = Draw(drawing, rng);
}

static void
ReadRows(const char *name, Uncertain *of)
{
	FILE	   *file = fopen(name, "r");
	uint64_t	entries = 0;
	uint64_t	entry_room = 1 << 20;
	uint32_t	row_room = 1 << 16;
	bool		number = false;
	uint32_t	item = 0;
	int			c;

	if (file == NULL)
		Die("there is no such file");
	of->starts = Take(sizeof(uint64_t) * (row_room + 1));
	of->items = Take(sizeof(uint32_t) * entry_room);
	while ((c = getc_unlocked(file)) != EOF)
	{
		if (c >= '0' && c <= '9')
		{
			item = (number ? item * 10 : 0) + (uint32_t) (c - '0');
			number = true;
			continue;
		}
		if (number)
		{
			if (entries == entry_room)
				of->items = realloc(of->items, sizeof(uint32_t) * (entry_room *= 2));
			assert(of->items != NULL);
			of->items[entries++] = item;
			if (item >= of->nitems)
				of->nitems = item + 1;
			number = false;
		}
		if (c == '\n')
		{
			if (of->nrows + 1 == row_room)
				of->starts = realloc(of->starts, sizeof(uint64_t) * ((row_room *= 2) + 1));
			assert(of->starts != NULL);
			of->starts[++of->nrows] = entries;
		}
	}
	fclose(file);
}

/* So many rows, drawn at random. */
static void
SampleRows(Uncertain *of, uint32_t nrows, Rng *rng)
{
	Uncertain	to = {.nrows = nrows,.nitems = of->nitems,.by_entry = of->by_entry};
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
	FreeUncertain(of);
	*of = to;
}

static void
PrintRun(const char *name, const FimProbableJob *job, const char *strategy, const Run *run, bool on_gpu)
{
	static const char *const phases[] = {"transfer", "build", "count", "return"};
	static const char *const rules[] = {"count", "median", "hoeffding", "berry_esseen", "chernoff", "poisson", "inversion",
	"convolution", "double_double", "exact", "expectation"};
	const FimGpuReport *report = library != NULL ? library->report() : NULL;

	printf("%-24s minsup %u minprob %g %s %-9s %s %8llu itemsets in %.4f s;", name, job->minsup, job->minprob,
		   job->exact ? "exact" : "decisions", strategy, run->result == FIM_DONE ? "done" : "FAILED",
		   (unsigned long long) run->results, run->seconds);
	for (int r = 0; r < FIM_RULES; r++)
		if (run->summary.settled[r] > 0)
			printf(" %s %llu", rules[r], (unsigned long long) run->summary.settled[r]);
	printf(" values %llu;", (unsigned long long) run->summary.values);
	for (int p = 0; on_gpu && p < FIM_GPU_NPHASES; p++)
		printf(" %s %.2f ms", phases[p], report->ms[p]);
	if (on_gpu)
		printf(" peak %.1f MB candidates %llu", (double) report->peak_memory / 1e6,
			   (unsigned long long) report->candidates);
	printf("\n");
	fflush(stdout);
	if (run->result == FIM_DEVICE_FAULT)
		PrintFault();
}

/* The data as the CPU engine wants them. */
static FimProbableData *
PrepareForCpu(FimProbableData *data)
{
	size_t		size = FimProbableFamily.cpu_size != NULL ? FimProbableFamily.cpu_size(&data->head) :
		data->head.size;
	TestHost	host;

	HostInit(&host);
	data = realloc(data, size);
	assert(data != NULL);
	if (FimProbableFamily.cpu_prepare != NULL)
		FimProbableFamily.cpu_prepare(&data->head, &host.base);
	return data;
}

static int
OneOf(const char *name, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	Die("there is no such strategy");
	return -1;
}

static int
TimeMining(const char *name, FimProbableJob *job, FimProbableData *data, const char *strategy, bool on_cpu,
		   uint64_t limit, int repetitions)
{
	FimGpuOptions options = Options(limit);
	int			failed = 0;

	if (on_cpu)
		data = PrepareForCpu(data);
	else
		library->set_options(&options);
	for (int s = 0; !on_cpu && gpu->strategies[s] != NULL; s++)
	{
		if (strategy != NULL ? strcmp(strategy, gpu->strategies[s]) != 0 : s == 0)
			continue;
		for (int r = 0; r < repetitions; r++)
		{
			Run			run;

			job->head.strategy = s;
			RunEngine(gpu->mine, job, data, false, &run);
			PrintRun(name, job, gpu->strategies[s], &run, true);
			failed |= run.result != FIM_DONE;
		}
	}
	for (int r = 0; on_cpu && r < repetitions; r++)
	{
		Run			run;

		job->head.strategy = OneOf(strategy, FimProbableFamily.strategies);
		RunEngine(FimProbableFamily.mine, job, data, false, &run);
		PrintRun(name, job, strategy, &run, false);
		failed |= run.result != FIM_DONE;
	}
	free(data);
	return failed;
}

/*
 * So many itemsets of nearly all transactions, all of which are selected and have
 * values that no bound knows: singletons, at the median of their support.
 */
static int
TimeValues(uint32_t values, uint32_t nrows, int repetitions)
{
	Rng			rng = {7};
	uint32_t	nitems = (uint32_t) ceil(sqrt(2.0 * values));
	Uncertain	of = {.nrows = nrows,.nitems = nitems};
	Drawing		uniform = {.uniform = true};
	FimProbableJob job = {.head = {.size = sizeof(job)},.minprob = 1e-6,.exact = true,.min_length = 2,
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
	job.minsup = (uint32_t) (mean * 0.999);
	data = BuildData(&of);
	FreeUncertain(&of);
	return TimeMining("values", &job, data, "bounds", false, 0, repetitions);
}

/* ---- faults ---- */

typedef struct FaultCase
{
	const char *name;
	FimGpuInjection inject;
	uint64_t	limit;
	FimResult	result;
	bool		sticky;
} FaultCase;

static const FaultCase fault_cases[] = {
	{"no fault", {0, 0, 0}, 0, FIM_DONE, false},
	{"all allocations fail", {-1, 0, 0}, 0, FIM_DEVICE_FAULT, false},
	{"all later allocations fail", {-12, 0, 0}, 0, FIM_DEVICE_FAULT, false},
	{"a limit that nothing fits", {0, 0, 0}, 1024, FIM_DEVICE_FAULT, false},
	{"a launch fails", {0, 1, 0}, 0, FIM_DEVICE_FAULT, true},
	{"a later launch fails", {0, 6, 0}, 0, FIM_DEVICE_FAULT, true},
	{"the device is lost", {0, 0, 2}, 0, FIM_DEVICE_FAULT, true},
	{"the device is lost later", {0, 0, 4}, 0, FIM_DEVICE_FAULT, true}
};

/* In a process of its own: a sticky fault ends it. */
static int
TryFault(const FaultCase *fault, int strategy)
{
	Rng			rng = {42};
	Uncertain	of = {.nrows = 3000,.nitems = 6};
	FimProbableJob job = {.head = {.size = sizeof(job),.strategy = strategy},.minprob = 0.5,.exact = true,
	.min_length = 1,.max_length = 3};
	FimGpuOptions options;
	FimProbableData *data;
	Run			run;
	bool		passed;

	gpu = LoadLibrary(&FimProbableFamily);
	RandomRows(&of, &rng, 0, UNIFORM);
	data = BuildData(&of);
	job.minsup = data->nrows / 8;
	options = Options(fault->limit);
	options.inject = fault->inject;
	library->set_options(&options);
	RunEngine(gpu->mine, &job, data, false, &run);
	passed = run.result == fault->result;
	if (run.result == FIM_DEVICE_FAULT)
	{
		passed &= library->fault()->sticky == fault->sticky;
		PrintFault();
	}
	/* what comes after: the same answer for ever, or none of it */
	options = Options(0);
	library->set_options(&options);
	RunEngine(gpu->mine, &job, data, false, &run);
	passed &= run.result == (fault->sticky ? FIM_DEVICE_FAULT : FIM_DONE);
	passed &= library->open(&options) == !fault->sticky;
	library->close();
	return passed ? 0 : 1;
}

static int
CheckFaults(void)
{
	static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;
	int			failed = 0;

	if (device_count == 0)
		device_count = 1;
	for (int s = 1; strategies[s] != NULL; s++)
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
				printf("FAILED: strategy %s, %s\n", strategies[s], fault_cases[i].name);
				failed = 1;
			}
		}
	printf("faults: %s\n", failed ? "failed" : "passed");
	return failed;
}

/* ---- arguments ---- */

static Drawing
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

int
main(int argc, char **argv)
{
	static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;
	FimProbableJob job = {.head = {.size = sizeof(job)},.minprob = 0.5,.exact = true,.min_length = 1,
	.max_length = FIM_NO_LIMIT};
	Uncertain	of = {.nrows = 0};
	Drawing		drawing = {.uniform = true};
	const char *file = NULL;
	const char *strategy = NULL;
	double		minsup = 0.1;
	uint64_t	seed = (uint64_t) time(NULL);
	uint32_t	databases = DEFAULT_DATABASES;
	uint32_t	from = 0;
	uint32_t	rows = 0;
	uint32_t	values = 0;
	uint64_t	limit = 0;
	bool		on_cpu = false;
	int			repetitions = 1;
	double		seconds = HUGE_VAL;
	Rng			rng;
	int			option;

	while ((option = getopt(argc, argv, "l:s:n:t:d:S:c:f:m:q:p:aR:Db:M:g:r:V:F")) != -1)
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
			case 'c':
				on_cpu = true;
				strategy = optarg;
				break;
			case 'S':
				strategy = optarg;
				break;
			case 'f':
				file = optarg;
				break;
			case 'm':
				minsup = atof(optarg);
				break;
			case 'q':
				job.minprob = atof(optarg);
				break;
			case 'p':
				drawing = DrawingOf(optarg);
				break;
			case 'a':
				of.by_entry = true;
				break;
			case 'R':
				rows = (uint32_t) atoi(optarg);
				break;
			case 'D':
				job.exact = false;
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
			case 'r':
				repetitions = atoi(optarg);
				break;
			case 'V':
				values = (uint32_t) atoi(optarg);
				break;
			case 'F':
				return CheckFaults();
			default:
				return 2;
		}
	if (!on_cpu)
		gpu = LoadLibrary(&FimProbableFamily);
	if (values > 0)
		return TimeValues(values, rows, repetitions);
	if (file == NULL)
		return CheckDatabases(seed, from, databases, seconds,
							  strategy != NULL ? OneOf(strategy, strategies) : -1);
	rng.state = 1;
	ReadRows(file, &of);
	if (rows > 0)
		SampleRows(&of, rows, &rng);
	GiveProbabilities(&of, &drawing, &rng);
	job.minsup = (uint32_t) (minsup < 1 ? ceil(minsup * of.nrows - 1e-9) : minsup);
	job.min_expected = minsup < 1 ? minsup * of.nrows : minsup;
	return TimeMining(strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file, &job, BuildData(&of), strategy,
					  on_cpu, limit, repetitions);
}
