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
#include <string.h>

#include "engine/arena.h"
#include "engine/parts.h"
#include "miner.h"

/*
 * Closed sets of rows: making and weighing them, and what a search for them works on.
 *
 * A closed set has exactly the rows that all of its columns hold.  The top of row_sets.c
 * says how the search goes through closed sets.
 */

/* A closed set of rows.  Its arrays are in the miner's arena. */
typedef struct RowSet
{
	BitMatrix	columns;		/* the columns that hold all of the set's rows */
	uint32_t	ncolumns;
	uint32_t   *group;			/* [ncolumns] the group of items of each column */
	uint32_t	nitems;			/* the items of these groups */
	uint64_t   *rows;			/* [nwords] the set */
	uint64_t   *some;			/* [nwords] rows that at least one of the columns holds */
	uint32_t	support;		/* transactions of the set */
	uint32_t	next;			/* rows from this one on may extend the set */
} RowSet;

/*
 * What a search for closed sets of rows works on.  Items that the same rows hold are one
 * column, and these items are the column's group.  Rows are numbered anew, the shortest
 * first, without those that hold no column.  Plane p has the rows whose weight has bit p
 * set, so the planes together tell what a set of rows weighs.
 */
typedef struct RowSearch
{
	Miner	   *m;
	uint32_t	nrows;
	uint32_t	nwords;			/* words of a set of rows */
	uint32_t	nplanes;
	uint64_t   *plane;			/* [nplanes][nwords] */
	uint64_t   *within;			/* [nplanes][nwords] scratch: the planes, cut down to some rows */
	uint32_t	ngroups;
	uint32_t   *group_at;		/* [ngroups + 1] where each group begins in item[] */
	uint32_t   *item;			/* the caller's numbers, group by group */
	uint32_t   *rarest;			/* [ngroups] the class of each group, the last item of the database that it has */
	bool		grouped;		/* some group has several items */
	RowSet		root;			/* the set with all columns */
} RowSearch;

/* Allocate a set with room for "room" columns, a multiple of 8. */
static void
RowSetNew(RowSearch *s, uint32_t room, RowSet *set)
{
	Arena	   *arena = &s->m->arena;

	set->rows = ArenaAlloc(arena, sizeof(uint64_t) * s->nwords);
	set->some = ArenaAlloc(arena, sizeof(uint64_t) * s->nwords);
	set->group = ArenaAlloc(arena, sizeof(uint32_t) * room);
	set->columns = (BitMatrix) {.nwords = s->nwords,.stride = room};
	/* allocated last, since CloseUp() gives some of it back */
	set->columns.words = ArenaAlloc(arena, sizeof(uint64_t) * room * s->nwords);
}

/* Find the rows that all of the set's columns hold, and those that some hold. */
static void
RowSetClose(RowSearch *s, RowSet *set)
{
	for (uint32_t w = 0; w < s->nwords; w++)
		s->m->kernels->combine(set->columns.words + (size_t) w * set->columns.stride, set->ncolumns,
							   &set->rows[w], &set->some[w]);
}

/* The number of items of the set's columns. */
static uint32_t
RowSetItems(const RowSearch *s, const RowSet *set)
{
	uint32_t	nitems = 0;

	if (!s->grouped)
		return set->ncolumns;
	for (uint32_t c = 0; c < set->ncolumns; c++)
		nitems += s->group_at[set->group[c] + 1] - s->group_at[set->group[c]];
	return nitems;
}

/* The number of transactions that a set of rows stands for. */
static uint32_t
RowsWeight(const RowSearch *s, const uint64_t *rows)
{
	uint64_t	weight = 0;

	for (uint32_t p = 0; p < s->nplanes; p++)
		for (uint32_t w = 0; w < s->nwords; w++)
			weight += (uint64_t) __builtin_popcountll(rows[w] & s->plane[p * s->nwords + w]) << p;
	return (uint32_t) weight;
}

/* The smallest weight of a row of the set. */
static uint32_t
RowSetLightest(const RowSearch *s, const RowSet *set)
{
	uint32_t	lightest = UINT32_MAX;

	if (s->nplanes == 1)
		return 1;
	for (uint32_t w = 0; w < s->nwords; w++)
		for (uint64_t left = set->rows[w]; left != 0; left &= left - 1)
		{
			uint32_t	weight = 0;

			for (uint32_t p = 0; p < s->nplanes; p++)
				weight |= (s->plane[p * s->nwords + w] & left & -left) != 0 ? UINT32_C(1) << p : 0;
			if (weight < lightest)
				lightest = weight;
		}
	return lightest;
}

