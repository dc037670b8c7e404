/*-------------------------------------------------------------------------
 *
 * compact.h
 *	  Bit matrices with only those columns of another that one of its rows has.
 *
 * A compaction takes some rows of a matrix, the members, and of their columns those
 * where another row of the same matrix, the prefix, has a bit.  These columns are
 * renumbered, so that the new matrix has no others.  In mining, columns are
 * transactions: a class's child has the transactions of its prefix alone, so rows get
 * shorter as supports do.  Layout, names and errors are as in product.h.
 *
 * Included by strategy "tensor" of itemsets.
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
	FimMatrix	to;				/* the child.  to.rows is the number of members, to.slabs what
								 * the columns take that the prefix has, to.skip how many of
								 * the first members are only carried along */
	uint64_t	members;		/* the index of the first member in the list of members */
	uint32_t	prefix;			/* the prefix's row, by the name that from.first gives rows */
	uint32_t	part;			/* the index of the first part, unless to.slabs is 0 */
} FimCompaction;

/*
 * A part of the work, which a thread block does: the members of a child from "first" on, up to
 * FIM_COMPACTION_ROWS of them.
 */
#define FIM_COMPACTION_ROWS	64

typedef struct FimCompactionPart
{
	uint32_t	child;			/* the index of the compaction */
	uint32_t	first;
} FimCompactionPart;

/*
 * Makes the children, all of whose members must be in one part each.  "from" and "to"
 * are the buffers of lines of parents and children, and members lists rows by the
 * names that their parents give them.  All arrays are device memory.
 */
extern cudaError_t FimCompactMatrices(const void *from, void *to, const FimCompaction *children,
									  const uint32_t *members, const FimCompactionPart *parts,
									  uint32_t nparts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_COMPACT_H */
