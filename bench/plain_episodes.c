/*
 * plain_episodes.c
 *	  The yardstick for mining episodes: propagation that shares nothing.
 */
#include "plain_episodes.h"

#include <stdlib.h>
#include <string.h>

/* The plain yardstick: an episode is types[length], gaps[length - 1]. */
typedef struct Plain
{
	const FimEpisodesData *data;
	const FimGap *gap;
	int64_t   **time;			/* of each type */
	uint32_t   *n;
	int64_t    *end;
	int64_t    *start;
} Plain;

/* The support of an episode, from its first event on. */
static uint64_t
PlainSupport(Plain *p, const uint32_t *type, const uint32_t *gap, uint32_t length)
{
	uint32_t	n = p->n[type[0]];
	uint64_t	support = 0;
	int64_t		last = INT64_MIN;

	memcpy(p->end, p->time[type[0]], sizeof(int64_t) * n);
	memcpy(p->start, p->end, sizeof(int64_t) * n);
	for (uint32_t k = 1; k < length; k++)
	{
		FimGap		g = p->gap[gap[k - 1]];
		const int64_t *time = p->time[type[k]];
		int64_t    *end = p->end + p->data->events;
		int64_t    *start = p->start + p->data->events;
		uint32_t	m = 0;

		for (uint32_t i = 0; i < p->n[type[k]]; i++)
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

/*
 * A level is an array of episodes as type, gap, type, ... type; sorted, so that those
 * with the same beginning lie together.
 */
void
PlainMine(const FimEpisodesData *data, const FimGap *gaps, uint32_t ngaps, uint64_t minsup, uint32_t max_length,
		  uint64_t *count)
{
	Plain		p = {.data = data, .gap = gaps};
	const FimTime *times = FIM_EPISODES_TIMES(data);
	uint32_t   *level = malloc(sizeof(uint32_t) * (data->ntypes + 1));
	size_t		n = 0;

	p.time = calloc(data->ntypes + 1, sizeof(int64_t *));
	p.n = calloc(data->ntypes + 1, sizeof(uint32_t));
	p.end = malloc(sizeof(int64_t) * 2 * ((size_t) data->events + 1));
	p.start = malloc(sizeof(int64_t) * 2 * ((size_t) data->events + 1));
	for (uint32_t t = 0; t < data->ntypes; t++)
		p.time[t] = malloc(sizeof(int64_t) * (FIM_EPISODES_COUNTS(data)[t] + 1));
	for (uint32_t i = 0; i < data->events; i++)
	{
		uint32_t	t = FIM_EPISODES_TYPES(data)[i];

		p.time[t][p.n[t]++] = times[i].integer;
	}
	for (uint32_t t = 0; t < data->ntypes; t++)
		if (p.n[t] >= minsup)
			level[n++] = t;
	count[1] = n;
	for (uint32_t length = 2; length <= max_length && n > 0; length++)
	{
		uint32_t	words = 2 * length - 3;
		uint32_t   *next = NULL;
		size_t		m = 0;
		size_t		room = 0;

		plain_words = words;
		qsort(level, n, sizeof(uint32_t) * words, ByAllButLast);
		for (size_t e = 0; e < n; e++)
		{
			const uint32_t *first = level + e * words;
			size_t		low = 0;
			size_t		high = length == 2 ? 0 : n;

			/* the first whose beginning is this one's end */
			while (low < high)
			{
				size_t		middle = (low + high) / 2;

				if (ByAllButLast(level + middle * words, first + 2) < 0)
					low = middle + 1;
				else
					high = middle;
			}
			for (; low < n && (length == 2 || ByAllButLast(level + low * words, first + 2) == 0); low++)
				for (uint32_t g = 0; g < (length == 2 ? ngaps : 1); g++)
				{
					uint32_t	type[64];
					uint32_t	gap[64];
					const uint32_t *last = level + (low + 1) * words - (length == 2 ? 1 : 2);

					for (uint32_t k = 0; k + 1 < length; k++)
					{
						type[k] = first[2 * k];
						gap[k] = k + 2 < length ? first[2 * k + 1] : 0;
					}
					gap[length - 2] = length == 2 ? g : last[0];
					type[length - 1] = length == 2 ? last[0] : last[1];
					if (PlainSupport(&p, type, gap, length) < minsup)
						continue;
					if (m == room)
						next = realloc(next, sizeof(uint32_t) * (words + 2) * (room = 2 * room + 64));
					for (uint32_t k = 0; k < length; k++)
					{
						next[m * (words + 2) + 2 * k] = type[k];
						if (k + 1 < length)
							next[m * (words + 2) + 2 * k + 1] = gap[k];
					}
					m++;
				}
		}
		free(level);
		level = next;
		count[length] = n = m;
	}
	free(level);
	for (uint32_t t = 0; t < data->ntypes; t++)
		free(p.time[t]);
	free(p.time);
	free(p.n);
	free(p.end);
	free(p.start);
}
