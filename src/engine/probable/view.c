/*-------------------------------------------------------------------------
 *
 * view.c
 *	  Rows that hold an itemset, and the items by which it may be extended; see miner.h.
 *
 * Whatever is done to a view is done in one of three ways, as its columns are bits, lists or
 * factors of all rows.  Extensions of a node are counted; one of them becomes a node of the same
 * view; probabilities are read out; and a node's rows become a view of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

double *
BeginView(ProbableMiner *m, ProbableView *view, uint32_t nrows)
{
	double	   *weight;

	memset(view, 0, sizeof(*view));
	view->nrows = nrows;
	view->nwords = nrows / 64 + (nrows % 64 != 0);
	weight = ArenaAlloc(&m->arena, sizeof(double) * 64 * ((size_t) view->nwords + 1));
	for (size_t r = nrows; r < (size_t) view->nwords * 64; r++)
		weight[r] = 0;
	view->weight = weight;
	return weight;
}

static inline const uint64_t *
BitsOf(const ProbableView *view, uint32_t column)
{
	return view->bits + (size_t) column * view->nwords;
}

static inline size_t
DenseLength(const ProbableView *view)
{
	return (size_t) view->nwords * 64;
}

static inline const double *
DenseOf(const ProbableView *view, uint32_t column)
{
	return view->dense + column * DenseLength(view);
}

double *
AllocDense(ProbableMiner *m, const ProbableView *view, uint32_t columns)
{
	size_t		bytes = sizeof(double) * (columns * DenseLength(view) + 1);
	double	   *dense = ArenaAlloc(&m->arena, bytes);

	memset(dense, 0, bytes);
	return dense;
}

/* All rows of a view, as bits. */
static const uint64_t *
AllBits(ProbableMiner *m, const ProbableView *view)
{
	uint64_t   *bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) view->nwords + 1));

	memset(bits, 0xff, sizeof(uint64_t) * view->nwords);
	if (view->nrows % 64 != 0)
		bits[view->nwords - 1] = (UINT64_C(1) << (view->nrows % 64)) - 1;
	return bits;
}

void
ViewNode(ProbableMiner *m, const ProbableView *view, ProbableNode *node)
{
	node->view = view;
	node->bits = view->bits ? AllBits(m, view) : NULL;
	node->weight = view->weight;
	node->n = view->nrows;
}

bool
IsPerfect(const ProbableNode *node, const Extension *extension)
{
	const ProbableView *view = node->view;

	if (extension->n != node->n)
		return false;
	if (view->dense != NULL)
	{
		const double *factor = DenseOf(view, extension->column);

		for (uint32_t r = 0; r < view->nrows; r++)
			if (factor[r] != 1 && node->weight[r] > 0)
				return false;
	}
	else if (view->factor != NULL)
		for (uint64_t e = view->start[extension->column]; e < view->start[extension->column + 1]; e++)
			if (view->factor[e] != 1 && node->weight[view->row[e]] > 0)
				return false;
	return true;
}

/* ---- counting extensions ---- */

/* Each block of rows is counted for all extensions, so that its weights are read from memory once. */
static void
CountBits(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n)
{
	const ProbableView *view = node->view;

	for (uint32_t from = 0; from < view->nwords; from += SUMS_WORDS)
	{
		uint32_t	nwords = view->nwords - from < SUMS_WORDS ? view->nwords - from : SUMS_WORDS;

		for (uint32_t i = 0; i < n; i++)
			SumsAdd(&extensions[i].mean, &extensions[i].lost,
					m->sums->bits(node->bits + from, BitsOf(view, extensions[i].column) + from,
								  view->weight + (size_t) from * 64, nwords, &extensions[i].n));
		ProbableWork(m, (uint64_t) n * nwords * 8);
	}
}

static void
CountDense(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n)
{
	size_t		length = DenseLength(node->view);

	for (size_t from = 0; from < length; from += SUMS_ENTRIES)
	{
		uint32_t	rows = length - from < SUMS_ENTRIES ? (uint32_t) (length - from) : SUMS_ENTRIES;

		for (uint32_t i = 0; i < n; i++)
			SumsAdd(&extensions[i].mean, &extensions[i].lost,
					m->sums->dense(DenseOf(node->view, extensions[i].column) + from, rows,
								   node->weight + from, &extensions[i].n));
		ProbableWork(m, (uint64_t) n * rows / 8);
	}
}

