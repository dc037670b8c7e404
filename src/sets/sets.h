/*-------------------------------------------------------------------------
 *
 * sets.h
 *	  Products of sets: what a call asks for, the relations that it reads, and the scan of the pairs
 *	  that it finds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_H
#define GPUFIM_SETS_H

#include "postgres.h"

#include "engine/sets/sets.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "nodes/extensible.h"
#include "read/read.h"
#include "read/rows.h"
#include "work/work.h"

/*
 * relation.c: Reading the relations of a call: pairs of a value and a key.
 */

/* A column of a relation, as the call names it. */
typedef struct RelationColumn
{
	const char *name;			/* NULL: the "column" is the number of the source's row, from 0 on */
	const char *argument;		/* SQL name of the argument */
	bool		is_array;		/* of arrays: a row stands for a pair with each element */
	bool		may_be_array;	/* is_array becomes true if the column's type is an array */
	bool		is_item;		/* of items of transactions, which should not be lists */
	bool		whole_number;	/* must have an integer type; is converted to int8 */
	Oid			type_sample;	/* wanted type of the results, or InvalidOid */
	const char *sample_argument;
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
 * Pairs lie in the chunks of rows->records, each in PAIR_WORDS words: the key's number and the
 * value's number.  rows->transactions is the number of pairs, repeated ones included.
 * rows->items is the dictionary of values, with the number of pairs of each; these numbers end at
 * UINT32_MAX.
 */
typedef struct PairRelation
{
	GpufimRows *rows;			/* NULL: there is no such relation */
	Oid			value_type;		/* InvalidOid: values are numbers of rows */
	uint32		nvalues;
} PairRelation;

typedef struct Relations
{
	Dictionary *keys;			/* of both relations; NULL if keys are numbers of rows */
	uint32		nkeys;
	uint32		source_rows;	/* rows of the left source with an array, and with a value beside it */
	bool		one;			/* the left relation is also the right one */
	PairRelation left;
	PairRelation right;
} Relations;

/*
 * Read one relation, or two whose keys are compared as SQL's = does.  If both relations are the
 * same columns of one source, or if "right" has no source, only the left one is read, and "one"
 * is set. If both relations have the same source, that source is read once.  All memory is
 * allocated from the ledger.
 *
 * Raises an error if a source or column does not exist or has the wrong type, and SQL's error if
 * the keys cannot be compared.
 */
extern void ReadRelations(RelationSource *left, RelationSource *right, MemoryLedger *ledger,
						  Relations *relations);

/*
 * functions.c: What a call of a function about products of sets asks for.
 */

typedef struct SetsRequest
{
	const char *function;		/* SQL name */
	RelationSource left;
	RelationSource right;		/* without a source: the left relation is both sides */
	FimSetsResult result;
	bool		witnesses;		/* results have numbers of witnesses */
	uint64		min_witnesses;	/* of a pair of a product, from 1 up */
	double		minsup;			/* of pairs of items, as the user gave it: a fraction below 1, a count
								 * from 1 up */
	double		threshold;		/* of similar sets, above 0 and up to 1 */
	FimSetsMeasure measure;		/* of similar sets */
	uint64		found;			/* number of results, set when the call has run */
} SetsRequest;

/* frequent_pairs() and similar_sets(), each with its array form. */
extern Datum gpufim_frequent_pairs(PG_FUNCTION_ARGS);
extern Datum gpufim_frequent_pairs_array(PG_FUNCTION_ARGS);
extern Datum gpufim_similar_sets(PG_FUNCTION_ARGS);
extern Datum gpufim_similar_sets_array(PG_FUNCTION_ARGS);

/*
 * product_call.c: What all calls of functions about products of sets do.
 */

/*
 * Read the relations of a SetsRequest, multiply them, and put the pairs into the function's
 * result, or only count them.  Both set the request's "found" to the number of pairs.  Each is a
 * CallStep.
 */
extern void ListPairs(FunctionCallInfo fcinfo, void *request);
extern void CountPairs(FunctionCallInfo fcinfo, void *request);

/*
 * pair_scan.c: A scan of the pairs that a function in FROM finds.
 *
 * PostgreSQL writes the rows of a function in FROM to a tuplestore and reads them from it, which
 * takes several times as long as finding pairs.  In place of that, this node keeps the engine's
 * batches, and makes a row of a pair only when the row is asked for.  It also knows which columns
 * the query refers to, so that the function need not compute the others.
 */

/*
 * Reading the pairs of a batch as values of a row.
 */

/*
 * The columns of a row: two values, and up to two numbers.  The first number is that of
 * witnesses, also called support; the second one, the part, is a frequency or a similarity.
 */
#define PAIR_VALUES		2
#define PAIR_WITNESSES	2
#define PAIR_PART		3
#define PAIR_COLUMNS	4

typedef struct PairReader
{
	/* the values by their numbers, in the form of the result's columns */
	const Datum *left;
	const Datum *right;

	/* what the engine's records contain, and what they mean */
	bool		witnesses;
	bool		similar;
	bool		part;			/* the result has column PAIR_PART */
	bool		both_orders;	/* each pair is put out in both orders */
	bool		ascending;		/* each pair is put out with the smaller value first */
	double		transactions;	/* frequencies are fractions of this number */

	/* the batch, its next record and its end */
	const uint32 *batch;
	const uint32 *next;
	const uint32 *end;

	/* the record that is being read; the next one, if none is */
	const uint32 *record;
	uint32		value;
	uint32		n;
	uint32		i;				/* index of the record's next pair */
	bool		turned;			/* the next pair has been read in one of its two orders */
	const uint32 *others;
	const uint32 *numbers;
	const uint32 *similarities;

	/* the numbers of the pair that was read last */
	int64		support;
	double		share;
} PairReader;

/*
 * Set up a reader of what a job finds.  left[] and right[] are the values by their numbers, which
 * the reader points to; "right" is NULL if one relation is both sides.  "ncolumns" is the number
 * of the result's columns.
 */
extern void PairReaderInit(PairReader *reader, const FimSetsSpec *spec, const Datum *left,
						   const Datum *right, uint64 transactions, int ncolumns);

/*
 * Begin a batch of nwords words, or none if nwords is 0.  It must stay in place until all of its
 * pairs have been read.
 */
extern void PairReaderBegin(PairReader *reader, const uint32 *words, size_t nwords);

extern void PairReaderNextRecord(PairReader *reader);

/*
 * Set *left and *right to the numbers of the record's next pair, in one of its orders, and go on
 * to the pair after it once this was the last order.
 */
static inline void
PairReaderTakePair(PairReader *reader, uint32 *left, uint32 *right)
{
	*left = reader->value;
	*right = reader->others[reader->i];
	if (reader->turned || (reader->ascending && *left > *right))
	{
		*left = *right;
		*right = reader->value;
	}
	reader->turned = reader->both_orders && !reader->turned && *left != *right;
	if (!reader->turned)
		reader->i++;
}

/*
 * Put the values of the next pair into a row.  Returns false if the batch has no more.  Columns
 * that the result does not have, or that are always NULL, are left as they are.  Values that are
 * not passed by value point to those that the reader was given, or are valid until the next call.
 */
static inline bool
PairReaderNext(PairReader *reader, Datum *row)
{
	uint32		i;
	uint32		left;
	uint32		right;

	while (reader->i == reader->n)
	{
		if (reader->next == reader->end)
			return false;
		PairReaderNextRecord(reader);
	}
	i = reader->i;
	PairReaderTakePair(reader, &left, &right);
	row[0] = reader->left[left];
	row[1] = reader->right[right];
	if (reader->witnesses)
	{
		reader->support = reader->numbers[i];
		row[PAIR_WITNESSES] = Int64GetDatumFast(reader->support);
	}
	if (reader->part)
	{
		if (reader->similar)
			memcpy(&reader->share, reader->similarities + 2 * (Size) i, sizeof(double));
		else
			reader->share = reader->support / reader->transactions;
		row[PAIR_PART] = Float8GetDatumFast(reader->share);
	}
	return true;
}

/*
 * The methods of the plan node.  Its custom_exprs have the call, and its custom_scan_tlist has
 * all columns of the call's result, or none if the query refers to none of them.
 */
extern const CustomScanMethods PairScanMethods;

/*
 * Is the function called by a scan that refers to none of its columns, and so needs only the
 * number of pairs?  Then the function must call PairScanTakeCount() with that number.
 */
extern bool PairScanCounts(FunctionCallInfo fcinfo);
extern void PairScanTakeCount(FunctionCallInfo fcinfo, uint64 pairs);

/*
 * Might the query refer to a column of the result, counted from 0?  False only if the function is
 * called by a scan that knows that it does not.
 */
extern bool PairColumnIsWanted(FunctionCallInfo fcinfo, int column);

/*
 * Is the function called by a scan of this kind?  Then, unless PairScanCounts(), the function
 * puts batches into its tuplestore, as rows with the columns of PairBatchDesc(), and calls
 * PairScanTake() when it has put all of them.  That copies the reader and takes over the memory
 * context, in which all that the reader points to must lie.
 */
extern bool IsPairScan(FunctionCallInfo fcinfo);
extern TupleDesc PairBatchDesc(void);
extern void PairScanTake(FunctionCallInfo fcinfo, const PairReader *reader, MemoryContext memory);

#endif							/* GPUFIM_SETS_H */
