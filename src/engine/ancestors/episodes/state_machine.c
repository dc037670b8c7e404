/*-------------------------------------------------------------------------
 *
 * state_machine.c
 *	  Counting candidates by an automaton for each.
 *
 * The automaton of an episode has a list for each place but the last.  The list holds the
 * events at that place that end a chain which began after the last occurrence had ended.
 * An event that completes an occurrence empties all lists.
 *
 *-------------------------------------------------------------------------
 */
#include "state_machine.h"

#include <string.h>

/* Loops call WorkerWorked() once for this many events. */
#define BLOCK	(1 << 16)

/*
 * The list of a place: event[first] .. event[end - 1], ascending.  No event to come can
 * follow those before "first".
 */
typedef struct Chains
{
	uint32_t   *event;
	uint32_t	first;
	uint32_t	end;
} Chains;

typedef struct Automaton
{
	Worker	   *w;
	Episode		episode;
	Places		places;
	Chains	   *chains;			/* [length], that of place k at k - 1 */
	uint32_t	free;			/* the first event that can begin an occurrence */
} Automaton;

void
PlacesInit(Places *places, Worker *w, uint32_t length)
{
	places->first = ArenaAlloc(&w->arena, sizeof(uint32_t) * w->stream.ntypes);
	memset(places->first, 0, sizeof(uint32_t) * w->stream.ntypes);
	places->before = ArenaAlloc(&w->arena, sizeof(uint32_t) * ((size_t) length + 1));
}

void
PlacesSet(Places *places, const Episode *episode)
{
	for (uint32_t k = 1; k <= episode->length; k++)
	{
		places->before[k] = places->first[episode->type[k - 1]];
		places->first[episode->type[k - 1]] = k;
	}
}

void
PlacesClear(Places *places, const Episode *episode)
{
	for (uint32_t k = 0; k < episode->length; k++)
		places->first[episode->type[k]] = 0;
}

/*
 * Whether event i follows one of the chains, newest first.  Drops the chains that are too old.
 * Those that are too new are looked at each time, and may be many if the gap begins far away.
 */
static bool
Follows(Worker *w, Chains *chains, const Windows *window, uint32_t i)
{
	uint32_t	c = chains->end;

	while (chains->first < chains->end && window->end[chains->event[chains->first]] <= i)
		chains->first++;
	while (c > chains->first && window->begin[chains->event[c - 1]] > i)
		c--;
	WorkerWorked(w, chains->end - c + (c > chains->first));
	return c > chains->first;
}

/* Event i at place k, counted from 1; true if it completes an occurrence. */
static inline bool
Step(Automaton *a, uint32_t k, uint32_t i)
{
	Chains	   *chains = a->chains;

	if (k > 1)
	{
		Windows		window = StreamWindows(&a->w->stream, a->episode.gap[k - 2]);

		if (!Follows(a->w, &chains[k - 2], &window, i))
			return false;
	}
	else if (i < a->free)
		return false;
	if (k < a->episode.length)
	{
		chains[k - 1].event[chains[k - 1].end++] = i;
		return false;
	}
	for (uint32_t j = 0; j + 1 < a->episode.length; j++)
		chains[j].first = chains[j].end;
	a->free = a->w->stream.after[i];
	return true;
}

static uint32_t
Run(Automaton *a)
{
	Worker	   *w = a->w;
	const uint32_t *type = w->stream.type;
	uint32_t	support = 0;

	for (uint32_t i = 0; i < w->stream.events; i++)
	{
		/* the last places first, so that no event serves at two of them */
		for (uint32_t k = a->places.first[type[i]]; k > 0; k = a->places.before[k])
			if (Step(a, k, i))
			{
				support++;
				break;
			}
		if (i % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
	WorkerWorked(w, w->stream.events % BLOCK);
	return support;
}

void
CountByStateMachine(Worker *w, Candidates *candidates)
{
	const Stream *s = &w->stream;
	ArenaMark	mark = ArenaGetMark(&w->arena);
	Automaton	a = {.w = w};

	PlacesInit(&a.places, w, candidates->length);
	a.chains = ArenaAlloc(&w->arena, sizeof(Chains) * candidates->length);
	for (uint32_t c = 0; c < candidates->n; c++)
	{
		ArenaMark	lists = ArenaGetMark(&w->arena);

		a.episode = CandidateAt(candidates, c);
		a.free = 0;
		for (uint32_t k = 0; k + 1 < a.episode.length; k++)
		{
			uint32_t	type = a.episode.type[k];

			a.chains[k] = (Chains) {ArenaAlloc(&w->arena, sizeof(uint32_t) * (s->start[type + 1] - s->start[type])), 0, 0};
		}
		PlacesSet(&a.places, &a.episode);
		candidates->support[c] = Run(&a);
		PlacesClear(&a.places, &a.episode);
		ArenaRelease(&w->arena, lists);
	}
	ArenaRelease(&w->arena, mark);
}
