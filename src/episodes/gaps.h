/*-------------------------------------------------------------------------
 *
 * gaps.h
 *	  The gaps of a call: ranges of numeric, and what the engine makes of them.
 *
 * Included by the files of src/episodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_GAPS_H
#define GPUFIM_EPISODES_GAPS_H

#include "arguments.h"
#include "episodes/times.h"
#include "utils/rangetypes.h"

/* The gaps that an argument gives, each once, in the order in which they came first. */
typedef struct Gaps
{
	uint32		n;
	RangeType **range;			/* [n] */
	uint32		given;			/* elements of the argument */
	uint32	   *number;			/* [given], which gap each of them is */
} Gaps;

/*
 * The argument "gaps", a numrange[] that must not be null.  Raises an error if a gap is
 * null or empty or admits 0 or less.
 */
extern void TakeGaps(Arguments *args, Gaps *gaps);

/*
 * Both bounds of each gap as the engine has them for these times, which have all been
 * read; palloc'd.
 */
extern FimGap *GapsInTimes(const Gaps *gaps, const EventTimes *times);

/* The argument "dither", which must be above 0 and finite, in the units of these times. */
extern FimTime DitherInTimes(Datum dither, const EventTimes *times);

#endif							/* GPUFIM_EPISODES_GAPS_H */
