/*-------------------------------------------------------------------------
 *
 * supersets.h
 *	  Whether a node's itemset is not closed, or not maximal, because of an item by which
 *	  the node is not extended.
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

	/* scratch, all 0 between uses; an item's place is its rank + 1, others share place 0 */
	uint32_t   *count;			/* [n + 1] rows that hold the item */
	double	   *mean;			/* [n + 1] the sum of its probabilities in them */
} Ranking;

/*
 * There can be as many classes as items, so a class must not look at the counts of all places if few
 * are not 0.  But to sort a place takes far longer than to look at a count.
 */
#define FEW_COUNTS(nplaces)		((nplaces) / 32)

/*
 * Put the places below nplaces whose counts are not 0 in order.  place[n] has them all, maybe some
 * several times; it need not be set unless n is below FEW_COUNTS().  It must have room for one
 * more than there are.  Returns their number.
 */
extern uint32_t PlacesInOrder(const Ranking *of, uint32_t nplaces, uint32_t *place, uint64_t n);

/*
 * Both look at the items of the ranks below "ranks" that are not in the itemset at hand,
 * which is the node's.  IsCovered() tells whether one of them is in every row that holds
 * the itemset with probability 1, IsExtensible() whether the itemset with one of them
 * added is selected.
 */
extern bool IsCovered(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks);
extern bool IsExtensible(ProbableMiner *m, const ProbableNode *node, const Ranking *of, uint32_t ranks);

#endif							/* FIM_PROBABLE_SUPERSETS_H */
