/*-------------------------------------------------------------------------
 *
 * repeats.h
 *	  Lists of probabilities that have few different values.
 *
 * A sensor that is right nine times of ten, or a classifier that rounds, gives such lists.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_REPEATS_H
#define FIM_REPEATS_H

#include "workspace.h"

/* The most different values that are counted as few. */
#define MOST_VALUES		64

/* The different values, and how often each occurs. */
typedef struct Repeats
{
	uint32_t	n;				/* 0 if they are too many */
	double		value[MOST_VALUES];
	uint32_t	times[MOST_VALUES];
} Repeats;

/*
 * Count the different values of p[n].  They are too many if they occur less than "least"
 * times on the average.  Returns false if the host wants to stop.
 */
extern bool CountRepeats(FimWorkspace *ws, const double *p, uint32_t n, uint32_t least, Repeats *repeats);

#endif							/* FIM_REPEATS_H */
