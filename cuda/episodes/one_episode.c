/*-------------------------------------------------------------------------
 *
 * one_episode.c
 *	  Counting a given episode, or listing its occurrences, see episodes.h.
 *
 * The lists of all prefixes of the episode are made.  Extending the last of them by the last type
 * counts the occurrences, or tells where they end, and from there the lists lead back to the
 * other events.  A list is made from the one before alone, so two halves of memory take turns: for the
 * starts of all lists, and, if occurrences are only counted, for their ends, too.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "episodes/lists.h"
#include "team.h"

/* The most instants that are found in a launch, and copied together, but at least those of one occurrence. */
#define INSTANTS_AT_ONCE	(UINT32_C(1) << 20)

typedef struct Given
{
	GpuDevice  *device;
	const DeviceStream *stream;
	uint32_t	length;
	const uint32_t *types;		/* [length] */
	const uint32_t *gaps;		/* [length - 1] */
	DeviceList *host_lists;		/* [length] of the prefixes, and of the episode itself, which only gets ends */
	Extension  *host_extensions; /* [length - 1] */

	/* on the device, the same and what extending takes */
	DeviceList *lists;
	Extension  *extensions;
	Pause	   *pauses;
	Counted    *counted;
	Leg	   *legs;				/* [LEG_ROOM] */
} Given;

static const char *const what = "extending lists";

/* For the estimate: what the small arrays take for each event of the episode, and what arrays are rounded up by. */
#define EACH_BYTES		(sizeof(DeviceList) + sizeof(Extension) + sizeof(Pause) + sizeof(Counted) + 3 * sizeof(uint32_t))
#define ROUNDED_UP		4096
#define SPARE_BYTES		(UINT64_C(1) << 16)

/* The most events of any of the episode's types but the first one, whose events lie in the stream. */
static uint64_t
MostEvents(const FimEpisodesSpec *spec, const FimEpisodesData *data)
{
	uint64_t	most = 0;

	for (uint32_t k = 1; k < spec->episode_length; k++)
		most = GpuGreater(most, FIM_EPISODES_COUNTS(data)[spec->words[k]]);
	return most;
}

uint64_t
OneEpisodeMemory(const FimEpisodesSpec *spec, const FimEpisodesData *data)
{
	uint64_t	halves = (spec->head.count_only ? 2 * LIST_ENTRY : 2 * sizeof(uint32_t)) * MostEvents(spec, data);
	uint64_t	bytes = INSTANTS_AT_ONCE * sizeof(uint32_t) + LEG_ROOM * sizeof(Leg) + SPARE_BYTES +
		EACH_BYTES * (uint64_t) spec->episode_length + halves;

	for (uint32_t k = 1; k < spec->episode_length && !spec->head.count_only; k++)
		bytes += sizeof(uint32_t) * (uint64_t) FIM_EPISODES_COUNTS(data)[spec->words[k]] + ROUNDED_UP;
	return bytes;
}

static cudaError_t
Take(const Given *g, size_t bytes, void *address)
{
	return GpuAlloc(g->device, bytes > 0 ? bytes : 1, "allocating lists of occurrences", (void **) address);
}

static cudaError_t
Send(EpisodesJob *job, const Given *g, void *to, const void *from, size_t bytes)
{
	return GpuSend(&job->team, g->device, GPU_COUNT, to, from, bytes, what);
}

/*
 * Take room for the lists.  Each has room for all events of its last type.  The ends of all lists stay if
 * occurrences are to be listed.
 */
static cudaError_t
TakeLists(EpisodesJob *job, Given *g)
{
	size_t		most = MostEvents(job->spec, job->data);
	uint32_t   *start[2];
	uint32_t   *end[2] = {NULL, NULL};

	for (int half = 0; half < 2; half++)
	{
		GPU_TRY(Take(g, sizeof(uint32_t) * most, &start[half]));
		if (job->summary != NULL)
			GPU_TRY(Take(g, sizeof(uint32_t) * most, &end[half]));
	}
	g->host_lists[0] = ListOfType(job, g->stream, g->types[0]);
	for (uint32_t k = 1; k < g->length; k++)
	{
		g->host_lists[k] = (DeviceList) {end[k % 2], start[k % 2], 0};
		if (job->summary == NULL)
			GPU_TRY(Take(g, sizeof(uint32_t) * (size_t) EventsOf(job, g->types[k]), &g->host_lists[k].end));
	}
	return HostWork(job, g->length);
}

/* Take room for the lists, and send what makes each list from the one before. */
static cudaError_t
OpenGiven(EpisodesJob *job, Given *g)
{
	size_t		n = g->length;

	GPU_TRY(GpuHostTake(&job->team, sizeof(DeviceList) * n, (void **) &g->host_lists));
	GPU_TRY(GpuHostTake(&job->team, sizeof(Extension) * n, (void **) &g->host_extensions));
	GPU_TRY(TakeLists(job, g));
	for (uint32_t k = 1; k < n; k++)
		g->host_extensions[k - 1] = (Extension) {k - 1, g->types[k], g->gaps[k - 1], k};
	GPU_TRY(Take(g, sizeof(DeviceList) * n, &g->lists));
	GPU_TRY(Take(g, sizeof(Extension) * n, &g->extensions));
	GPU_TRY(Take(g, sizeof(Pause) * n, &g->pauses));
	GPU_TRY(Take(g, sizeof(Counted) * n, &g->counted));
	GPU_TRY(Take(g, sizeof(Leg) * LEG_ROOM, &g->legs));
	GPU_TRY(Send(job, g, g->lists, g->host_lists, sizeof(DeviceList) * n));
	return Send(job, g, g->extensions, g->host_extensions, sizeof(Extension) * (n - 1));
}

