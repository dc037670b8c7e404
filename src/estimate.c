/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  How many rows the planner should expect of the functions that return itemsets,
 *	  their numbers, or the distribution of the support of one.
 *
 * Where the source is the name of a table that has been analyzed, its statistics
 * say how frequent its items are, and how probable.  The estimate is the number of
 * itemsets that would be frequent, or whose expected support would be high enough, if
 * items occurred independently of each other.  They are counted up to a limit.  Real
 * items tend to occur together, so there are more itemsets than that; but the estimate
 * grows and shrinks with minsup, kind and the lengths as the result does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "planned_call.h"
#include "statistics.h"
#include "untyped.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Limits of counting: more makes no difference to the planner, and takes too long. */
#define MOST_ITEMSETS	100000
#define MOST_ITEMS		10000
#define MOST_LENGTHS	64

/* Stands for a probability about which nothing is known. */
#define TYPICAL_PROBABILITY	0.5

/*
 * At this number of standard deviations from its mean, a normal distribution has a tail of 10^-20,
 * which probable_itemset_distribution() leaves out.
 */
#define DEVIATIONS	9.26

/* The arguments of a call that are constants; NULL for others. */
typedef struct Call
{
	bool		pairs;			/* the pair form */
	bool		uncertain;		/* there is a column of probabilities */
	char	   *source;
	char	   *tid_column;
	char	   *item_column;	/* or items_column */
	char	   *probability_column;
	double		minsup;
	bool		maximal;
	int			min_length;
	int			max_length;
	int			including;		/* the number of items that "including" names */
} Call;

typedef struct Estimate
{
	int			nitems;
	double	   *frequency;		/* of items, as parts of 1, in descending order */
	double		least;			/* the least frequency of an itemset, by minsup */
	double		of_item;		/* mean probability of an item in a transaction */
	double		of_row;			/* mean probability of a transaction */
	double		transactions;
	bool		maximal;
	int			max_length;
	int			visited;		/* number of itemsets looked at so far */
	double		counts[MOST_LENGTHS + 1];	/* of itemsets, by length; FindLengths() sets only 0 or 1 */
} Estimate;

/*
 * Gives the arguments of a call without types the names of the form that is meant.  They have
 * those of the pair form; in the array form, arguments given by position are one place earlier
 * (untyped.h).  Returns false if it is not known which form is meant.
 */
static bool
NameUntyped(CallArguments *arguments)
{
	int			n = list_length(arguments->values);
	char	   *decides = TextArgument(arguments, arguments->names[UNTYPED_DECIDES]);
	char	  **names;
	bool		by_position = true;

	if (decides == NULL)
		return false;
	/* the number is minsup, which is one place later where there are probabilities */
	if (IsNumberText(decides) != HasArgument(arguments, "probability_column"))
		return true;
	names = palloc(n * sizeof(char *));
	names[0] = arguments->names[0];
	for (int i = 1; i < n; i++)
	{
		/* '' is the default of those that are not given */
		bool		given = ConstantArgument(arguments, arguments->names[i], TEXTOID) == NULL ||
			TextArgument(arguments, arguments->names[i]) != NULL;

		by_position = by_position && given && i < n - 1;
		names[i] = arguments->names[by_position ? i + 1 : i];
	}
	names[1] = "items_column";
	arguments->names = names;
	return true;
}

/* Returns false if arguments that every estimate needs are no constants. */
static bool
ReadCall(FuncExpr *function, CallArguments *arguments, Call *call)
{
	char	   *kind;

	if (!ReadCallArguments(function, arguments) || (arguments->untyped && !NameUntyped(arguments)))
		return false;
	call->pairs = HasArgument(arguments, "tid_column");
	call->uncertain = HasArgument(arguments, "probability_column");
	call->source = TextArgument(arguments, "source");
	call->tid_column = TextArgument(arguments, "tid_column");
	call->item_column = TextArgument(arguments, call->pairs ? "item_column" : "items_column");
	call->probability_column = TextArgument(arguments, "probability_column");
	call->minsup = NumberArgument(arguments, "minsup", 0);
	kind = TextArgument(arguments, "kind");
	call->maximal = kind != NULL && strcmp(kind, "maximal") == 0;
	call->min_length = LengthArgument(arguments, "min_length", 1, MOST_LENGTHS + 1);
	call->max_length = LengthArgument(arguments, "max_length", MOST_LENGTHS, MOST_LENGTHS);
	call->including = ElementsOfArgument(arguments, "including");
	return call->source != NULL && call->item_column != NULL &&
		(!call->pairs || call->tid_column != NULL) &&
		(!call->uncertain || call->probability_column != NULL);
}

static void
AddItem(Estimate *estimate, double frequency)
{
	frequency *= estimate->of_item;
	if (frequency >= estimate->least && estimate->nitems < MOST_ITEMS)
		estimate->frequency[estimate->nitems++] = Min(frequency, 1);
}

