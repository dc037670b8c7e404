/*-------------------------------------------------------------------------
 *
 * miner.h
 *	  What a worker knows while it mines itemsets, and how it leaves.
 *
 * On processors, cpu_engine.c takes prefix classes and hands each to
 * projected_rows.c, which counts what the class's item occurs with and goes on in
 * one of two forms.  A View (projected_rows.c) is a projected database of rows, the form for
 * sparse data.  A Node (node.c) is a bit matrix, the form for dense data;
 * all.c, closed.c and maximal.c mine Nodes.  Where rows are few, row_sets.c goes
 * through sets of rows instead.  GPUs use the Miner itself, its output and its root.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_MINER_H
#define FIM_ITEMSETS_MINER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"
#include "engine/kernels.h"
#include "engine/parts.h"

/*
 * The itemset being extended, and the results that have not been given out yet.
 */

/*
 * The path is the itemset at hand, which the search extends.  All items here have the
 * caller's numbers.  The items of perfect[] are in every transaction that holds the path.
 * If all itemsets are wanted, each subset of them goes with each itemset that the search
 * finds below, so they are kept apart and multiplied out only when itemsets are listed.
 */
typedef struct Output
{
	uint32_t   *path;			/* [depth], room for the longest row */
	uint32_t	depth;			/* items on the path */
	uint32_t   *perfect;
	uint32_t	nperfect;
	uint32_t   *chosen;			/* while subsets are listed: which perfect item each place of the path has */
	uint32_t	min_depth;		/* the spec's limits, without the required items */
	uint32_t	max_depth;
	bool		count_only;

	/*
	 * For counting: counted[e][d] is the number of paths of d items that were given out with
	 * e perfect items.  counted[e] is allocated when it is first needed, and NULL before.
	 */
	uint64_t  **counted;

	/* for listing */
	uint32_t   *batch;
	size_t		batch_size;		/* words after which the batch is handed over */
	size_t		used;			/* words in the batch */
	size_t		nitemsets;		/* itemsets in the batch */
	uint32_t	same;			/* leading items of the path that the last record has, too */

	uint64_t	results;		/* results that are not yet added to the shared figure */
} Output;

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

/* Can the path become long enough, if "more" items can be added to it? */
static inline bool
OutputReaches(const Output *out, uint32_t more)
{
	return (uint64_t) out->depth + more >= out->min_depth;
}

/* The work between two polls.  Its unit is a word or an entry that is touched, about 1 ns. */
#define WORK_PER_POLL	(UINT64_C(1) << 21)

typedef struct Miner
{
	const FimItemsetsSpec *spec;
	const FimDatabase *db;
	FimShared  *shared;
	FimHost    *host;
	FimSink    *sink;
	const FimKernels *kernels;
	Arena		arena;
	Output		out;
	uint64_t	work;			/* work done since the last poll */
	uint64_t	worked;			/* work done until the last poll */
	uint64_t	nodes;			/* nodes that are not yet added to the shared figure */
	struct Known *known;		/* for maximal itemsets, see known.h */
	uint32_t	class_item;		/* the caller's number of the class's item */
	double	   *table_yield;	/* for closed itemsets, by number of columns: see subset_table.c */
	uint64_t   *candidates;		/* for closed itemsets: bits of the class's rows that are not on the path */
	uint32_t	minsup;			/* the spec's, or more if the task looks for a threshold; it rises between steps */
	FimDealt   *dealt;			/* which itemsets are of the task's part, see below; NULL: all are */
	FimBestCounter *counter;	/* of supports, if the task looks for a threshold; NULL: it gives out itemsets */
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends mining */
} Miner;

/* Set all but the output, the kernels and "leave", which the caller sets. */
extern void MinerInit(Miner *m, const FimItemsetsSpec *spec, const FimDatabase *db, FimShared *shared,
					  FimHost *host, FimSink *sink);

/* Add an item that is in all transactions of the path: where all itemsets count, it is multiplied out, else part of each. */
static inline void
OutputFix(Miner *m, uint32_t item)
{
	if (m->spec->kind == FIM_ALL)
		m->out.perfect[m->out.nperfect++] = item;
	else
		OutputPush(&m->out, item);
}

/* Share the figures, and leave by the miner's jump if the job has been canceled or the host says stop. */
extern void MinerPoll(Miner *m);

/* Add the nodes and results since the last call to the figures in the shared state. */
extern void MinerShareFigures(Miner *m);

/* Note that work has been done.  Called every few steps, so that polls come every few milliseconds. */
static inline void
MinerWork(Miner *m, uint64_t work)
{
	m->work += work;
	if (m->work >= WORK_PER_POLL)
		MinerPoll(m);
}

/*
 * If the task looks for a threshold, learn how far it has risen.  This happens where a node begins and where an itemset is
 * given out.  So what was frequent before that may not be so behind it.
 */
