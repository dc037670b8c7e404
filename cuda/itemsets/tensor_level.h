/*-------------------------------------------------------------------------
 *
 * tensor_level.h
 *	  What the files of strategy "tensor" share: classes, levels and memory.
 *
 * tensor.cu goes down the levels; tensor_judge.cu finds out from the pairs of a
 * level what is emitted and what is below; tensor_emit.c gives itemsets out.
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

/* Of the free memory, what the tables of one step may take. */
#define TABLES_SHARE	8

/* Memory of the device: levels grow from its bottom, what a step needs from its top. */
typedef struct DeviceBlock
{
	char	   *base;
	uint64_t	bottom;
	uint64_t	top;
} DeviceBlock;

/* What the kernels need to know of a level; all in device memory. */
typedef struct LevelMembers
{
	FimCompaction *classes;		/* [nclasses] and how each is made from the parent's rows */
	FimCompactionPart *parts;		/* [nparts] of the work that this is */
	uint32_t   *depth;			/* [nclasses] of the path */
	uint32_t   *nperfect;		/* [nclasses] */
	uint32_t   *source;			/* [nmembers] what the parent calls it */
	uint32_t   *item;			/* [nmembers] the engine's number */
	uint32_t   *support;		/* [nmembers] with the prefix */
	uint32_t   *class_of;		/* [nmembers] */
} LevelMembers;

/* Where a class begins, or the level ends: what there is of everything before. */
typedef struct ClassPlace
{
	uint64_t	line;
	uint64_t	count;			/* of pairs */
	uint32_t	number;			/* of classes */
	uint32_t	member;
	uint32_t	part;
	uint32_t	unused;
} ClassPlace;

/*
 * How a team shares a level's classes.  Below the root each device has its own; the
 * root's all make in the same way.  Of those with few members the members are dealt
 * out, since one can have half of all itemsets below it.  The others are taken by
 * whoever has nothing to do, after these, so that all have done at about the same time.
 */
typedef enum Sharing
{
	SHARE_NOTHING,
	SHARE_MEMBERS,
	SHARE_CLASSES
} Sharing;

/* The classes of a level, and on the host what telling their itemsets needs. */
typedef struct ClassLevel
{
	const struct ClassLevel *parent;
	ClassPlace	end;
	LevelMembers device;
	Sharing		sharing;

	/* if the host is to tell itemsets; classes the root has in any case */
	FimCompaction *classes;		/* [nclasses] */
	uint32_t   *depth;			/* [nclasses] */
	uint32_t   *nperfect;		/* [nclasses] */
	uint32_t   *parent_class;	/* [nclasses] */

	/* when listing */
	uint32_t   *item;			/* [nmembers] */
	uint32_t   *support;		/* [nmembers] */
	const uint32_t **fixed;		/* [nclasses] items fixed with its prefix ... */
	uint32_t   *nfixed;			/* ... and how many */

	/* rows of some classes, moved so that the classes' line numbers fit them */
	char	   *lines;
} ClassLevel;

/*
 * Classes of a level that are done together, from one place to another; and of each
 * the members begin .. end - 1, which are all but where a single class is done in bands.
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
	uint64_t	from;			/* the number of the first */
	uint32_t	begin;			/* the first member of each class that has any */
} StepCounts;

/* What a member's pairs say of it. */
typedef struct Verdict
{
	uint32_t	kept;			/* members of its class or table; 0: there is none */
	uint32_t	excluded;		/* of these, before it */
} Verdict;

/* In a word, for the host too: what becomes of it, and how many items are fixed with it. */
#define MARK_EMITTED	1u
#define MARK_CLASS		2u
#define MARK_TABLE		4u
#define MARK_FIXED		3		/* a shift */

/* Sums over members, for placing their classes and tables. */
typedef struct Place
{
	ClassPlace	classes;
	uint32_t	tables;
	uint32_t	table_members;
	uint32_t	fixed;
	uint32_t	unused;
} Place;

struct Tensor
{
	Miner	   *m;
	TensorDevice *device;
	uint32_t	ndevices;		/* in the team */
	uint32_t	number;			/* of this one; the first gives out what all find at the root */
	TensorSource source;		/* until the root's rows are made */
	cudaStream_t stream;
	FimWay		way;
	DeviceBlock block;
	unsigned long long *counter;	/* device, for the length of a step */
	bool		tables;			/* small classes become tables */
	FimPatternCounts counts;	/* of all itemsets, if the device counts them */
	ClassLevel	root;
	uint32_t	classes_before; /* of the root, that have been gone through */

	DeviceBlock more;			/* got since, the last one; see MineClasses() */
	uint64_t	cuts;			/* steps that had to be smaller for want of memory, since then */
	double		begin;			/* of the job, in ms of a clock */
};

/* ---- memory and errors ---- */

static inline void
Check(Tensor *t, cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		t->device->fault(t->device, error, what);
}

/* To be asked after each launch. */
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

/* For as long as a level, or the rows of some of its classes, live. */
static inline void *
AllocBottom(Tensor *t, uint64_t size, const char *what)
{
	void	   *memory = t->block.base + t->block.bottom;

	NeedRoom(t, Aligned(size), what);
	t->block.bottom += Aligned(size);
	return memory;
}

/* For the length of a step. */
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

/* Members whose pairs are counted. */
static inline uint32_t
MembersOf(const ClassStep *step)
{
	uint32_t	members = step->to.member - step->from.member;

	return (step->end < members ? step->end : members) - step->begin;
}

/*
 * Does this device give out the step's members?  All of a team know the root's: one
 * does, and only the first time that they are judged.
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

extern void TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent,
							 const ClassPlace *end);

/* What a step's pairs say, on the host: marks of members, their fixed items, what is below. */
typedef struct Judgement
{
	uint32_t   *marks;			/* [nmembers], unless the device counts itemsets */
	uint32_t   *fixed;			/* when listing: of the members, one after the other */
	ClassLevel	classes;
	ClassLevel	tables;
} Judgement;

extern void TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *pairs, Sharing below,
						Judgement *to);

/* ---- place_sums.cu ---- */

/*
 * Replaces places[0 .. n-1] by the sums over those before each, on a stream; places[n]
 * becomes the sum over all.  With scratch NULL, only sets *size to the bytes of scratch
 * memory that this takes.
 */
extern cudaError_t TensorSumPlaces(void *scratch, size_t *size, Place *places, uint32_t n,
								   cudaStream_t stream);

/* ---- tensor_emit.c ---- */

extern void TensorPrepareCounts(Tensor *t);
extern void TensorEmitStep(Tensor *t, const ClassStep *step, Judgement *judgement);
extern void TensorMineTables(Tensor *t, const ClassLevel *tables, const char *lines);
extern void TensorCollectCounts(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_LEVEL_H */
