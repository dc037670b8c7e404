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
#include <string.h>

#include "known.h"
#include "miner.h"

/*
 * A database of rows as searches see it: the whole one, or one projected to a prefix class.
 */

/*
 * Counts are cleared and compared in blocks of VIEW_BLOCK, which is half a cache line.
 * touched[] says which blocks have counts; VIEW_FLAGS of its flags are read at a time.
 */
#define VIEW_BLOCK	8
#define VIEW_FLAGS	8

void
ViewOfDatabase(Miner *m, View *view)
{
	const FimDatabase *db = m->db;
	const char *base = (const char *) db;

	view->nitems = db->nitems;
	view->nclasses = RootItems(m->spec, db, &view->skip);
	view->whole = true;
	view->nrows = db->nrows;
	view->name = FimItemNames(db);
	view->support = (const uint32_t *) (base + db->support_at);
	view->rows = (const FimRow *) (base + db->row_at);
	view->items = (const uint32_t *) (base + db->items_at);
	view->occ = (const uint64_t *) (base + db->occ_at);
	view->occurrences = (const uint32_t *) (base + db->occurrences_at);
}

void
ViewScratch(Miner *m, View *view)
{
	size_t		blocks = ((size_t) view->nitems / VIEW_BLOCK / VIEW_FLAGS + 1) * VIEW_FLAGS;

	view->count = ArenaAlloc(&m->arena, sizeof(uint32_t) * blocks * VIEW_BLOCK);
	view->local = ArenaAlloc(&m->arena, sizeof(uint32_t) * view->nitems);
	view->touched = ArenaAlloc(&m->arena, blocks);
	memset(view->count, 0, sizeof(uint32_t) * blocks * VIEW_BLOCK);
	memset(view->local, 0, sizeof(uint32_t) * view->nitems);
	memset(view->touched, 0, blocks);
}

/*
 * What the items of a prefix class are and how often they occur in it.
 *
 * One scan of the rows that hold the class's item counts what it occurs with
 * (occurrence deliver: Uno, Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 3).
 */

/* What the class of item i consists of: items of the view, in the view's order. */
typedef struct ClassItems
{
	uint32_t	i;
	uint32_t	k;				/* the number of extensions */
	uint32_t	excluded;		/* the number of excluded items, which follow the extensions */
	uint32_t   *item;			/* [k + excluded] */
	uint32_t   *support;		/* [k + excluded] support together with item i */
	uint64_t	entries;		/* the sum of the extensions' supports */
	bool		covered;		/* an excluded item is in all of the class's rows */
} ClassItems;

/*
 * A class has few entries if it has fewer than this many for each group of flags of the view's blocks.
 * There can be as many such classes as items, so looking at all flags for each of them would take time by
 * the square of the number of items.  Measured on retail, T10I4D100K, kosarak and data of a
 * million items: 1 and 4 take the same time, 16 and 64 a tenth more on retail.
 */
#define FEW_ENTRIES		4

/* Whether items after the class's item have to be counted. */
static inline bool
NeedsExcluded(const Miner *m)
{
	return m->spec->kind == FIM_CLOSED || (m->spec->kind == FIM_MAXIMAL && m->known->any_open);
}

/* Whether item x, after the class's item, is excluded.  For maximal itemsets only open items are, see known.c. */
static inline bool
IsExcluded(const Miner *m, const View *view, uint32_t x)
{
	if (m->spec->kind != FIM_MAXIMAL)
		return true;
	return view->whole ? KnownIsOpen(m, x) : x >= view->nclasses;
}

/* Count the items of the rows that hold item i.  Returns the number of entries read. */
static uint64_t
DeliverOccurrences(Miner *m, const View *view, uint32_t i, bool before_only)
{
	uint32_t   *restrict count = view->count;
	uint8_t    *restrict touched = view->touched;
	const uint32_t *restrict items = view->items;
	uint32_t	skip = view->skip;
	uint64_t	end = view->occ[i + 1];
	uint64_t	entries = 0;

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
		entries += e - skip;
	}
	return entries;
}

