/*-------------------------------------------------------------------------
 *
 * compact.h
 *	  The rows of a class's children, with the children's transactions alone.
 *
 * The transactions of a child are those of its prefix row.  Renumbering them
 * leaves nothing but these: rows get as short as the child's support, so that
 * going down a level the products shrink with the supports.  Layout, names and
 * errors are as in product.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_COMPACT_H
#define FIM_COMPACT_H

#include "bits/product.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* A child's rows: to.slabs is the prefix's support in slabs, rounded up. */
typedef struct FimCompact
{
	FimClass	from;
	FimClass	to;				/* to.rows says how many members, to.skip how many of these
								 * come first and are not extended by, the excluded ones */
	uint64_t	members;		/* index of its first in the list of members */
	uint32_t	prefix;			/* called as pairs call it, like the members */
	uint32_t	part;			/* index of its first part, if to.slabs is not 0 */
} FimCompact;

/* A part of the work: members first .. first + FIM_COMPACT_MEMBERS - 1 of a child. */
#define FIM_COMPACT_MEMBERS	64

typedef struct FimCompactPart
{
	uint32_t	child;
	uint32_t	first;
} FimCompactPart;

/* All arrays in device memory; every member of every child is in one part. */
extern cudaError_t FimCompactChildren(const void *from, void *to, const FimCompact *children,
									  const uint32_t *members, const FimCompactPart *parts,
									  uint32_t nparts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_COMPACT_H */
