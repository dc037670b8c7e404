/*-------------------------------------------------------------------------
 *
 * levels.h
 *	  The level-wise frame that the ancestors' strategies share.
 *
 * A level holds the frequent itemsets of one length as prefix classes: itemsets
 * of k items that have the first k-1 in common, in lexicographic order of the
 * engine's item numbers.  Of a class the prefix is kept once, of a member its
 * last item, its support, and where in the level before its subsets are that
 * lack one item of the prefix.  With these, finding out whether all subsets of a
 * candidate are frequent is merging sorted lists.
 *
 * Items that every transaction holds are in no level: with each of them there
 * would be twice as many itemsets.  They join those that go out, see
 * MinerBeginRoot().
 *
 * Candidates come in batches, as many as fit the strategy's memory.  A strategy
 * is a set of functions that count batches.  There are two batches, so that the
 * host can form one while the devices count the other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LEVELS_H
#define FIM_LEVELS_H

#include "device.h"

/* Members of a candidate group, at most; larger ones are several groups. */
#define GROUP_CANDIDATES	64

/* What the next level says about an itemset. */
#define HAS_SUPERSET	1		/* a frequent one */
#define HAS_EQUAL		2		/* one with the same support */

typedef struct LevelClass
{
	uint32_t	first;			/* member */
	uint32_t	n;
	uint32_t	parent;			/* the prefix, in the level before */
} LevelClass;

typedef struct Level
{
	uint32_t	k;				/* items in its itemsets */

	uint64_t	n;				/* members; less than GPU_NONE */
	uint64_t	room;			/* of each of the arrays of members */
	uint32_t   *last;
	uint32_t   *support;
	uint8_t    *flags;
	uint32_t   *subset;			/* [n][k-1]: without the prefix's item d */
	uint64_t	subset_room;

	/* children of the level before: member p's are first[p] .. first[p+1]-1 */
	uint32_t   *first;
	uint64_t	nfirst;			/* filled so far */

	uint64_t	nclasses;
	uint64_t	class_room;
	LevelClass *classes;
	uint32_t   *prefix;			/* [nclasses][k-1] items */
	uint64_t	prefix_room;
} Level;

/* Candidates with the same first k items, one of which is a member of level k. */
typedef struct Group
{
	uint32_t	member;			/* the first k items */
	uint32_t	class_of;		/* its class */
	uint32_t	first;			/* candidate of the batch */
	uint32_t	n;
} Group;

typedef struct Batch
{
	Group	   *groups;
	uint32_t	ngroups;
	uint64_t	group_room;
	uint32_t   *other;			/* of candidates: the member that has the last item */
	uint32_t   *counts;			/* of candidates: their supports */
	uint32_t	n;
	uint64_t	room;
	int			number;			/* 0 or 1 */
} Batch;

typedef struct Levels Levels;

/* What a strategy does; "of" is its own. */
typedef struct LevelCounter
{
	/*
	 * May fill the level of pairs by other means than candidates; true if it
	 * did.  NULL: it does not.
	 */
	bool		(*count_pairs) (void *of, Levels *levels);

	/*
	 * Candidates of levels->current's members are going to be counted.  Says how
	 * many bytes a batch, a group and a candidate take.
	 */
	void		(*begin_level) (void *of, Levels *levels, size_t *batch_bytes,
								size_t *group_bytes, size_t *candidate_bytes);

	/* Start counting a batch, and bring its counts back. */
	void		(*submit) (void *of, const Levels *levels, Batch *batch);
	void		(*collect) (void *of, const Levels *levels, Batch *batch);
} LevelCounter;

struct Levels
{
	GpuJob	   *job;
	const LevelCounter *counter;
	void	   *of;
	Level	   *current;		/* of k items */
	Level	   *next;			/* of k + 1, growing */
	Level		level[2];

	/* where forming candidates is */
	uint64_t	next_class;
	uint32_t	next_member;	/* within the class */
	uint32_t   *tail;			/* candidates of the member at hand */
	uint32_t	ntail;
	uint32_t	next_tail;
	uint64_t	tail_room;
	Batch		batches[2];
};

extern void LevelsMine(GpuJob *job, const LevelCounter *counter, void *of);

/* For count_pairs: item's pairs come in ascending order. */
extern void LevelsAddPair(Levels *levels, uint32_t item, uint32_t other, uint32_t support);

/* The items of a group's prefix: all those of its candidates but the last. */
extern void GroupItems(const Level *level, const Group *group, uint32_t *items);

/* How many items two lists of k items begin with, both of them. */
static inline uint32_t
CommonItems(const uint32_t *a, const uint32_t *b, uint32_t k)
{
	uint32_t	n = 0;

	while (n < k && a[n] == b[n])
		n++;
	return n;
}

#endif							/* FIM_LEVELS_H */
