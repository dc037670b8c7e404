/*-------------------------------------------------------------------------
 *
 * projected_view.c
 *	  A prefix class as a smaller database of rows.
 *
 *-------------------------------------------------------------------------
 */
#include "projected_view.h"

#include <string.h>

/* The number of entries of the class's rows, whether they stay or not. */
static uint64_t
EntriesOf(const View *view, const ClassItems *class)
{
	uint64_t	entries = 0;

	for (uint64_t o = view->occ[class->i]; o < view->occ[class->i + 1]; o++)
		entries += view->rows[view->occurrences[o]].length - view->skip;
	return entries;
}

/*
 * Write the class's rows, cut down to the class's items, and count the rows of each item in
 * occ[item + 2].  Returns the number of entries, and sets *nrows to the number of rows.
 */
static uint64_t
ProjectRows(Miner *m, const View *view, const ClassItems *class, FimRow *rows, uint32_t *nrows,
			uint32_t *items, uint64_t *occ)
{
	uint64_t	end = view->occ[class->i + 1];
	uint64_t	used = 0;
	uint32_t	kept = 0;

	for (uint64_t o = view->occ[class->i]; o < end; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		uint64_t	start = used;

		PREFETCH_ROW(view, o, end);
		for (uint32_t e = view->skip; e < row.length; e++)
		{
			uint32_t	column = view->local[view->items[row.at + e]];

			if (column != 0)
				items[used++] = column - 1;
		}
		MinerWork(m, row.length);
		if (used == start || items[start] >= class->k)
		{
			used = start;
			continue;
		}
		for (uint64_t e = start; e < used; e++)
			occ[items[e] + 2]++;
		rows[kept++] = (FimRow) {start, (uint32_t) (used - start), row.weight};
	}
	*nrows = kept;
	return used;
}

/*
 * List the rows of each of the n items.  occ[] comes with the number of rows of item c in
 * occ[c + 2], and is changed so that occ[c] says where these rows begin in the list.
 */
static uint32_t *
ListOccurrences(Miner *m, const FimRow *rows, uint32_t nrows, const uint32_t *items,
				uint64_t entries, uint64_t *occ, uint32_t n)
{
	uint32_t   *occurrences = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);

	for (uint32_t c = 0; c < n; c++)
		occ[c + 2] += occ[c + 1];
	for (uint32_t r = 0; r < nrows; r++)
		for (uint32_t e = 0; e < rows[r].length; e++)
			occurrences[occ[items[rows[r].at + e] + 1]++] = r;
	return occurrences;
}

void
ProjectView(Miner *m, const View *view, const ClassItems *class, View *to)
{
	uint64_t	most = view->occ[class->i + 1] - view->occ[class->i];
	uint32_t	n = class->k + class->excluded;
	FimRow	   *rows = ArenaAlloc(&m->arena, sizeof(FimRow) * most);
	uint32_t   *items = ArenaAlloc(&m->arena, sizeof(uint32_t) * EntriesOf(view, class));
	uint32_t   *name = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	uint64_t   *occ = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) n + 2));
	uint64_t	entries;

	memset(occ, 0, sizeof(uint64_t) * ((size_t) n + 2));
	for (uint32_t c = 0; c < n; c++)
		name[c] = view->name[class->item[c]];
	entries = ProjectRows(m, view, class, rows, &to->nrows, items, occ);
	to->occurrences = ListOccurrences(m, rows, to->nrows, items, entries, occ, n);
	to->nitems = n;
	to->nclasses = class->k;
	to->whole = false;
	to->skip = 0;
	to->name = name;
	to->support = class->support;
	to->rows = rows;
	to->items = items;
	to->occ = occ;
	ViewScratch(m, to);
}
