/*-------------------------------------------------------------------------
 *
 * joiner.h
 *	  What the strategies of the CPU engine share: a worker's part of a task, the ways
 *	  out of it, its results.
 *
 * Included by the CPU engine's files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_JOINER_H
#define FIM_SETS_JOINER_H

#include "engine/arena.h"
#include "product.h"

typedef struct Joiner
{
	const FimSetsJob *job;
	Product		product;
	FimShared  *shared;
	FimSetsSummary *summary;
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	jmp_buf		leave;			/* with a FimResult */
	uint64_t	work;			/* steps since the last poll */
	FimSetsStrategy strategy;	/* that finds what is emitted now */

	/* figures not yet added to the shared ones */
	uint64_t	results;
	uint64_t	nodes;			/* paths, or whatever a strategy looks at one by one */

	/* results not yet written */
	uint32_t   *batch;			/* [FIM_BATCH_WORDS] */
	size_t		nwords;
	size_t		nresults;
} Joiner;

/*
 * Do a worker's part of a task.  join() finds the results and leaves when it is stopped or has no
 * memory; whichever way it ends, what the worker has is given back.
 */
extern FimResult JoinerMine(const FimTask *task, FimHost *host, FimSink *sink, void (*join) (Joiner *j));

/* Leaves if the task has been canceled. */
extern void JoinerPoll(Joiner *j);

/* So many steps, of about a nanosecond each, have been made. */
#define WORK_BETWEEN_POLLS	(1 << 22)

static inline void
JoinerWorked(Joiner *j, uint64_t steps)
{
	j->work += steps;
	if (j->work >= WORK_BETWEEN_POLLS)
		JoinerPoll(j);
}

/*
 * How many results the pairs of a left value and n right ones are, by rank: a pair without
 * order that stands for both of its orders counts twice.
 */
static inline bool
JoinerCountsTwice(const Joiner *j)
{
	return j->product.one && j->job->result == FIM_SETS_PRODUCT;
}

extern uint64_t JoinerResults(const Joiner *j, uint32_t left, const uint32_t *right, uint32_t n);

/* Do numbers of witnesses matter, or only whether there are some? */
static inline bool
JobCounts(const FimSetsJob *job)
{
	return job->result == FIM_SETS_SIMILAR || job->min_witnesses > 1 ||
		(job->witnesses && !job->head.count_only);
}

/* So many results were found, whether they are written or only to be counted. */
static inline void
JoinerCount(Joiner *j, uint64_t results)
{
	j->results += results;
	j->summary->pairs += results;
	j->summary->found[j->strategy] += results;
}

/*
 * Write the pairs of a left value and n right ones, all by rank.  witnesses may be NULL
 * if the job does not want them; similarities, unless it is to find similar sets.
 */
extern void JoinerWrite(Joiner *j, uint32_t left, const uint32_t *right, const uint32_t *witnesses,
						const double *similarities, uint32_t n);
extern void JoinerFlush(Joiner *j);

/*
 * A record that is made in place, for a job that wants neither witnesses nor similarities, whether it
 * writes or only counts.  JoinerRecord() returns where to put the others, by value, of which there are at
 * most so many, less than FIM_BATCH_WORDS - 2.  JoinerRecordMade() takes the first n of them, which are so
 * many results.
 */
static inline uint32_t *
JoinerRecord(Joiner *j, uint32_t most)
{
	if (FIM_BATCH_WORDS - j->nwords < 2 + (size_t) most)
		JoinerFlush(j);
	return j->batch + j->nwords + 2;
}

static inline void
JoinerRecordMade(Joiner *j, uint32_t left, uint32_t n, uint64_t results)
{
	JoinerCount(j, results);
	if (n > 0 && !j->job->head.count_only)
	{
		j->batch[j->nwords] = j->product.left.value[left];
		j->batch[j->nwords + 1] = n;
		j->nwords += 2 + (size_t) n;
		j->nresults += results;
	}
}

#endif							/* FIM_SETS_JOINER_H */
