/*-------------------------------------------------------------------------
 *
 * check_nulls.c
 *	  Whether p-values hold what they promise: on streams whose types have nothing to do
 *	  with each other, no more than a share of x of them is x or less; and chains that
 *	  were put into a stream are found.
 *
 * Usage: check_nulls [seed [streams]]; or FIM_SEED and FIM_STREAMS, the number of streams
 * of each kind for each method.  With FIM_VERBOSE it prints the shares.
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

#include "engine/episodes/p_values.h"
#include "engine/episodes/trie.h"
#include "streams.h"

#define DEFAULT_STREAMS		10
#define STANDARD_ERRORS		4.5

#define TYPES				4
#define SURROGATES			199
#define MOST_EVENTS			20000

/* All pairs of types, and two chains of three. */
#define PAIRS				(TYPES * TYPES)
#define CHAINS				2
#define EPISODES			(PAIRS + CHAINS)
#define MOST_NODES			(3 * EPISODES)

typedef struct Event
{
	uint32_t	partition;
	uint32_t	type;
	int64_t		time;
} Event;

typedef struct NullStream
{
	Event		event[MOST_EVENTS];
	uint32_t	n;
	int64_t		low;			/* the gap between events */
	int64_t		high;
	int64_t		dither;
} NullStream;

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

/* A type has an event in each tick with this chance, at the tick or anywhere between it and the next one. */
static void
DrawTicks(Rng *rng, NullStream *stream, double chance, int64_t ticks, int64_t tick)
{
	stream->low = 1;
	stream->high = 5 * tick;
	stream->dither = 50 * tick;
	for (uint32_t type = 0; type < TYPES; type++)
		for (int64_t at = 0; at < ticks; at++)
			if (RngChance(rng, chance))
				Put(stream, 0, type, at * tick + (tick > 1 ? RngUnit(rng) * tick : 0));
}

static void
DrawSparse(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.01, 2000, 1);
}

static void
DrawCoarse(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.1, 2000, 1);
}

static void
DrawVeryCoarse(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.3, 2000, 1);
}

/* A fine clock, on which no type has two events in what was a tick. */
static void
DrawApart(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.1, 2000, 1000);
}

static void
DrawFarApart(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.3, 2000, 1000);
}

static double
Exponential(Rng *rng, double mean)
{
	return -log(1 - RngUnit(rng)) * mean;
}

static void
DrawPoisson(Rng *rng, NullStream *stream, double mean, double dead, double end)
{
	stream->low = 1;
	stream->high = 5000;
	stream->dither = 50000;
	for (uint32_t type = 0; type < TYPES; type++)
		for (double at = Exponential(rng, mean); at < end; at += dead + Exponential(rng, mean))
			Put(stream, 0, type, at);
}

/* An event every five milliseconds and a type, with gaps as long. */
static void
DrawDense(Rng *rng, NullStream *stream)
{
	DrawPoisson(rng, stream, 5000, 0, 2e6);
}

/* No event within seven milliseconds of one of its type. */
static void
DrawRefractory(Rng *rng, NullStream *stream)
{
	DrawPoisson(rng, stream, 3000, 7000, 2e6);
}

/* Types have cycles of their own, which begin anywhere and vary little, as those of machines do. */
static void
DrawCycles(Rng *rng, NullStream *stream)
{
	stream->low = 1;
	stream->high = 5000;
	stream->dither = 50000;
	for (uint32_t type = 0; type < TYPES; type++)
	{
		double		cycle = 9000 + RngUnit(rng) * 20000;

		for (double at = RngUnit(rng) * cycle; at < 4e6; at += cycle * (0.9 + RngUnit(rng) * 0.2))
			Put(stream, 0, type, at);
	}
}

/* All types are busy at the same times, which change in many times the dither. */
static void
DrawDrift(Rng *rng, NullStream *stream)
{
	double		phase = RngUnit(rng) * 6.2832;

	stream->low = 1;
	stream->high = 5000;
	stream->dither = 50000;
	for (uint32_t type = 0; type < TYPES; type++)
		for (double at = Exponential(rng, 10000); at < 4e6; at += Exponential(rng, 10000))
			if (RngChance(rng, 0.5 + 0.45 * sin(at / 2e6 * 6.2832 + phase)))
				Put(stream, 0, type, at);
}

