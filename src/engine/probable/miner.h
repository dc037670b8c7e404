/*-------------------------------------------------------------------------
 *
 * miner.h
 *	  Inside the CPU engine of probable itemsets: a miner, the rows that hold an itemset and the items
 *	  that may extend it, what decides about candidates, and the strategies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_MINER_H
#define FIM_PROBABLE_MINER_H

#include "engine/arena.h"
#include "probable.h"
#include "sums.h"
#include "tail.h"

/* An itemset that is selected, as it will be written. */
typedef struct ProbableResult
{
	double		probability;
	double		expected;
	uint32_t	occurrences;
} ProbableResult;

typedef struct ProbableMiner
{
	const FimProbableSpec *spec;
	const FimProbableData *data;
	FimShared  *shared;
	FimProbableSummary *summary;
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	Arena		level_arenas[2]; /* of a level and of the next one, where mining goes level by level */
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends the worker's share */
	const ProbableSums *sums;
	uint64_t	work;			/* since the last poll, in about nanoseconds */
	uint64_t	nodes;			/* not yet added to those of "shared" */

	/* deciding and computing values */
	bool		by_expectation;
	FimGoal		goal;
	FimWorkspace workspace;
	double	   *probabilities;	/* [nrows + 8] those of the itemset at hand */
	uint32_t   *rows;			/* [nrows] the rows of the data that hold it */

	/* the itemset at hand, as a stack */
	uint32_t   *items;			/* [data->nitems] */
	uint32_t	nitems;
	bool	   *holds;			/* [data->nitems] is it in the itemset? */
	uint32_t   *sorted;			/* [data->nitems] for output */

	FimDealt   *dealt;			/* which itemsets are of the task's part, see class_parts.c; NULL: all are */

	/* results not yet written */
	uint32_t   *batch;
	size_t		batch_room;		/* words */
	size_t		nwords;
	size_t		nresults;
} ProbableMiner;

/*
 * ProbableBegin() allocates memory, so "leave" must have been set before it is called.
 * ProbableEnd() frees what the miner has, however its share ended.
 */
extern void ProbableInit(ProbableMiner *m, const FimTask *task, FimHost *host, FimSink *sink);
extern void ProbableBegin(ProbableMiner *m);
extern void ProbableEnd(ProbableMiner *m);

/* Leaves if the task has been canceled. */
extern void ProbablePoll(ProbableMiner *m);

/* What it takes to look at an extension, however few rows it has. */
#define EXTENSION_WORK	16

/* ProbableWork() adds work, in about nanoseconds, and polls each time this much has been added. */
#define POLL_WORK	(UINT64_C(1) << 20)

static inline void
ProbableWork(ProbableMiner *m, uint64_t work)
{
	m->work += work;
	if (m->work >= POLL_WORK)
	{
		m->work = 0;
		ProbablePoll(m);
	}
}

/* Is it one of the items of which each itemset needs one? */
static inline bool
IsAnyItem(const ProbableMiner *m, uint32_t item)
{
	return item >= m->data->nitems - m->spec->nany;
}

/* Add an item to the itemset at hand; take the last one away. */
static inline void
ProbablePush(ProbableMiner *m, uint32_t item)
{
	m->items[m->nitems++] = item;
	m->holds[item] = true;
}

static inline void
ProbablePop(ProbableMiner *m)
{
	m->holds[m->items[--m->nitems]] = false;
}

/* How many factors each probability of the itemset at hand has. */
static inline uint32_t
ProbableFactors(const ProbableMiner *m)
{
	return m->data->by_entry ? m->nitems : 1;
}

/* Leaves with the result unless it is FIM_DONE. */
static inline void
ProbableExpect(ProbableMiner *m, FimResult result)
{
	if (result != FIM_DONE)
		longjmp(m->leave, (int) result);
}

/* Is the length of the itemset at hand wanted? */
static inline bool
ProbableWants(const ProbableMiner *m)
{
	return m->nitems >= m->spec->min_length && m->nitems <= m->spec->max_length;
}

