/*-------------------------------------------------------------------------
 *
 * joiner.h
 *	  What the strategies of the CPU engine share: a worker's part of a task, the ways out of it, its
 *	  results.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_JOINER_H
#define FIM_SETS_JOINER_H

#include "best.h"
#include "engine/arena.h"
#include "measure.h"
#include "sets.h"

/*
 * product.c: The data as the CPU engine uses them, with what cpu_prepare() adds: blocks of left values, which are the
 * units of work.
 *
 * A path is a left and a right value with one key in common: a row of the join before
 * it is projected.
 */

/* The most blocks.  They are so many that workers end at about the same time. */
#define FIM_SETS_MOST_BLOCKS		4096

typedef struct Side
{
	const uint64_t *start;		/* [nvalues + 1] */
	const uint32_t *value;		/* [nvalues] the caller's number of the value of each rank */
	const uint32_t *key;		/* the keys of rank r are key[start[r]] .. key[start[r + 1] - 1] */
	uint32_t	nvalues;
	uint32_t	longest;		/* the most keys that a value has */
} Side;

typedef struct Product
{
	const FimSetsData *data;
	Side		left;
	Side		right;
	const uint64_t *key_start;	/* [nkeys + 1] */
	const uint32_t *rank;		/* the right ranks of key k are rank[key_start[k]] .., ascending */
	const uint32_t *block;		/* block b has the left ranks block[b] .. block[b + 1] - 1;
								 * blocks have about the same number of paths */
	const uint32_t *self;		/* [left.nvalues] the right rank of each left value, if both are of one relation; NULL: it is
								 * the same */
	uint32_t	nkeys;
	bool		one;			/* left and right are the same relation, and a pair is found in one of its orders */
} Product;

extern void ProductInit(Product *product, const FimSetsData *data, const FimSetsSpec *spec);

static inline uint32_t
SideLength(const Side *side, uint32_t rank)
{
	return (uint32_t) (side->start[rank + 1] - side->start[rank]);
}

/* If left and right are the same relation: the right rank of a left value. */
static inline uint32_t
SelfOf(const Product *product, uint32_t left)
{
	return product->self == NULL ? left : product->self[left];
}

/* cpu_size() and cpu_prepare() of the family. */
extern size_t ProductSize(const FimData *data);
extern bool ProductPrepare(FimData *data, FimHost *host);

/*
 * joiner.c: A worker that joins, and writes what it finds.
 */

typedef struct Joiner
{
	const FimSetsSpec *spec;
	Product		product;
	FimShared  *shared;
	FimSetsSummary *summary;
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	jmp_buf		leave;			/* with a FimResult */
	uint64_t	work;			/* steps since the last poll */
	FimSetsStrategy strategy;	/* the strategy that is at work, for which results are counted */

	/* figures not yet added to the shared ones */
	uint64_t	results;
	uint64_t	nodes;			/* paths, or whatever a strategy looks at one by one */

	/* results not yet written */
	uint32_t   *batch;			/* [FIM_BATCH_WORDS] */
	size_t		nwords;
	size_t		nresults;
} Joiner;

/*
 * Do a worker's part of a task.  join() finds the results, and leaves by j->leave when it is
 * stopped or gets no memory.  Whichever way it ends, the worker's memory is given back.
 */
extern FimResult JoinerMine(const FimTask *task, FimHost *host, FimSink *sink, void (*join) (Joiner *j));

/* Share the figures, and leave if the task has been canceled or the host says stop. */
extern void JoinerPoll(Joiner *j);

/* Steps, of about a nanosecond each, between two polls. */
#define WORK_BETWEEN_POLLS	(1 << 22)

/* Note that steps have been made. */
static inline void
JoinerWorked(Joiner *j, uint64_t steps)
{
	j->work += steps;
	if (j->work >= WORK_BETWEEN_POLLS)
		JoinerPoll(j);
}

