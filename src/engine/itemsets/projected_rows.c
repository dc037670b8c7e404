/*-------------------------------------------------------------------------
 *
 * projected_rows.c
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
#include "all.h"
#include "closed.h"
#include "known.h"
#include "maximal.h"
#include "node_of_rows.h"
#include "output.h"
#include "projected_rows.h"

#include <string.h>

/*
 * From what density on, given as its inverse, a matrix is worth its zeros.  To count all
 * pairs of k columns over r rows takes k^2 r / 2 / 512 vector steps.  To deliver the
 * occurrences of rows with d k items each takes r (d k)^2 / 2 increments, which wait for
 * each other.  By that the two would cost the same near a density d of 1 / 20.  But
 * deeper in the search a matrix gains from merged rows and from tables.  Measured on
 * T10I4D100K, BMS-WebView-2, retail and Quest data of a million rows, any limit from
 * 1 / 48 to 1 / 400 takes the same time, and 1 / 24 half as much again and more.
 */
#define MIN_DENSITY_INVERSE		100

/* With this few rows a matrix is small whatever its density is. */
#define ALWAYS_DENSE_ROWS		512

/*
 * A class of many transactions and items is cut into smaller ones first if its
 * matrix would take more than this and than the database's items.  Measured on
 * retail, whose largest takes 40 MB: no slower, and half of the memory.
 */
#define LARGE_MATRIX			(UINT64_C(16) << 20)

/* What item i's class is made of: items of the view, in its order. */
typedef struct ClassItems
{
	uint32_t	i;
	uint32_t	k;				/* extensions */
	uint32_t	excluded;
	uint32_t   *item;			/* [k + excluded] */
	uint32_t   *support;		/* [k + excluded] */
	uint64_t	entries;		/* of the extensions in the rows, by weight */
	bool		covered;		/* an excluded item is in all of the rows */
} ClassItems;

/* Whether items after the class's have to be looked at. */
static inline bool
NeedsExcluded(const Miner *m)
{
	return m->job->kind == FIM_CLOSED || (m->job->kind == FIM_MAXIMAL && m->known->nopen > 0);
}

/* Whether item x, after the class's, is looked at.  For maximal itemsets only open ones are, see known.c. */
static inline bool
IsExcluded(const Miner *m, const View *view, uint32_t x)
{
	if (m->job->kind != FIM_MAXIMAL)
		return true;
	return view->whole ? KnownIsOpen(m, x) : x >= view->nclasses;
}

/* Occurrence deliver: count the items of the rows that hold item i. */
static void
CountClass(Miner *m, const View *view, uint32_t i)
{
	bool		before_only = !NeedsExcluded(m);
	uint32_t   *restrict count = view->count;
	uint8_t    *restrict touched = view->touched;
	const uint32_t *restrict items = view->items;
	uint32_t	skip = view->skip;
	uint64_t	end = view->occ[i + 1];

	for (uint64_t o = view->occ[i]; o < end; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		const uint32_t *restrict item = items + row.at;
		uint32_t	e = skip;

		PREFETCH_ROW(view, o, end);
		for (; item[e] < i; e++)
		{
			count[item[e]] += row.weight;
			touched[item[e] / VIEW_BLOCK] = 1;
		}
		if (!before_only)
			for (e++; e < row.length; e++)
			{
				count[item[e]] += row.weight;
				touched[item[e] / VIEW_BLOCK] = 1;
			}
		MinerWork(m, 4 + (uint64_t) e);
	}
}

/* An item that is frequent in the class, or in all of its rows. */
static inline void
CollectItem(Miner *m, const View *view, ClassItems *class, uint32_t x, uint32_t count)
{
	uint32_t	whole = view->support[class->i];

	if (x < class->i && count == whole)
	{
		/* multiplied out where all itemsets count, else part of the closure */
		if (m->job->kind == FIM_ALL)
			m->out.perfect[m->out.nperfect++] = view->name[x];
		else
			OutputPush(&m->out, view->name[x]);
		return;
	}
	if (x > class->i && !IsExcluded(m, view, x))
		return;
	if (count == whole)
		class->covered = true;
	class->item[class->k + class->excluded] = x;
	class->support[class->k + class->excluded] = count;
	if (x < class->i)
	{
		class->k++;
		class->entries += count;
	}
	else
		class->excluded++;
}

