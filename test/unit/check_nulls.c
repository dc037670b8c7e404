/*-------------------------------------------------------------------------
 *
 * check_nulls.c
 *	  Whether p-values hold what they promise: on streams whose types have nothing to do
 *	  with each other, no more than a share of x of them is x or less; and of chains that
 *	  were put into a stream enough are found, with few others.
 *
 * Usage: check_nulls [seed [streams]]; or FIM_SEED and FIM_STREAMS, the number of streams
 * of each kind for each method.  With FIM_VERBOSE it prints the shares.  With FIM_POWER it
 * tries only chains, but also fewer of them than are sure to be found.
 *
 * A p-value, and a stream's least adjusted one, is compared with its promise by a margin of
 * 4.5 standard errors.  If all p-values were uniform, one run of 10,000 would fail.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "streams.h"

#define DEFAULT_STREAMS		10
#define STANDARD_ERRORS		4.5

#define TYPES				4
#define STRENGTHS			3
#define SURROGATES			199
#define MOST_EVENTS			20000

/* All pairs of types, and two chains of three. */
#define PAIRS				(TYPES * TYPES)
#define CHAINS				2
#define EPISODES			(PAIRS + CHAINS)
#define MOST_NODES			(3 * EPISODES)

typedef enum Method
{
	SHIFT, MOVE, WINDOW_SHUFFLE, METHODS
} Method;

static const char *const method_name[METHODS] = {"shift", "move", "window_shuffle"};

typedef struct NullStream
{
	Event		event[MOST_EVENTS];
	uint32_t	n;
} NullStream;

/* A kind of streams; what is 0 is not there. */
typedef struct StreamKind
{
	const char *name;
	void		(*draw) (Rng *rng, const struct StreamKind *kind, NullStream *stream);
	int64_t		gap;			/* the longest one between events */
	int64_t		dither;
	double		chance;			/* of an event in a tick */
	int64_t		tick;
	double		mean;			/* from an event of a type to the next one, beyond the time without any */
	double		dead;			/* the time without any */
	double		end;			/* of a partition */
	uint32_t	sessions;		/* partitions, if there is more than one */
	uint32_t	least;			/* events in a session */
	uint32_t	most;
	double		chained[STRENGTHS]; /* this share of the events of type 0 is followed by one of type 1 ... */
	double		delay;			/* ... after this time ... */
	double		delay_range;	/* ... or up to so much more */
	bool		promised[METHODS]; /* p-values hold */
	double		found[METHODS]; /* the chain is, in at least this share of the streams with most chains */
} StreamKind;

static void
Put(NullStream *stream, uint32_t partition, uint32_t type, double time)
{
	if (stream->n == MOST_EVENTS)
		abort();
	stream->event[stream->n++] = (Event) {partition, type, (int64_t) floor(time)};
}

/*
 * Kinds of streams
 */

/* A type has an event in each tick with a chance, at the tick or, where it is long, anywhere between it and the next one. */
static void
DrawTicks(Rng *rng, const StreamKind *kind, NullStream *stream)
{
	for (uint32_t type = 0; type < TYPES; type++)
		for (int64_t at = 0; at < kind->end; at += kind->tick)
			if (RngChance(rng, kind->chance))
				Put(stream, 0, type, at + (kind->tick > 1 ? RngUnit(rng) * kind->tick : 0));
}

static double
Exponential(Rng *rng, double mean)
{
	return -log(1 - RngUnit(rng)) * mean;
}

/* Events come at random, but after each the type rests; it has done so long before the stream begins. */
static void
DrawPoisson(Rng *rng, const StreamKind *kind, NullStream *stream)
{
	for (uint32_t session = 0; session == 0 || session < kind->sessions; session++)
		for (uint32_t type = 0; type < TYPES; type++)
			for (double at = Exponential(rng, kind->mean) - 10 * kind->dead; at < kind->end; at += kind->dead + Exponential(rng, kind->mean))
				if (at >= 0)
					Put(stream, session, type, at);
}

/* Types have cycles of their own, which begin anywhere and vary little, as those of machines do. */
static void
DrawCycles(Rng *rng, const StreamKind *kind, NullStream *stream)
{
	for (uint32_t type = 0; type < TYPES; type++)
	{
		double		cycle = 9000 + RngUnit(rng) * 20000;

		for (double at = RngUnit(rng) * cycle; at < kind->end; at += cycle * (0.9 + RngUnit(rng) * 0.2))
			Put(stream, 0, type, at);
	}
}