static void
CountList(ProbableMiner *m, const ProbableNode *node, Extension *extension)
{
	const ProbableView *view = node->view;
	uint64_t	end = view->start[extension->column + 1];

	for (uint64_t e = view->start[extension->column]; e < end; e += SUMS_ENTRIES)
	{
		uint32_t	n = end - e < SUMS_ENTRIES ? (uint32_t) (end - e) : SUMS_ENTRIES;

		SumsAdd(&extension->mean, &extension->lost,
				m->sums->list(view->row + e, view->factor ? view->factor + e : NULL, n,
							  node->weight, &extension->n));
		ProbableWork(m, EXTENSION_WORK + n);
	}
}

void
CountExtensions(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		extensions[i].n = 0;
		extensions[i].mean = extensions[i].lost = 0;
	}
	if (node->view->bits != NULL)
		CountBits(m, node, extensions, n);
	else if (node->view->dense != NULL)
		CountDense(m, node, extensions, n);
	else
		for (uint32_t i = 0; i < n; i++)
			CountList(m, node, &extensions[i]);
	for (uint32_t i = 0; i < n; i++)
		extensions[i].mean += extensions[i].lost;
}

/*
 * A transaction of probability q has the variance v = q - q^2, and v - 2 v^2 as its third
 * absolute central moment.
 */
void
ExtensionMoments(ProbableMiner *m, const ProbableNode *node, const Extension *extension,
				 FimMoments *moments)
{
	const ProbableView *view = node->view;
	double		sum[2] = {0, 0};
	double		lost[2] = {0, 0};
	bool		lists = HasLists(view);
	uint64_t	end = lists ? view->start[extension->column + 1] : view->bits ? view->nwords : DenseLength(view);
	uint32_t	step = view->bits ? SUMS_WORDS : SUMS_ENTRIES;

	for (uint64_t at = lists ? view->start[extension->column] : 0; at < end; at += step)
	{
		uint32_t	n = end - at < step ? (uint32_t) (end - at) : step;
		double		block[2] = {0, 0};

		if (view->bits)
			m->sums->bits_squares(node->bits + at, BitsOf(view, extension->column) + at,
								  view->weight + at * 64, n, block);
		else if (view->dense)
			m->sums->dense_squares(DenseOf(view, extension->column) + at, n, node->weight + at, block);
		else
			m->sums->list_squares(view->row + at, view->factor ? view->factor + at : NULL, n,
								  node->weight, block);
		for (int k = 0; k < 2; k++)
			SumsAdd(&sum[k], &lost[k], block[k]);
		ProbableWork(m, step);
	}
	moments->n = extension->n;
	moments->mean = extension->mean;
	moments->squares = sum[0] + lost[0];
	moments->variance = moments->mean - moments->squares;
	moments->third = moments->variance - 2 * (sum[1] + lost[1]);
	moments->error = 5 * SUMS_ERROR;
}

/* ---- nodes of extensions ---- */

static const uint64_t *
ExtendBits(ProbableMiner *m, const ProbableNode *node, uint32_t column)
{
	const ProbableView *view = node->view;
	const uint64_t *other = BitsOf(view, column);
	uint64_t   *bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * view->nwords);

	for (uint32_t w = 0; w < view->nwords; w++)
		bits[w] = node->bits[w] & other[w];
	return bits;
}

static size_t
WeightBytes(const ProbableView *view)
{
	return sizeof(double) * 64 * view->nwords;
}

static const double *
ExtendDense(ProbableMiner *m, const ProbableNode *node, uint32_t column)
{
	const ProbableView *view = node->view;
	const double *factor = DenseOf(view, column);
	double	   *weight = ArenaAlloc(&m->arena, WeightBytes(view));

	for (size_t r = 0; r < DenseLength(view); r++)
		weight[r] = node->weight[r] > 0 && factor[r] > 0 ? Product(node->weight[r], factor[r]) : 0;
	return weight;
}

