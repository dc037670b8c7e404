/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  Mining itemsets on devices: the job and how its strategies leave it, vertical bitmaps, tables of
 *	  small classes, and the strategy "tensor" as the job begins it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ITEMSETS_ITEMSETS_H
#define GPU_ITEMSETS_ITEMSETS_H

#include <vector_types.h>

#include "bits/bits.h"
#include "device.h"
#include "team.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/itemsets.h"
#include "engine/itemsets/miner.h"

/*
 * itemset_job.c: A job of mining itemsets on devices, and how its strategies leave it.
 *
 * There is one job at a time.  The functions of the device floor return errors; this header
 * turns them into jumps.  A strategy wraps calls in OrLeave() or uses the functions below, all
 * of which jump to where the job began if something does not succeed.  Everything that the
 * team, the miner and strategy "tensor" hold is given back there, so nothing that has to be
 * given back may be held in local variables alone.
 *
 * Itemsets are given out by the CPU engine's miner.c, which is linked into this library.  Its
 * Miner leaves by the same jump.
 */

typedef struct ItemsetPart ItemsetPart;

typedef struct ItemsetsJob
{
	GpuTeam		team;
	const FimItemsetsSpec *spec; /* what to mine */
	const FimDatabase *db;
	FimSink    *sink;
	FimTally   *tally;

	/* parts of the database */
	const uint32_t *support;	/* [db->nitems] */
	const uint32_t *name;		/* [db->nitems] the caller's numbers */
	const FimRow *rows;			/* [db->nrows] */
	const uint32_t *items;		/* [db->entries] */
	uint32_t	nitems;			/* frequent items; they come first in all of these arrays */
	uint32_t	skip;			/* of these, the items that all transactions hold; they come first of all */

	Miner		miner;			/* to give itemsets out */
	const ItemsetPart *part;	/* which of them are of the task's part; NULL: all are */
} ItemsetsJob;

/* The job under way; there is one at a time. */
extern ItemsetsJob itemsets_job;

/* Sets what is to be mined, and where it is in the database. */
extern void JobDescribe(ItemsetsJob *job, const FimItemsetsSpec *spec, const FimDatabase *db);

/* Leave the job under way, with what mine() is to return. */
extern void JobLeave(FimResult result) __attribute__((noreturn));

/* Leave the job under way if a call returned an error. */
static inline void
OrLeave(cudaError_t error)
{
	if (error != cudaSuccess)
		JobLeave(GpuResult(error));
}

/*
 * To be called after every few steps of the host's work, with their number; a step is about a
 * nanosecond.
 */
static inline void
JobWork(ItemsetsJob *job, uint64_t work)
{
	if (GpuWork(&job->team, work))
		JobLeave(FIM_STOPPED);
}

/* Host memory, which lives until it is freed or the job ends; see team.h. */
static inline void *
JobAlloc(ItemsetsJob *job, size_t bytes)
{
	void	   *address = GpuHostAlloc(&job->team, bytes);

	if (address == NULL)
		JobLeave(FIM_OUT_OF_MEMORY);
	return address;
}

static inline void
JobFree(ItemsetsJob *job, void *address)
{
	GpuHostFree(&job->team, address);
}

/*
 * Returns an array that has room for "needed" elements of "size" bytes.  That is the given
 * array if its room, *room elements, is enough.  Otherwise it is a larger copy that has its
 * first "used" elements; the given array is freed, and *room is set.
 */
static inline void *
JobGrow(ItemsetsJob *job, void *address, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	cudaError_t error = GpuHostRoom(&job->team, &address, used, needed, room, size);

	if (error != cudaSuccess)
		JobLeave(job->team.no_memory ? FIM_OUT_OF_MEMORY : GpuResult(error));
	return address;
}

/* Device memory, or NULL if the job's limit or the device does not have enough. */
static inline void *
JobTryAlloc(GpuDevice *device, size_t bytes, const char *what)
{
	void	   *address;

	OrLeave(GpuTryAlloc(device, bytes, what, &address));
	return address;
}

static inline GpuTimer *
JobBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount)
{
	GpuTimer   *timer;

	OrLeave(GpuBegin(device, stream, phase, amount, &timer));
	return timer;
}

