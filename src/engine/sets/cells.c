/*-------------------------------------------------------------------------
 *
 * cells.c
 *	  From numbers of witnesses to results: which cells of a row are wanted.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"
#include "measure.h"

/* The most bytes for the partners of the rows of a tile. */
#define MOST_BYTES		(UINT64_C(1) << 26)

/* The steps, as for JoinerWorked(), that sorting and writing a partner takes. */
#define SORT_STEPS		50

bool
CellsHaveRoom(const FimSetsSpec *spec, const Product *product, uint32_t rows)
{
	return sizeof(Partner) * (uint64_t) MostPartners(spec, product->data) * rows <= MOST_BYTES;
}

static Best *
NewBest(Joiner *j, uint32_t rows)
{
	Best	   *best = ArenaAlloc(&j->arena, sizeof(Best));

	*best = BestOf(j->spec, j->product.data);
	best->n = ArenaAlloc(&j->arena, sizeof(uint32_t) * rows);
	if (!j->spec->head.count_only)
		best->partner = ArenaAlloc(&j->arena, sizeof(Partner) * best->most * rows);
	return best;
}

Cells *
CellsNew(Joiner *j, uint32_t rows)
{
	Cells	   *cells = ArenaAlloc(&j->arena, sizeof(Cells));
	const FimSetsSpec *spec = j->spec;

	cells->j = j;
	cells->n = 0;
	cells->similar = spec->result == FIM_SETS_SIMILAR;
	cells->bounded = cells->similar || (spec->result == FIM_SETS_BEST && spec->threshold > 0);
	cells->selfless = j->product.data->one;
	cells->best = spec->result == FIM_SETS_BEST ? NewBest(j, rows) : NULL;
	cells->counted = CountsWitnesses(spec);
	cells->least = spec->min_witnesses < UINT32_MAX ? (uint32_t) spec->min_witnesses : UINT32_MAX;
	return cells;
}

void
CellsBeginRows(Cells *cells, Range rows)
{
	if (cells->best != NULL)
		BestBegin(cells->best, rows.from, rows.to - rows.from);
}

/* Write the n partners of the row at hand. */
static void
WritePartners(Joiner *j, const Best *best, const Partner *list, uint32_t n)
{
	uint32_t	first = 0;

	while (first < n)
	{
		uint32_t	now = JoinerRoom(j, n - first);

		if (now == 0)
		{
			JoinerFlush(j);
			continue;
		}
		BestRecord(best, list, first, now, j->batch + j->nwords);
		j->nwords += FimSetsRecordWords(j->spec, now);
		j->nresults += now;
		first += now;
	}
}

void
CellsEndRows(Cells *cells, Range rows)
{
	Joiner	   *j = cells->j;

	for (uint32_t row = rows.from; row < rows.to && cells->best != NULL; row++)
	{
		const Partner *list;
		uint32_t	n;

		BestTurnTo(cells->best, row);
		list = BestEnd(cells->best, &n);
		JoinerCount(j, n);
		if (list == NULL)
			continue;
		WritePartners(j, cells->best, list, n);
		JoinerWorked(j, SORT_STEPS * (uint64_t) n);
	}
}

uint32_t
CellsEndBySize(const Cells *cells, uint32_t row)
{
	const Product *p = &cells->j->product;
	uint32_t	size = SideLength(&p->left, row);

	if (cells->bounded)
		return RanksOfSize(p->right.start, p->right.nvalues, LeastPartner(cells->j->spec, size));
	return size < cells->least ? 0 : RanksOfSize(p->right.start, p->right.nvalues, cells->least);
}

void
CellsBegin(Cells *cells, uint32_t row)
{
	cells->row = row;
	cells->self = SelfOf(&cells->j->product, row);
	cells->size = SideLength(&cells->j->product.left, row);
	cells->other_size = 0;
	if (cells->best != NULL)
		BestTurnTo(cells->best, row);
}

void
CellsNeed(Cells *cells, uint32_t other_size)
{
	cells->other_size = other_size;
	cells->least = LeastOverlap(cells->j->spec, cells->size, other_size);
}

void
CellsAddReverse(Cells *cells, uint32_t right, uint32_t witnesses)
{
	Joiner	   *j = cells->j;
	double		similarity = SimilarityOf(FIM_CONTAINMENT, witnesses,
										  SideLength(&j->product.right, right), cells->size);

	if (similarity < j->spec->threshold)
		return;
	if (j->spec->head.count_only)
		JoinerCount(j, 1);
	else
		JoinerWrite(j, j->product.right.value[right], &cells->self, &witnesses, &similarity, 1);
}

void
CellsFlush(Cells *cells)
{
	Joiner	   *j = cells->j;
	uint32_t	value = j->product.left.value[cells->row];

	if (j->spec->head.count_only)
		JoinerCount(j, JoinerResults(j, value, cells->right, cells->n));
	else
		JoinerWrite(j, value, cells->right, cells->witnesses, cells->similarity, cells->n);
	cells->n = 0;
}

