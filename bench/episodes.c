/*
 * episodes.c
 *	  Times the engine that mines serial episodes, without PostgreSQL.
 *
 *		bench/episodes [option ...] FILE
 *		bench/episodes [option ...] -p TYPES,HERTZ,EVENTS
 *		bench/episodes [option ...] -c TYPES,SESSIONS,EVENTS
 *
 * FILE has an event a line, "time type", both whole numbers, sorted by time; lines
 * that begin with # are left out.  "-" is the standard input.  -p makes a stream instead:
 * neurons that fire as Poisson processes, in microseconds, with two chains embedded.
 * -c makes one of clicks in sessions, which are partitions, in seconds: 20 s apart on
 * average, few pages being visited much oftener than most.
 *
 *		-g LOW,HIGH		a gap, (LOW,HIGH]; one option for each
 *		-m MINSUP		occurrences
 *		-n LENGTH		at most so many events
 *		-k KIND			all, closed or maximal
 *		-s STRATEGY		as in gpufim.strategy; or plain, see below
 *		-w WORKERS
 *		-r RUNS			the fastest counts
 *		-l LIBRARY		mine on GPUs, with this gpufim_cuda.so
 *		-M BYTES		of a GPU's memory
 *		-S NUM,DITHER	then count the episodes on so many surrogates
 *		-d METHOD		of making them: shift, move or window_shuffle
 *		-o				mine nothing, but write the events, for COPY: time, type, session
 *
 * It prints the number of episodes of each length, then processor seconds: of making the
 * stream ready, of mining, with seconds by the clock; and the longest time between two
 * polls, which is how long a task may go on when it is canceled.  Of GPUs it prints what the
 * last run took in its phases, too.  The strategy "plain" is the yardstick: propagation
 * that shares nothing (plain_episodes.h).
 */
#include "engine/episodes/episodes.h"
#include "engine/gpu.h"
#include "measure.h"
#include "plain_episodes.h"
#include "streams.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GAPS		16
#define MAX_WORKERS		64

typedef struct Options
{
	FimGap		gap[MAX_GAPS];
	uint32_t	ngaps;
	uint64_t	minsup;
	uint32_t	max_length;
	FimKind		kind;
	const char *strategy;
	uint32_t	workers;
	uint32_t	runs;
	uint32_t	surrogates;
	int64_t		dither;
	FimSurrogateMethod method;
	FimGpuOptions gpu;
} Options;

/* What -l loads. */
static const FimGpuLibrary *library;
static const FimGpuFamily *gpu;

static double longest_of_all;	/* between two polls, in seconds */

static FimEpisodesData *
Build(const Event *events, size_t n, uint32_t ntypes, const Options *options)
{
	uint32_t	sessions = n > 0 ? events[n - 1].session + 1 : 1;
	size_t		size = FimEpisodesBound(n, sessions, ntypes, options->ngaps);
	FimEpisodesData *data = malloc(size);

	FimEpisodesBegin(data, size, n, sessions, ntypes, options->gap, options->ngaps, false);
	for (size_t i = 0; i < n; i++)
	{
		if (i > 0 && events[i].session != events[i - 1].session)
			FimEpisodesNewPartition(data);
		FimEpisodesAdd(data, events[i].type, (FimTime) {.integer = events[i].time});
	}
	FimEpisodesFinish(data);
	if (gpu != NULL)
		return data;
	data = realloc(data, FimEpisodesFamily.cpu_size(&data->head));
	BeginPolls();
	FimEpisodesFamily.cpu_prepare(&data->head, &bench_host);
	longest_of_all = longest_gap;
	return data;
}

static void
LoadLibrary(const char *name, Options *options)
{
	void	   *handle = dlopen(name, RTLD_NOW);
	FimGpuOpen	open_library = handle != NULL ? (FimGpuOpen) dlsym(handle, FIM_GPU_SYMBOL) : NULL;

	if (open_library == NULL)
		Die(dlerror());
	library = open_library();
	gpu = library->families[FimFamilyNumber(&FimEpisodesFamily)];
	poll_clock = CLOCK_MONOTONIC;
	library->set_options(&options->gpu);
	if (!library->open(&options->gpu))
		Die(library->fault()->error);
}

