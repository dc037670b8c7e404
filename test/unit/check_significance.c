/*-------------------------------------------------------------------------
 *
 * check_significance.c
 *	  Episodes on surrogates, compared with exhaustive search on streams that are moved
 *	  here; and the p-values that come of it.
 *
 * Usage: check_significance [seed [streams]]; or FIM_SEED and FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "engine/episodes/worker.h"
#include "streams.h"

#define DEFAULT_STREAMS		400
#define MAX_WORKERS			3
#define MOST_TESTED			12
#define MOST_NODES			(MOST_TESTED * STREAM_LENGTH)
#define MOST_SURROGATES		8

/* Whether any task ended otherwise than it should have. */
static bool ended_wrongly;

/*
 * Have workers do a task that only counts.  The summary is freed by the caller; NULL if a
 * worker was not done, or left memory behind.
 */
static void *
RunTask(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint32_t nworkers, uint64_t fail_at, uint64_t stop_at)
{
	TaskWorker	workers[MAX_WORKERS];
	void	   *summary;
	bool		good = true;

	StartWorkers(FimMine, FimEpisodesTask(spec, data, NULL), workers, nworkers);
	for (uint32_t w = 0; w < nworkers; w++)
	{
		workers[w].host.fail_at = fail_at;
		workers[w].host.stop_at = stop_at;
	}
	RunWorkers(workers, nworkers);
	summary = calloc(1, FimSummarySize(&workers[0].task));
	for (uint32_t w = 0; w < nworkers; w++)
	{
		const TestHost *host = &workers[w].host;
		bool		hindered = host->allocs >= fail_at || host->polls >= stop_at;

		if ((workers[w].result == FIM_DONE) == hindered)
		{
			Complain("a worker ended with %s", ResultName(workers[w].result));
			ended_wrongly = true;
		}
		good &= workers[w].result == FIM_DONE;
		FimEpisodesFamily.summary_add(&workers[w].task, summary, workers[w].task.summary);
	}
	if (!EndWorkers(workers, nworkers))
		ended_wrongly = true;
	if (!good)
	{
		free(summary);
		return NULL;
	}
	return summary;
}

/* A job with room for a trie. */
typedef union TestJob
{
	FimEpisodesSpec spec;
	char		room[sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * MOST_NODES];
} TestJob;

static int
CompareEpisodes(const void *a, const void *b)
{
	const StreamEpisode *x = a;
	const StreamEpisode *y = b;

	for (uint32_t k = 0; k < x->length && k < y->length; k++)
	{
		if (k > 0 && x->gap[k - 1] != y->gap[k - 1])
			return x->gap[k - 1] < y->gap[k - 1] ? -1 : 1;
		if (x->type[k] != y->type[k])
			return x->type[k] < y->type[k] ? -1 : 1;
	}
	return (x->length > y->length) - (x->length < y->length);
}

/* Their nodes, in the order of the episodes. */
static void
MakeTrie(FimEpisodesSpec *spec, const StreamEpisode *episode, uint32_t n, uint32_t *node)
{
	uint32_t	open[STREAM_LENGTH];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(spec), .open = open};

	for (uint32_t e = 0; e < n; e++)
	{
		FimTrieAdd(&trie, episode[e].type, episode[e].gap, episode[e].length, (uint32_t) episode[e].support);
		node[e] = open[episode[e].length - 1];
	}
	FimTrieFinish(&trie);
	spec->nnodes = trie.n;
	spec->head.size = (uint32_t) (sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * trie.n);
}

/* Without what is there twice, since that is one event. */
static void
DropRepeats(TestStream *stream)
{
	uint32_t	n = 0;

	for (uint32_t r = 0; r < stream->nrows; r++)
	{
		bool		repeated = false;

		for (uint32_t before = 0; before < n; before++)
			repeated |= stream->row[before].partition == stream->row[r].partition &&
				stream->row[before].type == stream->row[r].type &&
				CompareTimes(stream, stream->row[before].time, stream->row[r].time) == 0;
		if (!repeated)
			stream->row[n++] = stream->row[r];
	}
	stream->nrows = n;
}

