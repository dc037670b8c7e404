/*-------------------------------------------------------------------------
 *
 * occurrence.c
 *	  Counting candidates by their occurrences, see episodes.h.
 *
 * The beginnings of a cohort's candidates are gone through in parts.  If a part turns out
 * to have more chains than there is room for, it is halved.  There is always room for the chains of
 * one beginning, because they end with different events of a type.
 *
 * One of the team's devices does all of it, because the host has to learn the number of chains
 * before they can be extended again.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/episodes/episodes.h"
#include "team.h"

#define MOST_CHAINS		(UINT64_C(1) << 24)
#define FEWEST_CHAINS	(UINT64_C(1) << 16)

/* Chains may take one part in so many of the device's free memory. */
#define CHAIN_PART		2

/* Bytes for each chain that there is room for, without scratch memory. */
#define CHAIN_BYTES		(2 * sizeof(Chain) + sizeof(NextEvents) + sizeof(uint64_t) + 2 * sizeof(uint32_t))

typedef struct Occurrences
{
	GpuDevice  *device;
	Compaction	compaction;
	uint32_t	room;			/* the most chains at a time */
	Chain	   *chains[2];		/* [room] */
	NextEvents *found;			/* [room] */
	uint64_t   *sums;			/* [room + 1] */
	void	   *scratch;
	size_t		scratch_bytes;
	Beginnings	beginnings;
	uint64_t	all;			/* the number of all beginnings of the cohort */
} Occurrences;

/* What the candidates of a cohort take, and scratch memory for the fewest chains. */
#define LEAST_BYTES		(UINT64_C(32) << 20)

static const char *const what = "allocating chains";

uint64_t
OccurrenceLeast(uint32_t most_events)
{
	return (CHAIN_BYTES + sizeof(Chain)) * GpuGreater(FEWEST_CHAINS, most_events) + LEAST_BYTES;
}

static cudaError_t
Take(const Occurrences *o, size_t bytes, void *to)
{
	return GpuAlloc(o->device, bytes, what, (void **) to);
}

static cudaError_t
OpenChains(EpisodesJob *job, Occurrences *o)
{
	uint64_t	room = GpuRoom(o->device) / CHAIN_PART / CHAIN_BYTES;
	size_t		scan_bytes;

	GPU_TRY(GpuUse(o->device, what));
	room = GpuGreater(GpuBetween(FEWEST_CHAINS, room, MOST_CHAINS), job->most_events);
	o->room = (uint32_t) room;
	GPU_TRY(Take(o, sizeof(Chain) * room, &o->chains[0]));
	GPU_TRY(Take(o, sizeof(Chain) * room, &o->chains[1]));
	GPU_TRY(Take(o, sizeof(NextEvents) * room, &o->found));
	GPU_TRY(Take(o, sizeof(uint64_t) * (room + 1), &o->sums));
	GPU_TRY(Take(o, sizeof(uint32_t) * room, &o->beginnings.candidate));
	GPU_TRY(Take(o, sizeof(uint32_t) * room, &o->beginnings.start));
	GPU_TRY(GpuCheck(o->device, ScanScratch(o->room, &scan_bytes), what));
	GPU_TRY(GpuCheck(o->device, SortScratch(o->room, &o->scratch_bytes), what));
	o->scratch_bytes = GpuGreater(o->scratch_bytes, scan_bytes);
	return Take(o, GpuGreater(o->scratch_bytes, 1), &o->scratch);
}

static cudaError_t
CloseChains(const Occurrences *o)
{
	void	   *all[] = {o->chains[0], o->chains[1], o->found, o->sums, o->scratch, o->beginnings.candidate,
	o->beginnings.start};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GPU_TRY(GpuFree(o->device, all[i]));
	return cudaSuccess;
}

/* Put the candidates of a cohort on the device, and the number of the first beginning of each. */
static cudaError_t
OpenBeginnings(EpisodesJob *job, const Chosen *chosen, Occurrences *o)
{
	const CandidateBatch *batch = chosen->batch;
	const EpisodeLevels *levels = batch->levels;
	Beginnings *b = &o->beginnings;
	uint32_t	n = b->cohort.n;
	uint32_t	run = 0;
	uint64_t   *at;
	uint64_t   *on_device;

	GPU_TRY(OpenCohort(job, chosen, &b->cohort));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint64_t) * ((size_t) n + 1), (void **) &at));
	o->all = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	number = CandidateAt(batch, ChosenNumber(chosen, b->cohort.first + i), &run).prefix;

		for (uint32_t k = levels->n - 2; k > 1; k--)
			number = levels->level[k].prefix[number];
		at[i] = o->all;
		o->all += EventsOf(job, levels->level[1].type[number]);
	}
	at[n] = o->all;
	GPU_TRY(Take(o, sizeof(uint64_t) * ((size_t) n + 1), &on_device));
	GPU_TRY(GpuSend(&job->team, o->device, GPU_COUNT, on_device, at, sizeof(uint64_t) * ((size_t) n + 1),
					"copying candidates"));
	b->at = on_device;
	GpuHostFree(&job->team, at);
	return cudaSuccess;
}

static cudaError_t
CloseBeginnings(EpisodesJob *job, const Chosen *chosen, Occurrences *o)
{
	Beginnings *b = &o->beginnings;

	GPU_TRY(CloseCohort(job, chosen, &b->cohort));
	return GpuFree(o->device, (void *) b->at);
}

/* ---- the search for next events ---- */

static cudaError_t
ReceiveTotal(EpisodesJob *job, const Occurrences *o, const uint64_t *from, uint64_t *total)
{
	return GpuReceive(&job->team, o->device, total, from, sizeof(uint64_t), "counting chains");
}

