/*-------------------------------------------------------------------------
 *
 * class.c
 *	  Prefix classes over rows: occurrence deliver, and the choice of form.
 *
 * The class of item i extends the path with i and then by items before i.  One
 * scan of the rows that hold i counts what i occurs with (occurrence deliver:
 * Uno, Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 3).  What is frequent
 * there is projected either to a bit matrix or, where that would be nearly
 * empty, to a smaller database of rows on which the same is done again.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

/*
 * A matrix is worth its zeros from this density up: counting all pairs of k
 * columns over r rows costs k^2 r / 2 / 512 vector steps of about 4
 * instructions, delivering the occurrences of rows with d k items costs
 * r (d k)^2 / 2 increments of about 4, so that they meet at d^2 = 1 / 512.
 */
#define MIN_DENSITY_INVERSE		24

/* With this few rows a matrix is small whatever its density is. */
#define ALWAYS_DENSE_ROWS		512

/* With this many columns one machine word holds a row, and equal rows merge. */
#define MERGED_COLUMNS			64

/* What item i's class is made of: items of the view, in its order. */
typedef struct ClassItems
{
	uint32_t	i;
	uint32_t	k;				/* extensions */
	uint32_t	excluded;
	uint32_t   *item;			/* [k + excluded] */
	uint32_t   *support;		/* [k] */
	uint64_t	entries;		/* of the extensions in the rows, by weight */
	bool		covered;		/* an excluded item is in all of the rows */
} ClassItems;

void
ViewOfDatabase(Miner *m, View *view, uint32_t skip)
{
	const FimDatabase *db = m->db;
	const char *base = (const char *) db;
	uint32_t	n = db->nitems;

	view->nitems = n;
	view->skip = skip;
	view->nrows = db->nrows;
	view->name = (const uint32_t *) (base + db->name_at);
	view->support = (const uint32_t *) (base + db->support_at);
	view->row_at = (const uint64_t *) (base + db->row_at);
	view->items = (const uint32_t *) (base + db->items_at);
	view->weight = (const uint32_t *) (base + db->weight_at);
	view->occ = (const uint64_t *) (base + db->occ_at);
	view->occurrences = (const uint32_t *) (base + db->occurrences_at);
	while (n > 0 && view->support[n - 1] < m->job->minsup)
		n--;
	view->nclasses = n;
}

/* Scratch space for taking the view's classes. */
void
ViewScratch(Miner *m, View *view)
{
	size_t		touched = sizeof(uint64_t) * ((size_t) view->nitems / 64 + 1);

	view->count = ArenaAlloc(&m->arena, sizeof(uint32_t) * view->nitems);
	view->local = ArenaAlloc(&m->arena, sizeof(uint32_t) * view->nitems);
	view->touched = ArenaAlloc(&m->arena, touched);
	memset(view->count, 0, sizeof(uint32_t) * view->nitems);
	memset(view->local, 0, sizeof(uint32_t) * view->nitems);
	memset(view->touched, 0, touched);
}

/* Occurrence deliver: count the items of the rows that hold item i. */
static void
CountClass(Miner *m, const View *view, uint32_t i)
{
	bool		before_only = m->job->kind == FIM_ALL;

	for (uint64_t o = view->occ[i]; o < view->occ[i + 1]; o++)
	{
		uint32_t	r = view->occurrences[o];
		uint32_t	weight = view->weight[r];
		const uint32_t *at = view->items + view->row_at[r] + view->skip;
		const uint32_t *end = view->items + view->row_at[r + 1];

		for (; *at < i; at++)
		{
			view->count[*at] += weight;
			view->touched[*at / 64] |= UINT64_C(1) << (*at % 64);
		}
		if (!before_only)
			for (at++; at < end; at++)
			{
				view->count[*at] += weight;
				view->touched[*at / 64] |= UINT64_C(1) << (*at % 64);
			}
		MinerWork(m, 4 + (uint64_t) (end - view->items) - view->row_at[r]);
	}
}

/*
 * Gather what was counted and clear the counters.  Items that are in all of
 * the class's rows go to the output's perfect items, or, where closures are
 * wanted, to its path.
 */
static void
CollectClass(Miner *m, const View *view, ClassItems *class)
{
	uint32_t	whole = view->support[class->i];
	uint32_t	n = 0;
	uint32_t	nwords = view->nitems / 64 + 1;

	for (uint32_t w = 0; w < nwords; w++)
		n += (uint32_t) __builtin_popcountll(view->touched[w]);
	class->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) n + 1));
	class->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) n + 1));
	n = 0;
	for (uint32_t w = 0; w < nwords; w++)
	{
		for (uint64_t left = view->touched[w]; left != 0; left &= left - 1)
		{
			uint32_t	x = w * 64 + (uint32_t) __builtin_ctzll(left);
			uint32_t	count = view->count[x];

			view->count[x] = 0;
			if (count < m->job->minsup)
				continue;
			if (x < class->i && count == whole)
			{
				if (m->job->kind == FIM_ALL)
					m->out.perfect[m->out.nperfect++] = view->name[x];
				else
					OutputPush(&m->out, view->name[x]);
				continue;
			}
			if (count == whole)
				class->covered = true;
			class->item[n] = x;
			class->support[n] = count;
			if (x < class->i)
			{
				class->k = n + 1;
				class->entries += count;
			}
			n++;
		}
		view->touched[w] = 0;
	}
	class->excluded = n - class->k;
}

