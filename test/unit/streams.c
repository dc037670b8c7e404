/*-------------------------------------------------------------------------
 *
 * streams.c
 *	  Random streams of events, and their episodes by exhaustive search.
 *
 *-------------------------------------------------------------------------
 */
#include "streams.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OCCURRENCES	3000
#define MOST_EPISODES		3000

/* Events by their numbers: where an occurrence begins and ends. */
typedef struct Occurrence
{
	uint32_t	start;
	uint32_t	end;
} Occurrence;

typedef struct Occurrences
{
	Occurrence *at;
	uint32_t	n;
} Occurrences;

/* The whole search. */
typedef struct Exhaustion
{
	const TestStream *stream;
	uint32_t	max_length;
	StreamEpisodes *found;
	StreamEpisode episode;
	bool		there[STREAM_ROWS]; /* not a repetition of an earlier row */
} Exhaustion;

int
CompareTimes(const TestStream *stream, FimTime a, FimTime b)
{
	if (stream->real)
		return (a.real > b.real) - (a.real < b.real);
	return (a.integer > b.integer) - (a.integer < b.integer);
}

bool
IsInGap(const TestStream *stream, const StreamGap *gap, FimTime before, FimTime time)
{
	if (stream->real)
	{
		double		length = time.real - before.real;

		return (gap->low_open ? length > gap->low.real : length >= gap->low.real) &&
			(gap->unbounded || (gap->high_open ? length < gap->high.real : length <= gap->high.real));
	}
	else
	{
		__int128	length = (__int128) time.integer - before.integer;

		return (gap->low_open ? length > gap->low.integer : length >= gap->low.integer) &&
			(gap->unbounded || (gap->high_open ? length < gap->high.integer : length <= gap->high.integer));
	}
}

/* The gap in the engine's form. */
static FimGap
ClosedGap(const TestStream *stream, const StreamGap *gap)
{
	FimGap		closed = {gap->low, gap->high};

	if (stream->real)
	{
		if (gap->low_open)
			closed.low.real = nextafter(closed.low.real, INFINITY);
		if (gap->unbounded)
			closed.high.real = INFINITY;
		else if (gap->high_open)
			closed.high.real = nextafter(closed.high.real, 0);
	}
	else
	{
		closed.low.integer += gap->low_open;
		closed.high.integer = gap->unbounded ? INT64_MAX : closed.high.integer - gap->high_open;
	}
	return closed;
}

/*
 * Times are few whole steps, so that there are ties.  Steps of a tenth show that
 * differences are float8's own; some streams reach from one end of int64 to the other.
 */
static FimTime
DrawTime(Rng *rng, const TestStream *stream, uint32_t span, uint32_t scale)
{
	uint32_t	step = RngBelow(rng, span);
	FimTime		time;

	if (stream->real)
	{
		time.real = scale == 0 ? step * 0.1 - 0.7 : scale == 1 ? (double) step - 3 : ((double) step - 32) * 4e306;
		if (time.real == 0 && RngChance(rng, 0.5))
			time.real = -0.0;
	}
	else if (scale == 2)
		time.integer = RngChance(rng, 0.5) ? INT64_MIN + (int64_t) step : INT64_MAX - (int64_t) step;
	else
		time.integer = (int64_t) step - (scale == 0 ? 0 : INT64_C(5000000000));
	return time;
}

static void
DrawGap(Rng *rng, const TestStream *stream, uint32_t scale, StreamGap *gap)
{
	uint32_t	low = RngBelow(rng, 4);
	uint32_t	high = low + RngBelow(rng, 5);

	memset(gap, 0, sizeof(*gap));
	gap->low_open = low == 0 || RngChance(rng, 0.3);
	gap->high_open = RngChance(rng, 0.3);
	gap->unbounded = RngChance(rng, 0.2);
	/* an empty gap is the caller's to refuse */
	if (high < low + gap->low_open + gap->high_open)
		high = low + gap->low_open + gap->high_open;
	if (stream->real)
	{
		gap->low.real = scale == 0 ? low * 0.1 : low;
		gap->high.real = scale == 0 ? high * 0.1 : high;
	}
	else
	{
		gap->low.integer = low;
		gap->high.integer = high;
	}
}

static const TestStream *sorted_stream;

static int
CompareRows(const void *a, const void *b)
{
	const StreamRow *x = a;
	const StreamRow *y = b;

	if (x->partition != y->partition)
		return x->partition < y->partition ? -1 : 1;
	return CompareTimes(sorted_stream, x->time, y->time);
}

void
SortRows(TestStream *stream)
{
	sorted_stream = stream;
	qsort(stream->row, stream->nrows, sizeof(StreamRow), CompareRows);
}

