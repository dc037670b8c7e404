/*-------------------------------------------------------------------------
 *
 * growth.h
 *	  How the numbers of distinct values grow while rows are read.
 *
 * Included by rows.h, for the rows that carry what is seen of them, and through it by
 * families that estimate how much memory a call will take.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GROWTH_H
#define GPUFIM_GROWTH_H

#include "postgres.h"

#include "read/dictionary.h"

/* How many values there were when so many rows had been read. */
typedef struct GrowthMark
{
	int64		rows;
	uint32		items;
	uint32		transactions;
} GrowthMark;

typedef struct ReadingGrowth
{
	double		expected_rows;	/* the planner's estimate; 0: there is none */
	const Dictionary *transactions; /* what else is numbered while rows are read: the ids
									 * of transactions or partitions; NULL: nothing */
	bool		read;			/* the source has been read to its end */
	int64		rows;			/* read so far */
	uint32		elements;		/* of the array that is being read */
	int64		next_mark;		/* when so many rows have been read, the next mark is set */
	GrowthMark	earlier[2];		/* the last two marks, the later one first, which has
								 * twice the rows */
	uint64		known;			/* bytes that the call needs; 0 until the family knows */
	uint64		class_bytes;	/* of these, a RowLayout's class_bytes() */
} ReadingGrowth;

/* Sets a mark.  To be called when next_mark rows have been read. */
extern void GrowthSetMark(ReadingGrowth *growth, const Dictionary *items);

#endif							/* GPUFIM_GROWTH_H */
