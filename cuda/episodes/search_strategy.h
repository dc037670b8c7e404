/*-------------------------------------------------------------------------
 *
 * search_strategy.h
 *	  What the level-wise search asks of a strategy: to count batches of candidates.
 *
 * Included by search.h, section_sums.h, shares.h, pairs.h and pairs_device.h.
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

/* Candidates that begin with the same episode, and end with episodes that follow each other in their level. */
typedef struct CandidateRun
{
	uint32_t	first;			/* candidate of the batch; the next run's first one is the end */
	uint32_t	prefix;
	uint32_t	suffix;			/* of the first one */
	uint32_t	gap;			/* before the last type; GPU_NONE: the one that the suffix has there */
} CandidateRun;

/* Candidates that are counted together, in the order of level.h. */
#define BATCH_ROOM	(1u << 17)

typedef struct CandidateBatch
{
	const Levels *levels;		/* the last one but one has the candidates' prefixes and suffixes */
	bool		extended;		/* those that are frequent will be extended in their turn */
	uint32_t	n;
	CandidateRun *run;			/* [nruns] of BATCH_ROOM */
	uint32_t	nruns;

	/* to be filled in: those whose support is not below job->least, ascending, and of these the support */
	uint32_t	nfound;
	uint32_t   *found;			/* [nfound] of BATCH_ROOM */
	uint32_t   *support;		/* [BATCH_ROOM] */

	/*
	 * The first moment at which each one's next occurrence may begin, to be brought up to
	 * date with the support.  NULL: occurrences may begin anywhere.
	 */
	uint32_t   *free;
} CandidateBatch;

static inline uint32_t
EndOfRun(const CandidateBatch *batch, uint32_t run)
{
	return run + 1 < batch->nruns ? batch->run[run + 1].first : batch->n;
}

/* The level that has the candidates' prefixes and suffixes. */
static inline const Level *
LevelOfBatch(const CandidateBatch *batch)
{
	return &batch->levels->level[batch->levels->n - 2];
}

/* A candidate by its prefix and what it has more. */
typedef struct Candidate
{
	uint32_t	prefix;
	uint32_t	gap;
	uint32_t	type;
} Candidate;

/* A candidate of the batch.  *run is a run up to its own, at first 0, and becomes its own. */
static inline Candidate
CandidateAt(const CandidateBatch *batch, uint32_t c, uint32_t *run)
{
	const Level *level = LevelOfBatch(batch);
	const CandidateRun *of;
	uint32_t	suffix;

	while (EndOfRun(batch, *run) <= c)
		++*run;
	of = &batch->run[*run];
	suffix = of->suffix + c - of->first;
	return (Candidate) {of->prefix, of->gap != GPU_NONE ? of->gap : level->gap[suffix], level->type[suffix]};
}

/* Where all candidates have a support, choose those found. */
static inline void
ChooseFound(CandidateBatch *batch, uint64_t least)
{
	batch->nfound = 0;
	for (uint32_t c = 0; c < batch->n; c++)
	{
		batch->found[batch->nfound] = c;
		batch->nfound += batch->support[c] >= least;
	}
}

/*
 * An upper bound of the support of a pair of types under a gap, whose number is
 * (first type * ngaps + gap) * ntypes + second type.
 */
typedef struct PairBound
{
	uint32_t	pair;
	uint32_t	bound;
	uint32_t	at;				/* where its list begins among those of all pairs, in entries, if they are made */
} PairBound;

typedef struct PairBounds
{
	bool		known;
	uint32_t	n;
	PairBound  *bound;			/* [n] pairs ascend; those left out are below job->least; NULL if not known */
} PairBounds;

/* What a strategy does with the section that is on the devices.  "of" is the strategy's own. */
typedef struct SearchStrategy
{
	/*
	 * Upper bounds of the supports of pairs of types, if so many types are frequent.  Host memory
	 * is taken for them.  May be NULL.
	 */
	cudaError_t (*bound_pairs) (EpisodesJob *job, void *of, uint32_t nfrequent, PairBounds *bounds);

	cudaError_t (*count) (EpisodesJob *job, void *of, CandidateBatch *batch);

	/* All candidates of a level have been counted: the next ones are one event longer.  May be NULL. */
	cudaError_t (*end_level) (EpisodesJob *job, void *of);
} SearchStrategy;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SEARCH_STRATEGY_H */
