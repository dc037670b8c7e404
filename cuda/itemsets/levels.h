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
 * candidate are frequent is looking sorted lists through.
 *
 * Items that every transaction holds are in no level: with each of them there
 * would be twice as many itemsets.  They join those that go out, see
 * MinerBeginRoot().
 *
 * Candidates come in batches, as many as fit the strategy's memory.  A strategy
 * is a set of functions that count batches.  There are two batches, so that the
 * host can form one while the devices count the other.
 *
 * Forming candidates and taking their supports is divided among the host's
 * threads (host_threads.h), in parts that are the same however many there are.
 * So are the results, and their order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LEVELS_H
#define FIM_LEVELS_H

#include "itemsets/itemset_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Members of a candidate group, at most; larger ones are several groups. */
#define GROUP_CANDIDATES	64

/* Words of candidates that are formed at a time, by all threads and by one task. */
#define WAVE_WORDS		(UINT64_C(1) << 21)
#define PIECE_WORDS		(UINT64_C(1) << 14)
#define WAVE_PIECES		(WAVE_WORDS / PIECE_WORDS + 1)

/* Tasks that taking a batch is divided into. */
#define BATCH_SLICES	64

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
	bool		has_flags;		/* they are wanted */

	uint64_t	n;				/* members; less than GPU_NONE */
	uint64_t	room;			/* of each of the arrays of members */
	uint32_t   *last;
	uint32_t   *support;
	uint8_t    *flags;
	uint32_t   *subset;			/* [n][k-1]: without the prefix's item d */
	uint64_t	subset_room;

	/* children of the level before: member p's are first[p] .. first[p+1]-1 */
	uint32_t   *first;
	uint64_t	first_room;
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

/*
 * Of a candidate there is where in level k its subsets of k items are, which is
 * what the next level keeps: those without the prefix's item d, and last the one
 * without the prefix's last item.  That one has the candidate's last item.
 */
typedef struct Batch
{
	Group	   *groups;
	uint32_t	ngroups;
	uint64_t	group_room;
	uint32_t   *subsets;		/* [candidates][k] */
	uint64_t	subset_room;
	uint32_t   *counts;			/* of candidates: their supports */
	uint64_t	count_room;
	uint32_t	n;
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

	/*
	 * Bring a batch to the devices, while they count the one before; start
	 * counting it, when that one's counts are here; and bring its counts back.
	 */
	void		(*send) (void *of, const Levels *levels, Batch *batch);
	void		(*count) (void *of, const Levels *levels, Batch *batch);
	void		(*collect) (void *of, const Levels *levels, Batch *batch);
} LevelCounter;

/* Where a member is. */
typedef struct LevelPlace
{
	uint64_t	class_of;
	uint32_t	number;			/* within the class */
} LevelPlace;

/* Members whose candidates one task forms: up to where the next piece begins. */
typedef struct Piece
{
	LevelPlace	begin;
	uint64_t	row;			/* candidates are from here on in the wave's rows */
	uint64_t	group;			/* and groups in its groups, candidates numbered from 0 */
	uint32_t	n;
	uint32_t	ngroups;
	uint32_t	gone;			/* groups that are in a batch already */
} Piece;

/* Of a piece, what goes to a batch. */
typedef struct Part
{
	const Piece *piece;
	uint32_t	first_group;
	uint32_t	ngroups;
	uint32_t	to_group;
	uint32_t	to;				/* candidate */
} Part;

/* What a thread knows of an item while it looks for it. */
typedef struct Mark
{
	uint32_t	round;			/* when it was seen last */
	uint32_t	number;			/* of the member with this item, within the class */
} Mark;

/* Candidates that have been formed and go to batches bit by bit. */
typedef struct Wave
{
	Piece		pieces[WAVE_PIECES + 1];
	uint32_t	npieces;
	uint32_t	next_piece;		/* to go */
	uint32_t   *rows;			/* [candidates][k], as in Batch.subsets */
	uint64_t	row_room;		/* words */
	Group	   *groups;
	uint64_t	group_room;
	Part		parts[WAVE_PIECES];
	uint32_t	nparts;
	Mark	   *marks;			/* [threads][items] */
	uint32_t   *rounds;			/* [threads], a cache line apart */
} Wave;

/* Groups of a batch that one task takes; where what is frequent of them goes. */
typedef struct Slice
{
	uint32_t	first_group;
	uint32_t	end_group;
	uint32_t	nmembers;
	uint32_t	nclasses;
	uint32_t	last_parent;	/* that has a class, or GPU_NONE */
	uint64_t	member;
	uint64_t	class_of;
	uint64_t	nfirst;
} Slice;

struct Levels
{
	ItemsetJob *job;
	const LevelCounter *counter;
	void	   *of;
	Level	   *current;		/* of k items */
	Level	   *next;			/* of k + 1, growing */
	Level		level[2];
	LevelPlace	next_place;		/* where forming candidates is */
	Wave		wave;
	Batch		batches[2];
	const Batch *taken;			/* while it is */
	Slice		slices[BATCH_SLICES];
};

extern void LevelsMine(ItemsetJob *job, const LevelCounter *counter, void *of);

/* For count_pairs: item's pairs come in ascending order. */
extern void LevelsAddPair(Levels *levels, uint32_t item, uint32_t other, uint32_t support);

/* The items that the members of a class begin with, k-1 of them. */
static inline const uint32_t *
ClassPrefix(const Level *level, uint64_t class_of)
{
	return level->prefix + class_of * (level->k - 1);
}

/* The last item of a batch's candidate. */
static inline uint32_t
CandidateItem(const Level *level, const Batch *batch, uint64_t candidate)
{
	return level->last[batch->subsets[(candidate + 1) * level->k - 1]];
}

/* How many items two lists of k items begin with, both of them. */
static inline uint32_t
CommonItems(const uint32_t *a, const uint32_t *b, uint32_t k)
{
	uint32_t	n = 0;

	while (n < k && a[n] == b[n])
		n++;
	return n;
}

/* ---- among the frame's own files ---- */

/* levels_candidates.c */
extern void LevelsBeginForming(Levels *levels);
extern bool LevelsFormBatch(Levels *levels, Batch *batch, size_t bytes, size_t group_bytes,
							size_t candidate_bytes);

/* levels_frequent.c */
extern void LevelReset(ItemsetJob *job, Level *level, uint32_t k, uint64_t nparents);
extern void LevelFree(ItemsetJob *job, Level *level);
extern void LevelsFillFirst(Levels *levels);
extern void LevelFillParents(Level *level, uint64_t parent);
extern void LevelsTakeBatch(Levels *levels, const Batch *batch);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVELS_H */
