/*-------------------------------------------------------------------------
 *
 * view.h
 *	  A database of rows as searches see it: the whole one, or one projected to a
 *	  prefix class.
 *
 * Included by what mines rows or makes bit matrices of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_VIEW_H
#define FIM_VIEW_H

#include "miner.h"

/*
 * Items 0 .. nclasses-1 are those to extend with, by descending support in the whole
 * database.  The items from there on are "excluded": the itemsets that contain them
 * belong to classes elsewhere, and they are carried only to tell whether a closure
 * contains one.  The first "skip" items are in every row and are ignored.
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
	const uint64_t *occ;		/* [nitems + 1] where an item's occurrences begin */
	const uint32_t *occurrences;	/* rows of each item, ascending */

	/* scratch, all zeros between two uses */
	uint32_t   *count;			/* [nitems], rounded up to whole groups of blocks */
	uint8_t    *touched;		/* 1 for a block of counts that are not all 0 */
	uint32_t   *local;			/* [nitems] an item's column + 1 in the class at hand */
} View;

/*
 * Counts are cleared and compared in blocks, half a cache line each.  Flags say which
 * blocks have counts, and are looked at so many at a time.
 */
#define VIEW_BLOCK	8
#define VIEW_FLAGS	8

/*
 * Rows of a class lie scattered in memory, and waiting for them is most of the
 * work.  So each is asked for a few rows ahead, and before that the words that say
 * where it is.
 */
#define ROW_AHEAD		16

/* A macro, since GCC 12 takes a function that only prefetches for a pure one. */
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

/* The miner's whole database.  It has no scratch space yet. */
extern void ViewOfDatabase(Miner *m, View *view);

/* Scratch space for counting the view's classes, from the miner's arena. */
extern void ViewScratch(Miner *m, View *view);

#endif							/* FIM_VIEW_H */
