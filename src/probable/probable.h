/*-------------------------------------------------------------------------
 *
 * probable.h
 *	  Itemsets of uncertain transactions: what a call asks for, and the rows that it reads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PROBABLE_H
#define GPUFIM_PROBABLE_H

#include "postgres.h"

#include "engine/engine.h"
#include "engine/family.h"
#include "fmgr.h"
#include "read/rows.h"
#include "utils/array.h"

/*
 * request.c: What a call of probable_itemsets() or probable_itemset_distribution() asks for, and
 * reading the source that it names.
 */

/* The source and the columns that a call reads. */
typedef struct UncertainSource
{
	char	   *source;			/* table name or parenthesized query */
	char	   *tid_column;		/* NULL in array form */
	char	   *item_column;	/* the items column in array form */
	const char *item_argument;	/* SQL argument's name of item_column, for messages */
	char	   *probability_column;
	Oid			type_sample;	/* wanted element type, or InvalidOid: text */
} UncertainSource;

/*
 * The arguments of a call, checked as far as is possible before the source is read.  Pointers
 * live as long as the call's memory context.
 */
typedef struct ProbableRequest
{
	bool		pairs;			/* set by the caller: the pair form; otherwise the array form */
	UncertainSource from;
	double		minsup;			/* as given: fraction below 1, count from 1 up */
	double		minprob;		/* NaN: select by expected support */
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
	FimKind		kind;
	bool		exact;
	ArrayType  *including_any;	/* text[] or NULL */
	FimPart		part;			/* of the results */
	ArrayType  *items;			/* text[]: the itemset whose distribution is wanted */
} ProbableRequest;

/*
 * Read and check the arguments of a call.  "request" is its ProbableRequest, in which the caller
 * has set "pairs".
 */
extern void ReadItemsetsRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadDistributionRequest(FunctionCallInfo fcinfo, void *request);

/* Read a source.  The rows' records have a probability for each item, or else one for all of them. */
extern GpufimRows *ReadUncertainRows(const UncertainSource *from, MemoryLedger *ledger);

/* Does each item of a record have its own probability? */
static inline bool
ProbabilityByEntry(const GpufimRows *rows)
{
	return rows->layout.value_words != 0;
}

#endif							/* GPUFIM_PROBABLE_H */
