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

/* A row stands for a line of the file, or for several equal ones. */
typedef struct Row
{
	uint32_t	length;
	uint32_t	times;
} Row;

/* The items of some rows, in 16 bits each or, in a wide chunk, in 32. */
typedef struct Chunk
{
	struct Chunk *next;
	size_t		size;			/* in bytes, this header included */
	size_t		used;			/* bytes of items */
	uint64_t	nrows;
	bool		wide;
} Chunk;

static inline void *
ChunkItems(Chunk *chunk)
{
	return chunk + 1;
}

typedef struct ItemUse
{
	uint32_t	support;
	uint32_t	last_row;		/* number of the last row that holds the item, counted from 1 */
} ItemUse;

typedef struct Transactions
{
	const char *name;			/* of the file */
	Chunk	   *first;			/* the items of the rows, each once in a row */
	Chunk	   *last;
	Row		   *rows;
	uint64_t	nrows;
	uint64_t	room;			/* length of rows[] */
	uint64_t	lines;
	uint32_t	longest;		/* number of items of the longest row */
	ItemUse    *items;			/* [MAX_ITEM + 1] */
	uint32_t	greatest;		/* item */
} Transactions;

/*
 * Read a file of lines in FIMI form; "-" is standard input.  The program ends
 * with a message if that fails.
 */
extern void ReadTransactions(const char *name, Transactions *t);

#endif							/* FIM_TRANSACTIONS_H */
