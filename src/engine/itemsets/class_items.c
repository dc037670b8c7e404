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
#include "known_open.h"
#include "output.h"

#include <string.h>

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

/* Count the items of the rows that hold item i. */
static void
DeliverOccurrences(Miner *m, const View *view, uint32_t i)
{
	bool		before_only = !NeedsExcluded(m);
	uint32_t   *restrict count = view->count;
	uint8_t    *restrict touched = view->touched;
	const uint32_t *restrict items = view->items;
	uint32_t	skip = view->skip;
	uint64_t	end = view->occ[i + 1];

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
	}
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

/* Collect the frequent items in their order, and clear the counts. */
static void
Collect(Miner *m, const View *view, ClassItems *class)
{
	uint32_t	nflags = view->nitems / VIEW_BLOCK / VIEW_FLAGS + 1;
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

void
CountClass(Miner *m, const View *view, uint32_t i, ClassItems *class)
{
	*class = (ClassItems) {.i = i};
	DeliverOccurrences(m, view, i);
	Collect(m, view, class);
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