/* Sessions of a minute with six events, and a dither as long as a session. */
static void
DrawSessions(Rng *rng, NullStream *stream)
{
	stream->low = 1;
	stream->high = 20000;
	stream->dither = 60000;
	for (uint32_t session = 0; session < 150; session++)
		for (int k = 0; k < 6; k++)
			Put(stream, session, RngBelow(rng, TYPES), RngUnit(rng) * 60000);
}

/* The same with whole seconds. */
static void
DrawTiedSessions(Rng *rng, NullStream *stream)
{
	stream->low = 1;
	stream->high = 20;
	stream->dither = 60;
	for (uint32_t session = 0; session < 150; session++)
		for (int k = 0; k < 6; k++)
			Put(stream, session, RngBelow(rng, TYPES), RngUnit(rng) * 60);
}

/* A dither beyond the stream. */
static void
DrawBeyond(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.05, 2000, 1);
	stream->dither = 1000000;
}

/* Events in partitions of all sizes, with bursts that each type has by itself. */
static void
DrawBursts(Rng *rng, NullStream *stream)
{
	stream->low = 1;
	stream->high = 5000;
	stream->dither = 50000;
	for (uint32_t partition = 0; partition < 12; partition++)
	{
		double		end = 50000 << RngBelow(rng, 6);

		for (uint32_t type = 0; type < TYPES; type++)
			for (double at = Exponential(rng, 40000); at < end; at += Exponential(rng, 40000))
				for (uint32_t k = 1 + RngBelow(rng, 4); k > 0; k--)
					Put(stream, partition, type, at + RngUnit(rng) * 4000);
	}
}

typedef enum Method
{
	SHIFT, MOVE, WINDOW_SHUFFLE, METHODS
} Method;

static const char *const method_name[METHODS] = {"shift", "move", "window_shuffle"};

typedef struct NullKind
{
	const char *name;
	void		(*draw) (Rng *rng, NullStream *stream);
	bool		promised[METHODS];	/* p-values hold */
} NullKind;

static const NullKind null_kind[] = {
	{"sparse", DrawSparse, {true, true, true}},
	{"dense", DrawDense, {true, true, true}},
	{"coarse clock", DrawCoarse, {true, true, true}},
	{"coarser clock", DrawVeryCoarse, {true, true, true}},
	{"events apart", DrawApart, {true, false, false}},
	{"events far apart", DrawFarApart, {true, false, false}},
	{"refractory", DrawRefractory, {true, false, false}},
	{"cycles", DrawCycles, {true, false, false}},
	{"drift", DrawDrift, {true, true, true}},
	{"short partitions", DrawSessions, {true, true, true}},
	{"short partitions with ties", DrawTiedSessions, {true, true, true}},
	{"dither beyond the stream", DrawBeyond, {true, true, true}},
	{"bursts", DrawBursts, {true, false, false}},
};

#define KINDS	(sizeof(null_kind) / sizeof(null_kind[0]))

/*
 * Testing a stream
 */

