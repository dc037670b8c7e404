/*-------------------------------------------------------------------------
 *
 * walkers.c
 *	  Cutting walks along the stream into launches, see episodes.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/episodes/episodes.h"
#include "episodes/episodes.h"
#include "team.h"

/*
 * How many events, counted once for each candidate, the first launch looks at; and the most events that a
 * thread looks at in any launch.
 */
#define FIRST_STEPS		1e8
#define EVENTS_A_LAUNCH	(UINT32_C(1) << 18)

/* A cohort's lists take at most one part in so many of a device's memory. */
#define LIST_PART		2

/* A cohort on its way along the stream. */
typedef struct Walker
{
	CandidateCohort cohort;
	bool		bounds;			/* upper bounds are wanted, and "automata" is not used; otherwise "upper" is not */
	Automata	automata;
	UpperBounds upper;
	uint32_t	next;			/* the first event that the cohort has not come to */
} Walker;

/*
 * The least memory has room for the lists of a candidate with LEAST_PLACES places, and LEAST_BYTES for all
 * else that a small cohort takes.
 */
#define LEAST_PLACES	16
#define LEAST_BYTES		(UINT64_C(64) << 20)

static const char *const what = "allocating automata";

uint64_t
WalkersLeast(uint32_t most_events)
{
	return LIST_PART * LEAST_PLACES * sizeof(uint32_t) * (uint64_t) most_events + LEAST_BYTES;
}

/*
 * Memory.
 */

/* The most events that the lists of a candidate hold together; "number" is its prefix. */
static uint64_t
ListEvents(const EpisodesJob *job, const CandidateBatch *batch, uint32_t number)
{
	uint64_t	events = 0;

	for (uint32_t k = batch->levels->n - 2; k > 0; k--)
	{
		events += EventsOf(job, batch->levels->level[k].type[number]);
		number = batch->levels->level[k].prefix[number];
	}
	return events;
}

/* Set how many of the candidates chosen a cohort takes, from its first one on: at least one. */
static void
SizeCohort(const EpisodesJob *job, const Chosen *chosen, Walker *w)
{
	uint32_t	most = CohortMost(chosen->batch->levels->n - 1);
	uint64_t	room = GpuRoom(w->cohort.device) / LIST_PART / sizeof(uint32_t);
	uint64_t	events = 0;
	uint32_t	left = chosen->n - w->cohort.first;
	uint32_t	run = 0;

	for (w->cohort.n = 0; w->cohort.n < left && w->cohort.n < most; w->cohort.n++)
	{
		if (!w->bounds)
		{
			uint32_t	c = ChosenNumber(chosen, w->cohort.first + w->cohort.n);

			events += ListEvents(job, chosen->batch, CandidateAt(chosen->batch, c, &run).prefix);
		}
		if (events > room && w->cohort.n > 0)
			break;
	}
}

/* Take memory for the automata's lists, one after the other, and for where they begin. */
static cudaError_t
TakeLists(EpisodesJob *job, const Chosen *chosen, Walker *w)
{
	CandidateCohort *cohort = &w->cohort;
	uint64_t	places = cohort->length - 1;
	uint64_t	events = 0;
	uint32_t	run = 0;
	uint64_t   *at;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint64_t) * places * cohort->n, (void **) &at));
	for (uint32_t i = 0; i < cohort->n; i++)
	{
		const CandidateBatch *batch = chosen->batch;
		uint32_t	number = CandidateAt(batch, ChosenNumber(chosen, cohort->first + i), &run).prefix;

		for (uint64_t k = places; k > 0; k--)
		{
			at[(k - 1) * cohort->n + i] = events;
			events += EventsOf(job, batch->levels->level[k].type[number]);
			number = batch->levels->level[k].prefix[number];
		}
	}
	GPU_TRY(GpuAlloc(cohort->device, sizeof(uint32_t) * events, what, (void **) &w->automata.events));
	GPU_TRY(GpuAlloc(cohort->device, sizeof(uint64_t) * places * cohort->n, what, (void **) &w->automata.at));
	GPU_TRY(GpuSend(&job->team, cohort->device, GPU_COUNT, w->automata.at, at, sizeof(uint64_t) * places * cohort->n,
					"copying candidates"));
	GpuHostFree(&job->team, at);
	return HostWork(job, 2 * places * cohort->n);
}

static cudaError_t
OpenWalker(EpisodesJob *job, const Chosen *chosen, Walker *w)
{
	uint64_t	n = w->cohort.n;
	uint64_t	length;

	w->next = 0;
	GPU_TRY(GpuUse(w->cohort.device, what));
	GPU_TRY(OpenCohort(job, chosen, &w->cohort));
	length = w->cohort.length;
	if (w->bounds)
		GPU_TRY(TakeZeroes(w->cohort.device, n * length, &w->upper.latest));
	else
	{
		GPU_TRY(TakeLists(job, chosen, w));
		GPU_TRY(TakeZeroes(w->cohort.device, n * (length - 1), &w->automata.first));
		GPU_TRY(TakeZeroes(w->cohort.device, n * (length - 1), &w->automata.end));
	}
	w->automata.cohort = w->upper.cohort = w->cohort;
	return cudaSuccess;
}

