/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  How many rows the planner should expect of join_project(),
 *	  boolean_matrix_product(), frequent_pairs() and similar_sets().
 *
 * Where the sources are names of tables that have been analyzed, the tables' statistics tell how
 * many keys and values there are, and how frequent they are.  The estimate is the number of pairs
 * that would have enough witnesses if keys and values came together at random.  Real values often
 * occur together, so there are fewer pairs with one witness than that, and more with many.  But
 * the estimate grows and shrinks with the arguments as the result does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "planned_call.h"
#include "sets/pair_path.h"
#include "statistics.h"
#include "untyped.h"
#include "utils/builtins.h"

/* Up to this number of witnesses, probabilities are added one by one. */
#define FEW_WITNESSES	64

/*
 * The least number of similar sets to expect, if there are at least as many sets.  Statistics
 * cannot tell how many sets are similar for a reason rather than by chance.
 */
#define SIMILAR_PAIRS	1000

/* The names of the SQL arguments that give a relation's source and columns. */
typedef struct SideNames
{
	const char *source;
	const char *key;
	const char *value;
} SideNames;

typedef struct Side
{
	char	   *source;
	char	   *key;
	char	   *value;
	double		rows;
	double		nkeys;
	ValueClass	keys[MAX_VALUE_CLASSES];
	ValueClass	values[MAX_VALUE_CLASSES];
	int			key_classes;
	int			value_classes;
	double		size;			/* mean number of keys of a value; 0: computed from the value's
								 * frequency */
} Side;

typedef struct Estimate
{
	Side	   *left;
	Side	   *right;			/* the left one itself, if one relation is both */
	bool		same_keys;		/* one column has the keys of both sides */
	double		trials;			/* number of keys that are on both sides */
	double		least;			/* witnesses */

	/* similar sets: */
	const char *measure;		/* NULL for other results */
	double		threshold;
} Estimate;

/*
 * The probability of at least "least" witnesses, if "expected" witnesses are expected among
 * "trials" independent keys: binomial, and beyond FEW_WITNESSES by its normal approximation.
 */
static double
AtLeast(double least, double expected, double trials)
{
	double		part = Min(expected / Max(trials, 1), 1);
	double		one;
	double		sum = 0;

	if (least > trials)
		return 0;
	if (part >= 1)
		return 1;
	if (least > FEW_WITNESSES)
		return 0.5 * erfc((least - 0.5 - expected) / sqrt(2 * Max(expected * (1 - part), 1e-9)));
	one = exp(trials * log1p(-part));
	for (int i = 0; i < least; i++)
	{
		sum += one;
		one *= (trials - i) / (i + 1) * part / (1 - part);
	}
	return Max(1 - sum, 0);
}

/*
 * The probability that a key has a value, if no pair occurs twice.  Both are given by their
 * fractions of the rows.
 */
static double
HasValue(const Side *side, double value_part, double key_part)
{
	return Min(value_part * key_part * side->rows, 1);
}

/* The mean probability that a key of a side has a value. */
static double
MeanHasValue(const Side *side, double value_part)
{
	double		sum = 0;

	for (int k = 0; k < side->key_classes; k++)
		sum += side->keys[k].values * HasValue(side, value_part, side->keys[k].part);
	return sum / side->nkeys;
}

/* The expected number of witnesses of two values, which are given by their fractions of the rows. */
static double
ExpectedWitnesses(const Estimate *estimate, double left_part, double right_part)
{
	const Side *left = estimate->left;
	const Side *right = estimate->right;
	double		sum = 0;

	if (!estimate->same_keys)
		return estimate->trials * MeanHasValue(left, left_part) * MeanHasValue(right, right_part);
	for (int k = 0; k < left->key_classes; k++)
		sum += left->keys[k].values * HasValue(left, left_part, left->keys[k].part) *
			HasValue(right, right_part, left->keys[k].part);
	return sum;
}

/* The number of keys of a value. */
static double
SetSize(const Side *side, double value_part)
{
	return side->size > 0 ? side->size : side->nkeys * MeanHasValue(side, value_part);
}

/*
 * The least overlap of two similar sets, of which "left" and "right" are the sizes.  INFINITY if
 * no overlap is enough.
 */
static double
LeastOverlap(const Estimate *estimate, double left, double right)
{
	double		threshold = estimate->threshold;
	double		least;

	if (strcmp(estimate->measure, "cosine") == 0)
		least = threshold * sqrt(left * right);
	else if (strcmp(estimate->measure, "overlap") == 0)
		least = threshold * Min(left, right);
	else if (strcmp(estimate->measure, "containment") == 0)
		least = threshold * left;
	else
		least = threshold * (left + right) / (1 + threshold);
	if (least > Min(left, right) + 0.5)
		return INFINITY;
	return Max(ceil(least - 1e-6), 1);
}

