/*-------------------------------------------------------------------------
 *
 * batmap_tiles.h
 *	  Strategy "batmap": tiles of sets that are intersected as batmaps.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BATMAP_TILES_H
#define FIM_SETS_BATMAP_TILES_H

#include "engine/sets/joiner.h"

typedef struct BatmapTiles BatmapTiles;

/* The ranks of a side of a tile: so few that their batmaps do not take too much memory. */
extern uint32_t BatmapTileRanks(const Product *p);

/*
 * Memory is from the joiner's arena.  Whatever is taken from the arena afterwards is given back by
 * BatmapTilesJoin().
 */
extern BatmapTiles *BatmapTilesNew(Joiner *j, Cells *cells, const Plan *plan);

/* Find the results of the tile of these left and right ranks. */
extern void BatmapTilesJoin(BatmapTiles *tiles, Range left, Range right);

#endif							/* FIM_SETS_BATMAP_TILES_H */
