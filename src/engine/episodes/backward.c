/*-------------------------------------------------------------------------
 *
 * backward.c
 *	  Extending episodes at their beginning, see worker.h.
 *
 * An episode's beginnings are listed, from its last type back to its first one.  Each predecessor
 * is then counted by its own events and these.  Before that, it is tried on a part of the stream,
 * where most fail.
 *
 *-------------------------------------------------------------------------
 */
#include "worker.h"


#include <string.h>

/* Loops call WorkerWorked() once for this many events. */
#define BLOCK	4096

/*
 * The events that begin an occurrence of an episode, each with the earliest event that ends
 * an occurrence that begins there.  Ends never decrease.
 */
typedef struct Beginnings
{
	uint32_t   *start;			/* ascending, strictly; start[n] is NO_EVENT */
	uint32_t   *end;
	uint32_t	n;
} Beginnings;

/* Candidates are tried on the first one of this many parts of the stream, where most of them fail. */
#define TRIED_PART	16

/* An event after all others. */
#define NO_EVENT	UINT32_MAX

static void
InitBeginnings(Worker *w, uint32_t room, Beginnings *list)
{
	list->start = ArenaAlloc(&w->arena, sizeof(uint32_t) * ((size_t) room + 1));
	list->end = ArenaAlloc(&w->arena, sizeof(uint32_t) * room);
	list->n = 0;
}

/* The number of events of a type that come before event "end". */
static uint32_t
EventsBefore(const Stream *s, uint32_t type, uint32_t end)
{
	uint32_t	n = s->start[type + 1] - s->start[type];

	return end < s->events ? Gallop(s->position + s->start[type], n, end) : n;
}

/* The beginnings of a single type before event "end"; "to" has room for them. */
static void
BeginningsOfType(Worker *w, uint32_t type, uint32_t end, Beginnings *to)
{
	const Stream *s = &w->stream;
	const uint32_t *position = s->position + s->start[type];
	uint32_t	npositions = EventsBefore(s, type, end);

	memcpy(to->start, position, sizeof(uint32_t) * npositions);
	memcpy(to->end, position, sizeof(uint32_t) * npositions);
	to->n = npositions;
	to->start[to->n] = NO_EVENT;
	WorkerWorked(w, npositions / 4);
}

/*
 * From the beginnings of an episode make those of the episode that has a type and a gap before
 * it.  Of the occurrences that begin in the window of an event, the first one ends earliest.
 */
static void
Prepend(Worker *w, uint32_t type, uint32_t gap, uint32_t end, const Beginnings *from, Beginnings *to)
{
	const Stream *s = &w->stream;
	Windows		window = StreamWindows(s, gap);
	const uint32_t *position = s->position + s->start[type];
	uint32_t	npositions = EventsBefore(s, type, end);
	uint32_t	at = 0;

	to->n = 0;
	for (uint32_t k = 0; k < npositions; k++)
	{
		uint32_t	i = position[k];

		if (from->start[at] < window.begin[i])
			at += 1 + Gallop(from->start + at + 1, from->n - at - 1, window.begin[i]);
		if (from->start[at] < window.end[i])
		{
			to->start[to->n] = i;
			to->end[to->n++] = from->end[at];
		}
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, 2 * BLOCK);
	}
	to->start[to->n] = NO_EVENT;
	WorkerWorked(w, npositions % BLOCK);
}

/* The most events before event "end" that a type of the episode has. */
static uint32_t
MostEventsBefore(const Stream *s, const Episode *episode, uint32_t end)
{
	uint32_t	most = 0;

	for (uint32_t k = 0; k < episode->length; k++)
	{
		uint32_t	n = EventsBefore(s, episode->type[k], end);

		if (n > most)
			most = n;
	}
	return most;
}

/*
 * The beginnings of the occurrences that begin and end before event "end".  Two arrays take
 * turns, so that the memory does not grow with the episode's length.
 */
static void
BeginningsOf(Worker *w, const Episode *episode, uint32_t end, Beginnings *list)
{
	uint32_t	room = MostEventsBefore(&w->stream, episode, end);
	uint32_t	k = episode->length - 1;
	Beginnings	from;

	InitBeginnings(w, room, list);
	InitBeginnings(w, room, &from);
	BeginningsOfType(w, episode->type[k], end, list);
	while (k-- > 0)
	{
		Beginnings	made = from;

		from = *list;
		Prepend(w, episode->type[k], episode->gap[k], end, &from, &made);
		*list = made;
	}
}

