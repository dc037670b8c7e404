/*-------------------------------------------------------------------------
 *
 * one_episode.c
 *	  Counting a given episode, or listing its occurrences.
 *
 * The list of the whole episode tells its support, and where the occurrences end that are
 * counted.  Their other events are found backward, from the lists of shorter prefixes.
 *
 *-------------------------------------------------------------------------
 */
#include "worker.h"


#include <string.h>

/*
 * The events of the occurrences that ListSupport() counts: greedily, those that end first.  They
 * are event[support][length], of which each one's last is filled in.  Since these occurrences do
 * not overlap, no event is in two of them, and the array has no more events than the stream.
 */
static uint32_t *
EndsOfOccurrences(Worker *w, const List *list, uint32_t length, uint32_t *support)
{
	uint32_t   *event;
	uint32_t   *last;
	uint32_t	free = 0;

	*support = ListSupport(w, list);
	event = ArenaAlloc(&w->arena, sizeof(uint32_t) * length * *support);
	last = event + length - 1;
	for (uint32_t k = 0; k < list->n; k++)
	{
		const Entry *entry = &list->entry[k];

		WorkerWorked(w, 1);
		if (entry->start < free)
			continue;
		free = w->stream.after[entry->end];
		*last = entry->end;
		last += length;
	}
	return event;
}

/*
 * Given event[k] of an occurrence, find event[k - 1] of the one that begins latest: the last
 * event in whose window event[k] is.  "list" is that of the prefix of k events.
 */
static uint32_t
EventBefore(const List *list, const uint32_t *begin, uint32_t event)
{
	uint32_t	low = 0;
	uint32_t	high = list->n;

	/* the entry at "low" is early enough, one at "high" is not */
	while (high - low > 1)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (begin[list->entry[middle].end] <= event)
			low = middle;
		else
			high = middle;
	}
	return list->entry[low].end;
}

/* Find the other events of the occurrences whose last events are known, from the last but one to the first. */
static void
FindEvents(Worker *w, PrefixLists *lists, const Episode *episode, uint32_t *event, uint32_t support)
{
	for (uint32_t k = episode->length - 1; k > 0; k--)
	{
		const List *list = PrefixListsFind(lists, episode, k);
		const uint32_t *begin = StreamWindows(&w->stream, episode->gap[k - 1]).begin;

		for (uint32_t o = 0; o < support; o++)
		{
			uint32_t   *of = event + o * (size_t) episode->length;

			of[k - 1] = EventBefore(list, begin, of[k]);
			WorkerWorked(w, 32);
		}
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

/* Write the occurrences, of which event[support][length] are the events. */
static void
WriteOccurrences(Worker *w, const Episode *episode, const uint32_t *event, uint32_t support)
{
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(w->stream.data);
	uint32_t	partition = 0;

	for (uint32_t o = 0; o < support; o++, event += episode->length)
	{
		for (; first_of[partition + 1] <= event[0]; partition++)
			WorkerWorked(w, 1);
		WriteOccurrence(w, episode, event, partition);
		WorkerWorked(w, 1 + (uint64_t) episode->length);
	}
}

static void
MineGiven(Worker *w, PrefixLists *lists, const Episode *episode)
{
	const List *list = PrefixListsFind(lists, episode, episode->length);
	uint32_t   *event;
	uint32_t	support;

	if (w->summary != NULL)
	{
		w->summary[0] = w->results = ListSupport(w, list);
		return;
	}
	event = EndsOfOccurrences(w, list, episode->length, &support);
	if (support > 0)
		FindEvents(w, lists, episode, event, support);
	WriteOccurrences(w, episode, event, support);
}

FimResult
MineOneEpisode(Worker *w)
{
	PrefixLists lists;
	FimResult	result;

	PrefixListsInit(&lists, w);
	result = (FimResult) setjmp(w->leave);
	if (result == FIM_DONE)
	{
		uint32_t	length = w->spec->episode_length;
		Episode		episode = {(uint32_t *) w->spec->words, (uint32_t *) w->spec->words + length, length};
		uint64_t	taken;

		WorkerBegin(w);
		if (FimTakeUnit(w->shared, w->sink, &taken))
		{
			MineGiven(w, &lists, &episode);
			FimUnitDone(w->shared);
		}
		WorkerFlush(w);
		WorkerPoll(w);
	}
	PrefixListsFree(&lists);
	return result;
}
