/*-------------------------------------------------------------------------
 *
 * patterns.h
 *	  Rows as sets of columns, for what makes bit matrices of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PATTERNS_H
#define FIM_PATTERNS_H

#include "engine/hash.h"
#include "miner.h"

/*
 * Rows as sets of columns, before they are transposed.  The extensions are the last bits of
 * a row's first word.  Some of these bits may be columns that are no extensions of the
 * node, so "key" has the bits that are.  The excluded columns begin with the second word.
 */
typedef struct Patterns
{
	uint32_t	nrows;
	uint32_t	row_words;
	uint64_t	key;
	uint64_t   *words;			/* [nrows][row_words] */
	uint32_t   *weight;			/* [nrows] */
} Patterns;

/* A hash table, probed linearly, that finds a merged row by its extensions. */
typedef struct RowIndex
{
	uint64_t	mask;			/* the number of slots, a power of 2, less 1 */
	uint32_t   *slot;			/* [mask + 1] the row's number + 1, or 0 */
} RowIndex;

static inline uint64_t *
PatternsRow(const Patterns *rows, uint32_t r)
{
	return rows->words + (size_t) r * rows->row_words;
}

/* A word whose highest n bits are set. */
static inline uint64_t
LastBits(uint32_t n)
{
	return n == 0 ? 0 : UINT64_MAX << (64 - n);
}

/*
 * All functions take memory from the miner's arena, and leave by its jump if there is
 * none.
 *
 * PatternsInit() makes room for "most" rows and begins without any.
 */
extern void PatternsInit(Miner *m, uint64_t most, uint32_t row_words, uint64_t key, Patterns *rows);

/*
 * Give back the memory of the rows that there was room for and that have not been added.
 * Nothing may have been allocated from the arena since PatternsInit().
 */
extern void PatternsTrim(Miner *m, const Patterns *rows);

/* Make an index for at most "most" rows that differ in the bits of "key". */
extern void RowIndexInit(Miner *m, uint64_t most, uint64_t key, RowIndex *index);

/*
 * Add a row to the merged ones.  Rows with equal extensions become one row.  Of the columns
 * that are no extensions, the merged row has only those that all of these rows have.  That
 * is enough: a column covers an itemset of the subtree only if it is in all rows that hold
 * the itemset, and of rows with equal extensions either all hold it or none
 * ("interior intersection", LCM ver. 2, section 4).
 */
static inline void
MergeRow(Patterns *rows, const RowIndex *index, const uint64_t *row, uint32_t weight)
{
	uint64_t	key = row[0] & rows->key;
	uint64_t	s = FimHash64(key) & index->mask;
	uint64_t   *into;

	while (index->slot[s] != 0)
	{
		uint32_t	r = index->slot[s] - 1;

		into = PatternsRow(rows, r);
		if ((into[0] & rows->key) == key)
		{
			rows->weight[r] += weight;
			for (uint32_t w = 0; w < rows->row_words; w++)
				into[w] &= row[w];
			return;
		}
		s = (s + 1) & index->mask;
	}
	into = PatternsRow(rows, rows->nrows);
	for (uint32_t w = 0; w < rows->row_words; w++)
		into[w] = row[w];
	rows->weight[rows->nrows++] = weight;
	index->slot[s] = rows->nrows;
}

/* Merge rows in place, and give back the memory that this frees. */
extern void PatternsMerge(Miner *m, Patterns *rows);

#endif							/* FIM_PATTERNS_H */
