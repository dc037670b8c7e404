/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  Frequent itemsets: the data that the engine mines, and the rows that its results become.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ITEMSETS_H
#define GPUFIM_ITEMSETS_H

#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "scan/scan.h"
#include "transaction_set/transaction_set.h"
#include "work/work.h"

/*
 * transactions.c: The transactions of a call.
 */

/* The first arguments of a function of itemsets, checked as far as is possible before the source is read. */
typedef struct TransactionsRequest
{
	TransactionsForm form;		/* set by the caller */
	const TransactionSet *set;	/* in the form of a set; NULL in the others */
	char	   *source;			/* table name or parenthesized query */
	char	   *tid_column;		/* NULL in array form */
	char	   *item_column;	/* the items column in array form */
	const char *item_argument;	/* SQL argument's name of item_column, for messages */
	Oid			type_sample;	/* wanted element type, or InvalidOid: text */
	bool		best;			/* only the k best results are wanted */
	bool		has_minsup;
	bool		only_cpu;		/* GPUs cannot do what is asked for */
	uint32		k;
	double		minsup;			/* as given: fraction below 1, count from 1 up */
} TransactionsRequest;

/*
 * Take the arguments from the source to k or minsup or both, and the type sample if more than "optional" arguments
 * follow.  In the form of a set, the sample comes before them.  The caller has set "form", "best", "has_minsup" and
 * "only_cpu".
 */
extern void TakeTransactions(Arguments *args, int optional, TransactionsRequest *request);

/* Read them, once it is certain that the engine that is set can be used. */
extern GpufimRows *ReadTransactionRows(const TransactionsRequest *request, MemoryLedger *ledger);

/* The two steps of that without the engine, where the form is not that of a set: before and after the second, a source is connected. */
extern GpufimSource *OpenTransactions(const TransactionsRequest *request);
extern GpufimRows *ReadOpenTransactions(GpufimSource *source, MemoryLedger *ledger);

/*
 * minsup_of_best.c: The threshold that the k best itemsets reach.
 */

/*
 * A threshold that at least k items reach, before items are pruned; of these, "others" may not count.  FirstMinsupOf() is for
 * those that are left, and returns no less than "least".
 */
extern uint32 FirstMinsup(const GpufimRows *rows, uint32 k, uint32 others);
extern uint32 FirstMinsupOf(const GpufimItems *items, uint32 k, uint32 least);

/*
 * Have the job count itemsets until the threshold of the spec->best of them is known: there are as many that reach it, or
 * it is "least".  The spec is that of the itemsets that count.
 */
extern uint32 MinsupOfBest(struct Job *job, FimItemsetsSpec *spec, const EngineCost *cost, const GpufimItems *items,
						   uint32 least);

/*
 * encode.c: From encoded rows to the database that the engine mines.
 */

/*
 * Take a small sample of the records that hold the required items; "kept" is the number of all
 * these records.  The sample's memory comes from the host and is freed by FimRowSampleEnd().
 */
extern void SampleRows(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items,
					   uint64 kept, FimHost *host);

/* The least time that each engine takes to mine these items' transactions. */
extern EngineCost ItemsetsCost(const GpufimItems *items);

/*
 * Build the job's database of all transactions that hold the required items, in a second pass
 * over the rows.  Frees the rows and their ledger.  The database belongs to the job.
 */
extern const FimDatabase *BuildDatabase(struct Job *job, GpufimRows *rows,
										const GpufimItems *items);

/* Add the job's database to the call's fingerprint. */
extern void AddDatabaseFingerprint(struct Job *job, const FimDatabase *db);

/*
 * result_rows.c: Turning itemsets and counts into rows of the SQL function's result.
 */

/* Create a sink for batches of itemsets, perhaps of the best ones, whose memory counts as scan.h says. */
extern RowSink *FrequentRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
								   const GpufimItems *items, int64 transactions, bool best);

/* Put out one row for every length at which there are itemsets. */
extern void EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally);

/* Add up the numbers of itemsets of all lengths, for a scan that refers to no column. */
extern int64 SumCounts(const FimTally *tally);

/*
 * candidates.c: The itemsets that the argument "candidates" names.
 */

/*
 * Read the array literals in a text[] that has no nulls, as arrays of the items of the rows.  The candidates' items are
 * their numbers in the dictionary, and candidates of which some item does not occur have none.  They
 * count in the ledger, but are not allocated in its memory.
 */
extern FimCandidates ReadCandidates(GpufimRows *rows, ArrayType *texts);

#endif							/* GPUFIM_ITEMSETS_H */
