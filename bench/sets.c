/*
 * sets.c
 *	  Times the engine for products of sets, without PostgreSQL.
 *
 *		bench/sets [option ...] FILE
 *		bench/sets [option ...] -d SETS,KEYS,DENSITY
 *		bench/sets [option ...] -u SETS,KEYS,SIZE
 *		bench/sets [option ...] -g SHAPE,SETS,KEYS,PAIRS
 *		bench/sets [option ...] -p CUSTOMERS,ITEMS,PAIRS
 *
 * FILE has a pair a line, "row column", both whole numbers; lines that begin with # or % are left
 * out.  "-" is the standard input.  -d makes sets instead that hold each key with the same
 * probability; -u makes sets of about the same size, one in ten being like the one before it.  -g
 * makes so many pairs: all equally likely ("uniform"); of sets and keys of which few have many
 * ("skewed"); half of them with one of ten keys ("heavy"); or with all sets equal to one of ten
 * ("equal").  -p makes about so many pairs of purchases.h; an item is a set, and a customer a key.
 *
 *		-t TASK			product (A*A, the default), transposed (A*At), pairs, similar or best
 *		-e				existence only: witnesses are not wanted
 *		-m WITNESSES	at least so many
 *		-f MEASURE,MIN	similar sets: jaccard, cosine, overlap or containment, and the threshold
 *		-k K,MEASURE	so many best partners; jaccard, cosine, overlap, containment, lift, leverage or
 *						log_likelihood_ratio
 *		-o				write the results, to a sink that forgets them, instead of counting them
 *		-s STRATEGY		as in gpufim.strategy
 *		-a				rows, bits, prefix for similar sets, and auto in turns; how many times as
 *						long as the best of the others auto took
 *		-w WORKERS
 *		-r RUNS			the fastest of each counts
 *
 * It prints the number of results, then processor seconds: of sorting the pairs, of making the data
 * ready, of the product, with seconds by the clock; the longest time between two polls, which is
 * how long a task may go on when it is canceled; the results of each strategy; and what "auto"
 * expected.
 */
#include "engine/sets/sets.h"
#include "measure.h"
#include "purchases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORKERS		64

typedef enum Task
{
	TASK_PRODUCT,
	TASK_TRANSPOSED,
	TASK_PAIRS,
	TASK_SIMILAR,
	TASK_BEST
} Task;

typedef struct Options
{
	Task		task;
	FimSetsSpec	spec;
	const char *strategy;
	bool		all;
	uint32_t	workers;
	uint32_t	runs;
} Options;

/* The pairs of the input: row and column. */
typedef struct Pairs
{
	FimSetsPair *pair;			/* the row is the value, the column the key */
	uint64_t	n;
	uint32_t	values;
	uint32_t	keys;
} Pairs;

static void
Die(const char *what)
{
	fprintf(stderr, "sets: %s\n", what);
	exit(1);
}

static FimSink bench_sink = {.write = Forget};

static void
AddPair(Pairs *pairs, uint32_t row, uint32_t column)
{
	if ((pairs->n & (pairs->n - 1)) == 0)
		pairs->pair = realloc(pairs->pair, sizeof(FimSetsPair) * (pairs->n == 0 ? 1 : 2 * pairs->n));
	if (pairs->pair == NULL)
		Die("out of memory");
	pairs->pair[pairs->n++] = (FimSetsPair) {column, row};
	pairs->values = row < pairs->values ? pairs->values : row + 1;
	pairs->keys = column < pairs->keys ? pairs->keys : column + 1;
}

static void
ReadPairs(const char *name, Pairs *pairs)
{
	FILE	   *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
	char	   *line = NULL;
	size_t		size = 0;
	uint32_t	row;
	uint32_t	column;

	if (file == NULL)
		Die("cannot open the file");
	while (getline(&line, &size, file) >= 0)
		if (line[0] != '#' && line[0] != '%' && sscanf(line, "%u %u", &row, &column) == 2)
			AddPair(pairs, row, column);
	free(line);
}

