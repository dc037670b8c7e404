/*-------------------------------------------------------------------------
 *
 * itemset_runs.c
 *	  Calls of an engine of itemsets, see itemset_runs.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "itemset_runs.h"

double		most_seconds = HUGE_VAL;

static double give_up_at;
static bool (*poll_of_host) (FimHost *host);

static bool
PollInTime(FimHost *host)
{
	return poll_of_host(host) || WallSeconds() >= give_up_at;
}

void
RunItemsets(MineFunction mine, const FimItemsetsSpec *spec, const FimDatabase *db, uint64_t batches,
			bool keep, ItemsetRun *run)
{
	TestHost	host;
	FimTask		task = FimItemsetsTask(spec, db, NULL);
	double		start;

	HostInit(&host);
	SinkInit(&run->sink, db, keep);
	run->sink.stop_at = batches;
	TallyInit(&run->tally, spec, db);
	task.shared = NewShared(spec, db);
	task.summary = run->tally.counts;
	start = WallSeconds();
	give_up_at = mine == FimMine ? HUGE_VAL : start + most_seconds;
	poll_of_host = host.base.poll;
	host.base.poll = PollInTime;
	run->result = mine(&task, &host.base, &run->sink.base);
	run->seconds = WallSeconds() - start;
	if (host.live != 0)
		Die("the engine did not free all memory");
	if (host.wrong_free)
		Die("the engine freed what it had not been given");
	FreeShared(task.shared);
}

void
FreeItemsetRun(ItemsetRun *run)
{
	SinkFree(&run->sink);
	TallyFree(&run->tally);
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
		SortItems(at + 1, at[0]);
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

const char *
CompareRuns(const FimItemsetsSpec *spec, ItemsetRun *expected, ItemsetRun *found)
{
	if (expected->result != FIM_DONE)
		return "the CPU engine failed";
	if (found->result != FIM_DONE)
		return "the GPU engine failed";
	if (found->sink.error != NULL)
		return found->sink.error;
	if (spec->head.count_only && found->sink.itemsets != 0)
		return "itemsets listed where they are only to be counted";
	if (spec->head.count_only)
		return memcmp(expected->tally.counts, found->tally.counts,
					  sizeof(FimCount) * expected->tally.lengths) == 0 ? NULL : "counts differ";
	return SameItemsets(&expected->sink, &found->sink) ? NULL : "itemsets differ";
}