/* All types are busy at the same times, which change in many times the dither. */
static void
DrawDrift(Rng *rng, const StreamKind *kind, NullStream *stream)
{
	double		phase = RngUnit(rng) * 6.2832;

	for (uint32_t type = 0; type < TYPES; type++)
		for (double at = Exponential(rng, kind->mean); at < kind->end; at += Exponential(rng, kind->mean))
			if (RngChance(rng, 0.5 + 0.45 * sin(at / 2e6 * 6.2832 + phase)))
				Put(stream, 0, type, at);
}

/* Sessions of few events. */
static void
DrawSessions(Rng *rng, const StreamKind *kind, NullStream *stream)
{
	for (uint32_t session = 0; session < kind->sessions; session++)
		for (uint32_t k = kind->least + RngBelow(rng, kind->most - kind->least + 1); k > 0; k--)
			Put(stream, session, RngBelow(rng, TYPES), RngUnit(rng) * kind->end);
}

/* Events in partitions of all sizes, with bursts that each type has by itself. */
static void
DrawBursts(Rng *rng, const StreamKind *kind, NullStream *stream)
{
	for (uint32_t partition = 0; partition < 12; partition++)
	{
		double		end = kind->dither << RngBelow(rng, 6);

		for (uint32_t type = 0; type < TYPES; type++)
			for (double at = Exponential(rng, kind->mean); at < end; at += Exponential(rng, kind->mean))
				for (uint32_t k = 1 + RngBelow(rng, 4); k > 0; k--)
					Put(stream, partition, type, at + RngUnit(rng) * 4000);
	}
}

static void
PutChains(Rng *rng, const StreamKind *kind, double chained, NullStream *stream)
{
	for (uint32_t k = 0, n = stream->n; k < n; k++)
		if (stream->event[k].type == 0 && RngChance(rng, chained))
			Put(stream, stream->event[k].partition, 1, stream->event[k].time + kind->delay +
				(kind->delay_range > 0 ? RngUnit(rng) * kind->delay_range : 0));
}

static void
DrawKind(Rng *rng, const StreamKind *kind, double chained, NullStream *stream)
{
	stream->n = 0;
	kind->draw(rng, kind, stream);
	if (chained > 0)
		PutChains(rng, kind, chained, stream);
	stream->n = SortEvents(stream->event, stream->n);
}

static const StreamKind null_kind[] = {
	{"sparse", DrawTicks, 5, 50, .chance = 0.01, .tick = 1, .end = 2000, .promised = {true, true, true}},
	/* an event every five milliseconds and a type, with gaps as long */
	{"dense", DrawPoisson, 5000, 50000, .mean = 5000, .end = 2e6, .promised = {true, true, true}},
	{"coarse clock", DrawTicks, 5, 50, .chance = 0.1, .tick = 1, .end = 2000, .promised = {true, true, true}},
	{"coarser clock", DrawTicks, 5, 50, .chance = 0.3, .tick = 1, .end = 2000, .promised = {true, true, true}},
	/* a fine clock, on which no type has two events in what was a tick */
	{"events apart", DrawTicks, 5000, 50000, .chance = 0.1, .tick = 1000, .end = 2e6, .promised = {true, false, false}},
	{"events far apart", DrawTicks, 5000, 50000, .chance = 0.3, .tick = 1000, .end = 2e6, .promised = {true, false, false}},
	{"refractory", DrawPoisson, 5000, 50000, .mean = 3000, .dead = 7000, .end = 2e6, .promised = {true, false, false}},
	{"cycles", DrawCycles, 5000, 50000, .end = 4e6, .promised = {true, false, false}},
	{"drift", DrawDrift, 5000, 50000, .mean = 10000, .end = 4e6, .promised = {true, true, true}},
	/* a minute, with a dither as long */
	{"short partitions", DrawSessions, 20000, 60000, .end = 60000, .sessions = 150, .least = 6, .most = 6, .promised = {true, true, true}},
	{"short partitions with ties", DrawSessions, 20, 60, .end = 60, .sessions = 150, .least = 6, .most = 6, .promised = {true, true, true}},
	{"few events in a partition", DrawSessions, 20000, 60000, .end = 60000, .sessions = 400, .least = 2, .most = 4, .promised = {true, true, true}},
	{"refractory, short partitions", DrawPoisson, 3000, 20000, .mean = 3000, .dead = 7000, .end = 60000, .sessions = 60, .promised = {true, false, false}},
	{"dither beyond the stream", DrawTicks, 5, 1000000, .chance = 0.05, .tick = 1, .end = 2000, .promised = {true, true, true}},
	{"bursts", DrawBursts, 5000, 50000, .mean = 40000, .promised = {true, false, false}},
};

