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

GpufimSource *
OpenTransactions(const TransactionsRequest *request)
{
	SourceColumn columns[2];
	SourceColumn *next = columns;

	if (request->tid_column)
		next = SourceColumnSet(next, ROLE_TRANSACTION, request->tid_column, "tid_column");
	next = SourceColumnSet(next, request->tid_column ? ROLE_ITEM : ROLE_ITEMS, request->item_column, request->item_argument);
	next[-1].type_sample = request->type_sample;
	next[-1].may_be_sets = request->tid_column == NULL;
	SourceConnect();
	return SourceOpen(request->source, columns, next - columns);
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
