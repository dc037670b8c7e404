/*-------------------------------------------------------------------------
 *
 * kernels.h
 *	  The inner loops on bits, one set per instruction set.
 *
 * A bit matrix is stored by word: words[w * stride + c] holds 64 transactions
 * of column c, and stride is a multiple of 8, so that one 512-bit load takes
 * the same 64 transactions of 8 columns.  Counting one column against all
 * others is then AND with a broadcast, popcount, add: no horizontal sums, and
 * short bitmaps (64 transactions) cost one instruction for 8 items.
 *
 * Merged transactions have weights.  A word carries a shift s: each of its bits
 * stands for 2^s transactions, and a row of weight 5 has a bit in a word of
 * shift 0 and one in a word of shift 2.  So weighted counting needs one more
 * shift per word and no weight planes.
 *
 * Included by the miners, by isa.c, which chooses a set, and by the sets themselves.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KERNELS_H
#define FIM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To a multiple of 8, as columns of a BitMatrix and words of a ColumnMatrix are. */
static inline uint32_t
RoundUp8(uint32_t n)
{
	return (n + 7) & ~UINT32_C(7);
}

typedef struct BitMatrix
{
	uint64_t   *words;			/* [nwords][stride], unused columns zero */
	const uint8_t *shift;		/* [nwords], or NULL if all are 0 */
	const uint32_t *origin;		/* [nwords] words of the matrix that has the rows, or NULL: these */
	uint32_t	nwords;
	uint32_t	stride;			/* columns, rounded up to a multiple of 8 */
} BitMatrix;

/* The same transactions row by row, with all columns of a class as bits. */
typedef struct RowMatrix
{
	uint64_t   *words;			/* [nrows][row_words], unused columns zero */
	uint32_t	row_words;
	uint32_t	ncolumns;
} RowMatrix;

/* The same by column, words[c * nwords + w], to AND many columns. */
typedef struct ColumnMatrix
{
	uint64_t   *words;
	uint8_t    *shift;			/* [nwords] */
	uint32_t	nwords;			/* a multiple of 8 */
} ColumnMatrix;

/* Which columns choose_columns() takes: those that hold the row and weigh enough. */
typedef struct RowChoice
{
	uint32_t	row;
	const uint64_t *within;		/* [nplanes][nwords] the rows that count, 2^p each in plane p */
	uint32_t	nplanes;
	uint32_t	least;			/* weight */
} RowChoice;

/* What find_cover() returns if there is no such candidate. */
#define FIM_NOT_COVERED	UINT32_MAX

/*
 * Panels are bit matrices for products: a word of each row, one beside the other, then the
 * next word of each: words[w * rows + r].  The left panels of a product have fewer rows than
 * the right ones, as many as the registers have room for the cells of both.
 */
#define FIM_LEFT_PANEL	4
#define FIM_RIGHT_PANEL 32

/* Longest row for sort_row(). */
#define FIM_SHORT_ROW	64

/* Items beyond a row that sort_by_bits() may write. */
#define FIM_SORT_EXTRA	4