/* Whether a pair stands for both of its orders, and counts as two results unless both values are the same. */
static inline bool
JoinerCountsTwice(const Joiner *j)
{
	return j->product.one && j->spec->result == FIM_SETS_PRODUCT;
}

/* Whether the numbers of witnesses matter, and not only whether there are some. */
static inline bool
CountsWitnesses(const FimSetsSpec *spec)
{
	return spec->result >= FIM_SETS_SIMILAR || spec->min_witnesses > 1 ||
		(spec->witnesses && !spec->head.count_only);
}

/* Add to the numbers of results found, whether they are written or only counted. */
static inline void
JoinerCount(Joiner *j, uint64_t results)
{
	j->results += results;
	j->summary->pairs += results;
	j->summary->found[j->strategy] += results;
}

/*
 * JoinerWrite() writes the pairs of a value and n right ones, these by rank, and counts them.
 * witnesses may be NULL if the spec does not want them, and similarities if it does not look
 * for similar sets.  JoinerFlush() hands the batch over to the sink, and shares the figures.
 * Both leave by j->leave if the sink wants no more.
 */
extern void JoinerWrite(Joiner *j, uint32_t value, const uint32_t *right, const uint32_t *witnesses,
						const double *similarities, uint32_t n);
extern void JoinerFlush(Joiner *j);

/* The number of results that such pairs count as. */
extern uint64_t JoinerResults(const Joiner *j, uint32_t value, const uint32_t *right, uint32_t n);

/* How many of n pairs a record can have in the room that is left in the batch. */
extern uint32_t JoinerRoom(const Joiner *j, uint32_t n);

/*
 * A record can be made in place, if the spec wants neither witnesses nor similarities, whether it writes
 * or only counts.  JoinerRecord() returns where to put the record's others: the numbers of at most "most"
 * right values, which must be less than FIM_BATCH_WORDS - 2.  JoinerRecordMade() adds the record with the
 * first n of them, which count as "results" results.
 */
static inline uint32_t *
JoinerRecord(Joiner *j, uint32_t most)
{
	if (FIM_BATCH_WORDS - j->nwords < 2 + (size_t) most)
		JoinerFlush(j);
	return j->batch + j->nwords + 2;
}

static inline void
JoinerRecordMade(Joiner *j, uint32_t left, uint32_t n, uint64_t results)
{
	JoinerCount(j, results);
	if (n > 0 && !j->spec->head.count_only)
	{
		j->batch[j->nwords] = j->product.left.value[left];
		j->batch[j->nwords + 1] = n;
		j->nwords += 2 + (size_t) n;
		j->nresults += results;
	}
}

/* Ranks from "from" to "to" - 1. */
typedef struct Range
{
	uint32_t	from;
	uint32_t	to;
} Range;

/*
 * cells.c: From numbers of witnesses to results: which cells of a row are wanted.
 *
 * A row is a left value, and a cell of the row is a right value, both by rank.  The cells that
 * can be results are a range of each row.  If pairs have no order, it begins after the row's
 * own rank, or with it; and it ends where sets become too small.
 */

/* Cells of a row that are written at once. */
#define CELLS_AT_ONCE	2048

/* The results of a row that have not been written yet. */
typedef struct Cells
{
	Joiner	   *j;
	uint32_t	row;
	uint32_t	self;			/* the row's own cell, if left and right are the same relation */
	uint32_t	size;			/* keys of the row's set */
	uint32_t	least;			/* witnesses that a cell needs; for similar sets, ... */
	uint32_t	other_size;		/* ... if its set has this number of keys */
	bool		similar;		/* the spec asks for similar sets */
	bool		bounded;		/* cells must be similar, also as partners */
	bool		selfless;		/* both sides are one relation, of which no value is similar to itself or its own partner */
	Best	   *best;			/* where cells go if it asks for the best partners; otherwise NULL */
	bool		counted;		/* numbers of witnesses matter, see CountsWitnesses() */
	uint32_t	n;				/* cells in the arrays */
	uint32_t	right[CELLS_AT_ONCE];
	uint32_t	witnesses[CELLS_AT_ONCE];
	double		similarity[CELLS_AT_ONCE];
} Cells;

