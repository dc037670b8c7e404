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
#include <string.h>

#include "episodes.h"

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

/*
 * PlacesInit() allocates in the worker's arena, for episodes up to a length, and leaves all
 * types without places.  PlacesClear() undoes PlacesSet().
 */
static void
PlacesInit(Places *places, Worker *w, uint32_t length)
{
	places->first = ArenaAlloc(&w->arena, sizeof(uint32_t) * w->stream.ntypes);
	memset(places->first, 0, sizeof(uint32_t) * w->stream.ntypes);
	places->before = ArenaAlloc(&w->arena, sizeof(uint32_t) * ((size_t) length + 1));
}

static void
PlacesSet(Places *places, const Episode *episode)
{
	for (uint32_t k = 1; k <= episode->length; k++)
	{
		places->before[k] = places->first[episode->type[k - 1]];
		places->first[episode->type[k - 1]] = k;
	}
}

static void
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

/*
 * Two passes over candidates: PreElim and the hybrid algorithm of Feng, Cao, Patnaik and Ramakrishnan,
 * "Temporal Data Mining for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * The bound is the support without the gaps' lower bounds: then only the latest event
 * at each place has to be known.  That event may have the same time as the event at hand,
 * since simultaneous events come in any order.  It must not be refused for that, because
 * it replaced an earlier event that was in the window.
 */

/* Loops call WorkerWorked() once for this many events. */

/*
 * Up to this many candidates are counted by their occurrences, which on devices keeps enough
 * threads at work; more candidates are counted by automata.
 */
#define FEW_CANDIDATES	64

/* PreElim.  latest[k] is the latest event at place k, counted from 1, or 0 if there is none. */
static uint32_t
UpperBound(Worker *w, const Episode *episode, const Places *places, uint32_t *latest)
{
	const Stream *s = &w->stream;
	uint32_t	bound = 0;

	memset(latest, 0, sizeof(uint32_t) * ((size_t) episode->length + 1));
	for (uint32_t i = 0; i < s->events; i++)
	{
		for (uint32_t k = places->first[s->type[i]]; k > 0; k = places->before[k])
		{
			if (k > 1 && (latest[k - 1] == 0 ||
						  StreamWindows(s, episode->gap[k - 2]).end[latest[k - 1] - 1] <= i))
				continue;
			latest[k] = i + 1;
			if (k < episode->length)
				continue;
			bound++;
			memset(latest, 0, sizeof(uint32_t) * ((size_t) episode->length + 1));
			break;
		}
		if (i % BLOCK == BLOCK - 1)
			WorkerWorked(w, BLOCK);
	}
	WorkerWorked(w, s->events % BLOCK);
	return bound;
}

void
CountInTwoPasses(Worker *w, Candidates *candidates)
{
	ArenaMark	mark = ArenaGetMark(&w->arena);
	uint32_t	length = candidates->length;
	uint32_t   *latest = ArenaAlloc(&w->arena, sizeof(uint32_t) * ((size_t) length + 1));
	uint32_t   *place = ArenaAlloc(&w->arena, sizeof(uint32_t) * candidates->n);
	Candidates	left = *candidates;
	Places		places;

	left.n = 0;
	left.type = ArenaAlloc(&w->arena, sizeof(uint32_t) * candidates->n * length);
	left.gap = ArenaAlloc(&w->arena, sizeof(uint32_t) * candidates->n * (length - 1));
	left.support = ArenaAlloc(&w->arena, sizeof(uint32_t) * candidates->n);
	PlacesInit(&places, w, length);
	for (uint32_t c = 0; c < candidates->n; c++)
	{
		Episode		episode = CandidateAt(candidates, c);
		Episode		copy = CandidateAt(&left, left.n);

		PlacesSet(&places, &episode);
		candidates->support[c] = UpperBound(w, &episode, &places, latest);
		PlacesClear(&places, &episode);
		if (candidates->support[c] < w->spec->minsup)
			continue;
		memcpy(copy.type, episode.type, sizeof(uint32_t) * length);
		memcpy(copy.gap, episode.gap, sizeof(uint32_t) * (length - 1));
		place[left.n++] = c;
	}
	if (left.n <= FEW_CANDIDATES)
		CountByOccurrence(w, &left);
	else
		CountByStateMachine(w, &left);
	for (uint32_t c = 0; c < left.n; c++)
		candidates->support[place[c]] = left.support[c];
	ArenaRelease(&w->arena, mark);
}
