/*-------------------------------------------------------------------------
 *
 * known_ring.c
 *	  How workers tell each other the maximal itemsets that they find.
 *
 * A ring of slots in shared memory, which all workers read from its beginning on
 * in the same order.  known.c says what the chunks in it mean.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "known.h"
#include "miner.h"

/*
 * Known maximal itemsets as differences, in blocks that can be read alone.
 */

/*
 * The most itemsets of a block.  The first itemset of a block is written in full.  So an
 * itemset that has little in common with the one before loses little by beginning another
 * block, and does so.
 */
#define BLOCK_ITEMSETS	4

/* The least number of elements of an array.  It is small, since there are arrays by item. */
#define LEAST_ROOM		8

void *
KnownGrow(Miner *m, void *old, size_t used, size_t *room, size_t n, size_t size)
{
	size_t		more = *room * 2 > n ? *room * 2 : n;
	void	   *block;

	if (n <= *room && old != NULL)
		return old;
	if (more < LEAST_ROOM)
		more = LEAST_ROOM;
	block = m->host->alloc(m->host, more * size);
	if (block == NULL)
		longjmp(m->leave, FIM_OUT_OF_MEMORY);
	if (old != NULL)
	{
		memcpy(block, old, used * size);
		m->host->free(m->host, old);
	}
	*room = more;
	return block;
}

/* Write a number, 7 bits to a byte, the lowest first.  All bytes but the last have the top bit set. */
static inline uint8_t *
PutNumber(uint8_t *to, uint32_t number)
{
	for (; number >= 128; number >>= 7)
		*to++ = (uint8_t) (number | 128);
	*to++ = (uint8_t) number;
	return to;
}

#define MOST_BYTES_OF_NUMBER	5

/* End the block at hand, so that the next itemset begins another one. */
static void
KnownEndBlock(Known *known)
{
	known->in_block = 0;
	known->nlast = 0;
}

/* Note that the last block holds an item. */
static void
AddPlace(Miner *m, KnownPlaces *places)
{
	uint32_t	block = (uint32_t) m->known->nblocks - 1;
	size_t		room = places->room;
	uint32_t   *many;

	if (places->n > 0 && KnownBlocks(places)[places->n - 1] == block)
		return;
	if (places->n < FEW_PLACES)
	{
		places->block.few[places->n++] = block;
		return;
	}
	if (places->n == FEW_PLACES)
	{
		many = KnownGrow(m, NULL, 0, &room, FEW_PLACES + 1, sizeof(uint32_t));
		memcpy(many, places->block.few, sizeof(places->block.few));
	}
	else
		many = KnownGrow(m, places->block.many, places->n, &room, (size_t) places->n + 1, sizeof(uint32_t));
	many[places->n++] = block;
	places->block.many = many;
	places->room = (uint32_t) room;
}

/*
 * An itemset is written as the number of leading items that it shares with the one
 * before, the number of its other items, and these items.
 */
void
KnownAdd(Miner *m, const uint32_t *items, uint32_t length)
{
	Known	   *known = m->known;
	uint32_t	keep = 0;
	uint8_t    *to;

	while (keep < length && keep < known->nlast && items[keep] == known->last[keep])
		keep++;
	if (known->in_block == BLOCK_ITEMSETS || keep < length / 2)
	{
		KnownEndBlock(known);
		keep = 0;
	}
	if (known->in_block++ == 0)
	{
		known->block = KnownGrow(m, known->block, known->nblocks, &known->block_room,
								 known->nblocks + 1, sizeof(size_t));
		known->block[known->nblocks++] = known->used;
	}
	known->bytes = KnownGrow(m, known->bytes, known->used, &known->room,
							 known->used + ((size_t) length + 2) * MOST_BYTES_OF_NUMBER, 1);
	to = PutNumber(PutNumber(known->bytes + known->used, keep), length - keep);
	for (uint32_t i = keep; i < length; i++)
	{
		to = PutNumber(to, items[i]);
		known->last[i] = items[i];
		AddPlace(m, &known->places[items[i]]);
	}
	known->nlast = length;
	known->used = (size_t) (to - known->bytes);
}

/*
 * The part of the shared state that only maximal itemsets need is a ring of slots.  A
 * chunk takes one or more slots side by side, and uses the header of the first.  Its
 * position is the number of slots that have ever been taken before it.  Slots are free
 * again when all workers have read them.
 *
 * A worker that comes when the ring is in its second round has missed something, and
 * takes no class.  So that all workers can come in time, no worker begins the second
 * round before it has done JOINING_WORK itself, which takes some 30 ms.
 */
