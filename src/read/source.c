/*-------------------------------------------------------------------------
 *
 * source.c
 *	  Prepares to read a source, and checks its columns.
 *
 * The relation or query becomes the FROM item of a SELECT that is prepared through
 * SPI as the caller's own query would be, so that the caller's privileges, row
 * security and search_path apply.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/heap.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "read/read.h"
#include "read/rows.h"
#include "transaction_set/transaction_set.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define HINTED_COLUMNS			50
#define HINTED_SOURCE			200	/* longest query to repeat in a hint, in bytes */

/* Prepares SELECT list FROM from, and sets *columns to its columns. */
static SPIPlanPtr
PrepareSelect(const char *list, const char *from, int options, TupleDesc *columns)
{
	char	   *sql = psprintf("SELECT %s FROM %s", list, from);
	SPIPlanPtr	plan = SPI_prepare_cursor(sql, 0, NULL, options);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	*columns = ((CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan)))->resultDesc;
	return plan;
}

static bool
LocksRows(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		if (((Query *) node)->rowMarks != NIL)
			return true;
		return query_tree_walker((Query *) node, LocksRows, context, 0);
	}
	return expression_tree_walker(node, LocksRows, context);
}

/* Raises an error if a source locks rows: it is executed as read-only, in any transaction. */
static void
CheckLocksNothing(const SourceText *text, SPIPlanPtr plan)
{
	CachedPlanSource *prepared = linitial(SPI_plan_get_plan_sources(plan));
	ListCell   *lc;

	foreach(lc, prepared->query_list)
	{
		if (LocksRows(lfirst(lc), NULL))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("the query in argument \"%s\" cannot lock rows", text->argument),
					 errhint("Leave out its FOR UPDATE or FOR SHARE clause.")));
	}
}

/* The names of columns as a hint lists them, HINTED_COLUMNS of them at most. */
static char *
ColumnsHint(TupleDesc columns)
{
	StringInfoData hint;

	initStringInfo(&hint);
	for (int i = 0; i < columns->natts && i < HINTED_COLUMNS; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : ", ",
						 NameStr(TupleDescAttr(columns, i)->attname));
	if (columns->natts > HINTED_COLUMNS)
		appendStringInfoString(&hint, ", ...");
	return hint.data;
}

/* What messages call a column, with a comma behind it if need be. */
static const char *
ColumnWords(const SourceColumn *column)
{
	if (column->argument == NULL)
		return psprintf("column \"%s\"", column->name);
	return psprintf("column \"%s\", named by \"%s\",", column->name, column->argument);
}

static void
CheckExists(const SourceText *text, TupleDesc columns, const SourceColumn *column)
{
	for (int i = 0; i < columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), column->name) == 0)
			return;
	}
	if (text->has_system_columns && SystemAttributeByName(column->name) != NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("%s does not exist in %s", ColumnWords(column), text->words),
			 columns->natts == 0 ? 0 :
			 errhint("The columns are %s.", ColumnsHint(columns))));
}

/* Raises an error if results cannot be given in the type sample's type, or in arrays of it. */
static void
CheckTypeSample(const SourceColumn *column, Oid declared)
{
	Oid			wanted = column->sample_is_value ? column->type : get_array_type(column->type);
	const char *argument = column->sample_argument;

	if (!OidIsValid(column->type_sample) || column->type_sample == declared ||
		column->type_sample == column->type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"%s\" does not fit column \"%s\", named by \"%s\"",
					argument, column->name, column->argument),
			 errdetail("The %s are of type %s, not %s.", column->values,
					   format_type_be(declared), format_type_be(column->type_sample)),
			 OidIsValid(wanted) ?
			 errhint("Write NULL::%s, or leave \"%s\" out to get text.",
					 format_type_be(wanted), argument) :
			 errhint("Leave \"%s\" out to get text.", argument)));
}

/* The source as an item of FROM, for queries in messages. */
static char *
HintedFrom(const char *source)
{
	if (!SourceIsQuery(source))
		return pstrdup(source);
	if (strlen(source) > HINTED_SOURCE)
		return pstrdup("(...) AS source");
	/* a line break ends a comment that the query may end with */
	return psprintf("%s%sAS source", source, strstr(source, "--") != NULL ? "\n" : " ");
}

