/*-------------------------------------------------------------------------
 *
 * prepare_rules.c
 *	  From rules as they were read to what the engine applies.
 *
 * Items get three numbers: the one in the dictionary of the source's items, their rank in the order of their type, by
 * which sides are sorted, and the engine's, by which the rarest come first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "items.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "rules/matches.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define WHAT	"the rules"

/*
 * The items of the rules among those of the source.
 */

/* What is known of the items of the rules. */
typedef struct RuleItems
{
	uint32	   *ids;			/* by their numbers in the rules' dictionary, those in the source's */
	uint32	   *rank;			/* by these: in the order of the type; UINT32_MAX for items in no rule */
	SortedValue *ranked;		/* [n] */
	uint32		n;
	uint32	   *rarity;			/* [n] by rank: the engine's number */
} RuleItems;

/* Says whose text a value is that is no value of the source's type. */
static void
ItemCallback(void *arg)
{
	errcontext("item \"%s\" of the rules", *(char **) arg);
}

/* Look the rules' items up.  They are converted by way of text if they are of another type. */
static void
FindItems(const Dictionary *from, Dictionary *items, RuleItems *to)
{
	MemoryLedger *ledger = items->ledger;
	bool		convert = from->type->type_id != items->type->type_id;
	MemoryContext caller = CurrentMemoryContext;
	char	   *text = NULL;
	ErrorContextCallback callback = {error_context_stack, ItemCallback, &text};
	Oid			input;
	Oid			ioparam;
	Oid			output;
	bool		varlena;

	getTypeInputInfo(items->type->type_id, &input, &ioparam);
	getTypeOutputInfo(from->type->type_id, &output, &varlena);
	to->ids = LedgerAlloc(ledger, ((Size) from->n + 1) * sizeof(uint32), WHAT);
	MemoryContextSwitchTo(ledger->scratch);
	for (uint32 i = 0; i < from->n; i++)
	{
		Datum		value = from->entries[i].value;

		CHECK_FOR_INTERRUPTS();
		if (convert)
		{
			text = OidOutputFunctionCall(output, value);
			error_context_stack = &callback;
			value = OidInputFunctionCall(input, text, ioparam, -1);
			error_context_stack = callback.previous;
		}
		to->ids[i] = DictionaryLookup(items, value, true);
		MemoryContextReset(ledger->scratch);
	}
	MemoryContextSwitchTo(caller);
}

/* Rank the items by the order of their type. */
static void
RankItems(const Dictionary *from, Dictionary *items, RuleItems *to)
{
	MemoryLedger *ledger = items->ledger;

	to->rank = LedgerAlloc(ledger, ((Size) items->n + 1) * sizeof(uint32), WHAT);
	memset(to->rank, 0xff, (Size) items->n * sizeof(uint32));
	to->ranked = LedgerAlloc(ledger, ((Size) from->n + 1) * sizeof(SortedValue), WHAT);
	for (uint32 i = 0; i < from->n; i++)
	{
		uint32		id = to->ids[i];

		if (to->rank[id] != UINT32_MAX)
			continue;
		to->rank[id] = to->n;
		to->ranked[to->n++] = (SortedValue) {items->entries[id].value, id, items->entries[id].count};
	}
	SortValues(ledger, items, to->ranked, to->n);
	for (uint32 r = 0; r < to->n; r++)
		to->rank[to->ranked[r].id] = r;
}

