/*-------------------------------------------------------------------------
 *
 * repeats.h
 *	  Lists of probabilities of which few are different.
 *
 * A sensor that is right nine times of ten, or a classifier that rounds, gives such lists.
 *
 * Included by tree.c and precise.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_REPEATS_H
#define FIM_REPEATS_H

#include "workspace.h"

/* More values than this are no longer few. */
#define MOST_VALUES		64

/* The different values and how often each is there. */
typedef struct Repeats
{
	uint32_t	n;				/* 0 if they are too many */
	double		value[MOST_VALUES];
	uint32_t	times[MOST_VALUES];
} Repeats;

/*
 * Each is to be there "least" times on the average: otherwise they are too many for what
 * follows to pay.  Returns false if the host wants to stop.
 */
extern bool CountRepeats(FimWorkspace *ws, const double *p, uint32_t n, uint32_t least, Repeats *repeats);

#endif							/* FIM_REPEATS_H */
