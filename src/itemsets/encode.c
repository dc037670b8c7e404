/*-------------------------------------------------------------------------
 *
 * encode.c
 *	  From encoded rows to the database that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/itemsets/database_merge.h"
#include "figures.h"
#include "itemsets/database_builder.h"
#include "itemsets/encode.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "work/host.h"

#define INTERRUPT_ITEMS			65536

/*
 * The least time that each engine takes for the transactions' frequent items, measured on an
 * H200 and a core beside it (bench/results/gpu.md, "Which engine auto takes").  The CPU indexes
 * the items and counts pairs of them that occur together; the GPU copies them.
 */
#define CPU_ITEM_MS		10e-6
#define GPU_ITEM_MS		0.6e-6
#define GPU_CALL_MS		0.8

EngineCost
ItemsetsCost(const GpufimItems *items)
{
	EngineCost	cost;

	cost.cpu_ms = items->entries * CPU_ITEM_MS;
	cost.gpu_ms = items->entries * GPU_ITEM_MS + GPU_CALL_MS;
	return cost;
}

/*
 * Bytes in the database for an entry (the item in its row, and the row in the item's index),
 * for a row, and for an item in the tables of items.
 */
#define ENTRY_BYTES		(2 * sizeof(uint32))
#define ROW_BYTES		16
#define ITEM_BYTES		24

double
DatabaseBytes(const RowLayout *layout, double rows, double entries, double nitems)
{
	return entries * ENTRY_BYTES + rows * ROW_BYTES + nitems * ITEM_BYTES;
}

double
MaximalBytes(const RowLayout *layout, double rows, double entries, double nitems)
{
	return DatabaseBytes(layout, rows, entries, nitems) + FimMaximalSharedSize((uint64) entries);
}

double
ClosedClassBytes(double records, double nitems, double entries)
{
	return FimClosedMatrixSize((uint64) records, (uint64) nitems, (uint64) entries);
}

/*
 * Add the transactions that matter, see GpufimItems, to the database.  Consumes the rows: their
 * memory is given back while the database fills.
 */
static void
WriteTransactions(GpufimRows *rows, const GpufimItems *items, DatabaseBuilder *builder)
{
	const uint32 *map = items->map;
	const uint32 first_dropped = items->first_dropped;
	const uint32 nitems = items->nitems;
	const uint32 nrequired = items->nrequired;
	ChunkList	records = rows->records;
	uint32	   *kept = LedgerAlloc(rows->ledger, (rows->longest + 1) * sizeof(uint32),
								   "the items of a transaction");
	RecordReader reader;
	const uint32 *row;
	uint32		nrow;
	int64		done = 0;
	int64		records_done = 0;

	memset(&rows->records, 0, sizeof(ChunkList));
	if (BuilderWantsSample(builder))
		ChunkListSpread(&records, BUILDER_FIRST_PART);
	CurrentRun->total = rows->transactions;
	RecordReaderBegin(&reader, rows, &records, true);
	while (RecordReaderNext(&reader, &row, &nrow))
	{
		uint32		found = 0;
		uint32		n = 0;

		for (uint32 i = 0; i < nrow; i++)
		{
			uint32		number = map[Min(row[i], first_dropped)];

			/* without branches, because a processor could not predict which items are kept */
			kept[n] = number;
			n += number < nitems;
			found += number - MAP_REQUIRED < nrequired;
			if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
				CHECK_FOR_INTERRUPTS();
		}
		if (found == nrequired && nrow >= items->least_length)
			BuilderAdd(builder, kept, n, reader.times);
		done += reader.times;
		if (++records_done % 1024 == 0)
			CurrentRun->done = done;
	}
	RecordReaderEnd(&reader);
	LedgerFree(rows->ledger, kept, ((Size) rows->longest + 1) * sizeof(uint32));
}

const FimDatabase *
BuildDatabase(struct Job *job, GpufimRows *rows, const GpufimItems *items)
{
	MemoryLedger *ledger = rows->ledger;
	DatabaseBuilder builder;
	FimDatabase *db;
	bool		finished;

	BuilderBegin(&builder, job, rows, items);
	WriteTransactions(rows, items, &builder);
	db = BuilderEnd(&builder);
	RowsClose(rows);
	LedgerDestroy(ledger);

	finished = FimDatabaseFinish(db, JobOpenHost(job));
	if (!finished)
		JobOutOfMemory();
	JobCloseHost(job);
	return db;
}
