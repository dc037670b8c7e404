/*-------------------------------------------------------------------------
 *
 * results.c
 *	  Giving out results, see results.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/results.h"

static cudaError_t
WriteRecords(EpisodesJob *job, Records *records)
{
	size_t		n = records->n;
	size_t		nwords = records->nwords;

	records->n = records->nwords = 0;
	if (n > 0 && !job->sink->write(job->sink, records->words, nwords, n))
		return GPU_STOPPED;
	return cudaSuccess;
}

cudaError_t
AddRecord(EpisodesJob *job, Records *records, size_t words, uint32_t **to)
{
	if (records->nwords + words > FIM_BATCH_WORDS)
		GPU_TRY(WriteRecords(job, records));
	GPU_TRY(GpuHostRoom(&job->team, (void **) &records->words, records->nwords,
						GpuGreater(records->nwords + words, FIM_BATCH_WORDS), &records->room, sizeof(uint32_t)));
	*to = records->words + records->nwords;
	records->nwords += words;
	records->n++;
	__atomic_fetch_add(&job->team.shared->results, 1, __ATOMIC_RELAXED);
	return HostWork(job, words * 4);
}

cudaError_t
EndRecords(EpisodesJob *job, Records *records)
{
	GPU_TRY(WriteRecords(job, records));
	GpuHostFree(&job->team, records->words);
	memset(records, 0, sizeof(*records));
	return cudaSuccess;
}

static cudaError_t
GiveEpisode(EpisodesJob *job, const Levels *levels, uint32_t length, uint32_t number, Records *records)
{
	uint32_t   *to;

	if (job->summary != NULL)
	{
		job->summary[length]++;
		__atomic_fetch_add(&job->team.shared->results, 1, __ATOMIC_RELAXED);
		return HostWork(job, 4);
	}
	GPU_TRY(AddRecord(job, records, FIM_EPISODES_RECORD_WORDS(length), &to));
	to[0] = length;
	WriteEpisode(levels, length, number, to + 1, to + 1 + length);
	memcpy(to + 2 * (size_t) length, &levels->level[length].finding[number].support, sizeof(uint64_t));
	return cudaSuccess;
}

cudaError_t
GiveEpisodes(EpisodesJob *job, const Levels *levels, uint32_t length)
{
	const Level *level = &levels->level[length];
	Records		records = {NULL, 0, 0, 0};

	if (length < job->asked->min_length || length > job->longest)
		return cudaSuccess;
	for (uint32_t e = 0; e < level->n; e++)
	{
		const Finding *finding = &level->finding[e];

		if (finding->missing == 0 && (job->asked->kind == FIM_ALL || !finding->subsumed))
			GPU_TRY(GiveEpisode(job, levels, length, e, &records));
	}
	return EndRecords(job, &records);
}
