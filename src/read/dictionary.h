/*-------------------------------------------------------------------------
 *
 * dictionary.h
 *	  The distinct values of a column, numbered and counted.
 *
 * Values are numbered from 0 in the order in which they first appear; a value's number
 * is its id.  Equality is that of the type.  Several sources may share a dictionary.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_READ_DICTIONARY_H
#define GPUFIM_READ_DICTIONARY_H

#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "lib/rbtree.h"
#include "utils/typcache.h"

/*
 * What a dictionary holds.
 */

/* How a dictionary finds a value. */
typedef enum DictionaryKind
{
	DICTIONARY_INTEGER,			/* equal when the Datums are */
	DICTIONARY_BYTES,			/* equal when the bytes are */
	DICTIONARY_HASHED,			/* by the type's hash and equality functions */
	DICTIONARY_ORDERED			/* by the type's comparison function */
} DictionaryKind;

/*
 * A value with its count.  The stamp tells whether the transaction that is being encoded has
 * the value already, see AppendItem().
 */
typedef struct DictionaryEntry
{
	Datum		value;
	uint32		count;
	uint32		stamp;
} DictionaryEntry;

/* Number of slots that a hash table begins with. */
#define DICTIONARY_FIRST_SLOTS	256

/*
 * A window or a block of values may be large while there is little in it.  So a block takes
 * at most one part in DICTIONARY_SMALL_PART of the memory limit, and so does a window, unless
 * a hash table would be larger.
 */
#define DICTIONARY_SMALL_PART	64

/* Number of keys or entries that are looked up or changed between two checks for interrupts. */
#define DICTIONARY_STEP			65536

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

/* All ids are smaller than DICTIONARY_MAX.  DICTIONARY_NONE stands for no value. */
#define DICTIONARY_MAX			((uint32) 0x7FFFFFFF)
#define DICTIONARY_NONE			UINT32_MAX

/* The header of a block that holds copies of values passed by reference. */
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
	bool		borrows;		/* values passed by reference stay where they are, and need no copy */

	uint32		n;				/* values so far; ids are 0 .. n-1 */

	/* by id; NULL for integers whose values nobody will ask for */
	DictionaryEntry *entries;
	uint32		max_entries;

	/*
	 * Integers are looked up in a window of consecutive keys if they are dense
	 * enough, otherwise in integer_slots.  "lowest" and "highest" are the extreme
	 * keys seen.
	 */
	int64		window_low;
	uint64		window_size;
	uint32	   *window;			/* id + 1; 0: absent */
	int64		lowest;
	int64		highest;
	IntegerSlot *integer_slots;

	HashSlot   *hash_slots;
	uint64		nused;			/* of these: one for each value, or two, see HasBytesSlots() */
	uint64		nslots;			/* of either table: a power of two */

	RBTree	   *tree;

	/* the blocks to which values passed by reference are copied */
	ArenaBlock *arena;			/* the block being filled, and those before it */
	char	   *arena_next;
	Size		arena_left;
	Size		arena_step;
} Dictionary;

/*
 * The values of a dictionary, see values.c.
 */

/* Aligned memory that lives as long as the dictionary's values, or a copy of a value there. */
extern void *DictionaryAllocAligned(Dictionary *dictionary, Size bytes);
extern Datum DictionaryCopyValue(Dictionary *dictionary, Datum value);

/* Gives the next id to a value, which must have been copied already. */
extern uint32 DictionaryNewId(Dictionary *dictionary, Datum value);

/* Sets up the part of a dictionary that holds the values, see DictionaryCreate(); takes all values out; frees it. */
extern void DictionaryInitValues(Dictionary *dictionary, bool keep_values);
extern void DictionaryClearValues(Dictionary *dictionary);
extern void DictionaryFreeValues(Dictionary *dictionary);

static inline uint64
MixBits(uint64 h)
{
	h ^= h >> 32;
	h *= UINT64CONST(0x9E3779B97F4A7C15);
	h ^= h >> 29;
	h *= UINT64CONST(0xBF58476D1CE4E5B9);
	return h ^ (h >> 32);
}