typedef struct FimKernels
{
	const char *name;

	/*
	 * What a word of rows costs in histogram(), and as much again in common_columns(): in
	 * subset_table.c, a table of closed itemsets is weighed by it against a search.
	 */
	double		table_word_cost;

	/*
	 * counts[c] = weighted bits that column c shares with column j, for
	 * c < ncols rounded up to 8 (counts has room for that).
	 */
	void		(*count_column) (const BitMatrix *m, uint32_t j, uint32_t ncols,
								 uint32_t *counts);

	/*
	 * mask[c / 8] bit c % 8 = (counts[c] >= least), for c < ncols; bits beyond
	 * are 0.  Returns the number of bits set.
	 */
	uint32_t	(*at_least) (const uint32_t *counts, uint32_t ncols, uint32_t least,
							 uint8_t *mask);

	/*
	 * Write to "to" the columns of "from" that mask selects, ANDed with column
	 * j, leaving out the words in which column j has no bit.  Columns come in
	 * their order.  to->words has room for from->nwords * to->stride words and 8
	 * more, to_shift for from->nwords; sets to->nwords.  to_origin, NULL where
	 * nobody asks, has the same room and becomes to->origin.
	 */
	void		(*project) (const BitMatrix *from, uint32_t j, const uint8_t *mask,
							uint32_t ncols, BitMatrix *to, uint8_t *to_shift,
							uint32_t *to_origin);

	/*
	 * A candidate from bit "first" on that all transactions have that columns i and j of
	 * m share, or FIM_NOT_COVERED.  Of several it is the last one, or one near it.  The
	 * transaction of bit b of word w of m is row m->origin[w] * 64 + b.  Columns i and j
	 * share some.
	 */
	uint32_t	(*find_cover) (const BitMatrix *m, uint32_t i, uint32_t j, const RowMatrix *rows,
							   uint32_t first, const uint64_t *candidates);

	/*
	 * table[p] = transactions whose bits in columns 0 .. ncols-1 are exactly p,
	 * for all p but 0, whose entry is undefined; ncols <= 16.  Tables have
	 * 1 << ncols entries, but at least 64: those beyond are zeros.
	 */
	void		(*histogram) (const BitMatrix *m, uint32_t ncols, uint32_t *table);

	/* table[p] = sum of the entries of all supersets of p (zeta transform); ncols >= 6. */
	void		(*superset_sums) (uint32_t *table, uint32_t ncols);

	/*
	 * common[p] = those of the 64 candidates from "first" on that all transactions
	 * have whose bits in columns 0 .. ncols-1 of m are exactly p, for all p but 0;
	 * all ones where there is none.  rows are as in find_cover().  1 << ncols
	 * entries, but at least 64.
	 */
	void		(*common_columns) (const BitMatrix *m, uint32_t ncols, const RowMatrix *rows,
								   uint32_t first, const uint64_t *candidates, uint64_t *common);

	/* common[p] = AND over all supersets of p; ncols >= 6. */
	void		(*superset_ands) (uint64_t *common, uint32_t ncols);

	/*
	 * Clear the bits p in closed of which a superset by one column has the same
	 * entry, or whose common[p] is not 0 (common may be NULL); ncols >= 6.
	 */
	void		(*closed_bits) (const uint32_t *table, const uint64_t *common,
								uint32_t ncols, uint64_t *closed);

	/*
	 * Write the columns of the first ncols that are chosen to "to", which has the
	 * room and the stride of m, and what tag has for them to to_tag, which has as
	 * much room as m has columns.  Returns how many.
	 */
	uint32_t	(*choose_columns) (const BitMatrix *m, uint32_t ncols, const uint32_t *tag,
								   const RowChoice *choice, uint64_t *to, uint32_t *to_tag);

	/* Whether some of the first ncols columns weighs least or more, but less than most. */
	bool		(*some_weigh) (const BitMatrix *m, uint32_t ncols, const uint64_t *within,
							   uint32_t nplanes, uint32_t least, uint32_t most);

	/* The AND and the OR of n words. */
	void		(*combine) (const uint64_t *word, uint32_t n, uint64_t *every, uint64_t *some);

	/* Bit r of word c becomes bit c of word r, in place. */
	void		(*transpose) (uint64_t word[64]);

	/* The weighted transactions that all n listed columns have. */
	uint64_t	(*common_support) (const ColumnMatrix *m, const uint32_t *column, uint32_t n);

	/* AND tids, [nwords], with column c.  Returns the weighted transactions left. */
	uint32_t	(*and_column) (const BitMatrix *m, uint32_t c, uint64_t *tids);

	/*
	 * The weighted transactions of column j that lack some of the n listed columns; if
	 * they are more than "most", maybe not all of them, but more than that.
	 */
	uint64_t	(*lacking) (const BitMatrix *m, uint32_t j, const uint32_t *column, uint32_t n,
							uint64_t most);

	/*
	 * Sort a row of at most FIM_SHORT_ROW distinct items.  An item's place is the
	 * number of items below it, which are counted without branches that could be
	 * mispredicted.
	 */
	void		(*sort_row) (uint32_t *items, uint32_t n);

	/*
	 * Sort a row of distinct items below nwords * 64 by a bit for each: bits,
	 * [nwords], are all clear before and after.  FIM_SORT_EXTRA items after the row
	 * lose what they hold.
	 */
	void		(*sort_by_bits) (uint32_t *items, uint32_t n, uint64_t *bits, uint32_t nwords);

	/*
	 * Add to counts[l * stride + r], for each row l of a left panel and r of a right one, the
	 * bits that they share in nwords words.
	 */
	void		(*count_panels) (const uint64_t *left, const uint64_t *right, uint32_t nwords,
								 uint32_t *counts, size_t stride);

	/*
	 * Set bit r of any[l * stride] for each row l of a left panel and r of a right one that share a
	 * bit, until all of these are set.  Returns whether all are.
	 */
	bool		(*any_panels) (const uint64_t *left, const uint64_t *right, uint32_t nwords,
							   uint32_t *any, size_t stride);

	/*
	 * The bytes of a and b that agree in their lower 7 bits while one of both has its
	 * highest bit set, of n bytes; n is a multiple of 64.
	 */
	uint32_t	(*count_matches) (const uint8_t *a, const uint8_t *b, uint32_t n);

	/* frequent bit p = (table[p] >= minsup); (1 << ncols) bits, ncols >= 6. */
	void		(*frequent_bits) (const uint32_t *table, uint32_t ncols, uint32_t minsup,
								  uint64_t *frequent);
} FimKernels;

extern const FimKernels *FimCurrentKernels(void);

extern const FimKernels FimKernelsPortable;
#if defined(__x86_64__) && defined(__GNUC__)
#define FIM_X86_KERNELS
extern const FimKernels FimKernelsAvx2;
extern const FimKernels FimKernelsAvx512;
#endif

#endif							/* FIM_KERNELS_H */
