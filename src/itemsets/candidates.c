/*-------------------------------------------------------------------------
 *
 * candidates.c
 *	  The itemsets that the argument "candidates" of itemset_supports() names.
 *
 * Each is an array literal.  There may be millions of them, of few different items.  So most
 * literals, those without quotes, blanks and the like, are split here, and each word is given to
 * the type's input function and looked up in the dictionary only once.  All others go to
 * PostgreSQL's own input function for arrays, which also finds the errors in them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "itemsets/itemsets.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define WHAT			"the candidates"

#define FIRST_WORDS		1024
#define FIRST_ITEMS		4096

/* Candidates between two checks for interrupts. */
#define INTERRUPT_CANDIDATES	1024

/* A word, as it stands in the argument, and the item that it names. */
typedef struct Word
{
	const char *text;			/* NULL: a free place of the table */
	uint32		length;
	uint32		id;				/* in the dictionary, or DICTIONARY_NONE */
} Word;

typedef struct CandidateReader
{
	GpufimRows *rows;
	char		delimiter;		/* between the items of an array */
	FmgrInfo	item_input;
	Oid			item_ioparam;
	FmgrInfo	array_input;
	Word	   *words;			/* [nslots], a hash table in the ledger's memory */
	Size		nslots;			/* a power of 2 */
	Size		nwords;
	uint32	   *ids;			/* items of all candidates that have been read, in the ledger's memory */
	Size		nids;
	Size		max_ids;
	uint32		number;			/* of the candidate that is being read, from 0 on */
} CandidateReader;

static void
CandidateCallback(void *arg)
{
	errcontext("element %u of argument \"candidates\"", ((CandidateReader *) arg)->number + 1);
}

static void
AddId(CandidateReader *reader, uint32 id)
{
	if (reader->nids == reader->max_ids)
	{
		Size		more = Max(2 * reader->max_ids, FIRST_ITEMS);

		reader->ids = LedgerGrow(reader->rows->ledger, reader->ids, reader->max_ids * sizeof(uint32),
								 more * sizeof(uint32), WHAT);
		reader->max_ids = more;
	}
	reader->ids[reader->nids++] = id;
}

/* The number of an item; DICTIONARY_NONE if no transaction has it. */
static uint32
FindItem(CandidateReader *reader, Datum value)
{
	Dictionary *items = reader->rows->items;
	uint32		id = DictionaryLookup(items, value, false);

	return id == DICTIONARY_NONE || items->entries[id].count == 0 ? DICTIONARY_NONE : id;
}

/* The place of a word in the table, or the free place where it belongs. */
static Word *
PlaceOf(const CandidateReader *reader, const char *text, uint32 length)
{
	Size		slot = hash_bytes((const unsigned char *) text, (int) length) & (reader->nslots - 1);

	while (reader->words[slot].text != NULL &&
		   (reader->words[slot].length != length || memcmp(reader->words[slot].text, text, length) != 0))
		slot = (slot + 1) & (reader->nslots - 1);
	return &reader->words[slot];
}

static void
GrowWords(CandidateReader *reader)
{
	MemoryLedger *ledger = reader->rows->ledger;
	Word	   *old = reader->words;
	Size		nslots = reader->nslots;

	reader->words = LedgerAllocZero(ledger, 2 * nslots * sizeof(Word), WHAT);
	reader->nslots = 2 * nslots;
	for (Size s = 0; s < nslots; s++)
		if (old[s].text != NULL)
			*PlaceOf(reader, old[s].text, old[s].length) = old[s];
	LedgerFree(ledger, old, nslots * sizeof(Word));
}

/* The item that a word names. */
static uint32
ItemOfWord(CandidateReader *reader, const char *text, uint32 length)
{
	Word	   *word = PlaceOf(reader, text, length);
	MemoryContext caller;
	Datum		value;

	if (word->text != NULL)
		return word->id;
	caller = MemoryContextSwitchTo(reader->rows->ledger->scratch);
	value = InputFunctionCall(&reader->item_input, pnstrdup(text, length), reader->item_ioparam, -1);
	*word = (Word) {text, length, FindItem(reader, value)};
	MemoryContextSwitchTo(caller);
	MemoryContextReset(reader->rows->ledger->scratch);
	if (2 * ++reader->nwords > reader->nslots)
	{
		uint32		id = word->id;

		GrowWords(reader);
		return id;
	}
	return word->id;
}

/* Does the type's input function for arrays have to look at a literal with this character between its braces? */
static bool
IsSpecial(char c)
{
	switch (c)
	{
		case '"':
		case '\\':
		case '{':
		case '}':
		case ' ':
		case '\t':
		case '\n':
		case '\r':
		case '\v':
		case '\f':
			return true;
		default:
			return false;
	}
}

