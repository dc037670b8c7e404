/*-------------------------------------------------------------------------
 *
 * forecast.h
 *	  How much memory a call will take, as far as its rows tell.
 *
 * Included by rows.h, for the rows that carry what is seen of them, and by the SQL
 * functions of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_FORECAST_H
#define GPUFIM_FORECAST_H

#include "postgres.h"

struct GpufimRows;
struct Dictionary;

/* How many values there were when so many rows had been read. */
typedef struct ReadingMark
{
	int64		rows;
	uint32		items;
	uint32		tids;
} ReadingMark;

typedef struct Forecast
{
	double		expected_rows;	/* the planner's estimate, 0: none */
	const struct Dictionary *tids;	/* while rows are read that a column groups */
	bool		read;			/* the source has been read to its end */
	int64		rows;			/* read so far */
	uint32		elements;		/* of the array that is being read */
	int64		next_mark;		/* rows to be read until then */
	ReadingMark earlier[2];		/* the later one first, at twice the rows */
	uint64		known;			/* bytes, once the items are known; 0 before */
} Forecast;

/* To be called when next_mark rows have been read. */
extern void ForecastMark(struct GpufimRows *rows);

/*
 * What the call will need in all, in bytes.  An estimate, which the ledger asks for
 * before it raises an error; rows is a GpufimRows.
 */
extern uint64 ForecastMemory(const void *rows);

/*
 * The same from when the items are known that are kept, and how many entries of
 * how many transactions are theirs, before memory is taken for these.
 */
extern void ForecastItems(struct GpufimRows *rows, uint64 transactions, uint64 entries,
						  uint32 nitems);

#endif							/* GPUFIM_FORECAST_H */
