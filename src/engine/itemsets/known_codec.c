/*-------------------------------------------------------------------------
 *
 * known_codec.c
 *	  Known maximal itemsets as differences, in blocks that can be read alone.
 *
 *-------------------------------------------------------------------------
 */
#include "known_codec.h"

#include <string.h>

/*
 * The most itemsets of a block.  The first itemset of a block is written in full.  So an
 * itemset that has little in common with the one before loses little by beginning another
 * block, and does so.
 */
#define BLOCK_ITEMSETS	4

/* The least number of elements of an array.  It is small, since there are arrays by item. */
#define LEAST_ROOM		8

void *
KnownGrow(Miner *m, void *old, size_t used, size_t *room, size_t n, size_t size)
{
	size_t		more = *room * 2 > n ? *room * 2 : n;
	void	   *block;

	if (n <= *room && old != NULL)
		return old;
	if (more < LEAST_ROOM)
		more = LEAST_ROOM;
	block = m->host->alloc(m->host, more * size);
	if (block == NULL)
		longjmp(m->leave, FIM_OUT_OF_MEMORY);
	if (old != NULL)
	{
		memcpy(block, old, used * size);
		m->host->free(m->host, old);
	}
	*room = more;
	return block;
}

/* Write a number, 7 bits to a byte, the lowest first.  All bytes but the last have the top bit set. */
static inline uint8_t *
PutNumber(uint8_t *to, uint32_t number)
{
	for (; number >= 128; number >>= 7)
		*to++ = (uint8_t) (number | 128);
	*to++ = (uint8_t) number;
	return to;
}

#define MOST_BYTES_OF_NUMBER	5

void
KnownEndBlock(Known *known)
{
	known->in_block = 0;
	known->nlast = 0;
}

/* Note that the last block holds an item. */
static void
AddPlace(Miner *m, KnownPlaces *places)
{
	uint32_t	block = (uint32_t) m->known->nblocks - 1;
	size_t		room = places->room;
	uint32_t   *many;

	if (places->n > 0 && KnownBlocks(places)[places->n - 1] == block)
		return;
	if (places->n < FEW_PLACES)
	{
		places->block.few[places->n++] = block;
		return;
	}
	if (places->n == FEW_PLACES)
	{
		many = KnownGrow(m, NULL, 0, &room, FEW_PLACES + 1, sizeof(uint32_t));
		memcpy(many, places->block.few, sizeof(places->block.few));
	}
	else
		many = KnownGrow(m, places->block.many, places->n, &room, (size_t) places->n + 1, sizeof(uint32_t));
	many[places->n++] = block;
	places->block.many = many;
	places->room = (uint32_t) room;
}

/*
 * An itemset is written as the number of leading items that it shares with the one
 * before, the number of its other items, and these items.
 */
void
KnownAdd(Miner *m, const uint32_t *items, uint32_t length)
{
	Known	   *known = m->known;
	uint32_t	keep = 0;
	uint8_t    *to;

	while (keep < length && keep < known->nlast && items[keep] == known->last[keep])
		keep++;
	if (known->in_block == BLOCK_ITEMSETS || keep < length / 2)
	{
		KnownEndBlock(known);
		keep = 0;
	}
	if (known->in_block++ == 0)
	{
		known->block = KnownGrow(m, known->block, known->nblocks, &known->block_room,
								 known->nblocks + 1, sizeof(size_t));
		known->block[known->nblocks++] = known->used;
	}
	known->bytes = KnownGrow(m, known->bytes, known->used, &known->room,
							 known->used + ((size_t) length + 2) * MOST_BYTES_OF_NUMBER, 1);
	to = PutNumber(PutNumber(known->bytes + known->used, keep), length - keep);
	for (uint32_t i = keep; i < length; i++)
	{
		to = PutNumber(to, items[i]);
		known->last[i] = items[i];
		AddPlace(m, &known->places[items[i]]);
	}
	known->nlast = length;
	known->used = (size_t) (to - known->bytes);
}
