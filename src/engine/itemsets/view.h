/*-------------------------------------------------------------------------
 *
 * view.h
 *	  A database of rows as searches see it: the whole one, or one projected to a
 *	  prefix class.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_VIEW_H
#define FIM_VIEW_H

#include "miner.h"

/*
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
	const uint32_t *occurrences;	/* rows of each item, ascending */

	/* scratch, all zeros between two uses */
	uint32_t   *count;			/* [nitems], rounded up to whole groups of blocks */
	uint8_t    *touched;		/* a flag for each block of counts: 1 if they are not all 0 */
	uint32_t   *local;			/* [nitems] an item's column + 1 in the class at hand */
} View;

/*
 * Counts are cleared and compared in blocks of VIEW_BLOCK, which is half a cache line.
 * touched[] says which blocks have counts; VIEW_FLAGS of its flags are read at a time.
 */
#define VIEW_BLOCK	8
#define VIEW_FLAGS	8

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

#endif							/* FIM_VIEW_H */
