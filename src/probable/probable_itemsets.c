/*-------------------------------------------------------------------------
 *
 * probable_itemsets.c
 *	  The SQL function probable_itemsets().
 *
 * It has an array form and a pair form, and each form a variant with a type sample
 * behind minprob.  All of them go through the phases of frequent_itemsets(): read the
 * source, keep the items that can be in a result, build the data, mine them, and make
 * rows of the results.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "engine/engine.h"
#include "engine/parts.h"
#include "engine/probable/probable.h"
#include "fmgr.h"
#include "gpufim.h"
#include "itemset_rows.h"
#include "items.h"
#include "miscadmin.h"
#include "probable/probable.h"
#include "read/read.h"
#include "scan/scan.h"
#include "utils/builtins.h"
#include "work/work.h"

/*
 * The expected support that a user's "minsup" means.
 */

/*
 * The same as FimThreshold() (engine/engine.h), but not rounded up: of 10 transactions,
 * 0.25 means 2.5.
 */
static double
ExpectedThreshold(double minsup, int64 transactions)
{
	char		decimal[FIM_DECIMAL_TEXT];
	uint32		whole;
	Datum		product;

	if (minsup >= 1 || transactions == 0)
		return minsup;
	if (FimFractionIsWhole(minsup, transactions, &whole, decimal))
		return whole;
	product = DirectFunctionCall2(numeric_mul,
								  DirectFunctionCall3(numeric_in, CStringGetDatum(decimal),
													  ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)),
								  DirectFunctionCall1(int8_numeric, Int64GetDatum(transactions)));
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, product));
}

/*
 * From encoded rows to the data that the engine mines.
 */

#define INTERRUPT_ITEMS	65536

/*
 * The least time that each engine takes for the transactions' items.  The CPU indexes them and
 * sums up single items: 2.8 to 5.6 ns, and 5.7 to 9.5 ns where each has a probability, on one
 * core of an AMD EPYC (Zen 5), for the lines of bench/probable-lines.tsv.  The GPU takes 0.8 ms
 * and, for all that it does to decide three of these lines, 0.3 to 0.6 ns an item, on an H200
 * (doc/probable_gpu.md).
 */
#define CPU_ITEM_MS			4e-6
#define CPU_UNCERTAIN_MS	7e-6
#define GPU_ITEM_MS			0.6e-6
#define GPU_CALL_MS			0.8

/* The least time that each engine takes to mine these items' transactions. */
static EngineCost
ProbableCost(const GpufimRows *rows, const GpufimItems *items)
{
	EngineCost	cost = {0};

	cost.cpu_ms = items->entries * (ProbabilityByEntry(rows) ? CPU_UNCERTAIN_MS : CPU_ITEM_MS);
	cost.gpu_ms = items->entries * GPU_ITEM_MS + GpuPairsMs(items) + GPU_CALL_MS;
	return cost;
}

/* A transaction's kept items by their numbers in the data, and their probabilities. */
typedef struct KeptItems
{
	uint32	   *numbers;
	double	   *probabilities;
	uint32		n;
	uint32		nrequired;		/* required items among them */
	uint32		nany;			/* those among them of which each itemset needs one */
} KeptItems;

static void
KeepItems(const GpufimRows *rows, const GpufimItems *items, ItemMap map, const uint32 *entries,
		  uint32 nentries, KeptItems *kept)
{
	const uint32 entry_words = EntryWords(&rows->layout);
	const bool	by_entry = ProbabilityByEntry(rows);

	kept->n = 0;
	kept->nrequired = 0;
	kept->nany = 0;
	for (uint32 i = 0; i < nentries; i++)
	{
		uint32		mapped = MapItem(map, entries[i * entry_words]);
		uint32		required = mapped - MAP_REQUIRED;
		double		p = by_entry ? EntryValue(entries, i) : 1;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (p == 0 || (mapped >= items->nitems && required >= items->nrequired))
			continue;
		kept->nrequired += required < items->nrequired;
		kept->nany += IsAnyItem(items, mapped);
		kept->numbers[kept->n] = required < items->nrequired ? required :
			items->nrequired + mapped;
		kept->probabilities[kept->n++] = p;
	}
}