/* Write the itemset at hand. */
extern void ProbableEmit(ProbableMiner *m, const ProbableResult *result);
extern void ProbableFlush(ProbableMiner *m);

/*
 * view.c: Rows that hold an itemset, and the items by which it may be extended.
 *
 * A view has the rows of an itemset, numbered from 0, and a column for each item that
 * may extend it.  Columns have one of three forms.  Where they are dense and only rows
 * have probabilities, they are bits.  Otherwise they are lists of rows with the item's
 * factors or, if they are dense, the factors of all rows one after the other.  A node is
 * an itemset within a view.  Where few of a view's rows hold a node's itemset, a new view
 * of these rows takes the view's place, so that the memory of all views on the path to a
 * node is a small multiple of the first one's.
 *
 * All of this lives in the miner's arena.
 */

typedef struct ProbableView
{
	uint32_t	nrows;
	uint32_t	nwords;			/* of a column of bits: 64 rows each */
	const uint32_t *origin;		/* [nrows] rows of the data */
	const double *weight;		/* [64 * nwords] probabilities of the itemset; 0 beyond nrows */
	const uint64_t *bits;		/* [columns][nwords] columns as bits, or NULL */
	const uint64_t *start;		/* [columns + 1] columns as lists, into row and factor, if bits and
								 * dense are NULL */
	const uint32_t *row;		/* ascending in a column */
	const double *factor;		/* beside row under attribute uncertainty, otherwise NULL */
	const double *dense;		/* [columns][64 * nwords] columns as the factors of all rows, 0 where
								 * the item is not in the row; or NULL */
} ProbableView;

/* An itemset within a view. */
typedef struct ProbableNode
{
	const ProbableView *view;
	const uint64_t *bits;		/* [nwords] which rows hold the itemset, if columns are bits */
	const double *weight;		/* [64 * nwords] the itemset's probabilities, 0 in rows without it;
								 * all of the view's if columns are bits */
	uint32_t	n;				/* rows that hold the itemset */
} ProbableNode;

/* A node's itemset extended by the item of a column. */
typedef struct Extension
{
	uint32_t	column;
	uint32_t	item;
	uint32_t	n;				/* rows that hold it */
	double		mean;			/* sum of its probabilities */
	double		lost;			/* while the mean is added up, what rounding has taken away */
	double		probability;	/* a lower bound of P(support >= minsup), if it is selected */
	bool		settled;		/* that bound is the value to write */
} Extension;

/* Are the view's columns lists of rows? */
static inline bool
HasLists(const ProbableView *view)
{
	return view->bits == NULL && view->dense == NULL;
}

/* A product of probabilities above 0 is above 0, even if it is too small for a double. */
#define LEAST_DOUBLE	0x1p-1074

static inline double
Product(double a, double b)
{
	double		product = a * b;

	return product > 0 ? product : LEAST_DOUBLE;
}

/* Does row r of the node's view hold its itemset? */
static inline bool
NodeHolds(const ProbableNode *node, uint32_t r)
{
	return node->bits ? node->bits[r / 64] >> (r % 64) & 1 : node->weight[r] > 0;
}

/* An entry of a list takes this many times as long as a row takes where all rows have factors: measured. */
#define DENSE_FACTORS	4

/* Is it better to have the factors of all rows than lists with this many entries? */
static inline bool
FactorsAreDense(const ProbableMiner *m, uint64_t entries, uint32_t columns, uint32_t nrows)
{
	return m->data->by_entry && columns > 0 && entries * DENSE_FACTORS >= (uint64_t) columns * nrows;
}

/* Room for the factors of all rows in a view's columns; all are 0. */
extern double *AllocDense(ProbableMiner *m, const ProbableView *view, uint32_t columns);

/* Begin a view of nrows rows: allocates the weights, which the caller has to set, and returns them. */
extern double *BeginView(ProbableMiner *m, ProbableView *view, uint32_t nrows);