extern void MinerRaiseMinsup(Miner *m);

/*
 * Searches are recursive, so each step of a recursion calls this.  It calls the host's poll when
 * the stack is nearly used up; poll then raises an error.
 */
static inline void
MinerCheckStack(Miner *m)
{
	if ((const char *) __builtin_frame_address(0) < m->host->stack_end)
		MinerPoll(m);
}

/* Begin a node of the search. */
static inline void
MinerBeginNode(Miner *m)
{
	m->nodes++;
	if (m->counter != NULL)
		MinerRaiseMinsup(m);
	MinerCheckStack(m);
}

/* The work done since the miner began. */
static inline uint64_t
MinerWorked(const Miner *m)
{
	return m->worked + m->work;
}

/*
 * Returns how many items of the database are frequent.  These are the first items, since
 * items are numbered by descending support.  *perfect is set to the number of items that
 * are in all transactions; these come first among the frequent ones.  The spec's last "nany" items are
 * not among them, because each of these has to be a class.
 */
extern uint32_t RootItems(const FimItemsetsSpec *spec, const FimDatabase *db, uint32_t *perfect);

/* The first item that has a class: if itemsets need one of the last "nany" items, only these have.  "perfect" is that of RootItems(). */
static inline uint32_t
FirstClass(const FimItemsetsSpec *spec, const FimDatabase *db, uint32_t perfect)
{
	return spec->nany > 0 ? db->nitems - spec->nany : perfect;
}

/*
 * Begin with the items that are in all transactions, the database's first n: they go on the
 * path, or, if all itemsets are wanted, to the perfect items.
 */
extern void RootBegin(Miner *m, uint32_t n);

/*
 * Give out the itemset that all transactions hold, with its subsets if all itemsets are
 * wanted.  "has_classes" says that some item is frequent and not in all transactions; then
 * that itemset is not maximal.
 */
extern void RootEmit(Miner *m, bool has_classes);

/* Set choose[0 .. n] to the binomial coefficients C(n, 0) .. C(n, n). */
extern void FimBinomials(FimCount *choose, uint32_t n);

/*
 * Giving out the itemsets that a miner finds.  The functions leave by the miner's jump if the sink wants no more or if there is
 * no memory.
 */

/* The words to allocate for a batch, which may exceed FIM_BATCH_WORDS by one record of the longest row. */
static inline size_t
OutputBatchRoom(const Miner *m)
{
	return FIM_BATCH_WORDS + (size_t) m->db->max_row + 4;
}

/*
 * To be called first.  Takes the limits of length from the spec.  Whatever gives itemsets out or counts
 * them, here, in subset_table.c, in row_sets.c or on a GPU, keeps to min_depth and max_depth.  Arrays are
 * from the miner's arena, but counts from its host.
 */
extern void OutputInit(Miner *m);

/* Give back the counts.  It may be called without OutputInit(). */
extern void OutputFree(Miner *m);

/*
 * Give out the path, if its length is within the spec's limits.  All closed and maximal itemsets of the CPU
 * engine come here but those of subset tables that are only counted.
 */
extern void OutputOne(Miner *m, uint32_t support);

/* Give out the path, alone and with each subset of the perfect items, as far as lengths are within the limits. */
extern void OutputAll(Miner *m, uint32_t support);

/* The row of Output.counted for the present number of perfect items. */
extern uint64_t *OutputCounts(Miner *m);

/* Hand over what is listed so far, or add what is counted to the shared figures. */
extern void OutputFlush(Miner *m);

/* Add what was counted to a tally of FimTallyLengths() entries. */
extern void OutputTally(Miner *m, FimTally *tally);

/*
 * projected_rows.c: Mines prefix classes of a database of rows.
 */

/*
 * A database of rows as searches see it: the whole one, or one projected to a prefix class.
 *
 * Items 0 .. nclasses-1 are those that extend the path, by descending support in the
 * whole database.  The items from nclasses on are infrequent if the view is the whole
 * database.  Otherwise they are "excluded": the itemsets that contain one of them belong
 * to other classes, and the view has them only to show whether a closure contains one.
 * The first "skip" items are in every row and are ignored.
 */
typedef struct View
{
	uint32_t	nitems;
	uint32_t	nclasses;
	bool		whole;			/* the whole database */
	uint32_t	skip;
	uint32_t	nrows;
	const uint32_t *name;		/* [nitems] the caller's numbers */
	const uint32_t *support;	/* [nitems] */
	const FimRow *rows;			/* [nrows] */
	const uint32_t *items;		/* of the rows, ascending in each */
	const uint64_t *occ;		/* [nitems + 1] where each item's part of occurrences[] begins */
	const uint32_t *occurrences; /* rows of each item, ascending */

	/* scratch, all zeros between two uses */
	uint32_t   *count;			/* [nitems], rounded up to whole groups of blocks */
	uint8_t    *touched;		/* a flag for each block of counts: 1 if they are not all 0 */
	uint32_t   *local;			/* [nitems] an item's column + 1 in the class at hand */
} View;

