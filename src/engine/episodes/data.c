/*-------------------------------------------------------------------------
 *
 * data.c
 *	  The events as flat memory, as they are added and as the CPU engine wants them.
 *
 * First the data are built: the edges of gaps, events, and partitions, which are moved together
 * when all are there.  Then comes what cpu_prepare() adds, and the stream that workers see.
 *
 *-------------------------------------------------------------------------
 */
#include "worker.h"

#include <string.h>

#define POLL_EVENTS		(1 << 20)

/*
 * Set where the arrays begin if there are this many events and so on; returns the bytes up
 * to their end.  Partitions come last, so that events need not move if there turn out to
 * be fewer partitions.
 */
static uint64_t
Layout(FimEpisodesData *data, uint64_t events, uint64_t partitions, uint32_t ntypes,
	   uint32_t ngaps)
{
	data->gap_at = FimAlignUp(sizeof(FimEpisodesData));
	data->edge_at = data->gap_at + sizeof(FimGapEdges) * (uint64_t) ngaps;
	data->count_at = data->edge_at + sizeof(uint64_t) * (2 * (uint64_t) ngaps + 1);
	data->latest_at = data->count_at + sizeof(uint32_t) * (uint64_t) ntypes;
	data->type_at = data->latest_at + sizeof(uint32_t) * (uint64_t) ntypes;
	data->time_at = FimAlignUp(data->type_at + sizeof(uint32_t) * events);
	data->partition_at = data->time_at + sizeof(FimTime) * events;
	return data->partition_at + sizeof(uint32_t) * (partitions + 1);
}

size_t
FimEpisodesBound(uint64_t events, uint64_t partitions, uint32_t ntypes, uint32_t ngaps)
{
	FimEpisodesData unused;

	if (events > UINT64_MAX / 64 || partitions > UINT64_MAX / 64 ||
		Layout(&unused, events, partitions, ntypes, ngaps) > SIZE_MAX)
		return SIZE_MAX;
	return Layout(&unused, events, partitions, ntypes, ngaps);
}

/*
 * The edges of a gap, both of whose ends belong to it: the first length within it, and the first one beyond.
 * Adding 1 to the high end makes the next whole number, or the next float8.
 */
static uint64_t
LowEdge(const FimGap *gap)
{
	return (uint64_t) gap->low.integer;
}

static uint64_t
HighEdge(const FimGap *gap, bool real)
{
	FimTime		infinity = {.real = __builtin_inf()};

	if (gap->high.integer == (real ? infinity.integer : INT64_MAX))
		return FIM_NO_EDGE;
	return (uint64_t) gap->high.integer + 1;
}

/* Insert an edge into the ascending ones, unless it is there. */
static void
AddEdge(FimEpisodesData *data, uint64_t value)
{
	uint64_t   *edge = FIM_EPISODES_EDGES(data);
	uint32_t	at = data->nedges;

	while (at > 0 && edge[at - 1] > value)
		at--;
	if (at > 0 && edge[at - 1] == value)
		return;
	memmove(edge + at + 1, edge + at, sizeof(uint64_t) * (data->nedges - at));
	edge[at] = value;
	data->nedges++;
}

static uint32_t
FindEdge(const FimEpisodesData *data, uint64_t value)
{
	uint32_t	at = 0;

	while (FIM_EPISODES_EDGES(data)[at] != value)
		at++;
	return at;
}

