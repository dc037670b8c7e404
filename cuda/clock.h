/*-------------------------------------------------------------------------
 *
 * clock.h
 *	  A monotonic clock, in milliseconds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLOCK_H
#define FIM_CLOCK_H

#include <time.h>

static inline double
Milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

#endif							/* FIM_CLOCK_H */
