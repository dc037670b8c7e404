/*-------------------------------------------------------------------------
 *
 * pair_reader.h
 *	  Reading the pairs of a batch as values of a row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_READER_H
#define GPUFIM_SETS_PAIR_READER_H

#include "postgres.h"

#include "engine/sets/sets.h"

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
extern void PairReaderInit(PairReader *reader, const FimSetsJob *job, const Datum *left,
						   const Datum *right, uint64 transactions, int ncolumns);

/*
 * Begin a batch of nwords words, or none if nwords is 0.  It must stay in place until all of its
 * pairs have been read.
 */
extern void PairReaderBegin(PairReader *reader, const uint32 *words, size_t nwords);

/* Go behind the last pair of the batch. */
extern void PairReaderEnd(PairReader *reader);

/*
 * Go back by one pair, so that PairReaderNext() gives it again.  Returns false if there is none
 * before in the batch.
 */
extern bool PairReaderBack(PairReader *reader);

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

#endif							/* GPUFIM_SETS_PAIR_READER_H */
