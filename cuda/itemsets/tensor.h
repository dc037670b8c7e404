/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  Strategy "tensor" on one device: levels of prefix classes as products of bit matrices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ITEMSETS_TENSOR_H
#define GPU_ITEMSETS_TENSOR_H

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

#include "bits/bits.h"
#include "device.h"
#include "itemsets/itemsets.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/miner.h"

/*
 * What strategy "tensor" is given: a device, and transactions on it.
 */

/*
 * What the strategy uses of a device: memory that is its own, a stream, and functions of the
 * caller.  fault() and full() do not return: they jump back to the caller, who frees what is on
 * the device.
 */
typedef struct TensorDevice
{
	void	   *memory;
	uint64_t	size;			/* bytes, see TensorMemory() */
	cudaStream_t stream;
	uint64_t	tests;			/* the number of pairs of bits that were counted is added to it */
	uint64_t	returned;		/* bytes of listed tables that were copied to the host are added to it */
	double		return_ms;		/* the time of these copies is added to it */
	uint64_t	kept;			/* bytes that more() can give without taking time */
	uint32_t   *taken;			/* shared by the team, atomic, at first 0: the first member of the root
								 * whose class no device has taken */
	const ItemsetPart *part;	/* the job's */

	/*
	 * fault(): a CUDA call has failed.  full(): "needed" bytes of the memory were wanted, and
	 * only "free" bytes of it are free.
	 */
	void		(*fault) (struct TensorDevice *device, cudaError_t error, const char *what);
	void		(*full) (struct TensorDevice *device, const char *what,
						 uint64_t needed, uint64_t free);
	/*
	 * The error of the launch just made, and the error of a wait that has ended well.  Tests
	 * can inject either.
	 */
	cudaError_t (*launch_error) (struct TensorDevice *device);
	cudaError_t (*wait_error) (struct TensorDevice *device);

	/*
	 * Called before and after the launch that makes the root's bitmaps, which reads and writes
	 * "bytes" bytes.
	 */
	void		(*begin_build) (struct TensorDevice *device, uint64_t bytes);
	void		(*end_build) (struct TensorDevice *device);

	/*
	 * Returns more memory: *bytes of it, or less, but not less than "least", and sets *bytes to
	 * how much.  Returns NULL if there is not that much.
	 */
	void	   *(*more) (struct TensorDevice *device, uint64_t least, uint64_t *bytes);
} TensorDevice;

/* Where on the device the transactions are to be. */
typedef struct TensorSource
{
	FimRow	   *rows;			/* [db->nrows] */
	uint32_t   *items;			/* [db->entries] */
	uint64_t   *start;			/* [db->nrows] the number of transactions before each row */
	uint64_t	top;			/* the top of the block of memory when these arrays are freed */
} TensorSource;

/* A device's share of a job, see below. */
typedef struct Tensor Tensor;

/*
 * Levels of prefix classes, and steps through them.
 */

/* What kernels need to know of a level.  All of it is device memory. */
typedef struct LevelMembers
{
	FimCompaction *classes;		/* [nclasses] each says how its rows are made */
	FimCompactionPart *parts;	/* [nparts] the parts of the work to make the rows */
	uint32_t   *depth;			/* [nclasses] the length of the path */
	uint32_t   *nperfect;		/* [nclasses] the number of items that are kept apart from the path */
	uint32_t   *source;			/* [nmembers] the number of the member's row in the parent */
	uint32_t   *item;			/* [nmembers] the engine's number of the item */
	uint32_t   *support;		/* [nmembers] the support of the item with the prefix */
	uint32_t   *class_of;		/* [nmembers] the class that the member is in */
} LevelMembers;

/* Where a class begins or a level ends: how much of everything comes before that place. */
typedef struct ClassPlace
{
	uint64_t	line;			/* lines of rows */
	uint64_t	count;			/* counts of pairs */
	uint32_t	number;			/* classes */
	uint32_t	member;			/* members */
	uint32_t	part;			/* parts of compactions */
	uint32_t	unused;
} ClassPlace;

/*
 * How a team's devices share a level's classes.  Below the root, each device has classes of its
 * own.  At the root, all devices make the same classes.  Of classes that have few members, the
 * members are dealt out to the devices, because one such class can have half of all itemsets
 * below it.  After that, the classes that have many members are taken by whichever device has
 * nothing to do, so that all devices end at about the same time.
 */
typedef enum Sharing
{
	SHARE_NOTHING,				/* the classes are the device's own */
	SHARE_MEMBERS,				/* the members of the classes are dealt out */
	SHARE_CLASSES				/* the classes are taken one after the other */
} Sharing;

