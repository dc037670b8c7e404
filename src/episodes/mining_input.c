/*-------------------------------------------------------------------------
 *
 * mining_input.c
 *	  What a call has to mine, the events of the frequent types and the threshold, and the
 *	  data that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine.h"
#include "engine/parts.h"
#include "episodes/episodes.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "optimizer/paths.h"
#include "read/read.h"
#include "read/rows.h"
#include "storage/condition_variable.h"
#include "utils/builtins.h"
#include "utils/wait_event.h"
#include "work/work.h"

/*
 * From a stream of events to the data that the engine mines.
 */

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
	EngineCost	cost = {0};

	cost.cpu_ms = events * (CPU_EVENT_MS + gaps->n * CPU_GAP_MS);
	cost.gpu_ms = events * GPU_EVENT_MS + GPU_CALL_MS;
	return cost;
}

EngineCost
SurrogatesCost(const FimEpisodesSpec *spec, const uint32 *counts, uint32 ntypes)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(spec);
	bool	   *seen = palloc0(ntypes * sizeof(bool));
	double		moved = 0;
	double		extending = 0;
	EngineCost	cost = {0};

	for (uint32 k = 0; k < spec->nnodes; k++)
	{
		if (k % REPORT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (!seen[nodes[k].type])
			moved += counts[nodes[k].type];
		seen[nodes[k].type] = true;
		extending += counts[nodes[k].type];
	}
	pfree(seen);
	moved *= spec->surrogates;
	extending *= spec->surrogates;
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

/*
 * With helpers (read/helpers.c), where there is one partition.  First all processes count how many events are kept of
 * each chunk; then it is known where these go, and all processes write them there.  None of them is there twice, since
 * repeated events have been left out.
 */

/* What all processes must know. */
typedef struct WriteTask
{
	SharedUnits units;			/* must be first: counting each chunk, and then writing each */
	pg_atomic_uint32 counted;	/* chunks */
	ConditionVariable all_counted;
	dsm_handle	data;
	bool		real;			/* times are */
	uint32		nchunks;
	uint32		kept[FLEXIBLE_ARRAY_MEMBER]; /* events of each chunk; then come the numbers of all types */
} WriteTask;

static inline uint32 *
NumbersOfTypes(WriteTask *task)
{
	return task->kept + task->nchunks;
}

static void
CountChunk(EventReader *reader, WriteTask *task, uint32 i, uint32 nkept)
{
	const uint32 *number = NumbersOfTypes(task);
	uint32		n = 0;
	Event		event;

	while (EventReaderNext(reader, &event))
		n += number[event.type] < nkept;
	task->kept[i] = n;
	if (pg_atomic_add_fetch_u32(&task->counted, 1) == task->nchunks)
		ConditionVariableBroadcast(&task->all_counted);
}

static void
WaitForCounts(WriteTask *task)
{
	while (pg_atomic_read_u32(&task->counted) < task->nchunks)
		ConditionVariableSleep(&task->all_counted, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
	pg_read_barrier();
}

/*
 * Write the kept events of chunk i to the data, from number "at" on.  counts[] has room for the types and for one more.
 * Returns how many distinct times they have.
 */
static uint32
WriteChunk(EventReader *reader, WriteTask *task, uint32 i, FimEpisodesData *data, uint32 at, uint32 *counts)
{
	const uint32 *number = NumbersOfTypes(task);
	const uint32 kept = task->kept[i];
	uint32	   *types = FIM_EPISODES_TYPES(data) + at;
	FimTime    *times = FIM_EPISODES_TIMES(data) + at;
	uint32		distinct = 0;
	Event		event;

	/* without branches, because a processor could not predict which events are kept */
	for (uint32 n = 0; n < kept && EventReaderNext(reader, &event);)
	{
		uint32		type = Min(number[event.type], data->ntypes);

		types[n] = type;
		times[n] = event.time;
		counts[type]++;
		n += type < data->ntypes;
	}
	for (uint32 n = 0; n < kept; n++)
		distinct += n == 0 || FimTimeKey(task->real, times[n], times[n - 1]) != 0;
	return distinct;
}

/* Count and write chunks by the counter until none is left.  The leader shows how much is done. */
static void
WriteChunks(EventStream *stream, const ChunkList *chunks, WriteTask *task, FimEpisodesData *data)
{
	MemoryLedger *ledger = stream->rows->ledger;
	Size		size = ((Size) data->ntypes + 1) * sizeof(uint32);
	uint32	   *counts = LedgerAllocZero(ledger, size, "distinct event types");
	uint32		distinct = 0;
	uint32		before = 0;		/* chunks whose kept events come before number "at" */
	uint32		at = 0;
	uint32		unit;

	while ((unit = pg_atomic_fetch_add_u32(&task->units.next, 1)) < 2 * task->nchunks)
	{
		uint32		i = unit % task->nchunks;
		EventReader reader = {.stream = stream,.chunks = {.chunks = &chunks->chunks[i],.nchunks = 1}};

		CHECK_FOR_INTERRUPTS();
		ChunkWalkBegin(&reader.walk, stream->rows, &reader.chunks, false);
		if (unit < task->nchunks)
			CountChunk(&reader, task, i, data->ntypes);
		else
		{
			WaitForCounts(task);
			while (before < i)
				at += task->kept[before++];
			distinct += WriteChunk(&reader, task, i, data, at, counts);
		}
		EventReaderEnd(&reader);
		if (CurrentRun != NULL)
			CurrentRun->done = CurrentRun->total * unit / (2 * task->nchunks);
	}
	FimEpisodesAddCounts(data, counts, distinct);
	LedgerFree(ledger, counts, size);
}

/* All kept events have been written.  Two chunks that meet may share a time. */
static void
SumUp(const WriteTask *task, FimEpisodesData *data)
{
	const FimTime *times = FIM_EPISODES_TIMES(data);

	for (uint32 i = 0; i < task->nchunks; i++)
	{
		if (task->kept[i] > 0 && data->events > 0 &&
			FimTimeKey(data->real, times[data->events], times[data->events - 1]) == 0)
			data->distinct--;
		data->events += task->kept[i];
	}
	data->longest = data->distinct;
}

/* Returns false, and does nothing, if one process can do it as quickly, or has to. */
static bool
AddEventsInParallel(struct Job *job, EventStream *stream, const KeptTypes *types, FimEpisodesData *data)
{
	GpufimRows *rows = stream->rows;
	ChunkList	chunks = rows->records;
	Size		numbers_size = (Size) types->ntypes * sizeof(uint32);
	Size		size = offsetof(WriteTask, kept) + chunks.nchunks * sizeof(uint32) + numbers_size;
	WriteTask  *task;
	Helpers    *helpers;
	uint64		words;

	if (stream->npartitions > 1 || rows->parts == NULL || !ChunksInMemory(&chunks, 1, &words) ||
		words * sizeof(uint32) / CHUNKS_TO_TAKE < (uint64) min_parallel_table_scan_size * BLCKSZ ||
		size > LedgerRoom(rows->ledger) / LEDGER_LITTLE || JobDataHandle(job) == DSM_HANDLE_INVALID)
		return false;
	task = LedgerAllocZero(rows->ledger, size, "distinct event types");
	pg_atomic_init_u32(&task->counted, 0);
	ConditionVariableInit(&task->all_counted);
	task->data = JobDataHandle(job);
	task->real = data->real;
	task->nchunks = chunks.nchunks;
	memcpy(NumbersOfTypes(task), types->number, numbers_size);
	/* they must not move to a file meanwhile */
	memset(&rows->records, 0, sizeof(ChunkList));
	helpers = CallHelpers(rows, &chunks, 1, "GpufimWriteEventsMain", &task->units, size);
	if (helpers == NULL)
		rows->records = chunks;
	else
	{
		WriteTask  *shared = TaskOfHelpers(helpers);

		LeaveToHelpers(helpers, 2 * chunks.nchunks);
		WriteChunks(stream, &chunks, shared, data);
		/* with more helpers than chunks, all may have been taken while one is still being counted */
		WaitForCounts(shared);
		memcpy(task->kept, shared->kept, chunks.nchunks * sizeof(uint32));
		DismissHelpers(helpers, NULL);
		SumUp(task, data);
		ChunkListFree(rows, &chunks);
	}
	LedgerFree(rows->ledger, task, size);
	return helpers != NULL;
}

extern PGDLLEXPORT void GpufimWriteEventsMain(dsm_segment *segment, shm_toc *toc);

void
GpufimWriteEventsMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	WriteTask  *task = HelperTask(helper);
	dsm_segment *data = SegmentAttach(task->data);
	EventStream stream = {.rows = HelperRows(helper, NULL, NULL),.npartitions = 1,.times.real = task->real};
	ChunkList	chunks = {0};

	HelperFindChunks(helper, stream.rows, &chunks);
	WriteChunks(&stream, &chunks, task, dsm_segment_address(data));
	HelperLeave(helper, stream.rows, &chunks, 1, NULL);
	dsm_detach(data);
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
	CurrentRun->total = stream->rows->transactions;
	if (ranks != NULL || !AddEventsInParallel(job, stream, types, data))
		AddEvents(stream, types, data, ranks);
	if (data->events != types->events)
		elog(ERROR, "%llu events were counted, and %llu found", (unsigned long long) types->events,
			 (unsigned long long) data->events);
	FimEpisodesFinish(data);
	return data;
}

#define INTERRUPT_EVENTS	65536	/* between two checks for interrupts */

/* Give excluded types a count of 0, so that they are infrequent, and subtract their events. */
static void
ExcludeTypes(MiningInput *input, const NamedItems *excluding)
{
	Dictionary *types = input->stream->rows->items;

	for (int i = 0; i < excluding->n; i++)
	{
		DictionaryEntry *type;

		if (excluding->ids[i] == DICTIONARY_NONE)
			continue;
		type = &types->entries[excluding->ids[i]];
		input->events -= type->count;
		type->count = 0;
	}
}

/*
 * Below this length, a partition is not left out because it has few events: that takes two more
 * passes over the events, and an event that nothing follows takes the search no time.
 */
#define LEAST_LENGTH	3

#define REQUIRED_TYPE	UINT32_MAX
#define ANY_TYPE		(UINT32_MAX - 1)

/*
 * Returns which partitions can hold no episode of the result, since they have too few events of
 * frequent types, lack a required type, or have none of those of "including_any".
 */
static bool *
FindUseless(const MiningInput *input, uint32 min_length, const NamedItems *required, const NamedItems *any)
{
	EventStream *stream = input->stream;
	MemoryLedger *ledger = stream->rows->ledger;
	const Dictionary *types = stream->rows->items;
	Size		size = (Size) types->n * sizeof(uint32);
	uint32	   *seen = LedgerAllocZero(ledger, size, types->what); /* ANY_TYPE, or of required types: partition + 1 */
	bool	   *useless = LedgerAlloc(ledger, stream->npartitions * sizeof(bool), "distinct partitions");
	uint32		nrequired = 0;
	uint32		partition = UINT32_MAX;
	uint32		found = 0;
	uint32		n = 0;
	bool		needs_any = any->ids != NULL;
	bool		found_any = false;
	EventReader reader;
	Event		event;

	memset(useless, true, stream->npartitions * sizeof(bool));
	for (int i = 0; i < required->n; i++)
	{
		nrequired += seen[required->ids[i]] == 0;
		seen[required->ids[i]] = REQUIRED_TYPE;
	}
	for (int i = 0; needs_any && i < any->n; i++)
	{
		uint32		id = any->ids[i];

		if (id == DICTIONARY_NONE)
			continue;
		/* whatever has all required types has this one */
		needs_any = seen[id] != REQUIRED_TYPE;
		if (seen[id] == 0)
			seen[id] = ANY_TYPE;
	}
	EventReaderBegin(&reader, stream, false);
	while (EventReaderNext(&reader, &event))
	{
		if (reader.done % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (types->entries[event.type].count < input->minsup)
			continue;
		if (event.partition != partition)
		{
			found = n = 0;
			found_any = !needs_any;
		}
		partition = event.partition;
		n++;
		if (seen[event.type] == ANY_TYPE)
			found_any = true;
		else if (seen[event.type] != 0 && seen[event.type] != partition + 1)
		{
			seen[event.type] = partition + 1;
			found++;
		}
		if (n >= min_length && found == nrequired && found_any)
			useless[partition] = false;
	}
	EventReaderEnd(&reader);
	LedgerFree(ledger, seen, size);
	return useless;
}

/*
 * Count the types again, only in the partitions that are not useless.  Returns the numbers of
 * events in all partitions, from which the episodes' frequencies are computed.
 */
static uint32 *
CountWhereUseful(EventStream *stream, const bool *useless)
{
	MemoryLedger *ledger = stream->rows->ledger;
	Dictionary *types = stream->rows->items;
	Size		size = (Size) types->n * sizeof(uint32);
	uint32	   *counts = LedgerAllocZero(ledger, size, types->what);
	EventReader reader;
	Event		event;

	EventReaderBegin(&reader, stream, false);
	while (EventReaderNext(&reader, &event))
	{
		if (reader.done % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		counts[event.type] += !useless[event.partition];
	}
	EventReaderEnd(&reader);
	/* excluded types keep their 0 */
	for (uint32 id = 0; id < types->n; id++)
	{
		uint32		all = types->entries[id].count;

		types->entries[id].count = Min(all, counts[id]);
		counts[id] = all;
	}
	return counts;
}

/*
 * Leave out the partitions that can hold no episode of the result.  Returns what
 * CountWhereUseful() does, or NULL if all partitions are kept.
 */
static uint32 *
LeaveOutPartitions(MiningInput *input, const EpisodesRequest *request, const NamedItems *required, const NamedItems *any)
{
	EventStream *stream = input->stream;

	if (!request->leaves_out_partitions || stream->npartitions == 1 ||
		(request->min_length < LEAST_LENGTH && required->n == 0 && any->ids == NULL))
		return NULL;
	for (int i = 0; i < required->n; i++)
		if (required->ids[i] == DICTIONARY_NONE)
			return NULL;		/* there is no episode at all */
	input->kept.useless = FindUseless(input, request->min_length, required, any);
	return CountWhereUseful(stream, input->kept.useless);
}

/* Give the kept types their numbers of events in all partitions. */
static void
SetCounts(GpufimItems *types, const uint32 *counts, uint32 n)
{
	for (uint32 id = 0; id < n; id++)
		if (MappedItem(types, id) < types->nitems)
			types->items[MappedItem(types, id)].support = counts[id];
}

/* The number of a type in the data; that of no type if it is not frequent. */
static uint32
NumberOfType(const GpufimItems *types, uint32 id)
{
	return id == DICTIONARY_NONE ? MAP_DROPPED : MappedItem(types, id);
}

/*
 * Set input->required to the numbers of the required types and of those of "including_any", of which there are none if a
 * required type is one of them.  Returns false if there can be no episode, because these types are not frequent.
 */
static bool
RequireTypes(MiningInput *input, const NamedItems *named, const NamedItems *any)
{
	const GpufimItems *types = input->types;
	bool	   *seen = MemoryContextAllocExtended(CurrentMemoryContext, types->nitems,
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	input->required = MemoryContextAllocHuge(CurrentMemoryContext, types->nitems * sizeof(uint32));
	for (int i = 0; i < named->n; i++)
	{
		uint32		number = NumberOfType(types, named->ids[i]);

		if (number >= types->nitems)
			return false;
		if (!seen[number])
			input->required[input->nrequired++] = number;
		seen[number] = true;
	}
	for (int i = 0; i < any->n; i++)
	{
		uint32		number = NumberOfType(types, any->ids[i]);

		if (number < types->nitems && seen[number])
			return true;
	}
	for (int i = 0; i < any->n; i++)
	{
		uint32		number = NumberOfType(types, any->ids[i]);

		if (number >= types->nitems || seen[number])
			continue;
		input->required[input->nrequired + input->nany++] = number;
		seen[number] = true;
	}
	pfree(seen);
	return any->ids == NULL || input->nany > 0;
}

/* Is the threshold the only restriction of the results? */
static bool
FindsAll(const EpisodesRequest *request)
{
	return request->kind == FIM_ALL && request->min_length == 1 && request->max_length == FIM_NO_LIMIT &&
		request->including == NULL && request->excluding == NULL && request->including_any == NULL;
}

void
ReadMiningInput(const EpisodesRequest *request, MemoryLedger *ledger, MiningInput *input)
{
	ItemFilter	filter = {.with_values = !request->count_only,.with_fingerprint = FimIsPart(&request->part)};
	GpufimRows *rows;
	NamedItems	excluding;
	NamedItems	including;
	NamedItems	any;
	uint32		ntypes;
	uint32	   *counts;
	bool		possible;

	memset(input, 0, sizeof(MiningInput));
	input->max_length = request->max_length;
	input->stream = ReadEvents(&request->from, ledger);
	rows = input->stream->rows;
	input->events = rows->transactions;
	excluding = FindNamedItems(rows, request->excluding, "excluding");
	including = FindNamedItems(rows, request->including, "including");
	any = FindNamedItems(rows, request->including_any, "including_any");
	NoteContradictions(rows, &including, &excluding, request->max_length);
	ExcludeTypes(input, &excluding);
	FreeNamedItems(rows, &excluding);
	input->minsup = FimThreshold(request->minsup, input->events);
	NoteHighMinsup(request->minsup, input->events,
				   gettext_noop("no episode can be frequent, because \"minsup\" is %s and the number of events is %llu"));
	if (FindsAll(request))
		NoteLowestMinsup(request->minsup, input->events,
						 _("\"minsup\" is 1, so one occurrence is enough for an episode"));
	CurrentRun->minsup = filter.minsup = input->minsup;
	ntypes = rows->items->n;
	counts = LeaveOutPartitions(input, request, &including, &any);
	input->types = PruneItems(rows, &filter);
	if (counts != NULL)
		SetCounts(input->types, counts, ntypes);
	CurrentRun->frequent_items = input->types->nitems;
	possible = input->types->nitems > 0 && RequireTypes(input, &including, &any);
	FreeNamedItems(rows, &any);
	FreeNamedItems(rows, &including);
	if (!possible)
	{
		LedgerDestroy(ledger);
		input->types = NULL;
		return;
	}
	input->kept.number = input->types->map;
	input->kept.n = input->types->nitems;
	input->kept.ntypes = ntypes;
	input->kept.events = input->types->entries;
}

/*
 * Move *beyond, the number of an event, to the first event that is beyond the low edge of a gap
 * after event i, or to "end".  Returns whether that event is within the gap.
 */
static bool
FollowsWithin(const FimEpisodesData *data, const FimGapEdges *gap, uint32 i, uint32 end,
			  uint32 *beyond)
{
	const FimTime *times = FIM_EPISODES_TIMES(data);
	const uint64 *edges = FIM_EPISODES_EDGES(data);
	uint32		j;

	for (j = Max(*beyond, i); j < end; j++)
	{
		if (j % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (FimIsBeyond(FimTimeKey(data->real, times[j], times[i]), edges[gap->low]))
			break;
	}
	*beyond = j;
	return j < end && !FimIsBeyond(FimTimeKey(data->real, times[j], times[i]), edges[gap->high]);
}

/*
 * Does an event follow another one of its partition, from "first" to "end" - 1, within a gap?
 * beyond[] has room for a number for each gap.
 */
static bool
FollowsInPartition(const FimEpisodesData *data, uint32 first, uint32 end, uint32 *beyond)
{
	const FimGapEdges *gaps = FIM_EPISODES_GAPS(data);
	bool		more = true;

	for (uint32 g = 0; g < data->ngaps; g++)
		beyond[g] = first;
	for (uint32 i = first; i < end && more; i++)
	{
		if (i % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		more = false;
		for (uint32 g = 0; g < data->ngaps; g++)
		{
			if (FollowsWithin(data, &gaps[g], i, end, &beyond[g]))
				return true;
			more |= beyond[g] < end;
		}
	}
	return false;
}

/* Does any event follow another one within a gap?  The search ends with the first that does. */
static bool
AnyFollows(const FimEpisodesData *data)
{
	const uint32 *partitions = FIM_EPISODES_PARTITIONS(data);
	uint32	   *beyond = palloc(data->ngaps * sizeof(uint32));
	bool		found = false;

	for (uint32 p = 0; p < data->partitions && !found; p++)
		found = FollowsInPartition(data, partitions[p], partitions[p + 1], beyond);
	pfree(beyond);
	return found;
}

/*
 * If no event follows another one within a gap, each episode is a single event.  Most likely the
 * gaps are in another unit than the times.
 */
static void
NoteGapsWithoutEvents(const MiningInput *input, const FimEpisodesData *data)
{
	const EventTimes *times = &input->stream->times;
	const char *unit = UnitOfGaps(times);

	if (input->max_length == 1 || data->events < 2 || AnyFollows(data))
		return;
	ereport(NOTICE,
			(errmsg("no episode has more than one event, because no event that may be in one follows another within a gap"),
			 unit == NULL ? errhint("Gaps are in the unit of the times.") :
			 errhint("Gaps are in %s if times are of type %s.", unit, format_type_be(times->type))));
}

void
ShowMiningInput(const MiningInput *input, const FimEpisodesData *data)
{
	NoteGapsWithoutEvents(input, data);
	RunAddDetail("partitions", input->stream->npartitions);
	RunAddDetail("repeated_events", input->stream->repeated);
	RunAddDetail("events_of_frequent_types", data->events);
}

FimEpisodesSpec *
EpisodesSpecOf(const EpisodesRequest *request, const MiningInput *input)
{
	Size		size_of_words = ((Size) input->nrequired + input->nany) * sizeof(uint32);
	Size		size = offsetof(FimEpisodesSpec, words) + size_of_words;
	FimEpisodesSpec *spec = palloc0(Max(size, sizeof(FimEpisodesSpec)));

	spec->head.size = Max(size, sizeof(FimEpisodesSpec));
	spec->head.count_only = request->count_only;
	spec->head.part = request->part;
	spec->kind = request->kind;
	spec->minsup = input->minsup;
	spec->min_length = request->min_length;
	spec->max_length = request->max_length;
	spec->nrequired = input->nrequired;
	spec->nany = input->nany;
	memcpy(spec->words, input->required, size_of_words);
	return spec;
}
