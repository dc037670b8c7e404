/*-------------------------------------------------------------------------
 *
 * row_sink.c
 *	  What a function puts into its result, and what row makers have in common.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "funcapi.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "results.h"
#include "scan/scan.h"
#include "utils/memutils.h"

void *
RowMakerCreate(Size size, FunctionCallInfo fcinfo, MemoryLedger *ledger, const ResultWords *words)
{
	TupleDesc	desc = ((ReturnSetInfo *) fcinfo->resultinfo)->setDesc;
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "gpufim row maker",
												 ALLOCSET_DEFAULT_SIZES);
	RowMaker   *maker = MemoryContextAllocZero(memory, size);

	maker->words = words;
	maker->results_found = MemoryContextStrdup(memory, psprintf("the %s found", words->results));
	maker->memory = memory;
	maker->ledger = ledger;
	for (int i = 0; i < ROW_COLUMNS; i++)
	{
		maker->wanted[i] = i < desc->natts && RowColumnIsWanted(fcinfo, i);
		maker->nulls[i] = !maker->wanted[i];
	}
	return maker;
}

void
RowMakerCharge(RowMaker *maker, Size bytes, const char *what)
{
	if (maker->job != NULL)
		JobTakeMemory(maker->job, bytes, what);
	else if (maker->ledger != NULL)
		LedgerMakeRoom(maker->ledger, bytes, what);
	else
		CheckMemoryLimit(MemoryContextMemAllocated(maker->memory, true), bytes, what);
}

void *
RowMakerResize(RowMaker *maker, void *block, Size old_size, Size size, const char *what)
{
	RowMakerCharge(maker, size - old_size, what);
	if (block == NULL)
		return MemoryContextAllocHuge(maker->memory, size);
	return repalloc_huge(block, size);
}

/*
 * Make room for the counts of results of this length.  Without enough memory this raises an error,
 * which is caught where there are workers: then the results start over with the same sink.
 */
static void
GrowLengths(RowSink *sink, uint32 length)
{
	size_t		nlengths = Max((size_t) length + 1, 2 * sink->nlengths);

	RowMakerCharge(sink->maker, (nlengths - sink->nlengths) * sizeof(int64), sink->maker->results_found);
	sink->lengths = RunLengths(nlengths);
	sink->nlengths = nlengths;
}

void
RowSinkCountLengths(RowSink *sink, const uint32 *record, const uint32 *end)
{
	uint32		length = 0;

	if (sink->maker->length == NULL)
		return;
	while (record < end)
	{
		length = sink->maker->length(sink->maker, &record);
		if (length >= sink->nlengths)
			GrowLengths(sink, length);
		sink->lengths[length]++;
	}
	CurrentRun->level = length;
}

/* Store a batch as it is, behind the number of its results. */
static void
StoreBatch(RowSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	Size		size = VARHDRSZ + (nwords + 1) * sizeof(uint32_t);
	uint32	   *to;
	Datum		value;
	bool		isnull = false;

	if (size > sink->batch_size)
	{
		if (sink->batch != NULL)
			pfree(sink->batch);
		/* without memory for the new batch the job may start over, and must not find the old one then */
		sink->batch = NULL;
		sink->batch_size = 0;
		sink->batch = MemoryContextAlloc(GetMemoryChunkContext(sink), size);
		sink->batch_size = size;
	}
	SET_VARSIZE(sink->batch, size);
	to = (uint32 *) VARDATA(sink->batch);
	to[0] = (uint32) nresults;
	memcpy(to + 1, words, nwords * sizeof(uint32_t));
	value = PointerGetDatum(sink->batch);
	tuplestore_putvalues(sink->store, sink->desc, &value, &isnull);
	sink->sink.kept += nwords;
}

static void
StoreRows(RowSink *sink, const uint32_t *words, size_t nresults)
{
	RowMaker   *maker = sink->maker;
	Datum		values[ROW_COLUMNS];

	maker->begin(maker, words);
	for (size_t i = 0; i < nresults; i++)
	{
		/* a row may have megabytes */
		CHECK_FOR_INTERRUPTS();
		maker->next(maker, values);
		tuplestore_putvalues(sink->store, sink->desc, values, maker->nulls);
	}
}

static bool
WriteBatch(FimSink *fim_sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	RowSink    *sink = (RowSink *) fim_sink;
	ResultBatch batch;

	ResultsBegin(&batch, sink->maker->words, nresults);
	RowSinkCountLengths(sink, words, words + nwords);
	if (sink->use == BATCHES_STORED)
		StoreBatch(sink, words, nwords, nresults);
	else
		StoreRows(sink, words, nresults);
	ResultsEnd(&batch);
	return true;
}

/* Results that are only counted do not come under gpufim.max_results, because nobody is given them. */
static bool
CountBatch(FimSink *fim_sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	CHECK_FOR_INTERRUPTS();
	RowSinkCountLengths((RowSink *) fim_sink, words, words + nwords);
	CurrentRun->results += nresults;
	return true;
}

/* The job starts over: what has been written so far is void. */
static void
Restart(FimSink *fim_sink)
{
	RowSink    *sink = (RowSink *) fim_sink;

	tuplestore_clear(sink->store);
	sink->sink.kept = 0;
	if (sink->nlengths > 0)
		memset(sink->lengths, 0, sink->nlengths * sizeof(int64));
	ResultsForget();
}

RowSink *
RowSinkCreate(FunctionCallInfo fcinfo, RowMaker *maker)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	RowSink    *sink = palloc0(sizeof(RowSink));

	sink->sink.restart = Restart;
	sink->maker = maker;
	sink->call = fcinfo;
	sink->use = RowScanCounts(fcinfo) ? RESULTS_COUNTED : IsRowScan(fcinfo) ? BATCHES_STORED : ROWS_STORED;
	sink->sink.write = sink->use == RESULTS_COUNTED ? CountBatch : WriteBatch;
	sink->store = rsinfo->setResult;
	sink->desc = sink->use == ROWS_STORED ? rsinfo->setDesc : RowBatchDesc();
	return sink;
}

void
RowSinkUseJob(RowSink *sink, struct Job *job)
{
	sink->maker->ledger = NULL;
	sink->maker->job = sink->job = job;
}

/* Have the job go on until it pauses or ends.  Returns whether there is more to come. */
static bool
GoOn(void *arg)
{
	RowSink    *sink = arg;
	bool		pauses;
	void	   *summary;

	sink->maker->job = sink->job;
	pauses = JobGoOn(sink->job);
	sink->maker->job = NULL;
	if (pauses)
		return true;
	summary = JobFinish(sink->job);
	if (sink->show != NULL)
		sink->show(sink->show_arg, summary);
	JobEnd(sink->job);
	return false;
}

/* Hand what the sink has over to the scan, if there is one. */
static void
HandOver(RowSink *sink, bool goes_on)
{
	if (sink->use == RESULTS_COUNTED)
		RowScanTakeCount(sink->call, CurrentRun->results);
	else if (sink->use == BATCHES_STORED)
		RowScanTake(sink->call, sink, goes_on ? GoOn : NULL);
}

void
RowSinkMine(RowSink *sink)
{
	JobStart(sink->job, &sink->sink, sink->use == BATCHES_STORED);
	HandOver(sink, GoOn(sink));
}

void
RowSinkEnd(RowSink *sink)
{
	if (sink->job != NULL)
		JobEnd(sink->job);
	sink->maker->job = NULL;
	sink->maker->ledger = NULL;
	HandOver(sink, false);
}
