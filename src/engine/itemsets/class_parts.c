/*-------------------------------------------------------------------------
 *
 * class_parts.c
 *	  Which itemsets fall to which part of a task: how much work each class is expected to be.
 *
 * The deal has to be the same on machines that know nothing of each other.  The numbers of a database's items and their
 * supports are the same wherever the data are, but the order of rows is not, nor which equal rows were merged.  So a
 * sample of rows is those distinct ones whose hashes are the smallest, with all of their weight (a bottom-k
 * sketch: Cohen and Kaplan, PODC 2007).  Numbers are whole, but for sums of whole numbers below 2^53 that are doubles: their rounding,
 * if there is any, is that of a single operation, which all machines do alike.
 *
 * How many itemsets a class has is estimated from the supports of its item's pairs in the sample, as if the other items were
 * independent of each other wherever the class's item is.  Then a set of items is frequent if the logarithms of their shares add up to no
 * more than that of the class's support over the threshold, and sets of a sum are counted as a knapsack's are.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <stdlib.h>
#include <string.h>

#define AT(db, offset, type) ((const type *) ((const char *) (db) + (offset)))

/* Rows between two polls. */
#define ROWS_PER_POLL	65536

/*
 * The hash of a row does not depend on the order of its items, and those of rows on nothing but their items.
 */

static inline uint64_t
HashOfRow(const uint32_t *item, uint32_t n)
{
	uint64_t	sum = 0;

	for (uint32_t e = 0; e < n; e++)
		sum += FimHash64(item[e] + UINT64_C(0x9e3779b97f4a7c15));
	return FimHash64(sum);
}

uint64_t
FimDatabaseFingerprint(const FimDatabase *db, FimHost *host)
{
	const FimRow *rows = AT(db, db->row_at, FimRow);
	const uint32_t *items = AT(db, db->items_at, uint32_t);
	uint64_t	sum = 0;

	for (uint32_t r = 0; r < db->nrows; r++)
	{
		sum += rows[r].weight * HashOfRow(items + rows[r].at, rows[r].length);
		if (r % ROWS_PER_POLL == 0)
			(void) host->poll(host);
	}
	return FimFingerprint2(FimFingerprint2(db->transactions, db->nitems), sum);
}

/*
 * A sample of the rows.
 */

/*
 * About so many pairs of items are counted in the sample for so many entries of the database, and so many at least and at
 * most.  A sample never has fewer rows than the least ones, nor more than the most.
 */
#define PAIRS_PER_ENTRY(entries) ((entries) / 4)
#define LEAST_PAIRS		UINT64_C(50000)
#define MOST_PAIRS		UINT64_C(4000000)
#define LEAST_SAMPLED	128
#define MOST_SAMPLED	8192

typedef struct SampledRow
{
	uint64_t	hash;
	uint64_t	weight;			/* of all rows with these items */
	uint32_t	row;			/* one of them */
} SampledRow;

static int
CompareHashes(const void *a, const void *b)
{
	uint64_t	one = ((const SampledRow *) a)->hash;
	uint64_t	other = ((const SampledRow *) b)->hash;

	return one < other ? -1 : one > other;
}

/* Keep the rows of the smallest hashes, at most so many, each once.  Returns how many. */
static uint32_t
Condense(SampledRow *sampled, uint32_t n, uint32_t most)
{
	uint32_t	kept = 0;

	qsort(sampled, n, sizeof(SampledRow), CompareHashes);
	for (uint32_t s = 0; s < n; s++)
		if (kept > 0 && sampled[kept - 1].hash == sampled[s].hash)
			sampled[kept - 1].weight += sampled[s].weight;
		else if (kept < most)
			sampled[kept++] = sampled[s];
	return kept;
}

/* What classes are estimated from.  Arrays are from the arena. */
typedef struct Estimator
{
	const FimItemsetsSpec *spec;
	const FimDatabase *db;
	FimHost    *host;
	const uint32_t *support;	/* [db->nitems] */
	const uint32_t *items;
	const FimRow *rows;
	uint32_t	skip;			/* items in all transactions */
	uint32_t	nclasses;		/* items behind these are infrequent */
	uint32_t	first;			/* the first one that is a class */
	uint64_t	entries;		/* of the frequent items in all transactions */

	SampledRow *sampled;		/* [nsampled] */
	uint32_t	nsampled;
	uint64_t	weight;			/* of the sample */
	uint32_t   *start;			/* [nsampled + 1] where the classes that a row has begin in entry[] */
	uint32_t   *entry;
	uint64_t	least;			/* weight from which on an extension is counted */
	uint32_t   *occ;			/* [nclasses + 1] where the rows of an item begin in occurrences[] */
	uint32_t   *occurrences;	/* which rows of the sample they are */

	/* the class at hand */
	uint64_t   *count;			/* [nclasses] weight of an item together with the class's, 0 between classes */
	uint32_t   *item;			/* [n] its extensions, ascending */
	uint32_t	n;
} Estimator;

