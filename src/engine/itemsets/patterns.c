/*-------------------------------------------------------------------------
 *
 * patterns.c
 *	  Rows as sets of columns: their memory, and merging equal ones.
 *
 *-------------------------------------------------------------------------
 */
#include "patterns.h"

#include <string.h>

void
PatternsInit(Miner *m, uint64_t most, uint32_t row_words, uint64_t key, Patterns *rows)
{
	rows->nrows = 0;
	rows->row_words = row_words;
	rows->key = key;
	rows->weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * most);
	rows->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * most * row_words);
}

void
PatternsTrim(Miner *m, const Patterns *rows)
{
	ArenaTrim(&m->arena, rows->words, sizeof(uint64_t) * rows->nrows * rows->row_words);
}

void
RowIndexInit(Miner *m, uint64_t most, uint64_t key, RowIndex *index)
{
	uint32_t	n = (uint32_t) __builtin_popcountll(key);
	uint64_t	nslots = 64;

	if (n < 32 && most > UINT64_C(1) << n)
		most = UINT64_C(1) << n;
	while (nslots < most * 2)
		nslots *= 2;
	index->mask = nslots - 1;
	index->slot = ArenaAlloc(&m->arena, sizeof(uint32_t) * nslots);
	memset(index->slot, 0, sizeof(uint32_t) * nslots);
	MinerWork(m, nslots / 16);
}

void
PatternsMerge(Miner *m, Patterns *rows)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nrows = rows->nrows;
	RowIndex	index;

	RowIndexInit(m, nrows, rows->key, &index);
	rows->nrows = 0;
	for (uint32_t r = 0; r < nrows; r++)
		MergeRow(rows, &index, PatternsRow(rows, r), rows->weight[r]);
	MinerWork(m, nrows);
	ArenaRelease(&m->arena, mark);
	PatternsTrim(m, rows);
}
