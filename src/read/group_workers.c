/*-------------------------------------------------------------------------
 *
 * group_workers.c
 *	  Grouping the pieces of transactions with several processes.
 *
 * Where several processes have read pairs whose transaction ids do not ascend, the leader calls
 * workers once more.  Each takes one partition after the other, makes records of its pieces, and counts
 * the items.  The pieces lie in the segments in which those who have read them left them; the leader
 * copies its own to such a segment.  Workers leave what they have made as a part (parts.c), so that
 * the leader only appends it.  Where there is no room for a part in shared memory, it goes to the files
 * of the reading; so the part's ticket comes by a queue, for which there is room from the beginning.
 * Workers are connected to the database, because ids may be of types that have functions of their own.
 * They do not know the items, so the leader raises the error about one that has two probabilities.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "read/read.h"
#include "read/rows.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "work/work.h"

/* The most workers; more would have little to do. */
#define MAX_GROUPERS		(PIECE_PARTITIONS / 2)

/* Keys of what is in the segment. */
#define KEY_SHARED			UINT64CONST(1)
#define KEY_CHUNKS			UINT64CONST(2)
#define KEY_MAPS			UINT64CONST(3)
#define KEY_QUEUES			UINT64CONST(4)

/* A worker's queue, by which its part's ticket comes, in bytes. */
#define QUEUE_SIZE			((Size) 8192)

/* A chunk of pieces. */
typedef struct SharedChunk
{
	uint32		partition;
	uint32		part;			/* whose chunk it is */
	uint64		at;				/* its first word in the part's segment */
	uint32		used;
} SharedChunk;

/* What another process must know of a part. */
typedef struct SharedPart
{
	dsm_handle	segment;
	bool		has_map;		/* its numbers are its own */
	uint64		map_at;			/* where the map begins */
} SharedPart;

typedef struct GroupShared
{
	RowLayout	layout;
	Oid			id_type;
	Oid			id_collation;
	uint32		nitems;
	uint32		nchunks;
	uint32		nparts;
	dsm_handle	reading;		/* has the files for parts that have no segment */
	SharedLedger memory;
	pg_atomic_uint32 next;		/* partition */

	/* of the parts that workers have left */
	volatile dsm_handle segments[MAX_GROUPERS];

	SharedPart	parts[FLEXIBLE_ARRAY_MEMBER];
} GroupShared;

/*
 * What both sides know of a worker's part: the records, and how often each item is in them.
 */

typedef struct GroupFigures
{
	ValueConflict conflict;
	uint32		counts[FLEXIBLE_ARRAY_MEMBER];	/* of the items */
} GroupFigures;

typedef struct GroupReceiver
{
	Receiver	base;			/* must be first */
	GroupFigures *figures;		/* a worker's */
} GroupReceiver;

static Size
SizeOfFigures(const Dictionary *items)
{
	return offsetof(GroupFigures, counts) + (Size) items->n * sizeof(uint32);
}

static void
ContentsOfGroups(Receiver *base, ReceiverContents *contents)
{
	contents->nrows = 1;
	contents->rows[0] = base->rows;
	contents->numbers[0][0] = contents->numbers[0][1] = NO_DICTIONARY;
	contents->figures = ((GroupReceiver *) base)->figures;
	contents->figures_size = SizeOfFigures(base->rows->items);
}

static void
AddFiguresOfGroups(Receiver *base, const void *figures)
{
	const char *counts = (const char *) figures + offsetof(GroupFigures, counts);
	Dictionary *items = base->rows->items;
	ValueConflict conflict;

	memcpy(&conflict, figures, sizeof(conflict));
	if (conflict.found)
		RaiseTwoProbabilities(base->rows, NULL, conflict.item, conflict.one, conflict.other);
	for (uint32 id = 0; id < items->n; id++)
	{
		uint32		count;

		memcpy(&count, counts + id * sizeof(uint32), sizeof(count));
		items->entries[id].count += count;
	}
}

static const ReceiverKind GroupKind = {
	.size = sizeof(GroupReceiver),
	.contents = ContentsOfGroups,
	.add = AddFiguresOfGroups
};

/*
 * The leader's side.
 */

/* Counts the chunks and words of all pieces.  Returns false if some are not in memory. */
static bool
CountPieces(const GpufimRows *rows, uint32 *nchunks, uint64 *words, uint64 *own_words)
{
	*nchunks = 0;
	*words = *own_words = 0;
	for (uint32 p = 0; p < rows->npartitions; p++)
	{
		const ChunkList *list = &rows->pieces[p];

		for (uint32 i = 0; i < list->nchunks; i++)
		{
			if (list->chunks[i].words == NULL)
				return false;
			*words += list->chunks[i].used;
			*own_words += list->chunks[i].segment == NULL ? list->chunks[i].used : 0;
		}
		*nchunks += list->nchunks;
	}
	return true;
}

