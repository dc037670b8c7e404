/*-------------------------------------------------------------------------
 *
 * tensor_level.h
 *	  Levels of prefix classes, and steps through them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_LEVEL_H
#define FIM_TENSOR_LEVEL_H

#include "bits/compact.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What kernels need to know of a level.  All of it is device memory. */
typedef struct LevelMembers
{
	FimCompaction *classes;		/* [nclasses] each says how its rows are made */
	FimCompactionPart *parts;		/* [nparts] the parts of the work to make the rows */
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
 * which is done in bands.
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

#endif							/* FIM_TENSOR_LEVEL_H */
