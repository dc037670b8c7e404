/*-------------------------------------------------------------------------
 *
 * check_association.c
 *	  Association rules on random databases, against rules made of all frequent itemsets by
 *	  definition.
 *
 * The engine's itemsets become the tree of supports, in batches of one worker or several, sometimes after
 * others that are taken back.  Rules with random limits, flags of items and thresholds, which are often
 * just reached, must be exactly those wanted; tests and their numbers likewise.  Sometimes all transactions of the table
 * hold required items, and there are others that do not.  Where the k best rules are looked for, the threshold must be
 * theirs.  Workers also leave early, at every place where they can, and must leave nothing behind.  Random p-values are
 * adjusted.
 *
 * Usage: check_association [seed [databases]]
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rules/rules.h"
#include "tables.h"

#define DEFAULT_DATABASES	200
#define MAX_WORKERS		4
#define MOST_ITEMSETS	1500

/* A rule, or what is known of a possible one.  Items are bits, and a threshold is missed by a hair only if "near" is set. */
typedef struct Rule
{
	uint64_t	antecedent;
	uint64_t	consequent;
	uint32_t	supports[3];	/* of both together, antecedent, consequent */
} Rule;

typedef struct Rules
{
	Rule	   *rule;
	size_t		n;
	size_t		room;
	uint64_t	tests;
} Rules;

typedef struct Database
{
	Table		table;
	Brute		brute;
	FimDatabase *db;
	FimSupports *supports;
	uint32_t	minsup;
	uint8_t		flags[64];

	/* among all transactions, of which the table may only have those that hold the required items */
	uint32_t	nrequired;
	uint32_t	transactions;
	uint32_t	alone[64];		/* supports */
} Database;

static void
AddRule(Rules *rules, const Rule *rule)
{
	if (rules->n == rules->room)
	{
		rules->room = 2 * rules->room + 64;
		rules->rule = realloc(rules->rule, rules->room * sizeof(Rule));
		assert(rules->rule != NULL);
	}
	rules->rule[rules->n++] = *rule;
}

static int
CompareSupports(const void *a, const void *b)
{
	return memcmp(((const Rule *) a)->supports, ((const Rule *) b)->supports, sizeof(((const Rule *) a)->supports));
}

/* Tests are compared by their supports only, of which the antecedent's is the smaller one. */
static int
CompareTests(const void *a, const void *b)
{
	Rule		rules[2] = {*(const Rule *) a, *(const Rule *) b};

	for (int i = 0; i < 2; i++)
		if (rules[i].supports[1] > rules[i].supports[2])
		{
			rules[i].supports[1] = rules[i].supports[2];
			rules[i].supports[2] = (i == 0 ? (const Rule *) a : (const Rule *) b)->supports[1];
		}
	return CompareSupports(&rules[0], &rules[1]);
}

static int
CompareRules(const void *a, const void *b)
{
	const Rule *x = a;
	const Rule *y = b;

	if (x->antecedent != y->antecedent)
		return x->antecedent < y->antecedent ? -1 : 1;
	if (x->consequent != y->consequent)
		return x->consequent < y->consequent ? -1 : 1;
	return CompareSupports(a, b);
}

/*
 * By definition.
 */

static uint32_t
SupportOf(Database *d, uint64_t items)
{
	uint32_t	list[64];
	uint32_t	n = 0;
	BruteSet   *set;

	for (uint32_t i = 0; i < 64; i++)
		if (items >> i & 1)
			list[n++] = i;
	set = BruteFind(&d->brute, list, n);
	assert(set != NULL);
	return set->support;
}

static uint64_t
ItemsWith(const Database *d, FimRuleItem flag)
{
	uint64_t	items = 0;

	for (uint32_t i = 0; i < d->table.nitems; i++)
		items |= (uint64_t) (d->flags[i] >> flag & 1) << i;
	return items;
}

