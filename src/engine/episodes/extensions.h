/*-------------------------------------------------------------------------
 *
 * extensions.h
 *	  The supports of all extensions of an episode by one event, and their lists.
 *
 * Included by followers.h and by extensions.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_EXTENSIONS_H
#define FIM_EPISODES_EXTENSIONS_H

#include "lists.h"

/* What is known of the occurrences of an episode that is extended by some type. */
typedef struct Counter
{
	uint32_t	entries;		/* in its list */
	uint32_t	support;
	uint32_t	free;			/* the first event at which the next one may begin */
	uint32_t	at;				/* events of the type gone by, when counting by type */
} Counter;

/* Types in some order. */
typedef struct Types
{
	uint32_t   *type;
	uint32_t	n;
	uint64_t	events;			/* of all of them, where it is wanted */
} Types;

/* An extension that is frequent. */
typedef struct Extension
{
	uint32_t	type;
	uint32_t	support;
	List		list;			/* at first without entries, but with their number */
} Extension;

typedef struct Extensions
{
	Extension  *extension;
	uint32_t	n;
	uint64_t	entries;		/* of their lists */
} Extensions;

/* Room for counting, which any number of episodes use in turn. */
typedef struct Counting
{
	Worker	   *w;
	uint64_t	minsup;			/* what makes an extension frequent */
	Counter    *counter;		/* [ntypes], all but "at" are 0 between two uses */
	Types		touched;		/* [ntypes], those whose counters are not */
	Types		alive;			/* [ntypes], that may become frequent, once it is known */
	bool		is_alive_known;
	uint32_t   *start_of;		/* [BLOCK_EVENTS], see SpreadStarts() */
	Block		block;
} Counting;

extern void CountingInit(Counting *c, Worker *w, uint64_t minsup);

/* The number of events of all of some types. */
extern uint64_t CountEvents(const Counting *c, const Types *types);

/*
 * Find the frequent extensions of an episode under a gap, without their lists; they are
 * made in the worker's arena.  No other types than the candidates are frequent extensions.
 */
extern void FindExtensions(Counting *c, const List *list, uint32_t support, uint32_t gap,
						   const Types *candidates, Extensions *found);

/* Make the lists of all of them. */
extern void MakeLists(Counting *c, const List *list, uint32_t gap, Extensions *found);

#endif							/* FIM_EPISODES_EXTENSIONS_H */
