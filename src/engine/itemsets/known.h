/*-------------------------------------------------------------------------
 *
 * known.h
 *	  The maximal itemsets found so far.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_KNOWN_H
#define FIM_ITEMSETS_KNOWN_H

#include "miner.h"

/*
 * What a worker keeps of the maximal itemsets that it knows.
 */

/* Where there are many items, most are in few blocks.  So few take no memory of their own. */
#define FEW_PLACES	2

/* The numbers of the blocks that hold an item, ascending: some known itemset of the block has it. */
typedef struct KnownPlaces
{
	uint32_t	n;
	uint32_t	room;			/* of "many" */
	union
	{
		uint32_t	few[FEW_PLACES]; /* up to FEW_PLACES blocks, then */
		uint32_t   *many;
	}			block;
} KnownPlaces;

/* The blocks, in an array that is only to be read. */
static inline const uint32_t *
KnownBlocks(const KnownPlaces *places)
{
	return places->n <= FEW_PLACES ? places->block.few : places->block.many;
}

/*
 * The blocks "block" to "end" - 1, which this worker has found in a class and not yet put into
 * the ring.  "passed" is as for KnownPublish().
 */
typedef struct Pending
{
	uint32_t	block;
	uint32_t	end;
	uint32_t	class;
	uint32_t	passed;
} Pending;

/*
 * Arrays whose room is a field of its own are from the host; KnownFree() gives them back.  The
 * others are from the miner's arena.
 */
typedef struct Known
{
	uint8_t    *bytes;			/* [used] the known itemsets, of the caller's items, see KnownAdd() */
	size_t		used;
	size_t		room;
	size_t	   *block;			/* [nblocks] where each block begins in bytes[] */
	size_t		nblocks;
	size_t		block_room;
	uint32_t	in_block;		/* itemsets of the last block; 0 if the next itemset begins another block */
	uint32_t   *last;			/* [nlast] the last itemset; empty where a block begins */
	uint32_t	nlast;
	KnownPlaces *places;		/* [database items] by the caller's number */
	uint32_t   *column;			/* [database items] scratch, all 0 between uses */

	/* Here an item is its number in the database.  The item of class c is nitems - c. */
	uint32_t   *rank;			/* [database items] the item of each of the caller's numbers */
	uint32_t   *passed;			/* by class: from this item on the class has passed all; 0 if it is done */
	uint32_t	class;			/* the class that this worker mines */
	uint32_t	class_rank;		/* its item */
	uint32_t   *undone;			/* [nundone] classes before it, ascending: all that are not done, maybe others */
	uint32_t	nundone;
	bool		any_open;		/* an item is open: one of them has not passed class_rank */

	/* sharing with other workers */
	uint32_t	worker;			/* this worker's number */
	uint64_t	read_to;		/* the position in the ring up to which it has read */
	uint64_t	free_up_to;		/* the position up to which slots were free when it last looked */
	size_t		own_block;		/* blocks from this one on are its own and not published */
	uint64_t	own_since;		/* the work that it had done when it last published */
	Pending    *pending;		/* [npending], to be put into the ring in this order */
	size_t		first_pending;	/* those before this one are in the ring */
	size_t		npending;
	size_t		pending_room;

	/* the search at hand, see KnownBeginSearch() */
	uint32_t	ncolumns;
	uint32_t	class_words;	/* words of a set of the search's columns */
	uint64_t   *path;			/* [class_words] the search's columns that are on the path */
	size_t		path_room;
	uint64_t   *held;			/* [nsets / 64, rounded up][ncolumns] which of the sets have a column */
	size_t		held_room;		/* in words */
	uint32_t	nsets;			/* the known itemsets that hold the path with which the search began */
	uint32_t   *path_columns;	/* scratch: the columns on the path, and one more */
	ColumnMatrix witness;		/* the class's rows over the search's columns and open items */
	uint32_t   *witness_open;	/* [nwitness_open] the witness's columns of open items */
	uint32_t   *witness_item;	/* [nwitness_open] the item of each of these columns */
	uint32_t	nwitness_open;	/* 0 if there is no witness */
	uint64_t   *together;		/* [nwitness_open][class_words] columns that are frequent with the item */
} Known;

/*
 * known_ring.c: Known maximal itemsets as differences, in blocks that can be read alone, and
 * how workers tell each other of them.
 */

