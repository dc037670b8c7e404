/*-------------------------------------------------------------------------
 *
 * level.c
 *	  The frequent episodes of each length, see level.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/level.h"

cudaError_t
AddLevel(EpisodesJob *job, EpisodeLevels *levels)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &levels->level, levels->n, levels->n + 1, &levels->room,
						sizeof(EpisodeLevel)));
	memset(&levels->level[levels->n], 0, sizeof(EpisodeLevel));
	levels->level[levels->n].length = levels->n;
	levels->n++;
	return cudaSuccess;
}

/* The arrays of a level have the same room. */
cudaError_t
ReserveEpisodes(EpisodesJob *job, EpisodeLevel *level, uint32_t more)
{
	struct
	{
		void	  **array;
		size_t		size;
	}			arrays[] = {
		{(void **) &level->prefix, sizeof(uint32_t)},
		{(void **) &level->gap, sizeof(uint32_t)},
		{(void **) &level->type, sizeof(uint32_t)},
		{(void **) &level->finding, sizeof(Finding)}
	};
	uint64_t	room = level->room;

	/* numbers of episodes are 32 bits wide */
	if ((uint64_t) level->n + more >= GPU_NONE)
		return GpuNoMemory(&job->team);
	for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++)
	{
		room = level->room;
		GPU_TRY(GpuHostRoom(&job->team, arrays[a].array, level->n, (uint64_t) level->n + more, &room, arrays[a].size));
	}
	level->room = room;
	return cudaSuccess;
}

cudaError_t
AddEpisode(EpisodesJob *job, EpisodeLevel *level, uint32_t prefix, uint32_t gap, uint32_t type,
		   const Finding *finding)
{
	if (level->n == level->room)
		GPU_TRY(ReserveEpisodes(job, level, 1));
	level->prefix[level->n] = prefix;
	level->gap[level->n] = gap;
	level->type[level->n] = type;
	level->finding[level->n++] = *finding;
	return cudaSuccess;
}

cudaError_t
FinishLevel(EpisodesJob *job, EpisodeLevel *level, uint32_t nprefixes)
{
	uint32_t	e = 0;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) nprefixes + 1), (void **) &level->child));
	for (uint32_t p = 0; p <= nprefixes; p++)
	{
		uint32_t	before = e;

		while (e < level->n && level->prefix[e] < p)
			e++;
		level->child[p] = e;
		GPU_TRY(HostWork(job, 2 * (1 + (uint64_t) (e - before))));
	}
	return cudaSuccess;
}

void
ForgetFindings(EpisodesJob *job, EpisodeLevel *level)
{
	GpuHostFree(&job->team, level->finding);
	level->finding = NULL;
}

void
WriteEpisode(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t *types, uint32_t *gaps)
{
	for (uint32_t k = length; k > 0; k--)
	{
		const EpisodeLevel *level = &levels->level[k];

		types[k - 1] = level->type[number];
		if (k > 1)
			gaps[k - 2] = level->gap[number];
		number = level->prefix[number];
	}
}

bool
HasType(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t type)
{
	for (uint32_t k = length; k > 0; k--)
	{
		if (levels->level[k].type[number] == type)
			return true;
		number = levels->level[k].prefix[number];
	}
	return false;
}
