/*-------------------------------------------------------------------------
 *
 * known.h
 *	  The maximal itemsets found so far.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_H
#define FIM_KNOWN_H

#include "miner.h"

/* Sets of a node's columns, each a known maximal itemset that holds the path. */
typedef struct Focus
{
	uint64_t   *set;			/* [n][words of the node] */
	uint32_t	n;
	size_t		room;			/* words */
} Focus;

/* The blocks with known itemsets that have an item. */
typedef struct KnownPlaces
{
	uint32_t   *block;			/* [n] */
	size_t		n;
	size_t		room;
} KnownPlaces;

typedef struct Known
{
	uint8_t    *bytes;			/* itemsets, of the caller's items: see AddKnown */
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

	/* classes, by number */
	uint32_t	imported;		/* entries read of those finished */
	uint8_t    *done;			/* all its itemsets are here */
	uint32_t	done_up_to;
	uint32_t   *open;			/* [nopen] items of the view; their classes are not done */
	uint32_t	nopen;
	size_t		first_of_class; /* where our class's itemsets begin in bytes */

	/* the search being made */
	uint32_t	ncolumns;
	uint32_t	class_words;	/* of a set of its columns */
	uint64_t   *path;			/* its columns on the path */
	size_t		path_room;
	uint64_t   *found;			/* [nfound][class_words] in this search */
	size_t		nfound;
	size_t		found_room;
	Focus	   *focus;			/* [levels] */
	size_t		levels;
	uint32_t   *path_columns;	/* scratch for them, and one more */
	ColumnMatrix witness;		/* rows over the search's columns and open items */
	uint32_t   *witness_open;	/* [nwitness_open] columns of the open items */
	uint32_t	nwitness_open;	/* 0: there is no witness */
	uint64_t   *together;		/* [nwitness_open][class_words] columns frequent with it */
} Known;

extern size_t KnownSharedSize(const FimDatabase *db, uint32_t classes);
extern void KnownSharedInit(FimShared *shared, const FimDatabase *db);
extern void KnownInit(Miner *m);
extern void KnownFree(Miner *m);
extern void KnownBeginClass(Miner *m, uint32_t taken);
extern void KnownEndClass(Miner *m, uint32_t taken);
extern bool KnownIsOpen(const Miner *m, uint32_t item);
extern bool KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items,
							 uint32_t ncolumns);
extern Focus *KnownFocus(Miner *m, uint32_t level, uint32_t more, uint32_t nwords);
extern Focus *KnownNewFocus(Miner *m, uint32_t level, uint32_t room, uint32_t nwords);
extern void KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns);
extern void KnownFound(Miner *m, uint32_t support);

#endif							/* FIM_KNOWN_H */