/* The flags of VIEW_FLAGS blocks, the first in the lowest byte. */
static inline uint64_t
FlagsOf(const View *view, uint32_t f)
{
	uint64_t	flags;

	memcpy(&flags, view->touched + f * VIEW_FLAGS, sizeof(flags));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	flags = __builtin_bswap64(flags);
#endif
	return flags;
}

/* Gather what was counted, in item order, and clear the counters. */
static void
CollectClass(Miner *m, const View *view, ClassItems *class)
{
	uint32_t	nflags = view->nitems / VIEW_BLOCK / VIEW_FLAGS + 1;
	uint32_t	most = 0;

	for (uint32_t f = 0; f < nflags; f++)
		most += (uint32_t) (FlagsOf(view, f) * UINT64_C(0x0101010101010101) >> 56);
	class->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * most * VIEW_BLOCK);
	class->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * most * VIEW_BLOCK);
	for (uint32_t f = 0; f < nflags; f++)
		for (uint64_t flags = FlagsOf(view, f); flags != 0; flags &= flags - 1)
		{
			uint32_t	first = (f * VIEW_FLAGS + (uint32_t) __builtin_ctzll(flags) / 8) * VIEW_BLOCK;
			uint32_t   *count = view->count + first;
			uint8_t		mask;

			view->touched[first / VIEW_BLOCK] = 0;
			m->kernels->at_least(count, VIEW_BLOCK, m->job->minsup, &mask);
			for (unsigned left = mask; left != 0; left &= left - 1)
			{
				uint32_t	x = (uint32_t) __builtin_ctz(left);

				CollectItem(m, view, class, first + x, count[x]);
			}
			memset(count, 0, sizeof(uint32_t) * VIEW_BLOCK);
		}
	MinerWork(m, nflags / 4 + most);
}

/* Let view->local have the columns + 1 of the class's items, until UnmapClass(). */
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
	uint64_t	from = view->occ[class->i];
	uint64_t	end = view->occ[class->i + 1];
	uint32_t	n = class->k + class->excluded;
	uint64_t	entries = 0;
	FimRow	   *rows;
	uint64_t   *occ;
	uint32_t   *items;
	uint32_t   *name;
	uint32_t   *occurrences;
	uint64_t	used = 0;
	uint32_t	kept = 0;

	for (uint64_t o = from; o < end; o++)
		entries += view->rows[view->occurrences[o]].length - view->skip;
	rows = ArenaAlloc(&m->arena, sizeof(FimRow) * (end - from));
	items = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	name = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	occ = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n + 2));
	memset(occ, 0, sizeof(uint64_t) * ((size_t) n + 2));

	for (uint64_t o = from; o < end; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		uint64_t	start = used;

		PREFETCH_ROW(view, o, end);
		for (uint32_t e = view->skip; e < row.length; e++)
		{
			uint32_t	column = view->local[view->items[row.at + e]];

			if (column != 0)
				items[used++] = column - 1;
		}
		MinerWork(m, row.length);
		if (used == start || items[start] >= class->k)
		{
			used = start;
			continue;
		}
		for (uint64_t e = start; e < used; e++)
			occ[items[e] + 2]++;
		rows[kept++] = (FimRow) {start, (uint32_t) (used - start), row.weight};
	}

	occurrences = ArenaAlloc(&m->arena, sizeof(uint32_t) * used);
	for (uint32_t c = 0; c < n; c++)
	{
		name[c] = view->name[class->item[c]];
		occ[c + 2] += occ[c + 1];
	}
	for (uint32_t r = 0; r < kept; r++)
		for (uint32_t e = 0; e < rows[r].length; e++)
			occurrences[occ[items[rows[r].at + e] + 1]++] = r;

	to->nitems = n;
	to->nclasses = class->k;
	to->whole = false;
	to->skip = 0;
	to->nrows = kept;
	to->name = name;
	to->support = class->support;
	to->rows = rows;
	to->items = items;
	to->occ = occ;
	to->occurrences = occurrences;
	ViewScratch(m, to);
}

