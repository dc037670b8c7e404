/*-------------------------------------------------------------------------
 *
 * occurrence_rows.c
 *	  Turning occurrences of an episode into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "episodes/occurrence_rows.h"
#include "figures.h"
#include "miscadmin.h"
#include "results.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

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

FimSink *
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
