/*-------------------------------------------------------------------------
 *
 * from_records.c
 *	  From the records of transactions to the data that the engine multiplies, in several processes.
 *
 * Each record has the values of a key.  What is to be done with them (engine/sets/sets.h) are units of work
 * in four rounds.  All processes take units by the counter, and wait before one of a round until the rounds before it are
 * complete: others have taken their units, and do not wait for one that comes later.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/kernels.h"
#include "engine/sets/sets.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "optimizer/paths.h"
#include "read/rows.h"
#include "sets/sets.h"
#include "storage/condition_variable.h"
#include "utils/wait_event.h"
#include "work/work.h"

typedef enum RecordsRound
{
	COUNT_RECORDS,				/* of a batch, as the next round has */
	WRITE_RECORDS,
	COUNT_RANGE,				/* of keys, as the next round has */
	WRITE_RANGE,
	RECORDS_ROUNDS
} RecordsRound;

/* What all processes must know. */
typedef struct RecordsTask
{
	SharedUnits units;			/* must be first */
	dsm_handle	data;
	pg_atomic_uint32 done;		/* units */
	pg_atomic_uint32 open;		/* units below this number may be done, which are those of a round and of all before it */
	ConditionVariable opened;
	uint32		map_end;
	uint32		rank[FLEXIBLE_ARRAY_MEMBER];	/* by an item's number, up to map_end */
} RecordsTask;

static uint32
UnitsOfRound(const FimSetsData *data, RecordsRound round)
{
	return round <= WRITE_RECORDS ? data->nbatches : data->nranges;
}

/* What comes between two rounds, after this one. */
static bool
EndRound(FimSetsData *data, RecordsRound round)
{
	switch (round)
	{
		case COUNT_RECORDS:
			return FimSetsNumberKeys(data);
		case COUNT_RANGE:
			return FimSetsPlaceRanges(data);
		default:
			return true;
	}
}

/* Says that a unit of a round is done.  The last one opens the next round. */
static void
EndUnit(RecordsTask *task, FimSetsData *data, RecordsRound round)
{
	uint32		done = pg_atomic_add_fetch_u32(&task->done, 1);

	if (done < pg_atomic_read_u32(&task->open))
		return;
	if (!EndRound(data, round))
		elog(ERROR, "records have other items than were counted");
	if (round + 1 == RECORDS_ROUNDS)
		return;
	/* what has come between the rounds is there before the next one is open */
	pg_write_barrier();
	pg_atomic_write_u32(&task->open, done + UnitsOfRound(data, round + 1));
	ConditionVariableBroadcast(&task->opened);
}