void
FimEpisodesBegin(FimEpisodesData *data, size_t size, uint64_t events, uint64_t partitions,
				 uint32_t ntypes, const FimGap *gaps, uint32_t ngaps, bool real)
{
	memset(data, 0, sizeof(FimEpisodesData));
	Layout(data, events, partitions, ntypes, ngaps);
	data->head.size = size;
	data->ntypes = ntypes;
	data->ngaps = ngaps;
	data->real = real;
	memset(FIM_EPISODES_COUNTS(data), 0, 2 * sizeof(uint32_t) * (size_t) ntypes);
	FIM_EPISODES_PARTITIONS(data)[0] = 0;
	data->partitions = 1;
	AddEdge(data, 1);
	for (uint32_t g = 0; g < ngaps; g++)
	{
		AddEdge(data, LowEdge(&gaps[g]));
		AddEdge(data, HighEdge(&gaps[g], real));
	}
	for (uint32_t g = 0; g < ngaps; g++)
	{
		FIM_EPISODES_GAPS(data)[g].low = FindEdge(data, LowEdge(&gaps[g]));
		FIM_EPISODES_GAPS(data)[g].high = FindEdge(data, HighEdge(&gaps[g], real));
	}
}

/* An event is there already if the latest event of its type has the same time. */
void
FimEpisodesAdd(FimEpisodesData *data, uint32_t type, FimTime time)
{
	uint32_t   *latest = (uint32_t *) ((char *) data + data->latest_at);
	FimTime    *times = FIM_EPISODES_TIMES(data);
	uint32_t	first = FIM_EPISODES_PARTITIONS(data)[data->partitions - 1];

	if (data->events == first || FimTimeKey(data->real, time, times[data->events - 1]) != 0)
	{
		data->simultaneous = data->events;
		if (++data->distinct > data->longest)
			data->longest = data->distinct;
	}
	if (latest[type] > data->simultaneous)
		return;
	FIM_EPISODES_TYPES(data)[data->events] = type;
	times[data->events] = time;
	latest[type] = ++data->events;
	FIM_EPISODES_COUNTS(data)[type]++;
}

void
FimEpisodesNewPartition(FimEpisodesData *data)
{
	uint32_t   *partition = FIM_EPISODES_PARTITIONS(data);

	partition[data->partitions++] = data->events;
	data->distinct = 0;
}

void
FimEpisodesAddCounts(FimEpisodesData *data, const uint32_t *counts, uint32_t distinct)
{
	uint32_t   *sum = FIM_EPISODES_COUNTS(data);

	__atomic_fetch_add(&data->distinct, distinct, __ATOMIC_RELAXED);
	for (uint32_t t = 0; t < data->ntypes; t++)
		__atomic_fetch_add(&sum[t], counts[t], __ATOMIC_RELAXED);
}

/* Move the arrays towards the start, so that no unused room is left between them. */
void
FimEpisodesFinish(FimEpisodesData *data)
{
	const char *base = (const char *) data;
	const char *types = base + data->type_at;
	const char *times = base + data->time_at;
	const char *partitions = base + data->partition_at;

	FIM_EPISODES_PARTITIONS(data)[data->partitions] = data->events;
	data->head.size = Layout(data, data->events, data->partitions, data->ntypes, data->ngaps);
	memmove(FIM_EPISODES_TYPES(data), types, sizeof(uint32_t) * (size_t) data->events);
	memmove(FIM_EPISODES_TIMES(data), times, sizeof(FimTime) * (size_t) data->events);
	memmove(FIM_EPISODES_PARTITIONS(data), partitions,
			sizeof(uint32_t) * ((size_t) data->partitions + 1));
}

uint32_t
FimEpisodesLengths(const FimEpisodesSpec *spec, const FimEpisodesData *data)
{
	uint64_t	longest = data->events / spec->minsup;

	/* occurrences that do not overlap have no event in common */
	if (longest > data->longest)
		longest = data->longest;
	if (longest > spec->max_length)
		longest = spec->max_length;
	return (uint32_t) longest + 1;
}

/* Set where the arrays that cpu_prepare() adds begin; returns the bytes up to their end. */
static uint64_t
StreamLayout(FimEpisodesData *layout, const FimEpisodesData *data)
{
	FimEpisodesData unused;

	layout->start_at = Layout(&unused, data->events, data->partitions, data->ntypes, data->ngaps);
	layout->position_at = layout->start_at + sizeof(uint32_t) * ((uint64_t) data->ntypes + 1);
	layout->reach_at = layout->position_at + sizeof(uint32_t) * (uint64_t) data->events;
	return layout->reach_at + sizeof(uint32_t) * (uint64_t) data->nedges * data->events;
}