/*
 * Cut the planes down, in s->within, to the set's rows and to the rows from "first" on that
 * may join it.  Returns the weight of all these rows.
 */
static uint32_t
RowSetWithin(RowSearch *s, const RowSet *set, uint32_t first)
{
	uint64_t	weight = 0;

	for (uint32_t w = 0; w < s->nwords; w++)
	{
		uint64_t	later = w > first / 64 ? UINT64_MAX : w < first / 64 ? 0 : UINT64_MAX << (first % 64);
		uint64_t	rows = set->rows[w] | (set->some[w] & later);

		for (uint32_t p = 0; p < s->nplanes; p++)
		{
			s->within[p * s->nwords + w] = rows & s->plane[p * s->nwords + w];
			weight += (uint64_t) __builtin_popcountll(s->within[p * s->nwords + w]) << p;
		}
	}
	return (uint32_t) weight;
}

/* Whether some row before r is in one set and not in the other. */
static bool
DifferBefore(const uint64_t *one, const uint64_t *other, uint32_t r)
{
	for (uint32_t w = 0; w < r / 64; w++)
		if (one[w] != other[w])
			return true;
	return ((one[r / 64] ^ other[r / 64]) & ((UINT64_C(1) << (r % 64)) - 1)) != 0;
}

/* Move the words of a set's matrix together, which has fewer columns than there was room for. */
static void
CloseUp(RowSearch *s, RowSet *set)
{
	uint32_t	stride = RoundUp8(set->ncolumns);
	uint64_t   *words = set->columns.words;

	for (uint32_t w = 1; w < s->nwords; w++)
		memmove(words + (size_t) w * stride, words + (size_t) w * set->columns.stride,
				sizeof(uint64_t) * set->ncolumns);
	set->columns.stride = stride;
	ArenaTrim(&s->m->arena, words, sizeof(uint64_t) * stride * s->nwords);
}

/*
 * Add row r to the set and close the result, which goes to *to.  RowSetWithin() must have
 * been called for the set and r.  Returns false if that closed set is found elsewhere, or
 * if neither it nor any set below it has an itemset that is wanted.
 */
static bool
RowSetAdd(RowSearch *s, const RowSet *set, uint32_t r, RowSet *to)
{
	Miner	   *m = s->m;
	RowChoice	choice = {.row = r,.within = s->within,.nplanes = s->nplanes,.least = m->minsup};

	RowSetNew(s, set->columns.stride, to);
	MinerWork(m, 16 + (uint64_t) set->columns.stride / 8 * s->nwords * (1 + s->nplanes));
	to->ncolumns = m->kernels->choose_columns(&set->columns, set->ncolumns, set->group, &choice,
											  to->columns.words, to->group);
	if (to->ncolumns == 0)
		return false;
	CloseUp(s, to);
	RowSetClose(s, to);
	if (DifferBefore(to->rows, set->rows, r))
		return false;
	to->nitems = RowSetItems(s, to);
	to->support = RowsWeight(s, to->rows);
	to->next = r + 1;
	return m->out.depth + (uint64_t) to->nitems >= m->out.min_depth;
}

/*
 * Sets up a search through sets of rows: its rows, columns and weights.
 */

typedef struct RowLength
{
	uint32_t	row;
	uint32_t	length;			/* columns that it holds */
} RowLength;

