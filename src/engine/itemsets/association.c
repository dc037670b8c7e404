/*-------------------------------------------------------------------------
 *
 * association.c
 *	  Association rules of all frequent itemsets, whose supports are known.
 *
 * A worker takes an item and goes through the tree of supports below it.  At each itemset
 * it needs the supports of the parts that the itemset is divided into.  For a consequent of one item y,
 * the antecedent's node is known from the itemset above: if the last item is x, it is the child x of that
 * itemset's antecedent for y.  The children of a node are gone through in the order of items, so
 * that the next child x is looked for from where the last one was.  A rule so takes a few steps.
 *
 * For longer consequents, and to compare a rule with those that have a part of its antecedent, the nodes
 * of all subsets of the itemset are looked up.  Those of the itemset above are among them
 * and stay, so half of them are new.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"
#include "engine/parts.h"
#include "engine/rules/rules.h"

/* The work between two polls.  Its unit is a step in the tree, a few ns. */
#define STEPS_PER_POLL	(UINT32_C(1) << 18)

/*
 * A worker remembers p-values by a hash of supports, and counts rules that have the same supports, in tables with
 * some places for each itemset, but no more than this.  Counts are given out when three quarters of the places are taken.
 */
#define MOST_KNOWN		(UINT32_C(1) << 14)
#define MOST_COUNTED	(UINT32_C(1) << 17)

typedef struct KnownTest
{
	FimTest		test;			/* its support is 0 if there is none */
	double		log_p;
} KnownTest;

typedef struct RuleMiner
{
	const FimRulesSpec *spec;
	uint32_t	transactions;
	uint32_t	nrequired;
	uint32_t	longest;		/* items of the longest itemset that is wanted, without required ones */
	const uint32_t *name;
	const uint8_t *flags;
	const uint32_t *alone;
	const uint32_t *item;
	const uint32_t *support;
	const uint32_t *first;
	FimShared  *shared;
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends mining */
	uint32_t	steps;			/* since the last poll */

	/* the itemset at hand */
	uint32_t	path[FIM_SUPPORTS_LENGTH];
	uint32_t	may[FIM_RULE_ITEM_FLAGS]; /* by FimRuleItem: a bit for each item of the path that has the flag */
	uint32_t   *subset;			/* [1 << longest] nodes of the path's subsets, by their bits; NULL if nobody looks them up */
	uint32_t	nsubset;		/* they are known of so many items of the path */

	bool		needs[FIM_RULE_ITEM_FLAGS]; /* by FimRuleItem: some item has the flag */
	uint32_t	needed;			/* the number of items that every antecedent has */

	FimDealt   *dealt;			/* which rules are of the task's part; NULL: all are */
	double		least;			/* score that a rule needs; it rises while the best are looked for */
	FimBestCounter *counter;	/* of scores; NULL: nothing is looked for */

	KnownTest  *known;			/* [nknown], or NULL */
	uint32_t	nknown;			/* a power of 2 */
	FimTest    *counted;		/* [nplaces], or NULL; 0 times: a free place */
	uint32_t	nplaces;		/* a power of 2 */
	uint32_t	ncounted;

	uint32_t   *batch;
	size_t		used;			/* words in the batch */
	size_t		nresults;
	uint64_t	results;		/* not yet added to the shared figure */
	uint64_t	nodes;
	uint32_t	consequents;	/* as in FimSupports */
	FimRulesSummary counts;
} RuleMiner;

static void
Poll(RuleMiner *m)
{
	m->steps = 0;
	FimShareFigures(m->shared, &m->results, &m->nodes);
	if (FimMustStop(m->shared, m->host))
		longjmp(m->leave, FIM_STOPPED);
}

static inline void
Step(RuleMiner *m, uint32_t steps)
{
	m->steps += steps;
	if (m->steps >= STEPS_PER_POLL)
		Poll(m);
}

/*
 * Giving out rules and tests.
 */

static void
Flush(RuleMiner *m)
{
	if (!FimWriteBatch(m->sink, m->batch, &m->used, &m->nresults))
		longjmp(m->leave, FIM_STOPPED);
}

/* Returns where the next record of so many words goes. */
static uint32_t *
NextRecord(RuleMiner *m, size_t words)
{
	uint32_t   *to;

	if (m->used + words > FIM_BATCH_WORDS)
		Flush(m);
	to = m->batch + m->used;
	m->used += words;
	m->nresults++;
	m->results++;
	return to;
}

