/*-------------------------------------------------------------------------
 *
 * wanted_events.c
 *	  The events that surrogates move, see wanted_events.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/wanted_events.h"

uint32_t
FindWantedTypes(const EpisodesJob *job, uint8_t *wanted)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->asked);
	uint32_t	events = 0;

	memset(wanted, 0, job->data->ntypes);
	for (uint32_t k = 0; k < job->asked->nnodes; k++)
		wanted[nodes[k].type] = 1;
	for (uint32_t type = 0; type < job->data->ntypes; type++)
		events += wanted[type] ? EventsOf(job, type) : 0;
	return events;
}

static cudaError_t
TakeArrays(EpisodesJob *job, WantedEvents *w, uint8_t **wanted)
{
	size_t		starts = sizeof(uint32_t) * ((size_t) w->nclasses + 1);

	GPU_TRY(GpuHostTake(&job->team, starts, (void **) &w->start));
	GPU_TRY(GpuHostTake(&job->team, starts, (void **) &w->skipped));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) job->data->partitions + 1), (void **) &w->partition));
	GPU_TRY(GpuHostTake(&job->team, job->data->ntypes, (void **) wanted));
	memset(w->start, 0, starts);
	return HostWork(job, w->nclasses);
}

/*
 * Cut slices of whole partitions: each begins with the first partition that has at least its share of the
 * events before it.  Slices may be empty.
 */
static cudaError_t
CutPartitions(EpisodesJob *job, uint32_t slices, uint32_t *first)
{
	const FimEpisodesData *data = job->data;
	uint32_t	slice = 0;

	first[0] = 0;
	for (uint32_t p = 0; p < data->partitions; p++)
	{
		while (slice + 1 < slices && FIM_EPISODES_PARTITIONS(data)[p] >= (slice + 1) * (uint64_t) data->events / slices)
			first[++slice] = FIM_EPISODES_PARTITIONS(data)[p];
		if (p % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, EVENTS_AT_ONCE));
	}
	while (slice + 1 < slices)
		first[++slice] = data->events;
	return HostWork(job, slices);
}

/* Set where partitions begin, and start[class + 1] to how many wanted events each class has. */
static cudaError_t
CountEvents(EpisodesJob *job, WantedEvents *w, const uint32_t *first, const uint8_t *wanted)
{
	const FimEpisodesData *data = job->data;
	const uint32_t *type = FIM_EPISODES_TYPES(data);
	uint32_t   *count = w->start + 1;
	uint32_t	slice = 0;

	w->events = 0;
	for (uint32_t p = 0; p < data->partitions; p++)
	{
		uint32_t	begin = FIM_EPISODES_PARTITIONS(data)[p];
		uint32_t	end = FIM_EPISODES_PARTITIONS(data)[p + 1];

		w->partition[p] = w->events;
		for (uint32_t i = begin; i < end; i++)
		{
			for (; slice + 1 < w->slices && i >= first[slice + 1]; slice++)
				count += data->ntypes;
			count[type[i]] += wanted[type[i]];
			w->events += wanted[type[i]];
			if (i % EVENTS_AT_ONCE == 0)
				GPU_TRY(HostWork(job, EVENTS_AT_ONCE));
		}
		GPU_TRY(HostWork(job, 1));
	}
	w->partition[data->partitions] = w->events;
	return cudaSuccess;
}

/* From the numbers of events of classes, find how many are skipped by each class and where it begins. */
static cudaError_t
AddUp(EpisodesJob *job, WantedEvents *w)
{
	uint32_t	ntypes = job->data->ntypes;

	for (uint32_t class = 0; class < w->nclasses; class++)
		w->skipped[class] = class < ntypes ? 0 : w->skipped[class - ntypes] + w->start[class - ntypes + 1];
	for (uint32_t class = 0; class < w->nclasses; class++)
		w->start[class + 1] += w->start[class];
	return HostWork(job, 2 * (uint64_t) w->nclasses);
}

/* Find which keys there can be.  Keys of reals are spread over all 64 bits. */
static cudaError_t
FindKeys(EpisodesJob *job, WantedEvents *w)
{
	const FimEpisodesData *data = job->data;
	const FimTime *time = FIM_EPISODES_TIMES(data);
	int64_t		least = INT64_MAX;
	int64_t		most = INT64_MIN;

	w->least = 0;
	w->key_bits = 64;
	if (data->real)
		return cudaSuccess;
	for (uint32_t p = 0; p < data->partitions; p++)
	{
		uint32_t	begin = FIM_EPISODES_PARTITIONS(data)[p];
		uint32_t	end = FIM_EPISODES_PARTITIONS(data)[p + 1];

		if (begin == end)
			continue;
		least = time[begin].integer < least ? time[begin].integer : least;
		most = time[end - 1].integer > most ? time[end - 1].integer : most;
	}
	w->least = (uint64_t) least - (uint64_t) INT64_MIN;
	w->key_bits = BitsUpTo((uint64_t) most - (uint64_t) least);
	return HostWork(job, 4 * (uint64_t) data->partitions);
}

cudaError_t
FindWantedEvents(EpisodesJob *job, uint32_t slices, const uint32_t *first, WantedEvents *w)
{
	uint32_t   *whole;
	uint8_t    *wanted;

	memset(w, 0, sizeof(*w));
	w->slices = slices;
	w->nclasses = slices * job->data->ntypes;
	GPU_TRY(TakeArrays(job, w, &wanted));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * slices, (void **) &whole));
	if (first == NULL)
		GPU_TRY(CutPartitions(job, slices, whole));
	FindWantedTypes(job, wanted);
	GPU_TRY(HostWork(job, job->asked->nnodes + (uint64_t) job->data->ntypes));
	GPU_TRY(CountEvents(job, w, first != NULL ? first : whole, wanted));
	GPU_TRY(AddUp(job, w));
	GpuHostFree(&job->team, whole);
	GpuHostFree(&job->team, wanted);
	return FindKeys(job, w);
}