static const StreamKind chain_kind[] = {
	{"long partition", DrawPoisson, 5000, 50000, .mean = 50000, .end = 10e6, .chained = {0.03, 0.06, 0.12}, .delay = 2000,
	.delay_range = 2000, .found = {0.95, 0.95, 0.95}},
	{"short recording", DrawPoisson, 5000, 50000, .mean = 20000, .end = 1e6, .chained = {0.125, 0.25, 0.5}, .delay = 2000,
	.delay_range = 2000, .found = {0.95, 0.95, 0.95}},
	{"coarse clock", DrawTicks, 5, 50, .chance = 0.03, .tick = 1, .end = 4000, .chained = {0.05, 0.1, 0.2}, .delay = 2,
	.found = {0.95, 0.95, 0.95}},
	{"short partitions", DrawSessions, 3000, 10000, .end = 60000, .sessions = 150, .least = 6, .most = 6, .chained = {0.03, 0.06, 0.12}, .delay = 2000,
	.found = {0.9, 0.9, 0.9}},
	{"the same, long gaps", DrawSessions, 20000, 10000, .end = 60000, .sessions = 150, .least = 6, .most = 6, .chained = {0.1, 0.2, 0.4}, .delay = 1000,
	.delay_range = 9000, .found = {0.9, 0.8, 0.8}},
	{"few events in a partition", DrawSessions, 3000, 60000, .end = 60000, .sessions = 400, .least = 2, .most = 4, .chained = {0.05, 0.1, 0.2},
	.delay = 2000, .found = {0.8, 0.8, 0.8}},
};

#define NULL_KINDS	(sizeof(null_kind) / sizeof(null_kind[0]))
#define CHAIN_KINDS	(sizeof(chain_kind) / sizeof(chain_kind[0]))

/*
 * Testing a stream
 */

/*
 * The support of an episode, from its definition: an event ends an occurrence if the latest one
 * that it ends begins after the end of the one before.
 */
static uint32_t
SupportIn(const NullStream *stream, int64_t gap, const uint32_t *type, uint32_t length)
{
	static uint32_t latest[MOST_EVENTS][3]; /* where occurrences of the first types begin, counted from 1 */
	uint32_t	support = 0;
	int64_t		end = 0;
	uint32_t	first = 0;
	bool		any = false;

	for (uint32_t k = 0; k < stream->n; k++)
	{
		const Event *event = &stream->event[k];

		if (k > 0 && event->partition != event[-1].partition)
		{
			first = k;
			any = false;
		}
		while (event->time - stream->event[first].time > gap)
			first++;
		for (uint32_t l = 0; l < length; l++)
		{
			latest[k][l] = 0;
			if (event->type == type[l] && l == 0)
				latest[k][l] = k + 1;
			for (uint32_t before = first; event->type == type[l] && l > 0 && before < k; before++)
				if (event->time > stream->event[before].time && latest[before][l - 1] > latest[k][l])
					latest[k][l] = latest[before][l - 1];
		}
		if (latest[k][length - 1] > 0 && (!any || stream->event[latest[k][length - 1] - 1].time > end))
		{
			support++;
			end = event->time;
			any = true;
		}
	}
	return support;
}

typedef union NullSpec
{
	FimEpisodesSpec spec;
	char		room[sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * MOST_NODES];
} NullSpec;

typedef struct TestedEpisode
{
	uint32_t	type[3];
	uint32_t	length;
	double		p;
	double		adjusted;
} TestedEpisode;

