/*-------------------------------------------------------------------------
 *
 * known_focus.h
 *	  Which of a search's known itemsets hold the path.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_FOCUS_H
#define FIM_KNOWN_FOCUS_H

#include "known_state.h"

/*
 * A focus has those of the search's sets, its known itemsets, that hold the path.  Sets are
 * numbered in the order in which they were added to the search, and a word stands for 64 of
 * them.  words[] has the sets that were there when the path was entered, without the words
 * that would be 0.  All sets from number "from" on have been added since then, below the
 * path, so all of them hold it.
 *
 * When a search begins, the focus is all zeros, since all of its sets hold the path then.
 */
typedef struct FocusWord
{
	uint32_t	word;
	uint64_t	sets;
} FocusWord;

typedef struct Focus
{
	FocusWord  *words;			/* [nwords] */
	uint32_t	nwords;
	uint32_t	from;
	uint32_t	first;			/* what FocusFirst() returns for the sets before number "seen" */
	uint32_t	seen;
} Focus;

/* In all functions, columns are numbered as the search's, see KnownBeginSearch(). */

/* Whether one of the focus's sets has all n columns. */
extern bool FocusHolds(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n);

/*
 * Returns the largest number c so that one of the focus's sets has the first c of the n
 * columns, which are those that could still extend the path.  Only sets added since the last
 * call are looked at, so all calls for a focus must give the same columns.
 */
extern uint32_t FocusFirst(Miner *m, Focus *focus, const uint32_t *column, uint32_t n);

/*
 * Make the focus of a child, whose path has the "needed" columns in addition.  Memory is from
 * the miner's arena.  The "wanted" columns are those that could still extend the child's path.
 * Returns false if one of the child's sets has all of them, since then there is nothing to
 * find.
 */
extern bool FocusOnChild(Miner *m, const Focus *from, const uint32_t *needed, uint32_t nneeded,
						 const uint32_t *wanted, uint32_t nwanted, Focus *to);

/* The number of words of a focus, including those of sets added since the path was entered. */
extern uint32_t FocusWords(const Miner *m, const Focus *focus);

/*
 * Write the focus's sets as rows of a bit matrix with the n columns.  The matrix has room for
 * "least" columns at least, is from the miner's arena, and its other columns are 0.
 */
extern void FocusMatrix(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n,
						uint32_t least, BitMatrix *sets);

#endif							/* FIM_KNOWN_FOCUS_H */
