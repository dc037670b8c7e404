/*-------------------------------------------------------------------------
 *
 * sets.h
 *	  Products of sets: what a call asks for, and the rows that its results become.
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
#include "read/relation.h"
#include "scan/scan.h"
#include "transaction_set/transaction_set.h"
#include "work/work.h"

/*
 * functions.c: What a call of a function about products of sets asks for.
 */

typedef struct SetsRequest
{
	TransactionsForm form;		/* of transactions, set by the caller */
	bool		count_only;		/* set by the caller, for a function that returns the number of pairs */
	RelationSource left;
	RelationSource right;		/* without a source: the left relation is both sides */
	FimSetsResult result;
	bool		of_sets;		/* similar sets are wanted, or the most similar ones of each */
	bool		witnesses;		/* results have numbers of witnesses */
	uint64		min_witnesses;	/* of a pair of a product, or of an item and its partner, from 1 up */
	double		minsup;			/* of pairs of items, as the user gave it: a fraction below 1, a count
								 * from 1 up */
	double		threshold;		/* of similar sets, above 0 and up to 1; of partners, 0 if they need not be similar */
	FimSetsMeasure measure;		/* of similar sets, and of partners */
	uint32		most_partners;	/* of an item, from 1 up */
	FimPart		part;			/* of the results */
	uint64		found;			/* number of results, set when the call has counted them */
} SetsRequest;

/*
 * product_call.c: What all calls of functions about products of sets do.
 */

/*
 * Read the relations of a SetsRequest, multiply them, and put the pairs into the function's result, or only count them,
 * which sets "found".  This is a CallStep.
 */
extern void MultiplySets(FunctionCallInfo fcinfo, void *request);

/*
 * result_rows.c: Turning pairs of values into rows of the SQL function's result.
 */

/*
 * The columns of a row: two values, and up to two numbers.  The first number is that of
 * witnesses, also called support; the second one, the part, is a frequency, a similarity or a
 * score.  Partners of items have their rank before these numbers, which are one column further then.
 */
#define PAIR_VALUES		2
#define PAIR_WITNESSES	2
#define PAIR_PART		3
#define PARTNER_RANK	2

/* The values of a relation that the engine multiplies, in the sort order of their type. */
typedef struct KeptValues
{
	GpufimItems *items;			/* NULL: values are numbers of rows, all kept */
	uint32		n;
	uint64		npairs;			/* an upper bound of the number of their pairs */
} KeptValues;

/*
 * Create a sink for batches of pairs, whose memory counts as scan.h says.  The result's first two columns are the
 * values, in their own type or as text.  "transactions" is the number that frequencies are fractions of.  "right" is
 * NULL if one relation is both sides.
 */
extern RowSink *PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsSpec *spec, MemoryLedger *ledger,
							   const KeptValues *left, const KeptValues *right, uint64 transactions);

/*
 * PairRowsMayFillFiles() tells whether most_pairs pairs would take more space in files than
 * temp_file_limit allows.  PairRowsCheckFiles() raises an error if "pairs" pairs would.
 */
extern bool PairRowsMayFillFiles(const RowSink *sink, double most_pairs);
extern void PairRowsCheckFiles(const RowSink *sink, uint64 pairs);

/*
 * from_records.c: Build the engine's data from the kept items of a relation's records, which are consumed.
 */
extern void BuildFromRecords(GpufimRows *rows, const KeptValues *kept, struct Job *job, FimSetsData *data);

#endif							/* GPUFIM_SETS_H */
