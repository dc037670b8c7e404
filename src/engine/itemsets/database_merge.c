/*-------------------------------------------------------------------------
 *
 * database_merge.c
 *	  Merging equal rows of a database.
 *
 * Rows that hold the same items are merged into one with a weight ("database
 * reduction" of Uno, Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 4),
 * since after dropping infrequent items dense data has few distinct rows.  Where
 * few rows have an equal one, none are merged: mining rows that have weights would
 * cost more than it saves to have fewer rows.
 *
 *-------------------------------------------------------------------------
 */
#include "database_merge.h"
#include "engine/hash.h"
#include "row_sample.h"

#include <string.h>

/*
 * Whether merging pays is judged by two samples of rows, one by rows' items and one by their
 * places, see ChooseMerging().  Each has about one row in SAMPLE_PART, a power of 2, ...
 */
#define SAMPLE_PART		16

/* ... but the sample by places has no more than about this many rows. */
#define PLACE_SAMPLE	4096

/* The sample by items chooses a row by its rarest items, this many at most. */
#define RARE_ITEMS		8

/*
 * Merging pays if at least one row in MERGE_PART of a sample is equal to an earlier one.
 * Measured: if 6 % of the rows are (retail), 11 % (T10I4D100K) or 18 % (a million Quest rows),
 * calls take longer with merging; if 34 % are (BMS-WebView-2), they take as long; if 45 % are
 * (kosarak), they take less time.
 */
#define MERGE_PART		4

/* Fewer rows than this are merged without looking. */
#define FEW_ROWS		4096

/* Rows handled between two polls. */
#define POLL_ROWS		65536

static inline FimRow *
RowsOf(const FimDatabase *db)
{
	return (FimRow *) ((char *) db + db->row_at);
}

static inline uint32_t *
ItemsOf(const FimDatabase *db)
{
	return (uint32_t *) ((char *) db + db->items_at);
}

/* The two halves of a 128-bit product, XORed, so that every bit of both factors has an effect. */
static inline uint64_t
FoldProduct(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* The hash of a row's items, which are taken four at a time. */
static inline uint64_t
HashRow(const uint32_t *items, uint32_t n)
{
	uint64_t	h = n;
	uint64_t	words[2] = {0, 0};
	uint32_t	i = 0;

	for (; i + 4 <= n; i += 4)
	{
		memcpy(words, items + i, sizeof(words));
		h = FoldProduct(words[0] ^ UINT64_C(0x9e3779b97f4a7c15), words[1] ^ h);
	}
	words[0] = words[1] = 0;
	for (uint32_t left = 0; i < n; i++, left++)
		words[left / 2] = words[left / 2] << 32 | items[i];
	h = FoldProduct(words[0] ^ UINT64_C(0xbf58476d1ce4e5b9), words[1] ^ h);
	return FimHash64(h);
}

/*
 * A hash of a row's last items, which are its least frequent ones.  It tells rows apart
 * nearly as well as a hash of all items does, and takes less time.
 */
static inline uint64_t
HashRareItems(const uint32_t *items, uint32_t n)
{
	uint32_t	nrare = n < RARE_ITEMS ? n : RARE_ITEMS;

	return HashRow(items + n - nrare, nrare);
}

/*
 * Find out whether merging pays.  Sparse rows hardly ever have equal ones, and looking all
 * of them up in a hash table would cost a cache miss each.  So two samples are taken.  The
 * first has the rows whose rarest items have a hash with certain bits 0: if it has a row, it
 * has all rows that are equal to that row.  But where most rows are equal to one of a few,
 * these few are seldom in that sample.  They are in the second sample, which has every
 * "step"-th row.  That sample need not grow with the database, and fits into the cache.
 * Returns false if there is no memory or the host says stop.
 */
static bool
ChooseMerging(const FimDatabase *db, FimHost *host, bool *merge)
{
	const FimRow *rows = RowsOf(db);
	const uint32_t *items = ItemsOf(db);
	FimRowSample by_items;
	FimRowSample by_place;
	uint32_t	step = SAMPLE_PART;
	uint32_t	next = 0;		/* row to be added to by_place */
	bool		stopped = false;

	*merge = true;
	if (db->nrows < FEW_ROWS)
		return true;
	if (step < db->nrows / PLACE_SAMPLE)
		step = db->nrows / PLACE_SAMPLE;
	if (!FimRowSampleBegin(&by_items, db->nrows / SAMPLE_PART, host))
		return false;
	if (!FimRowSampleBegin(&by_place, db->nrows / step, host))
	{
		FimRowSampleEnd(&by_items, host);
		return false;
	}
	for (uint32_t r = 0; r < db->nrows && !stopped; r++)
	{
		const uint32_t *row = items + rows[r].at;
		uint32_t	n = rows[r].length;

		stopped = r % POLL_ROWS == POLL_ROWS - 1 && host->poll(host);
		if ((HashRareItems(row, n) >> 32 & (SAMPLE_PART - 1)) == 0)
			FimRowSampleAdd(&by_items, HashRow(row, n), n);
		if (r == next)
		{
			FimRowSampleAdd(&by_place, HashRow(row, n), n);
			next += step;
		}
	}
	FimRowSampleEnd(&by_items, host);
	FimRowSampleEnd(&by_place, host);
	*merge = FimRowSampleHasEqual(&by_items, MERGE_PART) ||
		FimRowSampleHasEqual(&by_place, MERGE_PART);
	return !stopped;
}

/*
 * Merge equal rows in place.  slot[] is a hash table.  The lower half of a slot is a
 * row's number + 1; the upper half is that of the row's hash, so that rows of other
 * hashes need not be compared.  Returns false if there is no memory or the host says
 * stop.
 */
static bool
MergeRows(FimDatabase *db, FimHost *host)
{
	FimRow	   *rows = RowsOf(db);
	uint32_t   *items = ItemsOf(db);
	uint64_t	nslots;
	uint64_t   *slot = FimMakeSlots(host, (uint64_t) db->nrows + db->nrows / 2, &nslots);
	uint32_t	kept = 0;
	uint64_t	end = 0;

	if (slot == NULL)
		return false;

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
			equal->weight += row.weight;
			db->weighted = true;
		}
		else
		{
			if (end != row.at)
				memmove(items + end, items + row.at, row.length * sizeof(uint32_t));
			rows[kept] = (FimRow) {end, row.length, row.weight};
			end += row.length;
			slot[s] = (hash >> 32 << 32) | ++kept;
		}
		if (r % POLL_ROWS == POLL_ROWS - 1 && host->poll(host))
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

bool
FimDatabaseMerge(FimDatabase *db, FimHost *host)
{
	bool		merge;

	return ChooseMerging(db, host, &merge) && (!merge || MergeRows(db, host));
}

bool
FimDatabaseFinish(FimDatabase *db, FimHost *host)
{
	return FimDatabaseMerge(db, host) && FimDatabaseCloseGaps(db, host);
}
