/*-------------------------------------------------------------------------
 *
 * class_items.h
 *	  What the items of a prefix class are and how often they occur in it.
 *
 * Included by projected_rows.c, which mines classes, and by projected_view.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLASS_ITEMS_H
#define FIM_CLASS_ITEMS_H

#include "view.h"

/* What item i's class is made of: items of the view, in its order. */
typedef struct ClassItems
{
	uint32_t	i;
	uint32_t	k;				/* extensions */
	uint32_t	excluded;
	uint32_t   *item;			/* [k + excluded] */
	uint32_t   *support;		/* [k + excluded] */
	uint64_t	entries;		/* of the extensions in the rows, by weight */
	bool		covered;		/* an excluded item is in all of the rows */
} ClassItems;

/*
 * Count what item i of the view occurs with.  Arrays are from the miner's arena.  Items in
 * all rows of the class are no extensions: they come on the path, or among the perfect
 * ones where all itemsets are wanted.
 */
extern void CountClass(Miner *m, const View *view, uint32_t i, ClassItems *class);

/* Let view->local have the columns + 1 of the class's items, until UnmapClass(). */
extern void MapClass(const View *view, const ClassItems *class);
extern void UnmapClass(const View *view, const ClassItems *class);

#endif							/* FIM_CLASS_ITEMS_H */
