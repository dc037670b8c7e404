/*-------------------------------------------------------------------------
 *
 * view.h
 *	  Rows that hold an itemset, and the items by which it may be extended.
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
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_VIEW_H
#define FIM_PROBABLE_VIEW_H

#include "miner.h"
#include "sums.h"

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

#endif							/* FIM_PROBABLE_VIEW_H */
