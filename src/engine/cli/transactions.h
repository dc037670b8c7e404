/*-------------------------------------------------------------------------
 *
 * transactions.h
 *	  Transactions from a file.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TRANSACTIONS_H
#define FIM_TRANSACTIONS_H

#include "engine/itemsets/itemsets.h"

/* The greatest number that an item may have in a file. */
#define MAX_ITEM		((UINT32_C(1) << 28) - 1)

/* A row is a line of the file, or several that are equal. */
typedef struct Row
{
	uint32_t	length;
	uint32_t	times;
} Row;

typedef struct ItemUse
{
	uint32_t	support;
	uint32_t	last_row;		/* the last one that holds the item, counted from 1 */
} ItemUse;

typedef struct Transactions
{
	const char *name;			/* of the file */
	struct Chunk *first;		/* the rows' items, each once a row */
	struct Chunk *last;
	Row		   *rows;
	uint64_t	nrows;
	uint64_t	room;			/* of rows */
	uint64_t	lines;
	uint32_t	longest;		/* row, in items */
	ItemUse    *items;			/* [MAX_ITEM + 1] */
	uint32_t	greatest;		/* item */
} Transactions;

/*
 * Read a file of lines in FIMI form; "-" is standard input.  The program ends
 * with a message if that fails.
 */
extern void ReadTransactions(const char *name, Transactions *t);

typedef struct Encoded
{
	FimDatabase *db;
	size_t		size;			/* bytes of its memory */
	uint32_t   *values;			/* by item of the database, what it is in the file */
} Encoded;

/*
 * Build and index the database of the items that are in at least minsup lines.
 * This gives up the transactions' memory.
 */
extern void EncodeTransactions(Transactions *t, uint32_t minsup, FimHost *host, Encoded *to);
extern void FreeEncoded(Encoded *data);

#endif							/* FIM_TRANSACTIONS_H */