static void
PrintReport(void)
{
	static const char *const phases[] = {"transfer", "build", "count", "return"};
	const FimGpuReport *report = library->report();

	printf("  on %d GPU: %lu candidates, peak %.1f MB;", report->ndevices, report->candidates,
		   report->peak_memory / 1e6);
	for (int p = 0; p < FIM_GPU_NPHASES; p++)
		printf(" %s %.2f ms,", phases[p], report->ms[p]);
	printf(" %.3g events looked up\n", report->amount[FIM_GPU_COUNT]);
}

/* Counts by length into count, [lengths], or lists into a sink. */
static void
Mine(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint32_t nworkers, uint64_t *count, FimSink *sink)
{
	FimTask		task = FimEpisodesTask(spec, data, count);
	Mined		mined = gpu != NULL ? MineTask(task, gpu->mine, sink, 1) :
		MineTask(task, FimMine, sink, nworkers);

	if (mined.result != FIM_DONE)
		Die(mined.result == FIM_DEVICE_FAULT ? library->fault()->error : "mining failed");
	longest_of_all = fmax(longest_of_all, mined.longest_gap);
}

static int
StrategyOf(const char *name)
{
	const char *const *strategies = gpu != NULL ? gpu->strategies : FimEpisodesFamily.strategies;

	for (int s = 0; strategies[s] != NULL; s++)
		if (strcmp(name, strategies[s]) == 0)
			return s;
	Die("no such strategy");
	return -1;
}

static void
AddGap(Options *options, const char *text)
{
	FimGap	   *gap = &options->gap[options->ngaps++];

	if (options->ngaps > MAX_GAPS || sscanf(text, "%ld,%ld", &gap->low.integer, &gap->high.integer) != 2)
		Die("-g takes LOW,HIGH");
	gap->low.integer++;
}

static FimKind
KindOf(const char *name)
{
	return strcmp(name, "closed") == 0 ? FIM_CLOSED : strcmp(name, "maximal") == 0 ? FIM_MAXIMAL : FIM_ALL;
}

static FimSurrogateMethod
MethodOf(const char *name)
{
	return strcmp(name, "move") == 0 ? FIM_MOVE : strcmp(name, "window_shuffle") == 0 ? FIM_WINDOW_SHUFFLE : FIM_SHIFT;
}

/* Keeps what is found, one record after the other. */
typedef struct KeepingSink
{
	FimSink		base;
	uint32_t   *words;
	size_t		nwords;
	uint32_t  **record;			/* of two events or more */
	size_t		nrecords;
	size_t		nevents;
} KeepingSink;

static bool
KeepBatch(FimSink *base, const uint32_t *words, size_t nwords, size_t nresults)
{
	KeepingSink *sink = (KeepingSink *) base;

	sink->words = realloc(sink->words, sizeof(uint32_t) * (sink->nwords + nwords));
	if (sink->words == NULL)
		Die("out of memory");
	memcpy(sink->words + sink->nwords, words, sizeof(uint32_t) * nwords);
	sink->nwords += nwords;
	return true;
}

/* By type, gap, type, and so on: as a trie takes them. */
static int
CompareRecords(const void *a, const void *b)
{
	const uint32_t *x = *(uint32_t *const *) a;
	const uint32_t *y = *(uint32_t *const *) b;

	for (uint32_t k = 0; k < x[0] && k < y[0]; k++)
	{
		uint32_t	x_gap = k > 0 ? x[x[0] + k] : 0;
		uint32_t	y_gap = k > 0 ? y[y[0] + k] : 0;

		if (x_gap != y_gap)
			return x_gap < y_gap ? -1 : 1;
		if (x[1 + k] != y[1 + k])
			return x[1 + k] < y[1 + k] ? -1 : 1;
	}
	return (x[0] > y[0]) - (x[0] < y[0]);
}

