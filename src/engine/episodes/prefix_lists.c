/*-------------------------------------------------------------------------
 *
 * prefix_lists.c
 *	  The lists of the prefixes of a given episode, a few of which are kept.
 *
 *-------------------------------------------------------------------------
 */
#include "prefix_lists.h"

#include <string.h>

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
