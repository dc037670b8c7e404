/*-------------------------------------------------------------------------
 *
 * view.h
 *	  Rows that hold an itemset, and the items by which it may be extended.
 *
 * A view has the rows of an itemset, numbered from 0, and a column for each item that
 * may extend it.  Where columns are dense and only rows have probabilities, they are
 * bits; otherwise lists of rows with the item's factors or, if these are dense, the
 * factors of all rows one after the other.  A node is an itemset within a
 * view.  Where few of a view's rows are left, a view of these alone takes its place, so
 * that the memory of all views on the way down is a small multiple of the first's.
 *
 * All of it lives in the miner's arena.
 *
 * Included by the depth-first miner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_VIEW_H
#define FIM_PROBABLE_VIEW_H

#include "miner.h"
#include "sums.h"

typedef struct View
{
	uint32_t	nrows;
	uint32_t	nwords;			/* of a column of bits: 64 rows each */
	const uint32_t *origin;		/* [nrows] rows of the data */
	const double *weight;		/* [64 * nwords] probabilities of the itemset; 0 beyond nrows */
	const uint64_t *bits;		/* [columns][nwords], or NULL */
	const uint64_t *start;		/* [columns + 1], into rows; if bits is NULL */
	const uint32_t *row;		/* ascending in a column */
	const double *factor;		/* beside rows under attribute uncertainty, or NULL */
	const double *dense;		/* [columns][64 * nwords] or NULL: factors, 0 where there is none */
} View;

/* In view->nrows rows, n of them hold the itemset. */
typedef struct Node
{
	const View *view;
	const uint64_t *bits;		/* [nwords] which of the rows, if columns are bits */
	const double *weight;		/* [64 * nwords] the itemset's probabilities, 0 where it is not;
								 * all of the view's if columns are bits */
	uint32_t	n;
} Node;

/* A node's itemset and the item of a column: how many rows, sum of probabilities. */
typedef struct Extension
{
	uint32_t	column;
	uint32_t	item;
	uint32_t	n;
	double		mean;
	double		lost;			/* while the mean is added up */
	double		probability;	/* of minsup, from below, if it is selected */
	bool		settled;		/* and that is the value */
} Extension;

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
NodeHolds(const Node *node, uint32_t r)
{
	return node->bits ? node->bits[r / 64] >> (r % 64) & 1 : node->weight[r] > 0;
}

/* Lists take several times as long for each of their entries as all rows take for theirs: measured. */
#define DENSE_FACTORS	4

/* Is it better to have the factors of all rows than lists with so many entries? */
static inline bool
FactorsAreDense(const ProbableMiner *m, uint64_t entries, uint32_t columns, uint32_t nrows)
{
	return m->data->by_entry && columns > 0 && entries * DENSE_FACTORS >= (uint64_t) columns * nrows;
}

/* Room for the factors of all rows in a view's columns; all are 0. */
extern double *AllocDense(ProbableMiner *m, const View *view, uint32_t columns);

/* A view of so many rows: allocates weights, of which those beyond the rows are set. */
extern double *BeginView(ProbableMiner *m, View *view, uint32_t nrows);

/* All rows of a view that is complete. */
extern void ViewNode(ProbableMiner *m, const View *view, Node *node);

/* Is the extension in all rows that hold the node's itemset, with probability 1? */
extern bool IsPerfect(const Node *node, const Extension *extension);

/* Count the extensions: fills in n and mean.  Polls. */
extern void CountExtensions(ProbableMiner *m, const Node *node, Extension *extensions, uint32_t n);

/* The moments of an extension that has been counted, without what products are off by. */
extern void ExtensionMoments(ProbableMiner *m, const Node *node, const Extension *extension,
							 FimMoments *moments);

/* The node of an extension that has been counted. */
extern void ExtendNode(ProbableMiner *m, const Node *node, const Extension *by, Node *to);

/*
 * The same in memory of the node's own, and another one of the same view in its place, whose
 * memory may then be released.
 */
extern void CopyNode(ProbableMiner *m, const Node *node, Node *to);
extern void ReplaceNode(Node *node, const Node *by);

/*
 * A view of a node's rows with the columns of these extensions, in their order, and the
 * node in it.  The extensions' columns become those of the new view.
 */
extern void ProjectNode(ProbableMiner *m, const Node *node, Extension *extensions, uint32_t n,
						View *view, Node *to);

/* Does a view of its own pay for a node with so many extensions? */
static inline bool
ProjectionPays(const Node *node, uint32_t extensions)
{
	return extensions > 1 && node->n < node->view->nrows / 2;
}

/*
 * Of the n rows that hold the node's itemset, the probabilities, for which to has room
 * for 8 more, and the data's rows.
 */
extern void NodeProbabilities(const ProbableMiner *m, const Node *node, double *to);
extern void NodeRows(const Node *node, uint32_t *to);

#endif							/* FIM_PROBABLE_VIEW_H */
