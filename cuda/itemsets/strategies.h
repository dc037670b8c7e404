/*-------------------------------------------------------------------------
 *
 * strategies.h
 *	  The strategies of the GPU engine.
 *
 * Each mines the job on its devices and gives out what it finds.  They leave by
 * GpuFail() or GpuLeave() when something stops them, and say in job->strategy
 * what they did where that is another strategy than the one asked for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_STRATEGIES_H
#define FIM_STRATEGIES_H

#include "device.h"

extern FimResult DciMine(GpuJob *job);	/* gpuDCI, both ways */
extern FimResult GminerMine(GpuJob *job);	/* TFL and HIL */
extern FimResult TensorMineJob(GpuJob *job);	/* tensor, hil where it does not fit */
extern void TensorRelease(void);	/* to be called after it, also where it left */

#endif							/* FIM_STRATEGIES_H */
