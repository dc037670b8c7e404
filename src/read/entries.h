/*-------------------------------------------------------------------------
 *
 * entries.h
 *	  Appending entries to a record: each item once, and counted.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ENTRIES_H
#define GPUFIM_ENTRIES_H

#include "read/rows.h"

/*
 * Appends an item to the nout items of a transaction unless it is there already, and counts
 * it.  Returns the new number of items.  The stamp identifies the transaction: it is in the
 * dictionary's entry of each item that the transaction has so far, and of no other.
 */
static inline uint32
AppendItem(Dictionary *items, uint32 id, uint32 stamp, uint32 *out, uint32 nout)
{
	DictionaryEntry *entry = &items->entries[id];

	if (entry->stamp != stamp)
	{
		entry->stamp = stamp;
		entry->count++;
		out[nout++] = id;
	}
	return nout;
}

#define ENTRIES_CONFLICT	UINT32_MAX

/*
 * The same for an item with a value.  An item whose value is 0 gets an entry, but is not
 * counted.  Returns ENTRIES_CONFLICT if the item is there with another value.
 *
 * Here the stamp in the dictionary is the item's place in the record, so that its value
 * there can be found.  It is left from an earlier record if that place has another item.
 */
static inline uint32
AppendValued(Dictionary *items, uint32 id, float8 value, uint32 *out, uint32 nout)
{
	DictionaryEntry *entry = &items->entries[id];
	uint32		place = entry->stamp;

	if (place < nout && out[place * VALUED_WORDS] == id)
		return EntryValue(out, place) == value ? nout : ENTRIES_CONFLICT;
	entry->stamp = nout;
	entry->count += value != 0;
	SetEntry(out, nout, id, value);
	return nout + 1;
}

/* The value of an item that AppendValued() has found to be in the record already. */
static inline float8
ValueInRecord(const Dictionary *items, uint32 id, const uint32 *record)
{
	return EntryValue(record, items->entries[id].stamp);
}

#endif							/* GPUFIM_ENTRIES_H */
