/*-------------------------------------------------------------------------
 *
 * product_call.c
 *	  What all calls of functions about products of sets do.
 *
 * They read the relations, number the values in the order of their type, build the
 * engine's data, multiply them, and make rows of the pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "compat.h"
#include "engine/engine.h"
#include "engine/sets/sets.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "results.h"
#include "sets/sets.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#include "work/work.h"

/*
 * From relations that have been read to the data that the engine multiplies.
 */

/* The values of a relation that the engine multiplies, in the sort order of their type. */
typedef struct KeptValues
{
	GpufimItems *items;			/* NULL: values are numbers of rows, all kept */
	uint32		n;
	uint64		npairs;			/* an upper bound of the number of their pairs */
} KeptValues;

/* The least time that each engine takes for a pair: to sort it by key and by value, or to copy it to a GPU. */
#define CPU_PAIR_MS		20e-6
#define GPU_PAIR_MS		2e-6
#define GPU_CALL_MS		0.8

/* The least time that each engine takes to multiply relations with this number of pairs in all. */
static EngineCost
SetsCost(uint64 npairs)
{
	EngineCost	cost;

	cost.cpu_ms = npairs * CPU_PAIR_MS;
	cost.gpu_ms = npairs * GPU_PAIR_MS + GPU_CALL_MS;
	return cost;
}

/*
 * Number the values of a relation that have at least "least" pairs.  Frees the relation's
 * dictionary of values.  "listed" says that the result needs the values themselves.
 */
static KeptValues
KeepValues(PairRelation *relation, uint32 least, bool listed)
{
	ItemFilter	filter = {.minsup = least,.with_values = listed};
	GpufimRows *rows = relation->rows;
	KeptValues	kept = {NULL, relation->nvalues, rows->transactions};

	if (!OidIsValid(relation->value_type))
		return kept;
	kept.items = PruneItems(rows, &filter);
	kept.n = kept.items->nitems;
	/* the dictionary's counts end at UINT32_MAX */
	if (rows->transactions < UINT32_MAX)
		kept.npairs = kept.items->entries;
	return kept;
}

/* Add the pairs of kept values to the engine's data.  Consumes the relation's pairs. */
static void
AddPairs(PairRelation *relation, const KeptValues *kept, FimSetsData *data, FimSetsSide *side)
{
	ChunkList	chunks = relation->rows->records;
	ChunkWalk	walk;
	uint32	   *pair;
	uint32	   *end;

	memset(&relation->rows->records, 0, sizeof(ChunkList));
	ChunkWalkBegin(&walk, relation->rows, &chunks, true);
	while (ChunkWalkNext(&walk, &pair, &end))
	{
		const RowPart *part = walk.chunk->part;

		CurrentRun->done += (end - pair) / PAIR_WORDS;
		for (; pair < end; pair += PAIR_WORDS)
		{
			uint32		key = part != NULL ? part->maps[0][pair[0]] : pair[0];
			uint32		value = part != NULL ? part->maps[1][pair[1]] : pair[1];

			if (kept->items != NULL)
				value = MappedItem(kept->items, value);
			if (value < kept->n)
				FimSetsAdd(data, side, key, value);
		}
	}
	ChunkWalkEnd(&walk);
}

/* The most bytes that the data can take, including what the engine that begins will add to them. */
static Size
DataBound(const struct Job *job, const FimSetsSize *size)
{
	return JobBeginsOnCpu(job) ? FimSetsCpuBound(size) : FimSetsBound(size);
}

/*
 * Build the job's data.  Frees the rows and their ledger.  "right" is ignored if one relation is
 * both sides.
 */
