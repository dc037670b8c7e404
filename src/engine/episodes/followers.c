/*-------------------------------------------------------------------------
 *
 * followers.c
 *	  The followers of episodes: counting an episode's extensions, making their lists, and what is
 *	  known of followers.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

/* ---- counting extensions ---- */

/*
 * The events that can extend an episode are those in the windows after the ends of its
 * occurrences.  Counting the occurrences of an extension that do not overlap takes no
 * list: it is enough to know where the last one ended.  So the stretches of the stream
 * that lie in windows are counted block by block, for all types, in one of two ways:
 *
 * -	Event by event: each event is counted for its type.  The time is proportional to
 * 	the number of events in the stretches, however many types there are.
 *
 * -	Type by type, for the candidates that are alive: each event of the type looks up
 * 	which start it would take over.  That is quicker where windows are wide or where
 * 	few candidates are left.
 *
 * A candidate is alive as long as it can still become frequent.  Of the occurrences of
 * an extension that do not overlap, at most one begins before a given point of the stream
 * and ends after it.  Those that begin later are, without their last events, occurrences
 * of the episode.  So if s of the episode's S occurrences and a of the extension's have
 * been counted up to that point, the extension has at most a + 1 + (S - s) in all.  The
 * code allows one more, for ties at that point.
 */

/*
 * What the two ways of counting take, in quarters of a nanosecond.  Event by event:
 * COST_OF_EVENT for each event of the stretches.  Type by type: COST_OF_LOOK_UP for each
 * event of the types, COST_OF_PLACE for each event from the block's begin to its end, and
 * COST_OF_TYPE for each type.
 */
#define COST_OF_EVENT		10
#define COST_OF_LOOK_UP		5
#define COST_OF_PLACE		1
#define COST_OF_TYPE		40

/* Numbers that Fill() writes at a time: one or two vectors. */
#define LANES				8

void
CountingInit(Counting *c, Worker *w, uint64_t minsup)
{
	uint32_t	ntypes = w->stream.ntypes;

	memset(c, 0, sizeof(Counting));
	c->w = w;
	c->minsup = minsup;
	c->counter = ArenaAlloc(&w->arena, sizeof(Counter) * ntypes);
	memset(c->counter, 0, sizeof(Counter) * ntypes);
	c->touched.type = ArenaAlloc(&w->arena, sizeof(uint32_t) * ntypes);
	c->alive.type = ArenaAlloc(&w->arena, sizeof(uint32_t) * ntypes);
	c->start_of = ArenaAlloc(&w->arena, sizeof(uint32_t) * (BLOCK_EVENTS + LANES));
}

static void
CountingClear(Counting *c)
{
	while (c->touched.n > 0)
		memset(&c->counter[c->touched.type[--c->touched.n]], 0, sizeof(Counter));
}

static inline uint32_t
EventsOf(const Counting *c, uint32_t type)
{
	return c->w->stream.start[type + 1] - c->w->stream.start[type];
}

uint64_t
CountEvents(const Counting *c, const Types *types)
{
	uint64_t	events = 0;

	for (uint32_t k = 0; k < types->n; k++)
		events += EventsOf(c, types->type[k]);
	return events;
}

static void
CountByEvent(Counting *c)
{
	const Stream *stream = &c->w->stream;
	const Block *block = &c->block;

	for (uint32_t k = 0; k < block->n; k++)
	{
		Stretch		stretch = block->stretch[k];

		for (uint32_t i = stretch.begin; i < stretch.end; i++)
		{
			Counter    *counter = &c->counter[stream->type[i]];

			if (counter->entries++ == 0)
				c->touched.type[c->touched.n++] = stream->type[i];
			if (stretch.start >= counter->free)
			{
				counter->support++;
				counter->free = stream->after[i];
			}
		}
	}
	WorkerWorked(c->w, block->n + block->events);
}

static inline uint32_t
BlockBegin(const Block *block)
{
	return block->stretch[0].begin;
}

static inline uint32_t
BlockEnd(const Block *block)
{
	return block->stretch[block->n - 1].end;
}

/*
 * Write a value n times, in whole vectors: up to LANES - 1 numbers after these are
 * overwritten, too, so there must be room for them.
 */