/* For each beginning, how many occurrences that begin there or later do not overlap; for list->n, 0. */
static uint32_t *
SupportFromEach(Worker *w, const Beginnings *list)
{
	uint32_t   *support = ArenaAlloc(&w->arena, sizeof(uint32_t) * ((size_t) list->n + 1));
	uint32_t	next = list->n;

	support[list->n] = 0;
	for (uint32_t k = list->n; k-- > 0;)
	{
		uint32_t	free = w->stream.after[list->end[k]];

		while (next > 0 && list->start[next - 1] >= free)
			next--;
		support[k] = 1 + support[next];
		if (k % BLOCK == 0)
			WorkerWorked(w, BLOCK);
	}
	return support;
}

/*
 * The support of the episode with a predecessor before it.  "left" is what SupportFromEach()
 * returned for the list.  Stops once too few occurrences are left to reach "least", and
 * returns less than that.
 */
static uint32_t
CountPredecessor(Worker *w, const Predecessor *before, const Beginnings *list, const uint32_t *left, uint64_t least)
{
	const Stream *s = &w->stream;
	Windows		window = StreamWindows(s, before->gap);
	const uint32_t *position = s->position + s->start[before->type];
	uint32_t	npositions = s->start[before->type + 1] - s->start[before->type];
	uint32_t	support = 0;
	uint32_t	at = 0;
	uint32_t	k = 0;

	/* Gallop() is called only where it has to be: mostly the next event or beginning is the right one */
	while (k < npositions && at < list->n)
	{
		uint32_t	i = position[k++];

		if (list->start[at] < window.begin[i])
			at += 1 + Gallop(list->start + at + 1, list->n - at - 1, window.begin[i]);
		if (list->start[at] < window.end[i])
		{
			uint32_t	free = s->after[list->end[at]];

			support++;
			if (k < npositions && position[k] < free)
				k += 1 + Gallop(position + k + 1, npositions - k - 1, free);
		}
		else if ((uint64_t) support + left[at] < least)
			break;
		WorkerWorked(w, 4);
	}
	return support;
}

/*
 * Find the candidates that can reach "least", judged by the first part of the stream alone.
 * The rest of the stream adds no more occurrences than the episode has there, and one more
 * that begins in the first part and ends in the rest.
 */
static void
TryCandidates(Worker *w, const Episode *episode, uint32_t support, const Predecessors *candidates, uint64_t least,
			  Predecessors *left_over)
{
	ArenaMark	mark = ArenaGetMark(&w->arena);
	const uint32_t *left;
	Beginnings	list;
	uint64_t	later;

	BeginningsOf(w, episode, w->stream.events / TRIED_PART, &list);
	left = SupportFromEach(w, &list);
	later = 1 + (uint64_t) (support - left[0]);
	for (uint32_t c = 0; c < candidates->n; c++)
	{
		const Predecessor *before = &candidates->entry[c];

		if (before->support < least)
			continue;
		if (least <= later || CountPredecessor(w, before, &list, left, least - later) >= least - later)
			left_over->entry[left_over->n++] = *before;
	}
	ArenaRelease(&w->arena, mark);
}

void
FindPredecessors(Worker *w, const Episode *episode, uint32_t support, const Predecessors *candidates,
				 uint64_t least, uint32_t most, Predecessors *found)
{
	ArenaMark	mark = ArenaGetMark(&w->arena);
	Predecessors tried = {ArenaAlloc(&w->arena, sizeof(Predecessor) * candidates->n), 0};
	const uint32_t *left;
	Beginnings	list;

	found->n = 0;
	TryCandidates(w, episode, support, candidates, least, &tried);
	w->nodes++;
	if (tried.n > 0)
	{
		BeginningsOf(w, episode, w->stream.events, &list);
		left = SupportFromEach(w, &list);
	}
	for (uint32_t c = 0; c < tried.n && found->n < most; c++)
	{
		Predecessor before = tried.entry[c];

		before.support = CountPredecessor(w, &before, &list, left, least);
		if (before.support >= least)
			found->entry[found->n++] = before;
	}
	ArenaRelease(&w->arena, mark);
}
