/*-------------------------------------------------------------------------
 *
 * transaction_sets.c
 *	  The SQL function transaction_sets(): a source as a column of sets, each of which has so many bytes at the most.
 *
 * Transactions that come as arrays go to a set as they are read.  Others are read first, into temporary files if need be: pairs
 * have to be brought together, and sets may have to be divided.
 *
 * How large a set will be is known only when it is made.  So it is made when it might have become large enough.  To make it takes
 * several times its size in memory, and therefore sets are smaller where a call may not use much.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "gpufim.h"
#include "itemsets/itemsets.h"
#include "read/read.h"
#include "results.h"
#include "transaction_set/transaction_set.h"
#include "utils/tuplestore.h"

/* A set may become as large as this part of the memory of a call. */
#define MEMORY_PART		8

/* The number of arguments behind the source's columns. */
#define LAST_ARGUMENTS	1

typedef struct SetsRequest
{
	TransactionsRequest from;
	uint64		max_bytes;
} SetsRequest;

static void
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeTransactions(&args, LAST_ARGUMENTS, &request->from);
	request->max_bytes = TakePositive(&args, "max_bytes");
	if (request->max_bytes > SET_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"max_bytes\" must be at most %d", SET_MAX_BYTES)));
}

/*
 * Making sets of transactions, one after the other.
 */

typedef struct SetMaker
{
	ReturnSetInfo *result;
	MemoryContext context;		/* of the call */
	const SourceColumn *column;	/* of the items */
	uint64		most;			/* bytes */
	SetBuilder *builder;		/* of the set that is being made */
	int64		transactions;	/* of those that have been made */
} SetMaker;

static void
BeginSet(SetMaker *maker)
{
	MemoryContext caller = MemoryContextSwitchTo(maker->context);
	SetTypes	types = SetTypesOf(maker->column->type, InvalidOid, maker->column->collation);

	/* the ledger counts what the call holds already */
	maker->builder = BuilderCreateIn(&types, LedgerCreate());
	MemoryContextSwitchTo(caller);
}

static void
EndSet(SetMaker *maker)
{
	static const ResultWords words = {
		"set", "sets", "transactions", "Raise \"max_bytes\" to get fewer sets."
	};
	MemoryContext caller = MemoryContextSwitchTo(maker->context);
	Datum		value;
	bool		null = false;
	ResultBatch batch;

	maker->transactions += BuilderRows(maker->builder)->transactions;
	value = PointerGetDatum(BuilderFinish(maker->builder, false));
	maker->builder = NULL;
	ResultsBegin(&batch, &words, 1);
	tuplestore_putvalues(maker->result->setResult, maker->result->setDesc, &value, &null);
	ResultsEnd(&batch);
	pfree(DatumGetPointer(value));
	MemoryContextSwitchTo(caller);
}

/* No more transactions come.  A source without any makes no set. */
static void
EndSets(SetMaker *maker)
{
	if (BuilderRows(maker->builder)->transactions > 0)
		EndSet(maker);
	CurrentRun->transactions = maker->transactions;
}

/*
 * Arrays.
 */

typedef struct ArraysReceiver
{
	Receiver	base;			/* must be first */
	SetMaker   *maker;
} ArraysReceiver;

static void
ReceiveArray(Receiver *base, const SourceRow *row)
{
	SetMaker   *maker = ((ArraysReceiver *) base)->maker;
	int64		rows_read = base->rows->rows_read;

	if (RowIsNull(row, 0))
		return;
	BuilderAddArray(maker->builder, RowValue(row, 0));
	if (BuilderSize(maker->builder) < maker->most)
		return;
	EndSet(maker);
	BeginSet(maker);
	base->rows = BuilderRows(maker->builder);
	base->rows->rows_read = rows_read;
}

static void
BeginArrays(Receiver *base)
{
	SetMaker   *maker = ((ArraysReceiver *) base)->maker;

	BeginSet(maker);
	base->receive = ReceiveArray;
	base->rows = BuilderRows(maker->builder);
}

static void
EndArrays(Receiver *base)
{
}

static const ReceiverKind ReceiverOfArrays = {
	.size = sizeof(ArraysReceiver),
	.begin = BeginArrays,
	.end = EndArrays
};

/*
 * Pairs, and sets.
 */

static void
ForgetNumbers(uint32 *map, uint32 n)
{
	memset(map, 0xFF, (Size) n * sizeof(uint32));
}

static void
MakeSetsOfRows(SetMaker *maker, GpufimRows *rows)
{
	uint32		n = rows->items->n;
	uint32	   *map = LedgerAlloc(rows->ledger, ((Size) n + 1) * sizeof(uint32), "distinct items");
	RecordReader reader;
	const uint32 *items;
	uint32		nitems;

	/* all memory but that of the dictionary is for the sets */
	LedgerRelieve(rows->ledger);
	BeginSet(maker);
	ForgetNumbers(map, n);
	RecordReaderBegin(&reader, rows, &rows->records, true);
	while (RecordReaderNext(&reader, &items, &nitems))
	{
		BuilderAddRecord(maker->builder, rows->items, map, items, nitems, reader.times);
		if (BuilderSize(maker->builder) < maker->most)
			continue;
		EndSet(maker);
		BeginSet(maker);
		ForgetNumbers(map, n);
	}
	RecordReaderEnd(&reader);
}

static void
MakeSets(FunctionCallInfo fcinfo, void *arg)
{
	const SetsRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	SetMaker	maker = {
		.result = (ReturnSetInfo *) fcinfo->resultinfo,.context = CurrentMemoryContext,
		.most = Min(request->max_bytes, (uint64) MemoryLimit() * 1024 / MEMORY_PART)
	};
	GpufimSource *source = OpenTransactions(&request->from);

	maker.column = SourceItemColumn(source);
	if (maker.column->is_array && !maker.column->is_sets)
	{
		ArraysReceiver receiver = {.maker = &maker};

		SourceRead(source, &ReceiverOfArrays, &receiver.base, ledger);
		SourceDisconnect();
	}
	else
	{
		GpufimRows *rows = ReadOpenTransactions(source, ledger);

		SourceDisconnect();
		MakeSetsOfRows(&maker, rows);
	}
	EndSets(&maker);
	LedgerDestroy(ledger);
}

static Datum
SetsFunction(FunctionCallInfo fcinfo, TransactionsForm form)
{
	SetsRequest request = {.from.form = form};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	CallValueFunction(fcinfo, "transaction_sets", ReadRequest, MakeSets, &request);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(gpufim_transaction_sets_array);

Datum
gpufim_transaction_sets_array(PG_FUNCTION_ARGS)
{
	return SetsFunction(fcinfo, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_transaction_sets_pairs);

Datum
gpufim_transaction_sets_pairs(PG_FUNCTION_ARGS)
{
	return SetsFunction(fcinfo, FORM_PAIRS);
}
