/*-------------------------------------------------------------------------
 *
 * row_sets.c
 *	  Closed and maximal itemsets by sets of rows, for few rows of many items.
 *
 * Each closed itemset is the intersection of the rows that hold it, and these
 * rows are a closed set, too: no other row holds all of the itemset.  Where there
 * are 40 rows and 16,000 items it takes less to go through sets of rows than
 * through sets of items (Pan, Cong, Tung, Yang and Zaki: CARPENTER, KDD 2003).
 *
 * Closed sets of rows are found as closed itemsets are elsewhere, with rows and
 * items in each other's place, by prefix-preserving closure extension (Uno,
 * Kiyomi and Arimura, LCM ver. 2, FIMI 2004, section 2): add row r to a closed
 * set and close it again; if that adds a row before r, the same set is found
 * elsewhere.  So each is found once, and no store of those found is needed.
 *
 * A column is an item as the set of its rows.  A node has the columns that hold
 * all rows of its set, and of these only those that can still be part of a
 * frequent itemset below: a column that has too few rows among those of the node
 * and those to come is left out (item elimination: Borgelt, Yang, Nogales-Cadenas,
 * Carmona-Saez and Pascual-Montano, EDBT 2011).  No frequent set below lies within
 * such a column, so the closures of frequent sets stay what they are.
 *
 * A subset of rows has a superset of items.  So an itemset is maximal if and only
 * if its rows are frequent and no closed set within them is: nothing below a
 * frequent set is looked at, and whether another one is within it shows in a pass
 * over all columns, since some column holds all rows of that one but not all of
 * its own.
 *
 *-------------------------------------------------------------------------
 */
#include "node.h"
#include "output.h"
#include "root.h"
#include "row_estimate.h"
#include "row_search.h"
#include "row_set.h"
#include "row_sets.h"

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

static inline bool
Holds(const uint64_t *rows, uint32_t r)
{
	return (rows[r / 64] >> (r % 64) & 1) != 0;
}

/* ---- the search ---- */

static void
EmitItems(RowSearch *s, const RowSet *set)
{
	Output	   *out = &s->m->out;
	uint32_t	depth = out->depth;
	uint64_t	length = (uint64_t) depth + set->nitems;

	if (length < out->min_depth || length > out->max_depth)
		return;
	/* a path that nobody lists need not be there */
	if (out->count_only)
		out->depth = (uint32_t) length;
	else
		for (uint32_t c = 0; c < set->ncolumns; c++)
			for (uint32_t i = s->group_at[set->group[c]]; i < s->group_at[set->group[c] + 1]; i++)
				OutputPush(out, s->item[i]);
	OutputOne(s->m, set->support);
	MinerWork(s->m, out->count_only ? 1 : set->nitems);
	OutputPop(out, out->depth - depth);
}

/* Whether no closed set within this one is frequent, see the top of the file. */
static bool
IsMaximal(RowSearch *s, const RowSet *set)
{
	if (set->support - RowSetLightest(s, set) < s->m->job->minsup)
		return true;
	(void) RowSetWithin(s, &(RowSet) {.rows = set->rows,.some = set->rows}, 0);
	MinerWork(s->m, (uint64_t) s->root.columns.stride / 8 * s->nwords * s->nplanes);
	return !s->m->kernels->some_weigh(&s->root.columns, s->root.ncolumns, s->within, s->nplanes,
									  s->m->job->minsup, set->support);
}

/* Emit the set's items if they are wanted. */
static void
Visit(RowSearch *s, const RowSet *set)
{
	const FimItemsetsJob *job = s->m->job;

	MinerBeginNode(s->m);
	if (set->support >= job->minsup && (job->kind == FIM_CLOSED || IsMaximal(s, set)))
		EmitItems(s, set);
}

/* Whether row r may extend the set. */
static bool
Extends(const RowSet *set, uint32_t r)
{
	return r >= set->next && Holds(set->some, r) && !Holds(set->rows, r);
}

/* Whether nothing below is maximal, since all sets there contain a frequent one. */
static bool
IsLast(const RowSearch *s, const RowSet *set)
{
	return s->m->job->kind == FIM_MAXIMAL && set->support >= s->m->job->minsup;
}

static void MineRowSet(RowSearch *s, const RowSet *set);

/*
 * Give out what the set with row r holds, and all sets below that.  Returns false if
 * neither this row nor a later one can give anything.
 */
