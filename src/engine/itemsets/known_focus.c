/*-------------------------------------------------------------------------
 *
 * known_focus.c
 *	  Which of a search's known itemsets hold the path.
 *
 * Only these can tell that nothing new is below the path, and going down they get fewer
 * (Gouda and Zaki, GenMax, ICDM 2001: progressive focusing).  A column has a bit for each
 * of them, so that 64 are compared at a time, and mostly after a few of the columns none
 * is left.
 *
 *-------------------------------------------------------------------------
 */
#include "known_focus.h"

#include <string.h>

/* Which of a word's sets have all n columns. */
static inline uint64_t
SetsWithAll(const Known *known, FocusWord from, const uint32_t *column, uint32_t n)
{
	const uint64_t *held = known->held + (size_t) from.word * known->ncolumns;
	uint64_t	sets = from.sets;

	/* from the last column on, since the last ones are the rarest and soonest leave no set */
	while (n > 0 && sets != 0)
		sets &= held[column[--n]];
	return sets;
}

uint32_t
FocusWords(const Miner *m, const Focus *focus)
{
	return focus->nwords + (m->known->nsets + 63) / 64 - focus->from / 64;
}

/* Word w of FocusWords(). */
static inline FocusWord
WordOfFocus(const Known *known, const Focus *focus, uint32_t w)
{
	FocusWord	result;

	if (w < focus->nwords)
		return focus->words[w];
	result.word = focus->from / 64 + w - focus->nwords;
	result.sets = UINT64_MAX;
	if (w == focus->nwords)
		result.sets <<= focus->from % 64;
	if (result.word == known->nsets / 64)
		result.sets &= (UINT64_C(1) << (known->nsets % 64)) - 1;
	return result;
}

bool
FocusHolds(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n)
{
	const Known *known = m->known;
	uint32_t	nwords = FocusWords(m, focus);

	for (uint32_t w = 0; w < nwords; w++)
		if (SetsWithAll(known, WordOfFocus(known, focus, w), column, n) != 0)
			return true;
	MinerWork(m, nwords);
	return false;
}

/*
 * Returns the largest number c so that a set of the word has the first c of the n columns, if
 * that is more than "first", and otherwise "first", which is less than n.
 */
static inline uint32_t
FirstOfWord(const Known *known, FocusWord word, const uint32_t *column, uint32_t n, uint32_t first)
{
	const uint64_t *held = known->held + (size_t) word.word * known->ncolumns;

	word.sets = SetsWithAll(known, word, column, first + 1);
	while (word.sets != 0 && ++first < n)
		word.sets &= held[column[first]];
	return first;
}

uint32_t
FocusFirst(Miner *m, Focus *focus, const uint32_t *column, uint32_t n)
{
	const Known *known = m->known;
	Focus		unseen = {.from = focus->seen};
	uint32_t	nwords = FocusWords(m, &unseen);

	for (uint32_t w = 0; w < nwords && focus->first < n; w++)
		focus->first = FirstOfWord(known, WordOfFocus(known, &unseen, w), column, n, focus->first);
	MinerWork(m, nwords);
	focus->seen = known->nsets;
	return focus->first;
}

bool
FocusOnChild(Miner *m, const Focus *from, const uint32_t *needed, uint32_t nneeded,
			 const uint32_t *wanted, uint32_t nwanted, Focus *to)
{
	const Known *known = m->known;
	uint32_t	nwords = FocusWords(m, from);

	to->words = ArenaAlloc(&m->arena, sizeof(FocusWord) * nwords);
	to->nwords = 0;
	to->from = known->nsets;
	to->first = 0;
	to->seen = known->nsets;
	for (uint32_t w = 0; w < nwords; w++)
	{
		FocusWord	word = WordOfFocus(known, from, w);

		word.sets = SetsWithAll(known, word, needed, nneeded);
		if (word.sets == 0)
			continue;
		if (to->first < nwanted)
			to->first = FirstOfWord(known, word, wanted, nwanted, to->first);
		if (to->first == nwanted)
			return false;
		to->words[to->nwords++] = word;
	}
	MinerWork(m, nwords);
	return true;
}

void
FocusMatrix(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n, uint32_t least,
			BitMatrix *sets)
{
	const Known *known = m->known;

	memset(sets, 0, sizeof(*sets));
	sets->nwords = FocusWords(m, focus);
	sets->stride = RoundUp8(n > least ? n : least);
	sets->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * sets->stride * sets->nwords);
	for (uint32_t w = 0; w < sets->nwords; w++)
	{
		FocusWord	word = WordOfFocus(known, focus, w);
		const uint64_t *held = known->held + (size_t) word.word * known->ncolumns;
		uint64_t   *to = sets->words + (size_t) w * sets->stride;

		for (uint32_t c = 0; c < n; c++)
			to[c] = held[column[c]] & word.sets;
		for (uint32_t c = n; c < sets->stride; c++)
			to[c] = 0;
	}
	MinerWork(m, (uint64_t) sets->nwords * n);
}
