/*-------------------------------------------------------------------------
 *
 * rows_or_items.c
 *	  Whether closed or maximal itemsets are found sooner by sets of rows (row_sets.c) than by sets of items.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "miner.h"

/*
 * At low thresholds.
 *
 * A search for maximal itemsets through sets of rows ends at sets of as many rows as the
 * threshold has transactions, so at thresholds of up to three it takes little more than an
 * intersection for each set of two and of three rows that share an item.  A search through
 * sets of items takes the longer there, the more items two rows share; but it takes few steps
 * where these are the same items all over, each in many rows, and so in many sets of
 * three.
 *
 * How many items a set of rows shares is estimated from a sample.  An item and some
 * of its rows are drawn so that each set of rows comes up in proportion to the items
 * that it shares: few pairs that share a lot would be missed otherwise, and are what
 * makes a search through sets of items long.
 */

/* Sets of two and of three rows are looked at. */
#define MOST_ROWS_IN_SET	3

/*
 * Sets of rows in a sample: fewer if rows are long, so that not many more than so many items
 * are compared, but never below the least.
 */
#define SAMPLE		256
#define LEAST_SAMPLE	16
#define SAMPLED_ITEMS	100000

/*
 * Nanoseconds, fitted to 70 databases of 100 to 1,000 rows (parts of real ones, uniform, Zipf,
 * blocks, expression) on one core with AVX-512.  Going through sets of rows takes as much for a
 * row and eight columns of 64 rows, for a pair of rows and eight of their columns, and for a
 * set of three.
 */
#define ROW_COLUMNS			2.5
#define PAIR				150.0
#define PAIR_COLUMNS		1.2
#define TRIPLE_OF_MAXIMAL	60.0
#define TRIPLE_OF_CLOSED	270.0
#define TRIPLE_OF_ONE_ITEM	100.0

/*
 * And sets of items for each item that a pair shares, times the pairs to a set of three; by
 * threshold.
 */
static const double shared_of_maximal[] = {3000, 500, 1500};
static const double shared_of_closed[] = {600, 200};

#define LENGTH(array)	((uint32_t) (sizeof(array) / sizeof(array[0])))

/*
 * For closed itemsets the search goes on to larger sets of rows, which soon are beyond number: not
 * where three rows share few items, or where items have few sets of three rows for each pair.
 * The product of both is below this where rows were seen to be quicker, up to 24, and above where
 * they were much slower, from 52 on: 25 s against 3 s at 84.
 */
#define MOST_BY_THREE	40.0

/* The items in question, each with its rows, and how long the rows are. */
typedef struct Columns
{
	const FimDatabase *db;
	const FimRow *rows;
	const uint32_t *items;
	const uint64_t *occ;
	const uint32_t *occurrences;
	uint32_t	first;
	uint32_t	end;
	double		row_length;		/* mean, of these items alone */
} Columns;

/* What sets of a number of rows have in common. */
typedef struct Sharing
{
	double		drawn;			/* pairs of an item and a set of rows that hold it */
	double		sets;			/* those that share an item */
	double		items;			/* that a set shares, the mean over what is drawn */
} Sharing;

static Columns
ColumnsOf(const FimDatabase *db, uint32_t first, uint32_t end)
{
	const char *base = (const char *) db;
	Columns		c = {
		.db = db,
		.rows = (const FimRow *) (base + db->row_at),
		.items = (const uint32_t *) (base + db->items_at),
		.occ = (const uint64_t *) (base + db->occ_at),
		.occurrences = (const uint32_t *) (base + db->occurrences_at),
		.first = first,
		.end = end
	};

	c.row_length = (double) (c.occ[end] - c.occ[first]) / db->nrows;
	return c;
}

/* The sets of so many of n rows. */
static double
Choose(uint64_t n, uint32_t size)
{
	double		sets = 1;

	for (uint32_t i = 0; i < size; i++)
		sets *= n > i ? (double) (n - i) / (i + 1) : 0;
	return sets;
}

