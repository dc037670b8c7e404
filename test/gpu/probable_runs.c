/*-------------------------------------------------------------------------
 *
 * probable_runs.c
 *	  Calls of an engine of probable itemsets, see probable_runs.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probable_runs.h"
#include "uncertain_rows.h"
#include "../unit/harness.h"

typedef struct KeepingSink
{
	FimSink		base;
	ProbableRun *run;
	bool		keep;
} KeepingSink;

static bool
KeepBatch(FimSink *base, const uint32_t *words, size_t nwords, size_t nresults)
{
	KeepingSink *sink = (KeepingSink *) base;
	ProbableRun *run = sink->run;

	run->results += nresults;
	if (!sink->keep)
		return true;
	run->words = realloc(run->words, sizeof(uint32_t) * (run->nwords + nwords + 1));
	assert(run->words != NULL);
	memcpy(run->words + run->nwords, words, sizeof(uint32_t) * nwords);
	run->nwords += nwords;
	return true;
}

void
RunProbable(MineFunction mine, const FimProbableSpec *spec, const FimProbableData *data, bool keep,
			ProbableRun *run)
{
	TestHost	host;
	KeepingSink sink = {{KeepBatch, NULL}, run, keep};
	FimTask		task = FimProbableTask(spec, data, &run->summary);
	double		start;

	memset(run, 0, sizeof(*run));
	HostInit(&host);
	task.shared = Take(FimSharedSize(&task));
	FimSharedInit(&task);
	start = WallSeconds();
	run->result = mine(&task, &host.base, &sink.base);
	run->seconds = WallSeconds() - start;
	if (host.live != 0)
		Die("the engine did not free all memory");
	if (host.wrong_free)
		Die("the engine freed what it had not been given");
	free(task.shared);
}

void
FreeProbableRun(ProbableRun *run)
{
	free(run->words);
}

static Wide
Magnitude(Wide x)
{
	return x < 0 ? -x : x;
}

/* The nearest double, upward in the middle of two. */
static double
Nearest(Wide x)
{
	double		nearest = (double) x;
	double		above = nextafter(nearest, INFINITY);

	return (Wide) above - x <= x - (Wide) nearest ? above : nearest;
}

static const char *
CheckValue(const FimProbableSpec *spec, const Truth *truth, double value)
{
	Wide		slack = truth->tail * truth->error + (truth->count >= LONG_LIST ? NEGLIGIBLE * truth->count : 0);

	/* only two values may be above the truth: what it is rounded to, and a threshold that it reaches */
	if (value > truth->tail + slack && value != Nearest(truth->tail) &&
		!(value == spec->minprob && truth->selected))
		return "a probability is above the truth";
	if (!spec->exact)
		return NULL;
	if (value < truth->tail - 1e-12L - slack)
		return "a probability is too far below the truth";
	if (truth->tail > 1e-100L && value < truth->tail * (1 - 1e-9L) - slack)
		return "a probability is too far below the truth in proportion";
	return NULL;
}

const char *
CheckProbableRun(const FimProbableSpec *spec, const FimProbableData *data, const Truth *truth,
				 const ProbableRun *run)
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
			error = CheckValue(spec, &truth[x], value);
		at += 5;
	}
	for (uint32_t x = 1; error == NULL && x < 1u << data->nitems; x++)
		if (truth[x].given && !seen[x])
			error = "an itemset is missing";
	/* the required items alone may be given without having been judged */
	if (error == NULL && isnan(spec->minprob) && run->results > 1 && run->summary.settled[FIM_RULE_EXPECTATION] == 0)
		error = "nothing was settled by expectations";
	free(seen);
	return error;
}

/* ---- two engines ---- */

/* Records by their itemsets. */
static int
CompareRecords(const void *a, const void *b)
{
	const uint32_t *x = *(const uint32_t *const *) a;
	const uint32_t *y = *(const uint32_t *const *) b;

	for (uint32_t i = 0; i <= x[0]; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static const uint32_t **
SortedRecords(const ProbableRun *run)
{
	const uint32_t **records = Take(sizeof(uint32_t *) * run->results);
	const uint32_t *at = run->words;

	for (uint64_t i = 0; i < run->results; i++, at += FIM_PROBABLE_RECORD_WORDS(at[0]))
		records[i] = at;
	qsort(records, run->results, sizeof(uint32_t *), CompareRecords);
	return records;
}

static bool
IsNear(double x, double y, double absolutely, double relatively)
{
	return fabs(x - y) <= fmax(absolutely, relatively * fmax(x, y));
}

static const char *
CompareValues(const FimProbableSpec *spec, const uint32_t *x, const uint32_t *y)
{
	double		of_x[2];		/* probability and expected support */
	double		of_y[2];

	x += 1 + x[0];
	y += 1 + y[0];
	memcpy(of_x, x, sizeof(of_x));
	memcpy(of_y, y, sizeof(of_y));
	if (x[4] != y[4])
		return "other occurrences than another engine's";
	if (!IsNear(of_x[1], of_y[1], 0, 2e-12))
		return "another expected support than another engine's";
	/* bounds that decided may be others */
	if (spec->exact && !(IsNear(of_x[0], of_y[0], 1.1e-12, 0) && IsNear(of_x[0], of_y[0], 1e-100, 1.1e-9)))
		return "another probability than another engine's";
	return NULL;
}

const char *
CompareProbableRuns(const FimProbableSpec *spec, const ProbableRun *run, const ProbableRun *other)
{
	const uint32_t **x;
	const uint32_t **y;
	const char *error = NULL;

	if (run->result != FIM_DONE || other->result != FIM_DONE)
		return "an engine failed";
	if (run->results != other->results)
		return "more or fewer itemsets than another engine's";
	x = SortedRecords(run);
	y = SortedRecords(other);
	for (uint64_t i = 0; i < run->results && error == NULL; i++)
		error = CompareRecords(&x[i], &y[i]) != 0 ? "other itemsets than another engine's" :
			CompareValues(spec, x[i], y[i]);
	free(x);
	free(y);
	return error;
}
