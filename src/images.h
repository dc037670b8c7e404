/*-------------------------------------------------------------------------
 *
 * images.h
 *	  Values of results, made ready once as the bytes that stand for them.
 *
 * There may be far more results than values, and each value is in many of them.  So its
 * bytes are made before the first result, and are only copied or pointed to from then on.
 * What they look like depends on where they go, into an array or into a row.
 *
 * Included by whatever turns results into rows, and by forecast.c.
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
	FmgrInfo	output;			/* if so */

	/* small images share blocks, of which each is twice as large as the last */
	char	   *block;			/* where the next image goes */
	size_t		block_left;
	size_t		block_size;
} ImageMaker;

/*
 * Images of values of a type, as text if the results are of type text and the values of
 * another.  They are the current memory context's, and count in the ledger.
 */
extern void ImageMakerInit(ImageMaker *maker, MemoryLedger *ledger, Oid type, Oid result_type,
						   const char *what);

/*
 * The value as the results have it.  What that takes, and what the caller makes of it
 * but for the image, is garbage of the ledger's scratch context.
 */
extern Datum ImageValue(ImageMaker *maker, Datum value);

/*
 * Zeroed bytes for an image, which are aligned to nothing, unless the sizes of all images are
 * multiples of MAXIMUM_ALIGNOF.
 */
extern char *ImageBytes(ImageMaker *maker, size_t size);

/* A row around an array of this size can still be allocated. */
#define IMAGES_LARGEST_ARRAY	(MaxAllocSize - 256)

/*
 * What an array of images of so many bytes takes at most: while it is built, it doubles as it
 * grows, and the result's row has a copy of it.
 */
static inline double
ImagesArrayBytes(double bytes)
{
	return 2 * Min(2 * bytes, IMAGES_LARGEST_ARRAY);
}

#endif							/* GPUFIM_IMAGES_H */