/* The order of equal lengths is kept, so that all workers number rows alike. */
static void
SortByLength(RowLength *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		RowLength	row = rows[i];
		uint32_t	j = i;

		for (; j > 0 && rows[j - 1].length > row.length; j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

/*
 * Number the rows.  Returns the number here of each row of the database, UINT32_MAX for
 * those that are left out.
 */
static uint32_t *
NumberRows(RowSearch *s, const View *view)
{
	uint32_t   *number = ArenaAlloc(&s->m->arena, sizeof(uint32_t) * ((size_t) view->nrows + 1));
	RowLength  *rows = ArenaAlloc(&s->m->arena, sizeof(RowLength) * ((size_t) view->nrows + 1));

	for (uint32_t r = 0; r < view->nrows; r++)
	{
		const uint32_t *item = view->items + view->rows[r].at;
		uint32_t	end = view->rows[r].length;

		/* items are ascending, so those that are no columns come first and last */
		while (end > view->skip && item[end - 1] >= view->nclasses)
			end--;
		number[r] = UINT32_MAX;
		if (end > view->skip)
			rows[s->nrows++] = (RowLength) {r, end - view->skip};
	}
	SortByLength(rows, s->nrows);
	for (uint32_t r = 0; r < s->nrows; r++)
		number[rows[r].row] = r;
	s->nwords = (s->nrows + 63) / 64;
	return number;
}

static void
MakePlanes(RowSearch *s, const View *view, const uint32_t *number)
{
	uint32_t	greatest = 1;

	for (uint32_t r = 0; r < view->nrows; r++)
		if (number[r] != UINT32_MAX && view->rows[r].weight > greatest)
			greatest = view->rows[r].weight;
	s->nplanes = 32 - (uint32_t) __builtin_clz(greatest);
	s->plane = ArenaAlloc(&s->m->arena, sizeof(uint64_t) * s->nplanes * s->nwords);
	s->within = ArenaAlloc(&s->m->arena, sizeof(uint64_t) * s->nplanes * s->nwords);
	memset(s->plane, 0, sizeof(uint64_t) * s->nplanes * s->nwords);
	for (uint32_t r = 0; r < view->nrows; r++)
		for (uint32_t left = number[r] != UINT32_MAX ? view->rows[r].weight : 0; left != 0; left &= left - 1)
			s->plane[(uint32_t) __builtin_ctz(left) * s->nwords + number[r] / 64] |=
				UINT64_C(1) << (number[r] % 64);
}

static uint64_t
HashSet(const uint64_t *set, uint32_t nwords)
{
	uint64_t	hash = 0;

	for (uint32_t w = 0; w < nwords; w++)
		hash = FimHash64(hash ^ set[w]);
	return hash;
}

/*
 * Find the group of each item, items that the same rows hold being of one group;
 * set[group] is that group's set of rows.
 */
static void
GroupItems(RowSearch *s, const View *view, const uint32_t *number, uint64_t *set, uint32_t *group)
{
	uint32_t	nitems = view->nclasses - view->skip;
	uint64_t	nslots = 16;
	uint32_t   *slot;

	while (nslots < (uint64_t) nitems * 2)
		nslots *= 2;
	slot = ArenaAlloc(&s->m->arena, sizeof(uint32_t) * nslots);
	memset(slot, 0, sizeof(uint32_t) * nslots);
	for (uint32_t i = 0; i < nitems; i++)
	{
		uint64_t   *rows = set + (size_t) s->ngroups * s->nwords;
		uint64_t	at;

		memset(rows, 0, sizeof(uint64_t) * s->nwords);
		for (uint64_t o = view->occ[view->skip + i]; o < view->occ[view->skip + i + 1]; o++)
			rows[number[view->occurrences[o]] / 64] |= UINT64_C(1) << (number[view->occurrences[o]] % 64);
		MinerWork(s->m, s->nwords + view->occ[view->skip + i + 1] - view->occ[view->skip + i]);
		at = HashSet(rows, s->nwords) & (nslots - 1);
		while (slot[at] != 0 &&
			   memcmp(set + (size_t) (slot[at] - 1) * s->nwords, rows, sizeof(uint64_t) * s->nwords) != 0)
			at = (at + 1) & (nslots - 1);
		if (slot[at] == 0)
			slot[at] = ++s->ngroups;
		group[i] = slot[at] - 1;
	}
	s->grouped = s->ngroups < nitems;
}

/* The items of each group, from the group of each item. */
static void
ListGroups(RowSearch *s, const View *view, const uint32_t *group)
{
	uint32_t	nitems = view->nclasses - view->skip;

	memset(s->group_at, 0, sizeof(uint32_t) * ((size_t) s->ngroups + 2));
	for (uint32_t i = 0; i < nitems; i++)
		s->group_at[group[i] + 2]++;
	for (uint32_t g = 0; g < s->ngroups; g++)
		s->group_at[g + 2] += s->group_at[g + 1];
	for (uint32_t i = 0; i < nitems; i++)
	{
		s->item[s->group_at[group[i] + 1]++] = view->name[view->skip + i];
		s->rarest[group[i]] = view->skip + i;
	}
}

/*
 * Set up a search, of which m is set and all else is zeros, through a view with at least
 * one class that is not in all rows.  Memory is from the miner's arena.
 */
static void
RowSearchInit(RowSearch *s, const View *view)
{
	Arena	   *arena = &s->m->arena;
	uint32_t	nitems = view->nclasses - view->skip;
	uint32_t   *number = NumberRows(s, view);
	uint32_t   *group = ArenaAlloc(arena, sizeof(uint32_t) * nitems);
	uint64_t   *set = ArenaAlloc(arena, sizeof(uint64_t) * s->nwords * ((size_t) nitems + 1));

	MakePlanes(s, view, number);
	s->item = ArenaAlloc(arena, sizeof(uint32_t) * nitems);
	s->rarest = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) nitems + 1));
	s->group_at = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) nitems + 2));
	GroupItems(s, view, number, set, group);
	ListGroups(s, view, group);

	RowSetNew(s, RoundUp8(s->ngroups), &s->root);
	s->root.ncolumns = s->ngroups;
	for (uint32_t c = 0; c < s->ngroups; c++)
	{
		s->root.group[c] = c;
		for (uint32_t w = 0; w < s->nwords; w++)
			s->root.columns.words[(size_t) w * s->root.columns.stride + c] = set[(size_t) c * s->nwords + w];
	}
	RowSetClose(s, &s->root);
	s->root.nitems = nitems;
	s->root.support = RowsWeight(s, s->root.rows);
	s->root.next = 0;
}

