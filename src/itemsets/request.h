/*-------------------------------------------------------------------------
 *
 * request.h
 *	  What a call of frequent_itemsets() or itemset_counts() asks for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_REQUEST_H
#define GPUFIM_REQUEST_H

#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "fmgr.h"
#include "utils/array.h"

/*
 * The arguments of a call, checked as far as is possible before the source is read.  Pointers
 * live as long as the call's memory context.
 */
typedef struct ItemsetsRequest
{
	const char *function;		/* SQL name, for progress and messages */
	bool		pairs;			/* the pair form; otherwise the array form */
	char	   *source;			/* table name or parenthesized query */
	char	   *tid_column;		/* NULL in array form */
	char	   *item_column;	/* the items column in array form */
	const char *item_argument;	/* SQL argument's name of item_column, for messages */
	Oid			type_sample;	/* wanted element type, or InvalidOid: text */
	double		minsup;			/* as given: fraction below 1, count from 1 up */
	FimKind		kind;
	bool		count_only;
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
} ItemsetsRequest;

/*
 * Read and check the arguments of a call.  "request" is its ItemsetsRequest, in which the caller
 * has set "function", "pairs" and "count_only".
 */
extern void ReadRequest(FunctionCallInfo fcinfo, void *request);

#endif							/* GPUFIM_REQUEST_H */
