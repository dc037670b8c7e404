/*-------------------------------------------------------------------------
 *
 * data.c
 *	  The uncertain transactions as flat memory, by row and by item.
 *
 * The rows are added one after the other, each of them sorted, and moved together when all are
 * there.  cpu_prepare() and cpu_fill() then add the same by item.
 *
 *-------------------------------------------------------------------------
 */
#include "probable.h"

#include <string.h>

#include "engine/arena.h"
#include "engine/fill.h"

#define POLL_ENTRIES	(1 << 20)
#define POLL_BYTES		((size_t) 1 << 23)

/* Set where the arrays begin if there are this many rows and entries; returns the bytes up to their end. */
static uint64_t
Layout(FimProbableData *data, uint64_t rows, uint64_t entries, uint32_t by_entry)
{
	data->start_at = FimAlignUp(sizeof(FimProbableData));
	data->item_at = data->start_at + sizeof(uint64_t) * (rows + 1);
	data->probability_at = FimAlignUp(data->item_at + sizeof(uint32_t) * entries);
	return data->probability_at + sizeof(double) * (by_entry ? entries : rows);
}

size_t
FimProbableBound(uint64_t rows, uint64_t entries, uint32_t nitems, bool by_entry)
{
	FimProbableData unused;

	if (entries > UINT64_MAX / 64 || Layout(&unused, rows, entries, by_entry) > SIZE_MAX)
		return SIZE_MAX;
	return Layout(&unused, rows, entries, by_entry);
}

void
FimProbableBegin(FimProbableData *data, size_t size, uint64_t rows, uint64_t entries,
				 uint32_t nitems, bool by_entry)
{
	memset(data, 0, sizeof(FimProbableData));
	Layout(data, rows, entries, by_entry);
	data->head.size = size;
	data->nitems = nitems;
	data->by_entry = by_entry;
	FIM_PROBABLE_STARTS(data)[0] = 0;
}

/* Move an entry of a row that is being sorted; p is NULL if entries have no probabilities. */
static inline void
MoveEntry(uint32_t *item, double *p, uint32_t to, uint32_t from)
{
	item[to] = item[from];
	if (p != NULL)
		p[to] = p[from];
}

/* Let the entry at the top of a heap of n sink to its place. */
static void
SinkEntry(uint32_t *item, double *p, uint32_t top, uint32_t n)
{
	uint32_t	moved = item[top];
	double		moved_p = p != NULL ? p[top] : 0;
	uint32_t	child;

	while ((child = 2 * top + 1) < n)
	{
		if (child + 1 < n && item[child + 1] > item[child])
			child++;
		if (item[child] <= moved)
			break;
		MoveEntry(item, p, top, child);
		top = child;
	}
	item[top] = moved;
	if (p != NULL)
		p[top] = moved_p;
}

/* Sort a row by heapsort, which needs no memory.  Most rows are sorted already. */
static void
SortRow(uint32_t *item, double *p, uint32_t n)
{
	uint32_t	sorted = 1;

	while (sorted < n && item[sorted - 1] < item[sorted])
		sorted++;
	if (sorted >= n)
		return;
	for (uint32_t top = n / 2; top-- > 0;)
		SinkEntry(item, p, top, n);
	for (uint32_t last = n - 1; last > 0; last--)
	{
		uint32_t	greatest = item[0];
		double		greatest_p = p != NULL ? p[0] : 0;

		MoveEntry(item, p, 0, last);
		item[last] = greatest;
		if (p != NULL)
			p[last] = greatest_p;
		SinkEntry(item, p, 0, last);
	}
}

void
FimProbableAdd(FimProbableData *data, const uint32_t *items, const double *probabilities,
			   uint32_t nitems, double row_probability)
{
	uint32_t   *item = FIM_PROBABLE_ITEMS(data) + data->entries;
	double	   *p = FIM_PROBABLE_PROBABILITIES(data);
	double	   *entry_p = data->by_entry ? p + data->entries : NULL;
	uint32_t	kept = 0;

	if (!data->by_entry && row_probability == 0)
		return;
	for (uint32_t i = 0; i < nitems; i++)
	{
		if (data->by_entry && probabilities[i] == 0)
			continue;
		item[kept] = items[i];
		if (data->by_entry)
			entry_p[kept] = probabilities[i];
		kept++;
	}
	if (kept == 0)
		return;
	SortRow(item, entry_p, kept);
	if (!data->by_entry)
		p[data->nrows] = row_probability;
	data->entries += kept;
	FIM_PROBABLE_STARTS(data)[++data->nrows] = data->entries;
	if (kept > data->max_row)
		data->max_row = kept;
}

FimPlace
FimProbableTakeRoom(FimProbableData *data, const FimProbableData *part)
{
	FimPlace	place = {data->nrows, data->entries};

	data->nrows += part->nrows;
	data->entries += part->entries;
	if (part->max_row > data->max_row)
		data->max_row = part->max_row;
	return place;
}

