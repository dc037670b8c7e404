/*-------------------------------------------------------------------------
 *
 * arrays.c
 *	  Reading the array form: a row is a transaction.
 *
 * The row has an array of items.  It may also have either a probability of the transaction,
 * or an array with a probability for each item.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "compat.h"
#include "read/arrays.h"
#include "read/entries.h"
#include "read/probabilities.h"
#include "read/repeats.h"

/* Number of elements that are looked up one by one between two checks for interrupts. */
#define INTERRUPT_ITEMS			65536

/* Number of integers that are looked up together. */
#define GROUP_ELEMENTS			128

/* The i-th of an array's integers of "width" bytes, which is a constant, see EncodeIntegers(). */
static pg_always_inline int64
IntegerElement(const char *data, uint32 i, int width)
{
	switch (width)
	{
		case 1:
			return data[i];
		case 2:
			return ((const int16 *) data)[i];
		case 4:
			return ((const int32 *) data)[i];
		default:
			return ((const int64 *) data)[i];
	}
}

/*
 * Looks a group of elements up in a dictionary that is too large to stay in the cache.  The
 * slots of all are prefetched, and then their entries.  One by one, each element would wait
 * for its slot and then for its entry.
 */
static pg_always_inline void
LookupIntegers(Dictionary *items, const char *data, uint32 first, uint32 end,
			   int width, uint32 *ids)
{
	for (uint32 i = first; i < end; i++)
		DictionaryPrefetch(items, IntegerElement(data, i, width));
	for (uint32 i = first; i < end; i++)
	{
		*ids = DictionaryInteger(items, IntegerElement(data, i, width));
		DictionaryPrefetchEntry(items, *ids++);
	}
}

/*
 * Encodes elements that are integers, none of them NULL.  The width is a constant
 * wherever this is called, so that the compiler makes a loop of its own for each.
 */
static pg_always_inline uint32
EncodeIntegers(Dictionary *items, const char *data, uint32 nelements, int width,
			   uint32 stamp, uint32 *out)
{
	uint32		ids[GROUP_ELEMENTS];
	uint32		nout = 0;

	for (uint32 first = 0; first < nelements; first += GROUP_ELEMENTS)
	{
		uint32		end = first + Min(nelements - first, GROUP_ELEMENTS);

		CHECK_FOR_INTERRUPTS();
		if (items->n <= CACHED_ITEMS)
		{
			for (uint32 i = first; i < end; i++)
				nout = AppendItem(items,
								  DictionaryInteger(items, IntegerElement(data, i, width)),
								  stamp, out, nout);
			continue;
		}
		LookupIntegers(items, data, first, end, width, ids);
		for (uint32 i = 0; i < end - first; i++)
			nout = AppendItem(items, ids[i], stamp, out, nout);
	}
	return nout;
}

static inline bool
IsNullElement(const uint8 *nulls, uint32 i)
{
	return nulls && (nulls[i / 8] & (1 << (i % 8))) == 0;
}

/* Returns the element at *data, and moves *data to the next one. */
static inline Datum
NextElement(const Dictionary *items, const char **data)
{
	Datum		value = fetch_att(*data, items->typbyval, items->typlen);
	const char *end = att_addlength_pointer(*data, items->typlen, *data);

	*data = (const char *) att_align_nominal(end, items->type->typalign);
	return value;
}

/* Encodes elements of any type, and leaves NULLs out. */
static uint32
EncodeElements(GpufimRows *rows, ArrayType *array, uint32 nelements, uint32 stamp,
			   uint32 *out)
{
	Dictionary *items = rows->items;
	const char *data = ARR_DATA_PTR(array);
	const uint8 *nulls = ARR_NULLBITMAP(array);
	uint32		nout = 0;

	for (uint32 i = 0; i < nelements; i++)
	{
		Datum		value;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (IsNullElement(nulls, i))
			continue;
		value = NextElement(items, &data);
		nout = AppendItem(items, DictionaryLookup(items, value, true), stamp, out, nout);
	}
	return nout;
}