/* May these items be an antecedent, or a consequent?  Items that are not frequent have no flags. */
static bool
IsSide(const Database *d, uint64_t items, FimRuleItem side)
{
	uint64_t	needs = side == FIM_IN_ANTECEDENT ? ItemsWith(d, FIM_ANTECEDENT_NEEDS) : 0;
	uint64_t	any = ItemsWith(d, side == FIM_IN_ANTECEDENT ? FIM_ANTECEDENT_NEEDS_ANY : FIM_CONSEQUENT_NEEDS_ANY);

	if (items == 0 && (side == FIM_IN_CONSEQUENT || d->nrequired == 0))
		return false;
	return (items & ~ItemsWith(d, side)) == 0 && (items & needs) == needs && (any == 0 || (items & any) != 0);
}

static bool
IsAdmitted(const Database *d, const FimRulesSpec *spec, const Rule *rule)
{
	uint32_t	length = d->nrequired + (uint32_t) (__builtin_popcountll(rule->antecedent) + __builtin_popcountll(rule->consequent));

	return length >= spec->itemsets.min_length && length <= spec->itemsets.max_length &&
		(uint32_t) __builtin_popcountll(rule->consequent) <= spec->max_consequent &&
		IsSide(d, rule->antecedent, FIM_IN_ANTECEDENT) && IsSide(d, rule->consequent, FIM_IN_CONSEQUENT);
}

/* All pairs of frequent itemsets that are admitted; an item is no consequent of an antecedent that has it. */
static uint64_t
TestsOf(Database *d, const FimRulesSpec *spec)
{
	uint64_t   *items = calloc(d->brute.nsets, sizeof(uint64_t));
	uint64_t	tests = 0;

	assert(items != NULL);
	for (uint32_t s = 0; s < d->brute.nsets; s++)
		for (uint32_t i = 0; i < d->brute.sets[s].length; i++)
			items[s] |= UINT64_C(1) << d->brute.items[d->brute.sets[s].at + i];
	for (uint32_t a = 0; a < d->brute.nsets; a++)
		for (uint32_t c = 0; c < d->brute.nsets; c++)
		{
			Rule		rule = {.antecedent = items[a],.consequent = items[c]};

			tests += IsAdmitted(d, spec, &rule) && (d->brute.sets[c].length > 1 || (items[a] & items[c]) == 0);
		}
	free(items);
	return tests;
}

/* P(S >= support) of a hypergeometric distribution, term by term. */
static double
LogPValueOf(const Rule *rule, uint32_t n)
{
	uint32_t	a = rule->supports[1];
	uint32_t	c = rule->supports[2];
	long double sum = 0;

	for (uint32_t k = rule->supports[0]; k <= a && k <= c; k++)
	{
		if (n - c < a - k)
			continue;
		sum += expl(lgammal(c + 1.0L) - lgammal(k + 1.0L) - lgammal(c - k + 1.0L) + lgammal(n - c + 1.0L) -
					lgammal(a - k + 1.0L) - lgammal(n - c - (a - k) + 1.0L) - lgammal(n + 1.0L) + lgammal(a + 1.0L) +
					lgammal(n - a + 1.0L));
	}
	return (double) logl(sum);
}

static bool
IsImprovement(Database *d, const FimRulesSpec *spec, const Rule *rule)
{
	for (uint64_t part = (rule->antecedent - 1) & rule->antecedent;; part = (part - 1) & rule->antecedent)
	{
		int64_t		all = SupportOf(d, part);
		int64_t		both = SupportOf(d, part | rule->consequent);
		int64_t		more = rule->supports[0] * all - both * rule->supports[1];

		if ((spec->minimal && more <= 0) || (double) more / (double) (all * rule->supports[1]) < spec->min_improvement)
			return false;
		if (part == 0)
			return true;
	}
}

/* check_fisher.c and the tests of rule_measures() are about the measures themselves. */
static double
ScoreOf(const Database *d, const FimRulesSpec *spec, const Rule *rule)
{
	return FimRuleScore(spec->by, rule->supports[0], rule->supports[1], rule->supports[2], d->transactions);
}

