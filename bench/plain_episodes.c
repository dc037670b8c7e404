/*
 * plain_episodes.c
 *	  The yardstick for mining episodes: propagation that shares nothing.
 */
#include "plain_episodes.h"

#include <stdlib.h>
#include <string.h>

typedef struct Plain
{
	const FimEpisodesData *data;
	const FimGap *gap;
	int64_t   **time;			/* of each type's events */
	uint32_t   *n;				/* of each type */
	int64_t    *end;			/* room for two lists of occurrences: their ends, and their starts */
	int64_t    *start;
} Plain;

/*
 * The episodes of one length.  Each is so many words: type, gap, type, ... type.  They are sorted, so that
 * those with the same beginning lie together.
 */
typedef struct Level
{
	uint32_t   *episode;
	size_t		n;
	size_t		room;
	uint32_t	words;
} Level;

/* The support of an episode, from its first event on. */
static uint64_t
PlainSupport(Plain *p, const uint32_t *episode, uint32_t words)
{
	uint32_t	n = p->n[episode[0]];
	uint64_t	support = 0;
	int64_t		last = INT64_MIN;

	memcpy(p->end, p->time[episode[0]], sizeof(int64_t) * n);
	memcpy(p->start, p->end, sizeof(int64_t) * n);
	for (uint32_t k = 2; k < words; k += 2)
	{
		FimGap		g = p->gap[episode[k - 1]];
		const int64_t *time = p->time[episode[k]];
		int64_t    *end = p->end + p->data->events;
		int64_t    *start = p->start + p->data->events;
		uint32_t	m = 0;

		for (uint32_t i = 0; i < p->n[episode[k]]; i++)
		{
			uint32_t	low = 0;
			uint32_t	high = n;

			while (low < high)
			{
				uint32_t	middle = (low + high) / 2;

				if (p->end[middle] <= time[i] - g.low.integer)
					low = middle + 1;
				else
					high = middle;
			}
			if (low > 0 && time[i] - p->end[low - 1] <= g.high.integer)
			{
				end[m] = time[i];
				start[m++] = p->start[low - 1];
			}
		}
		n = m;
		memcpy(p->end, end, sizeof(int64_t) * n);
		memcpy(p->start, start, sizeof(int64_t) * n);
	}
	for (uint32_t i = 0; i < n; i++)
		if (p->start[i] > last)
		{
			support++;
			last = p->end[i];
		}
	return support;
}

static uint32_t plain_words;

/* Episodes by their beginnings, without the last event and the gap before it. */
static int
ByAllButLast(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	for (uint32_t k = 0; k + 2 < plain_words; k++)
		if (x[k] != y[k])
			return x[k] < y[k] ? -1 : 1;
	return 0;
}

/* Sort the events by their types. */
static void
PlainInit(Plain *p, const FimEpisodesData *data, const FimGap *gaps)
{
	const FimTime *times = FIM_EPISODES_TIMES(data);

	p->data = data;
	p->gap = gaps;
	p->time = calloc(data->ntypes + 1, sizeof(int64_t *));
	p->n = calloc(data->ntypes + 1, sizeof(uint32_t));
	p->end = malloc(sizeof(int64_t) * 2 * ((size_t) data->events + 1));
	p->start = malloc(sizeof(int64_t) * 2 * ((size_t) data->events + 1));
	for (uint32_t t = 0; t < data->ntypes; t++)
		p->time[t] = malloc(sizeof(int64_t) * (FIM_EPISODES_COUNTS(data)[t] + 1));
	for (uint32_t i = 0; i < data->events; i++)
	{
		uint32_t	t = FIM_EPISODES_TYPES(data)[i];

		p->time[t][p->n[t]++] = times[i].integer;
	}
}

static void
PlainFree(Plain *p)
{
	for (uint32_t t = 0; t < p->data->ntypes; t++)
		free(p->time[t]);
	free(p->time);
	free(p->n);
	free(p->end);
	free(p->start);
}

/* Make an episode longer by an event; it belongs to the next level if it is frequent. */
static void
Extend(Plain *p, const uint32_t *episode, uint32_t gap, uint32_t type, uint64_t minsup, Level *next)
{
	uint32_t   *longer;

	if (next->n == next->room)
	{
		next->room = 2 * next->room + 64;
		next->episode = realloc(next->episode, sizeof(uint32_t) * next->words * next->room);
	}
	longer = next->episode + next->n * next->words;
	memcpy(longer, episode, sizeof(uint32_t) * (next->words - 2));
	longer[next->words - 2] = gap;
	longer[next->words - 1] = type;
	next->n += PlainSupport(p, longer, next->words) >= minsup;
}

/* The first episode whose beginning is the end of this one. */
static size_t
FirstToJoin(const Level *level, const uint32_t *episode)
{
	size_t		low = 0;
	size_t		high = level->n;

	while (low < high)
	{
		size_t		middle = (low + high) / 2;

		if (ByAllButLast(level->episode + middle * level->words, episode + 2) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An episode is joined with those that begin as it ends; a single event with all, by each gap. */
static Level
NextLevel(Plain *p, Level *level, uint32_t ngaps, uint64_t minsup)
{
	Level		next = {.words = level->words + 2};

	plain_words = level->words;
	qsort(level->episode, level->n, sizeof(uint32_t) * level->words, ByAllButLast);
	for (size_t e = 0; e < level->n; e++)
	{
		const uint32_t *episode = level->episode + e * level->words;

		for (size_t other = level->words == 1 ? 0 : FirstToJoin(level, episode); other < level->n; other++)
		{
			const uint32_t *last = level->episode + (other + 1) * level->words - 1;

			if (level->words == 1)
				for (uint32_t g = 0; g < ngaps; g++)
					Extend(p, episode, g, *last, minsup, &next);
			else if (ByAllButLast(last + 1 - level->words, episode + 2) == 0)
				Extend(p, episode, last[-1], *last, minsup, &next);
			else
				break;
		}
	}
	return next;
}

void
PlainMine(const FimEpisodesData *data, const FimGap *gaps, uint32_t ngaps, uint64_t minsup, uint32_t max_length,
		  uint64_t *count)
{
	Level		level = {.episode = malloc(sizeof(uint32_t) * (data->ntypes + 1)), .words = 1};
	Plain		p;

	PlainInit(&p, data, gaps);
	for (uint32_t t = 0; t < data->ntypes; t++)
		if (p.n[t] >= minsup)
			level.episode[level.n++] = t;
	count[1] = level.n;
	for (uint32_t length = 2; length <= max_length && level.n > 0; length++)
	{
		Level		next = NextLevel(&p, &level, ngaps, minsup);

		free(level.episode);
		level = next;
		count[length] = level.n;
	}
	free(level.episode);
	PlainFree(&p);
}