static FimSetsData *
BuildSetsData(struct Job *job, Relations *relations, const KeptValues *left,
			  const KeptValues *right, MemoryLedger *ledger)
{
	FimSetsSize size = {
		.left_pairs = left->npairs,
		.left_values = left->n,
		.keys = relations->nkeys,
		.one = relations->one
	};
	FimSetsData *data;
	Size		bound;

	if (!relations->one)
	{
		size.right_pairs = right->npairs;
		size.right_values = right->n;
	}
	bound = DataBound(job, &size);
	LedgerMakeRoom(ledger, bound, "the pairs");
	data = (FimSetsData *) JobAllocateData(job, bound);
	FimSetsBegin(data, bound, &size);
	CurrentRun->done = 0;
	CurrentRun->total = CurrentRun->transactions;
	AddPairs(&relations->left, left, data, &data->left);
	if (!relations->one)
		AddPairs(&relations->right, right, data, &data->right);
	LedgerDestroy(ledger);
	if (FimSetsFinish(data, JobOpenHost(job)) == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
	JobCloseHost(job);
	return data;
}

/*
 * Turning pairs of values into rows of the SQL function's result.
 *
 * There may be hundreds of times more pairs than values.  So each value is converted for the
 * result only once.  What is stored depends on the caller.  A scan of pairs (sets.h) reads
 * the engine's batches when its rows are wanted.  For such a scan each batch is stored as it is,
 * in a row of one column, where pairs take a fraction of the space that they take as rows.  For
 * every other caller the rows themselves are stored.
 */

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
LeastBytes(const PairRows *rows, const FimSetsSpec *spec, Size values)
{
	bool		null = rows->nulls[PAIR_WITNESSES];
	int			numbers = null ? 0 : rows->desc->natts - PAIR_VALUES;

	if (rows->scanned)
	{
		Size		words = FimSetsRecordWords(spec, 1) - FimSetsRecordWords(spec, 0);

		return words * sizeof(uint32_t) / (rows->reader.both_orders ? 2.0 : 1.0);
	}
	return sizeof(int) - MINIMAL_TUPLE_DATA_OFFSET +
		MAXALIGN(SizeofMinimalTupleHeader + (null ? BITMAPLEN(rows->desc->natts) : 0)) +
		values + numbers * sizeof(int64);
}

/*
 * A sink for batches of pairs, which puts them into the function's tuplestore.  Its functions may
 * raise errors.  The result's first two columns are the values, in their own type or as text.
 * The memory counts in the ledger; it is allocated below the current memory context.
 *
 * "transactions" is the number that frequencies are fractions of.  "right" is NULL if one
 * relation is both sides.
 */
static FimSink *
PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsSpec *spec, MemoryLedger *ledger,
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
	PairReaderInit(&rows->reader, spec, left_values, right_values, transactions, desc->natts);
	rows->nulls[PAIR_WITNESSES] = desc->natts > PAIR_WITNESSES && !spec->witnesses;
	rows->least_bytes = LeastBytes(rows, spec, left_size + right_size);
	return &rows->sink;
}

/* To be called when all pairs have been written.  Hands them to the scan of sets.h, if there is one. */
static void
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

/*
 * PairRowsMayFillFiles() tells whether most_pairs pairs would take more space in files than
 * temp_file_limit allows.  PairRowsCheckFiles() raises an error if "pairs" pairs would.
 */
static bool
PairRowsMayFillFiles(const FimSink *sink, double most_pairs)
{
	return temp_file_limit >= 0 &&
		LeastFileBytes((const PairRows *) sink, most_pairs) > temp_file_limit * 1024.0;
}

static void
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

/* The number of transactions, with or without items, if pairs are pairs of items. */
static uint64
CountTransactions(const Relations *relations)
{
	return relations->keys != NULL ? relations->nkeys : relations->source_rows;
}

/* What to compute, of this number of transactions.  The strategy is set later. */
static FimSetsSpec
SpecOfRequest(const SetsRequest *request, uint64 transactions)
{
	FimSetsSpec spec = {
		.head.size = sizeof(FimSetsSpec),
		.result = request->result,
		.witnesses = request->witnesses,
		.min_witnesses = request->min_witnesses,
		.measure = request->measure,
		.threshold = request->threshold
	};

	if (spec.result == FIM_SETS_PAIRS)
	{
		spec.min_witnesses = FimThreshold(request->minsup, transactions);
		NoteHighMinsup(request->minsup, transactions,
					   gettext_noop("no pair can be frequent, because \"minsup\" is %s and the number of transactions is %llu"));
		CurrentRun->transactions = transactions;
		CurrentRun->minsup = spec.min_witnesses;
	}
	return spec;
}

/* Show in gpufim_last_run() the numbers that only this family has. */
static void
ShowData(const Relations *relations, const FimSetsData *data)
{
	RunAddDetail("left_pairs", data->left.npairs);
	RunAddDetail("left_values", data->left.nvalues);
	if (!relations->one)
	{
		RunAddDetail("right_pairs", data->right.npairs);
		RunAddDetail("right_values", data->right.nvalues);
	}
	RunAddDetail("common_keys", data->nkeys);
}

