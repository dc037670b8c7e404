/*-------------------------------------------------------------------------
 *
 * cohorts.c
 *	  Candidates with all of their types and gaps, see episodes.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/episodes/episodes.h"
#include "team.h"

static const char *const what = "allocating candidates";

uint32_t
CohortMost(uint32_t length)
{
	return (uint32_t) GpuBetween(1, COHORT_WORDS / length, BATCH_ROOM);
}

static cudaError_t
SendWords(EpisodesJob *job, const CandidateCohort *cohort, uint32_t **to, const uint32_t *words, size_t n)
{
	GPU_TRY(GpuAlloc(cohort->device, sizeof(uint32_t) * n, what, (void **) to));
	return GpuSend(&job->team, cohort->device, GPU_COUNT, *to, words, sizeof(uint32_t) * n, "copying candidates");
}

/* Write the types and gaps of a cohort's candidates, place by place.  episode[2 * length] is room to work in. */
static void
WriteWords(const Chosen *chosen, const CandidateCohort *cohort, uint32_t *types, uint32_t *gaps, uint32_t *episode)
{
	const CandidateBatch *batch = chosen->batch;
	uint32_t	length = cohort->length;
	uint32_t	run = 0;

	for (uint32_t i = 0; i < cohort->n; i++)
	{
		Candidate	candidate = CandidateAt(batch, ChosenNumber(chosen, cohort->first + i), &run);

		WriteEpisode(batch->levels, length - 1, candidate.prefix, episode, episode + length);
		episode[length - 1] = candidate.type;
		episode[2 * length - 2] = candidate.gap;
		for (uint32_t k = 0; k < length; k++)
			types[(size_t) k * cohort->n + i] = episode[k];
		for (uint32_t k = 0; k + 1 < length; k++)
			gaps[(size_t) k * cohort->n + i] = episode[length + k];
	}
}

cudaError_t
TakeZeroes(GpuDevice *device, uint64_t n, uint32_t **to)
{
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * n, what, (void **) to));
	return GpuCheck(device, cudaMemsetAsync(*to, 0, sizeof(uint32_t) * n, device->streams[GPU_COUNT]), what);
}

/* Send the instants from which on occurrences may begin in the batch's section. */
static cudaError_t
SendFree(EpisodesJob *job, const Chosen *chosen, const CandidateCohort *cohort)
{
	uint32_t   *free;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * cohort->n, (void **) &free));
	for (uint32_t i = 0; i < cohort->n; i++)
		free[i] = chosen->batch->free[ChosenNumber(chosen, cohort->first + i)];
	GPU_TRY(GpuSend(&job->team, cohort->device, GPU_COUNT, cohort->free, free, sizeof(uint32_t) * cohort->n,
					"copying candidates"));
	GpuHostFree(&job->team, free);
	return HostWork(job, cohort->n);
}

cudaError_t
OpenCohort(EpisodesJob *job, const Chosen *chosen, CandidateCohort *cohort)
{
	size_t		n = cohort->n;
	uint32_t   *words;
	uint32_t   *episode;

	cohort->length = chosen->batch->levels->n - 1;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * n * (2 * (size_t) cohort->length - 1), (void **) &words));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * 2 * (size_t) cohort->length, (void **) &episode));
	WriteWords(chosen, cohort, words, words + n * cohort->length, episode);
	GPU_TRY(HostWork(job, 8 * (uint64_t) n * cohort->length));
	GPU_TRY(SendWords(job, cohort, &cohort->types, words, n * cohort->length));
	GPU_TRY(SendWords(job, cohort, &cohort->gaps, words + n * cohort->length, n * (cohort->length - 1)));
	GpuHostFree(&job->team, words);
	GpuHostFree(&job->team, episode);
	GPU_TRY(TakeZeroes(cohort->device, n, &cohort->support));
	GPU_TRY(TakeZeroes(cohort->device, n, &cohort->free));
	return chosen->batch->free != NULL ? SendFree(job, chosen, cohort) : cudaSuccess;
}

/* Put a word of each of the cohort's candidates into an array of the batch. */
static cudaError_t
ReceiveWords(EpisodesJob *job, const Chosen *chosen, const CandidateCohort *cohort, const uint32_t *from, uint32_t *to)
{
	uint32_t   *words;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * cohort->n, (void **) &words));
	GPU_TRY(GpuReceive(&job->team, cohort->device, words, from, sizeof(uint32_t) * cohort->n, "copying supports"));
	for (uint32_t i = 0; i < cohort->n; i++)
		to[ChosenNumber(chosen, cohort->first + i)] = words[i];
	GpuHostFree(&job->team, words);
	return HostWork(job, 2 * (uint64_t) cohort->n);
}

cudaError_t
CloseCohort(EpisodesJob *job, const Chosen *chosen, CandidateCohort *cohort)
{
	GPU_TRY(ReceiveWords(job, chosen, cohort, cohort->support, chosen->batch->support));
	if (chosen->batch->free != NULL)
		GPU_TRY(ReceiveWords(job, chosen, cohort, cohort->free, chosen->batch->free));
	GPU_TRY(GpuFree(cohort->device, cohort->types));
	GPU_TRY(GpuFree(cohort->device, cohort->gaps));
	GPU_TRY(GpuFree(cohort->device, cohort->support));
	return GpuFree(cohort->device, cohort->free);
}
