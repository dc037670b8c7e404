/*-------------------------------------------------------------------------
 *
 * row_path.c
 *	  Planning a scan of the rows that a function in FROM returns (row_scan.c).
 *
 * The planner asks the function's support function for the number of rows before it
 * looks for ways to scan them.  So a hook that the support function sets is in time
 * even in the session's first query, and sessions that call no such function have none.
 *
 * PostgreSQL's FunctionScan still does what the node does not support: several functions side by
 * side in ROWS FROM, WITH ORDINALITY, references to rows as a whole, which UPDATE, DELETE and FOR
 * UPDATE make, too, and subqueries as arguments.  So it does for functions of others with the same
 * support function, and for one of these that has been made SECURITY DEFINER or STRICT or been given
 * settings of its own, because the node would not obey that.
 *
 * The node also learns how much of the result the query wants: which columns, only some rows, or only the best.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_proc.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "scan/scan.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/*
 * The functions whose results can be scanned.  They are the families' own affair in all else: only here, where a plan is
 * made before any of them is called, must they be known by name.  The server finds them by their names, too.
 */
#define ROW_FUNCTIONS(FUNCTION) \
	FUNCTION(gpufim_frequent_itemsets_array) \
	FUNCTION(gpufim_frequent_itemsets_pairs) \
	FUNCTION(gpufim_frequent_itemsets_set) \
	FUNCTION(gpufim_frequent_itemsets_untyped) \
	FUNCTION(gpufim_top_itemsets_array) \
	FUNCTION(gpufim_top_itemsets_pairs) \
	FUNCTION(gpufim_top_itemsets_set) \
	FUNCTION(gpufim_top_itemsets_untyped) \
	FUNCTION(gpufim_itemset_supports_array) \
	FUNCTION(gpufim_itemset_supports_pairs) \
	FUNCTION(gpufim_association_rules_array) \
	FUNCTION(gpufim_association_rules_pairs) \
	FUNCTION(gpufim_association_rules_set) \
	FUNCTION(gpufim_association_rules_untyped) \
	FUNCTION(gpufim_top_rules_array) \
	FUNCTION(gpufim_top_rules_pairs) \
	FUNCTION(gpufim_top_rules_set) \
	FUNCTION(gpufim_top_rules_untyped) \
	FUNCTION(gpufim_probable_itemsets_array) \
	FUNCTION(gpufim_probable_itemsets_pairs) \
	FUNCTION(gpufim_probable_itemsets_untyped) \
	FUNCTION(gpufim_probable_itemsets_minprob_text) \
	FUNCTION(gpufim_probable_itemsets_minprob_int) \
	FUNCTION(gpufim_frequent_episodes) \
	FUNCTION(gpufim_frequent_episodes_untyped) \
	FUNCTION(gpufim_join_project) \
	FUNCTION(gpufim_boolean_matrix_product) \
	FUNCTION(gpufim_frequent_pairs) \
	FUNCTION(gpufim_frequent_pairs_array) \
	FUNCTION(gpufim_frequent_pairs_set) \
	FUNCTION(gpufim_frequent_pairs_untyped) \
	FUNCTION(gpufim_similar_sets) \
	FUNCTION(gpufim_similar_sets_array) \
	FUNCTION(gpufim_similar_sets_two) \
	FUNCTION(gpufim_similar_sets_untyped) \
	FUNCTION(gpufim_similar_items) \
	FUNCTION(gpufim_similar_items_array) \
	FUNCTION(gpufim_similar_items_set) \
	FUNCTION(gpufim_similar_items_untyped) \
	FUNCTION(gpufim_rule_matches) \
	FUNCTION(gpufim_rule_matches_array)

#define DECLARE_FUNCTION(name) extern Datum name(PG_FUNCTION_ARGS);
ROW_FUNCTIONS(DECLARE_FUNCTION)

#define LIST_FUNCTION(name) name,
static const PGFunction RowFunctions[] = {ROW_FUNCTIONS(LIST_FUNCTION)};

static bool Enabled = false;
static set_rel_pathlist_hook_type PreviousHook = NULL;

