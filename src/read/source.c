/*-------------------------------------------------------------------------
 *
 * source.c
 *	  Finds out what a source argument names and prepares to read it.
 *
 * A source is what COPY takes: the name of a relation, or a query in
 * parentheses.  Either becomes the FROM item of a SELECT that is prepared
 * through SPI as the caller's own query would be, so that the caller's
 * privileges, row security and search_path apply.
 *
 * The text of a query becomes part of another query's text.  So that it cannot
 * end its parentheses early and go on with something else, it is first parsed
 * alone, and must be exactly one query in one pair of parentheses.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/heap.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "read/ingest.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#define SOURCE_ALIAS			"gpufim_source"
#define HINTED_COLUMNS			50

/* Where the columns come from, as SQL text and in words. */
typedef struct SourceText
{
	char	   *from;			/* FROM item */
	char	   *words;			/* "relation \"x\"", for messages */
	bool		has_system_columns;
} SourceText;

/* The source argument without the blanks around it. */
static char *
TrimmedSource(const char *source)
{
	char	   *start = pstrdup(source);
	char	   *end;

	while (scanner_isspace(*start))
		start++;
	end = start + strlen(start);
	while (end > start && scanner_isspace(end[-1]))
		end--;
	*end = '\0';
	return start;
}

/* Makes a syntax error's cursor point into the source argument. */
static void
SourceSyntaxCallback(void *arg)
{
	int			position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery((const char *) arg);
}

static List *
ParseSource(const char *query)
{
	ErrorContextCallback callback;
	List	   *statements;

	callback.callback = SourceSyntaxCallback;
	callback.arg = unconstify(char *, query);
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	statements = raw_parser(query, RAW_PARSE_DEFAULT);
	error_context_stack = callback.previous;
	return statements;
}

/* The statement, if there is just one and it is a SELECT, VALUES or TABLE. */
static SelectStmt *
OnlySelect(List *statements)
{
	Node	   *statement;

	if (list_length(statements) != 1)
		return NULL;
	statement = linitial_node(RawStmt, statements)->stmt;
	return IsA(statement, SelectStmt) ? (SelectStmt *) statement : NULL;
}

/*
 * Is this one query in one pair of parentheses?  "(a) UNION (b)" is a query, too,
 * but as the whole target list of another it is not a subquery.
 */
static bool
IsParenthesizedQuery(const char *query)
{
	SelectStmt *select;
	SelectStmt *plain;
	ResTarget  *target;

	if (OnlySelect(ParseSource(query)) == NULL)
		return false;
	select = OnlySelect(ParseSource(psprintf("SELECT %s", query)));
	if (select == NULL || list_length(select->targetList) != 1)
		return false;

	plain = makeNode(SelectStmt);
	plain->targetList = select->targetList;
	target = linitial_node(ResTarget, select->targetList);
	return equal(plain, select) && IsA(target->val, SubLink) &&
		target->name == NULL && target->indirection == NIL;
}

static SourceText
QueryText(const char *query)
{
	SourceText	text;

	if (!IsParenthesizedQuery(query))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("argument \"source\" must be one query in parentheses and nothing else"),
				 errhint("Write it as '(SELECT ...)'.")));

	/* the line break ends a comment that the query may end with */
	text.from = psprintf("%s\n AS " SOURCE_ALIAS, query);
	text.words = pstrdup("the query in argument \"source\"");
	text.has_system_columns = false;
	return text;
}

static bool
IsReadable(char relkind)
{
	switch (relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_TOASTVALUE:
			return true;
		default:
			return false;
	}
}

/* The relation stays locked, as any query's, so that its name keeps its meaning. */
static SourceText
RelationText(const char *source)
{
	SourceText	text;
	List	   *identifiers;
	List	   *names = NIL;
	ListCell   *lc;
	Relation	relation;
	const char *name;

	if (!SplitIdentifierString(pstrdup(source), '.', &identifiers) ||
		identifiers == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("argument \"source\" is neither a table name nor a query in parentheses: \"%s\"",
						source),
				 errhint("Write a query as '(SELECT ...)', and a name with capitals or other special characters in double quotes.")));
	foreach(lc, identifiers)
		names = lappend(names, makeString((char *) lfirst(lc)));

	relation = relation_openrv(makeRangeVarFromNameList(names), AccessShareLock);
	name = RelationGetRelationName(relation);
	if (!IsReadable(relation->rd_rel->relkind))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot read transactions from \"%s\"", name),
				 errdetail("Argument \"source\" must be a table, a view, a materialized view, a foreign table or a query in parentheses.")));

	text.from = psprintf("%s AS " SOURCE_ALIAS,
						 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
													name));
	text.words = psprintf("relation \"%s\"", name);
	text.has_system_columns = relation->rd_rel->relkind != RELKIND_VIEW;
	relation_close(relation, NoLock);
	return text;
}

