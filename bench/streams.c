/*
 * streams.c
 *	  Streams of events to measure with: read from a file, or made.
 */
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
Die(const char *what)
{
	fprintf(stderr, "episodes: %s\n", what);
	exit(1);
}

static void
AddEvent(Event **events, size_t *n, Event event)
{
	if ((*n & (*n - 1)) == 0)
		*events = realloc(*events, sizeof(Event) * (*n == 0 ? 1 : 2 * *n));
	if (*events == NULL)
		Die("out of memory");
	(*events)[(*n)++] = event;
}

size_t
ReadEvents(const char *name, Event **events)
{
	FILE	   *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
	char	   *line = NULL;
	size_t		size = 0;
	size_t		n = 0;

	if (file == NULL)
		Die("cannot open the file");
	while (getline(&line, &size, file) >= 0)
	{
		Event		event = {0};

		if (line[0] != '#' && sscanf(line, "%ld %u", &event.time, &event.type) == 2)
			AddEvent(events, &n, event);
	}
	free(line);
	return n;
}

static uint64_t rng_state = 1;

static double
Unit(void)
{
	uint64_t	z = (rng_state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static int
BySessionAndTime(const void *a, const void *b)
{
	const Event *x = a;
	const Event *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* One event in a hundred begins a chain: types 0 1 2 3 or 4 5 6 7, 5 to 10 ms apart. */
size_t
MakeSpikes(const char *model, Event **events)
{
	unsigned	types;
	double		hertz;
	size_t		wanted;
	size_t		n = 0;
	double		now = 0;

	if (sscanf(model, "%u,%lf,%zu", &types, &hertz, &wanted) != 3 || types == 0)
		Die("-p takes TYPES,HERTZ,EVENTS");
	while (n < wanted)
	{
		now -= log(1 - Unit()) * 1e6 / (types * hertz);
		AddEvent(events, &n, (Event) {(int64_t) now, (uint32_t) (Unit() * types), 0});
		if (types >= 8 && Unit() < 0.01)
		{
			double		at = now;
			uint32_t	first = Unit() < 0.5 ? 0 : 4;

			for (uint32_t k = 0; k < 4; k++, at += 5000 + Unit() * 5000)
				AddEvent(events, &n, (Event) {(int64_t) at, first + k, 0});
		}
	}
	qsort(*events, n, sizeof(Event), BySessionAndTime);
	return n;
}

/* Pages by the square of a random number; the sessions' lengths vary as they do by chance. */
size_t
MakeClicks(const char *model, Event **events)
{
	unsigned	types;
	unsigned	sessions;
	size_t		wanted;
	size_t		n = 0;
	double		now = 0;
	uint32_t	session = 0;

	if (sscanf(model, "%u,%u,%zu", &types, &sessions, &wanted) != 3 || types == 0 || sessions == 0)
		Die("-c takes TYPES,SESSIONS,EVENTS");
	while (n < wanted)
	{
		double		page = Unit();

		if (session + 1 < sessions && Unit() * wanted < sessions)
		{
			session++;
			now = 0;
		}
		now += 1 - 20 * log(1 - Unit());
		AddEvent(events, &n, (Event) {(int64_t) now, (uint32_t) (page * page * types), session});
	}
	return n;
}

/* Types that are frequent are numbered in their order, the others' events go. */
size_t
KeepFrequent(Event *events, size_t n, uint64_t minsup, uint32_t *ntypes)
{
	uint32_t	last = 0;
	uint64_t   *count;
	uint32_t   *number;
	uint32_t	kept = 0;
	size_t		to = 0;

	for (size_t i = 0; i < n; i++)
		if (events[i].type > last)
			last = events[i].type;
	count = calloc((size_t) last + 1, sizeof(uint64_t));
	number = malloc(((size_t) last + 1) * sizeof(uint32_t));
	if (count == NULL || number == NULL)
		Die("out of memory");
	for (size_t i = 0; i < n; i++)
		count[events[i].type]++;
	for (size_t type = 0; type <= last; type++)
		if (count[type] >= minsup)
			number[type] = kept++;
	for (size_t i = 0; i < n; i++)
		if (count[events[i].type] >= minsup)
			events[to++] = (Event) {events[i].time, number[events[i].type], events[i].session};
	free(count);
	free(number);
	*ntypes = kept;
	return to;
}

void
WriteEvents(const Event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%ld\t%u\t%u\n", events[i].time, events[i].type, events[i].session);
}
