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
#ifndef GPUFIM_DICTIONARY_H
#define GPUFIM_DICTIONARY_H

#include "read/dictionary_integers.h"

extern TypeCacheEntry *DictionaryType(Oid type);
extern Dictionary *DictionaryCreate(MemoryLedger *ledger, Oid type, Oid collation,
									bool keep_values, const char *what);
extern void DictionaryFree(Dictionary *dictionary);
extern uint32 DictionaryLookup(Dictionary *dictionary, Datum value, bool add);

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

#endif							/* GPUFIM_DICTIONARY_H */
