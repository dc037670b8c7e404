/*-------------------------------------------------------------------------
 *
 * miner.h
 *	  What the miners of the CPU engine share: a worker's share of a task, the ways
 *	  out of it, and its results.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_MINER_H
#define FIM_PROBABLE_MINER_H

#include "bounds.h"
#include "engine/arena.h"
#include "probable.h"
#include "sums.h"
#include "tail.h"

/* An itemset that is selected, as it will be written. */
typedef struct ProbableResult
{
	double		probability;
	double		expected;
	uint32_t	occurrences;
} ProbableResult;

typedef struct ProbableMiner
{
	const FimProbableJob *job;
	const FimProbableData *data;
	FimShared  *shared;
	FimProbableSummary *summary;
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	Arena		level_arenas[2];	/* of a level and of the next one, where mining goes level by level */
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends the worker's share */
	const ProbableSums *sums;
	uint64_t	work;			/* since the last poll, in about nanoseconds */
	uint64_t	nodes;			/* not yet added to those of "shared" */

	/* deciding and computing values */
	bool		by_expectation;
	FimGoal		goal;
	FimWorkspace workspace;
	double	   *probabilities;	/* [nrows + 8] those of the itemset at hand */
	uint32_t   *rows;			/* [nrows] the rows of the data that hold it */

	/* the itemset at hand, as a stack */
	uint32_t   *items;			/* [data->nitems] */
	uint32_t	nitems;
	bool	   *holds;			/* [data->nitems] is it in the itemset? */
	uint32_t   *sorted;			/* [data->nitems] for output */

	/* results not yet written */
	uint32_t   *batch;
	size_t		batch_room;		/* words */
	size_t		nwords;
	size_t		nresults;
} ProbableMiner;

/*
 * ProbableBegin() allocates memory, so "leave" must have been set before it is called.
 * ProbableEnd() frees what the miner has, however its share ended.
 */
extern void ProbableInit(ProbableMiner *m, const FimTask *task, FimHost *host, FimSink *sink);
extern void ProbableBegin(ProbableMiner *m);
extern void ProbableEnd(ProbableMiner *m);

/* Leaves if the task has been canceled. */
extern void ProbablePoll(ProbableMiner *m);

/* ProbableWork() adds work, in about nanoseconds, and polls each time this much has been added. */
#define POLL_WORK	(UINT64_C(1) << 20)

static inline void
ProbableWork(ProbableMiner *m, uint64_t work)
{
	m->work += work;
	if (m->work >= POLL_WORK)
	{
		m->work = 0;
		ProbablePoll(m);
	}
}

/* Add an item to the itemset at hand; take the last one away. */
static inline void
ProbablePush(ProbableMiner *m, uint32_t item)
{
	m->items[m->nitems++] = item;
	m->holds[item] = true;
}

static inline void
ProbablePop(ProbableMiner *m)
{
	m->holds[m->items[--m->nitems]] = false;
}

/* How many factors each probability of the itemset at hand has. */
static inline uint32_t
ProbableFactors(const ProbableMiner *m)
{
	return m->data->by_entry ? m->nitems : 1;
}

/* Leaves with the result unless it is FIM_DONE. */
static inline void
ProbableExpect(ProbableMiner *m, FimResult result)
{
	if (result != FIM_DONE)
		longjmp(m->leave, (int) result);
}

/* Is the length of the itemset at hand wanted? */
static inline bool
ProbableWants(const ProbableMiner *m)
{
	return m->nitems >= m->job->min_length && m->nitems <= m->job->max_length;
}

/* Write the itemset at hand. */
extern void ProbableEmit(ProbableMiner *m, const ProbableResult *result);
extern void ProbableFlush(ProbableMiner *m);

#endif							/* FIM_PROBABLE_MINER_H */
