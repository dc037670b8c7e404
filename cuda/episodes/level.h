/*-------------------------------------------------------------------------
 *
 * level.h
 *	  The frequent episodes of each length, as a tree.
 *
 * An episode is known by its prefix, which is an episode of the level before, and by the gap
 * and the type at its end.  Its suffix, the episode without its first event, is an episode of
 * the level before, too.  A candidate of the next level is an episode to which the end of another
 * one is added, whose prefix is the first one's suffix.  Level 0 has one episode, which is empty.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_LEVEL_H
#define FIM_GPU_EPISODE_LEVEL_H

#include "episodes/episodes_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What is known of an episode, and is kept until longer ones have been found. */
typedef struct Finding
{
	uint64_t	support;
	uint32_t	suffix;
	uint32_t	missing;		/* required types that are not in it */
	bool		subsumed;		/* a longer episode shows that it is not closed or maximal */
} Finding;

/* The frequent episodes of a length.  Prefixes ascend, and episodes of the same prefix ascend by gap and type. */
typedef struct EpisodeLevel
{
	uint32_t	length;
	uint32_t	n;
	uint64_t	room;			/* episodes that the arrays have room for */
	uint32_t   *prefix;			/* [n] number in the level before */
	uint32_t   *gap;			/* [n] before the last type; not used at level 1 */
	uint32_t   *type;			/* [n] the last type */
	Finding    *finding;		/* [n]; NULL once it is not wanted any more */
	uint32_t   *child;			/* [number of prefixes + 1] the first episode of each; NULL until FinishLevel() */
} EpisodeLevel;

/* All levels up to the one at hand, from level 0 on. */
typedef struct EpisodeLevels
{
	EpisodeLevel *level;
	uint32_t	n;
	uint64_t	room;
} EpisodeLevels;

/* Adds a level without episodes. */
extern cudaError_t AddLevel(EpisodesJob *job, EpisodeLevels *levels);

/* Makes room for so many more episodes.  Fails for want of memory if 32 bits do not hold their numbers. */
extern cudaError_t ReserveEpisodes(EpisodesJob *job, EpisodeLevel *level, uint32_t more);

/* Adds an episode behind those that are there. */
extern cudaError_t AddEpisode(EpisodesJob *job, EpisodeLevel *level, uint32_t prefix, uint32_t gap,
							  uint32_t type, const Finding *finding);

/* Completes a level whose episodes have all been added; the level before has nprefixes episodes. */
extern cudaError_t FinishLevel(EpisodesJob *job, EpisodeLevel *level, uint32_t nprefixes);

/* Frees the findings of a level, once the longer episodes have been found. */
extern void ForgetFindings(EpisodesJob *job, EpisodeLevel *level);

/* Writes the types[length] and gaps[length - 1] of an episode. */
extern void WriteEpisode(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t *types,
						 uint32_t *gaps);

/* Whether a type is in an episode. */
extern bool HasType(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t type);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_LEVEL_H */