/*
 * Rows of a class lie scattered in memory, and waiting for them is most of the work.  So
 * the items of a row are prefetched ROW_AHEAD rows ahead.  The FimRow that says where the
 * items are is prefetched another ROW_AHEAD rows before that.
 */
#define ROW_AHEAD		16

/* A macro, since GCC 12 takes a function that only prefetches for a pure one and drops the call. */
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

/* Set a view to the miner's whole database.  Its scratch space is left to ViewScratch(). */
extern void ViewOfDatabase(Miner *m, View *view);

/* Take the scratch space for counting the view's classes from the miner's arena, and clear it. */
extern void ViewScratch(Miner *m, View *view);

/* Mine class i of the view: give out the wanted itemsets that extend the path by item i and items before i. */
extern void MineClass(Miner *m, const View *view, uint32_t i);

/*
 * node.c: A node of the search, where it goes on in a bit matrix.
 */

/* Up to this many extensions, one machine word holds those of a row, and rows with equal extensions are merged. */
#define MERGED_COLUMNS	63

/*
 * Columns 0 .. k-1 extend the path, and those from k on are excluded items, as
 * those of a View.  In a class as it is made, the extensions are in the order of items, the most
 * frequent first, and so are the excluded items.
 *
 * When closed itemsets are mined, a node also has the rows of its class.  The bits of a
 * row are the class's extensions, then its excluded items.  The matrix has no columns for
 * the excluded items then, since what covers an itemset is looked up in the rows, see
 * closed.c.  If there are at most MERGED_COLUMNS extensions, they are the last bits of a
 * row's first word, and the excluded items begin with the second word.
 */
typedef struct Node
{
	BitMatrix	matrix;
	uint32_t	k;
	uint32_t	path_support;
	uint32_t   *support;		/* [k] of the path and the column's item */
	uint32_t   *item;			/* the caller's number of each column's item */
	RowMatrix	rows;
	uint32_t   *place;			/* [k] the bit of the rows that is the column, or NULL if there are no rows */
	uint32_t   *cover;			/* [k] a bit of the rows that covers the column and is not on the path,
								 * or FIM_NOT_COVERED if none is known; see closed.c */
	uint32_t	after;			/* bits of the rows from this one on come after all columns of the node */
	bool		one_word;		/* all extensions of the class are in the first word of a row */
} Node;

/* A column's cover in a node, from its cover in the node above: that one, unless it is on the path now. */
static inline uint32_t
CoverLeft(const Miner *m, uint32_t cover)
{
	if (cover != FIM_NOT_COVERED && (m->candidates[cover / 64] >> (cover % 64) & 1) == 0)
		return FIM_NOT_COVERED;
	return cover;
}

/*
 * All functions that make a node take memory from the miner's arena, and leave by its jump if there is none.
 */

/*
 * Make the child of a node, *to, for column j.  Its columns are the n columns before j that
 * the mask selects.  counts[] has the support of each column together with column j.
 * "merge" says that merging equal rows again is worth it; it is for nodes without rows.
 */
extern void NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
						const uint8_t *mask, uint32_t n, bool merge, Node *to);

/*
 * The same for a node with rows, whose extensions are in one word.  The child gets rows of
 * its own: those of column j, where rows that have the same of the child's columns are
 * merged.
 */
extern void NodeMerge(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
					  const uint8_t *mask, uint32_t n, Node *to);

/*
 * Make the class of column j of the node that NodeOfView() made, for closed itemsets.  The
 * mask selects k columns before column j, which are the class's extensions, and "excluded"
 * columns after it.
 */
extern void NodeOfRootColumn(Miner *m, const Node *root, uint32_t j, const uint32_t *counts,
							 const uint8_t *mask, uint32_t k, uint32_t excluded, Node *to);

/* List the columns that a mask of so many selects.  Returns their number. */
extern uint32_t ListColumns(const uint8_t *mask, uint32_t ncolumns, uint32_t *columns);

/* NodeProject() with the n columns that columns[] lists, in that order. */
extern void NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
							   const uint32_t *columns, uint32_t n, bool merge, Node *to);

/*
 * Make the node of class i of a view.  items[] has the class's k extensions
 * and its excluded items, and view->local must map each of them to its column + 1.  The
 * caller sets the node's supports.  If "merge" is false, the matrix is for counting excluded
 * items: rows are not merged, and those without an excluded item are left out.
 */
extern void NodeOfRows(Miner *m, const View *view, uint32_t i, const uint32_t *items,
					   uint32_t k, uint32_t excluded, bool merge, Node *node);

