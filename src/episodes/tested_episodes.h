/*-------------------------------------------------------------------------
 *
 * tested_episodes.h
 *	  The episodes that a call has found, kept to be tested on surrogates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_TESTED_EPISODES_H
#define GPUFIM_EPISODES_TESTED_EPISODES_H

#include "engine/episodes/episodes.h"
#include "results.h"
#include "work/job.h"

#define NO_NODE		UINT32_MAX

typedef struct TestedEpisodes
{
	FimSink		sink;			/* must be first; keeps a copy of each batch */
	struct Job *job;			/* the job whose memory includes what is allocated here */
	const ResultWords *result_words;
	MemoryContext context;
	uint32	   *words;			/* records as the engine wrote them */
	uint64		nwords;
	uint64		room;
	uint64		n;
	FimSurrogateMethod method;	/* how surrogates are made */

	/* set by TestedEpisodesJob(), which sorts the episodes; arrays are [n] */
	uint64		ntested;
	uint64		nevents;		/* sum of the lengths of all tested episodes */
	uint64	   *record;			/* where in "words" each episode's record begins */
	uint32	   *node;			/* the trie's node of the episode; NO_NODE if it is not tested */
} TestedEpisodes;

/* Returns a sink for the results of a job that is about to run; palloc'd.  Messages use these words. */
extern TestedEpisodes *TestedEpisodesCreate(struct Job *job, const ResultWords *result_words,
											FimSurrogateMethod method);

/*
 * Sort the episodes and make a trie of those that are tested.  Returns the engine's job that
 * counts them, palloc'd; the caller sets its surrogates, dither and seed.  If no episode is
 * tested, the job has no nodes.
 *
 * Single types are not tested, as they are equally frequent in all surrogates.  Nor are episodes
 * of one type if the method is FIM_SHIFT, which keeps what a type does by itself.
 */
extern FimEpisodesJob *TestedEpisodesJob(TestedEpisodes *episodes);

#endif							/* GPUFIM_EPISODES_TESTED_EPISODES_H */
