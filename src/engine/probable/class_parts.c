/*-------------------------------------------------------------------------
 *
 * class_parts.c
 *	  Which probable itemsets fall to which part of a task.
 *
 * An itemset falls to the part of its rarest item, by the number of rows that hold it, and of equally rare ones of the lower one: that is the item
 * of its class.  Where itemsets need one of some items, only these count.  An item that is in all rows does not count, because classes may have
 * such items in another order; itemsets without any that counts, the required items alone for one, are a unit of their own.  Nothing here
 * depends on which items are selected, so the strategies need not agree on more than the results.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "miner.h"

/* The number of rows that hold an item, if the data have columns. */
static inline uint64_t
RowsOf(const FimProbableData *data, uint32_t item)
{
	const uint64_t *start = COLUMN_STARTS(data);

	return start[item + 1] - start[item];
}

/* Does an item say which class an itemset is in? */
static bool
Counts(const ProbableMiner *m, uint32_t item)
{
	return item >= m->spec->nrequired && item < m->data->nitems && (m->spec->nany == 0 || IsAnyItem(m, item)) && RowsOf(m->data, item) < m->data->nrows;
}

/* Is item x rarer than y? */
static bool
IsRarer(const FimProbableData *data, uint32_t x, uint32_t y)
{
	uint64_t	nx = RowsOf(data, x);
	uint64_t	ny = RowsOf(data, y);

	return nx < ny || (nx == ny && x < y);
}

/*
 * A FimWorkOf.  A class extends its item by the more frequent ones.  How many itemsets that gives is not known; what is
 * counted is the rows in which it looks for the items that may be there.
 */
typedef struct Classes
{
	const FimProbableData *data;
	const uint32_t *count;		/* [nitems] rows that hold an item */
	uint64_t   *rarer;			/* [nrows + 1] the entries of items that so many rows hold, or fewer */
} Classes;

static uint64_t
WorkOfItem(void *context, uint32_t item, FimWork *pieces, uint32_t *npieces)
{
	const Classes *classes = context;
	const FimProbableData *data = classes->data;
	uint64_t	rows;

	*npieces = 0;
	if (item == data->nitems)
		return 1;
	rows = classes->count[item];
	/* the entries of more frequent items in its rows, if all rows are alike */
	return 1 + (uint64_t) ((unsigned __int128) rows * (data->entries - classes->rarer[rows]) / (data->nrows + 1));
}

void
FimProbableDeal(FimDealt *dealt, const FimPart *part, const FimProbableData *data, const uint32_t *count, Arena *arena)
{
	size_t		size = sizeof(uint64_t) * ((size_t) data->nrows + 2);
	Classes		classes = {.data = data,.count = count,.rarer = ArenaAlloc(arena, size)};

	memset(classes.rarer, 0, size);
	for (uint32_t item = 0; item < data->nitems; item++)
		classes.rarer[count[item]] += count[item];
	for (uint32_t n = 0; n < data->nrows; n++)
		classes.rarer[n + 1] += classes.rarer[n];
	FimDeal(dealt, part, data->nitems + 1, 0, false, WorkOfItem, &classes, arena);
}

void
ProbableDeal(ProbableMiner *m)
{
	uint32_t   *count = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->data->nitems + 1));

	for (uint32_t item = 0; item < m->data->nitems; item++)
		count[item] = (uint32_t) RowsOf(m->data, item);
	m->dealt = ArenaAlloc(&m->arena, sizeof(FimDealt));
	FimProbableDeal(m->dealt, &m->spec->head.part, m->data, count, &m->arena);
}

bool
ProbableHasClass(const ProbableMiner *m, uint32_t item)
{
	return m->dealt == NULL || FimHasUnit(m->dealt, Counts(m, item) ? item : m->data->nitems);
}

bool
ProbableHasItemset(const ProbableMiner *m)
{
	uint32_t	rarest = m->data->nitems;

	if (m->dealt == NULL)
		return true;
	for (uint32_t i = 0; i < m->nitems; i++)
		if (Counts(m, m->items[i]) && (rarest == m->data->nitems || IsRarer(m->data, m->items[i], rarest)))
			rarest = m->items[i];
	return FimHasUnit(m->dealt, rarest);
}

uint64_t
FimProbableFingerprint(const FimProbableData *data, FimHost *host)
{
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);
	uint64_t	sum = 0;

	for (uint32_t r = 0; r < data->nrows; r++)
	{
		uint64_t	row = data->by_entry ? 0 : FimFingerprintOfNumber(p[r]);

		for (uint64_t e = start[r]; e < start[r + 1]; e++)
			row = FimFingerprint2(row, data->by_entry ? items[e] + FimFingerprintOfNumber(p[e]) : items[e]);
		sum += row;
		if (r % 4096 == 0)
			(void) host->poll(host);
	}
	return FimFingerprint2(FimFingerprint2(data->nrows, data->nitems), sum);
}