/* Whether the class's matrix would be large.  Closed itemsets need it by rows, too. */
static bool
IsLarge(const Miner *m, uint64_t rows, const ClassItems *class)
{
	uint64_t	bytes = rows / 8 * ((uint64_t) class->k + class->excluded);

	if (m->job->kind == FIM_CLOSED)
		bytes *= 2;
	return bytes > LARGE_MATRIX && bytes > m->db->entries * sizeof(uint32_t);
}

/* Whether the class goes on as a bit matrix. */
static bool
IsDense(const Miner *m, const View *view, const ClassItems *class)
{
	uint64_t	rows = view->occ[class->i + 1] - view->occ[class->i];
	uint64_t	weight = view->support[class->i];

	switch (m->job->head.strategy)
	{
		case FIM_BITMAP:
			return true;
		case FIM_PROJECTED:
			return false;
		default:
			if (IsLarge(m, rows, class))
				return false;
			return class->k <= MERGED_COLUMNS || rows <= ALWAYS_DENSE_ROWS ||
				(double) class->entries * MIN_DENSITY_INVERSE >= (double) weight * class->k;
	}
}

/* Make the witness of known.c from the class's rows that have open items. */
static void
MakeWitness(Miner *m, const View *view, const ClassItems *class)
{
	Known	   *known = m->known;
	Node		node;

	known->nwitness_open = class->excluded;
	if (class->excluded == 0)
		return;
	NodeOfRows(m, view, class->i, class->item, class->k, class->excluded, false, &node);
	known->witness_open = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->excluded);
	known->witness_item = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->excluded);
	for (uint32_t x = 0; x < class->excluded; x++)
	{
		known->witness_open[x] = class->k + x;
		known->witness_item[x] = known->rank[node.item[class->k + x]];
	}
	KnownWitness(m, &node.matrix, class->k + class->excluded);
}

/*
 * Returns the class with its extensions by descending support in the class, as maximal.c
 * wants them.  *order says which each of them was.  Memory is from the arena.
 */
static ClassItems
SortedClass(Miner *m, const ClassItems *class, uint32_t class_support, uint32_t **order)
{
	ClassItems	sorted = *class;

	*order = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->k);
	for (uint32_t c = 0; c < class->k; c++)
		(*order)[c] = c;
	SortColumns(m, *order, class->k, class->support, class_support);
	sorted.excluded = 0;
	sorted.item = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->k);
	sorted.support = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->k);
	for (uint32_t c = 0; c < class->k; c++)
	{
		sorted.item[c] = class->item[(*order)[c]];
		sorted.support[c] = class->support[(*order)[c]];
	}
	return sorted;
}

static void
NodeOfClass(Miner *m, const View *view, const ClassItems *class, Node *node)
{
	NodeOfRows(m, view, class->i, class->item, class->k, class->excluded, true, node);
	node->support = class->support;
	node->path_support = view->support[class->i];
}

/* The same of the sorted class; the class is unmapped. */
static void
NodeOfSortedClass(Miner *m, const View *view, const ClassItems *class, uint32_t **order, Node *node)
{
	ClassItems	sorted = SortedClass(m, class, view->support[class->i], order);

	UnmapClass(view, class);
	MapClass(view, &sorted);
	NodeOfClass(m, view, &sorted, node);
	UnmapClass(view, &sorted);
}

static void
MineDenseMaximal(Miner *m, const View *view, const ClassItems *class)
{
	uint32_t   *order;
	Node		node;

	MakeWitness(m, view, class);
	NodeOfSortedClass(m, view, class, &order, &node);
	MineMaximalNode(m, &node, order, view->whole);
}