/* Returns a target list with all columns of the function's result, as Vars of the query. */
static List *
ResultColumns(RelOptInfo *rel, TupleDesc desc)
{
	List	   *columns = NIL;

	for (int i = 1; i <= desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i - 1);
		Var		   *var = makeVar(rel->relid, i, column->atttypid, column->atttypmod,
								  column->attcollation, 0);

		columns = lappend(columns, makeTargetEntry((Expr *) var, i, NULL, false));
	}
	return columns;
}

/*
 * Make the plan node.  To PostgreSQL it is a node that scans no table, so custom_scan_tlist must
 * tell its columns.
 */
static Plan *
PlanRowScan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
			 List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->flags = path->flags;
	scan->custom_exprs = list_make1(linitial(path->custom_private));
	scan->custom_scan_tlist = lsecond(path->custom_private);
	scan->custom_private = list_copy_tail(path->custom_private, 2);
	scan->methods = &RowScanMethods;
	return &scan->scan.plan;
}

static const CustomPathMethods RowPathMethods = {
	.CustomName = "Gpufim Rows",
	.PlanCustomPath = PlanRowScan
};

/*
 * Does a call of this function call one of those, and nothing else?  The server would call another
 * function first, of its own, if a SECURITY DEFINER or SET clause or a hook had to be obeyed.
 */
static bool
CanBeScanned(Oid function)
{
	FmgrInfo	info;

	/* other functions need not be loaded before they are called */
	if (!OidIsValid(get_func_support(function)))
		return false;
	fmgr_info(function, &info);
	for (int i = 0; i < lengthof(RowFunctions); i++)
	{
		if (info.fn_addr == RowFunctions[i])
			return !info.fn_strict;
	}
	return false;
}

/*
 * Returns the call in FROM if the node can scan it, with the columns of its result, otherwise
 * NULL.
 */
static FuncExpr *
RowCall(RangeTblEntry *rte, TupleDesc *desc)
{
	FuncExpr   *call;

	if (rte->rtekind != RTE_FUNCTION || rte->funcordinality || list_length(rte->functions) != 1)
		return NULL;
	call = (FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || contain_subplans((Node *) call->args) ||
		!CanBeScanned(call->funcid) ||
		get_expr_result_type((Node *) call, NULL, desc) != TYPEFUNC_COMPOSITE)
		return NULL;
	return call;
}

/* The columns that the query refers to, or rows as a whole, as pull_varattnos() numbers them. */
static Bitmapset *
ColumnsReferredTo(RelOptInfo *rel)
{
	Bitmapset  *columns = NULL;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &columns);
	pull_varattnos((Node *) extract_actual_clauses(rel->baserestrictinfo, false), rel->relid, &columns);
	return columns;
}

/*
 * Make a path with these columns: all columns of the result, or none if results need only be
 * counted, as for count(*). In that case nothing is left to project.  The query may want only the best rows.
 */
static Path *
RowPath(const Path *function_scan, FuncExpr *call, List *columns, bool few, int best)
{
	CustomPath *path = makeNode(CustomPath);

	path->path = *function_scan;
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	/* a parallel worker would not know the node, even if someone has declared the function to be safe */
	path->path.parallel_safe = false;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION | CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->custom_private = list_make4(call, columns, makeInteger(few), makeInteger(best));
	if (best > 0)
		path->path.rows = Min(path->path.rows, best);
	path->methods = &RowPathMethods;
	return &path->path;
}

/* Is the query to end after some rows, because of LIMIT or EXISTS or as a cursor, and needs no more to find them? */
static bool
WantsFewRows(const PlannerInfo *root)
{
	const Query *query = root->parse;

	return root->tuple_fraction > 0 && query->sortClause == NIL && query->groupClause == NIL &&
		query->groupingSets == NIL && query->distinctClause == NIL && query->havingQual == NULL &&
		!query->hasAggs && !query->hasWindowFuncs;
}

/*
 * ORDER BY support DESC LIMIT: a query that wants the most frequent itemsets.
 *
 * Then these are looked for, and all that are as frequent as the last of them, so that whatever else the query sorts by finds the rows that
 * it needs.  The rows must reach the sort as they are, all of them: with no condition, join or group in between.
 */

#define COLUMN_SUPPORT		2
#define COLUMN_FREQUENCY	3