static inline void
Fill(uint32_t *to, uint32_t value, uint32_t n)
{
	uint32_t	lane[LANES];

	for (uint32_t k = 0; k < LANES; k++)
		lane[k] = value;
	for (uint32_t k = 0; k < n; k += LANES)
		memcpy(to + k, lane, sizeof(lane));
}

/*
 * Set start_of[] for each event from the block's begin to its end: the start that it takes
 * over, counted from 1, or 0 if it lies in no window.
 */
static void
SpreadStarts(Counting *c)
{
	const Block *block = &c->block;
	uint32_t	begin = BlockBegin(block);
	uint32_t	at = begin;

	for (uint32_t k = 0; k < block->n; k++)
	{
		Stretch		stretch = block->stretch[k];

		Fill(c->start_of + (at - begin), 0, stretch.begin - at);
		Fill(c->start_of + (stretch.begin - begin), stretch.start + 1, stretch.end - stretch.begin);
		at = stretch.end;
	}
	WorkerWorked(c->w, at - begin);
}

/*
 * The events of a type that lie in the block; n is their number.  The counter's "at" moves
 * past them.
 */
static const uint32_t *
EventsInBlock(Counting *c, uint32_t type, uint32_t *n)
{
	const uint32_t *event = c->w->stream.position + c->w->stream.start[type];
	Counter    *counter = &c->counter[type];
	uint32_t	left = EventsOf(c, type) - counter->at;
	uint32_t	before = Gallop(event + counter->at, left, BlockBegin(&c->block));

	event += counter->at + before;
	*n = Gallop(event, left - before, BlockEnd(&c->block));
	counter->at += before + *n;
	return event;
}

static void
CountType(Counting *c, uint32_t type)
{
	const uint32_t *after = c->w->stream.after;
	const uint32_t *start_of = c->start_of;
	Counter    *counter = &c->counter[type];
	uint32_t	begin = BlockBegin(&c->block);
	uint32_t	entries = 0;
	uint32_t	support = counter->support;
	uint32_t	free = counter->free;
	uint32_t	n;
	const uint32_t *event = EventsInBlock(c, type, &n);

	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	start = start_of[event[k] - begin];
		uint32_t	next_free = after[event[k]];
		bool		counts = start > free;

		entries += start > 0;
		support += counts;
		free = counts ? next_free : free;
	}
	if (counter->entries == 0 && entries > 0)
		c->touched.type[c->touched.n++] = type;
	counter->entries += entries;
	counter->support = support;
	counter->free = free;
	WorkerWorked(c->w, n);
}

/* Whether counting the block type by type is quicker than event by event. */
static bool
ByTypePays(const Counting *c, const Types *types)
{
	uint64_t	places = BlockEnd(&c->block) - BlockBegin(&c->block);
	uint64_t	look_ups = places * types->events / c->w->stream.events;

	return places * COST_OF_PLACE + look_ups * COST_OF_LOOK_UP + (uint64_t) types->n * COST_OF_TYPE <
		(uint64_t) c->block.events * COST_OF_EVENT;
}

/* Begin to keep account of the types that are alive: these, until DropDead() drops them. */
static void
SetAlive(Counting *c, const Types *types)
{
	c->is_alive_known = true;
	c->alive.n = types->n;
	c->alive.events = CountEvents(c, types);
	for (uint32_t a = 0; a < types->n; a++)
	{
		c->alive.type[a] = types->type[a];
		c->counter[types->type[a]].at = 0;
	}
}

/* Drop the types that have fewer than "least" occurrences up to the end of the block. */
static void
DropDead(Counting *c, uint64_t least)
{
	uint32_t	n = 0;

	c->alive.events = 0;
	for (uint32_t a = 0; a < c->alive.n; a++)
	{
		uint32_t	type = c->alive.type[a];

		if (c->counter[type].support < least)
			continue;
		c->alive.type[n++] = type;
		c->alive.events += EventsOf(c, type);
	}
	c->alive.n = n;
}

