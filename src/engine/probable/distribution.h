/*-------------------------------------------------------------------------
 *
 * distribution.h
 *	  The distribution of support, for all numbers of transactions that matter.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DISTRIBUTION_H
#define FIM_DISTRIBUTION_H

#include "chances.h"
#include "workspace.h"

/* P(S = first + i) is p[i], off by at most "error".  All other probabilities together are at most that. */
typedef struct FimDistribution
{
	uint64_t	first;
	uint32_t	count;
	const double *p;			/* [count]; lives until the workspace is used again */
	double		error;			/* below 10^-12 if that of the chances is 0 */
} FimDistribution;

/* There must be at least one transaction. */
extern FimResult FimDistributionOf(FimWorkspace *ws, const FimChances *chances,
								   FimDistribution *distribution);

#endif							/* FIM_DISTRIBUTION_H */
