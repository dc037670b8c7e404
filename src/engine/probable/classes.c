/*-------------------------------------------------------------------------
 *
 * classes.c
 *	  The items that are selected, and the views with which their prefix classes begin.
 *
 * A class of dense data begins in the view of all rows.  Where data are sparse, that
 * would take a walk over the columns of all later items for each class.  Instead, the rows
 * of the class's item are read, and a view is made of what is in them.
 *
 * First come the items by which a node is not extended, then the view of all rows and the
 * items that are selected in it, then the classes.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/arena.h"
#include "miner.h"
#include "probable.h"

/* ---- items by which a node is not extended: they have no columns in its view, so rows are read ---- */

/*
 * There can be as many classes as items, so a class must not look at the counts of all places if few
 * are not 0.  But to sort a place takes far longer than to look at a count.
 */
#define FEW_COUNTS(nplaces)		((nplaces) / 32)

static int
ComparePlaces(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/*
 * Put the places below nplaces whose counts are not 0 in order.  place[n] has them all, maybe some
 * several times; it need not be set unless n is below FEW_COUNTS().  It must have room for one
 * more than there are.  Returns their number.
 */
static uint32_t
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

/* ---- the view of all rows ---- */

/* Columns of bits pay if the items are, on the average, in at least one of this many rows: measured. */
#define DENSE_PART	8

static bool
IsDense(const ProbableMiner *m, uint64_t entries, uint32_t columns, uint32_t nrows)
{
	return !m->data->by_entry && columns > 0 && entries * DENSE_PART >= (uint64_t) columns * nrows;
}

void
MakeRootView(ProbableMiner *m, ProbableView *view)
{
	const FimProbableData *data = m->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);
	double	   *weight = BeginView(m, view, data->nrows);
	uint32_t   *origin = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) data->nrows + 1));

	for (uint32_t r = 0; r < data->nrows; r++)
	{
		origin[r] = r;
		weight[r] = data->by_entry ? 1 : p[r];
		for (uint32_t i = 0; data->by_entry && i < m->spec->nrequired; i++)
			weight[r] = Product(weight[r], p[start[r] + i]);
		ProbableWork(m, 1);
	}
	view->origin = origin;
	view->start = COLUMN_STARTS(data);
	view->row = COLUMN_ROWS(data);
	view->factor = data->by_entry ? COLUMN_FACTORS(data) : NULL;
}

static void
JudgeRequired(ProbableMiner *m, Root *root)
{
	Extension  *required = &root->required;

	memset(required, 0, sizeof(*required));
	required->n = root->view.nrows;
	for (uint32_t w = 0; w < root->view.nwords; w++)
	{
		double		block = 0;

		for (uint32_t k = 0; k < 64; k++)
			block += root->view.weight[(size_t) w * 64 + k];
		SumsAdd(&required->mean, &required->lost, block);
	}
	required->mean += required->lost;
	root->selected = m->spec->nrequired > 0 && JudgeNode(m, &root->node, required);
}

/* Judge each item beside the required ones.  Returns how many are selected. */
static uint32_t
JudgeSingles(ProbableMiner *m, Root *root)
{
	const uint64_t *start = root->view.start;
	uint32_t	n = 0;
	uint32_t	selected = 0;

	for (uint32_t item = m->spec->nrequired; item < m->data->nitems; item++)
		if (MayBeSelected(m, start[item + 1] - start[item]))
		{
			memset(&root->singles[n], 0, sizeof(Extension));
			root->singles[n].item = root->singles[n].column = item;
			n++;
			ProbableWork(m, EXTENSION_WORK);
		}
	CountExtensions(m, &root->node, root->singles, n);
	for (uint32_t i = 0; i < n; i++)
	{
		if (JudgeExtension(m, &root->node, &root->singles[i]))
			root->singles[selected++] = root->singles[i];
		ProbableWork(m, EXTENSION_WORK);
	}
	return selected;
}

