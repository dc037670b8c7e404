/*-------------------------------------------------------------------------
 *
 * occurrence.c
 *	  Counting candidates by finding their occurrences.
 *
 * Each event of the first type begins a search of its own.  Level by level, each chain
 * found so far looks for the events of the next type in its window: they are counted,
 * the counts are added up to places, and the longer chains are written there.  Chains
 * that begin and end with the same events are one: what follows them is the same.  That
 * keeps their number from growing exponentially.  It can still be the product of two
 * numbers of events; where there are too many chains, a search takes fewer beginnings.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes.h"

#include "engine/episodes/worker.h"

/* The most chains of a search, unless a single beginning has more. */
#define MOST_CHAINS		(1 << 20)

/* The beginnings of a search, as long as they do not have too many chains. */
#define BEGINNINGS		4096

typedef struct Chain
{
	uint32_t	start;
	uint32_t	end;
} Chain;

/* The events of the next type that a chain finds: positions first .. first + n - 1. */
typedef struct Found
{
	uint32_t	first;
	uint32_t	n;
} Found;

/* The occurrences taken so far, which do not overlap. */
typedef struct Schedule
{
	uint32_t	support;
	uint32_t	end;			/* of the last one; not used while support is 0 */
} Schedule;

/*
 * Algorithm 2: of the occurrences that begin later than the one taken last ends, take the one
 * that ends first.  Occurrences come by their starts and then by their ends.  They need not be
 * sorted by their ends: the first end of a later start is not before that of an earlier one.
 * If it were, the two occurrences would cross, and the earlier start could reach that end, too.
 */
static void
TakeChains(Schedule *schedule, const uint32_t *after, const Chain *chain, size_t n)
{
	for (size_t c = 0; c < n; c++)
		if (schedule->support == 0 || chain[c].start >= after[schedule->end])
		{
			schedule->support++;
			schedule->end = chain[c].end;
		}
}

/* Count: the events in each chain's window that no chain of the same start has found. */
static uint64_t
CountNext(Worker *w, const Episode *episode, uint32_t k, const Chain *chain, size_t n, Found *found)
{
	const Stream *s = &w->stream;
	Windows		window = StreamWindows(s, episode->gap[k - 1]);
	uint32_t	type = episode->type[k];
	const uint32_t *position = s->position + s->start[type];
	uint32_t	npositions = s->start[type + 1] - s->start[type];
	uint32_t	first = 0;
	uint32_t	end = 0;
	uint64_t	total = 0;

	for (size_t c = 0; c < n; c++)
	{
		bool		same_start = c > 0 && chain[c].start == chain[c - 1].start;

		/* windows move forward among the chains of a start, but back again for the next start */
		if (!same_start)
			first = end = 0;
		first += Gallop(position + first, npositions - first, window.begin[chain[c].end]);
		if (same_start && first < end)
			first = end;
		end = first + Gallop(position + first, npositions - first, window.end[chain[c].end]);
		found[c] = (Found) {first, end - first};
		total += end - first;
		WorkerWorked(w, 16);
	}
	return total;
}

/* Scan and write: extend each chain by each event that it found. */
static void
WriteNext(Worker *w, uint32_t type, const Chain *chain, size_t n, const Found *found, Chain *to)
{
	const uint32_t *position = w->stream.position + w->stream.start[type];
	size_t		at = 0;

	for (size_t c = 0; c < n; c++)
	{
		for (uint32_t f = 0; f < found[c].n; f++)
			to[at + f] = (Chain) {chain[c].start, position[found[c].first + f]};
		at += found[c].n;
		WorkerWorked(w, 1 + (uint64_t) found[c].n);
	}
}

/*
 * Search for occurrences from some beginnings on.  Returns false, with the schedule as
 * it was, if there are too many chains for one search.
 */
static bool
SearchFrom(Worker *w, const Episode *episode, const uint32_t *beginning, uint32_t nbeginnings,
		   Schedule *schedule)
{
	ArenaMark	mark = ArenaGetMark(&w->arena);
	size_t		n = nbeginnings;
	Chain	   *chain = ArenaAlloc(&w->arena, sizeof(Chain) * n);

	for (size_t c = 0; c < n; c++)
		chain[c] = (Chain) {beginning[c], beginning[c]};
	for (uint32_t k = 1; k < episode->length && n > 0; k++)
	{
		Found	   *found = ArenaAlloc(&w->arena, sizeof(Found) * n);
		uint64_t	total = CountNext(w, episode, k, chain, n, found);
		Chain	   *longer;

		if (total > MOST_CHAINS && nbeginnings > 1)
		{
			ArenaRelease(&w->arena, mark);
			return false;
		}
		longer = ArenaAlloc(&w->arena, sizeof(Chain) * total);
		WriteNext(w, episode->type[k], chain, n, found, longer);
		chain = longer;
		n = total;
	}
	TakeChains(schedule, w->stream.after, chain, n);
	WorkerWorked(w, n);
	ArenaRelease(&w->arena, mark);
	return true;
}

static uint32_t
SupportByOccurrence(Worker *w, const Episode *episode)
{
	const Stream *s = &w->stream;
	const uint32_t *beginning = s->position + s->start[episode->type[0]];
	uint32_t	left = s->start[episode->type[0] + 1] - s->start[episode->type[0]];
	uint32_t	n = BEGINNINGS;
	Schedule	schedule = {0, 0};

	while (left > 0)
	{
		if (n > left)
			n = left;
		if (SearchFrom(w, episode, beginning, n, &schedule))
		{
			beginning += n;
			left -= n;
		}
		else
			n /= 2;
	}
	return schedule.support;
}

void
CountByOccurrence(Worker *w, Candidates *candidates)
{
	for (uint32_t c = 0; c < candidates->n; c++)
	{
		Episode		episode = CandidateAt(candidates, c);

		candidates->support[c] = SupportByOccurrence(w, &episode);
	}
}
