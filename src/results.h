/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Turning results into rows, as far as functions have that in common: batches of results,
 *	  the images of their values, and itemsets made of these.
 *
 * Whoever puts out results does so in batches, between ResultsBegin() and ResultsEnd().  There
 * the results are counted, and how long it takes to make rows of them and how many bytes of
 * these come to lie in temporary files.  There gpufim.max_results is checked, and users are told when
 * results take much of the disk.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_RESULTS_H
#define GPUFIM_RESULTS_H

#include "postgres.h"

#include "engine/engine.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/* What messages call the results, and what they consist of. */
typedef struct ResultWords
{
	const char *result;
	const char *results;		/* in the plural */
	const char *elements;		/* in the plural */
	const char *hint;			/* how to get fewer results */
} ResultWords;

typedef struct ResultBatch
{
	const ResultWords *words;
	size_t		nresults;
	instr_time	start;
	int64		blocks;			/* that this process had written to temporary files at the start */
} ResultBatch;

/* ResultsBegin() raises an error if the batch would exceed gpufim.max_results or its limit. */
extern void ResultsBegin(ResultBatch *batch, const ResultWords *words, size_t nresults);
extern void ResultsEnd(ResultBatch *batch);

/* Forget what was put out or counted: the job starts over, or its results were not the call's. */
extern void ResultsForget(void);

/* Raises an error if so many results exceed gpufim.max_results. */
extern void CheckResults(uint64 nresults, const ResultWords *words);

/*
 * Values of results, made ready once as the bytes that stand for them.
 *
 * There may be far more results than values, and each value is in many of them.  So its
 * bytes are made before the first result, and are only copied or pointed to from then on.
 * What they look like depends on where they go, into an array or into a row.
 */

/* Makes the images of values of one type. */
typedef struct ImageMaker
{
	MemoryContext context;
	MemoryLedger *ledger;
	const char *what;			/* what the images are, for messages */
	bool		as_text;		/* the results have the values as text */
	FmgrInfo	output;			/* the type's output function, if so */

	/* small images share blocks, each of which is twice as large as the last one, up to a megabyte */
	char	   *block;			/* where the next image goes */
	size_t		block_left;
	size_t		block_size;		/* of the next block */
} ImageMaker;

/*
 * Set up a maker of images of values of "type".  If result_type is text and "type" is another
 * one, the images are those of the values as text.  They are allocated in the memory context
 * that is current now, and count in the ledger.
 */
extern void ImageMakerInit(ImageMaker *maker, MemoryLedger *ledger, Oid type, Oid result_type,
						   const char *what);

/*
 * Returns a value as the results have it.  The caller must have switched to the ledger's
 * scratch context: all that is allocated for the value, other than its image, is garbage.
 */
extern Datum ImageValue(ImageMaker *maker, Datum value);

/*
 * Allocates zeroed bytes for an image.  They are not aligned, unless the sizes of all images
 * are multiples of MAXIMUM_ALIGNOF.
 */
extern char *ImageBytes(ImageMaker *maker, size_t size);

/*
 * Turning itemsets into rows, as far as families have that in common.
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
 */

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

/* Make room in lengths[] for itemsets of "length" items. */
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

#endif							/* GPUFIM_RESULTS_H */
