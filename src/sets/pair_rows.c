/*-------------------------------------------------------------------------
 *
 * pair_rows.c
 *	  Turning pairs of values into rows of the SQL function's result.
 *
 * There may be hundreds of times more pairs than values.  So each value is converted for the
 * result only once.  What is stored depends on the caller.  A scan of pairs (pair_scan.h) reads
 * the engine's batches when its rows are wanted.  For such a scan each batch is stored as it is,
 * in a row of one column, where pairs take a fraction of the space that they take as rows.  For
 * every other caller the rows themselves are stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "compat.h"
#include "figures.h"
#include "images.h"
#include "miscadmin.h"
#include "results.h"
#include "sets/pair_reader.h"
#include "sets/pair_rows.h"
#include "sets/pair_scan.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/* Pairs between two checks for interrupts. */
#define INTERRUPT_PAIRS		4096

/* What messages call the memory that is counted here. */
#define VALUES_OF_PAIRS		"the values of pairs"

typedef struct PairRows
{
	FimSink		sink;			/* must be first */
	FunctionCallInfo call;
	Tuplestorestate *store;
	TupleDesc	desc;			/* of the rows in "store" */
	bool		scanned;		/* batches are stored as they are */
	MemoryContext memory;		/* of the values */
	PairReader	reader;
	double		least_bytes;	/* the least that a pair takes in a file */

	/* the row that is put out, or a batch and the size of its memory in bytes */
	Datum		row[PAIR_COLUMNS];
	bool		nulls[PAIR_COLUMNS];
	bytea	   *batch;
	Size		batch_size;
} PairRows;

/*
 * Copy a value that is not passed by value.  A varlena value gets a short header if possible.
 * *least is lowered to the value's size.
 */
static Datum
CopyValue(ImageMaker *maker, Form_pg_attribute column, Datum value, Size *least)
{
	const char *from = DatumGetPointer(value);
	Size		size = column->attlen;
	char	   *to;

	if (column->attlen == -1)
	{
		bool		make_short = column->attstorage != TYPSTORAGE_PLAIN && VARATT_CAN_MAKE_SHORT(from);

		size = make_short ? VARATT_CONVERTED_SHORT_SIZE(from) : VARSIZE_ANY(from);
		to = ImageBytes(maker, MAXALIGN(size));
		if (make_short)
		{
			SET_VARSIZE_SHORT(to, size);
			memcpy(to + VARHDRSZ_SHORT, VARDATA(from), size - VARHDRSZ_SHORT);
		}
		else
			memcpy(to, from, size);
	}
	else
		to = memcpy(ImageBytes(maker, MAXALIGN(size)), from, size);
	*least = Min(*least, size);
	return PointerGetDatum(to);
}

/* Convert a value to the type of the result's column, in the ledger's scratch context. */
static Datum
ResultValue(ImageMaker *maker, const KeptValues *kept, uint32 i)
{
	if (kept->items == NULL)
		/* rows are counted from 1 */
		return CStringGetTextDatum(psprintf("%u", i + 1));
	return ImageValue(maker, kept->items->items[i].value);
}

/*
 * Returns the values by their numbers, in the form of the result's column.  *least becomes the
 * size of the smallest one.
 */
static Datum *
MakeValues(MemoryLedger *ledger, const KeptValues *kept, Form_pg_attribute column, Size *least)
{
	Size		size = ((Size) kept->n + 1) * sizeof(Datum);
	ImageMaker	maker;
	Datum	   *values;

	ImageMakerInit(&maker, ledger, kept->items ? kept->items->type : column->atttypid,
				   column->atttypid, VALUES_OF_PAIRS);
	LedgerMakeRoom(ledger, size, VALUES_OF_PAIRS);
	values = MemoryContextAllocHuge(CurrentMemoryContext, size);
	*least = column->attbyval ? column->attlen : MaxAllocSize;
	for (uint32 i = 0; i < kept->n; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(ledger->scratch);
		Datum		value = ResultValue(&maker, kept, i);

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(caller);
		values[i] = column->attbyval ? value : CopyValue(&maker, column, value, least);
		if (!ledger->scratch->isReset)
			MemoryContextReset(ledger->scratch);
	}
	return values;
}

/* Store a batch as it is. */
static void
StoreBatch(PairRows *rows, const uint32_t *words, size_t nwords)
{
	Size		size = nwords * sizeof(uint32_t) + VARHDRSZ;

	if (size > rows->batch_size)
	{
		if (rows->batch != NULL)
			pfree(rows->batch);
		/* without memory for the new batch the job may start over, and must not find the old one then */
		rows->batch = NULL;
		rows->batch_size = 0;
		rows->batch = MemoryContextAlloc(rows->memory, size);
		rows->batch_size = size;
	}
	SET_VARSIZE(rows->batch, size);
	memcpy(VARDATA(rows->batch), words, size - VARHDRSZ);
	rows->row[0] = PointerGetDatum(rows->batch);
	tuplestore_putvalues(rows->store, rows->desc, rows->row, rows->nulls);
}

