/*-------------------------------------------------------------------------
 *
 * measure.h
 *	  How similar two sets are, and which of their keys and sizes tell that they cannot be similar enough.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_MEASURE_H
#define FIM_SETS_MEASURE_H

#include "sets.h"

/* The similarity of a set of n elements and one of m that have "overlap" elements in common, at least one. */
extern double SimilarityOf(FimSetsMeasure measure, uint32_t overlap, uint32_t n, uint32_t m);

/*
 * The same as a score, which all measures are.  With a larger overlap, or a smaller m, a score is not lower; and
 * it is higher with a larger overlap if m is not larger.
 */
extern double ScoreOf(const FimSetsSpec *spec, uint32_t overlap, uint32_t n, uint32_t m);

/* A score that is quicker to have.  It may be off by SCORE_ERROR of itself, but for measures of which ScoreOf() is quick. */
#define SCORE_ERROR		1e-14
extern double RoughScoreOf(const FimSetsSpec *spec, uint32_t overlap, uint32_t n, uint32_t m);

/*
 * The least overlap, at least 1, with which the similarity of sets of n and m elements reaches
 * the threshold.  If no overlap does, the result is above the smaller of n and m.
 */
extern uint32_t LeastOverlap(const FimSetsSpec *spec, uint32_t n, uint32_t m);

/*
 * The smallest number of elements, from 1 to n, with which a set can reach the threshold with a
 * set of n elements, in at least one of both orders.
 */
extern uint32_t LeastPartner(const FimSetsSpec *spec, uint32_t n);

/* The number of ranks whose sets have at least "least" keys.  They come first, since sets get smaller by rank. */
extern uint32_t RanksOfSize(const uint64_t *start, uint32_t nvalues, uint32_t least);

/*
 * Strategy "prefix".
 */

/*
 * The spec with a measure that is the same in both directions, and reaches the threshold if the
 * spec's measure does in one of them.
 */
extern FimSetsSpec WithoutDirection(const FimSetsSpec *spec);

/*
 * PrefixOfIndex() says how many keys of a set of "size" keys, the rarest ones, are in the index,
 * where sets that are not smaller find it.  PrefixOfProbe() says how many of its rarest keys a set
 * of "size" keys looks up in the index.  Both return 0 if no set can be similar.
 */
extern uint32_t PrefixOfIndex(const FimSetsSpec *spec, uint32_t size);
extern uint32_t PrefixOfProbe(const FimSetsSpec *spec, uint32_t size);

#endif							/* FIM_SETS_MEASURE_H */