void
DrawStream(Rng *rng, TestStream *stream, uint32_t nrows)
{
	uint32_t	span = 2 + RngBelow(rng, nrows + 2);
	uint32_t	scale = RngChance(rng, 0.1) ? 2 : RngBelow(rng, 2);

	memset(stream, 0, sizeof(*stream));
	stream->real = RngChance(rng, 0.4);
	stream->nrows = nrows;
	stream->ntypes = 1 + RngBelow(rng, STREAM_TYPES);
	stream->ngaps = 1 + RngBelow(rng, STREAM_GAPS);
	stream->npartitions = RngChance(rng, 0.6) ? 1 : 1 + RngBelow(rng, RngChance(rng, 0.7) ? 4 : 16);
	for (uint32_t g = 0; g < stream->ngaps; g++)
		DrawGap(rng, stream, scale, &stream->gap[g]);
	for (uint32_t r = 0; r < nrows; r++)
	{
		stream->row[r].partition = RngBelow(rng, stream->npartitions);
		stream->row[r].type = RngBelow(rng, stream->ntypes);
		stream->row[r].time = DrawTime(rng, stream, span, scale);
	}
	SortRows(stream);
}

/* Moved to a block of just the size it asks for, as workers map data elsewhere. */
FimEpisodesData *
CompleteData(FimEpisodesData *built)
{
	FimEpisodesData *data;
	TestHost	host;
	size_t		size;

	FimEpisodesFinish(built);
	size = FimEpisodesFamily.cpu_size(&built->head);
	data = OddAlloc(size);
	memcpy(data, built, built->head.size);
	OddFree(built);
	HostInit(&host);
	assert(FimEpisodesFamily.cpu_prepare(&data->head, &host.base));
	assert(data->head.size == size);
	return data;
}

/* Built in a block of just the size it asks for. */
FimEpisodesData *
BuildStream(const TestStream *stream)
{
	FimGap		gap[STREAM_GAPS];
	size_t		size;
	FimEpisodesData *built;

	for (uint32_t g = 0; g < stream->ngaps; g++)
		gap[g] = ClosedGap(stream, &stream->gap[g]);
	size = FimEpisodesBound(stream->nrows, stream->npartitions, stream->ntypes, stream->ngaps);
	built = OddAlloc(size);
	FimEpisodesBegin(built, size, stream->nrows, stream->npartitions, stream->ntypes, gap,
					 stream->ngaps, stream->real);
	for (uint32_t p = 0, r = 0; p < stream->npartitions; p++)
	{
		if (p > 0)
			FimEpisodesNewPartition(built);
		for (; r < stream->nrows && stream->row[r].partition == p; r++)
			FimEpisodesAdd(built, stream->row[r].type, stream->row[r].time);
	}
	return CompleteData(built);
}

