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
 * since after dropping infrequent items dense data has few distinct rows.  Where
 * few rows have an equal one they stay apart: weights would cost more than that.
 *
 *-------------------------------------------------------------------------
 */
#include "database.h"
#include "engine/hash.h"
#include "engine/kernels.h"

#include <string.h>

/* One row in so many is looked at to learn whether merging pays. */
#define SAMPLE_PART		16

/*
 * Merging pays if at least one in so many of these rows is a duplicate.  Measured: with
 * 6 % (retail), 11 % (T10I4D100K) and 18 % (a million Quest rows) calls take longer, with
 * 34 % (BMS-WebView-2) as long, with 45 % (kosarak) less.
 */
#define MERGE_PART		4

/* Fewer rows than this are merged without looking. */
#define FEW_ROWS		4096

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
 * that the numbering depends on nothing else.  The occurrence index, which is
 * free yet, and the arrays of supports and names, which lie one after the other,
 * hold what is sorted; then the index holds the map from the caller's items to
 * ours.
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

/* Sort by one byte of the items after the other, the least significant first. */
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

/* Sort a row.  The scratch space is where the occurrences will be, which are not written yet. */
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
		/* leave the bits clear that may be used for the next row */
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

void
FimDatabaseAdd(FimDatabase *db, const uint32_t *items, uint32_t nitems)
{
	FimDatabaseAddTimes(db, items, nitems, 1);
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
	/* the map from the caller's items to ours */
	memcpy(AT(to, to->occ_at, void), AT(from, from->occ_at, void), sizeof(uint32_t) * (size_t) nitems);
	memset(AT(to, to->occurrences_at, void), 0, nitems / 8 + 8);
	return CopySlowly(AT(to, to->row_at, void), AT(from, from->row_at, void),
					  sizeof(FimRow) * (size_t) from->nrows, host) &&
		CopySlowly(AT(to, to->items_at, void), AT(from, from->items_at, void),
				   sizeof(uint32_t) * from->entries, host);
}

/* The two halves of a product of 128 bits, combined, so that every bit of either factor counts. */
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

/* Returns a hash table of at least so many slots, all 0, or NULL if there is no memory. */
static uint64_t *
MakeSlots(FimHost *host, uint64_t least, uint64_t *nslots)
{
	uint64_t   *slot;

	*nslots = 16;
	while (*nslots < least)
		*nslots *= 2;
	slot = host->alloc(host, *nslots * sizeof(uint64_t));
	if (slot != NULL)
		memset(slot, 0, *nslots * sizeof(uint64_t));
	return slot;
}

/* Some of the rows, to see how many of them are equal to another one. */
typedef struct RowSample
{
	uint64_t   *slot;			/* the hashes met */
	uint64_t	nslots;
	uint64_t	distinct;
	uint64_t	equal;
} RowSample;

static bool
BeginSample(RowSample *sample, const FimDatabase *db, FimHost *host)
{
	sample->distinct = sample->equal = 0;
	sample->slot = MakeSlots(host, (uint64_t) db->nrows * 2 / SAMPLE_PART, &sample->nslots);
	return sample->slot != NULL;
}

static inline void
AddToSample(RowSample *sample, uint64_t hash)
{
	uint64_t	s = hash >> 1 & (sample->nslots - 1);

	if (sample->distinct >= sample->nslots / 4 * 3)
		return;
	hash |= 1;
	while (sample->slot[s] != 0 && sample->slot[s] != hash)
		s = (s + 1) & (sample->nslots - 1);
	sample->equal += sample->slot[s] == hash;
	sample->distinct += sample->slot[s] == 0;
	sample->slot[s] = hash;
}

static inline bool
HasManyEqual(const RowSample *sample)
{
	return sample->equal * MERGE_PART >= sample->distinct + sample->equal;
}

/*
 * Find out whether merging pays.  Sparse rows hardly ever have equals, and to find that
 * out for all of them costs a cache miss each, so two samples are taken.  The first has
 * the rows whose hash has a certain property, and with a row it has all rows that are
 * equal to it.  But if most rows are equal to a few, the hashes of these few are seldom
 * in it.  The second sample, which has every so many-th row, shows them.  Returns false
 * if there is no memory or the host says stop.
 */
static bool
ChooseMerging(const FimDatabase *db, FimHost *host, bool *merge)
{
	const FimRow *rows = AT(db, db->row_at, FimRow);
	const uint32_t *items = AT(db, db->items_at, uint32_t);
	RowSample	by_hash;
	RowSample	by_place;
	bool		stopped = false;

	*merge = true;
	if (db->nrows < FEW_ROWS)
		return true;
	if (!BeginSample(&by_hash, db, host))
		return false;
	if (!BeginSample(&by_place, db, host))
	{
		host->free(host, by_hash.slot);
		return false;
	}
	for (uint32_t r = 0; r < db->nrows && !stopped; r++)
	{
		uint64_t	hash = HashRow(items + rows[r].at, rows[r].length);

		stopped = r % POLL_ROWS == POLL_ROWS - 1 && host->poll(host);
		if ((hash >> 32 & (SAMPLE_PART - 1)) == 0)
			AddToSample(&by_hash, hash);
		if (r % SAMPLE_PART == 0)
			AddToSample(&by_place, hash);
	}
	host->free(host, by_hash.slot);
	host->free(host, by_place.slot);
	*merge = HasManyEqual(&by_hash) || HasManyEqual(&by_place);
	return !stopped;
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
	uint64_t	nslots;
	uint64_t   *slot = MakeSlots(host, (uint64_t) db->nrows + db->nrows / 2, &nslots);
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

/*
 * Close the gaps that merging left: everything moves towards the start, in steps
 * between which the host can stop it.
 */
static bool
CloseGaps(FimDatabase *db, FimHost *host)
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

bool
FimDatabaseMerge(FimDatabase *db, FimHost *host)
{
	bool		merge;

	return ChooseMerging(db, host, &merge) && (!merge || MergeRows(db, host));
}

bool
FimDatabaseFinish(FimDatabase *db, FimHost *host)
{
	return FimDatabaseMerge(db, host) && CloseGaps(db, host);
}

/* Find where the occurrences of each item will begin. */
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

/* The rows of each item, ascending. */
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
