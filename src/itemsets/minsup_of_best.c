/*-------------------------------------------------------------------------
 *
 * minsup_of_best.c
 *	  The threshold that the k best itemsets reach.
 *
 * If itemsets of one item are wanted, no itemset that is rarer than the k-th item is among the best.  So items that are
 * rarer need not be kept, and the search could begin with that threshold, which would rise while it goes on.  But as long
 * as it is much too low, the search goes through many itemsets for nothing.  So the search begins with a threshold that is probably too
 * high, and if fewer than k itemsets reach it, is begun anew with a lower one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "engine/itemsets/itemsets.h"
#include "itemsets/itemsets.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "work/work.h"

#define INTERRUPT_ITEMS	65536

/* Counts supports, which are scores here. */
typedef struct SupportCounter
{
	FimBest		best;
	FimBestCounter counter;
} SupportCounter;

static SupportCounter *
BeginCounting(uint32 k, uint32 least)
{
	SupportCounter *supports = palloc(sizeof(SupportCounter));

	FimBestInit(&supports->best, k, least);
	FimBestBegin(&supports->counter, &supports->best);
	return supports;
}

static uint32
EndCounting(SupportCounter *supports, uint32 least)
{
	uint32		minsup;

	FimBestTell(&supports->counter);
	minsup = (uint32) FimBestLeast(FimBestThreshold(&supports->best));
	pfree(supports);
	return Max(minsup, least);
}

uint32
FirstMinsup(const GpufimRows *rows, uint32 k, uint32 others)
{
	SupportCounter *supports = BeginCounting(k + others, 1);

	for (uint32 id = 0; id < rows->items->n; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		(void) FimBestCount(&supports->counter, rows->items->entries[id].count, 1);
	}
	return EndCounting(supports, 1);
}

uint32
FirstMinsupOf(const GpufimItems *items, uint32 k, uint32 least)
{
	SupportCounter *supports = BeginCounting(k, least);

	for (uint32 i = 0; i < items->nitems; i++)
		(void) FimBestCount(&supports->counter, items->items[i].support, 1);
	return EndCounting(supports, least);
}

/*
 * If k items reach a threshold, it is mostly not far from that of itemsets.  Otherwise nothing is known but that k itemsets
 * have log2(k) items at least, so that is how many items reach their threshold.  The guess is halfway between that and 1, as a factor.
 */
static uint32
FirstGuess(const GpufimItems *items, uint32 k, uint32 least)
{
	if (least > 1)
		return least;
	return (uint32) sqrt(FirstMinsupOf(items, pg_leftmost_one_pos32(k) + 1, 1));
}

/* A search gives this many times as many itemsets as the one before, if all goes as foreseen, or this part more than k. */
#define NEXT_TIMES		10.0
#define MORE_THAN_K		1.1

/* A guess is not lower than this part of the one before. */
#define LARGEST_STEP	4

/*
 * The number of itemsets is taken to grow with the threshold's inverse as it did when that doubled last.  In truth it
 * grows faster and faster.
 */
static uint32
NextGuess(const FimBest *best, uint32 minsup, uint32 least)
{
	double		found = Max(FimBestCounted(best, minsup), 1);
	double		frequent = Max(FimBestCounted(best, 2.0 * minsup), 1);
	double		wanted = Min(MORE_THAN_K * best->k, NEXT_TIMES * found);
	double		exponent = Max(log2(found / frequent), 1);
	double		guess = minsup / pow(wanted / found, 1 / exponent);

	return Max(least, Min(minsup - 1, (uint32) Max(guess, minsup / LARGEST_STEP)));
}

uint32
MinsupOfBest(struct Job *job, FimItemsetsSpec *spec, const EngineCost *cost, const GpufimItems *items, uint32 least)
{
	spec->head.count_only = true;
	for (uint32 guess = FirstGuess(items, spec->best, least);;)
	{
		const FimBest *best;
		double		reached;
		bool		enough;

		spec->minsup = guess;
		JobContinue(job, &spec->head, cost);
		JobStart(job, NULL, false);
		best = FimBestOf(JobShared(job));
		(void) JobGoOn(job);
		reached = FimBestLeast(FimBestThreshold(best));
		enough = guess <= least || FimBestCounted(best, guess) >= spec->best;
		guess = NextGuess(best, guess, least);
		(void) JobFinish(job);
		if (enough)
			return Max(spec->minsup, (uint32) ceil(reached));
	}
}
