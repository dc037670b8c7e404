/*-------------------------------------------------------------------------
 *
 * two_pass.c
 *	  Two passes over candidates: an upper bound of the support first, then the support
 *	  of those whose bound is high enough.
 *
 * The bound is the support without the gaps' lower bounds: then only the latest event
 * at each place has to be known.  That event may have the same time as the event at hand,
 * since simultaneous events come in any order.  It must not be refused for that, because
 * it replaced an earlier event that was in the window.
 *
 *-------------------------------------------------------------------------
 */
#include "two_pass.h"

#include "occurrence.h"
#include "state_machine.h"

#include <string.h>

/* Loops call WorkerWorked() once for this many events. */
#define BLOCK	(1 << 16)

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
		if (candidates->support[c] < w->job->minsup)
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
