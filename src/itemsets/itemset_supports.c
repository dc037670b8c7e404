/*-------------------------------------------------------------------------
 *
 * itemset_supports.c
 *	  The SQL function itemset_supports(): the supports of itemsets that the call names.
 *
 * Of the source, only the items that candidates name are kept.  The engine counts all candidates
 * together, and rows are made when that is done, in the order in which the candidates were given.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "itemsets/itemsets.h"
#include "miscadmin.h"
#include "scan/scan.h"
#include "utils/array.h"
#include "work/work.h"

#define WHAT			"the candidates"

typedef struct SupportsRequest
{
	TransactionsRequest from;
	ArrayType  *candidates;		/* text[] */
} SupportsRequest;

/*
 * Turning supports into rows.
 *
 * A batch is where the text of its first candidate begins, in two words, and then the support of each
 * candidate.
 */

#define BATCH_HEAD			2
#define BATCH_CANDIDATES	4096

/* The columns of the result. */
enum
{
	SUPPORT_CANDIDATE,
	SUPPORT_SUPPORT,
	SUPPORT_FREQUENCY
};

typedef struct SupportMaker
{
	RowMaker	rows;			/* must be first */
	const char *texts;			/* the elements of the argument; NULL if they are not wanted */
	double		transactions;

	/* the next row of the batch */
	const char *text;
	const uint32 *support;

	/* the numbers of the row that was made last */
	int64		last_support;
	double		last_frequency;
} SupportMaker;

static void
BeginBatch(RowMaker *maker, const uint32 *words)
{
	SupportMaker *supports = (SupportMaker *) maker;

	if (supports->texts != NULL)
		supports->text = supports->texts + ((Size) words[1] << 32 | words[0]);
	supports->support = words + BATCH_HEAD;
}

static inline const char *
NextText(const char *text)
{
	return text + INTALIGN(VARSIZE_ANY(text));
}

static void
NextRow(RowMaker *maker, Datum *values)
{
	SupportMaker *supports = (SupportMaker *) maker;

	if (maker->wanted[SUPPORT_CANDIDATE])
	{
		values[SUPPORT_CANDIDATE] = PointerGetDatum(supports->text);
		supports->text = NextText(supports->text);
	}
	supports->last_support = *supports->support++;
	supports->last_frequency = supports->last_support / supports->transactions;
	values[SUPPORT_SUPPORT] = Int64GetDatumFast(supports->last_support);
	values[SUPPORT_FREQUENCY] = Float8GetDatumFast(supports->last_frequency);
}

static RowSink *
SupportRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, ArrayType *texts, uint32 transactions)
{
	static const ResultWords words = {
		"row", "rows", "candidates", "Give fewer candidates to get fewer rows."
	};
	SupportMaker *maker = RowMakerCreate(sizeof(SupportMaker), fcinfo, ledger, &words);
	Size		size = ARR_SIZE(texts) - (ARR_DATA_PTR(texts) - (char *) texts);

	maker->rows.begin = BeginBatch;
	maker->rows.next = NextRow;
	maker->transactions = transactions;
	if (transactions == 0)
		maker->rows.nulls[SUPPORT_FREQUENCY] = true;
	if (maker->rows.wanted[SUPPORT_CANDIDATE])
		maker->texts = memcpy(RowMakerResize(&maker->rows, NULL, 0, size + 1, WHAT), ARR_DATA_PTR(texts), size);
	return RowSinkCreate(fcinfo, &maker->rows);
}

/* Write the supports of all candidates, each of which has a node of the tree, the root for the empty itemset, or none. */
static void
WriteSupports(RowSink *sink, ArrayType *texts, uint32 n, const uint32 *node, const uint32 *support, uint32 transactions)
{
	const char *first = ARR_DATA_PTR(texts);
	const char *text = first;
	uint32		batch[BATCH_HEAD + BATCH_CANDIDATES];

	for (uint32 c = 0; c < n;)
	{
		Size		at = text - first;
		uint32		i = 0;

		batch[0] = (uint32) at;
		batch[1] = (uint32) ((uint64) at >> 32);
		for (; i < BATCH_CANDIDATES && c < n; i++, c++, text = NextText(text))
			batch[BATCH_HEAD + i] = node[c] == FIM_NOWHERE ? 0 : node[c] == 0 ? transactions : support[node[c]];
		(void) sink->sink.write(&sink->sink, batch, BATCH_HEAD + i, i);
	}
}

/*
 * A call.
 */