/* For the best partners of at most so many rows at a time.  Memory is from the joiner's arena. */
extern Cells *CellsNew(Joiner *j, uint32_t rows);

/* Where the cells of a row that can be results end, because the sets after that are too small. */
extern uint32_t CellsEndBySize(const Cells *cells, uint32_t row);

/* The cells of a row that can be results. */
static inline Range
CellsOfRow(const Cells *cells, uint32_t row)
{
	const Product *p = &cells->j->product;
	Range		range = {0, p->right.nvalues};

	if (p->one)
		range.from = SelfOf(p, row) + (cells->j->spec->result != FIM_SETS_PRODUCT ? 1 : 0);
	if (cells->bounded || cells->least > 1)
		range.to = CellsEndBySize(cells, row);
	return range;
}

/* If the best partners are wanted: whether there is room for those of so many rows at a time. */
extern bool CellsHaveRoom(const FimSetsSpec *spec, const Product *product, uint32_t rows);

/* Begin some rows, and end them when they have all their cells, which writes or counts their best partners. */
extern void CellsBeginRows(Cells *cells, Range rows);
extern void CellsEndRows(Cells *cells, Range rows);

/* Begin a row, and write or count the cells that have been added to it. */
extern void CellsBegin(Cells *cells, uint32_t row);
extern void CellsFlush(Cells *cells);

/* For similar sets: set cells->least for cells whose sets have other_size keys. */
extern void CellsNeed(Cells *cells, uint32_t other_size);

/* For containment in one relation: write or count the pair in the other order, if the cell's set is similar to the row's. */
extern void CellsAddReverse(Cells *cells, uint32_t right, uint32_t witnesses);

/*
 * Add a cell that has witnesses, if it is a result.  The cells of a row come in any order, each
 * once.
 */
static inline void
CellsAdd(Cells *cells, uint32_t right, uint32_t witnesses)
{
	if (cells->best != NULL)
	{
		if (witnesses >= cells->least && BestMayTake(cells->best, right, witnesses) && (right != cells->self || !cells->selfless))
			BestAdd(cells->best, right, witnesses);
		return;
	}
	if (cells->similar)
	{
		uint32_t	other = SideLength(&cells->j->product.right, right);

		if (cells->selfless && right == cells->self)
			return;
		if (cells->selfless && cells->j->spec->measure == FIM_CONTAINMENT)
			CellsAddReverse(cells, right, witnesses);
		if (other != cells->other_size)
			CellsNeed(cells, other);
		if (witnesses < cells->least)
			return;
		cells->similarity[cells->n] = SimilarityOf(cells->j->spec->measure, witnesses, cells->size, other);
	}
	else if (witnesses < cells->least)
		return;
	cells->right[cells->n] = right;
	cells->witnesses[cells->n] = witnesses;
	if (++cells->n == CELLS_AT_ONCE)
		CellsFlush(cells);
}

/* Whether it takes more than a cell's witnesses to tell what becomes of it, so that CellsAdd() is needed. */
static inline bool
CellsOneByOne(const Cells *cells)
{
	return cells->similar || cells->best != NULL;
}

/* How many more cells can be added before the next CellsFlush(). */
static inline uint32_t
CellsRoom(const Cells *cells)
{
	return CELLS_AT_ONCE - cells->n;
}

/*
 * Write or count the results among a range of a row's cells.  witnesses[] has the number of
 * witnesses of each cell of the range, which may be 0.
 */
extern void CellsAddCounts(Cells *cells, uint32_t row, Range range, const uint32_t *witnesses);

/* Likewise, if it only matters whether cells have witnesses: bits[] has a bit for each cell of the range. */
extern void CellsAddBits(Cells *cells, uint32_t row, Range range, const uint32_t *bits);

/* Whether the tile of these left and right ranks can have results. */
extern bool CellsInTile(const Cells *cells, Range left, Range right);