static uint32
EncodeArray(GpufimRows *rows, ArrayType *array, uint32 nelements, uint32 stamp,
			uint32 *out)
{
	Dictionary *items = rows->items;

	if (items->kind == DICTIONARY_INTEGER && !ARR_HASNULL(array))
	{
		const char *data = ARR_DATA_PTR(array);

		switch (items->typlen)
		{
			case 1:
				return EncodeIntegers(items, data, nelements, 1, stamp, out);
			case 2:
				return EncodeIntegers(items, data, nelements, 2, stamp, out);
			case 4:
				return EncodeIntegers(items, data, nelements, 4, stamp, out);
			default:
				return EncodeIntegers(items, data, nelements, 8, stamp, out);
		}
	}
	return EncodeElements(rows, array, nelements, stamp, out);
}

ArrayType *
DetoastedArray(IngestReceiver *receiver, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(receiver->rows->ledger->scratch);
	ArrayType  *array = (ArrayType *) detoast_attr((struct varlena *) DatumGetPointer(value));

	MemoryContextSwitchTo(old);
	return array;
}

bool
ReceiveArray(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	uint32	   *record;
	uint32	   *out;
	uint32		n;

	CountRow(receiver);
	slot_getsomeattrs(slot, 1);
	if (slot->tts_isnull[0])
		return true;
	CountTransaction(rows);
	array = AlignedArray(receiver, &receiver->aligned[0], slot->tts_values[0]);
	rows->growth.elements = CountElements(array);
	record = RecordReserve(rows, rows->growth.elements + 1, &out);
	n = EncodeArray(rows, array, rows->growth.elements, (uint32) rows->transactions, out);
	if (!RecordRepeats(rows, record, n))
		RecordAdvance(rows, record, n);
	ForgetRow(rows);
	return true;
}

bool
ReceiveUncertainArray(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	float8		value;
	uint32	   *record;
	uint32	   *out;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	value = ReceivedNumber(receiver, slot->tts_values[1]);
	if (!IsProbability(value))
		RaiseNotProbability(rows, slot, value);
	CountTransaction(rows);
	if (value == 0)
		return true;
	array = AlignedArray(receiver, &receiver->aligned[0], slot->tts_values[0]);
	rows->growth.elements = CountElements(array);
	record = RecordReserve(rows, rows->growth.elements, &out);
	SetRecordValue(out, value);
	RecordAdvance(rows, record, EncodeArray(rows, array, rows->growth.elements,
											(uint32) rows->transactions, out));
	ForgetRow(rows);
	return true;
}

/* Looks up elements that are integers, none of them NULL. */
static pg_always_inline void
FindIntegers(Dictionary *items, const char *data, uint32 nelements, int width, uint32 *ids)
{
	for (uint32 first = 0; first < nelements; first += GROUP_ELEMENTS)
	{
		uint32		end = first + Min(nelements - first, GROUP_ELEMENTS);

		CHECK_FOR_INTERRUPTS();
		if (items->n > CACHED_ITEMS)
			LookupIntegers(items, data, first, end, width, ids + first);
		else
		{
			for (uint32 i = first; i < end; i++)
				ids[i] = DictionaryInteger(items, IntegerElement(data, i, width));
		}
	}
}

/* Looks up elements of any type.  The id of a NULL is DICTIONARY_NONE. */
static void
FindElements(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids)
{
	const char *data = ARR_DATA_PTR(array);
	const uint8 *nulls = ARR_NULLBITMAP(array);

	for (uint32 i = 0; i < nelements; i++)
	{
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		ids[i] = DICTIONARY_NONE;
		if (IsNullElement(nulls, i))
			continue;
		ids[i] = DictionaryLookup(items, NextElement(items, &data), true);
	}
}

