/*-------------------------------------------------------------------------
 *
 * segments.c
 *	  Segments of shared memory in which chunks of encoded rows lie, and the pages of memory that they take.
 *
 * Where several processes read, others will need what each of them has read.  So a process writes its chunks to segments from the
 * beginning, once there is more than a little.  Nobody knows how much will come, so a process takes one segment after the other,
 * each half as large as all before it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "gpufim.h"
#include "miscadmin.h"
#include "read/rows.h"
#include "storage/shmem.h"
#include "work/work.h"

/*
 * Pages.
 */

/* Bytes whose pages are made between two checks for interrupts. */
#define PAGES_STEP				(4 * 1024 * 1024)

/* Less memory than this is often not new to the process, and if it is, page faults take little longer than a call of the kernel. */
#define FEW_BYTES				(64 * 1024)

/* Has the kernel do something with all pages that lie in this memory as a whole, which it may be unable to do. */
pg_attribute_unused()
static void
AdvisePages(void *memory, Size bytes, int advice)
{
	static uintptr_t page = 0;
	uintptr_t	start;
	uintptr_t	end;

	if (bytes < FEW_BYTES)
		return;
	if (page == 0)
		page = (uintptr_t) sysconf(_SC_PAGESIZE);
	start = TYPEALIGN(page, memory);
	end = TYPEALIGN_DOWN(page, (uintptr_t) memory + bytes);
	for (; start < end; start += Min(PAGES_STEP, end - start))
	{
		CHECK_FOR_INTERRUPTS();
		(void) madvise((void *) start, Min(PAGES_STEP, end - start), advice);
	}
}

void
MakePages(void *memory, Size bytes)
{
#ifdef MADV_POPULATE_WRITE
	AdvisePages(memory, bytes, MADV_POPULATE_WRITE);
#endif
}

void
ChunkGivePagesBack(const Chunk *chunk)
{
#ifdef MADV_REMOVE
	/* pages of the main shared memory serve the next segment: see min_dynamic_shared_memory */
	if (chunk->segment != NULL && !ShmemAddrIsValid(chunk->words))
		AdvisePages(chunk->words, chunk->used * sizeof(uint32), MADV_REMOVE);
#endif
}

/*
 * Segments.
 */

static void
Detach(PartSegment *segment)
{
	LedgerGiveBack(segment->ledger, dsm_segment_map_length(segment->segment));
	dsm_detach(segment->segment);
	segment->segment = NULL;
}

/* The ledger is destroyed.  There may be chunks that nobody has read. */
static void
Close(void *arg)
{
	PartSegment *segment = arg;

	if (segment->segment != NULL)
		Detach(segment);
}

PartSegment *
PartSegmentAdd(MemoryLedger *ledger, dsm_segment *segment)
{
	PartSegment *result = MemoryContextAllocZero(ledger->context, sizeof(PartSegment));

	result->segment = segment;
	result->ledger = ledger;
	result->users = 1;
	result->relief.close = Close;
	result->relief.arg = result;
	LedgerAddRelief(ledger, &result->relief);
	return result;
}

PartSegment *
PartSegmentCreate(MemoryLedger *ledger, uint64 words)
{
	Size		size = words * sizeof(uint32);
	dsm_segment *segment = NULL;
	/* the attempt's owner has the segment until the ledger counts it; then the caller's has it */
	ResourceOwner owner = AttemptExecutes(ledger);

	if (size <= LedgerRoom(ledger) / 4 * 3)
		segment = SegmentCreate(size);
	if (segment != NULL)
	{
		LedgerMakeRoom(ledger, dsm_segment_map_length(segment), "encoded rows");
		dsm_pin_mapping(segment);
	}
	CurrentResourceOwner = owner;
	if (segment == NULL)
		return NULL;
	dsm_unpin_mapping(segment);
	return PartSegmentAdd(ledger, segment);
}

void
PartSegmentRelease(PartSegment *segment)
{
	if (--segment->users == 0)
		Detach(segment);
}

void
PartSegmentsRelease(const List *segments)
{
	ListCell   *cell;

	foreach(cell, segments)
		PartSegmentRelease(lfirst(cell));
}

List *
PartSegmentsCollect(List *segments, const ChunkList *list)
{
	for (uint32 i = 0; i < list->nchunks; i++)
	{
		PartSegment *segment = list->chunks[i].segment;
		uint32		n = list_length(segments);

		if (segment == NULL || (segment->number < n && list_nth(segments, segment->number) == segment))
			continue;
		segment->number = n;
		segments = lappend(segments, segment);
	}
	return segments;
}

/*
 * Leaving segments to another process.  One that is pinned outlives the process that leaves it.
 *
 * An error of the process that would take the segments has it detach the places at once, while others may still be about to leave
 * theirs.  Whoever takes a handle out of its place, which one process can do, unpins the segment.
 */

static void
DropPlace(SegmentPlaces *places, uint32 place)
{
	dsm_handle	handle = pg_atomic_exchange_u32(&places->handles[place], DSM_HANDLE_INVALID);

	if (handle != DSM_HANDLE_INVALID)
		dsm_unpin_segment(handle);
}