/*
 * plan.c: What a task's strategy leaves to bit matrices or batmaps, and what to rows.
 *
 * The right values of the first ranks with the left values of the first ranks are the dense
 * part of a product: their cells belong to tiles.  All other cells belong to rows, so no
 * result is found twice.  (Huang and Chen, DIM3, arXiv 2206.04995, split products into parts
 * with disjoint results in this way.)
 *
 * The best partners of a value are chosen from all cells of its row.  So there the dense part is
 * everything or nothing, and a unit has all tiles of its left values.
 */

/* The most values of a side of a tile. */
#define TILE_RANKS		1024

/* The most keys that are bits of a tile at the same time. */
#define CHUNK_KEYS		8192

/*
 * What a tile takes, in nanoseconds.  Keys whose paths are gone through one by one take
 * PLAN_TILE_PATH_NS for each path and PLAN_TILE_KEY_NS for each key of each left value.  Keys that
 * are bits take PlanWordsNs() for each pair of words.
 */
#define PLAN_TILE_PATH_NS	2.0
#define PLAN_TILE_KEY_NS	60.0
extern double PlanWordsNs(void);

/* A row's cells are listed as they are met if it has at least this many cells for each path. */
#define ROWS_LISTED_WIDTH	4

/* The plan is the same in all workers, since it depends on nothing but the spec, the data and the processor. */
typedef struct Plan
{
	FimSetsStrategy tiles;		/* the strategy of the dense part */
	uint32_t	left;			/* left ranks below this, with right ranks ... */
	uint32_t	right;			/* ... below this, are the dense part */
	uint32_t	frequent_keys;	/* keys below this are cheaper as bits of a tile than path by path */
	uint32_t	tile_ranks;		/* ranks of a side of a tile, TILE_RANKS or fewer */
	uint32_t	left_tiles;		/* tiles that the dense part has along each side */
	uint32_t	right_tiles;
	uint32_t	tiles_a_unit;	/* right tiles that a unit joins with one left tile */
	uint32_t	units_a_row;	/* units of one left tile */
	uint64_t	units;			/* units of the dense part, which come first; then blocks of rows */
	bool		rows;			/* there are cells outside of the dense part */
	double		rows_ns;		/* the times that are expected, see FimSetsSummary */
	double		split_ns;
	double		prefix_ns;
	FimSetsStrategy row_strategy; /* the strategy of the cells outside: "rows" or "prefix" */
} Plan;

/* Tiles get sides of tile_ranks ranks, at most TILE_RANKS. */
extern void PlanTask(Plan *plan, const FimSetsSpec *spec, const Product *product, uint32_t tile_ranks);

/*
 * bits.c: Strategy "bits": products of bit matrices.
 */

typedef struct Bits Bits;

/*
 * Memory is from the joiner's arena.  No chunk has both keys below "frequent_keys", see plan.c, and
 * other keys.
 */
extern Bits *BitsNew(Joiner *j, Cells *cells, uint32_t frequent_keys);

/* Find the results of the tile of these left and right ranks, at most TILE_RANKS of each. */
extern void BitsJoinTile(Bits *bits, Range left, Range right);

/*
 * prefix.c: Strategy "prefix": similar sets by their rarest keys.
 */

typedef struct Prefix Prefix;

/* Makes the index of all sets, in memory from the joiner's arena. */
extern Prefix *PrefixNew(Joiner *j, Cells *cells);

/* Find the results of the ranks "from" to "to" - 1. */
extern void PrefixJoin(Prefix *prefix, uint32_t from, uint32_t to);

/*
 * rows.c: Strategy "rows": a left value at a time.
 */

typedef struct Rows Rows;

/* Memory is from the joiner's arena. */
extern Rows *RowsNew(Joiner *j, Cells *cells);

/* Find the results of the left ranks "from" to "to" - 1 that are not in the plan's dense part. */
extern void RowsJoin(Rows *rows, const Plan *plan, uint32_t from, uint32_t to);

#endif							/* FIM_SETS_JOINER_H */