/* The node of all rows of a view, whose columns have been set. */
extern void ViewNode(ProbableMiner *m, const ProbableView *view, ProbableNode *node);

/* Is the extension in all rows that hold the node's itemset, with probability 1? */
extern bool IsPerfect(const ProbableNode *node, const Extension *extension);

/* Count the extensions: fills in n and mean.  Polls. */
extern void CountExtensions(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n);

/* The moments of an extension that has been counted.  Their error leaves out that of rounded products. */
extern void ExtensionMoments(ProbableMiner *m, const ProbableNode *node, const Extension *extension,
							 FimMoments *moments);

/* The node of an extension that has been counted. */
extern void ExtendNode(ProbableMiner *m, const ProbableNode *node, const Extension *by, ProbableNode *to);

/*
 * CopyNode() makes a copy of a node in memory of its own.  ReplaceNode() overwrites such a copy
 * with another node of the same view, whose memory may then be released.
 */
extern void CopyNode(ProbableMiner *m, const ProbableNode *node, ProbableNode *to);
extern void ReplaceNode(ProbableNode *node, const ProbableNode *by);

/*
 * Make a view of a node's rows with the columns of these extensions, in their order, and the
 * node "to" in it.  Changes each extension's column to its number in the new view.
 */
extern void ProjectNode(ProbableMiner *m, const ProbableNode *node, Extension *extensions, uint32_t n,
						ProbableView *view, ProbableNode *to);

/* Does a view of its own pay for a node with this many extensions? */
static inline bool
ProjectionPays(const ProbableNode *node, uint32_t extensions)
{
	return extensions > 1 && node->n < node->view->nrows / 2;
}

/*
 * Write the itemset's probabilities in the n rows that hold it, and the numbers of these rows
 * in the data.  "to" has room for n of them, and for 8 more probabilities.
 */
extern void NodeProbabilities(const ProbableMiner *m, const ProbableNode *node, double *to);
extern void NodeRows(const ProbableNode *node, uint32_t *to);

/* The same of an extension, if the view's columns are lists.  It takes no longer than its list is. */
extern void ListProbabilities(const ProbableNode *node, const Extension *by, double *to, uint32_t *rows);

/*
 * judge.c: Whether itemsets are selected, and their values.
 */

/*
 * An interval that holds P(S >= k) and is less than 10^-4 wide, from the characteristic
 * function of S; or [0, 1] where the method does not apply: S has too small a variance, or k is
 * too far from its mean.  p[n] have a relative error of at most "error", and all of their moments
 * must be given.  Where n is large, this takes a fraction of the time of FimTailBracket().
 */
extern FimInterval FimInversionBracket(const ProbableSums *sums, const double *p, double error,
									   const FimMoments *moments, uint32_t k);

/*
 * Is an extension of a node, whose n and mean have been counted, selected?  The itemset at
 * hand must be the node's.  If so, sets the extension's probability.
 */
extern bool JudgeExtension(ProbableMiner *m, const ProbableNode *node, Extension *extension);

/*
 * Is it certain from its n and mean that an extension is not selected?  If so, this counts as
 * the judgement in the summary, and it must not be judged again.
 */
extern bool IsRuledOut(ProbableMiner *m, const Extension *extension);

/* The same as JudgeExtension() for the node's itemset itself, which is at hand, given its n and mean. */
extern bool JudgeNode(ProbableMiner *m, const ProbableNode *node, Extension *itemset);

/*
 * The same in two steps, for callers without a node.  JudgeMean() judges by n and by the
 * mean, whose relative error is at most "error", besides that of products of nfactors
 * factors.  If it returns FIM_OPEN, JudgeProbabilities() judges the itemset at hand by
 * m->probabilities[n] and, under attribute uncertainty, m->rows[n].
 */
extern FimVerdict JudgeMean(ProbableMiner *m, Extension *itemset, double error, uint32_t nfactors);
extern bool JudgeProbabilities(ProbableMiner *m, Extension *itemset);