static KeptItems
AllocateKept(MemoryLedger *ledger, Size room)
{
	KeptItems	kept = {0};

	kept.numbers = LedgerAlloc(ledger, room * sizeof(uint32), "the items of a transaction");
	kept.probabilities = LedgerAlloc(ledger, room * sizeof(double), "the items of a transaction");
	return kept;
}

static void
FreeKept(MemoryLedger *ledger, KeptItems *kept, Size room)
{
	LedgerFree(ledger, kept->probabilities, room * sizeof(double));
	LedgerFree(ledger, kept->numbers, room * sizeof(uint32));
}

/* Add the transactions that matter to the data.  "shown" says that the call's progress is. */
static void
WriteRecords(RecordReader *reader, const GpufimItems *items, KeptItems *kept, FimProbableData *data, bool shown)
{
	const GpufimRows *rows = reader->walk.rows;
	const bool	by_entry = ProbabilityByEntry(rows);
	const uint32 *entries;
	uint32		nentries;
	int64		done = 0;

	while (RecordReaderNext(reader, &entries, &nentries))
	{
		KeepItems(rows, items, RecordReaderMap(reader), entries, nentries, kept);
		if (kept->nrequired == items->nrequired && (kept->nany > 0 || items->nany == 0) && nentries >= items->least_length)
			FimProbableAdd(data, kept->numbers, kept->probabilities, kept->n,
						   by_entry ? 1 : RecordValue(entries));
		if (++done % 1024 == 0 && shown)
			CurrentRun->done = done;
	}
}

/*
 * With helpers (read/helpers.c), each of which encodes a chunk at a time.
 */

/* What all processes must know. */
typedef struct EncodeTask
{
	SharedUnits units;			/* must be first */
	dsm_handle	data;
	uint32		longest;		/* entries of a record */
	uint32		room;			/* words of a chunk */
	FlatItems	items;			/* must be last */
} EncodeTask;

/* What a process has that encodes.  The part has room for a whole chunk. */
typedef struct Encoder
{
	FimProbableData *data;
	FimProbableData *part;
	const GpufimItems *items;
	KeptItems	kept;
} Encoder;

static void
EncoderBegin(Encoder *encoder, FimProbableData *data, const GpufimItems *items, const EncodeTask *task,
			 MemoryLedger *ledger)
{
	Size		size = FimProbableBound(task->room, task->room, data->nitems, data->by_entry);

	encoder->data = data;
	encoder->items = items;
	encoder->kept = AllocateKept(ledger, (Size) task->longest + 1);
	encoder->part = LedgerAlloc(ledger, size, "the transactions' frequent items");
	FimProbableBegin(encoder->part, size, task->room, task->room, data->nitems, data->by_entry);
}

static void
EncodeChunk(GpufimRows *rows, Chunk *chunk, void *task, void *arg)
{
	Encoder    *encoder = arg;
	SharedUnits *units = task;
	ChunkList	list = {.chunks = chunk,.nchunks = 1};
	RecordReader reader;
	FimPlace	place;

	RecordReaderBegin(&reader, rows, &list, false);
	WriteRecords(&reader, encoder->items, &encoder->kept, encoder->part, false);
	RecordReaderEnd(&reader);
	SpinLockAcquire(&units->mutex);
	place = FimProbableTakeRoom(encoder->data, encoder->part);
	SpinLockRelease(&units->mutex);
	FimProbableCopyPart(encoder->data, place, encoder->part);
}

/* Returns false, and does nothing, if one process can do it as quickly, or has to. */
static bool
EncodeInParallel(GpufimRows *rows, ChunkList *records, const GpufimItems *items, struct Job *job,
				 FimProbableData *data)
{
	MemoryLedger *ledger = rows->ledger;
	Size		task_size = offsetof(EncodeTask, items) + FlatItemsSize(items);
	uint32		room = ChunkListLongest(records);
	Size		part_size = FimProbableBound(room, room, data->nitems, data->by_entry);
	EncodeTask *task;
	Encoder		encoder;
	bool		done;

	if (rows->parts == NULL || JobDataHandle(job) == DSM_HANDLE_INVALID ||
		part_size + task_size + rows->longest * sizeof(double) * 2 > LedgerRoom(ledger) / LEDGER_LITTLE)
		return false;
	task = LedgerAllocZero(ledger, task_size, "the transactions' frequent items");
	task->data = JobDataHandle(job);
	task->longest = rows->longest;
	task->room = room;
	FlattenItems(items, &task->items);
	EncoderBegin(&encoder, data, items, task, ledger);
	done = TakeChunksWithHelpers(rows, records, "GpufimEncodeProbableMain", &task->units, task_size,
								 EncodeChunk, &encoder);
	LedgerFree(ledger, encoder.part, part_size);
	FreeKept(ledger, &encoder.kept, (Size) task->longest + 1);
	LedgerFree(ledger, task, task_size);
	return done;
}

