/*-------------------------------------------------------------------------
 *
 * bits.h
 *	  Strategy "bits": products of bit matrices.
 *
 * Included by cpu_engine.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BITS_H
#define FIM_SETS_BITS_H

#include "cells.h"

typedef struct Bits Bits;

/* Keys below "frequent_keys" are in no chunk with others. */
extern Bits *BitsNew(Joiner *j, Cells *cells, uint32_t frequent_keys);

/* The cells of the left ranks from "left" on and the right ones from "right" on, up to TILE_RANKS. */
extern void BitsJoinTile(Bits *bits, Range left, Range right);

#endif							/* FIM_SETS_BITS_H */
