/*-------------------------------------------------------------------------
 *
 * candidate_groups.h
 *	  Candidates on a device with all of their types and gaps, as the ancestors'
 *	  strategies count them.
 *
 * Included by the files of these strategies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CANDIDATE_GROUPS_H
#define FIM_CANDIDATE_GROUPS_H

#include "episodes/search.h"
#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates of a batch that are to be counted; NULL in "number" stands for all. */
typedef struct Chosen
{
	CandidateBatch *batch;
	const uint32_t *number;		/* [n] ascending */
	uint32_t	n;
} Chosen;

static inline uint32_t
ChosenNumber(const Chosen *chosen, uint32_t i)
{
	return chosen->number != NULL ? chosen->number[i] : i;
}

/* Those that a device counts together: the arrays are there.  Words of one place lie together. */
typedef struct CandidateGroup
{
	GpuDevice  *device;
	const DeviceStream *stream;
	uint32_t	length;
	uint32_t	first;			/* of those chosen */
	uint32_t	n;
	uint32_t   *types;			/* [length][n] */
	uint32_t   *gaps;			/* [length - 1][n] */
	uint32_t   *support;		/* [n], 0 at first */
	uint32_t   *free;			/* [n] the first moment at which the next occurrence may begin, from the batch */
} CandidateGroup;

/* At most so many words of types belong to a group, and so many candidates, unless it has one. */
#define GROUP_WORDS		(1u << 20)

extern uint32_t GroupMost(uint32_t length);

/* Puts some of those chosen on a device: those from group->first on, group->n of them. */
extern cudaError_t OpenGroup(EpisodesJob *job, const Chosen *chosen, CandidateGroup *group);

/* Waits for the supports, puts them and the moments into the batch and frees what the group has. */
extern cudaError_t CloseGroup(EpisodesJob *job, const Chosen *chosen, CandidateGroup *group);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_CANDIDATE_GROUPS_H */
