/*-------------------------------------------------------------------------
 *
 * bits.h
 *	  Strategy "bits": products of bit matrices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BITS_H
#define FIM_SETS_BITS_H

#include "cells.h"

typedef struct Bits Bits;

/*
 * Memory is from the joiner's arena.  No chunk has both keys below "frequent_keys", see plan.h, and
 * other keys.
 */
extern Bits *BitsNew(Joiner *j, Cells *cells, uint32_t frequent_keys);

/* Find the results of the tile of these left and right ranks, at most TILE_RANKS of each. */
extern void BitsJoinTile(Bits *bits, Range left, Range right);

#endif							/* FIM_SETS_BITS_H */
