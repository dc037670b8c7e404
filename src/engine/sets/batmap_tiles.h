/*-------------------------------------------------------------------------
 *
 * batmap_tiles.h
 *	  Strategy "batmap": tiles of sets that are intersected as batmaps.
 *
 * Included by cpu_engine.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BATMAP_TILES_H
#define FIM_SETS_BATMAP_TILES_H

#include "cells.h"
#include "plan.h"

typedef struct BatmapTiles BatmapTiles;

extern BatmapTiles *BatmapTilesNew(Joiner *j, Cells *cells, const Plan *plan);

/* The cells of a tile. */
extern void BatmapTilesJoin(BatmapTiles *tiles, Range left, Range right);

#endif							/* FIM_SETS_BATMAP_TILES_H */
