/*-------------------------------------------------------------------------
 *
 * dci_pairs.c
 *	  What gpuDCI does with transactions on the CPU: count pairs and prune.
 *
 * DCI's direct count has a counter for each pair of items, found by the two items'
 * numbers, and goes through the transactions.  Its pruning keeps the items that are
 * in enough of a level's itemsets to be in one of the next level, and then the
 * transactions that have enough of these.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/gpudci/dci_pairs.h"
#include "itemsets/levels.h"

/* The most counters of pairs that are used at a time, which bounds the memory. */
#define PAIR_COUNTERS	(UINT64_C(1) << 26)

/* Nanoseconds to count a pair of a transaction's items. */
#define PAIR_NS			1.5
/* Nanoseconds to form a candidate. */
#define CANDIDATE_NS	15.0
/* Nanoseconds to count a chunk of a candidate on a device. */
#define CHUNK_NS		0.01

/* ---- pruning ---- */

void
DciCountOccurrences(Dci *dci, const ItemsetLevel *level, uint32_t *occurs)
{
	uint32_t	nitems = dci->job->nitems;

	memset(occurs, 0, sizeof(uint32_t) * nitems);
	for (uint64_t c = 0; c < level->nclasses; c++)
	{
		const LevelClass *of = &level->classes[c];

		for (uint32_t i = 0; i < level->k - 1; i++)
			occurs[ClassPrefix(level, c)[i]] += of->n;
		for (uint32_t m = of->first; m < of->first + of->n; m++)
			occurs[level->last[m]]++;
	}
}

/*
 * Keep only the transactions' items that have a row in the map, and then only the transactions
 * that have at least "least" of these items.
 */
static void
PruneTransactions(Dci *dci, uint32_t least)
{
	ItemsetJob *job = dci->job;
	ItemsetTransactions *from = &dci->bitmaps.from;
	FimRow	   *rows = (FimRow *) JobAlloc(job, sizeof(FimRow) * ((size_t) from->nrows + 1));
	uint32_t   *items = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * (from->entries + 1));
	ItemsetTransactions to = {rows, items, 0, 0, 0, from->weighted};

	for (uint32_t r = 0; r < from->nrows; r++)
	{
		FimRow		row = {to.entries, 0, from->rows[r].weight};
		const uint32_t *item = from->items + from->rows[r].at;

		for (uint32_t i = 0; i < from->rows[r].length; i++)
		{
			items[row.at + row.length] = item[i];
			row.length += item[i] < job->nitems && dci->map[item[i]] != GPU_NONE;
		}
		JobWork(job, 2 + from->rows[r].length);
		if (row.length < least)
			continue;
		to.longest = row.length > to.longest ? row.length : to.longest;
		to.entries += row.length;
		rows[to.nrows++] = row;
	}
	JobFree(job, dci->rows);
	JobFree(job, dci->items);
	dci->rows = rows;
	dci->items = items;
	*from = to;
}

void
DciPruneOnHost(Dci *dci, const ItemsetLevel *level)
{
	uint32_t	nlive = 0;

	DciCountOccurrences(dci, level, dci->map);
	for (uint32_t i = 0; i < dci->job->nitems; i++)
		dci->map[i] = dci->map[i] >= level->k ? nlive++ : GPU_NONE;
	dci->bitmaps.nrows = nlive;
	PruneTransactions(dci, level->k + 1);
}

/* ---- pairs ---- */

/* Whether it is quicker to count pairs in the transactions than to intersect items. */
static bool
PairsPay(const Dci *dci)
{
	ItemsetJob *job = dci->job;
	const ItemsetTransactions *from = &dci->bitmaps.from;
	double		n = job->nitems - job->skip;
	double		candidates = n * (n - 1) / 2;
	double		pairs = 0;
	double		passes = candidates / (double) PAIR_COUNTERS;

	for (uint32_t r = 0; r < from->nrows; r++)
	{
		double		length = from->rows[r].length - job->skip;

		pairs += 0.5 * length * (length - 1);
		JobWork(job, 1);
	}
	return pairs * PAIR_NS * (passes > 1 ? passes : 1) <=
		candidates * (CANDIDATE_NS + (double) from->nrows / BITMAP_CHUNK * CHUNK_NS / job->team.ndevices);
}

/* Count the pairs whose first items are low .. high - 1. */
static void
CountPairsOf(Dci *dci, uint32_t low, uint32_t high, uint32_t **counts)
{
	const ItemsetTransactions *from = &dci->bitmaps.from;
	uint32_t	nitems = dci->job->nitems;

	for (uint32_t r = 0; r < from->nrows; r++)
	{
		const FimRow *row = &from->rows[r];
		const uint32_t *items = from->items + row->at;
		uint32_t	n = row->length;

		while (n > 0 && items[n - 1] >= nitems)
			n--;
		/* all rows begin with the items that are in all transactions */
		for (uint32_t i = dci->job->skip; i < n && items[i] < high; i++)
		{
			uint32_t   *of = counts[items[i] >= low ? items[i] - low : 0];

			if (items[i] < low)
				continue;
			for (uint32_t j = i + 1; j < n; j++)
				of[items[j]] += row->weight;
			JobWork(dci->job, n - i);
		}
	}
}

bool
DciCountPairs(void *of, ItemsetLevels *levels)
{
	Dci		   *dci = (Dci *) of;
	ItemsetJob *job = dci->job;
	uint32_t	n = job->nitems;
	uint32_t	high;
	uint32_t  **counts;

	if (!PairsPay(dci))
		return false;
	counts = (uint32_t **) JobAlloc(job, sizeof(uint32_t *) * n);
	for (uint32_t low = job->skip; low + 1 < n; low = high)
	{
		uint64_t	ncounters = 0;
		uint32_t   *counters;
		uint32_t   *next;

		for (high = low; high + 1 < n && (high == low || ncounters + n - high <= PAIR_COUNTERS); high++)
			ncounters += n - high - 1;
		next = counters = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * ncounters);
		memset(counters, 0, sizeof(uint32_t) * ncounters);
		/* the counters of item i are indexed by the pair's other item, which is i + 1 or greater */
		for (uint32_t i = low; i < high; next += n - ++i)
			counts[i - low] = next - (i + 1);
		CountPairsOf(dci, low, high, counts);
		for (uint32_t i = low; i < high; i++)
		{
			for (uint32_t j = i + 1; j < n; j++)
				if (counts[i - low][j] >= job->asked->minsup)
					LevelsAddPair(levels, i, j, counts[i - low][j]);
			JobWork(job, n - i);
		}
		JobFree(job, counters);
	}
	JobFree(job, counts);
	DciPruneOnHost(dci, levels->next);
	return true;
}
