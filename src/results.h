/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Turning results into rows, as far as functions have that in common: batches of results, and
 *	  the images of their values.
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

#include "access/tupdesc.h"
#include "engine/engine.h"
#include "fmgr.h"
#include "gpufim.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

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

/* Values that rows have by their numbers. */
typedef struct ValueList
{
	Oid			type;
	uint32		n;
	Datum		(*value) (const void *of, uint32 i);	/* NULL: the values are the numbers of rows, which are counted from 1 */
	const void *of;
	const char *what;			/* what the images are, for messages */
} ValueList;

/*
 * Returns the images of values in the form of a column of the result, in the memory context that is current now; a varlena value
 * gets a short header if possible.  They count in the ledger.  *least becomes the size of the smallest one.
 */
extern Datum *ValueImages(MemoryLedger *ledger, const ValueList *values, Form_pg_attribute column, Size *least);

#endif							/* GPUFIM_RESULTS_H */