/* Prepares SELECT columns FROM source, and returns its columns in *columns. */
static SPIPlanPtr
PrepareSelect(const char *columns_text, const SourceText *text, int options,
			  TupleDesc *columns)
{
	char	   *sql = psprintf("SELECT %s FROM %s", columns_text, text->from);
	SPIPlanPtr	plan = SPI_prepare_cursor(sql, 0, NULL, options);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	*columns = linitial_node(CachedPlanSource, SPI_plan_get_plan_sources(plan))->resultDesc;
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

/* A source is read as in a read-only transaction, whichever one this is. */
static void
CheckLocksNothing(SPIPlanPtr plan)
{
	CachedPlanSource *prepared = linitial_node(CachedPlanSource,
											   SPI_plan_get_plan_sources(plan));
	ListCell   *lc;

	foreach(lc, prepared->query_list)
	{
		if (LocksRows(lfirst(lc), NULL))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("the query in argument \"source\" cannot lock rows"),
					 errhint("Leave out its FOR UPDATE or FOR SHARE clause.")));
	}
}

/* "The columns are ..." */
static char *
ColumnsHint(TupleDesc columns)
{
	StringInfoData hint;
	int			i;

	initStringInfo(&hint);
	for (i = 0; i < columns->natts && i < HINTED_COLUMNS; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : ", ",
						 NameStr(TupleDescAttr(columns, i)->attname));
	if (columns->natts > HINTED_COLUMNS)
		appendStringInfoString(&hint, ", ...");
	return hint.data;
}

static void
CheckColumn(const SourceText *text, TupleDesc columns, const char *column,
			const char *argument)
{
	int			i;

	for (i = 0; i < columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), column) == 0)
			return;
	}
	if (text->has_system_columns && SystemAttributeByName(column) != NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\", named by \"%s\", does not exist in %s",
					column, argument, text->words),
			 columns->natts == 0 ? 0 :
			 errhint("The columns are %s.", ColumnsHint(columns))));
}

/* Errors if a dictionary cannot hold the values of a column. */
static void
CheckType(Oid type, Oid collation, const char *column, const char *argument)
{
	if (DictionaryType(type) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot mine values of type %s in column \"%s\", named by \"%s\"",
						format_type_be(type), column, argument),
				 errdetail("The type has neither a default hash nor a default btree operator class."),
				 errhint("Cast the values to a type that has one, text for instance, in a query.")));
	if (type_is_collatable(type) && !OidIsValid(collation))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_COLLATION),
				 errmsg("could not determine which collation to use for column \"%s\", named by \"%s\"",
						column, argument),
				 errhint("Use the COLLATE clause in the query to set the collation explicitly.")));
}

/* Errors if results cannot be given in arrays of the witness's type. */
static void
CheckWitness(const GpufimRequest *request, Oid declared, Oid item_type)
{
	Oid			witness = request->witness_type;
	Oid			array_type = get_array_type(item_type);

	if (!OidIsValid(witness) || witness == declared || witness == item_type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"item_type\" does not fit column \"%s\", named by \"%s\"",
					request->item_column, request->item_argument),
			 errdetail("The items are of type %s, not %s.",
					   format_type_be(declared), format_type_be(witness)),
			 OidIsValid(array_type) ?
			 errhint("Write NULL::%s, or leave \"item_type\" out to get text.",
					 format_type_be(array_type)) :
			 errhint("Leave \"item_type\" out to get text.")));
}

/* The declared type of the items in a column: its elements' in array form. */
static Oid
DeclaredItemType(const GpufimRequest *request, Oid column_type)
{
	Oid			element;

	if (request->tid_column)
		return column_type;
	element = get_element_type(getBaseType(column_type));
	if (!OidIsValid(element))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\", named by \"%s\", is of type %s, not an array",
						request->item_column, request->item_argument,
						format_type_be(column_type)),
				 errhint("If each row is one item of a transaction, name the column of the transaction's id, too.")));
	return element;
}

GpufimSource *
SourceOpen(const GpufimRequest *request)
{
	/* for callers and rows that live on after SPI_finish() */
	GpufimSource *source = SPI_palloc(sizeof(GpufimSource));
	char	   *trimmed = TrimmedSource(request->source);
	SourceText	text = *trimmed == '(' ? QueryText(trimmed) : RelationText(trimmed);
	StringInfoData select;
	TupleDesc	columns;
	Form_pg_attribute item;
	Oid			declared;

	memset(source, 0, sizeof(GpufimSource));
	source->request = request;

	CheckLocksNothing(PrepareSelect("*", &text, 0, &columns));
	if (request->tid_column)
		CheckColumn(&text, columns, request->tid_column, "tid_column");
	CheckColumn(&text, columns, request->item_column, request->item_argument);

	initStringInfo(&select);
	if (request->tid_column)
		appendStringInfo(&select, "%s, ", quote_identifier(request->tid_column));
	appendStringInfoString(&select, quote_identifier(request->item_column));
	source->plan = PrepareSelect(select.data, &text, CURSOR_OPT_PARALLEL_OK, &columns);

	item = TupleDescAttr(columns, columns->natts - 1);
	declared = DeclaredItemType(request, item->atttypid);
	source->item_type = getBaseType(declared);
	source->item_collation = item->attcollation;
	CheckType(source->item_type, source->item_collation, request->item_column,
			  request->item_argument);
	CheckWitness(request, declared, source->item_type);
	if (request->tid_column)
	{
		Form_pg_attribute tid = TupleDescAttr(columns, 0);

		source->tid_type = getBaseType(tid->atttypid);
		source->tid_collation = tid->attcollation;
		CheckType(source->tid_type, source->tid_collation, request->tid_column,
				  "tid_column");
	}
	return source;
}