static bool
IsWanted(Database *d, const FimRulesSpec *spec, const Rule *rule)
{
	/* where the threshold is looked for, it begins with a range */
	double		least = spec->output == FIM_RULES_SCORED ? FimBestLeast(FimBestRange(spec->least)) : spec->least;

	return (!spec->ranked || ScoreOf(d, spec, rule) >= least) &&
		(double) rule->supports[0] / rule->supports[1] >= spec->minconf &&
		(double) rule->supports[0] * d->transactions / ((double) rule->supports[1] * rule->supports[2]) >= spec->minlift &&
		(spec->max_log_p == INFINITY || LogPValueOf(rule, d->transactions) <= spec->max_log_p) &&
		IsImprovement(d, spec, rule);
}

/* All rules, whatever their figures are, or all that are wanted, and the number of tests. */
static void
WantedRules(Database *d, const FimRulesSpec *spec, bool tests, Rules *wanted)
{
	for (uint32_t s = 0; s < d->brute.nsets; s++)
	{
		const BruteSet *set = &d->brute.sets[s];
		uint64_t	items = 0;

		for (uint32_t i = 0; i < set->length; i++)
			items |= UINT64_C(1) << d->brute.items[set->at + i];
		for (uint64_t part = items; part != 0;)
		{
			Rule		rule;

			part = (part - 1) & items;
			rule = (Rule) {.antecedent = part,.consequent = items & ~part};
			if (!IsAdmitted(d, spec, &rule))
				continue;
			rule.supports[0] = set->support;
			rule.supports[1] = SupportOf(d, rule.antecedent);
			rule.supports[2] = d->nrequired > 0 ? d->alone[__builtin_ctzll(rule.consequent)] : SupportOf(d, rule.consequent);
			if (tests || IsWanted(d, spec, &rule))
				AddRule(wanted, &rule);
		}
	}
}

/*
 * By the engine.
 */

static bool
MakeSupports(Database *d, Rng *rng)
{
	FimItemsetsSpec spec = {.head = {.size = sizeof(spec)},.kind = FIM_ALL,.minsup = d->minsup,.min_length = 1,
	.max_length = FIM_NO_LIMIT};
	uint32_t	n = 1 + RngBelow(rng, MAX_WORKERS);
	uint32_t   *support = calloc(d->table.nitems, sizeof(uint32_t));
	TaskWorker	workers[MAX_WORKERS];
	FimSupportsBuilder builder;
	TestHost	host;
	bool		good = true;

	assert(support != NULL);
	for (uint32_t i = 0; i < d->table.nitems; i++)
	{
		BruteSet   *set = BruteFind(&d->brute, &i, 1);

		support[i] = set == NULL ? 0 : set->support;
	}
	HostInit(&host);
	StartWorkers(FimMine, FimItemsetsTask(&spec, d->db, NULL), workers, n);
	RunWorkers(workers, n);
	if (!FimSupportsBegin(&builder, &host.base, d->table.nitems, support, d->table.nrows))
		return Complain("a builder got no memory");
	for (uint32_t w = 0; w < n; w++)
	{
		good &= workers[w].result == FIM_DONE;
		if (w == 0 && RngChance(rng, 0.2))
		{
			good &= FimSupportsAdd(&builder, workers[w].sink.words, workers[w].sink.results) == FIM_SUPPORTS_ADDED;
			FimSupportsRestart(&builder);
		}
		good &= FimSupportsAdd(&builder, workers[w].sink.words, workers[w].sink.results) == FIM_SUPPORTS_ADDED;
		free(workers[w].sink.words);
		workers[w].sink.words = NULL;
	}
	good = EndWorkers(workers, n) && good;
	d->supports = OddAlloc(FimSupportsSize(&builder));
	good &= FimSupportsFinish(&builder, d->supports);
	good &= d->supports->nnodes == d->brute.nsets || Complain("%u nodes for %u itemsets", d->supports->nnodes, d->brute.nsets);
	FimSupportsEnd(&builder);
	free(support);
	return (good && host.live == 0) || Complain("the tree of supports is not right");
}