/* Count the block, and drop the types that are dead if "to_come" of the episode's occurrences come later. */
static void
CountBlock(Counting *c, const Types *candidates, uint64_t to_come)
{
	uint64_t	least = c->minsup > to_come + 2 ? c->minsup - to_come - 2 : 0;

	if (ByTypePays(c, c->is_alive_known ? &c->alive : candidates))
	{
		if (!c->is_alive_known)
			SetAlive(c, candidates);
		SpreadStarts(c);
		for (uint32_t a = 0; a < c->alive.n; a++)
			CountType(c, c->alive.type[a]);
	}
	else
		CountByEvent(c);
	if (least > 0 && !c->is_alive_known)
		SetAlive(c, &c->touched);
	if (least > 0)
		DropDead(c, least);
}

void
FindExtensions(Counting *c, const List *list, uint32_t support, uint32_t gap,
			   const Types *candidates, Extensions *found)
{
	Worker	   *w = c->w;
	const Types *left;
	Walk		walk;

	if (candidates->n == 0)
	{
		*found = (Extensions) {NULL, 0, 0};
		return;
	}
	c->is_alive_known = false;
	WalkBegin(&walk, w, list, gap);
	while (WalkNext(&walk, &c->block))
	{
		CountBlock(c, candidates, support - walk.support);
		if (c->is_alive_known && c->alive.n == 0)
			break;
	}
	left = c->is_alive_known ? &c->alive : &c->touched;
	*found = (Extensions) {ArenaAlloc(&w->arena, sizeof(FrequentExtension) * left->n), 0, 0};
	for (uint32_t k = 0; k < left->n; k++)
	{
		const Counter *counter = &c->counter[left->type[k]];

		if (counter->support < c->minsup)
			continue;
		found->extension[found->n++] =
				(FrequentExtension) {left->type[k], counter->support, {NULL, counter->entries}};
		found->entries += counter->entries;
	}
	ArenaTrim(&w->arena, found->extension, sizeof(FrequentExtension) * found->n);
	CountingClear(c);
}

/* ---- their lists ---- */

static void
ListByEvent(Counting *c, Extensions *found)
{
	const Stream *stream = &c->w->stream;

	for (uint32_t k = 0; k < c->block.n; k++)
	{
		Stretch		stretch = c->block.stretch[k];

		for (uint32_t i = stretch.begin; i < stretch.end; i++)
		{
			const Counter *counter = &c->counter[stream->type[i]];
			List	   *list;

			if (counter->entries == 0)
				continue;
			list = &found->extension[counter->free].list;
			list->entry[list->n++] = (Entry) {i, stretch.start};
		}
	}
	WorkerWorked(c->w, c->block.n + c->block.events);
}

static void
ListType(Counting *c, FrequentExtension *extension)
{
	uint32_t	begin = BlockBegin(&c->block);
	Entry	   *to = extension->list.entry + extension->list.n;
	uint32_t	n;
	const uint32_t *event = EventsInBlock(c, extension->type, &n);

	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	start = c->start_of[event[k] - begin];

		if (start > 0)
			*to++ = (Entry) {event[k], start - 1};
	}
	extension->list.n = (uint32_t) (to - extension->list.entry);
	WorkerWorked(c->w, n);
}

/* Here the counter of an extension's type has entries 1 and, as "free", the extension's number. */
void
MakeLists(Counting *c, const List *list, uint32_t gap, Extensions *found)
{
	Entry	   *entry;
	Types		types = {c->touched.type, found->n, 0};
	Walk		walk;

	if (found->n == 0)
		return;
	entry = ArenaAlloc(&c->w->arena, sizeof(Entry) * found->entries);
	for (uint32_t e = 0; e < found->n; e++)
	{
		FrequentExtension *extension = &found->extension[e];

		c->touched.type[c->touched.n++] = extension->type;
		c->counter[extension->type] = (Counter) {.entries = 1, .free = e};
		extension->list.entry = entry;
		entry += extension->list.n;
		extension->list.n = 0;
	}
	types.events = CountEvents(c, &types);
	WalkBegin(&walk, c->w, list, gap);
	while (WalkNext(&walk, &c->block))
		if (ByTypePays(c, &types))
		{
			SpreadStarts(c);
			for (uint32_t e = 0; e < found->n; e++)
				ListType(c, &found->extension[e]);
		}
		else
			ListByEvent(c, found);
	CountingClear(c);
}

/* ---- known followers ---- */

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
FollowersSupport(const KnownFollowers *known, const Episode *episode, uint32_t *support)
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
