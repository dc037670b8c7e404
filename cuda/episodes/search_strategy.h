/*-------------------------------------------------------------------------
 *
 * search_strategy.h
 *	  What the level-wise search asks of a strategy: to count batches of candidates.
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
	uint32_t	first;			/* candidate of the batch; the run ends before the first one of the next run */
	uint32_t	prefix;
	uint32_t	suffix;			/* of the first candidate; those of the others follow it in the level */
	uint32_t	gap;			/* before the last type; GPU_NONE: the one that each suffix has there */
} CandidateRun;

/* The most candidates of a batch. */
#define BATCH_ROOM	(1u << 17)

/* Candidates that are counted together, in the order of level.h. */
typedef struct CandidateBatch
{
	const EpisodeLevels *levels; /* the last level but one has the candidates' prefixes and suffixes */
	bool		extended;		/* candidates that are frequent will be extended in their turn */
	uint32_t	n;
	CandidateRun *run;			/* [nruns], with room for BATCH_ROOM */
	uint32_t	nruns;

	/* to be filled in: the candidates whose support is not below job->least, and their supports */
	uint32_t	nfound;
	uint32_t   *found;			/* [nfound] ascending, with room for BATCH_ROOM */
	uint32_t   *support;		/* [BATCH_ROOM] by candidate; need not be right for those that are not found */

	/*
	 * [n] the first moment at which the next occurrence of each candidate may begin, to be brought up to date
	 * when it is counted.  NULL: occurrences may begin anywhere.
	 */
	uint32_t   *free;
} CandidateBatch;

static inline uint32_t
EndOfRun(const CandidateBatch *batch, uint32_t run)
{
	return run + 1 < batch->nruns ? batch->run[run + 1].first : batch->n;
}

/* The level that has the candidates' prefixes and suffixes. */
static inline const EpisodeLevel *
LevelOfBatch(const CandidateBatch *batch)
{
	return &batch->levels->level[batch->levels->n - 2];
}

/* A candidate: its prefix, and the gap and the type at its end. */
typedef struct Candidate
{
	uint32_t	prefix;
	uint32_t	gap;
	uint32_t	type;
} Candidate;

/*
 * Returns candidate c of the batch.  *run must be the candidate's run or one before it, and becomes the
 * candidate's: it begins with 0, and can be passed on while candidates ascend.
 */
static inline Candidate
CandidateAt(const CandidateBatch *batch, uint32_t c, uint32_t *run)
{
	const EpisodeLevel *level = LevelOfBatch(batch);
	const CandidateRun *of;
	uint32_t	suffix;

	while (EndOfRun(batch, *run) <= c)
		++*run;
	of = &batch->run[*run];
	suffix = of->suffix + c - of->first;
	return (Candidate) {of->prefix, of->gap != GPU_NONE ? of->gap : level->gap[suffix], level->type[suffix]};
}

/* Fills in which candidates are found, from the supports of all of them. */
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

/* An upper bound of the support of a pair of types under a gap. */
typedef struct PairBound
{
	uint32_t	pair;			/* (first type * ngaps + gap) * ntypes + second type */
	uint32_t	bound;
	uint32_t	at;				/* if lists of pairs are made: the entries of the lists before this pair's */
} PairBound;

typedef struct PairBounds
{
	bool		known;
	uint32_t	n;
	PairBound  *bound;			/* [n] ascending by pair; pairs left out are below job->least; NULL if not known */
} PairBounds;

/* What a strategy does with the section that is on the devices.  "of" is the strategy's own data. */
typedef struct SearchStrategy
{
	/*
	 * Finds upper bounds of the supports of pairs of types, if that pays; nfrequent types are frequent.
	 * bounds->bound is host memory of the team, which the caller frees.  The function may be NULL.
	 */
	cudaError_t (*bound_pairs) (EpisodesJob *job, void *of, uint32_t nfrequent, PairBounds *bounds);

	/* Counts the candidates of a batch, and fills in what is found. */
	cudaError_t (*count) (EpisodesJob *job, void *of, CandidateBatch *batch);

	/*
	 * Is told that all candidates of a level have been counted, and the next ones are one event longer.  May
	 * be NULL.
	 */
	cudaError_t (*end_level) (EpisodesJob *job, void *of);
} SearchStrategy;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SEARCH_STRATEGY_H */