/* Read what a worker has written.  Returns false if a record is not as it should be. */
static bool
ReadWords(const FimRulesSpec *spec, const WordSink *sink, Rules *found)
{
	const uint32_t *words = sink->words;

	for (size_t r = 0; r < sink->results; r++)
	{
		Rule		rule = {.antecedent = 0};
		FimRule		head;
		FimTest		test;

		if (spec->output == FIM_RULES_TESTS)
		{
			memcpy(&test, words, sizeof(test));
			memcpy(rule.supports, &test.support, sizeof(rule.supports));
			if (test.antecedent > test.consequent)
				return Complain("a test with an antecedent of %u, and a consequent of %u", test.antecedent, test.consequent);
			for (uint32_t i = 0; i < test.times; i++)
				AddRule(found, &rule);
			words += FIM_TEST_WORDS;
			continue;
		}
		memcpy(&head, words, sizeof(head));
		for (uint32_t i = 0; i < head.length; i++)
		{
			uint64_t	bit = UINT64_C(1) << words[FIM_RULE_HEAD + i];

			if (head.chosen >> i & 1)
				rule.consequent |= bit;
			else
				rule.antecedent |= bit;
		}
		memcpy(rule.supports, &head.support, sizeof(rule.supports));
		AddRule(found, &rule);
		words += FIM_RULE_WORDS(&head);
	}
	return words == sink->words + sink->nwords || Complain("%td words are left over", sink->words + sink->nwords - words);
}

static FimTask
TaskOf(const Database *d, const FimRulesSpec *spec)
{
	return FimTaskOf(&FimItemsetsFamily, &spec->itemsets.head, &d->supports->head, NULL);
}

/* Finds rules, or the threshold of the best ones. */
static bool
FindRules(const Database *d, const FimRulesSpec *spec, uint32_t n, Rules *found, FimBest *best)
{
	TaskWorker	workers[MAX_WORKERS];
	FimRulesSummary sum = {0};
	bool		good = true;

	StartWorkers(FimMine, TaskOf(d, spec), workers, n);
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n; w++)
	{
		FimItemsetsFamily.summary_add(&workers[w].task, &sum, workers[w].task.summary);
		good &= workers[w].result == FIM_DONE && ReadWords(spec, &workers[w].sink, found);
		free(workers[w].sink.words);
		workers[w].sink.words = NULL;
	}
	found->tests = FimRulesTests(spec, &sum);
	if (spec->output == FIM_RULES_SCORED)
		*best = *FimBestOf(workers[0].task.shared);
	return EndWorkers(workers, n) && good;
}

static bool
Hinder(const Database *d, const FimRulesSpec *spec, Rng *rng)
{
	TaskWorker	worker;
	bool		good;

	StartWorkers(FimMine, TaskOf(d, spec), &worker, 1);
	good = RunHindered(&worker, rng);
	free(worker.sink.words);
	worker.sink.words = NULL;
	return EndWorkers(&worker, 1) && good;
}

/*
 * p-values of many tests, one by one, by the definitions of the methods.
 */

#define MOST_TESTS	40

static double
AdjustedByDefinition(const double *log_p, uint32_t n, uint32_t tests, uint32_t k, FimAdjust method)
{
	double		harmonic = 0;
	double		adjusted = method == FIM_ADJUST_HOLM ? -INFINITY : 0;

	for (uint32_t i = 1; i <= tests; i++)
		harmonic += 1.0 / i;
	if (method <= FIM_ADJUST_BONFERRONI)
		return fmin(0, log_p[k] + (method == FIM_ADJUST_NONE ? 0 : log(tests)));
	for (uint32_t j = 0; j < n; j++)
	{
		uint32_t	less = 0;
		uint32_t	no_more = 0;

		for (uint32_t i = 0; i < n; i++)
		{
			less += log_p[i] < log_p[j];
			no_more += log_p[i] <= log_p[j];
		}
		if (method == FIM_ADJUST_HOLM && log_p[j] <= log_p[k])
			adjusted = fmin(0, fmax(adjusted, log_p[j] + log(tests - less)));
		else if (method != FIM_ADJUST_HOLM && log_p[j] >= log_p[k])
			adjusted = fmin(adjusted, log_p[j] + log((method == FIM_ADJUST_BY ? harmonic : 1) * tests / no_more));
	}
	return adjusted;
}

