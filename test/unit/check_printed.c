/*-------------------------------------------------------------------------
 *
 * check_printed.c
 *	  Whether the ancestors' algorithms with the defects that doc/episode_mining.md lists go
 *	  wrong on the streams that it gives for them, and on none that has fewer events.
 *
 * The algorithms are written down here once more, with switches for their defects.  A stream
 * shows a defect if the algorithm gives another number with it than without it.  All streams
 * with fewer events of three types at times 0 to 11 are tried, in every order of simultaneous
 * events, with all episodes of two or three types.
 *
 * Usage: check_printed
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define TYPES		3
#define TIMES		12
#define MOST_EVENTS	4
#define LONGEST		3
#define NEVER_YET	INT64_MIN

/* Events in the order in which they come, of types 'a' and so on. */
typedef struct Printed
{
	uint32_t	events;
	char		type[MOST_EVENTS + 1];
	int64_t		time[MOST_EVENTS];
	const char *episode;
	int64_t		low;			/* the gap is (low, 5] */
} Printed;

#define HIGH		5

typedef enum Defect
{
	NO_DEFECT,
	COUNTS_PREFIX,				/* an occurrence is complete at the place before the last one */
	NEVER_EXPIRES,				/* events that are too old are looked at */
	BEGINS_AT_END,				/* an occurrence may begin when the one before ends */
	STARTS_AT_ZERO,				/* "none yet" is an event, or an end, at time 0 */
	REFUSES_SIMULTANEOUS,		/* PreElim tests that an event is later than the one before it */
	KNOWS_LATEST,				/* of each place only the latest event is known */
	DROPS_INNER,				/* candidates are given up for an episode without an inner event */
	FOLLOWS_ALL					/* occurrences that begin and end alike are counted apart */
} Defect;

static bool
InGap(const Printed *p, int64_t before, int64_t time)
{
	return time - before > p->low && time - before <= HIGH;
}

/* Algorithm 1.  Returns the support, or what has been looked at for it. */
static uint32_t
Automaton(const Printed *p, Defect defect, bool looks)
{
	uint32_t	length = (uint32_t) strlen(p->episode);
	uint32_t	complete = defect == COUNTS_PREFIX ? length - 1 : length;
	int64_t		list[LONGEST + 1][MOST_EVENTS];
	uint32_t	n[LONGEST + 1] = {0};
	int64_t		end = NEVER_YET;
	uint32_t	support = 0;
	uint32_t	looked = 0;

	for (uint32_t e = 0; e < p->events; e++)
		for (uint32_t i = length; i > 0; i--)
		{
			int64_t		time = p->time[e];
			bool		follows = false;

			if (p->episode[i - 1] != p->type[e])
				continue;
			if (i == 1)
			{
				if (time > end || (time == end && defect == BEGINS_AT_END))
					list[1][n[1]++] = time;
				continue;
			}
			for (uint32_t j = n[i - 1]; j > 0 && !follows; j--)
			{
				if (time - list[i - 1][j - 1] > HIGH && defect != NEVER_EXPIRES)
					break;
				looked++;
				follows = InGap(p, list[i - 1][j - 1], time);
				if (defect == KNOWS_LATEST)
					break;
			}
			if (!follows)
				continue;
			if (i == complete)
			{
				support++;
				end = time;
				memset(n, 0, sizeof(n));
				break;
			}
			list[i][n[i]++] = time;
		}
	return looks ? looked : support;
}

/* Algorithm 4.  Returns the bound of the support. */
static uint32_t
PreElim(const Printed *p, Defect defect)
{
	uint32_t	length = (uint32_t) strlen(p->episode);
	int64_t		none = defect == STARTS_AT_ZERO ? 0 : NEVER_YET;
	int64_t		latest[LONGEST + 1] = {none, none, none, none};
	uint32_t	bound = 0;

	for (uint32_t e = 0; e < p->events; e++)
		for (uint32_t i = length; i > 0; i--)
		{
			if (p->episode[i - 1] != p->type[e])
				continue;
			if (i > 1 && (latest[i - 1] == NEVER_YET || p->time[e] - latest[i - 1] > HIGH ||
						  (defect == REFUSES_SIMULTANEOUS && p->time[e] == latest[i - 1])))
				continue;
			latest[i] = p->time[e];
			if (i < length)
				continue;
			bound++;
			for (uint32_t k = 0; k <= LONGEST; k++)
				latest[k] = none;
			break;
		}
	return bound;
}