/*
 * The query that makes arrays of a column that holds lists in another form, as a
 * literal that can be given as the source; NULL if the type holds no lists.
 */
static char *
ArrayQuery(const char *source, const char *column, Oid type)
{
	const char *name = quote_identifier(column);
	char	   *array;
	char		category;
	bool		is_preferred;

	get_type_category_preferred(type, &category, &is_preferred);
	if (type == JSONOID || type == JSONBOID)
		array = psprintf("ARRAY(SELECT %s_array_elements_text(%s))",
						 type == JSONOID ? "json" : "jsonb", name);
	else if (category == TYPCATEGORY_STRING)
		array = psprintf("string_to_array(%s, ',')", name);
	else
		return NULL;
	return quote_literal_cstr(psprintf("(SELECT %s AS %s FROM %s WHERE %s IS NOT NULL)",
									   array, name, HintedFrom(source), name));
}

char *
SourceElementsQuery(const GpufimSource *source, const SourceColumn *column, const char *before,
					const char *after)
{
	StringInfoData query;

	initStringInfo(&query);
	for (int i = 0; i < source->ncolumns; i++)
	{
		const char *name = quote_identifier(source->columns[i].name);

		appendStringInfoString(&query, i == 0 ? "(SELECT " : ", ");
		if (&source->columns[i] == column)
			appendStringInfo(&query, "%s%s%s AS %s", before, name, after, name);
		else
			appendStringInfoString(&query, name);
	}
	appendStringInfo(&query, " FROM %s)", HintedFrom(source->given));
	return quote_literal_cstr(query.data);
}

/* Raises an error if a dictionary cannot hold the values of a column. */
static void
CheckHasDictionary(const GpufimSource *source, const SourceColumn *column)
{
	if (DictionaryType(column->type) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 column->argument == NULL ?
				 errmsg("cannot compare values of type %s in column \"%s\"", format_type_be(column->type), column->name) :
				 errmsg("cannot mine values of type %s in column \"%s\", named by \"%s\"",
						format_type_be(column->type), column->name, column->argument),
				 errdetail("The type has neither a default hash nor a default btree operator class."),
				 column->type == JSONOID && !column->is_array ?
				 errhint("If the values are lists, the source is %s. Otherwise cast them to jsonb in a query.",
						 SourceElementsQuery(source, column, "json_array_elements_text(", ")")) :
				 errhint("Cast the values to a type that has one, text for instance, in a query.")));
	if (type_is_collatable(column->type) && !OidIsValid(column->collation))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_COLLATION),
				 column->argument == NULL ?
				 errmsg("could not determine which collation to use for column \"%s\"", column->name) :
				 errmsg("could not determine which collation to use for column \"%s\", named by \"%s\"",
						column->name, column->argument),
				 errhint("Use the COLLATE clause in the query to set the collation explicitly.")));
}

static void
RaiseNotArray(const GpufimSource *source, const SourceColumn *column, Oid column_type)
{
	Oid			type = getBaseType(column_type);
	char	   *query = ArrayQuery(source->given, column->name, type);
	bool		is_json = type == JSONOID || type == JSONBOID;

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s is of type %s, not an array", ColumnWords(column), format_type_be(column_type)),
			 column->argument == NULL ? 0 :
			 is_json ? errhint("Make arrays of the values: the source is then %s.", query) :
			 query != NULL ?
			 errhint("If each value is a list of items, make arrays of them: the source is then %s. "
					 "If it is a single item of a transaction, name the column of the transaction's id, too.",
					 query) :
			 errhint("If each row is one item of a transaction, name the column of the transaction's id, too.")));
}

/* The declared type of the elements of an array. */
static Oid
ElementType(const GpufimSource *source, const SourceColumn *column, Oid column_type)
{
	Oid			element = get_element_type(getBaseType(column_type));

	if (!OidIsValid(element))
		RaiseNotArray(source, column, column_type);
	return element;
}

static bool
HasRole(const GpufimSource *source, ColumnRole role)
{
	return SourceColumnOf(source, role) != NULL;
}

const SourceColumn *
SourceColumnOf(const GpufimSource *source, ColumnRole role)
{
	for (int i = 0; i < source->ncolumns; i++)
	{
		if (source->columns[i].role == role)
			return &source->columns[i];
	}
	return NULL;
}

