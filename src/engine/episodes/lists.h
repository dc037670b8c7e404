/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Latest-start propagation: where the occurrences of an episode end, and the
 *	  latest event at which one that ends there can begin.
 *
 * The list of an episode has an entry for each event that ends an occurrence.  An event
 * of type E extends the occurrences that end in the window before it.  Starts never
 * decrease along a list, so of these the one that ends last begins latest, and its start
 * is all that the new entry takes over.  A list has no more entries than there are
 * events of the episode's last type, however many occurrences there are.
 *
 * Included by the CPU engine's files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_LISTS_H
#define FIM_EPISODES_LISTS_H

#include "worker.h"

/* Both are numbers of events. */
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
 * A stretch of the stream whose events come in the window of the same entry and, if
 * in those of several, of the last one: they all take over the same start.
 */
typedef struct Stretch
{
	uint32_t	begin;
	uint32_t	end;			/* the event after the last one */
	uint32_t	start;
} Stretch;

/* Ascending; none is longer than MAX_STRETCH, so that one can poll between two. */
typedef struct Stretches
{
	Stretch    *stretch;
	uint32_t	n;
	uint64_t	events;			/* in all of them */
} Stretches;

#define MAX_STRETCH		(1 << 18)

/* These make lists in the worker's arena, and poll. */
extern void ListOfType(Worker *w, uint32_t type, List *list);
extern void ListExtend(Worker *w, const List *list, uint32_t gap, uint32_t type, List *to);

/* The stretches after a list's entries, in the worker's scratch memory. */
extern void StretchesAfter(Worker *w, const List *list, uint32_t gap, Stretches *to);

/* The most occurrences that do not overlap: those that end first, greedily. */
extern uint32_t ListSupport(Worker *w, const List *list);

#endif							/* FIM_EPISODES_LISTS_H */
