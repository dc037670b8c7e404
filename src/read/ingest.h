/*-------------------------------------------------------------------------
 *
 * ingest.h
 *	  What the files that read a source share: the ledger of memory, the
 *	  dictionary of values and the encoded rows.
 *
 * A value is encoded as its number in a dictionary, which counts values in the
 * order in which they first appear.  A row is encoded as a record of 32-bit
 * words: the number of items, then the items, each once.  Records lie in chunks
 * of a few dozen kilobytes, which never split a record and can be written to a
 * temporary file one by one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_INGEST_H
#define GPUFIM_INGEST_H

#include "compat.h"
#include "gpufim.h"

#include "lib/rbtree.h"
#include "storage/buffile.h"
#include "utils/typcache.h"

/*
 * The ledger: what a call has allocated for its rows, of how much it may.
 * When three quarters are used, "relieve" is asked to move rows out; the rest is
 * for the dictionaries and for the second pass.
 */
typedef struct MemoryLedger
{
	MemoryContext context;
	uint64		used;
	uint64		limit;
	void		(*relieve) (void *arg);
	void	   *relieve_arg;
} MemoryLedger;

extern void *LedgerAlloc(MemoryLedger *ledger, Size bytes, const char *what);
extern void *LedgerAllocZero(MemoryLedger *ledger, Size bytes, const char *what);
extern void *LedgerGrow(MemoryLedger *ledger, void *block, Size old_bytes,
						Size bytes, const char *what);
extern void LedgerFree(MemoryLedger *ledger, void *block, Size bytes);
extern uint64 LedgerRoom(const MemoryLedger *ledger);

/* How a dictionary finds a value. */
typedef enum DictionaryKind
{
	DICTIONARY_INTEGER,			/* equal when the Datums are */
	DICTIONARY_BYTES,			/* equal when the bytes are */
	DICTIONARY_HASHED,			/* by the type's hash and equality functions */
	DICTIONARY_ORDERED			/* by the type's comparison function */
} DictionaryKind;

/* A value with its count, and the last transaction that was seen to hold it. */
typedef struct DictionaryEntry
{
	Datum		value;
	uint32		count;
	uint32		stamp;
} DictionaryEntry;

typedef struct IntegerSlot
{
	int64		key;
	uint32		number;			/* id + 1; 0: free */
} IntegerSlot;

typedef struct HashSlot
{
	uint32		hash;
	uint32		number;			/* id + 1; 0: free */
} HashSlot;

/* The highest bit of a word marks transactions in the pair form's streams. */
#define DICTIONARY_MAX			((uint32) 0x7FFFFFFF)
#define DICTIONARY_NONE			UINT32_MAX

typedef struct Dictionary
{
	DictionaryKind kind;
	MemoryLedger *ledger;
	MemoryContext scratch;		/* where the type's functions may leave garbage */
	const char *what;			/* for messages */
	TypeCacheEntry *type;
	Oid			collation;
	int16		typlen;
	bool		typbyval;
	bool		padded;			/* bpchar: trailing blanks do not count */

	uint32		n;				/* values so far; ids are 0 .. n-1 */

	/* by id; NULL for integers whose values nobody will ask for */
	DictionaryEntry *entries;
	uint32		max_entries;

	/*
	 * Integers are looked up in a window of consecutive keys if they are dense
	 * enough, otherwise in integer_slots.
	 */
	int64		window_low;
	uint64		window_size;
	uint32	   *window;			/* id + 1; 0: absent */
	int64		lowest;
	int64		highest;
	IntegerSlot *integer_slots;

	HashSlot   *hash_slots;
	uint64		nslots;			/* of either table: a power of two */

	RBTree	   *tree;

	/* where values passed by reference are copied to */
	struct ArenaBlock *arena;	/* the block being filled, and those before it */
	char	   *arena_next;
	Size		arena_left;
	Size		arena_step;
} Dictionary;

extern TypeCacheEntry *DictionaryType(Oid type);
extern Dictionary *DictionaryCreate(MemoryLedger *ledger, MemoryContext scratch,
									Oid type, Oid collation, bool keep_values,
									const char *what);
extern void DictionaryFree(Dictionary *dictionary);
extern uint32 DictionaryAddInteger(Dictionary *dictionary, int64 key);
extern uint32 DictionaryLookup(Dictionary *dictionary, Datum value, bool add);

static inline uint64
MixBits(uint64 h)
{
	h ^= h >> 32;
	h *= UINT64CONST(0x9E3779B97F4A7C15);
	h ^= h >> 29;
	h *= UINT64CONST(0xBF58476D1CE4E5B9);
	return h ^ (h >> 32);
}

