/*-------------------------------------------------------------------------
 *
 * tables.h
 *	  All itemsets of a small class at once.
 *
 * With n members there are 2^n sets of them.  A table counts the transactions of the prefix
 * that have exactly each set, and adds up supersets.  So a whole subtree costs one pass over
 * the rows of the prefix and its members, which are read from the parent's matrix.  See
 * src/engine/itemsets/subset_table.c.
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

/* The most members of a table that are not excluded. */
#define FIM_TABLE_MEMBERS	12

/* The most excluded members of a table of maximal sets, which counts each of them with some sets. */
#define FIM_MAXIMAL_EXCLUDED	64

/*
 * Whether a class of "members" members that extend it, and "excluded" ones besides, is better
 * mined as a table.  "support" is that of its prefix.  A table goes through all of its sets,
 * and at worst takes as long again for each 64 excluded members.
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
 * Where the sets that are found are listed.  pattern[] has class << 32 | set, and bit i of a
 * set is the class's member i after the excluded ones.  The sets of a class lie side by side in
 * ascending order.  There must be room for 2^members sets of each class.
 */
typedef struct FimPatterns
{
	uint64_t   *pattern;		/* device */
	uint32_t   *support;		/* device */
	unsigned long long *count;	/* device; the number of sets is added to it */
} FimPatterns;

/*
 * Where the sets are counted instead: each adds one to counts[nperfect * lengths + depth +
 * length], where nperfect and depth are those of the set's class, and length is that of the
 * set.
 */
typedef struct FimPatternCounts
{
	unsigned long long *counts; /* device; NULL if sets are listed */
	uint32_t	lengths;
	const uint32_t *depth;		/* device, of each class: the length of its path */
	const uint32_t *nperfect;	/* device, of each class: items kept apart from the path */
} FimPatternCounts;

/*
 * Finds the frequent non-empty sets of members of classes first .. end - 1.  If the kind is
 * closed, a set is found only if no other member, excluded or not, is in all of its
 * transactions; if the kind is maximal, only if no other member is frequent with it.  from,
 * classes and source are as in FimCompactMatrices(), in device memory; the classes' own rows
 * need not have been made.
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
