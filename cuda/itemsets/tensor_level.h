/*-------------------------------------------------------------------------
 *
 * tensor_level.h
 *	  What the files of strategy "tensor" share: classes, levels and memory.
 *
 * tensor.cu goes down the levels.  tensor_judge.cu finds out from the pairs of a level
 * what is given out and what is below.  tensor_emit.c gives itemsets out.
 *
 * Included by tensor*.c and tensor*.cu, but for tensor_crew.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_LEVEL_H
#define FIM_TENSOR_LEVEL_H

#include "bits/compact.h"
#include "bits/product.h"
#include "itemsets/tables.h"
#include "itemsets/tensor.h"

#include <string.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define TENSOR_THREADS	256
#define FULL_MASK		0xffffffffu

/* The tables of one step may take this part of the free memory. */
#define TABLES_SHARE	8

/*
 * A block of device memory.  Levels are allocated from its bottom up, and what a step
 * needs from its top down.  "bottom" and "top" bound what is free, in bytes.
 */
typedef struct DeviceBlock
{
	char	   *base;
	uint64_t	bottom;
	uint64_t	top;
} DeviceBlock;

/* What kernels need to know of a level.  All of it is device memory. */
typedef struct LevelMembers
{
	FimCompaction *classes;		/* [nclasses] with how each one's rows are made */
	FimCompactionPart *parts;		/* [nparts] of the work that this is */
	uint32_t   *depth;			/* [nclasses] the length of the path */
	uint32_t   *nperfect;		/* [nclasses] items that are kept apart from it */
	uint32_t   *source;			/* [nmembers] the row's name in the parent */
	uint32_t   *item;			/* [nmembers] the engine's number of the item */
	uint32_t   *support;		/* [nmembers] the support of the item with the prefix */
	uint32_t   *class_of;		/* [nmembers] the class that the member is in */
} LevelMembers;

/* Where a class begins or a level ends, which is how much there is of everything before. */
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
 * How a team's devices share a level's classes.  Below the root each device has classes
 * of its own.  At the root all devices make the same classes.  The members of those with
 * few members are dealt out to the devices, because one such class can have half of all
 * itemsets below it.  After that, the other classes are taken by whichever device has
 * nothing to do, so that all end at about the same time.
 */
typedef enum Sharing
{
	SHARE_NOTHING,				/* the classes are the device's own */
	SHARE_MEMBERS,				/* their members are dealt out */
	SHARE_CLASSES				/* they are taken one after the other */
} Sharing;

/* The classes of a level, and what the host needs to give their itemsets out. */
typedef struct ClassLevel
{
	const struct ClassLevel *parent;
	ClassPlace	end;			/* how much there is of the level */
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
	const uint32_t **fixed;		/* [nclasses] the items that are fixed with the prefix ... */
	uint32_t   *nfixed;			/* [nclasses] ... and how many there are */

	/*
	 * The rows of some of the classes, on the device.  The address is such that the
	 * classes' line numbers fit it.
	 */
	char	   *lines;
} ClassLevel;

/*
 * Classes of a level that are done together, from one place to another, and of each the
 * members begin .. end - 1.  These are all members unless it is a single class, which is
 * done in bands.
 */
typedef struct ClassStep
{
	ClassLevel *level;
	ClassPlace	from;
	ClassPlace	to;
	uint32_t	begin;
	uint32_t	end;
} ClassStep;

/* A step's counts of pairs on the device, see FimCounts. */
typedef struct StepCounts
{
	const uint32_t *count;
	uint64_t	from;			/* the number of the first count */
	uint32_t	begin;			/* the first member of each class that has counts */
} StepCounts;

/* What a member's pairs say of it. */
typedef struct Verdict
{
	uint32_t	kept;			/* members of its class or table, 0 if it has none */
	uint32_t	excluded;		/* so many of these come before it, and are excluded */
} Verdict;

/*
 * The same in a word, for the host, too: what becomes of a member, and how many items
 * are fixed with it.
 */
#define MARK_EMITTED	1u
#define MARK_CLASS		2u
#define MARK_TABLE		4u
#define MARK_FIXED		3		/* the number is shifted by so many bits */

/* How much the classes and tables of a member take, or of all members before it. */
typedef struct Placement
{
	ClassPlace	classes;
	uint32_t	tables;
	uint32_t	table_members;
	uint32_t	fixed;
	uint32_t	unused;
} Placement;

