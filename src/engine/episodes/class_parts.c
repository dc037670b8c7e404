/*-------------------------------------------------------------------------
 *
 * class_parts.c
 *	  Which episodes fall to which part of a task: how much work each class is expected to be.
 *
 * The units that are dealt are classes: the episodes with the same first type.  Pieces of a class are its episodes with the same second
 * type, and the rest of it is the episode of one event.  What is known when they are dealt is the support of all
 * episodes of two events, which each worker finds anyway.  Types have the same numbers wherever the data are, and supports
 * do not depend on the order of partitions or of simultaneous events.  Numbers are whole, so that they are the same everywhere.
 *
 * How many episodes begin with two types is estimated as if what follows a type did not depend on what comes before it.  Then an
 * event more costs an episode the same share of its support, whatever the episode, and it is frequent as long as the logarithms of
 * these shares add up to no more than that of its support over the threshold.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "worker.h"

/* The steps in which logarithms of supports are counted, and the most work that is. */
#define STEPS			16
#define MOST_WORK		UINT64_C(1000000000000)

/* In nanoseconds, about. */
#define CLASS_WORK		1000
#define EPISODE_WORK	100
#define NODE_WORK		1000

typedef struct Estimator
{
	Worker	   *w;
	const KnownFollowers *known;
	uint32_t	lowest;			/* the logarithm of the threshold */
	uint32_t	step;			/* what a step is of a logarithm */
	uint64_t	node[STEPS + 1];	/* the work of extending an episode with so many steps to spare */
	uint64_t   *below;			/* [ntypes][STEPS + 1] the work of an episode and of all that begin with it, by its last type and
								 * the steps that it has to spare, if so many events can be added as rounds have been gone */
	uint64_t   *before;			/* the same a round before */
	uint64_t   *of_piece;		/* [ntypes] work, 0 between classes */
} Estimator;

/* The followers of a single type, which must be known. */
static const Followers *
FollowersOf(const Estimator *e, uint32_t type, uint32_t gap)
{
	return *FollowersPlace(e->known, &(Episode) {&type, NULL, 1}, gap);
}

static uint32_t
StepsToSpare(const Estimator *e, uint64_t support)
{
	uint32_t	steps = (FimLog2(support) - e->lowest) / e->step;

	return steps < STEPS ? steps : STEPS;
}

/* The steps that an event more costs, at least one. */
static uint32_t
CostOf(const Estimator *e, uint64_t support, uint64_t extended)
{
	uint32_t	steps = (FimLog2(support) - FimLog2(extended)) / e->step;

	return steps > 0 ? steps : 1;
}

/* What it takes to extend an episode: a nanosecond for each event that follows an occurrence within a gap, as many as follow an event on average. */
static void
EstimateNodes(Estimator *e)
{
	const Stream *s = &e->w->stream;
	uint64_t	events = 0;

	for (uint32_t gap = 0; gap < s->ngaps; gap++)
	{
		Windows		window = StreamWindows(s, gap);

		for (uint32_t i = 0; i < s->events; i++)
			if (window.end[i] > window.begin[i])
				events += window.end[i] - window.begin[i];
		WorkerWorked(e->w, s->events);
	}
	events = 1 + s->ngaps + events / ((uint64_t) s->events + 1);
	for (uint32_t spare = 0; spare <= STEPS; spare++)
	{
		uint64_t	support = e->w->spec->minsup << ((uint64_t) spare * e->step >> FIM_LOG_BITS);

		e->node[spare] = support < MOST_WORK / events ? NODE_WORK + support * events : MOST_WORK;
	}
}

/* The work of an episode that ends with a type, if one more event can be added than a round before. */
static void
EstimateBelow(Estimator *e, uint32_t type)
{
	const Stream *s = &e->w->stream;
	uint64_t   *below = e->below + (size_t) type * (STEPS + 1);
	uint32_t	support = s->start[type + 1] - s->start[type];

	for (uint32_t spare = 0; spare <= STEPS; spare++)
		below[spare] = EPISODE_WORK + e->node[spare];
	for (uint32_t gap = 0; gap < s->ngaps; gap++)
	{
		const Followers *followers = FollowersOf(e, type, gap);

		for (uint32_t f = 0; f < followers->types.n; f++)
		{
			const uint64_t *longer = e->before + (size_t) followers->types.type[f] * (STEPS + 1);
			uint32_t	cost = CostOf(e, support, followers->support[f]);

			for (uint32_t spare = cost; spare <= STEPS; spare++)
			{
				below[spare] += longer[spare - cost];
				if (below[spare] > MOST_WORK)
					below[spare] = MOST_WORK;
			}
		}
		WorkerWorked(e->w, 2 * STEPS * (uint64_t) followers->types.n);
	}
}

