/*-------------------------------------------------------------------------
 *
 * moments.c
 *	  Whether times serve as moments, see moments.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/moments.h"

/* What moments, and what is looked for among them, have to be less than. */
#define MOMENTS_END		((uint64_t) UINT32_MAX)

/* Events that each one can change places with, on average, at most. */
#define MOST_NEAR		64

/* The times that events of a partition can be moved to.  Returns false if they come near the least or greatest of all. */
static bool
MovedTimes(const EpisodesJob *job, uint32_t p, int64_t *least, int64_t *most)
{
	const FimTime *time = FIM_EPISODES_TIMES(job->data);
	uint32_t	begin = FIM_EPISODES_PARTITIONS(job->data)[p];
	uint32_t	end = FIM_EPISODES_PARTITIONS(job->data)[p + 1];

	*least = *most = 0;
	if (begin == end)
		return true;
	return !__builtin_sub_overflow(time[begin].integer, job->asked->dither.integer, least) &&
		!__builtin_add_overflow(time[end - 1].integer, job->asked->dither.integer, most);
}

/* How many pairs of events of a type are less than twice the dither apart. */
static cudaError_t
AreFewNear(EpisodesJob *job, bool *few)
{
	const FimEpisodesData *data = job->data;
	const FimTime *time = FIM_EPISODES_TIMES(data);
	const uint32_t *type = FIM_EPISODES_TYPES(data);
	uint64_t	twice = 2 * (uint64_t) job->asked->dither.integer;
	uint64_t	near = 0;
	uint32_t   *count;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * data->ntypes, (void **) &count));
	memset(count, 0, sizeof(uint32_t) * data->ntypes);
	for (uint32_t p = 0; p < data->partitions; p++)
	{
		uint32_t	earliest = FIM_EPISODES_PARTITIONS(data)[p];
		uint32_t	end = FIM_EPISODES_PARTITIONS(data)[p + 1];

		for (uint32_t i = earliest; i < end; i++)
		{
			while ((uint64_t) time[i].integer - (uint64_t) time[earliest].integer >= twice)
				count[type[earliest++]]--;
			near += count[type[i]]++;
		}
		while (earliest < end)
			count[type[earliest++]]--;
		GPU_TRY(HostWork(job, 2 * (uint64_t) (end - FIM_EPISODES_PARTITIONS(data)[p])));
	}
	GpuHostFree(&job->team, count);
	*few = 2 * near / MOST_NEAR <= data->events;
	return cudaSuccess;
}

/* Of the times of a partition, how far apart they can be at most; "plan" is told if they come near the least or greatest of all. */
static cudaError_t
FindLongest(EpisodesJob *job, MomentPlan *plan, uint64_t *longest)
{
	*longest = 0;
	for (uint32_t p = 0; p < job->data->partitions && plan->fits; p++)
	{
		int64_t		least;
		int64_t		most;

		plan->fits = MovedTimes(job, p, &least, &most);
		*longest = GpuGreater(*longest, (uint64_t) most - (uint64_t) least);
	}
	return HostWork(job, 2 * (uint64_t) job->data->partitions);
}

/* No edge needs to reach further than to all other events. */
static cudaError_t
FindReaches(EpisodesJob *job, MomentPlan *plan)
{
	const FimEpisodesData *data = job->data;
	uint64_t	longest;

	GPU_TRY(FindLongest(job, plan, &longest));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * data->nedges, (void **) &plan->reach));
	for (uint32_t e = 0; e < data->nedges; e++)
	{
		uint64_t	reach = GpuLesser(FIM_EPISODES_EDGES(data)[e] - 1, longest) + 1;

		plan->fits &= reach < MOMENTS_END;
		plan->reach[e] = (uint32_t) reach - 1;
	}
	return cudaSuccess;
}

/*
 * The moments of a partition's events, whose least possible one is at "next".  Where the stream is silent for so
 * long that no gap reaches across, whatever moves, the silence is cut short.
 */
static uint64_t
PlaceEvents(const EpisodesJob *job, MomentPlan *plan, uint32_t begin, uint32_t end, uint64_t next)
{
	const FimTime *time = FIM_EPISODES_TIMES(job->data);
	uint64_t	dither = (uint64_t) job->asked->dither.integer;
	uint64_t	reach = (uint64_t) plan->reach[job->data->nedges - 1] + 1;
	uint64_t	moment = next + dither;

	for (uint32_t i = begin; i < end; i++)
	{
		if (i > begin)
			moment += GpuLesser((uint64_t) time[i].integer - (uint64_t) time[i - 1].integer, 2 * dither + reach);
		plan->origin[i] = (uint32_t) moment;
	}
	return moment + dither + reach;
}

static cudaError_t
PlaceAll(EpisodesJob *job, MomentPlan *plan)
{
	const uint32_t *first = FIM_EPISODES_PARTITIONS(job->data);
	uint64_t	beyond = GpuGreater(plan->reach[job->data->nedges - 1], (uint64_t) job->asked->dither.integer);
	uint64_t	next = plan->reach[job->data->nedges - 1];

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * (size_t) job->data->events, (void **) &plan->origin));
	for (uint32_t p = 0; p < job->data->partitions && plan->fits; p++)
	{
		next = PlaceEvents(job, plan, first[p], first[p + 1], next);
		plan->fits = next < MOMENTS_END - beyond;
		GPU_TRY(HostWork(job, first[p + 1] - first[p] + 1));
	}
	return cudaSuccess;
}

cudaError_t
PlanMoments(EpisodesJob *job, MomentPlan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->fits = !job->data->real && (uint64_t) job->asked->dither.integer < MOMENTS_END / 4;
	if (plan->fits)
		GPU_TRY(FindReaches(job, plan));
	if (plan->fits)
		GPU_TRY(PlaceAll(job, plan));
	return plan->fits ? AreFewNear(job, &plan->fits) : cudaSuccess;
}