static void
GiveRule(RuleMiner *m, const FimRule *rule)
{
	uint32_t   *to = NextRecord(m, FIM_RULE_WORDS(rule));

	memcpy(to, rule, sizeof(*rule));
	for (uint32_t i = 0; i < rule->length; i++)
		to[FIM_RULE_HEAD + i] = m->name[m->path[i]];
}

static void
GiveTests(RuleMiner *m)
{
	for (uint32_t t = 0; t < m->nplaces; t++)
	{
		if (m->counted[t].times == 0)
			continue;
		memcpy(NextRecord(m, FIM_TEST_WORDS), &m->counted[t], sizeof(FimTest));
		m->counted[t].times = 0;
	}
	m->ncounted = 0;
	Step(m, m->nplaces);
}

static void
CountTest(RuleMiner *m, const FimRule *rule)
{
	FimTest		test = FimTestOf(rule);
	uint32_t	t = FimTestHash(&test) & (m->nplaces - 1);

	while (m->counted[t].times > 0 && !FimSameTest(&m->counted[t], &test))
		t = (t + 1) & (m->nplaces - 1);
	if (m->counted[t].times == 0)
	{
		m->counted[t] = test;
		m->ncounted++;
	}
	m->counted[t].times++;
	if (m->ncounted > m->nplaces / 4 * 3 || m->counted[t].times == UINT32_MAX)
		GiveTests(m);
}

/*
 * Which rules are selected.
 */

static double
LogPValue(RuleMiner *m, const FimRule *rule)
{
	FimTest		test = FimTestOf(rule);
	KnownTest  *known = &m->known[FimTestHash(&test) & (m->nknown - 1)];

	if (!FimSameTest(&known->test, &test))
	{
		known->test = test;
		known->log_p = FimFisherLog(test.support, test.antecedent, test.consequent, m->transactions);
		Step(m, 64);
	}
	return known->log_p;
}

/*
 * Is the rule better than all that have a proper part of its antecedent and the same consequent?  Of two
 * fractions, the difference is exact up to the last division.
 */
static bool
Improves(RuleMiner *m, const FimRule *rule)
{
	const FimRulesSpec *spec = m->spec;
	uint32_t	antecedent = ((UINT32_C(1) << rule->length) - 1) & ~rule->chosen;

	for (uint32_t part = antecedent; part != 0;)
	{
		uint64_t	part_support;
		uint64_t	gain;		/* the numerators of the fractions, with one denominator */
		uint64_t	loss;

		part = (part - 1) & antecedent;
		part_support = m->support[m->subset[part]];
		gain = rule->support * part_support;
		loss = (uint64_t) m->support[m->subset[part | rule->chosen]] * rule->antecedent;
		Step(m, 1);
		if (spec->minimal && gain <= loss)
			return false;
		if ((gain > loss ? (double) (gain - loss) : -(double) (loss - gain)) /
			((double) rule->antecedent * (double) part_support) < spec->min_improvement)
			return false;
	}
	return true;
}

static inline bool
AsksForImprovement(const FimRulesSpec *spec)
{
	return spec->minimal || spec->min_improvement > -INFINITY;
}

double
FimRuleScore(FimRanking by, uint32_t support, uint32_t antecedent, uint32_t consequent, uint32_t transactions)
{
	switch (by)
	{
		case FIM_BY_CONFIDENCE:
			return FimConfidence(support, antecedent);
		case FIM_BY_LIFT:
			return FimLift(support, antecedent, consequent, transactions);
		case FIM_BY_CHI_SQUARED:
			return FimChiSquared(support, antecedent, consequent, transactions);
		default:
			return FimLeverage(support, antecedent, consequent, transactions);
	}
}

static inline double
ScoreOf(const RuleMiner *m, const FimRule *rule)
{
	return FimRuleScore(m->spec->by, rule->support, rule->antecedent, rule->consequent, m->transactions);
}

static bool
IsSelected(RuleMiner *m, const FimRule *rule)
{
	const FimRulesSpec *spec = m->spec;

	if (spec->ranked && !(ScoreOf(m, rule) >= m->least))
		return false;
	if (FimConfidence(rule->support, rule->antecedent) < spec->minconf)
		return false;
	if (FimLift(rule->support, rule->antecedent, rule->consequent, m->transactions) < spec->minlift)
		return false;
	if (spec->max_log_p < INFINITY && LogPValue(m, rule) > spec->max_log_p)
		return false;
	return !AsksForImprovement(spec) || Improves(m, rule);
}

/*
 * Going through the rules.
 */