/*
 * Read a literal without any such character, empty words, and NULL.  Returns false if it is another one; then some of its
 * items may have been added.
 */
static bool
ReadPlain(CandidateReader *reader, const char *text, const char *end)
{
	const char *word = text + 1;

	if (end - text < 2 || *text != '{' || *--end != '}')
		return false;
	if (word == end)
		return true;
	for (const char *at = word;; at++)
	{
		if (at < end && *at != reader->delimiter)
		{
			if (IsSpecial(*at))
				return false;
			continue;
		}
		if (at == word || (at - word == 4 && pg_strncasecmp(word, "null", 4) == 0))
			return false;
		AddId(reader, ItemOfWord(reader, word, (uint32) (at - word)));
		if (at == end)
			return true;
		word = at + 1;
	}
}

/* Have PostgreSQL read a literal. */
static void
ReadArray(CandidateReader *reader, const char *text, Size length)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->rows->ledger->scratch);
	Oid			type = reader->rows->items->type->type_id;
	Datum		array = InputFunctionCall(&reader->array_input, pnstrdup(text, length), type, -1);
	ArrayIterator iterator = array_create_iterator(DatumGetArrayTypeP(array), 0, NULL);
	Datum		value;
	bool		isnull;

	while (array_iterate(iterator, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		if (isnull)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the itemsets in argument \"candidates\" must not contain nulls")));
		AddId(reader, FindItem(reader, value));
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(reader->rows->ledger->scratch);
}

/* Read a candidate.  Returns its number of items, or FIM_NOWHERE if no transaction has one of them, which takes no items. */
static uint32
ReadCandidate(CandidateReader *reader, const char *text, Size length)
{
	Size		first = reader->nids;

	if (!ReadPlain(reader, text, text + length))
	{
		reader->nids = first;
		ReadArray(reader, text, length);
	}
	for (Size i = first; i < reader->nids; i++)
	{
		if (reader->ids[i] == DICTIONARY_NONE)
		{
			reader->nids = first;
			return FIM_NOWHERE;
		}
	}
	return (uint32) (reader->nids - first);
}

static void
BeginReading(CandidateReader *reader, GpufimRows *rows)
{
	Oid			type = rows->items->type->type_id;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Oid			input;

	memset(reader, 0, sizeof(*reader));
	reader->rows = rows;
	get_type_io_data(type, IOFunc_input, &typlen, &typbyval, &typalign, &reader->delimiter, &reader->item_ioparam, &input);
	fmgr_info(input, &reader->item_input);
	fmgr_info(F_ARRAY_IN, &reader->array_input);
	reader->nslots = FIRST_WORDS;
	reader->words = LedgerAllocZero(rows->ledger, reader->nslots * sizeof(Word), WHAT);
}

/* Copy to where the ledger's end does not reach. */
static uint32 *
Keep(CandidateReader *reader, Size n)
{
	LedgerMakeRoom(reader->rows->ledger, (n + 1) * sizeof(uint32), WHAT);
	return MemoryContextAllocHuge(CurrentMemoryContext, (n + 1) * sizeof(uint32));
}

FimCandidates
ReadCandidates(GpufimRows *rows, ArrayType *texts)
{
	FimCandidates candidates = {.n = ArrayGetNItems(ARR_NDIM(texts), ARR_DIMS(texts))};
	CandidateReader reader;
	ErrorContextCallback callback = {error_context_stack, CandidateCallback, &reader};
	const char *text = ARR_DATA_PTR(texts);

	BeginReading(&reader, rows);
	candidates.length = Keep(&reader, candidates.n);
	CurrentRun->total = candidates.n;
	error_context_stack = &callback;
	for (uint32 c = 0; c < candidates.n; c++)
	{
		if (c % INTERRUPT_CANDIDATES == 0)
		{
			CHECK_FOR_INTERRUPTS();
			CurrentRun->done = c;
		}
		reader.number = c;
		candidates.length[c] = ReadCandidate(&reader, VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
		text += INTALIGN(VARSIZE_ANY(text));
	}
	error_context_stack = callback.previous;
	CurrentRun->done = 0;
	candidates.items = Keep(&reader, reader.nids);
	if (reader.nids > 0)
		memcpy(candidates.items, reader.ids, reader.nids * sizeof(uint32));
	LedgerFree(rows->ledger, reader.ids, reader.max_ids * sizeof(uint32));
	LedgerFree(rows->ledger, reader.words, reader.nslots * sizeof(Word));
	return candidates;
}