/* Columns + 1 of the class's items, 0 for others; until UnmapClass. */
static void
MapClass(const View *view, const ClassItems *class)
{
	for (uint32_t c = 0; c < class->k + class->excluded; c++)
		view->local[class->item[c]] = c + 1;
}

static void
UnmapClass(const View *view, const ClassItems *class)
{
	for (uint32_t c = 0; c < class->k + class->excluded; c++)
		view->local[class->item[c]] = 0;
}

/*
 * The class as a smaller database.  Rows that hold no extension any more are
 * left out, and so are the items of a row that are not frequent in the class.
 */
static void
ProjectView(Miner *m, const View *view, const ClassItems *class, View *to)
{
	uint64_t	nrows = view->occ[class->i + 1] - view->occ[class->i];
	uint32_t	n = class->k + class->excluded;
	uint64_t	entries = 0;
	uint64_t   *row_at;
	uint64_t   *occ;
	uint32_t   *items;
	uint32_t   *weight;
	uint32_t   *name;
	uint32_t   *occurrences;
	uint64_t	used = 0;
	uint32_t	kept = 0;

	for (uint64_t o = view->occ[class->i]; o < view->occ[class->i + 1]; o++)
	{
		uint32_t	r = view->occurrences[o];

		entries += view->row_at[r + 1] - view->row_at[r] - view->skip;
	}
	row_at = ArenaAlloc(&m->arena, sizeof(uint64_t) * (nrows + 1));
	weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * nrows);
	items = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	name = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	occ = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n + 2));
	memset(occ, 0, sizeof(uint64_t) * ((size_t) n + 2));

	row_at[0] = 0;
	for (uint64_t o = view->occ[class->i]; o < view->occ[class->i + 1]; o++)
	{
		uint32_t	r = view->occurrences[o];
		uint64_t	start = used;

		for (uint64_t e = view->row_at[r] + view->skip; e < view->row_at[r + 1]; e++)
		{
			uint32_t	column = view->local[view->items[e]];

			if (column != 0)
				items[used++] = column - 1;
		}
		MinerWork(m, view->row_at[r + 1] - view->row_at[r]);
		if (used == start || items[start] >= class->k)
		{
			used = start;
			continue;
		}
		for (uint64_t e = start; e < used; e++)
			occ[items[e] + 2]++;
		weight[kept] = view->weight[r];
		row_at[++kept] = used;
	}

	occurrences = ArenaAlloc(&m->arena, sizeof(uint32_t) * used);
	for (uint32_t c = 0; c < n; c++)
	{
		name[c] = view->name[class->item[c]];
		occ[c + 2] += occ[c + 1];
	}
	for (uint32_t r = 0; r < kept; r++)
		for (uint64_t e = row_at[r]; e < row_at[r + 1]; e++)
			occurrences[occ[items[e] + 1]++] = r;

	to->nitems = n;
	to->nclasses = class->k;
	to->skip = 0;
	to->nrows = kept;
	to->name = name;
	to->support = class->support;
	to->row_at = row_at;
	to->items = items;
	to->weight = weight;
	to->occ = occ;
	to->occurrences = occurrences;
	ViewScratch(m, to);
}

/* Whether the class goes on as a bit matrix. */
static bool
IsDense(const Miner *m, const View *view, const ClassItems *class)
{
	uint64_t	rows = view->occ[class->i + 1] - view->occ[class->i];
	uint64_t	weight = view->support[class->i];

	switch (m->job->strategy)
	{
		case FIM_BITMAP:
			return true;
		case FIM_PROJECTED:
			return false;
		default:
			return class->k <= MERGED_COLUMNS || rows <= ALWAYS_DENSE_ROWS ||
				(double) class->entries * MIN_DENSITY_INVERSE >= (double) weight * class->k;
	}
}

void
MineClass(Miner *m, const View *view, uint32_t i)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	depth = m->out.depth;
	uint32_t	nperfect = m->out.nperfect;
	ClassItems	class = {.i = i};

	m->nodes++;
	OutputPush(&m->out, view->name[i]);
	CountClass(m, view, i);
	CollectClass(m, view, &class);
	if (!class.covered)
	{
		if (m->job->kind == FIM_ALL)
			OutputAll(m, view->support[i]);
		else if (m->job->kind == FIM_CLOSED || class.k + class.excluded == 0)
			OutputOne(m, view->support[i]);
		if (class.k > 0 && m->out.depth < m->out.max_depth)
		{
			MapClass(view, &class);
			if (IsDense(m, view, &class))
			{
				Node		node;

				NodeOfRows(m, view, i, class.item, class.k, class.excluded, &node);
				node.support = class.support;
				node.path_support = view->support[i];
				UnmapClass(view, &class);
				MineNode(m, &node);
			}
			else
			{
				View		projected;

				ProjectView(m, view, &class, &projected);
				UnmapClass(view, &class);
				for (uint32_t j = projected.nclasses; j-- > 0;)
					MineClass(m, &projected, j);
			}
		}
	}
	OutputPop(&m->out, m->out.depth - depth);
	m->out.nperfect = nperfect;
	ArenaRelease(&m->arena, mark);
}
