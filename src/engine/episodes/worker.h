/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  What the strategies of the CPU engine share: a worker's part of a task, the ways
 *	  out of it, its results, and counting a single episode.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_WORKER_H
#define FIM_EPISODES_WORKER_H

#include "engine/arena.h"
#include "stream.h"

/* An episode, or the beginning of one: gap[k] is between type[k] and type[k + 1]. */
typedef struct Episode
{
	uint32_t   *type;
	uint32_t   *gap;
	uint32_t	length;
} Episode;

typedef struct Worker
{
	const FimEpisodesJob *job;
	Stream		stream;
	FimShared  *shared;
	uint64_t   *summary;		/* NULL unless the task only counts */
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends the worker's part */
	uint64_t	work;			/* steps since the last poll */

	uint32_t	longest;		/* the most events of a result */
	uint32_t	deepest;		/* the most events of an episode that is counted: one more than longest
								 * if extensions tell whether results are closed or maximal */
	uint8_t    *required;		/* [ntypes] 1 for required types; NULL if there are none */

	/* figures not yet added to the shared ones */
	uint64_t	results;
	uint64_t	nodes;

	/* results not yet written */
	uint32_t   *batch;
	size_t		batch_room;		/* words */
	size_t		nwords;
	size_t		nresults;
} Worker;

/*
 * WorkerBegin() allocates memory, so "leave" must have been set before it is called.
 * WorkerEnd() frees what the worker has, however its part ended.
 */
extern void WorkerInit(Worker *w, const FimTask *task, FimHost *host, FimSink *sink);
extern void WorkerBegin(Worker *w);
extern void WorkerEnd(Worker *w);

/* A block of the host's memory, which the caller has to free; leaves if there is none. */
extern void *WorkerAlloc(Worker *w, size_t bytes);

/* Adds the worker's figures to the shared ones, and leaves if the task has been canceled. */
extern void WorkerPoll(Worker *w);

/* WorkerWorked() adds to the steps of work, of a few nanoseconds each, and polls after this many. */
#define WORK_BETWEEN_POLLS	(1 << 20)

static inline void
WorkerWorked(Worker *w, uint64_t steps)
{
	w->work += steps;
	if (w->work >= WORK_BETWEEN_POLLS)
		WorkerPoll(w);
}

/* Write or count an episode if its length is wanted and it has all required types. */
extern void WorkerEmit(Worker *w, const Episode *episode, uint64_t support);

/* Room in the batch for a record of this many words, which counts as one result. */
extern uint32_t *WorkerRecord(Worker *w, size_t words);
extern void WorkerFlush(Worker *w);

#endif							/* FIM_EPISODES_WORKER_H */
