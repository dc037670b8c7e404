/*-------------------------------------------------------------------------
 *
 * encode.c
 *	  From encoded rows to the database that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"
#include "gpufim.h"
#include "items.h"
#include "itemsets/itemsets.h"
#include "miscadmin.h"
#include "read/read.h"
#include "utils/memutils.h"
#include "work/work.h"

/*
 * The engine's database while transactions are added to it.
 *
 * Dense data often have few distinct transactions once their infrequent items are gone, and room
 * for all transactions would be most of the memory that a call takes.  So where a sample shows
 * that many rows are equal, a large database that one process writes begins with room for a part
 * of the rows, in the ledger's memory.  When that room is full, equal rows are merged.  As long as
 * merging finds many of them, the database stays in the ledger's memory, where it moves to more
 * room if need be, and when it is complete it moves to the job's memory.  If merging finds few
 * equal rows after all, the database moves to the job's memory at once, with room for all rows that
 * are left.
 */

/* A host for merging rows, whose memory the ledger counts. */
typedef struct LedgerHost
{
	FimHost		host;			/* must be first */
	MemoryLedger *ledger;
} LedgerHost;

typedef struct DatabaseBuilder
{
	struct Job *job;
	LedgerHost	host;
	FimDatabase *db;			/* where transactions are added */
	FimDatabase *whole;			/* db is a part of this one, which several processes fill; NULL: it is not */
	SharedUnits *units;			/* of these processes */
	Size		staged;			/* size of db in the ledger's memory, in bytes; 0: db is the job's
								 * data */
	bool		apart;			/* few transactions are equal: each becomes a row of its own */
	bool		differ;			/* next to no rows are equal, so that it would take time in vain to look for them */
	uint64		rows_left;		/* rows that are still to be added */
	uint64		entries_left;	/* frequent items of these rows */
} DatabaseBuilder;

static void BuilderMakeRoom(DatabaseBuilder *builder, uint32 nitems);

/* A builder that stages has room for one in so many rows at first. */
#define BUILDER_FIRST_PART		16

/* Add "times" equal transactions of nitems items. */
static inline void
BuilderAdd(DatabaseBuilder *builder, const uint32 *items, uint32 nitems, uint32 times)
{
	for (uint32 left = builder->apart ? times : 1; left > 0; left--)
	{
		CHECK_FOR_INTERRUPTS();
		if ((builder->staged > 0 || builder->whole != NULL) && !FimDatabaseHasRoom(builder->db, nitems))
			BuilderMakeRoom(builder, nitems);
		FimDatabaseAddTimes(builder->db, items, nitems, builder->apart ? 1 : times);
		builder->rows_left--;
		builder->entries_left -= nitems;
	}
}

#define WHAT				"the transactions' frequent items"

/*
 * A database that would take at most this many bytes with all its rows gets room for all from the
 * beginning.
 */
#define SMALL_DATABASE		((Size) 8 * 1024 * 1024)

/* A database goes on growing if merging equal rows frees at least one in GROWING_PART of its entries. */
#define GROWING_PART		4

/* Nobody looks for equal rows if merging them would free less than one in DIFFERING_PART of all entries. */
#define DIFFERING_PART		16

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

/* Would merging equal rows pay in the first part of the rows?  Finds out whether it would pay among all of them, too. */
static bool
ManyAreEqual(DatabaseBuilder *builder, GpufimRows *from, const GpufimItems *items)
{
	FimHost    *host = &builder->host.host;
	FimRowSample sample;
	bool		many;

	SampleRows(&sample, from, items, builder->rows_left, host);
	many = FimRowSampleForesees(&sample, builder->rows_left / BUILDER_FIRST_PART, GROWING_PART);
	builder->differ = !FimRowSampleForesees(&sample, builder->rows_left, DIFFERING_PART);
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
 * much, it begins with a part only where many rows are equal and one process writes them.
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
	if (from->records.nspilled > 0)
		return true;
	/* several processes write all rows at once in less time, though many are equal */
	return ManyAreEqual(builder, from, items) && from->parts == NULL;
}

