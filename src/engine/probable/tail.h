/*-------------------------------------------------------------------------
 *
 * tail.h
 *	  The probability that support reaches a threshold, P(S >= k).
 *
 * doc/probable_numbers.md describes the method and proves its error bounds.
 *
 * Included by the engines of this family.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TAIL_H
#define FIM_TAIL_H

#include "chances.h"
#include "interval.h"
#include "rules.h"
#include "workspace.h"

/*
 * An interval that holds P(S >= k), for any k, in double precision.  With error 0 and up to
 * ten million transactions it is narrower than 10^-12, and than 10^-9 of itself if it is not
 * below 10^-100.
 */
extern FimResult FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k,
								FimInterval *tail);

/* Of lists up to this length the nearest double is given as the value. */
#define FIM_FEW_TRANSACTIONS	128

/* How far a value that is not the nearest double is below the truth at most, and in proportion, unless it is tiny. */
#define FIM_VALUE_ERROR	1e-12
#define FIM_VALUE_PART	1e-9
#define FIM_VALUE_TINY	1e-100

/* Is an interval so narrow that its lower bound can be the value? */
static inline bool
FimTellsValue(FimInterval interval)
{
	double		width = interval.high - interval.low;

	return width <= FIM_VALUE_ERROR && (width <= FIM_VALUE_PART * interval.low || interval.high < FIM_VALUE_TINY);
}

/* A real number x and a threshold t: x reaches t if its nearest double, upward if x is the middle of two, does. */
typedef struct FimSettled
{
	bool		reaches;
	double		value;			/* the nearest double, or a lower bound of the number */
	FimProbableRule rule;		/* what decided: convolution, double-double or exact */
} FimSettled;

/*
 * Whether P(S >= k) reaches the threshold, which is always decided rightly; NaN for none.  Without
 * want_value, the value is the lower bound that was found on the way.  With it, it is the nearest
 * double in lists of few transactions and where that came to light, and otherwise a lower bound as
 * near as FimTailBracket()'s, even if p has an error.  In any case P(S >= k) reaches the value.
 */
extern FimResult FimTailSettle(FimWorkspace *ws, const FimChances *chances, uint32_t k,
							   double threshold, bool want_value, FimSettled *settled);

/* The same of the expected support; the value is right to 10^-15 of it. */
extern FimResult FimExpectationSettle(FimWorkspace *ws, const FimChances *chances, double threshold,
									  FimSettled *settled);

#endif							/* FIM_TAIL_H */