extern PGDLLEXPORT void GpufimEncodeProbableMain(dsm_segment *segment, shm_toc *toc);

void
GpufimEncodeProbableMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	EncodeTask *task = HelperTask(helper);
	dsm_segment *data = SegmentAttach(task->data);
	GpufimItems items = ItemsOfFlat(&task->items);
	Encoder		encoder;

	EncoderBegin(&encoder, dsm_segment_address(data), &items, task, HelperLedger(helper));
	HelperTakeChunks(helper, (ItemMap) {items.map, items.first_dropped}, EncodeChunk, &encoder);
	dsm_detach(data);
}

/* Consumes the rows: their memory is given back while the data fill, unless several processes fill them. */
static void
WriteTransactions(GpufimRows *rows, const GpufimItems *items, struct Job *job, FimProbableData *data)
{
	ChunkList	records = rows->records;
	Size		room = (Size) rows->longest + 1;
	KeptItems	kept;
	RecordReader reader;

	memset(&rows->records, 0, sizeof(ChunkList));
	CurrentRun->total = rows->transactions;
	if (EncodeInParallel(rows, &records, items, job, data))
		return;
	kept = AllocateKept(rows->ledger, room);
	RecordReaderBegin(&reader, rows, &records, true);
	WriteRecords(&reader, items, &kept, data, true);
	RecordReaderEnd(&reader);
	FreeKept(rows->ledger, &kept, room);
}

/* The most bytes that the data can take, including what the engine that begins will add to them. */
static Size
DataBound(const struct Job *job, uint64 rows, uint64 entries, uint32 nitems, bool by_entry)
{
	FimProbableData shape = {.nrows = rows,.entries = entries,.nitems = nitems,
	.by_entry = by_entry};
	Size		bound = FimProbableBound(rows, entries, nitems, by_entry);

	if (JobBeginsOnCpu(job))
		bound = Max(bound, FimProbableFamily.cpu_size(&shape.head));
	return bound;
}

/*
 * Build the job's data of all transactions that hold the required items with a probability above
 * 0, in a second pass over the rows.  Required items come first in the data, the others after
 * them.  Frees the rows and their ledger.  The data belong to the job.
 */
static const FimProbableData *
BuildProbableData(struct Job *job, GpufimRows *rows, const GpufimItems *items)
{
	const bool	by_entry = ProbabilityByEntry(rows);
	uint32		nitems = items->nrequired + items->nitems;
	uint64		entries = items->entries + items->rows * items->nrequired;
	Size		bound = DataBound(job, items->rows, entries, nitems, by_entry);
	MemoryLedger *ledger = rows->ledger;
	FimProbableData *data;

	LedgerMakeRoom(ledger, bound, "the transactions' frequent items");
	data = (FimProbableData *) JobAllocateData(job, bound);
	FimProbableBegin(data, bound, items->rows, entries, nitems, by_entry);
	RowsMapItems(rows, items->map, items->first_dropped);
	WriteTransactions(rows, items, job, data);
	LedgerDestroy(ledger);
	/* only a host's poll can make this fail, and this host's poll raises an error instead */
	(void) FimProbableFinish(data, JobOpenHost(job));
	JobCloseHost(job);
	return data;
}

/*
 * Turning probable itemsets into rows of the SQL function's result.
 */

/* Items between two checks for interrupts. */
#define INTERRUPT_RESULTS	4096

typedef struct ProbableMaker
{
	ItemsetMaker itemsets;		/* must be first */
	uint32		nrequired;
	uint32		first_any;		/* the number of the first item of which each itemset needs one, or of none */

	/* the numbers of the row that was made last */
	double		probability;
	double		expected_support;
	int64		occurrences;
} ProbableMaker;

