/*-------------------------------------------------------------------------
 *
 * database.c
 *	  Building the flat database that the engines mine.
 *
 * Items are renumbered by descending support: engine item 0 is the most
 * frequent one.  Prefix classes are cut so that the class of an item extends it
 * by more frequent items only, which are the leading part of each row; rare
 * items then have long candidate lists over few transactions and frequent items
 * short ones over many, so that no class is large in both.
 *
 *-------------------------------------------------------------------------
 */
#include "database.h"
#include "engine/kernels.h"

#include <string.h>

/* Rows handled between two polls. */
#define POLL_ROWS		65536
#define POLL_ENTRIES	((uint64_t) 1 << 22)

#define AT(db, offset, type) ((type *) ((char *) (db) + (offset)))

static uint64_t
AlignUp(uint64_t n)
{
	return (n + 63) & ~UINT64_C(63);
}

/*
 * Lay the arrays out for the given numbers; returns the bytes they take without
 * the occurrences, or SIZE_MAX when they exceed what a size_t can say.
 */
static size_t
Layout(FimDatabase *db, uint64_t rows, uint64_t entries, uint32_t nitems)
{
	uint64_t	at = AlignUp(sizeof(FimDatabase));

	if (rows > UINT64_MAX / 64 || entries > UINT64_MAX / 64)
		return SIZE_MAX;
	db->support_at = at;
	at = AlignUp(at + sizeof(uint32_t) * (uint64_t) nitems);
	db->name_at = at;
	at = AlignUp(at + sizeof(uint32_t) * (uint64_t) nitems);
	db->occ_at = at;
	at = AlignUp(at + sizeof(uint64_t) * ((uint64_t) nitems + 1));
	db->row_at = at;
	at = AlignUp(at + sizeof(FimRow) * rows);
	db->items_at = at;
	at = AlignUp(at + sizeof(uint32_t) * (entries + FIM_SORT_EXTRA));
	db->occurrences_at = at;
	return at > SIZE_MAX ? SIZE_MAX : (size_t) at;
}

/*
 * The bytes that sorting a row needs.  They lie where the occurrences will be, and hold a
 * bit for each item, or a copy of the row.
 */
static size_t
SortingSize(uint32_t nitems)
{
	return sizeof(uint32_t) * (size_t) nitems + nitems / 8 + 8;
}

static size_t
AddSizes(size_t a, uint64_t b)
{
	return b > SIZE_MAX - a ? SIZE_MAX : a + (size_t) b;
}

size_t
FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems)
{
	FimDatabase unused;

	/* an empty row takes no space, so there are at most as many as entries */
	return AddSizes(Layout(&unused, rows < entries ? rows : entries, entries, nitems),
					SortingSize(nitems));
}

size_t
FimDatabaseIndexedBound(uint64_t rows, uint64_t entries, uint32_t nitems)
{
	return AddSizes(FimDatabaseBound(rows, entries, nitems),
					entries > UINT64_MAX / 64 ? UINT64_MAX : sizeof(uint32_t) * entries);
}

size_t
FimDatabaseIndexedSize(const FimDatabase *db)
{
	return AddSizes((size_t) db->occurrences_at, sizeof(uint32_t) * db->entries);
}

/*
 * Sort (support, item) pairs by descending support, one byte at a time, and
 * leave equal ones in their order.  Returns which of the two arrays holds them.
 */
static uint64_t *
SortBySupport(uint64_t *pairs, uint64_t *scratch, uint32_t n, uint32_t greatest)
{
	for (int shift = 0; shift < 32 && (greatest >> shift) != 0; shift += 8)
	{
		uint64_t	start[257] = {0};
		uint64_t   *swap = scratch;

		for (uint32_t i = 0; i < n; i++)
			start[256 - (pairs[i] >> (32 + shift) & 255)]++;
		for (int b = 0; b < 256; b++)
			start[b + 1] += start[b];
		for (uint32_t i = 0; i < n; i++)
			scratch[start[255 - (pairs[i] >> (32 + shift) & 255)]++] = pairs[i];
		scratch = pairs;
		pairs = swap;
	}
	return pairs;
}

/*
 * Number the items by descending support.  The caller's numbers break ties, so
 * that the numbering depends on nothing else.  The array at occ_at is free until
 * FimDatabaseIndex() fills it in.  Here it holds the pairs to be sorted, and the
 * arrays of supports and names, which lie one after the other, are the scratch
 * space for that.  Then, while rows are added, it holds the map from the caller's
 * items to the engine's.
 */
