/*-------------------------------------------------------------------------
 *
 * batmap.h
 *	  Sets as batmaps: tables of bytes that intersect position by position.
 *
 * After R. R. Amossen and R. Pagh, A New Data Layout for Set Intersection on GPUs, IPDPS
 * 2011.  Each element of a set lies in two of three tables, at the places that three
 * permutations of the universe give it.  So two sets that have it in common have it at the
 * same place of some table.  doc/batmap.md says which part of the paper is which function, and
 * what was changed.
 *
 * Included by batmap.c, batmap_tiles.c, plan.c and a test.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BATMAP_H
#define FIM_SETS_BATMAP_H

#include "engine/arena.h"
#include "engine/kernels.h"

/* The universe is the numbers below 2^bits; tables have at least 2^least places. */
typedef struct BatmapSpace
{
	uint32_t	bits;
	uint32_t	least;
	uint32_t	max_loop;		/* moves after which an insertion has failed */
} BatmapSpace;

/*
 * A set.  A place of a table is a byte: the upper bits of the permuted element, plus 1,
 * and a highest bit that is set if the element's other place is in the next table; or 0
 * if it is free.
 */
typedef struct Batmap
{
	uint8_t    *table;			/* [3][range] */
	uint32_t	range;			/* a power of 2 */
	uint32_t	n;
	const uint32_t *element;	/* [n] of the set, ascending; the caller's */
	uint32_t	nfailed;
	uint32_t   *failed;			/* [nfailed] those that are not in the tables, ascending */
} Batmap;

/* Room for the elements while they find their places, for sets up to a size. */
typedef struct BatmapBuilder
{
	BatmapSpace space;
	uint32_t   *place;			/* [3][range], elements plus 1 */
	uint32_t   *failed;			/* [size] */
} BatmapBuilder;

/* The space of numbers below n. */
extern BatmapSpace BatmapSpaceOf(uint32_t n);

/* The places of a table of a set of n elements. */
extern uint32_t BatmapRange(const BatmapSpace *space, uint32_t n);

/* For sets whose tables have at most so many places, and of at most so many elements. */
extern void BatmapBuilderInit(BatmapBuilder *builder, Arena *arena, const BatmapSpace *space,
							  uint32_t range, uint32_t size);

/*
 * A set of n elements, ascending, in tables of so many places.  Memory comes from the arena; the
 * elements must stay where they are.
 */
extern void BatmapBuild(BatmapBuilder *builder, Arena *arena, const uint32_t *element, uint32_t n,
						uint32_t range, Batmap *batmap);

/* How many elements two sets have in common. */
extern uint32_t BatmapCommon(const FimKernels *kernels, const Batmap *a, const Batmap *b);

#endif							/* FIM_SETS_BATMAP_H */
