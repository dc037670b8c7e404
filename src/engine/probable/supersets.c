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

#include <stdlib.h>

static int
ComparePlaces(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

uint32_t
PlacesInOrder(const Ranking *of, uint32_t nplaces, uint32_t *place, uint64_t n)
{
	uint32_t	kept = 0;

	if (n < FEW_COUNTS(nplaces))
	{
		qsort(place, n, sizeof(uint32_t), ComparePlaces);
		for (uint64_t i = 0; i < n; i++)
			if (kept == 0 || place[kept - 1] != place[i])
				place[kept++] = place[i];
		return kept;
	}
	for (uint32_t p = 0; p < nplaces; p++)
	{
		place[kept] = p;
		kept += of->count[p] != 0;
	}
	return kept;
}

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

/* Count all items in one pass over the node's rows.  Writes the places of those that occur, and returns how many. */
static uint32_t
TallyItems(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks, uint32_t *place)
{
	const FimProbableData *data = m->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);
	uint32_t	n = 0;

	for (uint32_t r = 0; r < node->view->nrows; r++)
	{
		uint32_t	row = node->view->origin[r];

		if (!NodeHolds(node, r))
			continue;
		for (uint64_t e = start[row]; e < start[row + 1]; e++)
			if (IsAsked(m, items[e], of, ranks))
			{
				uint32_t	at = of->rank_of[items[e]];

				place[n] = at;
				n += of->count[at]++ == 0;
				of->mean[at] += node->weight[r] * (data->by_entry ? p[e] : 1);
			}
		ProbableWork(m, 4 * (start[row + 1] - start[row]));
	}
	return n;
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
IsSelectedWith(ProbableMiner *m, const ProbableNode *node, uint32_t item, uint32_t count, double mean)
{
	Extension	with = {.item = item,.n = count,.mean = mean};
	FimVerdict	verdict;
	bool		selected;

	/* the error is that of adding n probabilities one after the other */
	verdict = JudgeMean(m, &with, count * 1.12e-16, ProbableFactors(m) + 1);
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
	uint64_t	most = (uint64_t) node->n * m->data->max_row;
	uint32_t   *place = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((most < ranks ? most : ranks) + 2));
	uint32_t	n = PlacesInOrder(of, ranks + 1, place, TallyItems(m, node, of, ranks, place));
	bool		selected = false;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = place[i];

		selected = selected || IsSelectedWith(m, node, of->item_of[at - 1], of->count[at], of->mean[at]);
		of->count[at] = 0;
		of->mean[at] = 0;
	}
	ArenaRelease(&m->arena, mark);
	return selected;
}
