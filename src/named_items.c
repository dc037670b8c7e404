/*-------------------------------------------------------------------------
 *
 * named_items.c
 *	  The items of a source that an argument names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "named_items.h"
#include "read/row_detail.h"
#include "read/source.h"
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

uint32 *
FindNamedItems(GpufimRows *rows, ArrayType *names, const char *argument, int *n)
{
	Dictionary *items = rows->items;
	MemoryContext caller = CurrentMemoryContext;
	ArrayIterator iterator = array_create_iterator(names, 0, NULL);
	Oid			input;
	Oid			ioparam;
	FmgrInfo	function;
	uint32	   *ids;
	Datum		name;
	bool		isnull;
	AbsentItems absent = {NULL};

	getTypeInputInfo(items->type->type_id, &input, &ioparam);
	fmgr_info(input, &function);
	initStringInfo(&absent.names);
	*n = 0;
	ids = LedgerAlloc(rows->ledger,
					  (ArrayGetNItems(ARR_NDIM(names), ARR_DIMS(names)) + 1) * sizeof(uint32),
					  "the items that are named");
	MemoryContextSwitchTo(rows->ledger->scratch);
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
		ids[*n] = DictionaryLookup(items, value, false);
		if (ids[(*n)++] == DICTIONARY_NONE)
			AddAbsentItem(&absent, items, value, word);
		MemoryContextReset(rows->ledger->scratch);
	}
	MemoryContextSwitchTo(caller);
	array_free_iterator(iterator);
	NoteAbsentItems(&absent, SourceItemColumn(rows->source), argument);
	pfree(absent.names.data);
	return ids;
}

void
FreeNamedItems(GpufimRows *rows, uint32 *ids, int n)
{
	LedgerFree(rows->ledger, ids, ((Size) n + 1) * sizeof(uint32));
}