static uint64_t random_state = 1;

static void
MakeDense(const char *model, Pairs *pairs)
{
	unsigned	sets;
	unsigned	keys;
	double		density;

	if (sscanf(model, "%u,%u,%lf", &sets, &keys, &density) != 3)
		Die("-d takes SETS,KEYS,DENSITY");
	for (unsigned s = 0; s < sets; s++)
		for (unsigned k = 0; k < keys; k++)
			if (Draw(&random_state) < density)
				AddPair(pairs, s, k);
}

/* A set like the one before it has nine of ten keys of it. */
static void
MakeSimilar(const char *model, Pairs *pairs)
{
	unsigned	sets;
	unsigned	keys;
	unsigned	size;
	uint64_t	last = 0;

	if (sscanf(model, "%u,%u,%u", &sets, &keys, &size) != 3)
		Die("-u takes SETS,KEYS,SIZE");
	for (unsigned s = 0; s < sets; s++)
	{
		uint64_t	first = pairs->n;
		bool		alike = s > 0 && Draw(&random_state) < 0.1;
		unsigned	n = size / 2 + (unsigned) (Draw(&random_state) * (size + 1));

		if (alike)
			n = (unsigned) (first - last);
		for (unsigned k = 0; k < n; k++)
			if (alike && Draw(&random_state) < 0.9)
				AddPair(pairs, s, pairs->pair[last + k].key);
			else
				AddPair(pairs, s, (unsigned) (Draw(&random_state) * Draw(&random_state) * keys));
		last = first;
	}
}

/* The pairs of one of the shapes. */
static void
MakeShape(const char *model, Pairs *pairs)
{
	char		shape[16];
	unsigned	sets;
	unsigned	keys;
	unsigned	n;

	if (sscanf(model, "%15[a-z],%u,%u,%u", shape, &sets, &keys, &n) != 4)
		Die("-g takes SHAPE,SETS,KEYS,PAIRS");
	if (strcmp(shape, "equal") == 0)
	{
		double		density = n / ((double) sets * keys);

		for (unsigned k = 0; k < keys; k++)
			for (unsigned kind = 0; kind < 10; kind++)
				if (Draw(&random_state) < density)
					for (unsigned s = kind; s < sets; s += 10)
						AddPair(pairs, s, k);
		return;
	}
	for (unsigned i = 0; i < n; i++)
	{
		double		set = Draw(&random_state);
		double		key = Draw(&random_state);

		if (strcmp(shape, "skewed") == 0)
		{
			set = pow(set, 3);
			key = pow(key, 3);
		}
		else if (strcmp(shape, "heavy") == 0)
			key *= i % 2 == 0 ? 10.0 / keys : 1;
		else if (strcmp(shape, "uniform") != 0)
			Die("a shape is uniform, skewed, heavy or equal");
		AddPair(pairs, (unsigned) (set * sets), (unsigned) (key * keys));
	}
}

static void
MakeBought(const char *model, Pairs *pairs)
{
	unsigned long n;

	if (sscanf(model, "%u,%u,%lu", &pairs->keys, &pairs->values, &n) != 3)
		Die("-p takes CUSTOMERS,ITEMS,PAIRS");
	pairs->pair = malloc(sizeof(FimSetsPair) * 2 * n);
	if (pairs->pair == NULL)
		Die("out of memory");
	pairs->n = MakePurchases(pairs->keys, pairs->values, n, pairs->pair);
}

