/*-------------------------------------------------------------------------
 *
 * instants.c
 *	  The events that surrogates move, and whether times serve as their instants; see surrogates.h.
 *
 * First the wanted events are counted, by classes.  Then it is found how far gaps reach, and the
 * stream is cut into slices in which times are small enough.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "episodes/surrogates.h"

/* ---- wanted events ---- */

uint32_t
FindWantedTypes(const EpisodesJob *job, uint8_t *wanted)
{
	const FimTrieNode *nodes = FIM_EPISODES_NODES(job->spec);
	uint32_t	events = 0;

	memset(wanted, 0, job->data->ntypes);
	for (uint32_t k = 0; k < job->spec->nnodes; k++)
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
	GPU_TRY(HostWork(job, job->spec->nnodes + (uint64_t) job->data->ntypes));
	GPU_TRY(CountEvents(job, w, first != NULL ? first : whole, wanted));
	GPU_TRY(AddUp(job, w));
	GpuHostFree(&job->team, whole);
	GpuHostFree(&job->team, wanted);
	return FindKeys(job, w);
}

/* ---- instants ---- */

/* Instants, and the numbers that are looked for among them, have to be less than that. */
#define INSTANTS_END	((uint64_t) UINT32_MAX)

/* The number of events that an event can change places with may be this on average, at most. */
#define MOST_NEAR		64

/* How events of a partition move. */
typedef struct Ranges
{
	const FimMoves *moves;
	FimSpan		span;
} Ranges;

static Ranges
RangesOf(const EpisodesJob *job, const FimMoves *moves, uint32_t p)
{
	return (Ranges) {moves, FimSpanOf(job->data, p)};
}

/* The range of a time.  *at has that of the event before, which it often shares, or a window of no places. */
static inline FimRange
RangeAt(const Ranges *ranges, FimTime time, FimRange *at)
{
	if (!FimIsInWindow(&at->window, time))
		*at = FimRangeOf(ranges->moves, &ranges->span, time);
	return *at;
}

/*
 * Add to "near" how many pairs of a partition's events of a type have ranges that meet; count[ntypes] is 0
 * before and after.
 */
static cudaError_t
CountNear(EpisodesJob *job, const Ranges *ranges, uint32_t begin, uint32_t end, uint32_t *count, uint64_t *near)
{
	const FimTime *time = FIM_EPISODES_TIMES(job->data);
	const uint32_t *type = FIM_EPISODES_TYPES(job->data);
	FimRange	early = {0};
	FimRange	late = {0};
	uint32_t	earliest = begin;

	for (uint32_t i = begin; i < end; i++)
	{
		while (RangeAt(ranges, time[earliest], &early).most < RangeAt(ranges, time[i], &late).least)
			count[type[earliest++]]--;
		*near += count[type[i]]++;
		if (i % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, 4 * (uint64_t) EVENTS_AT_ONCE));
	}
	for (; earliest < end; earliest++)
	{
		count[type[earliest]]--;
		if (earliest % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, EVENTS_AT_ONCE));
	}
	return HostWork(job, 1);
}

/* Whether events have so few neighbours to change places with that each can look at all of them. */
static cudaError_t
AreFewNear(EpisodesJob *job, bool *few)
{
	const FimEpisodesData *data = job->data;
	const uint32_t *first = FIM_EPISODES_PARTITIONS(data);
	FimMoves	moves = FimMovesOf(job->spec, false);
	uint64_t	near = 0;
	uint32_t   *count;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * data->ntypes, (void **) &count));
	memset(count, 0, sizeof(uint32_t) * data->ntypes);
	for (uint32_t p = 0; p < data->partitions; p++)
		if (first[p] < first[p + 1])
		{
			Ranges		ranges = RangesOf(job, &moves, p);

			GPU_TRY(CountNear(job, &ranges, first[p], first[p + 1], count, &near));
		}
	GpuHostFree(&job->team, count);
	*few = 2 * near / MOST_NEAR <= data->events;
	return cudaSuccess;
}

