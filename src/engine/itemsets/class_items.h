/*-------------------------------------------------------------------------
 *
 * class_items.h
 *	  What the items of a prefix class are and how often they occur in it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLASS_ITEMS_H
#define FIM_CLASS_ITEMS_H

#include "view.h"

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
 * Count the items that occur together with item i of the view, and collect those that are
 * frequent with it.  Arrays are from the miner's arena.  An item before i that is in all
 * rows of the class is no extension: it goes on the path, or, if all itemsets are wanted,
 * to the perfect items.
 */
extern void CountClass(Miner *m, const View *view, uint32_t i, ClassItems *class);

/* Set view->local to the columns + 1 of the class's items, for NodeOfRows() and ProjectView(), until UnmapClass(). */
extern void MapClass(const View *view, const ClassItems *class);
extern void UnmapClass(const View *view, const ClassItems *class);

#endif							/* FIM_CLASS_ITEMS_H */
