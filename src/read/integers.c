/*-------------------------------------------------------------------------
 *
 * integers.c
 *	  The integers of a dictionary, found without calling a function.
 *
 * While keys are dense they are found in a window, an array that is indexed by the key.
 * Otherwise they are found in a hash table that has the keys inside.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "read/dictionary.h"

/* A window has room for at least this many keys outside the range of those seen. */
#define WINDOW_SLACK			1024

/* A window of no more keys than this is taken even if a hash table would be smaller. */
#define SMALL_WINDOW			65536

static void
IntegerPut(Dictionary *dictionary, int64 key, uint32 number)
{
	uint64		mask = dictionary->nslots - 1;
	uint64		slot;

	if (dictionary->integer_slots == NULL)
	{
		dictionary->window[(uint64) key - (uint64) dictionary->window_low] = number;
		return;
	}
	slot = MixBits((uint64) key) & mask;
	while (dictionary->integer_slots[slot].number != 0)
		slot = (slot + 1) & mask;
	dictionary->integer_slots[slot].key = key;
	dictionary->integer_slots[slot].number = number;
}

static uint64
SlotsFor(uint64 n)
{
	uint64		nslots = DICTIONARY_FIRST_SLOTS;

	while (nslots < 2 * n)
		nslots *= 2;
	return nslots;
}

/*
 * Replaces the table by one that has room for another key.  The new one is a window,
 * half as large again as the range of keys seen, unless a hash table takes less memory.
 */
static void
IntegerRebuild(Dictionary *dictionary, int64 key)
{
	Dictionary	old = *dictionary;
	uint64		span;
	uint64		window_size;
	uint64		small_window;

	dictionary->lowest = old.n ? Min(old.lowest, key) : key;
	dictionary->highest = old.n ? Max(old.highest, key) : key;
	span = (uint64) dictionary->highest - (uint64) dictionary->lowest;
	dictionary->nslots = SlotsFor((uint64) old.n + 1);

	window_size = span < PG_UINT64_MAX / 4 ? span + span / 2 + WINDOW_SLACK : PG_UINT64_MAX;
	small_window = Min(SMALL_WINDOW, dictionary->ledger->limit / DICTIONARY_SMALL_PART / sizeof(uint32));
	if (window_size <= small_window ||
		window_size <= dictionary->nslots * (sizeof(IntegerSlot) / sizeof(uint32)))
	{
		uint64		spare = window_size - span - 1;

		/*
		 * Three quarters of the spare room go to the side where the new key is, since
		 * keys that grow or shrink will go on doing so.
		 */
		spare = old.n && key == dictionary->lowest ? spare - spare / 4 : spare / 4;
		dictionary->window_low = (int64) ((uint64) dictionary->lowest - spare);
		dictionary->window = LedgerAllocZero(dictionary->ledger,
											 window_size * sizeof(uint32),
											 dictionary->what);
		dictionary->window_size = window_size;
		dictionary->integer_slots = NULL;
		dictionary->nslots = 0;
	}
	else
	{
		dictionary->integer_slots =
			LedgerAllocZero(dictionary->ledger,
							dictionary->nslots * sizeof(IntegerSlot),
							dictionary->what);
		dictionary->window = NULL;
		dictionary->window_size = 0;
	}

	for (uint64 i = 0; i < old.window_size; i++)
	{
		if (old.window[i] != 0)
			IntegerPut(dictionary, (int64) ((uint64) old.window_low + i), old.window[i]);
		if (i % DICTIONARY_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	for (uint64 i = 0; i < old.nslots; i++)
	{
		if (old.integer_slots[i].number != 0)
			IntegerPut(dictionary, old.integer_slots[i].key, old.integer_slots[i].number);
		if (i % DICTIONARY_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	DictionaryFreeIntegers(&old);
}

uint32
DictionaryAddInteger(Dictionary *dictionary, int64 key)
{
	uint64		at = (uint64) key - (uint64) dictionary->window_low;
	bool		fits;
	uint32		id;

	if (dictionary->integer_slots)
		fits = (uint64) dictionary->n * 4 < dictionary->nslots * 3;
	else
		fits = at < dictionary->window_size;
	if (!fits)
		IntegerRebuild(dictionary, key);

	id = DictionaryNewId(dictionary, IntegerDatum(dictionary, key));
	IntegerPut(dictionary, key, id + 1);
	dictionary->lowest = Min(dictionary->lowest, key);
	dictionary->highest = Max(dictionary->highest, key);
	return id;
}

void
DictionaryClearIntegers(Dictionary *dictionary)
{
	if (dictionary->window != NULL)
		memset(dictionary->window, 0, dictionary->window_size * sizeof(uint32));
	if (dictionary->integer_slots != NULL)
		memset(dictionary->integer_slots, 0, dictionary->nslots * sizeof(IntegerSlot));
}

void
DictionaryFreeIntegers(Dictionary *dictionary)
{
	LedgerFree(dictionary->ledger, dictionary->window,
			   dictionary->window_size * sizeof(uint32));
	LedgerFree(dictionary->ledger, dictionary->integer_slots,
			   dictionary->nslots * sizeof(IntegerSlot));
}