/* How many rows to sample.  It depends on sums over all transactions only. */
static uint32_t
SampleSize(const Estimator *s)
{
	uint64_t	length = s->entries / (s->db->transactions + 1) + 1;
	uint64_t	pairs = PAIRS_PER_ENTRY(s->entries) + LEAST_PAIRS;
	uint64_t	rows = (pairs > MOST_PAIRS ? MOST_PAIRS : pairs) / (length * length / 2 + 1);

	return rows < LEAST_SAMPLED ? LEAST_SAMPLED : rows > MOST_SAMPLED ? MOST_SAMPLED : (uint32_t) rows;
}

static void
SampleRows(Estimator *s, Arena *arena)
{
	uint32_t	most = SampleSize(s);
	uint64_t	greatest = UINT64_MAX;
	uint32_t	n = 0;

	s->sampled = ArenaAlloc(arena, sizeof(SampledRow) * 2 * most);
	for (uint32_t r = 0; r < s->db->nrows; r++)
	{
		uint64_t	hash = HashOfRow(s->items + s->rows[r].at, s->rows[r].length);

		if (r % ROWS_PER_POLL == 0)
			(void) arena->host->poll(arena->host);
		if (hash > greatest)
			continue;
		s->sampled[n++] = (SampledRow) {hash, s->rows[r].weight, r};
		if (n < 2 * most)
			continue;
		n = Condense(s->sampled, n, most);
		if (n == most)
			greatest = s->sampled[n - 1].hash;
	}
	s->nsampled = Condense(s->sampled, n, most);
	for (uint32_t r = 0; r < s->nsampled; r++)
		s->weight += s->sampled[r].weight;
}

/* Copy the frequent items of the sampled rows, but those of all transactions, to one place.  Returns how many there are. */
static uint32_t
CopyItems(Estimator *s, Arena *arena)
{
	uint64_t	room = 0;
	uint32_t	n = 0;

	for (uint32_t r = 0; r < s->nsampled; r++)
		room += s->rows[s->sampled[r].row].length;
	s->start = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) s->nsampled + 1));
	s->entry = ArenaAlloc(arena, sizeof(uint32_t) * (room + 1));
	for (uint32_t r = 0; r < s->nsampled; r++)
	{
		const FimRow *row = &s->rows[s->sampled[r].row];

		s->start[r] = n;
		for (uint32_t e = 0; e < row->length; e++)
			if (s->items[row->at + e] >= s->skip && s->items[row->at + e] < s->nclasses)
				s->entry[n++] = s->items[row->at + e];
	}
	s->start[s->nsampled] = n;
	return n;
}

static void
ListOccurrences(Estimator *s, Arena *arena)
{
	uint32_t	n = CopyItems(s, arena);

	s->occ = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) s->nclasses + 2));
	memset(s->occ, 0, sizeof(uint32_t) * ((size_t) s->nclasses + 2));
	for (uint32_t e = 0; e < n; e++)
		s->occ[s->entry[e] + 2]++;
	for (uint32_t i = 0; i < s->nclasses; i++)
		s->occ[i + 2] += s->occ[i + 1];
	s->occurrences = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) n + 1));
	for (uint32_t r = 0; r < s->nsampled; r++)
		for (uint32_t e = s->start[r]; e < s->start[r + 1]; e++)
			s->occurrences[s->occ[s->entry[e] + 1]++] = r;
}

/*
 * The work that is expected of a class.
 */

/* The steps in which the logarithms of shares are counted, and the most sets that are, of which a few million have a sum in 64 bits. */
#define STEPS			32
#define MOST_SETS		1e12

/* In nanoseconds, about. */
#define CLASS_WORK		1000
#define ENTRY_WORK		2
#define PAIR_WORK		100
#define SET_WORK		4

static int
CompareItems(const void *a, const void *b)
{
	uint32_t	one = *(const uint32_t *) a;
	uint32_t	other = *(const uint32_t *) b;

	return one < other ? -1 : one > other;
}

/* Bring the class's extensions, which have counts while other items have none, into ascending order. */
static void
SortExtensions(Estimator *s, uint32_t i)
{
	uint32_t	n = 0;

	if (s->n < i / 16)
		qsort(s->item, s->n, sizeof(uint32_t), CompareItems);
	else
		for (uint32_t c = 0; n < s->n; c++)
			if (s->count[c] > 0)
				s->item[n++] = c;
}

/*
 * Find the class's extensions in the sample, and leave their weights in count[].  Returns the weight of the item itself, and adds up
 * the items that come before it.
 */
