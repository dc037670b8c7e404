/*-------------------------------------------------------------------------
 *
 * values.c
 *	  The values of a dictionary: their numbers, and copies of those passed by reference.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "read/dictionary.h"
#include "utils/datum.h"

/* Number of values that there is room for at first.  The room doubles when it is full. */
#define FIRST_ENTRIES			256

/* Size in bytes of a block of the arena, which holds copies of values. */
#define ARENA_STEP				65536

/*
 * Bytes, without any alignment, that live as long as the dictionary.
 *
 * Large values get blocks of their own.
 */
static char *
DictionaryAllocBytes(Dictionary *dictionary, Size bytes)
{
	char	   *result;

	if (bytes > dictionary->arena_left)
	{
		Size		header = MAXALIGN(sizeof(ArenaBlock));
		bool		large = bytes > dictionary->arena_step / 4;
		Size		size = header + (large ? bytes : dictionary->arena_step);
		ArenaBlock *block = LedgerAlloc(dictionary->ledger, size, dictionary->what);

		block->previous = dictionary->arena;
		block->size = size;
		dictionary->arena = block;
		result = (char *) block + header;
		if (large)
			return result;
		dictionary->arena_next = result;
		dictionary->arena_left = dictionary->arena_step;
	}
	result = dictionary->arena_next;
	dictionary->arena_next += bytes;
	dictionary->arena_left -= bytes;
	return result;
}

void *
DictionaryAllocAligned(Dictionary *dictionary, Size bytes)
{
	/* the arena may be unaligned after a packed value */
	return (void *) MAXALIGN(DictionaryAllocBytes(dictionary, MAXALIGN(bytes) + MAXIMUM_ALIGNOF - 1));
}

/*
 * Copies a short varlena with a header of one byte and without alignment, as tables
 * hold it.  All functions of the types that are compared as bytes accept that.
 */
static Datum
CopyPacked(Dictionary *dictionary, Datum value)
{
	const char *bytes = VARDATA_ANY(DatumGetPointer(value));
	Size		length = VARSIZE_ANY_EXHDR(DatumGetPointer(value));
	char	   *copy = DictionaryAllocBytes(dictionary, length + VARHDRSZ_SHORT);

	SET_VARSIZE_SHORT(copy, length + VARHDRSZ_SHORT);
	memcpy(VARDATA_SHORT(copy), bytes, length);
	return PointerGetDatum(copy);
}

Datum
DictionaryCopyValue(Dictionary *dictionary, Datum value)
{
	Size		bytes;
	char	   *copy;

	if (dictionary->typbyval || dictionary->borrows)
		return value;
	if (dictionary->kind == DICTIONARY_BYTES && dictionary->typlen == -1 &&
		VARSIZE_ANY_EXHDR(DatumGetPointer(value)) + VARHDRSZ_SHORT <= VARATT_SHORT_MAX)
		return CopyPacked(dictionary, value);
	bytes = datumGetSize(value, false, dictionary->typlen);
	copy = DictionaryAllocAligned(dictionary, bytes);
	memcpy(copy, DatumGetPointer(value), bytes);
	return PointerGetDatum(copy);
}

uint32
DictionaryNewId(Dictionary *dictionary, Datum value)
{
	uint32		id = dictionary->n;

	if (id == DICTIONARY_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many %s", dictionary->what),
				 errdetail("At most %u can be mined in one call.", DICTIONARY_MAX),
				 errhint("Select fewer rows.")));
	if (dictionary->entries)
	{
		if (id == dictionary->max_entries)
		{
			uint64		max_entries = 2 * (uint64) dictionary->max_entries;

			max_entries = Min(max_entries, DICTIONARY_MAX);
			dictionary->entries =
				LedgerGrow(dictionary->ledger, dictionary->entries,
						   dictionary->max_entries * sizeof(DictionaryEntry),
						   max_entries * sizeof(DictionaryEntry), dictionary->what);
			dictionary->max_entries = max_entries;
		}
		dictionary->entries[id].value = value;
		dictionary->entries[id].count = 0;
		dictionary->entries[id].stamp = 0;
	}
	dictionary->n = id + 1;
	return id;
}

void
DictionaryInitValues(Dictionary *dictionary, bool keep_values)
{
	MemoryLedger *ledger = dictionary->ledger;

	dictionary->arena_step = Min(ARENA_STEP, ledger->limit / DICTIONARY_SMALL_PART);
	if (!keep_values && dictionary->kind == DICTIONARY_INTEGER)
		return;
	dictionary->entries = LedgerAlloc(ledger, FIRST_ENTRIES * sizeof(DictionaryEntry),
									  dictionary->what);
	dictionary->max_entries = FIRST_ENTRIES;
}

static void
FreeArena(MemoryLedger *ledger, ArenaBlock *block)
{
	while (block)
	{
		ArenaBlock *previous = block->previous;

		LedgerFree(ledger, block, block->size);
		block = previous;
	}
}

void
DictionaryClearValues(Dictionary *dictionary)
{
	dictionary->n = 0;
	FreeArena(dictionary->ledger, dictionary->arena);
	dictionary->arena = NULL;
	dictionary->arena_left = 0;
}

void
DictionaryFreeValues(Dictionary *dictionary)
{
	MemoryLedger *ledger = dictionary->ledger;

	FreeArena(ledger, dictionary->arena);
	LedgerFree(ledger, dictionary->entries,
			   dictionary->max_entries * sizeof(DictionaryEntry));
}
