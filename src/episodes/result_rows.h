/*-------------------------------------------------------------------------
 *
 * result_rows.h
 *	  Turning episodes and counts into rows of the SQL function's result.
 *
 * Included by the SQL functions of src/episodes that mine.
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

/* What episode_significance() says of an episode. */
typedef struct EpisodeTest
{
	bool		tested;			/* otherwise it has no p-values */
	double		expected;		/* the mean of its supports in surrogates */
	double		p_value;
	double		adjusted_p_value;
} EpisodeTest;

/*
 * Put an episode that has been tested into the function's tuplestore.  The sink is not
 * used then, but batches begin and end as they do there.
 */
extern void PutTestedEpisode(ItemsetRows *rows, const uint32_t *record, const EpisodeTest *test);

/* A row for every length that there are episodes of; counts[] begins with length 0. */
extern void PutEpisodeCounts(FunctionCallInfo fcinfo, const uint64 *counts, uint32 lengths);

#endif							/* GPUFIM_EPISODES_RESULT_ROWS_H */
