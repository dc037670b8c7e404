/*-------------------------------------------------------------------------
 *
 * batmap.h
 *	  Sets as batmaps: tables of bytes that intersect position by position.
 *
 * After R. R. Amossen and R. Pagh, A New Data Layout for Set Intersection on GPUs, IPDPS
 * 2011.  Each element of a set is in two of three tables, at the places that three
 * permutations of the universe give it.  So two sets that have an element in common have it
 * at the same place of at least one table.  doc/ancestors/batmap.md says which function does what part
 * of the paper, and what was changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BATMAP_H
#define FIM_SETS_BATMAP_H

#include "engine/arena.h"
#include "engine/kernels.h"
#include "engine/sets/joiner.h"

/* The universe: the numbers below 2^bits.  Tables have at least 2^least places. */
typedef struct BatmapSpace
{
	uint32_t	bits;
	uint32_t	least;
	uint32_t	max_loop;		/* moves after which an insertion has failed */
} BatmapSpace;

/*
 * A set.  A place of a table is a byte.  It is 0 if the place is free.  Otherwise its lower 7
 * bits are the upper bits of the permuted element, plus 1, and its highest bit is set if the
 * element's other place is in the next table.
 */
typedef struct Batmap
{
	uint8_t    *table;			/* [3][range] */
	uint32_t	range;			/* a power of 2 */
	uint32_t	n;
	const uint32_t *element;	/* [n] the set's elements, ascending, in the caller's memory */
	uint32_t	nfailed;
	uint32_t   *failed;			/* [nfailed] the elements that are not in the tables, ascending */
} Batmap;

/* Scratch space in which elements get their places, before these become bytes. */
typedef struct BatmapBuilder
{
	BatmapSpace space;
	uint32_t   *place;			/* [3][range], elements plus 1 */
	uint32_t   *failed;			/* [size] */
} BatmapBuilder;

/* The smallest space that has all numbers below n. */
extern BatmapSpace BatmapSpaceOf(uint32_t n);

/* The number of places of each table of a set of n elements. */
extern uint32_t BatmapRange(const BatmapSpace *space, uint32_t n);

/*
 * Make a builder for sets of at most "size" elements, whose tables have at most "range" places.
 * Memory is from the arena.
 */
extern void BatmapBuilderInit(BatmapBuilder *builder, Arena *arena, const BatmapSpace *space,
							  uint32_t range, uint32_t size);

/*
 * Make the batmap of a set of n elements, which are ascending, in tables of "range" places each.
 * Memory is from the arena.  The batmap points to the elements, so they must stay where they are.
 */
extern void BatmapBuild(BatmapBuilder *builder, Arena *arena, const uint32_t *element, uint32_t n,
						uint32_t range, Batmap *batmap);

/* How many elements two sets have in common. */
extern uint32_t BatmapCommon(const FimKernels *kernels, const Batmap *a, const Batmap *b);

/*
 * Strategy "batmap": tiles of sets that are intersected as batmaps.
 */

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

#endif							/* FIM_SETS_BATMAP_H */
