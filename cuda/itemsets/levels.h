/*-------------------------------------------------------------------------
 *
 * levels.h
 *	  The frame of level-wise strategies (Apriori), which the published systems share: levels of
 *	  itemsets, their candidates, and growing a level by those that prove frequent.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ITEMSETS_LEVELS_H
#define GPU_ITEMSETS_LEVELS_H

#include "itemsets/itemsets.h"

/*
 * Levels of itemsets, and their candidates, in the frame of level-wise strategies.
 *
 * A level holds the frequent itemsets of one length as prefix classes: itemsets of k items that
 * have the first k-1 in common, in lexicographic order of the engine's item numbers.  The
 * prefix of a class is kept once.  A member has its last item, its support, and links to its
 * subsets in the level before, namely to those that lack one item of the prefix.  The children
 * of such a subset are a sorted list, and from these lists follows whether all subsets of a
 * candidate are frequent.
 *
 * Items that every transaction holds are in no level, since each of them would double the
 * number of itemsets.  They are joined to the itemsets that are given out, see RootBegin().
 *
 * Candidates come in batches, as many at a time as the strategy's memory has room for.
 * A strategy is a set of functions that count batches.  There are two batches, so that
 * the host can form one while the devices count the other.
 *
 * Forming candidates and taking their supports is divided among the host's threads
 * (team.h), in parts that are the same however many threads there are.  So the
 * results and their order are the same, too.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* The most candidates of a group.  A larger group is cut into several. */
#define GROUP_CANDIDATES	64

/*
 * Words of candidates that are formed at a time: by all threads together, which is a wave, and
 * by one thread, which is a part.
 */
#define WAVE_WORDS		(UINT64_C(1) << 21)
#define PART_WORDS		(UINT64_C(1) << 14)
#define WAVE_PARTS		(WAVE_WORDS / PART_WORDS + 1)

/* The most parts into which a batch is cut to be added to the next level. */
#define BATCH_PARTS	64

/* Flags of an itemset, which follow from the next level. */
#define HAS_SUPERSET	1		/* some superset of it is frequent */
#define HAS_EQUAL		2		/* some superset of it has the same support */

typedef struct LevelClass
{
	uint32_t	first;			/* its first member */
	uint32_t	n;				/* how many it has */
	uint32_t	parent;			/* the prefix, as a member of the level before */
} LevelClass;

typedef struct ItemsetLevel
{
	uint32_t	k;				/* items in each of its itemsets */
	bool		has_flags;		/* closed or maximal itemsets are wanted, so flags[] is kept */

	uint64_t	n;				/* members; less than GPU_NONE */
	uint64_t	room;			/* how many members the next three arrays have room for */
	uint32_t   *last;			/* [n] the last item */
	uint32_t   *support;		/* [n] */
	uint8_t    *flags;			/* [n] see above */
	uint32_t   *subset;			/* [n][k-1] the subset without the prefix's item d, as a
								 * member of the level before */
	uint64_t	subset_room;

	/* the children of member p of the level before are first[p] .. first[p+1]-1 */
	uint32_t   *first;
	uint64_t	first_room;
	uint64_t	nfirst;			/* how many elements of first[] have been set so far */

	uint64_t	nclasses;
	uint64_t	class_room;
	LevelClass *classes;
	uint32_t   *prefix;			/* [nclasses][k-1] the items of the prefix */
	uint64_t	prefix_room;
} ItemsetLevel;

/* Candidates with the same first k items, one of which is a member of level k. */
typedef struct ItemsetGroup
{
	uint32_t	member;			/* the member with the first k items */
	uint32_t	class_of;		/* the class of the member */
	uint32_t	first;			/* the first candidate, by its number in the batch */
	uint32_t	n;				/* how many candidates there are */
} ItemsetGroup;

/*
 * Candidates that are counted together.  For each candidate, the batch has its subsets of k
 * items, as members of level k; these are what the next level keeps.  Subset d lacks item d of
 * the prefix.  So the last subset lacks the prefix's last item, and its own last item is that
 * of the candidate.
 */
typedef struct ItemsetBatch
{
	ItemsetGroup *groups;
	uint32_t	ngroups;
	uint64_t	group_room;
	uint32_t   *subsets;		/* [candidates][k] */
	uint64_t	subset_room;
	uint32_t   *counts;			/* [n] the supports, once they have been counted */
	uint64_t	count_room;
	uint32_t	n;				/* candidates */
	int			number;			/* of the batch: 0 or 1 */
} ItemsetBatch;

typedef struct ItemsetLevels ItemsetLevels;

/* What a strategy does.  "of" is the strategy's own. */
typedef struct LevelCounter
{
	/*
	 * Fills the level of pairs by other means than candidates, and returns true, or does
	 * nothing and returns false.  NULL if a strategy never does so.
	 */
	bool		(*count_pairs) (void *of, ItemsetLevels *levels);

	/*
	 * Called before candidates of levels->current's members are counted.  Sets how many bytes
	 * of a device a batch may take, and how many bytes each group and each candidate take.
	 */
	void		(*begin_level) (void *of, ItemsetLevels *levels, size_t *batch_bytes,
								size_t *group_bytes, size_t *candidate_bytes);

	/*
	 * send() copies a batch to the devices, while they count the batch before.  count() starts
	 * counting the batch, once the counts of the batch before have been collected.  collect()
	 * waits for the counts and brings them back.
	 */
	void		(*send) (void *of, const ItemsetLevels *levels, ItemsetBatch *batch);
	void		(*count) (void *of, const ItemsetLevels *levels, ItemsetBatch *batch);
	void		(*collect) (void *of, const ItemsetLevels *levels, ItemsetBatch *batch);
} LevelCounter;