/* Begin an empty database for "rows".  Their ledger must live until BuilderEnd() has returned. */
static void
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
	builder->host.host = (FimHost) {HostAlloc, HostFree, PollInterrupts, NULL};
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
	FimDatabaseBegin(builder->db, size, rows, entries, items->nitems, items->nany, supports);
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

/* Copy what the part has to the database that several processes fill. */
static void
CopyPart(DatabaseBuilder *builder)
{
	FimPlace	place;

	SpinLockAcquire(&builder->units->mutex);
	place = FimDatabaseTakeRoom(builder->whole, builder->db);
	SpinLockRelease(&builder->units->mutex);
	FimDatabaseCopyPart(builder->whole, place, builder->db);
}

/* Make room for a row of nitems items, by merging equal rows or by moving the database. */
static void
BuilderMakeRoom(DatabaseBuilder *builder, uint32 nitems)
{
	FimDatabase *db = builder->db;
	uint64		had = db->entries;
	uint64		rows;
	uint64		entries;
	Size		size;
	Size		most;

	if (builder->whole != NULL)
	{
		CopyPart(builder);
		return;
	}
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

/*
 * All rows have been added.  Returns the job's data, which the caller completes with
 * FimDatabaseFinish().
 */
static FimDatabase *
BuilderEnd(DatabaseBuilder *builder)
{
	if (builder->staged > 0)
	{
		Merge(builder);
		Move(builder, builder->db->nrows, builder->db->entries, true);
	}
	return builder->db;
}

/*
 * Whether many rows will be equal once their infrequent items are gone.
 */

#define INTERRUPT_ITEMS			65536

/*
 * Where the source is sorted, neighboring records are often equal.  So only one record in
 * RECORD_STEP is taken.
 */
#define RECORD_STEP				8

/* So many records are taken of a chunk, because it takes long to reach one of those that another process has left. */
#define CHUNK_RECORDS			4

/* Add a record's frequent items, if it has some and matters. */
static void
AddRecord(FimRowSample *sample, const GpufimItems *items, ItemMap map, const uint32 *row, uint32 nrow)
{
	uint64		hash = 0;		/* a sum, because the items of a record are in no particular
								 * order */
	uint32		found = 0;
	uint32		any = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < nrow; i++)
	{
		uint32		number = MapItem(map, row[i]);

		if (number < items->nitems)
		{
			hash += FimHash64((uint64) number + 1);
			n++;
		}
		found += number - MAP_REQUIRED < items->nrequired;
		any += IsAnyItem(items, number);
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
	}
	if (found == items->nrequired && (any > 0 || items->nany == 0) && nrow >= items->least_length && n > 0)
		FimRowSampleAdd(sample, hash, n);
}

/* Add nrecords records of a chunk, or fewer if it does not have that many. */
static void
AddChunk(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items, Chunk *chunk,
		 uint64 nrecords)
{
	ChunkList	list = {.chunks = chunk, .nchunks = 1};
	RecordReader reader;
	const uint32 *row;
	uint32		nrow;

	RecordReaderBegin(&reader, rows, &list, false);
	for (uint64 i = 0; i < nrecords * RECORD_STEP && RecordReaderNext(&reader, &row, &nrow); i++)
	{
		if (i % RECORD_STEP == 0)
			AddRecord(sample, items, RecordReaderMap(&reader), row, nrow);
	}
	RecordReaderEnd(&reader);
}

void
SampleRows(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items, uint64 kept,
		   FimHost *host)
{
	ChunkList  *list = &rows->records;
	uint64		nrecords = rows->layout.merged ? rows->nmerged : rows->transactions;
	uint64		wanted = nrecords * FimRowSampleEnough(kept) / Max(kept, 1);
	uint64		nchunks = Min(list->nchunks, wanted / CHUNK_RECORDS + 1);

	if (!FimRowSampleBegin(sample, wanted + nchunks, host))
		elog(ERROR, "a sample of rows got no memory");
	for (uint64 i = 0; i < nchunks; i++)
		AddChunk(sample, rows, items, &list->chunks[i * list->nchunks / nchunks],
				 wanted / nchunks + 1);
}

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
	EngineCost	cost = {0};

	cost.cpu_ms = items->entries * CPU_ITEM_MS;
	cost.gpu_ms = items->entries * GPU_ITEM_MS + GpuPairsMs(items) + GPU_CALL_MS;
	return cost;
}