/*
 * part.c: Which itemsets are of the task's part, if it gives a part of its results only.
 *
 * The engine deals prefix classes and, where a class is divided, its pairs, see class_parts.c in
 * src/engine/itemsets/.  Here each class has a row of bits: that of an item says whether the part has the
 * class's pair with this item, and that of the class's own item whether it has the rest of the class.
 * Classes that are not divided share two rows.  Kernels read a copy on the device.
 */

#define PART_NOTHING	0		/* the row of classes of which the part has nothing */
#define PART_ALL		1		/* the row of those that it has as a whole */

struct ItemsetPart
{
	bool		root;			/* it has the itemsets of items that all transactions hold */
	uint32_t	nitems;			/* the job's */
	uint32_t	words;			/* of a row */
	uint32_t	nrows;
	uint32_t   *row_of;			/* [nitems] by the class's item */
	uint32_t   *bits;			/* [nrows][words] */
};

static inline uint32_t
PartWords(uint32_t nitems)
{
	return nitems / 32 + 1;
}

/* The bit of an item in the row of a class; "bits" are the part's, or others that are laid out like them. */
static inline FIM_HOST_DEVICE bool
PartBit(const ItemsetPart *part, const uint32_t *bits, uint32_t class_item, uint32_t item)
{
	return (bits[(size_t) part->row_of[class_item] * part->words + item / 32] >> item % 32 & 1) != 0;
}

/* Several threads may do so at once. */
static inline void
PartSetBit(const ItemsetPart *part, uint32_t *bits, uint32_t class_item, uint32_t item)
{
	__atomic_fetch_or(&bits[(size_t) part->row_of[class_item] * part->words + item / 32], UINT32_C(1) << item % 32,
					  __ATOMIC_RELAXED);
}

/* Deals the job's itemsets.  The miner's output must have been set up; its arena has the result. */
extern const ItemsetPart *PartOfJob(ItemsetsJob *job);

/* About the most bytes of row_of[] and bits[]; 0 if the task gives all of its results. */
extern uint64_t PartBytes(const FimItemsetsSpec *spec, uint32_t nitems);

/* Has the job's part the itemsets of items that all transactions hold? */
static inline bool
JobHasRoot(const ItemsetPart *part)
{
	return part == NULL || part->root;
}

/*
 * bitmaps_plan.c: Planning vertical bitmaps, in sheets, and their memory.
 *
 * A sheet is the bitmaps of some of the database's rows.  It has a row of bits for each item, with
 * one bit for each of these transactions.  The width of rows is counted in chunks of 128 bits.  All
 * devices have the same sheets.  Either all sheets stay on the devices, or they stream through
 * two slots of each device and are built anew each time.  What is copied to the devices then is
 * transactions, which are smaller than their bitmaps unless one bit in 32 is set.
 *
 * A transaction that stands for several equal ones has a weight.  A plane is a range
 * of chunks whose bits all count for 1 << shift, and a transaction has a bit in each
 * plane whose power of two is in its weight.  If that takes more chunks than one bit for
 * each equal transaction would take (each plane begins with a chunk of its own), the
 * transaction gets one bit for each equal one, all in a single plane.
 */

#define BITMAP_CHUNK	128		/* bits */
#define BITMAP_PLANES	32
#define BITMAP_PARCELS	16		/* the most parcels of transactions that are copied together */

#define BITMAP_SLOTS	2		/* of a device, for sheets that stream through it */

typedef struct Planes
{
	uint32_t	n;
	uint32_t	end[BITMAP_PLANES]; /* in chunks; the next plane starts there */
	uint8_t		shift[BITMAP_PLANES];
} Planes;

/* What kernels need to know of a sheet that is on the device. */
typedef struct BitView
{
	const uint4 *bits;			/* row after row */
	uint64_t	stride;			/* chunks from one row to the next */
	Planes		planes;
} BitView;

typedef struct BitSheet
{
	uint32_t	first;			/* its first row of the database */
	uint32_t	end;			/* the first row that is not in the sheet */
	uint32_t	chunks;
	uint64_t	at;				/* chunks of all sheets before this one */
	bool		copies;			/* a row has a bit for each transaction that it stands for */
	Planes		planes;
} BitSheet;

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

