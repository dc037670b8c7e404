/*-------------------------------------------------------------------------
 *
 * measure.h
 *	  Deciding whether two sets are similar, and which of their keys and sizes tell that they cannot be.
 *
 * Included by the CPU engine's files, and by those of cuda/sets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_MEASURE_H
#define FIM_SETS_MEASURE_H

#include "sets.h"

/* The similarity of two sets of n and m elements with an overlap, which is at least 1. */
extern double SimilarityOf(FimSetsMeasure measure, uint32_t overlap, uint32_t n, uint32_t m);

/*
 * The least overlap with which the similarity of sets of n and m elements reaches the
 * threshold, at least 1; above the smaller of n and m if no overlap does.
 */
extern uint32_t LeastOverlap(const FimSetsJob *job, uint32_t n, uint32_t m);

/*
 * Of the sets that are not larger than one of n elements, the smallest that can reach the
 * threshold with it, in one of both orders, at least 1.
 */
extern uint32_t LeastPartner(const FimSetsJob *job, uint32_t n);

/* The number of ranks whose sets have at least so many keys: sets get smaller by rank. */
extern uint32_t RanksOfSize(const uint64_t *start, uint32_t nvalues, uint32_t least);

/* ---- strategy "prefix" ---- */

/* The job with a measure that is the same in both directions, and reaches the threshold if one direction does. */
extern FimSetsJob WithoutDirection(const FimSetsJob *job);

/*
 * How many keys of a set of a size, the rarest ones, are in the index, where sets meet it that are not smaller;
 * and how many of them it looks up there.  0 if no set can be similar to it.
 */
extern uint32_t PrefixOfIndex(const FimSetsJob *job, uint32_t size);
extern uint32_t PrefixOfProbe(const FimSetsJob *job, uint32_t size);

#endif							/* FIM_SETS_MEASURE_H */