/*
 * Add the transactions that matter, see GpufimItems, to the database.  kept[] has room for the items of the longest
 * one and for one more.
 */
static void
WriteRecords(RecordReader *reader, const GpufimItems *items, uint32 *kept, DatabaseBuilder *builder)
{
	const uint32 nitems = items->nitems;
	const uint32 nrequired = items->nrequired;
	const uint32 *row;
	uint32		nrow;
	int64		done = 0;
	int64		records_done = 0;

	while (RecordReaderNext(reader, &row, &nrow))
	{
		const ItemMap map = RecordReaderMap(reader);
		uint32		found = 0;
		uint32		any = 0;
		uint32		n = 0;

		for (uint32 i = 0; i < nrow; i++)
		{
			uint32		number = MapItem(map, row[i]);

			/* without branches, because a processor could not predict which items are kept */
			kept[n] = number;
			n += number < nitems;
			found += number - MAP_REQUIRED < nrequired;
			any += IsAnyItem(items, number);
			if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
				CHECK_FOR_INTERRUPTS();
		}
		if (found == nrequired && (any > 0 || items->nany == 0) && nrow >= items->least_length)
			BuilderAdd(builder, kept, n, reader->times);
		done += reader->times;
		if (++records_done % 1024 == 0 && builder->whole == NULL)
			CurrentRun->done = done;
	}
}

/*
 * With helpers (read/helpers.c), each of which encodes a chunk at a time.
 */

/* A part of the database has room for as many rows and entries, or for the longest row. */
#define PART_ENTRIES	16384

/* What all processes must know. */
typedef struct EncodeTask
{
	SharedUnits units;			/* must be first */
	dsm_handle	database;
	bool		apart;
	uint32		longest;		/* entries of a record */
	FlatItems	items;			/* must be last */
} EncodeTask;

/* What a process has that encodes. */
typedef struct Encoder
{
	DatabaseBuilder builder;
	const GpufimItems *items;
	uint32	   *kept;
} Encoder;

static Size
PartSize(uint32 longest, uint32 nitems)
{
	uint64		entries = Max(PART_ENTRIES, longest);

	return FimDatabaseBound(entries, entries, nitems);
}

static void
EncoderBegin(Encoder *encoder, FimDatabase *whole, const GpufimItems *items, bool apart, uint32 longest,
			 MemoryLedger *ledger)
{
	uint64		entries = Max(PART_ENTRIES, longest);
	Size		size = PartSize(longest, items->nitems);

	memset(encoder, 0, sizeof(Encoder));
	encoder->items = items;
	encoder->kept = LedgerAlloc(ledger, ((Size) longest + 1) * sizeof(uint32), "the items of a transaction");
	encoder->builder.apart = apart;
	encoder->builder.whole = whole;
	encoder->builder.db = LedgerAlloc(ledger, size, WHAT);
	FimDatabaseBeginPart(encoder->builder.db, size, entries, entries, whole);
}

static void
EncodeChunk(GpufimRows *rows, Chunk *chunk, void *task, void *arg)
{
	Encoder    *encoder = arg;
	ChunkList	list = {.chunks = chunk,.nchunks = 1};
	RecordReader reader;

	encoder->builder.units = &((EncodeTask *) task)->units;
	RecordReaderBegin(&reader, rows, &list, false);
	WriteRecords(&reader, encoder->items, encoder->kept, &encoder->builder);
	RecordReaderEnd(&reader);
	CopyPart(&encoder->builder);
}

