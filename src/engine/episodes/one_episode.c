/*-------------------------------------------------------------------------
 *
 * one_episode.c
 *	  Counting a given episode, or listing its occurrences.
 *
 *-------------------------------------------------------------------------
 */
#include "one_episode.h"

#include "lists.h"

#include <string.h>

/* The lists of the episode's prefixes by length; the last one is the list of the episode itself. */
static List *
ListsOfPrefixes(Worker *w, const Episode *episode)
{
	List	   *list = ArenaAlloc(&w->arena, sizeof(List) * episode->length);

	ListOfType(w, episode->type[0], &list[0]);
	for (uint32_t k = 1; k < episode->length; k++)
		ListExtend(w, &list[k - 1], episode->gap[k - 1], episode->type[k], &list[k]);
	return list;
}

/*
 * Given event[length - 1], find the other events of the occurrence that ends there and begins
 * latest: before each event, the last one in whose window it is.
 */
static void
FindEvents(const Worker *w, const Episode *episode, const List *list, uint32_t *event)
{
	for (uint32_t k = episode->length - 1; k > 0; k--)
	{
		const uint32_t *begin = StreamWindows(&w->stream, episode->gap[k - 1]).begin;
		const Entry *entry = list[k - 1].entry;
		uint32_t	low = 0;
		uint32_t	high = list[k - 1].n;

		/* the entry at "low" is early enough, one at "high" is not */
		while (high - low > 1)
		{
			uint32_t	middle = low + (high - low) / 2;

			if (begin[entry[middle].end] <= event[k])
				low = middle;
			else
				high = middle;
		}
		event[k - 1] = entry[low].end;
	}
}

static void
WriteOccurrence(Worker *w, const Episode *episode, const uint32_t *event, uint32_t partition)
{
	const FimTime *time = FIM_EPISODES_TIMES(w->stream.data);
	uint32_t   *record = WorkerRecord(w, FIM_EPISODES_OCCURRENCE_WORDS(episode->length));

	*record++ = partition;
	for (uint32_t k = 0; k < episode->length; k++, record += 2)
		memcpy(record, &time[event[k]], sizeof(FimTime));
}

/* Write the occurrences that ListSupport() counts: greedily, those that end first. */
static void
WriteOccurrences(Worker *w, const Episode *episode, const List *list)
{
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(w->stream.data);
	const List *whole = &list[episode->length - 1];
	uint32_t   *event = ArenaAlloc(&w->arena, sizeof(uint32_t) * episode->length);
	uint32_t	partition = 0;
	uint32_t	free = 0;

	for (uint32_t k = 0; k < whole->n; k++)
	{
		uint32_t	end = whole->entry[k].end;

		WorkerWorked(w, 1);
		if (whole->entry[k].start < free)
			continue;
		free = w->stream.after[end];
		event[episode->length - 1] = end;
		FindEvents(w, episode, list, event);
		for (; first_of[partition + 1] <= end; partition++)
			WorkerWorked(w, 1);
		WriteOccurrence(w, episode, event, partition);
		WorkerWorked(w, 32 * (uint64_t) episode->length);
	}
}

FimResult
MineOneEpisode(Worker *w)
{
	FimResult	result = (FimResult) setjmp(w->leave);

	if (result == FIM_DONE)
	{
		uint32_t	length = w->job->episode_length;
		Episode		episode = {(uint32_t *) w->job->words, (uint32_t *) w->job->words + length, length};
		uint64_t	taken;

		WorkerBegin(w);
		if (FimTakeUnit(w->shared, &taken))
		{
			List	   *list = ListsOfPrefixes(w, &episode);

			if (w->summary == NULL)
				WriteOccurrences(w, &episode, list);
			else
				w->summary[0] = w->results = ListSupport(w, &list[length - 1]);
			FimUnitDone(w->shared);
		}
		WorkerFlush(w);
		WorkerPoll(w);
	}
	return result;
}
