/*-------------------------------------------------------------------------
 *
 * known.c
 *	  The maximal itemsets found so far, by this worker and the others.
 *
 * A worker keeps every maximal itemset it knows.  There can be millions, and
 * the depth-first search finds them in an order in which each has most of its
 * items from the one before: written as differences they take a few bytes each.
 * Blocks of them can be read alone, and for each item there is a list of the
 * blocks that hold it.  When a worker takes a class it imports what others have
 * published; a class's itemsets are published together when the class is done.
 *
 * An itemset that no known one contains is maximal if all classes of rarer
 * items are done.  Those that others are still in are "open": their items are
 * columns of the witness, a matrix of the class's rows, and whether one of them
 * extends the itemset is counted.  So the result does not depend on timing.
 *
 *-------------------------------------------------------------------------
 */
#include "known.h"

#include <string.h>

/* Marks the items of the path while known itemsets are compared with it. */
#define ON_PATH		UINT32_MAX

/*
 * The most itemsets of a block, of which the first is written in full.  One that
 * has little from the one before begins another block.
 */
#define BLOCK_ITEMSETS	4

/* Blocks lie scattered: ask for each this many before it is looked at. */
#define PLACES_AHEAD	8

/* The part of the shared state that only maximal itemsets need. */
typedef struct SharedStore
{
	uint64_t	size;			/* bytes of the store */
	uint64_t	used;			/* atomic: bytes reserved */
	uint32_t	nfinished;		/* atomic: entries reserved in finished[] */
	uint32_t	classes;
} SharedStore;

/*
 * After the SharedStore: block[classes], where a class's itemsets lie;
 * finished[classes], classes in the order they were done, 0 until written;
 * then the store, with itemsets as in Known.
 */
typedef struct SharedBlock
{
	uint64_t	at;
	uint64_t	size;
} SharedBlock;

#define STORE_LEAST		((uint64_t) 1 << 18)
#define STORE_MOST		((uint64_t) 1 << 25)

static inline SharedStore *
Store(const FimShared *shared)
{
	return (SharedStore *) (shared + 1);
}

static inline SharedBlock *
StoreBlocks(const FimShared *shared)
{
	return (SharedBlock *) (Store(shared) + 1);
}

static inline uint32_t *
StoreFinished(const FimShared *shared)
{
	return (uint32_t *) (StoreBlocks(shared) + Store(shared)->classes);
}

static inline uint8_t *
StoreBytes(const FimShared *shared)
{
	return (uint8_t *) (StoreFinished(shared) + Store(shared)->classes);
}

/* About four times the data: maximal itemsets are rarely more. */
static uint64_t
StoreSize(const FimDatabase *db)
{
	uint64_t	size = db->entries * 16;

	return size < STORE_LEAST ? STORE_LEAST : size > STORE_MOST ? STORE_MOST : size;
}

size_t
KnownSharedSize(const FimDatabase *db, uint32_t classes)
{
	return sizeof(SharedStore) + (sizeof(SharedBlock) + sizeof(uint32_t)) * (size_t) classes +
		StoreSize(db);
}

void
KnownSharedInit(FimShared *shared, const FimDatabase *db)
{
	Store(shared)->size = StoreSize(db);
	Store(shared)->used = 0;
	Store(shared)->nfinished = 0;
	Store(shared)->classes = shared->classes;
	memset(StoreFinished(shared), 0, sizeof(uint32_t) * shared->classes);
}

/* Room for n elements in a block of the host's, at least doubling it. */
static void *
Grow(Miner *m, void *old, size_t used, size_t *room, size_t n, size_t size)
{
	size_t		more = *room * 2 > n ? *room * 2 : n;
	void	   *block;

	if (n <= *room && old != NULL)
		return old;
	if (more < 64)
		more = 64;
	block = m->host->alloc(m->host, more * size);
	if (block == NULL)
		longjmp(m->leave, FIM_OUT_OF_MEMORY);
	if (used > 0)
		memcpy(block, old, used * size);
	if (old != NULL)
		m->host->free(m->host, old);
	*room = more;
	return block;
}

