/*-------------------------------------------------------------------------
 *
 * batmap_device.h
 *	  Batmaps on a device: building them, and counting what pairs of them have in common.
 *
 * After R. R. Amossen and R. Pagh, A New Data Layout for Set Intersection on GPUs, IPDPS 2011.
 * An element lies in two of three tables, at the places that three permutations of the
 * universe give it.  A place has 8 bits.  These are kept apart, in planes, so that one
 * instruction compares a bit of 32 places with that of 32 others:
 *
 *		plane 0		is the place taken?
 *		plane 1		is the element's other place in the next table?
 *		plane 2..7	the upper bits of the permuted element, the highest first
 *
 * A line is 128 places: four words of each plane, plane after plane.  A set's lines follow
 * one another, table by table.
 *
 * All functions put their work into the device's counting stream; the device is the current
 * one.
 *
 * Included by batmap.c, the files with the kernels, and a test.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BATMAP_DEVICE_H
#define FIM_BATMAP_DEVICE_H

#include "sets/relations.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define BATMAP_TABLES		3
#define BATMAP_PLANES		8
#define BATMAP_CODE_PLANES	(BATMAP_PLANES - 2)
#define BATMAP_LINE_LEVEL	7	/* a line has 2^7 places */
#define BATMAP_LINE_BYTES	128

/* Sets of the side of a tile. */
#define BATMAP_GROUP		64

/* The universe is the numbers below 2^bits; tables have at least 2^least places. */
typedef struct BatmapSpace
{
	uint32_t	bits;
	uint32_t	least;
	uint32_t	max_loop;		/* moves after which an insertion has failed */
} BatmapSpace;

/* Consecutive sets of an edge whose tables have the same number of places. */
typedef struct BatmapGroup
{
	uint32_t	first;			/* 0 is the edge's first */
	uint32_t	n;				/* at most BATMAP_GROUP */
	uint32_t	level;			/* tables have 2^level places */
	uint64_t	line;			/* of the first set */
} BatmapGroup;

/* The sets of one side of a subproblem; device addresses. */
typedef struct BatmapEdge
{
	uint4	   *lines;			/* BATMAP_PLANES of these for each line */
	BatmapGroup *groups;		/* [ngroups] */
	uint8_t    *failed;			/* a byte for each key of the sets: 1 if it is not in the tables */
	uint32_t   *nfailed;		/* [n] of these, by set */
	uint32_t	from;			/* rank of the first set */
	uint32_t	n;
	uint32_t	ngroups;
} BatmapEdge;

/* The lines of a set. */
static inline uint64_t
BatmapLines(uint32_t level)
{
	return (uint64_t) BATMAP_TABLES << (level - BATMAP_LINE_LEVEL);
}

/* ---- batmap_build.cu ---- */

/* Bytes that a set's elements take while they find their places. */
static inline uint64_t
BatmapPlaceBytes(uint32_t level)
{
	return (sizeof(uint32_t) * BATMAP_TABLES) << level;
}

/* Sets of an edge to build: those from "first" on, with tables of the same size. */
typedef struct BatmapBuild
{
	BatmapSpace space;
	BatmapEdge	edge;			/* its failures are none so far */
	DeviceSide	side;
	uint32_t	first;			/* within the edge */
	uint32_t	n;
	uint32_t	level;
	uint64_t	line;			/* of the first set */
	uint32_t   *places;			/* device memory for "blocks" sets, or NULL: shared memory has the places */
	uint32_t	blocks;
} BatmapBuild;

/* The bytes of shared memory that there may be for the places of a set. */
extern cudaError_t BatmapSharedPlaces(const GpuDevice *device, uint64_t *bytes);

extern cudaError_t BuildBatmaps(GpuDevice *device, const BatmapBuild *build);

/* ---- batmap_count.cu ---- */

/*
 * A left and a right edge.  count[i * stride + j] is the number of keys that left set i and right set j have
 * in common.
 */
typedef struct BatmapPairs
{
	BatmapSpace space;
	BatmapEdge	left;
	BatmapEdge	right;
	DeviceSide	left_side;
	DeviceSide	right_side;
	bool		same;			/* both edges are the same, and tiles below the diagonal are not wanted */
	uint32_t   *count;
	uint64_t	stride;
} BatmapPairs;

/*
 * Tile t is the left group t / right.ngroups and the right group t % right.ngroups.  Adds what tiles
 * first .. first + n - 1 have in common, failures left out, to counts that are 0.  Tables have at most
 * 2^level places.
 */
extern cudaError_t CountTiles(GpuDevice *device, const BatmapPairs *pairs, uint32_t first, uint32_t n, uint32_t level);

/* Adds what pairs have in common and has failed in one of both, or in both. */
extern cudaError_t CountFailures(GpuDevice *device, const BatmapPairs *pairs);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_BATMAP_DEVICE_H */
