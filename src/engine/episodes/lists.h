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

/* Stretches that follow each other, few and near enough for what is known of them to lie in a cache. */
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
	Stretch		rest;			/* of the one before it */

	/*
	 * How many occurrences that do not overlap, taken greedily, end with the entries
	 * looked at.
	 */
	uint32_t	support;
	uint32_t	free;			/* the first event at which another one may begin */
} Walk;

extern void WalkBegin(Walk *walk, Worker *w, const List *list, uint32_t gap);

/* The next block, which is not empty; false if there is none.  Polls. */
extern bool WalkNext(Walk *walk, Block *block);

/* These make lists in the worker's arena, and poll. */
extern void ListOfType(Worker *w, uint32_t type, List *list);
extern void ListExtend(Worker *w, const List *list, uint32_t gap, uint32_t type, List *to);

/* The most occurrences that do not overlap: those that end first, greedily. */
extern uint32_t ListSupport(Worker *w, const List *list);

/* The first of n ascending numbers that is at least so great, n if there is none. */
extern uint32_t Gallop(const uint32_t *number, uint32_t n, uint32_t least);

#endif							/* FIM_EPISODES_LISTS_H */