/* The data, and processor seconds of sorting the pairs and of making the data ready, if they are the least so far. */
static FimSetsData *
Build(const Pairs *pairs, const Options *options, double *sorted, double *ready)
{
	bool		product = options->task == TASK_PRODUCT;
	uint32_t	vertices = pairs->keys > pairs->values ? pairs->keys : pairs->values;
	FimSetsSize size = {.left_pairs = pairs->n, .left_values = pairs->values, .keys = pairs->keys, .one = true};
	FimSetsData *data;
	size_t		bytes;
	Times		start;

	if (product)
		size = (FimSetsSize) {pairs->n, pairs->n, vertices, vertices, vertices, .one = false};
	bytes = FimSetsBound(&size);
	data = malloc(bytes);
	if (data == NULL)
		Die("out of memory");
	FimSetsBegin(data, bytes, &size);
	for (uint64_t p = 0; p < pairs->n; p++)
	{
		FimSetsAddLeft(data, pairs->pair[p].key, pairs->pair[p].value);
		if (product)
			FimSetsAddRight(data, pairs->pair[p].value, pairs->pair[p].key);
	}
	start = Now();
	if (FimSetsFinish(data, &bench_host) != FIM_DONE)
		Die("sorting failed");
	*sorted = fmin(*sorted, Since(start).processor);
	data = realloc(data, FimSetsFamily.cpu_size(&data->head));
	start = Now();
	if (!FimSetsFamily.cpu_prepare(&data->head, &bench_host))
		Die("preparing failed");
	*ready = fmin(*ready, Since(start).processor);
	return data;
}

/* Adds to the summary, and returns the longest time between two polls. */
static double
Multiply(const FimSetsSpec *spec, const FimSetsData *data, uint32_t nworkers, FimSetsSummary *sum)
{
	Mined		mined = MineTask(FimSetsTask(spec, data, sum), FimMine, &bench_sink, nworkers);

	if (mined.result != FIM_DONE)
		Die("the product failed");
	return mined.longest_gap;
}

static void
Run(const FimSetsData *data, const Options *options)
{
	FimSetsSummary sum;
	Times		best = {INFINITY, INFINITY};
	double		longest = 0;

	for (uint32_t r = 0; r < options->runs; r++)
	{
		Times		start = Now();
		Times		taken;

		memset(&sum, 0, sizeof(sum));
		longest = fmax(longest, Multiply(&options->spec, data, options->workers, &sum));
		taken = Since(start);
		best.processor = fmin(best.processor, taken.processor);
		best.wall = fmin(best.wall, taken.wall);
	}
	printf("%lu results; product %.6f s (wall %.6f s); polled every %.1f ms;", sum.pairs, best.processor,
		   best.wall, longest * 1e3);
	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
		if (sum.found[s] > 0)
			printf(" %s %lu", FimSetsFamily.strategies[s], sum.found[s]);
	if (options->spec.head.strategy == FIM_SETS_AUTO)
		printf("; expected: rows %.1f ms, split %.1f ms (%u x %u), prefix %.1f ms", sum.rows_ms, sum.split_ms,
			   sum.tiled_left, sum.tiled_right, sum.prefix_ms);
	printf("\n");
}

/* Have the strategies do the same in turns. */
static void
Compare(const FimSetsData *data, const Options *options)
{
	static const FimSetsStrategy compared[] = {FIM_SETS_ROWS, FIM_SETS_BITS, FIM_SETS_PREFIX, FIM_SETS_AUTO};
	FimSetsSpec	spec = options->spec;
	double		least[FIM_SETS_STRATEGIES];
	double		best = INFINITY;

	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
		least[s] = INFINITY;
	for (uint32_t r = 0; r < options->runs; r++)
		for (int i = 0; i < 4; i++)
		{
			FimSetsSummary sum = {0};
			Times		start;

			spec.head.strategy = compared[i];
			if (compared[i] == FIM_SETS_PREFIX && spec.result != FIM_SETS_SIMILAR)
				continue;
			start = Now();
			Multiply(&spec, data, options->workers, &sum);
			least[compared[i]] = fmin(least[compared[i]], Since(start).processor);
		}
	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
	{
		if (!isinf(least[s]))
			printf("%s %.3f ms; ", FimSetsFamily.strategies[s], least[s] * 1e3);
		if (s != FIM_SETS_AUTO)
			best = fmin(best, least[s]);
	}
	printf("auto / best %.2f\n", least[FIM_SETS_AUTO] / best);
}

