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
 * Rows that hold the same items are merged into one with a weight ("database
 * reduction" of Uno, Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 4),
 * since after dropping infrequent items dense data has few distinct rows.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <stdlib.h>
#include <string.h>

/* Rows up to this length are sorted by insertion. */
#define SHORT_ROW	12

#define AT(db, offset, type) ((type *) ((char *) (db) + (offset)))

static uint64_t
AlignUp(uint64_t n)
{
	return (n + 63) & ~UINT64_C(63);
}

/*
 * Lay the arrays out for the given numbers; returns the bytes they take, or
 * SIZE_MAX when they exceed what a size_t can say.
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
	at = AlignUp(at + sizeof(uint32_t) * entries);
	db->occurrences_at = at;
	/* while rows are added, a bit for each item is kept here to sort them */
	at = AlignUp(at + sizeof(uint32_t) * entries + nitems / 8 + 8);
	return at > SIZE_MAX ? SIZE_MAX : (size_t) at;
}

size_t
FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems)
{
	FimDatabase unused;

	/* an empty row takes no space, so there are at most as many as entries */
	return Layout(&unused, rows < entries ? rows : entries, entries, nitems);
}

static int
CompareDescending(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x < y) - (x > y);
}

/*
 * Number the items by descending support.  The caller's numbers break ties, so
 * that the numbering depends on nothing else.  The occurrence index, which is
 * free yet, holds the (support, item) pairs that are sorted, and then the map
 * from the caller's items to ours.
 */
