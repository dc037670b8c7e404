/*-------------------------------------------------------------------------
 *
 * tested_episodes.h
 *	  The episodes that a call has found, kept to be tested on surrogates.
 *
 * Included by episode_significance.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_TESTED_EPISODES_H
#define GPUFIM_EPISODES_TESTED_EPISODES_H

#include "engine/episodes/episodes.h"
#include "work/job.h"

#define NO_NODE		UINT32_MAX

typedef struct TestedEpisodes
{
	FimSink		sink;			/* must be first; keeps what it is given */
	struct Job *job;			/* which the memory counts as */
	MemoryContext context;
	uint32	   *words;			/* records as the engine wrote them */
	uint64		nwords;
	uint64		room;
	uint64		n;

	/* once they have been sorted; arrays are [n] */
	uint64		ntested;
	uint64		nevents;		/* of all that are tested */
	uint64	   *record;			/* where in "words" each begins */
	uint32	   *node;			/* which node of the trie is the episode; NO_NODE if it is a
								 * single type, which there is no need to test */
} TestedEpisodes;

/* A sink for the results of a job that is about to run. */
extern TestedEpisodes *TestedEpisodesCreate(struct Job *job);

/*
 * Sort the episodes and make a trie of those that are tested: the engine's job of counting
 * them, without surrogates, dither and seed.  It has no nodes if there are none.  palloc'd.
 */
extern FimEpisodesJob *TestedEpisodesJob(TestedEpisodes *episodes);

#endif							/* GPUFIM_EPISODES_TESTED_EPISODES_H */
