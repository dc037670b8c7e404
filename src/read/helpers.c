/*-------------------------------------------------------------------------
 *
 * helpers.c
 *	  Having several processes work on the chunks of rows that have been read.
 *
 * Where several processes have read a source, most of its chunks lie in the segments of shared memory in which
 * those processes left them.  What is to be done with all chunks then is done by several processes, too:
 * the leader calls workers for help, tells them where the chunks are, and works with them.  All take
 * their units of work, lists of chunks for instance, by a counter that they share.
 *
 * A helper may leave rows that it has made as a part (parts.c).  Where there is no room for that in shared
 * memory, it goes to the files of the reading; so the part's ticket comes by a queue, for which there is room
 * from the beginning.  Helpers are connected to the database, because values may be of types that have
 * functions of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "postmaster/bgworker.h"
#include "read/read.h"
#include "read/rows.h"
#include "storage/latch.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "utils/wait_event.h"
#include "work/work.h"

/* The most helpers; more would have little to do. */
#define MAX_HELPERS			(PIECE_PARTITIONS / 2)

/* Keys of what is in the segment. */
#define KEY_SHARED			UINT64CONST(1)
#define KEY_CHUNKS			UINT64CONST(2)
#define KEY_MAPS			UINT64CONST(3)
#define KEY_QUEUES			UINT64CONST(4)
#define KEY_TASK			UINT64CONST(5)
#define KEY_SEGMENTS		UINT64CONST(6)
#define NUMBER_OF_KEYS		6

/* A helper's queue, by which its part's ticket comes, in bytes. */
#define QUEUE_SIZE			((Size) 8192)

/* How often the leader looks whether helpers have taken all units, if it takes none itself. */
#define LEAVING_INTERVAL_MS	1

/* A chunk in a segment. */
typedef struct SharedChunk
{
	uint32		list;
	uint32		part;			/* whose numbers it has; NO_PART: the leader's */
	uint32		segment;		/* in which it lies */
	uint32		used;
	uint64		at;				/* its first word there */
} SharedChunk;

#define NO_PART				UINT32_MAX

/* What another process must know of a part. */
typedef struct SharedPart
{
	uint32		nmapped[2];		/* numbers in each of its maps */
	uint64		map_at[2];		/* where these begin */
} SharedPart;

typedef struct HelpersShared
{
	RowLayout	layout;
	uint32		nchunks;
	uint32		nsegments;
	uint32		nparts;
	dsm_handle	reading;		/* has the files for parts that have no segments */
	SharedLedger memory;
	SegmentPlaces places;		/* of what helpers have left */
	SharedPart	parts[FLEXIBLE_ARRAY_MEMBER];
} HelpersShared;

/*
 * The leader's side.
 */

struct Helpers
{
	ParallelContext *context;
	GpufimRows *rows;
	List	   *segments;		/* that helpers know of */
	Size		size;			/* of what is shared, in bytes */
	HelpersShared *shared;
	SharedUnits   *task;
	shm_mq_handle *queues[MAX_HELPERS];
};

bool
ChunksInMemory(const ChunkList *lists, uint32 nlists, uint64 *words)
{
	*words = 0;
	for (uint32 l = 0; l < nlists; l++)
	{
		for (uint32 i = 0; i < lists[l].nchunks; i++)
		{
			const Chunk *chunk = &lists[l].chunks[i];

			if (chunk->words == NULL)
				return false;
			*words += chunk->used;
		}
	}
	return true;
}

static uint32
CountParts(const GpufimRows *rows, uint64 *mapped)
{
	uint32		n = 0;

	*mapped = 0;
	for (const RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		for (int i = 0; i < lengthof(part->maps); i++)
			*mapped += part->maps[i] != NULL ? part->nmapped[i] : 0;
		n++;
	}
	return n;
}

static void
ShareParts(HelpersShared *shared, const GpufimRows *rows, uint32 *maps)
{
	uint64		at = 0;
	uint32		n = 0;

	for (const RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		SharedPart *to = &shared->parts[n++];

		memset(to, 0, sizeof(SharedPart));
		for (int i = 0; i < lengthof(part->maps); i++)
		{
			if (part->maps[i] == NULL)
				continue;
			to->nmapped[i] = part->nmapped[i];
			to->map_at[i] = at;
			memcpy(maps + at, part->maps[i], part->nmapped[i] * sizeof(uint32));
			at += part->nmapped[i];
		}
	}
}

