/*-------------------------------------------------------------------------
 *
 * database.c
 *	  Building the flat database that the engines mine, and merging equal rows of it.
 *
 * Items are renumbered by descending support: engine item 0 is the most
 * frequent one.  Prefix classes are cut so that the class of an item extends it
 * by more frequent items only, which are the leading part of each row; rare
 * items then have long candidate lists over few transactions and frequent items
 * short ones over many, so that no class is large in both.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "engine/arena.h"
#include "engine/fill.h"
#include "engine/kernels.h"
#include "itemsets.h"

/* Rows handled between two polls. */
#define POLL_ROWS		65536
#define POLL_ENTRIES	((uint64_t) 1 << 22)

#define AT(db, offset, type) ((type *) ((char *) (db) + (offset)))

static uint64_t
LineUp(uint64_t n)
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
	uint64_t	at = LineUp(sizeof(FimDatabase));

	if (rows > UINT64_MAX / 64 || entries > UINT64_MAX / 64)
		return SIZE_MAX;
	db->support_at = at;
	at = LineUp(at + sizeof(uint32_t) * (uint64_t) nitems);
	db->name_at = at;
	at = LineUp(at + sizeof(uint32_t) * (uint64_t) nitems);
	db->occ_at = at;
	at = LineUp(at + sizeof(uint64_t) * ((uint64_t) nitems + 1));
	db->row_at = at;
	at = LineUp(at + sizeof(FimRow) * rows);
	db->items_at = at;
	at = LineUp(at + sizeof(uint32_t) * (entries + FIM_SORT_EXTRA));
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
 * leave equal ones in their order.
 */
static void
SortBySupport(uint64_t *pairs, uint64_t *scratch, uint32_t n, uint32_t greatest)
{
	uint64_t   *result = pairs;

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
	if (pairs != result)
		memcpy(result, pairs, sizeof(uint64_t) * n);
}

/*
 * Number the items by descending support, first those before the caller's last "nany", then these.  The
 * caller's numbers break ties, so that the numbering depends on nothing else.  The array at occ_at is free until
 * FimDatabaseIndex() fills it in.  Here it holds the pairs to be sorted, and the
 * arrays of supports and names, which lie one after the other, are the scratch
 * space for that.  Then, while rows are added, it holds the map from the caller's
 * items to the engine's.
 */
