/*-------------------------------------------------------------------------
 *
 * relation.h
 *	  Reading the relations of a call: pairs of a value and a key.
 *
 * Included by the files of src/sets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_RELATION_H
#define GPUFIM_SETS_RELATION_H

#include "postgres.h"

#include "items.h"
#include "read/rows.h"

/* A column of a relation, as the call names it. */
typedef struct RelationColumn
{
	const char *name;			/* NULL: the number of the source's row, from 0 on */
	const char *argument;		/* SQL name of the argument */
	bool		is_array;		/* a row has an array of them, and is a pair with each */
	bool		may_be_array;	/* if the column's type is an array, that is so */
	bool		whole_number;	/* must be one, and is an int8 from here on */
	Oid			witness;		/* the type in which results shall have it, or InvalidOid */
	const char *witness_argument;
} RelationColumn;

/* Where a relation comes from. */
typedef struct RelationSource
{
	const char *source;			/* NULL: there is no such relation */
	const char *argument;		/* SQL name of the argument */
	RelationColumn key;
	RelationColumn value;
} RelationSource;

/* Words of a pair. */
#define PAIR_WORDS	2

/*
 * Pairs lie in the chunks of rows->records, PAIR_WORDS words each, the key's number and the
 * value's; rows->transactions is how many they are, repeated ones too.  rows->items is the
 * dictionary of the values, which counts the pairs of each as far as 32 bits go.
 */
typedef struct PairRelation
{
	GpufimRows *rows;			/* NULL: there is no such relation */
	Oid			value_type;		/* InvalidOid: values are numbers of rows */
	uint32		nvalues;
} PairRelation;

typedef struct Relations
{
	Dictionary *keys;			/* of both; NULL if keys are numbers of rows */
	uint32		nkeys;
	uint32		source_rows;	/* of the left source, those with a NULL array left out */
	bool		one;			/* the left relation is the right one, too */
	PairRelation left;
	PairRelation right;
} Relations;

/*
 * Read one relation, or two whose keys are compared as SQL's = does.  If both are the same
 * columns of one source, only the left one is read, and "one" is set; if "right" has no
 * source, that is so, too.  A source that is named twice is read once.  All memory is the
 * ledger's.
 *
 * Raises an error if a source, a column or its type is not as it must be, and the error
 * of SQL if keys cannot be compared.
 */
extern void ReadRelations(RelationSource *left, RelationSource *right, MemoryLedger *ledger,
						  Relations *relations);

#endif							/* GPUFIM_SETS_RELATION_H */
