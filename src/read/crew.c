/*-------------------------------------------------------------------------
 *
 * crew.c
 *	  Having several processes work on the chunks of rows that have been read.
 *
 * Where several processes have read a source, most of its chunks lie in the segments of shared memory in which
 * those processes left them.  What is to be done with all chunks then is done by several processes, too:
 * the leader calls a crew of workers, tells them where the chunks are, and works with them.  All take
 * their units of work, lists of chunks for instance, by a counter that they share.
 *
 * A worker may leave rows that it has made as a part (parts.c).  Where there is no room for that in shared
 * memory, it goes to the files of the reading; so the part's ticket comes by a queue, for which there is room
 * from the beginning.  Workers are connected to the database, because values may be of types that have
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
#include "optimizer/paths.h"
#include "read/read.h"
#include "read/rows.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "work/work.h"

/* The most workers; more would have little to do. */
#define MAX_CREW			(PIECE_PARTITIONS / 2)

/* Keys of what is in the segment. */
#define KEY_SHARED			UINT64CONST(1)
#define KEY_CHUNKS			UINT64CONST(2)
#define KEY_MAPS			UINT64CONST(3)
#define KEY_QUEUES			UINT64CONST(4)
#define KEY_TASK			UINT64CONST(5)
#define NUMBER_OF_KEYS		5

/* A worker's queue, by which its part's ticket comes, in bytes. */
#define QUEUE_SIZE			((Size) 8192)

/* A chunk in a segment. */
typedef struct SharedChunk
{
	uint32		list;
	uint32		part;			/* whose numbers it has; NO_PART: the leader's */
	uint32		segment;		/* the part in whose segment it lies */
	uint32		used;
	uint64		at;				/* its first word there */
} SharedChunk;

#define NO_PART				UINT32_MAX

/* What another process must know of a part.  Part 0 is what the leader has read itself. */
typedef struct SharedPart
{
	dsm_handle	segment;
	bool		has_map[2];
	uint64		map_at[2];		/* where the maps of its numbers begin */
} SharedPart;

typedef struct CrewShared
{
	RowLayout	layout;
	uint32		nchunks;
	uint32		nparts;
	dsm_handle	reading;		/* has the files for parts that have no segment */
	SharedLedger memory;

	/* of the parts that workers have left */
	volatile dsm_handle segments[MAX_CREW];

	SharedPart	parts[FLEXIBLE_ARRAY_MEMBER];
} CrewShared;

/*
 * The leader's side.
 */

struct Crew
{
	ParallelContext *context;
	GpufimRows *rows;
	Size		size;			/* of what is shared, in bytes, beside "own" */
	CrewShared *shared;
	CrewDesk   *task;
	dsm_segment *own;			/* a copy of the leader's own chunks; NULL: there are none, or workers need none */
	shm_mq_handle *queues[MAX_CREW];
};

bool
ChunksInMemory(const ChunkList *lists, uint32 nlists, uint64 *words, uint64 *own_words)
{
	*words = *own_words = 0;
	for (uint32 l = 0; l < nlists; l++)
	{
		for (uint32 i = 0; i < lists[l].nchunks; i++)
		{
			const Chunk *chunk = &lists[l].chunks[i];

			if (chunk->words == NULL)
				return false;
			*words += chunk->used;
			*own_words += chunk->segment == NULL ? chunk->used : 0;
		}
	}
	return true;
}

