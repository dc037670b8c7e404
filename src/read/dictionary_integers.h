/*-------------------------------------------------------------------------
 *
 * dictionary_integers.h
 *	  The integers of a dictionary, found without calling a function.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_DICTIONARY_INTEGERS_H
#define GPUFIM_DICTIONARY_INTEGERS_H

#include "compat.h"
#include "read/dictionary_state.h"

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

/* Adds a key that is not there, and returns its id. */
extern uint32 DictionaryAddInteger(Dictionary *dictionary, int64 key);

/* Gives back the window or the hash table. */
extern void DictionaryFreeIntegers(Dictionary *dictionary);

/* The id of a key, or DICTIONARY_NONE. */
static inline uint32
DictionaryFindInteger(const Dictionary *dictionary, int64 key)
{
	uint64		at = (uint64) key - (uint64) dictionary->window_low;

	if (at < dictionary->window_size)
		return dictionary->window[at] - 1;	/* DICTIONARY_NONE if 0 */
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

#endif							/* GPUFIM_DICTIONARY_INTEGERS_H */
