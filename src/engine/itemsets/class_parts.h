/*-------------------------------------------------------------------------
 *
 * class_parts.h
 *	  Which itemsets fall to which part of a task.
 *
 * Itemsets are dealt by their prefix classes.  A class that would be too much for one part is split: its itemsets
 * belong to the pair of the class's item and of their rarest other item that is not in all of the class's transactions.
 * Itemsets without such an item, and those of pairs of which little is expected, are the rest of the class.  What
 * all transactions hold, and the subsets of that, are a unit of their own.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_CLASS_PARTS_H
#define FIM_ITEMSETS_CLASS_PARTS_H

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"

/* So few transactions may be mined as sets of rows, and no class of theirs is split. */
#define FIM_FEW_TRANSACTIONS	1024

/* A pair of a split class, by the caller's number of the item that goes with the class's. */
typedef struct PairPart
{
	uint32_t	item;
	uint16_t	part;
} PairPart;

/* Arrays are from an arena.  Items without a name are the database's. */
typedef struct ClassParts
{
	uint32_t	own;			/* the task's part */
	uint32_t	nitems;
	uint16_t   *part;			/* [nitems + 1] of each class or of its rest; the last one of the itemset of all transactions */
	bool	   *concerned;		/* [nitems] the class has something of the task's part */
	uint64_t   *pairs_at;		/* [nitems + 1] where the pairs of a class begin; a class without pairs is not split */
	PairPart   *pairs;

	/* the class at hand, see ClassPartsBegin() */
	bool		split;
	bool		rest;			/* the task's part has its rest */
	uint16_t   *of_pair;		/* [nitems] by the caller's number: the part + 1 of a pair, 0 for the rest */
} ClassParts;

/*
 * Deal the itemsets of a task.  "kind" and the threshold count, besides the number of parts; the database need not have occurrences.
 * Polls the host now and then; leaves by the arena's jump if there is no memory.
 */
extern void ClassPartsDeal(ClassParts *parts, const FimItemsetsSpec *spec, const FimDatabase *db, Arena *arena);

/* Go on to the class of an item.  Returns false if it has nothing for this part. */
static inline bool
ClassPartsBegin(ClassParts *parts, uint32_t i)
{
	for (uint64_t p = parts->pairs_at[i]; p < parts->pairs_at[i + 1]; p++)
		parts->of_pair[parts->pairs[p].item] = (uint16_t) (parts->pairs[p].part + 1);
	parts->split = parts->pairs_at[i] < parts->pairs_at[i + 1];
	parts->rest = parts->part[i] == parts->own;
	return parts->concerned[i];
}

/* Leave the class. */
static inline void
ClassPartsEnd(ClassParts *parts, uint32_t i)
{
	for (uint64_t p = parts->pairs_at[i]; p < parts->pairs_at[i + 1]; p++)
		parts->of_pair[parts->pairs[p].item] = 0;
}

/* Has this part the pair of the class at hand with another item, by the caller's number?  The class is split. */
static inline bool
ClassPartsHavePair(const ClassParts *parts, uint32_t name)
{
	return parts->of_pair[name] == 0 ? parts->rest : parts->of_pair[name] == parts->own + 1;
}

/*
 * The fingerprint of a database, which does not depend on the order in which its transactions were added.
 */
extern uint64_t FimDatabaseFingerprint(const FimDatabase *db, Arena *arena);

#endif							/* FIM_ITEMSETS_CLASS_PARTS_H */
