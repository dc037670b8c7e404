/*-------------------------------------------------------------------------
 *
 * sliced_trie_sample.c
 *	  The lists of a sample of slices, see sliced_trie_sample.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/sliced_trie_sample.h"

/* How many slices are looked at.  The work is that of a few of the millions of slices on a device. */
#define SAMPLED_SLICES	4

/*
 * A slice on the host, as a block has it on a device: its events by type, and then its lists.  Here a list is
 * only the ends of its entries.
 */
typedef struct SampledSlice
{
	uint32_t   *start;			/* [ntypes + 1] where each type's events begin among "words" */
	MadeList   *made;			/* [TriePlan.lists] */
	uint32_t   *words;			/* the events' moments, and the ends of the lists' entries */
	uint32_t	used;			/* words that are taken */
} SampledSlice;

static cudaError_t
TakeSlice(EpisodesJob *job, const MomentPlan *moments, const TriePlan *plan, SampledSlice *slice)
{
	uint64_t	words = moments->most_events + plan->spill_words / 2;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) job->data->ntypes + 1), (void **) &slice->start));
	GPU_TRY(GpuHostTake(&job->team, sizeof(MadeList) * plan->lists, (void **) &slice->made));
	return GpuHostTake(&job->team, sizeof(uint32_t) * words, (void **) &slice->words);
}

static void
FreeSlice(EpisodesJob *job, SampledSlice *slice)
{
	GpuHostFree(&job->team, slice->words);
	GpuHostFree(&job->team, slice->made);
	GpuHostFree(&job->team, slice->start);
}

/* Fill in the wanted events from "first" to end - 1, and no lists.  at[ntypes] is used on the way. */
static cudaError_t
FillSlice(EpisodesJob *job, const MomentPlan *moments, const uint8_t *wanted, uint32_t first, uint32_t end,
		  uint32_t *at, SampledSlice *slice)
{
	const uint32_t *type = FIM_EPISODES_TYPES(job->data);
	uint32_t	ntypes = job->data->ntypes;

	memset(slice->start, 0, sizeof(uint32_t) * ((size_t) ntypes + 1));
	for (uint32_t i = first; i < end; i++)
	{
		if (i % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, 2 * (uint64_t) EVENTS_AT_ONCE));
		slice->start[type[i] + 1] += wanted[type[i]];
	}
	for (uint32_t t = 0; t < ntypes; t++)
		slice->start[t + 1] += slice->start[t];
	memcpy(at, slice->start, sizeof(uint32_t) * ntypes);
	for (uint32_t i = first; i < end; i++)
	{
		if (i % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, 2 * (uint64_t) EVENTS_AT_ONCE));
		if (wanted[type[i]])
			slice->words[at[type[i]]++] = moments->origin[i];
	}
	slice->used = slice->start[ntypes];
	return HostWork(job, 2 * (uint64_t) ntypes + 1);
}

static MadeList
EventsOfType(const SampledSlice *slice, uint32_t type)
{
	return (MadeList) {slice->start[type], slice->start[type + 1] - slice->start[type]};
}

/* Make the list of a step that makes one. */
static cudaError_t
MakeList(EpisodesJob *job, const TrieStep *step, SampledSlice *slice)
{
	bool		of_type = step->prefix == GPU_NONE;
	MadeList	list = of_type ? EventsOfType(slice, step->prefix_type) : slice->made[step->prefix];
	MadeList	events = of_type || step->suffix == GPU_NONE ? EventsOfType(slice, step->type) : slice->made[step->suffix];
	const uint32_t *entry = slice->words + list.at;
	const uint32_t *event = slice->words + events.at;
	uint32_t   *end = slice->words + slice->used;
	uint32_t	before = 0;		/* entries that are far enough back */
	uint32_t	n = 0;

	for (uint32_t i = 0; i < events.n; i++)
	{
		while (before < list.n && entry[before] < event[i] - step->near)
			before++;
		if (before > 0 && entry[before - 1] >= event[i] - step->far)
			end[n++] = event[i];
	}
	slice->made[step->made] = (MadeList) {slice->used, n};
	slice->used += n;
	return HostWork(job, list.n + (uint64_t) events.n + 1);
}

/* Make all lists of a slice, and add up the words that they take on a device. */
static cudaError_t
MakeLists(EpisodesJob *job, const TriePlan *plan, SampledSlice *slice, uint64_t *words, uint64_t *spilled)
{
	uint32_t	events = slice->used;
	uint64_t	here;

	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->steps[i].made != GPU_NONE)
			GPU_TRY(MakeList(job, &plan->steps[i], slice));
	here = 2 * (uint64_t) (slice->used - events);
	*words += here;
	*spilled += events + here > plan->words ? events + here - plan->words : 0;
	return HostWork(job, plan->n);
}

cudaError_t
SampleSlices(EpisodesJob *job, const MomentPlan *moments, const TriePlan *plan, uint64_t *words, uint64_t *spilled)
{
	uint32_t	n = (uint32_t) GpuLesser(SAMPLED_SLICES, moments->slices);
	SampledSlice slice;
	uint8_t    *wanted;
	uint32_t   *at;

	*words = *spilled = 0;
	GPU_TRY(TakeSlice(job, moments, plan, &slice));
	GPU_TRY(GpuHostTake(&job->team, job->data->ntypes, (void **) &wanted));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * job->data->ntypes, (void **) &at));
	FindWantedTypes(job, wanted);
	for (uint32_t s = 0; s < n; s++)
	{
		uint32_t	number = (uint32_t) ((2 * s + 1) * (uint64_t) moments->slices / (2 * n));

		GPU_TRY(FillSlice(job, moments, wanted, FirstOfSlice(moments, number), EndOfSlice(job->data, moments, number), at,
						  &slice));
		GPU_TRY(MakeLists(job, plan, &slice, words, spilled));
	}
	GpuHostFree(&job->team, at);
	GpuHostFree(&job->team, wanted);
	FreeSlice(job, &slice);
	return cudaSuccess;
}