SourceColumn *
SourceColumnSet(SourceColumn *column, ColumnRole role, const char *name, const char *argument)
{
	memset(column, 0, sizeof(SourceColumn));
	column->role = role;
	column->name = name;
	column->argument = argument;
	return column + 1;
}

const SourceColumn *
SourceItemColumn(const GpufimSource *source)
{
	const SourceColumn *column = SourceColumnOf(source, ROLE_ITEM);

	return column ? column : SourceColumnOf(source, ROLE_ITEMS);
}

static void
CheckNumber(const SourceColumn *column)
{
	Oid			number = FLOAT8OID;
	char		category;
	bool		preferred;

	get_type_category_preferred(column->type, &category, &preferred);
	if (category != TYPCATEGORY_NUMERIC ||
		!can_coerce_type(1, &column->type, &number, COERCION_EXPLICIT))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s is of type %s, not a number", ColumnWords(column), format_type_be(column->type)),
				 errhint("Cast it to a type of numbers in a query.")));
}

/* Is a column an array, in a role in which it may be one? */
static bool
IsArray(const GpufimSource *source, const SourceColumn *column, Oid declared)
{
	return column->role == ROLE_ITEMS ||
		(column->role == ROLE_PROBABILITY && HasRole(source, ROLE_ITEMS) &&
		 OidIsValid(get_element_type(getBaseType(declared))));
}

static bool
IsNumber(const SourceColumn *column)
{
	return column->role == ROLE_VALUE || column->role == ROLE_PROBABILITY;
}

/* Sets what messages call the values of a column, if the family does not say so. */
static void
NameValues(SourceColumn *column)
{
	if (column->value != NULL)
		return;
	column->value = "item";
	column->values = "items";
	column->sample_argument = "item_type";
}

/* Makes a column one of transaction sets.  Until the first one comes, any type will do for its items, but a sample says which. */
static void
CheckSets(SourceColumn *column, Oid declared)
{
	if (!column->may_be_sets)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s is of type %s, which cannot be read here", ColumnWords(column), format_type_be(declared)),
				 errdetail("Transactions of a transaction set have neither ids nor times nor probabilities."),
				 errhint("Transaction sets can be read by functions and forms in which a source has one column, \"items_column\". Their transactions are rows of transaction_set_rows().")));
	column->is_array = column->is_sets = true;
	column->has_items = false;
	column->type = OidIsValid(column->type_sample) ? getBaseType(column->type_sample) : TEXTOID;
	column->typmod = -1;
	column->collation = type_is_collatable(column->type) ? DEFAULT_COLLATION_OID : InvalidOid;
}

/* A type and a collation in words.  A collation that somebody has dropped meanwhile has no name, nor has such a type. */
static char *
TypeAndCollation(Oid type, Oid collation)
{
	char	   *name;

	if (!OidIsValid(collation))
		return format_type_be(type);
	name = get_collation_name(collation);
	return psprintf("%s COLLATE %s", format_type_be(type), name != NULL ? quote_identifier(name) : "???");
}

void
SourceSetItems(SourceColumn *column, Oid type, Oid collation)
{
	if (column->has_items && (column->type != type || column->collation != collation))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\", named by \"%s\", has transaction sets of different types or collations", column->name, column->argument),
				 errdetail("Items are of type %s and of type %s.",
						   TypeAndCollation(column->type, column->collation), TypeAndCollation(type, collation))));
	column->has_items = true;
	column->type = type;
	column->collation = collation;
	/* sets know of no domains, so a sample may be one over the items' type */
	if (OidIsValid(column->type_sample) && getBaseType(column->type_sample) != type)
		CheckTypeSample(column, type);
}

/* Sets the type of a column of the source.  Raises an error if it does not fit the column's role. */
static void
CheckType(const GpufimSource *source, SourceColumn *column, Form_pg_attribute attribute)
{
	Oid			declared = attribute->atttypid;

	if (IsSetType(declared))
	{
		CheckSets(column, declared);
		return;
	}
	column->is_array = IsArray(source, column, declared);
	if (column->is_array)
		declared = ElementType(source, column, declared);
	column->typmod = attribute->atttypmod;
	column->type = getBaseTypeAndTypmod(declared, &column->typmod);
	column->collation = attribute->attcollation;
	if (IsNumber(column))
		CheckNumber(column);
	else if (column->role != ROLE_TIME)
		CheckHasDictionary(source, column);
	CheckTypeSample(column, declared);
}