static void
NumberItems(FimDatabase *db, uint32_t nany, const uint32_t *support)
{
	uint64_t   *pairs = AT(db, db->occ_at, uint64_t);
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
	SortBySupport(pairs, AT(db, db->support_at, uint64_t), n - nany, greatest);
	SortBySupport(pairs + n - nany, AT(db, db->support_at, uint64_t), nany, greatest);
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
				 uint32_t nitems, uint32_t nany, const uint32_t *support)
{
	memset(db, 0, sizeof(FimDatabase));
	Layout(db, rows < entries ? rows : entries, entries, nitems);
	db->head.size = size;
	db->nitems = nitems;
	memset(AT(db, db->occurrences_at, void), 0, nitems / 8 + 8);
	NumberItems(db, nany, support);
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

/* Sort a row.  The scratch space is where FimDatabaseFill() will write the occurrences. */
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

void
FimDatabaseBeginPart(FimDatabase *part, size_t size, uint64_t rows, uint64_t entries, const FimDatabase *db)
{
	memset(part, 0, sizeof(FimDatabase));
	Layout(part, rows < entries ? rows : entries, entries, db->nitems);
	part->head.size = size;
	part->nitems = db->nitems;
	memset(AT(part, part->occurrences_at, void), 0, db->nitems / 8 + 8);
	/* the map from the caller's items to the engine's */
	memcpy(AT(part, part->occ_at, void), AT(db, db->occ_at, void), sizeof(uint32_t) * (size_t) db->nitems);
}

FimPlace
FimDatabaseTakeRoom(FimDatabase *db, const FimDatabase *part)
{
	FimPlace	place = {db->nrows, db->entries};

	db->transactions += part->transactions;
	db->nrows += part->nrows;
	db->entries += part->entries;
	db->weighted |= part->weighted;
	if (part->max_row > db->max_row)
		db->max_row = part->max_row;
	return place;
}

void
FimDatabaseCopyPart(FimDatabase *db, FimPlace place, FimDatabase *part)
{
	const FimRow *from = AT(part, part->row_at, FimRow);
	FimRow	   *to = AT(db, db->row_at, FimRow) + place.row;

	for (uint32_t r = 0; r < part->nrows; r++)
		to[r] = (FimRow) {place.entry + from[r].at, from[r].length, from[r].weight};
	memcpy(AT(db, db->items_at, uint32_t) + place.entry, AT(part, part->items_at, uint32_t),
		   sizeof(uint32_t) * part->entries);
	part->transactions = part->entries = 0;
	part->nrows = part->weighted = part->max_row = 0;
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
 * Close the gaps behind the rows and items once there are no more of them: everything moves
 * towards the start, in steps between which the host can stop it.
 */
static bool
CloseGaps(FimDatabase *db, FimHost *host)
{
	uint32_t   *from = AT(db, db->items_at, uint32_t);
	uint64_t	rows = (db->items_at - db->row_at) / sizeof(FimRow);
	uint32_t   *to;

	/* little room for more rows stays, because all items would have to move */
	if (rows - db->nrows > rows / 16)
		rows = db->nrows;
	db->head.size = Layout(db, rows, db->entries, db->nitems);
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

bool
FimDatabaseIndex(FimDatabase *db, FimHost *host)
{
	if (!CountOccurrences(db, host))
		return false;
	db->head.size = FimDatabaseIndexedSize(db);
	db->head.unfilled = 1;
	return true;
}

/* List the rows of each item of a part, ascending. */
static bool
ListRows(const FimTask *task, FimFill *fill, FimHost *host)
{
	const FimDatabase *db = (const FimDatabase *) task->data;
	const FimRow *rows = AT(db, db->row_at, FimRow);
	const uint32_t *items = AT(db, db->items_at, uint32_t);
	uint32_t   *occurrences = AT(db, db->occurrences_at, uint32_t);

	for (uint32_t r = 0; r < db->nrows; r++)
	{
		const uint32_t *end = items + rows[r].length;

		items += FirstNotBelow(items, 0, rows[r].length, fill->first);
		for (; items < end && *items < fill->end; items++)
			occurrences[FimFillNext(fill, *items)] = r;
		items = end;
		if (FimFillMustStop(fill, rows[r].length, task->shared, host))
			return false;
	}
	return true;
}

FimResult
FimDatabaseFill(const FimTask *task, uint32_t part, FimHost *host)
{
	const FimDatabase *db = (const FimDatabase *) task->data;

	return FimFillPart(task, AT(db, db->occ_at, uint64_t), db->nitems, part, ListRows, host);
}

/*
 * Some rows of a database, to see how many of them are equal to another one.
 *
 * How many equal rows there are among all can be told from few of them.  Where d
 * different rows are equally frequent, n rows have n (n - 1) / 2 pairs, of which one in d
 * is a pair of equal rows (the birthday problem).  So as long as few of the d rows have
 * been met, the number of rows that are equal to an earlier one grows with the square of
 * n.  Where some rows are more frequent than others, it grows less than that, and too
 * many equal rows are foreseen.
 */

/*
 * A sample needs ROOTS times the square root of the number of rows.  If each row is there k
 * times, ROOTS * ROOTS / 2 * k rows of that sample are expected to be equal to an earlier one.
 */
#define ROOTS			4

/*
 * Returns a hash table of at least "least" slots, all 0, and sets *nslots to their number, a
 * power of 2.  Returns NULL if the host has no memory.
 */
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

bool
FimRowSampleBegin(FimRowSample *sample, uint64_t nrows, FimHost *host)
{
	memset(sample, 0, sizeof(FimRowSample));
	sample->slot = MakeSlots(host, nrows * 2, &sample->nslots);
	return sample->slot != NULL;
}

void
FimRowSampleEnd(FimRowSample *sample, FimHost *host)
{
	host->free(host, sample->slot);
}

uint64_t
FimRowSampleEnough(uint64_t nrows)
{
	return (uint64_t) (ROOTS * sqrt((double) nrows)) + 1;
}

bool
FimRowSampleForesees(const FimRowSample *sample, uint64_t larger, uint32_t one_in)
{
	double		rows = (double) (sample->distinct + sample->equal);

	/* in the larger sample, that part of the entries would be larger / rows times as large as in this one */
	return sample->equal > 0 &&
		(double) sample->equal_entries * (double) larger * one_in >= (double) sample->entries * rows;
}

/*
 * Merging equal rows of a database while it is built and in the end.
 *
 * Rows that hold the same items are merged into one with a weight ("database
 * reduction" of Uno, Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 4),
 * since after dropping infrequent items dense data has few distinct rows.  Where
 * few rows have an equal one, none are merged: mining rows that have weights would
 * cost more than it saves to have fewer rows.
 */

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
	const FimRow *rows = AT(db, db->row_at, FimRow);
	const uint32_t *items = AT(db, db->items_at, uint32_t);
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

bool
FimDatabaseMerge(FimDatabase *db, FimHost *host)
{
	bool		merge;

	return ChooseMerging(db, host, &merge) && (!merge || MergeRows(db, host));
}

bool
FimDatabaseFinish(FimDatabase *db, bool merge, FimHost *host)
{
	return (!merge || FimDatabaseMerge(db, host)) && CloseGaps(db, host);
}
