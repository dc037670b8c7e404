/*-------------------------------------------------------------------------
 *
 * association_rules.c
 *	  The SQL functions association_rules() and top_rules().
 *
 * They mine all frequent itemsets as frequent_itemsets() does, keep their supports, and have the
 * engine make rules of them.  If p-values are to be adjusted, the engine goes through all tests
 * before it gives out the first rule.  If only the best rules are wanted, it first looks for the score that they
 * have at least.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "engine/engine.h"
#include "engine/itemsets/itemsets.h"
#include "engine/parts.h"
#include "fmgr.h"
#include "gpufim.h"
#include "itemsets/best.h"
#include "itemsets/itemsets.h"
#include "itemsets/rules.h"
#include "scan/scan.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"

/*
 * What a call asks for.
 */

/* The arguments that name items, in the order of the call. */
typedef enum RuleNames
{
	ANTECEDENT_INCLUDING,
	ANTECEDENT_INCLUDING_ANY,
	ANTECEDENT_EXCLUDING,
	CONSEQUENT_INCLUDING_ANY,
	CONSEQUENT_EXCLUDING,
	RULE_NAMES
} RuleNames;

static const char *const name_arguments[RULE_NAMES] = {
	"antecedent_including", "antecedent_including_any", "antecedent_excluding",
	"consequent_including_any", "consequent_excluding"
};

/*
 * The arguments of a call, checked as far as is possible before the source is read.  Pointers
 * live as long as the call's memory context.
 */
typedef struct RulesRequest
{
	TransactionsRequest from;
	FimRulesSpec spec;			/* all that does not depend on the source */
	ArrayType  *names[RULE_NAMES]; /* text[] or NULL */
	double		max_p;
	FimAdjust	adjust;
	FimPart		part;			/* of the rules */
	BestWanted	best;
} RulesRequest;

/* The number of arguments behind minsup and the type sample, which is the same in every form. */
#define OPTIONAL_ARGUMENTS	(14 + PARTS_ARGUMENTS)
#define BEST_OPTIONAL_ARGUMENTS	16

/* Take a number from 0 to "most"; if it is NULL, it becomes "otherwise", unless that is NaN. */
static double
TakeNumber(Arguments *args, const char *name, double most, double otherwise)
{
	double		value;

	if (!isnan(otherwise) && args->fcinfo->args[args->next].isnull)
	{
		args->next++;
		return otherwise;
	}
	value = DatumGetFloat8(TakeRequired(args, name));
	/* NaN is not within any limits */
	if (!(value >= 0 && value <= most))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"%s\": %s", name, float8out_internal(value)),
				 isinf(most) ? errhint("Give a number of at least 0.") :
				 errhint("Give a number from 0 to %g.", most)));
	return value;
}

/* Take a name of a list, which ends with NULL, and return its place there. */
static int
TakeChoice(Arguments *args, const char *name, const char *const *choices, const char *hint)
{
	char	   *given = TextDatumGetCString(TakeRequired(args, name));

	for (int i = 0; choices[i] != NULL; i++)
		if (strcmp(choices[i], given) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"%s\": \"%s\"", name, given),
			 errhint("%s", hint)));
}

static uint32
TakeMaxConsequent(Arguments *args)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];

	if (arg->isnull)
		return FIM_NO_LIMIT;
	if (DatumGetInt32(arg->value) < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"max_consequent\" must be at least 1"),
				 errhint("Give NULL for consequents of any length.")));
	return DatumGetInt32(arg->value);
}

static void
TakeRuleLengths(Arguments *args, FimItemsetsSpec *spec)
{
	TakeLengths(args, "rules", &spec->min_length, &spec->max_length);
	if (spec->max_length < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"max_length\" must be at least 2"),
				 errdetail("A rule has an item in its antecedent and one in its consequent.")));
}

