/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Latest-start propagation, list by list.
 *
 *-------------------------------------------------------------------------
 */
#include "lists.h"

/* Work is told to the worker in steps of so many entries. */
#define BLOCK	4096

void
ListOfType(Worker *w, uint32_t type, List *list)
{
	const Stream *s = &w->stream;
	const uint32_t *position = s->position + s->start[type];

	list->n = s->start[type + 1] - s->start[type];
	list->entry = ArenaAlloc(&w->arena, sizeof(Entry) * list->n);
	for (uint32_t k = 0; k < list->n; k++)
	{
		list->entry[k] = (Entry) {position[k], position[k]};
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
}

/*
 * The events from one entry's window on, up to its end or to the next one's window.
 */
void
StretchesAfter(Worker *w, const List *list, uint32_t gap, Stretches *to)
{
	Windows		window = StreamWindows(&w->stream, gap);
	const Entry *entry = list->entry;
	size_t		room = (size_t) list->n + w->stream.events / MAX_STRETCH + 1;
	Stretch    *stretch = ArenaAlloc(&w->scratch, sizeof(Stretch) * room);
	uint32_t	next = list->n > 0 ? window.begin[entry[0].end] : 0;

	to->stretch = stretch;
	to->events = 0;
	for (uint32_t k = 0; k < list->n; k++)
	{
		uint32_t	begin = next;
		uint32_t	end = window.end[entry[k].end];

		next = k + 1 < list->n ? window.begin[entry[k + 1].end] : UINT32_MAX;
		if (end > next)
			end = next;
		*stretch = (Stretch) {begin, end, entry[k].start};
		stretch += begin < end;
		to->events += begin < end ? end - begin : 0;
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
		for (; begin < end && end - begin > MAX_STRETCH; stretch++)
		{
			stretch[-1].end = begin += MAX_STRETCH;
			*stretch = (Stretch) {begin, end, entry[k].start};
		}
	}
	to->n = (uint32_t) (stretch - to->stretch);
}

/* The first of n ascending numbers that is at least so great, found by galloping. */
static inline uint32_t
Gallop(const uint32_t *number, uint32_t n, uint32_t least)
{
	uint32_t	step = 1;
	uint32_t	low = 0;

	if (n == 0 || number[0] >= least)
		return 0;
	/* number[low] is too small throughout */
	while (step < n - low && number[low + step] < least)
	{
		low += step;
		step *= 2;
	}
	if (step > n - low)
		step = n - low;
	while (step > 1)
	{
		uint32_t	half = step / 2;

		if (number[low + half] < least)
		{
			low += half;
			step -= half;
		}
		else
			step = half;
	}
	return low + 1;
}

/* The entries at which the stretches and the events of the type meet. */
void
ListExtend(Worker *w, const List *list, uint32_t gap, uint32_t type, List *to)
{
	const Stream *s = &w->stream;
	const uint32_t *position = s->position + s->start[type];
	uint32_t	left = s->start[type + 1] - s->start[type];
	Entry	   *entry = ArenaAlloc(&w->arena, sizeof(Entry) * left);
	ArenaMark	mark = ArenaGetMark(&w->scratch);
	Stretches	stretches;

	StretchesAfter(w, list, gap, &stretches);
	to->entry = entry;
	for (uint32_t k = 0; k < stretches.n && left > 0; k++)
	{
		const Stretch *stretch = &stretches.stretch[k];
		uint32_t	skip = Gallop(position, left, stretch->begin);
		const Entry *first = entry;

		position += skip;
		left -= skip;
		for (; left > 0 && *position < stretch->end; left--)
			*entry++ = (Entry) {*position++, stretch->start};
		WorkerWorked(w, 2 + (uint64_t) (entry - first));
	}
	to->n = (uint32_t) (entry - to->entry);
	ArenaRelease(&w->scratch, mark);
	ArenaTrim(&w->arena, to->entry, sizeof(Entry) * to->n);
}

uint32_t
ListSupport(Worker *w, const List *list)
{
	const uint32_t *after = w->stream.after;
	uint32_t	support = 0;
	uint32_t	free = 0;		/* the first event at which the next one may begin */

	for (uint32_t k = 0; k < list->n; k++)
	{
		if (list->entry[k].start >= free)
		{
			support++;
			free = after[list->entry[k].end];
		}
		if (k % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
	return support;
}