void
FindArray(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids)
{
	const char *data = ARR_DATA_PTR(array);

	if (items->kind != DICTIONARY_INTEGER || ARR_HASNULL(array))
		FindElements(items, array, nelements, ids);
	else if (items->typlen == 1)
		FindIntegers(items, data, nelements, 1, ids);
	else if (items->typlen == 2)
		FindIntegers(items, data, nelements, 2, ids);
	else if (items->typlen == 4)
		FindIntegers(items, data, nelements, 4, ids);
	else
		FindIntegers(items, data, nelements, 8, ids);
}

/*
 * Removes the entries whose value is 0, and returns how many are left.  They had to be there
 * until now, so that an item that has another value, too, was noticed.
 */
static uint32
DropZeros(uint32 *entries, uint32 n)
{
	uint32		kept = 0;

	for (uint32 i = 0; i < n; i++)
	{
		if (EntryValue(entries, i) != 0)
			SetEntry(entries, kept++, entries[i * VALUED_WORDS], EntryValue(entries, i));
	}
	return kept;
}

/* Returns the number at *data, and moves *data to the next one. */
static inline float8
NextProbability(const IngestReceiver *receiver, const char **data)
{
	const char *at = *data;

	switch (receiver->number_format)
	{
		case NUMBER_FLOAT4:
			*data += sizeof(float4);
			return *(const float4 *) at;
		case NUMBER_NUMERIC:
			*data += INTALIGN(VARSIZE_ANY(at));
			return ReceivedNumber(receiver, PointerGetDatum(at));
		default:
			*data += sizeof(float8);
			return *(const float8 *) at;
	}
}

/*
 * Makes entries of the ids of items and of an array of as many probabilities, and returns
 * how many there are.  The ids may lie at the end of the room for the entries, since each
 * is read before its place is written to.
 */
static uint32
EncodeUncertain(const IngestReceiver *receiver, TupleTableSlot *slot, const uint32 *ids,
				ArrayType *probabilities, uint32 nelements, uint32 *out)
{
	const GpufimRows *rows = receiver->rows;
	const char *data = ARR_DATA_PTR(probabilities);
	const uint8 *nulls = ARR_NULLBITMAP(probabilities);
	bool		zeros = false;
	uint32		nout = 0;

	for (uint32 i = 0; i < nelements; i++)
	{
		uint32		id = ids[i];
		uint32		appended;
		float8		value;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (IsNullElement(nulls, i))
			continue;
		value = NextProbability(receiver, &data);
		if (!IsProbability(value))
			RaiseNotProbability(rows, slot, value);
		if (id == DICTIONARY_NONE)
			continue;
		appended = AppendValued(rows->items, id, value, out, nout);
		if (appended == ENTRIES_CONFLICT)
			RaiseTwoProbabilities(rows, slot, id, ValueInRecord(rows->items, id, out), value);
		nout = appended;
		zeros |= value == 0;
	}
	return zeros ? DropZeros(out, nout) : nout;
}

bool
ReceiveArrayOfUncertain(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	ArrayType  *probabilities;
	uint32		nelements;
	uint32	   *record;
	uint32	   *out;
	uint32	   *ids;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	CountTransaction(rows);
	array = AlignedArray(receiver, &receiver->aligned[0], slot->tts_values[0]);
	probabilities = AlignedArray(receiver, &receiver->aligned[1], slot->tts_values[1]);
	nelements = CountElements(array);
	if (CountElements(probabilities) != nelements)
		RaiseNotAsMany(rows, nelements, CountElements(probabilities));
	rows->growth.elements = nelements;
	record = RecordReserve(rows, nelements, &out);
	ids = out + nelements * VALUE_WORDS;
	FindArray(rows->items, array, nelements, ids);
	RecordAdvance(rows, record,
				  EncodeUncertain(receiver, slot, ids, probabilities, nelements, out));
	ForgetRow(rows);
	return true;
}
