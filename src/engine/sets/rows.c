/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Strategy "rows": a left value at a time.
 *
 * A row's paths are added up in accumulators, one for each right value (Gustavson, Two Fast
 * Algorithms for Sparse Matrices, ACM TOMS 1978).  An accumulator has one byte if it only has
 * to be known whether there was a path, or if the row has no more keys than a byte can count,
 * and otherwise four bytes.  If paths are few, the cells that they meet are listed; if paths
 * are many, the cells are found by looking at all of them.  If nothing is counted, a row with
 * few paths uses stamps in place of accumulators: the row has a number of its own, its stamp,
 * and writes it into each cell that it meets, so nothing has to be cleared afterwards.
 * Where there are more right values than a span of accumulators has room for, a row with
 * few paths goes into a hash table, and the other rows take several spans, one after the
 * other.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include "engine/arena.h"

#include <string.h>

/* Right values that have accumulators at the same time. */
#define SPAN			(UINT32_C(1) << 20)

/* Most paths of a row that goes into the hash table, and the table's slots. */
#define HASH_PATHS		(UINT32_C(1) << 15)
#define HASH_SLOTS		(2 * HASH_PATHS)

/*
 * Right values are prefetched.  The last one of a key is asked for KEYS_AHEAD keys ahead.  Up to
 * LINES_AHEAD cache lines before it are asked for LINES_KEYS_AHEAD keys ahead.
 */
#define KEYS_AHEAD		8
#define LINES_KEYS_AHEAD	2
#define LINES_AHEAD		16
#define RANKS_A_LINE	(64 / sizeof(uint32_t))

/* The most paths of a row that uses stamps.  A record has room for this many others. */
#define STAMPED_PATHS	(FIM_BATCH_WORDS / 4)

/*
 * Whether all cells of a range are marked is first looked at after LOOK_EVERY paths for each cell,
 * and then each time that the number of paths has doubled.
 */
#define LOOK_EVERY		2

/* Neighbouring cells that are looked at together for best partners. */
#define GROUP			64

/* What ROWS_LISTED_WIDTH is if the best partners are wanted, which makes it quick to look at all cells. */
#define BEST_LISTED_WIDTH	64

/* What an accumulator is. */
typedef enum Accumulators
{
	MARKS,						/* a byte, 1 if there was a path */
	COUNTS_OF_BYTES,
	COUNTS_OF_WORDS
} Accumulators;

/* A slot of the hash table: a right value and its number of paths. */
typedef struct Slot
{
	uint32_t	right;			/* the rank + 1, or 0 if the slot is free */
	uint32_t	count;
} Slot;

struct Rows
{
	Joiner	   *j;
	Cells	   *cells;
	uint32_t   *wide;			/* [span] accumulators of four bytes, all 0 between rows */
	uint8_t    *narrow;			/* the same memory as accumulators of one byte */
	uint32_t   *found;			/* [span + 1] the cells that a row has met, or their slots */
	Slot	   *slot;			/* [HASH_SLOTS], all free between rows; NULL if one span is enough */
	uint16_t   *stamp;			/* [right values] of the last row that met each; NULL if not used */
	uint16_t	stamps;			/* the last stamp given to a row, 0 if there is none */
	const uint32_t *keys_end;	/* the end of the keys of all left values */
};

/*
 * The right values of a key, as ranks, up to the end of a range.  They are gone through from the
 * last to the first, so that the beginning of the range need not be searched for.
 */
typedef struct Paths
{
	const uint32_t *first;
	const uint32_t *end;
} Paths;

static inline Paths
PathsOfKey(const Product *p, uint32_t key, Range range)
{
	uint64_t	first = p->key_start[key];
	uint64_t	end = p->key_start[key + 1];

	if (range.to < p->right.nvalues)
		end = FirstNotBelow(p->rank, first, end, range.to);
	return (Paths) {p->rank + first, p->rank + end};
}

/* Prefetch the last right value of a key. */
static inline void
FetchLast(const Product *p, uint32_t key)
{
	__builtin_prefetch(p->rank + p->key_start[key + 1] - 1);
}

/* Prefetch the cache lines of a key's right values before that of the last one. */
static inline void
FetchLines(const Product *p, uint32_t key)
{
	uint64_t	first = p->key_start[key];
	uint64_t	at = p->key_start[key + 1] - 1;

	/* of two relations, a key may have no right values */
	if (at + 1 == first)
		return;
	for (int line = 0; line < LINES_AHEAD && at - first >= RANKS_A_LINE; line++)
	{
		at -= RANKS_A_LINE;
		__builtin_prefetch(p->rank + at);
	}
}

