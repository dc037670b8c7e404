/*-------------------------------------------------------------------------
 *
 * measure.h
 *	  What programs that time an engine have in common: a clock, and a host's memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

#include "engine/engine.h"

/* In seconds. */
typedef struct Times
{
	double		processor;		/* of the whole process */
	double		wall;
} Times;

static inline Times
Now(void)
{
	struct timespec processor;
	struct timespec wall;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
	clock_gettime(CLOCK_MONOTONIC, &wall);
	return (Times) {processor.tv_sec + processor.tv_nsec / 1e9, wall.tv_sec + wall.tv_nsec / 1e9};
}

static inline Times
Since(Times start)
{
	Times		now = Now();

	return (Times) {now.processor - start.processor, now.wall - start.wall};
}

static inline void *
HostAlloc(FimHost *host, size_t bytes)
{
	return malloc(bytes);
}

static inline void
HostFree(FimHost *host, void *block)
{
	free(block);
}

#endif							/* BENCH_MEASURE_H */
