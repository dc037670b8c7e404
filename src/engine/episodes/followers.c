/*-------------------------------------------------------------------------
 *
 * followers.c
 *	  The known followers of episodes.
 *
 *-------------------------------------------------------------------------
 */
#include "followers.h"

#include <stdlib.h>
#include <string.h>

/* The memory for followers: BYTES_AN_EVENT for each event of the stream, and LEAST_BYTES for short streams. */
#define BYTES_AN_EVENT	16
#define LEAST_BYTES		65536

void
FollowersInit(KnownFollowers *known, Worker *w)
{
	memset(known, 0, sizeof(*known));
	known->w = w;
	ArenaInit(&known->arena, w->host, &w->leave);
}

static Followers **
NewPlaces(KnownFollowers *known, size_t ntypes)
{
	size_t		size = sizeof(Followers *) * ntypes * known->w->stream.ngaps;
	Followers **places = ArenaAlloc(&known->arena, size);

	memset(places, 0, size);
	return places;
}

void
FollowersBegin(KnownFollowers *known, const Counting *counting)
{
	known->counting = counting;
	known->first = NewPlaces(known, known->w->stream.ntypes);
}

void
FollowersFree(KnownFollowers *known)
{
	ArenaFree(&known->arena);
}

bool
FollowersHaveRoom(const KnownFollowers *known)
{
	return known->bytes < LEAST_BYTES + (uint64_t) BYTES_AN_EVENT * known->w->stream.events;
}

/* The index of the first follower that is not below this type. */
static uint32_t
IndexOf(const Followers *followers, uint32_t type)
{
	return Gallop(followers->types.type, followers->types.n, type);
}

Followers **
FollowersPlace(const KnownFollowers *known, const Episode *episode, uint32_t gap)
{
	uint32_t	ngaps = known->w->stream.ngaps;
	Followers **place = known->first + (size_t) episode->type[0] * ngaps;

	for (uint32_t k = 1; k < episode->length; k++)
	{
		const Followers *followers = place[episode->gap[k - 1]];

		if (followers == NULL)
			return NULL;
		place = followers->longer + (size_t) IndexOf(followers, episode->type[k]) * ngaps;
	}
	return place + gap;
}

bool
FollowersTell(const KnownFollowers *known, const Episode *episode, uint32_t *support)
{
	uint32_t	ngaps = known->w->stream.ngaps;
	Followers **place = known->first + (size_t) episode->type[0] * ngaps;

	for (uint32_t k = 1; k < episode->length; k++)
	{
		const Followers *followers = place[episode->gap[k - 1]];
		uint32_t	index;

		if (followers == NULL)
			return false;
		index = IndexOf(followers, episode->type[k]);
		*support = 0;
		if (index == followers->types.n || followers->types.type[index] != episode->type[k])
			return true;
		*support = followers->support[index];
		place = followers->longer + (size_t) index * ngaps;
	}
	return true;
}

static int
ByType(const void *a, const void *b)
{
	uint32_t	x = ((const FrequentExtension *) a)->type;
	uint32_t	y = ((const FrequentExtension *) b)->type;

	return (x > y) - (x < y);
}

Followers *
FollowersKeep(KnownFollowers *known, Extensions *found)
{
	Followers  *followers = ArenaAlloc(&known->arena, sizeof(Followers));
	uint32_t   *words = ArenaAlloc(&known->arena, 3 * sizeof(uint32_t) * found->n);

	if (found->n > 0)
		qsort(found->extension, found->n, sizeof(FrequentExtension), ByType);
	followers->types = (Types) {words, found->n, 0};
	followers->support = words + found->n;
	followers->entries = followers->support + found->n;
	followers->longer = NewPlaces(known, found->n);
	for (uint32_t e = 0; e < found->n; e++)
	{
		followers->types.type[e] = found->extension[e].type;
		followers->support[e] = found->extension[e].support;
		followers->entries[e] = found->extension[e].list.n;
	}
	followers->types.events = CountEvents(known->counting, &followers->types);
	known->bytes += sizeof(Followers) +
		found->n * (3 * sizeof(uint32_t) + sizeof(Followers *) * known->w->stream.ngaps);
	return followers;
}

void
ExtensionsOf(Worker *w, const Followers *followers, Extensions *to)
{
	const Types *types = &followers->types;

	*to = (Extensions) {ArenaAlloc(&w->arena, sizeof(FrequentExtension) * types->n), types->n, 0};
	for (uint32_t k = 0; k < types->n; k++)
	{
		to->extension[k] =
			(FrequentExtension) {types->type[k], followers->support[k], {NULL, followers->entries[k]}};
		to->entries += followers->entries[k];
	}
}