static const double *
ExtendWeights(ProbableMiner *m, const ProbableNode *node, uint32_t column)
{
	const ProbableView *view = node->view;
	double	   *weight;

	if (view->dense != NULL)
		return ExtendDense(m, node, column);
	weight = ArenaAlloc(&m->arena, WeightBytes(view));
	memset(weight, 0, WeightBytes(view));
	for (uint64_t e = view->start[column]; e < view->start[column + 1]; e++)
	{
		uint32_t	r = view->row[e];

		if (node->weight[r] > 0)
			weight[r] = view->factor ? Product(node->weight[r], view->factor[e]) : node->weight[r];
	}
	return weight;
}

void
ExtendNode(ProbableMiner *m, const ProbableNode *node, const Extension *by, ProbableNode *to)
{
	const ProbableView *view = node->view;

	to->view = view;
	to->bits = view->bits ? ExtendBits(m, node, by->column) : NULL;
	to->weight = view->bits ? view->weight : ExtendWeights(m, node, by->column);
	to->n = by->n;
	ProbableWork(m, view->nrows / 8);
}

void
CopyNode(ProbableMiner *m, const ProbableNode *node, ProbableNode *to)
{
	*to = *node;
	if (node->view->bits != NULL)
		to->bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * node->view->nwords);
	else
		to->weight = ArenaAlloc(&m->arena, WeightBytes(node->view));
	ReplaceNode(to, node);
}

void
ReplaceNode(ProbableNode *node, const ProbableNode *by)
{
	if (by->view->bits != NULL)
		memcpy((uint64_t *) node->bits, by->bits, sizeof(uint64_t) * by->view->nwords);
	else
		memcpy((double *) node->weight, by->weight, WeightBytes(by->view));
	node->n = by->n;
}

/* ---- probabilities ---- */

void
NodeProbabilities(const ProbableMiner *m, const ProbableNode *node, double *to)
{
	const ProbableView *view = node->view;

	if (view->bits != NULL)
	{
		for (uint32_t w = 0; w < view->nwords; w++)
			to = m->sums->pick(node->bits[w], view->weight + (size_t) w * 64, to);
		return;
	}
	for (uint32_t r = 0; r < view->nrows; r++)
	{
		*to = node->weight[r];
		to += node->weight[r] > 0;
	}
}

void
NodeRows(const ProbableNode *node, uint32_t *to)
{
	const ProbableView *view = node->view;

	for (uint32_t r = 0; r < view->nrows; r++)
		if (NodeHolds(node, r))
			*to++ = view->origin[r];
}

void
ListProbabilities(const ProbableNode *node, const Extension *by, double *to, uint32_t *rows)
{
	const ProbableView *view = node->view;

	for (uint64_t e = view->start[by->column]; e < view->start[by->column + 1]; e++)
	{
		uint32_t	r = view->row[e];

		if (!(node->weight[r] > 0))
			continue;
		*to++ = view->factor ? Product(node->weight[r], view->factor[e]) : node->weight[r];
		*rows++ = view->origin[r];
	}
}

/* ---- views of a node's rows ---- */

/* Move the bits of a word that are in the mask together, to the low end. */
static uint64_t
CompressWord(uint64_t word, uint64_t mask)
{
	uint64_t	kept = 0;

	for (int k = 0; mask != 0; mask &= mask - 1, k++)
		kept |= (word >> __builtin_ctzll(mask) & 1) << k;
	return kept;
}

static void
ProjectBits(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n, ProbableView *view)
{
	const ProbableView *from = node->view;
	uint64_t   *bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n * view->nwords + 1));

	memset(bits, 0, sizeof(uint64_t) * ((size_t) n * view->nwords + 1));
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *column = BitsOf(from, extensions[i].column);
		uint64_t   *to = bits + (size_t) i * view->nwords;
		uint64_t	at = 0;

		for (uint32_t w = 0; w < from->nwords; w++)
		{
			uint64_t	mask = node->bits[w];
			uint64_t	word = CompressWord(column[w] & mask, mask);

			if (mask == 0)
				continue;
			to[at / 64] |= word << (at % 64);
			if (at % 64 != 0 && word >> (64 - at % 64) != 0)
				to[at / 64 + 1] |= word >> (64 - at % 64);
			at += (uint64_t) __builtin_popcountll(mask);
		}
		ProbableWork(m, from->nrows);
	}
	view->bits = bits;
}

