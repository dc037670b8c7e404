/*-------------------------------------------------------------------------
 *
 * dictionary.h
 *	  The distinct values of a column, numbered and counted.
 *
 * A value's number says in which place it appeared first, from 0 on.  Equality is
 * that of the type.  Several sources may share a dictionary.
 *
 * Included by what reads rows, and by families, to look values up.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_DICTIONARY_H
#define GPUFIM_DICTIONARY_H

#include "compat.h"
#include "lib/rbtree.h"
#include "read/ledger.h"
#include "utils/typcache.h"

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

/* Values passed by reference lie in blocks, which are a list. */
typedef struct ArenaBlock
{
	struct ArenaBlock *previous;
	Size		size;			/* in bytes, with this header */
} ArenaBlock;

typedef struct Dictionary
{
	DictionaryKind kind;
	MemoryLedger *ledger;
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
	ArenaBlock *arena;	/* the block being filled, and those before it */
	char	   *arena_next;
	Size		arena_left;
	Size		arena_step;
} Dictionary;

extern TypeCacheEntry *DictionaryType(Oid type);
extern Dictionary *DictionaryCreate(MemoryLedger *ledger, Oid type, Oid collation,
									bool keep_values, const char *what);
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

#endif							/* GPUFIM_DICTIONARY_H */
