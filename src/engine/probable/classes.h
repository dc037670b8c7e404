/*-------------------------------------------------------------------------
 *
 * classes.h
 *	  The items that are selected, and the views with which their prefix classes begin.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_CLASSES_H
#define FIM_PROBABLE_CLASSES_H

#include "supersets.h"

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