/* The child of a node for an item, looked for from "from" on, which becomes its place. */
static inline uint32_t
FindChild(const RuleMiner *m, uint32_t node, uint32_t item, uint32_t *from)
{
	uint32_t	low = *from;
	uint32_t	end = m->first[node + 1];
	uint32_t	step = 1;

	/* mostly the child is near */
	while (low + step < end && m->item[low + step] < item)
	{
		low += step;
		step *= 2;
	}
	if (low + step < end)
		end = low + step + 1;
	return *from = (uint32_t) FirstNotBelow(m->item, low, end, item);
}

/* Look up the nodes of all subsets of the path, of "length" items. */
static void
LookUpSubsets(RuleMiner *m, uint32_t length)
{
	for (; m->nsubset < length; m->nsubset++)
	{
		uint32_t	old = UINT32_C(1) << m->nsubset;
		uint32_t	item = m->path[m->nsubset];

		m->subset[old] = 1 + item;
		for (uint32_t s = 1; s < old; s++)
		{
			uint32_t	from = m->first[m->subset[s]];

			m->subset[old | s] = FindChild(m, m->subset[s], item, &from);
			Step(m, 4);
		}
	}
}

/* May these items of the path be an antecedent, or a consequent, by their flags? */
static inline bool
AdmitsAntecedent(const RuleMiner *m, uint32_t items)
{
	return (items != 0 || m->nrequired > 0) && (items & ~m->may[FIM_IN_ANTECEDENT]) == 0 &&
		(!m->needs[FIM_ANTECEDENT_NEEDS_ANY] || (items & m->may[FIM_ANTECEDENT_NEEDS_ANY]) != 0) &&
		(m->needed == 0 || (uint32_t) __builtin_popcount(items & m->may[FIM_ANTECEDENT_NEEDS]) == m->needed);
}

static inline bool
AdmitsConsequent(const RuleMiner *m, uint32_t items)
{
	return items != 0 && (items & ~m->may[FIM_IN_CONSEQUENT]) == 0 &&
		(!m->needs[FIM_CONSEQUENT_NEEDS_ANY] || (items & m->may[FIM_CONSEQUENT_NEEDS_ANY]) != 0);
}

static inline bool
Admits(const RuleMiner *m, uint32_t all, uint32_t chosen)
{
	return AdmitsConsequent(m, chosen) && AdmitsAntecedent(m, all & ~chosen);
}

/* Is a rule of so many items, without required ones, neither too short nor too long? */
static inline bool
FitsLength(const RuleMiner *m, uint32_t length)
{
	const FimItemsetsSpec *spec = &m->spec->itemsets;

	return length + m->nrequired >= spec->min_length && length + m->nrequired <= spec->max_length;
}

/* Count the path as one side of tests. */
static void
CountSides(RuleMiner *m, uint32_t length)
{
	uint32_t	all = (UINT32_C(1) << length) - 1;
	uint32_t	own = m->may[FIM_IN_CONSEQUENT] & all;

	if (m->needs[FIM_CONSEQUENT_NEEDS_ANY])
		own &= m->may[FIM_CONSEQUENT_NEEDS_ANY];
	if (AdmitsConsequent(m, all))
		m->counts.consequents[length]++;
	if (!AdmitsAntecedent(m, all))
		return;
	m->counts.antecedents[length]++;
	if (FitsLength(m, length + 1))
		m->counts.singles += m->consequents - (uint32_t) __builtin_popcount(own);
}

uint64_t
FimRulesTests(const FimRulesSpec *spec, const FimRulesSummary *summary)
{
	uint64_t	tests = summary->singles;

	for (uint32_t a = 1; a < FIM_SUPPORTS_LENGTH; a++)
		for (uint32_t c = 2; c < FIM_SUPPORTS_LENGTH && c <= spec->max_consequent; c++)
			if (a + c >= spec->itemsets.min_length && a + c <= spec->itemsets.max_length)
				tests += summary->antecedents[a] * summary->consequents[c];
	return tests;
}

/* Learn how far the threshold of the best rules has risen. */
static inline void
RaiseLeast(RuleMiner *m)
{
	if (m->counter != NULL)
		m->least = FimBestLeast(FimBestThreshold(m->counter->best));
}