/* Hashing and comparing bytes, eight at a time. */

static inline uint64
LoadWord(const char *bytes)
{
	uint64		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/*
 * Up to 8 bytes as one word, which is read without a loop.  Values of the same length
 * have the same word only if they are equal; some bytes may be in the word twice.
 */
static inline uint64
LoadShort(const char *bytes, Size length)
{
	uint32		low;
	uint32		high;

	if (length >= sizeof(low))
	{
		memcpy(&low, bytes, sizeof(low));
		memcpy(&high, bytes + length - sizeof(high), sizeof(high));
		return ((uint64) high << 32) | low;
	}
	if (length == 0)
		return 0;
	return ((uint64) (unsigned char) bytes[0] << 16) |
		((uint64) (unsigned char) bytes[length / 2] << 8) |
		(unsigned char) bytes[length - 1];
}

/* If there are more than 8 bytes, the last word that is read may overlap the one before it. */
static inline uint32
HashBytes(const char *bytes, Size length)
{
	uint64		h = length * UINT64CONST(0x9E3779B97F4A7C15);

	if (length <= sizeof(uint64))
		return (uint32) MixBits(h ^ LoadShort(bytes, length));
	for (Size at = 0; at + sizeof(uint64) < length; at += sizeof(uint64))
	{
		h = (h ^ LoadWord(bytes + at)) * UINT64CONST(0xBF58476D1CE4E5B9);
		h ^= h >> 32;
	}
	return (uint32) MixBits(h ^ LoadWord(bytes + length - sizeof(uint64)));
}

static inline bool
SameBytes(const char *a, const char *b, Size length)
{
	Size		at;

	if (length <= sizeof(uint64))
		return LoadShort(a, length) == LoadShort(b, length);
	for (at = 0; at + sizeof(uint64) < length; at += sizeof(uint64))
	{
		if (LoadWord(a + at) != LoadWord(b + at))
			return false;
	}
	at = length - sizeof(uint64);
	return LoadWord(a + at) == LoadWord(b + at);
}

/*
 * The integers of a dictionary, found without calling a function, see integers.c.
 */

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

/* The value of a key. */
static inline Datum
IntegerDatum(const Dictionary *dictionary, int64 key)
{
	switch (dictionary->typlen)
	{
		case 1:
			return CharGetDatum((char) key);
		case 2:
			return Int16GetDatum((int16) key);
		case 4:
			return Int32GetDatum((int32) key);
		default:
			return Int64GetDatum(key);
	}
}

/* Adds a key that is not there, and returns its id. */
extern uint32 DictionaryAddInteger(Dictionary *dictionary, int64 key);

/* The id of a key, or DICTIONARY_NONE. */
static inline uint32
DictionaryFindInteger(const Dictionary *dictionary, int64 key)
{
	uint64		at = (uint64) key - (uint64) dictionary->window_low;

	if (at < dictionary->window_size)
		return dictionary->window[at] - 1; /* DICTIONARY_NONE if 0 */
	if (dictionary->integer_slots != NULL)
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
	return DICTIONARY_NONE;
}

/* Takes all integers out, or gives back the memory in which they are found. */
extern void DictionaryClearIntegers(Dictionary *dictionary);
extern void DictionaryFreeIntegers(Dictionary *dictionary);

/* The id of an integer, added if it is new. */
static inline uint32
DictionaryInteger(Dictionary *dictionary, int64 key)
{
	uint32		id = DictionaryFindInteger(dictionary, key);

	return id != DICTIONARY_NONE ? id : DictionaryAddInteger(dictionary, key);
}

/*
 * Prefetches the place in the window or in the hash table where an integer will be looked
 * up.  Always inlined: gcc would drop calls of it, because it sees no effect in them.
 */
static pg_always_inline void
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

/* The hash of a value, the same for equal values in all processes; 0 for types without a hash function. */
extern uint32 DictionaryHash(Dictionary *dictionary, Datum value);

extern TypeCacheEntry *DictionaryType(Oid type);
extern Dictionary *DictionaryCreate(MemoryLedger *ledger, Oid type, Oid collation,
									bool keep_values, const char *what);
extern void DictionaryFree(Dictionary *dictionary);

/* Changes the type of the values that a dictionary shall have, as long as it has none. */
extern void DictionarySetType(Dictionary *dictionary, Oid type, Oid collation);

/* Sets the stamps of all entries to 0, or stamps and counts. */
extern void DictionaryForgetStamps(Dictionary *dictionary);
extern void DictionaryForgetCounts(Dictionary *dictionary);

/* Makes an empty dictionary count occurrences of n numbers whose values another process has. */
extern void DictionaryCountOnly(Dictionary *dictionary, uint32 n);

/* Takes all values out of a dictionary, and keeps the room for as many. */
extern void DictionaryClear(Dictionary *dictionary);
extern uint32 DictionaryLookup(Dictionary *dictionary, Datum value, bool add);

/* Are values varlenas that are equal when all of their bytes are? */
static inline bool
DictionaryHasTexts(const Dictionary *dictionary)
{
	return dictionary->kind == DICTIONARY_BYTES && dictionary->typlen == -1 && !dictionary->padded;
}

/* Sets the ids of n such values that lie one behind the other, as in an array, and adds those that are new. */
extern void DictionaryLookupTexts(Dictionary *dictionary, const char *texts, uint32 n, uint32 *ids);

/* Values passed by reference can wait if they have at most this many bytes, with their header. */
#define DICTIONARY_WAITING_BYTES	32

/*
 * A value that waits to be looked up, while what its dictionary needs is fetched into the cache.
 * That takes three steps, since the slot of a value passed by reference leads to its entry, and
 * this to its bytes.  Other values should take a step, too, before the next step is taken for this
 * one.  It must be looked up before another value is added that came later.
 */
typedef struct WaitingValue
{
	int64		integer;		/* DICTIONARY_INTEGER */
	uint32		hash;			/* of the bytes */
	uint32		number;			/* of the entry that has the same hash: id + 1; 0: none */
	uint64		bytes[DICTIONARY_WAITING_BYTES / sizeof(uint64)]; /* of a value passed by reference */
} WaitingValue;

/* The first step.  Returns false if the value cannot wait. */
extern bool DictionaryLetBytesWait(const Dictionary *dictionary, Datum value, WaitingValue *waiting);
extern void DictionaryFetchEntry(const Dictionary *dictionary, WaitingValue *waiting);
extern uint32 DictionaryWaitedBytes(Dictionary *dictionary, const WaitingValue *waiting);
extern void DictionaryFetchBytes(const Dictionary *dictionary, const WaitingValue *waiting);

static inline bool
DictionaryLetWait(const Dictionary *dictionary, Datum value, WaitingValue *waiting)
{
	if (dictionary->kind != DICTIONARY_INTEGER)
		return DictionaryLetBytesWait(dictionary, value, waiting);
	waiting->integer = DatumInteger(dictionary, value);
	DictionaryPrefetch(dictionary, waiting->integer);
	return true;
}

/* The id of a value that has waited, added if it is new. */
static inline uint32
DictionaryWaited(Dictionary *dictionary, const WaitingValue *waiting)
{
	if (dictionary->kind == DICTIONARY_INTEGER)
		return DictionaryInteger(dictionary, waiting->integer);
	return DictionaryWaitedBytes(dictionary, waiting);
}

/*
 * Prefetches the entry in which an occurrence of a value will be counted.  Always inlined,
 * for the same reason as DictionaryPrefetch().
 */
static pg_always_inline void
DictionaryPrefetchEntry(const Dictionary *dictionary, uint32 id)
{
#ifdef __GNUC__
	__builtin_prefetch(&dictionary->entries[id], 1);
#endif
}

#endif							/* GPUFIM_READ_DICTIONARY_H */
