/*-------------------------------------------------------------------------
 *
 * statistics.h
 *	  What a planner support function can learn of a call: its constant arguments, and
 *	  the statistics of the table that it reads.
 *
 * Nothing here raises an error: what is wrong with the arguments, the call says.
 *
 * Included by estimate.c and by families that estimate the rows of their functions.
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
	char	  **names;
} CallArguments;

/* False if the function's arguments have no names, or are all text. */
extern bool ReadCallArguments(FuncExpr *function, CallArguments *arguments);

/* Does the function have an argument of this name; and its value, if it is a constant. */
extern bool HasArgument(const CallArguments *arguments, const char *name);
extern Const *ConstantArgument(const CallArguments *arguments, const char *name);

/* The relation that a source names, if there is one whose statistics may be used. */
extern Oid	AnalyzedRelation(const char *source);

/* Its rows, 0 if they have not been counted. */
extern double RelationRows(Oid relation);

/* The statistics of a column, to be released, or NULL. */
extern HeapTuple ColumnStatistics(Oid relation, Const *column);

/* The number of its distinct values among so many rows. */
extern double DistinctValues(HeapTuple statistics, double rows);

/*
 * The parts of the rows that have each value of a column, "max" of them at most.
 * Returns their number, 0 if nothing is known.
 */
extern int	ValueParts(Oid relation, Const *column, double rows, double *parts, int max);

/* Values of a column that are equally frequent, as far as is known. */
typedef struct ValueClass
{
	double		part;			/* of the rows that have one of them, each */
	double		values;			/* how many there are */
} ValueClass;

/*
 * The values of a column by their frequency, in so many classes at most.  Returns their
 * number, 0 if nothing is known.
 */
#define MAX_VALUE_CLASSES	200

extern int	ValueClasses(Oid relation, Const *column, double rows, ValueClass *classes);

/*
 * The same of the elements of a column of arrays, as parts of the rows whose array has one;
 * "length" is the mean number of different elements.
 */
extern int	ElementClasses(Oid relation, Const *column, ValueClass *classes, double *length);

/* What is most frequent comes first. */
extern void SortDescending(double *numbers, int n);

#endif							/* GPUFIM_STATISTICS_H */