size_t
StreamSize(const FimData *head)
{
	FimEpisodesData unused;

	return StreamLayout(&unused, (const FimEpisodesData *) head);
}

static bool
ListPositions(FimEpisodesData *data, FimHost *host)
{
	const uint32_t *type = FIM_EPISODES_TYPES(data);
	const uint32_t *count = FIM_EPISODES_COUNTS(data);
	uint32_t   *start = (uint32_t *) ((char *) data + data->start_at);
	uint32_t   *position = (uint32_t *) ((char *) data + data->position_at);

	start[0] = 0;
	for (uint32_t t = 0; t < data->ntypes; t++)
		start[t + 1] = start[t] + count[t];
	for (uint32_t i = 0; i < data->events; i++)
	{
		position[start[type[i]]++] = i;
		if (i % POLL_EVENTS == POLL_EVENTS - 1 && host->poll(host))
			return false;
	}
	/* filling has moved each start to the start of the next type */
	memmove(start + 1, start, sizeof(uint32_t) * (size_t) data->ntypes);
	start[0] = 0;
	return true;
}

/*
 * Find the first event beyond the edge of each event.  One pass does, since neither of the two moves
 * back.  "real" is a constant wherever this is called.
 */
static inline __attribute__((always_inline)) bool
FindReachOf(const FimEpisodesData *data, bool real, uint64_t edge, uint32_t *restrict reach, FimHost *host)
{
	const uint32_t *partition = FIM_EPISODES_PARTITIONS(data);
	const FimTime *restrict time = FIM_EPISODES_TIMES(data);
	uint32_t	i = 0;

	for (uint32_t p = 0; p < data->partitions; p++)
	{
		uint32_t	end = partition[p + 1];

		/* an event is not beyond its own edge, so that this event is never overtaken */
		for (uint32_t beyond = partition[p]; beyond < end; beyond++)
		{
			for (; FimIsBeyond(FimTimeKey(real, time[beyond], time[i]), edge); i++)
			{
				reach[i] = beyond;
				/* polled here, too, since one event may be beyond the edges of millions */
				if (i % POLL_EVENTS == POLL_EVENTS - 1 && host->poll(host))
					return false;
			}
			if (beyond % POLL_EVENTS == POLL_EVENTS - 1 && host->poll(host))
				return false;
		}
		for (; i < end; i++)
		{
			reach[i] = end;
			if (i % POLL_EVENTS == POLL_EVENTS - 1 && host->poll(host))
				return false;
		}
	}
	return true;
}

static bool
FindReach(const FimEpisodesData *data, uint64_t edge, uint32_t *reach, FimHost *host)
{
	return data->real ? FindReachOf(data, true, edge, reach, host) :
		FindReachOf(data, false, edge, reach, host);
}

bool
StreamPrepare(FimData *head, FimHost *host)
{
	FimEpisodesData *data = (FimEpisodesData *) head;
	uint32_t   *reach;

	head->size = StreamLayout(data, data);
	if (!ListPositions(data, host))
		return false;
	reach = (uint32_t *) ((char *) data + data->reach_at);
	for (uint32_t e = 0; e < data->nedges; e++)
		if (!FindReach(data, FIM_EPISODES_EDGES(data)[e], reach + (size_t) e * data->events, host))
			return false;
	return true;
}

void
StreamInit(Stream *stream, const FimEpisodesData *data)
{
	const char *base = (const char *) data;

	stream->data = data;
	stream->type = FIM_EPISODES_TYPES(data);
	stream->start = (const uint32_t *) (base + data->start_at);
	stream->position = (const uint32_t *) (base + data->position_at);
	stream->reach = (const uint32_t *) (base + data->reach_at);
	stream->after = stream->reach;
	stream->gap = FIM_EPISODES_GAPS(data);
	stream->events = data->events;
	stream->ntypes = data->ntypes;
	stream->ngaps = data->ngaps;
}