/*
 * Returns an array with room for n elements of "size" bytes.  This is the old array if it has
 * that room.  Otherwise it is a block of the host, at least twice as large as the old array,
 * with a copy of the first "used" elements; the old array is freed and *room is set.  Leaves
 * by the miner's jump if there is no memory.
 */
extern void *KnownGrow(Miner *m, void *old, size_t used, size_t *room, size_t n, size_t size);

/* Add an itemset, of the caller's items, to the known ones. */
extern void KnownAdd(Miner *m, const uint32_t *items, uint32_t length);

/* Where a block begins in known->bytes.  For the number after the last block, this is where the bytes end. */
static inline size_t
KnownBlockStart(const Known *known, size_t block)
{
	return block < known->nblocks ? known->block[block] : known->used;
}

/* Read a number as PutNumber() in known_ring.c writes it.  Returns the address of what follows it. */
static inline const uint8_t *
KnownGetNumber(const uint8_t *from, uint32_t *number)
{
	uint32_t	value = *from & 127;

	for (int shift = 7; *from++ & 128; shift += 7)
		value |= (uint32_t) (*from & 127) << shift;
	*number = value;
	return from;
}

/* The size of the ring in the shared state, for a database of this many entries; and how to set it up. */
extern size_t KnownSharedSize(uint64_t entries);
extern void KnownSharedInit(FimShared *shared, const FimDatabase *db);

/* Give this worker a number.  Returns false if it comes too late to know everything. */
extern bool KnownJoin(Miner *m);

/* Tell the others that they need not wait for this worker any more. */
extern void KnownQuit(Miner *m);

/*
 * Publish what this worker has found in the class at hand since the last call.  "passed" says
 * from which item on the class has passed all: 0 if it is done, UINT32_MAX if it has passed
 * no more items than before.
 */
extern void KnownPublish(Miner *m, uint32_t passed);

/*
 * Whether the ring has anything that this worker has not imported yet, and whether that takes
 * more than half of the ring.
 */
extern bool KnownHasNews(const Miner *m);
extern bool KnownLagsBehind(const Miner *m);

/* Add what others have published since the last call.  This worker must have published all that it has found. */
extern void KnownImport(Miner *m);

/*
 * known.c: A search's known itemsets, as sets of its columns, and what a worker does with them.
 */

/*
 * Begin a search below the path, whose columns are the given items.  The search's sets are
 * the known itemsets that hold the path and class_item, the item of the class, which is on
 * the path or one of the columns.  Returns false if one of the sets holds all columns, so
 * that there is nothing to find.  All items are the caller's.
 */
extern bool KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items,
							 uint32_t ncolumns);

/*
 * Items of classes that are not done, and whether they extend an itemset.
 */

/* Whether a class has passed the item of the class that this worker mines. */
static inline bool
KnownHasPassed(const Known *known, uint32_t class)
{
	return known->passed[class] <= known->class_rank;
}

/* Whether an item, by its number in the database, is open.  It must be frequent, and rarer than the class's. */
static inline bool
KnownIsOpen(const Miner *m, uint32_t item)
{
	return !KnownHasPassed(m->known, m->db->nitems - item);
}

/*
 * Make the search's witness from a matrix whose first columns are those of the search.  The
 * caller has set nwitness_open, witness_open[] and witness_item[].  Memory is from the
 * miner's arena.
 */
extern void KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns);

/*
 * KnownInit() is called before anything else here.  It returns false if the worker comes too
 * late to know everything; then the worker must take no class.  KnownFree() gives back what
 * the known itemsets take from the host, and may be called without KnownInit().
 *
 * KnownBeginClass() and KnownEndClass() are called before and after class number "taken" is
 * mined, whose item is the database's nitems - taken.
 *
 * KnownShare() exchanges known itemsets with the other workers.  It is called for the node at
 * the top of a search, when the node's columns from j on have been searched.  column[] says
 * which of the search's columns the node's are.  "whole" says that the node is that of the
 * whole class.
 *
 * MaximalFound() is called when the path is in no known itemset and has no frequent extension
 * in its class.  It adds the path to the known itemsets, and gives it out unless an open item
 * extends it.
 */
extern bool KnownInit(Miner *m);
extern void KnownFree(Miner *m);
extern void KnownBeginClass(Miner *m, uint32_t taken);
extern void KnownEndClass(Miner *m);
extern void KnownShare(Miner *m, const Node *node, const uint32_t *column, uint32_t j, bool whole);
extern void MaximalFound(Miner *m, uint32_t support);

#endif							/* FIM_ITEMSETS_KNOWN_H */