/* A rule that is admitted: count its supports, or count its score or give it out if it is selected. */
static inline void
TakeRule(RuleMiner *m, const FimRule *rule)
{
	if (m->spec->output == FIM_RULES_LISTED)
	{
		if (IsSelected(m, rule))
			GiveRule(m, rule);
	}
	else if (m->spec->output == FIM_RULES_SCORED)
	{
		if (IsSelected(m, rule) && FimBestCount(m->counter, ScoreOf(m, rule), 1))
			RaiseLeast(m);
	}
	else if (m->spec->output == FIM_RULES_TESTS)
		CountTest(m, rule);
}

/* The rules of the path, whose node is given, with one item in the consequent.  without[i] is the node of all others than item i. */
static void
TakeSingles(RuleMiner *m, uint32_t length, uint32_t node, const uint32_t *without)
{
	FimRule		rule = {.length = length,.support = m->support[node]};
	uint32_t	all = (UINT32_C(1) << length) - 1;

	for (uint32_t i = 0; i < length; i++)
	{
		rule.chosen = UINT32_C(1) << i;
		if (!Admits(m, all, rule.chosen))
			continue;
		rule.antecedent = m->support[without[i]];
		rule.consequent = m->alone[m->path[i]];
		if (m->subset != NULL && FimConfidence(rule.support, rule.antecedent) >= m->spec->minconf)
			LookUpSubsets(m, length);
		TakeRule(m, &rule);
	}
	Step(m, length);
}

/* The rules of the path with up to max_consequent items in the consequent.  What cannot be in the antecedent is in the consequent. */
static void
TakeAll(RuleMiner *m, uint32_t length, uint32_t node)
{
	FimRule		rule = {.length = length,.support = m->support[node]};
	uint32_t	all = (UINT32_C(1) << length) - 1;
	uint32_t	always = all & ~m->may[FIM_IN_ANTECEDENT];
	uint32_t	choice = m->may[FIM_IN_CONSEQUENT] & ~always;

	LookUpSubsets(m, length);
	for (uint32_t part = choice;; part = (part - 1) & choice)
	{
		rule.chosen = part | always;
		Step(m, 1);
		if (rule.chosen != 0 && (uint32_t) __builtin_popcount(rule.chosen) <= m->spec->max_consequent &&
			Admits(m, all, rule.chosen))
		{
			rule.antecedent = m->support[m->subset[all & ~rule.chosen]];
			rule.consequent = m->support[m->subset[rule.chosen]];
			TakeRule(m, &rule);
		}
		if (part == 0)
			break;
	}
}

/*
 * The best leverage and the best chi-squared statistic of rules of which so many transactions, or fewer, hold both sides.
 *
 * Neither side has less than both.  For leverage, sides of the same support are best, and the more transactions hold them, up to
 * half of all.  What holds for exact numbers also holds for rounded ones here.
 *
 * If the sides do not exclude each other, chi-squared falls with the support of either side (its derivative shows it), so an antecedent
 * of the same support is best, and a consequent as rare as any that is possible.
 */
static double
BestLeverage(uint64_t support, uint64_t transactions)
{
	if (support > transactions / 2)
		support = transactions / 2;
	return FimLeverage(support, support, support, transactions);
}

#define ROUNDING	(1 + 1e-12)

static double
BestChiSquared(uint64_t support, uint64_t rarest_consequent, uint64_t transactions)
{
	return FimChiSquared(support, support, rarest_consequent, transactions) * ROUNDING;
}

/*
 * Can a rule of the path, whose node is given, or of an itemset below it have the score that it needs?  Of items on the
 * way down, the first one is the rarest.
 */
static bool
ReachesScore(const RuleMiner *m, uint32_t node)
{
	const FimRulesSpec *spec = m->spec;

	if (!spec->ranked)
		return true;
	if (spec->by == FIM_BY_LEVERAGE)
		return BestLeverage(m->support[node], m->transactions) >= m->least;
	if (spec->by == FIM_BY_CHI_SQUARED && spec->minlift >= 1 && spec->max_consequent == 1 && m->nrequired == 0)
		return !(BestChiSquared(m->support[node], m->alone[m->path[0]], m->transactions) < m->least);
	return true;
}

/* Set the path's last item.  Returns false if no rule has all items of the path, whatever other items it has. */
static bool
PushItem(RuleMiner *m, uint32_t depth, uint32_t item)
{
	uint32_t	above = (UINT32_C(1) << depth) - 1;

	m->path[depth] = item;
	for (int flag = 0; flag < FIM_RULE_ITEM_FLAGS; flag++)
		m->may[flag] = (m->may[flag] & above) | (uint32_t) (m->flags[item] >> flag & 1) << depth;
	if (m->nsubset > depth)
		m->nsubset = depth;
	return (uint32_t) __builtin_popcount(~m->may[FIM_IN_ANTECEDENT] & (above << 1 | 1)) <= m->spec->max_consequent;
}

