/*-------------------------------------------------------------------------
 *
 * candidate_supports.c
 *	  The supports of candidates, which are the nodes of a tree.
 *
 * The candidates that begin with the same items are counted together, vertically: each item has a bit for
 * every row that holds the rarest item, and the rows of a node are those of its parent
 * that have the node's item, too (the tidsets of Zaki's Eclat, with bits in place of lists).  So a node takes one AND of
 * two columns of bits, which are short, because rarest items come first.  What is below a node that
 * no row has is not looked at.
 *
 * Columns are made of rows in two cases: for a class, which is a child of the root with all that is below it,
 * and wherever so few rows are left of a node, and so much is below it, that making shorter columns
 * costs less than going on with the long ones.  If an item is in a large part of all rows, its
 * class is counted in columns of all rows, which classes have in common, because it would not be much shorter in its own.
 *
 * A row that stands for several transactions has a bit for each 1 in its weight, among those that count as much
 * (kernels.h), so that the bits of a node add up to its support.
 *
 *-------------------------------------------------------------------------
 */
#include <setjmp.h>
#include <string.h>

#include "engine/arena.h"
#include "engine/itemsets/itemsets.h"
#include "engine/kernels.h"

/* The work between two polls.  Its unit is a word of a column or an entry of a row, at most a few ns. */
#define WORK_PER_POLL	(UINT64_C(1) << 20)

/* An item whose class is counted in the columns of all rows is in at least one in DENSE_PART of them. */
#define DENSE_PART		8

/* What an entry of a row costs while columns are made, in words of columns that are combined. */
#define ENTRY_COST		16

/* Less work than this is never worth making shorter columns for. */
#define LEAST_WORK		8192

#define NO_ROW			UINT32_MAX

/* Items as columns of bits. */
typedef struct Columns
{
	uint64_t   *words;			/* [ncolumns][nwords] */
	uint32_t	nwords;			/* a multiple of 8 */
	uint8_t    *shift;			/* [nwords] */
	uint64_t   *all;			/* [nwords] the bits that stand for a row */
	const uint32_t *row;		/* [nbits] their rows, or NO_ROW */
	uint64_t	nbits;
	uint32_t   *column;			/* [nitems] an item's column + 1; 0: it has none */
	uint32_t	ncolumns;
} Columns;

/* A node on the way down to the one that is counted next. */
typedef struct Frame
{
	const uint64_t *tids;		/* its rows */
	uint64_t   *room;			/* for tids; NULL until it is needed */
	uint32_t	end;			/* of the nodes below it */
} Frame;

/* The most columns that are made of rows of other columns, one within the other: each has at most half the words of the last. */
#define MOST_LEVELS		32

typedef struct Counter
{
	const FimCandidatesSpec *spec;
	const FimDatabase *db;
	const uint32_t *item;		/* of nodes */
	const uint32_t *end;
	const FimRow *rows;
	const uint32_t *items;		/* of rows */
	uint32_t   *support;		/* of nodes */
	FimShared  *shared;
	FimHost    *host;
	const FimKernels *kernels;
	Arena		arena;
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends counting */
	uint64_t	work;			/* since the last poll */
	uint64_t	nodes;			/* not yet added to the shared figure */
	uint32_t	dense;			/* items below this one are in many rows */
	Columns		whole;			/* those of dense items in all rows; there are none before they are needed */
	uint32_t   *column[MOST_LEVELS]; /* of Columns at each level; all 0 while none are there */
} Counter;

#define AT(base, offset, type) ((type *) ((char *) (base) + (offset)))

static void
Poll(Counter *c)
{
	uint64_t	results = 0;

	c->work = 0;
	FimShareFigures(c->shared, &results, &c->nodes);
	if (FimMustStop(c->shared, c->host))
		longjmp(c->leave, FIM_STOPPED);
}

static inline void
Work(Counter *c, uint64_t work)
{
	c->work += work;
	if (c->work >= WORK_PER_POLL)
		Poll(c);
}

/*
 * Making columns.
 */

/* Give the items of nodes columns. */
static void
ChooseColumns(Counter *c, Columns *to, uint32_t first, uint32_t end)
{
	for (uint32_t v = first; v < end; v++)
		if (to->column[c->item[v]] == 0)
			to->column[c->item[v]] = ++to->ncolumns;
	Work(c, end - first);
}