/* All occurrences, in the order of their ends. */
typedef struct Occurrences
{
	uint32_t	n;
	int64_t		start[MOST_EVENTS * MOST_EVENTS * MOST_EVENTS];
	int64_t		end[MOST_EVENTS * MOST_EVENTS * MOST_EVENTS];
} Occurrences;

/* Find the occurrences whose first k events have been chosen; the first and the last of these are at "start" and "end". */
static void
Search(const Printed *p, uint32_t k, int64_t start, int64_t end, Occurrences *found)
{
	if (p->episode[k] == '\0')
	{
		uint32_t	at = found->n++;

		for (; at > 0 && found->end[at - 1] > end; at--)
		{
			found->start[at] = found->start[at - 1];
			found->end[at] = found->end[at - 1];
		}
		found->start[at] = start;
		found->end[at] = end;
		return;
	}
	for (uint32_t e = 0; e < p->events; e++)
		if (p->type[e] == p->episode[k] && (k == 0 || InGap(p, end, p->time[e])))
			Search(p, k + 1, k == 0 ? p->time[e] : start, p->time[e], found);
}

/* Algorithm 2, of the occurrences that a search has found. */
static uint32_t
Schedule(const Printed *p, Defect defect)
{
	Occurrences found = {0};
	int64_t		end = defect == STARTS_AT_ZERO ? 0 : NEVER_YET;
	uint32_t	support = 0;

	Search(p, 0, 0, 0, &found);
	for (uint32_t o = 0; o < found.n; o++)
		if (end < found.start[o])
		{
			end = found.end[o];
			support++;
		}
	return support;
}

/* How many occurrences there are to follow. */
static uint32_t
Followed(const Printed *p, Defect defect)
{
	Occurrences found = {0};
	uint32_t	n = 0;

	Search(p, 0, 0, 0, &found);
	for (uint32_t o = 0; o < found.n; o++)
	{
		bool		known = false;

		for (uint32_t other = 0; other < o; other++)
			known |= found.start[other] == found.start[o] && found.end[other] == found.end[o];
		n += defect == FOLLOWS_ALL || !known;
	}
	return n;
}

/* The support, if the candidate is counted at all. */
static uint32_t
Candidate(const Printed *p, Defect defect)
{
	size_t		length = strlen(p->episode);

	for (size_t inner = 1; defect == DROPS_INNER && inner + 1 < length; inner++)
	{
		char		rest[LONGEST + 1] = "";
		Printed		without = *p;

		memcpy(rest, p->episode, inner);
		memcpy(rest + inner, p->episode + inner + 1, length - inner - 1);
		without.episode = rest;
		if (Schedule(&without, NO_DEFECT) == 0)
			return 0;
	}
	return Schedule(p, NO_DEFECT);
}

/*
 * What the algorithm that a correction is about gives.  A bound that is above the support costs time and no
 * more, so what matters of correction 6 is a bound below it.
 */
static uint32_t
Given(const Printed *p, int correction, Defect defect)
{
	uint32_t	support = Schedule(p, NO_DEFECT);
	uint32_t	bound = PreElim(p, defect);

	switch (correction)
	{
		case 1:
		case 3:
		case 7:
			return Automaton(p, defect, false);
		case 2:
			return Automaton(p, defect, true);
		case 4:
			return Schedule(p, defect);
		case 5:
			return bound;
		case 6:
			return bound < support ? bound : support;
		case 8:
			return Candidate(p, defect);
		default:
			return Followed(p, defect);
	}
}

/* A row of the table, with what the algorithm gives with its defect and without it. */
typedef struct Correction
{
	int			number;
	Defect		defect;
	Printed		smallest;
	uint32_t	printed;
	uint32_t	right;
} Correction;

