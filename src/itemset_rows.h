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
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ITEMSET_ROWS_H
#define GPUFIM_ITEMSET_ROWS_H

#include "postgres.h"

#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "results.h"
#include "scan/scan.h"
#include "utils/array.h"

/*
 * An array element as it stands in the array, aligned and padded.  As many bytes as most images have are always copied, because copying a
 * known number of bytes takes no call.  So there are at least so many.
 */
#define SHORT_IMAGE		16

typedef struct Image
{
	const char *bytes;
	uint32		size;
} Image;

/* An array that is being built. */
typedef struct ItemsetArray
{
	ArrayType  *array;
	size_t		size;
} ItemsetArray;

/* What the row maker of a family begins with whose first columns are itemsets. */
typedef struct ItemsetMaker
{
	RowMaker	rows;			/* must be first */
	const uint32 *next;			/* the batch's next record */

	/* all of what follows is only there if an itemset is wanted */
	Image	   *images;			/* by rank */
	uint32	   *ranks;			/* of items by their numbers */
	uint32	   *required;		/* the ranks of required items, ascending */
	ItemsetArray built;
} ItemsetMaker;

/*
 * Make a maker of this size, whose begin() is set, for a function whose result's first column is an itemset, and so
 * perhaps are others of the same type.  The memory counts as RowMakerCreate() says.
 */
extern void *ItemsetMakerCreate(Size size, FunctionCallInfo fcinfo, MemoryLedger *ledger,
								const GpufimItems *items, const ResultWords *words);

/*
 * Building an array: ArrayStart(), AppendImage() for each item in order, ArrayEnd().
 * A pointer says where the next item goes.
 */
extern char *ItemsetMakerGrowArray(ItemsetMaker *maker, char *at, size_t more);

static inline char *
ArrayStart(ItemsetMaker *maker)
{
	return (char *) maker->built.array + ARR_OVERHEAD_NONULLS(1);
}

static inline char *
AppendImage(ItemsetMaker *maker, char *at, uint32 rank)
{
	const Image *image = &maker->images[rank];
	ssize_t		copied = Max(image->size, SHORT_IMAGE);

	if (copied > (char *) maker->built.array + maker->built.size - at)
		at = ItemsetMakerGrowArray(maker, at, copied);
	memcpy(at, image->bytes, SHORT_IMAGE);
	if (image->size > SHORT_IMAGE)
		memcpy(at + SHORT_IMAGE, image->bytes + SHORT_IMAGE, image->size - SHORT_IMAGE);
	return at + image->size;
}

static inline Datum
ArrayEnd(ItemsetMaker *maker, const char *at, uint32 length)
{
	ARR_DIMS(maker->built.array)[0] = length;
	SET_VARSIZE(maker->built.array, at - (char *) maker->built.array);
	return PointerGetDatum(maker->built.array);
}

/*
 * For rows of two itemsets, of which each is good until the next row is made: another array to build, and putting it in
 * the place of the one that is built.
 */
extern void ItemsetMakerAddArray(ItemsetMaker *maker, ItemsetArray *other);

static inline void
ItemsetMakerSwapArray(ItemsetMaker *maker, ItemsetArray *other)
{
	ItemsetArray built = maker->built;

	maker->built = *other;
	*other = built;
}

/*
 * For a function that only counts: "count" results have this length.  PutLengthCount() puts out a row of
 * it; both add it to the call's figures.
 */
extern void CountLength(uint32 length, int64 count);
extern void PutLengthCount(FunctionCallInfo fcinfo, uint32 length, int64 count);

#endif							/* GPUFIM_ITEMSET_ROWS_H */
