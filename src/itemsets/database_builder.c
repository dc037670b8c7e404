/*-------------------------------------------------------------------------
 *
 * database_builder.c
 *	  The engine's database while transactions are added to it.
 *
 * Dense data often have few distinct transactions once their infrequent items are gone, and room
 * for all transactions would be most of the memory that a call takes.  So where a sample shows
 * that many rows are equal, a large database begins with room for a part of the rows, in the
 * ledger's memory.  When that room is full, equal rows are merged.  As long as merging finds many
 * of them, the database stays in the ledger's memory, where it moves to more room if need be, and
 * when it is complete it moves to the job's memory.  If merging finds few equal rows after all,
 * the database moves to the job's memory at once, with room for all rows that are left.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/itemsets/database_merge.h"
#include "itemsets/database_builder.h"
#include "itemsets/equal_rows.h"

#define WHAT				"the transactions' frequent items"

/*
 * A database that would take at most this many bytes with all its rows gets room for all from the
 * beginning.
 */
#define SMALL_DATABASE		((Size) 8 * 1024 * 1024)

/* A database goes on growing if merging equal rows frees at least one in GROWING_PART of its entries. */
#define GROWING_PART		4

/* The ledger does not remember the sizes of blocks, so each block begins with its size. */
static void *
HostAlloc(FimHost *host, size_t bytes)
{
	MemoryLedger *ledger = ((LedgerHost *) host)->ledger;
	Size		size = MAXALIGN(sizeof(Size)) + bytes;
	Size	   *block = LedgerAlloc(ledger, size, WHAT);

	*block = size;
	return (char *) block + MAXALIGN(sizeof(Size));
}

static void
HostFree(FimHost *host, void *block)
{
	Size	   *start = (Size *) ((char *) block - MAXALIGN(sizeof(Size)));

	LedgerFree(((LedgerHost *) host)->ledger, start, *start);
}

static bool
HostPoll(FimHost *host)
{
	CHECK_FOR_INTERRUPTS();
	return false;
}

/*
 * Allocate the job's data for a database with this number of rows and entries.  Sets *size to the
 * bytes allocated.
 */
static FimDatabase *
AllocateData(DatabaseBuilder *builder, uint64 rows, uint64 entries, uint32 nitems, Size *size)
{
	*size = JobBeginsOnCpu(builder->job) ?
		FimDatabaseIndexedBound(rows, entries, nitems) : FimDatabaseBound(rows, entries, nitems);
	LedgerMakeRoom(builder->host.ledger, *size, WHAT);
	return (FimDatabase *) JobAllocateData(builder->job, *size);
}

/* Returns the items' supports in an array that the caller frees with pfree(). */
static uint32 *
Supports(const GpufimItems *items)
{
	uint32	   *supports = MemoryContextAllocHuge(CurrentMemoryContext,
												  ((Size) items->nitems + 1) * sizeof(uint32));

	for (uint32 i = 0; i < items->nitems; i++)
		supports[i] = items->items[i].support;
	return supports;
}

/* Would merging equal rows pay in the first part of the rows? */
static bool
ManyAreEqual(DatabaseBuilder *builder, GpufimRows *from, const GpufimItems *items)
{
	FimHost    *host = &builder->host.host;
	FimRowSample sample;
	bool		many;

	SampleRows(&sample, from, items, builder->rows_left, host);
	many = FimRowSampleForesees(&sample, builder->rows_left / BUILDER_FIRST_PART, GROWING_PART);
	FimRowSampleEnd(&sample, host);
	return many;
}

/*
 * Does the database begin with room for only a part of its rows?
 *
 * The rows cannot move to a file while the database is built, so they do that before, if memory
 * might run short.  A small database begins with room for all rows.  A large one begins with a
 * part if the ledger has no room for all.  If the ledger has room for all, but not for twice as
 * much, which moving the database could take, it begins with all.  If there is room for twice as
 * much, it begins with a part only where many rows are equal.
 */
