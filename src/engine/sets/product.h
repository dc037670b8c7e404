/*-------------------------------------------------------------------------
 *
 * product.h
 *	  The data as the CPU engine uses them, with what cpu_prepare() adds: the right
 *	  relation by key, and blocks of left values, which are the units of work.
 *
 * A path is a left and a right value with one key in common: a row of the join before
 * it is projected.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PRODUCT_H
#define FIM_SETS_PRODUCT_H

#include "engine/ascending.h"
#include "sets.h"

/* The most blocks.  They are so many that workers end at about the same time. */
#define FIM_SETS_MOST_BLOCKS		4096

typedef struct Side
{
	const uint64_t *start;		/* [nvalues + 1] */
	const uint32_t *value;		/* [nvalues] the caller's number of the value of each rank */
	const uint32_t *key;		/* the keys of rank r are key[start[r]] .. key[start[r + 1] - 1] */
	uint32_t	nvalues;
	uint32_t	longest;		/* the most keys that a value has */
} Side;

typedef struct Product
{
	const FimSetsData *data;
	Side		left;
	Side		right;
	const uint64_t *key_start;	/* [nkeys + 1] */
	const uint32_t *rank;		/* the right ranks of key k are rank[key_start[k]] .., ascending */
	const uint32_t *block;		/* [nblocks + 1] block b has the left ranks block[b] .. block[b + 1] - 1;
								 * blocks have about the same number of paths */
	uint32_t	nkeys;
	uint32_t	nblocks;
	bool		one;			/* left and right are the same relation */
} Product;

extern void ProductInit(Product *product, const FimSetsData *data);

static inline uint32_t
SideLength(const Side *side, uint32_t rank)
{
	return (uint32_t) (side->start[rank + 1] - side->start[rank]);
}

/* cpu_size() and cpu_prepare() of the family. */
extern size_t ProductSize(const FimData *data);
extern bool ProductPrepare(FimData *data, FimHost *host);

#endif							/* FIM_SETS_PRODUCT_H */
