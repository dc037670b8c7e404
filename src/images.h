/*-------------------------------------------------------------------------
 *
 * images.h
 *	  Values of results, made ready once as the bytes that stand for them.
 *
 * There may be far more results than values, and each value is in many of them.  So its
 * bytes are made before the first result, and are only copied or pointed to from then on.
 * What they look like depends on where they go, into an array or into a row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_IMAGES_H
#define GPUFIM_IMAGES_H

#include "postgres.h"

#include "fmgr.h"
#include "read/ledger.h"
#include "utils/memutils.h"

/* Makes the images of values of one type. */
typedef struct ImageMaker
{
	MemoryContext context;
	MemoryLedger *ledger;
	const char *what;			/* what the images are, for messages */
	bool		as_text;		/* the results have the values as text */
	FmgrInfo	output;			/* the type's output function, if so */

	/* small images share blocks, each of which is twice as large as the last one */
	char	   *block;			/* where the next image goes */
	size_t		block_left;
	size_t		block_size;
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

/* The size of the largest array around which a row can still be allocated. */
#define IMAGES_LARGEST_ARRAY	(MaxAllocSize - 256)

#endif							/* GPUFIM_IMAGES_H */