/* The number of the part that a chunk belongs to. */
static uint32
NumberOfPart(const GpufimRows *rows, const Chunk *chunk)
{
	uint32		n = 0;

	for (const RowPart *part = rows->parts; part != NULL; part = part->next, n++)
	{
		if (part == chunk->part)
			return n;
	}
	return NO_PART;
}

/* Tells helpers where the chunks are. */
static void
ShareChunks(const GpufimRows *rows, const ChunkList *lists, uint32 nlists, SharedChunk *to)
{
	for (uint32 l = 0; l < nlists; l++)
	{
		for (uint32 i = 0; i < lists[l].nchunks; i++)
		{
			const Chunk *chunk = &lists[l].chunks[i];

			to->list = l;
			to->used = chunk->used;
			to->part = NumberOfPart(rows, chunk);
			to->segment = chunk->segment->number;
			to->at = chunk->words - SegmentWords(chunk->segment);
			to++;
		}
	}
}

/* Tells them which segments these are, and holds them: a helper that comes late must find them even if nothing is left to do. */
static void
ShareSegments(const List *segments, dsm_handle *to)
{
	ListCell   *cell;

	foreach(cell, segments)
	{
		PartSegment *segment = lfirst(cell);

		segment->users++;
		*to++ = dsm_segment_handle(segment->segment);
	}
}

/* Makes the helpers' queues, and attaches them. */
static void
CreateQueues(Helpers *helpers)
{
	ParallelContext *context = helpers->context;
	char	   *space = shm_toc_allocate(context->toc, mul_size(context->nworkers, QUEUE_SIZE));

	for (int i = 0; i < context->nworkers; i++)
	{
		shm_mq	   *queue = shm_mq_create(space + i * QUEUE_SIZE, QUEUE_SIZE);

		shm_mq_set_receiver(queue, MyProc);
		helpers->queues[i] = shm_mq_attach(queue, context->seg, NULL);
	}
	shm_toc_insert(context->toc, KEY_QUEUES, space);
}

/* Fills in what helpers must know. */
static void
ShareRows(Helpers *helpers, const ChunkList *lists, uint32 nlists, uint32 nchunks, uint32 nparts, uint64 mapped)
{
	ParallelContext *context = helpers->context;
	GpufimRows *rows = helpers->rows;
	HelpersShared *shared = shm_toc_allocate(context->toc, offsetof(HelpersShared, parts) + nparts * sizeof(SharedPart));
	SharedChunk *chunks = shm_toc_allocate(context->toc, (Size) nchunks * sizeof(SharedChunk));
	dsm_handle *segments = shm_toc_allocate(context->toc, list_length(helpers->segments) * sizeof(dsm_handle));
	uint32	   *maps = shm_toc_allocate(context->toc, (mapped + 1) * sizeof(uint32));

	memset(shared, 0, offsetof(HelpersShared, parts));
	shared->layout = rows->layout;
	shared->nchunks = nchunks;
	shared->nsegments = list_length(helpers->segments);
	shared->nparts = nparts;
	shared->reading = dsm_segment_handle(rows->parts->files->segment);
	SegmentPlacesInit(&shared->places, context->seg);
	ShareParts(shared, rows, maps);
	ShareChunks(rows, lists, nlists, chunks);
	ShareSegments(helpers->segments, segments);
	shm_toc_insert(context->toc, KEY_SHARED, shared);
	shm_toc_insert(context->toc, KEY_SEGMENTS, segments);
	shm_toc_insert(context->toc, KEY_CHUNKS, chunks);
	shm_toc_insert(context->toc, KEY_MAPS, maps);
	helpers->shared = shared;
}

static dsm_segment *
InitializeContext(void *context)
{
	InitializeParallelDSM(context);
	return ((ParallelContext *) context)->seg;
}

static Size
EstimateSize(int nworkers, uint32 nchunks, uint32 nsegments, uint32 nparts, uint64 mapped, Size task_size)
{
	return offsetof(HelpersShared, parts) + nparts * sizeof(SharedPart) + nchunks * sizeof(SharedChunk) +
		nsegments * sizeof(dsm_handle) + (mapped + 1) * sizeof(uint32) + nworkers * QUEUE_SIZE + task_size + NUMBER_OF_KEYS * BUFFERALIGN(1);
}

