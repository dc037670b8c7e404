/*-------------------------------------------------------------------------
 *
 * known.c
 *	  The maximal itemsets found so far, by this worker and the others.
 *
 * A worker keeps every maximal itemset that it knows, of which there can be
 * millions.  The depth-first search finds them in an order in which each has most of
 * its items in common with the one before, so they are written as differences, which
 * take a few bytes each.  A few itemsets make a block, which can be read without the
 * blocks before it.  For each item there is a list of the blocks that hold it.
 *
 * A worker publishes what it finds in chunks.  They go into a ring that all workers
 * read in the same order from its beginning on.  A chunk also says how far its class
 * has got.  Within a class an itemset belongs to the first of its columns that is
 * searched.  So once the column of an item has been searched, all maximal itemsets of
 * the class that hold the item are known, although the class goes on: the class has
 * "passed" the item.  A chunk says this by one item number: the class has passed all
 * items from that number on.  One number is enough, because columns are searched by
 * ascending support in the class, which is roughly by descending number.  An item in
 * all rows of the class is no column but part of every itemset of the class.  So the
 * class does not pass that item, nor any item with a lower number, before it is done.
 *
 * While a class is mined, a rarer item is "open" if its own class has not passed the
 * item of this class, as far as this worker has read.  Open items are columns of the
 * witness, a matrix of the class's rows.  An itemset that is in no known itemset is
 * maximal if no open item extends it, and the witness is there to count that.
 *
 * The result does not depend on timing, for this reason.  Let S be an itemset that is
 * found in class d and has a frequent superset.  A superset that is in class d, too, is
 * dealt with by the search of d.  Otherwise there is an item x, rarer than d's, such
 * that S with x is frequent; take the rarest such item, so that S with x is in the
 * class c of x.  If x was open when S was found, S with x was counted.  If not, this
 * worker had read a chunk of c that has passed d's item, which is in S.  When that
 * chunk was made, c's worker knew an itemset M that contains S and x.  M need not be
 * maximal, since a worker keeps what it finds even if an open item extends it.  M was
 * either found in c, and then lies in this chunk or in one before it, since the chunks
 * of a worker are in order; or it was imported from a chunk that comes before this one
 * in the ring.  Either way this worker knew M, and had it in the focus, before it
 * dropped x from the open items.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "known.h"
#include "miner.h"
#include "output.h"

/*
 * What a worker keeps of the maximal itemsets that it knows.
 */

/* The blocks, in an array that is only to be read. */
static inline const uint32_t *
KnownBlocks(const KnownPlaces *places)
{
	return places->n <= FEW_PLACES ? places->block.few : places->block.many;
}

/*
 * Known maximal itemsets as differences, in blocks that can be read alone.
 */

/* Where a block begins in known->bytes.  For the number after the last block, this is where the bytes end. */
static inline size_t
KnownBlockStart(const Known *known, size_t block)
{
	return block < known->nblocks ? known->block[block] : known->used;
}

/* Read a number as PutNumber() in known.c writes it.  Returns the address of what follows it. */
static inline const uint8_t *
KnownGetNumber(const uint8_t *from, uint32_t *number)
{
	uint32_t	value = *from & 127;

	for (int shift = 7; *from++ & 128; shift += 7)
		value |= (uint32_t) (*from & 127) << shift;
	*number = value;
	return from;
}

/*
 * The most itemsets of a block.  The first itemset of a block is written in full.  So an
 * itemset that has little in common with the one before loses little by beginning another
 * block, and does so.
 */
#define BLOCK_ITEMSETS	4

/* The least number of elements of an array.  It is small, since there are arrays by item. */
#define LEAST_ROOM		8

/*
 * Returns an array with room for n elements of "size" bytes.  This is the old array if it has
 * that room.  Otherwise it is a block of the host, at least twice as large as the old array,
 * with a copy of the first "used" elements; the old array is freed and *room is set.  Leaves
 * by the miner's jump if there is no memory.
 */
static void *
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
 * A search's known itemsets, as sets of its columns.
 *
 * Only known itemsets that hold the path and the item of the class can tell the search
 * of a class anything.  They are read from their blocks when the search begins.  Those
 * that are found or imported later are added.
 */

/* Marks the items of the path while known itemsets are compared with it. */
#define ON_PATH		UINT32_MAX

/* Blocks lie scattered in memory, so each is prefetched this many blocks ahead. */
#define PLACES_AHEAD	8

