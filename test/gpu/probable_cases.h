/*-------------------------------------------------------------------------
 *
 * probable_cases.h
 *	  Random uncertain data of many shapes, and random jobs for them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROBABLE_CASES_H
#define PROBABLE_CASES_H

#include "probable_truth.h"
#include "random_cases.h"

/*
 * Makes data, a job and the truth about them, which the caller frees with free().  The truth is NULL
 * if something is unclear, so that nothing can be checked.  Some data have few items, but so many
 * transactions that a distribution is convolved on many levels.  The strategy is left open.
 */
extern FimProbableData *RandomProbableCase(FimProbableSpec *spec, Rng *rng, uint32_t number, Truth **truth);

/*
 * Makes data of so many items that pairs are worth a product of matrices, and a job of all
 * itemsets with up to two items that are not required.
 */
extern FimProbableData *RandomWideCase(FimProbableSpec *spec, Rng *rng);

#endif							/* PROBABLE_CASES_H */
