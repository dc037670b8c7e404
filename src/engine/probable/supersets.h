/*-------------------------------------------------------------------------
 *
 * supersets.h
 *	  Whether a node's itemset is not closed, or not maximal, because of an item by which
 *	  the node is not extended.
 *
 * Included by the depth-first miner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_SUPERSETS_H
#define FIM_PROBABLE_SUPERSETS_H

#include "judge.h"

/* The items that are selected with no others but the required ones, the rarest one first. */
typedef struct Ranking
{
	uint32_t	n;
	const uint32_t *item_of;	/* [n] */
	const uint32_t *rank_of;	/* [data->nitems] rank + 1, or 0 if it is not selected */
} Ranking;

/*
 * Both look at the items of the ranks below "ranks" that are not in the itemset at hand,
 * which is the node's.  IsCovered() tells whether one of them is in every row that holds
 * the itemset with probability 1, IsExtensible() whether the itemset with one of them
 * added is selected.
 */
extern bool IsCovered(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks);
extern bool IsExtensible(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks);

#endif							/* FIM_PROBABLE_SUPERSETS_H */