/* The classes of a level, and what the host needs to give their itemsets out. */
typedef struct ClassLevel
{
	const struct ClassLevel *parent;
	ClassPlace	end;			/* where the level ends, which is how much there is of it */
	LevelMembers device;
	Sharing		sharing;

	/* only at the root, and if the host gives itemsets out */
	FimCompaction *classes;		/* [nclasses] */
	uint32_t   *depth;			/* [nclasses] */
	uint32_t   *nperfect;		/* [nclasses] */
	uint32_t   *parent_class;	/* [nclasses] */

	/* only if itemsets are listed */
	uint32_t   *item;			/* [nmembers] */
	uint32_t   *support;		/* [nmembers] */
	const uint32_t **fixed;		/* [nclasses] the items that are fixed with the prefix */
	uint32_t   *nfixed;			/* [nclasses] the number of these items */

	/*
	 * The rows of the classes that are being done, on the device.  The address is moved such
	 * that a class's line number, counted from the level's first class, is right for it.
	 */
	char	   *lines;
} ClassLevel;

/*
 * Classes of a level that are done together, from one place to another, and which of their
 * members are: begin .. end - 1.  These are all members, unless the step has a single class,
 * which is done in fractions.
 */
typedef struct ClassStep
{
	ClassLevel *level;
	ClassPlace	from;
	ClassPlace	to;
	uint32_t	begin;
	uint32_t	end;
} ClassStep;

static inline uint32_t
ClassesOf(const ClassStep *step)
{
	return step->to.number - step->from.number;
}

/* The number of members whose pairs the step counts. */
static inline uint32_t
MembersOf(const ClassStep *step)
{
	uint32_t	members = step->to.member - step->from.member;

	return (step->end < members ? step->end : members) - step->begin;
}

static inline uint64_t
LinesOf(const ClassStep *step)
{
	return step->to.line - step->from.line;
}

static inline uint64_t
CountsOf(const ClassStep *step)
{
	return step->to.count - step->from.count;
}

#ifdef __cplusplus
}
#endif

/*
 * What kernels find out from the pairs of a step's members, and pass to other kernels.
 */

/* A step's counts of pairs on the device, see FimCounts. */
typedef struct StepCounts
{
	const uint32_t *count;
	uint64_t	from;			/* the number of the first count */
	uint32_t	begin;			/* the first member of each class that has counts */
} StepCounts;

/* What becomes of a member, as its pairs say. */
typedef struct Verdict
{
	uint32_t	kept;			/* the number of members of its class or table; 0 if it has neither */
	uint32_t	excluded;		/* the number of these members that come before it and are excluded */
} Verdict;

/*
 * A word for each member that the host reads, too: what becomes of the member, and the number
 * of items that are fixed with it.  If the member's itemset is given out together with
 * everything that extends it, that is fixed, too.
 */
#define MARK_EMITTED	1u		/* its itemset is given out */
#define MARK_CLASS		2u		/* it has a class */
#define MARK_TABLE		4u		/* it has a table */
#define MARK_TOGETHER	8u		/* its itemset is given out with everything that extends it */
#define MARK_FIXED_SHIFT		4		/* the number of fixed items is shifted by this many bits */

/*
 * A device's share of a job of strategy "tensor": its memory, and how it leaves.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* Threads of a thread block. */
#define TENSOR_THREADS	256

/*
 * A block of device memory.  Levels are allocated from its bottom up, and what a step needs is
 * allocated from its top down.  What lies between "bottom" and "top", in bytes from the base,
 * is free.
 */
typedef struct MemoryBlock
{
	char	   *base;
	uint64_t	bottom;
	uint64_t	top;
} MemoryBlock;

struct Tensor
{
	Miner	   *m;
	TensorDevice *device;
	uint32_t	ndevices;		/* of the team */
	uint32_t	number;			/* the number of this device in the team; device 0 gives out what all find
								 * at the root */
	TensorSource source;		/* valid until the root's rows are made */
	cudaStream_t stream;
	FimWay		way;
	MemoryBlock memory;
	unsigned long long *counter; /* device memory, used within a step */
	bool		tables;			/* small classes become tables */
	FimPatternCounts counts;	/* the device's counts of all itemsets; counts.counts is NULL if the host
								 * counts or lists them */
	ItemsetPart part;			/* the job's, with arrays on the device; bits is NULL if all itemsets are
								 * of the part */
	ClassLevel	root;
	uint32_t	classes_before; /* classes below the root that have been gone through */

	MemoryBlock more;			/* the one that was got last, after the first one; see MineClasses() */
	uint64_t	cuts;			/* steps since memory last grew that had to be smaller for want of memory */
	double		begin;			/* when the job began, in ms of a clock */
};

/*
 * Memory and errors.
 */

static inline void
Check(Tensor *t, cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		t->device->fault(t->device, error, what);
}

/* To be called after each launch. */
static inline void
Launched(Tensor *t, const char *what)
{
	Check(t, t->device->launch_error(t->device), what);
}

static inline uint64_t
Room(const Tensor *t)
{
	return t->memory.top - t->memory.bottom;
}

static inline uint64_t
Aligned(uint64_t size)
{
	return (size + 255) / 256 * 256;
}