static void
ForgetColumns(Counter *c, const Columns *columns, uint32_t first, uint32_t end)
{
	for (uint32_t v = first; v < end; v++)
		columns->column[c->item[v]] = 0;
	Work(c, end - first);
}

/* Where no row has a weight: bit i is row[i]. */
static void
PlaceRows(Counter *c, Columns *to, const uint32_t *row, uint32_t n)
{
	to->row = row;
	to->nbits = n;
	to->nwords = RoundUp8((uint32_t) (((uint64_t) n + 63) / 64));
	to->shift = ArenaAlloc(&c->arena, to->nwords);
	memset(to->shift, 0, to->nwords);
}

/* Otherwise a row has a bit for each 1 in its weight, in a word whose shift is the place of the 1. */
static void
PlaceWeightedRows(Counter *c, Columns *to, const uint32_t *row, uint32_t n)
{
	uint64_t	count[32] = {0};
	uint64_t	next[32];
	uint32_t	nwords = 0;
	uint32_t   *row_of;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t left = c->rows[row[i]].weight; left != 0; left &= left - 1)
			count[__builtin_ctz(left)]++;
	for (int shift = 0; shift < 32; shift++)
	{
		next[shift] = (uint64_t) nwords * 64;
		nwords += (uint32_t) ((count[shift] + 63) / 64);
	}
	to->nbits = (uint64_t) nwords * 64;
	to->nwords = RoundUp8(nwords);
	to->shift = ArenaAlloc(&c->arena, to->nwords);
	memset(to->shift, 0, to->nwords);
	for (int shift = 0; shift < 32; shift++)
		memset(to->shift + next[shift] / 64, shift, (count[shift] + 63) / 64);
	to->row = row_of = ArenaAlloc(&c->arena, (to->nbits + 1) * sizeof(uint32_t));
	memset(row_of, 0xff, to->nbits * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t left = c->rows[row[i]].weight; left != 0; left &= left - 1)
			row_of[next[__builtin_ctz(left)]++] = row[i];
	Work(c, 2 * (uint64_t) n);
}

/* Set the bits of all rows, and of those of their items that are below "limit" and have a column. */
static void
FillColumns(Counter *c, Columns *to, uint32_t limit)
{
	size_t		words = (size_t) to->ncolumns * to->nwords;

	to->words = ArenaAlloc(&c->arena, (words + 1) * sizeof(uint64_t));
	memset(to->words, 0, words * sizeof(uint64_t));
	to->all = ArenaAlloc(&c->arena, ((size_t) to->nwords + 1) * sizeof(uint64_t));
	memset(to->all, 0, to->nwords * sizeof(uint64_t));
	for (uint64_t bit = 0; bit < to->nbits; bit++)
	{
		uint64_t   *word = to->words + bit / 64;
		uint64_t	mask = UINT64_C(1) << (bit % 64);
		const FimRow *row;
		const uint32_t *items;
		uint32_t	i = 0;

		if (to->row[bit] == NO_ROW)
			continue;
		row = &c->rows[to->row[bit]];
		items = c->items + row->at;
		to->all[bit / 64] |= mask;
		for (; i < row->length && items[i] < limit; i++)
			if (to->column[items[i]] != 0)
				word[(size_t) (to->column[items[i]] - 1) * to->nwords] |= mask;
		Work(c, i + 1);
	}
	Work(c, words);
}

static void
MakeColumns(Counter *c, Columns *to, const uint32_t *row, uint32_t n, uint32_t limit)
{
	if (c->db->weighted)
		PlaceWeightedRows(c, to, row, n);
	else
		PlaceRows(c, to, row, n);
	FillColumns(c, to, limit);
}

/* The columns of all dense items in all rows, which stay as long as the worker counts. */
static void
MakeWhole(Counter *c)
{
	uint32_t	nrows = c->db->nrows;
	uint32_t   *row = ArenaAlloc(&c->arena, ((size_t) nrows + 1) * sizeof(uint32_t));

	c->whole.column = ArenaAlloc(&c->arena, ((size_t) c->dense + 1) * sizeof(uint32_t));
	for (uint32_t r = 0; r < nrows; r++)
		row[r] = r;
	for (uint32_t i = 0; i < c->dense; i++)
		c->whole.column[i] = i + 1;
	c->whole.ncolumns = c->dense;
	MakeColumns(c, &c->whole, row, nrows, c->dense);
}

