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

#include "catalog/pg_type.h"
#include "compat.h"
#include "episodes/episodes.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "results.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/*
 * Turning occurrences of an episode into rows of the SQL function's result.
 */

#define RESULT_COLUMNS	2

/* Events between two checks for interrupts. */
#define INTERRUPT_EVENTS	4096

/* How a value is put into a result: as it is, or as its text. */
typedef struct ValueForm
{
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
	bool		as_text;
	FmgrInfo	output;
} ValueForm;

typedef struct OccurrenceRows
{
	FimSink		sink;			/* must be first */
	Tuplestorestate *store;
	TupleDesc	desc;
	MemoryContext row_context;
	const EventStream *stream;
	const uint32 *ranks;
	uint32		length;
	ValueForm	time;
	ValueForm	partition;
	Datum	   *values;			/* [length] */
} OccurrenceRows;

static void
SetValueForm(ValueForm *result, Oid wanted, Oid type)
{
	Oid			function;
	bool		varlena;

	result->type = wanted;
	get_typlenbyvalalign(wanted, &result->length, &result->byval, &result->align);
	result->as_text = wanted == TEXTOID && type != TEXTOID;
	if (!result->as_text)
		return;
	getTypeOutputInfo(type, &function, &varlena);
	fmgr_info(function, &result->output);
}

static Datum
ResultValue(ValueForm *result, Datum value)
{
	if (result->as_text)
		return CStringGetTextDatum(OutputFunctionCall(&result->output, value));
	return value;
}

static void
PutOccurrence(OccurrenceRows *rows, const uint32_t *words)
{
	MemoryContext caller = MemoryContextSwitchTo(rows->row_context);
	const EventStream *stream = rows->stream;
	Datum		values[RESULT_COLUMNS];
	bool		nulls[RESULT_COLUMNS] = {stream->partitions == NULL, false};

	if (stream->partitions != NULL)
	{
		uint32		partition = stream->names[rows->ranks[*words]];

		values[0] = ResultValue(&rows->partition, stream->partitions->entries[partition].value);
	}
	words++;
	for (uint32 i = 0; i < rows->length; i++)
	{
		FimTime		time;

		if (i % INTERRUPT_EVENTS == INTERRUPT_EVENTS - 1)
			CHECK_FOR_INTERRUPTS();
		memcpy(&time, words + 2 * (size_t) i, sizeof(time));
		rows->values[i] = ResultValue(&rows->time, ValueOfTime(&stream->times, time));
	}
	values[1] = PointerGetDatum(construct_array(rows->values, (int) rows->length, rows->time.type,
												rows->time.length, rows->time.byval,
												rows->time.align));
	tuplestore_putvalues(rows->store, rows->desc, values, nulls);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rows->row_context);
}

static const ResultWords result_words = {
	"occurrence", "occurrences", "events",
	"Narrow the gaps or lengthen the episode to get fewer; count_episode() tells how many there are."
};

static bool
PutBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	OccurrenceRows *rows = (OccurrenceRows *) sink;
	size_t		record_words = FIM_EPISODES_OCCURRENCE_WORDS(rows->length);
	ResultBatch batch;

	ResultsBegin(&batch, &result_words, nresults);
	for (size_t done = 0; done < nwords; done += record_words)
	{
		CHECK_FOR_INTERRUPTS();
		PutOccurrence(rows, words + done);
	}
	CurrentRun->level = rows->length;
	ResultsEnd(&batch);
	return true;
}

/* The job starts over, so forget all results written so far. */
static void
Restart(FimSink *sink)
{
	tuplestore_clear(((OccurrenceRows *) sink)->store);
	ResultsForget();
}

/*
 * A sink for batches of occurrences of an episode of "length" events, which puts them into the
 * function's tuplestore.  Its functions may raise errors.  The stream's events may be freed, but
 * not its partitions.  ranks[] has the rank of each of the engine's partitions, as
 * BuildEpisodesData() sets it; the sink keeps both pointers.
 */
