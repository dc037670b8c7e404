/*-------------------------------------------------------------------------
 *
 * miner.h
 *	  What the miners of itemsets share: the itemset being extended, what it is
 *	  extended on, and the way out.
 *
 * On processors, cpu_engine.c takes prefix classes and hands each to
 * projected_rows.c.  That counts what the class's item occurs with (occurrence
 * deliver) and then goes on in one of two forms.  A View is a projected database of
 * rows, the form for sparse data.  A Node is a bit matrix, the form for dense data;
 * all.c, closed.c and maximal.c mine Nodes.  Where rows are few, row_sets.c goes
 * through sets of rows instead.  On GPUs, only the Miner itself and its output are
 * used: output.c takes the itemsets found, wherever that was.
 *
 * Included by the files of this folder, and by those of cuda/itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MINER_H
#define FIM_MINER_H

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"
#include "engine/kernels.h"

#include <setjmp.h>

/* With this many extensions one machine word holds a row, and equal rows merge. */
#define MERGED_COLUMNS	63

/* Work units (words or row entries touched, about 1 ns) between two polls. */
#define WORK_PER_POLL	(UINT64_C(1) << 21)

/*
 * The itemset being extended and where it goes.  path holds the caller's items;
 * perfect[] are the items that every transaction of the path contains: for "all"
 * each of their subsets goes with each itemset of the subtree, so they are kept
 * apart and multiplied out only when itemsets are listed.
 */
typedef struct Output
{
	uint32_t   *path;
	uint32_t	depth;
	uint32_t   *perfect;
	uint32_t	nperfect;
	uint32_t	min_depth;		/* the job's limits, without the required items */
	uint32_t	max_depth;
	bool		count_only;

	/* counting: counted[nperfect][depth] = nodes; rows are made when needed */
	uint64_t  **counted;

	/* listing */
	uint32_t   *batch;
	size_t		batch_size;
	size_t		used;
	size_t		nitemsets;
	uint32_t	same;			/* leading items of path that the last record has too */

	uint64_t	results;		/* not yet added to the shared figure */
} Output;

/* A class, to see which of its columns cover a closed itemset. */
typedef struct Cover
{
	const BitMatrix *matrix;
	const RowMatrix *rows;
	uint32_t	ncolumns;
	uint64_t   *candidates;		/* the columns that are not on the path */
} Cover;

typedef struct Miner
{
	const FimItemsetsJob *job;
	const FimDatabase *db;
	FimShared  *shared;
	FimHost    *host;
	FimSink    *sink;
	const FimKernels *kernels;
	Arena		arena;
	Output		out;
	uint64_t	work;			/* since the last poll */
	uint64_t	worked;			/* until the last poll */
	uint64_t	nodes;			/* not yet added to the shared figure */
	struct Known *known;		/* for maximal itemsets, see known.h */
	uint32_t	class_item;		/* the caller's number of the class's item */
	Cover		cover;			/* for closed itemsets, of the class */
	jmp_buf		leave;			/* with a FimResult */
} Miner;

/*
 * A database of rows, the whole one or a projected one.  Items 0 .. nclasses-1
 * are those to extend with, by descending support in the whole database; the
 * items from there on are "excluded": the itemsets that contain them belong to
 * classes elsewhere, and they are carried only to tell whether a closure
 * contains one.  The first "skip" items are in every row and are ignored.
 */
typedef struct View
{
	uint32_t	nitems;
	uint32_t	nclasses;
	bool		whole;			/* the whole database */
	uint32_t	skip;
	uint32_t	nrows;
	const uint32_t *name;		/* the caller's numbers */
	const uint32_t *support;
	const FimRow *rows;
	const uint32_t *items;
	const uint64_t *occ;
	const uint32_t *occurrences;

	/* scratch, all zeros between two uses */
	uint32_t   *count;			/* [nitems], rounded up */
	uint8_t    *touched;		/* 1 for a block of items some of whose counts is not 0 */
	uint32_t   *local;			/* [nitems], garbage between two uses */
} View;

/*
 * A dense node: columns 0 .. k-1 extend the path (column order is item order,
 * most frequent first), columns k .. k+excluded-1 are excluded items.
 *
 * Whether an excluded item covers a closed itemset is either counted in the
 * node, then each child carries those that are frequent in it; or, where there
 * are many and the rows differ (see closed.c), looked up in the matrix of the
 * whole class.  Then place says which columns of the class the node's are,
 * excluded is 0, and column k of a child has all of its transactions.
 */
typedef struct Node
{
	BitMatrix	matrix;
	uint32_t	k;
	uint32_t	excluded;
	uint32_t	path_support;
	uint32_t   *support;		/* [k] of the path and the column's item */
	uint32_t   *item;			/* [k + excluded], the caller's numbers */
	uint32_t   *place;			/* [k + 1] columns of the class, or NULL */
	RowMatrix	rows;			/* of a class of many columns, for closed itemsets */
} Node;

/*
 * Rows of a class lie scattered in memory, and waiting for them is most of the
 * work: ask for each a few rows ahead, first for what says where it is.
 */
