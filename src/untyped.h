/*-------------------------------------------------------------------------
 *
 * untyped.h
 *	  Calls whose parameters have no types.
 *
 * A driver may leave it to the server to find out what types a call's parameters
 * have.  Then all forms of a function fit the call, and PostgreSQL prefers one whose
 * arguments are all text.  Such a form has the argument names of the pair form.
 * Arguments given by position can be meant for the pair form, or for the array form,
 * which has no tid_column, so that all arguments after the source come one place earlier
 * than in the pair form.  The fourth argument tells which form is meant.  Optional
 * arguments have the default ''.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_UNTYPED_H
#define GPUFIM_UNTYPED_H

#include "postgres.h"

#include "fmgr.h"

#define UNTYPED_MAX_ARGUMENTS	15
#define UNTYPED_DECIDES			3	/* index of the argument that tells the forms apart */

typedef struct Untyped
{
	int			n;
	char	   *text[UNTYPED_MAX_ARGUMENTS];	/* NULL for NULL */
	bool		given[UNTYPED_MAX_ARGUMENTS];
} Untyped;

/* Reads the arguments of a call.  An argument counts as not given if it is optional and ''. */
extern void ReadUntyped(FunctionCallInfo fcinfo, int first_optional, Untyped *from);

/* Is a text a number and nothing else? */
extern bool IsNumberText(const char *text);

/* Begins the call of the typed function for a call of the untyped one; it has no arguments yet. */
extern void BeginTypedCall(FunctionCallInfo fcinfo, FunctionCallInfo call);

/*
 * The same for the pair form or the array form.  The call gets the source, tid_column in the
 * pair form, and the column of items.  "arguments" becomes all that were given, at the indexes
 * that they have in the pair form.
 */
extern void BeginFormCall(FunctionCallInfo fcinfo, FunctionCallInfo call, const Untyped *given,
						  bool pairs, Untyped *arguments);

/* Add an argument of this type, given as text, to a call.  A text of NULL adds a NULL. */
extern void AddArgument(FunctionCallInfo call, Oid type, const char *text);

/* The text of an argument, or a default if it is not given. */
static inline const char *
UntypedOr(const Untyped *from, int i, const char *default_text)
{
	return from->given[i] ? from->text[i] : default_text;
}

#endif							/* GPUFIM_UNTYPED_H */
