/*-------------------------------------------------------------------------
 *
 * source.h
 *	  What a source argument names, ready to be read.
 *
 * A source is the name of a relation or a query in parentheses.  Whoever opens one
 * says for each of its columns in which role it is wanted, so that types can be
 * checked and messages can say what a column is for.
 *
 * Included by ingest.h and by the SQL functions of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SOURCE_H
#define GPUFIM_SOURCE_H

#include "postgres.h"

#include "executor/spi.h"

typedef enum ColumnRole
{
	ROLE_KEY,					/* what rows of two sources may have in common */
	ROLE_TRANSACTION,			/* the id of the transaction that a row belongs to */
	ROLE_ITEM,					/* an item */
	ROLE_ITEMS,					/* an array of items, which are a transaction */
	ROLE_VALUE,					/* a number that goes with the row's item */
	ROLE_TIME,					/* when the row's item occurred; which types can be
								 * times the family says */
	ROLE_PROBABILITY			/* that of the row; or, beside an array of items, an
								 * array of as many, those of the items */
} ColumnRole;

typedef struct SourceColumn
{
	ColumnRole	role;
	const char *name;
	const char *argument;		/* SQL name of the argument that names it */
	Oid			witness;		/* the type in which results shall have the values, or
								 * InvalidOid if they are given as text */
	bool		witness_is_value;	/* that is a type of values, not of arrays of them */

	/* For messages: what a value is, NULL for an item, and the argument of the witness. */
	const char *value;
	const char *values;			/* in the plural */
	const char *witness_argument;

	/* Set by SourceOpen(); of the elements if the column's type is an array: */
	bool		is_array;		/* as an array of items is always */
	Oid			type;			/* domains resolved */
	Oid			converted;		/* the same, if SourceConvert() has set it */
	int32		typmod;
	Oid			collation;
} SourceColumn;

#define SOURCE_MAX_COLUMNS	4

typedef struct GpufimSource
{
	SPIPlanPtr	plan;			/* selects the columns, in their order */
	char	   *from;			/* the plan's FROM item */
	int			ncolumns;
	SourceColumn columns[SOURCE_MAX_COLUMNS];
} GpufimSource;

/*
 * What opens and reads sources must be between these two.  So long the current
 * memory context is one that SourceDisconnect() deletes.
 */
extern void SourceConnect(void);
extern void SourceDisconnect(void);

/*
 * Open a source.  Raises an error if the relation or query does not exist, if its
 * columns do not or if their types do not fit their roles; no error about the source
 * argument comes later, unless from its execution.  Must be called between
 * SourceConnect() and SourceDisconnect(); the result outlives these, but the plan
 * does not.
 */
extern GpufimSource *SourceOpen(const char *source, const SourceColumn *columns,
								int ncolumns);

/* The same for a source that is given by an argument of another SQL name than "source". */
extern GpufimSource *SourceOpenAs(const char *source, const char *argument,
								  const SourceColumn *columns, int ncolumns);

/*
 * Before a source is read: have the values of a column converted to another type, to which
 * PostgreSQL can cast them; have rows come one after the other in the order that the
 * query gives them, not through a parallel plan.
 */
extern void SourceConvert(GpufimSource *source, int column, Oid type);
extern void SourceReadInOrder(GpufimSource *source);

/* What a column's numbers are when they are read. */
typedef enum NumberFormat
{
	NUMBER_FLOAT8,
	NUMBER_FLOAT4,				/* in arrays only */
	NUMBER_NUMERIC
} NumberFormat;

/*
 * Numbers are converted to float8 by a cast in the query, whatever the type of the
 * column is, but for probabilities of common types whose casts take longer than to read them.
 */
extern NumberFormat SourceNumberFormat(const SourceColumn *column);

/*
 * Set up a column to be opened, without a witness.  Returns where the next one goes.
 */
extern SourceColumn *SourceColumnSet(SourceColumn *column, ColumnRole role, const char *name,
									 const char *argument);

/* The column of a role, or NULL if the source has been opened without one. */
extern const SourceColumn *SourceColumnOf(const GpufimSource *source, ColumnRole role);

/* That of the items, in either form. */
extern const SourceColumn *SourceItemColumn(const GpufimSource *source);

#endif							/* GPUFIM_SOURCE_H */
