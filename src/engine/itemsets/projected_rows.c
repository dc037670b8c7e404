/*-------------------------------------------------------------------------
 *
 * projected_rows.c
 *	  Prefix classes over rows, and the choice of form.
 *
 * The class of item i extends the path by i and then by items before i.  First, the
 * items that occur together with i are counted.  Then the rows of i, cut down to those
 * items that are frequent with it, are projected either to a bit matrix or, where that
 * would be nearly empty, to a smaller database of rows, whose classes are mined in the
 * same way.
 *
 *-------------------------------------------------------------------------
 */
#include "all.h"
#include "class_items.h"
#include "closed.h"
#include "known.h"
#include "known_open.h"
#include "known_sets.h"
#include "maximal.h"
#include "node_of_rows.h"
#include "output.h"
#include "projected_rows.h"
#include "projected_view.h"

/*
 * The density from which on a matrix is worth its zeros, given as its inverse.  Counting all
 * pairs of k columns over r rows takes k^2 r / 2 / 512 vector steps.  Delivering the
 * occurrences of rows with d k items each takes r (d k)^2 / 2 increments, which wait for
 * each other.  By that the two would cost the same near a density d of 1 / 20.  But
 * deeper in the search a matrix gains from merged rows and from tables.  Measured on
 * T10I4D100K, BMS-WebView-2, retail and Quest data of a million rows, any limit from
 * 1 / 48 to 1 / 400 takes the same time, and 1 / 24 takes half as much again or more.
 */
#define MIN_DENSITY_INVERSE		100

/* With this few rows a matrix is small whatever its density is. */
#define ALWAYS_DENSE_ROWS		512

/*
 * A class of many transactions and items is not made a matrix, but first cut into
 * smaller classes, if its matrix would take more bytes than this and more than the
 * database's items do.  Measured on retail, whose largest matrix takes 40 MB: no
 * slower, and half of the memory.
 */
#define LARGE_MATRIX			(UINT64_C(16) << 20)

/* The most bytes that the matrix of a class may take without being large. */
static uint64_t
MostMatrixBytes(uint64_t entries)
{
	uint64_t	bytes = entries * sizeof(uint32_t);

	return bytes > LARGE_MATRIX ? bytes : LARGE_MATRIX;
}

/* The bytes of a class's matrix.  Closed itemsets need the same bits by rows, too. */
static uint64_t
MatrixBytes(FimKind kind, uint64_t rows, uint64_t columns)
{
	return rows / 8 * columns * (kind == FIM_CLOSED ? 2 : 1);
}

size_t
ClosedMatrixSize(uint64_t support, uint64_t nitems, uint64_t entries)
{
	uint64_t	bytes = MatrixBytes(FIM_CLOSED, support, nitems);
	uint64_t	most = MostMatrixBytes(entries);

	return bytes < most ? bytes : most;
}

/* Whether the class's matrix would be large. */
static bool
IsLarge(const Miner *m, uint64_t rows, const ClassItems *class)
{
	return MatrixBytes(m->job->kind, rows, (uint64_t) class->k + class->excluded) >
		MostMatrixBytes(m->db->entries);
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

/* Make the witness for known_open.c of the class's rows that have an open item. */
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
 * Returns the class with its extensions sorted by descending support in the class, as
 * maximal.c expects them, and without its excluded items.  (*order)[c] is the place that
 * extension c had.  Memory is from the miner's arena.
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

/* Make the node of the sorted class.  The class must be mapped, and is unmapped. */
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
 * Items that are rare in the class are extended by items that are frequent in it, and these
 * more often turn out to be in all of their rows: kosarak at 23 has 6.8e16 itemsets and
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

/* Whether some itemset is long enough, if "more" items may extend the path. */
static inline bool
ClassReaches(const Miner *m, uint32_t more)
{
	return OutputReaches(&m->out, m->out.nperfect + more);
}

static void
MineSparse(Miner *m, const View *view, const ClassItems *class)
{
	View		projected;

	FimStrategyUsed(m->shared, FIM_PROJECTED);
	ProjectView(m, view, class, &projected);
	UnmapClass(view, class);
	for (uint32_t j = projected.nclasses; j-- > 0 && ClassReaches(m, j + 1);)
		MineClass(m, &projected, j);
}

/*
 * Give out the path, which now ends with the class's item and its closure.  For maximal
 * itemsets, begin the search instead, and give the path out only if nothing extends it.
 * Returns false if no itemset that extends the path is wanted, or, for maximal itemsets, if a
 * known itemset holds all that the class could give.
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

/* Give out the path with each extension, if longer itemsets are not wanted. */
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
	ClassItems	class;

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
	CountClass(m, view, i, &class);
	if (!class.covered && ClassReaches(m, class.k) && OutputClass(m, view, &class) && class.k > 0)
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
