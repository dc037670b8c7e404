/*-------------------------------------------------------------------------
 *
 * occurrence.h
 *	  The strategies "occurrence" and "occurrence_scan": all occurrences of a candidate are
 *	  found, and then as many as possible are taken that do not overlap.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_OCCURRENCE_H
#define FIM_GPU_OCCURRENCE_H

#include "ancestors/episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* How threads find where to write what they have found. */
typedef enum Compaction
{
	BY_ATOMICS,					/* an atomic counter says where, and the results are sorted */
	BY_SCAN						/* all threads count first, and then write to where the sums say */
} Compaction;

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t OccurrenceLeast(uint32_t most_events);

/* Sets the supports of the candidates chosen in their batch. */
extern cudaError_t CountByChains(EpisodesJob *job, const EventStream *stream, const Chosen *chosen,
								 Compaction compaction);

extern cudaError_t OccurrenceMine(EpisodesJob *job, Sections *sections, Compaction compaction);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_OCCURRENCE_H */
