/*-------------------------------------------------------------------------
 *
 * bounds_miner.h
 *	  A worker's share of the search for probable itemsets, depth first.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BOUNDS_MINER_H
#define FIM_BOUNDS_MINER_H

#include "miner.h"

/* Mines until no unit is left. */
extern void MineByBounds(ProbableMiner *m);

#endif							/* FIM_BOUNDS_MINER_H */