static inline void
NeedRoom(Tensor *t, uint64_t size, const char *what)
{
	if (size > Room(t))
		t->device->full(t->device, what, size, Room(t));
}

/* Allocate memory that is needed as long as a level, or as the rows of some of its classes. */
static inline void *
AllocBottom(Tensor *t, uint64_t size, const char *what)
{
	void	   *memory = t->memory.base + t->memory.bottom;

	NeedRoom(t, Aligned(size), what);
	t->memory.bottom += Aligned(size);
	return memory;
}

/* Allocate memory that is needed as long as a step. */
static inline void *
AllocTop(Tensor *t, uint64_t size, const char *what)
{
	NeedRoom(t, Aligned(size), what);
	t->memory.top -= Aligned(size);
	return t->memory.base + t->memory.top;
}

static inline void
ToDevice(Tensor *t, void *to, const void *from, size_t size)
{
	Check(t, cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, t->stream),
		  "copying to the device");
}

static inline void
ToHost(Tensor *t, void *to, const void *from, size_t size)
{
	Check(t, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, t->stream),
		  "copying from the device");
}

static inline void
Wait(Tensor *t, const char *what)
{
	Check(t, cudaStreamSynchronize(t->stream), what);
	Check(t, t->device->wait_error(t->device), what);
	MinerPoll(t->m);
}

/*
 * Whether this device gives out the itemsets of the step's members.  All devices of a team have
 * the members of the root, so only device 0 gives these out, and only when the root is judged
 * for the first time.
 */
static inline bool
GivesOut(const Tensor *t, const ClassStep *step, Sharing below)
{
	return step->level->parent != NULL || (t->number == 0 && below != SHARE_CLASSES);
}

/*
 * tensor_judge.cu: What the pairs of a step's members say: which itemsets are given out, and which classes
 * and tables there are below.
 */

/* What the host knows of a step that has been judged. */
typedef struct StepJudgement
{
	uint32_t   *marks;			/* [nmembers]; NULL if the device counts itemsets */
	uint32_t   *supports;		/* if maximal itemsets are listed: [nmembers] the supports of itemsets that
								 * are given out together with everything that extends them */
	uint32_t   *fixed;			/* if itemsets are listed: the members' fixed items, one
								 * member after the other */
	ClassLevel	classes;		/* the classes below */
	ClassLevel	tables;			/* the tables below */
} StepJudgement;

/*
 * Judges the members of a step, and makes the tables and those of the classes below that are
 * shared in the way "below".  Takes memory for these from the bottom, and memory that is needed
 * as long as the step from the top.
 */
extern void TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *pairs, Sharing below,
						StepJudgement *to);

/*
 * tensor_emit.c: Giving out the itemsets of strategy "tensor", or counting them.
 */

/*
 * Memory for the classes of a level.
 */

/* Allocates a level that ends at "end" on the device, and what the host needs of it on the host. */
extern void TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent,
							 const ClassPlace *end);

/* Decides whether the host or the device counts itemsets, and takes memory for the device's counts. */
extern void TensorPrepareCounts(Tensor *t);

/* Gives out the itemsets of a step's members, unless the device counts them. */
extern void TensorEmitStep(Tensor *t, const ClassStep *step, StepJudgement *judgement);

/* Mines tables.  "lines" has the rows of their parents. */
extern void TensorMineTables(Tensor *t, const ClassLevel *tables, const char *lines);

/* Adds what the device has counted to the miner's counts. */
extern void TensorCollectCounts(Tensor *t);

/*
 * tensor.cu: The root of strategy "tensor", from transactions to the first class, and mining from there.
 *
 * A job is mined by a team of devices.  Each device has all transactions and makes the same
 * classes at the root, of which it takes a share.  A device and its miner may be used by only
 * one thread at a time.
 *
 * The caller calls TensorBegin() for each device, copies the transactions to where
 * TensorSourceOf() says, and calls TensorBuild() and TensorMine().
 */

/*
 * Sets *least to the bytes that the job needs of each device, and *wanted to the bytes that it
 * should begin with.  The job asks for more if these prove to be few.
 */
extern void TensorMemory(const FimItemsetsSpec *spec, const FimDatabase *db,
						 uint64_t *least, uint64_t *wanted);

/*
 * Makes the root on the current device, which is number "number" of the team's "ndevices".  The
 * miner's output must have been set up.  Host memory, that of the result included, comes from
 * the miner's arena.  Returns NULL if there is nothing to do on a device.
 */
extern Tensor *TensorBegin(Miner *m, TensorDevice *device, uint32_t ndevices, uint32_t number);

/* Where the caller is to copy the transactions, in the device's stream. */
extern const TensorSource *TensorSourceOf(const Tensor *t);

/* Makes the root's bitmaps.  Called when the copies of the transactions have been put into the stream. */
extern void TensorBuild(Tensor *t);

/* Mines the device's share of the job.  May be called by another thread than TensorBegin() was. */
extern void TensorMine(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ITEMSETS_TENSOR_H */