static uint32
CountParts(const GpufimRows *rows, uint64 *mapped)
{
	uint32		n = 1;

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
ForgetParts(dsm_segment *segment, Datum arg)
{
	SegmentsForget(((CrewShared *) DatumGetPointer(arg))->segments, MAX_CREW);
}

static void
ShareParts(CrewShared *shared, const GpufimRows *rows, dsm_segment *own, uint32 *maps)
{
	uint64		at = 0;
	uint32		n = 1;

	shared->parts[0] = (SharedPart) {own ? dsm_segment_handle(own) : DSM_HANDLE_INVALID};
	for (const RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		SharedPart *to = &shared->parts[n++];

		memset(to, 0, sizeof(SharedPart));
		to->segment = part->segment && part->segment->segment ? dsm_segment_handle(part->segment->segment) : DSM_HANDLE_INVALID;
		for (int i = 0; i < lengthof(part->maps); i++)
		{
			if (part->maps[i] == NULL)
				continue;
			to->has_map[i] = true;
			to->map_at[i] = at;
			memcpy(maps + at, part->maps[i], part->nmapped[i] * sizeof(uint32));
			at += part->nmapped[i];
		}
	}
}

/* The number of the part that a chunk belongs to, and of that in whose segment it lies. */
static void
FindParts(const GpufimRows *rows, const Chunk *chunk, SharedChunk *to)
{
	uint32		n = 1;

	to->part = NO_PART;
	to->segment = 0;
	for (const RowPart *part = rows->parts; part != NULL; part = part->next, n++)
	{
		if (part == chunk->part)
			to->part = n;
		if (chunk->segment != NULL && part->segment == chunk->segment)
			to->segment = n;
	}
}

/* Tells workers where the chunks are, and copies the leader's own to its segment. */
static void
ShareChunks(const GpufimRows *rows, const ChunkList *lists, uint32 nlists, SharedChunk *to, dsm_segment *own)
{
	uint64		at = 0;

	for (uint32 l = 0; l < nlists; l++)
	{
		for (uint32 i = 0; i < lists[l].nchunks; i++)
		{
			const Chunk *chunk = &lists[l].chunks[i];

			to->list = l;
			to->used = chunk->used;
			FindParts(rows, chunk, to);
			if (chunk->segment != NULL)
				to->at = chunk->words - (uint32 *) dsm_segment_address(chunk->segment->segment);
			else
			{
				to->at = at;
				memcpy((uint32 *) dsm_segment_address(own) + at, chunk->words, chunk->used * sizeof(uint32));
				at += chunk->used;
			}
			to++;
		}
	}
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
CreateQueues(Crew *crew)
{
	ParallelContext *context = crew->context;
	char	   *space = shm_toc_allocate(context->toc, mul_size(context->nworkers, QUEUE_SIZE));

	for (int i = 0; i < context->nworkers; i++)
	{
		shm_mq	   *queue = shm_mq_create(space + i * QUEUE_SIZE, QUEUE_SIZE);

		shm_mq_set_receiver(queue, MyProc);
		crew->queues[i] = shm_mq_attach(queue, context->seg, NULL);
	}
	shm_toc_insert(context->toc, KEY_QUEUES, space);
}

/* Fills in what workers must know. */
static void
ShareRows(Crew *crew, const ChunkList *lists, uint32 nlists, uint32 nchunks, uint32 nparts, uint64 mapped)
{
	ParallelContext *context = crew->context;
	GpufimRows *rows = crew->rows;
	CrewShared *shared = shm_toc_allocate(context->toc, offsetof(CrewShared, parts) + nparts * sizeof(SharedPart));
	SharedChunk *chunks = shm_toc_allocate(context->toc, (Size) nchunks * sizeof(SharedChunk));
	uint32	   *maps = shm_toc_allocate(context->toc, (mapped + 1) * sizeof(uint32));

	memset(shared, 0, offsetof(CrewShared, parts));
	shared->layout = rows->layout;
	shared->nchunks = nchunks;
	shared->nparts = nparts;
	shared->reading = dsm_segment_handle(rows->parts->files->segment);
	for (int i = 0; i < MAX_CREW; i++)
		shared->segments[i] = DSM_HANDLE_INVALID;
	on_dsm_detach(context->seg, ForgetParts, PointerGetDatum(shared));
	ShareParts(shared, rows, crew->own, maps);
	ShareChunks(rows, lists, nlists, chunks, crew->own);
	shm_toc_insert(context->toc, KEY_SHARED, shared);
	shm_toc_insert(context->toc, KEY_CHUNKS, chunks);
	shm_toc_insert(context->toc, KEY_MAPS, maps);
	crew->shared = shared;
}

static dsm_segment *
InitializeContext(void *context)
{
	InitializeParallelDSM(context);
	return ((ParallelContext *) context)->seg;
}

static Size
EstimateSize(int nworkers, uint32 nchunks, uint32 nparts, uint64 mapped, Size task_size)
{
	return offsetof(CrewShared, parts) + nparts * sizeof(SharedPart) + nchunks * sizeof(SharedChunk) +
		(mapped + 1) * sizeof(uint32) + nworkers * QUEUE_SIZE + task_size + NUMBER_OF_KEYS * BUFFERALIGN(1);
}

/* Creates the segments.  Returns false if there is no room for them. */
static bool
CreateSegments(Crew *crew, uint64 own_words)
{
	GpufimRows *rows = crew->rows;
	ParallelContext *context = crew->context;

	shm_toc_estimate_chunk(&context->estimator, crew->size);
	shm_toc_estimate_keys(&context->estimator, NUMBER_OF_KEYS);
	if (crew->size + own_words * sizeof(uint32) > LedgerRoom(rows->ledger) / 4)
		return false;
	context->seg = SegmentTry(InitializeContext, context);
	if (context->seg == NULL)
		return false;
	if (own_words > 0)
	{
		crew->own = SegmentCreate(own_words * sizeof(uint32));
		if (crew->own == NULL)
			return false;
		crew->size += dsm_segment_map_length(crew->own);
	}
	LedgerMakeRoom(rows->ledger, crew->size, "encoded rows");
	return true;
}

/* Lets the workers and all segments go. */
static void
DestroyCrew(Crew *crew)
{
	DestroyParallelContext(crew->context);
	ExitParallelMode();
	if (crew->own != NULL)
		dsm_detach(crew->own);
	pfree(crew);
}

Crew *
CrewCall(GpufimRows *rows, const ChunkList *lists, uint32 nlists, const char *entry_point,
		 const CrewDesk *task, Size task_size)
{
	int			nworkers = Min(max_parallel_workers_per_gather, MAX_CREW);
	ParallelContext *context;
	Crew	   *crew;
	uint32		nchunks = 0;
	uint64		mapped;
	uint32		nparts = CountParts(rows, &mapped);
	uint64		words;
	uint64		own_words;

	if (nworkers == 0 || rows->parts == NULL || !ChunksInMemory(lists, nlists, &words, &own_words))
		return NULL;
	for (uint32 l = 0; l < nlists; l++)
		nchunks += lists[l].nchunks;
	crew = palloc0(sizeof(Crew));
	crew->rows = rows;
	crew->size = EstimateSize(nworkers, nchunks, nparts, mapped, task_size);
	EnterParallelMode();
	context = crew->context = CreateParallelContext("gpufim", entry_point, nworkers);
	if (!CreateSegments(crew, own_words))
	{
		DestroyCrew(crew);
		return NULL;
	}
	ShareRows(crew, lists, nlists, nchunks, nparts, mapped);
	crew->task = shm_toc_allocate(context->toc, task_size);
	memcpy(crew->task, task, task_size);
	pg_atomic_init_u32(&crew->task->next, 0);
	SpinLockInit(&crew->task->mutex);
	shm_toc_insert(context->toc, KEY_TASK, crew->task);
	CreateQueues(crew);
	LedgerShare(rows->ledger, &crew->shared->memory);
	HoldSegments(rows, true);
	LaunchParallelWorkers(context);
	return crew;
}

void *
CrewTask(Crew *crew)
{
	return crew->task;
}

void
CrewDismiss(Crew *crew, Receiver *receiver)
{
	ParallelContext *context = crew->context;
	GpufimRows *rows = crew->rows;
	PartSegment *files = rows->parts->files;
	void	   *tickets[MAX_CREW] = {NULL};
	int			launched = context->nworkers_launched;

	/* one that ends by an error sends no ticket */
	for (int i = 0; receiver != NULL && i < launched; i++)
	{
		Size		size;

		shm_mq_set_handle(crew->queues[i], context->worker[i].bgwhandle);
		(void) shm_mq_receive(crew->queues[i], &size, &tickets[i], false);
	}
	/* raises that error */
	WaitForParallelWorkersToFinish(context);
	HoldSegments(rows, false);
	LedgerUnshare(rows->ledger);
	for (int i = 0; receiver != NULL && i < launched; i++)
		PartTake(receiver, tickets[i], ReadingFiles(files->segment), files, crew->shared->segments);
	LedgerGiveBack(rows->ledger, crew->size);
	DestroyCrew(crew);
}

/* Puts the chunks first that are not in a segment, and returns how many these are. */
static uint32
PutOwnFirst(ChunkList *list)
{
	uint32		n = 0;

	for (uint32 i = 0; i < list->nchunks; i++)
	{
		Chunk		chunk = list->chunks[i];

		if (chunk.segment == NULL)
		{
			list->chunks[i] = list->chunks[n];
			list->chunks[n++] = chunk;
		}
	}
	return n;
}

/* Takes chunks by the counter until none is left.  The leader shows how many rows are done. */
static void
TakeChunks(GpufimRows *rows, const ChunkList *list, CrewDesk *desk, TakeChunk take, void *arg)
{
	uint32		i;

	while ((i = pg_atomic_fetch_add_u32(&desk->next, 1)) < list->nchunks)
	{
		CHECK_FOR_INTERRUPTS();
		take(rows, &list->chunks[i], desk, arg);
		if (CurrentRun != NULL)
			CurrentRun->done = Max(CurrentRun->done, CurrentRun->total * i / list->nchunks);
	}
}

/* A chunk is little work, so there must be more of them than pieces to be grouped. */
#define CHUNKS_TO_TAKE		4

bool
CrewTakeChunks(GpufimRows *rows, ChunkList *list, const char *entry_point, const CrewDesk *task,
			   Size task_size, TakeChunk take, void *arg)
{
	uint64		words;
	uint64		own_words;
	uint32		own;
	ChunkList	shared;
	Crew	   *crew;

	if (!ChunksInMemory(list, 1, &words, &own_words) || words == own_words ||
		words * sizeof(uint32) / CHUNKS_TO_TAKE < (uint64) min_parallel_table_scan_size * BLCKSZ)
		return false;
	own = PutOwnFirst(list);
	shared = (ChunkList) {.chunks = list->chunks + own,.nchunks = list->nchunks - own};
	crew = CrewCall(rows, &shared, 1, entry_point, task, task_size);
	if (crew == NULL)
		return false;
	for (uint32 i = 0; i < own; i++)
	{
		CHECK_FOR_INTERRUPTS();
		take(rows, &list->chunks[i], crew->task, arg);
	}
	TakeChunks(rows, &shared, crew->task, take, arg);
	CrewDismiss(crew, NULL);
	ChunkListFree(rows, list);
	return true;
}

/*
 * A worker's side.
 */

struct CrewMember
{
	dsm_segment *segment;
	CrewShared *shared;
	dsm_segment *reading;
	MemoryLedger *ledger;
	void	   *task;
	const SharedChunk *chunks;
	uint32	   *maps;
	char	   *queues;
	PartSegment *segments;		/* of each part; NULL: not attached yet */
};

CrewMember *
CrewJoin(dsm_segment *segment, shm_toc *toc)
{
	CrewMember *member = palloc0(sizeof(CrewMember));

	member->segment = segment;
	member->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	member->task = shm_toc_lookup(toc, KEY_TASK, false);
	member->chunks = shm_toc_lookup(toc, KEY_CHUNKS, false);
	member->maps = shm_toc_lookup(toc, KEY_MAPS, false);
	member->queues = shm_toc_lookup(toc, KEY_QUEUES, false);
	member->reading = SegmentAttach(member->shared->reading);
	member->ledger = LedgerCreateShared(&member->shared->memory);
	SharedFileSetAttach(ReadingFiles(member->reading), member->reading);
	return member;
}

void *
MemberTask(CrewMember *member)
{
	return member->task;
}

MemoryLedger *
MemberLedger(CrewMember *member)
{
	return member->ledger;
}

GpufimRows *
MemberRows(CrewMember *member, Dictionary *items, Dictionary *ids)
{
	GpufimRows *rows = RowsCreate(member->ledger, NULL, &member->shared->layout, items, ids);

	rows->shared_files = ReadingFiles(member->reading);
	snprintf(rows->file_name, sizeof(rows->file_name), "crew %d", ParallelWorkerNumber);
	return rows;
}

void
MemberFindChunks(CrewMember *member, GpufimRows *rows, ChunkList *lists)
{
	CrewShared *shared = member->shared;
	RowPart    *parts = palloc0(shared->nparts * sizeof(RowPart));
	PartSegment *segments = palloc0(shared->nparts * sizeof(PartSegment));

	for (uint32 i = 0; i < shared->nparts; i++)
	{
		segments[i].users = 1;	/* the member */
		if (shared->parts[i].segment != DSM_HANDLE_INVALID)
			segments[i].segment = SegmentAttach(shared->parts[i].segment);
		for (int k = 0; k < lengthof(parts[i].maps); k++)
		{
			if (shared->parts[i].has_map[k])
				parts[i].maps[k] = member->maps + shared->parts[i].map_at[k];
		}
	}
	for (uint32 i = 0; i < shared->nchunks; i++)
	{
		const SharedChunk *from = &member->chunks[i];
		Chunk	   *chunk = ChunkListAppend(rows, &lists[from->list]);

		chunk->words = (uint32 *) dsm_segment_address(segments[from->segment].segment) + from->at;
		chunk->used = chunk->size = from->used;
		chunk->segment = &segments[from->segment];
		segments[from->segment].users++;
		chunk->part = from->part != NO_PART ? &parts[from->part] : NULL;
	}
	member->segments = segments;
}

/* Leaves what a receiver has to the leader. */
static void
LeavePart(CrewMember *member, Receiver *receiver)
{
	shm_mq	   *queue = (shm_mq *) (member->queues + ParallelWorkerNumber * QUEUE_SIZE);
	shm_mq_handle *handle;
	StringInfoData ticket;
	shm_mq_iovec message;

	receiver->part = ParallelWorkerNumber;
	initStringInfo(&ticket);
	PartLeave(receiver, &member->shared->segments[ParallelWorkerNumber], &ticket);
	message = (shm_mq_iovec) {ticket.data, ticket.len};
	shm_mq_set_sender(queue, MyProc);
	handle = shm_mq_attach(queue, member->segment, NULL);
	(void) shm_mq_sendv(handle, &message, 1, false, true);
}

void
MemberLeave(CrewMember *member, GpufimRows *rows, ChunkList *lists, uint32 nlists, Receiver *receiver)
{
	for (uint32 l = 0; l < nlists; l++)
		ChunkListFree(rows, &lists[l]);
	for (uint32 i = 0; i < member->shared->nparts; i++)
	{
		if (member->segments[i].segment != NULL)
			dsm_detach(member->segments[i].segment);
	}
	if (receiver != NULL)
		LeavePart(member, receiver);
	LedgerDestroy(member->ledger);
	dsm_detach(member->reading);
}

void
MemberTakeChunks(CrewMember *member, TakeChunk take, void *arg)
{
	GpufimRows *rows = MemberRows(member, NULL, NULL);
	ChunkList	list = {0};

	MemberFindChunks(member, rows, &list);
	TakeChunks(rows, &list, member->task, take, arg);
	MemberLeave(member, rows, &list, 1, NULL);
}