/* The probability that a value of one class and a value of another are a pair of the result. */
static double
PairProbability(const Estimate *estimate, const ValueClass *left, const ValueClass *right)
{
	double		least = estimate->least;

	if (estimate->measure != NULL)
		least = LeastOverlap(estimate, SetSize(estimate->left, left->part),
							 SetSize(estimate->right, right->part));
	return AtLeast(least, ExpectedWitnesses(estimate, left->part, right->part), estimate->trials);
}

/*
 * The expected number of ordered pairs.  If one relation is both sides, pairs of a value with
 * itself are left out.
 */
static double
ExpectedPairs(const Estimate *estimate)
{
	const Side *left = estimate->left;
	const Side *right = estimate->right;
	double		pairs = 0;

	for (int i = 0; i < left->value_classes; i++)
	{
		for (int j = 0; j < right->value_classes; j++)
		{
			const ValueClass *a = &left->values[i];
			const ValueClass *b = &right->values[j];
			double		others = left == right && i == j ? Max(b->values - 1, 0) : b->values;

			pairs += a->values * others * PairProbability(estimate, a, b);
		}
	}
	return pairs;
}

/* The number of values that are a pair with themselves.  Its witnesses are all keys of the value. */
static double
OwnPairs(const Estimate *estimate)
{
	const Side *side = estimate->left;
	double		pairs = 0;

	for (int i = 0; i < side->value_classes; i++)
	{
		if (round(SetSize(side, side->values[i].part)) >= estimate->least)
			pairs += side->values[i].values;
	}
	return pairs;
}

/*
 * Reading the arguments.  These functions return false, or a negative number of rows, if
 * something that the estimate needs is not known.
 */

static bool
OpenSide(const CallArguments *arguments, const SideNames *names, Side *side, Oid *relation)
{
	memset(side, 0, sizeof(Side));
	side->source = TextArgument(arguments, names->source);
	side->key = names->key ? TextArgument(arguments, names->key) : NULL;
	side->value = names->value ? TextArgument(arguments, names->value) : NULL;
	if (side->source == NULL)
		return false;
	*relation = AnalyzedRelation(side->source);
	side->rows = OidIsValid(*relation) ? RelationRows(*relation) : 0;
	return side->rows >= 1;
}

/* Read a relation with a row for each pair. */
static bool
ReadSide(const CallArguments *arguments, const SideNames *names, Side *side)
{
	Oid			relation;

	if (!OpenSide(arguments, names, side, &relation) || side->key == NULL || side->value == NULL)
		return false;
	side->key_classes = ValueClasses(relation, side->key, side->rows, side->keys);
	side->value_classes = ValueClasses(relation, side->value, side->rows, side->values);
	for (int k = 0; k < side->key_classes; k++)
		side->nkeys += side->keys[k].values;
	return side->key_classes > 0 && side->value_classes > 0;
}

/*
 * Read a relation with an array of values in each row, which is a key.  The fraction of a value
 * is that of the keys that have it.
 */
static bool
ReadArraysOfValues(const CallArguments *arguments, const SideNames *names, Side *side)
{
	Oid			relation;
	double		length;

	if (!OpenSide(arguments, names, side, &relation) || side->value == NULL)
		return false;
	side->value_classes = ElementClasses(relation, side->value, side->values, &length);
	side->nkeys = side->rows;
	side->keys[0] = (ValueClass) {1 / side->rows, side->rows};
	side->key_classes = 1;
	return side->value_classes > 0;
}

/*
 * Read a relation with an array of keys in each row, which is a value.  All values are taken to
 * be equally frequent.
 */
static bool
ReadArraysOfKeys(const CallArguments *arguments, const SideNames *names, Side *side)
{
	Oid			relation;

	if (!OpenSide(arguments, names, side, &relation) || side->key == NULL)
		return false;
	side->key_classes = ElementClasses(relation, side->key, side->keys, &side->size);
	for (int k = 0; k < side->key_classes; k++)
		side->nkeys += side->keys[k].values;
	side->values[0] = (ValueClass) {1 / side->rows, side->rows};
	side->value_classes = 1;
	return side->key_classes > 0 && side->size > 0;
}

/* The expected rows of the product of two relations, or of one that is named twice. */
static double
JoinRows(const CallArguments *arguments, const SideNames *left_names, const SideNames *right_names)
{
	Side	   *left = palloc(sizeof(Side));
	Side	   *right = palloc(sizeof(Side));
	Estimate	estimate = {.left = left,.right = right};
	bool		same_source;
	double		rows;

	if (!ReadSide(arguments, left_names, left) || !ReadSide(arguments, right_names, right))
		return -1;
	estimate.least = NumberArgument(arguments, "min_witnesses", 1);
	if (estimate.least < 1)
		return -1;
	same_source = strcmp(left->source, right->source) == 0;
	estimate.same_keys = same_source && strcmp(left->key, right->key) == 0;
	estimate.trials = Min(left->nkeys, right->nkeys);
	if (!estimate.same_keys || strcmp(left->value, right->value) != 0)
		return ExpectedPairs(&estimate);
	estimate.right = left;
	rows = ExpectedPairs(&estimate);
	return rows + OwnPairs(&estimate);
}