/* The key of a value in a dictionary of integers. */
static inline int64
DatumInteger(const Dictionary *dictionary, Datum value)
{
	switch (dictionary->typlen)
	{
		case 1:
			return DatumGetChar(value);
		case 2:
			return DatumGetInt16(value);
		case 4:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* The id of an integer, added if it is new. */
static inline uint32
DictionaryInteger(Dictionary *dictionary, int64 key)
{
	uint64		at = (uint64) key - (uint64) dictionary->window_low;

	if (at < dictionary->window_size)
	{
		if (dictionary->window[at] != 0)
			return dictionary->window[at] - 1;
	}
	else if (dictionary->integer_slots)
	{
		uint64		mask = dictionary->nslots - 1;
		uint64		slot = MixBits((uint64) key) & mask;

		while (dictionary->integer_slots[slot].number != 0)
		{
			if (dictionary->integer_slots[slot].key == key)
				return dictionary->integer_slots[slot].number - 1;
			slot = (slot + 1) & mask;
		}
	}
	return DictionaryAddInteger(dictionary, key);
}

/*
 * Fetches into the cache what looking an integer up will need.  Always inlined:
 * as a function it has no effect that gcc knows of, so calls are dropped.
 */
static pg_attribute_always_inline void
DictionaryPrefetch(const Dictionary *dictionary, int64 key)
{
#ifdef __GNUC__
	uint64		at = (uint64) key - (uint64) dictionary->window_low;

	if (at < dictionary->window_size)
		__builtin_prefetch(&dictionary->window[at]);
	else if (dictionary->integer_slots)
		__builtin_prefetch(&dictionary->integer_slots[MixBits((uint64) key) &
													  (dictionary->nslots - 1)]);
#endif
}

/* The same for counting a value's occurrence. */
static pg_attribute_always_inline void
DictionaryPrefetchEntry(const Dictionary *dictionary, uint32 id)
{
#ifdef __GNUC__
	__builtin_prefetch(&dictionary->entries[id], 1);
#endif
}

/* A piece of a stream of words, in memory or in the spill file. */
typedef struct Chunk
{
	uint32	   *words;			/* NULL: in the file */
	uint64		block;			/* where in the file */
	uint32		size;			/* in words, whole blocks */
	uint32		used;			/* in words */
} Chunk;

typedef struct ChunkList
{
	Chunk	   *chunks;
	uint32		nchunks;
	uint32		max_chunks;
	uint32		nspilled;		/* the first ones are in the file */
} ChunkList;

/*
 * Pairs whose transaction had been left and came back: those of 65536
 * consecutive transactions in one stream.  A word with the highest bit set names
 * the transaction, by its lower 16 bits, that the items after it belong to.
 */
#define PENDING_BITS			16
#define PENDING_TRANSACTIONS	((uint32) 1 << PENDING_BITS)
#define PENDING_MARK			((uint32) 0x80000000)

typedef struct PendingPairs
{
	ChunkList	stream;
	uint32		last_mark;		/* 0: none yet */
} PendingPairs;

struct GpufimRows
{
	MemoryLedger ledger;
	MemoryContext scratch;		/* reset after every row */
	Dictionary *items;			/* NULL when pruned */
	Dictionary *tids;			/* NULL in array form, and when all are read */
	int64		transactions;
	uint32		longest;		/* items in the longest record */

	ChunkList	records;		/* of the transactions, by number */

	/*
	 * Pair form: once a transaction comes back, "scattered" is set, no record is
	 * added any more and items' counts are upper bounds until RowsRegroup().
	 */
	bool		scattered;
	uint32		nrecords;
	PendingPairs *pending;
	uint32		npending;

	uint32		max_chunk_blocks;
	BufFile    *spill;
	uint64		spill_blocks;
	uint64		spill_at;		/* the block where the file stands */

	/*
	 * By item: its number in the database, or one of these (items.c).  Frequent
	 * items appear early, so that of a large map only the beginning is used.
	 */
	uint32	   *map;
	uint32		first_dropped;	/* from this item on, all are MAP_DROPPED */
};

#define MAP_DROPPED				UINT32_MAX
#define MAP_PREFIX				(UINT32_MAX - 1)
#define MAP_EXCLUDED			(UINT32_MAX - 2)

extern GpufimRows *RowsCreate(GpufimSource *source);
extern uint32 *ChunkReserveSlowly(GpufimRows *rows, ChunkList *list, uint32 nwords);
extern const uint32 *ChunkRead(GpufimRows *rows, const Chunk *chunk, uint32 **buffer,
							   uint32 *buffer_size);
extern void ChunkListFree(GpufimRows *rows, ChunkList *list);
extern void RowsRegroup(GpufimRows *rows, uint32 minsup);

/* Room for nwords words in one piece, at the end of a list. */
static inline uint32 *
ChunkReserve(GpufimRows *rows, ChunkList *list, uint32 nwords)
{
	if (list->nchunks > list->nspilled)
	{
		Chunk	   *chunk = &list->chunks[list->nchunks - 1];

		if (chunk->size - chunk->used >= nwords)
			return chunk->words + chunk->used;
	}
	return ChunkReserveSlowly(rows, list, nwords);
}

/* Says how much of the room that was reserved last has been filled. */
static inline void
ChunkAdvance(ChunkList *list, uint32 nwords)
{
	list->chunks[list->nchunks - 1].used += nwords;
}

static inline void
RecordAdvance(GpufimRows *rows, uint32 *record, uint32 nitems)
{
	record[0] = nitems;
	ChunkAdvance(&rows->records, nitems + 1);
	rows->longest = Max(rows->longest, nitems);
}

/*
 * Reads records one after the other.  With "consume", a chunk's memory is given
 * back as soon as it has been read.
 */
typedef struct RecordReader
{
	GpufimRows *rows;
	ChunkList  *list;
	bool		consume;
	uint32		next_chunk;
	const uint32 *at;
	const uint32 *end;
	uint32	   *buffer;
	uint32		buffer_size;
} RecordReader;

extern void RecordReaderBegin(RecordReader *reader, GpufimRows *rows,
							  ChunkList *list, bool consume);
extern bool RecordReaderAdvance(RecordReader *reader);
extern void RecordReaderEnd(RecordReader *reader);

static inline bool
RecordReaderNext(RecordReader *reader, const uint32 **items, uint32 *nitems)
{
	while (reader->at == reader->end)
	{
		if (!RecordReaderAdvance(reader))
			return false;
	}
	*nitems = *reader->at++;
	*items = reader->at;
	reader->at += *nitems;
	return true;
}

#endif							/* GPUFIM_INGEST_H */
