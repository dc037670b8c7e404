/*-------------------------------------------------------------------------
 *
 * class_parts.h
 *	  Which itemsets fall to which part of a task.
 *
 * The units that are dealt are prefix classes, by the database's number of the class's item, and behind these one for what all
 * transactions hold, with its subsets.  A class of which much is expected is divided.  Its pieces are pairs of the class's item
 * and another one: the rarest other item of an itemset that is not in all of the class's transactions.  A piece's number is the caller's
 * number of that item.  Itemsets that have no such item, and those of pairs that are no piece, are the rest of the class.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_CLASS_PARTS_H
#define FIM_ITEMSETS_CLASS_PARTS_H

#include "engine/itemsets/itemsets.h"
#include "engine/parts.h"

/* So few transactions may be mined as sets of rows, and no class of theirs is divided. */
#define FIM_FEW_TRANSACTIONS	1024

/* Deal the itemsets of a task.  The database need not have occurrences.  Leaves by the arena's jump if there is no memory. */
extern void DealClasses(FimDealt *dealt, const FimItemsetsSpec *spec, const FimDatabase *db, Arena *arena);

/* Has the task's part what all transactions hold?  "dealt" is NULL if the task gives all results. */
static inline bool
HasRoot(const FimDealt *dealt)
{
	return dealt == NULL || FimHasUnit(dealt, dealt->n - 1);
}

#endif							/* FIM_ITEMSETS_CLASS_PARTS_H */