/* The span of a partition of a stream whose rows are sorted. */
static FimSpan
SpanOfRows(const TestStream *stream, uint32_t partition)
{
	FimSpan		span = {.partition = partition};
	bool		any = false;

	for (uint32_t r = 0; r < stream->nrows; r++)
		if (stream->row[r].partition == partition)
		{
			const StreamRow *row = &stream->row[r];

			if (!any)
				span.first = span.last = row->time;
			if (!any || (FimTimeKey(stream->real, row->time, span.first) == 0 && row->type < span.first_type))
				span.first_type = row->type;
			if (!any || FimTimeKey(stream->real, row->time, span.last) != 0 || row->type > span.last_type)
				span.last_type = row->type;
			span.last = row->time;
			any = true;
		}
	return span;
}

static void
MoveStream(const FimEpisodesSpec *spec, uint32_t surrogate, const TestStream *stream, TestStream *moved)
{
	FimMoves	moves = FimMovesOf(spec, stream->real);

	*moved = *stream;
	for (uint32_t r = 0; r < stream->nrows; r++)
	{
		StreamRow  *row = &moved->row[r];
		FimSpan		span = SpanOfRows(stream, row->partition);

		row->time = FimHiddenTime(&moves, &span, row->time, row->type);
		row->time = FimSurrogateTime(&moves, &span, row->time, row->type, surrogate);
	}
	SortRows(moved);
}

/* What the counts should be; false if there is too much to search. */
static bool
CountPlainly(const FimEpisodesSpec *spec, const TestStream *stream, const StreamEpisode *tested, uint32_t n,
			 FimSurrogateCounts *counts)
{
	memset(counts, 0, sizeof(FimSurrogateCounts) * n);
	for (uint32_t surrogate = 0; surrogate < spec->surrogates; surrogate++)
	{
		TestStream	moved;
		StreamEpisodes all;

		MoveStream(spec, surrogate, stream, &moved);
		if (!FindEpisodes(&moved, STREAM_LENGTH, &all))
			return false;
		for (uint32_t e = 0; e < n; e++)
		{
			StreamEpisode *found = LookUpEpisode(&all, tested[e].length, tested[e].type, tested[e].gap);
			uint64_t	support = found != NULL ? found->support : 0;

			counts[e].sum += support;
			counts[e].reached += support >= tested[e].support;
		}
		free(all.episode);
	}
	return true;
}

/* Some episodes of a stream, each once, in order; with supports that some surrogates reach. */
static uint32_t
DrawTested(Rng *rng, const StreamEpisodes *all, StreamEpisode *tested)
{
	uint32_t	drawn = RngBelow(rng, MOST_TESTED + 1);
	uint32_t	n = 0;

	for (uint32_t k = 0; k < drawn && all->n > 0; k++)
	{
		tested[n] = all->episode[RngBelow(rng, all->n)];
		tested[n++].support = 1 + RngBelow(rng, 3);
	}
	qsort(tested, n, sizeof(StreamEpisode), CompareEpisodes);
	drawn = n;
	n = 0;
	for (uint32_t k = 0; k < drawn; k++)
		if (n == 0 || CompareEpisodes(&tested[n - 1], &tested[k]) != 0)
			tested[n++] = tested[k];
	return n;
}

static bool
CountsAreRight(const FimEpisodesSpec *spec, const FimSurrogateCounts *given, const FimSurrogateCounts *wanted,
			   const uint32_t *node, uint32_t n)
{
	for (uint32_t e = 0; e < n; e++)
		if (given[node[e]].sum != wanted[e].sum || given[node[e]].reached != wanted[e].reached)
			return Complain("tested episode %u: sum %u instead of %u, reached %u times instead of %u, on %u surrogates", e,
							(unsigned) given[node[e]].sum, (unsigned) wanted[e].sum, (unsigned) given[node[e]].reached,
							(unsigned) wanted[e].reached, spec->surrogates);
	return true;
}

