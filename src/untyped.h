/*-------------------------------------------------------------------------
 *
 * untyped.h
 *	  Calls whose parameters have no types.
 *
 * A driver may leave it to the server to find out what types a call's parameters
 * have.  Then all forms of a function fit the call, and PostgreSQL prefers one whose
 * arguments are all text.  Such a form has the pair form's names.  Its arguments by
 * position can be those of the pair form, or of the array form, where each stands one
 * place further on: the fourth tells which.  What is optional has the default ''.
 *
 * Included by the untyped_call.c of each family that has both forms.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_UNTYPED_H
#define GPUFIM_UNTYPED_H

#include "postgres.h"

#include "fmgr.h"

#define UNTYPED_MAX_ARGUMENTS	14
#define UNTYPED_DECIDES			3	/* index of the argument that tells the forms apart */

typedef struct Untyped
{
	int			n;
	char	   *text[UNTYPED_MAX_ARGUMENTS];	/* NULL for NULL */
	bool		given[UNTYPED_MAX_ARGUMENTS];
} Untyped;

/* The arguments of a call, those before "first_optional" taken for given. */
extern void ReadUntyped(FunctionCallInfo fcinfo, int first_optional, Untyped *from);

/*
 * The arguments of the array form, with an empty place for tid_column, so that each
 * is at the same index as the pair form's.  An argument by position lies one too
 * early, one by name where it belongs.  Raises an error if one is given both ways.
 */
extern void ArrayFormOfUntyped(const Untyped *from, Untyped *to);

/* Is it a number and nothing else? */
extern bool IsNumberText(const char *text);

/* Add an argument of a type to a call.  NULL stands for NULL. */
extern void AddArgument(FunctionCallInfo call, Oid type, const char *text);

/* The text of an argument, or a default if it is not given. */
static inline const char *
UntypedOr(const Untyped *from, int i, const char *default_text)
{
	return from->given[i] ? from->text[i] : default_text;
}

#endif							/* GPUFIM_UNTYPED_H */
