/*-------------------------------------------------------------------------
 *
 * transactions.c
 *	  The transactions of a call, in their forms: a row with an array of items, all rows with one
 *	  id, or a transaction_set.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "fmgr.h"
#include "gpufim.h"
#include "itemsets/itemsets.h"
#include "read/read.h"
#include "utils/builtins.h"

void
TakeTransactions(Arguments *args, int optional, TransactionsRequest *request)
{
	bool		pairs = request->form == FORM_PAIRS;

	request->type_sample = InvalidOid;
	if (request->form == FORM_SET)
	{
		request->set = SetOfDatum(TakeRequired(args, "s"));
		if (args->fcinfo->nargs - args->next > optional + request->best + request->has_minsup)
			request->type_sample = TakeTypeSample(args, "item_type");
	}
	else
	{
		request->source = TextDatumGetCString(TakeRequired(args, "source"));
		request->tid_column = pairs ? TakeName(args, "tid_column") : NULL;
		request->item_argument = pairs ? "item_column" : "items_column";
		request->item_column = TakeName(args, request->item_argument);
	}
	if (request->best)
		request->k = TakePositive(args, "k");
	if (request->has_minsup)
		request->minsup = TakeMinsup(args, "transactions", "transactions");
	if (args->fcinfo->nargs - args->next > optional)
		request->type_sample = TakeTypeSample(args, "item_type");
}

/* Fills in the columns that a call reads, and returns how many they are. */
static int
ColumnsOfRequest(const TransactionsRequest *request, SourceColumn *columns)
{
	int			n = 0;

	memset(columns, 0, 2 * sizeof(SourceColumn));
	if (request->tid_column)
	{
		columns[n].role = ROLE_TRANSACTION;
		columns[n].name = request->tid_column;
		columns[n++].argument = "tid_column";
	}
	columns[n].role = request->tid_column ? ROLE_ITEM : ROLE_ITEMS;
	columns[n].name = request->item_column;
	columns[n].argument = request->item_argument;
	columns[n].type_sample = request->type_sample;
	columns[n].may_be_sets = request->tid_column == NULL;
	return n + 1;
}

GpufimSource *
OpenTransactions(const TransactionsRequest *request)
{
	SourceColumn columns[2];
	int			ncolumns = ColumnsOfRequest(request, columns);

	SourceConnect();
	return SourceOpen(request->source, columns, ncolumns);
}

GpufimRows *
ReadOpenTransactions(GpufimSource *source, MemoryLedger *ledger)
{
	RowLayout	layout = {.unique = true};

	layout.grouped = SourceColumnOf(source, ROLE_TRANSACTION) != NULL;
	layout.merged = !layout.grouped;
	return IngestSource(source, &layout, ledger);
}

GpufimRows *
ReadTransactionRows(const TransactionsRequest *request, MemoryLedger *ledger)
{
	GpufimSource *source;
	GpufimRows *rows;

	if (request->form == FORM_SET)
	{
		CheckEngineChoice(&FimItemsetsFamily, request->only_cpu);
		return RowsOfSet(request->set, request->type_sample, ledger);
	}
	source = OpenTransactions(request);

	/*
	 * A call that asks for an engine or strategy that is not available should fail before the
	 * source is scanned.  This check comes after all others, because it may have to start a
	 * worker.
	 */
	CheckEngineChoice(&FimItemsetsFamily, request->only_cpu);
	rows = ReadOpenTransactions(source, ledger);
	SourceDisconnect();
	return rows;
}
