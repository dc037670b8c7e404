/*-------------------------------------------------------------------------
 *
 * level.h
 *	  The selected itemsets of one length, and what is known of them.
 *
 * Itemsets are without the required items.  Those that differ in their last column
 * follow one another, in ascending order of it: they are a class, whose members two by
 * two make the candidates of the next level.
 *
 * Included by the files of cuda/probable that search, and by results.c.
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

/* What the next level says of a member. */
#define HAS_SUPERSET	1		/* some superset of it is selected */
#define HAS_EQUAL		2		/* some superset of it has the same support */

typedef struct Member
{
	FimMoments	moments;
	double		low;			/* as in Judgement */
	bool		is_value;
	uint8_t		flags;
} Member;

typedef struct Level
{
	uint32_t	k;				/* columns of each member */
	uint64_t	n;
	uint64_t	room;
	Member	   *members;
	uint64_t	column_room;
	uint32_t   *columns;		/* [n][k] */
	uint64_t	end_room;
	uint64_t	nends;			/* so many members know the end of their class */
	uint32_t   *class_end;		/* [n] the member after the last one of its class */

	/* partners of each member, where not all of its class can be; or NULL */
	uint32_t   *partner_at;		/* [n + 1] into partners */
	uint32_t   *partners;		/* members, ascending */

	/* finding a member by its columns */
	uint64_t	nslots;			/* a power of two, 0 if there is no table */
	uint32_t   *slots;			/* members, or GPU_NONE */
} Level;

extern void InitLevel(Level *level, uint32_t k);

/* Adds a member, whose columns are k - 1 and one more. */
extern cudaError_t AddMember(ProbableJob *job, Level *level, const uint32_t *columns, uint32_t last,
							const FimMoments *moments, const Judgement *judgement);

/* When all members are there: where classes end, and a table if members will be looked for. */
extern cudaError_t CompleteLevel(ProbableJob *job, Level *level, bool find);

/* The member with k columns, all but the one at "without" of k + 1; GPU_NONE if it is not there. */
extern uint32_t FindMember(const Level *level, const uint32_t *columns, uint32_t without);

extern void FreeLevel(ProbableJob *job, Level *level);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVEL_H */