/* Make a node of the whole view.  Its columns are the items of the view's classes, at most MERGED_COLUMNS. */
extern void NodeOfView(Miner *m, const View *view, Node *node);

/*
 * subset_table.c: All subsets of a node's columns at once, where there are few columns.
 */

/* A pattern is a set of columns: its bit c stands for column c. */
typedef struct SubsetTable
{
	uint32_t	ncolumns;		/* at least 6; columns that the node does not have are empty */
	uint32_t   *support;		/* [1 << ncolumns] by pattern */
	uint64_t   *patterns;		/* a set of patterns: bit p is set if pattern p is wanted */
} SubsetTable;

/* To be called before closed itemsets are mined. */
extern void TablesInit(Miner *m);

/* Whether computing all subsets is expected to cost less than searching the node. */
extern bool TablePays(const Miner *m, const Node *node);

/* Give out all frequent itemsets that extend the path within the node, or the closed ones. */
extern void MineTable(Miner *m, const Node *node);

/*
 * Make the table of the node's maximal patterns: those that are frequent and have no frequent
 * superset within the node.  Memory is from the miner's arena.
 */
extern void MaximalTable(Miner *m, const Node *node, SubsetTable *to);

/*
 * Clear the table's patterns that are a subset of some row of the matrix, whose first columns
 * are the table's.
 */
extern void TableWithout(Miner *m, const BitMatrix *rows, SubsetTable *t);

/* Whether TableWithout() is expected to cost less than looking for each pattern in nwords words of 64 rows. */
extern bool TableWithoutPays(const SubsetTable *t, uint32_t nwords);

/*
 * all.c: All frequent itemsets within a node.
 */

/* Give out all frequent itemsets that extend the path by columns of the node. */
extern void MineAllNode(Miner *m, const Node *node);

/*
 * Give out those that extend it by column j and columns before j.  "top" says that the node is at the top of the search, so that making
 * the best of what is below it is worth it.
 */
extern void MineAllColumn(Miner *m, const Node *node, uint32_t j, bool top);

/*
 * closed.c: Closed itemsets within a node.
 */

/* Give out the closed itemsets of a class whose node has just been made of rows. */
extern void MineClosedClass(Miner *m, Node *node);

/* Give out the closed itemsets of the class of column j of the node that NodeOfView() made. */
extern void MineClosedRootColumn(Miner *m, const Node *root, uint32_t j);

/*
 * maximal.c: Maximal itemsets within a class.
 */

/*
 * Sort n columns by descending counts[column].  Columns of equal counts stay in their order.
 * No count is above "most".
 */
extern void SortColumns(Miner *m, uint32_t *column, uint32_t n, const uint32_t *counts,
						uint32_t most);

/*
 * Give out the maximal itemsets of a class.  The path ends with the class's item and its
 * perfect extensions.  The node's columns are the class's other extensions; column[] says
 * which of the search's columns they are, see KnownBeginSearch().  "whole" says that the
 * class is one of the whole database and not of a projected one.
 */
extern void MineMaximalNode(Miner *m, const Node *node, uint32_t *column, bool whole);

/* Give out the maximal itemsets of the class of column j, where the whole database is one node, "root". */
extern void MineMaximalRootColumn(Miner *m, const Node *root, uint32_t j);

/*
 * rows_or_items.c: Whether sets of rows are gone through; all workers come to the same answer.
 */
extern bool MinesRowSets(const FimItemsetsSpec *spec, const FimDatabase *db);

/*
 * row_sets.c: Closed and maximal itemsets by sets of rows, for few rows of many items.
 */

/* Mine until no unit of work is left.  The items of all rows must be on the path. */
extern void MineRowSets(Miner *m, const View *view);

/*
 * class_parts.c: Which itemsets fall to which part of a task.
 *
 * The units that are dealt are prefix classes, by the database's number of the class's item, and behind these one for what all
 * transactions hold, with its subsets.  A class of which much is expected is divided.  Its pieces are pairs of the class's item
 * and another one: the rarest other item of an itemset that is not in all of the class's transactions.  A piece's number is the caller's
 * number of that item.  Itemsets that have no such item, and those of pairs that are no piece, are the rest of the class.
 */

/* So few transactions may be mined as sets of rows, and no class of theirs is divided. */
#define FIM_FEW_TRANSACTIONS	1024

/* Deal the itemsets of a task.  The database need not have occurrences.  Leaves by the arena's jump if there is no memory. */
extern void DealClasses(FimDealt *dealt, const FimItemsetsSpec *spec, const FimDatabase *db, Arena *arena);

/* Has the task's part what all transactions hold?  "dealt" is NULL if the task gives all results. */
static inline bool
HasRoot(const FimDealt *dealt)
{
	return dealt == NULL || FimHasUnit(dealt, dealt->n - 1);
}

#endif							/* FIM_ITEMSETS_MINER_H */