/* How many paths a row has, or some number above "most" if there are more than that. */
static uint64_t
CountPaths(const Product *p, uint32_t row, uint64_t most)
{
	uint64_t	paths = 0;

	for (uint64_t k = p->left.start[row]; k < p->left.start[row + 1] && paths <= most; k++)
		paths += p->key_start[p->left.key[k] + 1] - p->key_start[p->left.key[k]];
	return paths;
}

/* For functions whose kind of accumulators is a constant, or of which a compiler would leave a prefetch out. */
#define INLINED		static inline __attribute__((always_inline))

INLINED uint32_t
CountAt(const Rows *rows, Accumulators kind, uint32_t cell)
{
	return kind == COUNTS_OF_WORDS ? rows->wide[cell] : rows->narrow[cell];
}

INLINED void
AddPath(Rows *rows, Accumulators kind, uint32_t cell)
{
	if (kind == MARKS)
		rows->narrow[cell] = 1;
	else if (kind == COUNTS_OF_BYTES)
		rows->narrow[cell]++;
	else
		rows->wide[cell]++;
}

/* The sum of n bytes that are 0 or 1, in words of 8 bytes, up to 255 of them at a time. */
static uint32_t
SumMarks(const uint8_t *mark, uint32_t n)
{
	uint32_t	sum = 0;

	while (n > 0)
	{
		uint64_t	bytes = 0;
		uint64_t	word;
		uint32_t	words = 0;

		for (; n >= sizeof(word) && words < 255; words++, n -= sizeof(word), mark += sizeof(word))
		{
			memcpy(&word, mark, sizeof(word));
			bytes += word;
		}
		for (int b = 0; b < 8; b++)
			sum += (bytes >> (8 * b)) & 0xff;
		for (; n > 0 && n < sizeof(word); n--)
			sum += *mark++;
	}
	return sum;
}

/* Add the paths of a row within a range.  If "listed", list the cells that are met and return their number. */
INLINED uint32_t
AddPaths(Rows *rows, uint32_t row, Range range, Accumulators kind, bool listed)
{
	const Product *p = &rows->j->product;
	uint64_t	end = p->left.start[row + 1];
	uint64_t	look_at = LOOK_EVERY * (uint64_t) (range.to - range.from);
	uint64_t	paths = 0;
	uint32_t	n = 0;

	for (uint64_t k = p->left.start[row]; k < end; k++)
	{
		Paths		of_key = PathsOfKey(p, p->left.key[k], range);
		const uint32_t *at = of_key.end;

		if (k + KEYS_AHEAD < end)
			FetchLast(p, p->left.key[k + KEYS_AHEAD]);
		if (k + LINES_KEYS_AHEAD < end)
			FetchLines(p, p->left.key[k + LINES_KEYS_AHEAD]);
		while (at > of_key.first && at[-1] >= range.from)
		{
			uint32_t	cell = *--at - range.from;

			if (listed)
			{
				rows->found[n] = cell;
				n += CountAt(rows, kind, cell) == 0;
			}
			AddPath(rows, kind, cell);
		}
		paths += (uint64_t) (of_key.end - at);
		JoinerWorked(rows->j, 8 + (uint64_t) (of_key.end - at));
		/* if nothing is counted, no more paths are needed once all cells are marked */
		if (kind == MARKS && paths >= look_at)
		{
			if (SumMarks(rows->narrow, range.to - range.from) == range.to - range.from)
				break;
			look_at += paths;
		}
	}
	rows->j->nodes += paths;
	return n;
}

/* Count the n cells of a range that are marked as results. */
static void
CountMarks(const Rows *rows, uint32_t row, Range range, uint32_t n)
{
	bool		twice = JoinerCountsTwice(rows->j);

	/* the row itself, the first cell, stands for one order only */
	JoinerCount(rows->j, (twice ? 2 : 1) * (uint64_t) n - (twice && range.from == SelfOf(&rows->j->product, row) && rows->narrow[0] != 0));
}

/*
 * Give out the cells from number "first" to "end" - 1, of the list or of the span.  There are no
 * branches that could be mispredicted, unless cells are looked at one by one: a cell that is not wanted
 * is written over by the next one.
 */