static cudaError_t
CloseWalker(EpisodesJob *job, const Chosen *chosen, Walker *w)
{
	void	   *all[] = {w->upper.latest, w->automata.first, w->automata.end, w->automata.at, w->automata.events};

	GPU_TRY(CloseCohort(job, chosen, &w->cohort));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GPU_TRY(GpuFree(w->cohort.device, all[i]));
	return cudaSuccess;
}

/*
 * Walking.
 */

/* Have a cohort walk on along the stream, as far as a launch may go. */
static cudaError_t
WalkOn(EpisodesJob *job, Walker *w)
{
	GpuDevice  *device = w->cohort.device;
	uint32_t	from = w->next;
	GpuTimer   *timer;
	double		events;

	GPU_TRY(GpuThrottle(&job->team, device, "walking along the stream"));
	events = GpuLaunchAmount(device, w->cohort.n, FIRST_STEPS) / w->cohort.n;
	w->next += (uint32_t) GpuLesser((uint64_t) events, GpuLesser(EVENTS_A_LAUNCH, job->section.events - from));
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, (double) (w->next - from) * w->cohort.n, &timer));
	if (w->bounds)
		GPU_TRY(WalkUpperBounds(device, &w->upper, from, w->next));
	else
		GPU_TRY(WalkAutomata(device, &w->automata, from, w->next));
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Have n cohorts walk to the end of the stream, one launch for each in turn. */
static cudaError_t
WalkAll(EpisodesJob *job, Walker *walkers, int n)
{
	bool		more = true;

	while (more)
	{
		more = false;
		for (int i = 0; i < n; i++)
			if (walkers[i].next < job->section.events)
			{
				GPU_TRY(WalkOn(job, &walkers[i]));
				more |= walkers[i].next < job->section.events;
			}
	}
	return cudaSuccess;
}

/* A cohort for each device at a time, until all of those chosen have been counted. */
static cudaError_t
Walk(EpisodesJob *job, const EventStream *stream, const Chosen *chosen, bool bounds)
{
	Walker		walkers[FIM_GPU_MAX_DEVICES];
	uint32_t	next = 0;

	while (next < chosen->n)
	{
		int			n = 0;

		memset(walkers, 0, sizeof(walkers));
		for (; n < job->team.ndevices && next < chosen->n; n++)
		{
			Walker	   *w = &walkers[n];

			w->bounds = bounds;
			w->cohort.device = job->team.devices[n];
			w->cohort.stream = &stream->on[n];
			w->cohort.first = next;
			SizeCohort(job, chosen, w);
			next += w->cohort.n;
			GPU_TRY(OpenWalker(job, chosen, w));
		}
		GPU_TRY(WalkAll(job, walkers, n));
		for (int i = 0; i < n; i++)
			GPU_TRY(CloseWalker(job, chosen, &walkers[i]));
	}
	return cudaSuccess;
}

/*
 * Set the supports of the candidates chosen in their batch: by automata, or to upper bounds.  The stream must
 * be there by event.
 */
static cudaError_t
CountByAutomata(EpisodesJob *job, const EventStream *stream, const Chosen *chosen)
{
	return Walk(job, stream, chosen, false);
}

static cudaError_t
FindUpperBounds(EpisodesJob *job, const EventStream *stream, const Chosen *chosen)
{
	return Walk(job, stream, chosen, true);
}

/*
 * The strategy "state_machine": an automaton for each candidate.
 */

static cudaError_t
CountByStateMachine(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	Chosen		all = {.batch = batch, .n = batch->n};

	GPU_TRY(CountByAutomata(job, (const EventStream *) of, &all));
	ChooseFound(batch, job->least);
	return HostWork(job, batch->n);
}

cudaError_t
StateMachineMine(EpisodesJob *job, Sections *sections)
{
	static const SearchStrategy strategy = {.count = CountByStateMachine};

	return SearchEpisodes(job, sections, &strategy, &sections->stream);
}

/*
 * The strategy "two_pass": upper bounds first, and then the candidates whose bounds are high enough are
 * counted in one of the two other ways, depending on how many they are.
 */

/* Up to so many candidates for each multiprocessor are few: a thread for each would leave most of it idle. */
#define FEW_CANDIDATES	8

static uint32_t
FewCandidates(const EpisodesJob *job)
{
	uint32_t	few = 0;

	for (int d = 0; d < job->team.ndevices; d++)
		few += (uint32_t) job->team.devices[d]->processors * FEW_CANDIDATES;
	return few;
}

static cudaError_t
CountInTwoPasses(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	const EventStream *stream = (const EventStream *) of;
	Chosen		all = {.batch = batch, .n = batch->n};
	Chosen		left = {.batch = batch, .number = batch->found};

	GPU_TRY(FindUpperBounds(job, stream, &all));
	ChooseFound(batch, job->least);
	GPU_TRY(HostWork(job, batch->n));
	left.n = batch->nfound;
	if (left.n <= FewCandidates(job))
		GPU_TRY(CountByChains(job, stream, &left, BY_SCAN));
	else
		GPU_TRY(CountByAutomata(job, stream, &left));
	ChooseFound(batch, job->least);
	return HostWork(job, batch->n);
}

cudaError_t
TwoPassMine(EpisodesJob *job, Sections *sections)
{
	static const SearchStrategy strategy = {.count = CountInTwoPasses};

	return SearchEpisodes(job, sections, &strategy, &sections->stream);
}
