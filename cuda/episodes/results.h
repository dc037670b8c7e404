/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Giving out episodes, and occurrences of one episode.
 *
 * Included by search.c and by one_episode.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_RESULTS_H
#define FIM_GPU_EPISODE_RESULTS_H

#include "episodes/level.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Results not yet written to the sink. */
typedef struct Records
{
	uint32_t   *words;
	uint64_t	room;			/* words */
	size_t		nwords;
	size_t		n;
} Records;

/* Room for a record of so many words, which counts as one result. */
extern cudaError_t AddRecord(EpisodesJob *job, Records *records, size_t words, uint32_t **to);

/* Writes what has not been, and frees the records. */
extern cudaError_t EndRecords(EpisodesJob *job, Records *records);

/* Writes or counts the episodes of a level that are wanted. */
extern cudaError_t GiveEpisodes(EpisodesJob *job, const Levels *levels, uint32_t length);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_RESULTS_H */
