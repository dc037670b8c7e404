/*-------------------------------------------------------------------------
 *
 * sections.c
 *	  Cutting streams into sections, see episodes.h.
 *
 * First it is told what streams are cut at and how far halos reach back, then what memory sections
 * take, then how they are cut.
 *
 * Each section takes some launches and copies, whatever its size.  So there is a bound on
 * how many sections are made, and a job does not begin if it has too little memory for sections
 * of that size.  But if halos turn out to be too short, and there is too little memory for longer
 * ones, the job fails.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"

/* ---- strands: partitions, and parts of the large ones ---- */

/*
 * An occurrence that ends in a part of a partition may begin before it, but not further
 * back than the gaps reach.  The events before the part with which such an occurrence may begin are
 * its halo.  A gap without an upper bound reaches back to the beginning of the partition, so with
 * such a gap no partition is cut.
 */

/* Events of one partition. */
typedef struct Strand
{
	uint32_t	partition;
	uint32_t	begin;
	uint32_t	end;
} Strand;

/* Before the first strand of a stream. */
#define NO_STRAND	((Strand) {0, 0, 0})

/* About the most strands that large partitions are cut into, and sections that small ones are put into. */
#define MOST_STRANDS		256

/*
 * The events of a strand, at least as many as there are types: a section takes memory for tables of types
 * anyway.
 */
static uint64_t
StrandEvents(const FimEpisodesData *data)
{
	return GpuGreater(data->events / MOST_STRANDS, data->ntypes);
}

/* The edge that reaches furthest; FIM_NO_EDGE if a gap has no upper bound. */
static uint64_t
GreatestEdge(const FimEpisodesData *data)
{
	return FIM_EPISODES_EDGES(data)[data->nedges - 1];
}

/* The most events of a strand: a partition that has more is cut. */
static uint64_t
MostOfStrand(const FimEpisodesData *data)
{
	return GreatestEdge(data) == FIM_NO_EDGE ? data->events : StrandEvents(data);
}

/* Goes on to the next strand that has events.  Returns false if there is none. */
static bool
NextStrand(const FimEpisodesData *data, Strand *strand)
{
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(data);

	while (strand->partition < data->partitions && first_of[strand->partition + 1] == strand->end)
		strand->partition++;
	if (strand->partition == data->partitions)
		return false;
	strand->begin = strand->end;
	strand->end = (uint32_t) GpuLesser(strand->begin + MostOfStrand(data), first_of[strand->partition + 1]);
	return true;
}

/* The first event from "low" on that an event can follow under some gap; the event itself if there is none. */
static uint32_t
ReachBack(const FimEpisodesData *data, uint32_t low, uint32_t event)
{
	const FimTime *time = FIM_EPISODES_TIMES(data);
	uint64_t	edge = GreatestEdge(data);
	uint32_t	high = event;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (FimIsBeyond(FimTimeKey(data->real != 0, time[event], time[middle]), edge))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The first event of the halo of a strand, for episodes of at most "length" events; the strand's own if it has
 * no halo.
 *
 * Goes back from event to event, as an occurrence does, because a sum of gaps might be rounded.
 */
static uint32_t
HaloBegin(const FimEpisodesData *data, const Strand *strand, uint32_t length)
{
	uint32_t	first = FIM_EPISODES_PARTITIONS(data)[strand->partition];
	uint32_t	event = strand->begin;

	for (uint32_t k = 1; k < length && event > first; k++)
	{
		uint32_t	before = ReachBack(data, first, event);

		if (before == event)
			break;
		event = before;
	}
	return event;
}

/*
 * The events that a section has to have room for at the least: those of any strand with its halo, and so many
 * that there are not too many sections where partitions are small.
 */
static uint32_t
LeastSection(const FimEpisodesData *data, uint32_t length)
{
	Strand strand = NO_STRAND;
	uint64_t	events = GpuLesser(StrandEvents(data), data->events);

	while (NextStrand(data, &strand))
		events = GpuGreater(events, strand.end - HaloBegin(data, &strand, length));
	return (uint32_t) events;
}

/* Halos are made for episodes of so many events before it is known how long they become. */
#define FIRST_LENGTH	8

/* The length of episodes for which halos are made at first. */
static uint32_t
FirstLength(const EpisodesJob *job)
{
	return (uint32_t) GpuLesser(job->deepest, FIRST_LENGTH);
}

/*
 * Whether the stream may be cut.  For a given episode, counting takes so little beside it that all of it has
 * to fit.
 */
static bool
CanBeCut(const EpisodesJob *job)
{
	return job->spec->episode_length == 0;
}

/* ---- memory ---- */

/*
 * The bytes for a section out of many: its stream is made while the memory for counting has been taken
 * already.
 */
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

	/* memory for counting is taken when the stream has been made */
	return GpuGreater(StreamMemory(job->data, &all, form, true),
					  StreamMemory(job->data, &all, form, false) + counting(job, job->most_events));
}

