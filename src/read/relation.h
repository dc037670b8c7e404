/*-------------------------------------------------------------------------
 *
 * relation.h
 *	  Reading sources as relations: pairs of a value and a key.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_READ_RELATION_H
#define GPUFIM_READ_RELATION_H

#include "postgres.h"

#include "engine/family.h"
#include "gpufim.h"
#include "read/read.h"
#include "read/rows.h"

/*
 * common_key.c: The type to which SQL would convert two columns to compare them with =, and the collation by which it would
 * compare them in that type.  Each raises SQL's error if it cannot compare them, or if their collations conflict.
 */
extern Oid	CommonKeyType(const SourceColumn *left, const SourceColumn *right);
extern Oid	CommonKeyCollation(const SourceColumn *left, const SourceColumn *right);

/*
 * relation.c: Reading the relations of a call: pairs of a value and a key.
 */

/* A column of a relation, as the call names it. */
typedef struct RelationColumn
{
	const char *name;			/* NULL: the "column" is the number of the source's row, from 0 on */
	const char *argument;		/* SQL name of the argument */
	bool		is_array;		/* of arrays: a row stands for a pair with each element */
	bool		may_be_array;	/* the column's type tells whether is_array; not known yet */
	bool		listed;			/* of keys: they are in the results, so the dictionary keeps the values, as it does those of the
								 * other column */
	bool		is_item;		/* of items of transactions, which should not be lists */
	bool		whole_number;	/* must have an integer type; is converted to int8 */
	Oid			type_sample;	/* wanted type of the results, or InvalidOid */
	bool		sample_is_array;	/* the sample is of a type of arrays of values */
	const char *sample_argument;
} RelationColumn;

/* Where a relation comes from. */
typedef struct RelationSource
{
	const struct TransactionSet *set;	/* the items of its transactions, whose numbers are the keys; NULL: a source has them */
	const char *source;			/* NULL: there is no such relation */
	const char *argument;		/* SQL name of the argument */
	bool		apart;			/* of the right relation: it is another one than the left, even if it has the same columns */
	RelationColumn key;
	RelationColumn value;
} RelationSource;

/* Words of a pair. */
#define PAIR_WORDS	2

/*
 * Pairs lie in the chunks of rows->records, each in PAIR_WORDS words: the key's number and the
 * value's number.  rows->transactions is the number of pairs, repeated ones included.
 * rows->items is the dictionary of values, with the number of pairs of each; these numbers end at
 * UINT32_MAX.
 *
 * If rows->layout.unique is set, rows->records are records of transactions instead, each of which is a key without a
 * number; their items are the values.
 */
typedef struct PairRelation
{
	GpufimRows *rows;			/* NULL: there is no such relation */
	Oid			value_type;		/* InvalidOid: values are numbers of rows */
	uint32		nvalues;
} PairRelation;

/* The key and the value of a pair in a chunk, which another process may have read. */
static inline void
PairNumbers(const RowPart *part, const uint32 *pair, uint32 *key, uint32 *value)
{
	*key = part != NULL ? part->maps[0][pair[0]] : pair[0];
	*value = part != NULL ? part->maps[1][pair[1]] : pair[1];
}

typedef struct Relations
{
	Dictionary *keys;			/* of both relations; NULL if keys are numbers of rows, or transactions */
	uint32		nkeys;			/* with or without a value; transactions, if values are their items */
	bool		one;			/* the left relation is also the right one */
	PairRelation left;
	PairRelation right;
} Relations;

/*
 * Read one relation, or two whose keys are compared as SQL's = does.  If both relations are the
 * same columns of one source and are not kept apart, or if "right" has no source, only the left one is read, and "one"
 * is set. If both relations have the same source, that source is read once.  All memory is
 * allocated from the ledger.
 *
 * Raises an error if a source or column does not exist or has the wrong type, and SQL's error if
 * the keys cannot be compared.  If a
 * family is given, a call for an engine or strategy that it does not have, or that is not available, or for a GPU if only the CPU
 * can do the task, fails before anything is read.
 */
extern void ReadRelations(RelationSource *left, RelationSource *right, const FimFamily *family, bool only_cpu,
						  MemoryLedger *ledger, Relations *relations);

#endif							/* GPUFIM_READ_RELATION_H */