static void
ShowFound(const FimSetsSummary *summary)
{
	static const char *const names[FIM_SETS_STRATEGIES] = {
		[FIM_SETS_ROWS] = "found_by_rows",
		[FIM_SETS_BITS] = "found_by_bits",
		[FIM_SETS_BATMAP] = "found_by_batmap",
		[FIM_SETS_PREFIX] = "found_by_prefix"
	};

	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
	{
		if (summary->found[s] > 0 && names[s] != NULL)
			RunAddDetail(names[s], summary->found[s]);
	}
}

/* Show what strategy "auto" based its choice on, if there was a choice. */
static void
ShowPlan(const FimSetsSummary *summary)
{
	if (summary->tiled_left > 0)
	{
		RunAddDetail("tiled_left_values", summary->tiled_left);
		RunAddDetail("tiled_right_values", summary->tiled_right);
	}
	if (summary->rows_ms > 0)
		RunAddDetail("expected_rows_us", (int64) (summary->rows_ms * 1000));
	if (summary->split_ms > 0)
		RunAddDetail("expected_split_us", (int64) (summary->split_ms * 1000));
	if (summary->prefix_ms > 0)
		RunAddDetail("expected_prefix_us", (int64) (summary->prefix_ms * 1000));
}

/*
 * Have the job count the pairs before it lists them, so that a result that would exceed
 * temp_file_limit raises an error before it fills files.
 */
static void
CheckFiles(struct Job *job, FimSetsSpec *spec, const EngineCost *cost, const FimSink *sink)
{
	const FimSetsSummary *summary = JobRun(job, NULL);

	PairRowsCheckFiles(sink, summary->pairs);
	ResultsForget();
	spec->head.count_only = false;
	JobContinue(job, &spec->head, cost);
}

static void
Multiply(FunctionCallInfo fcinfo, SetsRequest *request, bool count_only)
{
	MemoryLedger *ledger = LedgerCreate();
	FimSink    *sink = NULL;
	Relations	relations;
	KeptValues	left;
	KeptValues	right = {0};
	FimSetsSummary *summary;
	FimSetsData *data;
	EngineCost	cost;
	struct Job *job;
	FimSetsSpec spec;
	uint64		transactions;
	uint32		least;			/* pairs that a value must have to be in a result */
	bool		counted_first;

	ReadRelations(&request->left, &request->right, ledger, &relations);
	RunEnterPhase(GPUFIM_ENCODING);
	transactions = CountTransactions(&relations);
	spec = SpecOfRequest(request, transactions);
	least = (uint32) Min(spec.min_witnesses, UINT32_MAX);
	if (relations.keys != NULL)
		DictionaryFree(relations.keys);
	left = KeepValues(&relations.left, least, !count_only);
	if (!relations.one)
		right = KeepValues(&relations.right, least, !count_only);
	CurrentRun->frequent_items = (int64) left.n + right.n;
	if (!count_only)
		sink = PairRowsCreate(fcinfo, &spec, ledger, &left, relations.one ? NULL : &right,
							  transactions);
	counted_first = sink != NULL &&
		PairRowsMayFillFiles(sink, (double) left.n * (relations.one ? left.n : right.n));
	spec.head.count_only = count_only || counted_first;
	cost = SetsCost(left.npairs + right.npairs);
	job = JobCreate(&FimSetsFamily, &spec.head, &cost);
	data = BuildSetsData(job, &relations, &left, &right, ledger);
	ShowData(&relations, data);
	if (counted_first)
		CheckFiles(job, &spec, &cost, sink);
	summary = JobRun(job, sink);
	if (sink != NULL)
		PairRowsEnd(sink);
	CurrentRun->results = request->found = summary->pairs;
	ShowFound(summary);
	ShowPlan(summary);
	JobEnd(job);
}

void
CountPairs(FunctionCallInfo fcinfo, void *request)
{
	Multiply(fcinfo, request, true);
}

void
ListPairs(FunctionCallInfo fcinfo, void *request)
{
	SetsRequest *sets = request;

	if (sets->result == FIM_SETS_PRODUCT && !PairColumnIsWanted(fcinfo, PAIR_WITNESSES))
		sets->witnesses = false;
	if (PairScanCounts(fcinfo))
	{
		CountPairs(fcinfo, request);
		PairScanTakeCount(fcinfo, sets->found);
	}
	else
		Multiply(fcinfo, sets, false);
}
