/*-------------------------------------------------------------------------
 *
 * value_order.c
 *	  The sort order of a dictionary's values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "value_order.h"

typedef struct ValueOrder
{
	SortSupportData support;
	bool		by_text;
} ValueOrder;

static int
CompareValues(const void *a, const void *b, void *arg)
{
	ValueOrder *order = arg;
	Datum		left = ((const SortedValue *) a)->value;
	Datum		right = ((const SortedValue *) b)->value;

	CHECK_FOR_INTERRUPTS();
	if (order->by_text)
		return strcmp(DatumGetCString(left), DatumGetCString(right));
	return ApplySortComparator(left, false, right, false, &order->support);
}

/* A value's text, which belongs to the ledger. */
static char *
LedgerText(MemoryLedger *ledger, Oid output, Datum value, const char *what)
{
	MemoryContext caller = MemoryContextSwitchTo(ledger->scratch);
	char	   *text = OidOutputFunctionCall(output, value);
	Size		size = strlen(text) + 1;
	char	   *copy = memcpy(LedgerAlloc(ledger, size, what), text, size);

	MemoryContextSwitchTo(caller);
	MemoryContextReset(ledger->scratch);
	return copy;
}

void
SortValues(MemoryLedger *ledger, const Dictionary *dictionary, SortedValue *sorted, uint32 n)
{
	ValueOrder	order = {0};
	Oid			output;
	bool		varlena;

	if (OidIsValid(dictionary->type->lt_opr))
	{
		order.support.ssup_cxt = CurrentMemoryContext;
		order.support.ssup_collation = dictionary->collation;
		PrepareSortSupportFromOrderingOp(dictionary->type->lt_opr, &order.support);
	}
	else
	{
		order.by_text = true;
		getTypeOutputInfo(dictionary->type->type_id, &output, &varlena);
		for (uint32 i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			sorted[i].value = CStringGetDatum(LedgerText(ledger, output, sorted[i].value, dictionary->what));
		}
	}
	qsort_arg(sorted, n, sizeof(SortedValue), CompareValues, &order);
	if (order.by_text)
	{
		for (uint32 i = 0; i < n; i++)
		{
			char	   *text = DatumGetCString(sorted[i].value);

			LedgerFree(ledger, text, strlen(text) + 1);
			sorted[i].value = dictionary->entries[sorted[i].id].value;
		}
	}
}