static bool
CheckStream(uint64_t seed)
{
	Rng			rng = {seed};
	TestJob		room = {0};
	FimEpisodesSpec *spec = &room.spec;
	TestStream	stream;
	StreamEpisodes all;
	StreamEpisode tested[MOST_TESTED];
	FimSurrogateCounts wanted[MOST_TESTED];
	FimSurrogateCounts *given;
	FimEpisodesData *data;
	uint32_t	node[MOST_TESTED];
	uint32_t	n;
	bool		good = true;

	DrawStream(&rng, &stream, RngBelow(&rng, 13));
	DropRepeats(&stream);
	if (!FindEpisodes(&stream, STREAM_LENGTH, &all))
		return true;
	n = DrawTested(&rng, &all, tested);
	free(all.episode);
	*spec = (FimEpisodesSpec) {.head = {.count_only = true}, .seed = RngNext(&rng)};
	spec->surrogates = 1 + RngBelow(&rng, MOST_SURROGATES);
	spec->method = RngBelow(&rng, 3);
	if (stream.real)
		spec->dither.real = RngUnit(&rng) * 5;
	else
		spec->dither.integer = 1 + RngBelow(&rng, 6);
	MakeTrie(spec, tested, n, node);
	if (!CountPlainly(spec, &stream, tested, n, wanted))
		return true;
	data = BuildStream(&stream);
	given = RunTask(spec, data, 1 + RngBelow(&rng, MAX_WORKERS), NEVER, NEVER);
	good = given != NULL && CountsAreRight(spec, given, wanted, node, n);
	free(given);
	/* stopped, or without memory, somewhere */
	if (RngChance(&rng, 0.5))
		given = RunTask(spec, data, 1, 1 + RngBelow(&rng, 8), NEVER);
	else
		given = RunTask(spec, data, 1, NEVER, 1 + RngBelow(&rng, 8));
	free(given);
	OddFree(data);
	if (!good || ended_wrongly)
	{
		Complain("stream of seed %llu", (unsigned long long) seed);
		PrintStream(&stream);
	}
	return good && !ended_wrongly;
}

static uint64_t
SupportOf(const FimEpisodesData *data, const StreamEpisode *episode)
{
	TestJob		room = {.spec = {.head = {sizeof(TestJob), 0, true}, .episode_length = episode->length}};
	uint64_t   *summary;
	uint64_t	support;

	memcpy(room.spec.words, episode->type, sizeof(uint32_t) * episode->length);
	memcpy(room.spec.words + episode->length, episode->gap, sizeof(uint32_t) * (episode->length - 1));
	summary = RunTask(&room.spec, data, 1, NEVER, NEVER);
	support = *summary;
	free(summary);
	return support;
}

/*
 * Count episodes on one surrogate of sorted events, each once, which are moved here, too, and
 * counted one by one.
 */
static bool
CheckEvents(Event *event, uint32_t n, uint32_t ntypes, FimGap gap, int64_t dither, StreamEpisode *tested,
			uint32_t ntested)
{
	TestJob		room = {0};
	FimEpisodesSpec *spec = &room.spec;
	FimSpan    *span = calloc(event[n - 1].partition + 1, sizeof(FimSpan));
	FimMoves	moves;
	uint32_t	node[MOST_TESTED];
	FimSurrogateCounts wanted[MOST_TESTED];
	FimSurrogateCounts *given;
	FimEpisodesData *data = BuildEvents(event, n, ntypes, gap);
	bool		good;

	*spec = (FimEpisodesSpec) {.head = {.count_only = true}, .seed = n, .surrogates = 1, .dither = {.integer = dither},
	.method = n % 3};
	MakeTrie(spec, tested, ntested, node);
	given = RunTask(spec, data, 1, NEVER, NEVER);
	OddFree(data);
	for (uint32_t k = 0; k < n; k++)
	{
		FimSpan    *s = &span[event[k].partition];
		FimTime		time = {.integer = event[k].time};

		if (k == 0 || event[k].partition != event[k - 1].partition)
			*s = (FimSpan) {.first = time, .first_type = event[k].type, .partition = event[k].partition};
		s->last = time;
		s->last_type = event[k].type;
	}
	moves = FimMovesOf(spec, false);
	for (uint32_t k = 0; k < n; k++)
	{
		FimTime		time = {.integer = event[k].time};

		time = FimHiddenTime(&moves, &span[event[k].partition], time, event[k].type);
		event[k].time = FimSurrogateTime(&moves, &span[event[k].partition], time, event[k].type, 0).integer;
	}
	data = BuildEvents(event, SortEvents(event, n), ntypes, gap);
	for (uint32_t e = 0; e < ntested; e++)
	{
		wanted[e].sum = SupportOf(data, &tested[e]);
		wanted[e].reached = wanted[e].sum >= tested[e].support;
	}
	good = given != NULL && CountsAreRight(spec, given, wanted, node, ntested);
	free(given);
	OddFree(data);
	free(span);
	return good;
}