#define SLOT_SIZE		128		/* in bytes, as the next two */
#define STORE_LEAST		((uint64_t) 1 << 20)
#define STORE_MOST		((uint64_t) 1 << 23)
#define MOST_WORKERS	1024
#define JOINING_WORK	(WORK_PER_POLL * 16)
#define JOINING_ENDED	(UINT32_C(1) << 31) /* set by whoever begins the second round */

typedef struct SharedStore
{
	uint64_t	nslots;
	uint64_t	taken;			/* atomic: slots ever taken */
	uint32_t	joined;			/* atomic: workers, and JOINING_ENDED */
	uint64_t	read[MOST_WORKERS]; /* atomic: the position up to which each worker has read */
} SharedStore;

/*
 * The header of a chunk.  The SharedStore is followed by nslots of them, then by the
 * slots, which hold itemsets in the same form as Known.bytes.
 */
typedef struct SharedChunk
{
	uint64_t	ready;			/* atomic: the chunk's position + 1 once it may be read */
	uint32_t	class;			/* 0 for a chunk that only fills the end of the ring */
	uint32_t	passed;			/* as for KnownPublish() */
	uint32_t	size;			/* in bytes */
} SharedChunk;

/* A chunk of several blocks takes at most 1 / MOST_OF_RING of the ring. */
#define MOST_OF_RING	8

static inline SharedStore *
Store(const FimShared *shared)
{
	return (SharedStore *) (shared + 1);
}

static inline SharedChunk *
StoreChunk(const FimShared *shared, uint64_t position)
{
	return (SharedChunk *) (Store(shared) + 1) + position % Store(shared)->nslots;
}

static inline uint8_t *
StoreBytes(const FimShared *shared, uint64_t position)
{
	uint64_t	nslots = Store(shared)->nslots;

	return (uint8_t *) ((SharedChunk *) (Store(shared) + 1) + nslots) + position % nslots * SLOT_SIZE;
}

/* Small data have few itemsets.  One worker fills the largest ring in about half a second. */
static uint64_t
StoreSlots(uint64_t entries)
{
	uint64_t	size = entries * 16;

	return (size < STORE_LEAST ? STORE_LEAST : size > STORE_MOST ? STORE_MOST : size) / SLOT_SIZE;
}

size_t
KnownSharedSize(uint64_t entries)
{
	return sizeof(SharedStore) + (sizeof(SharedChunk) + SLOT_SIZE) * StoreSlots(entries);
}

void
KnownSharedInit(FimShared *shared, const FimDatabase *db)
{
	memset(Store(shared), 0, sizeof(SharedStore));
	Store(shared)->nslots = StoreSlots(db->entries);
	memset(StoreChunk(shared, 0), 0, sizeof(SharedChunk) * Store(shared)->nslots);
}

bool
KnownJoin(Miner *m)
{
	uint32_t	joined = __atomic_fetch_add(&Store(m->shared)->joined, 1, __ATOMIC_ACQ_REL);

	m->known->worker = joined & ~JOINING_ENDED;
	/* false as well once JOINING_ENDED is set, which is beyond any number */
	return joined < MOST_WORKERS;
}

void
KnownQuit(Miner *m)
{
	const Known *known = m->known;

	if (known->worker < MOST_WORKERS)
		__atomic_store_n(&Store(m->shared)->read[known->worker], UINT64_MAX, __ATOMIC_RELEASE);
}

static inline uint64_t
SlotsOf(uint64_t size)
{
	return size <= SLOT_SIZE ? 1 : (size + SLOT_SIZE - 1) / SLOT_SIZE;
}

/* The position up to which slots may be taken, since all workers have read what was in them. */
static uint64_t
FreeUpTo(Miner *m)
{
	SharedStore *store = Store(m->shared);
	uint32_t	joined = __atomic_fetch_or(&store->joined, JOINING_ENDED, __ATOMIC_ACQ_REL);
	uint64_t	least = UINT64_MAX - store->nslots; /* so that the sum below does not wrap */

	joined &= ~JOINING_ENDED;
	for (uint32_t w = 0; w < joined && w < MOST_WORKERS; w++)
	{
		uint64_t	read = __atomic_load_n(&store->read[w], __ATOMIC_ACQUIRE);

		if (read < least)
			least = read;
	}
	return least + store->nslots;
}

static void
WriteChunk(Miner *m, uint64_t position, uint32_t class, uint32_t passed, uint64_t size)
{
	SharedChunk *chunk = StoreChunk(m->shared, position);

	chunk->class = class;
	chunk->passed = passed;
	chunk->size = (uint32_t) size;
	__atomic_store_n(&chunk->ready, position + 1, __ATOMIC_RELEASE);
}

