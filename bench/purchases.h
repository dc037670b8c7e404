/*
 * purchases.h
 *	  Pairs of customers and items to measure with.
 */
#ifndef BENCH_PURCHASES_H
#define BENCH_PURCHASES_H

#include "engine/sets/sets.h"

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), as a number in [0, 1). */
extern double Draw(uint64_t *state);

/*
 * Writes "n" different pairs, or some less or more, of which the customer is the key and the item the value.  Of the item of rank
 * r there is a part in proportion to 1 / (r + 10), as of the most wanted things that are sold; how many items a customer
 * has is log-normal with a sigma of 1.  Returns how many pairs there are; there must be room for twice as many as "n".  The same
 * arguments give the same pairs.
 */
extern uint64_t MakePurchases(uint32_t customers, uint32_t items, uint64_t n, FimSetsPair *pair);

#endif							/* BENCH_PURCHASES_H */
