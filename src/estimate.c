/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  How many rows the planner should expect of a call.
 *
 * The planner needs the right order of magnitude, and at once: nothing here reads the source.  The estimate is what there
 * would be if values came together at random; or the declared number, where the catalog knows too little of a table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "funcapi.h"
#include "gpufim.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "read/read.h"
#include "scan/scan.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * The call of which a planner support function is asked something.
 *
 * The planner asks it for each call in a query, so this is the place to look whether the call's
 * type sample stands where PostgreSQL looks for it.  When the parser finds out the type of a
 * polymorphic column, it counts the arguments of the call as it is written: if the fourth argument
 * is declared to be the type sample, it takes the type of the fourth one, even if that is given by
 * name and is another one.  The planner then puts the arguments in order.  From here on, the type is
 * right, but the query has been analyzed with the wrong one, and would fail with an error that names
 * neither the function nor the argument.
 */

/* A call, and the columns of its result as its arguments say. */
typedef struct TypedCall
{
	FuncExpr   *call;
	TupleDesc	columns;
} TypedCall;

static void
RaiseMisplaced(const FuncExpr *call, const char *column, const char *sample, const char *before,
			   int place, Oid found, Oid expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"%s\" of %s() is not in its place", sample, get_func_name(call->funcid)),
			 errdetail("PostgreSQL takes the type of column \"%s\" from argument %d of the call as it is written. That one is of type %s, and \"%s\" asks for %s.",
					   column, place, format_type_be(found), sample, format_type_be(expected)),
			 errhint("Write \"%s\" as argument %d, right after \"%s\", with or without its name. Other arguments given by name can follow.",
					 sample, place, before)));
}

/* The query takes a column, by its index, to be of this type. */
static void
CheckColumn(const TypedCall *typed, int column, Oid found)
{
	Oid			expected = TupleDescAttr(typed->columns, column)->atttypid;
	HeapTuple	tuple;
	int			ninput;
	Oid		   *types;
	char	  **names;
	char	   *modes;

	if (found == expected)
		return;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(typed->call->funcid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", typed->call->funcid);
	ninput = ((Form_pg_proc) GETSTRUCT(tuple))->pronargs;
	if (get_func_arg_info(tuple, &types, &names, &modes) > ninput + column && names != NULL)
	{
		/* the columns of the result follow the arguments */
		for (int i = 1; i < ninput; i++)
		{
			if (types[i] == types[ninput + column])
				RaiseMisplaced(typed->call, names[ninput + column], names[i], names[i - 1], i + 1,
							   found, expected);
		}
	}
	ReleaseSysCache(tuple);
}

/* A function in FROM: columns are Vars, of the relation or of what it is compared with. */
static void
CheckVars(const TypedCall *typed, const RelOptInfo *rel, int columns_before)
{
	List	   *vars = pull_var_clause((Node *) rel->reltarget->exprs, PVC_RECURSE_PLACEHOLDERS);
	ListCell   *cell;

	vars = list_concat(vars, pull_var_clause((Node *) extract_actual_clauses(rel->baserestrictinfo, false),
											 PVC_RECURSE_PLACEHOLDERS));
	foreach(cell, vars)
	{
		Var		   *var = lfirst_node(Var, cell);
		int			column = var->varattno - 1 - columns_before;

		if (var->varno == rel->relid && column >= 0 && column < typed->columns->natts)
			CheckColumn(typed, column, var->vartype);
	}
}

/* Is this the relation of the call?  Then check the query's references to it. */
static bool
CheckRelation(const TypedCall *typed, const RelOptInfo *rel, const RangeTblEntry *rte)
{
	int			columns_before = 0;
	ListCell   *cell;

	if (rel == NULL || rte->rtekind != RTE_FUNCTION)
		return false;
	foreach(cell, rte->functions)
	{
		RangeTblFunction *function = lfirst_node(RangeTblFunction, cell);

		if (function->funcexpr == (Node *) typed->call)
		{
			CheckVars(typed, rel, columns_before);
			return true;
		}
		columns_before += function->funccolcount;
	}
	return false;
}

/* A function in the select list: columns are fields of what it returns. */
static bool
CheckFields(Node *node, void *typed)
{
	if (node == NULL)
		return false;
	if (IsA(node, FieldSelect) && equal(((FieldSelect *) node)->arg, ((TypedCall *) typed)->call))
		CheckColumn(typed, ((FieldSelect *) node)->fieldnum - 1, ((FieldSelect *) node)->resulttype);
	return expression_tree_walker(node, CheckFields, typed);
}

static void
CheckTypeSamplePlace(PlannerInfo *root, FuncExpr *call)
{
	TypedCall	typed = {.call = call};

	if (root == NULL ||
		get_expr_result_type((Node *) call, NULL, &typed.columns) != TYPEFUNC_COMPOSITE)
		return;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		if (CheckRelation(&typed, root->simple_rel_array[i], root->simple_rte_array[i]))
			return;
	}
	CheckFields((Node *) root->processed_tlist, &typed);
}