NumberFormat
SourceNumberFormat(const SourceColumn *column)
{
	if (column->role == ROLE_PROBABILITY && column->type == NUMERICOID)
		return NUMBER_NUMERIC;
	if (column->role == ROLE_PROBABILITY && column->is_array && column->type == FLOAT4OID)
		return NUMBER_FLOAT4;
	return NUMBER_FLOAT8;
}

/* A type's name in a cast that does not cut values: "character" alone is one character. */
static char *
TypeOfAnyLength(Oid type)
{
	return format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* Does the query cast a column's numbers to float8? */
static bool
CastsNumber(const SourceColumn *column)
{
	return IsNumber(column) && SourceNumberFormat(column) == NUMBER_FLOAT8;
}

/* The columns as a SELECT list; those of another type than the source's are cast only if "converted" is true. */
static char *
SelectList(const GpufimSource *source, bool converted)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < source->ncolumns; i++)
	{
		const SourceColumn *column = &source->columns[i];

		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", quote_identifier(column->name));
		if (OidIsValid(column->converted))
			appendStringInfo(&list, "::%s%s", TypeOfAnyLength(column->converted), column->is_array ? "[]" : "");
		if (converted && CastsNumber(column))
			appendStringInfo(&list, "::pg_catalog.float8%s", column->is_array ? "[]" : "");
	}
	return list.data;
}

/*
 * The aggregate to which the rows can be given, as SQL names it; NULL if the user may not call it or
 * there is none.
 */
static char *
ReadAggregate(void)
{
	static const Oid arguments[] = {INT8OID, ANYOID};
	Oid			schema = CurrentRun->schema;
	HeapTuple	tuple;
	Oid			function;
	Oid			transition;
	FmgrInfo	info;

	tuple = SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum("gpufim_read"),
							PointerGetDatum(buildoidvector(arguments, lengthof(arguments))),
							ObjectIdGetDatum(schema));
	if (!HeapTupleIsValid(tuple))
		return NULL;
	function = ((Form_pg_proc) GETSTRUCT(tuple))->oid;
	ReleaseSysCache(tuple);
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return NULL;
	transition = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
	ReleaseSysCache(tuple);
	/* somebody else may have made an aggregate of this name */
	fmgr_info(transition, &info);
	if (info.fn_addr != load_external_function("gpufim", "gpufim_read_row", true, NULL) ||
		!MayUseSchema(schema) || CheckCallAllowed(function) != ACLCHECK_OK)
		return NULL;
	return quote_qualified_identifier(get_namespace_name(schema), "gpufim_read");
}

static bool
IsSafe(Oid function)
{
	return !OidIsValid(function) || func_parallel(function) == PROPARALLEL_SAFE;
}

/* Can the values of these columns be compared in parallel workers? */
static bool
ComparesInParallel(const GpufimSource *source)
{
	for (int i = 0; i < source->ncolumns; i++)
	{
		Oid			type = source->columns[i].type;

		/* those of an array are its elements' */
		for (; OidIsValid(type); type = get_element_type(type))
		{
			const TypeCacheEntry *entry = DictionaryType(type);

			if (entry != NULL &&
				!(IsSafe(entry->hash_proc) && IsSafe(entry->eq_opr_finfo.fn_oid) && IsSafe(entry->cmp_proc)))
				return false;
		}
	}
	return true;
}

/*
 * Prepares the plan that gives the columns, converted or as the source has them, and returns them as it
 * gives them.
 */
static TupleDesc
PrepareToRead(GpufimSource *source, bool converted)
{
	TupleDesc	columns;

	source->plan = PrepareSelect(SelectList(source, converted), source->from,
								 source->in_order ? 0 : CURSOR_OPT_PARALLEL_OK, &columns);
	for (int i = 0; i < source->ncolumns; i++)
		source->columns[i].result = TupleDescAttr(columns, i)->atttypid;
	return columns;
}