/* Read and check the arguments that both functions have behind minsup. */
static void
TakeRules(Arguments *args, RulesRequest *request)
{
	static const char *const kinds[] = {"all", "minimal", NULL};
	static const char *const methods[] = {"none", "bonferroni", "holm", "bh", "by", NULL};
	FimRulesSpec *spec = &request->spec;

	spec->minconf = TakeNumber(args, "minconf", 1, NAN);
	TakeRuleLengths(args, &spec->itemsets);
	spec->max_consequent = TakeMaxConsequent(args);
	for (int i = 0; i < RULE_NAMES; i++)
		request->names[i] = TakeTextArray(args, name_arguments[i]);
	spec->minlift = TakeNumber(args, "minlift", INFINITY, -INFINITY);
	spec->min_improvement = TakeNumber(args, "min_improvement", 1, -INFINITY);
	spec->minimal = TakeChoice(args, "kind", kinds, "Valid values are \"all\" and \"minimal\".") == 1;
	request->max_p = TakeNumber(args, "max_p", 1, 1);
	request->adjust = TakeChoice(args, "adjust", methods,
								 "Valid values are \"none\", \"bonferroni\", \"holm\", \"bh\" and \"by\".");
	spec->max_log_p = INFINITY;
	spec->output = FIM_RULES_LISTED;
	spec->itemsets.head.size = sizeof(*spec);
	spec->itemsets.rules = true;
}

/* Read and check the arguments of a call.  "request" is its RulesRequest, in which the caller has set "from". */
static void
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	RulesRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeTransactions(&args, OPTIONAL_ARGUMENTS, &request->from);
	TakeRules(&args, request);
	TakePart(&args, &request->part);
}

/* The same for top_rules(). */
static void
ReadBestRequest(FunctionCallInfo fcinfo, void *arg)
{
	static const char *const rankings[] = {"leverage", "confidence", "lift", "chi_squared", NULL};
	RulesRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeTransactions(&args, BEST_OPTIONAL_ARGUMENTS, &request->from);
	request->spec.ranked = true;
	request->spec.by = TakeChoice(&args, "by", rankings,
								  "Valid values are \"leverage\", \"confidence\", \"lift\" and \"chi_squared\".");
	request->spec.least = -INFINITY;
	TakeRules(&args, request);
	request->best.ties = DatumGetBool(TakeRequired(&args, "ties"));
	request->best.k = request->from.k;
}

/*
 * What items may be in a rule.
 */

/* What is known of all items of the source, by their numbers in the dictionary. */
typedef struct RuleItems
{
	uint8	   *flags;			/* [n + 1] see FimRuleItem */
	uint32	   *support;		/* [n + 1] */
	bool	   *dropped;		/* [n + 1] those that are in no rule */
	uint32		n;
	uint32		consequents;	/* frequent ones that can be a consequent by themselves */
	bool		impossible;		/* a rule would need an item that is not in the source */
} RuleItems;

/* Set or clear flags of the items that an argument names.  Returns how many of these are in the source, or -1 if the argument is NULL. */
static int
FlagNamed(GpufimRows *rows, const RulesRequest *request, RuleNames argument, uint8 set, uint8 clear, RuleItems *to)
{
	NamedItems	named = FindNamedItems(rows, request->names[argument], name_arguments[argument]);
	int			found = 0;

	if (named.ids == NULL)
		return -1;
	for (int i = 0; i < named.n; i++)
	{
		if (named.ids[i] == DICTIONARY_NONE)
		{
			to->impossible |= argument == ANTECEDENT_INCLUDING;
			continue;
		}
		to->flags[named.ids[i]] = (to->flags[named.ids[i]] | set) & ~clear;
		found++;
	}
	FreeNamedItems(rows, &named);
	return found;
}

#define Flag(item)	((uint8) (1 << (item)))

