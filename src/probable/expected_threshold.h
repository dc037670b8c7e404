/*-------------------------------------------------------------------------
 *
 * expected_threshold.h
 *	  The expected support that a user's "minsup" means.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EXPECTED_THRESHOLD_H
#define GPUFIM_EXPECTED_THRESHOLD_H

#include "postgres.h"

/*
 * The same as FimThreshold() (engine/minsup.h), but not rounded up: of 10 transactions,
 * 0.25 means 2.5.
 */
extern double ExpectedThreshold(double minsup, int64 transactions);

#endif							/* GPUFIM_EXPECTED_THRESHOLD_H */