void
FimProbableCopyPart(FimProbableData *data, FimPlace place, FimProbableData *part)
{
	uint64_t   *start = FIM_PROBABLE_STARTS(data) + place.row;

	for (uint32_t r = 1; r <= part->nrows; r++)
		start[r] = place.entry + FIM_PROBABLE_STARTS(part)[r];
	memcpy(FIM_PROBABLE_ITEMS(data) + place.entry, FIM_PROBABLE_ITEMS(part), sizeof(uint32_t) * part->entries);
	if (data->by_entry)
		memcpy(FIM_PROBABLE_PROBABILITIES(data) + place.entry, FIM_PROBABLE_PROBABILITIES(part), sizeof(double) * part->entries);
	else
		memcpy(FIM_PROBABLE_PROBABILITIES(data) + place.row, FIM_PROBABLE_PROBABILITIES(part), sizeof(double) * part->nrows);
	part->nrows = part->max_row = 0;
	part->entries = 0;
}

/* Move bytes towards the start of the data.  Returns false if the host wants to stop. */
static bool
MoveDown(char *to, const char *from, size_t bytes, FimHost *host)
{
	if (to == from)
		return true;
	for (size_t at = 0; at < bytes; at += POLL_BYTES)
	{
		memmove(to + at, from + at, bytes - at < POLL_BYTES ? bytes - at : POLL_BYTES);
		if (host->poll(host))
			return false;
	}
	return true;
}

/* Move the arrays towards the start, so that no unused room is left between them. */
bool
FimProbableFinish(FimProbableData *data, FimHost *host)
{
	const char *base = (const char *) data;
	const char *items = base + data->item_at;
	const char *probabilities = base + data->probability_at;
	uint64_t	n = data->by_entry ? data->entries : data->nrows;

	data->head.size = Layout(data, data->nrows, data->entries, data->by_entry);
	return MoveDown((char *) FIM_PROBABLE_ITEMS(data), items, sizeof(uint32_t) * data->entries, host) &&
		MoveDown((char *) FIM_PROBABLE_PROBABILITIES(data), probabilities, sizeof(double) * n, host);
}

/* Set where the arrays that cpu_prepare() adds begin; returns the bytes up to their end. */
static uint64_t
ColumnsLayout(FimProbableData *layout, const FimProbableData *data)
{
	FimProbableData unused;

	layout->column_at = FimAlignUp(Layout(&unused, data->nrows, data->entries, data->by_entry));
	layout->row_at = layout->column_at + sizeof(uint64_t) * ((uint64_t) data->nitems + 1);
	layout->factor_at = FimAlignUp(layout->row_at + sizeof(uint32_t) * data->entries);
	return layout->factor_at + (data->by_entry ? sizeof(double) * data->entries : 0);
}

size_t
ColumnsSize(const FimData *head)
{
	FimProbableData unused;

	return ColumnsLayout(&unused, (const FimProbableData *) head);
}

bool
ColumnsCount(FimData *head, FimHost *host)
{
	FimProbableData *data = (FimProbableData *) head;
	const uint32_t *item = FIM_PROBABLE_ITEMS(data);
	uint64_t   *column;

	head->size = ColumnsLayout(data, data);
	head->unfilled = 1;
	column = COLUMN_STARTS(data);
	memset(column, 0, sizeof(uint64_t) * ((uint64_t) data->nitems + 1));
	for (uint64_t e = 0; e < data->entries; e++)
	{
		column[item[e] + 1]++;
		if (e % POLL_ENTRIES == POLL_ENTRIES - 1 && host->poll(host))
			return false;
	}
	for (uint32_t i = 0; i < data->nitems; i++)
		column[i + 1] += column[i];
	return true;
}

/* List the rows of each item of a part. */
static bool
ListRows(const FimTask *task, FimFill *fill, FimHost *host)
{
	const FimProbableData *data = (const FimProbableData *) task->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const uint32_t *item = FIM_PROBABLE_ITEMS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);
	uint32_t   *row = COLUMN_ROWS(data);
	double	   *factor = COLUMN_FACTORS(data);

	for (uint32_t r = 0; r < data->nrows; r++)
	{
		uint64_t	e = FirstNotBelow(item, start[r], start[r + 1], fill->first);

		for (; e < start[r + 1] && item[e] < fill->end; e++)
		{
			uint64_t	to = FimFillNext(fill, item[e]);

			row[to] = r;
			if (data->by_entry)
				factor[to] = p[e];
		}
		if (FimFillMustStop(fill, start[r + 1] - start[r], task->shared, host))
			return false;
	}
	return true;
}

FimResult
ColumnsFill(const FimTask *task, uint32_t part, FimHost *host)
{
	const FimProbableData *data = (const FimProbableData *) task->data;

	return FimFillPart(task, COLUMN_STARTS(data), data->nitems, part, ListRows, host);
}
