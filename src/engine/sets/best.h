/*-------------------------------------------------------------------------
 *
 * best.h
 *	  The best partners of some values, chosen from cells that come in any order.
 *
 * A row is a left value, and a cell of it a right one with keys in common, both by rank.  If one relation is both
 * sides, no value is its own partner, and its own cell must not be added.  The CPU engine adds all other cells of a
 * row, and a GPU those that may be among the best ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BEST_H
#define FIM_SETS_BEST_H

#include <math.h>

#include "sets.h"

typedef struct Partner
{
	double		score;			/* by RoughScoreOf() */
	uint32_t	witnesses;
	uint32_t	right;			/* by rank */
} Partner;

/*
 * What a cell needs to be a partner of a row that has as many as it may have, or whose partners must reach a threshold:
 * it needs not be enough.
 */
typedef struct PartnerBound
{
	uint32_t	witnesses;		/* at least as many as the worst partner has, or 0, ... */
	uint32_t	size;			/* ... unless its set is smaller than that one's */
	bool		squared;		/* its witnesses, or their square, ... */
	double		base;			/* ... must be at least base + slope * the size of its set */
	double		slope;
} PartnerBound;

typedef struct Best
{
	const FimSetsSpec *spec;
	const uint64_t *left_start; /* [left ranks + 1] where the keys of each begin */
	const uint32_t *left_value; /* [left ranks] the caller's number of each */
	const uint64_t *start;		/* the same of right ranks */
	const uint32_t *value;
	uint32_t	most;			/* partners of a row */
	uint32_t	first;			/* the first row */
	uint32_t   *n;				/* [rows] partners that each has */
	Partner    *partner;		/* [rows][most]; NULL if they are only counted */

	/* the row at hand */
	uint32_t	row;
	uint32_t	size;
	uint32_t   *found;			/* its place in n[] */
	Partner    *heap;			/* its partners, the worst one first */
	PartnerBound bound;
} Best;

/* The most partners that a row of the data can have. */
extern uint32_t MostPartners(const FimSetsSpec *spec, const FimSetsData *data);

/* What is needed for partners from the data, without room for them: the caller sets n and partner. */
extern Best BestOf(const FimSetsSpec *spec, const FimSetsData *data);

/* Begins some rows, for whose partners there is room, and turns to the first one. */
extern void BestBegin(Best *best, uint32_t first, uint32_t rows);
extern void BestTurnTo(Best *best, uint32_t row);

/* Adds a cell to the row at hand, if it is one of the best that the row has met. */
extern void BestAdd(Best *best, uint32_t right, uint32_t witnesses);

/* Returns the partners of the row at hand, the best one first, and sets *n to their number.  No cell can be added any more. */
extern const Partner *BestEnd(Best *best, uint32_t *n);

/* Makes a record of n partners of the row at hand, of which the first is number "first". */
extern void BestRecord(const Best *best, const Partner *list, uint32_t first, uint32_t n, uint32_t *record);

static inline uint32_t
BestSizeOf(const Best *best, uint32_t right)
{
	return (uint32_t) (best->start[right + 1] - best->start[right]);
}

/* Whether a cell may be one of the row's best partners, of those that it has met, and not below the threshold. */
static inline bool
BestMayTake(const Best *best, uint32_t right, uint32_t witnesses)
{
	const PartnerBound *bound = &best->bound;
	uint32_t	size = BestSizeOf(best, right);
	double		needs = bound->base + bound->slope * size;

	if (witnesses < bound->witnesses && size >= bound->size)
		return false;
	return (bound->squared ? (double) witnesses * witnesses : (double) witnesses) >= needs;
}

/*
 * The witnesses that a cell needs at least, if its rank is not above "right".  Sets of such ranks are not smaller, so it needs no
 * fewer than a cell of that rank.
 */
static inline uint32_t
BestLeast(const Best *best, uint32_t right)
{
	const PartnerBound *bound = &best->bound;
	uint32_t	size = BestSizeOf(best, right);
	double		needs = bound->base + bound->slope * size;
	double		least = needs > 0 && bound->squared ? sqrt(needs) : needs;

	if (size >= bound->size && least < bound->witnesses)
		return bound->witnesses;
	if (least <= 1)
		return 1;
	/* rounded up, since witnesses are whole numbers */
	return least < UINT32_MAX ? (uint32_t) least + ((uint32_t) least < least) : UINT32_MAX;
}

/* Whether good partners are rather found among small sets, by the measure; otherwise, rather among large ones. */
static inline bool
BestAreRare(const Best *best)
{
	return best->spec->measure != FIM_CONTAINMENT && best->spec->measure != FIM_LEVERAGE;
}

#endif							/* FIM_SETS_BEST_H */