/*
 * Returns the call whose number of rows the planner asks for; NULL if the request is another one.
 * Raises an error if the call's type sample is not where PostgreSQL looks for it.
 */
static FuncExpr *
PlannedCall(Node *request)
{
	SupportRequestRows *rows = (SupportRequestRows *) request;

	if (!IsA(request, SupportRequestRows) || !IsA(rows->node, FuncExpr))
		return NULL;
	CheckTypeSamplePlace(rows->root, (FuncExpr *) rows->node);
	return (FuncExpr *) rows->node;
}

#define MOST_LENGTHS	64
#define MOST_CLASSES	64

typedef struct Call
{
	List	   *arguments;
	char	  **names;			/* of the arguments, then of the columns of the result */
	int			nnames;
	int			number;			/* index of the first argument after the columns: minsup or the threshold */
	int			shift;			/* how many places those after it are earlier than their names */
	Oid			relation;
	double		rows;
} Call;

/* The values of a column, or the elements of its arrays, of which each has a part of the rows. */
typedef struct Column
{
	double		values[MOST_CLASSES]; /* how many have about e^(-class * width) of the rows */
	double		width;
	double		total;			/* number of values */
	double		squares;		/* sum of the squares of the parts */
} Column;

/* An argument as text; NULL if it is null, no constant, or '', which stands for a default. */
static char *
Text(const Call *call, int i)
{
	Const	   *argument = i >= 0 && i < list_length(call->arguments) ? list_nth(call->arguments, i) : NULL;
	char	   *text;

	if (argument == NULL || !IsA(argument, Const) || argument->constisnull)
		return NULL;
	text = ValueText(argument->consttype, argument->constvalue);
	return *text != '\0' ? text : NULL;
}

static double
Number(const Call *call, int i, double otherwise)
{
	char	   *text = Text(call, i);

	return text != NULL && IsNumberText(text) ? strtod(text, NULL) : otherwise;
}

/* About how many names an array has. */
static int
NamesIn(const char *array)
{
	int			n = 1;

	for (; *array != '\0'; array++)
		n += *array == ',';
	return n;
}

/* The index of an argument, or of a column of the result; -1 if there is none. */
static int
Named(const Call *call, const char *name)
{
	for (int i = 0; i < call->nnames; i++)
		if (strcmp(call->names[i], name) == 0)
			return i > call->number ? i - call->shift : i;
	return -1;
}

/* Finds the table that an argument names.  Returns false if nothing is known of it. */
static bool
OpenTable(Call *call, int i)
{
	char	   *source = Text(call, i);

	call->relation = source == NULL ? InvalidOid : SourceTable(source, &call->rows);
	return OidIsValid(call->relation) && call->rows >= 1;
}

/* Reads one kind of statistics of the column that an argument names.  Returns false if there are none of any kind. */
static bool
Statistics(const Call *call, int i, int kind, int flags, AttStatsSlot *slot, FormData_pg_statistic *form)
{
	char	   *name = Text(call, i);
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(call->relation),
										Int16GetDatum(get_attnum(call->relation, name != NULL ? name : "")),
										BoolGetDatum(get_rel_relkind(call->relation) == RELKIND_PARTITIONED_TABLE));

	memset(slot, 0, sizeof(*slot));
	if (!HeapTupleIsValid(tuple))
		return false;
	*form = *(Form_pg_statistic) GETSTRUCT(tuple);
	(void) get_attstatsslot(slot, tuple, kind, InvalidOid, flags);
	ReleaseSysCache(tuple);
	return true;
}

static void
AddValues(Column *column, double values, double part, double least)
{
	double		class = rint(-log(Min(part, 1)) / column->width);

	if (!(values > 0 && part > 0 && part >= least && class < MOST_CLASSES))
		return;
	column->values[(int) class] += values;
	column->total += values;
	column->squares += values * part * part;
}

