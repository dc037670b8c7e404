/*-------------------------------------------------------------------------
 *
 * best_rules.c
 *	  Association rules in the order in which the best are chosen.
 *
 * Of those with the same score, the ones with the largest support come first, then the shorter ones, then those with the shorter antecedent,
 * and then those whose antecedent and whose consequent come first in the order of the items' type.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "itemsets/best.h"
#include "port/pg_bitutils.h"

typedef struct RuleState
{
	FimRanking	by;
	uint32		transactions;
	const FimRule *rule;		/* the one that was read last */
} RuleState;

void *
BestRulesState(FimRanking by, uint32 transactions)
{
	RuleState  *state = palloc0(sizeof(RuleState));

	state->by = by;
	state->transactions = transactions;
	return state;
}

static double
ReadRule(void *arg, const uint32 **record, size_t *nwords)
{
	RuleState  *state = arg;
	const FimRule *rule = (const FimRule *) *record;

	state->rule = rule;
	*nwords = FIM_RULE_WORDS(rule);
	*record += *nwords;
	return FimRuleScore(state->by, rule->support, rule->antecedent, rule->consequent, state->transactions);
}

static size_t
WordsOfRule(const uint32 *record)
{
	return FIM_RULE_WORDS((const FimRule *) record);
}

static void
KeepRule(const void *arg, uint32 *to)
{
	const FimRule *rule = ((const RuleState *) arg)->rule;

	memcpy(to, rule, FIM_RULE_WORDS(rule) * sizeof(uint32));
}

/* Add the items of one side to a list, by their numbers, which are in the order of their type. */
static uint32
AddSide(const uint32 *items, uint32 side, uint32 *list, uint32 n)
{
	uint32		first = n;

	for (; side != 0; side &= side - 1)
		list[n++] = items[pg_rightmost_one_pos32(side)];
	SortNumbers(list + first, n - first);
	return n;
}

/* The antecedent's items come first, and then the consequent's. */
static void
SettleRule(const void *arg, uint32 *record, uint64 *place)
{
	FimRule    *rule = (FimRule *) record;
	uint32	   *items = record + FIM_RULE_HEAD;
	uint32		all = (UINT32_C(1) << rule->length) - 1;
	uint32		list[FIM_SUPPORTS_LENGTH] = {0};
	uint32		nantecedent = AddSide(items, all & ~rule->chosen, list, 0);

	(void) AddSide(items, rule->chosen, list, nantecedent);
	memcpy(items, list, rule->length * sizeof(uint32));
	rule->chosen = all & ~((UINT32_C(1) << nantecedent) - 1);
	place[1] = (uint64) ~rule->support << 32 | rule->length << 16 | nantecedent;
	place[2] = (uint64) list[0] << 32 | list[1];
}

static int
CompareRules(const uint32 *a, const uint32 *b)
{
	for (uint32 i = FIM_RULE_HEAD; i < WordsOfRule(a); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static size_t
WriteRule(const uint32 *record, const uint32 *previous, uint32 *to)
{
	size_t		n = WordsOfRule(record);

	memcpy(to, record, n * sizeof(uint32));
	return n;
}

const BestKind BestRules = {
	.read = ReadRule,
	.keep = KeepRule,
	.settle = SettleRule,
	.compare = CompareRules,
	.words = WordsOfRule,
	.write = WriteRule
};
