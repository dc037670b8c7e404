/*-------------------------------------------------------------------------
 *
 * value_order.h
 *	  The sort order of a dictionary's values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_VALUE_ORDER_H
#define GPUFIM_VALUE_ORDER_H

#include "read/dictionary.h"

typedef struct SortedValue
{
	Datum		value;
	uint32		id;
	uint32		count;
} SortedValue;

/*
 * Sort n of the dictionary's values by the type's order.  Values of a type that has none are
 * sorted by the bytes of their text, which takes memory from the ledger meanwhile.
 */
extern void SortValues(MemoryLedger *ledger, const Dictionary *dictionary, SortedValue *sorted,
					   uint32 n);

#endif							/* GPUFIM_VALUE_ORDER_H */