/* The rows of a node's bits, each once, in memory of the arena.  Sets *n to their number. */
static uint32_t *
RowsOf(Counter *c, const Columns *columns, const uint64_t *tids, uint64_t nbits, uint32_t *n)
{
	uint32_t   *row = ArenaAlloc(&c->arena, (nbits + 1) * sizeof(uint32_t));

	*n = 0;
	for (uint32_t w = 0; w < columns->nwords; w++)
		for (uint64_t left = tids[w]; left != 0; left &= left - 1)
		{
			uint32_t	r = columns->row[(uint64_t) w * 64 + (uint32_t) __builtin_ctzll(left)];

			/* of several bits of a row, take the one for the last 1 of its weight */
			if ((c->rows[r].weight & ((UINT32_C(1) << columns->shift[w]) - 1)) == 0)
				row[(*n)++] = r;
		}
	Work(c, columns->nwords + nbits);
	return row;
}

/*
 * Counting.
 */

static void CountInRows(Counter *c, const uint32_t *row, uint32_t n, uint32_t limit, uint32_t first, uint32_t end,
						uint32_t level);

static uint64_t
CountBits(const uint64_t *word, uint32_t nwords)
{
	uint64_t	bits = 0;

	for (uint32_t w = 0; w < nwords; w++)
		bits += (uint64_t) __builtin_popcountll(word[w]);
	return bits;
}

/*
 * Count nodes that are below a node which has these rows.  Returns false, and does nothing, if this had better
 * be done in the columns that there are.
 */
static bool
CountInFewerRows(Counter *c, const Columns *columns, const uint64_t *tids, uint32_t limit, uint32_t first, uint32_t end,
				 uint32_t level)
{
	double		below = end - first;
	double		length = (double) c->db->entries / c->db->nrows;
	ArenaMark	mark;
	uint64_t	bits;
	uint32_t   *row;
	uint32_t	n;

	if (below * columns->nwords < LEAST_WORK)
		return false;
	bits = CountBits(tids, columns->nwords);
	if (RoundUp8((uint32_t) (bits / 64 + 1)) > columns->nwords / 2 ||
		below * (columns->nwords - bits / 64.0) < ENTRY_COST * (bits * length + below))
		return false;
	mark = ArenaGetMark(&c->arena);
	row = RowsOf(c, columns, tids, bits, &n);
	CountInRows(c, row, n, limit, first, end, level + 1);
	ArenaRelease(&c->arena, mark);
	return true;
}

/*
 * Count nodes from "first" on whose parent, or an ancestor of it, has these rows.  The last child of a node takes the place of
 * its parent, so that the way down to a long candidate takes no more memory than that to a short one.
 */
static void
CountNodes(Counter *c, const Columns *columns, const uint64_t *tids, uint32_t first, uint32_t end, uint32_t level)
{
	ArenaMark	mark = ArenaGetMark(&c->arena);
	uint32_t	most = (c->spec->longest < end - first ? c->spec->longest : end - first) + 2;
	Frame	   *frame = ArenaAlloc(&c->arena, most * sizeof(Frame));
	uint32_t	depth = 0;

	memset(frame, 0, most * sizeof(Frame));
	frame[0] = (Frame) {.tids = tids,.end = end};
	for (uint32_t v = first; v < end;)
	{
		uint32_t	item = c->item[v];
		uint32_t	end_v = c->end[v];
		const uint64_t *above;
		Frame	   *to;

		while (v >= frame[depth].end)
			depth--;
		above = frame[depth].tids;
		to = end_v == frame[depth].end ? &frame[depth] : &frame[depth + 1];
		if (to->room == NULL)
			to->room = ArenaAlloc(&c->arena, columns->nwords * sizeof(uint64_t));
		c->support[v] = c->kernels->and_words(above, columns->words + (size_t) (columns->column[item] - 1) * columns->nwords,
											  columns->shift, columns->nwords, to->room);
		c->nodes++;
		Work(c, columns->nwords);
		if (c->support[v] == 0 || end_v == v + 1 ||
			CountInFewerRows(c, columns, to->room, item, v + 1, end_v, level))
		{
			v = end_v;
			continue;
		}
		to->tids = to->room;
		to->end = end_v;
		depth = (uint32_t) (to - frame);
		v++;
	}
	ArenaRelease(&c->arena, mark);
}