/*
 * A known itemset as it is read, and how much it has of the path and of some columns.  While
 * a reader is open, known->column[] has the column + 1 of an item, or ON_PATH.
 */
typedef struct Reader
{
	uint32_t   *items;			/* [length] the itemset */
	uint32_t	length;
	uint32_t	on_path;		/* how many items of the path it has */
	uint32_t	columns;		/* how many of the columns it has */
	uint32_t	must;			/* the column + 1 that an itemset must have to be added, or 0 */
	const uint32_t *names;		/* [ncolumns] the columns' items */
	uint32_t	ncolumns;
} Reader;

/* Count an item of the itemset.  "one" is 1 if the item is added, and UINT32_MAX, as -1, if it is taken away. */
static inline void
AddItem(const Known *known, Reader *reader, uint32_t item, uint32_t one)
{
	uint32_t	column = known->column[item];

	reader->on_path += column == ON_PATH ? one : 0;
	reader->columns += column != 0 && column != ON_PATH ? one : 0;
}

/* Read the next itemset.  Only the items in which it differs from the one before are replaced. */
static inline const uint8_t *
ReadKnown(const Known *known, const uint8_t *at, Reader *reader)
{
	uint32_t	keep;
	uint32_t	added;

	at = KnownGetNumber(KnownGetNumber(at, &keep), &added);
	while (reader->length > keep)
		AddItem(known, reader, reader->items[--reader->length], UINT32_MAX);
	for (; added > 0; added--)
	{
		at = KnownGetNumber(at, &reader->items[reader->length]);
		AddItem(known, reader, reader->items[reader->length++], 1);
	}
	return at;
}

static void
OpenReader(Miner *m, Reader *reader, const uint32_t *names, uint32_t ncolumns)
{
	Known	   *known = m->known;

	memset(reader, 0, sizeof(Reader));
	reader->items = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->db->nitems + 1));
	reader->names = names;
	reader->ncolumns = ncolumns;
	for (uint32_t c = 0; c < ncolumns; c++)
		known->column[names[c]] = c + 1;
	for (uint32_t i = 0; i < m->out.depth; i++)
		known->column[m->out.path[i]] = ON_PATH;
}

static void
CloseReader(Miner *m, const Reader *reader)
{
	for (uint32_t c = 0; c < reader->ncolumns; c++)
		m->known->column[reader->names[c]] = 0;
	for (uint32_t i = 0; i < m->out.depth; i++)
		m->known->column[m->out.path[i]] = 0;
}

/*
 * Number another set of the search, and return the words of known->held that have its bit, one
 * for each column.  The bit is 0 in all of them.
 */
static uint64_t *
AddSet(Miner *m)
{
	Known	   *known = m->known;
	size_t		at = (size_t) (known->nsets / 64) * known->ncolumns;

	if (known->nsets++ % 64 == 0)
	{
		known->held = KnownGrow(m, known->held, at, &known->held_room, at + known->ncolumns,
								sizeof(uint64_t));
		memset(known->held + at, 0, sizeof(uint64_t) * known->ncolumns);
	}
	return known->held + at;
}

/*
 * Add the itemsets of a block that hold the path to the search's sets.  Returns false as
 * soon as one of them has all columns.
 */
static bool
AddBlock(Miner *m, size_t block, Reader *reader)
{
	const Known *known = m->known;
	const uint8_t *at = known->bytes + KnownBlockStart(known, block);
	const uint8_t *end = known->bytes + KnownBlockStart(known, block + 1);

	while (at < end)
	{
		uint64_t   *words;
		uint64_t	bit;
		bool		must = reader->must == 0;

		at = ReadKnown(known, at, reader);
		MinerWork(m, 8);
		if (reader->on_path != m->out.depth ||
			(reader->columns == 0 && reader->ncolumns > 0))
			continue;
		for (uint32_t i = 0; !must && i < reader->length; i++)
			must = known->column[reader->items[i]] == reader->must;
		if (!must)
			continue;
		bit = UINT64_C(1) << (known->nsets % 64);
		words = AddSet(m);
		for (uint32_t i = 0; i < reader->length; i++)
		{
			uint32_t	column = known->column[reader->items[i]];

			if (column != 0 && column != ON_PATH)
				words[column - 1] |= bit;
		}
		if (reader->columns == reader->ncolumns)
			return false;
	}
	return true;
}