/*
 * Take the rules of the path, whose node is given, and of all itemsets below it.  without[i] is the node of
 * all items of the path but the i-th one; it is NULL if consequents may have several items.
 */
static void
TakeNode(RuleMiner *m, uint32_t length, uint32_t node, const uint32_t *without)
{
	uint32_t	below[FIM_SUPPORTS_LENGTH]; /* without[] of a child */
	uint32_t	from[FIM_SUPPORTS_LENGTH] = {0};	/* where its nodes are looked for */
	uint32_t	known = without != NULL ? length : 0;
	bool		rest = FimHasRest(m->dealt);
	bool		divided = FimTakesPieces(m->dealt);

	m->nodes++;
	RaiseLeast(m);
	CountSides(m, length);
	if (!ReachesScore(m, node))
		return;
	if (m->spec->output != FIM_RULES_COUNTED && rest && FitsLength(m, length) && length + m->nrequired > 1)
	{
		if (without != NULL)
			TakeSingles(m, length, node, without);
		else
			TakeAll(m, length, node);
	}
	if (length == m->longest)
		return;
	for (uint32_t i = 0; i < known; i++)
		from[i] = m->first[without[i]];
	for (uint32_t child = m->first[node]; child < m->first[node + 1]; child++)
	{
		if ((divided && !FimHasPiece(m->dealt, m->item[child])) || !PushItem(m, length, m->item[child]))
			continue;
		for (uint32_t i = 0; i < known; i++)
			below[i] = FindChild(m, without[i], m->item[child], &from[i]);
		below[length] = node;
		Step(m, length);
		TakeNode(m, length + 1, child, without != NULL ? below : NULL);
	}
}

/*
 * The task.
 */

static inline const FimSupports *
SupportsOf(const FimTask *task)
{
	return (const FimSupports *) task->data;
}

/* A unit of work is an item, and the first one the root, for required items, which are an antecedent by themselves. */
uint64_t
RulesUnits(const FimTask *task)
{
	return 1 + SupportsOf(task)->nitems;
}

void
RulesSummaryAdd(void *into, const void *from)
{
	FimRulesSummary *sum = into;
	const FimRulesSummary *more = from;

	sum->singles += more->singles;
	for (uint32_t length = 0; length < FIM_SUPPORTS_LENGTH; length++)
	{
		sum->antecedents[length] += more->antecedents[length];
		sum->consequents[length] += more->consequents[length];
	}
}

static void
Init(RuleMiner *m, const FimTask *task, FimHost *host, FimSink *sink)
{
	const FimSupports *supports = SupportsOf(task);
	const char *base = (const char *) supports;

	memset(m, 0, sizeof(*m));
	m->spec = (const FimRulesSpec *) task->spec;
	m->name = (const uint32_t *) (base + supports->name_at);
	m->flags = (const uint8_t *) (base + supports->flags_at);
	m->alone = (const uint32_t *) (base + supports->alone_at);
	m->item = (const uint32_t *) (base + supports->item_at);
	m->support = (const uint32_t *) (base + supports->support_at);
	m->first = (const uint32_t *) (base + supports->first_at);
	m->transactions = supports->transactions;
	m->consequents = supports->consequents;
	m->nrequired = m->spec->itemsets.nrequired;
	m->least = m->spec->least;
	m->longest = m->spec->itemsets.max_length <= m->nrequired ? 0 : m->spec->itemsets.max_length - m->nrequired;
	if (m->longest > supports->longest)
		m->longest = supports->longest;
	m->shared = task->shared;
	m->host = host;
	m->sink = sink;
	for (uint32_t i = 0; i < supports->nitems; i++)
		for (int flag = 0; flag < FIM_RULE_ITEM_FLAGS; flag++)
			m->needs[flag] |= m->flags[i] >> flag & 1;
	for (uint32_t i = 0; i < supports->nitems; i++)
		m->needed += m->flags[i] >> FIM_ANTECEDENT_NEEDS & 1;
	ArenaInit(&m->arena, host, &m->leave);
}

static void *
AllocZero(RuleMiner *m, size_t bytes)
{
	return memset(ArenaAllocApart(&m->arena, bytes), 0, bytes);
}

/* A power of 2, from 256 to "most", that is not below "wanted" if it can. */
static uint32_t
Places(uint64_t wanted, uint32_t most)
{
	uint32_t	places = 256;

	while (places < most && places < wanted)
		places *= 2;
	return places;
}