static bool
CheckAdjusting(uint64_t seed)
{
	Rng			rng = {seed};
	uint32_t	n = 1 + RngBelow(&rng, MOST_TESTS);
	uint32_t	tests = n + (RngChance(&rng, 0.5) ? 0 : RngBelow(&rng, 900));
	uint32_t	values = 1 + RngBelow(&rng, MOST_TESTS);
	double		scale = RngChance(&rng, 0.5) ? 5 : 2000;
	double		log_p[MOST_TESTS];
	FimPValues	p[MOST_TESTS];
	uint32_t	ndistinct = 0;

	for (uint32_t v = 0; v < values; v++)
		p[v] = (FimPValues) {.log_p = -scale * (values - v) / values * RngUnit(&rng)};
	for (uint32_t k = 0; k < n; k++)
		log_p[k] = p[RngBelow(&rng, values)].log_p;
	for (double last = -INFINITY; ndistinct < n; ndistinct++)
	{
		FimPValues	next = {.log_p = INFINITY};

		for (uint32_t k = 0; k < n; k++)
			if (log_p[k] > last && log_p[k] < next.log_p)
				next.log_p = log_p[k];
		if (next.log_p == INFINITY)
			break;
		for (uint32_t k = 0; k < n; k++)
			next.times += log_p[k] == next.log_p;
		p[ndistinct] = next;
		last = next.log_p;
	}
	for (FimAdjust method = FIM_ADJUST_NONE; method <= FIM_ADJUST_BY; method++)
	{
		FimAdjustAll(p, ndistinct, tests, method);
		for (uint32_t i = 0; i < ndistinct; i++)
			for (uint32_t k = 0; k < n; k++)
				if (log_p[k] == p[i].log_p &&
					fabs(p[i].log_adjusted - AdjustedByDefinition(log_p, n, tests, k, method)) > 1e-10)
					return Complain("by method %d, %g of %g", (int) method, p[i].log_adjusted, log_p[k]);
	}
	return true;
}

/* Of many tests the sum of the reciprocals of all ranks is not added up. */
static bool
CheckManyTests(void)
{
	FimPValues	p = {.log_p = -50,.times = 5000};
	double		harmonic = 0;

	for (uint32_t i = 5000; i > 0; i--)
		harmonic += 1.0 / i;
	FimAdjustAll(&p, 1, p.times, FIM_ADJUST_BY);
	return fabs(p.log_adjusted - (p.log_p + log(harmonic))) < 1e-13 || Complain("%.17g of 5000 tests", p.log_adjusted);
}

/*
 * Random databases and specs.
 */

static bool
Compare(Rules *found, Rules *wanted, bool tests)
{
	if (found->n != wanted->n)
		return Complain("%zu rules, not %zu", found->n, wanted->n);
	if (found->n == 0)
		return true;
	qsort(found->rule, found->n, sizeof(Rule), tests ? CompareTests : CompareRules);
	qsort(wanted->rule, wanted->n, sizeof(Rule), tests ? CompareTests : CompareRules);
	for (size_t r = 0; r < found->n; r++)
		if ((tests ? CompareTests : CompareRules) (&found->rule[r], &wanted->rule[r]) != 0)
			return Complain("rule %zu is %llx -> %llx, not %llx -> %llx", r, (unsigned long long) found->rule[r].antecedent,
							(unsigned long long) found->rule[r].consequent, (unsigned long long) wanted->rule[r].antecedent,
							(unsigned long long) wanted->rule[r].consequent);
	return true;
}

static bool
CheckScored(const Database *d, const FimRulesSpec *spec, const FimBest *best, const Rules *wanted, uint32_t nworkers)
{
	uint64_t   *counts = calloc(FIM_BEST_RANGES, sizeof(uint64_t));
	bool		good;

	assert(counts != NULL);
	for (size_t r = 0; r < wanted->n; r++)
		counts[FimBestRange(ScoreOf(d, spec, &wanted->rule[r]))]++;
	good = CheckThreshold(best, counts, spec->least, nworkers);
	free(counts);
	return good;
}

