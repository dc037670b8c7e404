/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  The arguments of a call, taken one after the other and checked.
 *
 * What families have in common is here.  All errors name the argument.
 *
 * Included by the SQL functions of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ARGUMENTS_H
#define GPUFIM_ARGUMENTS_H

#include "postgres.h"

#include "engine/kind.h"
#include "fmgr.h"
#include "utils/array.h"

typedef struct Arguments
{
	FunctionCallInfo fcinfo;
	int			next;			/* index of the argument to be taken next */
} Arguments;

/* An argument that must not be NULL; one of type name, palloc'd, which may be NULL. */
extern Datum TakeRequired(Arguments *args, const char *name);
extern char *TakeName(Arguments *args, const char *name);
extern char *TakeOptionalName(Arguments *args);

/* A text[] without NULLs, palloc'd, or NULL. */
extern ArrayType *TakeTextArray(Arguments *args, const char *name);

/*
 * A threshold: a fraction below 1, or a whole number from 1 up.  What it is a fraction of
 * and what it is a number of, in the plural, is for messages.
 */
extern double TakeMinsup(Arguments *args, const char *whole, const char *counted);

/*
 * Tells the user that nothing can be found, which is no error but hardly meant, if minsup
 * is a number above the number of what is counted.  The message has a place for minsup,
 * %s, and one for that number, %llu.
 */
extern void NoteHighMinsup(double minsup, uint64 counted, const char *message);

/* The kind of a name; FindKind() returns false if there is none. */
extern bool FindKind(const char *name, FimKind *kind);
extern FimKind TakeKind(Arguments *args);

/* The element type of the array type that a type witness has been declared with. */
extern Oid	TakeWitness(Arguments *args);

/*
 * "min_length" and "max_length", FIM_NO_LIMIT if that is NULL.  "results" are what
 * has a length, in the plural, for messages.
 */
extern void TakeLengths(Arguments *args, const char *results, uint32 *shortest,
						uint32 *longest);

#endif							/* GPUFIM_ARGUMENTS_H */
