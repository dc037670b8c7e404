/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning pairs of values into rows of the SQL function's result.
 *
 * There may be hundreds of times more pairs than values.  So each value is converted for the
 * result only once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "compat.h"
#include "engine/sets/sets.h"
#include "fmgr.h"
#include "funcapi.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "results.h"
#include "scan/scan.h"
#include "sets/sets.h"
#include "utils/memutils.h"

/* What messages call the memory that is counted here. */
#define VALUES_OF_PAIRS		"the values of pairs"

static const ResultWords result_words = {
	"pair", "pairs", "values",
	"Ask for pairs with more in common, or only for their number."
};

static const ResultWords partner_words = {
	"pair", "pairs", "values",
	"Ask for fewer partners of each, or only for the number of pairs."
};

typedef struct PairMaker
{
	RowMaker	rows;			/* must be first */

	/* the values by their numbers, in the form of the result's columns */
	const Datum *left;
	const Datum *right;

	/* what the engine's records contain, and what they mean */
	bool		witnesses;
	bool		scored;			/* with similarities or scores */
	bool		best;			/* the others are partners of the value, the best one first */
	bool		ranked;			/* if so, rows have their rank */
	bool		both_orders;	/* each pair is put out in both orders */
	bool		ascending;		/* each pair is put out with the smaller value first */
	double		transactions;	/* frequencies are fractions of this number */
	double		least_bytes;	/* the least that a pair takes in a file */

	/* the batch's next record, and the one that is being read */
	const uint32 *next;
	uint32		value;
	uint32		n;
	uint32		i;				/* index of the record's next pair */
	bool		turned;			/* the next pair has been read in one of its two orders */
	const uint32 *others;
	const uint32 *numbers;
	const uint32 *scores;
	uint32		first;			/* if they are the best: partners of the value that come before these */

	/* the numbers of the row that was made last */
	int64		support;
	double		share;
} PairMaker;

static void
BeginBatch(RowMaker *maker, const uint32 *words)
{
	PairMaker  *pairs = (PairMaker *) maker;

	pairs->next = words;
	pairs->i = pairs->n = 0;
	pairs->turned = false;
}

static pg_noinline void
NextRecord(PairMaker *pairs)
{
	const uint32 *record = pairs->next;
	uint32		n = record[1];

	pairs->value = record[0];
	pairs->n = n;
	pairs->i = 0;
	pairs->others = record + 2;
	pairs->numbers = pairs->others + n;
	pairs->scores = pairs->numbers + (pairs->witnesses ? n : 0);
	pairs->next = pairs->scores + (pairs->scored ? 2 * (Size) n : 0);
	if (pairs->best)
		pairs->first = *pairs->next++;
}

/* The frequency, similarity or score of the record's pair i, of which "support" is set. */
static inline double
ShareOf(const PairMaker *pairs, uint32 i)
{
	double		share;

	if (!pairs->scored)
		return pairs->support / pairs->transactions;
	memcpy(&share, pairs->scores + 2 * (Size) i, sizeof(double));
	return share;
}

static void
NextRow(RowMaker *maker, Datum *values)
{
	PairMaker  *pairs = (PairMaker *) maker;
	const bool *wanted = maker->wanted;
	uint32		i;
	uint32		left;
	uint32		right;

	while (unlikely(pairs->i == pairs->n))
		NextRecord(pairs);
	i = pairs->i;
	left = pairs->value;
	right = pairs->others[i];
	if (pairs->turned || (pairs->ascending && left > right))
	{
		left = right;
		right = pairs->value;
	}
	pairs->turned = pairs->both_orders && !pairs->turned && left != right;
	if (!pairs->turned)
		pairs->i++;
	if (maker->wanted[0])
		values[0] = pairs->left[left];
	if (maker->wanted[1])
		values[1] = pairs->right[right];
	if (pairs->witnesses)
		pairs->support = pairs->numbers[i];
	if (pairs->ranked)
	{
		values[PARTNER_RANK] = Int32GetDatum(pairs->first + i + 1);
		values++;
		wanted++;
	}
	if (wanted[PAIR_WITNESSES])
		values[PAIR_WITNESSES] = Int64GetDatumFast(pairs->support);
	if (wanted[PAIR_PART])
	{
		pairs->share = ShareOf(pairs, i);
		values[PAIR_PART] = Float8GetDatumFast(pairs->share);
	}
}

static Datum
KeptValue(const void *kept, uint32 i)
{
	return ((const KeptValues *) kept)->items->items[i].value;
}

/* Returns the values by their numbers, as ValueImages() does. */
static Datum *
MakeValues(MemoryLedger *ledger, const KeptValues *kept, Form_pg_attribute column, Size *least)
{
	ValueList	values = {.n = kept->n,.what = VALUES_OF_PAIRS};

	if (kept->items != NULL)
		values = (ValueList)
	{
		kept->items->type, kept->n, KeptValue, kept, VALUES_OF_PAIRS
	};
	return ValueImages(ledger, &values, column, least);
}

