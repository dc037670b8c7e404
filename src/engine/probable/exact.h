/*-------------------------------------------------------------------------
 *
 * exact.h
 *	  P(S >= k) and E[S] between two fixed-point numbers, as close as it takes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EXACT_H
#define FIM_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "chances.h"
#include "workspace.h"

/*
 * Fixed-point numbers of any width, rounded down.
 *
 * A number has "limbs" words of 64 bits, the least significant first.  The last one is its whole part,
 * the others are the fraction.
 */

/* Convert x, which is at least 0 and below 2^63, rounded down.  Returns whether that is exact. */
extern bool FixedFrom(double x, uint64_t *to, uint32_t limbs);

/* The number of fraction bits that it takes to hold x. */
extern uint32_t FixedBits(double x);
extern int	FixedCompare(const uint64_t *a, const uint64_t *b, uint32_t limbs);

/* a += b; a -= b for a >= b; a /= 2, rounded down. */
extern void FixedAdd(uint64_t *a, const uint64_t *b, uint32_t limbs);
extern void FixedSubtract(uint64_t *a, const uint64_t *b, uint32_t limbs);

/*
 * to = a * b, for a and b up to 1, rounded down; scratch[2 * limbs].  Returns whether that
 * is exact.  Takes less time the fewer words of b are not 0.  to may be a or b.
 */
extern bool FixedMultiply(uint64_t *to, const uint64_t *a, const uint64_t *b, uint32_t limbs,
						  uint64_t *scratch);

/* The nearest double; upward if it is the middle of two. */
extern double FixedNearest(const uint64_t *a, uint32_t limbs);

/*
 * What is asked: whether a threshold is reached, unless it is NaN, and the nearest double, unless
 * value is NULL.  In both, the middle of two doubles is rounded upward.
 */
typedef struct ExactQuestion
{
	double		threshold;
	bool	   *reaches;
	double	   *value;
} ExactQuestion;

/* Answer a question about P(S >= k), for 1 <= k <= n, or about E[S]. */
extern FimResult ExactTail(FimWorkspace *ws, const FimChances *chances, uint32_t k,
						   const ExactQuestion *question);
extern FimResult ExactMean(FimWorkspace *ws, const FimChances *chances, const ExactQuestion *question);

#endif							/* FIM_EXACT_H */