uint64_t
MemoryOfMany(const EpisodesJob *job, StreamForm form, CountingMemory counting)
{
	const FimEpisodesData *data = job->data;
	uint32_t	events = LeastSection(data, FirstLength(job));
	Section		section = {.events = events, .partitions = (uint32_t) GpuLesser(events, data->partitions)};
	uint64_t	all = MemoryOfOne(job, form, counting);

	if (!CanBeCut(job))
		return all;
	return GpuLesser(all, MemoryOfSection(job, form, counting, &section,
										  (uint32_t) GpuLesser(events, job->most_events)));
}

/* ---- cutting ---- */

/* Add the events of a strand or a halo to the numbers of events of each type, n[ntypes]. */
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

/*
 * Cut a section of as many strands, from *strand on, as there is room for, but of at least one.  *strand becomes
 * the first one that is not in the section, if there are *more.
 */
static cudaError_t
CutNext(EpisodesJob *job, const Sections *sections, CutSection *cut, Strand *strand, bool *more)
{
	Section    *section = &cut->section;
	uint32_t   *n = cut->start + 1;

	section->first_event = HaloBegin(job->data, strand, sections->length);
	section->first_partition = strand->partition;
	cut->halo = strand->begin - section->first_event;
	memset(cut->start, 0, sizeof(uint32_t) * ((size_t) job->data->ntypes + 1));
	GPU_TRY(CountTypes(job, cut, n, section->first_event, strand->begin));
	for (; *more; *more = NextStrand(job->data, strand))
	{
		Section		longer = *section;
		uint64_t	most = (uint64_t) cut->most_events + strand->end - strand->begin;

		longer.events = strand->end - section->first_event;
		longer.partitions = strand->partition - section->first_partition + 1;
		if (section->events > 0 && MemoryOfSection(job, sections->form, sections->counting, &longer,
												   (uint32_t) GpuLesser(most, sections->most_events)) > sections->room)
			break;
		GPU_TRY(CountTypes(job, cut, n, strand->begin, strand->end));
		*section = longer;
		GPU_TRY(HostWork(job, 10));
	}
	for (uint32_t type = 0; type < job->data->ntypes; type++)
		n[type] += cut->start[type];
	return HostWork(job, job->data->ntypes);
}

/* Add a section that has no events yet. */
static cudaError_t
AddSection(EpisodesJob *job, Sections *sections)
{
	CutSection *cut;

	GPU_TRY(GpuHostRoom(&job->team, (void **) &sections->cut, sections->n, (uint64_t) sections->n + 1,
						&sections->cut_room, sizeof(CutSection)));
	cut = &sections->cut[sections->n++];
	memset(cut, 0, sizeof(*cut));
	return GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) job->data->ntypes + 1), (void **) &cut->start);
}

static cudaError_t
CutAll(EpisodesJob *job, Sections *sections)
{
	Strand strand = NO_STRAND;
	bool		more = NextStrand(job->data, &strand);

	sections->halos = false;
	while (more)
	{
		GPU_TRY(AddSection(job, sections));
		GPU_TRY(CutNext(job, sections, &sections->cut[sections->n - 1], &strand, &more));
		sections->halos |= sections->cut[sections->n - 1].halo > 0;
	}
	return cudaSuccess;
}

/* Make one section of all the stream, whose events of each type have been counted already. */
static cudaError_t
CutNothing(EpisodesJob *job, Sections *sections)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &sections->cut, 0, 1, &sections->cut_room, sizeof(CutSection)));
	sections->cut[sections->n++] = (CutSection) {AllEvents(job->data), 0, job->start, job->most_events};
	return cudaSuccess;
}

cudaError_t
SectionsOpen(EpisodesJob *job, StreamForm form, CountingMemory counting, Sections *sections)
{
	*sections = (Sections) {.form = form, .counting = counting, .room = GpuLeastRoom(&job->team),
		.most_events = job->most_events, .length = FirstLength(job)};
	if (!CanBeCut(job) || MemoryOfOne(job, form, counting) <= sections->room)
		GPU_TRY(CutNothing(job, sections));
	else
		GPU_TRY(CutAll(job, sections));
	sections->at = sections->n;
	job->least = sections->n > 1 ? 1 : job->spec->minsup;
	return SectionsTurnTo(job, sections, 0);
}

cudaError_t
SectionsLengthen(EpisodesJob *job, Sections *sections, uint32_t length)
{
	if (!sections->halos || length <= sections->length)
		return cudaSuccess;
	GPU_TRY(StreamClose(job, &sections->stream));
	for (uint32_t s = 0; s < sections->n; s++)
		GpuHostFree(&job->team, sections->cut[s].start);
	sections->n = 0;
	sections->length = (uint32_t) GpuLesser(job->deepest, 2 * (uint64_t) length);
	GPU_TRY(CutAll(job, sections));
	sections->at = sections->n;
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
