/*-------------------------------------------------------------------------
 *
 * compact.h
 *	  Bit matrices with those columns of another in which one of its rows has a bit.
 *
 * A compaction takes some rows of a matrix, the members, and keeps those of their columns in
 * which another row of the same matrix, the prefix, has a bit.  The columns that are kept are
 * renumbered without gaps.  In mining, columns are transactions: a class's child has the
 * transactions of its prefix alone, so rows get shorter as supports do.  Layout, names and
 * errors are as in product.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_COMPACT_H
#define FIM_COMPACT_H

#include "bits/bit_matrix.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct FimCompaction
{
	FimMatrix	from;			/* the parent */
	FimMatrix	to;				/* the child: to.rows is the number of members, to.slabs the slabs that the
								 * columns of the prefix take, and to.skip the number of excluded members,
								 * which come first */
	uint64_t	members;		/* the index of the first member in the list of members */
	uint32_t	prefix;			/* the prefix's row; the parent's first row is from.first */
	uint32_t	part;			/* the index of its first part, unless to.slabs is 0 */
} FimCompaction;

/*
 * A part of the work, which one thread block does: up to FIM_COMPACTION_ROWS members of a
 * child, from member "first" on.
 */
#define FIM_COMPACTION_ROWS	64

typedef struct FimCompactionPart
{
	uint32_t	child;			/* the index of the compaction */
	uint32_t	first;
} FimCompactionPart;

/*
 * Makes the children.  The parts must cover each member of each child once.  "from" and "to"
 * are the buffers of lines of the parents and of the children.  "members" lists rows, of which
 * the first of each parent has the number from.first.  All arrays are device memory.
 */
extern cudaError_t FimCompactMatrices(const void *from, void *to, const FimCompaction *children,
									  const uint32_t *members, const FimCompactionPart *parts,
									  uint32_t nparts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_COMPACT_H */
