/*-------------------------------------------------------------------------
 *
 * result_rows.h
 *	  Turning episodes and counts into rows of the SQL function's result.
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
 * A sink for batches of episodes, which puts them into the function's tuplestore.  Its functions
 * may raise errors.  Its memory counts as itemset_rows.h says.  The "support" of each of the
 * types is the number of its events.
 */
extern ItemsetRows *EpisodeRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
									  const GpufimItems *types, const Gaps *gaps);

/* What episode_significance() says of an episode. */
typedef struct EpisodeTest
{
	bool		tested;			/* if false, there are no p-values */
	double		expected;		/* the mean of its supports in surrogates */
	double		p_value;
	double		adjusted_p_value;
} EpisodeTest;

/*
 * Put an episode of episode_significance() into the function's tuplestore; "record" is the
 * engine's record of it. The caller does not use the sink, but begins and ends batches with
 * ItemsetRowsBeginBatch() and ItemsetRowsEndBatch().
 */
extern void PutTestedEpisode(ItemsetRows *rows, const uint32_t *record, const EpisodeTest *test);

/* Put out one row for every length at which there are episodes; counts[] begins with length 0. */
extern void PutEpisodeCounts(FunctionCallInfo fcinfo, const uint64 *counts, uint32 lengths);

#endif							/* GPUFIM_EPISODES_RESULT_ROWS_H */