/*
 * Make longer chains in the second array from n chains in the first one.  If *total is more than the room,
 * nothing is written.
 */
static cudaError_t
ExtendByScan(EpisodesJob *job, Occurrences *o, uint32_t place, uint32_t n, uint64_t *total)
{
	GPU_TRY(CountNext(o->device, &o->beginnings, place, o->chains[0], n, o->found));
	GPU_TRY(ScanFound(o->device, o->scratch, o->scratch_bytes, o->found, n, o->sums));
	GPU_TRY(ReceiveTotal(job, o, o->sums + n, total));
	if (*total > o->room)
		return cudaSuccess;
	return WriteNext(o->device, &o->beginnings, o->chains[0], n, o->found, o->sums, o->chains[1]);
}

/* The same with atomics.  If *total is more than the room, the second array is not complete. */
static cudaError_t
ExtendByAtomics(EpisodesJob *job, Occurrences *o, uint32_t place, uint32_t n, uint64_t *total)
{
	Chain	   *sorted;

	GPU_TRY(GpuCheck(o->device, cudaMemsetAsync(o->sums, 0, sizeof(uint64_t), o->device->streams[GPU_COUNT]),
					 "counting chains"));
	GPU_TRY(CompactNext(o->device, &o->beginnings, place, o->chains[0], n, o->chains[1], o->room, o->sums));
	GPU_TRY(ReceiveTotal(job, o, o->sums, total));
	if (*total > o->room || *total == 0)
		return cudaSuccess;
	GPU_TRY(SortChains(o->device, o->scratch, o->scratch_bytes, o->chains[1], o->chains[0], (uint32_t) *total, &sorted));
	if (sorted == o->chains[0])
	{
		o->chains[0] = o->chains[1];
		o->chains[1] = sorted;
	}
	return cudaSuccess;
}

/*
 * Find and count the occurrences from the beginnings at hand.  If there are too many chains, *fits becomes
 * false, and nothing has been counted.
 */
static cudaError_t
SearchFrom(EpisodesJob *job, Occurrences *o, bool *fits)
{
	uint64_t	n = o->beginnings.n;

	GPU_TRY(BeginChains(o->device, &o->beginnings, o->chains[0]));
	for (uint32_t place = 1; place < o->beginnings.cohort.length && n > 0; place++)
	{
		Chain	   *longer;
		uint64_t	total;

		if (o->compaction == BY_SCAN)
			GPU_TRY(ExtendByScan(job, o, place, (uint32_t) n, &total));
		else
			GPU_TRY(ExtendByAtomics(job, o, place, (uint32_t) n, &total));
		*fits = total <= o->room;
		if (!*fits)
			return cudaSuccess;
		longer = o->chains[1];
		o->chains[1] = o->chains[0];
		o->chains[0] = longer;
		n = total;
	}
	*fits = true;
	return n > 0 ? TakeChains(o->device, &o->beginnings, o->chains[0], (uint32_t) n) : cudaSuccess;
}

/* Do all beginnings of a cohort, in parts of as many as fit. */
static cudaError_t
SearchCohort(EpisodesJob *job, Occurrences *o)
{
	Beginnings *b = &o->beginnings;
	uint64_t	part = o->room;

	for (b->first = 0; b->first < o->all;)
	{
		GpuTimer   *timer;
		bool		fits;

		GPU_TRY(GpuThrottle(&job->team, o->device, "searching for occurrences"));
		b->n = (uint32_t) GpuLesser(part, o->all - b->first);
		GPU_TRY(GpuBegin(o->device, GPU_COUNT, FIM_GPU_COUNT, b->n, &timer));
		GPU_TRY(SearchFrom(job, o, &fits));
		GPU_TRY(GpuEnd(o->device, GPU_COUNT, timer));
		if (fits)
			b->first += b->n;
		part = fits ? GpuLesser(o->room, 2 * (uint64_t) b->n) : b->n / 2;
	}
	return cudaSuccess;
}

/* ---- batches ---- */

cudaError_t
CountByChains(EpisodesJob *job, const EventStream *stream, const Chosen *chosen, Compaction compaction)
{
	Occurrences o;

	if (chosen->n == 0)
		return cudaSuccess;
	memset(&o, 0, sizeof(o));
	o.device = job->team.devices[0];
	o.compaction = compaction;
	GPU_TRY(OpenChains(job, &o));
	for (uint32_t next = 0; next < chosen->n; next += o.beginnings.cohort.n)
	{
		CandidateCohort *cohort = &o.beginnings.cohort;

		cohort->device = o.device;
		cohort->stream = &stream->on[0];
		cohort->first = next;
		cohort->n = (uint32_t) GpuLesser(chosen->n - next, CohortMost(chosen->batch->levels->n - 1));
		GPU_TRY(OpenBeginnings(job, chosen, &o));
		GPU_TRY(SearchCohort(job, &o));
		GPU_TRY(CloseBeginnings(job, chosen, &o));
	}
	return CloseChains(&o);
}

typedef struct ByOccurrence
{
	const EventStream *stream;
	Compaction	compaction;
} ByOccurrence;

static cudaError_t
CountBatch(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	const ByOccurrence *by = (const ByOccurrence *) of;
	Chosen		all = {.batch = batch, .n = batch->n};

	GPU_TRY(CountByChains(job, by->stream, &all, by->compaction));
	ChooseFound(batch, job->least);
	return HostWork(job, batch->n);
}

cudaError_t
OccurrenceMine(EpisodesJob *job, Sections *sections, Compaction compaction)
{
	static const SearchStrategy strategy = {.count = CountBatch};
	ByOccurrence by = {&sections->stream, compaction};

	return SearchEpisodes(job, sections, &strategy, &by);
}
