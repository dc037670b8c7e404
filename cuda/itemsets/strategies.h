/*-------------------------------------------------------------------------
 *
 * strategies.h
 *	  The strategies that mine itemsets on devices.
 *
 * Each mines the job on its team and gives out what it finds.  If something stops it,
 * it leaves by JobLeave().  If it mines with another strategy than the one asked for,
 * it says so in team.strategy.
 *
 * Included by itemsets.c, which chooses one, and by the strategies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_STRATEGIES_H
#define FIM_STRATEGIES_H

#include "itemsets/itemset_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

extern void DciMine(ItemsetJob *job);	/* gpuDCI, in both ways */
extern void GminerMine(ItemsetJob *job);	/* TFL and HIL */
extern void TensorMineJob(ItemsetJob *job); /* tensor, or HIL where that does not fit */

/* To be called at the end of every job: gives back what tensor holds, if it mined. */
extern void TensorRelease(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_STRATEGIES_H */