/* Add the pairs and chains, in the order of a trie, with their supports.  Returns their number. */
static uint32_t
MakeNullTrie(FimEpisodesSpec *spec, const NullStream *stream, const StreamKind *kind, Method method, TestedEpisode *tested,
			 uint32_t *node)
{
	static const uint32_t no_gap[2] = {0, 0};
	uint32_t	open[3];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(spec), .open = open};
	uint32_t	n = 0;

	for (uint32_t pair = 0; pair < PAIRS; pair++)
		for (uint32_t length = 2; length <= (pair == 1 || pair == TYPES ? 3 : 2); length++)
		{
			uint32_t	type[3] = {pair / TYPES, pair % TYPES, 2};
			uint32_t	support = SupportIn(stream, kind->gap, type, length);

			/* an episode of one type is not tested by FIM_SHIFT, which keeps it */
			if (support == 0 || (method == SHIFT && type[0] == type[1]))
				continue;
			FimTrieAdd(&trie, type, no_gap, length, support);
			tested[n] = (TestedEpisode) {.type = {type[0], type[1], type[2]}, .length = length};
			node[n++] = open[length - 1];
		}
	FimTrieFinish(&trie);
	spec->nnodes = trie.n;
	spec->head.size = (uint32_t) (sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * trie.n);
	return n;
}

static void
SetPValues(TestedEpisode *tested, const uint32_t *reached, uint32_t n)
{
	uint64_t	tests[SURROGATES + 1] = {0};
	double		adjusted[SURROGATES + 1];

	for (uint32_t e = 0; e < n; e++)
		tests[reached[e]]++;
	FimAdjustPValues(tests, SURROGATES, adjusted);
	for (uint32_t e = 0; e < n; e++)
	{
		tested[e].p = FimPValue(reached[e], SURROGATES);
		tested[e].adjusted = adjusted[reached[e]];
	}
}

