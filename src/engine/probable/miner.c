/*-------------------------------------------------------------------------
 *
 * miner.c
 *	  What the miners of the CPU engine share.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

void
ProbableInit(ProbableMiner *m, const FimTask *task, FimHost *host, FimSink *sink)
{
	memset(m, 0, sizeof(*m));
	m->job = (const FimProbableJob *) task->job;
	m->data = (const FimProbableData *) task->data;
	m->shared = task->shared;
	m->summary = task->summary;
	m->host = host;
	m->sink = sink;
	ArenaInit(&m->arena, host, &m->leave);
}

void
ProbableBegin(ProbableMiner *m)
{
	size_t		longest = FIM_PROBABLE_RECORD_WORDS(m->data->max_row);

	m->batch_room = longest > FIM_BATCH_WORDS ? longest : FIM_BATCH_WORDS;
	m->batch = m->host->alloc(m->host, m->batch_room * sizeof(uint32_t));
	if (m->batch == NULL)
		longjmp(m->leave, FIM_OUT_OF_MEMORY);
}

void
ProbableEnd(ProbableMiner *m)
{
	if (m->batch != NULL)
		m->host->free(m->host, m->batch);
	ArenaFree(&m->arena);
}

void
ProbablePoll(ProbableMiner *m)
{
	if (FimIsCanceled(m->shared) || m->host->poll(m->host))
		longjmp(m->leave, FIM_STOPPED);
}

void
ProbableFlush(ProbableMiner *m)
{
	size_t		nwords = m->nwords;
	size_t		nresults = m->nresults;

	m->nwords = m->nresults = 0;
	if (nresults > 0 && !m->sink->write(m->sink, m->batch, nwords, nresults))
		longjmp(m->leave, FIM_STOPPED);
}

void
ProbableEmit(ProbableMiner *m, const uint32_t *items, uint32_t nitems,
			 const ProbableResult *result)
{
	size_t		words = FIM_PROBABLE_RECORD_WORDS(nitems);
	uint32_t   *to;

	if (nitems < m->job->min_length || nitems > m->job->max_length)
		return;
	__atomic_fetch_add(&m->shared->results, 1, __ATOMIC_RELAXED);
	if (m->job->head.count_only)
		return;
	if (m->nwords + words > FIM_BATCH_WORDS)
		ProbableFlush(m);
	to = m->batch + m->nwords;
	*to++ = nitems;
	memcpy(to, items, sizeof(uint32_t) * nitems);
	to += nitems;
	memcpy(to, &result->probability, sizeof(double));
	memcpy(to + 2, &result->expected, sizeof(double));
	to[4] = result->occurrences;
	m->nwords += words;
	m->nresults++;
}
