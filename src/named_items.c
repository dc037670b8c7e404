/*-------------------------------------------------------------------------
 *
 * named_items.c
 *	  The items of a source that an argument names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "items.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* The items that are named but do not occur, each once, and the names of the first few. */
typedef struct AbsentItems
{
	Dictionary *values;			/* NULL: there are none yet */
	StringInfoData names;
} AbsentItems;

#define LISTED_NAMES	10

#define INTERRUPT_NAMES	65536	/* between two checks for interrupts */

static void
AddAbsentItem(AbsentItems *absent, const Dictionary *items, Datum value, const char *name)
{
	uint32		n;

	if (absent->values == NULL)
		absent->values = DictionaryCreate(items->ledger, items->type->type_id, items->collation,
										  false, "the items that are named");
	n = absent->values->n;
	(void) DictionaryLookup(absent->values, value, true);
	if (absent->values->n == n)
		return;
	if (n < LISTED_NAMES)
	{
		appendStringInfoString(&absent->names, n > 0 ? ", \"" : "\"");
		AppendClipped(&absent->names, name);
		appendStringInfoChar(&absent->names, '"');
	}
	else if (n == LISTED_NAMES)
		appendStringInfoString(&absent->names, ", ...");
}

static void
NoteAbsentItems(AbsentItems *absent, const SourceColumn *column, const char *argument)
{
	if (absent->values == NULL)
		return;
	if (absent->values->n == 1)
		ereport(NOTICE,
				(errmsg("%s %s, named by \"%s\", does not occur in the source",
						column->value, absent->names.data, argument)));
	else
		ereport(NOTICE,
				(errmsg("%u %s, named by \"%s\", do not occur in the source: %s",
						absent->values->n, column->values, argument, absent->names.data)));
	DictionaryFree(absent->values);
}

/* Says where a name is that is no value of the items' type. */
static void
NameCallback(void *arg)
{
	errcontext("argument \"%s\"", (const char *) arg);
}

NamedItems
FindNamedItems(GpufimRows *rows, ArrayType *names, const char *argument)
{
	Dictionary *items = rows->items;
	MemoryContext caller = CurrentMemoryContext;
	ErrorContextCallback callback = {error_context_stack, NameCallback, unconstify(char *, argument)};
	NamedItems	named = {NULL, 0};
	ArrayIterator iterator;
	Oid			input;
	Oid			ioparam;
	FmgrInfo	function;
	Datum		name;
	bool		isnull;
	AbsentItems absent = {NULL};

	if (names == NULL)
		return named;
	iterator = array_create_iterator(names, 0, NULL);
	getTypeInputInfo(items->type->type_id, &input, &ioparam);
	fmgr_info(input, &function);
	initStringInfo(&absent.names);
	named.ids = LedgerAlloc(rows->ledger,
							(ArrayGetNItems(ARR_NDIM(names), ARR_DIMS(names)) + 1) * sizeof(uint32),
							"the items that are named");
	MemoryContextSwitchTo(rows->ledger->scratch);
	error_context_stack = &callback;
	while (array_iterate(iterator, &name, &isnull))
	{
		char	   *word;
		Datum		value;

		CHECK_FOR_INTERRUPTS();
		if (isnull)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"%s\" must not contain nulls", argument)));
		word = TextDatumGetCString(name);
		value = InputFunctionCall(&function, word, ioparam, -1);
		named.ids[named.n] = DictionaryLookup(items, value, false);
		if (named.ids[named.n++] == DICTIONARY_NONE)
			AddAbsentItem(&absent, items, value, word);
		MemoryContextReset(rows->ledger->scratch);
	}
	error_context_stack = callback.previous;
	MemoryContextSwitchTo(caller);
	array_free_iterator(iterator);
	NoteAbsentItems(&absent, SourceItemColumn(rows->source), argument);
	pfree(absent.names.data);
	return named;
}

void
FreeNamedItems(GpufimRows *rows, NamedItems *named)
{
	LedgerFree(rows->ledger, named->ids, ((Size) named->n + 1) * sizeof(uint32));
}

/* The stamps of items that are named. */
#define NOT_COUNTED		1
#define COUNTED			2
#define IS_EXCLUDED		3

static void
StampItems(GpufimRows *rows, const NamedItems *named, uint32 stamp)
{
	for (int i = 0; i < named->n; i++)
	{
		if (i % INTERRUPT_NAMES == 0)
			CHECK_FOR_INTERRUPTS();
		if (named->ids[i] != DICTIONARY_NONE)
			rows->items->entries[named->ids[i]].stamp = stamp;
	}
}

static void
NoteExcluded(const GpufimRows *rows, const DictionaryEntry *item)
{
	StringInfoData text;

	initStringInfo(&text);
	AppendClipped(&text, ValueText(rows->items->type->type_id, item->value));
	ereport(NOTICE,
			(errmsg("nothing can be found, because \"including\" and \"excluding\" both name %s \"%s\"",
					SourceItemColumn(rows->source)->value, text.data)));
	pfree(text.data);
}

void
NoteContradictions(GpufimRows *rows, const NamedItems *including, const NamedItems *excluding,
				   uint32 max_length)
{
	const DictionaryEntry *excluded = NULL;
	uint32		n = 0;

	StampItems(rows, including, NOT_COUNTED);
	StampItems(rows, excluding, IS_EXCLUDED);
	for (int i = 0; i < including->n; i++)
	{
		DictionaryEntry *item;

		if (i % INTERRUPT_NAMES == 0)
			CHECK_FOR_INTERRUPTS();
		if (including->ids[i] == DICTIONARY_NONE)
			continue;
		item = &rows->items->entries[including->ids[i]];
		if (item->stamp == IS_EXCLUDED)
			excluded = item;
		else if (item->stamp == NOT_COUNTED)
		{
			item->stamp = COUNTED;
			n++;
		}
	}
	if (excluded != NULL)
		NoteExcluded(rows, excluded);
	if (n > max_length)
		ereport(NOTICE,
				(errmsg("nothing can be found, because \"including\" names %u %s and \"max_length\" is %u",
						n, SourceItemColumn(rows->source)->values, max_length)));
}
