/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  The arguments of a call, taken one after the other and checked.
 *
 * What families have in common is here.  All errors name the argument.
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

/*
 * Take an argument of any type that must not be NULL, a name that must not be NULL, and a name
 * that may be NULL.  The names are palloc'd.
 */
extern Datum TakeRequired(Arguments *args, const char *name);
extern char *TakeName(Arguments *args, const char *name);
extern char *TakeOptionalName(Arguments *args);

/* Take a text[] that may be NULL, but must not contain NULLs.  The array is palloc'd. */
extern ArrayType *TakeTextArray(Arguments *args, const char *name);

/*
 * Take a threshold: a fraction below 1, or a whole number from 1 up.  For messages, "whole"
 * says what it is a fraction of, and "counted", in the plural, what it is a number of.
 */
extern double TakeMinsup(Arguments *args, const char *whole, const char *counted);

/*
 * If minsup is a number and "counted" is smaller, nothing can be found.  That is no error, but
 * hardly what the user meant, so a notice says so.  The message has a place for minsup, %s,
 * and one for "counted", %llu.
 */
extern void NoteHighMinsup(double minsup, uint64 counted, const char *message);

/*
 * For a call that does not restrict its results in any other way.  If its minsup is 1, it finds all
 * that occurs.  Where "counted" is not small, that is hardly what the user meant, but rather 100
 * percent, so this message is raised as a notice.
 */
extern void NoteLowestMinsup(double minsup, uint64 counted, const char *message);

/* Find the kind with this name; returns false if there is none.  TakeKind() raises an error then. */
extern bool FindKind(const char *name, FimKind *kind);
extern FimKind TakeKind(Arguments *args);

/* Take a type sample, which is of an array type, and return the type of the elements. */
extern Oid	TakeTypeSample(Arguments *args, const char *name);

/*
 * Take "min_length" and "max_length".  *longest becomes FIM_NO_LIMIT if "max_length" is NULL.
 * "results" names, in the plural, what has such a length, for messages.
 */
extern void TakeLengths(Arguments *args, const char *results, uint32 *shortest,
						uint32 *longest);

#endif							/* GPUFIM_ARGUMENTS_H */
