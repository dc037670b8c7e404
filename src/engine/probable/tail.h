/*-------------------------------------------------------------------------
 *
 * tail.h
 *	  The probability that support reaches a threshold, P(S >= k).
 *
 * doc/probable_numbers.md describes the method and proves its error bounds.
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
 * An interval that holds P(S >= k), for any k, in double precision.  If the chances have error
 * 0, and for up to ten million transactions, its width is below 10^-12 and, unless P(S >= k) is
 * below 10^-100, below 10^-9 of P(S >= k).
 */
extern FimResult FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k,
								FimInterval *tail);

/* For lists up to this length the value is the nearest double. */
#define FIM_FEW_TRANSACTIONS	128

/*
 * A value that is not the nearest double is below the truth by at most FIM_VALUE_ERROR and,
 * unless it is below FIM_VALUE_TINY, by at most FIM_VALUE_PART of it.
 */
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

/*
 * The comparison of a real number with a threshold.  The number reaches the threshold if its
 * nearest double does; the middle of two doubles is rounded upward.
 */
typedef struct FimSettled
{
	bool		reaches;
	double		value;			/* the nearest double, or a lower bound of the number */
	FimProbableRule rule;		/* what decided: convolution, double-double or exact */
} FimSettled;

/*
 * Decide whether P(S >= k) reaches the threshold, which is always done rightly; NaN for no
 * threshold.  Without want_value, the value is the lower bound that was found on the way.  With
 * it, the value is the nearest double for lists of few transactions and where that came to light,
 * and otherwise a lower bound as tight as that of FimTailBracket() with error 0, even if p has an
 * error.  In any case P(S >= k) reaches the value.
 */
extern FimResult FimTailSettle(FimWorkspace *ws, const FimChances *chances, uint32_t k,
							   double threshold, bool want_value, FimSettled *settled);

/* The same for the expected support.  The value has a relative error of at most 10^-15. */
extern FimResult FimExpectationSettle(FimWorkspace *ws, const FimChances *chances, double threshold,
									  FimSettled *settled);

#endif							/* FIM_TAIL_H */