static uint32
CountParts(const GpufimRows *rows, uint64 *mapped)
{
	uint32		n = 1;			/* the leader's own */

	*mapped = 0;
	for (const RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		*mapped += part->nmapped;
		n++;
	}
	return n;
}

static void
ForgetGroups(dsm_segment *segment, Datum arg)
{
	SegmentsForget(((GroupShared *) DatumGetPointer(arg))->segments, MAX_GROUPERS);
}

/* Tells workers of the parts, the leader's own first. */
static void
ShareParts(GroupShared *shared, const GpufimRows *rows, dsm_segment *own, uint32 *maps)
{
	uint64		at = 0;
	uint32		n = 1;

	shared->parts[0] = (SharedPart) {own ? dsm_segment_handle(own) : DSM_HANDLE_INVALID};
	for (const RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		SharedPart *to = &shared->parts[n++];

		to->segment = part->segment && part->segment->segment ? dsm_segment_handle(part->segment->segment) : DSM_HANDLE_INVALID;
		to->has_map = true;
		to->map_at = at;
		memcpy(maps + at, part->maps[0], part->nmapped * sizeof(uint32));
		at += part->nmapped;
	}
}

static uint32
NumberOfPart(const GpufimRows *rows, const RowPart *part)
{
	uint32		n = 1;

	for (const RowPart *other = rows->parts; part != NULL && other != part; other = other->next)
		n++;
	return part != NULL ? n : 0;
}

/* Tells workers where the pieces are, and copies the leader's own to its segment. */
static void
ShareChunks(const GpufimRows *rows, SharedChunk *chunks, dsm_segment *own)
{
	uint64		at = 0;

	for (uint32 p = 0; p < rows->npartitions; p++)
	{
		const ChunkList *list = &rows->pieces[p];

		for (uint32 i = 0; i < list->nchunks; i++)
		{
			const Chunk *chunk = &list->chunks[i];

			chunks->partition = p;
			chunks->part = NumberOfPart(rows, chunk->part);
			chunks->used = chunk->used;
			if (chunk->segment != NULL)
				chunks->at = chunk->words - (uint32 *) dsm_segment_address(chunk->segment->segment);
			else
			{
				chunks->at = at;
				memcpy((uint32 *) dsm_segment_address(own) + at, chunk->words, chunk->used * sizeof(uint32));
				at += chunk->used;
			}
			chunks++;
		}
	}
}

/* Fills in what workers must know. */
static GroupShared *
ShareGroups(ParallelContext *context, const GpufimRows *rows, dsm_segment *own, uint32 nchunks,
			uint32 nparts, uint64 mapped)
{
	GroupShared *shared = shm_toc_allocate(context->toc, offsetof(GroupShared, parts) + nparts * sizeof(SharedPart));
	SharedChunk *chunks = shm_toc_allocate(context->toc, (Size) nchunks * sizeof(SharedChunk));
	uint32	   *maps = shm_toc_allocate(context->toc, (mapped + 1) * sizeof(uint32));

	memset(shared, 0, offsetof(GroupShared, parts));
	shared->layout = rows->layout;
	shared->id_type = rows->ids->type->type_id;
	shared->id_collation = rows->ids->collation;
	shared->nitems = rows->items->n;
	shared->nchunks = nchunks;
	shared->nparts = nparts;
	shared->reading = dsm_segment_handle(rows->parts->files->segment);
	pg_atomic_init_u32(&shared->next, 0);
	for (int i = 0; i < MAX_GROUPERS; i++)
		shared->segments[i] = DSM_HANDLE_INVALID;
	on_dsm_detach(context->seg, ForgetGroups, PointerGetDatum(shared));
	ShareParts(shared, rows, own, maps);
	ShareChunks(rows, chunks, own);
	shm_toc_insert(context->toc, KEY_SHARED, shared);
	shm_toc_insert(context->toc, KEY_CHUNKS, chunks);
	shm_toc_insert(context->toc, KEY_MAPS, maps);
	return shared;
}

/*
 * Holds the segments of all parts, which a worker that comes late must find even if nothing is left
 * to do, or lets them go.
 */
static void
HoldSegments(GpufimRows *rows, bool hold)
{
	for (RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		if (part->segment == NULL || part->segment->segment == NULL)
			continue;
		if (hold)
			part->segment->users++;
		else
			PartSegmentRelease(rows->ledger, part->segment);
	}
}

