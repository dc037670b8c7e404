/*-------------------------------------------------------------------------
 *
 * classes.h
 *	  The items that are selected, and the views with which their prefix classes begin.
 *
 * Included by the miners.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_CLASSES_H
#define FIM_PROBABLE_CLASSES_H

#include "supersets.h"

/* What a worker finds out before it takes a class. */
typedef struct Root
{
	View		view;			/* of the required items, with a column for each item */
	Node		node;
	Extension	required;		/* these items alone; judged */
	bool		selected;		/* they are */
	Ranking		ranking;
	Extension  *singles;		/* [ranking.n] by rank, judged: one item beside the required */
	uint32_t	perfect;		/* the last so many of them are in all rows for certain */
	uint64_t   *beyond;			/* [ranking.n] occurrences of all items of higher ranks together */
} Root;

extern void MakeRoot(ProbableMiner *m, Root *root);

/* The rows with the probabilities of the required items; columns are those of the data. */
extern void MakeRootView(ProbableMiner *m, View *view);

/*
 * The node of the class of a rank, of which the item has been pushed, and its extensions
 * by items of higher ranks that may be selected, for which there is room.  Returns how many,
 * none if the class is not to grow.  If there are none and the item needs no node, it gets none.
 */
extern uint32_t BeginClass(ProbableMiner *m, const Root *root, uint32_t rank, bool grows,
						   View *view, Node *node, Extension *extensions);

#endif							/* FIM_PROBABLE_CLASSES_H */
