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
 *
 * It prints the number of episodes of each length, then processor seconds: of making the
 * stream ready, of mining, with seconds by the clock; and the longest time between two
 * polls, which is how long a task may go on when it is canceled.  Of GPUs it prints what the
 * last run took in its phases, too.  The strategy "plain" is the yardstick of what
 * propagation is without sharing: level by level, candidates joined on what they
 * have in common, and for each the lists of all of its prefixes made again by binary
 * search.
 */
#include "engine/episodes/episodes.h"
#include "engine/gpu.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_GAPS		16
#define MAX_WORKERS		64

typedef struct Event
{
	int64_t		time;
	uint32_t	type;
	uint32_t	session;
} Event;

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
	FimGpuOptions gpu;
} Options;

typedef struct Times
{
	double		processor;
	double		wall;
} Times;

typedef struct BenchWorker
{
	pthread_t	thread;
	FimTask		task;
	FimResult	result;
	double		longest_gap;
} BenchWorker;

/* What -l loads. */
static const FimGpuLibrary *library;
static const FimGpuFamily *gpu;

static void
Die(const char *what)
{
	fprintf(stderr, "episodes: %s\n", what);
	exit(1);
}

static Times
Now(void)
{
	struct timespec processor;
	struct timespec wall;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
	clock_gettime(CLOCK_MONOTONIC, &wall);
	return (Times) {processor.tv_sec + processor.tv_nsec / 1e9, wall.tv_sec + wall.tv_nsec / 1e9};
}

static Times
Since(Times start)
{
	Times		now = Now();

	return (Times) {now.processor - start.processor, now.wall - start.wall};
}

static void *
HostAlloc(FimHost *host, size_t bytes)
{
	return malloc(bytes);
}

static void
HostFree(FimHost *host, void *block)
{
	free(block);
}

/*
 * Processor time of this thread at its last poll, and the longest between two so far; for
 * GPUs, which do not take any, the time by the clock.
 */
static __thread double last_poll;
static __thread double longest_gap;
static double longest_of_all;