/* Creates the segment.  Returns false if there is no room for it. */
static bool
CreateContextSegment(Helpers *helpers)
{
	GpufimRows *rows = helpers->rows;
	ParallelContext *context = helpers->context;

	shm_toc_estimate_chunk(&context->estimator, helpers->size);
	shm_toc_estimate_keys(&context->estimator, NUMBER_OF_KEYS);
	if (helpers->size > LedgerRoom(rows->ledger) / 4)
		return false;
	context->seg = SegmentTry(InitializeContext, context);
	if (context->seg == NULL)
		return false;
	LedgerMakeRoom(rows->ledger, helpers->size, "encoded rows");
	return true;
}

/* Lets the helpers and their segment go. */
static void
DestroyHelpers(Helpers *helpers)
{
	DestroyParallelContext(helpers->context);
	ExitParallelMode();
	pfree(helpers);
}

Helpers *
CallHelpers(GpufimRows *rows, ChunkList *lists, uint32 nlists, const char *entry_point,
		 const SharedUnits *task, Size task_size)
{
	int			nworkers = Min(max_parallel_workers_per_gather, MAX_HELPERS);
	ParallelContext *context;
	Helpers    *helpers;
	uint32		nchunks = 0;
	uint32		nparts;
	uint64		mapped;
	uint64		words;

	if (nworkers == 0 || rows->parts == NULL || !ChunksInMemory(lists, nlists, &words) ||
		!ChunksShare(rows, lists, nlists))
		return NULL;
	nparts = CountParts(rows, &mapped);
	helpers = palloc0(sizeof(Helpers));
	helpers->rows = rows;
	for (uint32 l = 0; l < nlists; l++)
	{
		nchunks += lists[l].nchunks;
		helpers->segments = PartSegmentsCollect(helpers->segments, &lists[l]);
	}
	helpers->size = EstimateSize(nworkers, nchunks, list_length(helpers->segments), nparts, mapped, task_size);
	EnterParallelMode();
	context = helpers->context = CreateParallelContext("gpufim", entry_point, nworkers);
	if (!CreateContextSegment(helpers))
	{
		DestroyHelpers(helpers);
		return NULL;
	}
	ShareRows(helpers, lists, nlists, nchunks, nparts, mapped);
	helpers->task = shm_toc_allocate(context->toc, task_size);
	memcpy(helpers->task, task, task_size);
	pg_atomic_init_u32(&helpers->task->next, 0);
	SpinLockInit(&helpers->task->mutex);
	shm_toc_insert(context->toc, KEY_TASK, helpers->task);
	CreateQueues(helpers);
	LedgerShare(rows->ledger, &helpers->shared->memory);
	LaunchParallelWorkers(context);
	return helpers;
}

void *
TaskOfHelpers(Helpers *helpers)
{
	return helpers->task;
}

/* Is any helper that has been launched still there, as far as the postmaster has told? */
static bool
AnyIsThere(const ParallelContext *context)
{
	for (int i = 0; i < context->nworkers_launched; i++)
	{
		pid_t		pid;

		if (context->worker[i].bgwhandle != NULL &&
			GetBackgroundWorkerPid(context->worker[i].bgwhandle, &pid) != BGWH_STOPPED)
			return true;
	}
	return false;
}