/* Those items of which every consequent needs one are the only ones that a consequent of one item can have. */
static void
KeepToNeeded(const RulesRequest *request, RuleItems *items)
{
	if (request->spec.max_consequent > 1)
		return;
	for (uint32 id = 0; id < items->n; id++)
		if (!(items->flags[id] & Flag(FIM_CONSEQUENT_NEEDS_ANY)))
			items->flags[id] &= ~Flag(FIM_IN_CONSEQUENT);
}

/*
 * Is it enough to look at those transactions that hold all items that every antecedent has?  Then these items are
 * required ones, of which the engine knows nothing.  A longer consequent needs its support in all transactions, and
 * so does a comparison with a part of the antecedent that has not all of these items.
 */
static bool
RequiresItems(const RulesRequest *request)
{
	const FimRulesSpec *spec = &request->spec;

	return request->names[ANTECEDENT_INCLUDING] != NULL && spec->max_consequent == 1 && !spec->minimal &&
		spec->min_improvement == -INFINITY;
}

static void
FlagItems(GpufimRows *rows, const RulesRequest *request, RuleItems *items)
{
	Size		n = rows->items->n;
	int			needed;

	items->n = n;
	items->flags = LedgerAlloc(rows->ledger, n + 1, rows->items->what);
	memset(items->flags, Flag(FIM_IN_ANTECEDENT) | Flag(FIM_IN_CONSEQUENT), n);
	items->support = LedgerAlloc(rows->ledger, (n + 1) * sizeof(uint32), rows->items->what);
	for (uint32 id = 0; id < n; id++)
		items->support[id] = rows->items->entries[id].count;
	items->dropped = LedgerAlloc(rows->ledger, (n + 1) * sizeof(bool), rows->items->what);
	if (!RequiresItems(request))
		(void) FlagNamed(rows, request, ANTECEDENT_INCLUDING, Flag(FIM_ANTECEDENT_NEEDS), Flag(FIM_IN_CONSEQUENT), items);
	items->impossible |= FlagNamed(rows, request, ANTECEDENT_INCLUDING_ANY, Flag(FIM_ANTECEDENT_NEEDS_ANY), 0, items) == 0;
	(void) FlagNamed(rows, request, ANTECEDENT_EXCLUDING, 0, Flag(FIM_IN_ANTECEDENT), items);
	(void) FlagNamed(rows, request, CONSEQUENT_EXCLUDING, 0, Flag(FIM_IN_CONSEQUENT), items);
	needed = FlagNamed(rows, request, CONSEQUENT_INCLUDING_ANY, Flag(FIM_CONSEQUENT_NEEDS_ANY), 0, items);
	items->impossible |= needed == 0;
	if (needed > 0)
		KeepToNeeded(request, items);
}

/*
 * Drop items that can be on no side of a rule.  If an item that all rules need is infrequent or may be on no
 * side, or if all are of which they need one, no rule is possible.
 */
static void
DropItems(GpufimRows *rows, uint32 minsup, RuleItems *items)
{
	uint8		any = 0;
	uint8		kept = 0;

	for (uint32 id = 0; id < items->n; id++)
	{
		uint8		flags = items->flags[id];

		any |= flags;
		items->dropped[id] = !(flags & (Flag(FIM_IN_ANTECEDENT) | Flag(FIM_IN_CONSEQUENT)));
		if (!items->dropped[id] && items->support[id] >= minsup)
			kept |= flags;
		else
			items->impossible |= (flags & Flag(FIM_ANTECEDENT_NEEDS)) != 0;
	}
	items->impossible |= any != kept;
}

/*
 * Required items are in every antecedent: they must be allowed there, and may be one of those of which it needs one.  They
 * are in no consequent.
 */
static void
LookAtRequired(const GpufimItems *frequent, RuleItems *items)
{
	bool		has_any = false;

	for (uint32 id = 0; id < Min(items->n, frequent->first_dropped); id++)
	{
		if (MappedItem(frequent, id) - MAP_REQUIRED >= frequent->nrequired)
			continue;
		items->impossible |= !(items->flags[id] & Flag(FIM_IN_ANTECEDENT));
		items->flags[id] &= ~Flag(FIM_IN_CONSEQUENT);
		has_any |= (items->flags[id] & Flag(FIM_ANTECEDENT_NEEDS_ANY)) != 0;
	}
	for (uint32 id = 0; id < items->n && has_any; id++)
		items->flags[id] &= ~Flag(FIM_ANTECEDENT_NEEDS_ANY);
}

