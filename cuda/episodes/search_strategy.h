/*-------------------------------------------------------------------------
 *
 * search_strategy.h
 *	  What the level-wise search asks of a strategy: to count batches of candidates.
 *
 * Included by search.h and section_sums.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SEARCH_STRATEGY_H
#define FIM_GPU_SEARCH_STRATEGY_H

#include "episodes/level.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates that are counted together, in the order of level.h. */
#define BATCH_ROOM	(1u << 18)

typedef struct CandidateBatch
{
	const Levels *levels;		/* the last one has the candidates' prefixes and suffixes */
	bool		extended;		/* those that are frequent will be extended in their turn */
	uint32_t	n;
	uint32_t   *prefix;			/* [BATCH_ROOM] */
	uint32_t   *suffix;
	uint32_t   *gap;
	uint32_t   *type;
	uint32_t   *support;		/* to be filled in; below job->least it need not be right */

	/*
	 * The first moment at which each one's next occurrence may begin, to be brought up to
	 * date with the support.  NULL: occurrences may begin anywhere.
	 */
	uint32_t   *free;
} CandidateBatch;

/* What a strategy does with the section that is on the devices.  "of" is the strategy's own. */
typedef struct SearchStrategy
{
	/*
	 * Upper bounds of the supports of pairs of types, [ntypes][ngaps][ntypes] by first
	 * type, gap and second type, or NULL, if so many types are frequent.  May be NULL.
	 */
	cudaError_t (*bound_pairs) (EpisodesJob *job, void *of, uint32_t nfrequent, uint32_t **bounds);

	cudaError_t (*count) (EpisodesJob *job, void *of, CandidateBatch *batch);

	/* All candidates of a level have been counted: the next ones are one event longer.  May be NULL. */
	cudaError_t (*end_level) (EpisodesJob *job, void *of);
} SearchStrategy;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SEARCH_STRATEGY_H */
