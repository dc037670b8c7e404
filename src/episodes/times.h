/*-------------------------------------------------------------------------
 *
 * times.h
 *	  The times of events: from a column's values to those of the engine, and back.
 *
 * To the engine, times are whole numbers if they are integers, dates or of a type that counts
 * microseconds.  Numerics become whole numbers, too: they are multiplied by a power of ten that
 * is large enough for the finest digits among them.  Only float4 and float8 stay what they are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_TIMES_H
#define GPUFIM_EPISODES_TIMES_H

#include "postgres.h"

#include "engine/episodes/episodes.h"

/* The most digits of a numeric time, counted down to the finest digit that any of the times has. */
#define TIME_DIGITS		18

typedef struct EventTimes
{
	Oid			type;			/* of the column, domains resolved */
	int32		typmod;
	bool		real;			/* float8 to the engine, otherwise whole numbers */
	int			scale;			/* a unit of gaps is 10^scale of the engine's units */

	/* only for numerics */
	int			grown;			/* growth of the scale since the caller last set this to 0 */
	int64		largest;		/* the largest absolute value so far */
} EventTimes;

/* What is wrong with a value. */
typedef enum TimeFault
{
	TIME_GOOD,
	TIME_NOT_FINITE,			/* NaN or infinity */
	TIME_TOO_LONG,				/* a numeric of more than TIME_DIGITS digits */
	TIME_TOO_LARGE				/* an interval whose microseconds do not fit int64 */
} TimeFault;

/* Can a column of this type hold times? */
extern bool IsTimeType(Oid type);

extern void TimesInit(EventTimes *times, Oid type, int32 typmod);

/*
 * Convert a value of the column to a time.  If a numeric has finer digits than all before it,
 * this adds the number of these digits to times->grown: the caller must multiply all times that
 * it has read by that power of ten, which they have room for, and set "grown" to 0.  May leave
 * garbage in the current memory context.
 */
extern TimeFault TimeOfValue(EventTimes *times, Datum value, FimTime *time);

/* What gaps are in: "days" or "seconds"; NULL if times are plain numbers. */
extern const char *UnitOfGaps(const EventTimes *times);

/* 10^n for n up to TIME_DIGITS. */
extern int64 PowerOfTen(int n);

/* Convert a time back to a value of the column's type. */
extern Datum ValueOfTime(const EventTimes *times, FimTime time);

static inline bool
IsLater(const EventTimes *times, FimTime a, FimTime b)
{
	return times->real ? a.real > b.real : a.integer > b.integer;
}

#endif							/* GPUFIM_EPISODES_TIMES_H */