/* The rarest item first, and of equally frequent ones the lower one. */
static int
CompareSingles(const void *a, const void *b)
{
	const Extension *x = a;
	const Extension *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/*
 * The items of which each itemset needs one are before the others, as they are sorted for that.  Their number is that of the
 * classes to be mined.
 */
static uint32_t
MoveAnyFirst(ProbableMiner *m, Root *root, uint32_t n)
{
	Extension  *others = ArenaAlloc(&m->arena, sizeof(Extension) * ((size_t) n + 1));
	uint32_t	nothers = 0;
	uint32_t	kept = 0;

	if (m->spec->nany == 0)
		return n;
	for (uint32_t i = 0; i < n; i++)
		if (IsAnyItem(m, root->singles[i].item))
			root->singles[kept++] = root->singles[i];
		else
			others[nothers++] = root->singles[i];
	memcpy(root->singles + kept, others, sizeof(Extension) * nothers);
	return kept;
}

/*
 * Move items that are certain in all rows behind the others, but none of those of which each itemset needs one.  Returns
 * how many there are.
 */
static uint32_t
SplitPerfect(ProbableMiner *m, Root *root, uint32_t n)
{
	Extension  *perfect = ArenaAlloc(&m->arena, sizeof(Extension) * ((size_t) n + 1));
	uint32_t	nperfect = 0;
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (IsPerfect(&root->node, &root->singles[i]) && !IsAnyItem(m, root->singles[i].item))
			perfect[nperfect++] = root->singles[i];
		else
			root->singles[kept++] = root->singles[i];
	memcpy(root->singles + kept, perfect, sizeof(Extension) * nperfect);
	return nperfect;
}

static void
RankSingles(ProbableMiner *m, Root *root, uint32_t n)
{
	uint32_t   *item_of = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) n + 1));
	uint32_t   *rank_of = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->data->nitems + 1));
	uint32_t   *count = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) n + 1));
	double	   *mean = ArenaAlloc(&m->arena, sizeof(double) * ((size_t) n + 1));

	qsort(root->singles, n, sizeof(Extension), CompareSingles);
	root->classes = MoveAnyFirst(m, root, n);
	root->perfect = SplitPerfect(m, root, n);
	memset(rank_of, 0, sizeof(uint32_t) * m->data->nitems);
	for (uint32_t rank = 0; rank < n; rank++)
	{
		item_of[rank] = root->singles[rank].item;
		rank_of[item_of[rank]] = rank + 1;
		ProbableWork(m, EXTENSION_WORK);
	}
	memset(count, 0, sizeof(uint32_t) * ((size_t) n + 1));
	memset(mean, 0, sizeof(double) * ((size_t) n + 1));
	root->ranking = (Ranking) {n, item_of, rank_of, count, mean};
}

static void
SumBeyond(ProbableMiner *m, Root *root)
{
	uint64_t	sum = 0;

	root->beyond = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) root->ranking.n + 1));
	for (uint32_t rank = root->ranking.n; rank-- > 0;)
	{
		root->beyond[rank] = sum;
		sum += root->singles[rank].n;
	}
}

/* Make columns of bits, by rank, which take the place of the lists. */
static void
MakeRootBits(ProbableMiner *m, Root *root)
{
	ProbableView *view = &root->view;
	size_t		words = (size_t) root->ranking.n * view->nwords;
	uint64_t   *bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * (words + 1));

	memset(bits, 0, sizeof(uint64_t) * words);
	for (uint32_t rank = 0; rank < root->ranking.n; rank++)
	{
		uint64_t   *to = bits + (size_t) rank * view->nwords;
		uint32_t	item = root->singles[rank].item;

		for (uint64_t e = view->start[item]; e < view->start[item + 1]; e++)
			to[view->row[e] / 64] |= UINT64_C(1) << (view->row[e] % 64);
		root->singles[rank].column = rank;
		ProbableWork(m, view->start[item + 1] - view->start[item]);
	}
	view->bits = bits;
}

void
MakeRoot(ProbableMiner *m, Root *root)
{
	uint64_t	entries;

	MakeRootView(m, &root->view);
	ViewNode(m, &root->view, &root->node);
	JudgeRequired(m, root);
	root->singles = ArenaAlloc(&m->arena, sizeof(Extension) * ((size_t) m->data->nitems + 1));
	RankSingles(m, root, JudgeSingles(m, root));
	SumBeyond(m, root);
	entries = root->ranking.n > 0 ? root->beyond[0] + root->singles[0].n : 0;
	if (IsDense(m, entries, root->ranking.n, root->view.nrows))
	{
		MakeRootBits(m, root);
		ViewNode(m, &root->view, &root->node);
	}
}

