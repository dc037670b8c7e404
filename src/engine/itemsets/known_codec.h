/*-------------------------------------------------------------------------
 *
 * known_codec.h
 *	  Known maximal itemsets as differences, in blocks that can be read alone.
 *
 * Included by known.c, known_ring.c and known_sets.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_CODEC_H
#define FIM_KNOWN_CODEC_H

#include "known_state.h"

/*
 * Returns an array that has room for n elements of a size: the old one if it has, else a
 * copy of its first "used" elements in a block of the host that is at least twice as
 * large.  Leaves by the miner's jump if there is no memory.
 */
extern void *KnownGrow(Miner *m, void *old, size_t used, size_t *room, size_t n, size_t size);

/* Add an itemset to those known, of the caller's items. */
extern void KnownAdd(Miner *m, const uint32_t *items, uint32_t length);

/* The next itemset begins a block. */
extern void KnownEndBlock(Known *known);

/* Where a block begins in the known itemsets' bytes.  For the number after the last block, where they end. */
static inline size_t
KnownBlockStart(const Known *known, size_t block)
{
	return block < known->nblocks ? known->block[block] : known->used;
}

/* Returns what follows the number. */
static inline const uint8_t *
KnownGetNumber(const uint8_t *from, uint32_t *number)
{
	uint32_t	value = *from & 127;

	for (int shift = 7; *from++ & 128; shift += 7)
		value |= (uint32_t) (*from & 127) << shift;
	*number = value;
	return from;
}

#endif							/* FIM_KNOWN_CODEC_H */