static FimSink *
OccurrenceRowsCreate(FunctionCallInfo fcinfo, const EventStream *stream, const uint32 *ranks,
					 uint32 length)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	OccurrenceRows *rows = palloc0(sizeof(OccurrenceRows));
	TupleDesc	desc = rsinfo->setDesc;

	rows->sink.write = PutBatch;
	rows->sink.restart = Restart;
	rows->store = rsinfo->setResult;
	rows->desc = desc;
	rows->row_context = AllocSetContextCreate(CurrentMemoryContext, "gpufim occurrence",
											  ALLOCSET_DEFAULT_SIZES);
	rows->stream = stream;
	rows->ranks = ranks;
	rows->length = length;
	rows->values = palloc(length * sizeof(Datum));
	SetValueForm(&rows->time, get_element_type(TupleDescAttr(desc, 1)->atttypid),
				  stream->times.type);
	if (stream->partitions != NULL)
		SetValueForm(&rows->partition, TEXTOID, stream->partitions->type->type_id);
	return &rows->sink;
}

#define INTERRUPT_TYPES	65536

/* A call and its result. */
typedef struct EpisodeCall
{
	EpisodeRequest request;		/* must be first */
	uint64		support;
} EpisodeCall;

/*
 * Make the engine's spec about an episode, and set *kept to the episode's types, which are
 * numbered in the order of their first appearance in it.  The memory of kept->number is the
 * ledger's.  Returns NULL if one of the types does not occur in the source.
 */
static FimEpisodesSpec *
SpecOfEpisode(const EpisodeRequest *request, GpufimRows *rows, KeptTypes *kept)
{
	Dictionary *types = rows->items;
	Size		size = offsetof(FimEpisodesSpec, words) + 2 * (Size) request->length * sizeof(uint32);
	FimEpisodesSpec *spec = MemoryContextAllocHuge(CurrentMemoryContext, size);
	uint32	   *number = LedgerAlloc(rows->ledger, ((Size) types->n + 1) * sizeof(uint32),
									 "distinct event types");
	NamedItems	named;
	bool		possible = true;

	memset(spec, 0, sizeof(FimEpisodesSpec));
	spec->head.size = (uint32) size;
	spec->minsup = spec->min_length = 1;
	spec->max_length = FIM_NO_LIMIT;
	spec->episode_length = request->length;
	memset(kept, 0, sizeof(KeptTypes));
	kept->number = number;
	kept->ntypes = types->n;
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
		spec->words[i] = number[id];
	}
	FreeNamedItems(rows, &named);
	memcpy(spec->words + request->length, request->gaps.number,
		   request->gaps.given * sizeof(uint32));
	return possible ? spec : NULL;
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
	FimEpisodesSpec *spec;
	EngineCost	cost;
	FimEpisodesData *data;
	struct Job *job;
	uint64	   *support;

	spec = SpecOfEpisode(request, stream->rows, &kept);
	DictionaryFree(stream->rows->items);
	stream->rows->items = NULL;
	CurrentRun->frequent_items = kept.n;
	if (spec == NULL)
	{
		LedgerDestroy(ledger);
		return;
	}
	spec->head.count_only = count_only;
	cost = EpisodesCost(kept.events, &request->gaps);
	if (!count_only)
	{
		ranks = LedgerAlloc(ledger, (Size) stream->npartitions * sizeof(uint32), "distinct partitions");
		sink = OccurrenceRowsCreate(fcinfo, stream, ranks, request->length);
	}
	job = JobCreate(&FimEpisodesFamily, &spec->head, &cost);
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
	else
		LedgerDestroy(ledger);
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
	EpisodeCall call = {0};

	CallValueFunction(fcinfo, "count_episode", ReadEpisodeRequest, CountOccurrences, &call);
	PG_RETURN_INT64((int64) call.support);
}

PG_FUNCTION_INFO_V1(gpufim_episode_occurrences);

Datum
gpufim_episode_occurrences(PG_FUNCTION_ARGS)
{
	EpisodeCall call = {.request.from = {.sort_partitions = true,.keep_partitions = true}};

	return CallFunction(fcinfo, "episode_occurrences", ReadEpisodeRequest, ListOccurrences, &call);
}
