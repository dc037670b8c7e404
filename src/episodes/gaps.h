/*-------------------------------------------------------------------------
 *
 * gaps.h
 *	  The gaps of a call: ranges of numeric, and their form in the engine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_GAPS_H
#define GPUFIM_EPISODES_GAPS_H

#include "arguments.h"
#include "episodes/times.h"
#include "utils/rangetypes.h"

/* The different gaps of an argument, in the order of their first appearance. */
typedef struct Gaps
{
	uint32		n;
	RangeType **range;			/* [n] */
	uint32		given;			/* number of the argument's elements */
	uint32	   *number;			/* [given], the index in range[] of each element's gap */
} Gaps;

/*
 * The argument "gaps", a numrange[] that must not be null.  Raises an error if a gap is
 * null or empty or admits 0 or less.
 */
extern void TakeGaps(Arguments *args, Gaps *gaps);

/*
 * Returns the gaps as the engine has them, in the units of these times; palloc'd.  All times must
 * have been read before, because numerics can still change the unit.
 */
extern FimGap *GapsInTimes(const Gaps *gaps, const EventTimes *times);

/* Returns the argument "dither", which must be above 0 and finite, in the units of these times. */
extern FimTime DitherInTimes(Datum dither, const EventTimes *times);

#endif							/* GPUFIM_EPISODES_GAPS_H */