/* Reads the values whose parts of the rows, times "scale", are at least so large.  Returns false if nothing is known. */
static bool
ReadColumn(const Call *call, int i, bool elements, double scale, double least, Column *column)
{
	FormData_pg_statistic form;
	AttStatsSlot slot;
	double		rest = 1;
	int			common;

	memset(column, 0, sizeof(Column));
	if (!Statistics(call, i, elements ? STATISTIC_KIND_MCELEM : STATISTIC_KIND_MCV, ATTSTATSSLOT_NUMBERS, &slot, &form))
		return false;
	common = elements ? slot.nnumbers - 3 : slot.nnumbers; /* three numbers are about all elements */
	column->width = Max(-log(least) / (MOST_CLASSES - 1), 1e-6);
	for (int v = 0; v < common; v++)
	{
		AddValues(column, 1, slot.numbers[v] * scale, least);
		rest -= slot.numbers[v];
	}
	if (!elements)				/* other values than the most common ones share the other rows evenly */
	{
		double		others = (form.stadistinct < 0 ? -form.stadistinct * call->rows : form.stadistinct) - common;

		AddValues(column, others, (rest - form.stanullfrac) / others * scale, least);
	}
	return !elements || common > 0;
}

/* The number or time that this part of a column's values is below; NaN if that is not known. */
static double
Quantile(const Call *call, int i, double part)
{
	FormData_pg_statistic form;
	AttStatsSlot slot;
	Datum		datum;
	char	   *text;

	if (!Statistics(call, i, STATISTIC_KIND_HISTOGRAM, ATTSTATSSLOT_VALUES, &slot, &form) || slot.nvalues == 0)
		return NAN;
	datum = slot.values[(int) (part * (slot.nvalues - 1))];
	if (slot.valuetype == DATEOID)
		return DatumGetInt32(datum);
	if (slot.valuetype == TIMEOID || slot.valuetype == TIMESTAMPOID || slot.valuetype == TIMESTAMPTZOID)
		return DatumGetInt64(datum) / 1e6;
	text = ValueText(slot.valuetype, datum);
	return IsNumberText(text) ? strtod(text, NULL) : NAN;
}

/* Counts itemsets by length; or sequences, in which each event but the first has the frequency that it has in "next". */
static void
Count(const Column *items, const Column *next, double *found)
{
	Column		counts = *items;

	found[1] = items->total;
	for (int length = 2; length <= MOST_LENGTHS && found[length - 1] >= 0.5 && found[length - 1] < 1e30; length++)
	{
		double		choices = next != NULL ? 1 : Max(items->total - length + 1, 0) / items->total / length;

		/* in place, because what becomes longer does not become more frequent */
		for (int class = MOST_CLASSES - 1; class >= 0; class--)
		{
			double		longer = 0;

			for (int i = 0; i <= class; i++)
				longer += counts.values[class - i] * (next != NULL ? next : items)->values[i] * choices;
			counts.values[class] = longer;
			found[length] += longer;
		}
	}
}

/* Reads how often the gaps, as they are written, have an event of each type.  What is no gap is left out. */
static bool
ReadGaps(const Call *call, const Column *types, double time, Column *next)
{
	char	   *text = Text(call, Named(call, "gaps"));

	*next = (Column) {.width = types->width};
	for (int i = 0; text != NULL && i < 100 && (text = strpbrk(text, "([")) != NULL; i++, text++)
	{
		double		low;
		double		high = INFINITY;

		if (sscanf(text + 1, "%lf,%lf", &low, &high) >= 1 && high > low)
			for (int class = 0; class < MOST_CLASSES; class++)
				AddValues(next, types->values[class],
						  1 - exp(-exp(-class * types->width) * call->rows * (high - low) / time), 0);
	}
	return time > 0;
}

