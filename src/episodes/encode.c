/*-------------------------------------------------------------------------
 *
 * encode.c
 *	  From a stream of events to the data that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "episodes/encode.h"
#include "figures.h"
#include "miscadmin.h"

#define REPORT_EVENTS	65536

/*
 * The least time that each engine takes for events: the CPU sorts them by type, finds where their
 * gaps end, and counts what follows each of them; the GPU copies them.  Measured with
 * bench/episodes -n 2 on an H200 and a core of its host, a Xeon: an event took the CPU 46 ns for
 * clicks with one gap, 80 ns for 26 neurons with one gap, 148 ns for Stafford's spikes with three
 * gaps and 260 ns for those of TC89 with two; it took the GPU 4 to 5 ns.
 */
#define CPU_EVENT_MS	15e-6
#define CPU_GAP_MS		30e-6
#define GPU_EVENT_MS	4e-6
#define GPU_CALL_MS		0.8

/*
 * The time that surrogates take for each event of the types in the trie, because it is moved, and
 * for each event by which a node's list can be extended.  Measured with -S in the same places: a
 * surrogate took the CPU 4.8 ms for 86,605 events and next to no nodes (Stafford), 5.6 ms for
 * 49,980 events and 14.4 million to extend by (26 neurons), and 192 ms for 195,210 events and 45
 * million to extend by, in bursts (TC89); the GPU took 0.023, 0.06 and 0.4 ms for a surrogate, of
 * 200, once room had been made.
 */
#define CPU_MOVED_EVENT_MS		50e-6
#define CPU_EXTENDING_EVENT_MS	0.2e-6
#define GPU_MOVED_EVENT_MS		0.2e-6
#define GPU_EXTENDING_EVENT_MS	3.5e-9
#define GPU_SURROGATES_MS		2.0

EngineCost
EpisodesCost(uint64 events, const Gaps *gaps)
{
	EngineCost	cost;

	cost.cpu_ms = events * (CPU_EVENT_MS + gaps->n * CPU_GAP_MS);
	cost.gpu_ms = events * GPU_EVENT_MS + GPU_CALL_MS;
	return cost;
}

EngineCost
SurrogatesCost(const FimEpisodesJob *job, const uint32 *counts, uint32 ntypes)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job);
	bool	   *seen = palloc0(ntypes * sizeof(bool));
	double		moved = 0;
	double		extending = 0;
	EngineCost	cost;

	for (uint32 k = 0; k < job->nnodes; k++)
	{
		if (k % REPORT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (!seen[nodes[k].type])
			moved += counts[nodes[k].type];
		seen[nodes[k].type] = true;
		extending += counts[nodes[k].type];
	}
	pfree(seen);
	moved *= job->surrogates;
	extending *= job->surrogates;
	cost.cpu_ms = moved * CPU_MOVED_EVENT_MS + extending * CPU_EXTENDING_EVENT_MS;
	cost.gpu_ms = moved * GPU_MOVED_EVENT_MS + extending * GPU_EXTENDING_EVENT_MS + GPU_SURROGATES_MS;
	return cost;
}

/* The most bytes that the data can take, including what the engine that begins will add to them. */
static Size
DataBound(const struct Job *job, uint64 events, uint32 partitions, uint32 ntypes,
		  const FimGap *gaps, uint32 ngaps, bool real)
{
	Size		bound = FimEpisodesBound(events, partitions, ntypes, ngaps);
	Size		shape_size = FimEpisodesBound(0, 1, 0, ngaps);
	FimEpisodesData *shape;

	if (!JobBeginsOnCpu(job))
		return bound;

	/* data without events, which tell the engine's cpu_size() the gaps */
	shape = palloc(shape_size);
	FimEpisodesBegin(shape, shape_size, 0, 1, 0, gaps, ngaps, real);
	shape->events = events;
	shape->partitions = partitions;
	shape->ntypes = ntypes;
	bound = Max(bound, FimEpisodesFamily.cpu_size(&shape->head));
	pfree(shape);
	return bound;
}

static void
AddEvents(EventStream *stream, const KeptTypes *types, FimEpisodesData *data, uint32 *ranks)
{
	uint32		partition = 0;
	EventReader reader;
	Event		event;

	CurrentRun->total = stream->rows->transactions;
	EventReaderBegin(&reader, stream, true);
	while (EventReaderNext(&reader, &event))
	{
		uint32		number = types->number[event.type];

		if (reader.done % REPORT_EVENTS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			CurrentRun->done = reader.done;
		}
		if (number >= types->n || (types->useless != NULL && types->useless[event.partition]))
			continue;
		if (data->events > 0 && event.partition != partition)
			FimEpisodesNewPartition(data);
		partition = event.partition;
		if (ranks != NULL)
			ranks[data->partitions - 1] = partition;
		FimEpisodesAdd(data, number, event.time);
	}
	EventReaderEnd(&reader);
}

FimEpisodesData *
BuildEpisodesData(struct Job *job, EventStream *stream, const KeptTypes *types,
				  const Gaps *gaps, uint32 *ranks)
{
	bool		real = stream->times.real;
	FimGap	   *gap = GapsInTimes(gaps, &stream->times);
	Size		bound = DataBound(job, types->events, stream->npartitions, types->n, gap, gaps->n, real);
	FimEpisodesData *data;

	LedgerMakeRoom(stream->rows->ledger, bound, "the events");
	data = (FimEpisodesData *) JobAllocateData(job, bound);
	FimEpisodesBegin(data, bound, types->events, stream->npartitions, types->n, gap, gaps->n, real);
	AddEvents(stream, types, data, ranks);
	RowsClose(stream->rows);
	Assert(data->events == types->events);
	FimEpisodesFinish(data);
	return data;
}
