/*-------------------------------------------------------------------------
 *
 * fill.c
 *	  Completing data for the CPU engine by all workers of a task.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/fill.h"

#include <string.h>
#include <time.h>

#include "engine/arena.h"

/* How long a worker waits at a time for the parts that others are filling in, in nanoseconds. */
#define FILL_WAIT		100000

FimResult
FimFillPart(const FimTask *task, const uint64_t *starts, uint32_t nitems, uint32_t part,
			bool (*list) (const FimTask *task, FimFill *fill, FimHost *host), FimHost *host)
{
	FimFill		fill = {
		.first = FirstListOfPart(starts, nitems, part, FIM_FILL_PARTS),
		.end = FirstListOfPart(starts, nitems, part + 1, FIM_FILL_PARTS)
	};
	bool		listed;

	/* one more, since a host need not give blocks of no bytes */
	fill.next = host->alloc(host, sizeof(uint64_t) * ((size_t) (fill.end - fill.first) + 1));
	if (fill.next == NULL)
		return FIM_OUT_OF_MEMORY;
	memcpy(fill.next, starts + fill.first, sizeof(uint64_t) * (fill.end - fill.first));
	listed = list(task, &fill, host);
	host->free(host, fill.next);
	return listed ? FIM_DONE : FIM_STOPPED;
}

FimResult
FimFillData(const FimTask *task, FimHost *host)
{
	FimData    *data = (FimData *) task->data;	/* nothing but this changes data that a task has */
	FimShared  *shared = task->shared;
	uint32_t	part;

	if (FimIsFilled(task))
		return FIM_DONE;
	while ((part = __atomic_fetch_add(&shared->next_fill, 1, __ATOMIC_RELAXED)) < FIM_FILL_PARTS)
	{
		FimResult	result = task->family->cpu_fill(task, part, host);

		if (result == FIM_DONE && FimMustStop(shared, host))
			result = FIM_STOPPED;
		if (result != FIM_DONE)
			return result;
		if (__atomic_add_fetch(&shared->filled, 1, __ATOMIC_ACQ_REL) == FIM_FILL_PARTS)
			__atomic_store_n(&data->unfilled, 0, __ATOMIC_RELEASE);
	}
	while (!FimIsFilled(task))
	{
		struct timespec wait = {.tv_nsec = FILL_WAIT};

		if (FimMustStop(shared, host))
			return FIM_STOPPED;
		(void) nanosleep(&wait, NULL);
	}
	return FIM_DONE;
}

FimResult
FimMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	FimResult	result = FimFillData(task, host);

	return result == FIM_DONE ? task->family->mine(task, host, sink) : result;
}