/*
 * A stream of several blocks, with a partition that takes one alone and others of a few
 * events or a few hundred.  One type is not in the trie.
 */
static bool
CheckLongStream(uint64_t seed)
{
	enum
	{
		EVENTS = 2400000, FIRST = 1100000
	};
	Rng			rng = {seed};
	StreamEpisode tested = {.length = 2, .type = {0, 1}, .support = 1};
	FimGap		gap = {{.integer = 1}, {.integer = 50}};
	Event	   *event = malloc(sizeof(Event) * EVENTS);
	uint32_t	partition = 0;
	bool		good;

	for (uint32_t k = 0; k < EVENTS; k++)
	{
		partition += k >= FIRST && RngChance(&rng, k % 100000 < 50000 ? 0.2 : 0.003);
		event[k] = (Event) {partition, RngBelow(&rng, 4), RngBelow(&rng, partition == 0 ? 100000000 : 2000)};
	}
	good = CheckEvents(event, SortEvents(event, EVENTS), 4, gap, 300, &tested, 1) || Complain("a long stream");
	free(event);
	return good;
}

/*
 * Bursts and silence, and windows of none or some or all events; half of the events are of a
 * few types.
 */
static bool
CheckBusyStream(uint64_t seed)
{
	enum
	{
		TYPES = 40, EVENTS = 6000
	};
	static const StreamEpisode episodes[] = {
		{.length = 2, .type = {0, 0}}, {.length = 2, .type = {0, 1}}, {.length = 3, .type = {0, 1, 2}},
		{.length = 3, .type = {0, 1, 39}}, {.length = 4, .type = {0, 1, 39, 0}}, {.length = 3, .type = {0, 30, 1}},
		{.length = 2, .type = {20, 0}}, {.length = 3, .type = {20, 0, 1}}, {.length = 4, .type = {20, 21, 0, 1}},
	};
	enum
	{
		TESTED = sizeof(episodes) / sizeof(episodes[0])
	};
	Rng			rng = {seed};
	StreamEpisode tested[TESTED];
	int64_t		low = RngBelow(&rng, 40);
	FimGap		gap = {{.integer = 1 + low}, {.integer = 1 + low + (int64_t) RngBelow(&rng, 2000)}};
	Event	   *event = malloc(sizeof(Event) * EVENTS);
	uint32_t	n = 1 + RngBelow(&rng, EVENTS);
	uint32_t	partition = 0;
	bool		good;

	if (RngChance(&rng, 0.1))
		gap.high.integer = INT64_MAX;
	memcpy(tested, episodes, sizeof(tested));
	for (uint32_t e = 0; e < TESTED; e++)
		tested[e].support = 1 + RngBelow(&rng, 100);
	for (uint32_t k = 0; k < n; k++)
	{
		int64_t		burst = RngBelow(&rng, 1 + n / 100) * 100000;

		partition += RngChance(&rng, 0.0003);
		event[k] = (Event) {partition, RngBelow(&rng, RngChance(&rng, 0.5) ? 3 : TYPES),
		RngChance(&rng, 0.3) ? RngBelow(&rng, 3000000) : burst + RngBelow(&rng, 200)};
	}
	good = CheckEvents(event, SortEvents(event, n), TYPES, gap, 1 + RngBelow(&rng, 400), tested, TESTED) ||
		Complain("a busy stream of seed %llu", (unsigned long long) seed);
	free(event);
	return good;
}

