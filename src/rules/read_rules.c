/*-------------------------------------------------------------------------
 *
 * read_rules.c
 *	  Reading a table of rules.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "read/read.h"
#include "rules/matches.h"
#include "utils/builtins.h"

/* The columns, by which they are found. */
enum
{
	ANTECEDENT, CONSEQUENT, CONFIDENCE, LIFT, NCOLUMNS
};

typedef struct RulesReceiver
{
	Receiver	base;			/* must be first */
	RuleTable  *table;
	AlignedBuffer aligned[2];
} RulesReceiver;

/* Make room for one more rule, and for this number of items.  The engine numbers the items of all rules in 32 bits. */
static void
MakeRoom(RuleTable *table, MemoryLedger *ledger, uint64 nitems)
{
	if (table->n > UINT32_MAX / 4 || table->nitems + nitems > UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rules"),
				 errhint("Select fewer, the strongest for instance.")));
	if (table->n == table->max)
	{
		uint32		max = Max(64, 2 * table->max);

		table->rules = LedgerGrow(ledger, table->rules, table->max * sizeof(ReadRule), max * sizeof(ReadRule), "the rules");
		table->max = max;
	}
	if (table->nitems + nitems > table->max_items)
	{
		uint64		max = Max(Max(1024, 2 * table->max_items), table->nitems + nitems);

		table->items = LedgerGrow(ledger, table->items, table->max_items * sizeof(uint32), max * sizeof(uint32), "the rules");
		table->max_items = max;
	}
}

/* Look the items of a side up.  Returns their number, or -1 if one is NULL. */
static int64
TakeSide(RulesReceiver *receiver, const SourceRow *row, int column)
{
	MemoryLedger *ledger = receiver->base.ledger;
	RuleTable  *table = receiver->table;
	ArrayType  *array = AlignedArray(ledger, &receiver->aligned[column], RowValue(row, column));
	uint32		n = CountElements(array);

	if (array_contains_nulls(array))
		return -1;
	MakeRoom(table, ledger, n);
	FindArray(table->dictionary, array, n, table->items + table->nitems);
	table->nitems += n;
	return n;
}

static void
ReceiveRule(Receiver *base, const SourceRow *row)
{
	RulesReceiver *receiver = (RulesReceiver *) base;
	RuleTable  *table = receiver->table;
	uint64		at = table->nitems;
	int64		nantecedent = -1;
	int64		nconsequent = -1;

	if (!RowIsNull(row, ANTECEDENT) && !RowIsNull(row, CONSEQUENT) && !RowIsNull(row, CONFIDENCE) && !RowIsNull(row, LIFT))
	{
		nantecedent = TakeSide(receiver, row, ANTECEDENT);
		if (nantecedent >= 0)
			nconsequent = TakeSide(receiver, row, CONSEQUENT);
	}
	if (nconsequent >= 0)
		table->rules[table->n++] = (ReadRule)
		{
			DatumGetFloat8(RowValue(row, CONFIDENCE)), DatumGetFloat8(RowValue(row, LIFT)), at, nantecedent, nconsequent
		};
	else
	{
		table->nitems = at;
		table->left_out++;
	}
	LedgerForget(base->ledger);
}

static void
BeginRules(Receiver *base)
{
	RulesReceiver *receiver = (RulesReceiver *) base;
	RowLayout	layout = {0};

	base->rows = RowsCreate(base->ledger, base->source, &layout, receiver->table->dictionary, NULL);
	base->receive = ReceiveRule;
}

static void
EndRules(Receiver *base)
{
}

/* This process reads the rules alone, because there are few of them: so it leaves no contents to others. */
static const ReceiverKind RulesReceiverKind = {
	.size = sizeof(RulesReceiver),
	.begin = BeginRules,
	.end = EndRules
};

/* Both sides must have the same type, because their items have common numbers. */
static void
CheckSides(const GpufimSource *source)
{
	const SourceColumn *antecedent = &source->columns[ANTECEDENT];
	const SourceColumn *consequent = &source->columns[CONSEQUENT];

	if (antecedent->type != consequent->type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the columns \"antecedent\" and \"consequent\" of the rules have items of different types, %s and %s",
						format_type_be(antecedent->type), format_type_be(consequent->type)),
				 errhint("Cast both to arrays of one type in a query.")));
}

static GpufimSource *
OpenRules(const char *text)
{
	static const char *const names[NCOLUMNS] = {"antecedent", "consequent", "confidence", "lift"};
	SourceColumn columns[NCOLUMNS];
	GpufimSource *source;

	for (int i = 0; i < NCOLUMNS; i++)
		(void) SourceColumnSet(&columns[i], i <= CONSEQUENT ? ROLE_ITEMS : ROLE_VALUE, names[i], NULL);
	source = SourceOpenAs(text, "rules", columns, NCOLUMNS);
	CheckSides(source);
	SourceReadInOrder(source);
	return source;
}

static void
NoteLeftOut(const RuleTable *table)
{
	if (table->left_out > 0)
		ereport(NOTICE,
				(errmsg_plural("%llu rule is left out, because it has a null",
							   "%llu rules are left out, because they have nulls",
							   (unsigned long) table->left_out, (unsigned long long) table->left_out)));
}

RuleTable *
ReadRules(const char *text, MemoryLedger *ledger)
{
	RuleTable  *table = LedgerAllocZero(ledger, sizeof(RuleTable), "the rules");
	RulesReceiver receiver = {.table = table};
	GpufimSource *source;

	SourceConnect();
	source = OpenRules(text);
	table->dictionary = DictionaryCreate(ledger, source->columns[ANTECEDENT].type, source->columns[ANTECEDENT].collation,
										 true, "the items of the rules");
	SourceRead(source, &RulesReceiverKind, &receiver.base, ledger);
	SourceDisconnect();
	NoteLeftOut(table);
	RunAddDetail("rules", table->n);
	/* the rows of the call are those of the transactions */
	CurrentRun->rows_read = CurrentRun->done = 0;
	return table;
}