/* Sets the threshold as a frequency, once the number of transactions is known. */
static void
SetLeast(Estimate *estimate, double minsup)
{
	estimate->least = (minsup < 1 ? minsup : minsup / estimate->transactions) / estimate->of_row;
}

/*
 * Array form: the statistics list the most common elements, each with the fraction of the
 * arrays that have it, and end with three numbers about all elements.  Returns false if
 * there are no such statistics.
 */
static bool
ItemsOfArrays(Oid relation, const Call *call, Estimate *estimate)
{
	HeapTuple	tuple = ColumnStatistics(relation, call->item_column);
	AttStatsSlot slot;
	bool		known;

	if (!HeapTupleIsValid(tuple))
		return false;
	estimate->transactions = RelationRows(relation) *
		(1 - ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac);
	known = estimate->transactions >= 1 &&
		get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCELEM, InvalidOid, ATTSTATSSLOT_NUMBERS);
	if (known)
	{
		SetLeast(estimate, call->minsup);
		for (int i = 0; i < slot.nnumbers - 3; i++)
			AddItem(estimate, slot.numbers[i]);
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return known;
}

/* Pair form: an item's frequency is the number of its rows divided by that of transactions. */
static bool
ItemsOfPairs(Oid relation, const Call *call, Estimate *estimate)
{
	HeapTuple	tids = ColumnStatistics(relation, call->tid_column);
	double	   *parts = palloc(MOST_ITEMS * sizeof(double));
	double		rows = RelationRows(relation);
	int			n;

	if (!HeapTupleIsValid(tids))
		return false;
	estimate->transactions = Max(DistinctValues(tids, rows), 1);
	ReleaseSysCache(tids);
	n = rows >= 1 ? ValueParts(relation, call->item_column, rows, parts, MOST_ITEMS) : 0;
	if (n == 0)
		return false;
	SetLeast(estimate, call->minsup);
	for (int i = 0; i < n; i++)
		AddItem(estimate, parts[i] * rows / estimate->transactions);
	pfree(parts);
	return true;
}

/* A value from the statistics as a number; TYPICAL_PROBABILITY if this type is not known here. */
static double
NumberOf(Oid type, Datum value)
{
	switch (type)
	{
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		default:
			return TYPICAL_PROBABILITY;
	}
}

/* The sum of a slot's values, weighted by its numbers if it has such. */
static double
SlotSum(const AttStatsSlot *slot)
{
	double		sum = 0;

	for (int i = 0; i < slot->nvalues; i++)
	{
		double		value = NumberOf(slot->valuetype, slot->values[i]);

		/* statistics may have other values, but a probability is from 0 to 1 */
		if (!(value >= 0))
			value = 0;
		sum += Min(value, 1) * (slot->nnumbers > 0 ? slot->numbers[i] : 1);
	}
	return sum;
}

/* The mean of a column of probabilities, by its common values and its histogram. */
static double
MeanProbability(Oid relation, const char *column)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		mean = TYPICAL_PROBABILITY;
	double		common = 0;
	double		sum = 0;

	if (!HeapTupleIsValid(tuple))
		return mean;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < slot.nnumbers; i++)
			common += slot.numbers[i];
		sum = SlotSum(&slot);
		mean = sum / Max(common, FLT_MIN);
		free_attstatsslot(&slot);
	}
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		double		rest = 1 - ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac - common;

		if (slot.nvalues > 0 && rest > 0)
			mean = (sum + rest * SlotSum(&slot) / slot.nvalues) / (common + rest);
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return Max(mean, FLT_MIN);
}

/* Is the column an array, so that each item has a probability of its own? */
static bool
IsArrayColumn(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);

	return number != InvalidAttrNumber &&
		OidIsValid(get_base_element_type(get_atttype(relation, number)));
}

/* Sets how probable transactions and their items are. */
static void
SetProbabilities(Oid relation, const Call *call, Estimate *estimate)
{
	estimate->of_item = estimate->of_row = 1;
	if (!call->uncertain)
		return;
	if (IsArrayColumn(relation, call->probability_column))
		estimate->of_item = TYPICAL_PROBABILITY;
	else if (call->pairs)
		estimate->of_item = MeanProbability(relation, call->probability_column);
	else
		estimate->of_row = MeanProbability(relation, call->probability_column);
}

/*
 * Counts the itemsets that extend an itemset of this length by items from "next" on.
 * "product" is the itemset's frequency, and "missing" the most frequent item that it does
 * not have: if that cannot be added, no other item can, so the itemset is maximal.
 */
static void
CountItemsets(Estimate *estimate, int next, int missing, double product, int length)
{
	for (int i = next; i < estimate->nitems && estimate->visited < MOST_ITEMSETS; i++)
	{
		double		frequency = product * estimate->frequency[i];
		int			still_missing = missing == i ? i + 1 : missing;

		if (frequency < estimate->least)
			return;
		estimate->visited++;
		if (!estimate->maximal || still_missing >= estimate->nitems ||
			frequency * estimate->frequency[still_missing] < estimate->least)
			estimate->counts[length + 1]++;
		if (length + 1 < estimate->max_length)
			CountItemsets(estimate, i + 1, still_missing, frequency, length + 1);
	}
}

