/*-------------------------------------------------------------------------
 *
 * worker.c
 *	  What the strategies of the CPU engine share: a worker's memory, polls, and results on their way to
 *	  the sink.
 *
 *-------------------------------------------------------------------------
 */
#include "worker.h"

#include <string.h>

void
WorkerInit(Worker *w, const FimTask *task, FimHost *host, FimSink *sink)
{
	memset(w, 0, sizeof(*w));
	w->spec = (const FimEpisodesSpec *) task->spec;
	StreamInit(&w->stream, (const FimEpisodesData *) task->data);
	w->shared = task->shared;
	w->summary = task->spec->count_only ? task->summary : NULL;
	w->host = host;
	w->sink = sink;
	w->longest = w->spec->max_length;
	w->deepest = w->longest;
	if (w->spec->kind != FIM_ALL && w->deepest != FIM_NO_LIMIT)
		w->deepest++;
	ArenaInit(&w->arena, host, &w->leave);
}

void
WorkerBegin(Worker *w)
{
	w->batch_room = FIM_BATCH_WORDS;
	w->batch = WorkerAlloc(w, w->batch_room * sizeof(uint32_t));
	if (FimRequirements(w->spec) == 0)
		return;
	w->met_by = ArenaAlloc(&w->arena, sizeof(uint32_t) * w->stream.ntypes);
	FimRequirementsOfTypes(w->spec, w->stream.ntypes, w->met_by);
}

void
WorkerEnd(Worker *w)
{
	if (w->batch != NULL)
		w->host->free(w->host, w->batch);
	ArenaFree(&w->arena);
}

void *
WorkerAlloc(Worker *w, size_t bytes)
{
	void	   *block = w->host->alloc(w->host, bytes);

	if (block == NULL)
		longjmp(w->leave, FIM_OUT_OF_MEMORY);
	return block;
}

void
WorkerPoll(Worker *w)
{
	w->work = 0;
	FimShareFigures(w->shared, &w->results, &w->nodes);
	if (FimMustStop(w->shared, w->host))
		longjmp(w->leave, FIM_STOPPED);
}

void
WorkerFlush(Worker *w)
{
	FimShareFigures(w->shared, &w->results, &w->nodes);
	if (!FimWriteBatch(w->sink, w->batch, &w->nwords, &w->nresults))
		longjmp(w->leave, FIM_STOPPED);
}

uint32_t *
WorkerRecord(Worker *w, size_t words)
{
	uint32_t   *record;

	if (w->nwords + words > FIM_BATCH_WORDS)
		WorkerFlush(w);
	if (words > w->batch_room)
	{
		w->host->free(w->host, w->batch);
		w->batch = NULL;
		w->batch = WorkerAlloc(w, words * sizeof(uint32_t));
		w->batch_room = words;
	}
	record = w->batch + w->nwords;
	w->nwords += words;
	w->nresults++;
	w->results++;
	return record;
}

/*
 * The number of requirements that the episode does not meet.  One that it meets several times is
 * counted at the first place.
 */
static uint32_t
Missing(const Worker *w, const Episode *episode)
{
	uint32_t	missing = FimRequirements(w->spec);

	for (uint32_t k = 0; missing > 0 && k < episode->length; k++)
	{
		uint32_t	number = w->met_by[episode->type[k]];
		uint32_t	before = 0;

		if (number == 0)
			continue;
		while (w->met_by[episode->type[before]] != number)
			before++;
		missing -= before == k;
	}
	return missing;
}

void
WorkerEmit(Worker *w, const Episode *episode, uint64_t support)
{
	uint32_t	length = episode->length;
	uint32_t   *record;

	if (length < w->spec->min_length || length > w->longest || Missing(w, episode) > 0)
		return;
	if (w->summary != NULL)
	{
		w->summary[length]++;
		w->results++;
		return;
	}
	record = WorkerRecord(w, FIM_EPISODES_RECORD_WORDS(length));
	record[0] = length;
	memcpy(record + 1, episode->type, sizeof(uint32_t) * length);
	memcpy(record + 1 + length, episode->gap, sizeof(uint32_t) * (length - 1));
	memcpy(record + 2 * (size_t) length, &support, sizeof(uint64_t));
}