void
KnownInit(Miner *m)
{
	size_t		nitems = (size_t) m->db->nitems + 1;
	size_t		nclasses = (size_t) m->shared->classes + 1;
	Known	   *known = ArenaAlloc(&m->arena, sizeof(Known));

	memset(known, 0, sizeof(Known));
	known->places = ArenaAlloc(&m->arena, sizeof(KnownPlaces) * nitems);
	known->column = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->last = ArenaAlloc(&m->arena, sizeof(uint32_t) * nitems);
	known->done = ArenaAlloc(&m->arena, nclasses);
	known->open = ArenaAlloc(&m->arena, sizeof(uint32_t) * nclasses);
	memset(known->places, 0, sizeof(KnownPlaces) * nitems);
	memset(known->column, 0, sizeof(uint32_t) * nitems);
	memset(known->done, 0, nclasses);
	m->known = known;			/* from here on there is something to free */
}

void
KnownFree(Miner *m)
{
	Known	   *known = m->known;

	if (known == NULL)
		return;
	if (known->bytes != NULL)
		m->host->free(m->host, known->bytes);
	if (known->block != NULL)
		m->host->free(m->host, known->block);
	for (uint32_t i = 0; i < m->db->nitems; i++)
		if (known->places[i].block != NULL)
			m->host->free(m->host, known->places[i].block);
	if (known->path != NULL)
		m->host->free(m->host, known->path);
	if (known->found != NULL)
		m->host->free(m->host, known->found);
	for (size_t l = 0; l < known->levels; l++)
		if (known->focus[l].set != NULL)
			m->host->free(m->host, known->focus[l].set);
	if (known->focus != NULL)
		m->host->free(m->host, known->focus);
}

static Focus *
FocusOfLevel(Miner *m, uint32_t level)
{
	Known	   *known = m->known;

	if (level >= known->levels)
	{
		size_t		had = known->levels;

		known->focus = Grow(m, known->focus, had, &known->levels, (size_t) level + 1, sizeof(Focus));
		memset(known->focus + had, 0, sizeof(Focus) * (known->levels - had));
	}
	return &known->focus[level];
}

/* The focus of a level, with room for "more" sets of nwords words. */
Focus *
KnownFocus(Miner *m, uint32_t level, uint32_t more, uint32_t nwords)
{
	Focus	   *focus = FocusOfLevel(m, level);

	focus->set = Grow(m, focus->set, (size_t) focus->n * nwords, &focus->room,
					  ((size_t) focus->n + more) * nwords, sizeof(uint64_t));
	return focus;
}

/* The same, emptied: the level may have had sets of another size. */
Focus *
KnownNewFocus(Miner *m, uint32_t level, uint32_t room, uint32_t nwords)
{
	FocusOfLevel(m, level)->n = 0;
	return KnownFocus(m, level, room, nwords);
}

/* ---- itemsets as differences ---- */

/* 7 bits a byte, the low ones first; the last byte's top bit is 0. */
static inline uint8_t *
PutNumber(uint8_t *to, uint32_t number)
{
	for (; number >= 128; number >>= 7)
		*to++ = (uint8_t) (number | 128);
	*to++ = (uint8_t) number;
	return to;
}

static inline const uint8_t *
GetNumber(const uint8_t *from, uint32_t *number)
{
	uint32_t	value = *from & 127;

	for (int shift = 7; *from++ & 128; shift += 7)
		value |= (uint32_t) (*from & 127) << shift;
	*number = value;
	return from;
}

#define MOST_BYTES_OF_NUMBER	5

/* The next itemset begins a block. */
static void
EndBlock(Known *known)
{
	known->in_block = 0;
	known->nlast = 0;
}

/*
 * An itemset is written as how many leading items it has from the one before,
 * how many others, and these.
 */
static void
AddKnown(Miner *m, const uint32_t *items, uint32_t length)
{
	Known	   *known = m->known;
	uint32_t	keep = 0;
	uint8_t    *to;

	while (keep < length && keep < known->nlast && items[keep] == known->last[keep])
		keep++;
	if (known->in_block == BLOCK_ITEMSETS || keep < length / 2)
	{
		EndBlock(known);
		keep = 0;
	}
	if (known->in_block++ == 0)
	{
		known->block = Grow(m, known->block, known->nblocks, &known->block_room,
							known->nblocks + 1, sizeof(size_t));
		known->block[known->nblocks++] = known->used;
	}
	known->bytes = Grow(m, known->bytes, known->used, &known->room,
						known->used + ((size_t) length + 2) * MOST_BYTES_OF_NUMBER, 1);
	to = PutNumber(PutNumber(known->bytes + known->used, keep), length - keep);
	for (uint32_t i = keep; i < length; i++)
	{
		KnownPlaces *places = &known->places[items[i]];
		uint32_t	block = (uint32_t) known->nblocks - 1;

		to = PutNumber(to, items[i]);
		known->last[i] = items[i];
		if (places->n > 0 && places->block[places->n - 1] == block)
			continue;
		places->block = Grow(m, places->block, places->n, &places->room, places->n + 1,
							 sizeof(uint32_t));
		places->block[places->n++] = block;
	}
	known->nlast = length;
	known->used = (size_t) (to - known->bytes);
}

