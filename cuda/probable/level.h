/*-------------------------------------------------------------------------
 *
 * level.h
 *	  The selected itemsets of one length, and what is known of them.
 *
 * A level's itemsets, its members, are stored without the required items.  Members that
 * differ only in their last column are a class.  They follow one another, in ascending
 * order of the last column.  Each pair of members of a class makes a candidate of the
 * next level.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LEVEL_H
#define FIM_LEVEL_H

#include "probable/judge.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Flags of a member that the next level sets, where closed or maximal itemsets are wanted. */
#define HAS_SUPERSET	1		/* some superset with one more column is selected */
#define HAS_EQUAL		2		/* one of these has the same support */

typedef struct Member
{
	FimMoments	moments;
	double		low;			/* as in Judgement */
	bool		is_value;
	uint8_t		flags;
} Member;

typedef struct ProbableLevel
{
	uint32_t	k;				/* columns of each member */
	uint64_t	n;
	uint64_t	room;
	Member	   *members;
	uint64_t	column_room;
	uint32_t   *columns;		/* [n][k] */
	uint64_t	end_room;
	uint32_t   *class_end;		/* [n] the member after the last one of its class */

	/*
	 * The members that each member makes candidates with.  NULL if these are all that
	 * follow it in its class; otherwise see pairs.h.
	 */
	uint32_t   *partner_at;		/* [n + 1] into partners */
	uint32_t   *partners;		/* members, ascending for each member */

	/* a hash table that finds a member by its columns */
	uint64_t	nslots;			/* a power of two, 0 if there is no table */
	uint32_t   *slots;			/* members, or GPU_NONE */
} ProbableLevel;

extern void InitLevel(ProbableLevel *level, uint32_t k);

/* Adds a member with the first k - 1 of "columns" and the column "last". */
extern cudaError_t AddMember(ProbableJob *job, ProbableLevel *level, const uint32_t *columns, uint32_t last,
							const FimMoments *moments, const Judgement *judgement);

/* When all members have been added: sets class_end, and makes the table if "find" is true. */
extern cudaError_t CompleteLevel(ProbableJob *job, ProbableLevel *level, bool find);

/* The member that has all of the k + 1 columns but columns[without]; GPU_NONE if there is no such member. */
extern uint32_t FindMember(const ProbableLevel *level, const uint32_t *columns, uint32_t without);

extern void FreeLevel(ProbableJob *job, ProbableLevel *level);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVEL_H */
