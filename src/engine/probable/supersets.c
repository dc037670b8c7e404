/*-------------------------------------------------------------------------
 *
 * supersets.c
 *	  Whether a node's itemset is not closed, or not maximal, because of an item by which
 *	  the node is not extended.
 *
 * Such items have no columns in the node's view, so the rows of the data are read.
 *
 *-------------------------------------------------------------------------
 */
#include "supersets.h"

#include "engine/ascending.h"

#include <string.h>

/* A node's itemset with one more item: the rows that hold it, and the sum of its probabilities. */
typedef struct Tally
{
	uint32_t	n;
	double		mean;
} Tally;

static inline bool
IsAsked(const ProbableMiner *m, uint32_t item, const Ranking *of, uint32_t ranks)
{
	return of->rank_of[item] != 0 && of->rank_of[item] <= ranks && !m->holds[item];
}

/* The entry of an item in a row of the data, or the row's end. */
static uint64_t
FindEntry(const FimProbableData *data, uint32_t row, uint32_t item)
{
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	uint64_t	end = start[row + 1];
	uint64_t	entry = FirstNotBelow(items, start[row], end, item);

	return entry < end && items[entry] == item ? entry : end;
}

/* Is the item in the row with probability 1? */
static bool
IsCertain(const FimProbableData *data, uint32_t row, uint32_t item)
{
	uint64_t	e = FindEntry(data, row, item);

	return e < FIM_PROBABLE_STARTS(data)[row + 1] &&
		(!data->by_entry || FIM_PROBABLE_PROBABILITIES(data)[e] == 1);
}

/* The items of the first row are the candidates, and each row may rule some of them out. */
bool
IsCovered(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks)
{
	const FimProbableData *data = m->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t   *left = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) data->max_row + 1));
	uint32_t	nleft = 0;
	bool		first = true;

	for (uint32_t r = 0; r < node->view->nrows && (first || nleft > 0); r++)
	{
		uint32_t	row = node->view->origin[r];
		uint32_t	kept = 0;

		if (!NodeHolds(node, r))
			continue;
		for (uint64_t e = start[row]; first && e < start[row + 1]; e++)
			if (IsAsked(m, items[e], of, ranks))
				left[nleft++] = items[e];
		first = false;
		for (uint32_t i = 0; i < nleft; i++)
			if (IsCertain(data, row, left[i]))
				left[kept++] = left[i];
		nleft = kept;
		ProbableWork(m, 16);
	}
	ArenaRelease(&m->arena, mark);
	return nleft > 0;
}

/* Count all items in one pass over the node's rows. */
static void
TallyItems(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks, Tally *tally)
{
	const FimProbableData *data = m->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);

	for (uint32_t r = 0; r < node->view->nrows; r++)
	{
		uint32_t	row = node->view->origin[r];

		if (!NodeHolds(node, r))
			continue;
		for (uint64_t e = start[row]; e < start[row + 1]; e++)
			if (IsAsked(m, items[e], of, ranks))
			{
				Tally	   *of_item = &tally[of->rank_of[items[e]] - 1];

				of_item->n++;
				of_item->mean += node->weight[r] * (data->by_entry ? p[e] : 1);
			}
		ProbableWork(m, 4 * (start[row + 1] - start[row]));
	}
}

/* Set m->probabilities and m->rows for the itemset at hand: the node's, with this item added. */
static void
TakeExtended(ProbableMiner *m, const ProbableNode *node, uint32_t item)
{
	const FimProbableData *data = m->data;
	const double *p = FIM_PROBABLE_PROBABILITIES(data);
	uint32_t	n = 0;

	for (uint32_t r = 0; r < node->view->nrows; r++)
	{
		uint32_t	row = node->view->origin[r];
		uint64_t	e;

		if (!NodeHolds(node, r) ||
			(e = FindEntry(data, row, item)) == FIM_PROBABLE_STARTS(data)[row + 1])
			continue;
		m->rows[n] = row;
		m->probabilities[n++] = data->by_entry ? Product(node->weight[r], p[e]) : node->weight[r];
		ProbableWork(m, 16);
	}
}

static bool
IsSelectedWith(ProbableMiner *m, const ProbableNode *node, uint32_t item, const Tally *tally)
{
	Extension	with = {.item = item,.n = tally->n,.mean = tally->mean};
	FimVerdict	verdict;
	bool		selected;

	/* the error is that of adding n probabilities one after the other */
	verdict = JudgeMean(m, &with, tally->n * 1.12e-16, ProbableFactors(m) + 1);
	if (verdict != FIM_OPEN)
		return verdict == FIM_YES;
	ProbablePush(m, item);
	TakeExtended(m, node, item);
	selected = JudgeProbabilities(m, &with);
	ProbablePop(m);
	return selected;
}

bool
IsExtensible(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	size_t		bytes = sizeof(Tally) * ((size_t) ranks + 1);
	Tally	   *tally = ArenaAlloc(&m->arena, bytes);
	bool		selected = false;

	memset(tally, 0, bytes);
	TallyItems(m, node, of, ranks, tally);
	for (uint32_t rank = 0; rank < ranks && !selected; rank++)
		if (tally[rank].n > 0)
			selected = IsSelectedWith(m, node, of->item_of[rank], &tally[rank]);
	ArenaRelease(&m->arena, mark);
	return selected;
}