/*
 * Sometimes the table's transactions hold required items, and there are more of them that do not.  Then the items' supports
 * among all are larger.
 */
static void
RandomRequired(Database *d, Rng *rng)
{
	uint32_t	others = RngBelow(rng, d->table.nrows + 1);

	d->nrequired = RngChance(rng, 0.8) ? 0 : 1 + RngBelow(rng, 2);
	d->transactions = d->table.nrows + (d->nrequired > 0 ? others : 0);
	for (uint32_t i = 0; i < d->table.nitems; i++)
	{
		BruteSet   *set = BruteFind(&d->brute, &i, 1);

		d->alone[i] = (set != NULL ? set->support : 0) + (d->nrequired > 0 ? RngBelow(rng, others + 1) : 0);
	}
}

static void
RandomFlags(Database *d, Rng *rng)
{
	uint8_t    *flags = (uint8_t *) d->supports + d->supports->flags_at;
	const uint32_t *name = (const uint32_t *) ((const char *) d->supports + d->supports->name_at);
	double		out = RngChance(rng, 0.5) ? 0 : 0.2;
	double		needs[] = {RngChance(rng, 0.7) ? 0 : 0.1, RngChance(rng, 0.7) ? 0 : 0.3, RngChance(rng, 0.7) ? 0 : 0.3};

	uint32_t   *alone = (uint32_t *) ((char *) d->supports + d->supports->alone_at);

	memset(d->flags, 0, sizeof(d->flags));
	d->supports->transactions = d->transactions;
	for (uint32_t i = 0; i < d->supports->nitems; i++)
		alone[i] = d->alone[name[i]];
	d->supports->consequents = 0;
	for (uint32_t i = 0; i < d->supports->nitems; i++)
		flags[i] = d->flags[name[i]] = (uint8_t) (!RngChance(rng, out) << FIM_IN_ANTECEDENT | !RngChance(rng, out) << FIM_IN_CONSEQUENT |
								 RngChance(rng, needs[0]) << FIM_ANTECEDENT_NEEDS | RngChance(rng, needs[1]) << FIM_ANTECEDENT_NEEDS_ANY |
								 RngChance(rng, needs[2]) << FIM_CONSEQUENT_NEEDS_ANY);
	for (uint32_t i = 0; i < d->table.nitems; i++)
		d->supports->consequents += IsSide(d, UINT64_C(1) << i, FIM_IN_CONSEQUENT);
}

/* A threshold that some test just reaches, or minus infinity. */
static double
RandomThreshold(Rng *rng, double reached, double p)
{
	return !RngChance(rng, p) ? -INFINITY : RngChance(rng, 0.3) ? nextafter(reached, INFINITY) : reached;
}

/* Required items are only possible if no part of an itemset needs its support among all transactions. */
static void
RequireItems(const Database *d, FimRulesSpec *spec)
{
	spec->itemsets.nrequired = d->nrequired;
	if (d->nrequired == 0)
		return;
	spec->max_consequent = 1;
	spec->minimal = false;
}

static void
RankRules(const Database *d, Rng *rng, const Rule *rule, FimRulesSpec *spec)
{
	spec->ranked = spec->output == FIM_RULES_SCORED || RngChance(rng, 0.4);
	spec->by = (FimRanking) RngBelow(rng, FIM_BY_CHI_SQUARED + 1);
	if (spec->output == FIM_RULES_SCORED)
		spec->itemsets.best = RngChance(rng, 0.5) ? 1 + RngBelow(rng, 20) : 1 + RngBelow(rng, 2000);
	if (rule != NULL && (spec->output == FIM_RULES_SCORED || spec->output == FIM_RULES_LISTED))
		spec->least = RandomThreshold(rng, ScoreOf(d, spec, rule), spec->output == FIM_RULES_LISTED ? 0.9 : 0.3);
	/* not a number if all transactions hold one of the sides */
	if (isnan(spec->least))
		spec->least = 0;
}