static void
TakeMemory(RuleMiner *m, uint64_t itemsets)
{
	const FimRulesSpec *spec = m->spec;
	bool		selects = spec->output == FIM_RULES_LISTED || spec->output == FIM_RULES_SCORED;

	m->batch = ArenaAllocApart(&m->arena, FIM_BATCH_WORDS * sizeof(uint32_t));
	if (spec->max_consequent > 1 || (selects && AsksForImprovement(spec)))
		m->subset = AllocZero(m, sizeof(uint32_t) << m->longest);
	if (spec->output == FIM_RULES_TESTS)
	{
		m->nplaces = Places(8 * itemsets, MOST_COUNTED);
		m->counted = AllocZero(m, m->nplaces * sizeof(FimTest));
	}
	if (spec->output == FIM_RULES_SCORED)
	{
		m->counter = ArenaAllocApart(&m->arena, sizeof(FimBestCounter));
		FimBestBegin(m->counter, FimBestOf(m->shared));
	}
	if (selects && spec->max_log_p < INFINITY)
	{
		m->nknown = Places(itemsets, MOST_KNOWN);
		m->known = AllocZero(m, m->nknown * sizeof(KnownTest));
	}
}

/*
 * The parts of a task that lists rules.  A unit is dealt by the number of sets of items that are looked at; its pieces are the rarest item
 * but one of a rule.  All parts have the same tree, and have counted the same tests.
 */

/* What is looked at takes much longer than to say how much it is. */
#define WORK_PER_STEP	4

/* What is looked at below a node, of so many items. */
static uint64_t
WorkBelow(const RuleMiner *m, uint32_t length, uint32_t node)
{
	uint64_t	work = m->spec->max_consequent == 1 ? length : UINT64_C(1) << length;

	if (length < m->longest)
		for (uint32_t child = m->first[node]; child < m->first[node + 1]; child++)
			work += WorkBelow(m, length + 1, child);
	return work;
}

/* A FimWorkOf. */
static uint64_t
WorkOfItem(void *context, uint32_t unit, FimWork *pieces, uint32_t *npieces)
{
	RuleMiner  *m = context;

	*npieces = 0;
	if (unit == 0 || m->longest < 2)
		return 1;
	for (uint32_t child = m->first[unit]; child < m->first[unit + 1]; child++)
	{
		pieces[(*npieces)++] = (FimWork) {WorkBelow(m, 2, child), m->item[child]};
		Step(m, (uint32_t) (pieces[*npieces - 1].work / WORK_PER_STEP));
	}
	return 1;
}

static void
DealItems(RuleMiner *m, uint32_t nitems)
{
	m->dealt = ArenaAllocApart(&m->arena, sizeof(FimDealt));
	FimDeal(m->dealt, &m->spec->itemsets.head.part, 1 + nitems, nitems, true, WorkOfItem, m, &m->arena);
}

/* Not inlined, so that the compiler need not look for variables that a longjmp could change. */
static __attribute__((noinline)) void
TakeUnits(RuleMiner *m)
{
	static const uint32_t root = 0;
	const uint32_t *without = m->spec->max_consequent == 1 ? &root : NULL;
	uint64_t	unit;

	while (FimTakeUnit(m->shared, m->sink, &unit))
	{
		if (unit == 0)
			CountSides(m, 0);
		else if (m->longest > 0 && PushItem(m, 0, (uint32_t) unit - 1) && FimBeginUnit(m->dealt, (uint32_t) unit))
		{
			TakeNode(m, 1, (uint32_t) unit, without);
			FimEndUnit(m->dealt, (uint32_t) unit);
		}
		FimUnitDone(m->shared);
		Poll(m);
	}
	if (m->counted != NULL)
		GiveTests(m);
	if (m->counter != NULL)
		FimBestTell(m->counter);
	Flush(m);
	/* a canceled task is not done, although no unit may be left */
	Poll(m);
}

FimResult
RulesMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	RuleMiner	m;
	FimResult	result;

	Init(&m, task, host, sink);
	result = (FimResult) setjmp(m.leave);
	if (result == FIM_DONE)
	{
		TakeMemory(&m, SupportsOf(task)->nnodes);
		if (FimIsPart(&task->spec->part))
			DealItems(&m, SupportsOf(task)->nitems);
		TakeUnits(&m);
		RulesSummaryAdd(task->summary, &m.counts);
	}
	ArenaFree(&m.arena);
	return result;
}
