/*-------------------------------------------------------------------------
 *
 * exact.h
 *	  P(S >= k) and E[S] between two fixed-point numbers, as close as it takes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EXACT_H
#define FIM_EXACT_H

#include "chances.h"
#include "workspace.h"

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