static void
NumberItems(FimDatabase *db, const uint32_t *support)
{
	uint64_t   *pairs = AT(db, db->occ_at, uint64_t);
	uint64_t   *sorted;
	uint32_t   *engine_item = AT(db, db->occ_at, uint32_t);
	uint32_t   *name = AT(db, db->name_at, uint32_t);
	uint32_t   *own_support = AT(db, db->support_at, uint32_t);
	uint32_t	n = db->nitems;
	uint32_t	greatest = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		pairs[i] = (uint64_t) support[i] << 32 | i;
		if (support[i] > greatest)
			greatest = support[i];
	}
	sorted = SortBySupport(pairs, AT(db, db->support_at, uint64_t), n, greatest);
	if (sorted != pairs)
		memcpy(pairs, sorted, sizeof(uint64_t) * n);
	for (uint32_t i = 0; i < n; i++)
	{
		name[i] = (uint32_t) pairs[i];
		own_support[i] = (uint32_t) (pairs[i] >> 32);
	}
	for (uint32_t i = 0; i < n; i++)
		engine_item[name[i]] = i;
}

void
FimDatabaseBegin(FimDatabase *db, size_t size, uint64_t rows, uint64_t entries,
				 uint32_t nitems, const uint32_t *support)
{
	memset(db, 0, sizeof(FimDatabase));
	Layout(db, rows < entries ? rows : entries, entries, nitems);
	db->head.size = size;
	db->nitems = nitems;
	memset(AT(db, db->occurrences_at, void), 0, nitems / 8 + 8);
	NumberItems(db, support);
}

/* Sort a row by one byte of its items at a time, the least significant byte first. */
static void
RadixSortRow(uint32_t *items, uint32_t *scratch, uint32_t n, uint32_t greatest)
{
	for (int shift = 0; shift < 32 && (greatest >> shift) != 0; shift += 8)
	{
		uint32_t	start[257] = {0};

		for (uint32_t i = 0; i < n; i++)
			start[((items[i] >> shift) & 255) + 1]++;
		for (int b = 0; b < 256; b++)
			start[b + 1] += start[b];
		for (uint32_t i = 0; i < n; i++)
			scratch[start[(items[i] >> shift) & 255]++] = items[i];
		memcpy(items, scratch, sizeof(uint32_t) * n);
	}
}

/* Sort a row.  The scratch space is where FimDatabaseIndex() will write the occurrences. */
static void
SortRow(FimDatabase *db, uint32_t *row, uint32_t n)
{
	const FimKernels *kernels = FimCurrentKernels();
	uint32_t	nwords = db->nitems / 64 + 1;
	void	   *scratch = AT(db, db->occurrences_at, void);

	if (n <= FIM_SHORT_ROW && n < nwords * 4)
		kernels->sort_row(row, n);
	else if (nwords <= n)
		kernels->sort_by_bits(row, n, scratch, nwords);
	else
	{
		RadixSortRow(row, scratch, n, db->nitems);
		/* sort_by_bits(), which may be called for the next row, expects clear bits */
		memset(scratch, 0, sizeof(uint32_t) * n);
	}
}

void
FimDatabaseAddTimes(FimDatabase *db, const uint32_t *items, uint32_t nitems, uint32_t times)
{
	const uint32_t *engine_item = AT(db, db->occ_at, uint32_t);
	uint32_t   *row = AT(db, db->items_at, uint32_t) + db->entries;

	db->transactions += times;
	if (nitems == 0)
		return;
	for (uint32_t i = 0; i < nitems; i++)
		row[i] = engine_item[items[i]];
	SortRow(db, row, nitems);
	AT(db, db->row_at, FimRow)[db->nrows++] = (FimRow) {db->entries, nitems, times};
	db->entries += nitems;
	db->weighted |= times > 1;
	if (nitems > db->max_row)
		db->max_row = nitems;
}

bool
FimDatabaseHasRoom(const FimDatabase *db, uint32_t nitems)
{
	uint64_t	rows = (db->items_at - db->row_at) / sizeof(FimRow);
	uint64_t	entries = (db->occurrences_at - db->items_at) / sizeof(uint32_t) - FIM_SORT_EXTRA;

	return nitems == 0 || (db->nrows < rows && entries - db->entries >= nitems);
}

