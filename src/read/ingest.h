/*-------------------------------------------------------------------------
 *
 * ingest.h
 *	  Reading the rows of a source and encoding them as they arrive.
 *
 * Included by the SQL functions of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_INGEST_H
#define GPUFIM_INGEST_H

#include "read/rows.h"
#include "read/source.h"

/* Values are float8, and take so many words of an entry. */
#define VALUE_WORDS		((uint32) (sizeof(float8) / sizeof(uint32)))

/* The i-th entry's value, of a record whose entries have one. */
static inline float8
EntryValue(const uint32 *entries, uint32 i)
{
	float8		value;

	memcpy(&value, entries + i * (1 + VALUE_WORDS) + 1, sizeof(value));
	return value;
}

/*
 * Execute the source's plan and encode its rows.  Items are numbered in the given
 * dictionary and, if rows are grouped by a column, transactions in the other one,
 * which is NULL otherwise.  A NULL array or transaction id is a row that is not
 * there; so is an item that has no value.  A NULL item is left out.
 *
 * Layouts that can be read: records of an array's or of a transaction's items, each
 * once; and records of a row's item with its value.
 */
extern GpufimRows *IngestSource(GpufimSource *source, const RowLayout *layout,
								MemoryLedger *ledger, Dictionary *items,
								Dictionary *transactions);

#endif							/* GPUFIM_INGEST_H */