/* Count the frequent items that can be a consequent by themselves. */
static void
CountConsequents(uint32 minsup, RuleItems *items)
{
	uint8		needed = Flag(FIM_IN_CONSEQUENT);

	for (uint32 id = 0; id < items->n; id++)
		needed |= items->flags[id] & Flag(FIM_CONSEQUENT_NEEDS_ANY);
	for (uint32 id = 0; id < items->n; id++)
		items->consequents += (items->flags[id] & needed) == needed && items->support[id] >= minsup;
}

/*
 * A call.
 */

/* Returns what is known of the frequent items, by their numbers. */
static RuleItems
OfFrequent(const RuleItems *all, const GpufimItems *frequent)
{
	RuleItems	items = {.n = frequent->nitems,.consequents = all->consequents};

	items.flags = palloc_extended(frequent->nitems + 1, MCXT_ALLOC_HUGE);
	items.support = palloc_extended(((Size) frequent->nitems + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	for (uint32 id = 0; id < Min(all->n, frequent->first_dropped); id++)
	{
		uint32		item = MappedItem(frequent, id);

		if (item >= frequent->nitems)
			continue;
		items.flags[item] = all->flags[id];
		items.support[item] = all->support[id];
	}
	return items;
}

/*
 * Among transactions that hold the required items, all those items may be infrequent of which every antecedent needs
 * one, although they are frequent among all.
 */
static bool
LacksNeeded(const RuleItems *all, const RuleItems *frequent)
{
	uint8		any = 0;
	uint8		kept = 0;

	for (uint32 id = 0; id < all->n; id++)
		any |= all->flags[id];
	for (uint32 i = 0; i < frequent->n; i++)
		kept |= frequent->flags[i];
	return (any & ~kept & Flag(FIM_ANTECEDENT_NEEDS_ANY)) != 0;
}

/* Tell the engine, whose items have the numbers as names. */
static void
SetItems(FimSupports *supports, const RuleItems *items, uint32 transactions)
{
	const uint32 *name = (const uint32 *) ((const char *) supports + supports->name_at);
	uint8	   *flags = (uint8 *) supports + supports->flags_at;
	uint32	   *alone = (uint32 *) ((char *) supports + supports->alone_at);

	supports->transactions = transactions;
	supports->consequents = items->consequents;
	for (uint32 i = 0; i < supports->nitems; i++)
	{
		flags[i] = items->flags[name[i]];
		alone[i] = items->support[name[i]];
	}
}

/* The task that finds the itemsets of which rules are made. */
static FimItemsetsSpec
ItemsetsOf(const FimRulesSpec *rules)
{
	FimItemsetsSpec spec = rules->itemsets;

	spec.head.size = sizeof(spec);
	spec.kind = FIM_ALL;
	spec.min_length = Max(spec.nrequired, 1);
	spec.rules = false;
	return spec;
}

/* Are the k best rules by leverage wanted, of all that have a confidence and a lift?  Then those of two items tell how rare itemsets can be. */
static bool
RanksByLeverage(const RulesRequest *request)
{
	const FimRulesSpec *spec = &request->spec;

	for (int i = 0; i < RULE_NAMES; i++)
		if (request->names[i] != NULL)
			return false;
	return request->from.best && spec->by == FIM_BY_LEVERAGE && spec->itemsets.min_length <= 2 && request->max_p == 1 &&
		!spec->minimal && spec->min_improvement == -INFINITY;
}

/* Does the call need p-values of all tests, or their number, before the first rule? */
static bool
TestsFirst(FunctionCallInfo fcinfo, const RulesRequest *request)
{
	return request->adjust != FIM_ADJUST_NONE &&
		(request->max_p < 1 || RowColumnIsWanted(fcinfo, RULE_ADJUSTED_P_VALUE));
}

/* Make gpufim_last_run() show the number of tests, which a task that goes through all rules knows in the end. */
static void
ShowTests(const void *spec, const void *summary)
{
	RunAddDetail("tests", (int64) FimRulesTests(spec, summary));
}

/* Have the job find the best rules, in two tasks: what score they have at least, and which these are. */
static void
MineBestRules(RowSink *sink, RulesRequest *request, uint32 transactions)
{
	static const EngineCost cost = {.only_cpu = true};
	FimRulesSpec *spec = &request->spec;

	spec->output = FIM_RULES_SCORED;
	spec->itemsets.head.count_only = true;
	spec->itemsets.best = request->best.k;
	JobContinue(sink->job, &spec->itemsets.head, &cost);
	JobStart(sink->job, NULL, false);
	(void) JobGoOn(sink->job);
	spec->least = FimBestLeast(FimBestThreshold(FimBestOf(JobShared(sink->job))));
	(void) JobFinish(sink->job);

	spec->output = FIM_RULES_LISTED;
	spec->itemsets.head.count_only = false;
	spec->itemsets.best = 0;
	JobContinue(sink->job, &spec->itemsets.head, &cost);
	(void) MineBest(sink, &BestRules, BestRulesState(spec->by, transactions), &request->best);
}

/* Mine the rows, which are freed on the way, and make rules of the itemsets found. */
static void
MineRules(FunctionCallInfo fcinfo, RulesRequest *request, GpufimRows *rows, const GpufimItems *items,
		  const RuleItems *known)
{
	uint32		transactions = rows->transactions;
	FimItemsetsSpec itemsets;
	EngineCost	cost = ItemsetsCost(items);
	FimAdjust	method = TestsFirst(fcinfo, request) ? request->adjust : FIM_ADJUST_NONE;
	RulePValues *p_values;
	FimSupports *supports;
	const FimDatabase *db;
	RowSink    *sink;
	struct Job *job;

	request->spec.itemsets.nrequired = items->nrequired;
	itemsets = ItemsetsOf(&request->spec);
	sink = RuleRowsCreate(fcinfo, rows->ledger, items, transactions, request->from.best, &p_values);
	job = JobCreate(&FimItemsetsFamily, &itemsets.head, &cost);
	db = BuildDatabase(job, rows, items);
	if (FimIsPart(&request->part))
		AddDatabaseFingerprint(job, db);
	RowSinkUseJob(sink, job);
	/* tests are counted of all itemsets */
	if (RanksByLeverage(request) && method == FIM_ADJUST_NONE)
		RaiseMinsup(job, &request->spec, &itemsets, &cost, items, transactions, request->best.k);
	supports = MineSupports(job, items);
	SetItems(supports, known, transactions);
	RunAddDetail("itemsets", (int64) supports->nnodes - 1);
	RuleRowsRemember(sink, supports->nnodes);
	TestRules(job, &request->spec, transactions, method, request->max_p, p_values);
	if (request->from.best)
	{
		MineBestRules(sink, request, transactions);
		return;
	}
	/* rules are divided, but each part needs all itemsets, and the p-values of all tests */
	request->spec.itemsets.head.part = request->part;
	cost = (EngineCost) {.only_cpu = true,.wants_few = RowScanWantsFew(fcinfo)};
	JobContinue(job, &request->spec.itemsets.head, &cost);
	if (method == FIM_ADJUST_NONE)
	{
		sink->show = ShowTests;
		sink->show_arg = memcpy(palloc(sizeof(FimRulesSpec)), &request->spec, sizeof(FimRulesSpec));
	}
	RowSinkMine(sink);
}

/* Arguments that name items show in what the items are, and what they may be. */
static void
AddRequestFingerprint(const RulesRequest *request, const GpufimItems *items, const RuleItems *known)
{
	const FimRulesSpec *spec = &request->spec;

	RunBeginFingerprint(&request->part);
	RunAddFingerprint(CurrentRun->minsup);
	RunAddFingerprint(spec->itemsets.min_length);
	RunAddFingerprint(spec->itemsets.max_length);
	RunAddFingerprint(spec->max_consequent);
	RunAddFingerprint(FimFingerprintOfNumber(spec->minconf));
	RunAddFingerprint(FimFingerprintOfNumber(spec->minlift));
	RunAddFingerprint(FimFingerprintOfNumber(spec->min_improvement));
	RunAddFingerprint(spec->minimal);
	RunAddFingerprint(FimFingerprintOfNumber(request->max_p));
	RunAddFingerprint(request->adjust);
	RunAddFingerprint(items->fingerprint);
	RunAddFingerprint(FimFingerprintOf(known->flags, known->n));
	for (uint32 i = 0; i < known->n; i++)
		RunAddFingerprint(known->support[i]);
}

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	RulesRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadTransactionRows(&request->from, ledger);
	ItemFilter	filter = {.min_length = 1,.max_length = request->spec.itemsets.max_length,.with_values = true,
	.with_fingerprint = FimIsPart(&request->part)};
	RuleItems	all = {0};
	RuleItems	known;
	GpufimItems *items;

	RunEnterPhase(GPUFIM_ENCODING);
	filter.minsup = FimThreshold(request->from.minsup, rows->transactions);
	NoteHighMinsup(request->from.minsup, rows->transactions,
				   gettext_noop("no rule can be frequent, because \"minsup\" is %s and the number of transactions is %llu"));
	CurrentRun->minsup = request->spec.itemsets.minsup = filter.minsup;
	FlagItems(rows, request, &all);
	DropItems(rows, filter.minsup, &all);
	filter.dropped = all.dropped;
	if (RequiresItems(request))
	{
		filter.including = request->names[ANTECEDENT_INCLUDING];
		filter.including_argument = name_arguments[ANTECEDENT_INCLUDING];
	}
	items = PruneItems(rows, &filter);
	LookAtRequired(items, &all);
	CountConsequents(filter.minsup, &all);
	known = OfFrequent(&all, items);
	if (FimIsPart(&request->part))
		AddRequestFingerprint(request, items, &known);
	if (all.impossible || items->impossible || LacksNeeded(&all, &known))
	{
		LedgerDestroy(ledger);
		return;
	}
	CurrentRun->frequent_items = items->nitems + items->nrequired;
	MineRules(fcinfo, request, rows, items, &known);
}

/* Run the function on the arguments of one of its forms. */
static Datum
RulesFunction(FunctionCallInfo fcinfo, TransactionsForm form)
{
	RulesRequest request = {.from.form = form,.from.has_minsup = true};

	return CallFunction(fcinfo, "association_rules", ReadRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_association_rules_array);

Datum
gpufim_association_rules_array(PG_FUNCTION_ARGS)
{
	return RulesFunction(fcinfo, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_association_rules_pairs);

Datum
gpufim_association_rules_pairs(PG_FUNCTION_ARGS)
{
	return RulesFunction(fcinfo, FORM_PAIRS);
}

PG_FUNCTION_INFO_V1(gpufim_association_rules_set);

Datum
gpufim_association_rules_set(PG_FUNCTION_ARGS)
{
	return RulesFunction(fcinfo, FORM_SET);
}

static Datum
BestFunction(FunctionCallInfo fcinfo, TransactionsForm form)
{
	RulesRequest request = {.from = {.form = form,.best = true,.has_minsup = true}};

	return CallFunction(fcinfo, "top_rules", ReadBestRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_top_rules_array);

Datum
gpufim_top_rules_array(PG_FUNCTION_ARGS)
{
	return BestFunction(fcinfo, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_top_rules_pairs);

Datum
gpufim_top_rules_pairs(PG_FUNCTION_ARGS)
{
	return BestFunction(fcinfo, FORM_PAIRS);
}

/*
 * Without a type sample, the numbers come before "by", so that PostgreSQL does not take minsup for that in calls with literals, see
 * frequent_itemsets.c.
 */

#define BEST_ARGUMENTS	(3 + BEST_OPTIONAL_ARGUMENTS)

PG_FUNCTION_INFO_V1(gpufim_top_rules_set);

Datum
gpufim_top_rules_set(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, BEST_ARGUMENTS);

	if (PG_NARGS() > BEST_ARGUMENTS)
		return BestFunction(fcinfo, FORM_SET);
	PutNumbersBehindText(fcinfo, call, 3, 4); /* from minconf on, behind "by" */
	return BestFunction(call, FORM_SET);
}

/*
 * association_rules() and top_rules() for parameters without types.
 *
 * The third argument is a column in the pair form and minsup or k in the array form.
 */

#define UNTYPED_ARGUMENTS	23

typedef struct UntypedOptional
{
	Oid			type;
	const char *otherwise;
} UntypedOptional;

/* Begin the typed call.  Returns whether it is one of the pair form. */
static bool
BeginUntyped(FunctionCallInfo fcinfo, FunctionCallInfo call, Untyped *arguments)
{
	Untyped		given;
	bool		pairs;

	ReadUntyped(fcinfo, &given);
	pairs = given.text[2] == NULL || !IsNumberText(given.text[2]);
	BeginFormCall(fcinfo, call, &given, pairs, arguments);
	return pairs;
}

PG_FUNCTION_INFO_V1(gpufim_association_rules_untyped);

Datum
gpufim_association_rules_untyped(PG_FUNCTION_ARGS)
{
	static const UntypedOptional optional[OPTIONAL_ARGUMENTS] = {
		{FLOAT8OID, "0.8"}, {INT4OID, "2"}, {INT4OID, NULL}, {INT4OID, "1"},
		{TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL},
		{FLOAT8OID, NULL}, {FLOAT8OID, NULL}, {TEXTOID, "all"}, {FLOAT8OID, NULL}, {TEXTOID, "holm"},
		{INT4OID, "0"}, {INT4OID, "1"}
	};
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);
	Untyped		arguments;
	bool		pairs = BeginUntyped(fcinfo, call, &arguments);

	AddArgument(call, FLOAT8OID, arguments.text[3]);
	for (int i = 0; i < OPTIONAL_ARGUMENTS; i++)
		AddArgument(call, optional[i].type, UntypedOr(&arguments, i + 4, optional[i].otherwise));
	return RulesFunction(call, pairs ? FORM_PAIRS : FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_top_rules_untyped);

Datum
gpufim_top_rules_untyped(PG_FUNCTION_ARGS)
{
	static const UntypedOptional optional[BEST_OPTIONAL_ARGUMENTS] = {
		{TEXTOID, "leverage"},
		{FLOAT8OID, "0"}, {INT4OID, "2"}, {INT4OID, NULL}, {INT4OID, "1"},
		{TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL}, {TEXTARRAYOID, NULL},
		{FLOAT8OID, NULL}, {FLOAT8OID, NULL}, {TEXTOID, "all"}, {FLOAT8OID, NULL}, {TEXTOID, "holm"},
		{BOOLOID, "true"}
	};
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);
	Untyped		arguments;
	bool		pairs = BeginUntyped(fcinfo, call, &arguments);

	AddArgument(call, INT4OID, arguments.text[3]);
	AddArgument(call, FLOAT8OID, arguments.text[4]);
	for (int i = 0; i < BEST_OPTIONAL_ARGUMENTS; i++)
		AddArgument(call, optional[i].type, UntypedOr(&arguments, i + 5, optional[i].otherwise));
	return BestFunction(call, pairs ? FORM_PAIRS : FORM_ARRAYS);
}
