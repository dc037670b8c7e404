/*-------------------------------------------------------------------------
 *
 * best.c
 *	  The best partners of a value: those with the highest scores among the cells of its row.
 *
 * Of the cells that a row has met, it keeps the best ones in a heap, whose first one is the worst:
 * another cell has to be better than that one, and takes its place.  Most cells are turned away by a bound
 * of their witnesses, before a score is computed; and scores are computed exactly only for the partners that
 * are left in the end, and where rough ones leave open which one is better.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"
#include "measure.h"

#include <math.h>
#include <string.h>

/* The most bytes for the partners of the rows of a tile. */
#define MOST_BYTES		(UINT64_C(1) << 26)

/* What a bound is lowered by, as a part of itself: far more than the errors of computing it. */
#define SLACK			1e-12

/* The steps, as for JoinerWorked(), that sorting and writing a partner takes. */
#define SORT_STEPS		50

/* The most partners that a row has. */
static uint32_t
MostPartners(const FimSetsSpec *spec, const Product *product)
{
	uint32_t	self = product->data->one ? 1 : 0;
	uint32_t	others = product->right.nvalues > self ? product->right.nvalues - self : 1;

	return spec->most_partners < others ? spec->most_partners : others;
}

bool
BestHasRoom(const FimSetsSpec *spec, const Product *product, uint32_t rows)
{
	return sizeof(Partner) * (uint64_t) MostPartners(spec, product) * rows <= MOST_BYTES;
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

static uint32_t
SizeOf(const Best *best, Partner partner)
{
	return SideLength(&best->j->product.right, partner.right);
}

/* Is a cell similar enough to be a partner of the row at hand? */
static bool
IsSimilarEnough(const Best *best, uint32_t right, uint32_t witnesses)
{
	const FimSetsSpec *spec = best->j->spec;
	uint32_t	size = SideLength(&best->j->product.right, right);
	double		score;

	if (spec->threshold == 0)
		return true;
	score = RoughScoreOf(spec, witnesses, best->size, size);
	if (fabs(score - spec->threshold) <= 2 * SCORE_ERROR * spec->threshold)
		score = ScoreOf(spec, witnesses, best->size, size);
	return score >= spec->threshold;
}

static double
ExactScore(const Best *best, Partner partner)
{
	return ScoreOf(best->j->spec, partner.witnesses, best->size, SizeOf(best, partner));
}

/* Which one has the higher score: 1 if it is a, -1 if it is b, 0 if neither has. */
static int
CompareScores(const Best *best, Partner a, Partner b)
{
	double		difference = a.score - b.score;

	if (fabs(difference) <= 2 * SCORE_ERROR * fabs(a.score) && best->j->spec->measure == FIM_COSINE)
	{
		if (a.witnesses == b.witnesses && SizeOf(best, a) == SizeOf(best, b))
			return 0;
		difference = ExactScore(best, a) - ExactScore(best, b);
	}
	return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/* The order that results have.  It does not depend on ranks, or on the order in which cells are met. */
static bool
IsBetter(const Best *best, Partner a, Partner b)
{
	const uint32_t *value = best->j->product.right.value;
	int			higher = CompareScores(best, a, b);

	if (higher != 0)
		return higher > 0;
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
 * Set the bound by the worst partner of the row at hand, if the row has as many as it may have, and otherwise by the
 * threshold.  With fewer witnesses, and a set that is not smaller, a cell is worse than the worst partner by any measure.  For most measures, the score that it has to reach also
 * needs a number of witnesses that is linear in the size of its set, or whose square is.
 */
static void
SetBound(Best *best)
{
	const FimSetsSpec *spec = best->j->spec;
	PartnerBound bound = {.squared = spec->measure == FIM_COSINE};
	double		size = best->size;
	double		all = (double) spec->transactions;
	bool		full = best->heap != NULL && *best->found == best->most;

	if (full || spec->threshold > 0)
	{
		double		score = full ? best->heap->score : spec->threshold;

		if (full)
		{
			bound.witnesses = best->heap->witnesses;
			bound.size = SizeOf(best, *best->heap);
		}
		if (spec->measure == FIM_JACCARD)
		{
			bound.slope = score / (1 + score);
			bound.base = bound.slope * size;
		}
		else if (spec->measure == FIM_COSINE)
			bound.slope = score * score * size;
		else if (spec->measure == FIM_CONTAINMENT)
			bound.base = score * size;
		else if (spec->measure == FIM_LIFT)
			bound.slope = score * size / all;
		else if (spec->measure == FIM_LEVERAGE)
		{
			bound.slope = size / all;
			bound.base = score * all;
		}
		else if (spec->measure == FIM_LOG_LIKELIHOOD_RATIO && score >= 0)
			bound.slope = size / all;
		bound.slope -= SLACK * bound.slope;
		bound.base -= SLACK * fabs(bound.base);
	}
	best->bound = bound;
}

void
BestTurnTo(Best *best, uint32_t row)
{
	best->size = SideLength(&best->j->product.left, row);
	best->found = &best->n[row - best->rows.from];
	best->heap = best->partner == NULL ? NULL : PartnersOf(best, row);
	SetBound(best);
}

/*
 * Whether G2 is surely below the worst partner's, without a logarithm: since log(x) is at most x - 1, half of it is at most
 * Pearson's chi-squared, which is the square of what there is more than expected by a product of the margins.
 */
static bool
IsTooLikely(const Best *best, uint32_t right, uint32_t witnesses)
{
	double		all = (double) best->j->spec->transactions;
	double		size = best->size;
	double		other = SideLength(&best->j->product.right, right);
	double		more = witnesses - size * other / all;

	return 2 * more * more * all * all * all / (size * (all - size)) <
		(1 - SLACK) * best->heap->score * other * (all - other);
}

void
BestAdd(Best *best, uint32_t right, uint32_t witnesses)
{
	Partner		partner = {.witnesses = witnesses,.right = right};

	if (!IsSimilarEnough(best, right, witnesses))
		return;
	if (best->heap == NULL)
	{
		*best->found += *best->found < best->most;
		return;
	}
	if (best->j->spec->measure == FIM_LOG_LIKELIHOOD_RATIO && *best->found == best->most &&
		IsTooLikely(best, right, witnesses))
		return;
	partner.score = RoughScoreOf(best->j->spec, witnesses, best->size, SizeOf(best, partner));
	if (*best->found < best->most)
		RiseIn(best, best->heap, ++*best->found, partner);
	else if (IsBetter(best, partner, *best->heap))
		SinkIn(best, best->heap, *best->found, partner);
	else
		return;
	SetBound(best);
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
		{
			double		score = ExactScore(best, list[first + i]);

			memcpy(record, &score, sizeof(double));
		}
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
		BestTurnTo(best, row);
		SortHeap(best, PartnersOf(best, row), n);
		WritePartners(best, row, PartnersOf(best, row), n);
		JoinerWorked(best->j, SORT_STEPS * (uint64_t) n);
	}
}