static uint64_t
CountSampled(Estimator *s, uint32_t i, uint64_t *before)
{
	uint32_t	met = 0;
	uint64_t	weight = 0;

	for (uint32_t o = s->occ[i]; o < s->occ[i + 1]; o++)
	{
		uint32_t	r = s->occurrences[o];
		uint64_t	of_row = s->sampled[r].weight;
		uint32_t	e = s->start[r];

		for (; s->entry[e] < i; e++)
		{
			if (s->count[s->entry[e]] == 0)
				s->item[met++] = s->entry[e];
			s->count[s->entry[e]] += of_row;
		}
		weight += of_row;
		*before += of_row * (e - s->start[r]);
	}
	s->n = 0;
	for (uint32_t c = 0; c < met; c++)
		if (s->count[s->item[c]] >= s->least && s->count[s->item[c]] < weight)
			s->item[s->n++] = s->item[c];
		else
			s->count[s->item[c]] = 0;
	SortExtensions(s, i);
	return weight;
}

/*
 * Count the sets of extensions that are expected to be frequent, by the last item of each, which makes a pair with the class's.  Pairs come
 * from the rarest on.
 */
static void
EstimatePairs(Estimator *s, uint32_t i, uint64_t weight, FimWork *pairs)
{
	const uint32_t *name = AT(s->db, s->db->name_at, uint32_t);
	double		sets[STEPS + 1];	/* sets of the items so far by what their logarithms add up to at most */
	uint32_t	whole = FimLog2(weight);
	uint32_t	spare = FimLog2(s->support[i]) - FimLog2(s->spec->minsup);

	for (uint32_t b = 0; b <= STEPS; b++)
		sets[b] = 1;
	for (uint32_t c = 0; c < s->n; c++)
	{
		uint64_t	cost = (uint64_t) (whole - FimLog2(s->count[s->item[c]])) * STEPS / (spare + 1);
		uint32_t	at = cost < STEPS ? (uint32_t) cost : STEPS;

		s->count[s->item[c]] = 0;
		pairs[s->n - 1 - c] = (FimWork) {PAIR_WORK + SET_WORK * (uint64_t) sets[STEPS - at], name[s->item[c]]};
		for (uint32_t b = STEPS + 1; b-- > at;)
		{
			sets[b] += sets[b - at];
			if (sets[b] > MOST_SETS)
				sets[b] = MOST_SETS;
		}
	}
}

/* A FimWorkOf: what is expected of a class, whose pairs are its pieces, or of the itemset of all transactions. */
static uint64_t
WorkOfClass(void *context, uint32_t unit, FimWork *pairs, uint32_t *npairs)
{
	Estimator  *s = context;
	uint64_t	before = 0;
	uint64_t	weight;

	*npairs = 0;
	if (unit < s->first || unit >= s->nclasses)
		return unit == s->db->nitems ? CLASS_WORK : 0;
	if (s->spec->max_length == 1)
		return CLASS_WORK;
	weight = CountSampled(s, unit, &before);
	if (weight == 0)
		return CLASS_WORK;
	/* where rows are long, the pairs of a class may be a hundred million */
	(void) s->host->poll(s->host);
	EstimatePairs(s, unit, weight, pairs);
	*npairs = s->n;
	/* what the sample has of the item stands for its support */
	return CLASS_WORK + ENTRY_WORK * (before / weight + 1) * s->support[unit];
}

static void
BeginEstimates(Estimator *s, const FimItemsetsSpec *spec, const FimDatabase *db, Arena *arena)
{
	*s = (Estimator) {.spec = spec,.db = db,.host = arena->host};
	s->support = AT(db, db->support_at, uint32_t);
	s->items = AT(db, db->items_at, uint32_t);
	s->rows = AT(db, db->row_at, FimRow);
	s->nclasses = RootItems(spec, db, &s->skip);
	s->first = FirstClass(spec, db, s->skip);
	for (uint32_t i = s->skip; i < s->nclasses; i++)
		s->entries += s->support[i];
	SampleRows(s, arena);
	ListOccurrences(s, arena);
	/* what is a little too rare in the sample may be frequent */
	s->least = (uint64_t) ((unsigned __int128) spec->minsup * s->weight * 3 / 4 / (db->transactions + 1)) + 1;
	s->count = ArenaAlloc(arena, sizeof(uint64_t) * ((size_t) s->nclasses + 1));
	s->item = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) s->nclasses + 1));
	memset(s->count, 0, sizeof(uint64_t) * ((size_t) s->nclasses + 1));
}

/*
 * Few transactions may be mined as sets of rows, which know of no pairs; then classes are not divided.  Nor are they for
 * maximal itemsets, since a class needs to know what has been found in itself.
 */
static bool
MayDivide(const FimItemsetsSpec *spec, const FimDatabase *db)
{
	return spec->kind != FIM_MAXIMAL && db->transactions > FIM_FEW_TRANSACTIONS;
}

void
DealClasses(FimDealt *dealt, const FimItemsetsSpec *spec, const FimDatabase *db, Arena *arena)
{
	Estimator	s;

	BeginEstimates(&s, spec, db, arena);
	FimDeal(dealt, &spec->head.part, db->nitems + 1, db->nitems, MayDivide(spec, db), WorkOfClass, &s, arena);
}