INLINED void
EmitCells(Rows *rows, Range range, uint32_t first, uint32_t end, Accumulators kind, bool listed)
{
	Cells	   *cells = rows->cells;

	while (first < end && !CellsOneByOne(cells))
	{
		uint32_t	least = cells->least;
		uint32_t	n = cells->n;
		uint32_t	stop = end - first < CellsRoom(cells) ? end : first + CellsRoom(cells);

		for (; first < stop; first++)
		{
			uint32_t	cell = listed ? rows->found[first] : first;
			uint32_t	count = CountAt(rows, kind, cell);

			cells->right[n] = range.from + cell;
			cells->witnesses[n] = count;
			n += count >= least;
		}
		cells->n = n;
		if (n == CELLS_AT_ONCE)
			CellsFlush(cells);
	}
	for (; first < end; first++)
	{
		uint32_t	cell = listed ? rows->found[first] : first;

		if (CountAt(rows, kind, cell) > 0)
			CellsAdd(cells, range.from + cell, CountAt(rows, kind, cell));
	}
}

/* Join a row with a range, listing the cells that it meets. */
INLINED void
JoinListed(Rows *rows, uint32_t row, Range range, Accumulators kind)
{
	uint32_t	n = AddPaths(rows, row, range, kind, true);

	if (kind == MARKS && rows->j->spec->head.count_only)
		CountMarks(rows, row, range, n);
	else
		EmitCells(rows, range, 0, n, kind, true);
	for (uint32_t i = 0; i < n; i++)
		if (kind == COUNTS_OF_WORDS)
			rows->wide[rows->found[i]] = 0;
		else
			rows->narrow[rows->found[i]] = 0;
}

/* Whether any of some cells has at least so many witnesses. */
INLINED bool
AnyReaches(const Rows *rows, Accumulators kind, uint32_t first, uint32_t end, uint32_t least)
{
	bool		any = false;
	uint8_t		most = 0;

	if (kind == COUNTS_OF_WORDS)
	{
		for (uint32_t cell = first; cell < end; cell++)
			any |= rows->wide[cell] >= least;
		return any;
	}
	for (uint32_t cell = first; cell < end; cell++)
		most = rows->narrow[cell] > most ? rows->narrow[cell] : most;
	return most >= least;
}

/*
 * Give out the cells of a span of which the best partners are wanted.  Sets of neighbouring ranks are of about the same size,
 * so that neighbouring cells need about the same witnesses, and few groups of cells have one with that many, if good
 * ones have been found before.
 */
INLINED void
EmitGroups(Rows *rows, Range range, uint32_t width, Accumulators kind)
{
	const Cells *cells = rows->cells;
	bool		rare_first = BestAreRare(cells->best);
	uint32_t	groups = (width + GROUP - 1) / GROUP;

	for (uint32_t g = 0; g < groups; g++)
	{
		uint32_t	first = (rare_first ? groups - 1 - g : g) * GROUP;
		uint32_t	end = width - first < GROUP ? width : first + GROUP;
		uint32_t	least = BestLeast(cells->best, range.from + end - 1);

		if (AnyReaches(rows, kind, first, end, least > cells->least ? least : cells->least))
			EmitCells(rows, range, first, end, kind, false);
	}
}

/* Join a row with a range, looking at all of its cells afterwards, except for words of memory that are 0. */
INLINED void
JoinScanned(Rows *rows, uint32_t row, Range range, Accumulators kind)
{
	uint32_t	width = range.to - range.from;
	uint32_t	bytes = kind == COUNTS_OF_WORDS ? sizeof(uint32_t) : 1;
	uint32_t	step = sizeof(uint64_t) / bytes;

	AddPaths(rows, row, range, kind, false);
	JoinerWorked(rows->j, width / 8);
	if (kind == MARKS && rows->j->spec->head.count_only)
		CountMarks(rows, row, range, SumMarks(rows->narrow, width));
	else if (rows->cells->best != NULL)
		EmitGroups(rows, range, width, kind);
	else
		for (uint32_t first = 0; first < width; first += step)
		{
			uint64_t	some;

			memcpy(&some, rows->narrow + (size_t) bytes * first, sizeof(some));
			if (some != 0)
				EmitCells(rows, range, first, width - first < step ? width : first + step, kind, false);
		}
	memset(rows->narrow, 0, (size_t) bytes * width);
}

/* Join a row that has at most HASH_PATHS paths by means of the hash table. */
static void
JoinHashed(Rows *rows, uint32_t row, Range range)
{
	const Product *p = &rows->j->product;
	uint32_t	n = 0;

	for (uint64_t k = p->left.start[row]; k < p->left.start[row + 1]; k++)
	{
		Paths		paths = PathsOfKey(p, p->left.key[k], range);
		const uint32_t *at = paths.end;

		while (at > paths.first && at[-1] >= range.from)
		{
			uint32_t	right = *--at + 1;
			uint32_t	s = (uint32_t) FimHash64(right) & (HASH_SLOTS - 1);

			while (rows->slot[s].right != right && rows->slot[s].right != 0)
				s = (s + 1) & (HASH_SLOTS - 1);
			rows->found[n] = s;
			n += rows->slot[s].right == 0;
			rows->slot[s].right = right;
			rows->slot[s].count++;
		}
		rows->j->nodes += (uint64_t) (paths.end - at);
		JoinerWorked(rows->j, 8 + 4 * (uint64_t) (paths.end - at));
	}
	for (uint32_t i = 0; i < n; i++)
	{
		Slot	   *slot = &rows->slot[rows->found[i]];

		CellsAdd(rows->cells, slot->right - 1, slot->count);
		*slot = (Slot) {0};
	}
}

