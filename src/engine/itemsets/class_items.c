/*-------------------------------------------------------------------------
 *
 * class_items.c
 *	  What the items of a prefix class are and how often they occur in it.
 *
 * One scan of the rows that hold the class's item counts what it occurs with
 * (occurrence deliver: Uno, Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 3).
 *
 *-------------------------------------------------------------------------
 */
#include "class_items.h"
#include "known.h"
#include "maximal.h"
#include "output.h"

#include <string.h>

/*
 * A class has few entries if it has fewer than this many for each group of flags of the view's blocks.
 * There can be as many such classes as items, so looking at all flags for each of them would take time by
 * the square of the number of items.  Measured on retail, T10I4D100K, kosarak and data of a
 * million items: 1 and 4 take the same time, 16 and 64 a tenth more on retail.
 */
#define FEW_ENTRIES		4

/* Whether items after the class's item have to be counted. */
static inline bool
NeedsExcluded(const Miner *m)
{
	return m->job->kind == FIM_CLOSED || (m->job->kind == FIM_MAXIMAL && m->known->any_open);
}

/* Whether item x, after the class's item, is excluded.  For maximal itemsets only open items are, see known.c. */
static inline bool
IsExcluded(const Miner *m, const View *view, uint32_t x)
{
	if (m->job->kind != FIM_MAXIMAL)
		return true;
	return view->whole ? KnownIsOpen(m, x) : x >= view->nclasses;
}

/* Count the items of the rows that hold item i.  Returns the number of entries read. */
static uint64_t
DeliverOccurrences(Miner *m, const View *view, uint32_t i, bool before_only)
{
	uint32_t   *restrict count = view->count;
	uint8_t    *restrict touched = view->touched;
	const uint32_t *restrict items = view->items;
	uint32_t	skip = view->skip;
	uint64_t	end = view->occ[i + 1];
	uint64_t	entries = 0;

	for (uint64_t o = view->occ[i]; o < end; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		const uint32_t *restrict item = items + row.at;
		uint32_t	e = skip;

		PREFETCH_ROW(view, o, end);
		for (; item[e] < i; e++)
		{
			count[item[e]] += row.weight;
			touched[item[e] / VIEW_BLOCK] = 1;
		}
		if (!before_only)
			for (e++; e < row.length; e++)
			{
				count[item[e]] += row.weight;
				touched[item[e] / VIEW_BLOCK] = 1;
			}
		MinerWork(m, 4 + (uint64_t) e);
		entries += e - skip;
	}
	return entries;
}

/* Item x is frequent in the class: add it to the class's items, to the path, or to the perfect items. */
static inline void
CollectItem(Miner *m, const View *view, ClassItems *class, uint32_t x, uint32_t count)
{
	uint32_t	whole = view->support[class->i];

	if (x < class->i && count == whole)
	{
		/* multiplied out where all itemsets count, else part of the closure */
		if (m->job->kind == FIM_ALL)
			m->out.perfect[m->out.nperfect++] = view->name[x];
		else
			OutputPush(&m->out, view->name[x]);
		return;
	}
	if (x > class->i && !IsExcluded(m, view, x))
		return;
	if (count == whole)
		class->covered = true;
	class->item[class->k + class->excluded] = x;
	class->support[class->k + class->excluded] = count;
	if (x < class->i)
	{
		class->k++;
		class->entries += count;
	}
	else
		class->excluded++;
}

/* The number of groups of flags. */
static inline uint32_t
NFlags(const View *view)
{
	return view->nitems / VIEW_BLOCK / VIEW_FLAGS + 1;
}

/* The VIEW_FLAGS flags of group f of blocks, the first in the lowest byte. */
static inline uint64_t
FlagsOf(const View *view, uint32_t f)
{
	uint64_t	flags;

	memcpy(&flags, view->touched + f * VIEW_FLAGS, sizeof(flags));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	flags = __builtin_bswap64(flags);
#endif
	return flags;
}

/* Collect the frequent items in their order, and clear the counts, by the flags of all blocks. */
static void
CollectByFlags(Miner *m, const View *view, ClassItems *class)
{
	uint32_t	nflags = NFlags(view);
	uint32_t	most = 0;

	for (uint32_t f = 0; f < nflags; f++)
		most += (uint32_t) (FlagsOf(view, f) * UINT64_C(0x0101010101010101) >> 56);
	class->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * most * VIEW_BLOCK);
	class->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * most * VIEW_BLOCK);
	for (uint32_t f = 0; f < nflags; f++)
		for (uint64_t flags = FlagsOf(view, f); flags != 0; flags &= flags - 1)
		{
			uint32_t	first = (f * VIEW_FLAGS + (uint32_t) __builtin_ctzll(flags) / 8) * VIEW_BLOCK;
			uint32_t   *count = view->count + first;
			uint8_t		mask;

			view->touched[first / VIEW_BLOCK] = 0;
			m->kernels->at_least(count, VIEW_BLOCK, m->job->minsup, &mask);
			for (unsigned left = mask; left != 0; left &= left - 1)
			{
				uint32_t	x = (uint32_t) __builtin_ctz(left);

				CollectItem(m, view, class, first + x, count[x]);
			}
			memset(count, 0, sizeof(uint32_t) * VIEW_BLOCK);
		}
	MinerWork(m, nflags / 4 + most);
}

/* The same for a class of few entries: its rows are read again, and the frequent items sorted. */
static void
CollectByRows(Miner *m, const View *view, ClassItems *class, uint64_t entries, bool before_only)
{
	ArenaMark	mark;
	uint32_t   *after;			/* how many items of the view follow */
	uint32_t   *support;
	uint32_t   *order;
	uint32_t	n = 0;

	class->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	class->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	mark = ArenaGetMark(&m->arena);
	after = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	support = ArenaAlloc(&m->arena, sizeof(uint32_t) * entries);
	for (uint64_t o = view->occ[class->i]; o < view->occ[class->i + 1]; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];

		for (uint32_t e = view->skip; e < row.length; e++)
		{
			uint32_t	x = view->items[row.at + e];

			if (before_only && x == class->i)
				break;
			if (view->count[x] >= m->job->minsup)
			{
				after[n] = view->nitems - x;
				support[n++] = view->count[x];
			}
			view->count[x] = 0;
			view->touched[x / VIEW_BLOCK] = 0;
		}
	}
	order = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	for (uint32_t c = 0; c < n; c++)
		order[c] = c;
	SortColumns(m, order, n, after, view->nitems);
	for (uint32_t c = 0; c < n; c++)
		CollectItem(m, view, class, view->nitems - after[order[c]], support[order[c]]);
	ArenaRelease(&m->arena, mark);
	MinerWork(m, entries);
}

void
CountClass(Miner *m, const View *view, uint32_t i, ClassItems *class)
{
	bool		before_only = !NeedsExcluded(m);
	uint64_t	entries;

	*class = (ClassItems) {.i = i};
	entries = DeliverOccurrences(m, view, i, before_only);
	if (entries < (uint64_t) NFlags(view) * FEW_ENTRIES)
		CollectByRows(m, view, class, entries, before_only);
	else
		CollectByFlags(m, view, class);
}

void
MapClass(const View *view, const ClassItems *class)
{
	for (uint32_t c = 0; c < class->k + class->excluded; c++)
		view->local[class->item[c]] = c + 1;
}

void
UnmapClass(const View *view, const ClassItems *class)
{
	for (uint32_t c = 0; c < class->k + class->excluded; c++)
		view->local[class->item[c]] = 0;
}