/* The itemsets or episodes that would be frequent, or their lengths. */
static double
FrequentRows(Call *call, bool lengths)
{
	bool		episodes = Named(call, "gaps") >= 0;
	bool		uncertain = Named(call, "probability_column") >= 0;
	bool		item_rows = !episodes && call->number == 3 + uncertain;
	int			id = item_rows ? 1 : Named(call, "partition_column");
	char	   *kind = Text(call, Named(call, "kind"));
	char	   *including = Text(call, Named(call, "including"));
	char	   *any = Text(call, Named(call, "including_any"));
	double		least = Number(call, call->number, 0);
	double		min_length = Number(call, Named(call, "min_length"), 1);
	double		max_length = Min(Number(call, Named(call, "max_length"), MOST_LENGTHS), MOST_LENGTHS);
	double		median = uncertain ? Quantile(call, call->number - 1, 0.5) : 1;
	double		probability = median > 0 && median <= 1 ? median : 0.5;
	double		found[MOST_LENGTHS + 2] = {0};
	double		rows = 0;
	Column		ids = {.total = 1};
	Column		items;
	Column		next;

	if (!(least > 0) || (Text(call, id) != NULL && !ReadColumn(call, id, false, 1, 1 / call->rows, &ids)))
		return NAN;
	if (least >= 1)
		least /= item_rows ? ids.total : call->rows;
	if (!(item_rows ? ReadColumn(call, 2, false, probability * call->rows / ids.total, least, &items) :
		  ReadColumn(call, 1, !episodes, 1, least / probability, &items)) ||
		(episodes && !ReadGaps(call, &items, (Quantile(call, 2, 1) - Quantile(call, 2, 0)) * ids.total, &next)))
		return NAN;
	Count(&items, episodes ? &next : NULL, found);
	if (Named(call, "item1") >= 0)
		return found[2];
	for (int i = Max(Min(min_length, MOST_LENGTHS + 1), 1); i <= max_length; i++)
	{
		/* one is maximal if chance gives it none of those that are longer */
		if (found[i] > 0 && kind != NULL && strcmp(kind, "maximal") == 0)
			found[i] *= exp(-(i + 1) * found[i + 1] / found[i]);
		if (including != NULL)
			found[i] *= Min(i / items.total, 1);
		if (any != NULL)
			found[i] *= 1 - pow(Max(1 - i / items.total, 0), NamesIn(any));
		rows += lengths ? found[i] >= 0.5 : found[i];
	}
	return Min(rows, 1e6);
}

/* The probability of at least so many keys in common, whose number has a Poisson distribution. */
static double
Enough(double expected, double least)
{
	return expected >= least ? 1 : exp(least * log(expected) - expected - lgamma(least + 1));
}

/* The pairs of a left and a right value that have enough keys in common. */
static double
JoinRows(Call *call)
{
	int			key[2] = {Named(call, "a_source") == 0 ? 2 : 1, 4};
	double		least = Number(call, Named(call, "min_witnesses"), 1);
	Column		keys[2];
	Column		values[2];
	double		rows = 1;
	double		meeting;
	double		pairs = 0;

	for (int side = 0; side < 2; side++)
	{
		if (!OpenTable(call, 3 * side) || !ReadColumn(call, key[side], false, 1, 1 / call->rows, &keys[side]) ||
			!ReadColumn(call, side == 0 ? 3 - key[0] : 5, false, 1, 1 / call->rows, &values[side]))
			return NAN;
		rows *= call->rows;
	}
	meeting = 1 / Max(keys[0].total, keys[1].total);
	if (strcmp(Text(call, 0), Text(call, 3)) == 0 && strcmp(Text(call, key[0]), Text(call, key[1])) == 0)
		meeting = keys[0].squares;
	for (int a = 0; a < MOST_CLASSES; a++)
		for (int b = 0; b < MOST_CLASSES; b++)
		{
			double		expected = rows * meeting * exp(-a * values[0].width - b * values[1].width);

			pairs += values[0].values[a] * values[1].values[b] * Enough(expected, least);
		}
	return pairs;
}

/* The partners of each item: at most k of those that chance gives it. */
static double
PartnerRows(Call *call)
{
	bool		item_rows = call->number == 3;
	double		most = Number(call, call->number, NAN);
	double		least = Number(call, Named(call, "min_support"), 1);
	Column		ids = {.total = call->rows};
	Column		items;
	double		pairs = 0;

	if (!(most >= 1) || (item_rows && !ReadColumn(call, 1, false, 1, 1 / call->rows, &ids)) ||
		!ReadColumn(call, call->number - 1, !item_rows, call->rows / ids.total, 1 / ids.total, &items))
		return NAN;
	for (int a = 0; a < MOST_CLASSES; a++)
	{
		double		partners = 0;

		for (int b = 0; b < MOST_CLASSES; b++)
			/* an item is no partner of itself */
			partners += Max(items.values[b] - (a == b), 0) * Enough(ids.total * exp(-(a + b) * items.width), least);
		pairs += items.values[a] * Min(partners, most);
	}
	return pairs;
}