/* Makes the workers' queues, and attaches them. */
static void
CreateQueues(ParallelContext *context, shm_mq_handle **queues)
{
	char	   *space = shm_toc_allocate(context->toc, mul_size(context->nworkers, QUEUE_SIZE));

	for (int i = 0; i < context->nworkers; i++)
	{
		shm_mq	   *queue = shm_mq_create(space + i * QUEUE_SIZE, QUEUE_SIZE);

		shm_mq_set_receiver(queue, MyProc);
		queues[i] = shm_mq_attach(queue, context->seg, NULL);
	}
	shm_toc_insert(context->toc, KEY_QUEUES, space);
}

/* Waits for the ticket of each worker that has been launched.  One that ends by an error sends none. */
static void
ReceiveTickets(ParallelContext *context, shm_mq_handle **queues, void **tickets)
{
	for (int i = 0; i < context->nworkers_launched; i++)
	{
		Size		size;

		shm_mq_set_handle(queues[i], context->worker[i].bgwhandle);
		(void) shm_mq_receive(queues[i], &size, &tickets[i], false);
	}
}

/* Groups the partitions together with workers, and takes what these have left. */
static void
GroupWithWorkers(ParallelContext *context, GpufimRows *rows, GroupShared *shared)
{
	GroupReceiver receiver = {.base = {.kind = &GroupKind,.ledger = rows->ledger,.rows = rows}};
	PartSegment *files = rows->parts->files;
	shm_mq_handle *queues[MAX_GROUPERS] = {NULL};
	void	   *tickets[MAX_GROUPERS] = {NULL};

	CreateQueues(context, queues);
	LedgerShare(rows->ledger, &shared->memory);
	HoldSegments(rows, true);
	LaunchParallelWorkers(context);
	GroupPartitions(rows, &shared->next);
	ReceiveTickets(context, queues, tickets);
	/* raises the error of a worker that has sent no ticket */
	WaitForParallelWorkersToFinish(context);
	for (uint32 p = 0; p < rows->npartitions; p++)
		ChunkListFree(rows, &rows->pieces[p]);
	HoldSegments(rows, false);
	LedgerUnshare(rows->ledger);
	for (int i = 0; i < context->nworkers_launched; i++)
		PartTake(&receiver.base, tickets[i], ReadingFiles(files->segment), files, shared->segments);
}

static dsm_segment *
InitializeContext(void *context)
{
	InitializeParallelDSM(context);
	return ((ParallelContext *) context)->seg;
}

bool
RowsGroupInParallel(GpufimRows *rows)
{
	int			nworkers = Min(max_parallel_workers_per_gather, MAX_GROUPERS);
	ParallelContext *context;
	dsm_segment *own = NULL;
	uint32		nchunks;
	uint64		words;
	uint64		own_words;
	uint64		mapped;
	uint32		nparts = CountParts(rows, &mapped);

	if (!rows->layout.grouped || rows->ascending || rows->npartitions == 1 || rows->parts == NULL ||
		nworkers == 0 || !CountPieces(rows, &nchunks, &words, &own_words) ||
		words * sizeof(uint32) < (uint64) min_parallel_table_scan_size * BLCKSZ ||
		(words + own_words) * sizeof(uint32) > LedgerRoom(rows->ledger) / 4)
		return false;
	if (own_words > 0)
	{
		own = SegmentCreate(own_words * sizeof(uint32));
		if (own == NULL)
			return false;
		LedgerMakeRoom(rows->ledger, dsm_segment_map_length(own), "encoded rows");
	}
	EnterParallelMode();
	context = CreateParallelContext("gpufim", "GpufimGroupMain", nworkers);
	shm_toc_estimate_chunk(&context->estimator, offsetof(GroupShared, parts) + nparts * sizeof(SharedPart));
	shm_toc_estimate_chunk(&context->estimator, (Size) nchunks * sizeof(SharedChunk));
	shm_toc_estimate_chunk(&context->estimator, (mapped + 1) * sizeof(uint32));
	shm_toc_estimate_chunk(&context->estimator, mul_size(nworkers, QUEUE_SIZE));
	shm_toc_estimate_keys(&context->estimator, 4);
	context->seg = SegmentTry(InitializeContext, context);
	if (context->seg != NULL)
		GroupWithWorkers(context, rows, ShareGroups(context, rows, own, nchunks, nparts, mapped));
	else
		GroupPartitions(rows, NULL);
	DestroyParallelContext(context);
	ExitParallelMode();
	if (own != NULL)
	{
		LedgerGiveBack(rows->ledger, dsm_segment_map_length(own));
		dsm_detach(own);
	}
	return true;
}

