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
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parse_coerce.h"
#include "parser/parser.h"
#include "parser/scansup.h"
#include "read/dictionary.h"
#include "read/source.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#define SOURCE_ALIAS			"gpufim_source"
#define HINTED_COLUMNS			50
#define HINTED_SOURCE			200	/* longest query to repeat in a hint, in bytes */

/* Where the columns come from, as SQL text and in words. */
typedef struct SourceText
{
	const char *given;			/* the argument, without what does not matter */
	char	   *from;			/* FROM item */
	char	   *words;			/* "relation \"x\"", for messages */
	bool		has_system_columns;
} SourceText;

/*
 * Put blanks in the place of semicolons before "end", and return where the text ends
 * without the blanks before it.
 */
static char *
BlankSemicolons(char *start, char *end)
{
	for (; end > start && (scanner_isspace(end[-1]) || end[-1] == ';'); end--)
	{
		if (end[-1] == ';')
			end[-1] = ' ';
	}
	return end;
}

/*
 * The source argument without the blanks around it.  Queries are often copied with
 * their semicolon: at its end, or at that of the parentheses, it does no harm.  It
 * cannot be part of anything but a comment there.
 */
static char *
TrimmedSource(const char *source)
{
	char	   *start = pstrdup(source);
	char	   *end;

	while (scanner_isspace(*start))
		start++;
	end = start + strlen(start);
	if (*start == '(')
	{
		end = BlankSemicolons(start, end);
		if (end[-1] == ')')
			(void) BlankSemicolons(start, end - 1);
	}
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

	initStringInfo(&hint);
	for (int i = 0; i < columns->natts && i < HINTED_COLUMNS; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : ", ",
						 NameStr(TupleDescAttr(columns, i)->attname));
	if (columns->natts > HINTED_COLUMNS)
		appendStringInfoString(&hint, ", ...");
	return hint.data;
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
			 errmsg("column \"%s\", named by \"%s\", does not exist in %s",
					column->name, column->argument, text->words),
			 columns->natts == 0 ? 0 :
			 errhint("The columns are %s.", ColumnsHint(columns))));
}

/* Raises an error if a dictionary cannot hold the values of a column. */
static void
CheckHasDictionary(const SourceColumn *column)
{
	if (DictionaryType(column->type) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot mine values of type %s in column \"%s\", named by \"%s\"",
						format_type_be(column->type), column->name, column->argument),
				 errdetail("The type has neither a default hash nor a default btree operator class."),
				 errhint("Cast the values to a type that has one, text for instance, in a query.")));
	if (type_is_collatable(column->type) && !OidIsValid(column->collation))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_COLLATION),
				 errmsg("could not determine which collation to use for column \"%s\", named by \"%s\"",
						column->name, column->argument),
				 errhint("Use the COLLATE clause in the query to set the collation explicitly.")));
}

/* Raises an error if results cannot be given in arrays of the witness's type. */
static void
CheckWitness(const SourceColumn *column, Oid declared)
{
	Oid			array_type = get_array_type(column->type);

	if (!OidIsValid(column->witness) || column->witness == declared ||
		column->witness == column->type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"item_type\" does not fit column \"%s\", named by \"%s\"",
					column->name, column->argument),
			 errdetail("The items are of type %s, not %s.",
					   format_type_be(declared), format_type_be(column->witness)),
			 OidIsValid(array_type) ?
			 errhint("Write NULL::%s, or leave \"item_type\" out to get text.",
					 format_type_be(array_type)) :
			 errhint("Leave \"item_type\" out to get text.")));
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
	char	   *from;
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
	from = *source != '(' ? pstrdup(source) :
		psprintf("%s AS source", strlen(source) > HINTED_SOURCE ? "(...)" : source);
	return quote_literal_cstr(psprintf("(SELECT %s AS %s FROM %s WHERE %s IS NOT NULL)",
									   array, name, from, name));
}

static void
RaiseNotArray(const SourceText *text, const SourceColumn *column, Oid column_type)
{
	Oid			type = getBaseType(column_type);
	char	   *query = ArrayQuery(text->given, column->name, type);
	bool		is_json = type == JSONOID || type == JSONBOID;

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\", named by \"%s\", is of type %s, not an array",
					column->name, column->argument, format_type_be(column_type)),
			 is_json ? errhint("Make arrays of the values: the source is then %s.", query) :
			 query != NULL ?
			 errhint("If each value is a list of items, make arrays of them: the source is then %s. "
					 "If it is a single item of a transaction, name the column of the transaction's id, too.",
					 query) :
			 errhint("If each row is one item of a transaction, name the column of the transaction's id, too.")));
}

/* The declared type of the elements of an array. */
static Oid
ElementType(const SourceText *text, const SourceColumn *column, Oid column_type)
{
	Oid			element = get_element_type(getBaseType(column_type));

	if (!OidIsValid(element))
		RaiseNotArray(text, column, column_type);
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
				 errmsg("column \"%s\", named by \"%s\", is of type %s, not a number",
						column->name, column->argument, format_type_be(column->type)),
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

/* Does the type of a column of the source fit its role?  Set it. */
static void
CheckType(const GpufimSource *source, const SourceText *text, SourceColumn *column,
		  Form_pg_attribute attribute)
{
	Oid			declared = attribute->atttypid;

	column->is_array = IsArray(source, column, declared);
	if (column->is_array)
		declared = ElementType(text, column, declared);
	column->type = getBaseType(declared);
	column->collation = attribute->attcollation;
	if (IsNumber(column))
		CheckNumber(column);
	else
		CheckHasDictionary(column);
	CheckWitness(column, declared);
}

bool
SourceReadsFloat4(const SourceColumn *column)
{
	return column->role == ROLE_PROBABILITY && column->is_array && column->type == FLOAT4OID;
}

/* The columns as a SELECT has them. */
static char *
SelectList(const GpufimSource *source, bool converted)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < source->ncolumns; i++)
	{
		const SourceColumn *column = &source->columns[i];

		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", quote_identifier(column->name));
		if (converted && IsNumber(column) && !SourceReadsFloat4(column))
			appendStringInfo(&list, "::pg_catalog.float8%s", column->is_array ? "[]" : "");
	}
	return list.data;
}

/*
 * The types are those that the columns have, before numbers are converted.
 */
static void
PrepareColumns(GpufimSource *source, const SourceText *text)
{
	TupleDesc	columns;

	source->plan = PrepareSelect(SelectList(source, false), text, CURSOR_OPT_PARALLEL_OK,
								 &columns);
	for (int i = source->ncolumns - 1; i >= 0; i--)
		CheckType(source, text, &source->columns[i], TupleDescAttr(columns, i));
	if (HasRole(source, ROLE_VALUE) || HasRole(source, ROLE_PROBABILITY))
		source->plan = PrepareSelect(SelectList(source, true), text, CURSOR_OPT_PARALLEL_OK,
									 &columns);
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
	/* for callers and rows that live on after SPI_finish() */
	GpufimSource *source = SPI_palloc(sizeof(GpufimSource));
	char	   *trimmed = TrimmedSource(source_text);
	SourceText	text = *trimmed == '(' ? QueryText(trimmed) : RelationText(trimmed);
	TupleDesc	all;

	text.given = trimmed;
	memset(source, 0, sizeof(GpufimSource));
	source->ncolumns = ncolumns;
	memcpy(source->columns, columns, ncolumns * sizeof(SourceColumn));

	CheckLocksNothing(PrepareSelect("*", &text, 0, &all));
	for (int i = 0; i < ncolumns; i++)
		CheckExists(&text, all, &source->columns[i]);
	PrepareColumns(source, &text);
	return source;
}
