/*-------------------------------------------------------------------------
 *
 * pair_reader.c
 *	  Reading the pairs of a batch as values of a row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "sets/pair_reader.h"

void
PairReaderInit(PairReader *reader, const FimSetsJob *job, const Datum *left, const Datum *right,
			   uint64 transactions, int ncolumns)
{
	bool		one = right == NULL;

	memset(reader, 0, sizeof(PairReader));
	reader->left = left;
	reader->right = one ? left : right;
	reader->witnesses = job->witnesses;
	reader->similar = job->result == FIM_SETS_SIMILAR;
	reader->part = ncolumns > PAIR_PART;
	reader->both_orders = one && job->result == FIM_SETS_PRODUCT;
	reader->ascending = job->result == FIM_SETS_PAIRS ||
		(reader->similar && job->measure != FIM_CONTAINMENT);
	reader->transactions = (double) transactions;
}

void
PairReaderBegin(PairReader *reader, const uint32 *words, size_t nwords)
{
	reader->batch = reader->next = reader->record = words;
	reader->end = words + nwords;
	reader->i = reader->n = 0;
	reader->turned = false;
}

void
PairReaderEnd(PairReader *reader)
{
	reader->next = reader->record = reader->end;
	reader->i = reader->n = 0;
	reader->turned = false;
}

/*
 * Go to the end of the record before the one that is being read.  Only its successor tells where
 * it begins, so it is looked for from the beginning of the batch, which is short.
 */
static void
PreviousRecord(PairReader *reader)
{
	const uint32 *end = reader->record;

	reader->next = reader->batch;
	while (reader->next != end)
		PairReaderNextRecord(reader);
	reader->i = reader->n;
}

bool
PairReaderBack(PairReader *reader)
{
	if (reader->turned)
	{
		reader->turned = false;
		return true;
	}
	while (reader->i == 0)
	{
		if (reader->record == reader->batch)
			return false;
		PreviousRecord(reader);
	}
	reader->i--;
	reader->turned = reader->both_orders && reader->value != reader->others[reader->i];
	return true;
}

void
PairReaderNextRecord(PairReader *reader)
{
	const uint32 *record = reader->next;
	uint32		n = record[1];

	reader->record = record;
	reader->value = record[0];
	reader->n = n;
	reader->i = 0;
	reader->others = record + 2;
	reader->numbers = reader->others + n;
	reader->similarities = reader->numbers + (reader->witnesses ? n : 0);
	reader->next = reader->similarities + (reader->similar ? 2 * (Size) n : 0);
}
