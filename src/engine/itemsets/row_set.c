/*-------------------------------------------------------------------------
 *
 * row_set.c
 *	  Closed sets of rows: making and weighing them.
 *
 * A closed set has exactly the rows that all of its columns hold.  The top of row_sets.c
 * says how the search goes through closed sets.
 *
 *-------------------------------------------------------------------------
 */
#include "row_set.h"

#include <string.h>

void
RowSetNew(RowSearch *s, uint32_t room, RowSet *set)
{
	Arena	   *arena = &s->m->arena;

	set->rows = ArenaAlloc(arena, sizeof(uint64_t) * s->nwords);
	set->some = ArenaAlloc(arena, sizeof(uint64_t) * s->nwords);
	set->group = ArenaAlloc(arena, sizeof(uint32_t) * room);
	set->columns = (BitMatrix) {.nwords = s->nwords,.stride = room};
	/* allocated last, since CloseUp() gives some of it back */
	set->columns.words = ArenaAlloc(arena, sizeof(uint64_t) * room * s->nwords);
}

void
RowSetClose(RowSearch *s, RowSet *set)
{
	for (uint32_t w = 0; w < s->nwords; w++)
		s->m->kernels->combine(set->columns.words + (size_t) w * set->columns.stride, set->ncolumns,
							   &set->rows[w], &set->some[w]);
}

/* The number of items of the set's columns. */
static uint32_t
RowSetItems(const RowSearch *s, const RowSet *set)
{
	uint32_t	nitems = 0;

	if (!s->grouped)
		return set->ncolumns;
	for (uint32_t c = 0; c < set->ncolumns; c++)
		nitems += s->group_at[set->group[c] + 1] - s->group_at[set->group[c]];
	return nitems;
}

uint32_t
RowsWeight(const RowSearch *s, const uint64_t *rows)
{
	uint64_t	weight = 0;

	for (uint32_t p = 0; p < s->nplanes; p++)
		for (uint32_t w = 0; w < s->nwords; w++)
			weight += (uint64_t) __builtin_popcountll(rows[w] & s->plane[p * s->nwords + w]) << p;
	return (uint32_t) weight;
}

uint32_t
RowSetLightest(const RowSearch *s, const RowSet *set)
{
	uint32_t	lightest = UINT32_MAX;

	if (s->nplanes == 1)
		return 1;
	for (uint32_t w = 0; w < s->nwords; w++)
		for (uint64_t left = set->rows[w]; left != 0; left &= left - 1)
		{
			uint32_t	weight = 0;

			for (uint32_t p = 0; p < s->nplanes; p++)
				weight |= (s->plane[p * s->nwords + w] & left & -left) != 0 ? UINT32_C(1) << p : 0;
			if (weight < lightest)
				lightest = weight;
		}
	return lightest;
}

/* ---- one row more ---- */

uint32_t
RowSetWithin(RowSearch *s, const RowSet *set, uint32_t first)
{
	uint64_t	weight = 0;

	for (uint32_t w = 0; w < s->nwords; w++)
	{
		uint64_t	later = w > first / 64 ? UINT64_MAX : w < first / 64 ? 0 : UINT64_MAX << (first % 64);
		uint64_t	rows = set->rows[w] | (set->some[w] & later);

		for (uint32_t p = 0; p < s->nplanes; p++)
		{
			s->within[p * s->nwords + w] = rows & s->plane[p * s->nwords + w];
			weight += (uint64_t) __builtin_popcountll(s->within[p * s->nwords + w]) << p;
		}
	}
	return (uint32_t) weight;
}

/* Whether some row before r is in one set and not in the other. */
static bool
DifferBefore(const uint64_t *one, const uint64_t *other, uint32_t r)
{
	for (uint32_t w = 0; w < r / 64; w++)
		if (one[w] != other[w])
			return true;
	return ((one[r / 64] ^ other[r / 64]) & ((UINT64_C(1) << (r % 64)) - 1)) != 0;
}

/* Move the words of a set's matrix together, which has fewer columns than there was room for. */
static void
CloseUp(RowSearch *s, RowSet *set)
{
	uint32_t	stride = RoundUp8(set->ncolumns);
	uint64_t   *words = set->columns.words;

	for (uint32_t w = 1; w < s->nwords; w++)
		memmove(words + (size_t) w * stride, words + (size_t) w * set->columns.stride,
				sizeof(uint64_t) * set->ncolumns);
	set->columns.stride = stride;
	ArenaTrim(&s->m->arena, words, sizeof(uint64_t) * stride * s->nwords);
}

bool
RowSetAdd(RowSearch *s, const RowSet *set, uint32_t r, RowSet *to)
{
	Miner	   *m = s->m;
	RowChoice	choice = {.row = r,.within = s->within,.nplanes = s->nplanes,.least = m->job->minsup};

	RowSetNew(s, set->columns.stride, to);
	MinerWork(m, 16 + (uint64_t) set->columns.stride / 8 * s->nwords * (1 + s->nplanes));
	to->ncolumns = m->kernels->choose_columns(&set->columns, set->ncolumns, set->group, &choice,
											  to->columns.words, to->group);
	if (to->ncolumns == 0)
		return false;
	CloseUp(s, to);
	RowSetClose(s, to);
	if (DifferBefore(to->rows, set->rows, r))
		return false;
	to->nitems = RowSetItems(s, to);
	to->support = RowsWeight(s, to->rows);
	to->next = r + 1;
	return m->out.depth + (uint64_t) to->nitems >= m->out.min_depth;
}
