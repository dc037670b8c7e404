/*-------------------------------------------------------------------------
 *
 * episode_significance.h
 *	  The SQL function episode_significance().
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODE_SIGNIFICANCE_H
#define GPUFIM_EPISODE_SIGNIFICANCE_H

#include "engine/episodes/episodes.h"
#include "fmgr.h"
#include "postgres.h"
#include "results.h"
#include "work/job.h"

extern Datum gpufim_episode_significance(PG_FUNCTION_ARGS);

#endif							/* GPUFIM_EPISODE_SIGNIFICANCE_H */