/* One event far before another, with more or fewer between them: it is found at any place. */
static bool
CheckFarEvents(void)
{
	enum
	{
		PLACES = 67, EVENTS = 260
	};

	for (uint32_t place = 0; place < PLACES; place++)
		for (uint32_t n = place + 2; n <= EVENTS; n += 9)
		{
			StreamEpisode tested[2] = {{.length = 2, .type = {0, 1}, .support = 1},
			{.length = 2, .type = {2, 1}, .support = 1}};
			Event		event[EVENTS];
			bool		good;

			for (uint32_t k = 0; k < n; k++)
				event[k] = (Event) {0, k == place ? 0 : k == n - 1 ? 1 : 2, 10 * (int64_t) k};
			good = CheckEvents(event, n, 3, (FimGap) {{.integer = 1}, {.integer = 10 * EVENTS}}, 1, tested, 2);
			if (!good)
				return Complain("an event at place %u of %u", place, n);
		}
	return true;
}

#define NEURONS		12

/* Poisson processes, between which 0 -> 1 -> 2 is repeated on purpose if wanted. */
static FimEpisodesData *
MakeNeurons(Rng *rng, uint32_t events, bool chains)
{
	Event	   *event = malloc(sizeof(Event) * (events + 3));
	FimGap		gap = {{.integer = 5001}, {.integer = 10000}};
	FimEpisodesData *data;
	double		now = 0;
	uint32_t	n = 0;

	while (n < events)
	{
		now -= log(1 - RngUnit(rng)) * 1e6 / (NEURONS * 20);
		if (chains && RngChance(rng, 0.02))
			for (uint32_t k = 0; k < 3; k++)
				event[n++] = (Event) {0, k, (int64_t) now + 7000 * k};
		else
			event[n++] = (Event) {0, RngBelow(rng, NEURONS), (int64_t) now};
	}
	data = BuildEvents(event, SortEvents(event, n), NEURONS, gap);
	free(event);
	return data;
}

/* The p-values of all pairs, and of the chain last. */
static void
TestPairs(const FimEpisodesData *data, uint32_t surrogates, double *p)
{
	enum
	{
		PAIRS = NEURONS * NEURONS
	};
	FimEpisodesSpec *spec = calloc(1, sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * 3 * (PAIRS + 1));
	StreamEpisode *tested = calloc(PAIRS + 1, sizeof(StreamEpisode));
	uint32_t	node[PAIRS + 1];
	FimSurrogateCounts *counts;

	*spec = (FimEpisodesSpec) {.head = {.count_only = true}, .seed = 11, .surrogates = surrogates, .dither = {.integer = 50000}};
	for (uint32_t e = 0; e < PAIRS; e++)
	{
		tested[e] = (StreamEpisode) {.length = 2, .type = {e / NEURONS, e % NEURONS}};
		tested[e].support = SupportOf(data, &tested[e]);
	}
	tested[PAIRS] = (StreamEpisode) {.length = 3, .type = {0, 1, 2}, .support = 150};
	qsort(tested, PAIRS + 1, sizeof(StreamEpisode), CompareEpisodes);
	MakeTrie(spec, tested, PAIRS + 1, node);
	counts = RunTask(spec, data, 2, NEVER, NEVER);
	for (uint32_t e = 0, pair = 0; e <= PAIRS; e++)
	{
		double		value = FimPValue(counts[node[e]].reached, surrogates);

		if (tested[e].length == 3)
			p[PAIRS] = value;
		else
			p[pair++] = value;
	}
	free(counts);
	free(tested);
	free(spec);
}

