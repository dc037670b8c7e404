/*-------------------------------------------------------------------------
 *
 * bitmaps.h
 *	  Vertical bitmaps on the devices, in blocks of transactions.
 *
 * A block covers some of the database's rows.  Of each item it has a row of bits, one
 * bit for each of these transactions.  The width of rows is counted in chunks of 128
 * bits.  All devices have the same blocks.  Either all blocks stay on the device, or
 * they stream through two slots there and are built anew each time.  What travels then
 * is the transactions, which are smaller than their bitmaps unless one bit in 32 is set.
 *
 * A transaction that stands for several equal ones has a weight.  A plane is a range
 * of chunks whose bits all count for 1 << shift, and a transaction has a bit in each
 * plane whose power of two is in its weight.  If that takes more chunks than one bit for
 * each equal transaction would take (each plane begins with a chunk of its own), the
 * transaction gets one bit for each equal one, all in a single plane.
 *
 * Included by the strategies that intersect bitmaps, dci and gminer.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BITMAPS_H
#define FIM_BITMAPS_H

#include "itemsets/itemset_job.h"

#include <vector_types.h>

#define BITMAP_CHUNK	128		/* bits */
#define BITMAP_PLANES	32
/* Pieces of transactions that are copied together, at most. */
#define BITMAP_PIECES	16

#define BITMAP_SLOTS	2		/* of a device, for blocks that stream through it */

typedef struct Planes
{
	uint32_t	n;
	uint32_t	end[BITMAP_PLANES]; /* in chunks; the next plane starts there */
	uint8_t		shift[BITMAP_PLANES];
} Planes;

/* What kernels need to know of a block that is on the device. */
typedef struct BitView
{
	const uint4 *bits;			/* row after row */
	uint64_t	stride;			/* chunks from one row to the next */
	Planes		planes;
} BitView;

typedef struct BitBlock
{
	uint32_t	first;			/* the first of its rows of the database ... */
	uint32_t	end;			/* ... and the first that is not in it */
	uint32_t	chunks;
	uint64_t	at;				/* chunks of all blocks before it */
	bool		copies;			/* it has a bit for each equal transaction */
	Planes		planes;
} BitBlock;

/* The transactions of the database, or what a strategy has left of them. */
typedef struct Transactions
{
	const FimRow *rows;
	const uint32_t *items;
	uint32_t	nrows;
	uint32_t	longest;		/* items in the longest row */
	uint64_t	entries;		/* items in all rows */
	bool		weighted;		/* some row stands for several transactions */
} Transactions;

/* A bit of a block and the items in whose rows it is to be set. */
typedef struct BitPlace
{
	uint32_t	from;			/* the index of the first item in the piece */
	uint32_t	length;			/* how many items there are */
	uint32_t	bit;			/* its number in the rows */
} BitPlace;

/* What bitmaps take of one device. */
typedef struct BitMemory
{
	uint32_t   *map;			/* a copy of Bitmaps.map */
	char	   *pieces[GPU_LOADERS];	/* for each loading stream, npieces of piece_bytes */
	uint4	   *bits;			/* the blocks, or the slots */
} BitMemory;

typedef struct Bitmaps
{
	Transactions from;
	const uint32_t *map;		/* [nmap] the row of bits of an item, or GPU_NONE */
	uint32_t	nmap;			/* items from this one on have no row */
	uint32_t	nrows;			/* rows of bits in a block */
	BitBlock   *blocks;
	uint64_t	room;			/* how many blocks the array has room for */
	uint32_t	nblocks;
	uint32_t	widest;			/* chunks of the widest block */
	uint64_t	chunks;			/* of all blocks together */
	bool		resident;		/* all blocks stay on the devices */
	size_t		piece_bytes;	/* of a piece of transactions on its way to the devices */
	uint32_t	npieces;		/* that are copied together */
	uint32_t	nbuilt;			/* if resident: so many blocks are on each device */
	uint32_t	loaded[BITMAP_SLOTS];	/* if not: which block is there, or GPU_NONE */
	uint32_t	next_slot;		/* where the next block goes */
	BitMemory	memory[FIM_GPU_MAX_DEVICES];
} Bitmaps;

#ifdef __cplusplus
extern "C"
{
#endif

extern void TransactionsOfDatabase(const ItemsetJob *job, Transactions *to);

/* ---- planning: the caller sets from, map, nmap, nrows and resident ---- */

/* How many bits wide the bitmaps of all transactions are, or a little more. */
extern uint64_t BitmapsColumns(const Transactions *from);

/* Cuts the transactions into blocks of at most so many bits, but of one row at least. */
extern void BitmapsPlan(ItemsetJob *job, Bitmaps *bitmaps, uint64_t width);

/* The bytes of a device that the planned blocks take if they stay, or stream. */
extern uint64_t BitmapsBytes(const Bitmaps *bitmaps, bool resident);

/* Chooses the size of pieces, for a device that has "room" bytes for everything. */
extern void BitmapsPlanPieces(Bitmaps *bitmaps, uint64_t room);

/* The bytes of a device that the pieces take, and the least that one piece can be. */
extern size_t BitmapsPiecesBytes(const Bitmaps *bitmaps);
extern size_t BitmapsLeastPiece(const Transactions *from);

/*
 * Takes the planned memory on all devices.  Returns false, having taken none, if one
 * of them has too little.
 */
extern bool BitmapsTake(ItemsetJob *job, Bitmaps *bitmaps);

/* Gives it back.  No stream may have work in it. */
extern void BitmapsFree(ItemsetJob *job, Bitmaps *bitmaps);

/* ---- counting ---- */

/*
 * Is called when a block's rows are complete, to do more to the block in the first
 * loading stream.  "number" says where the block is among those on the device.
 */
typedef struct BitmapsBuilt
{
	void		(*function) (void *of, int device, uint32_t number, const BitView *view);
	void	   *of;
} BitmapsBuilt;

/*
 * What is counted in blocks.  begin() is called before the launches for a block, or
 * for all blocks if they are resident.  It returns whether there is anything to count
 * on the device.  launch() makes a launch that does not take long, and returns whether
 * there is more to count.
 */
typedef struct BitmapsWork
{
	BitmapsBuilt built;
	bool		(*begin) (void *of, int device);
	bool		(*launch) (void *of, int device, const BitView *view, uint32_t number,
						   uint32_t nblocks);
	void	   *of;
} BitmapsWork;

/* Builds the blocks, as far as they are not there, and counts in all of them. */
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

/* Returns, in all lanes of a warp, the sum over the lanes. */
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
