/*-------------------------------------------------------------------------
 *
 * product_call.c
 *	  What all calls of functions about products of sets do.
 *
 * They read the relations, number the values in the order of their type, build the
 * engine's data, multiply them, and have rows made of the pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine.h"
#include "engine/parts.h"
#include "engine/sets/sets.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "results.h"
#include "scan/scan.h"
#include "sets/sets.h"
#include "work/work.h"

/*
 * From relations that have been read to the data that the engine multiplies.
 */

/* The least time that each engine takes for a pair of the data: to prepare them and to go through them, or to copy them to a GPU. */
#define CPU_PAIR_MS		20e-6
#define GPU_PAIR_MS		2e-6
#define GPU_CALL_MS		0.8

/* The least time that each engine takes to multiply relations with this number of pairs in all. */
static EngineCost
SetsCost(uint64 npairs)
{
	EngineCost	cost = {0};

	cost.cpu_ms = npairs * CPU_PAIR_MS;
	cost.gpu_ms = npairs * GPU_PAIR_MS + GPU_CALL_MS;
	return cost;
}

/*
 * Number the values of a relation that have at least "least" pairs.  Frees the relation's
 * dictionary of values.  "listed" says that the result needs the values themselves.
 */
static KeptValues
KeepValues(PairRelation *relation, uint32 least, bool listed, bool with_fingerprint)
{
	ItemFilter	filter = {.minsup = least,.with_values = listed,.with_fingerprint = with_fingerprint};
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

/* Writes the pairs of kept values among those of a chunk, and returns their number. */
static uint64
KeepPairs(const KeptValues *kept, const RowPart *part, const uint32 *pair, const uint32 *end, FimSetsPair *to)
{
	uint64		n = 0;

	for (; pair < end; pair += PAIR_WORDS)
	{
		uint32		key;
		uint32		value;

		PairNumbers(part, pair, &key, &value);
		if (kept->items != NULL)
			value = MappedItem(kept->items, value);
		if (value < kept->n)
			to[n++] = (FimSetsPair) {key, value};
	}
	return n;
}

/*
 * With helpers (read/helpers.c), each of which takes the pairs of a chunk at a time.
 */

/* What all processes must know. */
typedef struct PairsTask
{
	SharedUnits units;			/* must be first */
	dsm_handle	data;
	bool		right;			/* the side */
	bool		mapped;			/* values have the numbers that the items' map gives them */
	uint32		n;				/* kept values */
	Size		room;			/* of the pairs of a chunk, in bytes */
	FlatItems	items;			/* must be last */
} PairsTask;

typedef struct PairsWriter
{
	FimSetsData *data;
	KeptValues	kept;
	FimSetsPair *pairs;			/* room for those of a chunk */
} PairsWriter;

static void
WriteChunk(GpufimRows *rows, Chunk *chunk, void *arg, void *writer_arg)
{
	PairsTask  *task = arg;
	PairsWriter *writer = writer_arg;
	FimSetsSide *side = task->right ? &writer->data->right : &writer->data->left;
	FimSetsPair *to = FimSetsAdded(writer->data, side);
	uint64		n = KeepPairs(&writer->kept, chunk->part, chunk->words, chunk->words + chunk->used, writer->pairs);

	SpinLockAcquire(&task->units.mutex);
	to += side->added;
	side->added += n;
	SpinLockRelease(&task->units.mutex);
	memcpy(to, writer->pairs, n * sizeof(FimSetsPair));
}

/* Returns false, and does nothing, if one process can do it as quickly, or has to. */
static bool
AddPairsInParallel(GpufimRows *rows, ChunkList *chunks, const KeptValues *kept, struct Job *job,
				   FimSetsData *data, bool right)
{
	MemoryLedger *ledger = rows->ledger;
	Size		task_size = offsetof(PairsTask, items) +
		(kept->items != NULL ? FlatItemsSize(kept->items) : sizeof(FlatItems));
	PairsWriter writer = {.data = data,.kept = *kept};
	Size		room = (Size) ChunkListLongest(chunks) * sizeof(uint32);
	PairsTask  *task;
	bool		done;

	if (rows->parts == NULL || JobDataHandle(job) == DSM_HANDLE_INVALID ||
		task_size + room > LedgerRoom(ledger) / LEDGER_LITTLE)
		return false;
	task = LedgerAllocZero(ledger, task_size, "the pairs");
	task->data = JobDataHandle(job);
	task->right = right;
	task->n = kept->n;
	task->room = room;
	task->mapped = kept->items != NULL;
	if (task->mapped)
		FlattenItems(kept->items, &task->items);
	writer.pairs = LedgerAlloc(ledger, room, "the pairs");
	done = TakeChunksWithHelpers(rows, chunks, "GpufimAddPairsMain", &task->units, task_size, WriteChunk,
								 &writer);
	LedgerFree(ledger, writer.pairs, room);
	LedgerFree(ledger, task, task_size);
	return done;
}

extern PGDLLEXPORT void GpufimAddPairsMain(dsm_segment *segment, shm_toc *toc);

void
GpufimAddPairsMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	PairsTask  *task = HelperTask(helper);
	dsm_segment *data = SegmentAttach(task->data);
	GpufimItems items = ItemsOfFlat(&task->items);
	PairsWriter writer = {.data = dsm_segment_address(data),.kept = {task->mapped ? &items : NULL,.n = task->n}};

	writer.pairs = LedgerAlloc(HelperLedger(helper), task->room, "the pairs");
	HelperTakeChunks(helper, (ItemMap) {items.map, items.first_dropped}, WriteChunk, &writer);
	dsm_detach(data);
}