void
LeaveToHelpers(Helpers *helpers, uint32 nunits)
{
	if (parallel_leader_participation)
		return;
	while (pg_atomic_read_u32(&helpers->task->next) < nunits && AnyIsThere(helpers->context))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, LEAVING_INTERVAL_MS,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

void
DismissHelpers(Helpers *helpers, Receiver *receiver)
{
	ParallelContext *context = helpers->context;
	GpufimRows *rows = helpers->rows;
	PartSegment *files = rows->parts->files;
	void	   *tickets[MAX_HELPERS] = {NULL};
	int			launched = context->nworkers_launched;

	/* the next helpers will read what the leader has made, too */
	if (receiver != NULL)
		ReceiverShare(receiver);
	/* one that ends by an error sends no ticket */
	for (int i = 0; receiver != NULL && i < launched; i++)
	{
		Size		size;

		shm_mq_set_handle(helpers->queues[i], context->worker[i].bgwhandle);
		(void) shm_mq_receive(helpers->queues[i], &size, &tickets[i], false);
	}
	/* raises that error */
	WaitForParallelWorkersToFinish(context);
	PartSegmentsRelease(helpers->segments);
	LedgerUnshare(rows->ledger);
	for (int i = 0; receiver != NULL && i < launched; i++)
		PartTake(receiver, tickets[i], ReadingFiles(files->segment), files, &helpers->shared->places);
	LedgerGiveBack(rows->ledger, helpers->size);
	DestroyHelpers(helpers);
}

/*
 * A prime number: the chunks i * CHUNK_STRIDE are all chunks, in an order in which neighbors lie in different segments.  The
 * kernel has processes wait for each other that give back pages of the same segment.
 */
#define CHUNK_STRIDE		UINT64CONST(2147483647)

/* Takes chunks by the counter until none is left.  The leader shows how many rows are done. */
static void
TakeChunks(GpufimRows *rows, const ChunkList *list, SharedUnits *units, TakeChunk take, void *arg)
{
	uint32		i;

	while ((i = pg_atomic_fetch_add_u32(&units->next, 1)) < list->nchunks)
	{
		Chunk	   *chunk = &list->chunks[i * CHUNK_STRIDE % list->nchunks];

		CHECK_FOR_INTERRUPTS();
		take(rows, chunk, units, arg);
		ChunkGivePagesBack(chunk);
		if (CurrentRun != NULL)
			CurrentRun->done = Max(CurrentRun->done, CurrentRun->total * i / list->nchunks);
	}
}

bool
TakeChunksWithHelpers(GpufimRows *rows, ChunkList *list, const char *entry_point, const SharedUnits *task,
			   Size task_size, TakeChunk take, void *arg)
{
	uint64		words;
	Helpers    *helpers;

	if (!ChunksInMemory(list, 1, &words) ||
		words * sizeof(uint32) / CHUNKS_TO_TAKE < (uint64) min_parallel_table_scan_size * BLCKSZ)
		return false;
	helpers = CallHelpers(rows, list, 1, entry_point, task, task_size);
	if (helpers == NULL)
		return false;
	LeaveToHelpers(helpers, list->nchunks);
	TakeChunks(rows, list, helpers->task, take, arg);
	DismissHelpers(helpers, NULL);
	ChunkListFree(rows, list);
	return true;
}

/*
 * What both sides know of rows that helpers make.
 */

static Size
SizeOfFigures(const Dictionary *items)
{
	return offsetof(HelperFigures, counts) + (Size) items->n * sizeof(uint32);
}

static void
ContentsOfHelper(Receiver *base, ReceiverContents *contents)
{
	HelperFigures *figures = ((RowsOfHelpers *) base)->figures;
	const Dictionary *items = base->rows->items;

	contents->nrows = 1;
	contents->rows[0] = base->rows;
	contents->numbers[0][0] = contents->numbers[0][1] = NO_DICTIONARY;
	contents->figures = figures;
	contents->figures_size = SizeOfFigures(items);
	for (uint32 id = 0; base->helps && id < items->n; id++)
		figures->counts[id] = items->entries[id].count;
}

static void
AddFiguresOfHelper(Receiver *base, const void *figures)
{
	const char *counts = (const char *) figures + offsetof(HelperFigures, counts);
	HelperFigures *sum = ((RowsOfHelpers *) base)->figures;
	Dictionary *items = base->rows->items;
	HelperFigures added;

	memcpy(&added, figures, offsetof(HelperFigures, counts));
	sum->repeated += added.repeated;
	if (added.conflict.found)
		sum->conflict = added.conflict;
	for (uint32 id = 0; id < items->n; id++)
	{
		uint32		count;

		memcpy(&count, counts + id * sizeof(uint32), sizeof(count));
		items->entries[id].count += count;
	}
}

static const ReceiverKind KindOfHelpers = {
	.size = sizeof(RowsOfHelpers),
	.contents = ContentsOfHelper,
	.add = AddFiguresOfHelper
};

RowsOfHelpers
RowsOfHelpersInit(GpufimRows *rows, HelperFigures *figures)
{
	return (RowsOfHelpers)
	{
		.base = {.kind = &KindOfHelpers,.ledger = rows->ledger,.rows = rows},.figures = figures
	};
}

HelperFigures *
HelperFiguresCreate(GpufimRows *rows)
{
	return LedgerAllocZero(rows->ledger, SizeOfFigures(rows->items), rows->items->what);
}

/*
 * A helper's side.
 */

struct Helper
{
	dsm_segment *segment;
	HelpersShared *shared;
	dsm_segment *reading;
	MemoryLedger *ledger;
	void	   *task;
	const SharedChunk *chunks;
	const dsm_handle *handles;	/* of segments */
	uint32	   *maps;
	char	   *queues;
	PartSegment *segments;		/* in which chunks lie */
};

Helper *
HelperJoin(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = palloc0(sizeof(Helper));

	helper->segment = segment;
	helper->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	helper->task = shm_toc_lookup(toc, KEY_TASK, false);
	helper->chunks = shm_toc_lookup(toc, KEY_CHUNKS, false);
	helper->handles = shm_toc_lookup(toc, KEY_SEGMENTS, false);
	helper->maps = shm_toc_lookup(toc, KEY_MAPS, false);
	helper->queues = shm_toc_lookup(toc, KEY_QUEUES, false);
	helper->reading = SegmentAttach(helper->shared->reading);
	helper->ledger = LedgerCreateShared(&helper->shared->memory);
	SharedFileSetAttach(ReadingFiles(helper->reading), helper->reading);
	return helper;
}

void *
HelperTask(Helper *helper)
{
	return helper->task;
}

MemoryLedger *
HelperLedger(Helper *helper)
{
	return helper->ledger;
}

GpufimRows *
HelperRows(Helper *helper, Dictionary *items, Dictionary *ids)
{
	GpufimRows *rows = RowsCreate(helper->ledger, NULL, &helper->shared->layout, items, ids);

	rows->shared_files = ReadingFiles(helper->reading);
	rows->store = ChunkStoreCreate(helper->ledger);
	snprintf(rows->file_name, sizeof(rows->file_name), "helper %d", ParallelWorkerNumber);
	return rows;
}

void
HelperFindChunks(Helper *helper, GpufimRows *rows, ChunkList *lists)
{
	HelpersShared *shared = helper->shared;
	RowPart    *parts = palloc0(shared->nparts * sizeof(RowPart));
	PartSegment *segments = palloc0(shared->nsegments * sizeof(PartSegment));

	for (uint32 i = 0; i < shared->nsegments; i++)
	{
		segments[i].users = 1;	/* the helper */
		segments[i].segment = SegmentAttach(helper->handles[i]);
	}
	for (uint32 i = 0; i < shared->nparts; i++)
	{
		for (int k = 0; k < lengthof(parts[i].maps); k++)
		{
			if (shared->parts[i].nmapped[k] == 0)
				continue;
			parts[i].maps[k] = helper->maps + shared->parts[i].map_at[k];
			parts[i].nmapped[k] = shared->parts[i].nmapped[k];
		}
	}
	for (uint32 i = 0; i < shared->nchunks; i++)
	{
		const SharedChunk *from = &helper->chunks[i];
		Chunk	   *chunk = ChunkListAppend(rows, &lists[from->list]);

		chunk->words = SegmentWords(&segments[from->segment]) + from->at;
		chunk->used = chunk->size = from->used;
		chunk->segment = &segments[from->segment];
		segments[from->segment].users++;
		chunk->part = from->part != NO_PART ? &parts[from->part] : NULL;
	}
	helper->segments = segments;
}

/* Leaves what a receiver has to the leader. */
static void
LeavePart(Helper *helper, Receiver *receiver)
{
	shm_mq	   *queue = (shm_mq *) (helper->queues + ParallelWorkerNumber * QUEUE_SIZE);
	shm_mq_handle *handle;
	StringInfoData ticket;
	shm_mq_iovec message;

	receiver->helps = true;
	initStringInfo(&ticket);
	PartLeave(receiver, &helper->shared->places, &ticket);
	message = (shm_mq_iovec) {ticket.data, ticket.len};
	shm_mq_set_sender(queue, MyProc);
	handle = shm_mq_attach(queue, helper->segment, NULL);
	(void) shm_mq_sendv(handle, &message, 1, false, true);
}

void
HelperLeave(Helper *helper, GpufimRows *rows, ChunkList *lists, uint32 nlists, Receiver *receiver)
{
	for (uint32 l = 0; l < nlists; l++)
		ChunkListFree(rows, &lists[l]);
	for (uint32 i = 0; i < helper->shared->nsegments; i++)
		dsm_detach(helper->segments[i].segment);
	if (receiver != NULL)
		LeavePart(helper, receiver);
	LedgerDestroy(helper->ledger);
	dsm_detach(helper->reading);
}

void
HelperTakeChunks(Helper *helper, ItemMap map, TakeChunk take, void *arg)
{
	GpufimRows *rows = HelperRows(helper, NULL, NULL);
	ChunkList	list = {0};

	rows->map = map.map;
	rows->map_end = map.end;
	HelperFindChunks(helper, rows, &list);
	TakeChunks(rows, &list, helper->task, take, arg);
	HelperLeave(helper, rows, &list, 1, NULL);
}
