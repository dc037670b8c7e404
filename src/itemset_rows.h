/*-------------------------------------------------------------------------
 *
 * itemset_rows.h
 *	  Turning itemsets into rows, as far as families have that in common.
 *
 * Results are often what most of a call's time goes to, so a row costs one walk
 * over its items.  Every item's array element is made once, as the very bytes
 * that stand for it in an array, padding included; an itemset's array is a header
 * and copies of such images.  Items are known by their rank in the sort order of
 * their type, required items included, so sorting an itemset is sorting integers.
 *
 * An episode's events are items here, too, in an order of their own.
 *
 * A family's sink begins with an ItemsetRows and puts out one record after the other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ITEMSET_ROWS_H
#define GPUFIM_ITEMSET_ROWS_H

#include "postgres.h"

#include "engine/engine.h"
#include "fmgr.h"
#include "images.h"
#include "items.h"
#include "results.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

struct Job;

/* An array element as it stands in the array, aligned and padded. */
typedef struct Image
{
	const char *bytes;
	uint32		size;
} Image;

struct ItemsetRows;

/* Puts out the result of a record, by PutItemset(), and returns where the next record begins. */
typedef const uint32_t *(*PutRecord) (struct ItemsetRows *rows, const uint32_t *record);

/* What a family's sink begins with. */
typedef struct ItemsetRows
{
	FimSink		sink;			/* must be first */
	PutRecord	put;
	MemoryContext context;
	Tuplestorestate *store;
	TupleDesc	desc;
	const ResultWords *words;
	const char *results_found;	/* "the itemsets found" */
	const char *elements_found; /* "the items of the itemsets found" */

	Oid			element_type;
	int16		element_length;
	bool		element_byval;
	char		element_align;
	ImageMaker	maker;
	Image	   *images;			/* by rank */

	/* what counts the memory: the ledger until the rows are encoded, then the job */
	MemoryLedger *ledger;
	struct Job *job;

	uint32		max_length;		/* of an itemset that there is room for in lengths[] */
	int64	   *lengths;		/* itemsets by length, RunLengths() */
	uint32		length;			/* of the itemset that was put out last */
	ArrayType  *array;			/* the one being built */
	size_t		array_size;
	ResultBatch batch;
} ItemsetRows;

/*
 * Set up an ItemsetRows, which the caller has zeroed, for a function whose result's first
 * column is the items.  The memory counts in the ledger until ItemsetRowsUseJob(); from then
 * on it counts in the job, and the ledger may be destroyed.
 */
extern void ItemsetRowsInit(ItemsetRows *rows, PutRecord put, const ResultWords *words,
							FunctionCallInfo fcinfo, MemoryLedger *ledger,
							const GpufimItems *items);
extern void ItemsetRowsUseJob(ItemsetRows *rows, struct Job *job);

/* Resize a block, and count what it takes more.  The block may be NULL if old_size is 0. */
extern void *ItemsetRowsResize(ItemsetRows *rows, void *block, size_t old_size, size_t size);

/* Make room for itemsets of "length" items. */
extern void ItemsetRowsGrow(ItemsetRows *rows, uint32 length);

/* To be called before and after each batch of results that does not come from the engine. */
extern void ItemsetRowsBeginBatch(ItemsetRows *rows, size_t nresults);
extern void ItemsetRowsEndBatch(ItemsetRows *rows);

/*
 * Building an array: ArrayStart(), AppendImage() for each item in order, ArrayEnd().
 * A pointer says where the next item goes.
 */
extern char *ItemsetRowsGrowArray(ItemsetRows *rows, char *at, size_t more);

static inline char *
ArrayStart(ItemsetRows *rows)
{
	return (char *) rows->array + ARR_OVERHEAD_NONULLS(1);
}

static inline char *
AppendImage(ItemsetRows *rows, char *at, uint32 rank)
{
	const Image *image = &rows->images[rank];

	if (image->size > (char *) rows->array + rows->array_size - at)
		at = ItemsetRowsGrowArray(rows, at, image->size);
	memcpy(at, image->bytes, image->size);
	return at + image->size;
}

static inline Datum
ArrayEnd(ItemsetRows *rows, const char *at, uint32 length)
{
	ARR_DIMS(rows->array)[0] = length;
	SET_VARSIZE(rows->array, at - (char *) rows->array);
	return PointerGetDatum(rows->array);
}

/* Puts out a row, whose itemset has "length" items. */
static inline void
PutItemset(ItemsetRows *rows, uint32 length, Datum *values, bool *nulls)
{
	tuplestore_putvalues(rows->store, rows->desc, values, nulls);
	rows->lengths[length]++;
	rows->length = length;
}

/*
 * Put out a row of a function that only counts: "count" results have this length.  They are
 * added to the call's figures.
 */
extern void PutLengthCount(FunctionCallInfo fcinfo, uint32 length, int64 count);

#endif							/* GPUFIM_ITEMSET_ROWS_H */