/* Add the pairs of kept values to the engine's data.  Consumes the relation's pairs. */
static void
AddPairs(PairRelation *relation, const KeptValues *kept, struct Job *job, FimSetsData *data, bool right)
{
	FimSetsSide *side = right ? &data->right : &data->left;
	GpufimRows *rows = relation->rows;
	ChunkList	chunks = rows->records;
	ChunkWalk	walk;
	uint32	   *pair;
	uint32	   *end;

	memset(&rows->records, 0, sizeof(ChunkList));
	if (AddPairsInParallel(rows, &chunks, kept, job, data, right))
		return;
	ChunkWalkBegin(&walk, rows, &chunks, true);
	while (ChunkWalkNext(&walk, &pair, &end))
	{
		CurrentRun->done += (end - pair) / PAIR_WORDS;
		side->added += KeepPairs(kept, walk.chunk->part, pair, end, FimSetsAdded(data, side) + side->added);
	}
	ChunkWalkEnd(&walk);
}

static void
CheckBuilt(FimResult result)
{
	if (result == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
}

/*
 * Build the job's data.  Frees the rows and their ledger.  "right" is ignored if one relation is
 * both sides.
 */
static FimSetsData *
BuildSetsData(struct Job *job, const FimSetsSpec *spec, Relations *relations, const KeptValues *left,
			  const KeptValues *right, MemoryLedger *ledger)
{
	FimSetsSize size = {
		.left_pairs = left->npairs,
		.left_values = left->n,
		.keys = relations->nkeys,
		.one = relations->one,
		.whole = spec->result != FIM_SETS_PRODUCT,	/* the sizes of sets matter */
		.part = FimIsPart(&spec->head.part)
	};
	GpufimRows *rows = relations->left.rows;
	bool		records = rows->layout.unique;	/* of items, which are values of a type */
	FimHost    *host;
	uint64		fingerprint;
	FimSetsData *data;
	Size		bound;

	if (!relations->one)
	{
		size.right_pairs = right->npairs;
		size.right_values = right->n;
	}
	if (records)
	{
		size.batches = Max(rows->records.nchunks, 1);
		size.longest = Min(rows->longest, left->n);
	}
	bound = FimSetsBound(&size);
	LedgerMakeRoom(ledger, bound, "the pairs");
	data = (FimSetsData *) JobAllocateData(job, bound);
	FimSetsBegin(data, bound, &size);
	CurrentRun->done = 0;
	CurrentRun->total = CurrentRun->transactions;
	if (records)
		BuildFromRecords(rows, left, job, data);
	else
	{
		AddPairs(&relations->left, left, job, data, false);
		if (!relations->one)
			AddPairs(&relations->right, right, job, data, true);
	}
	LedgerDestroy(ledger);
	host = JobOpenHost(job);
	if (!records)
		CheckBuilt(FimSetsFinish(data, host));
	if (size.part)
	{
		CheckBuilt(FimSetsKeepPart(data, spec, host, &fingerprint));
		RunAddFingerprint(fingerprint);
	}
	JobCloseHost(job);
	return data;
}

/* What to compute, of this number of transactions.  The strategy is set later. */
static FimSetsSpec
SpecOfRequest(const SetsRequest *request, uint64 transactions)
{
	FimSetsSpec spec = {
		.head = {.size = sizeof(FimSetsSpec),.part = request->part},
		.result = request->result,
		.witnesses = request->witnesses,
		.min_witnesses = request->min_witnesses,
		.measure = request->measure,
		.threshold = request->threshold,
		.most_partners = request->most_partners,
		.transactions = transactions
	};

	if (spec.result == FIM_SETS_PAIRS)
	{
		spec.min_witnesses = FimThreshold(request->minsup, transactions);
		NoteHighMinsup(request->minsup, transactions,
					   gettext_noop("no pair can be frequent, because \"minsup\" is %s and the number of transactions is %llu"));
	}
	if (spec.result == FIM_SETS_BEST && spec.min_witnesses > transactions)
		ereport(NOTICE,
				(errmsg("no item can have a partner, because \"min_support\" is %llu and the number of transactions is %llu",
						(unsigned long long) spec.min_witnesses, (unsigned long long) transactions)));
	if (spec.result == FIM_SETS_PAIRS || spec.result == FIM_SETS_BEST)
	{
		CurrentRun->transactions = transactions;
		CurrentRun->minsup = spec.min_witnesses;
	}
	return spec;
}

/* What the data do not show.  Whether there are numbers of witnesses makes no difference to the pairs. */
static void
AddRequestFingerprint(const FimSetsSpec *spec, const KeptValues *left, const KeptValues *right)
{
	RunBeginFingerprint(&spec->head.part);
	RunAddFingerprint(spec->result);
	RunAddFingerprint(spec->min_witnesses);
	RunAddFingerprint(spec->measure);
	RunAddFingerprint(FimFingerprintOfNumber(spec->threshold));
	RunAddFingerprint(spec->most_partners);
	RunAddFingerprint(spec->transactions);
	RunAddFingerprint(left->items != NULL ? left->items->fingerprint : left->n);
	RunAddFingerprint(right->items != NULL ? right->items->fingerprint : right->n);
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

static void
ShowSummary(const void *arg, const void *of_job)
{
	const FimSetsSummary *summary = of_job;

	CurrentRun->results = summary->pairs;
	ShowFound(summary);
	ShowPlan(summary);
}

/*
 * Have the job count the pairs before it lists them, so that a result that would exceed
 * temp_file_limit raises an error before it fills files.
 */
static void
CheckFiles(struct Job *job, FimSetsSpec *spec, const EngineCost *cost, const RowSink *sink)
{
	const FimSetsSummary *summary = JobRun(job, NULL);

	PairRowsCheckFiles(sink, summary->pairs);
	ResultsForget();
	spec->head.count_only = false;
	JobContinue(job, &spec->head, cost);
}

/* The most pairs that there can be. */
static double
MostPairs(const FimSetsSpec *spec, uint32 left, uint32 right)
{
	return (double) left * (spec->result == FIM_SETS_BEST ? Min(spec->most_partners, right) : right);
}

/* GPUs find the best partners of items, but not of sets, which may need a threshold, and similar sets in one relation only. */
static bool
IsForCpu(const SetsRequest *request)
{
	return request->of_sets && (request->result == FIM_SETS_BEST || request->right.source != NULL);
}

void
MultiplySets(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	bool		count_only = request->count_only || RowScanCounts(fcinfo);
	MemoryLedger *ledger = LedgerCreate();
	RowSink    *sink = NULL;
	Relations	relations;
	KeptValues	left;
	KeptValues	right = {0};
	FimSetsSummary *summary;
	FimSetsData *data;
	EngineCost	cost;
	struct Job *job;
	FimSetsSpec spec;
	uint32		least;			/* pairs that a value must have to be in a result */
	bool		counted_first;
	bool		is_part = FimIsPart(&request->part);

	if (request->result == FIM_SETS_PRODUCT && !RowColumnIsWanted(fcinfo, PAIR_WITNESSES))
		request->witnesses = false;
	ReadRelations(&request->left, &request->right, &FimSetsFamily, IsForCpu(request), ledger, &relations);
	RunEnterPhase(GPUFIM_ENCODING);
	/* keys are transactions, where values are their items */
	spec = SpecOfRequest(request, relations.nkeys);
	least = (uint32) Min(spec.min_witnesses, UINT32_MAX);
	if (relations.keys != NULL)
		DictionaryFree(relations.keys);
	left = KeepValues(&relations.left, least, !count_only, is_part);
	if (!relations.one)
		right = KeepValues(&relations.right, least, !count_only, is_part);
	if (is_part)
		AddRequestFingerprint(&spec, &left, &right);
	CurrentRun->frequent_items = (int64) left.n + right.n;
	if (!count_only)
		sink = PairRowsCreate(fcinfo, &spec, ledger, &left, relations.one ? NULL : &right,
							  relations.nkeys);
	counted_first = sink != NULL &&
		PairRowsMayFillFiles(sink, MostPairs(&spec, left.n, relations.one ? left.n : right.n));
	spec.head.count_only = count_only || counted_first;
	cost = SetsCost(left.npairs + right.npairs);
	cost.wants_few = RowScanWantsFew(fcinfo);
	cost.only_cpu = IsForCpu(request) || (is_part && relations.one);
	job = JobCreate(&FimSetsFamily, &spec.head, &cost);
	data = BuildSetsData(job, &spec, &relations, &left, &right, ledger);
	ShowData(&relations, data);
	if (sink != NULL)
	{
		RowSinkUseJob(sink, job);
		sink->show = ShowSummary;
		if (counted_first)
			CheckFiles(job, &spec, &cost, sink);
		RowSinkMine(sink);
		return;
	}
	summary = JobRun(job, NULL);
	request->found = summary->pairs;
	ShowSummary(NULL, summary);
	JobEnd(job);
	if (RowScanCounts(fcinfo))
		RowScanTakeCount(fcinfo, request->found);
}