static int
CompareEvents(const void *a, const void *b)
{
	const Event *x = a;
	const Event *y = b;

	if (x->partition != y->partition)
		return x->partition < y->partition ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

static FimEpisodesData *
BuildNull(NullStream *stream)
{
	FimGap		gap = {{.integer = stream->low}, {.integer = stream->high}};
	uint32_t	partitions;
	uint32_t	n = 0;
	size_t		size;
	FimEpisodesData *data;

	qsort(stream->event, stream->n, sizeof(Event), CompareEvents);
	for (uint32_t k = 0; k < stream->n; k++)
		if (n == 0 || CompareEvents(&stream->event[n - 1], &stream->event[k]) != 0)
			stream->event[n++] = stream->event[k];
	stream->n = n;
	partitions = stream->event[n - 1].partition + 1;
	size = FimEpisodesBound(n, partitions, TYPES, 1);
	data = OddAlloc(size);
	FimEpisodesBegin(data, size, n, partitions, TYPES, &gap, 1, false);
	for (uint32_t k = 0; k < n; k++)
	{
		for (uint32_t p = k > 0 ? stream->event[k - 1].partition : 0; p < stream->event[k].partition; p++)
			FimEpisodesNewPartition(data);
		FimEpisodesAdd(data, stream->event[k].type, (FimTime) {.integer = stream->event[k].time});
	}
	return CompleteData(data);
}

/*
 * The support of an episode, from its definition: an event ends an occurrence if the latest one
 * that it ends begins after the end of the one before.
 */
static uint32_t
SupportIn(const NullStream *stream, const uint32_t *type, uint32_t length)
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
		while (event->time - stream->event[first].time > stream->high)
			first++;
		for (uint32_t l = 0; l < length; l++)
		{
			latest[k][l] = 0;
			if (event->type == type[l] && l == 0)
				latest[k][l] = k + 1;
			for (uint32_t before = first; event->type == type[l] && l > 0 && before < k; before++)
				if (event->time - stream->event[before].time >= stream->low && latest[before][l - 1] > latest[k][l])
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

typedef union NullJob
{
	FimEpisodesJob job;
	char		room[sizeof(FimEpisodesJob) + sizeof(FimTrieNode) * MOST_NODES];
} NullJob;

/* Add the pairs and chains, in the order of a trie, with their supports.  Returns their number. */
static uint32_t
MakeNullTrie(FimEpisodesJob *job, const NullStream *stream, Method method, uint32_t *node)
{
	static const uint32_t gap[2] = {0, 0};
	uint32_t	open[3];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(job), .open = open};
	uint32_t	n = 0;

	for (uint32_t pair = 0; pair < PAIRS; pair++)
	{
		uint32_t	type[3] = {pair / TYPES, pair % TYPES, 2};
		uint32_t	support = SupportIn(stream, type, 2);

		/* an episode of one type is not tested by FIM_SHIFT, which keeps it */
		if (support > 0 && (method != SHIFT || type[0] != type[1]))
		{
			FimTrieAdd(&trie, type, gap, 2, support);
			node[n++] = open[1];
		}
		support = pair == 1 || pair == TYPES ? SupportIn(stream, type, 3) : 0;
		if (support > 0)
		{
			FimTrieAdd(&trie, type, gap, 3, support);
			node[n++] = open[2];
		}
	}
	FimTrieFinish(&trie);
	job->nnodes = trie.n;
	job->head.size = (uint32_t) (sizeof(FimEpisodesJob) + sizeof(FimTrieNode) * trie.n);
	return n;
}

/* Sets how many surrogates reach each episode; chain: how many reach 0 -> 1 -> 2.  Returns the number of episodes. */
static uint32_t
TestStreamBy(NullStream *stream, Method method, uint64_t seed, uint32_t *reached)
{
	NullJob		room = {.job = {.head = {.count_only = true}, .seed = seed, .surrogates = SURROGATES}};
	FimEpisodesJob *job = &room.job;
	FimEpisodesData *data = BuildNull(stream);
	TaskWorker	worker;
	const FimSurrogateCounts *counts;
	uint32_t	node[EPISODES];
	uint32_t	n;

	job->dither.integer = stream->dither;
#ifndef OLD
	job->method = method == SHIFT ? FIM_SHIFT : method == MOVE ? FIM_MOVE : FIM_WINDOW_SHUFFLE;
#endif
	job->max_length = 3;
	n = MakeNullTrie(job, stream, method, node);
	StartWorkers(FimEpisodesFamily.mine, FimEpisodesTask(job, data, NULL, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	counts = (const FimSurrogateCounts *) worker.task.summary;
	for (uint32_t e = 0; e < n; e++)
		reached[e] = (uint32_t) counts[node[e]].reached;
	if (worker.result != FIM_DONE)
		abort();
	EndWorkers(&worker, 1);
	OddFree(data);
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
CheckNull(const NullKind *kind, Method method, uint64_t seed, uint32_t streams)
{
	static NullStream stream;
	Share		share[LEVELS] = {{0}};
	Share		discovered = {0};
	Rng			rng = {seed};
	bool		good = true;

	for (uint32_t s = 0; s < streams; s++)
	{
		uint32_t	reached[EPISODES];
		uint64_t	tests[SURROGATES + 1] = {0};
		double		adjusted[SURROGATES + 1];
		uint32_t	n;
		double		least = 1;

		stream.n = 0;
		kind->draw(&rng, &stream);
		n = TestStreamBy(&stream, method, RngNext(&rng), reached);
		if (n == 0)
			continue;
		for (uint32_t e = 0; e < n; e++)
			tests[reached[e]]++;
		FimAdjustPValues(tests, SURROGATES, adjusted);
		for (uint32_t e = 0; e < n; e++)
			least = fmin(least, adjusted[reached[e]]);
		AddShare(&discovered, least <= 0.1);
		for (uint32_t l = 0; l < LEVELS; l++)
		{
			uint32_t	below = 0;

			for (uint32_t e = 0; e < n; e++)
				below += FimPValue(reached[e], SURROGATES) <= level[l] + 1e-9;
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

/*
 * Chains
 */

/* Neurons, of which the first makes the second one fire after some milliseconds, at times. */
static void
DrawNeurons(Rng *rng, NullStream *stream)
{
	DrawPoisson(rng, stream, 50000, 0, 10e6);
	for (uint32_t k = 0, n = stream->n; k < n; k++)
		if (stream->event[k].type == 0 && RngChance(rng, 0.12))
			Put(stream, 0, 1, stream->event[k].time + 2000 + RngUnit(rng) * 2000);
}

static void
DrawShortNeurons(Rng *rng, NullStream *stream)
{
	DrawPoisson(rng, stream, 20000, 0, 1e6);
	for (uint32_t k = 0, n = stream->n; k < n; k++)
		if (stream->event[k].type == 0 && RngChance(rng, 0.5))
			Put(stream, 0, 1, stream->event[k].time + 2000 + RngUnit(rng) * 2000);
}

static void
DrawTicksWithChains(Rng *rng, NullStream *stream)
{
	DrawTicks(rng, stream, 0.03, 4000, 1);
	for (uint32_t k = 0, n = stream->n; k < n; k++)
		if (stream->event[k].type == 0 && RngChance(rng, 0.2))
			Put(stream, 0, 1, stream->event[k].time + 2);
}

static void
DrawSessionsWithChains(Rng *rng, NullStream *stream)
{
	DrawSessions(rng, stream);
	stream->high = 3000;
	stream->dither = 10000;
	for (uint32_t k = 0, n = stream->n; k < n; k++)
		if (stream->event[k].type == 0 && RngChance(rng, 0.15))
			Put(stream, stream->event[k].partition, 1, stream->event[k].time + 2000);
}

/* The share of streams in which 0 -> 1 has a p-value of at most 0.01. */
static void
MeasurePower(const char *name, void (*draw) (Rng *rng, NullStream *stream), Method method, uint64_t seed, uint32_t streams)
{
	static NullStream stream;
	Rng			rng = {seed};
	uint32_t	found = 0;

	for (uint32_t s = 0; s < streams; s++)
	{
		uint32_t	reached[EPISODES];

		stream.n = 0;
		draw(&rng, &stream);
		TestStreamBy(&stream, method, RngNext(&rng), reached);
		found += FimPValue(reached[method == SHIFT ? 0 : 1], SURROGATES) <= 0.01;
	}
	printf("# %-26s %-14s power: %.3f\n", name, method_name[method], found / (double) streams);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint32_t	streams = (uint32_t) ArgumentOr(argc, argv, 2, "FIM_STREAMS", DEFAULT_STREAMS);
	bool		good = true;

	for (Method method = 0; method < METHODS; method++)
	{
		MeasurePower("neurons", DrawNeurons, method, seed, streams);
		MeasurePower("short neurons", DrawShortNeurons, method, seed, streams);
		MeasurePower("ticks", DrawTicksWithChains, method, seed, streams);
		MeasurePower("sessions", DrawSessionsWithChains, method, seed, streams);
	}
	if (EnvironmentOr("FIM_POWER", 0))
		return 0;
	for (uint32_t kind = 0; kind < KINDS; kind++)
		for (Method method = 0; method < METHODS; method++)
			good &= CheckNull(&null_kind[kind], method, seed, streams);
	return !good;
}