static void
StorePairs(PairRows *rows, const uint32_t *words, size_t nwords)
{
	uint32		until_check = INTERRUPT_PAIRS;

	PairReaderBegin(&rows->reader, words, nwords);
	while (PairReaderNext(&rows->reader, rows->row))
	{
		tuplestore_putvalues(rows->store, rows->desc, rows->row, rows->nulls);
		if (--until_check == 0)
		{
			CHECK_FOR_INTERRUPTS();
			until_check = INTERRUPT_PAIRS;
		}
	}
}

static const ResultWords result_words = {
	"pair", "pairs", "values",
	"Ask for pairs with more in common, or only for their number."
};

static bool
PutBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	PairRows   *rows = (PairRows *) sink;
	ResultBatch batch;

	ResultsBegin(&batch, &result_words, nresults);
	if (rows->scanned)
		StoreBatch(rows, words, nwords);
	else
		StorePairs(rows, words, nwords);
	ResultsEnd(&batch);
	return true;
}

/* The job starts over, so forget all results written so far. */
static void
Restart(FimSink *sink)
{
	tuplestore_clear(((PairRows *) sink)->store);
	ResultsForget();
}

/*
 * The least bytes that a pair takes in a tuplestore's file.  The file has the length of each row,
 * but not the unused bytes at the start of a MinimalTuple.
 */
static double
LeastBytes(const PairRows *rows, const FimSetsJob *job, Size values)
{
	bool		null = rows->nulls[PAIR_WITNESSES];
	int			numbers = null ? 0 : rows->desc->natts - PAIR_VALUES;

	if (rows->scanned)
	{
		Size		words = FimSetsRecordWords(job, 1) - FimSetsRecordWords(job, 0);

		return words * sizeof(uint32_t) / (rows->reader.both_orders ? 2.0 : 1.0);
	}
	return sizeof(int) - MINIMAL_TUPLE_DATA_OFFSET +
		MAXALIGN(SizeofMinimalTupleHeader + (null ? BITMAPLEN(rows->desc->natts) : 0)) +
		values + numbers * sizeof(int64);
}

FimSink *
PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsJob *job, MemoryLedger *ledger,
			   const KeptValues *left, const KeptValues *right, uint64 transactions)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	desc = rsinfo->setDesc;
	PairRows   *rows = palloc0(sizeof(PairRows));
	MemoryContext caller;
	Datum	   *left_values;
	Datum	   *right_values = NULL;
	Size		left_size;
	Size		right_size;

	rows->sink.write = PutBatch;
	rows->sink.restart = Restart;
	rows->call = fcinfo;
	rows->store = rsinfo->setResult;
	rows->scanned = IsPairScan(fcinfo);
	rows->desc = rows->scanned ? PairBatchDesc() : desc;
	rows->memory = AllocSetContextCreate(CurrentMemoryContext, "gpufim pairs", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(rows->memory);
	left_values = MakeValues(ledger, left, TupleDescAttr(desc, 0), &left_size);
	right_size = left_size;
	if (right != NULL)
		right_values = MakeValues(ledger, right, TupleDescAttr(desc, 1), &right_size);
	MemoryContextSwitchTo(caller);
	PairReaderInit(&rows->reader, job, left_values, right_values, transactions, desc->natts);
	rows->nulls[PAIR_WITNESSES] = desc->natts > PAIR_WITNESSES && !job->witnesses;
	rows->least_bytes = LeastBytes(rows, job, left_size + right_size);
	return &rows->sink;
}

void
PairRowsEnd(FimSink *sink)
{
	PairRows   *rows = (PairRows *) sink;

	if (rows->scanned)
		PairScanTake(rows->call, &rows->reader, rows->memory);
}

/*
 * The least bytes that the result takes in files.  0 if a tuplestore can keep all rows in the
 * memory that work_mem allows it.
 */
static double
LeastFileBytes(const PairRows *rows, double pairs)
{
	double		in_memory = pairs * (rows->least_bytes + (rows->scanned ? 0 : 2 * sizeof(void *)));

	return in_memory <= work_mem * 1024.0 ? 0 : pairs * rows->least_bytes;
}

bool
PairRowsMayFillFiles(const FimSink *sink, double most_pairs)
{
	return temp_file_limit >= 0 &&
		LeastFileBytes((const PairRows *) sink, most_pairs) > temp_file_limit * 1024.0;
}

void
PairRowsCheckFiles(const FimSink *sink, uint64 pairs)
{
	double		bytes = LeastFileBytes((const PairRows *) sink, (double) pairs);

	CheckResults(pairs, &result_words);
	if (temp_file_limit >= 0 && bytes > temp_file_limit * 1024.0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("the result would exceed \"temp_file_limit\" (%dkB)", temp_file_limit),
				 errdetail_plural("It has %llu row, which takes at least %.0f kB.",
								  "It has %llu rows, which take at least %.0f kB.",
								  (unsigned long) pairs, (unsigned long long) pairs, ceil(bytes / 1024)),
				 errhint("%s", result_words.hint)));
}