/* Get how far apart events of a partition can be at most. */
static cudaError_t
FindLongest(EpisodesJob *job, uint64_t *longest)
{
	const FimTime *time = FIM_EPISODES_TIMES(job->data);
	const uint32_t *first = FIM_EPISODES_PARTITIONS(job->data);

	*longest = 0;
	for (uint32_t p = 0; p < job->data->partitions; p++)
		if (first[p] < first[p + 1])
			*longest = GpuGreater(*longest, (uint64_t) time[first[p + 1] - 1].integer - (uint64_t) time[first[p]].integer);
	return HostWork(job, 2 * (uint64_t) job->data->partitions);
}

/*
 * Set how far back the edges reach.  An edge that reaches all other events of a partition need not reach
 * further.
 */
static cudaError_t
FindReaches(EpisodesJob *job, InstantPlan *plan)
{
	const FimEpisodesData *data = job->data;
	uint64_t	longest;

	GPU_TRY(FindLongest(job, &longest));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * data->nedges, (void **) &plan->reach));
	for (uint32_t e = 0; e < data->nedges; e++)
	{
		uint64_t	reach = GpuLesser(FIM_EPISODES_EDGES(data)[e] - 1, longest) + 1;

		plan->fits &= reach < INSTANTS_END;
		plan->reach[e] = (uint32_t) reach - 1;
	}
	return cudaSuccess;
}

/*
 * How slices are cut, and how far that has come.  A slice ends at the first silence after either target is
 * reached.
 */
typedef struct Placing
{
	const FimMoves *moves;
	const uint8_t *wanted;		/* [ntypes] 1 for types in the trie, 0 for the others */
	uint32_t	most_together;	/* the most wanted events that may follow each other without a silence */
	uint64_t	enough;			/* target: instants of a slice */
	uint32_t	enough_events;	/* target: wanted events of a slice */
	uint32_t	events;			/* wanted events of the slice so far */
	uint32_t	together;		/* wanted events since the last silence */
	uint64_t	instant;		/* of the last event */
	uint64_t	most;			/* the greatest instant of a range so far */
} Placing;

/* Begin a slice with an event.  Its instant leaves room for its range, and for gaps that reach back from there. */
static void
BeginSlice(const EpisodesJob *job, InstantPlan *plan, uint32_t event, uint64_t into_range, Placing *at)
{
	if (plan->first != NULL)
		plan->first[plan->slices] = event;
	plan->slices++;
	at->events = 0;
	at->instant = plan->reach[job->data->nedges - 1] + into_range;
}

/*
 * Set the instants of a partition's events.  Where two ranges are so far from each other that no gap reaches
 * across, the silence between them ends a slice or is cut short.  So it is between partitions.  The plan no
 * longer fits once too many wanted events follow each other.
 */
static cudaError_t
PlaceEvents(EpisodesJob *job, InstantPlan *plan, const Ranges *ranges, uint32_t begin, uint32_t end, Placing *at)
{
	const FimTime *time = FIM_EPISODES_TIMES(job->data);
	const uint32_t *type = FIM_EPISODES_TYPES(job->data);
	uint64_t	reach = plan->reach[job->data->nedges - 1];
	FimRange	range = {0};
	uint64_t	left = 0;		/* from the event before to the end of its range; 0 for the last one of a partition */

	for (uint32_t i = begin; i < end && plan->fits; i++)
	{
		int64_t		most = range.most;
		bool		silence;
		uint64_t	into_range;

		range = RangeAt(ranges, time[i], &range);
		into_range = (uint64_t) time[i].integer - (uint64_t) range.least;
		silence = i == begin || (range.least > most && (uint64_t) range.least - (uint64_t) most > reach);
		if (i == 0 || (silence && (at->instant >= at->enough || at->events >= at->enough_events)))
			BeginSlice(job, plan, i, into_range, at);
		else
			at->instant += silence ? left + reach + 1 + into_range :
				(uint64_t) time[i].integer - (uint64_t) time[i - 1].integer;
		left = (uint64_t) range.most - (uint64_t) time[i].integer;
		at->events += at->wanted[type[i]];
		at->together = (silence ? 0 : at->together) + at->wanted[type[i]];
		plan->fits = at->together <= at->most_together;
		plan->most_events = (uint32_t) GpuGreater(plan->most_events, at->events);
		plan->origin[i] = (uint32_t) at->instant;
		at->most = GpuGreater(at->most, at->instant + left);
		if (i % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, 2 * (uint64_t) EVENTS_AT_ONCE));
	}
	return HostWork(job, 1);
}