/* Where a member is. */
typedef struct LevelPlace
{
	uint64_t	class_of;
	uint32_t	number;			/* the member's number within the class */
} LevelPlace;

/*
 * A part of a wave: the members from "begin" to where the next part begins.  One thread forms
 * their candidates.
 */
typedef struct WavePart
{
	LevelPlace	begin;
	uint64_t	row;			/* where its candidates begin in the wave's rows */
	uint64_t	group;			/* where its groups begin in the wave's groups */
	uint32_t	n;				/* candidates; its groups number them from 0 */
	uint32_t	ngroups;
	uint32_t	gone;			/* the number of groups that are in batches already */
} WavePart;

/* Groups that go from a part to a batch. */
typedef struct Transfer
{
	const WavePart *part;
	uint32_t	first_group;
	uint32_t	ngroups;
	uint32_t	to_group;		/* where the groups begin in the batch */
	uint32_t	to;				/* where their candidates begin in the batch */
} Transfer;

/* What a thread knows of an item while it looks for it. */
typedef struct ItemMark
{
	uint32_t	round;			/* the round in which it was seen last */
	uint32_t	number;			/* the number, within the class, of the member that ends with it */
} ItemMark;

/* Candidates that have been formed together.  They go to as many batches as it takes. */
typedef struct Wave
{
	WavePart	parts[WAVE_PARTS + 1];
	uint32_t	nparts;
	uint32_t	next_part;		/* the first part of which not all is in batches */
	uint32_t   *rows;			/* [candidates][k], as in ItemsetBatch.subsets */
	uint64_t	row_room;		/* in words */
	ItemsetGroup *groups;
	uint64_t	group_room;
	Transfer	transfers[WAVE_PARTS]; /* to the batch that is being filled */
	uint32_t	ntransfers;
	ItemMark   *marks;			/* [threads][items] */
	uint32_t   *rounds;			/* [threads] the last round of each, in a cache line of its own */
} Wave;

/*
 * Groups of a batch that one thread adds to the next level, and where in that level their
 * frequent candidates go.
 */
typedef struct BatchPart
{
	uint32_t	first_group;
	uint32_t	end_group;
	uint32_t	nmembers;
	uint32_t	nclasses;
	uint32_t	last_parent;	/* the last member that has a class, or GPU_NONE */
	uint64_t	member;			/* the first of its members in the next level */
	uint64_t	class_of;		/* the first of its classes in the next level */
	uint64_t	nfirst;			/* the first parent for which the next level's first[] is not set yet */
} BatchPart;

struct ItemsetLevels
{
	ItemsetsJob *job;
	const LevelCounter *counter;
	void	   *of;
	ItemsetLevel *current;		/* itemsets of k items */
	ItemsetLevel *next;			/* the itemsets of k + 1 items that are known so far */
	ItemsetLevel level[2];
	LevelPlace	next_place;		/* the first member whose candidates have not been formed */
	Wave		wave;
	ItemsetBatch batches[2];
	const ItemsetBatch *taken;	/* the batch whose frequent candidates are being added to the next level */
	BatchPart	parts[BATCH_PARTS];
	uint32_t   *perfect;		/* if the task gives a part of its results: the items in all transactions of a
								 * class's item, as bits like those of the part */
};

/* The k-1 items that the members of a class begin with. */
static inline const uint32_t *
ClassPrefix(const ItemsetLevel *level, uint64_t class_of)
{
	return level->prefix + class_of * (level->k - 1);
}

/* The last item of a batch's candidate. */
static inline uint32_t
CandidateItem(const ItemsetLevel *level, const ItemsetBatch *batch, uint64_t candidate)
{
	return level->last[batch->subsets[(candidate + 1) * level->k - 1]];
}

/* How many of the first items two lists of k items have in common. */
static inline uint32_t
CommonItems(const uint32_t *a, const uint32_t *b, uint32_t k)
{
	uint32_t	n = 0;

	while (n < k && a[n] == b[n])
		n++;
	return n;
}

/*
 * levels_frequent.c: Growing a level by the candidates that are frequent.
 */

/* Empties a level, which is to hold itemsets of k items.  The level before has nparents members. */
extern void LevelReset(ItemsetsJob *job, ItemsetLevel *level, uint32_t k, uint64_t nparents);
extern void LevelFree(ItemsetsJob *job, ItemsetLevel *level);

/* For count_pairs(): adds a frequent pair.  Pairs come in ascending order. */
extern void LevelsAddPair(ItemsetLevels *levels, uint32_t item, uint32_t other, uint32_t support);

/*
 * Appends to the next level the frequent candidates of a batch, whose supports are known.  If
 * closed or maximal itemsets are wanted, sets the flags of the current level's members.
 */
extern void LevelsTakeBatch(ItemsetLevels *levels, const ItemsetBatch *batch);

/*
 * Sets the level's first[] for all parents up to this one for which it has not been set.  It is
 * set to where the level ends now, so that parents which have not got children have none.
 */
extern void LevelFillParents(ItemsetLevel *level, uint64_t parent);

/* Makes the first level: the frequent items that not all transactions hold, in one class. */
extern void LevelsFillFirst(ItemsetLevels *levels);

/*
 * levels.c: Mining level by level.
 */

/* Mines the whole job by a strategy, of which "of" is the state. */
extern void LevelsMine(ItemsetsJob *job, const LevelCounter *counter, void *of);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ITEMSETS_LEVELS_H */
