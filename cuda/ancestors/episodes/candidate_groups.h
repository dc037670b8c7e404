/*-------------------------------------------------------------------------
 *
 * candidate_groups.h
 *	  Candidates on a device with all of their types and gaps, as the ancestors'
 *	  strategies count them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CANDIDATE_GROUPS_H
#define FIM_CANDIDATE_GROUPS_H

#include "episodes/episodes.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates of a batch that are to be counted. */
typedef struct Chosen
{
	CandidateBatch *batch;
	const uint32_t *number;		/* [n] ascending; NULL if all candidates are */
	uint32_t	n;
} Chosen;

static inline uint32_t
ChosenNumber(const Chosen *chosen, uint32_t i)
{
	return chosen->number != NULL ? chosen->number[i] : i;
}

/* Candidates that a device counts together.  Arrays are on the device; what belongs to a place lies together. */
typedef struct CandidateGroup
{
	GpuDevice  *device;
	const DeviceStream *stream;
	uint32_t	length;			/* of the candidates */
	uint32_t	first;			/* number of the first one among those chosen */
	uint32_t	n;
	uint32_t   *types;			/* [length][n] */
	uint32_t   *gaps;			/* [length - 1][n] */
	uint32_t   *support;		/* [n], 0 at first */
	uint32_t   *free;			/* [n] the first moment at which the next occurrence may begin, from the batch */
} CandidateGroup;

/* The most words of types of a group; and the most candidates of a group if they have this length, at least 1. */
#define GROUP_WORDS		(1u << 20)

extern uint32_t GroupMost(uint32_t length);

/* Puts group->n of the candidates chosen, from group->first on, on group->device. */
extern cudaError_t OpenGroup(EpisodesJob *job, const Chosen *chosen, CandidateGroup *group);

/* Waits for the supports, puts them and "free" into the batch, and frees the group's arrays. */
extern cudaError_t CloseGroup(EpisodesJob *job, const Chosen *chosen, CandidateGroup *group);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_CANDIDATE_GROUPS_H */
