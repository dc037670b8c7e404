/*-------------------------------------------------------------------------
 *
 * extensions.h
 *	  The supports of all extensions of an episode by one event, and their lists.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_EXTENSIONS_H
#define FIM_EPISODES_EXTENSIONS_H

#include "lists.h"

/* For each type, what has been counted of the episode's extension by this type. */
typedef struct Counter
{
	uint32_t	entries;		/* that the extension's list will have */
	uint32_t	support;
	uint32_t	free;			/* the first event at which the next occurrence may begin */
	uint32_t	at;				/* how many events of the type have gone by, when counting by type */
} Counter;

/* A set of types. */
typedef struct Types
{
	uint32_t   *type;
	uint32_t	n;
	uint64_t	events;			/* that all of them have together, where it is needed */
} Types;

/* An extension that is frequent. */
typedef struct FrequentExtension
{
	uint32_t	type;
	uint32_t	support;
	List		list;			/* knows its number of entries; has them after MakeLists() */
} FrequentExtension;

typedef struct Extensions
{
	FrequentExtension *extension;
	uint32_t	n;
	uint64_t	entries;		/* of all their lists */
} Extensions;

/* Room for counting, which any number of episodes use in turn. */
typedef struct Counting
{
	Worker	   *w;
	uint64_t	minsup;			/* what makes an extension frequent */
	Counter    *counter;		/* [ntypes]; all fields but "at" are 0 between two uses */
	Types		touched;		/* [ntypes] types whose counters are not 0 */
	Types		alive;			/* [ntypes] types that can still become frequent */
	bool		is_alive_known; /* "alive" is valid */
	uint32_t   *start_of;		/* [BLOCK_EVENTS], see SpreadStarts() */
	Block		block;
} Counting;

extern void CountingInit(Counting *c, Worker *w, uint64_t minsup);

/* The number of events that these types have together. */
extern uint64_t CountEvents(const Counting *c, const Types *types);

/*
 * Find the frequent extensions of an episode under a gap, in the worker's arena and
 * without their lists.  "list" and "support" are the episode's.  The candidates must
 * include all types of frequent extensions.
 */
extern void FindExtensions(Counting *c, const List *list, uint32_t support, uint32_t gap,
						   const Types *candidates, Extensions *found);

/* Make the lists of the extensions found, in the worker's arena. */
extern void MakeLists(Counting *c, const List *list, uint32_t gap, Extensions *found);

#endif							/* FIM_EPISODES_EXTENSIONS_H */
