/*-------------------------------------------------------------------------
 *
 * one_episode.c
 *	  The SQL functions count_episode() and episode_occurrences().
 *
 * They are about a single episode, so they keep only the events of its types.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "call.h"
#include "episodes/encode.h"
#include "episodes/events.h"
#include "episodes/occurrence_rows.h"
#include "episodes/request.h"
#include "figures.h"
#include "miscadmin.h"
#include "named_items.h"
#include "utils/memutils.h"

#define INTERRUPT_TYPES	65536

/* A call and its result. */
typedef struct EpisodeCall
{
	EpisodeRequest request;		/* must be first */
	uint64		support;
} EpisodeCall;

/*
 * Make the engine's job about an episode, and set *kept to the episode's types, which are
 * numbered in the order of their first appearance in it.  The memory of kept->number is the
 * ledger's.  Returns NULL if one of the types does not occur in the source.
 */
static FimEpisodesJob *
JobOfEpisode(const EpisodeRequest *request, GpufimRows *rows, KeptTypes *kept)
{
	Dictionary *types = rows->items;
	Size		size = offsetof(FimEpisodesJob, words) + 2 * (Size) request->length * sizeof(uint32);
	FimEpisodesJob *job = MemoryContextAllocHuge(CurrentMemoryContext, size);
	uint32	   *number = LedgerAlloc(rows->ledger, ((Size) types->n + 1) * sizeof(uint32),
									 "distinct event types");
	NamedItems	named;
	bool		possible = true;

	memset(job, 0, sizeof(FimEpisodesJob));
	job->head.size = (uint32) size;
	job->minsup = job->min_length = 1;
	job->max_length = FIM_NO_LIMIT;
	job->episode_length = request->length;
	memset(kept, 0, sizeof(KeptTypes));
	kept->number = number;
	for (uint32 id = 0; id <= types->n; id++)
	{
		if (id % INTERRUPT_TYPES == 0)
			CHECK_FOR_INTERRUPTS();
		number[id] = UINT32_MAX;
	}

	named = FindNamedItems(rows, request->events, "events");
	for (int i = 0; i < named.n; i++)
	{
		uint32		id = named.ids[i];

		possible = id != DICTIONARY_NONE;
		if (!possible)
			break;
		if (number[id] == UINT32_MAX)
		{
			number[id] = kept->n++;
			kept->events += types->entries[id].count;
		}
		job->words[i] = number[id];
	}
	FreeNamedItems(rows, &named);
	memcpy(job->words + request->length, request->gaps.number,
		   request->gaps.given * sizeof(uint32));
	return possible ? job : NULL;
}

/* Has the engine count the episode, or list its occurrences. */
static void
RunEpisode(FunctionCallInfo fcinfo, EpisodeCall *call, bool count_only)
{
	const EpisodeRequest *request = &call->request;
	MemoryLedger *ledger = LedgerCreate();
	EventStream *stream = ReadEvents(&request->from, ledger);
	FimSink    *sink = NULL;
	uint32	   *ranks = NULL;
	KeptTypes	kept = {NULL};
	FimEpisodesJob *what;
	EngineCost	cost;
	FimEpisodesData *data;
	struct Job *job;
	uint64	   *support;

	what = JobOfEpisode(request, stream->rows, &kept);
	DictionaryFree(stream->rows->items);
	stream->rows->items = NULL;
	CurrentRun->frequent_items = kept.n;
	if (what == NULL)
	{
		RowsClose(stream->rows);
		LedgerDestroy(ledger);
		return;
	}
	what->head.count_only = count_only;
	cost = EpisodesCost(kept.events, &request->gaps);
	if (!count_only)
	{
		ranks = LedgerAlloc(ledger, (Size) stream->npartitions * sizeof(uint32), "distinct partitions");
		sink = OccurrenceRowsCreate(fcinfo, stream, ranks, request->length);
	}
	job = JobCreate(&FimEpisodesFamily, &what->head, &cost);
	data = BuildEpisodesData(job, stream, &kept, &request->gaps, ranks);
	RunAddDetail("partitions", stream->npartitions);
	RunAddDetail("repeated_events", stream->repeated);
	RunAddDetail("events_of_its_types", data->events);
	if (count_only)
		LedgerDestroy(ledger);
	(void) JobOpenHost(job);
	JobCloseHost(job);
	support = JobRun(job, sink);
	if (count_only)
		call->support = *support;
	JobEnd(job);
}

static void
CountOccurrences(FunctionCallInfo fcinfo, void *call)
{
	RunEpisode(fcinfo, call, true);
}

static void
ListOccurrences(FunctionCallInfo fcinfo, void *call)
{
	RunEpisode(fcinfo, call, false);
}

PG_FUNCTION_INFO_V1(gpufim_count_episode);

Datum
gpufim_count_episode(PG_FUNCTION_ARGS)
{
	EpisodeCall call = {.request.function = "count_episode"};

	CallValueFunction(fcinfo, call.request.function, ReadEpisodeRequest, CountOccurrences, &call);
	PG_RETURN_INT64((int64) call.support);
}

PG_FUNCTION_INFO_V1(gpufim_episode_occurrences);

Datum
gpufim_episode_occurrences(PG_FUNCTION_ARGS)
{
	EpisodeCall call = {.request.function = "episode_occurrences",
		.request.from.sort_partitions = true,
	.request.from.keep_partitions = true};

	return CallFunction(fcinfo, call.request.function, ReadEpisodeRequest, ListOccurrences, &call);
}
