/*-------------------------------------------------------------------------
 *
 * bitmaps.h
 *	  Vertical bitmaps on the devices, in blocks of transactions.
 *
 * A block covers some of the database's rows; of each item it has a row of bits,
 * one for each of these transactions.  Rows of bits are counted in chunks of 128.
 * All devices have the same blocks.  Either all of them stay on the device, or
 * they are streamed through two places there, and built anew each time: what
 * travels are the transactions, which are smaller than their bitmaps unless one
 * bit in 32 is set.
 *
 * A transaction that stands for several equal ones has a weight.  A plane is a
 * range of chunks whose bits all count for 1 << shift; a transaction has a bit in
 * each plane that its weight is the sum of.  Where that takes more chunks (planes
 * start at chunks of their own) than one bit for each equal transaction, it gets
 * those in a single plane.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BITMAPS_H
#define FIM_BITMAPS_H

#include "itemsets/itemset_job.h"

#include <vector_types.h>

#define BITMAP_CHUNK	128		/* bits */
#define BITMAP_PLANES	32
#define BITMAP_SLOTS	2		/* for blocks that are streamed */

typedef struct Planes
{
	uint32_t	n;
	uint32_t	end[BITMAP_PLANES]; /* in chunks; the next one starts there */
	uint8_t		shift[BITMAP_PLANES];
} Planes;

/* What kernels need of a block that is on the device. */
typedef struct BitView
{
	const uint4 *bits;			/* row after row */
	uint64_t	stride;			/* chunks from one to the next */
	Planes		planes;
} BitView;

typedef struct BitBlock
{
	uint32_t	first;			/* row of the database */
	uint32_t	end;
	uint32_t	chunks;
	uint64_t	at;				/* chunks of the blocks before it */
	bool		copies;			/* a bit for each equal transaction */
	Planes		planes;
} BitBlock;

/* Transactions as the database has them, or what is left of them. */
typedef struct Transactions
{
	const FimRow *rows;
	const uint32_t *items;
	uint32_t	nrows;
	uint32_t	longest;
	uint64_t	entries;
	bool		weighted;
} Transactions;

/* On one device. */
typedef struct BitMemory
{
	uint32_t   *map;
	char	   *pieces[GPU_LOADERS];	/* npieces, see below */
	uint4	   *bits;
} BitMemory;

typedef struct Bitmaps
{
	Transactions from;
	const uint32_t *map;		/* [nmap] item to row of bits, or GPU_NONE */
	uint32_t	nmap;			/* items from here on have none */
	uint32_t	nrows;			/* rows of bits */
	BitBlock   *blocks;
	uint64_t	room;			/* for blocks */
	uint32_t	nblocks;
	uint32_t	widest;			/* chunks of the widest block */
	uint64_t	chunks;			/* of all blocks together */
	bool		resident;
	size_t		piece_bytes;
	uint32_t	npieces;		/* that are copied together */
	uint32_t	nbuilt;			/* resident: so many blocks are on each device */
	uint32_t	loaded[BITMAP_SLOTS];	/* streamed: which block is there, or GPU_NONE */
	uint32_t	next_slot;
	BitMemory	memory[FIM_GPU_MAX_DEVICES];
} Bitmaps;

#ifdef __cplusplus
extern "C"
{
#endif

extern void TransactionsOfDatabase(const ItemsetJob *job, Transactions *to);

extern uint64_t BitmapsColumns(const Transactions *from);
extern void BitmapsPlan(ItemsetJob *job, Bitmaps *bitmaps, uint64_t width);
extern uint64_t BitmapsBytes(const Bitmaps *bitmaps, bool resident);
extern size_t BitmapsLeastPiece(const Transactions *from);
extern void BitmapsPlanPieces(Bitmaps *bitmaps, uint64_t room);
extern size_t BitmapsPiecesBytes(const Bitmaps *bitmaps);
extern bool BitmapsTake(ItemsetJob *job, Bitmaps *bitmaps);
extern void BitmapsFree(ItemsetJob *job, Bitmaps *bitmaps);

/*
 * Called when a block's rows are complete, to do more to it in the first loading
 * stream.  Number says where it is among those on the device.
 */
typedef struct BitmapsBuilt
{
	void		(*function) (void *of, int device, uint32_t number, const BitView *view);
	void	   *of;
} BitmapsBuilt;

/*
 * Counting in blocks.  begin() is called before the launches for a block, or for
 * all of them if they are resident; launch() makes one that does not take long
 * and says whether there is more to do.
 */
typedef struct BitmapsWork
{
	BitmapsBuilt built;
	bool		(*begin) (void *of, int device);
	bool		(*launch) (void *of, int device, const BitView *view, uint32_t number,
						   uint32_t nblocks);
	void	   *of;
} BitmapsWork;

extern void BitmapsCount(ItemsetJob *job, Bitmaps *bitmaps, const BitmapsWork *work);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

static __device__ __forceinline__ uint32_t
CountChunk(uint4 x)
{
	return __popc(x.x) + __popc(x.y) + __popc(x.z) + __popc(x.w);
}

static __device__ __forceinline__ uint4
AndChunk(uint4 a, uint4 b)
{
	a.x &= b.x;
	a.y &= b.y;
	a.z &= b.z;
	a.w &= b.w;
	return a;
}

/* The sum over the warp, in all of its lanes. */
static __device__ __forceinline__ uint32_t
SumWarp(uint32_t sum)
{
#pragma unroll
	for (int offset = 16; offset > 0; offset /= 2)
		sum += __shfl_xor_sync(~0u, sum, offset);
	return sum;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_BITMAPS_H */
