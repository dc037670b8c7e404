/*-------------------------------------------------------------------------
 *
 * row_search.c
 *	  Sets up a search through sets of rows: its rows, columns and weights.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/hash.h"
#include "row_search.h"

#include <string.h>

typedef struct RowLength
{
	uint32_t	row;
	uint32_t	length;			/* columns that it holds */
} RowLength;

/* The order of equal lengths is kept, so that all workers number rows alike. */
static void
SortByLength(RowLength *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		RowLength	row = rows[i];
		uint32_t	j = i;

		for (; j > 0 && rows[j - 1].length > row.length; j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

/*
 * Number the rows.  Returns the number here of each row of the database, UINT32_MAX for
 * those that are left out.
 */
static uint32_t *
NumberRows(RowSearch *s, const View *view)
{
	uint32_t   *number = ArenaAlloc(&s->m->arena, sizeof(uint32_t) * ((size_t) view->nrows + 1));
	RowLength  *rows = ArenaAlloc(&s->m->arena, sizeof(RowLength) * ((size_t) view->nrows + 1));

	for (uint32_t r = 0; r < view->nrows; r++)
	{
		const uint32_t *item = view->items + view->rows[r].at;
		uint32_t	end = view->rows[r].length;

		/* items are ascending, so those that are no columns come first and last */
		while (end > view->skip && item[end - 1] >= view->nclasses)
			end--;
		number[r] = UINT32_MAX;
		if (end > view->skip)
			rows[s->nrows++] = (RowLength) {r, end - view->skip};
	}
	SortByLength(rows, s->nrows);
	for (uint32_t r = 0; r < s->nrows; r++)
		number[rows[r].row] = r;
	s->nwords = (s->nrows + 63) / 64;
	return number;
}

static void
MakePlanes(RowSearch *s, const View *view, const uint32_t *number)
{
	uint32_t	greatest = 1;

	for (uint32_t r = 0; r < view->nrows; r++)
		if (number[r] != UINT32_MAX && view->rows[r].weight > greatest)
			greatest = view->rows[r].weight;
	s->nplanes = 32 - (uint32_t) __builtin_clz(greatest);
	s->plane = ArenaAlloc(&s->m->arena, sizeof(uint64_t) * s->nplanes * s->nwords);
	s->within = ArenaAlloc(&s->m->arena, sizeof(uint64_t) * s->nplanes * s->nwords);
	memset(s->plane, 0, sizeof(uint64_t) * s->nplanes * s->nwords);
	for (uint32_t r = 0; r < view->nrows; r++)
		for (uint32_t left = number[r] != UINT32_MAX ? view->rows[r].weight : 0; left != 0; left &= left - 1)
			s->plane[(uint32_t) __builtin_ctz(left) * s->nwords + number[r] / 64] |=
				UINT64_C(1) << (number[r] % 64);
}

static uint64_t
HashSet(const uint64_t *set, uint32_t nwords)
{
	uint64_t	hash = 0;

	for (uint32_t w = 0; w < nwords; w++)
		hash = FimHash64(hash ^ set[w]);
	return hash;
}

/*
 * Find the group of each item, items that the same rows hold being of one group;
 * set[group] is that group's set of rows.
 */
static void
GroupItems(RowSearch *s, const View *view, const uint32_t *number, uint64_t *set, uint32_t *group)
{
	uint32_t	nitems = view->nclasses - view->skip;
	uint64_t	nslots = 16;
	uint32_t   *slot;

	while (nslots < (uint64_t) nitems * 2)
		nslots *= 2;
	slot = ArenaAlloc(&s->m->arena, sizeof(uint32_t) * nslots);
	memset(slot, 0, sizeof(uint32_t) * nslots);
	for (uint32_t i = 0; i < nitems; i++)
	{
		uint64_t   *rows = set + (size_t) s->ngroups * s->nwords;
		uint64_t	at;

		memset(rows, 0, sizeof(uint64_t) * s->nwords);
		for (uint64_t o = view->occ[view->skip + i]; o < view->occ[view->skip + i + 1]; o++)
			rows[number[view->occurrences[o]] / 64] |= UINT64_C(1) << (number[view->occurrences[o]] % 64);
		MinerWork(s->m, s->nwords + view->occ[view->skip + i + 1] - view->occ[view->skip + i]);
		at = HashSet(rows, s->nwords) & (nslots - 1);
		while (slot[at] != 0 &&
			   memcmp(set + (size_t) (slot[at] - 1) * s->nwords, rows, sizeof(uint64_t) * s->nwords) != 0)
			at = (at + 1) & (nslots - 1);
		if (slot[at] == 0)
			slot[at] = ++s->ngroups;
		group[i] = slot[at] - 1;
	}
	s->grouped = s->ngroups < nitems;
}

/* The items of each group, from the group of each item. */
static void
ListGroups(RowSearch *s, const View *view, const uint32_t *group)
{
	uint32_t	nitems = view->nclasses - view->skip;

	memset(s->group_at, 0, sizeof(uint32_t) * ((size_t) s->ngroups + 2));
	for (uint32_t i = 0; i < nitems; i++)
		s->group_at[group[i] + 2]++;
	for (uint32_t g = 0; g < s->ngroups; g++)
		s->group_at[g + 2] += s->group_at[g + 1];
	for (uint32_t i = 0; i < nitems; i++)
		s->item[s->group_at[group[i] + 1]++] = view->name[view->skip + i];
}

void
RowSearchInit(RowSearch *s, const View *view)
{
	Arena	   *arena = &s->m->arena;
	uint32_t	nitems = view->nclasses - view->skip;
	uint32_t   *number = NumberRows(s, view);
	uint32_t   *group = ArenaAlloc(arena, sizeof(uint32_t) * nitems);
	uint64_t   *set = ArenaAlloc(arena, sizeof(uint64_t) * s->nwords * ((size_t) nitems + 1));

	MakePlanes(s, view, number);
	s->item = ArenaAlloc(arena, sizeof(uint32_t) * nitems);
	s->group_at = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) nitems + 2));
	GroupItems(s, view, number, set, group);
	ListGroups(s, view, group);

	RowSetNew(s, RoundUp8(s->ngroups), &s->root);
	s->root.ncolumns = s->ngroups;
	for (uint32_t c = 0; c < s->ngroups; c++)
	{
		s->root.group[c] = c;
		for (uint32_t w = 0; w < s->nwords; w++)
			s->root.columns.words[(size_t) w * s->root.columns.stride + c] = set[(size_t) c * s->nwords + w];
	}
	RowSetClose(s, &s->root);
	s->root.nitems = nitems;
	s->root.support = RowsWeight(s, s->root.rows);
	s->root.next = 0;
}
