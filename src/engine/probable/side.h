/*-------------------------------------------------------------------------
 *
 * side.h
 *	  One side of the distribution of support, in double precision.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SIDE_H
#define FIM_SIDE_H

#include "chances.h"
#include "interval.h"
#include "workspace.h"

/* P(S >= k) if upper, otherwise P(S < k): the side that is beyond the mean. */
typedef struct FimSide
{
	bool		upper;
	FimInterval probability;
} FimSide;

/* For 1 <= k <= n. */
extern FimResult FimSideBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k, FimSide *side);

#endif							/* FIM_SIDE_H */