/* Item x is frequent in the class: add it to the class's items, to the path, or to the perfect items. */
static inline void
CollectItem(Miner *m, const View *view, ClassItems *class, uint32_t x, uint32_t count)
{
	uint32_t	whole = view->support[class->i];

	if (x < class->i && count == whole)
	{
		OutputFix(m, view->name[x]);
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

/* The number of groups of flags. */
static inline uint32_t
NFlags(const View *view)
{
	return view->nitems / VIEW_BLOCK / VIEW_FLAGS + 1;
}

/* The VIEW_FLAGS flags of group f of blocks, the first in the lowest byte. */
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

/* Collect the frequent items in their order, and clear the counts, by the flags of all blocks. */
static void
CollectByFlags(Miner *m, const View *view, ClassItems *class)
{
	uint32_t	nflags = NFlags(view);
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
			m->kernels->at_least(count, VIEW_BLOCK, m->minsup, &mask);
			for (unsigned left = mask; left != 0; left &= left - 1)
			{
				uint32_t	x = (uint32_t) __builtin_ctz(left);

				CollectItem(m, view, class, first + x, count[x]);
			}
			memset(count, 0, sizeof(uint32_t) * VIEW_BLOCK);
		}
	MinerWork(m, nflags / 4 + most);
}

/* The same for a class of few entries: its rows are read again, and the frequent items sorted. */
static void
CollectByRows(Miner *m, const View *view, ClassItems *class, uint64_t entries, bool before_only)
{
	ArenaMark	mark;
	uint32_t   *after;			/* how many items of the view follow */
	uint32_t   *support;
	uint32_t   *order;
	uint32_t	n = 0;

	class->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	class->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	mark = ArenaGetMark(&m->arena);
	after = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	support = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	for (uint64_t o = view->occ[class->i]; o < view->occ[class->i + 1]; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];

		for (uint32_t e = view->skip; e < row.length; e++)
		{
			uint32_t	x = view->items[row.at + e];

			if (before_only && x == class->i)
				break;
			if (view->count[x] >= m->minsup)
			{
				after[n] = view->nitems - x;
				support[n++] = view->count[x];
			}
			view->count[x] = 0;
			view->touched[x / VIEW_BLOCK] = 0;
		}
	}
	order = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	for (uint32_t c = 0; c < n; c++)
		order[c] = c;
	SortColumns(m, order, n, after, view->nitems);
	for (uint32_t c = 0; c < n; c++)
		CollectItem(m, view, class, view->nitems - after[order[c]], support[order[c]]);
	ArenaRelease(&m->arena, mark);
	MinerWork(m, entries);
}

/*
 * Count the items that occur together with item i of the view, and collect those that are
 * frequent with it.  Arrays are from the miner's arena.  An item before i that is in all
 * rows of the class is no extension: it goes on the path, or, if all itemsets are wanted,
 * to the perfect items.
 */
static void
CountClass(Miner *m, const View *view, uint32_t i, ClassItems *class)
{
	bool		before_only = !NeedsExcluded(m);
	uint64_t	entries;

	*class = (ClassItems) {.i = i};
	entries = DeliverOccurrences(m, view, i, before_only);
	if (entries < (uint64_t) NFlags(view) * FEW_ENTRIES)
		CollectByRows(m, view, class, entries, before_only);
	else
		CollectByFlags(m, view, class);
}

/* Set view->local to the columns + 1 of the class's items, for NodeOfRows() and ProjectView(), until UnmapClass(). */
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
 * A prefix class as a smaller database of rows.
 */

/* The number of entries of the class's rows, whether they stay or not. */
static uint64_t
EntriesOf(const View *view, const ClassItems *class)
{
	uint64_t	entries = 0;

	for (uint64_t o = view->occ[class->i]; o < view->occ[class->i + 1]; o++)
		entries += view->rows[view->occurrences[o]].length - view->skip;
	return entries;
}

/*
 * Write the class's rows, cut down to the class's items, and count the rows of each item in
 * occ[item + 2].  Returns the number of entries, and sets *nrows to the number of rows.
 */
static uint64_t
ProjectRows(Miner *m, const View *view, const ClassItems *class, FimRow *rows, uint32_t *nrows,
			uint32_t *items, uint64_t *occ)
{
	uint64_t	end = view->occ[class->i + 1];
	uint64_t	used = 0;
	uint32_t	kept = 0;

	for (uint64_t o = view->occ[class->i]; o < end; o++)
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
	*nrows = kept;
	return used;
}

/*
 * List the rows of each of the n items.  occ[] comes with the number of rows of item c in
 * occ[c + 2], and is changed so that occ[c] says where these rows begin in the list.
 */
static uint32_t *
ListOccurrences(Miner *m, const FimRow *rows, uint32_t nrows, const uint32_t *items,
				uint64_t entries, uint64_t *occ, uint32_t n)
{
	uint32_t   *occurrences = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);

	for (uint32_t c = 0; c < n; c++)
		occ[c + 2] += occ[c + 1];
	for (uint32_t r = 0; r < nrows; r++)
		for (uint32_t e = 0; e < rows[r].length; e++)
			occurrences[occ[items[rows[r].at + e] + 1]++] = r;
	return occurrences;
}

/*
 * Make a view of the class's rows.  MapClass() must have been called.  The rows get only the
 * items of the class, and rows that hold none of its extensions are left out.  Memory is
 * from the miner's arena.
 */
