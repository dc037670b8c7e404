/*-------------------------------------------------------------------------
 *
 * best_itemsets.c
 *	  Itemsets in the order in which the best are chosen.
 *
 * The larger their support, the better.  Of those with the same support, the shorter ones come first, and then those whose items come first
 * in the order of their type.
 *
 * A record is: the number of items shared with the itemset before, the number of items added, these items, and the support.  One that is
 * kept shares none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "items.h"
#include "itemsets/best.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"
#include "work/work.h"

typedef struct ItemsetState
{
	uint32	   *rank;			/* of items among those that are frequent enough */
	uint32		bits;			/* that a rank takes */
	uint32		length;
	uint32		support;
	uint32		room;
	uint32	   *items;
} ItemsetState;

void *
BestItemsetsState(struct Job *job, const GpufimItems *items, uint32 least)
{
	ItemsetState *state = palloc0(sizeof(ItemsetState));
	Size		size = ((Size) items->nitems + 1) * sizeof(uint32);
	uint32		n = 0;

	JobTakeMemory(job, size, "the items of the itemsets found");
	state->rank = MemoryContextAllocHuge(CurrentMemoryContext, size);
	for (uint32 i = 0; i < items->nitems; i++)
	{
		state->rank[i] = n;
		n += items->items[i].support >= least;
	}
	state->bits = pg_leftmost_one_pos32(Max(n, 1)) + 1;
	return state;
}

static double
ReadItemset(void *arg, const uint32 **record, size_t *nwords)
{
	ItemsetState *state = arg;
	const uint32 *words = *record;
	uint32		added = words[1];

	state->length = words[0] + added;
	if (state->items == NULL || state->length > state->room)
	{
		uint32		room = Max(state->length, Max(64, 2 * state->room));

		state->items = state->items == NULL ?
			MemoryContextAllocHuge(GetMemoryChunkContext(state), room * sizeof(uint32)) :
			repalloc_huge(state->items, room * sizeof(uint32));
		state->room = room;
	}
	memcpy(state->items + words[0], words + 2, added * sizeof(uint32));
	state->support = words[2 + added];
	*record += 3 + added;
	*nwords = 3 + (size_t) state->length;
	return state->support;
}

static void
KeepItemset(const void *arg, uint32 *to)
{
	const ItemsetState *state = arg;

	to[0] = 0;
	to[1] = state->length;
	memcpy(to + 2, state->items, state->length * sizeof(uint32));
	to[2 + state->length] = state->support;
}

static size_t
WordsOfItemset(const uint32 *record)
{
	return 3 + (size_t) record[1];
}

/* The length, and as many of the first items as there is room for. */
#define LENGTH_BITS		8
#define MOST_LENGTH		((1 << LENGTH_BITS) - 1)

/* Put the ranks of items from *item on into the upper bits of a number that has so many bits left. */
static uint64
PackRanks(const ItemsetState *state, const uint32 **item, const uint32 *end, int left)
{
	uint64		packed = 0;

	while (*item < end && left >= (int) state->bits)
	{
		left -= state->bits;
		packed |= (uint64) state->rank[*(*item)++] << left;
	}
	return packed;
}

/* Items have numbers in the order of their type. */
static void
SettleItemset(const void *arg, uint32 *record, uint64 *place)
{
	uint32		n = record[1];
	const uint32 *item = record + 2;
	const uint32 *end = item + n;

	SortNumbers(record + 2, n);
	place[1] = (uint64) Min(n, MOST_LENGTH) << (64 - LENGTH_BITS) | PackRanks(arg, &item, end, 64 - LENGTH_BITS);
	place[2] = PackRanks(arg, &item, end, 64);
}

static int
CompareItemsets(const uint32 *a, const uint32 *b)
{
	if (a[1] != b[1])
		return a[1] < b[1] ? -1 : 1;
	for (uint32 i = 2; i < a[1] + 2; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* Itemsets of the same support and length mostly begin with the same items as the one before. */
static size_t
WriteItemset(const uint32 *record, const uint32 *previous, uint32 *to)
{
	uint32		same = 0;
	uint32		added;

	if (previous != NULL)
		while (same < Min(record[1], previous[1]) && record[2 + same] == previous[2 + same])
			same++;
	added = record[1] - same;
	to[0] = same;
	to[1] = added;
	memcpy(to + 2, record + 2 + same, (added + 1) * sizeof(uint32));
	return 3 + (size_t) added;
}

const BestKind BestItemsets = {
	.read = ReadItemset,
	.keep = KeepItemset,
	.settle = SettleItemset,
	.compare = CompareItemsets,
	.words = WordsOfItemset,
	.write = WriteItemset
};