/* Returns false, and does nothing, if one process can do it as quickly, or has to. */
static bool
EncodeInParallel(GpufimRows *rows, ChunkList *records, const GpufimItems *items, const DatabaseBuilder *builder)
{
	MemoryLedger *ledger = rows->ledger;
	Size		kept_size = ((Size) rows->longest + 1) * sizeof(uint32);
	Size		part_size = PartSize(rows->longest, items->nitems);
	Size		task_size = offsetof(EncodeTask, items) + FlatItemsSize(items);
	EncodeTask *task;
	Encoder		encoder;
	bool		done;

	if (builder->staged > 0 || rows->parts == NULL || JobDataHandle(builder->job) == DSM_HANDLE_INVALID ||
		kept_size + part_size + task_size > LedgerRoom(ledger) / LEDGER_LITTLE)
		return false;
	task = LedgerAllocZero(ledger, task_size, WHAT);
	task->database = JobDataHandle(builder->job);
	task->apart = builder->apart;
	task->longest = rows->longest;
	FlattenItems(items, &task->items);
	EncoderBegin(&encoder, builder->db, items, builder->apart, rows->longest, ledger);
	done = TakeChunksWithHelpers(rows, records, "GpufimEncodeMain", &task->units, task_size, EncodeChunk,
								 &encoder);
	LedgerFree(ledger, encoder.builder.db, part_size);
	LedgerFree(ledger, encoder.kept, kept_size);
	LedgerFree(ledger, task, task_size);
	return done;
}

extern PGDLLEXPORT void GpufimEncodeMain(dsm_segment *segment, shm_toc *toc);

void
GpufimEncodeMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	EncodeTask *task = HelperTask(helper);
	dsm_segment *database = SegmentAttach(task->database);
	GpufimItems items = ItemsOfFlat(&task->items);
	Encoder		encoder;

	EncoderBegin(&encoder, dsm_segment_address(database), &items, task->apart, task->longest,
				 HelperLedger(helper));
	HelperTakeChunks(helper, (ItemMap) {items.map, items.first_dropped}, EncodeChunk, &encoder);
	dsm_detach(database);
}

/* Consumes the rows: their memory is given back while the database fills, unless several processes fill it. */
static void
WriteTransactions(GpufimRows *rows, const GpufimItems *items, DatabaseBuilder *builder)
{
	ChunkList	records = rows->records;
	Size		kept_size = ((Size) rows->longest + 1) * sizeof(uint32);
	uint32	   *kept;
	RecordReader reader;

	memset(&rows->records, 0, sizeof(ChunkList));
	CurrentRun->total = rows->transactions;
	if (EncodeInParallel(rows, &records, items, builder))
		return;
	kept = LedgerAlloc(rows->ledger, kept_size, "the items of a transaction");
	/* the rows that are staged first should be a sample of all */
	if (builder->staged > 0)
		ChunkListSpread(&records, BUILDER_FIRST_PART);
	RecordReaderBegin(&reader, rows, &records, true);
	WriteRecords(&reader, items, kept, builder);
	RecordReaderEnd(&reader);
	LedgerFree(rows->ledger, kept, kept_size);
}

const FimDatabase *
BuildDatabase(struct Job *job, GpufimRows *rows, const GpufimItems *items)
{
	MemoryLedger *ledger = rows->ledger;
	DatabaseBuilder builder;
	FimDatabase *db;
	bool		finished;

	RowsMapItems(rows, items->map, items->first_dropped);
	BuilderBegin(&builder, job, rows, items);
	WriteTransactions(rows, items, &builder);
	db = BuilderEnd(&builder);
	LedgerDestroy(ledger);

	finished = FimDatabaseFinish(db, !builder.differ, JobOpenHost(job));
	if (!finished)
		JobOutOfMemory();
	JobCloseHost(job);
	return db;
}

void
AddDatabaseFingerprint(struct Job *job, const FimDatabase *db)
{
	RunAddFingerprint(FimDatabaseFingerprint(db, JobOpenHost(job)));
	JobCloseHost(job);
}
