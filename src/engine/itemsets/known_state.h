/*-------------------------------------------------------------------------
 *
 * known_state.h
 *	  What a worker keeps of the maximal itemsets that it knows.
 *
 * Included by known.h and the headers named known_..., whose functions work on it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_STATE_H
#define FIM_KNOWN_STATE_H

#include "miner.h"

/* The blocks with known itemsets that have an item. */
typedef struct KnownPlaces
{
	uint32_t   *block;			/* [n] */
	size_t		n;
	size_t		room;
} KnownPlaces;

/* Blocks that this worker has found and not yet put into the ring. */
typedef struct Pending
{
	size_t		block;
	size_t		end;
	uint32_t	class;
	uint32_t	passed;
} Pending;

typedef struct Known
{
	uint8_t    *bytes;			/* itemsets, of the caller's items: see KnownAdd */
	size_t		used;
	size_t		room;
	size_t	   *block;			/* [nblocks] where they begin */
	size_t		nblocks;
	size_t		block_room;
	uint32_t	in_block;		/* itemsets of the last block, 0: begin another */
	uint32_t   *last;			/* [nlast] the last itemset, nothing where a block begins */
	uint32_t	nlast;
	KnownPlaces *places;		/* [database items] */
	uint32_t   *column;			/* [database items] scratch, all 0 */

	/* Here items are named by their numbers in the database; class c's is nitems - c. */
	uint32_t   *rank;			/* [database items] by the caller's number */
	uint32_t   *passed;			/* by class, from which item on it has passed all; 0: it is done */
	uint32_t	done_up_to;		/* this class and all before it are done */
	uint32_t	class;			/* the one that this worker is in */
	uint32_t	class_rank;
	uint32_t   *open;			/* [nopen] items whose classes have not passed class_rank */
	uint32_t	nopen;

	/* sharing with others */
	uint32_t	worker;
	uint64_t	read_to;		/* positions in the ring */
	uint64_t	free_up_to;
	size_t		own_block;		/* blocks from here on are not published */
	uint64_t	own_since;		/* the work done when the last were */
	Pending    *pending;		/* [npending], to be published in this order */
	size_t		first_pending;
	size_t		npending;
	size_t		pending_room;

	/* the search being made */
	uint32_t	ncolumns;
	uint32_t	class_words;	/* of a set of its columns */
	uint64_t   *path;			/* its columns on the path */
	size_t		path_room;
	uint64_t   *held;			/* [nsets / 64, rounded up][ncolumns] which sets have a column */
	size_t		held_room;		/* words */
	uint32_t	nsets;			/* known itemsets with the path that it began with */
	uint32_t   *path_columns;	/* scratch for them, and one more */
	ColumnMatrix witness;		/* rows over the search's columns and open items */
	uint32_t   *witness_open;	/* [nwitness_open] columns of the open items */
	uint32_t   *witness_item;	/* [nwitness_open] these items in the database */
	uint32_t	nwitness_open;	/* 0: there is no witness */
	uint64_t   *together;		/* [nwitness_open][class_words] columns frequent with it */
} Known;

#endif							/* FIM_KNOWN_STATE_H */