/*
 * What is rare in the class is extended first and by what is frequent there, which so
 * turns out to be in all of its rows more often: kosarak at 23 has 6.8e16 itemsets and
 * takes 46 thousand nodes, in place of 34 million in the database's order.
 */
static void
MineDenseAll(Miner *m, const View *view, const ClassItems *class)
{
	uint32_t   *order;
	Node		node;

	NodeOfSortedClass(m, view, class, &order, &node);
	MineAllNode(m, &node);
}

static void
MineDense(Miner *m, const View *view, const ClassItems *class)
{
	Node		node;

	FimStrategyUsed(m->shared, FIM_BITMAP);
	if (m->job->kind == FIM_MAXIMAL)
	{
		MineDenseMaximal(m, view, class);
		return;
	}
	if (m->job->kind == FIM_ALL)
	{
		MineDenseAll(m, view, class);
		return;
	}
	NodeOfClass(m, view, class, &node);
	UnmapClass(view, class);
	MineClosedClass(m, &node);
}

static void
MineSparse(Miner *m, const View *view, const ClassItems *class)
{
	View		projected;

	FimStrategyUsed(m->shared, FIM_PROJECTED);
	ProjectView(m, view, class, &projected);
	UnmapClass(view, class);
	for (uint32_t j = projected.nclasses; j-- > 0;)
		MineClass(m, &projected, j);
}

/*
 * Give out the path, which now ends with the class's item and its closure.  Returns
 * false if nothing that extends it is wanted, or, for maximal itemsets, if a known one
 * holds all that the class could give.
 */
static bool
OutputClass(Miner *m, const View *view, const ClassItems *class)
{
	uint32_t	support = view->support[class->i];
	ArenaMark	mark;
	uint32_t   *names;
	bool		unknown;

	if (m->job->kind == FIM_ALL)
		OutputAll(m, support);
	else if (m->job->kind == FIM_CLOSED)
		OutputOne(m, support);
	else
	{
		mark = ArenaGetMark(&m->arena);
		names = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->k);
		for (uint32_t c = 0; c < class->k; c++)
			names[c] = view->name[class->item[c]];
		unknown = KnownBeginSearch(m, m->class_item, names, class->k);
		ArenaRelease(&m->arena, mark);
		/* an open item that is frequent here extends the path */
		if (unknown && class->k + class->excluded == 0)
		{
			m->known->nwitness_open = 0;
			KnownFound(m, support);
		}
		return unknown;
	}
	return m->out.depth < m->out.max_depth;
}

/* Give out the path with each extension, where longer itemsets are not wanted. */
static void
OutputExtensions(Miner *m, const View *view, const ClassItems *class)
{
	for (uint32_t c = 0; c < class->k; c++)
	{
		OutputPush(&m->out, view->name[class->item[c]]);
		OutputAll(m, class->support[c]);
		OutputPop(&m->out, 1);
	}
	MinerWork(m, class->k);
}

void
MineClass(Miner *m, const View *view, uint32_t i)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	depth = m->out.depth;
	uint32_t	nperfect = m->out.nperfect;
	ClassItems	class = {.i = i};

	MinerBeginNode(m);
	if (view->whole)
		m->class_item = view->name[i];
	OutputPush(&m->out, view->name[i]);
	if (m->job->kind == FIM_ALL && m->out.depth == m->out.max_depth)
	{
		/* nothing extends the path, and its support is known */
		OutputAll(m, view->support[i]);
		OutputPop(&m->out, 1);
		return;
	}
	CountClass(m, view, i);
	CollectClass(m, view, &class);
	if (!class.covered && OutputClass(m, view, &class) && class.k > 0)
	{
		if (m->job->kind == FIM_ALL && m->out.depth + 1 == m->out.max_depth)
			OutputExtensions(m, view, &class);
		else
		{
			MapClass(view, &class);
			if (IsDense(m, view, &class))
				MineDense(m, view, &class);
			else
				MineSparse(m, view, &class);
		}
	}
	OutputPop(&m->out, m->out.depth - depth);
	m->out.nperfect = nperfect;
	ArenaRelease(&m->arena, mark);
}