/*
 * A worker's side.
 */

/* Finds the pieces of all partitions.  Returns the segments that have them, which the caller detaches. */
static PartSegment *
AttachPieces(GpufimRows *rows, const GroupShared *shared, const SharedChunk *chunks, uint32 *maps)
{
	RowPart    *parts = palloc0(shared->nparts * sizeof(RowPart));
	PartSegment *segments = palloc0(shared->nparts * sizeof(PartSegment));

	for (uint32 i = 0; i < shared->nparts; i++)
	{
		segments[i].users = 1;	/* this function's caller */
		if (shared->parts[i].segment != DSM_HANDLE_INVALID)
			segments[i].segment = SegmentAttach(shared->parts[i].segment);
		if (shared->parts[i].has_map)
			parts[i].maps[0] = maps + shared->parts[i].map_at;
	}
	for (uint32 i = 0; i < shared->nchunks; i++)
	{
		Chunk	   *chunk = ChunkListAppend(rows, &rows->pieces[chunks[i].partition]);
		uint32		part = chunks[i].part;

		chunk->words = (uint32 *) dsm_segment_address(segments[part].segment) + chunks[i].at;
		chunk->used = chunk->size = chunks[i].used;
		chunk->segment = &segments[part];
		segments[part].users++;
		chunk->part = shared->parts[part].has_map ? &parts[part] : NULL;
	}
	return segments;
}

/* Leaves the records to the leader, and the figures, to which this adds the counts. */
static void
LeaveGroups(GpufimRows *rows, GroupFigures *figures, GroupShared *shared, shm_mq_handle *queue)
{
	GroupReceiver receiver = {.base = {.kind = &GroupKind,.ledger = rows->ledger,.rows = rows,.part = ParallelWorkerNumber},.figures = figures};
	StringInfoData ticket;
	shm_mq_iovec message;

	for (uint32 id = 0; id < rows->items->n; id++)
		figures->counts[id] = rows->items->entries[id].count;
	initStringInfo(&ticket);
	PartLeave(&receiver.base, &shared->segments[ParallelWorkerNumber], &ticket);
	message = (shm_mq_iovec) {ticket.data, ticket.len};
	(void) shm_mq_sendv(queue, &message, 1, false, true);
}

static shm_mq_handle *
AttachQueue(dsm_segment *segment, shm_toc *toc)
{
	shm_mq	   *queue = (shm_mq *) ((char *) shm_toc_lookup(toc, KEY_QUEUES, false) + ParallelWorkerNumber * QUEUE_SIZE);

	shm_mq_set_sender(queue, MyProc);
	return shm_mq_attach(queue, segment, NULL);
}

extern PGDLLEXPORT void GpufimGroupMain(dsm_segment *segment, shm_toc *toc);

void
GpufimGroupMain(dsm_segment *segment, shm_toc *toc)
{
	GroupShared *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	shm_mq_handle *queue = AttachQueue(segment, toc);
	dsm_segment *reading = SegmentAttach(shared->reading);
	MemoryLedger *ledger = LedgerCreateShared(&shared->memory);
	Dictionary *items = DictionaryCreate(ledger, INT4OID, InvalidOid, true, "distinct items");
	Dictionary *ids = DictionaryCreate(ledger, shared->id_type, shared->id_collation, false,
									   "distinct transaction ids");
	GpufimRows *rows = RowsCreate(ledger, NULL, &shared->layout, items, ids);
	GroupFigures *figures;
	PartSegment *segments;

	SharedFileSetAttach(ReadingFiles(reading), reading);
	rows->shared_files = ReadingFiles(reading);
	snprintf(rows->file_name, sizeof(rows->file_name), "grouped %d", ParallelWorkerNumber);
	rows->ascending = false;
	rows->npartitions = PIECE_PARTITIONS;
	DictionaryCountOnly(items, shared->nitems);
	figures = LedgerAllocZero(ledger, SizeOfFigures(items), "distinct items");
	rows->conflict = &figures->conflict;
	segments = AttachPieces(rows, shared, shm_toc_lookup(toc, KEY_CHUNKS, false), shm_toc_lookup(toc, KEY_MAPS, false));
	GroupPartitions(rows, &shared->next);
	for (uint32 p = 0; p < rows->npartitions; p++)
		ChunkListFree(rows, &rows->pieces[p]);
	for (uint32 i = 0; i < shared->nparts; i++)
	{
		if (segments[i].segment != NULL)
			dsm_detach(segments[i].segment);
	}
	LeaveGroups(rows, figures, shared, queue);
	LedgerDestroy(ledger);
	dsm_detach(reading);
}
