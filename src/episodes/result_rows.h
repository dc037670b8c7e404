/*-------------------------------------------------------------------------
 *
 * result_rows.h
 *	  Turning episodes and counts into rows of the SQL function's result.
 *
 * Included by frequent_episodes.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_RESULT_ROWS_H
#define GPUFIM_EPISODES_RESULT_ROWS_H

#include "postgres.h"

#include "episodes/gaps.h"
#include "fmgr.h"
#include "itemset_rows.h"

/*
 * A sink for batches of episodes, which puts them into the function's tuplestore.  Its
 * functions may raise errors.  The memory that it needs counts as itemset_rows.h says.
 * The support of each type is the number of its events.
 */
extern ItemsetRows *EpisodeRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
									  const GpufimItems *types, const Gaps *gaps);

/* A row for every length that there are episodes of; counts[] begins with length 0. */
extern void PutEpisodeCounts(FunctionCallInfo fcinfo, const uint64 *counts, uint32 lengths);

#endif							/* GPUFIM_EPISODES_RESULT_ROWS_H */
