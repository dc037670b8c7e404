/*-------------------------------------------------------------------------
 *
 * distribution.c
 *	  The SQL function probable_itemset_distribution().
 *
 * It reads the source as probable_itemsets() does, and then needs only the
 * probabilities of the transactions that hold one itemset.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "engine/probable/probable.h"
#include "engine/probable/tail.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "probable/probable.h"
#include "read/rows.h"
#include "results.h"
#include "utils/tuplestore.h"
#include "work/work.h"

/* Rows between two checks for interrupts. */
#define INTERRUPT_ROWS	4096

#define INTERRUPT_ITEMS	65536
#define FIRST_CHANCES	1024

/* The probabilities with which transactions hold the itemset, only those above 0. */
typedef struct Chances
{
	MemoryLedger *ledger;
	double	   *p;
	uint32		n;
	uint32		max;
} Chances;

/*
 * Marks the itemset's items in the dictionary by stamp 1, all others by 0.  Returns the number of
 * marked items, or 0 if one of the items occurs nowhere.
 */
static uint32
MarkItems(GpufimRows *rows, ArrayType *names)
{
	DictionaryEntry *entries = rows->items->entries;
	uint32		marked = 0;
	NamedItems	named;

	DictionaryForgetStamps(rows->items);
	named = FindNamedItems(rows, names, "items");
	for (int i = 0; i < named.n; i++)
	{
		if (named.ids[i] == DICTIONARY_NONE)
		{
			marked = 0;
			break;
		}
		marked += entries[named.ids[i]].stamp == 0;
		entries[named.ids[i]].stamp = 1;
	}
	FreeNamedItems(rows, &named);
	return marked;
}

/* Can a record's transaction hold all marked items?  If so, *p is the probability that it does. */
static bool
HoldsMarked(const GpufimRows *rows, const uint32 *record, uint32 nentries, uint32 marked,
			double *p)
{
	const uint32 entry_words = EntryWords(&rows->layout);
	uint32		found = 0;

	*p = ProbabilityByEntry(rows) ? 1 : RecordValue(record);
	for (uint32 i = 0; i < nentries && found < marked; i++)
	{
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (rows->items->entries[record[i * entry_words]].stamp == 0)
			continue;
		if (!EntryCounts(&rows->layout, record, i))
			return false;
		if (ProbabilityByEntry(rows))
			*p *= EntryValue(record, i);
		found++;
	}
	return found == marked;
}

static void
AddChance(Chances *chances, double p)
{
	if (chances->n == chances->max)
	{
		uint32		max = Min(Max(2 * (uint64) chances->max, FIRST_CHANCES), FIM_MAX_TRANSACTIONS);

		chances->p = LedgerGrow(chances->ledger, chances->p, chances->max * sizeof(double),
								max * sizeof(double), "the probabilities of transactions");
		chances->max = max;
	}
	chances->p[chances->n++] = p;
}

static void
CollectChances(GpufimRows *rows, uint32 marked, Chances *chances)
{
	ChunkList	records = rows->records;
	RecordReader reader;
	const uint32 *record;
	uint32		nentries;
	double		p;

	memset(&rows->records, 0, sizeof(ChunkList));
	CurrentRun->total = rows->transactions;
	RecordReaderBegin(&reader, rows, &records, true);
	while (RecordReaderNext(&reader, &record, &nentries))
	{
		if (HoldsMarked(rows, record, nentries, marked, &p))
			AddChance(chances, p);
		if (++CurrentRun->done % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	RecordReaderEnd(&reader);
}

/* Puts out the probabilities of "count" numbers of transactions, beginning with "first". */
static void
PutRows(ReturnSetInfo *result, uint32 first, const double *probability, uint32 count)
{
	static const ResultWords words = {
		"row", "rows", "numbers", "Select fewer transactions to get fewer rows."
	};
	ResultBatch batch;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	ResultsBegin(&batch, &words, count);
	for (uint32 i = 0; i < count; i++)
	{
		if (i % INTERRUPT_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		values[0] = Int64GetDatum((int64) first + i);
		values[1] = Float8GetDatum(probability[i]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	ResultsEnd(&batch);
}

/* Computes the distribution and makes rows of it. */
static void
EmitDistribution(ReturnSetInfo *result, const Chances *found, uint32 nfactors)
{
	FimChances	chances = {.n = found->n,.p = found->p,.error = FimProductError(nfactors),
	.nfactors = nfactors};
	uint64		held = MemoryContextMemAllocated(CurrentMemoryContext, true);
	JobMemory	memory = {.held = held};
	JobHost		host;
	FimWorkspace workspace;
	FimDistribution distribution;

	pg_atomic_init_u64(&memory.used, held);
	pg_atomic_init_u64(&memory.peak, held);
	JobHostInit(&host, &memory);
	FimWorkspaceInit(&workspace, &host.host);
	if (FimDistributionOf(&workspace, &chances, &distribution) != FIM_DONE)
		JobOutOfMemory();
	PutRows(result, distribution.first, distribution.p, distribution.count);
	FimWorkspaceFree(&workspace);
	JobHostFree(&host);
}

static void
FindDistribution(FunctionCallInfo fcinfo, void *arg)
{
	const ProbableRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadUncertainRows(&request->from, ledger);
	Chances		chances = {.ledger = ledger};
	const double certain = 1;
	uint32		marked;

	RunEnterPhase(GPUFIM_ENCODING);
	marked = MarkItems(rows, request->items);
	if (marked > 0)
		CollectChances(rows, marked, &chances);

	RunEnterPhase(GPUFIM_MINING);
	strlcpy(CurrentRun->device, "cpu", sizeof(CurrentRun->device));
	if (chances.n == 0)
		PutRows((ReturnSetInfo *) fcinfo->resultinfo, 0, &certain, 1);
	else
		EmitDistribution((ReturnSetInfo *) fcinfo->resultinfo, &chances,
						 ProbabilityByEntry(rows) ? marked : 1);
	LedgerDestroy(ledger);
}

static Datum
DistributionFunction(FunctionCallInfo fcinfo, bool pairs)
{
	ProbableRequest request = {.pairs = pairs};

	return CallFunction(fcinfo, "probable_itemset_distribution", ReadDistributionRequest, FindDistribution,
						&request);
}

PG_FUNCTION_INFO_V1(gpufim_probable_distribution_array);

Datum
gpufim_probable_distribution_array(PG_FUNCTION_ARGS)
{
	return DistributionFunction(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_probable_distribution_pairs);

Datum
gpufim_probable_distribution_pairs(PG_FUNCTION_ARGS)
{
	return DistributionFunction(fcinfo, true);
}
