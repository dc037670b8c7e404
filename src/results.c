/*-------------------------------------------------------------------------
 *
 * results.c
 *	  Turning results into rows, as far as functions have that in common: batches of results, and
 *	  the images of their values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "engine/engine.h"
#include "executor/instrument.h"
#include "fmgr.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "results.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

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

	if (maker->block == NULL || size > maker->block_left)
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

Datum *
ValueImages(MemoryLedger *ledger, const ValueList *list, Form_pg_attribute column, Size *least)
{
	Size		size = ((Size) list->n + 1) * sizeof(Datum);
	ImageMaker	maker;
	Datum	   *values;

	ImageMakerInit(&maker, ledger, list->value != NULL ? list->type : column->atttypid, column->atttypid, list->what);
	LedgerMakeRoom(ledger, size, list->what);
	values = MemoryContextAllocHuge(CurrentMemoryContext, size);
	*least = column->attbyval ? column->attlen : MaxAllocSize;
	for (uint32 i = 0; i < list->n; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(ledger->scratch);
		Datum		value = list->value != NULL ? ImageValue(&maker, list->value(list->of, i)) :
			CStringGetTextDatum(psprintf("%u", i + 1));

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(caller);
		values[i] = column->attbyval ? value : CopyValue(&maker, column, value, least);
		LedgerForget(ledger);
	}
	return values;
}