static bool
MineRow(RowSearch *s, const RowSet *set, uint32_t r)
{
	ArenaMark	mark = ArenaGetMark(&s->m->arena);
	RowSet		to;

	if (RowSetWithin(s, set, r) < s->m->job->minsup)
		return false;
	if (RowSetAdd(s, set, r, &to))
	{
		Visit(s, &to);
		if (!IsLast(s, &to))
			MineRowSet(s, &to);
	}
	ArenaRelease(&s->m->arena, mark);
	return true;
}

static void
MineRowSet(RowSearch *s, const RowSet *set)
{
	for (uint32_t w = set->next / 64; w < s->nwords; w++)
	{
		uint64_t	left = set->some[w] & ~set->rows[w];

		if (w == set->next / 64)
			left &= UINT64_MAX << (set->next % 64);
		for (; left != 0; left &= left - 1)
			if (!MineRow(s, set, w * 64 + (uint32_t) __builtin_ctzll(left)))
				return;
	}
}

/* ---- units of work ---- */

/*
 * Unit 0 is the root's.  Then come, for each row, one for it alone and one for it
 * with each later row.
 */
static uint64_t
Units(uint32_t nrows)
{
	return 1 + (uint64_t) nrows * (nrows + 1) / 2;
}

static uint64_t
TakeUnit(Miner *m)
{
	return __atomic_fetch_add(&m->shared->next_unit, 1, __ATOMIC_RELAXED);
}

/*
 * Do units from "taken" on that begin with row r, the first of which is number "from".
 * Returns the first unit taken that does not.
 */
static uint64_t
MineFirstRow(RowSearch *s, uint32_t r, uint64_t from, uint64_t taken)
{
	Miner	   *m = s->m;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	RowSet		first;
	bool		exists = !IsLast(s, &s->root) && Extends(&s->root, r) &&
		RowSetWithin(s, &s->root, r) >= m->job->minsup && RowSetAdd(s, &s->root, r, &first);

	for (; taken < from + s->nrows - r; taken = TakeUnit(m))
	{
		if (exists && taken == from)
			Visit(s, &first);
		else if (exists && !IsLast(s, &first) && Extends(&first, (uint32_t) (r + taken - from)))
			(void) MineRow(s, &first, (uint32_t) (r + taken - from));
		FimUnitDone(m->shared);
		MinerPoll(m);
	}
	ArenaRelease(&m->arena, mark);
	return taken;
}

/* A worker's units ascend, so it adds a first row once for all that begin with it. */
static void
MineUnits(RowSearch *s)
{
	Miner	   *m = s->m;
	uint64_t	taken = TakeUnit(m);
	uint64_t	from = 1;

	if (taken == 0)
	{
		RootEmit(m, s->nrows > 0);
		if (s->nrows > 0)
			Visit(s, &s->root);
		FimUnitDone(m->shared);
		taken = TakeUnit(m);
	}
	for (uint32_t r = 0; r < s->nrows; from += s->nrows - r, r++)
		if (taken < from + s->nrows - r)
			taken = MineFirstRow(s, r, from, taken);
}

void
MineRowSets(Miner *m, const View *view)
{
	RowSearch	s = {.m = m};

	FimStrategyUsed(m->shared, FIM_ROWS);
	if (view->nclasses > view->skip)
		RowSearchInit(&s, view);
	/* not the units that the task began with; all workers come to the same number */
	__atomic_store_n(&m->shared->units, Units(s.nrows), __ATOMIC_RELAXED);
	MineUnits(&s);
	MinerPoll(m);
}

bool
MinesRowSets(const FimItemsetsJob *job, const FimDatabase *db)
{
	uint32_t	perfect;
	uint64_t	nitems;

	/* a frequent itemset that is not closed is no intersection of rows */
	if (job->kind == FIM_ALL || db->nrows > MOST_ROWS)
		return false;
	nitems = RootItems(job, db, &perfect) - perfect;
	if (job->head.strategy == FIM_ROWS && (db->nrows <= FEW_ROWS || nitems >= db->nrows))
		return true;
	if (job->head.strategy != FIM_AUTO && job->head.strategy != FIM_ROWS)
		return false;
	if (db->nrows <= VERY_FEW_ROWS)
		return nitems > MERGED_COLUMNS;
	if (nitems >= (uint64_t) db->nrows * ITEMS_PER_ROW && nitems >= (uint64_t) db->nrows * db->nrows)
		return true;
	return nitems > MERGED_COLUMNS && RowsAreQuicker(job, db, perfect, (uint32_t) nitems + perfect);
}
