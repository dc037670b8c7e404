/*-------------------------------------------------------------------------
 *
 * known_open.c
 *	  Items of classes that are not done, and whether they extend an itemset.
 *
 * The top of known.c says which items are open, and what the witness is for.
 *
 *-------------------------------------------------------------------------
 */
#include "known_open.h"

#include <string.h>

/*
 * Only the classes after the last one that has not passed are looked at.  There are no more of these
 * than workers, but for those that are done, which are forgotten.  So this takes little time even
 * where many classes wait to be imported.
 */
void
KnownFindOpen(Known *known)
{
	uint32_t	from = known->nundone;
	uint32_t	n;

	while (from > 0 && KnownHasPassed(known, known->undone[from - 1]))
		from--;
	n = from;
	for (uint32_t u = from; u < known->nundone; u++)
		if (known->passed[known->undone[u]] != 0)
			known->undone[n++] = known->undone[u];
	known->nundone = n;
	known->any_open = from > 0;
}

/*
 * Find the columns that are frequent together with each open item.  An open item cannot
 * extend an itemset that has any other column, which spares counting nearly all itemsets.
 */
static void
FindTogether(Miner *m)
{
	Known	   *known = m->known;
	size_t		size = sizeof(uint64_t) * (size_t) known->class_words * known->nwitness_open;

	known->together = ArenaAlloc(&m->arena, size);
	memset(known->together, 0, size);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
		for (uint32_t c = 0; c < known->ncolumns; c++)
		{
			uint32_t	pair[2] = {c, known->witness_open[x]};

			if (m->kernels->common_support(&known->witness, pair, 2) >= m->job->minsup)
				known->together[(size_t) x * known->class_words + c / 64] |= UINT64_C(1) << (c % 64);
			MinerWork(m, known->witness.nwords / 4);
		}
}

void
KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns)
{
	ColumnMatrix *to = &m->known->witness;
	size_t		size;

	to->nwords = RoundUp8(rows->nwords);
	size = sizeof(uint64_t) * to->nwords * (size_t) ncolumns;
	to->words = ArenaAlloc(&m->arena, size);
	to->shift = ArenaAlloc(&m->arena, to->nwords);
	m->known->path_columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) ncolumns + 1));
	memset(to->words, 0, size);
	memset(to->shift, 0, to->nwords);
	for (uint32_t w = 0; w < rows->nwords; w++)
	{
		for (uint32_t c = 0; c < ncolumns; c++)
			to->words[(size_t) c * to->nwords + w] = rows->words[(size_t) w * rows->stride + c];
		if (rows->shift != NULL)
			to->shift[w] = rows->shift[w];
		MinerWork(m, ncolumns);
	}
	FindTogether(m);
}

void
KnownDropPassed(Miner *m)
{
	Known	   *known = m->known;
	size_t		size = sizeof(uint64_t) * known->class_words;
	uint32_t	n = 0;

	KnownFindOpen(known);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
	{
		if (!KnownIsOpen(m, known->witness_item[x]))
			continue;
		known->witness_item[n] = known->witness_item[x];
		known->witness_open[n] = known->witness_open[x];
		memmove(known->together + (size_t) n * known->class_words,
				known->together + (size_t) x * known->class_words, size);
		n++;
	}
	known->nwitness_open = n;
}

bool
KnownOpenExtends(Miner *m)
{
	const Known *known = m->known;
	uint32_t   *column = known->path_columns;
	uint32_t	n = 0;

	for (uint32_t p = 0; p < known->class_words; p++)
		for (uint64_t left = known->path[p]; left != 0; left &= left - 1)
			column[n++] = p * 64 + (uint32_t) __builtin_ctzll(left);
	for (uint32_t x = 0; x < known->nwitness_open; x++)
	{
		const uint64_t *together = known->together + (size_t) x * known->class_words;
		bool		possible = true;

		for (uint32_t p = 0; p < known->class_words; p++)
			possible &= (known->path[p] & ~together[p]) == 0;
		if (!possible)
			continue;
		column[n] = known->witness_open[x];
		MinerWork(m, (uint64_t) known->witness.nwords * n / 8);
		if (m->kernels->common_support(&known->witness, column, n + 1) >= m->job->minsup)
			return true;
	}
	return false;
}