static void
RandomSpec(Database *d, Rng *rng, FimRulesSpec *spec)
{
	Rules		tests = {0};

	memset(spec, 0, sizeof(*spec));
	spec->itemsets.head.size = sizeof(*spec);
	spec->itemsets.rules = true;
	spec->itemsets.minsup = d->minsup;
	spec->itemsets.min_length = 1 + RngBelow(rng, 4);
	spec->itemsets.max_length = RngChance(rng, 0.5) ? FIM_NO_LIMIT : spec->itemsets.min_length + RngBelow(rng, 4);
	spec->max_consequent = RngChance(rng, 0.5) ? 1 : RngChance(rng, 0.5) ? FIM_NO_LIMIT : 1 + RngBelow(rng, 4);
	spec->output = (FimRulesOutput) RngBelow(rng, 6);
	if (spec->output > FIM_RULES_LISTED)
		spec->output = FIM_RULES_LISTED;
	spec->minconf = spec->minlift = spec->min_improvement = -INFINITY;
	spec->max_log_p = INFINITY;
	spec->minimal = RngChance(rng, 0.3);
	RequireItems(d, spec);
	WantedRules(d, spec, true, &tests);
	if (tests.n > 0)
	{
		const Rule *rule = &tests.rule[RngBelow(rng, (uint32_t) tests.n)];
		double		confidence = (double) rule->supports[0] / rule->supports[1];
		double		log_p = LogPValueOf(rule, d->transactions);

		spec->minconf = RandomThreshold(rng, confidence, 0.7);
		spec->minlift = RandomThreshold(rng, (double) rule->supports[0] * d->transactions / ((double) rule->supports[1] * rule->supports[2]), 0.3);
		if (d->nrequired == 0)
			spec->min_improvement = RandomThreshold(rng, 0.1 * RngBelow(rng, 5), 0.3);
		/* which of two ways to compute a logarithm says less must not matter */
		if (RngChance(rng, 0.3) && log_p < -1e-6)
			spec->max_log_p = log_p + (RngChance(rng, 0.5) ? 1e-9 : -1e-9) * fabs(log_p);
	}
	RankRules(d, rng, tests.n > 0 ? &tests.rule[RngBelow(rng, (uint32_t) tests.n)] : NULL, spec);
	free(tests.rule);
}

static bool
CheckSpec(Database *d, Rng *rng)
{
	FimRulesSpec spec;
	FimBest		best;
	uint32_t	nworkers = 1 + RngBelow(rng, MAX_WORKERS);
	Rules		wanted = {0};
	Rules		found = {0};
	bool		tests;
	bool		good;

	RandomRequired(d, rng);
	RandomFlags(d, rng);
	RandomSpec(d, rng, &spec);
	tests = spec.output == FIM_RULES_TESTS;
	WantedRules(d, &spec, tests, &wanted);
	wanted.tests = TestsOf(d, &spec);
	good = FindRules(d, &spec, nworkers, &found, &best);
	/* where rules are left out that are not among the best, their sides may be, too */
	if (good && (!spec.ranked || spec.output < FIM_RULES_SCORED) && found.tests != wanted.tests)
		good = Complain("%llu tests, not %llu", (unsigned long long) found.tests, (unsigned long long) wanted.tests);
	if (good && spec.output == FIM_RULES_SCORED)
		good = CheckScored(d, &spec, &best, &wanted, nworkers);
	if (spec.output == FIM_RULES_COUNTED || spec.output == FIM_RULES_SCORED)
		wanted.n = 0;
	good = good && Compare(&found, &wanted, tests) && Hinder(d, &spec, rng);
	if (!good)
		printf("# lengths %u to %u, %u required, consequents up to %u, output %d, minconf %g, minlift %g, improvement %g, minimal %d, log p %g, "
			   "ranked %d by %d from %g, best %u\n",
			   spec.itemsets.min_length, spec.itemsets.max_length, spec.itemsets.nrequired, spec.max_consequent,
			   (int) spec.output, spec.minconf, spec.minlift, spec.min_improvement, spec.minimal, spec.max_log_p,
			   spec.ranked, (int) spec.by, spec.least, spec.itemsets.best);
	free(wanted.rule);
	free(found.rule);
	return good;
}

