/*-------------------------------------------------------------------------
 *
 * source_text.c
 *	  From a source argument to the FROM item of a query.
 *
 * A source is what COPY takes: the name of a relation, or a query in parentheses.
 *
 * The text of a query becomes part of another query's text.  So that it cannot
 * end its parentheses early and go on with something else, it is first parsed
 * alone, and must be exactly one query in one pair of parentheses.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "parser/scanner.h"
#include "parser/scansup.h"
#include "read/read.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#define SOURCE_ALIAS			"gpufim_source"

/* Where the comment ends that begins here with a slash and a star; such comments nest. */
static const char *
CommentEnd(const char *at)
{
	int			depth = 0;

	do
	{
		bool		begins = at[0] == '/' && at[1] == '*';
		bool		ends = at[0] == '*' && at[1] == '/';

		depth += begins - ends;
		at += begins || ends ? 2 : 1;
	} while (depth > 0 && *at != '\0');
	return at;
}

bool
SourceIsQuery(const char *source)
{
	for (;;)
	{
		if (scanner_isspace(*source))
			source++;
		else if (source[0] == '-' && source[1] == '-')
			source += strcspn(source, "\n\r");
		else if (source[0] == '/' && source[1] == '*')
			source = CommentEnd(source);
		else
			return *source == '(';
	}
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

/* Sets SourceSyntaxCallback() for errors in the text of a source.  The caller takes it off again. */
static void
PushSyntaxCallback(ErrorContextCallback *callback, const char *query)
{
	callback->callback = SourceSyntaxCallback;
	callback->arg = unconstify(char *, query);
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

static void
BlankOut(char *query, const List *positions)
{
	ListCell   *lc;

	foreach(lc, positions)
		query[lfirst_int(lc)] = ' ';
}

/*
 * Queries are often copied with their semicolon.  It does no harm at the end of the query
 * or just before the parenthesis that ends it, with or without comments behind it.  Blanks
 * take the place of such semicolons.
 */
static void
BlankSemicolons(char *query)
{
	ErrorContextCallback callback;
	core_yy_extra_type extra;
	core_YYSTYPE value;
	YYLTYPE		position;
	core_yyscan_t scanner;
	List	   *inside = NIL;	/* semicolons before the parenthesis that was read last */
	List	   *semicolons = NIL; /* those read since any other token */
	int			token;

	PushSyntaxCallback(&callback, query);
	scanner = scanner_init(query, &extra, &ScanKeywords, ScanKeywordTokens);
	while ((token = core_yylex(&value, &position, scanner)) != 0)
	{
		if (token == ';')
			semicolons = lappend_int(semicolons, position);
		else
		{
			inside = token == ')' ? semicolons : NIL;
			semicolons = NIL;
		}
	}
	scanner_finish(scanner);
	error_context_stack = callback.previous;
	BlankOut(query, inside);
	BlankOut(query, semicolons);
}

/* The source argument without the blanks around it, and without the semicolon of a query. */
static char *
TrimmedSource(const char *source)
{
	char	   *start = pstrdup(source);
	char	   *end;

	while (scanner_isspace(*start))
		start++;
	if (SourceIsQuery(start))
		BlankSemicolons(start);
	end = start + strlen(start);
	while (end > start && scanner_isspace(end[-1]))
		end--;
	*end = '\0';
	return start;
}

static List *
ParseSource(const char *query)
{
	ErrorContextCallback callback;
	List	   *statements;

	PushSyntaxCallback(&callback, query);
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
QueryText(const char *query, const char *argument)
{
	SourceText	text;

	if (!IsParenthesizedQuery(query))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("argument \"%s\" must be one query in parentheses and nothing else", argument),
				 errhint("Write it as '(SELECT ...)'.")));

	text.argument = argument;
	text.given = query;
	/* the line break ends a comment that the query may end with */
	text.from = psprintf("%s\n AS " SOURCE_ALIAS, query);
	text.words = psprintf("the query in argument \"%s\"", argument);
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
RelationText(const char *source, const char *argument)
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
				 errmsg("argument \"%s\" is neither a table name nor a query in parentheses: \"%s\"",
						argument, source),
				 errhint("Write a query as '(SELECT ...)', and a name with capitals or other special characters in double quotes.")));
	foreach(lc, identifiers)
		names = lappend(names, makeString((char *) lfirst(lc)));

	/* a parenthesis means a call of a function, unless there is a relation of that name */
	relation = relation_openrv_extended(makeRangeVarFromNameList(names), AccessShareLock,
										strchr(source, '(') != NULL);
	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s\" does not exist", NameListToString(names)),
				 errhint("Write a query as %s.",
						 quote_literal_cstr(psprintf("(SELECT * FROM %s)", source)))));
	name = RelationGetRelationName(relation);
	if (!IsReadable(relation->rd_rel->relkind))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot read rows from \"%s\"", name),
				 errdetail("Argument \"%s\" must be a table, a view, a materialized view, a foreign table or a query in parentheses.",
						   argument)));

	text.argument = argument;
	text.given = source;
	text.from = psprintf("%s AS " SOURCE_ALIAS,
						 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
													name));
	text.words = psprintf("relation \"%s\"", name);
	text.has_system_columns = relation->rd_rel->relkind != RELKIND_VIEW;
	relation_close(relation, NoLock);
	return text;
}

Oid
SourceTable(const char *source, double *rows)
{
	Oid			relation = InvalidOid;
	Oid			schema;
	List	   *names;
	HeapTuple	tuple;

	if (SourceIsQuery(source) || !SplitIdentifierString(pstrdup(source), '.', &names))
		return InvalidOid;
	if (list_length(names) == 1)
		relation = RelnameGetRelid(linitial(names));
	else if (list_length(names) == 2)
	{
		schema = get_namespace_oid(linitial(names), true);
		if (OidIsValid(schema) && MayUseSchema(schema))
			relation = get_relname_relid(lsecond(names), schema);
	}
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	*rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
	ReleaseSysCache(tuple);
	return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		check_enable_rls(relation, InvalidOid, true) != RLS_ENABLED ? relation : InvalidOid;
}

SourceText
SourceTextOf(const char *source, const char *argument)
{
	char	   *trimmed = TrimmedSource(source);

	return SourceIsQuery(trimmed) ? QueryText(trimmed, argument) : RelationText(trimmed, argument);
}