/* The place of the first item of a record of which each itemset needs one. */
static uint32
FirstAny(const ProbableMaker *probable, const uint32 *numbers, uint32 n)
{
	uint32		at = n;

	while (at > probable->nrequired && numbers[at - 1] >= probable->first_any)
		at--;
	return at;
}

/*
 * The items of a record come in the order of their numbers: the required ones, then those of which each itemset needs
 * none, then those of which it needs one.  Ranks ascend within each of the three, so merging them gives the order of the array.
 */
static Datum
BuildArray(ProbableMaker *probable, const uint32 *numbers, uint32 n)
{
	ItemsetMaker *itemsets = &probable->itemsets;
	const uint32 *required = itemsets->required;
	uint32		nrequired = probable->nrequired;
	char	   *at = ArrayStart(itemsets);
	uint32		next_required = 0;
	uint32		next = nrequired;
	uint32		next_any = FirstAny(probable, numbers, n);
	uint32		end = next_any;

	while (next_required < nrequired || next < end || next_any < n)
	{
		uint32		rank = next < end ? itemsets->ranks[numbers[next] - nrequired] : UINT32_MAX;
		uint32		any_rank = next_any < n ? itemsets->ranks[numbers[next_any] - nrequired] : UINT32_MAX;

		if (next_required < nrequired && required[next_required] < Min(rank, any_rank))
			rank = required[next_required++];
		else if (any_rank < rank)
		{
			rank = any_rank;
			next_any++;
		}
		else
			next++;
		at = AppendImage(itemsets, at, rank);
		if (next % INTERRUPT_RESULTS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return ArrayEnd(itemsets, at, n);
}

/* A record is: the number of items, these items, two doubles and the occurrences. */
#define RECORD_WORDS(record)	(6 + (size_t) (record)[0])

static uint32
LengthOfRecord(const RowMaker *maker, const uint32 **record)
{
	uint32		length = (*record)[0];

	*record += RECORD_WORDS(*record);
	return length;
}

static void
NextRow(RowMaker *maker, Datum *values)
{
	ProbableMaker *probable = (ProbableMaker *) maker;
	const uint32 *record = probable->itemsets.next;
	uint32		n = record[0];
	const uint32 *after = record + 1 + n;

	probable->itemsets.next = record + RECORD_WORDS(record);
	memcpy(&probable->probability, after, sizeof(double));
	memcpy(&probable->expected_support, after + 2, sizeof(double));
	probable->occurrences = after[4];
	if (maker->wanted[0])
		values[0] = BuildArray(probable, record + 1, n);
	if (maker->wanted[1])
		values[1] = Float8GetDatumFast(probable->probability);
	if (maker->wanted[2])
		values[2] = Float8GetDatumFast(probable->expected_support);
	if (maker->wanted[3])
		values[3] = Int64GetDatumFast(probable->occurrences);
}

/* Create a sink for batches of probable itemsets, whose memory counts as scan.h says. */
static RowSink *
ProbableRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items)
{
	static const ResultWords words = {
		"itemset", "itemsets", "items",
		"Raise \"minsup\" or \"minprob\", lower \"max_length\" or ask for "
		"\"closed\" or \"maximal\" itemsets to get fewer."
	};
	ProbableMaker *probable = ItemsetMakerCreate(sizeof(ProbableMaker), fcinfo, ledger, items, &words);

	probable->itemsets.rows.next = NextRow;
	probable->itemsets.rows.length = LengthOfRecord;
	probable->nrequired = items->nrequired;
	probable->first_any = items->nrequired + items->nitems - items->nany;
	return RowSinkCreate(fcinfo, &probable->itemsets.rows);
}

static FimProbableSpec
SpecOfRequest(const ProbableRequest *request, const GpufimItems *items, int64 transactions)
{
	FimProbableSpec spec = {{0}};

	spec.head.size = sizeof(spec);
	spec.head.part = request->part;
	spec.kind = request->kind;
	spec.minsup = FimThreshold(request->minsup, transactions);
	spec.minprob = request->minprob;
	spec.min_expected = ExpectedThreshold(request->minsup, transactions);
	spec.exact = request->exact;
	spec.nrequired = items->nrequired;
	spec.nany = items->nany;
	spec.min_length = request->min_length;
	spec.max_length = request->max_length;
	return spec;
}

/* Make gpufim_last_run() show how many itemsets each rule settled. */
static void
ShowSummary(const void *arg, const void *of_job)
{
	const FimProbableSummary *summary = of_job;
	static const char *const rules[FIM_RULES] = {
		[FIM_RULE_COUNT] = "count",
		[FIM_RULE_MEDIAN] = "median",
		[FIM_RULE_HOEFFDING] = "hoeffding",
		[FIM_RULE_BERRY_ESSEEN] = "berry_esseen",
		[FIM_RULE_CHERNOFF] = "chernoff",
		[FIM_RULE_BINOMIAL] = "binomial",
		[FIM_RULE_POISSON] = "poisson",
		[FIM_RULE_INVERSION] = "inversion",
		[FIM_RULE_CONVOLUTION] = "convolution",
		[FIM_RULE_DOUBLE_DOUBLE] = "double_double",
		[FIM_RULE_EXACT] = "exact",
		[FIM_RULE_EXPECTATION] = "expectation"
	};

	for (int i = 0; i < FIM_RULES; i++)
		RunAddDetail(rules[i], summary->settled[i]);
	RunAddDetail("values", summary->values);
}

/* Mine the rows, which are freed on the way, and make rows of the results. */
static void
MineRows(FunctionCallInfo fcinfo, const ProbableRequest *request, GpufimRows *rows,
		 const GpufimItems *items)
{
	FimProbableSpec spec = SpecOfRequest(request, items, rows->transactions);
	EngineCost	cost = ProbableCost(rows, items);
	RowSink    *sink = ProbableRowsCreate(fcinfo, rows->ledger, items);
	const FimProbableData *data;
	struct Job *job;

	cost.wants_few = RowScanWantsFew(fcinfo);
	cost.only_cpu = items->nany > 0;
	job = JobCreate(&FimProbableFamily, &spec.head, &cost);
	data = BuildProbableData(job, rows, items);
	if (FimIsPart(&spec.head.part))
	{
		RunAddFingerprint(FimProbableFingerprint(data, JobOpenHost(job)));
		JobCloseHost(job);
	}
	RowSinkUseJob(sink, job);
	sink->show = ShowSummary;
	RowSinkMine(sink);
}

/* All arguments that name items show in what the items are. */
static void
AddRequestFingerprint(const ProbableRequest *request, const GpufimItems *items)
{
	RunBeginFingerprint(&request->part);
	RunAddFingerprint(request->kind);
	RunAddFingerprint(request->min_length);
	RunAddFingerprint(request->max_length);
	RunAddFingerprint(request->exact);
	RunAddFingerprint(FimFingerprintOfNumber(request->minprob));
	RunAddFingerprint(CurrentRun->minsup);
	if (isnan(request->minprob))
		RunAddFingerprint(FimFingerprintOfNumber(request->minsup));
	RunAddFingerprint(CurrentRun->transactions);
	RunAddFingerprint(items->fingerprint);
}

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	const ProbableRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadUncertainRows(&request->from, ledger);
	ItemFilter	filter = {.min_length = request->min_length,.max_length = request->max_length,
	.including = request->including,.excluding = request->excluding,.including_any = request->including_any,
	.with_values = true,.with_fingerprint = FimIsPart(&request->part)};
	GpufimItems *items;

	RunEnterPhase(GPUFIM_ENCODING);
	NoteHighMinsup(request->minsup, rows->transactions,
				   gettext_noop("no itemset can be probable, because \"minsup\" is %s and the number of transactions is %llu"));
	CurrentRun->minsup = filter.minsup = FimThreshold(request->minsup, rows->transactions);
	if (isnan(request->minprob))
	{
		filter.least_expected = ExpectedThreshold(request->minsup, rows->transactions);
		filter.minsup = (uint32) Min(ceil(filter.least_expected), FIM_MAX_TRANSACTIONS);
	}
	items = PruneItems(rows, &filter);
	if (FimIsPart(&request->part))
		AddRequestFingerprint(request, items);
	if (items->impossible)
	{
		LedgerDestroy(ledger);
		return;
	}
	CurrentRun->frequent_items = items->nitems + items->nrequired;
	MineRows(fcinfo, request, rows, items);
}

