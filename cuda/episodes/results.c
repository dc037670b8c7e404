/*-------------------------------------------------------------------------
 *
 * results.c
 *	  Giving out results, see results.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/results.h"
#include "records.h"

/* Whether an episode is wanted: it has all required types, and is of the job's kind. */
static bool
IsGiven(const EpisodesJob *job, const Finding *finding)
{
	return finding->missing == 0 && (job->asked->kind == FIM_ALL || !finding->subsumed);
}

static cudaError_t
CountEpisodes(EpisodesJob *job, const EpisodeLevel *level)
{
	uint64_t	n = 0;

	for (uint32_t e = 0; e < level->n; e++)
	{
		n += IsGiven(job, &level->finding[e]);
		if (e % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, EVENTS_AT_ONCE));
	}
	job->summary[level->length] += n;
	GpuCountResults(&job->team, n);
	return cudaSuccess;
}

static cudaError_t
GiveEpisode(EpisodesJob *job, const EpisodeLevels *levels, uint32_t length, uint32_t number,
			GpuRecords *records)
{
	uint32_t   *to;

	GPU_TRY(GpuAddRecord(&job->team, records, FIM_EPISODES_RECORD_WORDS(length), &to));
	to[0] = length;
	WriteEpisode(levels, length, number, to + 1, to + 1 + length);
	memcpy(to + 2 * (size_t) length, &levels->level[length].finding[number].support, sizeof(uint64_t));
	return cudaSuccess;
}

cudaError_t
GiveEpisodes(EpisodesJob *job, const EpisodeLevels *levels, uint32_t length)
{
	const EpisodeLevel *level = &levels->level[length];
	GpuRecords	records = {job->sink};

	if (length < job->asked->min_length || length > job->longest)
		return cudaSuccess;
	if (job->summary != NULL)
		return CountEpisodes(job, level);
	for (uint32_t e = 0; e < level->n; e++)
		if (IsGiven(job, &level->finding[e]))
			GPU_TRY(GiveEpisode(job, levels, length, e, &records));
	return GpuEndRecords(&job->team, &records);
}