static void
ForgetPlaces(dsm_segment *segment, Datum arg)
{
	SegmentPlaces *places = (SegmentPlaces *) DatumGetPointer(arg);

	/* exchanging is a barrier: either a handle is seen here, or who leaves it sees this */
	(void) pg_atomic_exchange_u32(&places->closed, 1);
	for (uint32 place = 0; place < MOST_PLACES; place++)
		DropPlace(places, place);
}

void
SegmentPlacesInit(SegmentPlaces *places, dsm_segment *segment)
{
	pg_atomic_init_u32(&places->taken, 0);
	pg_atomic_init_u32(&places->closed, 0);
	for (int i = 0; i < MOST_PLACES; i++)
		pg_atomic_init_u32(&places->handles[i], DSM_HANDLE_INVALID);
	on_dsm_detach(segment, ForgetPlaces, PointerGetDatum(places));
}

uint32
SegmentPlacesTake(SegmentPlaces *places, uint32 n)
{
	uint32		first = pg_atomic_fetch_add_u32(&places->taken, n);

	return first < MOST_PLACES && n <= MOST_PLACES - first ? first : NO_PLACES;
}

void
SegmentsLeave(SegmentPlaces *places, uint32 first, const List *segments)
{
	ListCell   *cell;

	foreach(cell, segments)
	{
		PartSegment *segment = lfirst(cell);

		segment->ledger->used -= dsm_segment_map_length(segment->segment);
		dsm_pin_segment(segment->segment);
		(void) pg_atomic_exchange_u32(&places->handles[first], dsm_segment_handle(segment->segment));
		if (pg_atomic_read_u32(&places->closed) != 0)
			DropPlace(places, first);
		first++;
		dsm_detach(segment->segment);
		segment->segment = NULL;
	}
}

List *
SegmentsTake(MemoryLedger *ledger, SegmentPlaces *places, uint32 first, uint32 n)
{
	List	   *segments = NIL;

	for (uint32 place = first; place < first + n; place++)
	{
		dsm_segment *segment = SegmentAttach(pg_atomic_read_u32(&places->handles[place]));

		DropPlace(places, place);
		segments = lappend(segments, PartSegmentAdd(ledger, segment));
	}
	return segments;
}

/*
 * The store of a process.
 */

/* As long as a process uses less memory than this, copying its chunks to a segment in the end takes no time. */
#define LEAST_TO_STORE		((uint64) 1024 * 1024)

/* Words of the first segment, and of the longest one. */
#define LEAST_WORDS			((uint64) 1024 * 1024)
#define MOST_WORDS			(64 * LEAST_WORDS)

struct ChunkStore
{
	MemoryLedger *ledger;
	PartSegment *filling;		/* NULL: none */
	uint64		used;			/* words of it */
	uint64		words;			/* in all segments that have been taken */
	bool		closed;			/* there is no room for another segment, or no need of one, and there will be none */
};

ChunkStore *
ChunkStoreCreate(MemoryLedger *ledger)
{
	ChunkStore *store = MemoryContextAllocZero(ledger->context, sizeof(ChunkStore));

	store->ledger = ledger;
	return store;
}

static uint64
WordsOfSegment(const PartSegment *segment)
{
	return segment != NULL ? dsm_segment_map_length(segment->segment) / sizeof(uint32) : 0;
}

/* Lets go of the segment that is being filled. */
static void
LeaveFilling(ChunkStore *store)
{
	PartSegment *segment = store->filling;

	store->filling = NULL;
	store->used = 0;
	if (segment != NULL)
		PartSegmentRelease(segment);
}

/*
 * Takes another segment, which has room for nwords at least.  Rows in a segment do not give back memory as soon as they
 * move to a file, so half of the limit is left for other memory.
 */
static bool
TakeSegment(ChunkStore *store, uint64 nwords)
{
	MemoryLedger *ledger = store->ledger;
	uint64		words = Max(nwords, Min(Max(store->words / 2, LEAST_WORDS), MOST_WORDS));
	ResourceOwner owner;

	if (store->closed || ledger->used < LEAST_TO_STORE)
		return false;
	LeaveFilling(store);
	owner = AttemptKeeps(ledger);
	if (LedgerUsed(ledger) + words * sizeof(uint32) <= ledger->limit / 2)
		store->filling = PartSegmentCreate(ledger, words);
	CurrentResourceOwner = owner;
	store->words += words;
	store->closed = store->filling == NULL;
	return !store->closed;
}

uint32 *
ChunkStoreReserve(ChunkStore *store, uint64 nwords, PartSegment **segment)
{
	uint32	   *words;

	if (WordsOfSegment(store->filling) - store->used < nwords && !TakeSegment(store, nwords))
		return NULL;
	words = SegmentWords(store->filling) + store->used;
	store->used += nwords;
	store->filling->users++;
	*segment = store->filling;
	return words;
}

void
ChunkStoreClose(ChunkStore *store)
{
	store->closed = true;
	LeaveFilling(store);
}