static uint64_t
EntriesOf(const Extension *extensions, uint32_t n)
{
	uint64_t	entries = 0;

	for (uint32_t i = 0; i < n; i++)
		entries += extensions[i].n;
	return entries;
}

/* new_row[r] is the number in the new view of row r of the old one. */
static void
ProjectLists(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n,
			 ProbableView *view, const uint32_t *new_row)
{
	const ProbableView *from = node->view;
	uint64_t   *start = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n + 1));
	uint64_t	entries = EntriesOf(extensions, n);
	uint32_t   *row;
	double	   *factor;

	row = ArenaAlloc(&m->arena, sizeof(uint32_t) * (entries + 1));
	factor = from->factor ? ArenaAlloc(&m->arena, sizeof(double) * (entries + 1)) : NULL;
	entries = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	column = extensions[i].column;

		start[i] = entries;
		for (uint64_t e = from->start[column]; e < from->start[column + 1]; e++)
		{
			if (!(node->weight[from->row[e]] > 0))
				continue;
			row[entries] = new_row[from->row[e]];
			if (factor != NULL)
				factor[entries] = from->factor[e];
			entries++;
		}
		ProbableWork(m, from->start[column + 1] - from->start[column]);
	}
	start[n] = entries;
	view->start = start;
	view->row = row;
	view->factor = factor;
}

/* Write the factors of a column, in the node's rows, to their places in the new view. */
static void
ProjectColumn(const ProbableNode *node, uint32_t column, double *to, const uint32_t *new_row)
{
	const ProbableView *from = node->view;
	const double *factor = from->dense ? DenseOf(from, column) : from->factor;

	if (from->dense != NULL)
		/* a row left out writes 0 where the next row goes; after the last one, maybe in the next column */
		for (uint32_t r = 0; r < from->nrows; r++)
			to[new_row[r]] = node->weight[r] > 0 ? factor[r] : 0;
	else
		for (uint64_t e = from->start[column]; e < from->start[column + 1]; e++)
			if (node->weight[from->row[e]] > 0)
				to[new_row[from->row[e]]] = factor[e];
}

static void
ProjectDense(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n,
			 ProbableView *view, const uint32_t *new_row)
{
	double	   *dense = AllocDense(m, view, n);

	for (uint32_t i = 0; i < n; i++)
	{
		ProjectColumn(node, extensions[i].column, dense + i * DenseLength(view), new_row);
		ProbableWork(m, node->view->nrows);
	}
	view->dense = dense;
}

/* The number that each row of the node's view will have in a view of the node's rows. */
static const uint32_t *
NumberRows(ProbableMiner *m, const ProbableNode *node)
{
	uint32_t   *new_row = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) node->view->nrows + 1));
	uint32_t	next = 0;

	for (uint32_t r = 0; r < node->view->nrows; r++)
	{
		new_row[r] = next;
		next += node->weight[r] > 0;
	}
	return new_row;
}

void
ProjectNode(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n, ProbableView *view,
			ProbableNode *to)
{
	double	   *weight = BeginView(m, view, node->n);
	uint32_t   *origin = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) node->n + 1));

	NodeProbabilities(m, node, m->probabilities);
	memcpy(weight, m->probabilities, sizeof(double) * node->n);
	NodeRows(node, origin);
	view->origin = origin;
	if (node->view->bits != NULL)
		ProjectBits(m, node, extensions, n, view);
	else if (node->view->dense != NULL ||
			 FactorsAreDense(m, EntriesOf(extensions, n), n, node->n))
		ProjectDense(m, node, extensions, n, view, NumberRows(m, node));
	else
		ProjectLists(m, node, extensions, n, view, NumberRows(m, node));
	for (uint32_t i = 0; i < n; i++)
		extensions[i].column = i;
	ViewNode(m, view, to);
}
