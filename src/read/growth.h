/*-------------------------------------------------------------------------
 *
 * growth.h
 *	  How the numbers of distinct values grow while rows are read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GROWTH_H
#define GPUFIM_GROWTH_H

#include "postgres.h"

#include "read/dictionary.h"

/* How many distinct values there were when a certain number of rows had been read. */
typedef struct GrowthMark
{
	int64		rows;
	uint32		items;
	uint32		transactions;
} GrowthMark;

typedef struct ReadingGrowth
{
	double		expected_rows;	/* the planner's estimate; 0: there is none */
	const Dictionary *transactions; /* the second dictionary that grows while rows are
									 * read, of the ids of transactions or partitions;
									 * NULL: there is none */
	bool		read;			/* the source has been read to its end */
	int64		rows;			/* read so far */
	uint32		elements;		/* in the array that is being read */
	int64		next_mark;		/* number of rows after which the next mark is set */
	GrowthMark	earlier[2];		/* the last two marks, the later one first; it was set
								 * after at least twice as many rows as the other */
	uint64		known;			/* bytes that the call needs; 0 until the family knows */
	uint64		class_bytes;	/* the part of these that class_bytes() of RowLayout said */
} ReadingGrowth;

/* Sets a mark, and says when the next one is due.  To be called after next_mark rows. */
extern void GrowthSetMark(ReadingGrowth *growth, const Dictionary *items);

#endif							/* GPUFIM_GROWTH_H */
