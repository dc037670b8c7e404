/*-------------------------------------------------------------------------
 *
 * results.c
 *	  Turning results into rows, as far as functions have that in common: batches of results,
 *	  the images of their values, and itemsets made of these.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat.h"
#include "engine/engine.h"
#include "executor/instrument.h"
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
#include "work/work.h"

/* When results take this many bytes of temporary files, and each time they take four times as many, users are told. */
#define BYTES_TO_TELL	(INT64CONST(256) * 1024 * 1024)

/* How many results there are, and which length is the most frequent if they have lengths. */
static char *
DescribeResults(uint64 nresults, const ResultWords *words)
{
	uint64		length;
	int64		of_length = RunMostOfLength(&length);

	if (of_length == 0)
		return psprintf("There are %llu %s so far.", (unsigned long long) nresults, words->results);
	return psprintf("There are %llu %s so far. The most of one length, " INT64_FORMAT ", are of length %llu.",
					(unsigned long long) nresults, words->results, of_length, (unsigned long long) length);
}

void
CheckResults(uint64 nresults, const ResultWords *words)
{
	int			limit = ResultsLimit();

	if (limit > 0 && nresults > limit)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("the result would exceed \"%s\" (%d)",
						gpufim_max_results == limit ? "gpufim.max_results" : "gpufim.max_results_limit", limit),
				 errdetail_internal("%s", DescribeResults(nresults, words)),
				 errhint("%s", words->hint)));
}

void
ResultsBegin(ResultBatch *batch, const ResultWords *words, size_t nresults)
{
	CHECK_FOR_INTERRUPTS();
	CheckResults(CurrentRun->results + nresults, words);
	batch->words = words;
	batch->nresults = nresults;
	batch->blocks = pgBufferUsage.temp_blks_written;
	INSTR_TIME_SET_CURRENT(batch->start);
}

/* How many notices are due once results have taken so many bytes of temporary files. */
static int
TimesToTell(int64 bytes)
{
	int			times = 0;

	for (int64 enough = BYTES_TO_TELL; enough <= bytes; enough *= 4)
		times++;
	return times;
}

/* Count what the batch has written to files, and tell the user if it is time. */
static void
CountSpilled(const ResultBatch *batch)
{
	int64		before = CurrentRun->results_spilled;
	int64		bytes = (pgBufferUsage.temp_blks_written - batch->blocks) * BLCKSZ;

	CurrentRun->spilled_bytes += bytes;
	CurrentRun->results_spilled += bytes;
	if (TimesToTell(before) < TimesToTell(CurrentRun->results_spilled))
		ereport(NOTICE,
				(errmsg("the result of %s() takes " INT64_FORMAT " MB of temporary files so far",
						CurrentRun->function, CurrentRun->results_spilled / (1024 * 1024)),
				 errdetail_internal("%s", DescribeResults(CurrentRun->results, batch->words)),
				 errhint("%s Set \"gpufim.max_results\" or \"temp_file_limit\" to end calls that return too much.",
						 batch->words->hint)));
}

void
ResultsEnd(ResultBatch *batch)
{
	CurrentRun->results += batch->nresults;
	CountSpilled(batch);
	CurrentRun->emit_ms += MillisecondsSince(batch->start);
}

void
ResultsForget(void)
{
	CurrentRun->results = 0;
	CurrentRun->results_spilled = 0;
	CurrentRun->level = 0;
}

/*
 * Images of values.
 */

#define FIRST_BLOCK		2048
#define LARGEST_BLOCK	(1024 * 1024)

void
ImageMakerInit(ImageMaker *maker, MemoryLedger *ledger, Oid type, Oid result_type,
			   const char *what)
{
	memset(maker, 0, sizeof(ImageMaker));
	maker->context = CurrentMemoryContext;
	maker->ledger = ledger;
	maker->what = what;
	maker->as_text = result_type == TEXTOID && type != TEXTOID;
	maker->block_size = FIRST_BLOCK;
	if (maker->as_text)
	{
		Oid			function;
		bool		varlena;

		getTypeOutputInfo(type, &function, &varlena);
		fmgr_info(function, &maker->output);
	}
}

Datum
ImageValue(ImageMaker *maker, Datum value)
{
	if (maker->as_text)
		return CStringGetTextDatum(OutputFunctionCall(&maker->output, value));
	return value;
}

static char *
AllocateBytes(ImageMaker *maker, size_t size)
{
	LedgerMakeRoom(maker->ledger, size, maker->what);
	return MemoryContextAllocHuge(maker->context, size);
}

/*
 * An image that does not fit in what is left of the block begins another one, or has bytes of its own if
 * it is large.
 */
char *
ImageBytes(ImageMaker *maker, size_t size)
{
	char	   *bytes;

	if (size > maker->block_left)
	{
		bool		large = size > maker->block_size / 4;

		bytes = AllocateBytes(maker, large ? size : maker->block_size);
		if (!large)
		{
			maker->block = bytes + size;
			maker->block_left = maker->block_size - size;
			maker->block_size = Min(2 * maker->block_size, LARGEST_BLOCK);
		}
	}
	else
	{
		bytes = maker->block;
		maker->block += size;
		maker->block_left -= size;
	}
	memset(bytes, 0, size);
	return bytes;
}

/*
 * Itemsets.
 */

/* The sizes in bytes of the array that is being built: at first, and so that a row can still be made around it. */
#define FIRST_ARRAY		1024
#define LARGEST_ARRAY	(MaxAllocSize - 256)