static inline bool
Holds(const uint64_t *rows, uint32_t r)
{
	return (rows[r / 64] >> (r % 64) & 1) != 0;
}

/*
 * The search.
 */

/* Whether the set's itemset falls to this task's part: that of the itemset's class, since no class is divided. */
static bool
IsOfPart(const RowSearch *s, const RowSet *set)
{
	uint32_t	class = 0;

	if (s->m->dealt == NULL || set->ncolumns == 0)
		return HasRoot(s->m->dealt);
	for (uint32_t c = 0; c < set->ncolumns; c++)
		if (s->rarest[set->group[c]] > class)
			class = s->rarest[set->group[c]];
	return FimHasUnit(s->m->dealt, class);
}

static void
EmitItems(RowSearch *s, const RowSet *set)
{
	Output	   *out = &s->m->out;
	uint32_t	depth = out->depth;
	uint64_t	length = (uint64_t) depth + set->nitems;

	if (length < out->min_depth || length > out->max_depth || !IsOfPart(s, set))
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
	if (set->support - RowSetLightest(s, set) < s->m->minsup)
		return true;
	(void) RowSetWithin(s, &(RowSet) {.rows = set->rows,.some = set->rows}, 0);
	MinerWork(s->m, (uint64_t) s->root.columns.stride / 8 * s->nwords * s->nplanes);
	return !s->m->kernels->some_weigh(&s->root.columns, s->root.ncolumns, s->within, s->nplanes,
									  s->m->minsup, set->support);
}

/* Emit the set's items if they are wanted. */
static void
Visit(RowSearch *s, const RowSet *set)
{
	const FimItemsetsSpec *spec = s->m->spec;

	MinerBeginNode(s->m);
	if (set->support >= s->m->minsup && (spec->kind == FIM_CLOSED || IsMaximal(s, set)))
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
	return s->m->spec->kind == FIM_MAXIMAL && set->support >= s->m->minsup;
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

	if (RowSetWithin(s, set, r) < s->m->minsup)
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

/*
 * Units of work.
 */

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
	uint64_t	unit;

	return FimTakeUnit(m->shared, m->sink, &unit) ? unit : UINT64_MAX;
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
		RowSetWithin(s, &s->root, r) >= m->minsup && RowSetAdd(s, &s->root, r, &first);

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
		if (HasRoot(m->dealt))
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
	__atomic_store_n(&m->shared->total, Units(s.nrows), __ATOMIC_RELAXED);
	MineUnits(&s);
	MinerPoll(m);
}