/* Put a chunk into the ring.  Returns false if the ring is full, or if its second round must not begin yet. */
static bool
PutChunk(Miner *m, uint32_t class, uint32_t passed, const uint8_t *bytes, uint64_t size)
{
	SharedStore *store = Store(m->shared);
	uint64_t	n = SlotsOf(size);
	uint64_t	at = __atomic_load_n(&store->taken, __ATOMIC_RELAXED);
	uint64_t	skip;

	do
	{
		uint64_t	end;

		skip = at % store->nslots + n > store->nslots ? store->nslots - at % store->nslots : 0;
		end = at + skip + n;
		if (end > store->nslots && end > m->known->free_up_to)
		{
			if (MinerWorked(m) < JOINING_WORK)
				return false;
			m->known->free_up_to = FreeUpTo(m);
			if (end > m->known->free_up_to)
				return false;
		}
	} while (!__atomic_compare_exchange_n(&store->taken, &at, at + skip + n, true,
										  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (skip > 0)
		WriteChunk(m, at, 0, UINT32_MAX, skip * SLOT_SIZE);
	if (size > 0)
		memcpy(StoreBytes(m->shared, at + skip), bytes, size);
	WriteChunk(m, at + skip, class, passed, size);
	return true;
}

/*
 * Put the pending blocks into the ring as far as there is room.  The rest waits; until it is
 * in the ring, the other workers know of no progress of its classes.  A block that is larger than
 * the ring waits for ever, and so does what comes after it, which costs time and no results.  It cannot be left out, because what
 * a worker later says of its progress is true only for those who have read all that it found.
 */
static void
PutPending(Miner *m)
{
	Known	   *known = m->known;
	uint64_t	most = Store(m->shared)->nslots * SLOT_SIZE / MOST_OF_RING;

	for (; known->first_pending < known->npending; known->first_pending++)
	{
		Pending    *next = &known->pending[known->first_pending];
		uint32_t	end = next->block;

		do
		{
			size_t		at = KnownBlockStart(known, next->block);

			while (end < next->end &&
				   (end == next->block || KnownBlockStart(known, end + 1) - at <= most))
				end++;
			if (!PutChunk(m, next->class, end < next->end ? UINT32_MAX : next->passed,
						  known->bytes + at, KnownBlockStart(known, end) - at))
				return;
			next->block = end;
		} while (end < next->end);
	}
	known->first_pending = known->npending = 0;
}

void
KnownPublish(Miner *m, uint32_t passed)
{
	Known	   *known = m->known;

	KnownEndBlock(known);
	known->pending = KnownGrow(m, known->pending, known->npending, &known->pending_room,
							   known->npending + 1, sizeof(Pending));
	known->pending[known->npending++] =
		(Pending) {(uint32_t) known->own_block, (uint32_t) known->nblocks, known->class, passed};
	known->own_block = known->nblocks;
	known->own_since = MinerWorked(m);
	PutPending(m);
}

bool
KnownHasNews(const Miner *m)
{
	uint64_t	at = m->known->read_to;

	return __atomic_load_n(&StoreChunk(m->shared, at)->ready, __ATOMIC_ACQUIRE) == at + 1;
}

bool
KnownLagsBehind(const Miner *m)
{
	const SharedStore *store = Store(m->shared);

	return __atomic_load_n(&store->taken, __ATOMIC_RELAXED) - m->known->read_to > store->nslots / 2;
}

static void
ImportChunk(Miner *m, const SharedChunk *chunk, const uint8_t *at)
{
	Known	   *known = m->known;
	const uint8_t *end = at + chunk->size;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t   *items;

	/* of classes that are done, or that this worker mines itself, nothing is new; passed[] is 0 for both */
	if (chunk->class == 0 || known->passed[chunk->class] == 0)
		return;
	items = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->db->nitems + 1));
	while (at < end)
	{
		uint32_t	keep;
		uint32_t	added;

		at = KnownGetNumber(KnownGetNumber(at, &keep), &added);
		for (uint32_t i = 0; i < added; i++)
			at = KnownGetNumber(at, &items[keep + i]);
		KnownAdd(m, items, keep + added);
		MinerWork(m, 8 + added);
	}
	ArenaRelease(&m->arena, mark);
	if (chunk->passed < known->passed[chunk->class])
		known->passed[chunk->class] = chunk->passed;
}

void
KnownImport(Miner *m)
{
	Known	   *known = m->known;

	while (KnownHasNews(m))
	{
		const SharedChunk *chunk = StoreChunk(m->shared, known->read_to);
		uint64_t	n = SlotsOf(chunk->size);

		ImportChunk(m, chunk, StoreBytes(m->shared, known->read_to));
		known->read_to += n;
		__atomic_store_n(&Store(m->shared)->read[known->worker], known->read_to, __ATOMIC_RELEASE);
	}
	KnownEndBlock(known);
	known->own_block = known->nblocks;
}