#define ROW_AHEAD		16

/* A macro, since GCC 12 takes a function that only prefetches for a pure one. */
#define PREFETCH_ROW(view, o, end) \
	do { \
		if ((o) + 2 * ROW_AHEAD < (end)) \
		{ \
			uint32_t	ahead = (view)->occurrences[(o) + 2 * ROW_AHEAD]; \
			__builtin_prefetch(&(view)->rows[ahead]); \
			ahead = (view)->occurrences[(o) + ROW_AHEAD]; \
			__builtin_prefetch(&(view)->items[(view)->rows[ahead].at]); \
		} \
	} while (0)

/* miner.c */
extern void MinerInit(Miner *m, const FimItemsetsJob *job, const FimDatabase *db, FimShared *shared,
					  FimHost *host, FimSink *sink);
extern void MinerPoll(Miner *m);
extern void MinerShareFigures(Miner *m);
extern uint32_t MinerFrequentItems(const FimItemsetsJob *job, const FimDatabase *db, uint32_t *perfect);
extern void MinerBeginRoot(Miner *m, uint32_t n);
extern void MinerEmitRoot(Miner *m, bool has_classes);

static inline void
MinerWork(Miner *m, uint64_t work)
{
	m->work += work;
	if (m->work >= WORK_PER_POLL)
		MinerPoll(m);
}

/* Begin a node of the search, which may be deep in a recursion. */
static inline void
MinerBeginNode(Miner *m)
{
	m->nodes++;
	if ((const char *) __builtin_frame_address(0) < m->host->stack_end)
		MinerPoll(m);
}

static inline uint64_t
MinerWorked(const Miner *m)
{
	return m->worked + m->work;
}

/* projected_rows.c */
extern void ViewOfDatabase(Miner *m, View *view);
extern void ViewScratch(Miner *m, View *view);
extern void MineClass(Miner *m, const View *view, uint32_t i);

/* bit_matrix.c */
extern void NodeOfRows(Miner *m, const View *view, uint32_t i, const uint32_t *items,
					   uint32_t k, uint32_t excluded, bool merge, Node *node);
extern void NodeOfView(Miner *m, const View *view, Node *node);
extern void NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
						const uint8_t *mask, uint32_t nextensions, uint32_t nexcluded,
						bool merge, Node *to);
extern void NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
							   const uint32_t *columns, uint32_t n, bool merge, Node *to);

/* subset_table.c */

/* All subsets of a node's columns: a pattern is a set of columns, bit c column c. */
typedef struct Table
{
	uint32_t	ncolumns;		/* 6 at least; those the node does not have are empty */
	uint32_t   *support;		/* [1 << ncolumns] */
	uint64_t   *patterns;		/* a bit for each pattern that is wanted */
} Table;

extern void MaximalTable(Miner *m, const Node *node, Table *to);
extern bool TablePays(const Miner *m, const Node *node);
extern void MineTable(Miner *m, const Node *node);

/* all.c, closed.c, maximal.c: everything that extends the path within a node */
extern void MineAllNode(Miner *m, const Node *node);
extern void MineAllColumn(Miner *m, const Node *node, uint32_t j, bool merge);
extern void MineClosedNode(Miner *m, const Node *node);
extern void MineClosedClass(Miner *m, Node *node);
extern void MineClosedColumn(Miner *m, const Node *node, uint32_t j, bool merge);

extern void SortColumns(Miner *m, uint32_t *column, uint32_t n, const uint32_t *counts,
						uint32_t most);
extern void MineMaximalNode(Miner *m, const Node *node, uint32_t *column, bool whole);
extern void MineMaximalRootColumn(Miner *m, const Node *root, uint32_t j);

/* row_sets.c */
extern bool MinesRowSets(const FimItemsetsJob *job, const FimDatabase *db);
extern void MineRowSets(Miner *m, const View *view);

/* output.c */
extern void OutputInit(Miner *m);
extern void OutputFlush(Miner *m);
extern void OutputAll(Miner *m, uint32_t support);
extern void OutputOne(Miner *m, uint32_t support);
extern uint64_t *OutputCounts(Miner *m);
extern void OutputTally(Miner *m, FimTally *tally);
extern void OutputFree(Miner *m);

/* tally.c */
extern void FimCountAddProduct(FimCount *into, uint64_t times, FimCount what);

static inline void
OutputPush(Output *out, uint32_t item)
{
	if (out->same > out->depth)
		out->same = out->depth;
	out->path[out->depth++] = item;
}

static inline void
OutputPop(Output *out, uint32_t n)
{
	out->depth -= n;
}

/* ---- sets of columns, 64 in a word ---- */

static inline bool
SetIsEmpty(const uint64_t *set, uint32_t nwords)
{
	for (uint32_t w = 0; w < nwords; w++)
		if (set[w] != 0)
			return false;
	return true;
}

/* A multiplicative mix of all bits (the finalizer of splitmix64). */
static inline uint64_t
FimHash64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

#endif							/* FIM_MINER_H */
