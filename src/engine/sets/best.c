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
#include "best.h"
#include "measure.h"

#include <math.h>
#include <string.h>

/* What a bound is lowered by, as a part of itself: far more than the errors of computing it. */
#define SLACK			1e-12

uint32_t
MostPartners(const FimSetsSpec *spec, const FimSetsData *data)
{
	uint32_t	self = data->one ? 1 : 0;
	uint32_t	others = data->right.nvalues > self ? data->right.nvalues - self : 1;

	return spec->most_partners < others ? spec->most_partners : others;
}

Best
BestOf(const FimSetsSpec *spec, const FimSetsData *data)
{
	return (Best) {
		.spec = spec,
		.left_start = FIM_SETS_STARTS(data, &data->left),
		.left_value = FIM_SETS_VALUES(data, &data->left),
		.start = FIM_SETS_STARTS(data, &data->right),
		.value = FIM_SETS_VALUES(data, &data->right),
		.most = MostPartners(spec, data)
	};
}

static uint32_t
SizeOf(const Best *best, Partner partner)
{
	return BestSizeOf(best, partner.right);
}

/* Is a cell similar enough to be a partner of the row at hand? */
static bool
IsSimilarEnough(const Best *best, uint32_t right, uint32_t witnesses)
{
	const FimSetsSpec *spec = best->spec;
	uint32_t	size = BestSizeOf(best, right);
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
	return ScoreOf(best->spec, partner.witnesses, best->size, SizeOf(best, partner));
}

/* Which one has the higher score: 1 if it is a, -1 if it is b, 0 if neither has. */
static int
CompareScores(const Best *best, Partner a, Partner b)
{
	double		difference = a.score - b.score;

	if (fabs(difference) <= 2 * SCORE_ERROR * fabs(a.score) && best->spec->measure == FIM_COSINE)
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
	const uint32_t *value = best->value;
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
 * threshold.  With fewer witnesses, and a set that is not smaller, a cell is worse than the worst partner by any
 * measure.  For most measures, the score that it has to reach also needs a number of witnesses that is linear in the
 * size of its set, or whose square is.
 */
static void
SetBound(Best *best)
{
	const FimSetsSpec *spec = best->spec;
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
BestBegin(Best *best, uint32_t first, uint32_t rows)
{
	best->first = first;
	memset(best->n, 0, sizeof(uint32_t) * rows);
	BestTurnTo(best, first);
}

void
BestTurnTo(Best *best, uint32_t row)
{
	best->row = row;
	best->size = (uint32_t) (best->left_start[row + 1] - best->left_start[row]);
	best->found = &best->n[row - best->first];
	best->heap = best->partner == NULL ? NULL : best->partner + (size_t) best->most * (row - best->first);
	SetBound(best);
}

/*
 * Whether G2 is surely below the worst partner's, without a logarithm: since log(x) is at most x - 1, half of it is at most
 * Pearson's chi-squared, which is the square of what there is more than expected by a product of the margins.
 */
static bool
IsTooLikely(const Best *best, uint32_t right, uint32_t witnesses)
{
	double		all = (double) best->spec->transactions;
	double		size = best->size;
	double		other = BestSizeOf(best, right);
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
	if (best->spec->measure == FIM_LOG_LIKELIHOOD_RATIO && *best->found == best->most &&
		IsTooLikely(best, right, witnesses))
		return;
	partner.score = RoughScoreOf(best->spec, witnesses, best->size, SizeOf(best, partner));
	if (*best->found < best->most)
		RiseIn(best, best->heap, ++*best->found, partner);
	else if (IsBetter(best, partner, *best->heap))
		SinkIn(best, best->heap, *best->found, partner);
	else
		return;
	SetBound(best);
}

const Partner *
BestEnd(Best *best, uint32_t *n)
{
	*n = *best->found;
	for (uint32_t last = *n; best->heap != NULL && last-- > 1;)
	{
		Partner		worst = *best->heap;

		SinkIn(best, best->heap, last, best->heap[last]);
		best->heap[last] = worst;
	}
	return best->heap;
}

void
BestRecord(const Best *best, const Partner *list, uint32_t first, uint32_t n, uint32_t *record)
{
	*record++ = best->left_value[best->row];
	*record++ = n;
	for (uint32_t i = 0; i < n; i++)
		*record++ = best->value[list[first + i].right];
	for (uint32_t i = 0; i < n && best->spec->witnesses; i++)
		*record++ = list[first + i].witnesses;
	for (uint32_t i = 0; i < n; i++, record += 2)
	{
		double		score = ExactScore(best, list[first + i]);

		memcpy(record, &score, sizeof(double));
	}
	*record = first;
}
