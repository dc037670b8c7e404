/*-------------------------------------------------------------------------
 *
 * estimate.h
 *	  How many rows the planner should expect of a call.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ESTIMATE_H
#define GPUFIM_ESTIMATE_H

#include "postgres.h"

#include "fmgr.h"

/* What a support function of those that find pairs answers; the other support functions are in estimate.c. */
extern Datum EstimatePairs(PG_FUNCTION_ARGS);

#endif							/* GPUFIM_ESTIMATE_H */