/*
 * The expected rows of a function about one relation.  Each pair comes in one order, unless the
 * measure depends on the order.
 */
static double
RowsOfOne(Estimate *estimate)
{
	estimate->right = estimate->left;
	estimate->same_keys = true;
	estimate->trials = estimate->left->nkeys;
	if (estimate->measure != NULL && strcmp(estimate->measure, "containment") == 0)
		return ExpectedPairs(estimate);
	return ExpectedPairs(estimate) / 2;
}

static double
PairsRows(const CallArguments *arguments)
{
	SideNames	rows_names = {"source", "tid_column", "item_column"};
	SideNames	array_names = {"source", NULL, "items_column"};
	Estimate	estimate = {.left = palloc(sizeof(Side))};

	if (!(HasArgument(arguments, "tid_column") ? ReadSide(arguments, &rows_names, estimate.left) :
		  ReadArraysOfValues(arguments, &array_names, estimate.left)))
		return -1;
	estimate.least = NumberArgument(arguments, "minsup", -1);
	if (estimate.least < 1)
		estimate.least = ceil(estimate.least * estimate.left->nkeys);
	return estimate.least >= 1 ? RowsOfOne(&estimate) : -1;
}

/* Where the source has arrays beside the ids, all ids are taken to be different. */
static double
SimilarRows(const CallArguments *arguments)
{
	SideNames	rows_names = {"source", "item_column", "tid_column"};
	SideNames	beside_names = {"source", "item_column", NULL};
	SideNames	array_names = {"source", "items_column", NULL};
	char	   *measure = TextArgument(arguments, "measure");
	Estimate	estimate = {.left = palloc(sizeof(Side)),.measure = "jaccard"};
	double		sets = 0;
	bool		known;

	if (!HasArgument(arguments, "tid_column"))
		known = ReadArraysOfKeys(arguments, &array_names, estimate.left);
	else
		known = ReadArraysOfKeys(arguments, &beside_names, estimate.left) ||
			ReadSide(arguments, &rows_names, estimate.left);
	if (!known)
		return -1;
	estimate.threshold = NumberArgument(arguments, "threshold", 0);
	if (!(estimate.threshold > 0 && estimate.threshold <= 1))
		return -1;
	if (measure != NULL)
		estimate.measure = measure;
	for (int i = 0; i < estimate.left->value_classes; i++)
		sets += estimate.left->values[i].values;
	return Max(RowsOfOne(&estimate), Min(sets, SIMILAR_PAIRS));
}

/*
 * Gives the arguments of a call without types, which have no names, those of the form that is
 * meant (untyped_call.c).  Returns false if that is not known.  A wrapper's arguments may have names.
 */
static bool
NameUntyped(CallArguments *arguments)
{
	Const	   *decides = list_nth(arguments->values, UNTYPED_DECIDES);
	int			first_column = list_length(arguments->values);
	bool		similar = first_column < arguments->nnames &&
		strcmp(arguments->names[first_column], "tid1") == 0;
	char	   *threshold = similar ? "threshold" : "minsup";
	bool		pairs;

	if (*arguments->names[0] != '\0')
		return true;
	if (!IsA(decides, Const))
		return false;
	pairs = !decides->constisnull && IsNumberText(TextDatumGetCString(decides->constvalue));
	arguments->names[0] = "source";
	arguments->names[1] = pairs ? "tid_column" : "items_column";
	arguments->names[2] = pairs ? "item_column" : threshold;
	arguments->names[3] = pairs ? threshold : "measure";
	return true;
}

PG_FUNCTION_INFO_V1(gpufim_sets_rows);

Datum
gpufim_sets_rows(PG_FUNCTION_ARGS)
{
	SideNames	left = {"left_source", "left_key", "left_value"};
	SideNames	right = {"right_source", "right_key", "right_value"};
	SideNames	a = {"a_source", "a_column", "a_row"};
	SideNames	b = {"b_source", "b_row", "b_column"};
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	CallArguments arguments;
	double		rows;

	PairPathEnable();
	if (function == NULL || !ReadCallArguments(function, &arguments) ||
		(arguments.untyped && !NameUntyped(&arguments)))
		PG_RETURN_POINTER(NULL);
	if (HasArgument(&arguments, "left_source"))
		rows = JoinRows(&arguments, &left, &right);
	else if (HasArgument(&arguments, "a_source"))
		rows = JoinRows(&arguments, &a, &b);
	else if (HasArgument(&arguments, "minsup"))
		rows = PairsRows(&arguments);
	else
		rows = SimilarRows(&arguments);
	if (rows < 0)
		PG_RETURN_POINTER(NULL);
	request->rows = clamp_row_est(rows);
	PG_RETURN_POINTER(request);
}
