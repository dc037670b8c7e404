/*-------------------------------------------------------------------------
 *
 * match_rows.c
 *	  Turning the rules that apply to transactions into rows of the SQL function's result.
 *
 * A rule applies to many transactions.  So the arrays of its items are made once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "miscadmin.h"
#include "results.h"
#include "rules/matches.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

/* The columns of a row. */
enum
{
	TID, CONSEQUENT, CONFIDENCE, LIFT, ANTECEDENT
};

#define IDS_OF_TRANSACTIONS		"the ids of the transactions"
#define ITEMS_OF_RULES			"the items of the rules"

static const ResultWords result_words = {
	"suggestion", "suggestions", "items",
	"Give fewer rules, the strongest for instance, or fewer transactions."
};

typedef struct MatchMaker
{
	RowMaker	rows;			/* must be first */
	const Datum *tids;			/* by the transactions' numbers */
	const Datum *antecedents;	/* by rule */
	const Datum *consequents;	/* by rule */
	const double *confidence;
	const double *lift;

	/* the batch's next record, and the rules of the one that is being read */
	const uint32 *next;
	const uint32 *end;
	uint32		tid;

	/* the numbers of the row that was made last */
	double		row_confidence;
	double		row_lift;
} MatchMaker;

static void
BeginBatch(RowMaker *maker, const uint32 *words)
{
	MatchMaker *matches = (MatchMaker *) maker;

	matches->next = matches->end = words;
}

static void
NextRow(RowMaker *maker, Datum *values)
{
	MatchMaker *matches = (MatchMaker *) maker;
	uint32		rule;

	if (matches->next == matches->end)
	{
		matches->tid = *matches->next++;
		matches->end += 2 + *matches->next++;
	}
	rule = *matches->next++;
	if (maker->wanted[TID])
		values[TID] = matches->tids[matches->tid];
	if (maker->wanted[CONSEQUENT])
		values[CONSEQUENT] = matches->consequents[rule];
	if (maker->wanted[ANTECEDENT])
		values[ANTECEDENT] = matches->antecedents[rule];
	matches->row_confidence = matches->confidence[rule];
	matches->row_lift = matches->lift[rule];
	if (maker->wanted[CONFIDENCE])
		values[CONFIDENCE] = Float8GetDatumFast(matches->row_confidence);
	if (maker->wanted[LIFT])
		values[LIFT] = Float8GetDatumFast(matches->row_lift);
}

/*
 * Making the values.  They are in the maker's memory.
 */

static Datum
DictionaryValue(const void *dictionary, uint32 id)
{
	return ((const Dictionary *) dictionary)->entries[id].value;
}

/* Makes arrays of items. */
typedef struct ArrayMaker
{
	MatchMaker *matches;
	const Dictionary *items;
	ImageMaker	images;
	Oid			type;			/* of the elements */
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;		/* room for those of the longest side */
} ArrayMaker;

static Datum
MakeArray(ArrayMaker *maker, const uint32 *side, uint32 n)
{
	MemoryContext caller = MemoryContextSwitchTo(maker->images.ledger->scratch);
	ArrayType  *array;
	void	   *copy;

	CHECK_FOR_INTERRUPTS();
	for (uint32 i = 0; i < n; i++)
		maker->elements[i] = ImageValue(&maker->images, maker->items->entries[side[i]].value);
	array = construct_array(maker->elements, n, maker->type, maker->typlen, maker->typbyval, maker->typalign);
	copy = ImageBytes(&maker->images, MAXALIGN(VARSIZE(array)));
	memcpy(copy, array, VARSIZE(array));
	MemoryContextSwitchTo(caller);
	LedgerForget(maker->images.ledger);
	return PointerGetDatum(copy);
}

static uint32
LongestSide(const FimMatchRules *match)
{
	uint64		longest = match->longest;

	for (uint32 c = 0; c < match->nconsequents; c++)
		longest = Max(longest, match->consequent_at[c + 1] - match->consequent_at[c]);
	return longest;
}