/* A bit of a sheet and the items in whose rows it is to be set. */
typedef struct BitPlace
{
	uint32_t	from;			/* the index of the first item in the parcel */
	uint32_t	length;			/* how many items there are */
	uint32_t	bit;			/* the number of the bit in the rows of bits */
} BitPlace;

/* The memory of bitmaps on one device. */
typedef struct BitMemory
{
	uint32_t   *map;			/* a copy of Bitmaps.map */
	char	   *parcels[GPU_LOADERS]; /* for each loading stream, nparcels of parcel_bytes */
	uint4	   *bits;			/* the sheets, or the slots */
} BitMemory;

typedef struct Bitmaps
{
	ItemsetTransactions from;
	const uint32_t *map;		/* [nmap] the row of bits of an item, or GPU_NONE */
	uint32_t	nmap;			/* items from this one on have no row */
	uint32_t	nrows;			/* rows of bits in a sheet */
	BitSheet   *sheets;
	uint64_t	room;			/* how many sheets the array has room for */
	uint32_t	nsheets;
	uint32_t	widest;			/* chunks of the widest sheet */
	uint64_t	chunks;			/* of all sheets together */
	bool		resident;		/* all sheets stay on the devices */
	size_t		parcel_bytes;	/* of a parcel of transactions on its way to the devices */
	uint32_t	nparcels;		/* the number of parcels that are copied together */
	uint32_t	nbuilt;			/* if resident: the number of sheets that are on each device so far */
	uint32_t	loaded[BITMAP_SLOTS]; /* if not resident: the sheet in each slot, or GPU_NONE */
	uint32_t	next_slot;		/* the slot that the next sheet gets */
	BitMemory	memory[FIM_GPU_MAX_DEVICES];
} Bitmaps;

extern void TransactionsOfDatabase(const ItemsetsJob *job, ItemsetTransactions *to);

/* Before any of the following functions plans, the caller sets from, map, nmap, nrows and resident. */

/* The width of the bitmaps of all transactions, in bits, or a little more. */
extern uint64_t BitmapsWidth(const ItemsetTransactions *from);

/* Cuts the transactions into sheets of at most "width" bits, but of one row of the database at least. */
extern void BitmapsPlan(ItemsetsJob *job, Bitmaps *bitmaps, uint64_t width);

/* The bytes that the planned sheets take of a device, if all sheets are resident or if they stream. */
extern uint64_t BitmapsBytes(const Bitmaps *bitmaps, bool resident);

/* Chooses the size of parcels for a device that has "room" bytes for everything. */
extern void BitmapsPlanParcels(Bitmaps *bitmaps, uint64_t room);

/* The bytes that all parcels take of a device, and the fewest bytes that a parcel can have. */
extern size_t BitmapsParcelsBytes(const Bitmaps *bitmaps);
extern size_t BitmapsLeastParcel(const ItemsetTransactions *from);

/*
 * Takes the planned memory on all devices.  Returns false, having taken none, if a device has
 * too little.
 */
extern bool BitmapsTake(ItemsetsJob *job, Bitmaps *bitmaps);

/* Gives this memory back.  No stream may have work left that uses it. */
extern void BitmapsFree(ItemsetsJob *job, Bitmaps *bitmaps);

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
extern void BitmapsTakeMost(ItemsetsJob *job, const Bitmaps *bitmaps, const BitmapsUser *user);

/*
 * bitmaps.cu: Vertical bitmaps on the devices: building and counting, see bitmaps_plan.c.
 */

/*
 * A function that is called when everything that sets a sheet's bits has been put into the
 * streams.  It may put more work for the sheet into the first loading stream.  "number" is the
 * number of the sheet if sheets are resident, and otherwise of its slot.
 */
typedef struct BitmapsBuilt
{
	void		(*function) (void *of, int device, uint32_t number, const BitView *view);
	void	   *of;
} BitmapsBuilt;