static int
CompareRarity(const void *a, const void *b, void *arg)
{
	const SortedValue *ranked = arg;
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	CHECK_FOR_INTERRUPTS();
	if (ranked[x].count != ranked[y].count)
		return ranked[x].count < ranked[y].count ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void
NumberItems(RuleItems *items, MemoryLedger *ledger)
{
	Size		size = ((Size) items->n + 1) * sizeof(uint32);
	uint32	   *order = LedgerAlloc(ledger, size, WHAT);

	items->rarity = LedgerAlloc(ledger, size, WHAT);
	for (uint32 r = 0; r < items->n; r++)
		order[r] = r;
	qsort_arg(order, items->n, sizeof(uint32), CompareRarity, items->ranked);
	for (uint32 i = 0; i < items->n; i++)
		items->rarity[order[i]] = i;
	LedgerFree(ledger, order, size);
}

/*
 * The rules that can make a suggestion, the best first.
 */

/* A rule whose sides are sets: their items' ranks, ascending. */
typedef struct Rule
{
	double		confidence;
	double		lift;
	const uint32 *antecedent;
	const uint32 *consequent;
	uint32		nantecedent;
	uint32		nconsequent;
	uint32		number;			/* of the consequent */
} Rule;

static int
CompareNumbers(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Put the ranks of the items in their place, each once.  Returns how many there are. */
static uint32
MakeSide(const RuleItems *items, uint32 *side, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		side[i] = items->rank[items->ids[side[i]]];
	SortNumbers(side, n);
	return qunique(side, n, sizeof(uint32), CompareNumbers);
}

static bool
IsPart(const uint32 *part, uint32 npart, const uint32 *whole, uint32 nwhole)
{
	uint32		found = 0;

	for (uint32 i = 0; i < nwhole && found < npart; i++)
		found += whole[i] == part[found];
	return found == npart;
}

/* Can the rule apply to a transaction of the source that does not hold its consequent? */
static bool
CanApply(const RuleItems *items, const Rule *rule)
{
	for (uint32 i = 0; i < rule->nantecedent; i++)
		if (items->ranked[rule->antecedent[i]].count == 0)
			return false;
	return !IsPart(rule->consequent, rule->nconsequent, rule->antecedent, rule->nantecedent);
}

/* Make the sides sets, in the table's own memory, and return the rules that can apply, whose number *n becomes. */
static Rule *
MakeRules(const RuleTable *table, const RuleItems *items, MemoryLedger *ledger, uint32 *n)
{
	Rule	   *rules = LedgerAlloc(ledger, ((Size) table->n + 1) * sizeof(Rule), WHAT);

	*n = 0;
	for (uint32 i = 0; i < table->n; i++)
	{
		const ReadRule *read = &table->rules[i];
		uint32	   *antecedent = table->items + read->at;
		uint32	   *consequent = antecedent + read->nantecedent;
		Rule		rule = {.confidence = read->confidence,.lift = read->lift,.antecedent = antecedent,.consequent = consequent};

		CHECK_FOR_INTERRUPTS();
		rule.nantecedent = MakeSide(items, antecedent, read->nantecedent);
		rule.nconsequent = MakeSide(items, consequent, read->nconsequent);
		if (CanApply(items, &rule))
			rules[(*n)++] = rule;
	}
	return rules;
}

static int
CompareSides(const uint32 *a, uint32 na, const uint32 *b, uint32 nb)
{
	for (uint32 i = 0; i < na && i < nb; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return na < nb ? -1 : na > nb;
}

static int
CompareConsequents(const void *a, const void *b)
{
	const Rule *x = a;
	const Rule *y = b;

	CHECK_FOR_INTERRUPTS();
	return CompareSides(x->consequent, x->nconsequent, y->consequent, y->nconsequent);
}

/* The highest confidence first, then the highest lift, the shortest antecedent, and the dictionary's order. */
static int
CompareRules(const void *a, const void *b)
{
	const Rule *x = a;
	const Rule *y = b;
	int			order = float8_cmp_internal(y->confidence, x->confidence);

	CHECK_FOR_INTERRUPTS();
	if (order == 0)
		order = float8_cmp_internal(y->lift, x->lift);
	if (order == 0 && x->nantecedent != y->nantecedent)
		order = x->nantecedent < y->nantecedent ? -1 : 1;
	if (order == 0)
		order = CompareSides(x->antecedent, x->nantecedent, y->antecedent, y->nantecedent);
	/* what is left does not matter, but that equal calls give equal results */
	return order != 0 ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* Number the different consequents and return how many there are. */
static uint32
NumberConsequents(Rule *rules, uint32 n)
{
	uint32		number = 0;

	qsort(rules, n, sizeof(Rule), CompareConsequents);
	for (uint32 i = 0; i < n; i++)
	{
		if (i > 0 && CompareConsequents(&rules[i - 1], &rules[i]) != 0)
			number++;
		rules[i].number = number;
	}
	return n > 0 ? number + 1 : 0;
}

/*
 * What the engine, and rows, are made of.
 */

/* Where sides are written, as the engine has them and as values. */
typedef struct SideWriter
{
	const RuleItems *items;
	uint32	   *numbers;		/* the engine's */
	uint32	   *ids;			/* in the dictionary */
	uint64		used;
} SideWriter;

static uint64
WriteSide(SideWriter *writer, const uint32 *side, uint32 n)
{
	uint64		at = writer->used;

	CHECK_FOR_INTERRUPTS();
	for (uint32 i = 0; i < n; i++)
	{
		writer->numbers[at + i] = writer->items->rarity[side[i]];
		writer->ids[at + i] = writer->items->ranked[side[i]].id;
	}
	SortNumbers(writer->numbers + at, n);
	writer->used += n;
	return at;
}

/* Write all antecedents, then each consequent once; match->consequent_at is relative to the first of these. */
static void
WriteSides(PreparedRules *prepared, const Rule *rules, SideWriter *writer, FimMatchRule *match_rules, uint64 *consequent_at)
{
	FimMatchRules *match = &prepared->match;
	uint64		first;

	for (uint32 r = 0; r < match->nrules; r++)
	{
		const Rule *rule = &rules[r];
		uint64		at = WriteSide(writer, rule->antecedent, rule->nantecedent);

		match_rules[r] = (FimMatchRule) {at, rule->nantecedent, rule->number};
		prepared->antecedent[r] = at;
		prepared->confidence[r] = rule->confidence;
		prepared->lift[r] = rule->lift;
		match->longest = Max(match->longest, rule->nantecedent);
	}
	match->nentries = first = writer->used;
	/* rules of one consequent have it at different places of the table */
	for (uint32 r = 0; r < match->nrules; r++)
		prepared->consequent[rules[r].number] = r;
	for (uint32 c = 0; c < match->nconsequents; c++)
	{
		const Rule *rule = &rules[prepared->consequent[c]];

		prepared->consequent[c] = WriteSide(writer, rule->consequent, rule->nconsequent);
		consequent_at[c] = prepared->consequent[c] - first;
	}
	consequent_at[match->nconsequents] = writer->used - first;
	match->consequent_items = writer->numbers + first;
}

/* The engine's numbers of all items of the source. */
static uint32 *
NumbersOfItems(const RuleItems *items, uint32 n, MemoryLedger *ledger)
{
	uint32	   *number = LedgerAlloc(ledger, ((Size) n + 1) * sizeof(uint32), WHAT);

	for (uint32 id = 0; id < n; id++)
		number[id] = items->rank[id] == UINT32_MAX ? UINT32_MAX : items->rarity[items->rank[id]];
	return number;
}

PreparedRules *
PrepareRules(const RuleTable *table, Dictionary *dictionary, MemoryLedger *ledger)
{
	PreparedRules *prepared = LedgerAllocZero(ledger, sizeof(PreparedRules), WHAT);
	FimMatchRules *match = &prepared->match;
	RuleItems	items = {NULL};
	SideWriter	writer = {.items = &items};
	FimMatchRule *match_rules;
	uint64	   *consequent_at;
	Rule	   *rules;

	FindItems(table->dictionary, dictionary, &items);
	RankItems(table->dictionary, dictionary, &items);
	NumberItems(&items, ledger);
	rules = MakeRules(table, &items, ledger, &match->nrules);
	match->nitems = items.n;
	match->nconsequents = NumberConsequents(rules, match->nrules);
	qsort(rules, match->nrules, sizeof(Rule), CompareRules);

	writer.numbers = LedgerAlloc(ledger, (table->nitems + 1) * sizeof(uint32), WHAT);
	prepared->sides = writer.ids = LedgerAlloc(ledger, (table->nitems + 1) * sizeof(uint32), WHAT);
	match_rules = LedgerAlloc(ledger, ((Size) match->nrules + 1) * sizeof(FimMatchRule), WHAT);
	consequent_at = LedgerAlloc(ledger, ((Size) match->nconsequents + 1) * sizeof(uint64), WHAT);
	prepared->antecedent = LedgerAlloc(ledger, ((Size) match->nrules + 1) * sizeof(uint64), WHAT);
	prepared->consequent = LedgerAlloc(ledger, ((Size) match->nconsequents + 1) * sizeof(uint64), WHAT);
	prepared->confidence = LedgerAlloc(ledger, ((Size) match->nrules + 1) * sizeof(double), WHAT);
	prepared->lift = LedgerAlloc(ledger, ((Size) match->nrules + 1) * sizeof(double), WHAT);
	WriteSides(prepared, rules, &writer, match_rules, consequent_at);
	match->rules = match_rules;
	match->items = writer.numbers;
	match->consequent_at = consequent_at;
	prepared->number = NumbersOfItems(&items, dictionary->n, ledger);
	LedgerFree(ledger, rules, ((Size) table->n + 1) * sizeof(Rule));
	return prepared;
}
