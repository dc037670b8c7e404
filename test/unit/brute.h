/*-------------------------------------------------------------------------
 *
 * brute.h
 *	  What is frequent, closed and maximal by definition, for the unit tests.
 *
 * A Table holds transactions as they are, in any order, equal and empty ones
 * included.  BruteMine() finds all its frequent itemsets by counting over the
 * rows and marks the closed and the maximal ones; everything a job can ask for
 * is a selection among them (BruteWants).  Of the engine only the declaration
 * of a job is used.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BRUTE_H
#define BRUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/itemsets/itemsets.h"

/* Up to here BruteMine() enumerates all subsets. */
#define BRUTE_SUBSETS	16

/* From here on it finds only closed itemsets, in tables of few rows. */
#define BRUTE_WIDE		128
#define BRUTE_ROWS		10

typedef struct Table
{
	uint32_t	nitems;			/* items are 0 .. nitems-1 */
	uint32_t	nrows;
	uint32_t	nany;			/* see TableNeedAny() */
	uint32_t   *at;				/* nrows + 1 places in items */
	uint32_t   *items;
} Table;

extern void TableInit(Table *table, uint32_t nitems);
extern void TableAdd(Table *table, const uint32_t *items, uint32_t length);
extern void TableFree(Table *table);

/* Itemsets need one of the last so many items, as a spec may say: leave out the rows that have none of these. */
extern void TableNeedAny(Table *table, uint32_t nany);

typedef struct BruteSet
{
	uint32_t	at;				/* place in Brute.items, ascending there */
	uint32_t	length;
	uint32_t	support;
	bool		closed;
	bool		maximal;
	uint32_t	seen;			/* for the caller: the last run that gave it */
	uint32_t	next;			/* hash chain */
} BruteSet;

typedef struct Brute
{
	uint32_t	table_items;	/* the table's nitems */
	BruteSet   *sets;
	uint32_t	nsets;
	uint32_t	nitems;			/* used of items */
	uint32_t   *items;
	uint32_t   *buckets;
	uint32_t	nbuckets;
} Brute;

/*
 * All itemsets, the empty one included, with support >= minsup; only the closed
 * ones, in at most BRUTE_ROWS rows, of tables with BRUTE_WIDE items or more.
 * false, and nothing to be freed, when they are more than limit.
 */
extern bool BruteMine(Brute *brute, const Table *table, uint32_t minsup, uint32_t limit);
extern void BruteFree(Brute *brute);

/* The set of these items (ascending), or NULL. */
extern BruteSet *BruteFind(Brute *brute, const uint32_t *items, uint32_t length);

/*
 * Does the spec ask for this itemset?  The empty itemset stands for the prefix
 * alone, which is a result when there is a prefix.
 */
extern bool BruteWants(const Brute *brute, const FimItemsetsSpec *spec, const BruteSet *set);

#endif							/* BRUTE_H */
