/*-------------------------------------------------------------------------
 *
 * prefix_lists.h
 *	  The lists of the prefixes of a given episode, a few of which are kept.
 *
 * Going back along a long episode takes the lists of its prefixes, from the longest to the
 * shortest.  All of them together can take the square of the number of events.  So only
 * MOST_KEPT_LISTS are kept, and the others are made again from the next shorter one that is
 * kept.  The longer a prefix is, the more of its neighbours are kept.  Therefore going back
 * all the way makes each list of an episode of 1,000 events again 2.5 times on average, and of
 * 20,000 events 5 times.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_PREFIX_LISTS_H
#define FIM_EPISODES_PREFIX_LISTS_H

#include "lists.h"

#define MOST_KEPT_LISTS	16

typedef struct KeptList
{
	List		list;
	uint32_t	length;			/* of the prefix */
	uint32_t	room;			/* entries that the block has room for */
	Entry	   *block;			/* has the list's entries unless these are the caller's; may be NULL */
} KeptList;

typedef struct PrefixLists
{
	Worker	   *w;
	uint32_t	n;
	KeptList	kept[MOST_KEPT_LISTS];	/* the first n by ascending length; the others only have blocks */
} PrefixLists;

/*
 * PrefixListsInit() allocates no memory, so that it can be called before the worker's "leave"
 * is set, and PrefixListsFree() however the worker's part ends.
 */
extern void PrefixListsInit(PrefixLists *lists, Worker *w);
extern void PrefixListsFree(PrefixLists *lists);

/*
 * The list of the episode's prefix of this length, which is valid until the next call.  Forgets
 * the lists of longer prefixes.  Those of shorter ones must be of the same episode.  Polls.
 */
extern const List *PrefixListsFind(PrefixLists *lists, const Episode *episode, uint32_t length);

/* Keep a list of the caller's, longer than those kept, whose entries stay until it is forgotten. */
extern void PrefixListsPut(PrefixLists *lists, const List *list, uint32_t length);

/* Forget the lists of prefixes that are longer than this. */
extern void PrefixListsForget(PrefixLists *lists, uint32_t length);

#endif							/* FIM_EPISODES_PREFIX_LISTS_H */