/* Draw different positions below n, ascending; n is not below size. */
static void
DrawPositions(uint64_t seed, uint64_t n, uint32_t size, uint64_t *at)
{
	for (uint32_t drawn = 0; drawn < size; drawn++)
	{
		uint64_t	position = FimHash64(seed * MOST_ROWS_IN_SET + drawn + 1) % (n - drawn);
		uint32_t	i = 0;

		for (; i < drawn && position >= at[i]; i++)
			position++;
		for (uint32_t j = drawn; j > i; j--)
			at[j] = at[j - 1];
		at[i] = position;
	}
}

/* The items in question that are in all of these rows. */
static uint32_t
ItemsShared(const Columns *c, const FimRow *const *row, uint32_t size)
{
	uint32_t	at[MOST_ROWS_IN_SET] = {0};
	uint32_t	shared = 0;

	for (; at[0] < row[0]->length; at[0]++)
	{
		uint32_t	item = c->items[row[0]->at + at[0]];
		uint32_t	holding = 1;

		if (item < c->first)
			continue;
		if (item >= c->end)
			break;
		for (uint32_t i = 1; i < size; i++)
		{
			while (at[i] < row[i]->length && c->items[row[i]->at + at[i]] < item)
				at[i]++;
			holding += at[i] < row[i]->length && c->items[row[i]->at + at[i]] == item;
		}
		shared += holding == size;
	}
	return shared;
}

/* How many items some rows of this item share. */
static uint32_t
DrawShared(const Columns *c, uint32_t item, uint32_t size, uint64_t seed)
{
	uint64_t	at[MOST_ROWS_IN_SET];
	const FimRow *row[MOST_ROWS_IN_SET];

	DrawPositions(seed, c->occ[item + 1] - c->occ[item], size, at);
	for (uint32_t i = 0; i < size; i++)
		row[i] = &c->rows[c->occurrences[c->occ[item] + at[i]]];
	return ItemsShared(c, row, size);
}

static uint32_t
SampleSize(const Columns *c)
{
	double		n = SAMPLED_ITEMS / (c->row_length + 1);

	return n > SAMPLE ? SAMPLE : n < LEAST_SAMPLE ? LEAST_SAMPLE : (uint32_t) n;
}

/*
 * Items are drawn at equal distances along the sets of their rows.  A set that shares k items
 * is drawn k times as often as one that shares one, so 1/k of it is counted.
 */
static Sharing
FindSharing(const Columns *c, uint32_t size)
{
	Sharing		sharing = {0};
	uint32_t	n = SampleSize(c);
	uint32_t	taken = 0;
	double		passed = 0;
	double		inverse = 0;

	for (uint32_t i = c->first; i < c->end; i++)
		sharing.drawn += Choose(c->occ[i + 1] - c->occ[i], size);
	for (uint32_t i = c->first; i < c->end; i++)
	{
		double		sets = Choose(c->occ[i + 1] - c->occ[i], size);

		passed += sets;
		for (; sets > 0 && taken < n && (taken + 0.5) * sharing.drawn < passed * n; taken++)
		{
			uint32_t	shared = DrawShared(c, i, size, taken);

			sharing.items += shared;
			inverse += 1.0 / shared;
		}
	}
	if (taken > 0)
	{
		sharing.items /= taken;
		sharing.sets = sharing.drawn * inverse / taken;
	}
	return sharing;
}

/* A set that shares one item ends there, since that item's rows are its closure. */
static double
NsOfTriple(FimKind kind, const Sharing *three)
{
	if (kind == FIM_MAXIMAL)
		return TRIPLE_OF_MAXIMAL;
	return three->items < 2 ? TRIPLE_OF_ONE_ITEM + (TRIPLE_OF_CLOSED - TRIPLE_OF_ONE_ITEM) * (three->items - 1) :
		TRIPLE_OF_CLOSED;
}