/* Run probable_itemsets() on the arguments of its pair form or of its array form. */
static Datum
ProbableFunction(FunctionCallInfo fcinfo, bool pairs)
{
	ProbableRequest request = {.pairs = pairs};

	return CallFunction(fcinfo, "probable_itemsets", ReadItemsetsRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_array);

Datum
gpufim_probable_itemsets_array(PG_FUNCTION_ARGS)
{
	return ProbableFunction(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_pairs);

Datum
gpufim_probable_itemsets_pairs(PG_FUNCTION_ARGS)
{
	return ProbableFunction(fcinfo, true);
}

/*
 * probable_itemsets() for parameters without types, and for a minprob of another type.
 *
 * The fourth argument is the name of a column in the pair form and minsup in the array
 * form, which is a number; see arguments.c.
 */

#define UNTYPED_ARGUMENTS	15

/* Indexes in the pair form. */
#define MINSUP				4
#define MINPROB				5

static void
CheckUntypedMinsup(const Untyped *arguments, const char *decides)
{
	const char *text = UntypedOr(arguments, MINSUP, decides);

	if (text == NULL || IsNumberText(text))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"minsup\" is not a number: \"%s\"", text),
			 errhint("Give parameters their types: ($1::text, $2::name, $3::name, $4::float8) for arrays of items, "
					 "($1::text, $2::name, $3::name, $4::name, $5::float8) for an item in each row.")));
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_untyped);