static double
ThreadSeconds(void)
{
	struct timespec now;

	clock_gettime(gpu != NULL ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static bool
HostPoll(FimHost *host)
{
	double		now = ThreadSeconds();

	longest_gap = fmax(longest_gap, now - last_poll);
	last_poll = now;
	return false;
}

static FimHost bench_host = {HostAlloc, HostFree, HostPoll, NULL};

static void
AddEvent(Event **events, size_t *n, Event event)
{
	if ((*n & (*n - 1)) == 0)
		*events = realloc(*events, sizeof(Event) * (*n == 0 ? 1 : 2 * *n));
	if (*events == NULL)
		Die("out of memory");
	(*events)[(*n)++] = event;
}

static size_t
ReadEvents(const char *name, Event **events)
{
	FILE	   *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
	char	   *line = NULL;
	size_t		size = 0;
	size_t		n = 0;

	if (file == NULL)
		Die("cannot open the file");
	while (getline(&line, &size, file) >= 0)
	{
		Event		event = {0};

		if (line[0] != '#' && sscanf(line, "%ld %u", &event.time, &event.type) == 2)
			AddEvent(events, &n, event);
	}
	free(line);
	return n;
}

static uint64_t rng_state = 1;

static double
Unit(void)
{
	uint64_t	z = (rng_state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static int
BySessionAndTime(const void *a, const void *b)
{
	const Event *x = a;
	const Event *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* One event in a hundred begins a chain: types 0 1 2 3 or 4 5 6 7, 5 to 10 ms apart. */
static size_t
MakeSpikes(const char *model, Event **events)
{
	unsigned	types;
	double		hertz;
	size_t		wanted;
	size_t		n = 0;
	double		now = 0;

	if (sscanf(model, "%u,%lf,%zu", &types, &hertz, &wanted) != 3 || types == 0)
		Die("-p takes TYPES,HERTZ,EVENTS");
	while (n < wanted)
	{
		now -= log(1 - Unit()) * 1e6 / (types * hertz);
		AddEvent(events, &n, (Event) {(int64_t) now, (uint32_t) (Unit() * types), 0});
		if (types >= 8 && Unit() < 0.01)
		{
			double		at = now;
			uint32_t	first = Unit() < 0.5 ? 0 : 4;

			for (uint32_t k = 0; k < 4; k++, at += 5000 + Unit() * 5000)
				AddEvent(events, &n, (Event) {(int64_t) at, first + k, 0});
		}
	}
	qsort(*events, n, sizeof(Event), BySessionAndTime);
	return n;
}

/* Pages by the square of a random number; the sessions' lengths vary as they do by chance. */
static size_t
MakeClicks(const char *model, Event **events)
{
	unsigned	types;
	unsigned	sessions;
	size_t		wanted;
	size_t		n = 0;
	double		now = 0;
	uint32_t	session = 0;

	if (sscanf(model, "%u,%u,%zu", &types, &sessions, &wanted) != 3 || types == 0 || sessions == 0)
		Die("-c takes TYPES,SESSIONS,EVENTS");
	while (n < wanted)
	{
		double		page = Unit();

		if (session + 1 < sessions && Unit() * wanted < sessions)
		{
			session++;
			now = 0;
		}
		now += 1 - 20 * log(1 - Unit());
		AddEvent(events, &n, (Event) {(int64_t) now, (uint32_t) (page * page * types), session});
	}
	return n;
}

static int
ByNumber(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* Types that are frequent are numbered in their order, the others' events go. */
static size_t
KeepFrequent(Event *events, size_t n, uint64_t minsup, uint32_t *ntypes)
{
	uint32_t   *type = malloc(sizeof(uint32_t) * (n + 1));
	uint32_t	kept = 0;
	size_t		to = 0;

	for (size_t i = 0; i < n; i++)
		type[i] = events[i].type;
	qsort(type, n, sizeof(uint32_t), ByNumber);
	for (size_t i = 0, j; i < n; i = j)
	{
		for (j = i; j < n && type[j] == type[i]; j++)
			;
		if (j - i >= minsup)
			type[kept++] = type[i];
	}
	for (size_t i = 0; i < n; i++)
	{
		uint32_t   *found = bsearch(&events[i].type, type, kept, sizeof(uint32_t), ByNumber);

		if (found != NULL)
			events[to++] = (Event) {events[i].time, (uint32_t) (found - type), events[i].session};
	}
	free(type);
	*ntypes = kept;
	return to;
}

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
	last_poll = ThreadSeconds();
	FimEpisodesFamily.cpu_prepare(&data->head, &bench_host);
	longest_of_all = longest_gap;
	return data;
}

static void *
WorkerMain(void *arg)
{
	BenchWorker *worker = arg;

	last_poll = ThreadSeconds();
	longest_gap = 0;
	worker->result = FimEpisodesFamily.mine(&worker->task, &bench_host, NULL);
	HostPoll(&bench_host);
	worker->longest_gap = longest_gap;
	return NULL;
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

static void
MineOnGpu(const FimEpisodesJob *job, const FimEpisodesData *data, uint64_t *count)
{
	FimTask		task = FimEpisodesTask(job, data, NULL, count);
	FimResult	result;

	task.shared = calloc(1, FimSharedSize(&task));
	FimSharedInit(&task);
	last_poll = ThreadSeconds();
	result = gpu->mine(&task, &bench_host, NULL);
	HostPoll(&bench_host);
	longest_of_all = fmax(longest_of_all, longest_gap);
	free(task.shared);
	if (result != FIM_DONE)
		Die(result == FIM_DEVICE_FAULT ? library->fault()->error : "mining failed");
}

/* Counts by length into count, [lengths]. */
static void
Mine(const FimEpisodesJob *job, const FimEpisodesData *data, uint32_t nworkers, uint64_t *count)
{
	FimTask		task = FimEpisodesTask(job, data, NULL, NULL);
	BenchWorker worker[MAX_WORKERS];

	task.shared = calloc(1, FimSharedSize(&task));
	FimSharedInit(&task);
	for (uint32_t w = 0; w < nworkers; w++)
	{
		worker[w].task = task;
		worker[w].task.summary = w == 0 ? count : calloc(1, FimSummarySize(&task));
		if (w > 0 && pthread_create(&worker[w].thread, NULL, WorkerMain, &worker[w]) != 0)
			Die("no thread");
	}
	WorkerMain(&worker[0]);
	for (uint32_t w = 0; w < nworkers; w++)
	{
		if (w > 0)
		{
			pthread_join(worker[w].thread, NULL);
			FimEpisodesFamily.summary_add(&task, count, worker[w].task.summary);
			free(worker[w].task.summary);
		}
		if (worker[w].result != FIM_DONE)
			Die("mining failed");
		longest_of_all = fmax(longest_of_all, worker[w].longest_gap);
	}
	free(task.shared);
}

/* The plain yardstick: an episode is types[length], gaps[length - 1]. */
typedef struct Plain
{
	const FimEpisodesData *data;
	const Options *options;
	int64_t   **time;			/* of each type */
	uint32_t   *n;
	int64_t    *end;
	int64_t    *start;
} Plain;

/* The support of an episode, from its first event on. */
static uint64_t
PlainSupport(Plain *p, const uint32_t *type, const uint32_t *gap, uint32_t length)
{
	uint32_t	n = p->n[type[0]];
	uint64_t	support = 0;
	int64_t		last = INT64_MIN;

	memcpy(p->end, p->time[type[0]], sizeof(int64_t) * n);
	memcpy(p->start, p->end, sizeof(int64_t) * n);
	for (uint32_t k = 1; k < length; k++)
	{
		FimGap		g = p->options->gap[gap[k - 1]];
		const int64_t *time = p->time[type[k]];
		int64_t    *end = p->end + p->data->events;
		int64_t    *start = p->start + p->data->events;
		uint32_t	m = 0;

		for (uint32_t i = 0; i < p->n[type[k]]; i++)
		{
			uint32_t	low = 0;
			uint32_t	high = n;

			while (low < high)
			{
				uint32_t	middle = (low + high) / 2;

				if (p->end[middle] <= time[i] - g.low.integer)
					low = middle + 1;
				else
					high = middle;
			}
			if (low > 0 && time[i] - p->end[low - 1] <= g.high.integer)
			{
				end[m] = time[i];
				start[m++] = p->start[low - 1];
			}
		}
		n = m;
		memcpy(p->end, end, sizeof(int64_t) * n);
		memcpy(p->start, start, sizeof(int64_t) * n);
	}
	for (uint32_t i = 0; i < n; i++)
		if (p->start[i] > last)
		{
			support++;
			last = p->end[i];
		}
	return support;
}

static uint32_t plain_words;

/* Episodes by their beginnings, without the last event and the gap before it. */
static int
ByAllButLast(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	for (uint32_t k = 0; k + 2 < plain_words; k++)
		if (x[k] != y[k])
			return x[k] < y[k] ? -1 : 1;
	return 0;
}

/*
 * A level is an array of episodes as type, gap, type, ... type; sorted, so that those
 * with the same beginning lie together.
 */
static void
PlainMine(const FimEpisodesData *data, const Options *options, uint64_t *count)
{
	Plain		p = {.data = data, .options = options};
	const FimTime *times = FIM_EPISODES_TIMES(data);
	uint32_t   *level = malloc(sizeof(uint32_t) * (data->ntypes + 1));
	size_t		n = 0;

	p.time = calloc(data->ntypes + 1, sizeof(int64_t *));
	p.n = calloc(data->ntypes + 1, sizeof(uint32_t));
	p.end = malloc(sizeof(int64_t) * 2 * ((size_t) data->events + 1));
	p.start = malloc(sizeof(int64_t) * 2 * ((size_t) data->events + 1));
	for (uint32_t t = 0; t < data->ntypes; t++)
		p.time[t] = malloc(sizeof(int64_t) * (FIM_EPISODES_COUNTS(data)[t] + 1));
	for (uint32_t i = 0; i < data->events; i++)
	{
		uint32_t	t = FIM_EPISODES_TYPES(data)[i];

		p.time[t][p.n[t]++] = times[i].integer;
	}
	for (uint32_t t = 0; t < data->ntypes; t++)
		if (p.n[t] >= options->minsup)
			level[n++] = t;
	count[1] = n;
	for (uint32_t length = 2; length <= options->max_length && n > 0; length++)
	{
		uint32_t	words = 2 * length - 3;
		uint32_t   *next = NULL;
		size_t		m = 0;
		size_t		room = 0;

		plain_words = words;
		qsort(level, n, sizeof(uint32_t) * words, ByAllButLast);
		for (size_t e = 0; e < n; e++)
		{
			const uint32_t *first = level + e * words;
			size_t		low = 0;
			size_t		high = length == 2 ? 0 : n;

			/* the first whose beginning is this one's end */
			while (low < high)
			{
				size_t		middle = (low + high) / 2;

				if (ByAllButLast(level + middle * words, first + 2) < 0)
					low = middle + 1;
				else
					high = middle;
			}
			for (; low < n && (length == 2 || ByAllButLast(level + low * words, first + 2) == 0); low++)
				for (uint32_t g = 0; g < (length == 2 ? options->ngaps : 1); g++)
				{
					uint32_t	type[64];
					uint32_t	gap[64];
					const uint32_t *last = level + (low + 1) * words - (length == 2 ? 1 : 2);

					for (uint32_t k = 0; k + 1 < length; k++)
					{
						type[k] = first[2 * k];
						gap[k] = k + 2 < length ? first[2 * k + 1] : 0;
					}
					gap[length - 2] = length == 2 ? g : last[0];
					type[length - 1] = length == 2 ? last[0] : last[1];
					if (PlainSupport(&p, type, gap, length) < options->minsup)
						continue;
					if (m == room)
						next = realloc(next, sizeof(uint32_t) * (words + 2) * (room = 2 * room + 64));
					for (uint32_t k = 0; k < length; k++)
					{
						next[m * (words + 2) + 2 * k] = type[k];
						if (k + 1 < length)
							next[m * (words + 2) + 2 * k + 1] = gap[k];
					}
					m++;
				}
		}
		free(level);
		level = next;
		count[length] = n = m;
	}
	free(level);
	for (uint32_t t = 0; t < data->ntypes; t++)
		free(p.time[t]);
	free(p.time);
	free(p.n);
	free(p.end);
	free(p.start);
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

static void
Run(const FimEpisodesData *data, const Options *options, Times ready)
{
	FimEpisodesJob job = {.kind = options->kind, .minsup = options->minsup, .min_length = 1,
	.max_length = options->max_length, .head = {.size = sizeof(job), .count_only = true}};
	uint32_t	lengths = FimEpisodesLengths(&job, data);
	uint64_t   *count = NULL;
	Times		best = {INFINITY, INFINITY};
	bool		plain = strcmp(options->strategy, "plain") == 0;

	if (!plain)
		job.head.strategy = StrategyOf(options->strategy);
	for (uint32_t r = 0; r < options->runs; r++)
	{
		Times		start = Now();
		Times		taken;

		free(count);
		count = calloc(lengths, sizeof(uint64_t));
		if (plain)
			PlainMine(data, options, count);
		else if (gpu != NULL)
			MineOnGpu(&job, data, count);
		else
			Mine(&job, data, options->workers, count);
		taken = Since(start);
		best.processor = fmin(best.processor, taken.processor);
		best.wall = fmin(best.wall, taken.wall);
	}
	for (uint32_t length = 1; length < lengths && count[length] > 0; length++)
		printf("%s%lu", length > 1 ? " " : "", count[length]);
	printf(" episodes; ready %.3f s; mined %.3f s (wall %.3f s); polled every %.1f ms\n", ready.processor,
		   best.processor, best.wall, longest_of_all * 1e3);
	if (gpu != NULL)
		PrintReport();
	free(count);
}

int
main(int argc, char **argv)
{
	Options		options = {.minsup = 1, .max_length = FIM_NO_LIMIT, .strategy = "auto", .workers = 1, .runs = 1};
	const char *neurons = NULL;
	const char *clicks = NULL;
	const char *file_of_library = NULL;
	Event	   *events = NULL;
	FimEpisodesData *data;
	uint32_t	ntypes;
	size_t		n;
	Times		start;
	int			option;

	while ((option = getopt(argc, argv, "g:m:n:k:s:w:r:p:c:l:M:")) != -1)
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
	n = KeepFrequent(events, n, options.minsup, &ntypes);
	start = Now();
	data = Build(events, n, ntypes, &options);
	start = Since(start);
	printf("%u events, %u types: ", data->events, ntypes);
	fflush(stdout);
	Run(data, &options, start);
	free(data);
	free(events);
	return 0;
}