static double
NsOfRowSets(const FimItemsetsSpec *spec, const Columns *c, const Sharing *two, const Sharing *three)
{
	double		vectors = (double) ((c->db->nrows + 63) / 64) / 8;
	double		ns = c->db->nrows * vectors * (c->end - c->first) * ROW_COLUMNS;

	if (spec->kind == FIM_CLOSED || spec->minsup > 1)
		ns += two->sets * (PAIR + c->row_length * vectors * PAIR_COLUMNS);
	if (spec->kind == FIM_CLOSED || spec->minsup > 2)
		ns += three->sets * NsOfTriple(spec->kind, three);
	return ns;
}

static double
NsOfItemSets(const FimItemsetsSpec *spec, const Sharing *two, const Sharing *three)
{
	double		pairs_to_three = three->drawn > two->drawn ? two->drawn / three->drawn : 1;
	const double *shared = spec->kind == FIM_CLOSED ? shared_of_closed : shared_of_maximal;

	return two->drawn * two->items * pairs_to_three * shared[spec->minsup - 1];
}

/*
 * Whether closed or maximal itemsets are expected sooner from sets of rows, judging by what a
 * sample of two and of three rows share.  The items from "first" to "end" - 1 are those that
 * are frequent and not in all rows.  False at thresholds above those that were measured.  The
 * answer depends on nothing but the arguments.
 */
static bool
RowsAreQuicker(const FimItemsetsSpec *spec, const FimDatabase *db, uint32_t first, uint32_t end)
{
	uint32_t	most = spec->kind == FIM_CLOSED ? LENGTH(shared_of_closed) : LENGTH(shared_of_maximal);
	Columns		c;
	Sharing		two;
	Sharing		three;

	if (spec->minsup > most)
		return false;
	c = ColumnsOf(db, first, end);
	two = FindSharing(&c, 2);
	three = FindSharing(&c, 3);
	if (spec->kind == FIM_CLOSED && three.items * three.drawn >= two.drawn * MOST_BY_THREE)
		return false;
	return NsOfRowSets(spec, &c, &two, &three) < NsOfItemSets(spec, &two, &three);
}

/*
 * At all thresholds.
 */

/*
 * The recursion goes as deep as there are rows, so they have to be few; and where
 * more of them are than items, sets of rows soon are beyond number.
 */
#define MOST_ROWS	1024
#define FEW_ROWS	64

/*
 * Rows are so few that going through sets of them is the quicker way if there are
 * so many times as many frequent items, and more than the rows squared.  Measured
 * on generated expression data of 20 to 400 rows, at thresholds from 3 rows to the
 * one that leaves single items: with 2,000 items in 40 rows, 16,000 in 100, mostly
 * quicker, up to a hundred times; with 5,000 in 100 rows 0.6 to 5 times as quick;
 * with fewer items for each row in some cases more than ten times slower.
 */
#define ITEMS_PER_ROW	50

/* So few rows have few sets, while sets of items may be beyond number. */
#define VERY_FEW_ROWS	16

bool
MinesRowSets(const FimItemsetsSpec *spec, const FimDatabase *db)
{
	uint32_t	perfect;
	uint64_t	nitems;

	/* a frequent itemset that is not closed is no intersection of rows, and sets of rows have no classes to leave out */
	if (spec->kind == FIM_ALL || spec->nany > 0 || db->nrows > MOST_ROWS)
		return false;
	if (FimIsPart(&spec->head.part) && db->transactions > FIM_FEW_TRANSACTIONS)
		return false;
	nitems = RootItems(spec, db, &perfect) - perfect;
	if (spec->head.strategy == FIM_ROWS && (db->nrows <= FEW_ROWS || nitems >= db->nrows))
		return true;
	if (spec->head.strategy != FIM_AUTO && spec->head.strategy != FIM_ROWS)
		return false;
	if (db->nrows <= VERY_FEW_ROWS)
		return nitems > MERGED_COLUMNS;
	if (nitems >= (uint64_t) db->nrows * ITEMS_PER_ROW && nitems >= (uint64_t) db->nrows * db->nrows)
		return true;
	return nitems > MERGED_COLUMNS && RowsAreQuicker(spec, db, perfect, (uint32_t) nitems + perfect);
}