/* Each event costs a step, so that there are no more rounds than steps. */
static void
EstimateEpisodes(Estimator *e, uint32_t added)
{
	uint32_t	ntypes = e->w->stream.ntypes;
	uint32_t	rounds = added < STEPS ? added : STEPS;

	for (size_t k = 0; k < (size_t) ntypes * (STEPS + 1); k++)
		e->below[k] = EPISODE_WORK;
	while (rounds-- > 0)
	{
		uint64_t   *before = e->below;

		e->below = e->before;
		e->before = before;
		for (uint32_t type = 0; type < ntypes; type++)
			EstimateBelow(e, type);
	}
}

/* A FimWorkOf: the pieces of a class are the second types of its frequent episodes. */
static uint64_t
WorkOfClass(void *context, uint32_t type, FimWork *pieces, uint32_t *npieces)
{
	Estimator  *e = context;
	const Stream *s = &e->w->stream;
	uint32_t	n = 0;

	for (uint32_t gap = 0; gap < s->ngaps && e->w->deepest > 1; gap++)
	{
		const Followers *followers = FollowersOf(e, type, gap);

		for (uint32_t f = 0; f < followers->types.n; f++)
		{
			uint32_t	second = followers->types.type[f];

			if (e->of_piece[second] == 0)
				pieces[n++].number = second;
			e->of_piece[second] += e->below[(size_t) second * (STEPS + 1) + StepsToSpare(e, followers->support[f])];
		}
		WorkerWorked(e->w, 16 * (uint64_t) followers->types.n);
	}
	for (uint32_t p = 0; p < n; p++)
	{
		pieces[p].work = e->of_piece[pieces[p].number];
		e->of_piece[pieces[p].number] = 0;
	}
	*npieces = n;
	return CLASS_WORK;
}

/* The greatest support of an episode, or the threshold if that is greater. */
static uint64_t
GreatestSupport(const Worker *w)
{
	const Stream *s = &w->stream;
	uint64_t	most = w->spec->minsup;

	for (uint32_t type = 0; type < s->ntypes; type++)
		if (s->start[type + 1] - s->start[type] > most)
			most = s->start[type + 1] - s->start[type];
	return most;
}

void
DealEpisodes(FimDealt *dealt, Worker *w, const KnownFollowers *known)
{
	uint32_t	ntypes = w->stream.ntypes;
	size_t		size = sizeof(uint64_t) * ((size_t) ntypes * (STEPS + 1) + 1);
	Estimator	e = {.w = w,.known = known,.lowest = FimLog2(w->spec->minsup)};

	e.step = (FimLog2(GreatestSupport(w)) - e.lowest) / STEPS + 1;
	e.below = ArenaAlloc(&w->arena, size);
	e.before = ArenaAlloc(&w->arena, size);
	e.of_piece = ArenaAlloc(&w->arena, sizeof(uint64_t) * ((size_t) ntypes + 1));
	memset(e.of_piece, 0, sizeof(uint64_t) * ((size_t) ntypes + 1));
	EstimateNodes(&e);
	EstimateEpisodes(&e, w->deepest > 2 ? w->deepest - 2 : 0);
	FimDeal(dealt, &w->spec->head.part, ntypes, ntypes, true, WorkOfClass, &e, &w->arena);
}

/* A time as a number; both zeros are one time. */
static uint64_t
NumberOf(const FimEpisodesData *data, FimTime time)
{
	if (data->real)
		time.real += 0.0;
	return (uint64_t) time.integer;
}

/* Simultaneous events come in any order, and partitions do. */
uint64_t
FimEpisodesFingerprint(const FimEpisodesData *data, FimHost *host)
{
	const uint32_t *partition = FIM_EPISODES_PARTITIONS(data);
	const uint32_t *type = FIM_EPISODES_TYPES(data);
	const FimTime *times = FIM_EPISODES_TIMES(data);
	const uint64_t *edge = FIM_EPISODES_EDGES(data);
	uint64_t	print = FimFingerprint2(data->events, data->real);
	uint64_t	sum = 0;

	for (uint32_t p = 0; p < data->partitions; p++)
	{
		uint64_t	of_partition = 0;

		for (uint32_t i = partition[p]; i < partition[p + 1]; i++)
		{
			of_partition += FimFingerprint2(type[i], NumberOf(data, times[i]));
			if (i % 65536 == 0)
				(void) host->poll(host);
		}
		sum += FimHash64(of_partition);
	}
	for (uint32_t gap = 0; gap < data->ngaps; gap++)
		print = FimFingerprint2(FimFingerprint2(print, edge[FIM_EPISODES_GAPS(data)[gap].low]), edge[FIM_EPISODES_GAPS(data)[gap].high]);
	return FimFingerprint2(print, sum);
}
