/*-------------------------------------------------------------------------
 *
 * bitmaps_plan.h
 *	  Planning vertical bitmaps, in blocks of transactions, and their memory.
 *
 * A block covers some of the database's rows.  It has a row of bits for each item, with one bit
 * for each of these transactions.  The width of rows is counted in chunks of 128 bits.  All
 * devices have the same blocks.  Either all blocks stay on the devices, or they stream through
 * two slots of each device and are built anew each time.  What is copied to the devices then is
 * transactions, which are smaller than their bitmaps unless one bit in 32 is set.
 *
 * A transaction that stands for several equal ones has a weight.  A plane is a range
 * of chunks whose bits all count for 1 << shift, and a transaction has a bit in each
 * plane whose power of two is in its weight.  If that takes more chunks than one bit for
 * each equal transaction would take (each plane begins with a chunk of its own), the
 * transaction gets one bit for each equal one, all in a single plane.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BITMAPS_PLAN_H
#define FIM_BITMAPS_PLAN_H

#include "itemsets/itemset_job.h"

#include <vector_types.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define BITMAP_CHUNK	128		/* bits */
#define BITMAP_PLANES	32
#define BITMAP_PIECES	16		/* the most pieces of transactions that are copied together */

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
	uint32_t	first;			/* its first row of the database */
	uint32_t	end;			/* the first row that is not in the block */
	uint32_t	chunks;
	uint64_t	at;				/* chunks of all blocks before this one */
	bool		copies;			/* a row has a bit for each transaction that it stands for */
	Planes		planes;
} BitBlock;

/* The transactions of the database, or what a strategy has left of them. */
typedef struct ItemsetTransactions
{
	const FimRow *rows;
	const uint32_t *items;
	uint32_t	nrows;
	uint32_t	longest;		/* items in the longest row */
	uint64_t	entries;		/* items in all rows */
	bool		weighted;		/* some row stands for several transactions */
} ItemsetTransactions;

/* A bit of a block and the items in whose rows it is to be set. */
typedef struct BitPlace
{
	uint32_t	from;			/* the index of the first item in the piece */
	uint32_t	length;			/* how many items there are */
	uint32_t	bit;			/* the number of the bit in the rows of bits */
} BitPlace;

/* The memory of bitmaps on one device. */
typedef struct BitMemory
{
	uint32_t   *map;			/* a copy of Bitmaps.map */
	char	   *pieces[GPU_LOADERS];	/* for each loading stream, npieces of piece_bytes */
	uint4	   *bits;			/* the blocks, or the slots */
} BitMemory;

typedef struct Bitmaps
{
	ItemsetTransactions from;
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
	uint32_t	npieces;		/* the number of pieces that are copied together */
	uint32_t	nbuilt;			/* if resident: the number of blocks that are on each device so far */
	uint32_t	loaded[BITMAP_SLOTS];	/* if not resident: the block in each slot, or GPU_NONE */
	uint32_t	next_slot;		/* the slot of the next block */
	BitMemory	memory[FIM_GPU_MAX_DEVICES];
} Bitmaps;

extern void TransactionsOfDatabase(const ItemsetJob *job, ItemsetTransactions *to);

/* Before any of the following functions plans, the caller sets from, map, nmap, nrows and resident. */

/* The width of the bitmaps of all transactions, in bits, or a little more. */
extern uint64_t BitmapsColumns(const ItemsetTransactions *from);

/* Cuts the transactions into blocks of at most "width" bits, but of one row of the database at least. */
extern void BitmapsPlan(ItemsetJob *job, Bitmaps *bitmaps, uint64_t width);

/* The bytes that the planned blocks take of a device, if all blocks are resident or if they stream. */
extern uint64_t BitmapsBytes(const Bitmaps *bitmaps, bool resident);

/* Chooses the size of pieces for a device that has "room" bytes for everything. */
extern void BitmapsPlanPieces(Bitmaps *bitmaps, uint64_t room);

/* The bytes that all pieces take of a device, and the fewest bytes that a piece can have. */
extern size_t BitmapsPiecesBytes(const Bitmaps *bitmaps);
extern size_t BitmapsLeastPiece(const ItemsetTransactions *from);

/*
 * Takes the planned memory on all devices.  Returns false, having taken none, if a device has
 * too little.
 */
extern bool BitmapsTake(ItemsetJob *job, Bitmaps *bitmaps);

/* Gives this memory back.  No stream may have work left that uses it. */
extern void BitmapsFree(ItemsetJob *job, Bitmaps *bitmaps);

/*
 * How a strategy plans and takes its memory, including that of its bitmaps.  plan() plans for
 * devices that have "room" bytes, and returns the bytes that are needed of each device, which
 * may be more.  take() takes what was planned; it returns false, having taken nothing, if a
 * device has too little.
 */
typedef struct BitmapsUser
{
	uint64_t	(*plan) (void *of, uint64_t room);
	bool		(*take) (void *of);
	void	   *of;
} BitmapsUser;

/*
 * Plans for all memory that the devices have, and takes what was planned.  If that cannot be
 * had, tries again with less and less.  If a plan needs more than there is, records a fault and
 * leaves the job.
 */
extern void BitmapsTakeMost(ItemsetJob *job, const Bitmaps *bitmaps, const BitmapsUser *user);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_BITMAPS_PLAN_H */
