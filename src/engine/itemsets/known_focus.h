/*-------------------------------------------------------------------------
 *
 * known_focus.h
 *	  Which of a search's known itemsets hold the path.
 *
 * Included by maximal.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_FOCUS_H
#define FIM_KNOWN_FOCUS_H

#include "known_state.h"

/*
 * Sets are numbered in the order in which they became known, and a word stands for 64 of
 * them.  words[] has the sets that were known when the path was entered, without the
 * words that would be 0.  All sets from number "from" on have been found since then,
 * below the path, so all of them hold it.
 *
 * The focus of a search's beginning is all zeros, since all of its sets hold that path.
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
	uint32_t	first;			/* see FocusFirst(); of the sets before number "seen" */
	uint32_t	seen;
} Focus;

/* In all functions, columns are numbered as the search's, see KnownBeginSearch(). */

/* Whether a known itemset that holds the path has all n columns, too. */
extern bool FocusHolds(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n);

/*
 * Returns how many columns, counted from the first of all n that could still extend the
 * path, are in one known itemset that holds it.  Only sets found since the last call are
 * looked at, so all calls for a focus must give the same columns.
 */
extern uint32_t FocusFirst(Miner *m, Focus *focus, const uint32_t *column, uint32_t n);

/*
 * Make the focus of a child, whose path has the "needed" columns more; memory is from
 * the miner's arena.  Returns false if one of its sets has all "wanted" columns, too,
 * which are those that could still extend the path.  Then there is nothing to find.
 */
extern bool FocusOnChild(Miner *m, const Focus *from, const uint32_t *needed, uint32_t nneeded,
						 const uint32_t *wanted, uint32_t nwanted, Focus *to);

/* The words of a focus, those of sets found since the path was entered among them. */
extern uint32_t FocusWords(const Miner *m, const Focus *focus);

/* The n columns of the sets of a focus as a matrix of at least "least" columns, from the miner's arena. */
extern void FocusMatrix(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n,
						uint32_t least, BitMatrix *sets);

#endif							/* FIM_KNOWN_FOCUS_H */