/* ---- classes ---- */

/*
 * The rows of an item lie far from each other in memory, so the processor cannot foresee which
 * one will be read.  PrefetchRow() tells it ahead of time: first where a row begins, then its
 * items.
 */
#define ROWS_AHEAD	16
#define LINE_ITEMS	16			/* in a line of the cache */
#define LINE_FACTORS	8

static inline void
PrefetchRow(const FimProbableData *data, const uint32_t *row, uint64_t left, bool factors)
{
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	uint64_t	end;

	if (left <= ROWS_AHEAD)
		return;
	__builtin_prefetch(start + row[ROWS_AHEAD]);
	end = start[row[ROWS_AHEAD / 2] + 1];
	for (uint64_t e = start[row[ROWS_AHEAD / 2]]; e < end; e += LINE_ITEMS)
		__builtin_prefetch(FIM_PROBABLE_ITEMS(data) + e);
	if (factors)
		for (uint64_t e = start[row[ROWS_AHEAD / 2]]; e < end; e += LINE_FACTORS)
			__builtin_prefetch(FIM_PROBABLE_PROBABILITIES(data) + e);
}

/* Count how many of an item's rows hold each item, in the ranking's places.  Returns the number of entries read. */
static uint64_t
CountPairs(ProbableMiner *m, const Root *root, const Extension *single)
{
	const uint64_t *start = FIM_PROBABLE_STARTS(m->data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(m->data);
	const uint32_t *rank_of = root->ranking.rank_of;
	uint32_t   *count = root->ranking.count;
	uint64_t	end = root->view.start[single->item + 1];
	uint64_t	entries = 0;

	for (uint64_t e = root->view.start[single->item]; e < end; e++)
	{
		uint32_t	row = root->view.row[e];

		PrefetchRow(m->data, root->view.row + e, end - e, false);
		for (uint64_t other = start[row]; other < start[row + 1]; other++)
			count[rank_of[items[other]]]++;
		entries += start[row + 1] - start[row];
		ProbableWork(m, start[row + 1] - start[row]);
	}
	return entries;
}

/* List the places that CountPairs() has counted, in their order.  Returns how many there are. */
static uint32_t
PlacesOfClass(ProbableMiner *m, const Root *root, const Extension *single, uint64_t entries, uint32_t **list)
{
	const uint64_t *start = FIM_PROBABLE_STARTS(m->data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(m->data);
	uint32_t	nplaces = root->ranking.n + 1;
	bool		few = entries < FEW_COUNTS(nplaces);
	uint32_t   *place = ArenaAlloc(&m->arena, sizeof(uint32_t) * (few ? entries + 1 : (uint64_t) nplaces + 1));
	uint32_t	n = 0;

	*list = place;
	if (!few)
		return PlacesInOrder(&root->ranking, nplaces, place, entries);
	for (uint64_t e = root->view.start[single->item]; e < root->view.start[single->item + 1]; e++)
		for (uint64_t other = start[root->view.row[e]]; other < start[root->view.row[e] + 1]; other++)
			place[n++] = root->ranking.rank_of[items[other]];
	return PlacesInOrder(&root->ranking, nplaces, place, n);
}

/*
 * Choose the extensions that occur often enough, by ascending rank, and give them columns.
 * column_of[] has the counts of the n places at first, and then their columns + 1, or 0 where there
 * is none.  Returns the number of columns.
 */
static uint32_t
ChooseColumns(ProbableMiner *m, const Root *root, uint32_t rank, uint32_t *column_of, const uint32_t *place,
			  uint32_t n, Extension *extensions, uint64_t *entries)
{
	uint32_t	columns = 0;

	*entries = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = place[i];
		uint32_t	count = column_of[at];

		column_of[at] = 0;
		if (at <= rank + 1 || !MayBeSelected(m, count))
			continue;
		extensions[columns] = (Extension) {.column = columns,.item = root->ranking.item_of[at - 1],.n = count};
		*entries += count;
		column_of[at] = ++columns;
	}
	return columns;
}

/* Where the columns of a view are written to. */
typedef struct Columns
{
	uint32_t	nwords;
	uint64_t   *bits;			/* columns as bits, or NULL */
	uint64_t   *at;				/* [columns + 2] columns as lists, or NULL: at[c + 1] is the place of
								 * column c's next entry, so that at[] becomes ProbableView.start */
	uint32_t   *row;			/* columns as lists */
	double	   *factor;			/* columns as lists, under attribute uncertainty; otherwise NULL */
	double	   *dense;			/* columns as the factors of all rows, or NULL */
} Columns;

static Columns
MakeColumns(ProbableMiner *m, ProbableView *view, const Extension *extensions, uint32_t n, uint64_t entries)
{
	Columns		columns = {.nwords = view->nwords};

	if (IsDense(m, entries, n, view->nrows))
	{
		columns.bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n * view->nwords + 1));
		memset(columns.bits, 0, sizeof(uint64_t) * (size_t) n * view->nwords);
		view->bits = columns.bits;
		return columns;
	}
	if (FactorsAreDense(m, entries, n, view->nrows))
	{
		view->dense = columns.dense = AllocDense(m, view, n);
		return columns;
	}
	columns.at = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n + 2));
	columns.row = ArenaAlloc(&m->arena, sizeof(uint32_t) * (entries + 1));
	columns.factor = m->data->by_entry ? ArenaAlloc(&m->arena, sizeof(double) * (entries + 1)) : NULL;
	columns.at[0] = columns.at[1] = 0;
	for (uint32_t c = 0; c < n; c++)
		columns.at[c + 2] = columns.at[c + 1] + extensions[c].n;
	view->start = columns.at;
	view->row = columns.row;
	view->factor = columns.factor;
	return columns;
}

