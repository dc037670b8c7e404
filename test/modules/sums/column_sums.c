/*-------------------------------------------------------------------------
 *
 * column_sums.c
 *	  The tiny family on the SQL floor: column_sums() and column_total().
 *
 * Both take (source text, item_column name, value_column name) and sum a column for
 * each distinct value of another.  column_sums() returns (item text, total float8);
 * column_total() returns the number of items and the total of all.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "read/read.h"
#include "sums.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "work/work.h"

typedef struct SumsRequest
{
	bool		count_only;
	char	   *source;
	SourceColumn columns[2];
} SumsRequest;

/* Results are said to take so much, whatever they are. */
#define RESULTS_BYTES	(128 * 1024)

/* With strategy "known". */
#define MANY_RESULTS_BYTES	(4 * 1024 * 1024)

/* A sink that puts sums into the function's tuplestore. */
typedef struct SumsSink
{
	FimSink		sink;			/* must be first */
	ReturnSetInfo *result;
	const Dictionary *items;
	FmgrInfo	output;
	struct Job *job;
	bool		has_room;		/* the job knows that results take memory */
} SumsSink;

static void
Check(FunctionCallInfo fcinfo, void *arg)
{
	SumsRequest *request = arg;

	request->source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	request->columns[0].role = ROLE_ITEM;
	request->columns[0].name = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	request->columns[0].argument = "item_column";
	request->columns[1].role = ROLE_VALUE;
	request->columns[1].name = pstrdup(NameStr(*PG_GETARG_NAME(2)));
	request->columns[1].argument = "value_column";
}

static GpufimRows *
ReadSource(const SumsRequest *request, MemoryLedger *ledger)
{
	RowLayout	layout = {.value_words = VALUE_WORDS};
	GpufimSource *source;
	GpufimRows *rows;

	SourceConnect();
	source = SourceOpen(request->source, request->columns, lengthof(request->columns));
	CheckEngineChoice(&FimSumsFamily, false);
	rows = IngestSource(source, &layout, ledger);
	SourceDisconnect();
	return rows;
}

static void
FillData(GpufimRows *rows, SumsData *data)
{
	ChunkList	records = rows->records;
	RecordReader reader;
	const uint32 *entries;
	uint32		n;
	uint64		at = 0;

	memset(&rows->records, 0, sizeof(ChunkList));
	RecordReaderBegin(&reader, rows, &records, true);
	while (RecordReaderNext(&reader, &entries, &n))
	{
		SUMS_ITEMS(data)[at] = entries[0];
		SUMS_VALUES(data)[at++] = EntryValue(entries, 0);
	}
	RecordReaderEnd(&reader);
	Assert(at == data->nentries);
}

static void
BuildData(struct Job *job, GpufimRows *rows)
{
	uint32		nitems = rows->items->n;
	Size		size = SumsSize(rows->transactions, nitems, JobBeginsOnCpu(job));
	SumsData   *data;

	LedgerMakeRoom(rows->ledger, size, "the sums' data");
	data = (SumsData *) JobAllocateData(job, size);
	SumsLayout(data, rows->transactions, nitems);
	FillData(rows, data);
}

static bool
WriteSums(FimSink *fim_sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	SumsSink   *sink = (SumsSink *) fim_sink;
	const uint32_t *end = words + nwords;
	Datum		values[2];
	bool		nulls[2] = {false, false};
	double		sum;

	if (!sink->has_room)
		JobTakeMemory(sink->job, strcmp(gpufim_strategy, "known") == 0 ? MANY_RESULTS_BYTES :
					  RESULTS_BYTES, "the sums");
	sink->has_room = true;
	for (; words < end; words += SUMS_RECORD_WORDS)
	{
		char	   *item = OutputFunctionCall(&sink->output,
											  sink->items->entries[words[0]].value);

		memcpy(&sum, words + 1, sizeof(sum));
		values[0] = CStringGetTextDatum(item);
		values[1] = Float8GetDatum(sum);
		tuplestore_putvalues(sink->result->setResult, sink->result->setDesc, values, nulls);
	}
	CurrentRun->results += nresults;
	return true;
}

static void
Restart(FimSink *sink)
{
	tuplestore_clear(((SumsSink *) sink)->result->setResult);
	CurrentRun->results = 0;
}

static void
InitSink(SumsSink *sink, FunctionCallInfo fcinfo, const Dictionary *items)
{
	Oid			output;
	bool		varlena;

	memset(sink, 0, sizeof(SumsSink));
	sink->sink.write = WriteSums;
	sink->sink.restart = Restart;
	sink->result = (ReturnSetInfo *) fcinfo->resultinfo;
	sink->items = items;
	getTypeOutputInfo(items->type->type_id, &output, &varlena);
	fmgr_info(output, &sink->output);
}

static void
PutSummary(FunctionCallInfo fcinfo, const SumsSummary *summary)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	values[0] = Int64GetDatum((int64) summary->items);
	values[1] = Float8GetDatum(summary->total);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
Run(FunctionCallInfo fcinfo, void *arg)
{
	const SumsRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadSource(request, ledger);
	SumsSpec		what = {{.size = sizeof(SumsSpec),.count_only = request->count_only}};
	EngineCost	cost = {.cpu_ms = 1,.gpu_ms = 1};
	SumsSink	sink;
	SumsSummary *summary;
	struct Job *job;

	RunEnterPhase(GPUFIM_ENCODING);
	InitSink(&sink, fcinfo, rows->items);
	sink.job = job = JobCreate(&FimSumsFamily, &what.head, &cost);
	BuildData(job, rows);
	(void) JobOpenHost(job);
	JobCloseHost(job);
	summary = JobRun(job, &sink.sink);
	JobEnd(job);
	if (summary != NULL)
		PutSummary(fcinfo, summary);
	LedgerDestroy(ledger);
}

PG_FUNCTION_INFO_V1(column_sums);
extern PGDLLEXPORT Datum column_sums(PG_FUNCTION_ARGS);

Datum
column_sums(PG_FUNCTION_ARGS)
{
	SumsRequest request = {.count_only = false};

	return CallFunction(fcinfo, "column_sums", Check, Run, &request);
}

PG_FUNCTION_INFO_V1(column_total);
extern PGDLLEXPORT Datum column_total(PG_FUNCTION_ARGS);

Datum
column_total(PG_FUNCTION_ARGS)
{
	SumsRequest request = {.count_only = true};

	return CallFunction(fcinfo, "column_total", Check, Run, &request);
}
