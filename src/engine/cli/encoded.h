/*-------------------------------------------------------------------------
 *
 * encoded.h
 *	  The database of the transactions of a file.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ENCODED_H
#define FIM_ENCODED_H

#include "transactions.h"

typedef struct Encoded
{
	FimDatabase *db;
	size_t		size;			/* bytes of its memory */
	uint32_t   *values;			/* [nitems], of each item of the database: its number in the file */
} Encoded;

/*
 * Build and index the database of the items that are in at least minsup lines. Frees the memory
 * of the transactions.
 */
extern void EncodeTransactions(Transactions *t, uint32_t minsup, FimHost *host, Encoded *to);
extern void FreeEncoded(Encoded *data);

#endif							/* FIM_ENCODED_H */