bool
KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items, uint32_t ncolumns)
{
	Known	   *known = m->known;
	uint32_t	nwords = (ncolumns + 63) / 64;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	const KnownPlaces *places;
	const uint32_t *blocks;
	Reader		reader;
	bool		covered = false;

	known->ncolumns = ncolumns;
	known->class_words = nwords;
	known->path = KnownGrow(m, known->path, 0, &known->path_room, nwords, sizeof(uint64_t));
	memset(known->path, 0, sizeof(uint64_t) * nwords);
	known->nsets = 0;

	/* the sets have all of these items, so reading the blocks of the item with the fewest is enough */
	places = &known->places[class_item];
	for (uint32_t i = 0; i < m->out.depth; i++)
		if (known->places[m->out.path[i]].n < places->n)
			places = &known->places[m->out.path[i]];
	OpenReader(m, &reader, items, ncolumns);
	if (known->column[class_item] != ON_PATH)
		reader.must = known->column[class_item];
	blocks = KnownBlocks(places);
	for (uint32_t p = places->n; p-- > 0 && !covered;)
	{
		if (p >= PLACES_AHEAD)
			__builtin_prefetch(known->bytes + known->block[blocks[p - PLACES_AHEAD]]);
		covered = !AddBlock(m, blocks[p], &reader);
	}
	CloseReader(m, &reader);
	ArenaRelease(&m->arena, mark);
	return !covered;
}

/*
 * Add to the search's sets the itemsets of the blocks from number "from" on that hold the
 * path, for a node at the top of the search.  The node has n columns, which are the caller's
 * items names[] and the search's columns column[].  Once an itemset has all of these, the
 * blocks that follow are not read.
 */
static void
KnownAddBlocks(Miner *m, size_t from, const uint32_t *names, const uint32_t *column, uint32_t n)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Reader		reader;

	OpenReader(m, &reader, names, n);
	/* only the node's columns matter of a set that others have found; they go by the search's numbers */
	for (uint32_t c = 0; c < n; c++)
		m->known->column[names[c]] = column[c] + 1;
	while (from < m->known->nblocks && AddBlock(m, from, &reader))
		from++;
	CloseReader(m, &reader);
	ArenaRelease(&m->arena, mark);
}

/* Add the path, which must be within the search, to its sets. */
static void
KnownAddPath(Miner *m)
{
	Known	   *known = m->known;
	uint64_t	bit = UINT64_C(1) << (known->nsets % 64);
	uint64_t   *words = AddSet(m);

	for (uint32_t w = 0; w < known->class_words; w++)
		for (uint64_t left = known->path[w]; left != 0; left &= left - 1)
			words[w * 64 + (uint32_t) __builtin_ctzll(left)] |= bit;
}

/*
 * How workers tell each other the maximal itemsets that they find.
 *
 * A ring of slots in shared memory, which all workers read from its beginning on
 * in the same order.  known.c says what the chunks in it mean.
 */

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
#define SLOT_SIZE		128
#define STORE_LEAST		((uint64_t) 1 << 20)
#define STORE_MOST		((uint64_t) 1 << 23)
#define MOST_WORKERS	1024
#define JOINING_WORK	(WORK_PER_POLL * 16)
#define JOINING_ENDED	(UINT32_C(1) << 31)

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

/* Give this worker a number.  Returns false if it comes too late to know everything. */
static bool
KnownJoin(Miner *m)
{
	uint32_t	joined = __atomic_fetch_add(&Store(m->shared)->joined, 1, __ATOMIC_ACQ_REL);

	m->known->worker = joined & ~JOINING_ENDED;
	return joined < MOST_WORKERS;
}

/* Tell the others that they need not wait for this worker any more. */
static void
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
	uint64_t	least = UINT64_MAX - store->nslots;

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
 * the ring waits for ever, and so does what comes after it.  It cannot be left out, because what
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

/*
 * Whether the ring has anything that this worker has not imported yet, and whether that takes
 * more than half of the ring.
 */
static bool
KnownHasNews(const Miner *m)
{
	uint64_t	at = m->known->read_to;

	return __atomic_load_n(&StoreChunk(m->shared, at)->ready, __ATOMIC_ACQUIRE) == at + 1;
}

static bool
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

/* Add what others have published since the last call.  This worker must have published all that it has found. */
static void
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

/*
 * Items of classes that are not done, and whether they extend an itemset.
 *
 * The top of known.c says which items are open, and what the witness is for.
 */

