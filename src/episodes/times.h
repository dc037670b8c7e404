/*-------------------------------------------------------------------------
 *
 * times.h
 *	  The times of events: from a column's values to those of the engine, and back.
 *
 * Integers, dates and all types that count microseconds are whole numbers to the engine,
 * and so are numerics: these are multiplied by a power of ten, so that the finest digits
 * met are whole.  Only float4 and float8 stay what they are.
 *
 * Included by the files of src/episodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_TIMES_H
#define GPUFIM_EPISODES_TIMES_H

#include "postgres.h"

#include "engine/episodes/episodes.h"

/* A numeric has at most so many digits, counted from the finest that any of them has. */
#define TIME_DIGITS		18

typedef struct EventTimes
{
	Oid			type;			/* of the column, domains resolved */
	int32		typmod;
	bool		real;			/* float8 to the engine, otherwise whole numbers */
	int			scale;			/* 10^scale to the engine is a unit of gaps */

	/* numerics: above 0 if the scale has grown, and the largest time so far */
	int			grown;
	int64		largest;
} EventTimes;

/* What may be wrong with a value. */
typedef enum TimeFault
{
	TIME_GOOD,
	TIME_NOT_FINITE,			/* NaN or infinity */
	TIME_TOO_LONG,				/* a numeric of more than TIME_DIGITS digits */
	TIME_TOO_LARGE				/* an interval that microseconds do not fit int64 of */
} TimeFault;

/* Are there times of this type? */
extern bool IsTimeType(Oid type);

extern void TimesInit(EventTimes *times, Oid type, int32 typmod);

/*
 * The time that a value of the column is.  If a numeric has finer digits than all before,
 * "grown" says by how many: what has been read until now must be multiplied by that power
 * of ten, which fits.  Whoever does so sets it to 0.  May leave garbage in the current
 * memory context.
 */
extern TimeFault TimeOfValue(EventTimes *times, Datum value, FimTime *time);

/* 10^n for n up to TIME_DIGITS. */
extern int64 PowerOfTen(int n);

/* The value of the column's type that a time is. */
extern Datum ValueOfTime(const EventTimes *times, FimTime time);

static inline bool
IsLater(const EventTimes *times, FimTime a, FimTime b)
{
	return times->real ? a.real > b.real : a.integer > b.integer;
}

#endif							/* GPUFIM_EPISODES_TIMES_H */