/* Finds the lengths that itemsets have.  The most frequent one of a length has the most frequent items. */
static void
FindLengths(Estimate *estimate)
{
	double		frequency = 1;

	for (int length = 1; length <= Min(estimate->nitems, estimate->max_length); length++)
	{
		frequency *= estimate->frequency[length - 1];
		if (frequency < estimate->least)
			return;
		estimate->counts[length] = 1;
	}
}

/* The fraction of the itemsets of this length that contain all of "including" given items. */
static double
PartWith(const Estimate *estimate, int length, int including)
{
	double		part = 1;

	for (int i = 0; i < including; i++)
		part *= Max(length - i, 0) / (double) Max(estimate->nitems - i, 1);
	return part;
}

static bool
MakeEstimate(const Call *call, bool count_only, Estimate *estimate)
{
	Oid			relation = AnalyzedRelation(call->source);

	if (!OidIsValid(relation) || !(call->minsup > 0))
		return false;
	estimate->frequency = palloc(MOST_ITEMS * sizeof(double));
	SetProbabilities(relation, call, estimate);
	if (!(call->pairs ? ItemsOfPairs : ItemsOfArrays) (relation, call, estimate))
		return false;
	SortDescending(estimate->frequency, estimate->nitems);
	estimate->maximal = call->maximal;
	/*
	 * Itemsets longer than max_length decide which are maximal, but need not be counted.
	 * The recursion goes no deeper than max_length, since planning may begin near the end
	 * of the stack.
	 */
	estimate->max_length = call->max_length;
	if (count_only && !estimate->maximal)
		FindLengths(estimate);
	else
		CountItemsets(estimate, 0, 0, 1, 0);
	return true;
}

static Datum
EstimateRows(FunctionCallInfo fcinfo, bool count_only)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	CallArguments arguments;
	Call		call;
	Estimate	estimate = {0};
	double		rows = 0;

	if (function == NULL || !ReadCall(function, &arguments, &call) ||
		!MakeEstimate(&call, count_only, &estimate))
		PG_RETURN_POINTER(NULL);
	for (int length = call.min_length; length <= MOST_LENGTHS; length++)
	{
		double		itemsets = estimate.counts[length] * PartWith(&estimate, length, call.including);

		rows += count_only ? itemsets > 0 : itemsets;
	}
	request->rows = clamp_row_est(rows);
	PG_RETURN_POINTER(request);
}

PG_FUNCTION_INFO_V1(gpufim_itemsets_rows);

Datum
gpufim_itemsets_rows(PG_FUNCTION_ARGS)
{
	return EstimateRows(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_counts_rows);

Datum
gpufim_counts_rows(PG_FUNCTION_ARGS)
{
	return EstimateRows(fcinfo, true);
}

/*
 * The most transactions that can hold an itemset, those of its rarest item; a negative number if
 * that is not known.
 */
static double
TransactionsWith(Oid relation, const Call *call, const NamedValue *items, int nitems)
{
	double		rows = RelationRows(relation);
	double		most = rows;

	if (rows < 1 || nitems == 0)
		return -1;
	for (int i = 0; i < nitems; i++)
	{
		double		part = call->pairs ? ValuePart(relation, call->item_column, rows, items[i].name) :
			ElementPart(relation, call->item_column, items[i].name);

		if (part < 0)
			return -1;
		most = Min(most, part * rows);
	}
	return most;
}

/*
 * The number of values of a binomial distribution between its tails.  The third moment moves both
 * ends away from where a normal distribution has them.
 */
static double
ValuesOfDistribution(double n, double p)
{
	double		middle = n * p + (1 - 2 * p) * DEVIATIONS * DEVIATIONS / 6;
	double		away = DEVIATIONS * sqrt(n * p * (1 - p));

	return Min(middle + away, n) - Max(middle - away, 0) + 1;
}

PG_FUNCTION_INFO_V1(gpufim_distribution_rows);

Datum
gpufim_distribution_rows(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	CallArguments arguments;
	Call		call;
	Estimate	estimate = {0};
	Oid			relation;
	NamedValue	items[MOST_NAMED];
	int			nitems;
	double		transactions;
	double		probability;

	if (function == NULL || !ReadCall(function, &arguments, &call))
		PG_RETURN_POINTER(NULL);
	relation = AnalyzedRelation(call.source);
	nitems = NamesArgument(&arguments, "items", items);
	transactions = OidIsValid(relation) ? TransactionsWith(relation, &call, items, nitems) : -1;
	if (transactions < 0)
		PG_RETURN_POINTER(NULL);
	SetProbabilities(relation, &call, &estimate);
	probability = estimate.of_row * pow(estimate.of_item, nitems);
	request->rows = clamp_row_est(ValuesOfDistribution(transactions, Min(probability, 1)));
	PG_RETURN_POINTER(request);
}
