/*-------------------------------------------------------------------------
 *
 * pair_rows.c
 *	  Turning pairs of values into rows of the SQL function's result.
 *
 * Each value is made ready once, as text if the result has it so, since a value may be in very
 * many pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "figures.h"
#include "miscadmin.h"
#include "sets/pair_rows.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/* Between two looks at interrupts. */
#define INTERRUPT_PAIRS		4096

#define MOST_COLUMNS		4

typedef struct PairRows
{
	FimSink		sink;			/* must be first */
	Tuplestorestate *store;
	TupleDesc	desc;
	const FimSetsJob *job;
	const Datum *left;			/* by number */
	const Datum *right;
	bool		one;			/* one relation is both sides */
	double		transactions;
} PairRows;

static Datum
AsText(MemoryLedger *ledger, const char *text)
{
	Datum		value = CStringGetTextDatum(text);

	LedgerMakeRoom(ledger, GetMemoryChunkSpace(DatumGetPointer(value)), "the values of pairs");
	return value;
}

static void
MakeTexts(MemoryLedger *ledger, const KeptValues *kept, Datum *values)
{
	MemoryContext caller = CurrentMemoryContext;
	FmgrInfo	output;

	if (kept->items != NULL)
	{
		Oid			function;
		bool		varlena;

		getTypeOutputInfo(kept->items->type, &function, &varlena);
		fmgr_info(function, &output);
	}
	for (uint32 i = 0; i < kept->n; i++)
	{
		char	   *text;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(ledger->scratch);
		/* rows are counted from 1 */
		text = kept->items == NULL ? psprintf("%u", i + 1) :
			OutputFunctionCall(&output, kept->items->items[i].value);
		MemoryContextSwitchTo(caller);
		values[i] = AsText(ledger, text);
		MemoryContextReset(ledger->scratch);
	}
}

/* The values as the result's column has them, by number. */
static Datum *
MakeValues(MemoryLedger *ledger, const KeptValues *kept, Oid wanted)
{
	Size		size = ((Size) kept->n + 1) * sizeof(Datum);
	Datum	   *values;

	LedgerMakeRoom(ledger, size, "the values of pairs");
	values = MemoryContextAllocHuge(CurrentMemoryContext, size);
	if (kept->items == NULL || (wanted == TEXTOID && kept->items->type != TEXTOID))
	{
		MakeTexts(ledger, kept, values);
		return values;
	}
	for (uint32 i = 0; i < kept->n; i++)
	{
		if (i % INTERRUPT_PAIRS == 0)
			CHECK_FOR_INTERRUPTS();
		values[i] = kept->items->items[i].value;
	}
	return values;
}

/* What a record says of a pair beside its values. */
typedef struct Pair
{
	uint32		witnesses;
	double		similarity;
} Pair;

static void
PutPair(const PairRows *rows, Datum left, Datum right, const Pair *pair)
{
	const FimSetsJob *job = rows->job;
	Datum		values[MOST_COLUMNS] = {left, right, Int64GetDatum((int64) pair->witnesses), (Datum) 0};
	bool		nulls[MOST_COLUMNS] = {false, false, !job->witnesses, false};

	if (job->result == FIM_SETS_PAIRS)
		values[3] = Float8GetDatum(pair->witnesses / rows->transactions);
	else if (job->result == FIM_SETS_SIMILAR)
		values[3] = Float8GetDatum(pair->similarity);
	tuplestore_putvalues(rows->store, rows->desc, values, nulls);
}

/* A pair of one relation, which the engine gives once and in no order. */
static void
PutOwnPair(const PairRows *rows, uint32 value, uint32 other, const Pair *pair)
{
	const FimSetsJob *job = rows->job;

	if (job->result == FIM_SETS_PRODUCT)
	{
		PutPair(rows, rows->left[value], rows->left[other], pair);
		if (value != other)
			PutPair(rows, rows->left[other], rows->left[value], pair);
		return;
	}
	if (value > other && !(job->result == FIM_SETS_SIMILAR && job->measure == FIM_CONTAINMENT))
	{
		uint32		first = other;

		other = value;
		value = first;
	}
	PutPair(rows, rows->left[value], rows->left[other], pair);
}

/* Puts the pairs of a record out, and returns where the next one begins. */
static const uint32_t *
PutRecord(const PairRows *rows, const uint32_t *words)
{
	const FimSetsJob *job = rows->job;
	uint32		value = words[0];
	uint32		n = words[1];
	const uint32_t *others = words + 2;
	const uint32_t *witnesses = others + n;
	const uint32_t *similarities = witnesses + (job->witnesses ? n : 0);

	for (uint32 i = 0; i < n; i++)
	{
		Pair		pair = {0, 0};

		if (i % INTERRUPT_PAIRS == INTERRUPT_PAIRS - 1)
			CHECK_FOR_INTERRUPTS();
		if (job->witnesses)
			pair.witnesses = witnesses[i];
		if (job->result == FIM_SETS_SIMILAR)
			memcpy(&pair.similarity, similarities + 2 * (Size) i, sizeof(double));
		if (rows->one)
			PutOwnPair(rows, value, others[i], &pair);
		else
			PutPair(rows, rows->left[value], rows->right[others[i]], &pair);
	}
	return words + FimSetsRecordWords(job, n);
}

static bool
PutBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	PairRows   *rows = (PairRows *) sink;
	const uint32_t *end = words + nwords;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	while (words < end)
	{
		CHECK_FOR_INTERRUPTS();
		words = PutRecord(rows, words);
	}
	CurrentRun->results += nresults;
	CurrentRun->emit_ms += MillisecondsSince(start);
	return true;
}

/* Another engine starts over: what has been written so far is void. */
static void
Restart(FimSink *sink)
{
	tuplestore_clear(((PairRows *) sink)->store);
	CurrentRun->results = 0;
}

FimSink *
PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsJob *job, MemoryLedger *ledger,
			   const KeptValues *left, const KeptValues *right, uint64 transactions)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	PairRows   *rows = palloc0(sizeof(PairRows));

	rows->sink.write = PutBatch;
	rows->sink.restart = Restart;
	rows->store = rsinfo->setResult;
	rows->desc = rsinfo->setDesc;
	rows->job = job;
	rows->one = right == NULL;
	rows->transactions = (double) transactions;
	rows->left = MakeValues(ledger, left, TupleDescAttr(rows->desc, 0)->atttypid);
	if (right != NULL)
		rows->right = MakeValues(ledger, right, TupleDescAttr(rows->desc, 1)->atttypid);
	return &rows->sink;
}