/* The only statement of a plan. */
static PlannedStmt *
PlannedOf(SPIPlanPtr plan)
{
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	PlannedStmt *planned;

	if (cached == NULL)
		elog(ERROR, "a source has no cached plan");
	planned = linitial_node(PlannedStmt, cached->stmt_list);
	ReleaseCachedPlan(cached, NULL); /* the plan is not a saved one, and keeps the statement */
	return planned;
}

SPIPlanPtr
SourceParallelPlan(const GpufimSource *source, int64 handle)
{
	char	   *aggregate;
	SPIPlanPtr	plan;
	PlannedStmt *planned;
	TupleDesc	columns;

	/*
	 * A plan that costs less than to set up workers stays as it is, and need not be made twice.  Transaction sets are decoded
	 * by one process: what it takes is little, and others could not know of what type the items are.
	 */
	if (source->in_order || source->columns[0].is_sets || max_parallel_workers_per_gather == 0 ||
		PlannedOf(source->plan)->planTree->total_cost < parallel_setup_cost ||
		!ComparesInParallel(source))
		return NULL;
	aggregate = ReadAggregate();
	if (aggregate == NULL)
		return NULL;
	plan = PrepareSelect(psprintf("%s(" INT64_FORMAT ", %s)", aggregate, handle, SelectList(source, true)),
						 source->from, CURSOR_OPT_PARALLEL_OK, &columns);
	planned = PlannedOf(plan);
	/* for tests, PostgreSQL can be told to have a worker do everything, even what is at the top */
	return planned->parallelModeNeeded && !IsA(planned->planTree, Gather) ? plan : NULL;
}

void
SourceConvert(GpufimSource *source, int i, Oid type)
{
	SourceColumn *column = &source->columns[i];

	if (column->type == type)
		return;
	column->converted = column->type = type;
	column->typmod = -1;
	/* the collation that a cast from a type without collations gives */
	if (type_is_collatable(type) && !OidIsValid(column->collation))
		column->collation = DEFAULT_COLLATION_OID;
	CheckHasDictionary(source, column);
	(void) PrepareToRead(source, true);
}

void
SourceReadInOrder(GpufimSource *source)
{
	source->in_order = true;
	(void) PrepareToRead(source, true);
}

void
SourceConnect(void)
{
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
}

void
SourceDisconnect(void)
{
	/* switches to the context that was current at SourceConnect() */
	SPI_finish();
}

GpufimSource *
SourceOpen(const char *source_text, const SourceColumn *columns, int ncolumns)
{
	return SourceOpenAs(source_text, "source", columns, ncolumns);
}

GpufimSource *
SourceOpenAs(const char *source_text, const char *argument, const SourceColumn *columns,
			 int ncolumns)
{
	/* for callers and rows that live on after SPI_finish() */
	GpufimSource *source = SPI_palloc(sizeof(GpufimSource));
	SourceText	text = SourceTextOf(source_text, argument);
	TupleDesc	all;

	memset(source, 0, sizeof(GpufimSource));
	source->given = text.given;
	source->from = text.from;
	source->ncolumns = ncolumns;
	memcpy(source->columns, columns, ncolumns * sizeof(SourceColumn));
	for (int i = 0; i < ncolumns; i++)
		NameValues(&source->columns[i]);

	CheckLocksNothing(&text, PrepareSelect("*", text.from, 0, &all));
	for (int i = 0; i < ncolumns; i++)
		CheckExists(&text, all, &source->columns[i]);
	/* the types to check are those before numbers are converted */
	all = PrepareToRead(source, false);
	for (int i = ncolumns - 1; i >= 0; i--)
		CheckType(source, &source->columns[i], TupleDescAttr(all, i));
	if (HasRole(source, ROLE_VALUE) || HasRole(source, ROLE_PROBABILITY))
		(void) PrepareToRead(source, true);
	return source;
}

List *
SourceHold(const GpufimSource *source, List *held)
{
	ListCell   *lc;

	/* the parser and the planner have locked them; from 16 on, views are subqueries */
	foreach(lc, PlannedOf(source->plan)->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (OidIsValid(rte->relid) && (rte->rtekind == RTE_RELATION || rte->rtekind == RTE_SUBQUERY))
			held = lappend(held, relation_open(rte->relid, NoLock));
	}
	return held;
}

void
SourceRelease(List *held)
{
	ListCell   *lc;

	foreach(lc, held)
		relation_close(lfirst(lc), NoLock);
}
