/*-------------------------------------------------------------------------
 *
 * part.c
 *	  Which itemsets are of the task's part, see itemsets.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/parts.h"
#include "itemsets/itemsets.h"

static uint32_t
CountDivided(const FimDealt *dealt, uint32_t nclasses)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nclasses; i++)
		n += dealt->concerned[i] && dealt->pieces_at[i] < dealt->pieces_at[i + 1];
	return n;
}

/* Set the bits of a class that is divided, at which "dealt" is. */
static void
FillRow(ItemsetPart *part, const FimDealt *dealt, const uint32_t *name, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (FimHasPiece(dealt, name[j]))
			PartSetBit(part, part->bits, i, j);
	if (FimHasRest(dealt))
		PartSetBit(part, part->bits, i, i);
}

uint64_t
PartBytes(const FimItemsetsSpec *spec, uint32_t nitems)
{
	uint64_t	nrows = 2 + GpuLesser(nitems, (uint64_t) FIM_DIVIDED_OF_PART * spec->head.part.of);

	if (!FimIsPart(&spec->head.part))
		return 0;
	return sizeof(uint32_t) * (nitems + nrows * PartWords(nitems));
}

const ItemsetPart *
PartOfJob(ItemsetsJob *job)
{
	Arena	   *arena = &job->miner.arena;
	ItemsetPart *part = (ItemsetPart *) ArenaAlloc(arena, sizeof(ItemsetPart));
	uint32_t	next = PART_ALL + 1;
	size_t		row;
	FimDealt	dealt;

	DealClasses(&dealt, job->spec, job->db, arena);
	part->root = HasRoot(&dealt);
	part->nitems = job->nitems;
	part->words = PartWords(job->nitems);
	part->nrows = PART_ALL + 1 + CountDivided(&dealt, job->nitems);
	row = sizeof(uint32_t) * part->words;
	part->row_of = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) job->nitems + 1));
	part->bits = (uint32_t *) ArenaAlloc(arena, row * part->nrows);
	memset(part->bits, 0, row * part->nrows);
	memset(part->bits + PART_ALL * part->words, 0xff, row);
	for (uint32_t i = 0; i < job->nitems; i++)
	{
		part->row_of[i] = PART_NOTHING;
		if (!FimBeginUnit(&dealt, i))
			continue;
		part->row_of[i] = PART_ALL;
		if (dealt.divided)
		{
			part->row_of[i] = next++;
			FillRow(part, &dealt, job->name, i);
			JobWork(job, i);
		}
		FimEndUnit(&dealt, i);
	}
	return part;
}
