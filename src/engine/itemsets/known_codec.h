/*-------------------------------------------------------------------------
 *
 * known_codec.h
 *	  Known maximal itemsets as differences, in blocks that can be read alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_CODEC_H
#define FIM_KNOWN_CODEC_H

#include "known_state.h"

/*
 * Returns an array with room for n elements of "size" bytes.  This is the old array if it has
 * that room.  Otherwise it is a block of the host, at least twice as large as the old array,
 * with a copy of the first "used" elements; the old array is freed and *room is set.  Leaves
 * by the miner's jump if there is no memory.
 */
extern void *KnownGrow(Miner *m, void *old, size_t used, size_t *room, size_t n, size_t size);

/* Add an itemset, of the caller's items, to the known ones. */
extern void KnownAdd(Miner *m, const uint32_t *items, uint32_t length);

/* End the block at hand, so that the next itemset begins another one. */
extern void KnownEndBlock(Known *known);

/* Where a block begins in known->bytes.  For the number after the last block, this is where the bytes end. */
static inline size_t
KnownBlockStart(const Known *known, size_t block)
{
	return block < known->nblocks ? known->block[block] : known->used;
}

/* Read a number as PutNumber() in known_codec.c writes it.  Returns the address of what follows it. */
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
