/*-------------------------------------------------------------------------
 *
 * kernels.h
 *	  The inner loops on bits, one set per instruction set.
 *
 * A bit matrix is stored by word: words[w * stride + c] holds 64 transactions of column c, and
 * stride is a multiple of 8, so that one 512-bit load takes the same 64 transactions of 8
 * columns.  Counting one column against all others then takes an AND with a broadcast word, a
 * popcount and an addition for 8 columns.  There are no horizontal sums, and short bitmaps (64
 * transactions) take one instruction of each kind for 8 items.
 *
 * Merged transactions have weights.  A word carries a shift s: each of its bits stands for 2^s
 * transactions, and a row of weight 5 has a bit in a word of shift 0 and one in a word of shift
 * 2.  So weighted counting takes one more shift for each word, and no weight planes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KERNELS_H
#define FIM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Round up to a multiple of 8, as the columns of a BitMatrix and the words of a ColumnMatrix are. */
static inline uint32_t
RoundUp8(uint32_t n)
{
	return (n + 7) & ~UINT32_C(7);
}

typedef struct BitMatrix
{
	uint64_t   *words;			/* [nwords][stride], unused columns zero */
	const uint8_t *shift;		/* [nwords], or NULL if all are 0 */
	const uint32_t *origin;		/* [nwords], of each word: its index in the matrix that a RowMatrix was
								 * made of; NULL: the same index */
	uint32_t	nwords;
	uint32_t	stride;			/* columns, rounded up to a multiple of 8 */
} BitMatrix;

/* The same transactions as rows, each with all columns of a class as bits. */
typedef struct RowMatrix
{
	uint64_t   *words;			/* [nrows][row_words], unused columns zero */
	uint32_t	row_words;
	uint32_t	ncolumns;
} RowMatrix;

/* The same transactions by column, words[c * nwords + w], for the AND of many columns. */
typedef struct ColumnMatrix
{
	uint64_t   *words;
	uint8_t    *shift;			/* [nwords] */
	uint32_t	nwords;			/* a multiple of 8 */
} ColumnMatrix;

/* Which columns choose_columns() takes: those that have the row, and whose rows weigh enough. */
typedef struct RowChoice
{
	uint32_t	row;
	const uint64_t *within;		/* [nplanes][nwords], the rows that are weighed: those of plane p weigh
								 * 2^p each */
	uint32_t	nplanes;
	uint32_t	least;			/* least weight of a column */
} RowChoice;

/* What find_cover() returns if no candidate covers. */
#define FIM_NOT_COVERED	UINT32_MAX

/*
 * Panels are bit matrices for products: words[w * rows + r], so first a word of each row, then
 * the next word of each row.  A left panel has fewer rows than a right one, and the cells of
 * their product fit into the registers.
 */
#define FIM_LEFT_PANEL	4
#define FIM_RIGHT_PANEL 32

/* The longest row that sort_row() sorts. */
#define FIM_SHORT_ROW	64

/* The number of items after a row that sort_by_bits() may overwrite. */
#define FIM_SORT_EXTRA	4

