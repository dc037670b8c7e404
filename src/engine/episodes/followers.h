/*-------------------------------------------------------------------------
 *
 * followers.h
 *	  The followers of episodes, which are the types of their frequent extensions: a trie of those that have been found, as far as there is room.
 *
 * A type can only follow an episode if it also follows each of the episode's suffixes.
 * So the known followers of a suffix leave few candidates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_FOLLOWERS_H
#define FIM_EPISODES_FOLLOWERS_H

#include "lists.h"

/*
 * The supports of all extensions of an episode by one event, and their lists.
 */

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

/* The frequent extensions of an episode under a gap. */
typedef struct Followers
{
	Types		types;			/* ascending */
	uint32_t   *support;		/* [types.n] */
	uint32_t   *entries;		/* [types.n] in the lists of the extensions */
	struct Followers **longer;	/* [types.n][ngaps] the followers of the extensions, NULL until known */
} Followers;

typedef struct KnownFollowers
{
	Worker	   *w;
	const Counting *counting;
	Arena		arena;
	Followers **first;			/* [ntypes][ngaps] the followers of single types, NULL until known */
	uint64_t	bytes;			/* that the followers take */
} KnownFollowers;

/*
 * FollowersInit() allocates no memory, so that it can be called before the worker's "leave"
 * is set, and FollowersFree() however the worker's part ends.
 */
extern void FollowersInit(KnownFollowers *known, Worker *w);
extern void FollowersBegin(KnownFollowers *known, const Counting *counting);
extern void FollowersFree(KnownFollowers *known);

extern bool FollowersHaveRoom(const KnownFollowers *known);

/*
 * Where the followers of an episode under a gap are, or will be once they are known.
 * NULL if the followers of one of the episode's prefixes are not known.  Those that are
 * known must include the episode's next type.
 */
extern Followers **FollowersPlace(const KnownFollowers *known, const Episode *episode, uint32_t gap);

/*
 * Find the support of an episode of two events or more, 0 if it is not frequent.  Returns
 * false if it is not known.
 */
extern bool FollowersSupport(const KnownFollowers *known, const Episode *episode, uint32_t *support);

/* Copy extensions that have been found into the trie's memory; sorts them by their types. */
extern Followers *FollowersKeep(KnownFollowers *known, Extensions *found);

/* Make the extensions that followers stand for, without lists, in the worker's arena. */
extern void ExtensionsOf(Worker *w, const Followers *followers, Extensions *to);

#endif							/* FIM_EPISODES_FOLLOWERS_H */
