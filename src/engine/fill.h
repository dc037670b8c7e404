/*-------------------------------------------------------------------------
 *
 * fill.h
 *	  Completing data for the CPU engine by all workers of a task.
 *
 * Families whose data are rows of items need the rows of each item, too, before they can be mined.
 * cpu_prepare() finds out where each item's rows will be listed, and cpu_fill() lists those of some of the items.
 * A row's items are ascending, so that the items of a part are next to each other in each row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_FILL_H
#define FIM_FILL_H

#include "engine/family.h"

/*
 * Fills in parts of a task's data until none is left, and waits for those that other workers have taken, each of
 * which calls this, too.  Does nothing if the data are complete.
 */
extern FimResult FimFillData(const FimTask *task, FimHost *host);

/*
 * For families: the items of a part.
 */

typedef struct FimFill
{
	uint32_t	first;
	uint32_t	end;
	uint64_t   *next;			/* [end - first] where the next row of each item goes */
	uint64_t	passed;			/* entries of rows since the last poll */
} FimFill;

/*
 * A family's cpu_fill(): has list() go through all rows for the items of a part, of which it returns false if the
 * worker is to stop.  The rows of item i go to the places starts[i] .. starts[i + 1] - 1 of a list, and all parts have
 * about as many of them.
 */
extern FimResult FimFillPart(const FimTask *task, const uint64_t *starts, uint32_t nitems, uint32_t part,
							 bool (*list) (const FimTask *task, FimFill *fill, FimHost *host), FimHost *host);

/* Is the worker to stop, after a row of so many items?  Asks the host now and then. */
#define FIM_FILL_POLL		65536

static inline bool
FimFillMustStop(FimFill *fill, uint64_t nitems, const FimShared *shared, FimHost *host)
{
	fill->passed += nitems + 1;
	if (fill->passed < FIM_FILL_POLL)
		return false;
	fill->passed = 0;
	return FimMustStop(shared, host);
}

/* Returns the place of an item's next row. */
static inline uint64_t
FimFillNext(FimFill *fill, uint32_t item)
{
	return fill->next[item - fill->first]++;
}

#endif							/* FIM_FILL_H */