static void
WaitUntilOpen(RecordsTask *task, uint32 unit)
{
	while (pg_atomic_read_u32(&task->open) <= unit)
		ConditionVariableSleep(&task->opened, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
	pg_read_barrier();
}

/* Write, or only count, the records of a batch.  ranks[] has room for those of a record, and for one more. */
static void
TakeBatch(GpufimRows *rows, const ChunkList *chunks, FimSetsData *data, uint32 batch, bool write, uint32 *ranks)
{
	uint32		first = (uint64) chunks->nchunks * batch / data->nbatches;
	uint32		end = (uint64) chunks->nchunks * (batch + 1) / data->nbatches;
	ChunkList	list = {.chunks = &chunks->chunks[first],.nchunks = end - first};
	uint32	   *count = write ? NULL : FimSetsCounts(data, batch);
	uint32		nranks = data->left.nvalues;
	const FimKernels *kernels = FimCurrentKernels();
	const uint32 *items;
	uint32		nitems;
	RecordReader reader;

	RecordReaderBegin(&reader, rows, &list, false);
	while (RecordReaderNext(&reader, &items, &nitems))
	{
		const ItemMap map = RecordReaderMap(&reader);
		uint32		n = 0;

		/* without branches, because a processor could not predict which items are kept */
		for (uint32 i = 0; i < nitems; i++)
		{
			ranks[n] = MapItem(map, items[i]);
			n += ranks[n] < nranks;
		}
		if (!write)
		{
			count[n]++;
			continue;
		}
		if (n <= FIM_SHORT_ROW)
			kernels->sort_row(ranks, n);
		else
			SortNumbers(ranks, n);
		FimSetsWriteRecord(data, batch, ranks, n);
	}
	RecordReaderEnd(&reader);
}

/* Take units by the counter until none is left.  The leader shows how much is done. */
static void
TakeRecords(GpufimRows *rows, const ChunkList *chunks, RecordsTask *task, FimSetsData *data)
{
	FimHost		host = {.poll = PollInterrupts};
	Size		room = ((Size) data->longest_record + 1) * sizeof(uint32);
	uint32	   *ranks = LedgerAlloc(rows->ledger, room, "the pairs");
	uint32		all = 2 * (data->nbatches + data->nranges);
	uint32		unit;

	while ((unit = pg_atomic_fetch_add_u32(&task->units.next, 1)) < all)
	{
		RecordsRound round = COUNT_RECORDS;
		uint32		i = unit;

		CHECK_FOR_INTERRUPTS();
		WaitUntilOpen(task, unit);
		for (; i >= UnitsOfRound(data, round); round++)
			i -= UnitsOfRound(data, round);
		if (round <= WRITE_RECORDS)
			TakeBatch(rows, chunks, data, i, round == WRITE_RECORDS, ranks);
		else if (round == COUNT_RANGE)
			(void) FimSetsCountRange(data, i, &host);
		else
			(void) FimSetsWriteRange(data, i, &host);
		EndUnit(task, data, round);
		if (CurrentRun != NULL)
			CurrentRun->done = CurrentRun->total * unit / all;
	}
	LedgerFree(rows->ledger, ranks, room);
}

/* Calls helpers (read/helpers.c) for the task.  Returns NULL if one process can do it as quickly, or has to. */
static Helpers *
CallRecordHelpers(GpufimRows *rows, ChunkList *chunks, RecordsTask *task, Size size, struct Job *job)
{
	uint64		words;

	if (rows->parts == NULL || !ChunksInMemory(chunks, 1, &words) ||
		words * sizeof(uint32) / CHUNKS_TO_TAKE < (uint64) min_parallel_table_scan_size * BLCKSZ ||
		size > LedgerRoom(rows->ledger) / LEDGER_LITTLE)
		return NULL;
	task->data = JobDataHandle(job);
	return task->data != DSM_HANDLE_INVALID ?
		CallHelpers(rows, chunks, 1, "GpufimTakeRecordsMain", &task->units, size) : NULL;
}

void
BuildFromRecords(GpufimRows *rows, const KeptValues *kept, struct Job *job, FimSetsData *data)
{
	MemoryLedger *ledger = rows->ledger;
	const GpufimItems *items = kept->items;
	Size		ranks_size = (Size) kept->n * sizeof(uint32);
	uint32	   *rank = LedgerAlloc(ledger, ranks_size, "the pairs");
	Size		size = offsetof(RecordsTask, rank) + ((Size) items->first_dropped + 1) * sizeof(uint32);
	RecordsTask *task = LedgerAllocZero(ledger, size, "the pairs");
	RecordsTask *shared = task;
	ChunkList	chunks = rows->records;
	Helpers    *helpers;

	/* they must not move to a file meanwhile */
	memset(&rows->records, 0, sizeof(ChunkList));
	for (uint32 v = 0; v < kept->n; v++)
		rank[v] = items->items[v].support;
	if (FimSetsRankValues(data, rank, JobOpenHost(job)) == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
	JobCloseHost(job);
	pg_atomic_init_u32(&task->units.next, 0);
	pg_atomic_init_u32(&task->done, 0);
	pg_atomic_init_u32(&task->open, data->nbatches);
	ConditionVariableInit(&task->opened);
	task->map_end = items->first_dropped;
	for (uint32 id = 0; id <= task->map_end; id++)
		task->rank[id] = items->map[id] < kept->n ? rank[items->map[id]] : MAP_DROPPED;
	LedgerFree(ledger, rank, ranks_size);
	RowsMapItems(rows, task->rank, task->map_end);
	helpers = CallRecordHelpers(rows, &chunks, task, size, job);
	if (helpers != NULL)
	{
		shared = TaskOfHelpers(helpers);
		LeaveToHelpers(helpers, 2 * (data->nbatches + data->nranges));
	}
	TakeRecords(rows, &chunks, shared, data);
	if (helpers != NULL)
		DismissHelpers(helpers, NULL);
	ChunkListFree(rows, &chunks);
	LedgerFree(ledger, task, size);
}

extern PGDLLEXPORT void GpufimTakeRecordsMain(dsm_segment *segment, shm_toc *toc);

void
GpufimTakeRecordsMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	RecordsTask *task = HelperTask(helper);
	dsm_segment *data = SegmentAttach(task->data);
	GpufimRows *rows = HelperRows(helper, NULL, NULL);
	ChunkList	chunks = {0};

	rows->map = task->rank;
	rows->map_end = task->map_end;
	HelperFindChunks(helper, rows, &chunks);
	TakeRecords(rows, &chunks, task, dsm_segment_address(data));
	HelperLeave(helper, rows, &chunks, 1, NULL);
	dsm_detach(data);
}
