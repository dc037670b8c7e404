/*-------------------------------------------------------------------------
 *
 * source_text.h
 *	  From a source argument to the FROM item of a query.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SOURCE_TEXT_H
#define GPUFIM_SOURCE_TEXT_H

#include "postgres.h"

/* Where the columns come from, as SQL text and in words; palloc'd. */
typedef struct SourceText
{
	const char *argument;		/* its SQL name, for messages */
	const char *given;			/* its text, without blanks around it and without a
								 * query's semicolons */
	char	   *from;			/* FROM item */
	char	   *words;			/* "relation \"x\"", for messages */
	bool		has_system_columns;
} SourceText;

/* Is a source written as a query: does it begin, after blanks and comments, with a parenthesis? */
extern bool SourceIsQuery(const char *source);

/*
 * The text of a source, which was given in the argument of this SQL name.  Raises an error if
 * it is neither the name of a relation that can be read nor one query in parentheses.  A
 * relation stays locked until the transaction ends, as those of any query do.
 */
extern SourceText SourceTextOf(const char *source, const char *argument);

#endif							/* GPUFIM_SOURCE_TEXT_H */