struct Tensor
{
	Miner	   *m;
	TensorDevice *device;
	uint32_t	ndevices;		/* of the team */
	uint32_t	number;			/* this one's; number 0 gives out what all find at the root */
	TensorSource source;		/* valid until the root's rows are made */
	cudaStream_t stream;
	FimWay		way;
	DeviceBlock block;
	unsigned long long *counter;	/* device memory, used within a step */
	bool		tables;			/* small classes become tables */
	FimPatternCounts counts;	/* of all itemsets; NULL if the host counts or lists them */
	ClassLevel	root;
	uint32_t	classes_before; /* so many of the root's classes have been gone through */

	DeviceBlock more;			/* the last block that was got since; see MineClasses() */
	uint64_t	cuts;			/* steps since then that had to be smaller for want of memory */
	double		begin;			/* when the job began, in ms of a clock */
};

/* ---- memory and errors ---- */

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
	return t->block.top - t->block.bottom;
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

/* Allocate for as long as a level, or the rows of some of its classes, are needed. */
static inline void *
AllocBottom(Tensor *t, uint64_t size, const char *what)
{
	void	   *memory = t->block.base + t->block.bottom;

	NeedRoom(t, Aligned(size), what);
	t->block.bottom += Aligned(size);
	return memory;
}

/* Allocate for the length of a step. */
static inline void *
AllocTop(Tensor *t, uint64_t size, const char *what)
{
	NeedRoom(t, Aligned(size), what);
	t->block.top -= Aligned(size);
	return t->block.base + t->block.top;
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

static inline uint32_t
WarpsGrid(uint32_t nwarps)
{
	return (uint32_t) (((uint64_t) nwarps * 32 + TENSOR_THREADS - 1) / TENSOR_THREADS);
}

static inline uint32_t
ClassesOf(const ClassStep *step)
{
	return step->to.number - step->from.number;
}

/* How many members have their pairs counted. */
static inline uint32_t
MembersOf(const ClassStep *step)
{
	uint32_t	members = step->to.member - step->from.member;

	return (step->end < members ? step->end : members) - step->begin;
}

/*
 * Whether this device gives the step's members out.  All devices of a team know those of
 * the root, so only one does, and only the first time that they are judged.
 */
static inline bool
GivesOut(const Tensor *t, const ClassStep *step, Sharing below)
{
	return step->level->parent != NULL || (t->number == 0 && below != SHARE_CLASSES);
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

/* ---- tensor_judge.cu ---- */

/* Allocates a level of a size, on the device and as far as needed on the host. */
extern void TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent,
							 const ClassPlace *end);

/* What the host knows of what a step's pairs say. */
typedef struct Judgement
{
	uint32_t   *marks;			/* [nmembers]; NULL if the device counts itemsets */
	uint32_t   *fixed;			/* if itemsets are listed: the members' fixed items, one
								 * member after the other */
	ClassLevel	classes;		/* what is below */
	ClassLevel	tables;
} Judgement;

/*
 * Looks at the members of a step, and makes those of the classes below that are shared
 * in this way, and the tables.  Takes memory from the bottom for what is below, and from
 * the top for the length of the step.
 */
extern void TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *pairs, Sharing below,
						Judgement *to);

/* ---- tensor_place.cu ---- */

/*
 * Replaces places[0 .. n-1] by the sums over those before each, on a stream; places[n]
 * becomes the sum over all.  With scratch NULL, only sets *size to the bytes of scratch
 * memory that this takes.
 */
extern cudaError_t TensorPlace(void *scratch, size_t *size, Placement *places, uint32_t n,
								   cudaStream_t stream);

/* ---- tensor_emit.c ---- */

/* Decides who counts itemsets, and takes memory for the device's counts. */
extern void TensorPrepareCounts(Tensor *t);

/* Gives out the itemsets of a step's members, unless the device counts them. */
extern void TensorEmitStep(Tensor *t, const ClassStep *step, Judgement *judgement);

/* Mines tables, whose parents' rows are given. */
extern void TensorMineTables(Tensor *t, const ClassLevel *tables, const char *lines);

/* Adds what the device has counted to the miner's counts. */
extern void TensorCollectCounts(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_LEVEL_H */
