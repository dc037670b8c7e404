/*-------------------------------------------------------------------------
 *
 * backward.c
 *	  Extending episodes at their beginning: propagation from the last event to the
 *	  first one, of the earliest ends instead of the latest starts.
 *
 *-------------------------------------------------------------------------
 */
#include "backward.h"

/* Poll after so many events of a single loop. */
#define BLOCK	4096

/* An event that begins an occurrence, and the earliest one that ends it. */
typedef struct Beginning
{
	uint32_t	start;
	uint32_t	end;
} Beginning;

typedef struct Beginnings
{
	Beginning  *entry;			/* ascending, starts strictly */
	uint32_t	n;
} Beginnings;

static void
BeginningsOfType(Worker *w, uint32_t type, Beginnings *to)
{
	const Stream *s = &w->stream;
	const uint32_t *position = s->position + s->start[type];

	to->n = s->start[type + 1] - s->start[type];
	to->entry = ArenaAlloc(&w->arena, sizeof(Beginning) * to->n);
	for (uint32_t k = 0; k < to->n; k++)
	{
		to->entry[k] = (Beginning) {position[k], position[k]};
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
}

/* Of what begins in the window of an event the first one ends earliest. */
static void
Prepend(Worker *w, uint32_t type, uint32_t gap, Beginnings *list)
{
	Windows		window = StreamWindows(&w->stream, gap);
	const Beginning *from = list->entry;
	const Beginning *stop = from + list->n;
	Beginning  *to;

	BeginningsOfType(w, type, list);
	to = list->entry;
	for (uint32_t k = 0; k < list->n; k++)
	{
		uint32_t	i = list->entry[k].start;
		const Beginning *before = from;

		while (from < stop && from->start < window.begin[i])
			from++;
		if (from < stop && from->start < window.end[i])
			*to++ = (Beginning) {i, from->end};
		WorkerWorked(w, 1 + (uint64_t) (from - before));
	}
	list->n = (uint32_t) (to - list->entry);
}

/* Event i begins an occurrence of the longer episode that ends with event "end". */
static inline uint32_t
CountBeginning(Counting *c, uint32_t i, uint32_t end)
{
	uint32_t	type = c->w->stream.type[i];
	Counter    *counter = &c->counter[type];

	if (counter->entries++ == 0)
	{
		counter->free = UINT32_MAX;
		c->touched.type[c->touched.n++] = type;
	}
	/* here, "free" is where the next occurrence must have ended before */
	if (c->w->stream.after[end] <= counter->free)
	{
		counter->support++;
		counter->free = i;
	}
	return counter->support;
}

/*
 * From the last beginning to the first one: what lies in the windows before it, but
 * not before the beginning that precedes it, which ends no later.
 */
static bool
GapHasPredecessor(Counting *c, const Beginnings *list, uint32_t gap, uint64_t least)
{
	Windows		window = StreamWindows(&c->w->stream, gap);
	uint32_t	h = UINT32_MAX;

	for (uint32_t k = list->n; k-- > 0;)
	{
		uint32_t	i = list->entry[k].start;
		uint32_t	previous = k > 0 ? list->entry[k - 1].start : 0;

		if (h > i)
			h = i;
		for (; h > 0 && window.begin[h - 1] > i; h--)
			WorkerWorked(c->w, 1);
		for (; h > 0 && window.begin[h - 1] > previous && window.end[h - 1] > i; h--)
		{
			if (CountBeginning(c, h - 1, list->entry[k].end) >= least)
				return true;
			WorkerWorked(c->w, 1);
		}
	}
	return false;
}

bool
HasPredecessor(Counting *c, const Episode *episode, uint64_t least)
{
	Worker	   *w = c->w;
	ArenaMark	mark = ArenaGetMark(&w->arena);
	uint32_t	k = episode->length - 1;
	bool		found = false;
	Beginnings	list;

	BeginningsOfType(w, episode->type[k], &list);
	while (k-- > 0)
		Prepend(w, episode->type[k], episode->gap[k], &list);
	for (uint32_t gap = 0; gap < w->stream.ngaps && !found; gap++)
	{
		found = GapHasPredecessor(c, &list, gap, least);
		CountingClear(c);
	}
	ArenaRelease(&w->arena, mark);
	return found;
}