static bool
CheckDatabase(uint64_t seed)
{
	Rng			rng = {seed};
	Database	d = {.minsup = 1};
	bool		good = true;

	RandomTable(&d.table, &rng, RngChance(&rng, 0.9) ? SMALL : TALL);
	d.minsup = 1 + RngBelow(&rng, d.table.nrows / 2 + 1);
	if (d.table.nitems <= 64 && BruteMine(&d.brute, &d.table, d.minsup, MOST_ITEMSETS))
	{
		if (d.table.nrows >= d.minsup)
		{
			d.db = BuildDatabase(&d.table);
			good = MakeSupports(&d, &rng);
			for (int i = 0; i < 4 && good; i++)
				good = CheckSpec(&d, &rng);
			OddFree(d.supports);
			FreeDatabase(d.db);
		}
		BruteFree(&d.brute);
	}
	if (!good)
		printf("# minsup %u, seed %llu\n", d.minsup, (unsigned long long) seed);
	TableFree(&d.table);
	return good;
}

/*
 * Very many itemsets, which come one by one in no order of their items: all subsets of a set, whose supports
 * tell which they are.
 */

#define MANY_ITEMS	13

static bool
ComparePaths(const FimSupports *supports, uint32_t node, uint32_t mask)
{
	const uint32_t *name = (const uint32_t *) ((const char *) supports + supports->name_at);
	const uint32_t *item = (const uint32_t *) ((const char *) supports + supports->item_at);
	const uint32_t *support = (const uint32_t *) ((const char *) supports + supports->support_at);
	const uint32_t *first = (const uint32_t *) ((const char *) supports + supports->first_at);

	if (support[node] != mask)
		return Complain("the itemset %x has the support of %x", mask, support[node]);
	for (uint32_t child = first[node]; child < first[node + 1]; child++)
		if (!ComparePaths(supports, child, mask | UINT32_C(1) << name[item[child]]))
			return false;
	return true;
}

static bool
CheckManyItemsets(void)
{
	uint32_t	n = (UINT32_C(1) << MANY_ITEMS) - 1;
	uint32_t   *words = malloc((size_t) n * (3 + MANY_ITEMS) * sizeof(uint32_t));
	uint32_t   *to = words;
	uint32_t	support[MANY_ITEMS];
	FimSupportsBuilder builder;
	FimSupports *supports;
	TestHost	host;
	bool		good;

	assert(words != NULL);
	for (uint32_t i = 0; i < MANY_ITEMS; i++)
		support[i] = (i * 5) % MANY_ITEMS;
	for (uint32_t k = 1; k <= n; k++)
	{
		uint32_t	mask = (k * 2654435761u) & n;

		*to++ = 0;
		*to++ = (uint32_t) __builtin_popcount(mask);
		for (uint32_t i = 0; i < MANY_ITEMS; i++)
			if (mask >> i & 1)
				*to++ = i;
		*to++ = mask;
	}
	HostInit(&host);
	good = FimSupportsBegin(&builder, &host.base, MANY_ITEMS, support, 0) &&
		FimSupportsAdd(&builder, words, n) == FIM_SUPPORTS_ADDED;
	assert(good);
	supports = OddAlloc(FimSupportsSize(&builder));
	good = FimSupportsFinish(&builder, supports) &&
		(supports->nnodes == n + 1 || Complain("%u nodes for %u itemsets", supports->nnodes, n + 1)) &&
		ComparePaths(supports, 0, 0);
	FimSupportsEnd(&builder);
	OddFree(supports);
	free(words);
	return good;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	databases = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_DATABASES);

	if (!CheckSeeds(CheckDatabase, seed, databases) || !CheckSeeds(CheckAdjusting, seed, databases) || !CheckManyTests() ||
		!CheckManyItemsets())
		return 1;
	printf("# %llu random databases, seed %llu\n", (unsigned long long) databases, (unsigned long long) seed);
	return 0;
}
