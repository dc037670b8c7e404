/*-------------------------------------------------------------------------
 *
 * encoded.c
 *	  The database of the transactions of a file.
 *
 *-------------------------------------------------------------------------
 */
#include "cli.h"

#include "engine/itemsets/itemsets.h"

#include <string.h>

/* The frequent items, by ascending number in the file. */
typedef struct Frequent
{
	uint32_t   *number;			/* [greatest item + 1], by the item in the file: its number, counted from
								 * 1; 0: not frequent */
	uint32_t   *values;			/* [n], the items in the file */
	uint32_t   *support;		/* [n] */
	uint32_t	n;
	uint64_t	entries;		/* frequent items of all lines together */
} Frequent;

static void
FindFrequent(const Transactions *t, uint32_t minsup, Frequent *frequent)
{
	memset(frequent, 0, sizeof(Frequent));
	for (uint32_t i = 0; i <= t->greatest; i++)
		frequent->n += t->items[i].support >= minsup;
	frequent->number = LazyZeros(sizeof(uint32_t) * ((size_t) t->greatest + 1));
	frequent->values = Need(malloc(sizeof(uint32_t) * ((size_t) frequent->n + 1)));
	frequent->support = Need(malloc(sizeof(uint32_t) * ((size_t) frequent->n + 1)));
	frequent->n = 0;
	for (uint32_t i = 0; i <= t->greatest; i++)
		if (t->items[i].support >= minsup)
		{
			frequent->entries += frequent->support[frequent->n] = t->items[i].support;
			frequent->values[frequent->n] = i;
			frequent->number[i] = ++frequent->n;
		}
}

/*
 * Copy the frequent items of a row.  Infrequent ones are dropped without a branch, because they
 * come in no pattern that could be predicted.
 */
#define KEEP_FREQUENT(item, length, number, to, n) \
	do { \
		for (uint32_t i = 0; i < (length); i++) \
		{ \
			uint32_t	found = (number)[(item)[i]]; \
			(to)[n] = found - 1; \
			(n) += found != 0; \
		} \
	} while (0)

/* Add the rows of a chunk to the database.  Returns the next chunk's first row. */
static const Row *
EncodeChunk(FimDatabase *db, Chunk *chunk, const Row *row, const uint32_t *number, uint32_t *kept)
{
	const uint16_t *narrow = ChunkItems(chunk);
	const uint32_t *wide = ChunkItems(chunk);

	for (uint64_t r = 0; r < chunk->nrows; r++, row++)
	{
		uint32_t	n = 0;

		if (chunk->wide)
			KEEP_FREQUENT(wide, row->length, number, kept, n);
		else
			KEEP_FREQUENT(narrow, row->length, number, kept, n);
		FimDatabaseAddTimes(db, kept, n, row->times);
		narrow += row->length;
		wide += row->length;
	}
	return row;
}

/*
 * While rows are added, equal ones are merged for the first time when there are this many, and
 * then whenever there are this many more than twice those that the last merge left.
 */
#define ROWS_TO_MERGE	32768

static void
EncodeRows(Transactions *t, const uint32_t *number, FimDatabase *db, FimHost *host)
{
	uint32_t   *kept = Need(malloc(sizeof(uint32_t) * ((size_t) t->longest + 1)));
	const Row  *row = t->rows;
	bool		many_equal = t->nrows < t->lines / 4 * 3;
	uint64_t	due = ROWS_TO_MERGE;

	for (Chunk *chunk = t->first, *next; chunk != NULL; chunk = next)
	{
		row = EncodeChunk(db, chunk, row, number, kept);
		next = chunk->next;
		FreeZeros(chunk, chunk->size);
		if (many_equal && db->nrows >= due)
		{
			if (!FimDatabaseMerge(db, host))
				Die("out of memory");
			due = (uint64_t) db->nrows * 2 + ROWS_TO_MERGE;
		}
	}
	free(kept);
}

void
EncodeTransactions(Transactions *t, uint32_t minsup, FimHost *host, Encoded *to)
{
	Frequent	frequent;

	FindFrequent(t, minsup, &frequent);
	FreeZeros(t->items, sizeof(ItemUse) * ((size_t) MAX_ITEM + 1));
	to->values = frequent.values;
	to->size = WholePages(FimDatabaseIndexedBound(t->nrows, frequent.entries, frequent.n));
	to->db = FilledZeros(to->size);
	FimDatabaseBegin(to->db, to->size, t->nrows, frequent.entries, frequent.n, 0, frequent.support);
	EncodeRows(t, frequent.number, to->db, host);
	free(t->rows);
	FreeZeros(frequent.number, sizeof(uint32_t) * ((size_t) t->greatest + 1));
	free(frequent.support);
	if (!FimDatabaseFinish(to->db, true, host) || !FimDatabaseIndex(to->db, host))
		Die("out of memory");
}

void
FreeEncoded(Encoded *data)
{
	FreeZeros(data->db, data->size);
	free(data->values);
}
