/*-------------------------------------------------------------------------
 *
 * dictionary_state.h
 *	  What a dictionary holds.
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

/*
 * A value with its count.  The stamp tells whether the transaction that is being encoded has
 * the value already, see entries.h.
 */
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

/*
 * All ids are smaller than DICTIONARY_MAX, because the highest bit of a word has a meaning
 * of its own in streams of pairs, see PENDING_MARK.  DICTIONARY_NONE stands for no value.
 */
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
	uint64		nslots;			/* of either table: a power of two */

	RBTree	   *tree;

	/* the blocks to which values passed by reference are copied */
	ArenaBlock *arena;			/* the block being filled, and those before it */
	char	   *arena_next;
	Size		arena_left;
	Size		arena_step;
} Dictionary;

/* Number of slots that a hash table begins with. */
#define DICTIONARY_FIRST_SLOTS	256

/*
 * A window or a block of values may be large while there is little in it.  So a block takes
 * at most one part in DICTIONARY_SMALL_PART of the memory limit, and so does a window, unless
 * a hash table would be larger.
 */
#define DICTIONARY_SMALL_PART	64

/* Number of keys that are moved to a larger table between two checks for interrupts. */
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
