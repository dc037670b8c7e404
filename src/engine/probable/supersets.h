/*-------------------------------------------------------------------------
 *
 * supersets.h
 *	  Whether items that a node is not extended by make it not closed or not maximal.
 *
 * Included by the depth-first miner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_SUPERSETS_H
#define FIM_PROBABLE_SUPERSETS_H

#include "judge.h"

/* The items that are selected alone, the rarest one first. */
typedef struct Ranking
{
	uint32_t	n;
	const uint32_t *item_of;	/* [n] */
	const uint32_t *rank_of;	/* [data->nitems] rank + 1, or 0 if it is not selected */
} Ranking;

/*
 * Both look at the items of the first so many ranks that are not in the itemset at hand,
 * which is the node's.  The first asks whether one of them is in every
 * row of the node with probability 1, the second whether it can be added to a selected
 * itemset.
 */
extern bool IsCovered(ProbableMiner *m, const Node *node, const Ranking *of, uint32_t ranks);
extern bool IsExtensible(ProbableMiner *m, const Node *node, const Ranking *of, uint32_t ranks);

#endif							/* FIM_PROBABLE_SUPERSETS_H */