typedef struct FimKernels
{
	const char *name;

	/*
	 * About how many cycles histogram() takes for a word of rows; common_columns() takes as many
	 * for each 64 candidates.  subset_table.c compares the cost of a table of closed itemsets
	 * with that of a search by it.
	 */
	double		table_word_cost;

	/*
	 * counts[c] = weighted number of bits that column c shares with column j, for all c below
	 * ncols rounded up to a multiple of 8; counts[] must have room for these.
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
	 * Write to "to" the columns of "from" that mask selects, ANDed with column j, without the
	 * words in which column j has no bit.  The columns keep their order.  to->words must have
	 * room for from->nwords * to->stride words and 8 more, and to_shift for from->nwords; sets
	 * to->nwords.  to_origin, which is NULL if nobody needs it, must have as much room as
	 * to_shift and becomes to->origin.
	 */
	void		(*project) (const BitMatrix *from, uint32_t j, const uint8_t *mask,
							uint32_t ncols, BitMatrix *to, uint8_t *to_shift,
							uint32_t *to_origin);

	/*
	 * Returns a candidate, from bit "first" on, that is in all transactions that columns i and j
	 * of m share, or FIM_NOT_COVERED if there is none.  If there are several, it is the last one
	 * or one near it.  Bit b of word w of m is the transaction in row m->origin[w] * 64 + b of
	 * "rows".  Columns i and j must share at least one transaction.
	 */
	uint32_t	(*find_cover) (const BitMatrix *m, uint32_t i, uint32_t j, const RowMatrix *rows,
							   uint32_t first, const uint64_t *candidates);

	/*
	 * table[p] = number of transactions whose bits in columns 0 .. ncols-1 are exactly p, for all
	 * p but 0, whose entry is undefined; ncols <= 16.  Tables have 1 << ncols entries, but at
	 * least 64, of which those from 1 << ncols on are zeros.
	 */
	void		(*histogram) (const BitMatrix *m, uint32_t ncols, uint32_t *table);

	/* table[p] = sum of the entries of all supersets of p (zeta transform); ncols >= 6. */
	void		(*superset_sums) (uint32_t *table, uint32_t ncols);

	/*
	 * common[p] = those of the 64 candidates from "first" on that are in all transactions whose
	 * bits in columns 0 .. ncols-1 of m are exactly p, for all p but 0; all ones if there is no
	 * such transaction.  "rows" are as in find_cover().  common[] has 1 << ncols entries, but at
	 * least 64.
	 */
	void		(*common_columns) (const BitMatrix *m, uint32_t ncols, const RowMatrix *rows,
								   uint32_t first, const uint64_t *candidates, uint64_t *common);

	/* common[p] = AND over all supersets of p; ncols >= 6. */
	void		(*superset_ands) (uint64_t *common, uint32_t ncols);

	/*
	 * Clear each bit p in closed[] if a superset of p by one column has the same entry in
	 * table[], or if common[p] is not 0 (common may be NULL); ncols >= 6.
	 */
	void		(*closed_bits) (const uint32_t *table, const uint64_t *common,
								uint32_t ncols, uint64_t *closed);

	/*
	 * Choose columns among the first ncols.  Writes them to to[], which has the stride and the
	 * room of m's words, and their tags from tag[] to to_tag[], which has room for as many as m
	 * has columns.  Returns the number of chosen columns.
	 */
	uint32_t	(*choose_columns) (const BitMatrix *m, uint32_t ncols, const uint32_t *tag,
								   const RowChoice *choice, uint64_t *to, uint32_t *to_tag);

	/* Does some column of the first ncols weigh at least "least", but less than "most"? */
	bool		(*some_weigh) (const BitMatrix *m, uint32_t ncols, const uint64_t *within,
							   uint32_t nplanes, uint32_t least, uint32_t most);

	/* *every = AND, *some = OR of n words. */
	void		(*combine) (const uint64_t *word, uint32_t n, uint64_t *every, uint64_t *some);

	/* Bit r of word c becomes bit c of word r, in place. */
	void		(*transpose) (uint64_t word[64]);

	/* Returns the weighted number of transactions that all n listed columns have. */
	uint64_t	(*common_support) (const ColumnMatrix *m, const uint32_t *column, uint32_t n);

	/* AND tids[nwords] with column c.  Returns the weighted number of transactions left. */
	uint32_t	(*and_column) (const BitMatrix *m, uint32_t c, uint64_t *tids);

	/*
	 * to[nwords] = a AND b, where nwords is a multiple of 8 and "to" may be one of them.  Returns the
	 * weighted number of transactions in it.
	 */
	uint32_t	(*and_words) (const uint64_t *a, const uint64_t *b, const uint8_t *shift,
							  uint32_t nwords, uint64_t *to);

	/*
	 * Returns the weighted number of transactions of column j that lack at least one of the n
	 * listed columns.  If that is more than "most", the function may stop early and return any
	 * number above "most" up to it.
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
	 * Sort a row of distinct items below nwords * 64 by setting a bit for each: bits[nwords] are
	 * all clear before and after the call.  The FIM_SORT_EXTRA items after the row may be
	 * overwritten.
	 */
	void		(*sort_by_bits) (uint32_t *items, uint32_t n, uint64_t *bits, uint32_t nwords);

	/*
	 * For each row l of a left panel and row r of a right one, add to counts[l * stride + r] the
	 * number of bits that they share in nwords words.
	 */
	void		(*count_panels) (const uint64_t *left, const uint64_t *right, uint32_t nwords,
								 uint32_t *counts, size_t stride);

	/*
	 * For each row l of a left panel and row r of a right one that share a bit, set bit r of
	 * any[l * stride]. May stop when all of these are set.  Returns whether all are set.
	 */
	bool		(*any_panels) (const uint64_t *left, const uint64_t *right, uint32_t nwords,
							   uint32_t *any, size_t stride);

	/*
	 * Returns the number of positions, of n, at which the bytes of a and b agree in their lower 7
	 * bits and at least one of both has its highest bit set.  n is a multiple of 64.
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

/*
 * isa.c: Which of the processor's instruction sets the CPU engine uses.
 */

/* The name of the instruction set in use: "avx512", "avx2" or "portable". */
extern const char *FimIsa(void);

/*
 * From now on, use the named instruction set, or the best one that the processor has if the name
 * is NULL. Returns false if the processor does not have it.
 */
extern bool FimSetIsa(const char *name);

#endif							/* FIM_KERNELS_H */
