/*-------------------------------------------------------------------------
 *
 * sections.c
 *	  Cutting streams into sections, see sections.h.
 *
 * Each section takes some launches and copies, whatever its size.  So there is a bound on
 * how many are made: with less memory than that takes, a job does not begin.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/sections.h"

/* About so many sections are the most; the device's memory for a section is at least what tables of types take. */
#define MOST_SECTIONS	256

/* Events whose types are counted between two looks at whether the job is to stop. */
#define EVENTS_AT_ONCE	(UINT32_C(1) << 16)

/* A given episode takes so little beside the stream that all of it is there or nothing. */
static bool
CanBeCut(const EpisodesJob *job)
{
	return job->asked->episode_length == 0;
}

/* ---- memory ---- */

/* A section's stream is made while all that counting takes is there. */
static uint64_t
MemoryOfSection(const EpisodesJob *job, StreamForm form, CountingMemory counting, const Section *section,
				uint32_t most_events)
{
	return StreamMemory(job->data, section, form, true) + counting(job, most_events);
}

uint64_t
MemoryOfOne(const EpisodesJob *job, StreamForm form, CountingMemory counting)
{
	Section		all = AllEvents(job->data);

	/* counting begins when the stream has been made */
	return GpuGreater(StreamMemory(job->data, &all, form, true),
					  StreamMemory(job->data, &all, form, false) + counting(job, job->most_events));
}

static uint32_t
LargestPartition(const FimEpisodesData *data)
{
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(data);
	uint32_t	largest = 0;

	for (uint32_t p = 0; p < data->partitions; p++)
		largest = (uint32_t) GpuGreater(largest, first_of[p + 1] - first_of[p]);
	return largest;
}

uint64_t
MemoryOfMany(const EpisodesJob *job, StreamForm form, CountingMemory counting)
{
	const FimEpisodesData *data = job->data;
	uint64_t	least = GpuGreater(data->events / MOST_SECTIONS, data->ntypes);
	uint32_t	events = (uint32_t) GpuGreater(LargestPartition(data), GpuLesser(least, data->events));
	Section		section = {.events = events, .partitions = (uint32_t) GpuLesser(events, data->partitions)};
	uint64_t	all = MemoryOfOne(job, form, counting);

	if (!CanBeCut(job))
		return all;
	return GpuLesser(all, MemoryOfSection(job, form, counting, &section,
										  (uint32_t) GpuLesser(events, job->most_events)));
}

/* ---- cutting ---- */

/* Add the events of a partition to the numbers of events of each type, n[ntypes]. */
static cudaError_t
CountTypes(EpisodesJob *job, CutSection *cut, uint32_t *n, uint32_t first, uint32_t end)
{
	const uint32_t *type = FIM_EPISODES_TYPES(job->data);

	while (first < end)
	{
		uint32_t	stop = (uint32_t) GpuLesser(end, (uint64_t) first + EVENTS_AT_ONCE);

		GPU_TRY(HostWork(job, 2 * (uint64_t) (stop - first)));
		for (; first < stop; first++)
			cut->most_events = (uint32_t) GpuGreater(cut->most_events, ++n[type[first]]);
	}
	return cudaSuccess;
}

/* A section of as many partitions as there is room for, but of one with events at least. */
static cudaError_t
CutNext(EpisodesJob *job, StreamForm form, CountingMemory counting, uint64_t room, CutSection *cut)
{
	const FimEpisodesData *data = job->data;
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(data);
	Section    *section = &cut->section;
	uint32_t   *n = cut->start + 1;

	memset(cut->start, 0, sizeof(uint32_t) * ((size_t) data->ntypes + 1));
	for (uint32_t p = section->first_partition; p < data->partitions; p++)
	{
		Section		longer = *section;
		uint64_t	most = (uint64_t) cut->most_events + first_of[p + 1] - first_of[p];

		longer.events = first_of[p + 1] - section->first_event;
		longer.partitions++;
		if (section->events > 0 &&
			MemoryOfSection(job, form, counting, &longer, (uint32_t) GpuLesser(most, job->most_events)) > room)
			break;
		GPU_TRY(CountTypes(job, cut, n, first_of[p], first_of[p + 1]));
		*section = longer;
		GPU_TRY(HostWork(job, 10));
	}
	for (uint32_t type = 0; type < data->ntypes; type++)
		n[type] += cut->start[type];
	return HostWork(job, data->ntypes);
}

/* An array of places of types' events for the next section, which has no events yet. */
static cudaError_t
AddSection(EpisodesJob *job, Sections *sections, const Section *after)
{
	CutSection *cut;

	GPU_TRY(GpuHostRoom(&job->team, (void **) &sections->cut, sections->n, (uint64_t) sections->n + 1,
						&sections->cut_room, sizeof(CutSection)));
	cut = &sections->cut[sections->n++];
	*cut = (CutSection) {.section = {.first_event = after->first_event + after->events,
	.first_partition = after->first_partition + after->partitions}};
	return GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) job->data->ntypes + 1), (void **) &cut->start);
}

static cudaError_t
CutAll(EpisodesJob *job, StreamForm form, CountingMemory counting, Sections *sections)
{
	uint64_t	room = GpuLeastRoom(&job->team);
	Section		last = {0, 0, 0, 0};

	while (last.first_event + last.events < job->data->events)
	{
		GPU_TRY(AddSection(job, sections, &last));
		GPU_TRY(CutNext(job, form, counting, room, &sections->cut[sections->n - 1]));
		last = sections->cut[sections->n - 1].section;
	}
	return cudaSuccess;
}

/* All of the stream, whose types have been counted. */
static cudaError_t
CutNothing(EpisodesJob *job, Sections *sections)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &sections->cut, 0, 1, &sections->cut_room, sizeof(CutSection)));
	sections->cut[sections->n++] = (CutSection) {AllEvents(job->data), job->start, job->most_events};
	return cudaSuccess;
}

cudaError_t
SectionsOpen(EpisodesJob *job, StreamForm form, CountingMemory counting, Sections *sections)
{
	memset(sections, 0, sizeof(*sections));
	sections->form = form;
	if (!CanBeCut(job) || MemoryOfOne(job, form, counting) <= GpuLeastRoom(&job->team))
		GPU_TRY(CutNothing(job, sections));
	else
		GPU_TRY(CutAll(job, form, counting, sections));
	sections->at = sections->n;
	job->least = sections->n > 1 ? 1 : job->asked->minsup;
	return SectionsTurnTo(job, sections, 0);
}

cudaError_t
SectionsTurnTo(EpisodesJob *job, Sections *sections, uint32_t number)
{
	const CutSection *cut = &sections->cut[number];

	if (sections->at == number)
		return cudaSuccess;
	if (sections->at < sections->n)
		GPU_TRY(StreamClose(job, &sections->stream));
	sections->at = number;
	job->section = cut->section;
	job->start = cut->start;
	job->most_events = cut->most_events;
	return StreamOpen(job, &sections->stream, sections->form);
}
