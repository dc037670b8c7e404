/*-------------------------------------------------------------------------
 *
 * pair_reader.h
 *	  Reading the pairs of a batch as values of a row.
 *
 * Included by whatever makes rows of pairs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_READER_H
#define GPUFIM_SETS_PAIR_READER_H

#include "postgres.h"

#include "engine/sets/sets.h"

/*
 * Columns of a row: two values, and up to two numbers, of which the first one is witnesses or
 * support, and the second one a frequency or a similarity.
 */
#define PAIR_VALUES		2
#define PAIR_WITNESSES	2
#define PAIR_PART		3
#define PAIR_COLUMNS	4

typedef struct PairReader
{
	/* what numbers of values stand for, as the columns of the result have it */
	const Datum *left;
	const Datum *right;

	/* what the engine's records have, and what they mean */
	bool		witnesses;
	bool		similar;
	bool		part;			/* there is a column for it */
	bool		both_orders;	/* a pair stands for its other order, too, */
	bool		ascending;		/* or for the one with the smaller value first */
	double		transactions;	/* that frequencies are parts of */

	/* the batch, from its next record on */
	const uint32 *next;
	const uint32 *end;

	/* the record that is read */
	uint32		value;
	uint32		n;
	uint32		i;				/* the next pair of it */
	bool		turned;			/* that pair has been read in one order */
	const uint32 *others;
	const uint32 *numbers;
	const uint32 *similarities;

	/* of the pair that was read last */
	int64		support;
	double		share;
} PairReader;

/*
 * A reader of what a job finds.  "right" is NULL if one relation is both sides.  The result has so
 * many columns.
 */
extern void PairReaderInit(PairReader *reader, const FimSetsJob *job, const Datum *left,
						   const Datum *right, uint64 transactions, int ncolumns);

/* Read a batch, which must stay where it is until all of its pairs are read, or none. */
extern void PairReaderBegin(PairReader *reader, const uint32 *words, size_t nwords);

extern void PairReaderNextRecord(PairReader *reader);

/* The order of the pair of the record that comes next; moves on behind its last one. */
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
 * Put the values of the next pair into a row; false if the batch has no more.  Columns that the
 * result does not have, or only as NULLs, are not touched.  Values that are not passed by value
 * are those that the reader was given, or valid until the next call.
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

#endif							/* GPUFIM_SETS_PAIR_READER_H */
