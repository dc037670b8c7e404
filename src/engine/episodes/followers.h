/*-------------------------------------------------------------------------
 *
 * followers.h
 *	  What is known of the frequent extensions of episodes: a trie of those that have
 *	  been counted, as far as there is room.
 *
 * An extension of an episode is only frequent if it is one of each of the episode's suffixes,
 * too.  So what is known of a suffix leaves few candidates.
 *
 * Included by propagate.c and by followers.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_FOLLOWERS_H
#define FIM_EPISODES_FOLLOWERS_H

#include "extensions.h"

/* The frequent extensions of an episode under a gap. */
typedef struct Followers
{
	Types		types;			/* ascending */
	uint32_t   *support;		/* [types.n] */
	uint32_t   *entries;		/* [types.n] of their lists */
	struct Followers **longer;	/* [types.n][ngaps] the extensions of these, NULL until known */
} Followers;

typedef struct KnownFollowers
{
	Worker	   *w;
	const Counting *counting;
	Arena		arena;
	Followers **first;			/* [ntypes][ngaps] of single types, NULL until known */
	uint64_t	bytes;			/* taken by what is known of longer episodes */
} KnownFollowers;

/* Init takes no memory, so that Free can follow however the worker is left. */
extern void FollowersInit(KnownFollowers *known, Worker *w);
extern void FollowersBegin(KnownFollowers *known, const Counting *counting);
extern void FollowersFree(KnownFollowers *known);

/* Is there room for more? */
extern bool FollowersHaveRoom(const KnownFollowers *known);

/*
 * Where the followers of an episode under a gap are, or will be when they are known.
 * NULL if it is not known that its prefix is followed by its last type.
 */
extern Followers **FollowersPlace(const KnownFollowers *known, const Episode *episode, uint32_t gap);

/*
 * The support of an episode of two events or more, 0 if it is not frequent; false if it is not
 * known.
 */
extern bool FollowersTell(const KnownFollowers *known, const Episode *episode, uint32_t *support);

/* Keep extensions that have been found; sorts them by their types. */
extern Followers *FollowersKeep(KnownFollowers *known, Extensions *found);

/* Of followers the extensions, without lists, in the worker's arena. */
extern void ExtensionsOf(Worker *w, const Followers *followers, Extensions *to);

#endif							/* FIM_EPISODES_FOLLOWERS_H */
