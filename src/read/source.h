/*-------------------------------------------------------------------------
 *
 * source.h
 *	  What a source argument names, ready to be read.
 *
 * A source is the name of a relation or a query in parentheses.  Whoever opens one
 * says for each of its columns in which role it is wanted, so that types can be
 * checked and messages can say what a column is for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SOURCE_H
#define GPUFIM_SOURCE_H

#include "executor/spi.h"
#include "postgres.h"

/*
 * The relation that a source names, and its number of rows as far as PostgreSQL knows.  Raises no error: InvalidOid for a
 * query, if there is no such relation, or if the user may not read all of its rows, and so must not learn from its
 * statistics what occurs in them.
 */
extern Oid	SourceTable(const char *source, double *rows);

typedef enum ColumnRole
{
	ROLE_KEY,					/* what rows of two sources may have in common */
	ROLE_TRANSACTION,			/* the id of the transaction that a row belongs to */
	ROLE_ITEM,					/* an item */
	ROLE_ITEMS,					/* an array of items, which are a transaction */
	ROLE_VALUE,					/* a number that goes with the row's item */
	ROLE_TIME,					/* when the row's item occurred; the family says which
								 * types can be times */
	ROLE_PROBABILITY			/* of the row; or, beside an array of items, an array of
								 * as many probabilities, one for each item */
} ColumnRole;

typedef struct SourceColumn
{
	ColumnRole	role;
	const char *name;
	const char *argument;		/* SQL name of the argument that names it */
	Oid			type_sample;		/* the type in which results shall have the values, or
								 * InvalidOid if they are given as text */
	bool		sample_is_value;	/* the sample is of the type of values, not of arrays of
									 * them */

	/*
	 * For messages: what a value is called, in the singular and in the plural, and the
	 * SQL name of the type sample's argument.  If value is NULL, these are set for items.
	 */
	const char *value;
	const char *values;
	const char *sample_argument;

	/*
	 * Set by SourceOpen().  Of a column of arrays, type, typmod and collation are those
	 * of the elements.
	 */
	bool		is_array;		/* always true of an array of items */
	Oid			type;			/* domains resolved */
	Oid			converted;		/* the type that SourceConvert() was given, or InvalidOid */
	int32		typmod;
	Oid			collation;
} SourceColumn;

#define SOURCE_MAX_COLUMNS	4

typedef struct GpufimSource
{
	SPIPlanPtr	plan;			/* selects the columns, in their order */
	const char *given;			/* the source argument, for messages */
	char	   *from;			/* the plan's FROM item */
	int			ncolumns;
	SourceColumn columns[SOURCE_MAX_COLUMNS];
} GpufimSource;

/*
 * Sources must be opened and read between these two calls.  Between them, the current
 * memory context is one that SourceDisconnect() deletes.
 */
extern void SourceConnect(void);
extern void SourceDisconnect(void);

/*
 * Open a source.  Raises an error if the relation or query does not exist, if its
 * columns do not or if their types do not fit their roles.  After that, only executing
 * the source can raise errors about it.  Must be called between SourceConnect() and
 * SourceDisconnect(); the result outlives these, but its plan does not.
 */
extern GpufimSource *SourceOpen(const char *source, const SourceColumn *columns,
								int ncolumns);

/* The same for a source that is given by an argument of another SQL name than "source". */
extern GpufimSource *SourceOpenAs(const char *source, const char *argument,
								  const SourceColumn *columns, int ncolumns);

/*
 * To be called before a source is read.  SourceConvert() has the values of a column converted
 * to another type, to which PostgreSQL can cast them.  SourceReadInOrder() rules out a
 * parallel plan, so that rows come in the order in which the query gives them.
 */
extern void SourceConvert(GpufimSource *source, int column, Oid type);
extern void SourceReadInOrder(GpufimSource *source);

/*
 * Open all relations that the source's plan refers to, until SourceRelease().  If two sources are
 * read one after the other, they are held while either is read.  Otherwise a function in one
 * query could change or drop what the other one is going to read; as in a join, that is now the
 * function's error.  Returns the relations, to which "held" is added.
 */
extern List *SourceHold(const GpufimSource *source, List *held);
extern void SourceRelease(List *held);

/*
 * The query, as a literal that can be given as the source, that reads the same columns of the source
 * with a row for each element of the lists in one of them.  The expression that gives the elements
 * is the column's name between "before" and "after".  For messages, before SourceDisconnect().
 */
extern char *SourceElementsQuery(const GpufimSource *source, const SourceColumn *column,
								 const char *before, const char *after);

/* The formats in which the numbers of a column may be read. */
typedef enum NumberFormat
{
	NUMBER_FLOAT8,
	NUMBER_FLOAT4,				/* in arrays only */
	NUMBER_NUMERIC
} NumberFormat;

/*
 * The format of a column's numbers.  The query casts numbers of any type to float8, except
 * probabilities of two common types: reading those as they are takes less time than the cast.
 */
extern NumberFormat SourceNumberFormat(const SourceColumn *column);

/*
 * Set up a column to be opened, without a type sample.  Returns where the next one goes.
 */
extern SourceColumn *SourceColumnSet(SourceColumn *column, ColumnRole role, const char *name,
									 const char *argument);

/* The column of a role, or NULL if the source has been opened without one. */
extern const SourceColumn *SourceColumnOf(const GpufimSource *source, ColumnRole role);

/* The column of the items, in the pair form or in the array form. */
extern const SourceColumn *SourceItemColumn(const GpufimSource *source);

#endif							/* GPUFIM_SOURCE_H */