/*
 * What is counted in sheets.  begin() is called before the launches for a sheet, or for all
 * sheets together if they are resident, and returns whether there is anything to count on the
 * device.  launch() launches some of the counting, which must not take long, and returns
 * whether there is more to count.
 */
typedef struct BitmapsWork
{
	BitmapsBuilt built;
	bool		(*begin) (void *of, int device);
	bool		(*launch) (void *of, int device, const BitView *view, uint32_t number,
						   uint32_t nsheets);
	void	   *of;
} BitmapsWork;

/* Builds the sheets that are not on the devices, and counts in all sheets. */
extern void BitmapsCount(ItemsetsJob *job, Bitmaps *bitmaps, const BitmapsWork *work);

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

#endif							/* __CUDACC__ */

/*
 * All itemsets of a small class at once.
 *
 * With n members there are 2^n sets of them.  A table counts the transactions of the prefix
 * that have exactly each set, and adds up supersets.  So a whole subtree costs one pass over
 * the rows of the prefix and its members, which are read from the parent's matrix.  See
 * src/engine/itemsets/subset_table.c.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* The most members of a table that are not excluded. */
#define FIM_TABLE_MEMBERS	12

/* The most excluded members of a table of maximal sets, which counts each of them with some sets. */
#define FIM_MAXIMAL_EXCLUDED	64

/*
 * Whether a class of "members" members that extend it, and "excluded" ones besides, is better
 * mined as a table.  "support" is that of its prefix.  A table goes through all of its sets,
 * and at worst takes as long again for each 64 excluded members.
 */
static inline FIM_HOST_DEVICE bool
FimIsTable(FimKind kind, uint32_t members, uint32_t excluded, uint32_t support)
{
	if (kind == FIM_MAXIMAL && excluded > FIM_MAXIMAL_EXCLUDED)
		return false;
	return members <= 7 ||
		(members <= FIM_TABLE_MEMBERS &&
		 (uint64_t) (1 + excluded / 64) << members <= (uint64_t) support * 8);
}

/*
 * Where the sets that are found are listed.  pattern[] has class << 32 | set, and bit i of a
 * set is the class's member i after the excluded ones.  The sets of a class lie side by side in
 * ascending order.  There must be room for 2^members sets of each class.
 */
typedef struct FimPatterns
{
	uint64_t   *pattern;		/* device */
	uint32_t   *support;		/* device */
	unsigned long long *count;	/* device; the number of sets is added to it */
} FimPatterns;

/*
 * Where the sets are counted instead: each adds one to counts[nperfect * lengths + depth +
 * length], where nperfect and depth are those of the set's class, and length is that of the
 * set.
 */
typedef struct FimPatternCounts
{
	unsigned long long *counts; /* device; NULL if sets are listed */
	uint32_t	lengths;
	const uint32_t *depth;		/* device, of each class: the length of its path */
	const uint32_t *nperfect;	/* device, of each class: items kept apart from the path */
} FimPatternCounts;

/*
 * tables_kernels.cu: All sets of members of small classes.
 */

/*
 * Finds the frequent non-empty sets of members of classes first .. end - 1.  If the kind is
 * closed, a set is found only if no other member, excluded or not, is in all of its
 * transactions; if the kind is maximal, only if no other member is frequent with it.  from,
 * classes and source are as in FimCompactMatrices(), in device memory; the classes' own rows
 * need not have been made.
 */
extern cudaError_t FimMineTables(const void *from, const FimCompaction *classes,
								 const uint32_t *source, uint32_t first, uint32_t end,
								 uint32_t minsup, FimKind kind,
								 const FimPatterns *patterns,
								 const FimPatternCounts *counts, cudaStream_t stream);

/*
 * tensor_crew.c: Strategy "tensor" as one of the GPU engine's strategies.
 */

/*
 * Mines the job on its team and gives out what it finds.  If something stops it, it leaves by
 * JobLeave().  Returns false if the job does not fit, before anything was given out.
 */
extern bool TensorMineJob(ItemsetsJob *job);

/* To be called at the end of every job: gives back what strategy "tensor" holds, if it mined the job. */
extern void TensorRelease(void);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ITEMSETS_ITEMSETS_H */