static void
ProjectView(Miner *m, const View *view, const ClassItems *class, View *to)
{
	uint64_t	most = view->occ[class->i + 1] - view->occ[class->i];
	uint32_t	n = class->k + class->excluded;
	FimRow	   *rows = ArenaAlloc(&m->arena, sizeof(FimRow) * most);
	uint32_t   *items = ArenaAlloc(&m->arena, sizeof(uint32_t) * EntriesOf(view, class));
	uint32_t   *name = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	uint64_t   *occ = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n + 2));
	uint64_t	entries;

	memset(occ, 0, sizeof(uint64_t) * ((size_t) n + 2));
	for (uint32_t c = 0; c < n; c++)
		name[c] = view->name[class->item[c]];
	entries = ProjectRows(m, view, class, rows, &to->nrows, items, occ);
	to->occurrences = ListOccurrences(m, rows, to->nrows, items, entries, occ, n);
	to->nitems = n;
	to->nclasses = class->k;
	to->whole = false;
	to->skip = 0;
	to->name = name;
	to->support = class->support;
	to->rows = rows;
	to->items = items;
	to->occ = occ;
	ViewScratch(m, to);
}

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

/* Whether the class's matrix would be large. */
static bool
IsLarge(const Miner *m, uint64_t rows, const ClassItems *class)
{
	return MatrixBytes(m->spec->kind, rows, (uint64_t) class->k + class->excluded) >
		MostMatrixBytes(m->db->entries);
}

/* Whether the class goes on as a bit matrix. */
static bool
IsDense(const Miner *m, const View *view, const ClassItems *class)
{
	uint64_t	rows = view->occ[class->i + 1] - view->occ[class->i];
	uint64_t	weight = view->support[class->i];

	switch (m->spec->head.strategy)
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

/* Make the witness for known.c of the class's rows that have an open item. */
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

static void
MineDenseAll(Miner *m, const View *view, const ClassItems *class)
{
	uint32_t   *order;
	Node		node;

	/* which pair an itemset belongs to goes by the database's order, and its pairs are sorted in place of the class */
	if (m->dealt != NULL && m->dealt->divided)
	{
		NodeOfClass(m, view, class, &node);
		UnmapClass(view, class);
	}
	else
		NodeOfSortedClass(m, view, class, &order, &node);
	MineAllNode(m, &node);
}

static void
MineDense(Miner *m, const View *view, const ClassItems *class)
{
	Node		node;

	FimStrategyUsed(m->shared, FIM_BITMAP);
	if (m->spec->kind == FIM_MAXIMAL)
	{
		MineDenseMaximal(m, view, class);
		return;
	}
	if (m->spec->kind == FIM_ALL)
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
	bool		divided = FimTakesPieces(m->dealt);
	View		projected;

	FimStrategyUsed(m->shared, FIM_PROJECTED);
	ProjectView(m, view, class, &projected);
	UnmapClass(view, class);
	for (uint32_t j = projected.nclasses; j-- > 0 && ClassReaches(m, j + 1);)
		if (!divided || FimHasPiece(m->dealt, projected.name[j]))
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

	if (m->spec->kind == FIM_ALL)
	{
		if (FimHasRest(m->dealt))
			OutputAll(m, support);
	}
	else if (m->spec->kind == FIM_CLOSED)
	{
		if (FimHasRest(m->dealt))
			OutputOne(m, support);
	}
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
			MaximalFound(m, support);
		}
		return unknown;
	}
	return m->out.depth < m->out.max_depth;
}

/* Give out the path with each extension, if longer itemsets are not wanted. */
static void
OutputExtensions(Miner *m, const View *view, const ClassItems *class)
{
	bool		divided = FimTakesPieces(m->dealt);

	for (uint32_t c = 0; c < class->k; c++)
	{
		if (divided && !FimHasPiece(m->dealt, view->name[class->item[c]]))
			continue;
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
	if (view->support[i] < m->minsup)
		return;
	if (view->whole)
		m->class_item = view->name[i];
	OutputPush(&m->out, view->name[i]);
	if (m->spec->kind == FIM_ALL && m->out.depth == m->out.max_depth)
	{
		/* nothing extends the path, and its support is known */
		if (FimHasRest(m->dealt))
			OutputAll(m, view->support[i]);
		OutputPop(&m->out, 1);
		return;
	}
	CountClass(m, view, i, &class);
	if (!class.covered && ClassReaches(m, class.k) && OutputClass(m, view, &class) && class.k > 0)
	{
		if (m->spec->kind == FIM_ALL && m->out.depth + 1 == m->out.max_depth)
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