/* Could an itemset that n rows hold be selected? */
static inline bool
MayBeSelected(const ProbableMiner *m, uint64_t n)
{
	return m->by_expectation ? (double) n >= m->spec->min_expected : n >= m->spec->minsup;
}

/* Does it take a node to write an itemset that has been judged and will not be extended? */
static inline bool
NeedsNode(const ProbableMiner *m, const Extension *judged)
{
	return m->spec->kind != FIM_ALL || (m->spec->exact && !judged->settled);
}

/*
 * Write the itemset at hand, which is the node's and was judged, if its length is wanted.
 * If node is NULL, and the value is wanted but not settled, the caller must have set
 * m->probabilities and m->rows.
 */
extern void EmitItemset(ProbableMiner *m, const ProbableNode *node, const Extension *judged);

/*
 * classes.c: The items that are selected, and the views with which their prefix classes begin.
 */

/*
 * The items that are selected with no others but the required ones, the rarest one first.  If itemsets need one of some
 * items, these come before the others.
 */
typedef struct Ranking
{
	uint32_t	n;
	const uint32_t *item_of;	/* [n] */
	const uint32_t *rank_of;	/* [data->nitems] rank + 1, or 0 if it is not selected */

	/* scratch, all 0 between uses; an item's place is its rank + 1, others share place 0 */
	uint32_t   *count;			/* [n + 1] rows that hold the item */
	double	   *mean;			/* [n + 1] the sum of its probabilities in them */
} Ranking;

/*
 * Is the node's itemset not closed, or not maximal, because of an item by which the node is not
 * extended?  Both look at the items of the ranks below "ranks" that are not in the itemset at
 * hand, which is the node's.  IsCovered() tells whether one of them is in every row that holds
 * the itemset with probability 1, IsExtensible() whether the itemset with one of them
 * added is selected.
 */
extern bool IsCovered(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks);
extern bool IsExtensible(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks);

/* What a worker finds out before it takes a class. */
typedef struct Root
{
	ProbableView view;			/* of the required items, with a column for each item */
	ProbableNode node;
	Extension	required;		/* the required items alone; judged */
	bool		selected;		/* the required items alone, if there are any, are selected */
	Ranking		ranking;
	Extension  *singles;		/* [ranking.n] by rank: one item beside the required ones; selected */
	uint32_t	classes;		/* how many items, those of the first ranks, have a class with itemsets that are wanted */
	uint32_t	perfect;		/* how many items, those of the last ranks, are certain in all rows */
	uint64_t   *beyond;			/* [ranking.n] occurrences of all items of higher ranks together */
} Root;

extern void MakeRoot(ProbableMiner *m, Root *root);

/* Make a view of all rows, with the probabilities of the required items.  Its columns are those of the data. */
extern void MakeRootView(ProbableMiner *m, ProbableView *view);

/*
 * Make the node with which the class of a rank begins, and its extensions by items of higher
 * ranks that may be selected, from the arena; the item has been pushed.  "view" is for a view that
 * the node may need.  Returns the number of extensions, 0 if the class is not to grow.  If it is 0
 * and the item needs no node (NeedsNode()), "node" is not set.
 */
extern uint32_t BeginClass(ProbableMiner *m, const Root *root, uint32_t rank, bool grows,
						   ProbableView *view, ProbableNode *node, Extension **extensions);

/*
 * bounds_miner.c: A worker's share of the search for probable itemsets, depth first.
 */

/* Mines until no unit is left. */
extern void MineByBounds(ProbableMiner *m);

/*
 * class_parts.c: Deal the itemsets.  Has the task's part the class of an item, and the itemset at hand?
 */
extern void ProbableDeal(ProbableMiner *m);
extern bool ProbableHasClass(const ProbableMiner *m, uint32_t item);
extern bool ProbableHasItemset(const ProbableMiner *m);

#endif							/* FIM_PROBABLE_MINER_H */