/* The most paths of a row whose cells are listed. */
static inline uint32_t
FewPaths(const Rows *rows, Range range)
{
	uint32_t	width = range.to - range.from;

	return (width < SPAN ? width : SPAN) / (rows->cells->best != NULL ? BEST_LISTED_WIDTH : ROWS_LISTED_WIDTH);
}

/*
 * Join a row with a range that a span has room for.  The row has at most "paths" paths, unless
 * that is above FewPaths().
 */
static void
JoinSpan(Rows *rows, uint32_t row, Range range, uint64_t paths)
{
	bool		listed = paths <= FewPaths(rows, range);

	if (!rows->cells->counted)
		listed ? JoinListed(rows, row, range, MARKS) : JoinScanned(rows, row, range, MARKS);
	else if (SideLength(&rows->j->product.left, row) <= UINT8_MAX)
		listed ? JoinListed(rows, row, range, COUNTS_OF_BYTES) : JoinScanned(rows, row, range, COUNTS_OF_BYTES);
	else
		listed ? JoinListed(rows, row, range, COUNTS_OF_WORDS) : JoinScanned(rows, row, range, COUNTS_OF_WORDS);
}

/* Returns a stamp that no right value has, clearing all stamps when the numbers are used up. */
static uint16_t
NewStamp(Rows *rows)
{
	if (rows->stamps == UINT16_MAX)
	{
		memset(rows->stamp, 0, sizeof(uint16_t) * rows->j->product.right.nvalues);
		rows->stamps = 0;
	}
	return ++rows->stamps;
}

/* Put a right value after the others of its row.  The next one takes its place if this one has been met before. */
INLINED uint32_t *
PutOther(uint32_t *other, uint32_t value, uint16_t *stamp, uint16_t now)
{
	*other = value;
	other += *stamp != now;
	*stamp = now;
	return other;
}

/* Prefetch the first or the last right value of the key that comes KEYS_AHEAD keys later, maybe in another row. */
INLINED void
FetchLater(const Rows *rows, const uint32_t *key, bool last)
{
	const Product *p = &rows->j->product;

	if (key + KEYS_AHEAD < rows->keys_end)
		__builtin_prefetch(p->rank + p->key_start[key[KEYS_AHEAD] + last] - last);
}

/*
 * Put the others of a row that have ranks from "from" on, each once, and return their end.  This is for one
 * relation: the row itself is among the right values of each of its keys.  So going down from the last right
 * value ends at the row at the latest.
 */
static uint32_t *
PutHigherOthers(Rows *rows, uint32_t row, uint32_t from, uint32_t *other)
{
	const Product *p = &rows->j->product;
	const uint32_t *key = p->left.key + p->left.start[row];
	const uint32_t *end = p->left.key + p->left.start[row + 1];
	const uint32_t *value = p->right.value;
	uint16_t   *stamp = rows->stamp;
	uint16_t	now = NewStamp(rows);
	uint32_t	self = SelfOf(p, row);
	uint32_t	low = from > self ? from - 1 : self;
	uint64_t	paths = 0;

	if (from == self)
		*other++ = value[self];
	for (; key < end; key++)
	{
		const uint32_t *last = p->rank + p->key_start[*key + 1] - 1;
		const uint32_t *at = last;

		FetchLater(rows, key, true);
		for (; *at > low; at--)
			other = PutOther(other, value[*at], &stamp[*at], now);
		paths += (uint64_t) (last - at);
	}
	rows->j->nodes += paths;
	return other;
}

/* Likewise for two relations, with others of all ranks. */
static uint32_t *
PutOthers(Rows *rows, uint32_t row, uint32_t *other)
{
	const Product *p = &rows->j->product;
	const uint32_t *key = p->left.key + p->left.start[row];
	const uint32_t *end = p->left.key + p->left.start[row + 1];
	const uint32_t *value = p->right.value;
	uint16_t   *stamp = rows->stamp;
	uint16_t	now = NewStamp(rows);
	uint64_t	paths = 0;

	for (; key < end; key++)
	{
		const uint32_t *at = p->rank + p->key_start[*key];
		const uint32_t *stop = p->rank + p->key_start[*key + 1];

		FetchLater(rows, key, false);
		paths += (uint64_t) (stop - at);
		for (; at < stop; at++)
			other = PutOther(other, value[*at], &stamp[*at], now);
	}
	rows->j->nodes += paths;
	return other;
}