static int
CompareNumbers(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The embedded chain is the only episode of three events that comes near its number. */
static bool
ChainIsMined(const FimEpisodesData *data)
{
	FimEpisodesSpec spec = {.head = {.size = sizeof(spec), .count_only = true}, .minsup = 150, .min_length = 3,
	.max_length = 3};
	uint64_t   *counts = RunTask(&spec, data, 2, NEVER, NEVER);
	bool		good = counts != NULL && counts[3] == 1;

	if (!good)
		Complain("%u episodes of three events instead of the chain", counts != NULL ? (unsigned) counts[3] : 0);
	free(counts);
	return good;
}

/* What is embedded has the least p-value there can be; where nothing is, p-values are uniform. */
static bool
CheckNeurons(uint64_t seed)
{
	enum
	{
		PAIRS = NEURONS * NEURONS, SURROGATES = 199
	};
	Rng			rng = {seed};
	double		p[PAIRS + 1];
	double		distance = 0;
	FimEpisodesData *data = MakeNeurons(&rng, 12000, true);
	bool		good = ChainIsMined(data);

	TestPairs(data, SURROGATES, p);
	OddFree(data);
	if (p[1] > 1.0 / (1 + SURROGATES) || p[NEURONS + 2] > 1.0 / (1 + SURROGATES) || p[PAIRS] > 1.0 / (1 + SURROGATES))
		return Complain("an embedded chain has p-values %g, %g and %g", p[1], p[NEURONS + 2], p[PAIRS]);
	data = MakeNeurons(&rng, 12000, false);
	TestPairs(data, SURROGATES, p);
	OddFree(data);
	qsort(p, PAIRS, sizeof(double), CompareNumbers);
	for (uint32_t e = 0; e < PAIRS; e++)
		distance = fmax(distance, fabs(p[e] - (e + 0.5) / PAIRS));
	/* of Kolmogorov and Smirnov; of 144 uniform numbers, one set in 1,000 is farther off */
	return good && (distance < 0.163 || Complain("p-values of independent neurons are not uniform: distance %g", distance));
}

/* By definition: the least of p[j] * n / rank[j] over all p[j] that are no less. */
static bool
CheckAdjusting(uint64_t seed)
{
	enum
	{
		TESTS = 60, SURROGATES = 30
	};
	Rng			rng = {seed};
	uint64_t	tests[SURROGATES + 1] = {0};
	uint32_t	reached[TESTS];
	double		adjusted[SURROGATES + 1];
	uint32_t	n = RngBelow(&rng, TESTS + 1);

	for (uint32_t k = 0; k < n; k++)
		tests[reached[k] = RngBelow(&rng, 1 + RngBelow(&rng, SURROGATES + 1))]++;
	FimAdjustPValues(tests, SURROGATES, adjusted);
	for (uint32_t k = 0; k < n; k++)
	{
		double		least = 1;

		for (uint32_t j = 0; j < n; j++)
		{
			uint32_t	rank = 0;

			for (uint32_t i = 0; i < n; i++)
				rank += reached[i] <= reached[j];
			if (reached[j] >= reached[k])
				least = fmin(least, (1.0 + reached[j]) / (1 + SURROGATES) * n / rank);
		}
		if (fabs(adjusted[reached[k]] - least) > 1e-12)
			return Complain("adjusted p-value %g instead of %g", adjusted[reached[k]], least);
	}
	return true;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	streams = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_STREAMS);

	if (!CheckLongStream(1) || !CheckFarEvents() || !CheckNeurons(1))
		return 1;
	for (uint64_t i = 0; i < streams; i++)
		if (!CheckStream(seed * UINT64_C(1000003) + i) || !CheckAdjusting(seed * UINT64_C(1000003) + i) ||
			(i % 2 == 0 && !CheckBusyStream(seed * UINT64_C(1000003) + i)))
			return 1;
	printf("# %llu random streams, seed %llu\n", (unsigned long long) streams, (unsigned long long) seed);
	return 0;
}