/*
 * Sets get smaller by rank.  So of the tile's rows, the last one has the cells of the highest ranks
 * if sets must be similar.  Otherwise it is the first one, if that has any cells.
 */
bool
CellsInTile(const Cells *cells, Range left, Range right)
{
	if (cells->j->product.one && SelfOf(&cells->j->product, left.from) >= right.to)
		return false;
	return CellsOfRow(cells, cells->bounded ? left.to - 1 : left.from).to > right.from;
}

/*
 * Add the cells of the range that have enough witnesses.  There are no branches that could be
 * mispredicted: a cell that is not wanted is written over by the next one.
 */
static void
AddWanted(Cells *cells, Range range, const uint32_t *witnesses)
{
	uint32_t	least = cells->least;

	for (uint32_t right = range.from; right < range.to;)
	{
		uint32_t	n = cells->n;
		uint32_t	stop = range.to - right < CellsRoom(cells) ? range.to : right + CellsRoom(cells);

		for (; right < stop; right++)
		{
			cells->right[n] = right;
			cells->witnesses[n] = witnesses[right - range.from];
			n += cells->witnesses[n] >= least;
		}
		cells->n = n;
		if (n == CELLS_AT_ONCE)
			CellsFlush(cells);
	}
}

/* Count n cells of the row as results.  "self" says whether the row's own rank is one of them. */
static void
CountSet(Cells *cells, uint32_t n, bool self)
{
	if (JoinerCountsTwice(cells->j))
		JoinerCount(cells->j, 2 * (uint64_t) n - self);
	else
		JoinerCount(cells->j, n);
}

/* Count the cells of the range that have enough witnesses. */
static void
CountWanted(Cells *cells, Range range, const uint32_t *witnesses)
{
	uint32_t	least = cells->least;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < range.to - range.from; i++)
		n += witnesses[i] >= least;
	CountSet(cells, n, range.from == cells->self && witnesses[0] >= least);
}

/* Cut a range of cells down to those that can be results of the row. */
static Range
WantedPart(const Cells *cells, uint32_t row, Range range)
{
	Range		wanted = CellsOfRow(cells, row);

	if (wanted.from > range.from)
		range.from = wanted.from;
	if (wanted.to < range.to)
		range.to = wanted.to;
	return range;
}

void
CellsAddCounts(Cells *cells, uint32_t row, Range range, const uint32_t *witnesses)
{
	uint32_t	first = range.from;

	range = WantedPart(cells, row, range);
	if (range.from >= range.to)
		return;
	witnesses += range.from - first;
	CellsBegin(cells, row);
	if (CellsOneByOne(cells))
	{
		for (uint32_t right = range.from; right < range.to; right++)
			if (witnesses[right - range.from] > 0)
				CellsAdd(cells, right, witnesses[right - range.from]);
	}
	else if (cells->j->spec->head.count_only)
		CountWanted(cells, range, witnesses);
	else
		AddWanted(cells, range, witnesses);
	CellsFlush(cells);
}

/* Add the cells whose bits are set in a word.  Its lowest bit is that of the rank "right". */
static void
AddWord(Cells *cells, uint32_t right, uint32_t word)
{
	uint32_t	n;

	if (CellsRoom(cells) < 32)
		CellsFlush(cells);
	n = cells->n;
	if (word == UINT32_MAX)
	{
		for (uint32_t i = 0; i < 32; i++)
			cells->right[n + i] = right + i;
		n += 32;
	}
	else
	{
		for (; word != 0; word &= word - 1)
			cells->right[n++] = right + (uint32_t) __builtin_ctz(word);
	}
	cells->n = n;
}

void
CellsAddBits(Cells *cells, uint32_t row, Range range, const uint32_t *bits)
{
	Range		part = WantedPart(cells, row, range);
	uint32_t	from = part.from - range.from;
	uint32_t	to = part.to - range.from;
	uint32_t	n = 0;

	if (part.from >= part.to)
		return;
	CellsBegin(cells, row);
	for (uint32_t w = from / 32; w <= (to - 1) / 32; w++)
	{
		uint32_t	word = bits[w];

		if (w == from / 32)
			word &= UINT32_MAX << from % 32;
		if (w == (to - 1) / 32)
			word &= UINT32_MAX >> (31 - (to - 1) % 32);
		if (cells->j->spec->head.count_only)
			n += (uint32_t) __builtin_popcount(word);
		else
			AddWord(cells, range.from + 32 * w, word);
	}
	if (cells->j->spec->head.count_only)
		CountSet(cells, n, part.from == cells->self && (bits[from / 32] >> from % 32 & 1));
	CellsFlush(cells);
}