/* The k best results, if there are so many. */
static double
TopRows(Call *call, bool unused)
{
	double		k = Number(call, call->number, NAN);

	return k >= 1 ? k : NAN;
}

/* As many similar sets as sets, or as each may have: statistics cannot tell how many are similar for a reason rather than by chance. */
static double
SetsRows(Call *call, bool unused)
{
	Column		ids = {.total = call->rows};

	if (Named(call, "score") >= 0)
		return PartnerRows(call);
	if (Named(call, "tid1") < 0)
		return Named(call, "item1") < 0 ? JoinRows(call) : FrequentRows(call, false);
	if (call->number != 2 && !ReadColumn(call, 1, false, 1, 1 / call->rows, &ids))
		return NAN;
	return ids.total * Number(call, Named(call, "k"), 1);
}

/* Answers the planner by a function that returns NaN where too little is known.  Wrong arguments are no error yet. */
static Datum
Answer(FunctionCallInfo fcinfo, double (*rows_of) (Call *, bool), bool lengths)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	HeapTuple	tuple = function == NULL ? NULL : SearchSysCache1(PROCOID, ObjectIdGetDatum(function->funcid));
	Call		call = {.number = 1,.arguments = function == NULL ? NIL : function->args};
	double		rows = NAN;
	Oid		   *types;
	char	   *modes;
	char	   *text;

	EnableRowPath();
	if (!HeapTupleIsValid(tuple))
		PG_RETURN_POINTER(NULL);
	call.nnames = get_func_arg_info(tuple, &types, &call.names, &modes);
	ReleaseSysCache(tuple);
	while ((text = Text(&call, call.number)) != NULL && !IsNumberText(text))
		call.number++;
	if (rows_of != NULL && call.names != NULL && OpenTable(&call, 0))
	{
		int			least = Max(Named(&call, "minsup"), Named(&call, "threshold"));

		call.shift = Max((least >= 0 ? least : Named(&call, "k")) - call.number, 0);
		rows = rows_of(&call, lengths);
	}
	if (!isnan(rows))
		request->rows = clamp_row_est(rows);
	PG_RETURN_POINTER(isnan(rows) ? NULL : request);
}

#define SUPPORT_FUNCTION(name, rows_of, lengths) \
PG_FUNCTION_INFO_V1(name); \
Datum name(PG_FUNCTION_ARGS) { return Answer(fcinfo, rows_of, lengths); }
SUPPORT_FUNCTION(gpufim_itemsets_rows, FrequentRows, false)
SUPPORT_FUNCTION(gpufim_set_rows, NULL, false)
SUPPORT_FUNCTION(gpufim_counts_rows, FrequentRows, true)
SUPPORT_FUNCTION(gpufim_top_rows, TopRows, false)
SUPPORT_FUNCTION(gpufim_distribution_rows, NULL, false)
SUPPORT_FUNCTION(gpufim_episodes_rows, FrequentRows, false)
SUPPORT_FUNCTION(gpufim_episode_counts_rows, FrequentRows, true)
SUPPORT_FUNCTION(gpufim_occurrences_rows, NULL, false)
SUPPORT_FUNCTION(gpufim_sets_rows, SetsRows, false)
SUPPORT_FUNCTION(gpufim_matches_rows, NULL, false)

PG_FUNCTION_INFO_V1(gpufim_supports_rows);

/* As many supports as candidates, if the planner knows these. */
Datum
gpufim_supports_rows(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function = PlannedCall((Node *) request);
	Node	   *candidates = function == NULL ? NULL : llast(function->args);

	EnableRowPath();
	if (candidates != NULL && IsA(candidates, ArrayExpr) && !((ArrayExpr *) candidates)->multidims)
		request->rows = list_length(((ArrayExpr *) candidates)->elements);
	else if (candidates != NULL && IsA(candidates, Const) && !((Const *) candidates)->constisnull)
	{
		ArrayType  *array = DatumGetArrayTypeP(((Const *) candidates)->constvalue);

		request->rows = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	}
	else
		PG_RETURN_POINTER(NULL);
	request->rows = clamp_row_est(request->rows);
	PG_RETURN_POINTER(request);
}