/* Count nodes below a node whose item is "limit" and whose rows are listed, in columns that are made of them. */
static void
CountInRows(Counter *c, const uint32_t *row, uint32_t n, uint32_t limit, uint32_t first, uint32_t end, uint32_t level)
{
	ArenaMark	mark;
	Columns		columns = {0};

	if (c->column[level] == NULL)
	{
		/* kept, while all that is allocated after the caller's mark is given back */
		c->column[level] = c->host->alloc(c->host, ((size_t) c->db->nitems + 1) * sizeof(uint32_t));
		if (c->column[level] == NULL)
			longjmp(c->leave, FIM_OUT_OF_MEMORY);
		memset(c->column[level], 0, c->db->nitems * sizeof(uint32_t));
	}
	mark = ArenaGetMark(&c->arena);
	columns.column = c->column[level];
	ChooseColumns(c, &columns, first, end);
	MakeColumns(c, &columns, row, n, limit);
	CountNodes(c, &columns, columns.all, first, end, level);
	ForgetColumns(c, &columns, first, end);
	ArenaRelease(&c->arena, mark);
}

static void
CountUnit(Counter *c, const FimCandidatesUnit *unit)
{
	const uint64_t *occ = AT(c->db, c->db->occ_at, const uint64_t);
	const uint32_t *occurrences = AT(c->db, c->db->occurrences_at, const uint32_t);
	uint32_t	item = c->item[unit->node];

	if (unit->first == unit->node + 1)
	{
		c->support[unit->node] = AT(c->db, c->db->support_at, const uint32_t)[item];
		c->nodes++;
	}
	if (unit->first == unit->end)
		return;
	if (item < c->dense)
	{
		const uint64_t *tids;

		if (c->whole.words == NULL)
			MakeWhole(c);
		tids = c->whole.words + (size_t) item * c->whole.nwords;
		if (!CountInFewerRows(c, &c->whole, tids, item, unit->first, unit->end, 0))
			CountNodes(c, &c->whole, tids, unit->first, unit->end, 0);
	}
	else
		CountInRows(c, occurrences + occ[item], (uint32_t) (occ[item + 1] - occ[item]), item, unit->first, unit->end, 0);
}

uint64_t
CandidatesUnits(const FimTask *task)
{
	return ((const FimCandidatesSpec *) task->spec)->nunits;
}

size_t
CandidatesSummarySize(const FimTask *task)
{
	return ((const FimCandidatesSpec *) task->spec)->nnodes * sizeof(uint32_t);
}

void
CandidatesSummaryAdd(const FimTask *task, void *into, const void *from)
{
	uint32_t   *sum = into;
	const uint32_t *added = from;

	for (uint32_t v = 0; v < ((const FimCandidatesSpec *) task->spec)->nnodes; v++)
		sum[v] += added[v];
}

/* How many items, which descend by their supports, are in at least one in DENSE_PART of all rows. */
static uint32_t
DenseItems(const FimDatabase *db)
{
	const uint64_t *occ = AT(db, db->occ_at, const uint64_t);
	uint32_t	dense = 0;

	while (dense < db->nitems && (occ[dense + 1] - occ[dense]) * DENSE_PART >= db->nrows)
		dense++;
	return dense;
}

FimResult
CandidatesMine(const FimTask *task, FimHost *host)
{
	const FimCandidatesSpec *spec = (const FimCandidatesSpec *) task->spec;
	const FimDatabase *db = (const FimDatabase *) task->data;
	Counter		c = {.spec = spec,.db = db,.shared = task->shared,.host = host,.support = task->summary};
	FimResult	result;
	uint64_t	taken;

	c.item = AT(spec, spec->item_at, const uint32_t);
	c.end = AT(spec, spec->end_at, const uint32_t);
	c.rows = AT(db, db->row_at, const FimRow);
	c.items = AT(db, db->items_at, const uint32_t);
	c.kernels = FimCurrentKernels();
	c.dense = DenseItems(db);
	ArenaInit(&c.arena, host, &c.leave);
	result = (FimResult) setjmp(c.leave);
	if (result == FIM_DONE)
	{
		while (FimTakeUnit(task->shared, NULL, &taken))
		{
			FimStrategyUsed(task->shared, FIM_BITMAP);
			CountUnit(&c, AT(spec, spec->unit_at, const FimCandidatesUnit) + taken);
			FimUnitDone(task->shared);
		}
		Poll(&c);
	}
	ArenaFree(&c.arena);
	for (int level = 0; level < MOST_LEVELS; level++)
		if (c.column[level] != NULL)
			host->free(host, c.column[level]);
	return result;
}
