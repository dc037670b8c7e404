/*-------------------------------------------------------------------------
 *
 * batmap.h
 *	  Strategy "batmap" on devices: sets as tables that intersect position by position.
 *
 * doc/ancestors/batmap.md says which part of the paper is which function.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ANCESTORS_BATMAP_H
#define GPU_ANCESTORS_BATMAP_H

#include "sets/sets.h"

/*
 * Batmaps on a device: building them, and counting what pairs of them have in common.
 *
 * After R. R. Amossen and R. Pagh, A New Data Layout for Set Intersection on GPUs, IPDPS 2011.
 * Each element of a set lies in two of three tables, at the places that three permutations
 * of the universe give it.  A place has 8 bits.  Each of these is stored in a plane of its
 * own, so that one instruction compares one bit of 32 places with that of 32 others:
 *
 * 	plane 0		is the place taken?
 * 	plane 1		is the element's other place in the next table?
 * 	plane 2..7	the upper bits of the permuted element, the highest first
 *
 * A line is 128 places: four words of each plane, plane after plane.  A set's lines follow
 * one another, table by table.
 *
 * A band is some sets of one side, by rank, whose batmaps are on a device at the same
 * time.  A left and a right band make a subproblem, whose cells are counted in tiles: a
 * tile is a bundle of the left band with a bundle of the right one.
 *
 * All functions put their work into the device's counting stream.  The device must be the
 * current one.
 */

#ifdef __cplusplus
extern "C"
{
#endif

#define BATMAP_TABLES		3u
#define BATMAP_PLANES		8
#define BATMAP_CODE_PLANES	(BATMAP_PLANES - 2)
#define BATMAP_LINE_LEVEL	7	/* a line has 2^7 places */
#define BATMAP_LINE_BYTES	128

/* Most sets of a bundle, which is one side of a tile. */
#define BATMAP_BUNDLE		64

/* The universe is the numbers below 2^bits; tables have at least 2^least places. */
typedef struct BatmapSpace
{
	uint32_t	bits;
	uint32_t	least;
	uint32_t	max_loop;		/* moves after which an insertion has failed */
} BatmapSpace;

/* Consecutive sets of a band whose tables have the same number of places. */
typedef struct BatmapBundle
{
	uint32_t	first;			/* number of the first set in the band */
	uint32_t	n;				/* sets, at most BATMAP_BUNDLE */
	uint32_t	level;			/* tables have 2^level places */
	uint64_t	line;			/* number of the first set's first line in the band */
} BatmapBundle;

/* The sets of one side of a subproblem; device addresses. */
typedef struct BatmapBand
{
	uint4	   *lines;			/* [lines][BATMAP_PLANES] */
	BatmapBundle *bundles;		/* [nbundles] */
	uint8_t    *failed;			/* [keys of all sets] 1 if the key failed: it is not in its set's tables */
	uint32_t   *nfailed;		/* [n] keys of each set that failed */
	uint32_t	from;			/* rank of the first set */
	uint32_t	n;				/* sets */
	uint32_t	nbundles;
} BatmapBand;

/* The number of lines of a set whose tables have 2^level places. */
static inline uint64_t
BatmapLines(uint32_t level)
{
	return (uint64_t) BATMAP_TABLES << (level - BATMAP_LINE_LEVEL);
}

/*
 * batmap_kernels.cu: What the strategy does on a device.
 */

/* The bytes that a set takes while it is built: a word for each place of its tables. */
static inline uint64_t
BatmapPlaceBytes(uint32_t level)
{
	return (sizeof(uint32_t) * BATMAP_TABLES) << level;
}

/* Consecutive sets of a band that are to be built; their tables have the same size. */
typedef struct BatmapBuild
{
	BatmapSpace space;
	BatmapBand	band;			/* failed and nfailed of these sets must be 0 */
	DeviceSide	side;			/* the relation that the sets come from */
	uint32_t	first;			/* number of the first set in the band */
	uint32_t	n;				/* sets */
	uint32_t	level;			/* tables have 2^level places */
	uint64_t	line;			/* number of the first set's first line in the band */
	uint32_t   *places;			/* device memory for places of "blocks" sets, or NULL for shared memory */
	uint32_t	blocks;
} BatmapBuild;

/* Sets *bytes to the most shared memory that the places of a set may take on the device. */
extern cudaError_t BatmapSharedPlaces(const GpuDevice *device, uint64_t *bytes);

/* Builds the sets: writes their lines, failed and nfailed. */
extern cudaError_t BuildBatmaps(GpuDevice *device, const BatmapBuild *build);

/*
 * A left and a right band.  count[i * stride + j] is the number of keys that left set i and right set j have
 * in common.
 */
typedef struct BatmapPairs
{
	BatmapSpace space;
	BatmapBand	left;
	BatmapBand	right;
	DeviceSide	left_side;
	DeviceSide	right_side;
	bool		same;			/* both bands are the same one, and tiles below the diagonal are left out */
	uint32_t   *count;
	uint64_t	stride;
} BatmapPairs;

/*
 * Counts the keys that the pairs of tiles first .. first + n - 1 have in common, but not those that failed in
 * one of both sets.  The tiles' counts must be 0 before.  Tile t is the left bundle t / right.nbundles with the
 * right bundle t % right.nbundles.  No table of these bundles may have more than 2^level places.
 */
extern cudaError_t CountTiles(GpuDevice *device, const BatmapPairs *pairs, uint32_t first, uint32_t n, uint32_t level);

/* Adds to all counts the keys that pairs have in common and that failed in one set or in both. */
extern cudaError_t CountFailures(GpuDevice *device, const BatmapPairs *pairs);

/* Finds all cells of the product. */
extern cudaError_t BatmapMine(SetsJob *job);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t BatmapLeast(const FimSetsData *data);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ANCESTORS_BATMAP_H */
