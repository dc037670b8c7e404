/*-------------------------------------------------------------------------
 *
 * best.c
 *	  The best partners of a value: those with the highest scores among the cells of its row.
 *
 * Of the cells that a row has met, it keeps the best ones in a heap, whose first one is the worst:
 * another cell has to be better than that one, and takes its place.  Most cells are turned away by their
 * witnesses and sizes alone, before a score is computed.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include <math.h>
#include <string.h>

/* The most bytes for the partners of the rows of a tile. */
#define MOST_BYTES		(UINT64_C(1) << 26)

/* An estimate of a cosine below this part of another one is below it. */
#define SURELY_BELOW	(1 - 1e-14)

/* The steps, as for JoinerWorked(), that sorting and writing a partner takes. */
#define SORT_STEPS		50

typedef struct Partner
{
	double		score;
	uint32_t	witnesses;
	uint32_t	right;			/* by rank */
} Partner;

struct Best
{
	Joiner	   *j;
	Range		rows;
	uint32_t	most;			/* partners of a row */
	uint32_t   *n;				/* [rows] partners that each has */
	Partner    *partner;		/* [rows][most]; NULL if they are only counted */
};

/* The most partners that a row has. */
static uint32_t
MostPartners(const FimSetsSpec *spec, const Product *product)
{
	uint32_t	others = product->right.nvalues > 1 ? product->right.nvalues - 1 : 1;

	return spec->most_partners < others ? spec->most_partners : others;
}

uint32_t
BestRows(const FimSetsSpec *spec, const Product *product, uint32_t rows)
{
	uint64_t	room = MOST_BYTES / (sizeof(Partner) * MostPartners(spec, product));

	return rows < room ? rows : (uint32_t) room;
}

Best *
BestNew(Joiner *j, uint32_t rows)
{
	Best	   *best = ArenaAlloc(&j->arena, sizeof(Best));

	best->j = j;
	best->most = MostPartners(j->spec, &j->product);
	best->n = ArenaAlloc(&j->arena, sizeof(uint32_t) * rows);
	best->partner = j->spec->head.count_only ? NULL : ArenaAlloc(&j->arena, sizeof(Partner) * best->most * rows);
	return best;
}

static Partner *
PartnersOf(const Best *best, uint32_t row)
{
	return best->partner + (size_t) best->most * (row - best->rows.from);
}

void
BestBegin(Best *best, Range rows)
{
	best->rows = rows;
	for (uint32_t i = 0; i < rows.to - rows.from; i++)
		best->n[i] = 0;
}

/* The order that results have.  It does not depend on ranks, or on the order in which cells are met. */
static bool
IsBetter(const Best *best, Partner a, Partner b)
{
	const uint32_t *value = best->j->product.right.value;

	if (a.score != b.score)
		return a.score > b.score;
	if (a.witnesses != b.witnesses)
		return a.witnesses > b.witnesses;
	return value[a.right] < value[b.right];
}

/* Put a partner where it belongs in a heap of n, from its first place on, which is free. */
static void
SinkIn(const Best *best, Partner *heap, uint32_t n, Partner partner)
{
	uint32_t	at = 0;

	for (uint64_t child = 1; child < n; child = 2 * (uint64_t) at + 1)
	{
		if (child + 1 < n && IsBetter(best, heap[child], heap[child + 1]))
			child++;
		if (!IsBetter(best, partner, heap[child]))
			break;
		heap[at] = heap[child];
		at = (uint32_t) child;
	}
	heap[at] = partner;
}

/* The same from its last place on. */
static void
RiseIn(const Best *best, Partner *heap, uint32_t n, Partner partner)
{
	uint32_t	at = n - 1;

	for (; at > 0 && IsBetter(best, heap[(at - 1) / 2], partner); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = partner;
}

/*
 * Whether a cell is surely worse than the worst partner of a row.  It is if it has fewer witnesses, and its set is not
 * smaller, by any measure.
 */
static bool
IsWorse(const Best *best, uint32_t size, uint32_t witnesses, uint32_t other, const Partner *worst)
{
	if (witnesses < worst->witnesses && other >= SideLength(&best->j->product.right, worst->right))
		return true;
	return best->j->spec->measure == FIM_COSINE &&
		witnesses / (sqrt((double) size) * sqrt((double) other)) < worst->score * SURELY_BELOW;
}

void
BestAdd(Best *best, uint32_t row, uint32_t right, uint32_t witnesses)
{
	const Product *p = &best->j->product;
	uint32_t   *n = &best->n[row - best->rows.from];
	uint32_t	size = SideLength(&p->left, row);
	uint32_t	other = SideLength(&p->right, right);
	Partner		partner = {.witnesses = witnesses,.right = right};
	Partner    *heap;

	if (best->partner == NULL)
	{
		*n += *n < best->most;
		return;
	}
	heap = PartnersOf(best, row);
	if (*n == best->most && IsWorse(best, size, witnesses, other, heap))
		return;
	partner.score = ScoreOf(best->j->spec, witnesses, size, other);
	if (*n < best->most)
		RiseIn(best, heap, ++*n, partner);
	else if (IsBetter(best, partner, *heap))
		SinkIn(best, heap, *n, partner);
}

/* Turn a heap into a list, the best one first. */
static void
SortHeap(const Best *best, Partner *heap, uint32_t n)
{
	while (n-- > 1)
	{
		Partner		worst = *heap;

		SinkIn(best, heap, n, heap[n]);
		heap[n] = worst;
	}
}

/* Write a list of partners of a row. */
static void
WritePartners(Best *best, uint32_t row, const Partner *list, uint32_t n)
{
	Joiner	   *j = best->j;
	uint32_t	first = 0;

	while (first < n)
	{
		uint32_t	now = JoinerRoom(j, n - first);
		uint32_t   *record = j->batch + j->nwords;

		if (now == 0)
		{
			JoinerFlush(j);
			continue;
		}
		*record++ = j->product.left.value[row];
		*record++ = now;
		for (uint32_t i = 0; i < now; i++)
			*record++ = j->product.right.value[list[first + i].right];
		for (uint32_t i = 0; i < now && j->spec->witnesses; i++)
			*record++ = list[first + i].witnesses;
		for (uint32_t i = 0; i < now; i++, record += 2)
			memcpy(record, &list[first + i].score, sizeof(double));
		*record = first;
		j->nwords += FimSetsRecordWords(j->spec, now);
		j->nresults += now;
		first += now;
	}
}

void
BestEnd(Best *best)
{
	for (uint32_t row = best->rows.from; row < best->rows.to; row++)
	{
		uint32_t	n = best->n[row - best->rows.from];

		JoinerCount(best->j, n);
		if (best->partner == NULL)
			continue;
		SortHeap(best, PartnersOf(best, row), n);
		WritePartners(best, row, PartnersOf(best, row), n);
		JoinerWorked(best->j, SORT_STEPS * (uint64_t) n);
	}
}
