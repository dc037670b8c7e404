/*-------------------------------------------------------------------------
 *
 * dictionary_state.h
 *	  What a dictionary holds.
 *
 * Included by dictionary.h, dictionary_integers.h and dictionary_values.h, whose functions
 * work on it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_DICTIONARY_STATE_H
#define GPUFIM_DICTIONARY_STATE_H

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
	ArenaBlock *arena;			/* the block being filled, and those before it */
	char	   *arena_next;
	Size		arena_left;
	Size		arena_step;
} Dictionary;

/* What a hash table begins with.  It doubles when it is full. */
#define DICTIONARY_FIRST_SLOTS	256

/*
 * What is large before there is much in it, a window or a block of values, takes at most
 * this part of the memory limit.
 */
#define DICTIONARY_SMALL_PART	64

/* Keys moved to a larger table between two looks for interrupts. */
#define DICTIONARY_REBUILD_STEP	65536

static inline uint64
MixBits(uint64 h)
{
	h ^= h >> 32;
	h *= UINT64CONST(0x9E3779B97F4A7C15);
	h ^= h >> 29;
	h *= UINT64CONST(0xBF58476D1CE4E5B9);
	return h ^ (h >> 32);
}

#endif							/* GPUFIM_DICTIONARY_STATE_H */
