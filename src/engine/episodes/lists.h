/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Latest-start propagation: where the occurrences of an episode end, and the
 *	  latest event at which one that ends there can begin.
 *
 * The list of an episode has an entry for each event that ends an occurrence.  An event
 * of type E extends the occurrences that end in the window before it.  Starts never
 * decrease along a list, so the one of them that ends last also begins latest, and the
 * new entry takes over its start.  A list has no more entries than there are events of
 * the episode's last type, however many occurrences there are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_LISTS_H
#define FIM_EPISODES_LISTS_H

#include "worker.h"

/* The numbers of the events with which an occurrence ends and, at the latest, starts. */
typedef struct Entry
{
	uint32_t	end;
	uint32_t	start;
} Entry;

typedef struct List
{
	Entry	   *entry;			/* ascending, ends strictly */
	uint32_t	n;
} List;

/*
 * A stretch of the stream whose events all take over the same start: they lie in the
 * window of the same entry.  Events in the windows of several entries belong to the
 * stretch of the last of these.
 */
typedef struct Stretch
{
	uint32_t	begin;
	uint32_t	end;			/* the event after the last one */
	uint32_t	start;
} Stretch;

/* A block: consecutive stretches, few and close enough for the data of their events to fit in a cache. */
#define BLOCK_STRETCHES	256
#define BLOCK_EVENTS	16384	/* from the first one's begin to the last one's end */

typedef struct Block
{
	Stretch		stretch[BLOCK_STRETCHES];
	uint32_t	n;
	uint32_t	events;			/* in all of them */
} Block;

/* A walk over the windows after a list's entries under a gap, block by block. */
typedef struct Walk
{
	Worker	   *w;
	const List *list;
	Windows		window;
	uint32_t	next;			/* the first entry not yet looked at */
	Stretch		rest;			/* what is left of the stretch of the entry before "next" */

	/*
	 * The occurrences that do not overlap, taken greedily, of those that end with the
	 * entries looked at.
	 */
	uint32_t	support;		/* their number */
	uint32_t	free;			/* the first event at which another one may begin */
} Walk;

extern void WalkBegin(Walk *walk, Worker *w, const List *list, uint32_t gap);

/* The next block, which is not empty; false if there is none.  Polls. */
extern bool WalkNext(Walk *walk, Block *block);

/*
 * Make the list of a single type, and that of an episode extended by a gap and a type, in
 * entry[], which has room for all events of the type.  Both poll.
 */
extern void ListOfType(Worker *w, uint32_t type, Entry *entry, List *list);
extern void ListExtend(Worker *w, const List *list, uint32_t gap, uint32_t type, Entry *entry, List *to);

/* The support: taking the occurrences that end first, greedily, gives the most that do not overlap. */
extern uint32_t ListSupport(Worker *w, const List *list);

/* The index of the first of n ascending numbers that is at least "least", n if there is none. */
extern uint32_t Gallop(const uint32_t *number, uint32_t n, uint32_t least);

#endif							/* FIM_EPISODES_LISTS_H */