Datum
gpufim_probable_itemsets_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);
	Untyped		given;
	Untyped		arguments;
	const char *decides;
	bool		pairs;

	ReadUntyped(fcinfo, &given);
	decides = given.text[UNTYPED_DECIDES];
	pairs = decides == NULL ? given.given[MINSUP] : !IsNumberText(decides);
	BeginFormCall(fcinfo, call, &given, pairs, &arguments);
	AddArgument(call, NAMEOID, arguments.text[3]);
	CheckUntypedMinsup(&arguments, decides);
	AddArgument(call, FLOAT8OID, UntypedOr(&arguments, MINSUP, NULL));
	AddArgument(call, FLOAT8OID, UntypedOr(&arguments, MINPROB, "0.5"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 6, "1"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 7, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 8, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 9, NULL));
	AddArgument(call, TEXTOID, UntypedOr(&arguments, 10, "all"));
	AddArgument(call, BOOLOID, UntypedOr(&arguments, 11, "true"));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 12, NULL));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 13, "0"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 14, "1"));
	return ProbableFunction(call, pairs);
}

/* The pair form with a minprob written as text, or NULL. */
static Datum
PairsWithMinprob(FunctionCallInfo fcinfo, const char *minprob)
{
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);

	memcpy(call, fcinfo, SizeForFunctionCallInfo(UNTYPED_ARGUMENTS));
	call->nargs = MINPROB;
	AddArgument(call, FLOAT8OID, minprob);
	call->nargs = UNTYPED_ARGUMENTS;
	return ProbableFunction(call, true);
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_minprob_text);

/*
 * The pair form with a minprob that is text, and NULL most of the time.  A NULL without
 * a type may also be the type sample of the array form, so that the call would be
 * ambiguous; but PostgreSQL prefers text for it.
 */
Datum
gpufim_probable_itemsets_minprob_text(PG_FUNCTION_ARGS)
{
	return PairsWithMinprob(fcinfo, PG_ARGISNULL(MINPROB) ? NULL :
							text_to_cstring(PG_GETARG_TEXT_PP(MINPROB)));
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_minprob_int);

/*
 * The pair form with a minprob that is an integer, which is 1 if it is valid.  Without
 * this function PostgreSQL would take the 1 for min_length of the array form, because
 * that is an integer, too, and the column before minsup for minsup.
 */
Datum
gpufim_probable_itemsets_minprob_int(PG_FUNCTION_ARGS)
{
	return PairsWithMinprob(fcinfo, PG_ARGISNULL(MINPROB) ? NULL :
							psprintf("%d", PG_GETARG_INT32(MINPROB)));
}