static void
SortRecords(KeepingSink *sink)
{
	sink->record = malloc(sizeof(uint32_t *) * (sink->nwords / 4 + 1));
	for (size_t at = 0; at < sink->nwords; at += FIM_EPISODES_RECORD_WORDS(sink->words[at]))
	{
		if (sink->words[at] == 1)
			continue;
		sink->record[sink->nrecords++] = sink->words + at;
		sink->nevents += sink->words[at];
	}
	qsort(sink->record, sink->nrecords, sizeof(uint32_t *), CompareRecords);
}

/* The job of counting what was found on surrogates. */
static FimEpisodesSpec *
SpecOfSurrogates(const KeepingSink *sink, const Options *options)
{
	FimEpisodesSpec *spec = calloc(1, sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * sink->nevents);
	FimTrie		trie = {.node = FIM_EPISODES_NODES(spec), .open = calloc(sink->nevents + 1, sizeof(uint32_t))};

	for (size_t r = 0; r < sink->nrecords; r++)
	{
		const uint32_t *record = sink->record[r];
		uint64_t	support;

		memcpy(&support, record + 2 * record[0], sizeof(support));
		FimTrieAdd(&trie, record + 1, record + 1 + record[0], record[0], (uint32_t) support);
	}
	FimTrieFinish(&trie);
	free(trie.open);
	spec->head.size = (uint32_t) (sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * trie.n);
	spec->head.count_only = true;
	spec->nnodes = trie.n;
	spec->surrogates = options->surrogates;
	spec->dither.integer = options->dither;
	spec->method = options->method;
	spec->seed = 1;
	return spec;
}

/* How many events a surrogate has moved, and how many of the last types of its nodes' episodes there are. */
static void
PrintSize(const FimEpisodesSpec *spec, const FimEpisodesData *data)
{
	bool	   *moved = calloc(data->ntypes, sizeof(bool));
	uint64_t	events = 0;
	uint64_t	extending = 0;

	for (uint32_t k = 0; k < spec->nnodes; k++)
	{
		uint32_t	type = FIM_EPISODES_NODES(spec)[k].type;

		events += moved[type] ? 0 : FIM_EPISODES_COUNTS(data)[type];
		extending += FIM_EPISODES_COUNTS(data)[type];
		moved[type] = true;
	}
	printf("  each surrogate: %lu events moved, %lu to extend %u nodes by\n", events, extending, spec->nnodes);
	free(moved);
}

/* The episodes are found again for that, by one worker, which is not timed. */
static void
RunSurrogates(const FimEpisodesData *data, const FimEpisodesSpec *mining, const Options *options)
{
	FimEpisodesSpec listing = *mining;
	KeepingSink sink = {.base.write = KeepBatch};
	FimEpisodesSpec *spec;
	FimSurrogateCounts *counts;
	Times		start;
	uint64_t	rare = 0;
	uint64_t	sum = 0;

	listing.head.count_only = false;
	listing.head.strategy = FIM_EPISODES_AUTO;
	Mine(&listing, data, 1, NULL, &sink.base);
	SortRecords(&sink);
	spec = SpecOfSurrogates(&sink, options);
	counts = calloc(spec->nnodes, sizeof(FimSurrogateCounts));
	PrintSize(spec, data);
	longest_of_all = 0;
	start = Now();
	Mine(spec, data, options->workers, (uint64_t *) counts, NULL);
	start = Since(start);
	for (uint32_t k = 0; k < spec->nnodes; k++)
	{
		rare += FIM_EPISODES_NODES(spec)[k].support > 0 && counts[k].reached == 0;
		sum += counts[k].sum;
	}
	printf("  %u surrogates: %.3f s (wall %.3f s); %lu of %zu episodes in none of them, %lu occurrences in all; "
		   "polled every %.1f ms\n",
		   options->surrogates, start.processor, start.wall, rare, sink.nrecords, sum, longest_of_all * 1e3);
	if (gpu != NULL)
		PrintReport();
	free(counts);
	free(spec);
	free(sink.record);
	free(sink.words);
}

