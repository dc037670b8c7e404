/*-------------------------------------------------------------------------
 *
 * measure.h
 *	  Deciding whether two sets are similar.
 *
 * Included by the CPU engine's files, and by cuda/sets for what it writes.
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

#endif							/* FIM_SETS_MEASURE_H */
