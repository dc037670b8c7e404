/*-------------------------------------------------------------------------
 *
 * encode.c
 *	  From encoded rows to the data that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "figures.h"
#include "miscadmin.h"
#include "probable/encode.h"
#include "probable/uncertain_rows.h"

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

EngineCost
ProbableCost(const GpufimRows *rows, const GpufimItems *items)
{
	EngineCost	cost;

	cost.cpu_ms = items->entries * (ProbabilityByEntry(rows) ? CPU_UNCERTAIN_MS : CPU_ITEM_MS);
	cost.gpu_ms = items->entries * GPU_ITEM_MS + GPU_CALL_MS;
	return cost;
}

/* A transaction's kept items by their numbers in the data, and their probabilities. */
typedef struct KeptItems
{
	uint32	   *numbers;
	double	   *probabilities;
	uint32		n;
	uint32		nrequired;		/* required items among them */
} KeptItems;

static void
KeepItems(const GpufimRows *rows, const GpufimItems *items, const uint32 *entries,
		  uint32 nentries, KeptItems *kept)
{
	const uint32 entry_words = EntryWords(&rows->layout);
	const bool	by_entry = ProbabilityByEntry(rows);

	kept->n = 0;
	kept->nrequired = 0;
	for (uint32 i = 0; i < nentries; i++)
	{
		uint32		mapped = MappedItem(items, entries[i * entry_words]);
		uint32		required = mapped - MAP_REQUIRED;
		double		p = by_entry ? EntryValue(entries, i) : 1;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (p == 0 || (mapped >= items->nitems && required >= items->nrequired))
			continue;
		kept->nrequired += required < items->nrequired;
		kept->numbers[kept->n] = required < items->nrequired ? required :
			items->nrequired + mapped;
		kept->probabilities[kept->n++] = p;
	}
}

/* Add the transactions that matter to the data.  Consumes the rows: their memory is given back while the data fill. */
static void
WriteTransactions(GpufimRows *rows, const GpufimItems *items, FimProbableData *data)
{
	const bool	by_entry = ProbabilityByEntry(rows);
	ChunkList	records = rows->records;
	Size		room = (Size) rows->longest + 1;
	KeptItems	kept;
	RecordReader reader;
	const uint32 *entries;
	uint32		nentries;
	int64		done = 0;

	kept.numbers = LedgerAlloc(rows->ledger, room * sizeof(uint32), "the items of a transaction");
	kept.probabilities = LedgerAlloc(rows->ledger, room * sizeof(double),
									 "the items of a transaction");
	memset(&rows->records, 0, sizeof(ChunkList));
	CurrentRun->total = rows->transactions;
	RecordReaderBegin(&reader, rows, &records, true);
	while (RecordReaderNext(&reader, &entries, &nentries))
	{
		KeepItems(rows, items, entries, nentries, &kept);
		if (kept.nrequired == items->nrequired && nentries >= items->least_length)
			FimProbableAdd(data, kept.numbers, kept.probabilities, kept.n,
						   by_entry ? 1 : RecordValue(entries));
		if (++done % 1024 == 0)
			CurrentRun->done = done;
	}
	RecordReaderEnd(&reader);
	LedgerFree(rows->ledger, kept.probabilities, room * sizeof(double));
	LedgerFree(rows->ledger, kept.numbers, room * sizeof(uint32));
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

void
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
	WriteTransactions(rows, items, data);
	RowsClose(rows);
	LedgerDestroy(ledger);
	/* only a host's poll can make this fail, and this host's poll raises an error instead */
	(void) FimProbableFinish(data, JobOpenHost(job));
	JobCloseHost(job);
}
