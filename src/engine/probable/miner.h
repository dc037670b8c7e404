/*-------------------------------------------------------------------------
 *
 * miner.h
 *	  What the miners of the CPU engine share: a worker's share of a task, the ways
 *	  out of it, and its results.
 *
 * Included by the CPU engine's files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_MINER_H
#define FIM_PROBABLE_MINER_H

#include "engine/arena.h"
#include "probable.h"

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
	jmp_buf		leave;			/* with a FimResult */

	/* results not yet written */
	uint32_t   *batch;
	size_t		batch_room;		/* words */
	size_t		nwords;
	size_t		nresults;
} ProbableMiner;

/*
 * ProbableBegin() takes memory, so it is called when leave has been set; ProbableEnd()
 * gives back what the miner has, however it was left.
 */
extern void ProbableInit(ProbableMiner *m, const FimTask *task, FimHost *host, FimSink *sink);
extern void ProbableBegin(ProbableMiner *m);
extern void ProbableEnd(ProbableMiner *m);

/* Leaves if the task has been canceled. */
extern void ProbablePoll(ProbableMiner *m);

/* Write a result, unless its length is not wanted. */
extern void ProbableEmit(ProbableMiner *m, const uint32_t *items, uint32_t nitems,
						 const ProbableResult *result);
extern void ProbableFlush(ProbableMiner *m);

#endif							/* FIM_PROBABLE_MINER_H */