/* Set the instants of all events.  "at" has the targets, and then the greatest instant. */
static cudaError_t
PlaceAll(EpisodesJob *job, InstantPlan *plan, Placing *at)
{
	const uint32_t *first = FIM_EPISODES_PARTITIONS(job->data);

	plan->slices = plan->most_events = 0;
	for (uint32_t p = 0; p < job->data->partitions && plan->fits; p++)
		if (first[p] < first[p + 1])
		{
			Ranges		ranges = RangesOf(job, at->moves, p);

			GPU_TRY(PlaceEvents(job, plan, &ranges, first[p], first[p + 1], at));
		}
	plan->slices = (uint32_t) GpuGreater(plan->slices, 1);
	return cudaSuccess;
}

/*
 * Whether instants up to "most" fit.  The numbers that are looked for are greater by up to a reach and 1, and
 * behind these there must be room for another reach.
 */
static bool
FitsIn(const EpisodesJob *job, const InstantPlan *plan, uint64_t most)
{
	uint64_t	reach = plan->reach[job->data->nedges - 1];

	return most + reach + 1 < INSTANTS_END - reach;
}

/*
 * Cut the stream into about so many slices, and as many more as it takes for the instants of each to fit.  The
 * plan no longer fits if these additional slices would on average have fewer events than there are types.
 * "cut" has all of a Placing but "enough".
 */
static cudaError_t
CutSlices(EpisodesJob *job, uint32_t slices, Placing cut, InstantPlan *plan)
{
	Placing		whole = cut;
	uint64_t	more;

	whole.enough = UINT64_MAX;
	whole.enough_events = UINT32_MAX;
	GPU_TRY(PlaceAll(job, plan, &whole));
	if (!plan->fits || (slices == 1 && FitsIn(job, plan, whole.most)))
		return cudaSuccess;
	/* an eighth of the range is left free, because slices end somewhat later than their target */
	more = whole.most / (INSTANTS_END / 8 * 7);
	plan->fits = more <= job->data->events / job->data->ntypes;
	if (!plan->fits)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * (slices + more), (void **) &plan->first));
	cut.enough = whole.most / (more + 1) + 1;
	GPU_TRY(PlaceAll(job, plan, &cut));
	plan->fits = FitsIn(job, plan, cut.most);
	return cudaSuccess;
}

/* Take the arrays that cutting needs, and cut the slices. */
static cudaError_t
FindSlices(EpisodesJob *job, uint32_t slices, uint32_t most, InstantPlan *plan)
{
	uint8_t    *wanted;
	FimMoves	moves = FimMovesOf(job->spec, false);
	Placing		cut = {.moves = &moves, .most_together = most};

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * (size_t) job->data->events, (void **) &plan->origin));
	GPU_TRY(GpuHostTake(&job->team, job->data->ntypes, (void **) &wanted));
	cut.wanted = wanted;
	cut.enough_events = FindWantedTypes(job, wanted) / slices + 1;
	GPU_TRY(HostWork(job, job->spec->nnodes + (uint64_t) job->data->ntypes));
	GPU_TRY(CutSlices(job, slices, cut, plan));
	GpuHostFree(&job->team, wanted);
	return cudaSuccess;
}

cudaError_t
PlanInstants(EpisodesJob *job, uint32_t slices, uint32_t most, InstantPlan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->fits = !job->data->real && (uint64_t) FimMovesOf(job->spec, false).window.integer < INSTANTS_END / 8;
	if (plan->fits)
		GPU_TRY(FindReaches(job, plan));
	if (plan->fits)
		GPU_TRY(FindSlices(job, slices, most, plan));
	return plan->fits ? AreFewNear(job, &plan->fits) : cudaSuccess;
}

void
FreeInstantPlan(EpisodesJob *job, InstantPlan *plan)
{
	GpuHostFree(&job->team, plan->origin);
	GpuHostFree(&job->team, plan->reach);
	GpuHostFree(&job->team, plan->first);
}