static int
CompareEvents(const void *a, const void *b)
{
	const Event *x = a;
	const Event *y = b;

	if (x->partition != y->partition)
		return x->partition < y->partition ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

uint32_t
SortEvents(Event *event, uint32_t n)
{
	uint32_t	kept = 0;

	qsort(event, n, sizeof(Event), CompareEvents);
	for (uint32_t k = 0; k < n; k++)
		if (kept == 0 || CompareEvents(&event[kept - 1], &event[k]) != 0)
			event[kept++] = event[k];
	return kept;
}

FimEpisodesData *
BuildEvents(const Event *event, uint32_t n, uint32_t ntypes, FimGap gap)
{
	uint32_t	partitions = event[n - 1].partition + 1;
	uint32_t	partition = 0;
	size_t		size = FimEpisodesBound(n, partitions, ntypes, 1);
	FimEpisodesData *data = OddAlloc(size);

	FimEpisodesBegin(data, size, n, partitions, ntypes, &gap, 1, false);
	for (uint32_t k = 0; k < n; k++)
	{
		for (; partition < event[k].partition; partition++)
			FimEpisodesNewPartition(data);
		FimEpisodesAdd(data, event[k].type, (FimTime) {.integer = event[k].time});
	}
	return CompleteData(data);
}

/* The most that do not overlap within a partition: best[i] is the most that end with i. */
static uint64_t
SupportInPartition(const TestStream *stream, const Occurrence *at, uint32_t n)
{
	uint32_t   *best = malloc(sizeof(uint32_t) * (n + 1));
	uint32_t   *order = malloc(sizeof(uint32_t) * (n + 1));
	uint64_t	support = 0;

	/* by time of the end: insertion is enough */
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = i;

		for (; j > 0 && CompareTimes(stream, stream->row[at[order[j - 1]].end].time,
									 stream->row[at[i].end].time) > 0; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		best[i] = 1;
		for (uint32_t j = 0; j < i; j++)
			if (CompareTimes(stream, stream->row[at[order[j]].end].time,
							 stream->row[at[order[i]].start].time) < 0 && best[j] + 1 > best[i])
				best[i] = best[j] + 1;
		if (best[i] > support)
			support = best[i];
	}
	free(best);
	free(order);
	return support;
}

static uint64_t
SupportOf(const TestStream *stream, const Occurrences *all)
{
	Occurrence *at = malloc(sizeof(Occurrence) * (all->n + 1));
	uint64_t	support = 0;

	for (uint32_t p = 0; p < stream->npartitions; p++)
	{
		uint32_t	n = 0;

		for (uint32_t o = 0; o < all->n; o++)
			if (stream->row[all->at[o].start].partition == p)
				at[n++] = all->at[o];
		support += SupportInPartition(stream, at, n);
	}
	free(at);
	return support;
}

/* Each occurrence with each event that extends it; false if there are too many. */
static bool
ExtendAll(const Exhaustion *x, const Occurrences *from, uint32_t gap, uint32_t type,
		  Occurrences *to)
{
	const TestStream *stream = x->stream;

	to->n = 0;
	to->at = malloc(sizeof(Occurrence) * MOST_OCCURRENCES);
	for (uint32_t o = 0; o < from->n; o++)
	{
		const StreamRow *last = &stream->row[from->at[o].end];

		for (uint32_t r = 0; r < stream->nrows; r++)
		{
			const StreamRow *row = &stream->row[r];

			if (!x->there[r] || row->type != type || row->partition != last->partition ||
				!IsInGap(stream, &stream->gap[gap], last->time, row->time))
				continue;
			if (to->n == MOST_OCCURRENCES)
			{
				free(to->at);
				return false;
			}
			to->at[to->n++] = (Occurrence) {from->at[o].start, r};
		}
	}
	return true;
}

/* The episode at hand, and all that begin with it. */
static bool
Exhaust(Exhaustion *x, const Occurrences *occurrences)
{
	StreamEpisode *e = &x->episode;
	bool		bearable = x->found->n < MOST_EPISODES;

	if (!bearable)
		return false;
	e->support = SupportOf(x->stream, occurrences);
	x->found->episode[x->found->n++] = *e;
	if (e->length == x->max_length)
		return true;
	for (uint32_t gap = 0; gap < x->stream->ngaps && bearable; gap++)
		for (uint32_t type = 0; type < x->stream->ntypes && bearable; type++)
		{
			Occurrences longer;

			if (!ExtendAll(x, occurrences, gap, type, &longer))
				return false;
			e->gap[e->length - 1] = gap;
			e->type[e->length++] = type;
			if (longer.n > 0)
				bearable = Exhaust(x, &longer);
			e->length--;
			free(longer.at);
		}
	return bearable;
}

bool
FindEpisodes(const TestStream *stream, uint32_t max_length, StreamEpisodes *found)
{
	Exhaustion	x = {.stream = stream, .max_length = max_length, .found = found};
	bool		bearable = true;

	found->n = 0;
	found->episode = malloc(sizeof(StreamEpisode) * MOST_EPISODES);
	for (uint32_t r = 0; r < stream->nrows; r++)
	{
		x.there[r] = true;
		for (uint32_t before = 0; before < r; before++)
			if (stream->row[before].partition == stream->row[r].partition &&
				stream->row[before].type == stream->row[r].type &&
				CompareTimes(stream, stream->row[before].time, stream->row[r].time) == 0)
				x.there[r] = false;
	}
	for (uint32_t type = 0; type < stream->ntypes && bearable; type++)
	{
		Occurrence	at[STREAM_ROWS];
		Occurrences single = {at, 0};

		for (uint32_t r = 0; r < stream->nrows; r++)
			if (x.there[r] && stream->row[r].type == type)
				at[single.n++] = (Occurrence) {r, r};
		x.episode.length = 1;
		x.episode.type[0] = type;
		if (single.n > 0)
			bearable = Exhaust(&x, &single);
	}
	if (!bearable)
	{
		free(found->episode);
		found->episode = NULL;
	}
	return bearable;
}

StreamEpisode *
LookUpEpisode(const StreamEpisodes *all, uint32_t length, const uint32_t *type,
			  const uint32_t *gap)
{
	for (uint32_t e = 0; e < all->n; e++)
		if (all->episode[e].length == length &&
			memcmp(all->episode[e].type, type, sizeof(uint32_t) * length) == 0 &&
			memcmp(all->episode[e].gap, gap, sizeof(uint32_t) * (length - 1)) == 0)
			return &all->episode[e];
	return NULL;
}

void
PrintStream(const TestStream *stream)
{
	for (uint32_t r = 0; r < stream->nrows; r++)
	{
		printf("# partition %u type %u at ", stream->row[r].partition, stream->row[r].type);
		if (stream->real)
			printf("%.17g\n", stream->row[r].time.real);
		else
			printf("%lld\n", (long long) stream->row[r].time.integer);
	}
	for (uint32_t g = 0; g < stream->ngaps; g++)
	{
		const StreamGap *gap = &stream->gap[g];

		printf("# gap %u: %s", g, gap->low_open ? "(" : "[");
		if (stream->real)
			printf("%.17g, %.17g", gap->low.real, gap->high.real);
		else
			printf("%lld, %lld", (long long) gap->low.integer, (long long) gap->high.integer);
		printf("%s%s\n", gap->high_open ? ")" : "]", gap->unbounded ? " without upper bound" : "");
	}
}