static void
NumberItems(FimDatabase *db, const uint32_t *support)
{
	uint64_t   *key = AT(db, db->occ_at, uint64_t);
	uint32_t   *engine_item = (uint32_t *) key;
	uint32_t   *name = AT(db, db->name_at, uint32_t);
	uint32_t   *sorted = AT(db, db->support_at, uint32_t);
	uint32_t	n = db->nitems;

	for (uint32_t i = 0; i < n; i++)
		key[i] = ((uint64_t) support[i] << 32) | (UINT32_MAX - i);
	qsort(key, n, sizeof(uint64_t), CompareDescending);
	for (uint32_t i = 0; i < n; i++)
	{
		name[i] = UINT32_MAX - (uint32_t) key[i];
		sorted[i] = (uint32_t) (key[i] >> 32);
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
	db->size = size;
	db->nitems = nitems;
	memset(AT(db, db->occurrences_at, void), 0, nitems / 8 + 8);
	NumberItems(db, support);
}

/*
 * Items are distinct, so a set of bits sorts them: set a bit for each, read the
 * bits in order and leave all of them clear.
 */
static void
BitSortRow(uint32_t *items, uint32_t n, uint64_t *bits, uint32_t nwords)
{
	for (uint32_t i = 0; i < n; i++)
		bits[items[i] / 64] |= UINT64_C(1) << (items[i] % 64);
	for (uint32_t w = 0; w < nwords; w++)
	{
		for (uint64_t left = bits[w]; left != 0; left &= left - 1)
			*items++ = w * 64 + (uint32_t) __builtin_ctzll(left);
		bits[w] = 0;
	}
}

/* One byte of the items at a time, least significant first. */
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

static void
InsertionSortRow(uint32_t *items, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		uint32_t	item = items[i];
		uint32_t	at = i;

		for (; at > 0 && items[at - 1] > item; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/* The occurrences are not written yet and hold the scratch space. */
static void
SortRow(FimDatabase *db, uint32_t *row, uint32_t n)
{
	uint32_t	nwords = db->nitems / 64 + 1;
	void	   *scratch = AT(db, db->occurrences_at, void);

	if (n <= SHORT_ROW && n < nwords + SHORT_ROW / 2)
		InsertionSortRow(row, n);
	else if (nwords <= n)
		BitSortRow(row, n, scratch, nwords);
	else if (n <= 4 * SHORT_ROW)
		InsertionSortRow(row, n);
	else
	{
		RadixSortRow(row, scratch, n, db->nitems);
		/* leave the bits clear that may be used for the next row */
		memset(scratch, 0, sizeof(uint32_t) * n);
	}
}

void
FimDatabaseAdd(FimDatabase *db, const uint32_t *items, uint32_t nitems)
{
	const uint32_t *engine_item = AT(db, db->occ_at, uint32_t);
	uint32_t   *row = AT(db, db->items_at, uint32_t) + db->entries;

	db->transactions++;
	if (nitems == 0)
		return;
	for (uint32_t i = 0; i < nitems; i++)
		row[i] = engine_item[items[i]];
	SortRow(db, row, nitems);
	AT(db, db->row_at, FimRow)[db->nrows++] = (FimRow) {db->entries, nitems, 1};
	db->entries += nitems;
	if (nitems > db->max_row)
		db->max_row = nitems;
}

static uint64_t
HashRow(const uint32_t *items, uint64_t n)
{
	uint64_t	h = n;

	for (uint64_t i = 0; i < n; i++)
		h = (h ^ items[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return FimHash64(h);
}

/*
 * Merge equal rows in place: slot[] is a hash table of row numbers + 1, with
 * the upper half of each row's hash beside it to spare comparing the rows.
 */
static bool
MergeRows(FimDatabase *db, FimHost *host)
{
	FimRow	   *rows = AT(db, db->row_at, FimRow);
	uint32_t   *items = AT(db, db->items_at, uint32_t);
	uint64_t	nslots = 16;
	uint64_t   *slot;
	uint32_t	kept = 0;
	uint64_t	end = 0;

	while (nslots < (uint64_t) db->nrows + db->nrows / 2)
		nslots *= 2;
	slot = host->alloc(host, nslots * sizeof(uint64_t));
	if (slot == NULL)
		return false;
	memset(slot, 0, nslots * sizeof(uint64_t));

	for (uint32_t r = 0; r < db->nrows; r++)
	{
		FimRow		row = rows[r];
		uint64_t	hash = HashRow(items + row.at, row.length);
		uint64_t	s = hash & (nslots - 1);
		FimRow	   *equal = NULL;

		for (; slot[s] != 0 && equal == NULL; s = (s + 1) & (nslots - 1))
		{
			FimRow	   *other = &rows[(uint32_t) slot[s] - 1];

			if ((slot[s] ^ hash) >> 32 == 0 && other->length == row.length &&
				memcmp(items + other->at, items + row.at, row.length * sizeof(uint32_t)) == 0)
				equal = other;
		}
		if (equal != NULL)
		{
			equal->weight++;
			db->weighted = true;
		}
		else
		{
			memmove(items + end, items + row.at, row.length * sizeof(uint32_t));
			rows[kept] = (FimRow) {end, row.length, 1};
			end += row.length;
			slot[s] = (hash >> 32 << 32) | ++kept;
		}
		if ((r & 0xffff) == 0xffff && host->poll(host))
		{
			host->free(host, slot);
			return false;
		}
	}
	host->free(host, slot);
	db->nrows = kept;
	db->entries = end;
	return true;
}

/* The rows of each item, ascending. */
static void
IndexOccurrences(FimDatabase *db)
{
	const FimRow *rows = AT(db, db->row_at, FimRow);
	const uint32_t *items = AT(db, db->items_at, uint32_t);
	uint64_t   *occ = AT(db, db->occ_at, uint64_t);
	uint32_t   *occurrences = AT(db, db->occurrences_at, uint32_t);

	memset(occ, 0, sizeof(uint64_t) * ((uint64_t) db->nitems + 1));
	for (uint64_t e = 0; e < db->entries; e++)
		occ[items[e] + 1]++;
	for (uint32_t i = 0; i < db->nitems; i++)
		occ[i + 1] += occ[i];
	for (uint32_t r = 0; r < db->nrows; r++)
		for (uint32_t e = 0; e < rows[r].length; e++)
			occurrences[occ[items[rows[r].at + e]]++] = r;
	/* filling moved each start to the next one's */
	memmove(occ + 1, occ, sizeof(uint64_t) * db->nitems);
	occ[0] = 0;
}

bool
FimDatabaseFinish(FimDatabase *db, FimHost *host)
{
	FimDatabase was = *db;

	if (!MergeRows(db, host))
		return false;

	/* close the gaps that merging left: everything moves towards the start */
	db->size = Layout(db, db->nrows, db->entries, db->nitems);
	memmove(AT(db, db->items_at, void), AT(db, was.items_at, void),
			sizeof(uint32_t) * db->entries);
	IndexOccurrences(db);
	return true;
}