/* Keep only the items of candidates, and put their new numbers into the candidates. */
static GpufimItems *
KeepItems(GpufimRows *rows, FimCandidates *candidates)
{
	ItemFilter	filter = {.minsup = 1,.max_length = FIM_NO_LIMIT};
	Size		size = rows->items->n + 1;
	bool	   *dropped = LedgerAlloc(rows->ledger, size, WHAT);
	uint32	   *item = candidates->items;
	GpufimItems *items;
	Size		total = 0;

	memset(dropped, true, size);
	for (uint32 c = 0; c < candidates->n; c++)
		total += candidates->length[c] == FIM_NOWHERE ? 0 : candidates->length[c];
	for (Size i = 0; i < total; i++)
		dropped[item[i]] = false;
	filter.dropped = dropped;
	items = PruneItems(rows, &filter);
	for (Size i = 0; i < total; i++)
		item[i] = MappedItem(items, item[i]);
	LedgerFree(rows->ledger, dropped, size);
	return items;
}

/* Have the job count the candidates next.  Returns the number of nodes, and sets node[]. */
static uint32
SetCandidates(struct Job *job, const FimCandidates *candidates, const FimDatabase *db, uint32 *node)
{
	static const EngineCost cost = {.only_cpu = true};
	FimHost    *host = JobOpenHost(job);
	FimCandidatesSpec *spec = FimCandidatesTree(candidates, db, host, node);
	uint32		nodes;

	if (spec == NULL)
		JobOutOfMemory();
	nodes = spec->nnodes;
	/* the job's own copy, and the summary */
	JobTakeMemory(job, spec->itemsets.head.size + (uint64) nodes * sizeof(uint32), WHAT);
	JobContinue(job, &spec->itemsets.head, &cost);
	JobCloseHost(job);
	return nodes;
}

static void
CountCandidates(FunctionCallInfo fcinfo, SupportsRequest *request, GpufimRows *rows, FimCandidates *candidates,
				const GpufimItems *items)
{
	FimItemsetsSpec first = {.head.size = sizeof(first),.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT};
	EngineCost	cost = {.only_cpu = true};
	uint32		transactions = rows->transactions;
	RowSink    *sink = SupportRowsCreate(fcinfo, rows->ledger, request->candidates, transactions);
	struct Job *job = JobCreate(&FimItemsetsFamily, &first.head, &cost);
	uint32	   *node;
	const FimDatabase *db;
	const uint32 *support;

	LedgerMakeRoom(rows->ledger, ((Size) candidates->n + 1) * sizeof(uint32), WHAT);
	node = MemoryContextAllocHuge(CurrentMemoryContext, ((Size) candidates->n + 1) * sizeof(uint32));
	db = BuildDatabase(job, rows, items);
	RowSinkUseJob(sink, job);
	RunAddDetail("candidates", candidates->n);
	RunAddDetail("tree_nodes", SetCandidates(job, candidates, db, node));
	support = JobRun(job, NULL);
	WriteSupports(sink, request->candidates, candidates->n, node, support, transactions);
	RowSinkEnd(sink);
}

static void
CountInSource(FunctionCallInfo fcinfo, void *arg)
{
	SupportsRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows;
	GpufimItems *items;
	FimCandidates candidates;

	/* the call has a copy of the argument already */
	LedgerMakeRoom(ledger, ARR_SIZE(request->candidates), WHAT);
	rows = ReadTransactionRows(&request->from, ledger);
	RunEnterPhase(GPUFIM_ENCODING);
	candidates = ReadCandidates(rows, request->candidates);
	items = KeepItems(rows, &candidates);
	CurrentRun->frequent_items = items->nitems;
	CountCandidates(fcinfo, request, rows, &candidates, items);
}

/* The number of arguments from "candidates" on. */
#define LAST_ARGUMENTS	1

static void
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	SupportsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeTransactions(&args, LAST_ARGUMENTS, &request->from);
	(void) TakeRequired(&args, "candidates");
	args.next--;
	request->candidates = TakeTextArray(&args, "candidates");
}

static Datum
SupportsFunction(FunctionCallInfo fcinfo, bool pairs)
{
	SupportsRequest request = {.from = {.form = pairs ? FORM_PAIRS : FORM_ARRAYS,.only_cpu = true}};

	return CallFunction(fcinfo, "itemset_supports", ReadRequest, CountInSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_supports_array);

Datum
gpufim_itemset_supports_array(PG_FUNCTION_ARGS)
{
	return SupportsFunction(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_supports_pairs);

Datum
gpufim_itemset_supports_pairs(PG_FUNCTION_ARGS)
{
	return SupportsFunction(fcinfo, true);
}
