/*-------------------------------------------------------------------------
 *
 * episode_significance.h
 *	  The SQL function episode_significance().
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODE_SIGNIFICANCE_H
#define GPUFIM_EPISODE_SIGNIFICANCE_H

#include "postgres.h"

#include "fmgr.h"

extern Datum gpufim_episode_significance(PG_FUNCTION_ARGS);

#endif							/* GPUFIM_EPISODE_SIGNIFICANCE_H */
