/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Latest-start propagation, list by list, see worker.h.
 *
 * A list is walked along in blocks, from stretch to stretch of the windows after its entries.  So it
 * is extended, and its support is counted.  Then come the lists of the prefixes of an episode.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "worker.h"

/* Loops call WorkerWorked() once for this many entries. */
#define BLOCK	4096

/*
 * A walk asks for what it will read of the events of so many entries ahead, and half as many ahead for the events
 * in their windows.  Entries ascend, but their events are too far apart for the processor to foresee it.
 */
#define AHEAD	16

/* Make the list of a single type in entry[], which has room for all events of the type. */
static void
ListOfType(Worker *w, uint32_t type, Entry *entry, List *list)
{
	const Stream *s = &w->stream;
	const uint32_t *position = s->position + s->start[type];

	list->entry = entry;
	list->n = s->start[type + 1] - s->start[type];
	for (uint32_t k = 0; k < list->n; k++)
	{
		entry[k] = (Entry) {position[k], position[k]};
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
}

void
WalkBegin(Walk *walk, Worker *w, const List *list, uint32_t gap)
{
	*walk = (Walk) {.w = w, .list = list, .window = StreamWindows(&w->stream, gap)};
}

/* Make the next entry's stretch: its window, up to where the window of the entry after it begins. */
static inline void
TakeEntry(Walk *walk)
{
	const Entry *entry = walk->list->entry + walk->next++;
	uint32_t	end = walk->window.end[entry->end];

	/* here and not in a function, which the compiler would take for one without effect */
	if (walk->list->n - walk->next > AHEAD)
	{
		uint32_t	event = entry[AHEAD].end;

		__builtin_prefetch(walk->window.begin + event);
		__builtin_prefetch(walk->window.end + event);
		__builtin_prefetch(walk->w->stream.after + event);
		__builtin_prefetch(walk->w->stream.type + walk->window.begin[entry[AHEAD / 2].end]);
	}
	if (walk->next < walk->list->n && walk->window.begin[entry[1].end] < end)
		end = walk->window.begin[entry[1].end];
	walk->rest = (Stretch) {walk->window.begin[entry->end], end, entry->start};
	if (entry->start >= walk->free)
	{
		walk->support++;
		walk->free = walk->w->stream.after[entry->end];
	}
}

bool
WalkNext(Walk *walk, Block *block)
{
	uint32_t	first = walk->next;
	uint32_t	limit = UINT32_MAX;

	block->n = block->events = 0;
	while (block->n < BLOCK_STRETCHES)
	{
		Stretch    *rest = &walk->rest;
		Stretch    *to = &block->stretch[block->n];

		if (rest->begin >= rest->end)
		{
			if (walk->next == walk->list->n)
				break;
			TakeEntry(walk);
			continue;
		}
		if (block->n == 0)
			limit = rest->begin < UINT32_MAX - BLOCK_EVENTS ? rest->begin + BLOCK_EVENTS : UINT32_MAX;
		if (rest->begin >= limit)
			break;
		*to = *rest;
		if (to->end > limit)
			to->end = limit;
		rest->begin = to->end;
		block->events += to->end - to->begin;
		block->n++;
	}
	WorkerWorked(walk->w, 1 + (uint64_t) (walk->next - first));
	return block->n > 0;
}

uint32_t
Gallop(const uint32_t *number, uint32_t n, uint32_t least)
{
	uint32_t	step = 1;
	uint32_t	low = 0;

	if (n == 0 || number[0] >= least)
		return 0;
	/* from here on number[low] is always below "least" */
	while (step < n - low && number[low + step] < least)
	{
		low += step;
		step *= 2;
	}
	if (step > n - low)
		step = n - low;
	while (step > 1)
	{
		uint32_t	half = step / 2;

		if (number[low + half] < least)
		{
			low += half;
			step -= half;
		}
		else
			step = half;
	}
	return low + 1;
}

/* The events of the type that lie in stretches make the new entries. */
static void
ListExtend(Worker *w, const List *list, uint32_t gap, uint32_t type, Entry *entry, List *to)
{
	const Stream *s = &w->stream;
	const uint32_t *position = s->position + s->start[type];
	uint32_t	left = s->start[type + 1] - s->start[type];
	Block		block;
	Walk		walk;

	to->entry = entry;
	WalkBegin(&walk, w, list, gap);
	while (left > 0 && WalkNext(&walk, &block))
	{
		const Entry *first = entry;

		for (uint32_t k = 0; k < block.n && left > 0; k++)
		{
			uint32_t	skip = Gallop(position, left, block.stretch[k].begin);

			position += skip;
			left -= skip;
			for (; left > 0 && *position < block.stretch[k].end; left--)
				*entry++ = (Entry) {*position++, block.stretch[k].start};
		}
		WorkerWorked(w, block.n + (uint64_t) (entry - first));
	}
	to->n = (uint32_t) (entry - to->entry);
}

uint32_t
ListSupport(Worker *w, const List *list)
{
	const uint32_t *after = w->stream.after;
	uint32_t	support = 0;
	uint32_t	free = 0;		/* the first event at which the next one may begin */

	for (uint32_t k = 0; k < list->n; k++)
	{
		if (list->entry[k].start >= free)
		{
			support++;
			free = after[list->entry[k].end];
		}
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
	return support;
}

/* ---- the lists of an episode's prefixes ---- */

void
PrefixListsInit(PrefixLists *lists, Worker *w)
{
	memset(lists, 0, sizeof(*lists));
	lists->w = w;
}

void
PrefixListsFree(PrefixLists *lists)
{
	for (uint32_t k = 0; k < MOST_KEPT_LISTS; k++)
		if (lists->kept[k].block != NULL)
			lists->w->host->free(lists->w->host, lists->kept[k].block);
}

/*
 * Drop the list that will be missed least once there is one of a prefix of this length.  Those
 * who go back get to a list the later, the farther it is from the longest; and without it, more
 * lists must be made again, the farther its two neighbours are from each other.  So the list is
 * dropped for which the second distance is the smallest in proportion to the first.  The
 * longest list stays: the next one is made from it.
 */
static void
DropOne(PrefixLists *lists, uint32_t length)
{
	KeptList   *kept = lists->kept;
	KeptList	dropped;
	uint32_t	least = 0;
	uint64_t	least_apart = 0;
	uint64_t	least_away = 0;

	for (uint32_t k = 0; k + 1 < lists->n; k++)
	{
		uint64_t	apart = kept[k + 1].length - (k > 0 ? kept[k - 1].length : 0);
		uint64_t	away = length - kept[k].length;

		if (k > 0 && apart * least_away >= least_apart * away)
			continue;
		least = k;
		least_apart = apart;
		least_away = away;
	}
	dropped = kept[least];
	lists->n--;
	memmove(kept + least, kept + least + 1, sizeof(KeptList) * (lists->n - least));
	kept[lists->n] = dropped;
}

/* The place for the list of a prefix that is longer than those kept. */
static KeptList *
NewPlace(PrefixLists *lists, uint32_t length)
{
	if (lists->n == MOST_KEPT_LISTS)
		DropOne(lists, length);
	lists->kept[lists->n].length = length;
	return &lists->kept[lists->n];
}

/* See to it that the block has room for all events of a type. */
static void
MakeRoom(Worker *w, KeptList *kept, uint32_t type)
{
	uint32_t	room = w->stream.start[type + 1] - w->stream.start[type];

	if (kept->block != NULL && kept->room >= room)
		return;
	if (kept->block != NULL)
		w->host->free(w->host, kept->block);
	kept->block = NULL;
	kept->block = WorkerAlloc(w, sizeof(Entry) * (size_t) (room > 0 ? room : 1));
	kept->room = room;
}

const List *
PrefixListsFind(PrefixLists *lists, const Episode *episode, uint32_t length)
{
	Worker	   *w = lists->w;
	uint32_t	made;

	PrefixListsForget(lists, length);
	made = lists->n > 0 ? lists->kept[lists->n - 1].length : 0;
	for (; made < length; made++)
	{
		KeptList   *to = NewPlace(lists, made + 1);

		MakeRoom(w, to, episode->type[made]);
		if (made == 0)
			ListOfType(w, episode->type[0], to->block, &to->list);
		else
			ListExtend(w, &to[-1].list, episode->gap[made - 1], episode->type[made], to->block, &to->list);
		lists->n++;
	}
	return &lists->kept[lists->n - 1].list;
}

void
PrefixListsPut(PrefixLists *lists, const List *list, uint32_t length)
{
	NewPlace(lists, length)->list = *list;
	lists->n++;
}

void
PrefixListsForget(PrefixLists *lists, uint32_t length)
{
	while (lists->n > 0 && lists->kept[lists->n - 1].length > length)
		lists->n--;
}
