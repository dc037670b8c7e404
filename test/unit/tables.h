/*-------------------------------------------------------------------------
 *
 * tables.h
 *	  Random transaction databases of many shapes, for the unit tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TABLES_H
#define TABLES_H

#include "brute.h"
#include "harness.h"

typedef enum TableSize
{
	SMALL,						/* subsets can be enumerated */
	LARGE,						/* several words of items and of rows */
	WIDE,						/* few rows of so many items that only sets of rows can be */
	HEAVY,						/* thousands of rows, few of them distinct */
	TALL						/* many words of rows, and few items */
} TableSize;

extern void RandomTable(Table *table, Rng *rng, TableSize size);

/*
 * A table with more items than bits of a word, most pairs of which are in CROWDED_MINSUP rows or
 * more, and few itemsets of more.
 */
#define CROWDED_MINSUP	7

extern void CrowdedTable(Table *table, Rng *rng);

#endif							/* TABLES_H */