/*
 * Set known->any_open, and forget classes that are done.
 *
 * Only the classes after the last one that has not passed are looked at.  There are no more of these
 * than workers, but for those that are done, which are forgotten.  So this takes little time even
 * where many classes wait to be imported.
 */
static void
KnownFindOpen(Known *known)
{
	uint32_t	from = known->nundone;
	uint32_t	n;

	while (from > 0 && KnownHasPassed(known, known->undone[from - 1]))
		from--;
	n = from;
	for (uint32_t u = from; u < known->nundone; u++)
		if (known->passed[known->undone[u]] != 0)
			known->undone[n++] = known->undone[u];
	known->nundone = n;
	known->any_open = from > 0;
}

/*
 * Find the columns that are frequent together with each open item.  An open item cannot
 * extend an itemset that has any other column, which spares counting nearly all itemsets.
 */
static void
FindTogether(Miner *m)
{
	Known	   *known = m->known;
	size_t		size = sizeof(uint64_t) * (size_t) known->class_words * known->nwitness_open;

	known->together = ArenaAlloc(&m->arena, size);
	memset(known->together, 0, size);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
		for (uint32_t c = 0; c < known->ncolumns; c++)
		{
			uint32_t	pair[2] = {c, known->witness_open[x]};

			if (m->kernels->common_support(&known->witness, pair, 2) >= m->job->minsup)
				known->together[(size_t) x * known->class_words + c / 64] |= UINT64_C(1) << (c % 64);
			MinerWork(m, known->witness.nwords / 4);
		}
}

void
KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns)
{
	ColumnMatrix *to = &m->known->witness;
	size_t		size;

	to->nwords = RoundUp8(rows->nwords);
	size = sizeof(uint64_t) * to->nwords * (size_t) ncolumns;
	to->words = ArenaAlloc(&m->arena, size);
	to->shift = ArenaAlloc(&m->arena, to->nwords);
	m->known->path_columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) ncolumns + 1));
	memset(to->words, 0, size);
	memset(to->shift, 0, to->nwords);
	for (uint32_t w = 0; w < rows->nwords; w++)
	{
		for (uint32_t c = 0; c < ncolumns; c++)
			to->words[(size_t) c * to->nwords + w] = rows->words[(size_t) w * rows->stride + c];
		if (rows->shift != NULL)
			to->shift[w] = rows->shift[w];
		MinerWork(m, ncolumns);
	}
	FindTogether(m);
}

/* Drop the open items, those of the witness, too, whose classes have passed this class's item since. */
static void
KnownDropPassed(Miner *m)
{
	Known	   *known = m->known;
	size_t		size = sizeof(uint64_t) * known->class_words;
	uint32_t	n = 0;

	KnownFindOpen(known);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
	{
		if (!KnownIsOpen(m, known->witness_item[x]))
			continue;
		known->witness_item[n] = known->witness_item[x];
		known->witness_open[n] = known->witness_open[x];
		memmove(known->together + (size_t) n * known->class_words,
				known->together + (size_t) x * known->class_words, size);
		n++;
	}
	known->nwitness_open = n;
}

/* Whether an open item extends the path, so that its class or that of a rarer item has a superset of the path. */
static bool
KnownOpenExtends(Miner *m)
{
	const Known *known = m->known;
	uint32_t   *column = known->path_columns;
	uint32_t	n = 0;

	for (uint32_t p = 0; p < known->class_words; p++)
		for (uint64_t left = known->path[p]; left != 0; left &= left - 1)
			column[n++] = p * 64 + (uint32_t) __builtin_ctzll(left);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
	{
		const uint64_t *together = known->together + (size_t) x * known->class_words;
		bool		possible = true;

		for (uint32_t p = 0; p < known->class_words; p++)
			possible &= (known->path[p] & ~together[p]) == 0;
		if (!possible)
			continue;
		column[n] = known->witness_open[x];
		MinerWork(m, (uint64_t) known->witness.nwords * n / 8);
		if (m->kernels->common_support(&known->witness, column, n + 1) >= m->job->minsup)
			return true;
	}
	return false;
}

/* A chunk is published once it has CHUNK_SIZE bytes, or CHUNK_WORK of work after the last one. */
#define CHUNK_SIZE		1024
#define CHUNK_WORK		(WORK_PER_POLL / 64)