static bool
BeginsWithPart(DatabaseBuilder *builder, GpufimRows *from, const GpufimItems *items)
{
	MemoryLedger *ledger = builder->host.ledger;
	Size		all = FimDatabaseIndexedBound(builder->rows_left, builder->entries_left,
											  items->nitems);

	if (all <= SMALL_DATABASE)
		return false;
	if (all > LedgerRoom(ledger) / 2)
		LedgerRelieve(ledger);
	if (all > LedgerRoom(ledger))
		return true;
	if (all > LedgerRoom(ledger) / 2)
		return false;
	/* a sample of rows that are in a file would take one more reading of the file */
	return from->records.nspilled > 0 || ManyAreEqual(builder, from, items);
}

void
BuilderBegin(DatabaseBuilder *builder, struct Job *job, GpufimRows *from,
			 const GpufimItems *items)
{
	MemoryLedger *ledger = from->ledger;
	uint64		rows = items->rows;
	uint64		entries = items->entries;
	uint32	   *supports;
	Size		size;

	memset(builder, 0, sizeof(DatabaseBuilder));
	builder->job = job;
	builder->apart = !RowsRepeat(from);
	if (!builder->apart)
	{
		rows = Min(rows, from->nmerged);
		entries = Min(entries, from->nmerged_entries);
	}
	builder->host.host = (FimHost) {HostAlloc, HostFree, HostPoll, NULL};
	builder->host.ledger = ledger;
	builder->rows_left = rows;
	builder->entries_left = entries;
	LedgerMakeRoom(ledger, items->nitems * sizeof(uint32), WHAT);
	supports = Supports(items);
	if (BeginsWithPart(builder, from, items))
	{
		rows = rows / BUILDER_FIRST_PART + 1;
		entries = entries / BUILDER_FIRST_PART + 1;
		size = builder->staged = FimDatabaseBound(rows, entries, items->nitems);
		builder->db = LedgerAlloc(ledger, size, WHAT);
	}
	else
		builder->db = AllocateData(builder, rows, entries, items->nitems, &size);
	FimDatabaseBegin(builder->db, size, rows, entries, items->nitems, supports);
	pfree(supports);
}

static void
Merge(DatabaseBuilder *builder)
{
	if (!FimDatabaseMerge(builder->db, &builder->host.host))
		elog(ERROR, "merging equal rows was stopped");
}

/*
 * Move the database to a place with room for this number of rows and entries, in the job's memory
 * or the ledger's.
 */
static void
Move(DatabaseBuilder *builder, uint64 rows, uint64 entries, bool to_job)
{
	MemoryLedger *ledger = builder->host.ledger;
	FimDatabase *old = builder->db;
	Size		old_size = builder->staged;
	Size		size;

	if (to_job)
	{
		builder->db = AllocateData(builder, rows, entries, old->nitems, &size);
		builder->staged = 0;
	}
	else
	{
		size = builder->staged = FimDatabaseBound(rows, entries, old->nitems);
		builder->db = LedgerAlloc(ledger, size, WHAT);
	}
	if (!FimDatabaseMove(old, builder->db, size, rows, entries, &builder->host.host))
		elog(ERROR, "moving a database was stopped");
	LedgerFree(ledger, old, old_size);
}

void
BuilderMakeRoom(DatabaseBuilder *builder, uint32 nitems)
{
	FimDatabase *db = builder->db;
	uint64		had = db->entries;
	uint64		rows;
	uint64		entries;
	Size		size;
	Size		most;

	Merge(builder);
	if (db->entries <= had / 4 && FimDatabaseHasRoom(db, nitems))
		return;
	rows = 2 * (uint64) db->nrows + 1;
	entries = 2 * db->entries + nitems;
	size = FimDatabaseBound(rows, entries, db->nitems);
	most = FimDatabaseBound(db->nrows + builder->rows_left, db->entries + builder->entries_left,
							db->nitems);
	/* while the database moves, the old and the new place are both allocated */
	if (db->entries <= had - had / GROWING_PART && size + size / 2 < most)
		Move(builder, rows, entries, false);
	else
		Move(builder, db->nrows + builder->rows_left, db->entries + builder->entries_left, true);
}

FimDatabase *
BuilderEnd(DatabaseBuilder *builder)
{
	if (builder->staged > 0)
	{
		Merge(builder);
		Move(builder, builder->db->nrows, builder->db->entries, true);
	}
	return builder->db;
}
