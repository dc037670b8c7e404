/*-------------------------------------------------------------------------
 *
 * candidate_groups.c
 *	  Candidates with all of their types and gaps, see episodes.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/episodes/episodes.h"
#include "team.h"

static const char *const what = "allocating candidates";

uint32_t
GroupMost(uint32_t length)
{
	return (uint32_t) GpuBetween(1, GROUP_WORDS / length, BATCH_ROOM);
}

static cudaError_t
SendWords(EpisodesJob *job, const CandidateGroup *group, uint32_t **to, const uint32_t *words, size_t n)
{
	GPU_TRY(GpuAlloc(group->device, sizeof(uint32_t) * n, what, (void **) to));
	return GpuSend(&job->team, group->device, GPU_COUNT, *to, words, sizeof(uint32_t) * n, "copying candidates");
}

/* Write the types and gaps of a group's candidates, place by place.  episode[2 * length] is room to work in. */
static void
WriteWords(const Chosen *chosen, const CandidateGroup *group, uint32_t *types, uint32_t *gaps, uint32_t *episode)
{
	const CandidateBatch *batch = chosen->batch;
	uint32_t	length = group->length;
	uint32_t	run = 0;

	for (uint32_t i = 0; i < group->n; i++)
	{
		Candidate	candidate = CandidateAt(batch, ChosenNumber(chosen, group->first + i), &run);

		WriteEpisode(batch->levels, length - 1, candidate.prefix, episode, episode + length);
		episode[length - 1] = candidate.type;
		episode[2 * length - 2] = candidate.gap;
		for (uint32_t k = 0; k < length; k++)
			types[(size_t) k * group->n + i] = episode[k];
		for (uint32_t k = 0; k + 1 < length; k++)
			gaps[(size_t) k * group->n + i] = episode[length + k];
	}
}

/* Take memory on the group's device for a word of each candidate, which is 0. */
static cudaError_t
TakeZeroes(const CandidateGroup *group, uint32_t **to)
{
	GpuDevice  *device = group->device;
	size_t		bytes = sizeof(uint32_t) * group->n;

	GPU_TRY(GpuAlloc(device, bytes, what, (void **) to));
	return GpuCheck(device, cudaMemsetAsync(*to, 0, bytes, device->streams[GPU_COUNT]), what);
}

/* Send the moments from which on occurrences may begin in the batch's section. */
static cudaError_t
SendFree(EpisodesJob *job, const Chosen *chosen, const CandidateGroup *group)
{
	uint32_t   *free;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * group->n, (void **) &free));
	for (uint32_t i = 0; i < group->n; i++)
		free[i] = chosen->batch->free[ChosenNumber(chosen, group->first + i)];
	GPU_TRY(GpuSend(&job->team, group->device, GPU_COUNT, group->free, free, sizeof(uint32_t) * group->n,
					"copying candidates"));
	GpuHostFree(&job->team, free);
	return HostWork(job, group->n);
}

cudaError_t
OpenGroup(EpisodesJob *job, const Chosen *chosen, CandidateGroup *group)
{
	size_t		n = group->n;
	uint32_t   *words;
	uint32_t   *episode;

	group->length = chosen->batch->levels->n - 1;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * n * (2 * (size_t) group->length - 1), (void **) &words));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * 2 * (size_t) group->length, (void **) &episode));
	WriteWords(chosen, group, words, words + n * group->length, episode);
	GPU_TRY(HostWork(job, 8 * (uint64_t) n * group->length));
	GPU_TRY(SendWords(job, group, &group->types, words, n * group->length));
	GPU_TRY(SendWords(job, group, &group->gaps, words + n * group->length, n * (group->length - 1)));
	GpuHostFree(&job->team, words);
	GpuHostFree(&job->team, episode);
	GPU_TRY(TakeZeroes(group, &group->support));
	GPU_TRY(TakeZeroes(group, &group->free));
	return chosen->batch->free != NULL ? SendFree(job, chosen, group) : cudaSuccess;
}

/* Put a word of each of the group's candidates into an array of the batch. */
static cudaError_t
ReceiveWords(EpisodesJob *job, const Chosen *chosen, const CandidateGroup *group, const uint32_t *from, uint32_t *to)
{
	uint32_t   *words;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * group->n, (void **) &words));
	GPU_TRY(GpuReceive(&job->team, group->device, GPU_COUNT, words, from, sizeof(uint32_t) * group->n,
					   "copying supports"));
	for (uint32_t i = 0; i < group->n; i++)
		to[ChosenNumber(chosen, group->first + i)] = words[i];
	GpuHostFree(&job->team, words);
	return HostWork(job, 2 * (uint64_t) group->n);
}

cudaError_t
CloseGroup(EpisodesJob *job, const Chosen *chosen, CandidateGroup *group)
{
	GPU_TRY(ReceiveWords(job, chosen, group, group->support, chosen->batch->support));
	if (chosen->batch->free != NULL)
		GPU_TRY(ReceiveWords(job, chosen, group, group->free, chosen->batch->free));
	GPU_TRY(GpuFree(group->device, group->types));
	GPU_TRY(GpuFree(group->device, group->gaps));
	GPU_TRY(GpuFree(group->device, group->support));
	return GpuFree(group->device, group->free);
}
