/*-------------------------------------------------------------------------
 *
 * ingest.c
 *	  Reads the rows of a source and encodes them as they arrive.
 *
 * The source's plan runs to its end inside SPI_execute_plan_extended(), which hands each
 * row to a DestReceiver of ours.  So no row is kept in PostgreSQL's form, and the plan
 * may be a parallel one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "figures.h"
#include "nodes/plannodes.h"
#include "read/arrays.h"
#include "read/ingest.h"
#include "read/lists.h"
#include "read/pairs.h"
#include "utils/plancache.h"

/* Receives a row that is an item with a value. */
static bool
ReceiveEntry(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	uint32	   *record;
	uint32	   *entry;
	uint32		item;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	CountTransaction(rows);
	item = LookupItem(rows->items, slot->tts_values[0]);
	rows->items->entries[item].count++;
	record = RecordReserve(rows, 1, &entry);
	SetEntry(entry, 0, item, DatumGetFloat8(slot->tts_values[1]));
	RecordAdvance(rows, record, 1);
	ForgetRow(rows);
	return true;
}

static void
ReceiverStartup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
ReceiverShutdown(DestReceiver *self)
{
}

/* The planner's estimate of the number of rows that the source gives; 0 if there is none. */
static double
ExpectedRows(const GpufimSource *source)
{
	CachedPlan *plan = SPI_plan_get_cached_plan(source->plan);
	double		rows;

	if (plan == NULL)
		return 0;
	rows = linitial_node(PlannedStmt, plan->stmt_list)->planTree->plan_rows;
	ReleaseCachedPlan(plan, NULL);	/* the plan is not a saved one */
	return rows;
}

static NumberFormat
FormatOfProbabilities(const GpufimSource *source)
{
	const SourceColumn *probability = SourceColumnOf(source, ROLE_PROBABILITY);

	return probability != NULL ? SourceNumberFormat(probability) : NUMBER_FLOAT8;
}

/* Has the layout this many words of values in an entry, and in the head of a record? */
static bool
HasWords(const RowLayout *layout, uint32 value_words, uint32 head_words)
{
	return layout->value_words == value_words && layout->head_words == head_words;
}

/* How to receive the rows of a source, according to its columns and the layout of the records. */
static ReceiveFunction
ChooseReceiver(const GpufimSource *source, const RowLayout *layout)
{
	const SourceColumn *probability = SourceColumnOf(source, ROLE_PROBABILITY);
	bool		valued = SourceColumnOf(source, ROLE_VALUE) != NULL;

	if (valued && !layout->grouped && !layout->unique && HasWords(layout, VALUE_WORDS, 0))
		return ReceiveEntry;
	if (layout->unique && !valued)
	{
		if (probability == NULL && HasWords(layout, 0, 0))
			return layout->grouped ? ReceivePair : ReceiveArray;
		if (probability != NULL && probability->is_array != layout->grouped &&
			HasWords(layout, VALUE_WORDS, 0))
			return layout->grouped ? ReceiveUncertainPair : ReceiveArrayOfUncertain;
		if (probability != NULL && !probability->is_array && !layout->grouped &&
			HasWords(layout, 0, VALUE_WORDS))
			return ReceiveUncertainArray;
	}
	elog(ERROR, "rows of this layout cannot be read");
}

void
IngestInto(GpufimSource *source, IngestReceiver *receiver, ReceiveFunction receive)
{
	SPIExecuteOptions options = {0};
	int			result;

	receiver->pub.receiveSlot = receive;
	receiver->pub.rStartup = ReceiverStartup;
	receiver->pub.rShutdown = ReceiverShutdown;
	receiver->pub.rDestroy = ReceiverShutdown;
	receiver->pub.mydest = DestTuplestore;	/* SPI treats some others specially */
	receiver->rows->growth.expected_rows = ExpectedRows(source);
	options.read_only = true;
	options.dest = &receiver->pub;
	result = SPI_execute_plan_extended(source->plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s",
			 SPI_result_code_string(result));
	receiver->rows->growth.read = true;
}

static Dictionary *
CreateDictionary(MemoryLedger *ledger, const SourceColumn *column, bool keep_values,
				 const char *what)
{
	return DictionaryCreate(ledger, column->type, column->collation, keep_values, what);
}

/*
 * The rows and what belongs to them are allocated in the ledger's context, which outlives
 * SPI_finish().
 */
GpufimRows *
IngestSource(GpufimSource *source, const RowLayout *layout, MemoryLedger *ledger)
{
	IngestReceiver receiver = {0};
	Dictionary *items = CreateDictionary(ledger, SourceItemColumn(source), true, "distinct items");
	Dictionary *transactions = NULL;
	GpufimRows *rows = RowsCreate(ledger, source, layout, items);

	if (layout->grouped)
		transactions = CreateDictionary(ledger, SourceColumnOf(source, ROLE_TRANSACTION), false,
										"distinct transaction ids");
	receiver.rows = rows;
	receiver.tids = transactions;
	receiver.tid = DICTIONARY_NONE;
	receiver.number_format = FormatOfProbabilities(source);
	rows->growth.transactions = transactions;
	IngestInto(source, &receiver, ChooseReceiver(source, layout));

	FinishPairs(&receiver);
	ReportRows(&receiver);
	rows->growth.transactions = NULL;
	if (transactions != NULL)
	{
		rows->transactions = transactions->n;
		DictionaryFree(transactions);
		NoteLists(source, SourceItemColumn(source), items, "item",
				  !rows->scattered && rows->longest <= 1);
	}
	return rows;
}
