/*-------------------------------------------------------------------------
 *
 * statistics.h
 *	  What a planner support function can learn of a call: its constant arguments, and
 *	  the statistics of the table that it reads.
 *
 * Nothing here raises an error about wrong arguments; the call itself does.  In a call without
 * types (untyped.h) all arguments are text, and the functions below read the text.
 *
 * The function need not be one of gpufim's: a wrapper that has arguments of the same names may have
 * the same support function.  So an argument counts only if it is of a type that it has in gpufim.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_STATISTICS_H
#define GPUFIM_STATISTICS_H

#include "postgres.h"

#include "access/htup.h"
#include "nodes/primnodes.h"

typedef struct CallArguments
{
	List	   *values;
	char	  **names;			/* those of a result's columns follow the arguments' */
	int			nnames;
	bool		untyped;		/* all arguments are text */
} CallArguments;

/* Returns false if the function's arguments have no names, nor a result's columns. */
extern bool ReadCallArguments(FuncExpr *function, CallArguments *arguments);

/*
 * Does the function have an argument of this name?  ConstantArgument() returns its value, or
 * NULL if there is no such argument, if the value is not of this type, no constant or a null.
 */
extern bool HasArgument(const CallArguments *arguments, const char *name);
extern Const *ConstantArgument(const CallArguments *arguments, const char *name, Oid type);

/*
 * An argument that is a text or a name, palloc'd.  NULL if ConstantArgument() has none, and for
 * '', by which a call without types says that an argument is not given.
 */
extern char *TextArgument(const CallArguments *arguments, const char *name);

/* An argument that is a number, and another number if there is none. */
extern double NumberArgument(const CallArguments *arguments, const char *name, double otherwise);

/* The same for a length, from 1 to "most". */
extern int	LengthArgument(const CallArguments *arguments, const char *name, int otherwise, int most);

/* The number of elements of an argument that is an array of text; 0 if there is none. */
extern int	ElementsOfArgument(const CallArguments *arguments, const char *name);

/* A value that a call names, as text, and how often the call names it. */
typedef struct NamedValue
{
	char	   *name;
	int			times;
} NamedValue;

/*
 * The different elements of an argument that is an array of text, without nulls.  Writes at most
 * MOST_NAMED of them and returns their number.  Each is going to be compared with all common values
 * of a column, and an estimate gets hardly better with more.  The call must be one with types.
 */
#define MOST_NAMED		16

extern int	NamesArgument(const CallArguments *arguments, const char *name, NamedValue *named);

/* The relation that a source names, if there is one whose statistics may be used. */
extern Oid	AnalyzedRelation(const char *source);

/* The number of a relation's rows as pg_class has it; 0 or less if they have not been counted. */
extern double RelationRows(Oid relation);

/* The statistics of a column, or NULL.  The caller releases the tuple. */
extern HeapTuple ColumnStatistics(Oid relation, const char *column);

/* The number of distinct values of a column, given the number of the relation's rows. */
extern double DistinctValues(HeapTuple statistics, double rows);

/*
 * Sets parts[] to the fraction of the rows that have each value of a column, for at most
 * "max" values.  Returns the number of these values, 0 if nothing is known.
 */
extern int	ValueParts(Oid relation, const char *column, double rows, double *parts, int max);

/*
 * The fraction of the rows that have a value, which is given as text, in a column; or the fraction
 * of the arrays that have it as an element.  A negative number if nothing is known.
 */
extern double ValuePart(Oid relation, const char *column, double rows, const char *value);
extern double ElementPart(Oid relation, const char *column, const char *element);

/* Values of a column that are about equally frequent, as far as is known. */
typedef struct ValueClass
{
	double		part;			/* mean fraction of the rows that have one of these values */
	double		values;			/* the number of these values */
} ValueClass;

/*
 * Sorts the values of a column into at most MAX_VALUE_CLASSES classes by their frequency.
 * Returns the number of classes, 0 if nothing is known.
 */
#define MAX_VALUE_CLASSES	200

extern int	ValueClasses(Oid relation, const char *column, double rows, ValueClass *classes);

/*
 * The same for the elements of a column of arrays, where "part" is the mean fraction of the
 * arrays that have an element.  *length becomes the mean number of different elements of an
 * array, or 0 if that is not known.
 */
extern int	ElementClasses(Oid relation, const char *column, ValueClass *classes, double *length);

extern void SortDescending(double *numbers, int n);

#endif							/* GPUFIM_STATISTICS_H */