/* Copy in steps between which the host can stop it. */
static bool
CopySlowly(void *to, const void *from, size_t bytes, FimHost *host)
{
	size_t		step = POLL_ENTRIES * sizeof(uint32_t);

	for (size_t done = 0; done < bytes; done += step)
	{
		if (host->poll(host))
			return false;
		memcpy((char *) to + done, (const char *) from + done,
			   bytes - done < step ? bytes - done : step);
	}
	return true;
}

bool
FimDatabaseMove(const FimDatabase *from, FimDatabase *to, size_t size, uint64_t rows,
				uint64_t entries, FimHost *host)
{
	uint32_t	nitems = from->nitems;

	*to = *from;
	Layout(to, rows < entries ? rows : entries, entries, nitems);
	to->head.size = size;
	memcpy(AT(to, to->support_at, void), AT(from, from->support_at, void), sizeof(uint32_t) * (size_t) nitems);
	memcpy(AT(to, to->name_at, void), AT(from, from->name_at, void), sizeof(uint32_t) * (size_t) nitems);
	/* the map from the caller's items to the engine's */
	memcpy(AT(to, to->occ_at, void), AT(from, from->occ_at, void), sizeof(uint32_t) * (size_t) nitems);
	memset(AT(to, to->occurrences_at, void), 0, nitems / 8 + 8);
	return CopySlowly(AT(to, to->row_at, void), AT(from, from->row_at, void),
					  sizeof(FimRow) * (size_t) from->nrows, host) &&
		CopySlowly(AT(to, to->items_at, void), AT(from, from->items_at, void),
				   sizeof(uint32_t) * from->entries, host);
}

/*
 * Close the gaps that merging left: everything moves towards the start, in steps
 * between which the host can stop it.
 */
bool
FimDatabaseCloseGaps(FimDatabase *db, FimHost *host)
{
	uint32_t   *from = AT(db, db->items_at, uint32_t);
	uint32_t   *to;

	db->head.size = Layout(db, db->nrows, db->entries, db->nitems);
	to = AT(db, db->items_at, uint32_t);
	for (uint64_t done = 0; to != from && done < db->entries; done += POLL_ENTRIES)
	{
		uint64_t	left = db->entries - done;

		if (host->poll(host))
			return false;
		memmove(to + done, from + done,
				sizeof(uint32_t) * (left < POLL_ENTRIES ? left : POLL_ENTRIES));
	}
	return true;
}

/* Find where the occurrences of each item will begin.  Returns false if the host says stop. */
static bool
CountOccurrences(FimDatabase *db, FimHost *host)
{
	const uint32_t *items = AT(db, db->items_at, uint32_t);
	const uint32_t *support = AT(db, db->support_at, uint32_t);
	uint64_t   *occ = AT(db, db->occ_at, uint64_t);

	memset(occ, 0, sizeof(uint64_t) * ((uint64_t) db->nitems + 1));
	for (uint64_t e = 0; db->weighted && e < db->entries; e++)
	{
		occ[items[e] + 1]++;
		if (e % POLL_ENTRIES == POLL_ENTRIES - 1 && host->poll(host))
			return false;
	}
	/* if no row has a weight, an item is in as many rows as its support says */
	for (uint32_t i = 0; i < db->nitems; i++)
		occ[i + 1] = occ[i] + (db->weighted ? occ[i + 1] : support[i]);
	return true;
}

/* List the rows of each item, ascending. */
bool
FimDatabaseIndex(FimDatabase *db, FimHost *host)
{
	const FimRow *rows = AT(db, db->row_at, FimRow);
	const uint32_t *items = AT(db, db->items_at, uint32_t);
	uint64_t   *occ = AT(db, db->occ_at, uint64_t);
	uint32_t   *occurrences = AT(db, db->occurrences_at, uint32_t);

	if (!CountOccurrences(db, host))
		return false;
	db->head.size = FimDatabaseIndexedSize(db);
	for (uint32_t r = 0; r < db->nrows; r++)
	{
		const uint32_t *end = items + rows[r].length;

		for (; items < end; items++)
			occurrences[occ[*items]++] = r;
		if (r % POLL_ROWS == POLL_ROWS - 1 && host->poll(host))
			return false;
	}
	/* while they were filled in, each item's start moved to the start of the next item */
	memmove(occ + 1, occ, sizeof(uint64_t) * db->nitems);
	occ[0] = 0;
	return true;
}