/* Draw a stream and test its episodes.  Returns their number. */
static uint32_t
DrawAndTest(Rng *rng, const StreamKind *kind, double chained, Method method, TestedEpisode *tested)
{
	static NullStream stream;
	FimGap		gap = {{.integer = 1}, {.integer = kind->gap}};
	NullSpec		room = {.spec = {.head = {.count_only = true}, .surrogates = SURROGATES, .dither = {.integer = kind->dither}}};
	FimEpisodesSpec *spec = &room.spec;
	FimEpisodesData *data;
	TaskWorker	worker;
	const FimSurrogateCounts *counts;
	uint32_t	node[EPISODES];
	uint32_t	reached[EPISODES];
	uint32_t	n;

	DrawKind(rng, kind, chained, &stream);
	spec->seed = RngNext(rng);
	spec->method = method == SHIFT ? FIM_SHIFT : method == MOVE ? FIM_MOVE : FIM_WINDOW_SHUFFLE;
	spec->max_length = 3;
	n = MakeNullTrie(spec, &stream, kind, method, tested, node);
	data = BuildEvents(stream.event, stream.n, TYPES, gap);
	StartWorkers(FimMine, FimEpisodesTask(spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	if (worker.result != FIM_DONE)
		abort();
	counts = (const FimSurrogateCounts *) worker.task.summary;
	for (uint32_t e = 0; e < n; e++)
		reached[e] = (uint32_t) counts[node[e]].reached;
	EndWorkers(&worker, 1);
	OddFree(data);
	SetPValues(tested, reached, n);
	return n;
}

/*
 * What is expected of many streams
 */

typedef struct Share
{
	double		sum;
	double		squares;
	uint32_t	n;
} Share;

static void
AddShare(Share *share, double value)
{
	share->sum += value;
	share->squares += value * value;
	share->n++;
}

/* Whether the mean is at most "most", by as many standard errors, and not less than those of "most" itself. */
static bool
IsAtMost(const Share *share, double most)
{
	double		mean = share->sum / share->n;
	double		variance = fmax(share->squares / share->n - mean * mean, most * (1 - most) / EPISODES);

	return mean <= most + STANDARD_ERRORS * sqrt(variance / share->n);
}

static const double level[] = {0.01, 0.05, 0.1, 0.25};

#define LEVELS	(sizeof(level) / sizeof(level[0]))

static bool
CheckNull(const StreamKind *kind, Method method, uint64_t seed, uint32_t streams)
{
	Share		share[LEVELS] = {{0}};
	Share		discovered = {0};
	Rng			rng = {seed};
	bool		good = true;

	for (uint32_t s = 0; s < streams; s++)
	{
		TestedEpisode tested[EPISODES];
		uint32_t	n = DrawAndTest(&rng, kind, 0, method, tested);
		double		least = 1;

		if (n == 0)
			continue;
		for (uint32_t e = 0; e < n; e++)
			least = fmin(least, tested[e].adjusted);
		AddShare(&discovered, least <= 0.1);
		for (uint32_t l = 0; l < LEVELS; l++)
		{
			uint32_t	below = 0;

			for (uint32_t e = 0; e < n; e++)
				below += tested[e].p <= level[l] + 1e-9;
			AddShare(&share[l], below / (double) n);
		}
	}
	for (uint32_t l = 0; l < LEVELS; l++)
		good &= IsAtMost(&share[l], level[l]);
	good &= IsAtMost(&discovered, 0.1);
	if (EnvironmentOr("FIM_VERBOSE", 0) || (kind->promised[method] && !good))
		printf("# %-26s %-14s p <= .01 .05 .1 .25: %.3f %.3f %.3f %.3f; adjusted <= .1: %.3f%s\n", kind->name,
			   method_name[method], share[0].sum / share[0].n, share[1].sum / share[1].n, share[2].sum / share[2].n,
			   share[3].sum / share[3].n, discovered.sum / discovered.n,
			   good ? "" : kind->promised[method] ? " FAILS" : " (not promised)");
	fflush(stdout);
	return good || !kind->promised[method];
}

/* Whether an episode has the types that chains are made of.  Those of all others are independent of each other. */
static bool
HasChain(const TestedEpisode *tested)
{
	return tested->type[0] + tested->type[1] == 1;
}

/*
 * Whether 0 -> 1 has a p-value of at most 0.05 in enough streams.  Adds to "all" the share of false
 * episodes among those of a stream whose adjusted p-value is at most 0.1.
 */
static bool
CheckChains(const StreamKind *kind, double chained, double found_at_least, Method method, uint64_t seed, uint32_t streams,
			Share *all)
{
	Share		missed = {0};
	Share		false_share = {0};
	Rng			rng = {seed};
	bool		good;

	for (uint32_t s = 0; s < streams; s++)
	{
		TestedEpisode tested[EPISODES];
		uint32_t	n = DrawAndTest(&rng, kind, chained, method, tested);
		uint32_t	discovered = 0;
		uint32_t	wrong = 0;
		bool		chain = false;

		for (uint32_t e = 0; e < n; e++)
		{
			chain |= tested[e].length == 2 && tested[e].type[0] == 0 && tested[e].type[1] == 1 && tested[e].p <= 0.05 + 1e-9;
			discovered += tested[e].adjusted <= 0.1 + 1e-9;
			wrong += tested[e].adjusted <= 0.1 + 1e-9 && !HasChain(&tested[e]);
		}
		AddShare(&missed, !chain);
		AddShare(&false_share, discovered > 0 ? wrong / (double) discovered : 0);
		AddShare(all, discovered > 0 ? wrong / (double) discovered : 0);
	}
	good = IsAtMost(&missed, 1 - found_at_least);
	if (EnvironmentOr("FIM_VERBOSE", 0) || !good)
		printf("# %-26s %-14s chains after %.3f: found %.3f; false ones with adjusted <= .1: %.3f%s\n", kind->name,
			   method_name[method], chained, 1 - missed.sum / missed.n, false_share.sum / false_share.n, good ? "" : " FAILS");
	fflush(stdout);
	return good;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint32_t	streams = (uint32_t) ArgumentOr(argc, argv, 2, "FIM_STREAMS", DEFAULT_STREAMS);
	bool		power = EnvironmentOr("FIM_POWER", 0) != 0;
	Share		false_share = {0};
	bool		good = true;

	for (uint32_t kind = 0; kind < CHAIN_KINDS; kind++)
		if (getenv("FIM_KIND") == NULL || strstr(chain_kind[kind].name, getenv("FIM_KIND")) != NULL)
		for (uint32_t strength = power ? 0 : STRENGTHS - 1; strength < STRENGTHS; strength++)
			for (Method method = 0; method < METHODS; method++)
				good &= CheckChains(&chain_kind[kind], chain_kind[kind].chained[strength],
									strength + 1 == STRENGTHS ? chain_kind[kind].found[method] : 0, method, seed, streams,
									&false_share);
	if (!IsAtMost(&false_share, 0.1))
		good = Complain("of the episodes with an adjusted p-value of at most 0.1, %.3f are false", false_share.sum / false_share.n);
	if (power)
		return !good;
	for (uint32_t kind = 0; kind < NULL_KINDS; kind++)
		for (Method method = 0; method < METHODS; method++)
			if (getenv("FIM_KIND") == NULL || strstr(null_kind[kind].name, getenv("FIM_KIND")) != NULL)
			good &= CheckNull(&null_kind[kind], method, seed, streams);
	return !good;
}
