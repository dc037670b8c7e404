/*-------------------------------------------------------------------------
 *
 * family.h
 *	  Tasks, and the families that know how to do them.
 *
 * A family is what is mined in one way: frequent itemsets, for instance.  It has
 * a folder of its name on each floor (src/, src/engine/, cuda/) and one line in
 * families.h.  The SQL functions of a family call their own code directly.  A
 * table of families is needed only where a task reaches another process, which
 * has to find the code for it by a number.
 *
 * A task is what the workers of one call do together.  It consists of flat
 * pieces of memory without pointers, so that they can lie in shared memory that
 * every process maps at another address:
 *
 *		the spec: what to do.  It begins with a FimSpec, and the family's own
 *			fields follow.
 *		the data: what to do it with.  They begin with a FimData, and the family's
 *			own layout follows.
 *		the shared state: a FimShared, then what the family needs beside it
 *		the summary: what the workers' shares add up to, a table of counts for
 *			instance.  Each worker has its own, zeroed before it begins, and they
 *			are added in the end.  Not every task has one.
 *
 * Life of a task:
 *
 *	1. One process makes the spec and the data.  For the CPU engine, the data must
 *	   have been completed with cpu_prepare(), but for what cpu_fill() does.
 *	2. FimSharedInit() on zeroed memory of FimSharedSize() bytes.
 *	3. Every worker calls FimMine(), or a GPU's mine(), with a summary and a sink of its
 *	   own.  The workers take units of work from the shared counter, and together they give
 *	   each result exactly once.  A worker that comes late may find no unit left.
 *	4. The workers' summaries are added with summary_add().
 *
 * If another engine takes over, it starts anew with step 2: the sink forgets what
 * it was given, and the summaries are zeroed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_FAMILY_H
#define FIM_FAMILY_H

#include "engine/engine.h"

/* Which part of a task's results to give, see parts.h.  All zeros: all of them. */
typedef struct FimPart
{
	uint32_t	number;			/* from 0, below "of" */
	uint32_t	of;				/* so many parts; 0 or 1: there is one, with all results */
} FimPart;

/* What every spec begins with. */
typedef struct FimSpec
{
	uint32_t	size;			/* in bytes, with the family's own fields */
	int32_t		strategy;		/* index into the strategies of the engine at work */
	bool		count_only;		/* fill the summary, write nothing to the sink */
	FimPart		part;
} FimSpec;

/* What all data begin with. */
typedef struct FimData
{
	uint64_t	size;			/* in bytes, with the family's own layout */
	uint32_t	unfilled;		/* cpu_prepare() sets it to 1 where cpu_fill() has to follow, and the last part to 0 */
} FimData;

/*
 * In so many parts the workers fill data in.  A part costs one pass over all rows, and four passes in each of which a
 * fourth of the items is listed take one process little longer than one pass for all, as they write to fewer places at a time.
 */
#define FIM_FILL_PARTS	4

/* The next place in flat memory where any number may begin. */
static inline uint64_t
FimAlignUp(uint64_t at)
{
	return (at + 7) / 8 * 8;
}

typedef struct FimTask
{
	const struct FimFamily *family;
	const FimSpec *spec;
	const FimData *data;
	FimShared  *shared;
	void	   *summary;		/* NULL if summary_size() is 0 */
} FimTask;

/*
 * A family as it is seen by a process that has its tasks done, or does them on the CPU.  All
 * functions but cpu_fill() and mine() look only at the spec and the data of a task.  Where a function may be
 * NULL, its comment says so.
 */
typedef struct FimFamily
{
	const char *name;

	/* Names of strategies, each list begins with "auto" and ends with NULL. */
	const char *const *strategies; /* of the CPU engine */
	const char *const *gpu_strategies;

	/*
	 * The number of units of work for the CPU engine.  Called for tasks of GPUs, too, in which
	 * the spec's strategy is one of the GPU engine.
	 */
	uint64_t	(*units) (const FimTask *task);

	/* The number of bytes that follow FimShared, and a function that sets them up.  May be NULL. */
	size_t		(*shared_size) (const FimTask *task);
	void		(*shared_init) (const FimTask *task);

	/*
	 * The number of bytes of a summary, 0 if the task has none, and a function that adds one
	 * summary to another.  May be NULL.
	 */
	size_t		(*summary_size) (const FimTask *task);
	void		(*summary_add) (const FimTask *task, void *into, const void *from);

	/*
	 * The number of bytes that the data take once they have been completed for the CPU engine,
	 * and a function that completes them, but for what cpu_fill() does, in memory of that size and sets data->size.
	 * cpu_prepare() returns false if the host's poll said stop.  NULL if the CPU engine uses the
	 * data as they are.
	 */
	size_t		(*cpu_size) (const FimData *data);
	bool		(*cpu_prepare) (FimData *data, FimHost *host);

	/*
	 * What takes long of completing the data is left to the workers: the data consist of
	 * FIM_FILL_PARTS parts, and this fills one of them in.  Different parts may be filled in at the same time.  NULL if
	 * cpu_prepare() completes the data, or nothing has to.
	 */
	FimResult	(*cpu_fill) (const FimTask *task, uint32_t part, FimHost *host);

	/*
	 * Do a worker's share of the task on the CPU, with complete data.  mine() calls FimStrategyUsed() for each
	 * strategy that it uses, so that it is known what "auto" has chosen.
	 */
	FimResult	(*mine) (const FimTask *task, FimHost *host, FimSink *sink);

	/*
	 * About how many bytes each worker on the CPU takes from its host in a few large blocks,
	 * independent of what is found; 0 if that is little.  May be NULL.
	 */
	uint64_t	(*worker_size) (const FimTask *task);
} FimFamily;

/* Make a task of its pieces, without the state that workers share.  The summary is NULL if the task has none. */
static inline FimTask
FimTaskOf(const FimFamily *family, const FimSpec *spec, const FimData *data, void *summary)
{
	FimTask		task = {.family = family,.spec = spec,.data = data,.summary = summary};

	return task;
}

/*
 * A family's number, the same in all processes, and the family of a number.
 * FimFamilyOf() returns NULL if there is none.
 */
extern int	FimFamilyNumber(const FimFamily *family);
extern const FimFamily *FimFamilyOf(int number);

/*
 * The number of bytes of a task's shared state, including what the family adds, and a function
 * that sets it up.
 */
extern size_t FimSharedSize(const FimTask *task);
extern void FimSharedInit(const FimTask *task);

/* The number of bytes of a summary; 0 if the task has none. */
extern size_t FimSummarySize(const FimTask *task);

/* The family's worker_size(); 0 if it has none. */
extern uint64_t FimWorkerSize(const FimTask *task);

/*
 * fill.c: Do a worker's share of a task on the CPU.  The first thing that the workers do together is to fill the data in,
 * unless they are.
 */
extern FimResult FimMine(const FimTask *task, FimHost *host, FimSink *sink);

/* Are the data complete, so that mining can begin? */
static inline bool
FimIsFilled(const FimTask *task)
{
	return __atomic_load_n(&task->data->unfilled, __ATOMIC_ACQUIRE) == 0;
}

#endif							/* FIM_FAMILY_H */
