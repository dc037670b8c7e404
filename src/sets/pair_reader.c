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
	reader->next = words;
	reader->end = words + nwords;
	reader->i = reader->n = 0;
	reader->turned = false;
}

void
PairReaderNextRecord(PairReader *reader)
{
	const uint32 *record = reader->next;
	uint32		n = record[1];

	reader->value = record[0];
	reader->n = n;
	reader->i = 0;
	reader->others = record + 2;
	reader->numbers = reader->others + n;
	reader->similarities = reader->numbers + (reader->witnesses ? n : 0);
	reader->next = reader->similarities + (reader->similar ? 2 * (Size) n : 0);
}
