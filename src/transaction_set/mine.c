/*-------------------------------------------------------------------------
 *
 * mine.c
 *	  Transactions of a set as the rows of a call.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "miscadmin.h"
#include "transaction_set/transaction_set.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

void
CheckSetSample(const SetParts *parts, Oid sample)
{
	Oid			type = parts->types.item.type;

	if (!OidIsValid(sample) || getBaseType(sample) == type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"item_type\" does not fit the transaction set"),
			 errdetail("The items are of type %s, not %s.", format_type_be(type), format_type_be(sample)),
			 OidIsValid(get_array_type(type)) ?
			 errhint("Write NULL::%s, or leave \"item_type\" out to get text.", format_type_be(get_array_type(type))) :
			 errhint("Leave \"item_type\" out to get text.")));
}

/*
 * The rows of a set.
 */

GpufimSource *
SourceOfSet(const SetParts *parts, Oid type_sample)
{
	GpufimSource *source = palloc0(sizeof(GpufimSource));
	SourceColumn *column = &source->columns[0];

	source->ncolumns = 1;
	(void) SourceColumnSet(column, ROLE_ITEMS, "", "s");
	column->value = "item";
	column->values = "items";
	column->sample_argument = "item_type";
	column->type_sample = type_sample;
	column->is_array = true;
	column->type = parts->types.item.type;
	column->typmod = -1;
	column->collation = parts->types.collation;
	return source;
}

void
CountRecord(Dictionary *dictionary, uint32 *items, uint32 n, uint32 times, const uint32 *map)
{
	DictionaryEntry *entries = dictionary->entries;

	for (uint32 i = 0; i < n; i++)
	{
		if (map != NULL)
			items[i] = map[items[i]];
		entries[items[i]].count += times;
	}
}

void
AddRecordsOfSet(GpufimRows *rows, const SetParts *parts, const uint32 *map)
{
	RecordBytes bytes = RecordsOfSet(parts);
	uint32		n;
	uint32		times;

	while (SetNextRecord(&bytes, &n, &times))
	{
		uint32	   *record = ChunkReserve(rows, &rows->records, n + 2 + SPARE_ITEMS);
		uint32	   *items = record + (times > 1 ? 2 : 1);

		if (rows->nmerged++ % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		SetNextItems(&bytes, items, n);
		record[0] = n;
		if (times > 1)
		{
			record[0] |= RECORD_TIMES;
			record[1] = times;
		}
		ChunkAdvance(&rows->records, items + n - record);
		CountRecord(rows->items, items, n, times, map);
		rows->nmerged_entries += n;
		rows->longest = Max(rows->longest, n);
		rows->transactions += times;
		if (rows->transactions >= FIM_MAX_TRANSACTIONS)
			RaiseTooManyTransactions();
	}
}

GpufimRows *
RowsOfSet(const TransactionSet *set, Oid type_sample, MemoryLedger *ledger)
{
	static const RowLayout layout = {.unique = true,.merged = true};
	SetParts	parts;
	GpufimRows *rows;

	OpenSet(set, false, &parts);
	CheckSetSample(&parts, type_sample);
	rows = RowsCreate(ledger, SourceOfSet(&parts, type_sample), &layout, DictionaryOfSet(&parts, ledger), NULL);
	AddRecordsOfSet(rows, &parts, NULL);
	rows->rows_read = rows->transactions;
	CurrentRun->rows_read = CurrentRun->done = rows->rows_read;
	CurrentRun->transactions = rows->transactions;
	CurrentRun->distinct_items = rows->items->n;
	return rows;
}