/* The argument of a call that has this name. */
static Node *
ArgumentNamed(const FuncExpr *call, const char *name)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
	Node	   *found = NULL;
	Oid		   *types;
	char	  **names;
	char	   *modes;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", call->funcid);
	if (get_func_arg_info(tuple, &types, &names, &modes) >= list_length(call->args) && names != NULL)
	{
		for (int i = 0; i < list_length(call->args) && found == NULL; i++)
			if (strcmp(names[i], name) == 0)
				found = list_nth(call->args, i);
	}
	ReleaseSysCache(tuple);
	return found;
}

/* Is this a call of frequent_itemsets() that says that its kind is one of which the best can be looked for? */
static bool
HasBest(const FuncExpr *call)
{
	FmgrInfo	info;
	Const	   *kind;
	char	   *name;

	fmgr_info(call->funcid, &info);
	if (info.fn_addr != gpufim_frequent_itemsets_array && info.fn_addr != gpufim_frequent_itemsets_pairs)
		return false;
	kind = (Const *) ArgumentNamed(call, "kind");
	if (kind == NULL || !IsA(kind, Const) || kind->constisnull)
		return false;
	name = TextDatumGetCString(kind->constvalue);
	return strcmp(name, "all") == 0 || strcmp(name, "closed") == 0;
}

/* Does the query sort by support or frequency first, the greatest first? */
static bool
SortsBySupport(const Query *query, Index relid)
{
	SortGroupClause *first = linitial_node(SortGroupClause, query->sortClause);
	Var		   *var = (Var *) get_sortgroupclause_expr(first, query->targetList);

	return IsA(var, Var) && var->varno == relid && var->varlevelsup == 0 &&
		(var->varattno == COLUMN_SUPPORT || var->varattno == COLUMN_FREQUENCY) &&
		first->sortop == lookup_type_cache(var->vartype, TYPECACHE_GT_OPR)->gt_opr;
}

/* A number of rows in LIMIT or OFFSET, which is "otherwise" if there is none; -1 if it is not known. */
static int64
RowsOf(Node *clause, int64 otherwise)
{
	Const	   *number = (Const *) clause;

	if (clause == NULL)
		return otherwise;
	if (!IsA(number, Const) || number->constisnull)
		return -1;
	return DatumGetInt64(number->constvalue);
}

/* The number of the best rows that the query wants of the call; 0: all. */
static int
BestRows(const PlannerInfo *root, const RelOptInfo *rel, const FuncExpr *call)
{
	const Query *query = root->parse;
	int64		limit;
	int64		offset;

	if (query->commandType != CMD_SELECT || query->sortClause == NIL || query->limitOption != LIMIT_OPTION_COUNT ||
		query->groupClause != NIL || query->groupingSets != NIL || query->distinctClause != NIL || query->havingQual != NULL ||
		query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs || query->setOperations != NULL || query->rowMarks != NIL)
		return 0;
	/* the function is all that is read */
	if (bms_membership(root->all_baserels) != BMS_SINGLETON || rel->baserestrictinfo != NIL || query->jointree->quals != NULL ||
		!bms_is_member(rel->relid, root->all_baserels))
		return 0;
	limit = RowsOf(query->limitCount, -1);
	offset = RowsOf(query->limitOffset, 0);
	if (limit < 1 || offset < 0 || limit > INT_MAX - offset)
		return 0;
	return HasBest(call) && SortsBySupport(query, rel->relid) ? (int) (limit + offset) : 0;
}

static void
ReplacePath(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *rte)
{
	FuncExpr   *call;
	TupleDesc	desc;
	Bitmapset  *columns;
	bool		few;
	bool		counts;
	ListCell   *cell;

	if (PreviousHook != NULL)
		PreviousHook(root, rel, index, rte);
	call = RowCall(rte, &desc);
	if (call == NULL)
		return;
	columns = ColumnsReferredTo(rel);
	if (bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, columns))
		return;
	/* to find the first results takes no time, to count all of them may take for ever */
	few = WantsFewRows(root);
	counts = columns == NULL && !few;
	foreach(cell, rel->pathlist)
	{
		Path	   *path = lfirst(cell);

		if (path->pathtype == T_FunctionScan)
			lfirst(cell) = RowPath(path, call, counts ? NIL : ResultColumns(rel, desc), few, counts ? 0 : BestRows(root, rel, call));
	}
}

void
EnableRowPath(void)
{
	if (Enabled)
		return;
	Enabled = true;
	PreviousHook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = ReplacePath;
	RegisterCustomScanMethods(&RowScanMethods);
}