/* What others have finished since the last call. */
static void
Import(Miner *m)
{
	Known	   *known = m->known;
	const uint32_t *finished = StoreFinished(m->shared);
	uint32_t	nfinished = __atomic_load_n(&Store(m->shared)->nfinished, __ATOMIC_ACQUIRE);
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t   *items = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->db->nitems + 1));

	while (known->imported < nfinished)
	{
		uint32_t	class = __atomic_load_n(&finished[known->imported], __ATOMIC_ACQUIRE);
		const uint8_t *at;
		const uint8_t *end;

		if (class == 0)
			break;				/* reserved, but not written yet */
		known->imported++;
		if (known->done[class])
			continue;			/* our own */
		known->done[class] = 1;
		at = StoreBytes(m->shared) + StoreBlocks(m->shared)[class].at;
		end = at + StoreBlocks(m->shared)[class].size;
		while (at < end)
		{
			uint32_t	keep;
			uint32_t	added;

			at = GetNumber(GetNumber(at, &keep), &added);
			for (uint32_t i = 0; i < added; i++)
				at = GetNumber(at, &items[keep + i]);
			AddKnown(m, items, keep + added);
			MinerWork(m, 8 + added);
		}
	}
	ArenaRelease(&m->arena, mark);
}

/* taken: the number of the class, whose item is the database's nitems - taken. */
void
KnownBeginClass(Miner *m, uint32_t taken)
{
	Known	   *known = m->known;

	Import(m);
	EndBlock(known);
	known->first_of_class = known->used;
	while (known->done_up_to + 1 < taken && known->done[known->done_up_to + 1])
		known->done_up_to++;
	known->nopen = 0;
	for (uint32_t c = known->done_up_to + 1; c < taken; c++)
		if (!known->done[c])
			known->open[known->nopen++] = m->db->nitems - c;
	known->nwitness_open = 0;
}

/* Publish the class's itemsets; one that does not fit stays open for the others. */
void
KnownEndClass(Miner *m, uint32_t taken)
{
	Known	   *known = m->known;
	SharedStore *store = Store(m->shared);
	uint64_t	size = known->used - known->first_of_class;
	uint64_t	at;

	known->done[taken] = 1;
	at = __atomic_fetch_add(&store->used, size, __ATOMIC_RELAXED);
	if (at + size > store->size)
		return;
	if (size > 0)
		memcpy(StoreBytes(m->shared) + at, known->bytes + known->first_of_class, size);
	StoreBlocks(m->shared)[taken] = (SharedBlock) {at, size};
	__atomic_store_n(&StoreFinished(m->shared)[__atomic_fetch_add(&store->nfinished, 1,
																  __ATOMIC_ACQ_REL)],
					 taken, __ATOMIC_RELEASE);
}

bool
KnownIsOpen(const Miner *m, uint32_t item)
{
	for (uint32_t i = 0; i < m->known->nopen; i++)
		if (m->known->open[i] == item)
			return true;
	return false;
}

/* A known itemset as it is read: the columns that it has, and how much of the path. */
typedef struct Reader
{
	uint32_t   *items;
	uint32_t	length;
	uint32_t	on_path;
	uint64_t   *set;
} Reader;

static inline void
Toggle(const Known *known, Reader *reader, uint32_t item, uint32_t one)
{
	uint32_t	column = known->column[item];

	if (column == ON_PATH)
		reader->on_path += one;
	else if (column != 0)
		reader->set[(column - 1) / 64] ^= UINT64_C(1) << ((column - 1) % 64);
}

/* Read the next itemset; what it has from the one before stays. */
static inline const uint8_t *
ReadKnown(const Known *known, const uint8_t *at, Reader *reader)
{
	uint32_t	keep;
	uint32_t	added;

	at = GetNumber(GetNumber(at, &keep), &added);
	while (reader->length > keep)
		Toggle(known, reader, reader->items[--reader->length], UINT32_MAX);
	for (; added > 0; added--)
	{
		at = GetNumber(at, &reader->items[reader->length]);
		Toggle(known, reader, reader->items[reader->length++], 1);
	}
	return at;
}

/*
 * Add the sets of a block's itemsets that hold the path and the class's item to
 * the focus.  false: one of them holds all columns too.
 */