/* Extend the list of the prefix of k types. */
static cudaError_t
ExtendTo(EpisodesJob *job, const Given *g, ExtensionMode mode, uint32_t k)
{
	ExtensionRun run = {.device = g->device, .extensions = g->host_extensions + k - 1, .n = 1,
		.extending = {.mode = mode, .stream = *g->stream, .lists = g->lists, .extensions = g->extensions + k - 1,
			.pauses = g->pauses, .counted = g->counted, .made = g->lists, .legs = g->legs}};

	return RunExtensions(job, &run, 1);
}

/*
 * Make the lists of all prefixes, and then count the occurrences, or take their ends.  *support becomes their
 * number.
 */
static cudaError_t
FindOccurrences(EpisodesJob *job, const Given *g, ExtensionMode mode, uint32_t *support)
{
	const uint32_t *from = mode == COUNT_EXTENSIONS ? &g->counted[g->length - 1].support :
		&g->lists[g->length - 1].n;

	*support = g->host_lists[0].n;
	if (g->length == 1)
		return cudaSuccess;
	for (uint32_t k = 1; k < g->length; k++)
		GPU_TRY(ExtendTo(job, g, k + 1 < g->length ? WRITE_EXTENSIONS : mode, k));
	return GpuReceive(&job->team, g->device, support, from, sizeof(uint32_t), "copying supports");
}

/*
 * Write n occurrences, whose instants are instants[n][length].  They come in the order of partitions;
 * *partition is one up to that of the first occurrence, and becomes that of the last one.
 */
static cudaError_t
WriteOccurrences(EpisodesJob *job, const Given *g, const uint32_t *instants, uint32_t n, uint32_t *partition,
				 GpuRecords *records)
{
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(job->data);
	const FimTime *time = FIM_EPISODES_TIMES(job->data);

	for (uint32_t o = 0; o < n; o++)
	{
		uint32_t   *to;

		for (; first_of[*partition + 1] <= instants[0]; ++*partition)
			GPU_TRY(HostWork(job, 2));
		GPU_TRY(GpuAddRecord(&job->team, records, FIM_EPISODES_OCCURRENCE_WORDS(g->length), &to));
		*to++ = *partition;
		for (uint32_t k = 0; k < g->length; k++, to += 2)
			memcpy(to, &time[*instants++], sizeof(FimTime));
	}
	return cudaSuccess;
}

/* Find and write the events of all occurrences, whose ends are known. */
static cudaError_t
GiveOccurrences(EpisodesJob *job, const Given *g, uint32_t support)
{
	uint32_t	most = (uint32_t) GpuGreater(INSTANTS_AT_ONCE / g->length, 1);
	WalkBack	walk = {.stream = *g->stream, .length = g->length, .lists = g->lists,
	.end = g->host_lists[g->length - 1].end};
	GpuRecords	records = {job->sink};
	uint32_t	partition = 0;
	uint32_t   *words;
	uint32_t   *instants;
	uint32_t   *on_device;

	GPU_TRY(Take(g, sizeof(uint32_t) * (2 * (size_t) g->length - 1), &words));
	GPU_TRY(Send(job, g, words, g->types, sizeof(uint32_t) * (2 * (size_t) g->length - 1)));
	walk.types = words;
	walk.gaps = words + g->length;
	GPU_TRY(Take(g, sizeof(uint32_t) * most * g->length, &on_device));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * most * g->length, (void **) &instants));
	for (uint32_t first = 0; first < support;)
	{
		uint32_t	n = (uint32_t) GpuLesser(most, support - first);

		GPU_TRY(FindEvents(g->device, &walk, first, n, on_device));
		GPU_TRY(GpuReceive(&job->team, g->device, instants, on_device,
						   sizeof(uint32_t) * (size_t) n * g->length, "copying occurrences"));
		GPU_TRY(WriteOccurrences(job, g, instants, n, &partition, &records));
		first += n;
	}
	return GpuEndRecords(&job->team, &records);
}

cudaError_t
OneEpisode(EpisodesJob *job, EventStream *stream)
{
	uint32_t	length = job->spec->episode_length;
	Given		g = {.device = job->team.devices[0], .stream = &stream->on[0], .length = length,
	.types = job->spec->words, .gaps = job->spec->words + length};
	uint32_t	support;

	job->team.shared->total = 1;
	job->team.shared->done = 0;
	job->team.candidates = 1;
	GPU_TRY(GpuUse(g.device, what));
	GPU_TRY(OpenGiven(job, &g));
	GPU_TRY(FindOccurrences(job, &g, job->summary != NULL ? COUNT_EXTENSIONS : TAKE_EXTENSIONS, &support));
	if (job->summary == NULL)
		GPU_TRY(GiveOccurrences(job, &g, support));
	else
	{
		job->summary[0] = support;
		__atomic_fetch_add(&job->team.shared->results, support, __ATOMIC_RELAXED);
	}
	FimUnitDone(job->team.shared);
	return cudaSuccess;
}