static inline void
AddToColumn(Columns *columns, uint32_t column, uint32_t row, double factor)
{
	uint64_t	to;

	if (columns->bits != NULL)
	{
		columns->bits[(size_t) column * columns->nwords + row / 64] |= UINT64_C(1) << (row % 64);
		return;
	}
	if (columns->at == NULL)
	{
		columns->dense[((size_t) column * columns->nwords) * 64 + row] = factor;
		return;
	}
	to = columns->at[column + 1]++;
	columns->row[to] = row;
	if (columns->factor != NULL)
		columns->factor[to] = factor;
}

/*
 * Read the rows of an item once more: set the view's weights and origins, and fill the columns
 * that were chosen.  column_of is NULL if there are none.
 */
static void
FillColumns(ProbableMiner *m, const Root *root, const Extension *single, const uint32_t *column_of,
			Columns *columns, double *weight, uint32_t *origin)
{
	const FimProbableData *data = m->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);
	const uint32_t *rank_of = root->ranking.rank_of;
	const ProbableView *view = &root->view;
	uint64_t	first = view->start[single->item];
	uint64_t	end = view->start[single->item + 1];

	for (uint64_t e = first; e < end; e++)
	{
		uint32_t	row = view->row[e];
		uint32_t	r = (uint32_t) (e - first);

		PrefetchRow(data, view->row + e, end - e, column_of != NULL && data->by_entry);
		origin[r] = row;
		weight[r] = view->factor ? Product(view->weight[row], view->factor[e]) : view->weight[row];
		for (uint64_t other = start[row]; column_of != NULL && other < start[row + 1]; other++)
		{
			uint32_t	column = column_of[rank_of[items[other]]];

			if (column != 0)
				AddToColumn(columns, column - 1, r, data->by_entry ? p[other] : 1);
		}
		ProbableWork(m, start[row + 1] - start[row]);
	}
}

/*
 * Make a view of the rows of an item, and the extensions in it.  Returns their number.  No view
 * is made if there are no extensions and the item needs no node.
 */