/* Counts memory, or raises an error. */
static void
Charge(ItemsetRows *rows, size_t bytes)
{
	if (rows->job != NULL)
		JobTakeMemory(rows->job, bytes, rows->results_found);
	else
		LedgerMakeRoom(rows->ledger, bytes, rows->elements_found);
}

static void *
Resize(const ItemsetRows *rows, void *block, size_t size)
{
	if (block == NULL)
		return MemoryContextAllocHuge(rows->context, size);
	return repalloc_huge(block, size);
}

void *
ItemsetRowsResize(ItemsetRows *rows, void *block, size_t old_size, size_t size)
{
	Charge(rows, size - old_size);
	return Resize(rows, block, size);
}

static void
MakeImage(ItemsetRows *rows, Image *image, Datum value)
{
	size_t		size;
	char	   *bytes;

	if (rows->element_length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = att_addlength_datum(0, rows->element_length, value);

	image->size = att_align_nominal(size, rows->element_align);
	image->bytes = bytes = ImageBytes(&rows->maker, image->size);
	if (rows->element_byval)
		store_att_byval(bytes, value, rows->element_length);
	else
		memcpy(bytes, DatumGetPointer(value), size);
}

static void
MakeImages(ItemsetRows *rows, const GpufimItem *list, uint32 nlist)
{
	MemoryContext scratch = rows->ledger->scratch;

	for (uint32 i = 0; i < nlist; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		MakeImage(rows, &rows->images[list[i].rank], ImageValue(&rows->maker, list[i].value));
		MemoryContextSwitchTo(caller);
		if (!scratch->isReset)
			MemoryContextReset(scratch);
	}
}

/*
 * Enlarges the array that is being built, so that it has room for "more" bytes at "at".
 * Returns where these go in the new array.
 */
char *
ItemsetRowsGrowArray(ItemsetRows *rows, char *at, size_t more)
{
	size_t		used = at - (char *) rows->array;
	size_t		size = Max(2 * rows->array_size, used + more);

	if (used + more > LARGEST_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size of an %s exceeds the maximum allowed (%zu)",
						rows->words->result, (size_t) LARGEST_ARRAY)));
	size = Min(size, LARGEST_ARRAY);

	/* counted twice, because the result's row has a copy */
	Charge(rows, 2 * (size - rows->array_size));
	rows->array = Resize(rows, rows->array, size);
	rows->array_size = size;
	return (char *) rows->array + used;
}

void
ItemsetRowsGrow(ItemsetRows *rows, uint32 length)
{
	size_t		max_length = Max(length, 2 * (size_t) rows->max_length);

	Charge(rows, (max_length - rows->max_length) * sizeof(int64));
	rows->lengths = RunLengths(max_length + 1);
	rows->max_length = max_length;
}

void
ItemsetRowsBeginBatch(ItemsetRows *rows, size_t nresults)
{
	ResultsBegin(&rows->batch, rows->words, nresults);
}

void
ItemsetRowsEndBatch(ItemsetRows *rows)
{
	CurrentRun->level = rows->length;
	ResultsEnd(&rows->batch);
}

static bool
WriteBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	ItemsetRows *rows = (ItemsetRows *) sink;
	const uint32_t *end = words + nwords;

	ItemsetRowsBeginBatch(rows, nresults);
	while (words < end)
		words = rows->put(rows, words);
	ItemsetRowsEndBatch(rows);
	return true;
}

/* The job starts over: what has been written so far is void. */
static void
Restart(FimSink *sink)
{
	ItemsetRows *rows = (ItemsetRows *) sink;

	tuplestore_clear(rows->store);
	memset(rows->lengths, 0, (rows->max_length + 1) * sizeof(int64));
	ResultsForget();
}

void
ItemsetRowsInit(ItemsetRows *rows, PutRecord put, const ResultWords *words,
				FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	rows->sink.write = WriteBatch;
	rows->sink.restart = Restart;
	rows->put = put;
	rows->words = words;
	rows->results_found = psprintf("the %s found", words->results);
	rows->elements_found = psprintf("the %s of the %s found", words->elements, words->results);
	rows->context = CurrentMemoryContext;
	rows->store = rsinfo->setResult;
	rows->desc = rsinfo->setDesc;

	rows->element_type = get_element_type(TupleDescAttr(rows->desc, 0)->atttypid);
	get_typlenbyvalalign(rows->element_type, &rows->element_length,
						 &rows->element_byval, &rows->element_align);

	rows->ledger = ledger;
	ImageMakerInit(&rows->maker, ledger, items->type, rows->element_type, rows->elements_found);
	rows->images = ItemsetRowsResize(rows, NULL, 0,
									 ((size_t) items->nitems + items->nrequired + 1) * sizeof(Image));
	MakeImages(rows, items->items, items->nitems);
	MakeImages(rows, items->required, items->nrequired);

	rows->array_size = FIRST_ARRAY;
	rows->array = MemoryContextAllocZero(rows->context, FIRST_ARRAY);
	rows->array->ndim = 1;
	rows->array->dataoffset = 0;
	rows->array->elemtype = rows->element_type;
	ARR_LBOUND(rows->array)[0] = 1;
}

void
ItemsetRowsUseJob(ItemsetRows *rows, struct Job *job)
{
	rows->ledger = NULL;
	rows->job = job;
}

void
PutLengthCount(FunctionCallInfo fcinfo, uint32 length, int64 count)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	RunLengths((uint64) length + 1)[length] = count;
	if (pg_add_s64_overflow(CurrentRun->results, count, &CurrentRun->results))
		CurrentRun->results = PG_INT64_MAX;
	values[0] = Int32GetDatum((int32) length);
	values[1] = Int64GetDatum(count);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}
