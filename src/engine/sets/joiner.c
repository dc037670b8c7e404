/*-------------------------------------------------------------------------
 *
 * joiner.c
 *	  What the strategies of the CPU engine share: a worker's part of a task, and writing results.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "joiner.h"

static void
JoinerInit(Joiner *j, const FimTask *task, FimHost *host, FimSink *sink)
{
	memset(j, 0, sizeof(*j));
	j->spec = (const FimSetsSpec *) task->spec;
	ProductInit(&j->product, (const FimSetsData *) task->data, j->spec);
	j->shared = task->shared;
	j->summary = task->summary;
	j->host = host;
	j->sink = sink;
	ArenaInit(&j->arena, host, &j->leave);
}

void
JoinerPoll(Joiner *j)
{
	j->work = 0;
	FimShareFigures(j->shared, &j->results, &j->nodes);
	if (FimMustStop(j->shared, j->host))
		longjmp(j->leave, FIM_STOPPED);
}

void
JoinerFlush(Joiner *j)
{
	FimShareFigures(j->shared, &j->results, &j->nodes);
	if (!FimWriteBatch(j->sink, j->batch, &j->nwords, &j->nresults))
		longjmp(j->leave, FIM_STOPPED);
}

uint64_t
JoinerResults(const Joiner *j, uint32_t value, const uint32_t *right, uint32_t n)
{
	uint32_t	same = 0;

	if (!JoinerCountsTwice(j))
		return n;
	for (uint32_t i = 0; i < n; i++)
		same += j->product.right.value[right[i]] == value;
	return 2 * (uint64_t) n - same;
}

uint32_t
JoinerRoom(const Joiner *j, uint32_t n)
{
	size_t		left = FIM_BATCH_WORDS - j->nwords;
	size_t		head = FimSetsRecordWords(j->spec, 0);

	if (FimSetsRecordWords(j->spec, n) <= left)
		return n;
	return left <= head ? 0 : (uint32_t) ((left - head) / (FimSetsRecordWords(j->spec, 1) - head));
}

void
JoinerWrite(Joiner *j, uint32_t value, const uint32_t *right, const uint32_t *witnesses,
			const double *similarities, uint32_t n)
{
	const uint32_t *value_of = j->product.right.value;

	while (n > 0)
	{
		uint32_t	now = JoinerRoom(j, n);
		uint32_t   *record = j->batch + j->nwords;
		uint64_t	results;

		if (now == 0)
		{
			JoinerFlush(j);
			continue;
		}
		*record++ = value;
		*record++ = now;
		for (uint32_t i = 0; i < now; i++)
			*record++ = value_of[right[i]];
		if (j->spec->witnesses)
		{
			memcpy(record, witnesses, sizeof(uint32_t) * now);
			record += now;
			witnesses += now;
		}
		if (j->spec->result == FIM_SETS_SIMILAR)
		{
			memcpy(record, similarities, sizeof(double) * now);
			similarities += now;
		}
		results = JoinerResults(j, value, right, now);
		j->nwords += FimSetsRecordWords(j->spec, now);
		j->nresults += results;
		JoinerCount(j, results);
		right += now;
		n -= now;
	}
}

FimResult
JoinerMine(const FimTask *task, FimHost *host, FimSink *sink, void (*join) (Joiner *j))
{
	Joiner		j;
	FimResult	result;

	JoinerInit(&j, task, host, sink);
	result = (FimResult) setjmp(j.leave);
	if (result == FIM_DONE)
	{
		j.batch = ArenaAlloc(&j.arena, FIM_BATCH_WORDS * sizeof(uint32_t));
		join(&j);
		JoinerFlush(&j);
		/* a canceled task is not done, although no unit may be left */
		JoinerPoll(&j);
	}
	ArenaFree(&j.arena);
	return result;
}
