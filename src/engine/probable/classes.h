/*-------------------------------------------------------------------------
 *
 * classes.h
 *	  The items that are selected, and the views with which their prefix classes begin.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_CLASSES_H
#define FIM_PROBABLE_CLASSES_H

#include "judge.h"

/*
 * Whether a node's itemset is not closed, or not maximal, because of an item by which the node is not extended.
 */

/* The items that are selected with no others but the required ones, the rarest one first. */
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
 * Both look at the items of the ranks below "ranks" that are not in the itemset at hand,
 * which is the node's.  IsCovered() tells whether one of them is in every row that holds
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
	uint32_t	perfect;		/* how many items, those of the last ranks, are certain in all rows */
	uint64_t   *beyond;			/* [ranking.n] occurrences of all items of higher ranks together */
} Root;

extern void MakeRoot(ProbableMiner *m, Root *root);

/* Make a view of all rows, with the probabilities of the required items.  Its columns are those of the data. */
extern void MakeRootView(ProbableMiner *m, ProbableView *view);

/*
 * Make the node with which the class of a rank begins, and its extensions by items of higher
 * ranks that may be selected, from the arena; the item has been pushed.  "view" is for a view that
 * the node may need.  Returns the number of extensions, 0 if the class
 * is not to grow.  If it is 0 and the item needs no node (NeedsNode()), "node" is not set.
 */
extern uint32_t BeginClass(ProbableMiner *m, const Root *root, uint32_t rank, bool grows,
						   ProbableView *view, ProbableNode *node, Extension **extensions);

#endif							/* FIM_PROBABLE_CLASSES_H */
