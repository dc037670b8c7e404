/*-------------------------------------------------------------------------
 *
 * followers.h
 *	  The followers of episodes, which are the types of their frequent extensions: a trie
 *	  of those that have been found, as far as there is room.
 *
 * A type can only follow an episode if it also follows each of the episode's suffixes.
 * So the known followers of a suffix leave few candidates.
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
extern bool FollowersTell(const KnownFollowers *known, const Episode *episode, uint32_t *support);

/* Copy extensions that have been found into the trie's memory; sorts them by their types. */
extern Followers *FollowersKeep(KnownFollowers *known, Extensions *found);

/* Make the extensions that followers stand for, without lists, in the worker's arena. */
extern void ExtensionsOf(Worker *w, const Followers *followers, Extensions *to);

#endif							/* FIM_EPISODES_FOLLOWERS_H */
