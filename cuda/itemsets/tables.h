/*-------------------------------------------------------------------------
 *
 * tables.h
 *	  All itemsets of a small class at once.
 *
 * With n members there are 2^n sets of them.  A table counts how many transactions of
 * the prefix have exactly each set, and adds up supersets.  So a whole subtree costs one
 * pass over the rows of the prefix and its members, which are read where the parent has
 * them.  See src/engine/itemsets/subset_table.c.
 *
 * Included by strategy "tensor": tensor_state.h, and tensor_emit.c through it; and by tables_work.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TABLES_H
#define FIM_TABLES_H

#include "bits/compact.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/itemsets.h"

/* A table has at most so many members to extend by. */
#define FIM_TABLE_MEMBERS	12

/* A table of maximal sets counts each excluded member with some sets, so it has only so many. */
#define FIM_MAXIMAL_EXCLUDED	64

/*
 * Whether a class of so many members to extend it, and so many excluded ones, is better
 * mined as a table.  A table goes through all of its sets, and at worst takes as long
 * again for each 64 excluded members.
 */
static inline FIM_HOST_DEVICE bool
FimIsTable(FimKind kind, uint32_t members, uint32_t excluded, uint32_t support)
{
	if (kind == FIM_MAXIMAL && excluded > FIM_MAXIMAL_EXCLUDED)
		return false;
	return members <= 7 ||
		(members <= FIM_TABLE_MEMBERS &&
		 (uint64_t) (1 + excluded / 64) << members <= (uint64_t) support * 8);
}

/*
 * Where the sets go.  pattern[] has class << 32 | set, and bit i of a set is the class's
 * member i after the excluded ones.  The sets of a class lie side by side in ascending
 * order.  There must be room for 2^members sets of each class.
 */
typedef struct FimPatterns
{
	uint64_t   *pattern;		/* device */
	uint32_t   *support;		/* device */
	unsigned long long *count;	/* device, added to */
} FimPatterns;

/*
 * Where sets are counted instead: one is added to counts[nperfect * lengths + length],
 * where length is that of the path, depth, and of the set together.
 */
typedef struct FimPatternCounts
{
	unsigned long long *counts; /* device; NULL if sets are listed */
	uint32_t	lengths;
	const uint32_t *depth;		/* device, of each class */
	const uint32_t *nperfect;	/* device, likewise */
} FimPatternCounts;

/*
 * Finds the frequent non-empty sets of members of classes first .. end - 1.  If the kind
 * is closed, only those sets count of whose transactions no other member, excluded or
 * not, has all; if it is maximal, those that no other member is frequent with.  from,
 * classes and source are as in FimCompactMatrices(), in device memory; the classes'
 * own rows need not have been made.
 */
extern cudaError_t FimMineTables(const void *from, const FimCompaction *classes,
								 const uint32_t *source, uint32_t first, uint32_t end,
								 uint32_t minsup, FimKind kind,
								 const FimPatterns *patterns,
								 const FimPatternCounts *counts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TABLES_H */