/*
 * Join a row that has at most "most" paths, if it only matters which cells it meets.  Its record is made while
 * cells are met, and nothing has to be cleared afterwards.
 */
static void
JoinStamped(Rows *rows, uint32_t row, uint32_t from, uint32_t most)
{
	Joiner	   *j = rows->j;
	uint32_t   *first = JoinerRecord(j, most);
	uint32_t   *end = j->product.one ? PutHigherOthers(rows, row, from, first) : PutOthers(rows, row, first);
	uint32_t	n = (uint32_t) (end - first);

	/* the row itself stands for one order only */
	JoinerRecordMade(j, row, n, JoinerCountsTwice(j) ? 2 * (uint64_t) n - (from == SelfOf(&j->product, row)) : n);
	JoinerWorked(j, 4 * (uint64_t) most);
}

/* Join a row by means of the hash table or of accumulators.  "paths" is as for JoinSpan(). */
static void
JoinAccumulated(Rows *rows, uint32_t row, Range range, uint64_t paths)
{
	CellsBegin(rows->cells, row);
	if (rows->slot != NULL && CountPaths(&rows->j->product, row, HASH_PATHS) <= HASH_PATHS)
		JoinHashed(rows, row, range);
	else
		for (uint32_t from = range.from; from < range.to;)
		{
			uint32_t	to = range.to - from > SPAN ? from + SPAN : range.to;

			JoinSpan(rows, row, (Range) {from, to}, paths);
			from = to;
		}
	CellsFlush(rows->cells);
}

static void
JoinRow(Rows *rows, uint32_t row, Range range)
{
	const Product *p = &rows->j->product;
	bool		stamps = rows->stamp != NULL && (range.from == 0 || p->one);
	uint64_t	paths = (uint64_t) SideLength(&p->left, row) * p->data->most_right;
	uint32_t	few;

	if (range.from >= range.to)
		return;
	few = FewPaths(rows, range);
	/* often this bound already shows that the paths are few enough, without looking at the keys */
	if (paths > few || (stamps && paths > STAMPED_PATHS))
		paths = CountPaths(p, row, few);
	if (stamps && paths <= few && paths <= STAMPED_PATHS)
		JoinStamped(rows, row, range.from, (uint32_t) paths);
	else
		JoinAccumulated(rows, row, range, paths);
}

Rows *
RowsNew(Joiner *j, Cells *cells)
{
	Rows	   *rows = ArenaAlloc(&j->arena, sizeof(Rows));
	uint32_t	n = j->product.right.nvalues;
	size_t		room = (n < SPAN ? n : SPAN) + 2;

	rows->j = j;
	rows->cells = cells;
	rows->wide = ArenaAlloc(&j->arena, sizeof(uint32_t) * room);
	rows->narrow = (uint8_t *) rows->wide;
	rows->found = ArenaAlloc(&j->arena, sizeof(uint32_t) * room);
	memset(rows->wide, 0, sizeof(uint32_t) * room);
	rows->stamp = NULL;
	rows->stamps = 0;
	rows->keys_end = j->product.left.key + j->product.left.start[j->product.left.nvalues];
	if (!cells->counted && n <= SPAN)
	{
		rows->stamp = ArenaAlloc(&j->arena, sizeof(uint16_t) * n);
		memset(rows->stamp, 0, sizeof(uint16_t) * n);
	}
	rows->slot = NULL;
	if (n > SPAN)
	{
		rows->slot = ArenaAlloc(&j->arena, sizeof(Slot) * HASH_SLOTS);
		memset(rows->slot, 0, sizeof(Slot) * HASH_SLOTS);
	}
	return rows;
}

void
RowsJoin(Rows *rows, const Plan *plan, uint32_t from, uint32_t to)
{
	for (uint32_t row = from; row < to; row++)
	{
		Range		range = CellsOfRow(rows->cells, row);

		if (row < plan->left && range.from < plan->right)
			range.from = plan->right;
		CellsBeginRows(rows->cells, (Range) {row, row + 1});
		JoinRow(rows, row, range);
		CellsEndRows(rows->cells, (Range) {row, row + 1});
		JoinerWorked(rows->j, 8);
	}
}
