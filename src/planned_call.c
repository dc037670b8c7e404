/*-------------------------------------------------------------------------
 *
 * planned_call.c
 *	  The call of which a planner support function is asked something.
 *
 * The planner asks it for each call in a query, so this is the place to look whether the call's
 * type sample stands where PostgreSQL looks for it.  When the parser finds out the type of a
 * polymorphic column, it counts the arguments of the call as it is written: if the fourth argument
 * is declared to be the type sample, it takes the type of the fourth one, even if that is given by
 * name and is another one.  The planner then puts the arguments in order.  From here on, the type is
 * right, but the query has been analyzed with the wrong one, and would fail with an error that names
 * neither the function nor the argument.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "planned_call.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

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

FuncExpr *
PlannedCall(Node *request)
{
	SupportRequestRows *rows = (SupportRequestRows *) request;

	if (!IsA(request, SupportRequestRows) || !IsA(rows->node, FuncExpr))
		return NULL;
	CheckTypeSamplePlace(rows->root, (FuncExpr *) rows->node);
	return (FuncExpr *) rows->node;
}
