/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  What the strategies of the CPU engine share: a worker's part of a task, the ways
 *	  out of it, its results, and counting a single episode.
 *
 * Included by the CPU engine's files.
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
	jmp_buf		leave;			/* with a FimResult */
	uint64_t	work;			/* steps since the last poll */

	/* how long an episode may be; how long what tells closed and maximal ones may be */
	uint32_t	longest;
	uint32_t	deepest;
	uint8_t    *required;		/* [ntypes]; NULL if no type is */

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
 * WorkerBegin() takes memory, so it is called when leave has been set; WorkerEnd()
 * gives back what the worker has, however it was left.
 */
extern void WorkerInit(Worker *w, const FimTask *task, FimHost *host, FimSink *sink);
extern void WorkerBegin(Worker *w);
extern void WorkerEnd(Worker *w);

/* A block that the caller has to free; leaves if there is none. */
extern void *WorkerAlloc(Worker *w, size_t bytes);

/* Leaves if the task has been canceled. */
extern void WorkerPoll(Worker *w);

/* So many steps, of a few nanoseconds each, have been made. */
#define WORK_BETWEEN_POLLS	(1 << 20)

static inline void
WorkerWorked(Worker *w, uint64_t steps)
{
	w->work += steps;
	if (w->work >= WORK_BETWEEN_POLLS)
		WorkerPoll(w);
}

/* How many of the required types are not in the episode. */
extern uint32_t WorkerMissing(const Worker *w, const Episode *episode);

/* Write or count an episode, unless its length or what is missing forbids it. */
extern void WorkerEmit(Worker *w, const Episode *episode, uint64_t support);

/* Room for a record of so many words, which counts as one result. */
extern uint32_t *WorkerRecord(Worker *w, size_t words);
extern void WorkerFlush(Worker *w);

#endif							/* FIM_EPISODES_WORKER_H */