static void
Run(const FimEpisodesData *data, const Options *options, Times ready)
{
	FimEpisodesSpec spec = {.kind = options->kind, .minsup = options->minsup, .min_length = 1,
	.max_length = options->max_length, .head = {.size = sizeof(spec), .count_only = true}};
	uint32_t	lengths = FimEpisodesLengths(&spec, data);
	uint64_t   *count = NULL;
	Times		best = {INFINITY, INFINITY};
	bool		plain = strcmp(options->strategy, "plain") == 0;

	if (!plain)
		spec.head.strategy = StrategyOf(options->strategy);
	for (uint32_t r = 0; r < options->runs; r++)
	{
		Times		start = Now();
		Times		taken;

		free(count);
		count = calloc(lengths, sizeof(uint64_t));
		if (plain)
			PlainMine(data, options->gap, options->ngaps, options->minsup, options->max_length, count);
		else
			Mine(&spec, data, options->workers, count, NULL);
		taken = Since(start);
		best.processor = fmin(best.processor, taken.processor);
		best.wall = fmin(best.wall, taken.wall);
	}
	for (uint32_t length = 1; length < lengths && count[length] > 0; length++)
		printf("%s%lu", length > 1 ? " " : "", count[length]);
	printf(" episodes; ready %.3f s; mined %.5f s (wall %.5f s); polled every %.1f ms\n", ready.processor,
		   best.processor, best.wall, longest_of_all * 1e3);
	if (gpu != NULL)
		PrintReport();
	free(count);
	if (options->surrogates > 0)
		RunSurrogates(data, &spec, options);
}

int
main(int argc, char **argv)
{
	Options		options = {.minsup = 1, .max_length = FIM_NO_LIMIT, .strategy = "auto", .workers = 1, .runs = 1};
	const char *neurons = NULL;
	const char *clicks = NULL;
	const char *file_of_library = NULL;
	bool		only_write = false;
	Event	   *events = NULL;
	FimEpisodesData *data;
	uint32_t	ntypes;
	size_t		n;
	Times		start;
	int			option;

	while ((option = getopt(argc, argv, "g:m:n:k:s:w:r:p:c:l:M:S:d:o")) != -1)
		switch (option)
		{
			case 'g': AddGap(&options, optarg); break;
			case 'm': options.minsup = strtoull(optarg, NULL, 10); break;
			case 'n': options.max_length = (uint32_t) atoi(optarg); break;
			case 'k': options.kind = KindOf(optarg); break;
			case 's': options.strategy = optarg; break;
			case 'w': options.workers = (uint32_t) atoi(optarg); break;
			case 'r': options.runs = (uint32_t) atoi(optarg); break;
			case 'p': neurons = optarg; break;
			case 'c': clicks = optarg; break;
			case 'l': file_of_library = optarg; break;
			case 'M': options.gpu.memory_limit = strtoull(optarg, NULL, 10); break;
			case 'S':
				if (sscanf(optarg, "%u,%ld", &options.surrogates, &options.dither) != 2 || options.dither <= 0)
					Die("-S takes NUM,DITHER");
				break;
			case 'd': options.method = MethodOf(optarg); break;
			case 'o': only_write = true; break;
			default: return 2;
		}
	if (options.minsup == 0 || options.workers == 0 || options.workers > MAX_WORKERS ||
		(neurons != NULL) + (clicks != NULL) + (optind < argc) != 1)
		Die("see the first lines of bench/episodes.c");
	if (file_of_library != NULL)
		LoadLibrary(file_of_library, &options);
	if (neurons != NULL)
		n = MakeSpikes(neurons, &events);
	else if (clicks != NULL)
		n = MakeClicks(clicks, &events);
	else
		n = ReadEvents(argv[optind], &events);
	if (only_write)
	{
		WriteEvents(events, n);
		free(events);
		return 0;
	}
	n = KeepFrequent(events, n, options.minsup, &ntypes);
	start = Now();
	data = Build(events, n, ntypes, &options);
	free(events);
	start = Since(start);
	printf("%u events, %u types: ", data->events, ntypes);
	fflush(stdout);
	Run(data, &options, start);
	free(data);
	return 0;
}