/*
 * The least bytes that a pair takes in a tuplestore's file.  The file has the length of each row,
 * but not the unused bytes at the start of a MinimalTuple.
 */
static double
LeastBytes(const RowSink *sink, const FimSetsSpec *spec, Size values)
{
	const PairMaker *pairs = (const PairMaker *) sink->maker;
	int			ncolumns = sink->desc->natts;
	bool		null = ncolumns > PAIR_WITNESSES && !spec->witnesses;
	int			numbers = null ? 0 : ncolumns - PAIR_VALUES;

	if (sink->use == BATCHES_STORED)
	{
		Size		words = FimSetsRecordWords(spec, 1) - FimSetsRecordWords(spec, 0);

		return words * sizeof(uint32_t) / (pairs->both_orders ? 2.0 : 1.0);
	}
	return sizeof(int) - MINIMAL_TUPLE_DATA_OFFSET +
		MAXALIGN(SizeofMinimalTupleHeader + (null ? BITMAPLEN(ncolumns) : 0)) +
		values + numbers * sizeof(int64) - (pairs->ranked ? sizeof(int64) - sizeof(int32) : 0);
}

/* Make the values, and return the bytes of the smallest pair. */
static Size
PreparePairs(PairMaker *pairs, TupleDesc desc, const KeptValues *left, const KeptValues *right)
{
	MemoryContext caller = MemoryContextSwitchTo(pairs->rows.memory);
	Size		left_size;
	Size		right_size;

	pairs->left = pairs->right = MakeValues(pairs->rows.ledger, left, TupleDescAttr(desc, 0), &left_size);
	right_size = left_size;
	if (right != NULL)
		pairs->right = MakeValues(pairs->rows.ledger, right, TupleDescAttr(desc, 1), &right_size);
	MemoryContextSwitchTo(caller);
	return left_size + right_size;
}

RowSink *
PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsSpec *spec, MemoryLedger *ledger, const KeptValues *left,
			   const KeptValues *right, uint64 transactions)
{
	bool		best = spec->result == FIM_SETS_BEST;
	PairMaker  *pairs = RowMakerCreate(sizeof(PairMaker), fcinfo, ledger, best ? &partner_words : &result_words);
	RowMaker   *maker = &pairs->rows;
	RowSink    *sink = RowSinkCreate(fcinfo, maker);
	TupleDesc	desc = ((ReturnSetInfo *) fcinfo->resultinfo)->setDesc;
	Size		values = PreparePairs(pairs, desc, left, right);

	maker->begin = BeginBatch;
	maker->next = NextRow;
	maker->wanted[PAIR_WITNESSES] &= spec->witnesses;
	maker->nulls[PAIR_WITNESSES] = !maker->wanted[PAIR_WITNESSES];
	pairs->witnesses = spec->witnesses;
	pairs->scored = best || spec->result == FIM_SETS_SIMILAR;
	pairs->best = best;
	/* the last column is the score */
	pairs->ranked = desc->natts > PAIR_PART + 1;
	pairs->both_orders = right == NULL && spec->result == FIM_SETS_PRODUCT;
	pairs->ascending = spec->result == FIM_SETS_PAIRS ||
		(right == NULL && spec->result == FIM_SETS_SIMILAR && spec->measure != FIM_CONTAINMENT);
	pairs->transactions = (double) transactions;
	pairs->least_bytes = LeastBytes(sink, spec, values);
	return sink;
}

/*
 * The least bytes that the result takes in files.  0 if a tuplestore can keep all rows in the
 * memory that work_mem allows it.
 */
static double
LeastFileBytes(const RowSink *sink, double pairs)
{
	double		least_bytes = ((const PairMaker *) sink->maker)->least_bytes;
	double		in_memory = pairs * (least_bytes + (sink->use == ROWS_STORED ? 2 * sizeof(void *) : 0));

	return in_memory <= work_mem * 1024.0 ? 0 : pairs * least_bytes;
}

bool
PairRowsMayFillFiles(const RowSink *sink, double most_pairs)
{
	return temp_file_limit >= 0 &&
		LeastFileBytes(sink, most_pairs) > temp_file_limit * 1024.0;
}

void
PairRowsCheckFiles(const RowSink *sink, uint64 pairs)
{
	double		bytes = LeastFileBytes(sink, (double) pairs);

	CheckResults(pairs, sink->maker->words);
	if (temp_file_limit >= 0 && bytes > temp_file_limit * 1024.0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("the result would exceed \"temp_file_limit\" (%dkB)", temp_file_limit),
				 errdetail_plural("It has %llu row, which takes at least %.0f kB.",
								  "It has %llu rows, which take at least %.0f kB.",
								  (unsigned long) pairs, (unsigned long long) pairs, ceil(bytes / 1024)),
				 errhint("%s", sink->maker->words->hint)));
}