static const Correction corrections[] = {
	{1, COUNTS_PREFIX, {2, "ab", {1, 2}, "ab", 0}, 0, 1},
	{2, NEVER_EXPIRES, {2, "ab", {1, 7}, "ab", 0}, 1, 0},
	{3, BEGINS_AT_END, {4, "abab", {1, 2, 2, 3}, "ab", 0}, 2, 1},
	{4, STARTS_AT_ZERO, {2, "ab", {0, 1}, "ab", 0}, 0, 1},
	{5, STARTS_AT_ZERO, {1, "b", {1}, "ab", 0}, 1, 0},
	{6, REFUSES_SIMULTANEOUS, {3, "aab", {1, 2, 2}, "ab", 0}, 0, 1},
	{7, KNOWS_LATEST, {3, "aab", {1, 2, 3}, "ab", 1}, 0, 1},
	{8, DROPS_INNER, {3, "abc", {0, 5, 10}, "abc", 0}, 0, 1},
	{9, FOLLOWS_ALL, {4, "abbc", {1, 2, 3, 4}, "abc", 0}, 2, 1},
};

/* Whether a smaller stream does not show the correction, and the corrected algorithms agree on it. */
static bool
CheckSmaller(const Correction *c, Printed *p, uint64_t *tried)
{
	uint32_t	support = Schedule(p, NO_DEFECT);

	++*tried;
	if (Given(p, c->number, c->defect) == Given(p, c->number, NO_DEFECT) &&
		Automaton(p, NO_DEFECT, false) == support && PreElim(p, NO_DEFECT) >= support)
		return true;
	Complain("correction %d: episode %s, %u events", c->number, p->episode, p->events);
	for (uint32_t e = 0; e < p->events; e++)
		printf("#   %c %d\n", p->type[e], (int) p->time[e]);
	return false;
}

static bool
CheckEpisodes(const Correction *c, Printed *p, uint64_t *tried)
{
	for (uint32_t number = 0; number < TYPES * TYPES * (TYPES + 1); number++)
	{
		char		episode[LONGEST + 1] = {(char) ('a' + number % TYPES), (char) ('a' + number / TYPES % TYPES)};

		if (number >= TYPES * TYPES)
			episode[2] = (char) ('a' + number / (TYPES * TYPES) - 1);
		p->episode = episode;
		if (!CheckSmaller(c, p, tried))
			return false;
	}
	return true;
}

/* Add up to so many events to the stream in all ways; simultaneous ones differ in their types. */
static bool
CheckStreams(const Correction *c, Printed *p, uint32_t more, uint64_t *tried)
{
	if (!CheckEpisodes(c, p, tried))
		return false;
	for (int64_t time = p->events > 0 ? p->time[p->events - 1] : 0; more > 0 && time < TIMES; time++)
		for (uint32_t type = 0; type < TYPES; type++)
		{
			bool		there = false;

			for (uint32_t e = 0; e < p->events; e++)
				there |= p->time[e] == time && p->type[e] == (char) ('a' + type);
			if (there)
				continue;
			p->time[p->events] = time;
			p->type[p->events++] = (char) ('a' + type);
			if (!CheckStreams(c, p, more - 1, tried))
				return false;
			p->events--;
		}
	return true;
}

int
main(void)
{
	uint64_t	tried = 0;

	for (size_t i = 0; i < sizeof(corrections) / sizeof(corrections[0]); i++)
	{
		const Correction *c = &corrections[i];
		Printed		stream = {.low = c->smallest.low};
		uint32_t	printed = Given(&c->smallest, c->number, c->defect);
		uint32_t	right = Given(&c->smallest, c->number, NO_DEFECT);

		if (printed != c->printed || right != c->right)
		{
			Complain("correction %d: %u as printed, %u as corrected", c->number, printed, right);
			return 1;
		}
		if (!CheckStreams(c, &stream, c->smallest.events - 1, &tried))
			return 1;
	}
	printf("# %llu smaller streams and episodes\n", (unsigned long long) tried);
	return 0;
}