static uint32_t
ClassFromRows(ProbableMiner *m, const Root *root, uint32_t rank, bool grows, ProbableView *view,
			  Extension **list)
{
	const Extension *single = &root->singles[rank];
	uint32_t   *column_of = root->ranking.count;
	uint32_t   *place = NULL;
	uint32_t	nplaces = grows ? PlacesOfClass(m, root, single, CountPairs(m, root, single), &place) : 0;
	Extension  *extensions = *list = ArenaAlloc(&m->arena, sizeof(Extension) * ((size_t) nplaces + 1));
	double	   *weight;
	uint32_t   *origin;
	Columns		columns;
	uint64_t	entries;
	uint32_t	n;

	n = ChooseColumns(m, root, rank, column_of, place, nplaces, extensions, &entries);
	if (n == 0 && !NeedsNode(m, single))
		return 0;
	weight = BeginView(m, view, single->n);
	origin = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) single->n + 1));
	columns = MakeColumns(m, view, extensions, n, entries);
	view->origin = origin;
	FillColumns(m, root, single, n > 0 ? column_of : NULL, &columns, weight, origin);
	for (uint32_t i = 0; i < n; i++)
		column_of[root->ranking.rank_of[extensions[i].item]] = 0;
	return n;
}

/* Count the extensions and keep those that may be selected.  Returns how many. */
static uint32_t
KeepPossible(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n)
{
	uint32_t	kept = 0;

	CountExtensions(m, node, extensions, n);
	for (uint32_t i = 0; i < n; i++)
		if (!IsRuledOut(m, &extensions[i]))
			extensions[kept++] = extensions[i];
	return kept;
}

/*
 * Does a view of its own pay for a class?  For lists it pays sooner than for bits, which take
 * long to move, and always if the lists become the factors of all rows.
 */
static bool
ClassPays(const ProbableMiner *m, const ProbableNode *node, const Extension *extensions, uint32_t n)
{
	uint32_t	nrows = node->view->nrows;
	uint64_t	entries = 0;

	if (node->view->bits != NULL)
		return ProjectionPays(node, n);
	for (uint32_t i = 0; i < n; i++)
		entries += extensions[i].n;
	return n > 1 && (node->n < nrows / 8.0 * 7 || FactorsAreDense(m, entries, n, nrows));
}

/* Make the class's node in the root's view or, if that pays, in a view made from it. */
static uint32_t
ClassFromRoot(ProbableMiner *m, const Root *root, uint32_t rank, bool grows, ProbableView *view,
			  ProbableNode *node, Extension **list)
{
	uint32_t	n = grows ? root->ranking.n - rank - 1 : 0;
	Extension  *extensions = *list = ArenaAlloc(&m->arena, sizeof(Extension) * ((size_t) n + 1));
	ProbableNode extended;

	ExtendNode(m, &root->node, &root->singles[rank], &extended);
	memcpy(extensions, root->singles + rank + 1, sizeof(Extension) * n);
	if (ClassPays(m, &extended, extensions, n))
		n = KeepPossible(m, &extended, extensions, n);
	if (ClassPays(m, &extended, extensions, n))
		ProjectNode(m, &extended, extensions, n, view, node);
	else
		*node = extended;
	return n;
}

/*
 * Does it take less time to begin a class in the root's view than from the rows of its item?
 * Columns of bits are counted in no time.  Walking over the lists of all higher ranks takes, for
 * each entry, half as long as reading the rows of an item twice takes for each item in them:
 * measured.
 */
static bool
RootServes(const ProbableMiner *m, const Root *root, uint32_t rank)
{
	double		row_length = (double) m->data->entries / m->data->nrows;

	return root->view.bits != NULL || root->beyond[rank] <= 2 * row_length * root->singles[rank].n;
}

uint32_t
BeginClass(ProbableMiner *m, const Root *root, uint32_t rank, bool grows, ProbableView *view,
		   ProbableNode *node, Extension **extensions)
{
	uint32_t	n;

	if (RootServes(m, root, rank))
		return ClassFromRoot(m, root, rank, grows, view, node, extensions);
	n = ClassFromRows(m, root, rank, grows, view, extensions);
	if (n > 0 || NeedsNode(m, &root->singles[rank]))
		ViewNode(m, view, node);
	return n;
}