static int
NumberOf(const char *name, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	Die("see the first lines of bench/sets.c");
	return -1;
}

static FimSetsMeasure
MeasureOf(const char *name)
{
	static const char *const measures[] = {"jaccard", "cosine", "overlap", "containment", "lift", "leverage",
	"log_likelihood_ratio", NULL};

	return (FimSetsMeasure) NumberOf(name, measures);
}

static void
ReadMeasure(FimSetsSpec *spec, char *text)
{
	char	   *comma = strchr(text, ',');

	if (comma == NULL)
		Die("-f takes MEASURE,MIN");
	*comma = '\0';
	spec->measure = MeasureOf(text);
	spec->threshold = atof(comma + 1);
}

static void
ReadBest(FimSetsSpec *spec, const char *text)
{
	const char *comma = strchr(text, ',');

	if (comma == NULL)
		Die("-k takes K,MEASURE");
	spec->most_partners = (uint32_t) atol(text);
	spec->measure = MeasureOf(comma + 1);
}

int
main(int argc, char **argv)
{
	static const char *const tasks[] = {"product", "transposed", "pairs", "similar", "best", NULL};
	static const FimSetsResult results[] = {FIM_SETS_PRODUCT, FIM_SETS_PRODUCT, FIM_SETS_PAIRS, FIM_SETS_SIMILAR, FIM_SETS_BEST};
	Options		options = {.strategy = "auto", .workers = 1, .runs = 1};
	FimSetsSpec *spec = &options.spec;
	Pairs		pairs = {0};
	FimSetsData *data = NULL;
	double		sorted = INFINITY;
	double		ready = INFINITY;
	int			option;

	*spec = (FimSetsSpec) {.head = {.size = sizeof(FimSetsSpec), .count_only = true}, .witnesses = true,
	.min_witnesses = 1, .threshold = 0.8, .most_partners = 10};
	while ((option = getopt(argc, argv, "t:em:f:k:os:aw:r:d:u:g:p:")) != -1)
		switch (option)
		{
			case 't': options.task = (Task) NumberOf(optarg, tasks); break;
			case 'e': spec->witnesses = false; break;
			case 'm': spec->min_witnesses = strtoull(optarg, NULL, 10); break;
			case 'f': ReadMeasure(spec, optarg); break;
			case 'k': ReadBest(spec, optarg); break;
			case 'o': spec->head.count_only = false; break;
			case 's': options.strategy = optarg; break;
			case 'a': options.all = true; break;
			case 'w': options.workers = (uint32_t) atoi(optarg); break;
			case 'r': options.runs = (uint32_t) atoi(optarg); break;
			case 'd': MakeDense(optarg, &pairs); break;
			case 'u': MakeSimilar(optarg, &pairs); break;
			case 'g': MakeShape(optarg, &pairs); break;
			case 'p': MakeBought(optarg, &pairs); break;
			default: return 2;
		}
	if (spec->min_witnesses == 0 || options.workers == 0 || options.workers > MAX_WORKERS || options.runs == 0 ||
		(pairs.n > 0) == (optind < argc))
		Die("see the first lines of bench/sets.c");
	if (optind < argc)
		ReadPairs(argv[optind], &pairs);
	spec->result = results[options.task];
	spec->head.strategy = NumberOf(options.strategy, FimSetsFamily.strategies);
	spec->transactions = pairs.keys;
	if (options.task == TASK_BEST)
		spec->threshold = 0;
	for (uint32_t r = 0; r < options.runs; r++)
	{
		free(data);
		data = Build(&pairs, &options, &sorted, &ready);
	}
	printf("%lu pairs, %lu paths: sorted %.6f s, ready %.6f s; ", pairs.n, data->paths, sorted, ready);
	fflush(stdout);
	if (options.all)
		Compare(data, &options);
	else
		Run(data, &options);
	free(data);
	free(pairs.pair);
	return 0;
}
