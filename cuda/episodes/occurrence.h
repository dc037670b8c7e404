/*-------------------------------------------------------------------------
 *
 * occurrence.h
 *	  The strategies "occurrence" and "occurrence_scan": all occurrences of a candidate are
 *	  found, and then the most that do not overlap.
 *
 * Included by episodes.c, two_pass.c and occurrence.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_OCCURRENCE_H
#define FIM_GPU_OCCURRENCE_H

#include "episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* How threads find where to write what they have found. */
typedef enum Compaction
{
	BY_ATOMICS,					/* in any order, which is then made right by sorting */
	BY_SCAN						/* all count first, and then write to where the sums say */
} Compaction;

/* The least memory of a device that it takes beside the stream, if no type has more events than that. */
extern uint64_t OccurrenceLeast(uint32_t most_events);

/* The supports of those chosen. */
extern cudaError_t CountByOccurrence(EpisodesJob *job, const EventStream *stream, const Chosen *chosen,
									 Compaction compaction);

extern cudaError_t OccurrenceMine(EpisodesJob *job, Sections *sections, Compaction compaction);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_OCCURRENCE_H */
