/*-------------------------------------------------------------------------
 *
 * joiner.h
 *	  What the strategies of the CPU engine share: a worker's part of a task, the ways
 *	  out of it, its results.
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
	FimSetsStrategy strategy;	/* the strategy that is at work, for which results are counted */

	/* figures not yet added to the shared ones */
	uint64_t	results;
	uint64_t	nodes;			/* paths, or whatever a strategy looks at one by one */

	/* results not yet written */
	uint32_t   *batch;			/* [FIM_BATCH_WORDS] */
	size_t		nwords;
	size_t		nresults;
} Joiner;

/*
 * Do a worker's part of a task.  join() finds the results, and leaves by j->leave when it is
 * stopped or gets no memory.  Whichever way it ends, the worker's memory is given back.
 */
extern FimResult JoinerMine(const FimTask *task, FimHost *host, FimSink *sink, void (*join) (Joiner *j));

/* Share the figures, and leave if the task has been canceled or the host says stop. */
extern void JoinerPoll(Joiner *j);

/* Steps, of about a nanosecond each, between two polls. */
#define WORK_BETWEEN_POLLS	(1 << 22)

/* Note that steps have been made. */
static inline void
JoinerWorked(Joiner *j, uint64_t steps)
{
	j->work += steps;
	if (j->work >= WORK_BETWEEN_POLLS)
		JoinerPoll(j);
}

/* Whether a pair stands for both of its orders, and counts as two results unless both values are the same. */
static inline bool
JoinerCountsTwice(const Joiner *j)
{
	return j->product.one && j->job->result == FIM_SETS_PRODUCT;
}

/* The number of results that the pairs of a left value and n right ones, all by rank, count as. */
extern uint64_t JoinerResults(const Joiner *j, uint32_t left, const uint32_t *right, uint32_t n);

/* Whether the numbers of witnesses matter, and not only whether there are some. */
static inline bool
JobCounts(const FimSetsJob *job)
{
	return job->result == FIM_SETS_SIMILAR || job->min_witnesses > 1 ||
		(job->witnesses && !job->head.count_only);
}

/* Add to the numbers of results found, whether they are written or only counted. */
static inline void
JoinerCount(Joiner *j, uint64_t results)
{
	j->results += results;
	j->summary->pairs += results;
	j->summary->found[j->strategy] += results;
}

/*
 * JoinerWrite() writes the pairs of a left value and n right ones, all by rank, and counts them.
 * witnesses may be NULL if the job does not want them, and similarities if it does not look
 * for similar sets.  JoinerFlush() hands the batch over to the sink, and shares the figures.
 * Both leave by j->leave if the sink wants no more.
 */
extern void JoinerWrite(Joiner *j, uint32_t left, const uint32_t *right, const uint32_t *witnesses,
						const double *similarities, uint32_t n);
extern void JoinerFlush(Joiner *j);

/*
 * A record can be made in place, if the job wants neither witnesses nor similarities, whether it writes
 * or only counts.  JoinerRecord() returns where to put the record's others: the numbers of at most "most"
 * right values, which must be less than FIM_BATCH_WORDS - 2.  JoinerRecordMade() adds the record with the
 * first n of them, which count as "results" results.
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