static bool
FocusOnBlock(Miner *m, uint32_t block, uint32_t class_item, Reader *reader)
{
	const Known *known = m->known;
	uint32_t	nwords = known->class_words;
	uint32_t	class_column = known->column[class_item];
	const uint8_t *at = known->bytes + known->block[block];
	const uint8_t *end = known->bytes +
		(block + 1 < known->nblocks ? known->block[block + 1] : known->used);

	while (at < end)
	{
		Focus	   *focus;
		uint64_t   *set;

		at = ReadKnown(known, at, reader);
		MinerWork(m, 8);
		if (reader->on_path != m->out.depth ||
			(class_column != ON_PATH &&
			 (reader->set[(class_column - 1) / 64] >> ((class_column - 1) % 64) & 1) == 0))
			continue;
		if (SetIsFull(reader->set, known->ncolumns))
			return false;
		if (SetIsEmpty(reader->set, nwords))
			continue;
		focus = KnownFocus(m, 0, 1, nwords);
		set = focus->set + (size_t) focus->n++ * nwords;
		memcpy(set, reader->set, sizeof(uint64_t) * nwords);
	}
	return true;
}

/*
 * Begin a search below the path over the given columns: the focus of level 0
 * are the known itemsets that hold the path and the item of the class, which
 * may be one of the columns.  false: one of them holds all columns too.
 */
bool
KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items, uint32_t ncolumns)
{
	Known	   *known = m->known;
	uint32_t	nwords = (ncolumns + 63) / 64;
	uint32_t	npath = m->out.depth;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	const KnownPlaces *places;
	Reader		reader = {0};
	bool		covered = false;

	known->ncolumns = ncolumns;
	known->class_words = nwords;
	known->path = Grow(m, known->path, 0, &known->path_room, nwords, sizeof(uint64_t));
	memset(known->path, 0, sizeof(uint64_t) * nwords);
	known->nfound = 0;
	for (uint32_t c = 0; c < ncolumns; c++)
		known->column[items[c]] = c + 1;
	for (uint32_t i = 0; i < npath; i++)
		known->column[m->out.path[i]] = ON_PATH;

	KnownNewFocus(m, 0, 0, nwords);
	/* any item that they all have will do: the one in the fewest blocks */
	places = &known->places[class_item];
	for (uint32_t i = 0; i < npath; i++)
		if (known->places[m->out.path[i]].n < places->n)
			places = &known->places[m->out.path[i]];
	reader.items = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->db->nitems + 1));
	reader.set = ArenaAlloc(&m->arena, sizeof(uint64_t) * nwords);
	memset(reader.set, 0, sizeof(uint64_t) * nwords);
	for (size_t p = places->n; p-- > 0 && !covered;)
	{
		if (p >= PLACES_AHEAD)
			__builtin_prefetch(known->bytes + known->block[places->block[p - PLACES_AHEAD]]);
		covered = !FocusOnBlock(m, places->block[p], class_item, &reader);
	}
	ArenaRelease(&m->arena, mark);

	for (uint32_t c = 0; c < ncolumns; c++)
		known->column[items[c]] = 0;
	for (uint32_t i = 0; i < npath; i++)
		known->column[m->out.path[i]] = 0;
	return !covered;
}

/*
 * The columns that are frequent with each open item: an itemset with any other
 * column is not extended by it, which spares counting nearly all of them.
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

/*
 * Make the search's witness of a matrix whose first columns are the search's;
 * witness_open[] are set.  From the arena.
 */
void
KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns)
{
	ColumnMatrix *to = &m->known->witness;
	size_t		size;

	to->nwords = (rows->nwords + 7) & ~UINT32_C(7);
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

/* An open item extends the path: its class, or a rarer one, has a larger itemset. */
static bool
OpenItemExtends(Miner *m)
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

/*
 * The path is in no known itemset and has no frequent extension in its class.
 * It is remembered even if an open item extends it: it prunes as well then.
 */
void
KnownFound(Miner *m, uint32_t support)
{
	Known	   *known = m->known;
	uint32_t	nwords = known->class_words;

	known->found = Grow(m, known->found, known->nfound * nwords, &known->found_room,
						(known->nfound + 1) * nwords, sizeof(uint64_t));
	memcpy(known->found + known->nfound++ * nwords, known->path, sizeof(uint64_t) * nwords);
	AddKnown(m, m->out.path, m->out.depth);
	if (known->nwitness_open == 0 || !OpenItemExtends(m))
		OutputOne(m, support);
}
