/*-------------------------------------------------------------------------
 *
 * itemset_cases.h
 *	  Random databases of many shapes, and random jobs for them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITEMSET_CASES_H
#define ITEMSET_CASES_H

#include "random_cases.h"

/*
 * Makes a database and a job that does not find too many itemsets in it.  Some have items in all
 * transactions, up to more than could be listed, some very many items, and some very many
 * transactions.  The strategy is left open.
 */
extern FimDatabase *RandomItemsetCase(FimItemsetsSpec *spec, Rng *rng, uint32_t number);

/* The least memory with which the database of that number is mined in a reasonable time; or 0. */
extern uint64_t ReasonableMemory(uint32_t number);

#endif							/* ITEMSET_CASES_H */
