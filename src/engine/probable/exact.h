/*-------------------------------------------------------------------------
 *
 * exact.h
 *	  P(S >= k) and E[S] between fixed-point numbers, as near as it takes.
 *
 * Included by tail.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EXACT_H
#define FIM_EXACT_H

#include "chances.h"
#include "workspace.h"

/*
 * What is asked: whether a threshold is reached, unless it is NaN, and the nearest double, if value
 * is not NULL.  A middle of two doubles goes upward in both.
 */
typedef struct ExactQuestion
{
	double		threshold;
	bool	   *reaches;
	double	   *value;
} ExactQuestion;

/* For 1 <= k <= n. */
extern FimResult ExactTail(FimWorkspace *ws, const FimChances *chances, uint32_t k,
						   const ExactQuestion *question);
extern FimResult ExactMean(FimWorkspace *ws, const FimChances *chances, const ExactQuestion *question);

#endif							/* FIM_EXACT_H */
