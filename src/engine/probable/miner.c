/*-------------------------------------------------------------------------
 *
 * miner.c
 *	  What the miners of the CPU engine share: their memory, polls, and results on their way to the sink.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/parts.h"
#include "miner.h"

#include <math.h>
#include <string.h>

void
ProbableInit(ProbableMiner *m, const FimTask *task, FimHost *host, FimSink *sink)
{
	memset(m, 0, sizeof(*m));
	m->spec = (const FimProbableSpec *) task->spec;
	m->data = (const FimProbableData *) task->data;
	m->shared = task->shared;
	m->summary = task->summary;
	m->host = host;
	m->sink = sink;
	m->sums = CurrentSums();
	m->by_expectation = FimByExpectation(m->spec);
	if (!m->by_expectation)
		FimGoalInit(&m->goal, m->spec->minsup, m->spec->minprob);
	ArenaInit(&m->arena, host, &m->leave);
	ArenaInit(&m->level_arenas[0], host, &m->leave);
	ArenaInit(&m->level_arenas[1], host, &m->leave);
	FimWorkspaceInit(&m->workspace, host);
}

void
ProbableBegin(ProbableMiner *m)
{
	size_t		longest = FIM_PROBABLE_RECORD_WORDS(m->data->nitems);
	size_t		nitems = (size_t) m->data->nitems + 1;

	m->batch_room = longest > FIM_BATCH_WORDS ? longest : FIM_BATCH_WORDS;
	m->batch = ArenaAlloc(&m->arena, m->batch_room * sizeof(uint32_t));
	m->items = ArenaAlloc(&m->arena, nitems * sizeof(uint32_t));
	m->sorted = ArenaAlloc(&m->arena, nitems * sizeof(uint32_t));
	m->probabilities = ArenaAlloc(&m->arena, ((size_t) m->data->nrows + 8) * sizeof(double));
	m->rows = ArenaAlloc(&m->arena, ((size_t) m->data->nrows + 1) * sizeof(uint32_t));
	m->holds = ArenaAlloc(&m->arena, nitems * sizeof(bool));
	memset(m->holds, 0, nitems * sizeof(bool));
	for (uint32_t i = 0; i < m->spec->nrequired; i++)
		ProbablePush(m, i);
	if (FimIsPart(&m->spec->head.part))
		ProbableDeal(m);
}

void
ProbableEnd(ProbableMiner *m)
{
	__atomic_fetch_add(&m->shared->nodes, m->nodes, __ATOMIC_RELAXED);
	FimWorkspaceFree(&m->workspace);
	ArenaFree(&m->arena);
	ArenaFree(&m->level_arenas[0]);
	ArenaFree(&m->level_arenas[1]);
}

void
ProbablePoll(ProbableMiner *m)
{
	if (FimMustStop(m->shared, m->host))
		longjmp(m->leave, FIM_STOPPED);
}

void
ProbableFlush(ProbableMiner *m)
{
	if (!FimWriteBatch(m->sink, m->batch, &m->nwords, &m->nresults))
		longjmp(m->leave, FIM_STOPPED);
}

/* Sort the items at hand by insertion: mostly they are few, and consist of a few sorted parts. */
static const uint32_t *
SortedItems(ProbableMiner *m)
{
	for (uint32_t i = 0; i < m->nitems; i++)
	{
		uint32_t	at = i;

		for (; at > 0 && m->sorted[at - 1] > m->items[i]; at--)
			m->sorted[at] = m->sorted[at - 1];
		m->sorted[at] = m->items[i];
	}
	return m->sorted;
}

void
ProbableEmit(ProbableMiner *m, const ProbableResult *result)
{
	size_t		words = FIM_PROBABLE_RECORD_WORDS(m->nitems);
	uint32_t   *to;

	__atomic_fetch_add(&m->shared->results, 1, __ATOMIC_RELAXED);
	if (m->spec->head.count_only)
		return;
	if (m->nwords + words > FIM_BATCH_WORDS)
		ProbableFlush(m);
	to = m->batch + m->nwords;
	*to++ = m->nitems;
	memcpy(to, SortedItems(m), sizeof(uint32_t) * m->nitems);
	to += m->nitems;
	memcpy(to, &result->probability, sizeof(double));
	memcpy(to + 2, &result->expected, sizeof(double));
	to[4] = result->occurrences;
	m->nwords += words;
	m->nresults++;
}