static void
BeginArrays(ArrayMaker *maker, MatchMaker *matches, Form_pg_attribute column, const PreparedRules *rules, const Dictionary *items)
{
	Oid			type = get_element_type(column->atttypid);
	MemoryLedger *ledger = matches->rows.ledger;

	maker->matches = matches;
	maker->items = items;
	maker->type = type;
	get_typlenbyvalalign(type, &maker->typlen, &maker->typbyval, &maker->typalign);
	ImageMakerInit(&maker->images, ledger, items->type->type_id, type, ITEMS_OF_RULES);
	maker->elements = LedgerAlloc(ledger, ((Size) LongestSide(&rules->match) + 1) * sizeof(Datum), ITEMS_OF_RULES);
}

static Datum *
AllocateValues(MatchMaker *matches, uint32 n)
{
	return RowMakerResize(&matches->rows, NULL, 0, ((Size) n + 1) * sizeof(Datum), ITEMS_OF_RULES);
}

static const Datum *
MakeAntecedents(ArrayMaker *maker, const PreparedRules *rules)
{
	const FimMatchRules *match = &rules->match;
	Datum	   *values = AllocateValues(maker->matches, match->nrules);

	for (uint32 r = 0; r < match->nrules; r++)
		values[r] = MakeArray(maker, rules->sides + rules->antecedent[r], match->rules[r].nantecedent);
	return values;
}

/* Rules of the same consequent share its array. */
static const Datum *
MakeConsequents(ArrayMaker *maker, const PreparedRules *rules)
{
	const FimMatchRules *match = &rules->match;
	MemoryLedger *ledger = maker->images.ledger;
	Size		size = ((Size) match->nconsequents + 1) * sizeof(Datum);
	Datum	   *different = LedgerAlloc(ledger, size, ITEMS_OF_RULES);
	Datum	   *values = AllocateValues(maker->matches, match->nrules);

	for (uint32 c = 0; c < match->nconsequents; c++)
		different[c] = MakeArray(maker, rules->sides + rules->consequent[c],
								 match->consequent_at[c + 1] - match->consequent_at[c]);
	for (uint32 r = 0; r < match->nrules; r++)
		values[r] = different[match->rules[r].consequent];
	LedgerFree(ledger, different, size);
	return values;
}

static const double *
CopyNumbers(MatchMaker *matches, const double *numbers, uint32 n)
{
	Size		size = ((Size) n + 1) * sizeof(double);

	return memcpy(RowMakerResize(&matches->rows, NULL, 0, size, ITEMS_OF_RULES), numbers, n * sizeof(double));
}

RowSink *
MatchRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const PreparedRules *rules,
				const Dictionary *items, const Dictionary *tids, uint32 ntids)
{
	TupleDesc	desc = ((ReturnSetInfo *) fcinfo->resultinfo)->setDesc;
	MatchMaker *matches = RowMakerCreate(sizeof(MatchMaker), fcinfo, ledger, &result_words);
	const bool *wanted = matches->rows.wanted;
	MemoryContext caller = MemoryContextSwitchTo(matches->rows.memory);
	ValueList	ids = {.n = ntids,.what = IDS_OF_TRANSACTIONS};
	ArrayMaker	arrays;
	Size		unused;

	if (tids != NULL)
		ids = (ValueList)
	{
		tids->type->type_id, ntids, DictionaryValue, tids, IDS_OF_TRANSACTIONS
	};
	matches->rows.begin = BeginBatch;
	matches->rows.next = NextRow;
	if (wanted[TID])
		matches->tids = ValueImages(ledger, &ids, TupleDescAttr(desc, TID), &unused);
	BeginArrays(&arrays, matches, TupleDescAttr(desc, CONSEQUENT), rules, items);
	if (wanted[CONSEQUENT])
		matches->consequents = MakeConsequents(&arrays, rules);
	if (wanted[ANTECEDENT])
		matches->antecedents = MakeAntecedents(&arrays, rules);
	matches->confidence = CopyNumbers(matches, rules->confidence, rules->match.nrules);
	matches->lift = CopyNumbers(matches, rules->lift, rules->match.nrules);
	MemoryContextSwitchTo(caller);
	return RowSinkCreate(fcinfo, &matches->rows);
}