bool
KnownInit(Miner *m)
{
	const uint32_t *support = (const uint32_t *) ((const char *) m->db + m->db->support_at);
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);
	size_t		nitems = (size_t) m->db->nitems + 1;
	Known	   *known = ArenaAlloc(&m->arena, sizeof(Known));

	memset(known, 0, sizeof(Known));
	known->places = ArenaAlloc(&m->arena, sizeof(KnownPlaces) * nitems);
	known->column = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->rank = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->last = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->passed = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->undone = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	memset(known->places, 0, sizeof(KnownPlaces) * nitems);
	memset(known->column, 0, sizeof(uint32_t) * nitems);
	memset(known->passed, 0xff, sizeof(uint32_t) * nitems);
	for (uint32_t i = 0; i < m->db->nitems; i++)
		known->rank[name[i]] = i;
	/* classes of infrequent items are not mined */
	while (known->class < m->db->nitems && support[m->db->nitems - 1 - known->class] < m->job->minsup)
		known->class++;

	m->known = known;			/* from here on KnownFree() has something to free */
	return KnownJoin(m);
}

void
KnownFree(Miner *m)
{
	Known	   *known = m->known;

	if (known == NULL)
		return;
	KnownQuit(m);
	if (known->pending != NULL)
		m->host->free(m->host, known->pending);
	if (known->bytes != NULL)
		m->host->free(m->host, known->bytes);
	if (known->block != NULL)
		m->host->free(m->host, known->block);
	for (uint32_t i = 0; i < m->db->nitems; i++)
		if (known->places[i].n > FEW_PLACES)
			m->host->free(m->host, known->places[i].block.many);
	if (known->path != NULL)
		m->host->free(m->host, known->path);
	if (known->held != NULL)
		m->host->free(m->host, known->held);
}

void
KnownBeginClass(Miner *m, uint32_t taken)
{
	Known	   *known = m->known;

	KnownImport(m);
	/* what this worker has not taken since, others have */
	for (uint32_t c = known->class + 1; c < taken; c++)
		known->undone[known->nundone++] = c;
	known->class = taken;
	known->class_rank = m->db->nitems - taken;
	known->passed[taken] = 0;
	known->own_since = MinerWorked(m);
	KnownFindOpen(known);
	known->nwitness_open = 0;
}

void
KnownEndClass(Miner *m)
{
	KnownPublish(m, 0);
}

/*
 * Returns the item from which on the class has passed all items, if the node's columns from j
 * on have been searched.  Items from there on are among these columns, or in no itemset of
 * the class.
 */
static uint32_t
PassedAt(const Miner *m, const Node *node, uint32_t j)
{
	const Known *known = m->known;
	uint32_t	passed = 0;

	if (j == node->k)
		return UINT32_MAX;
	for (uint32_t c = 0; c < j; c++)
		if (known->rank[node->item[c]] >= passed)
			passed = known->rank[node->item[c]] + 1;
	for (uint32_t p = 0; p < m->out.depth; p++)
	{
		uint32_t	rank = known->rank[m->out.path[p]];

		if (rank != known->class_rank && rank >= passed)
			passed = rank + 1;
	}
	return passed;
}

/*
 * What others have published is imported only while items are open, since it may close some, or
 * once it fills half of the ring.
 */
void
KnownShare(Miner *m, const Node *node, const uint32_t *column, uint32_t j, bool whole)
{
	Known	   *known = m->known;
	bool		import = KnownHasNews(m) && (known->any_open || KnownLagsBehind(m));
	bool		worked = MinerWorked(m) - known->own_since >= CHUNK_WORK ||
		known->used - KnownBlockStart(known, known->own_block) >= CHUNK_SIZE;
	size_t		from;

	if (import || (whole && worked))
		KnownPublish(m, whole ? PassedAt(m, node, j) : UINT32_MAX);
	if (!import)
		return;
	from = known->nblocks;
	KnownImport(m);
	KnownDropPassed(m);
	KnownAddBlocks(m, from, node->item, column, node->k);
}

/* If an open item extends the path, it is remembered all the same, since it prunes the search just as well. */
void
KnownFound(Miner *m, uint32_t support)
{
	Known	   *known = m->known;

	KnownAddPath(m);
	KnownAdd(m, m->out.path, m->out.depth);
	if (known->nwitness_open == 0 || !KnownOpenExtends(m))
		OutputOne(m, support);
}
