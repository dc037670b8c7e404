/*-------------------------------------------------------------------------
 *
 * probable.c
 *	  Times the CPU engine of probable itemsets.
 *
 * Reads transactions in FIMI form from standard input, gives them seeded probabilities
 * or takes those that stand there, mines once or several times and prints, for each run,
 * the processor seconds of mining (without reading and building the data), the number of
 * itemsets and what settled them.
 *
 *		bench/probable [options] <transactions
 *			-p uniform | normal:MEAN:VARIANCE	probabilities; normal ones stay in [1e-9, 1]
 *			-u				entries are "item-probability" or "item(probability)"
 *			-l				list itemsets: items, probability, expected support, occurrences
 *			-e				one for each entry, otherwise one for each transaction
 *			-s SEED			default 1
 *			-n ROWS			only the first so many
 *			-m MINSUP		a fraction below 1, or a number of transactions
 *			-q MINPROB		default 0.5; 0: by expected support
 *			-d				decide only, no values
 *			-S STRATEGY		default auto; "programme": pApriori with the classical dynamic
 *							programme
 *			-b LENGTH		only itemsets up to this length
 *			-k all | closed | maximal
 *			-w WORKERS		threads, default 1
 *			-r RUNS			default 1
 *			-i ISA
 *			-t				mine nothing, and write a line for each transaction: its
 *							probability and its items (not with -e or -u)
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/ancestors/papriori/papriori.h"
#include "engine/fill.h"
#include "engine/kernels.h"
#include "generator.h"
#include "measure.h"

const char *const program_name = "probable";

typedef struct Options
{
	double		mean;			/* 0 for the uniform distribution */
	double		variance;
	bool		by_entry;
	bool		given;			/* probabilities stand in the file */
	bool		list;
	bool		only_write;
	uint64_t	rows;
	double		minsup;
	uint32_t	workers;
	uint32_t	runs;
	bool		programme;
	FimProbableSpec spec;
} Options;

/* Transactions as they are read. */
typedef struct Rows
{
	uint64_t	n;
	uint64_t	nentries;
	uint64_t   *end;
	uint32_t   *items;
	double	   *given;			/* probabilities that stand beside them */
	uint32_t	nitems;			/* greatest + 1 */
} Rows;

static bool
PrintItemsets(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	for (size_t at = 0; at < nwords; at += FIM_PROBABLE_RECORD_WORDS(words[at]))
	{
		uint32_t	n = words[at];
		double		values[2];

		memcpy(values, words + at + n + 1, sizeof(values));
		for (uint32_t i = 1; i <= n; i++)
			printf("%u ", words[at + i]);
		printf("%.17g %.17g %u\n", values[0], values[1], words[at + n + 5]);
	}
	return true;
}

static double
RandomProbability(const Options *options)
{
	if (options->mean == 0)
		return Uniform();
	return fmin(1, fmax(1e-9, Normal(options->mean, options->variance)));
}

static void *
Grow(void *block, size_t bytes)
{
	block = realloc(block, bytes);
	if (block == NULL)
		Fail("out of memory");
	return block;
}

static void
ReadRows(const Options *options, Rows *rows)
{
	char	   *line = NULL;
	size_t		size = 0;
	uint64_t	room = 0;
	uint64_t	item_room = 0;

	memset(rows, 0, sizeof(*rows));
	while (rows->n < options->rows && getline(&line, &size, stdin) > 0)
	{
		if (rows->n == room)
			rows->end = Grow(rows->end, (room = room * 2 + 1024) * sizeof(uint64_t));
		for (char *word = strtok(line, " \r\n"); word != NULL; word = strtok(NULL, " \r\n"))
		{
			char	   *end;
			uint32_t	item = (uint32_t) strtoul(word, &end, 10);

			if (rows->nentries == item_room)
			{
				item_room = item_room * 2 + 1024;
				rows->items = Grow(rows->items, item_room * sizeof(uint32_t));
				rows->given = Grow(rows->given, item_room * sizeof(double));
			}
			rows->given[rows->nentries] = *end != '\0' ? strtod(end + 1, NULL) : 0;
			rows->items[rows->nentries++] = item;
			if (item >= rows->nitems)
				rows->nitems = item + 1;
		}
		rows->end[rows->n++] = rows->nentries;
	}
	free(line);
}

/* What another program needs to mine the same. */
static void
WriteRows(const Options *options, const Rows *rows)
{
	uint64_t	e = 0;

	for (uint64_t r = 0; r < rows->n; r++)
	{
		printf("%.17g", RandomProbability(options));
		for (; e < rows->end[r]; e++)
			printf(" %u", rows->items[e]);
		putchar('\n');
	}
}

static FimProbableData *
MakeData(const Options *options, const Rows *rows)
{
	size_t		bound = FimProbableBound(rows->n, rows->nentries, rows->nitems, options->by_entry);
	FimProbableData *data = Grow(NULL, bound);
	double	   *p = Grow(NULL, sizeof(double) * (rows->nentries + 1));
	uint64_t	begin = 0;

	FimProbableBegin(data, bound, rows->n, rows->nentries, rows->nitems, options->by_entry);
	for (uint64_t r = 0; r < rows->n; begin = rows->end[r++])
	{
		double		of_row = options->by_entry ? 0 : RandomProbability(options);

		for (uint64_t e = begin; options->by_entry && e < rows->end[r]; e++)
			p[e] = options->given ? rows->given[e] : RandomProbability(options);
		FimProbableAdd(data, rows->items + begin, p + begin, (uint32_t) (rows->end[r] - begin), of_row);
	}
	if (!FimProbableFinish(data, &bench_host))
		Fail("the data cannot be completed");
	free(p);
	data = Grow(data, FimProbableFamily.cpu_size(&data->head));
	if (!FimProbableFamily.cpu_prepare(&data->head, &bench_host))
		Fail("the data cannot be completed");
	return data;
}

/*
 * P(support >= k) by the classical dynamic programme (Bernecker et al., KDD 2009, section
 * 4.3): f[s] is the probability of s transactions so far, and f[k] that of k or more.
 */
static FimResult
TailByProgramme(void *state, const double *p, uint32_t n, uint32_t k, double *tail, double *error)
{
	double	   *f = Allocate((size_t) k + 1, sizeof(double));

	f[0] = 1;
	for (uint32_t t = 0; t < n; t++)
	{
		double		q = p[t];
		uint32_t	top = t + 1 < k ? t + 1 : k;

		f[top] = (top == k ? f[k] : 0) + f[top - 1] * q;
		for (uint32_t s = top - 1; s > 0; s--)
			f[s] = f[s] * (1 - q) + f[s - 1] * q;
		f[0] *= 1 - q;
	}
	*tail = f[k];
	*error = 1e-16 * n;
	free(f);
	return FIM_DONE;
}

static FimResult
MineByProgramme(const FimTask *task, FimHost *host, FimSink *sink)
{
	ProbableMiner m;

	ProbableInit(&m, task, host, sink);
	if (FimFillData(task, host) != FIM_DONE || setjmp(m.leave) != 0)
		Fail("mining fails");
	ProbableBegin(&m);
	MinePapriori(&m, TailByProgramme, NULL);
	ProbableFlush(&m);
	ProbableEnd(&m);
	return FIM_DONE;
}

static void
Report(const Mined *mined, const FimProbableSummary *summary)
{
	static const char *const rules[FIM_RULES] = {"count", "median", "hoeffding", "berry_esseen",
	"chernoff", "binomial", "poisson", "inversion", "convolution", "double_double", "exact", "expectation"};

	printf("# %.6f s %llu itemsets", mined->seconds, (unsigned long long) mined->results);
	for (int rule = 0; rule < FIM_RULES; rule++)
		if (summary->settled[rule] > 0)
			printf(" %s %llu", rules[rule], (unsigned long long) summary->settled[rule]);
	printf(" values %llu\n", (unsigned long long) summary->values);
	fflush(stdout);
}

static void
Run(const Options *options, const FimProbableData *data)
{
	FimSink		sink = {.write = options->list ? PrintItemsets : Forget};
	FimProbableSummary summary = {.values = 0};
	Mined		mined = MineTask(FimProbableTask(&options->spec, data, &summary),
								 options->programme ? MineByProgramme : FimMine, &sink, options->workers);

	if (mined.result != FIM_DONE)
		Fail("mining fails");
	Report(&mined, &summary);
}

static int
IndexOf(const char *name, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	Fail("there is no such kind or strategy");
	return 0;
}

static void
TakeDistribution(Options *options, const char *text)
{
	if (strcmp(text, "uniform") != 0 &&
		sscanf(text, "normal:%lf:%lf", &options->mean, &options->variance) != 2)
		Fail("probabilities are \"uniform\" or \"normal:MEAN:VARIANCE\"");
}

static void
TakeOption(Options *options, int option)
{
	static const char *const kinds[] = {"all", "closed", "maximal", NULL};

	switch (option)
	{
		case 'p':
			TakeDistribution(options, optarg);
			break;
		case 'e':
			options->by_entry = true;
			break;
		case 'u':
			options->by_entry = options->given = true;
			break;
		case 'l':
			options->list = true;
			break;
		case 's':
			random_state = strtoull(optarg, NULL, 10);
			break;
		case 'n':
			options->rows = strtoull(optarg, NULL, 10);
			break;
		case 'm':
			options->minsup = atof(optarg);
			break;
		case 'q':
			options->spec.minprob = atof(optarg);
			break;
		case 'd':
			options->spec.exact = false;
			break;
		case 'b':
			options->spec.max_length = (uint32_t) atoi(optarg);
			break;
		case 'S':
			options->programme = strcmp(optarg, "programme") == 0;
			if (!options->programme)
				options->spec.head.strategy = IndexOf(optarg, FimProbableFamily.strategies);
			break;
		case 'k':
			options->spec.kind = (FimKind) IndexOf(optarg, kinds);
			break;
		case 'w':
			options->workers = (uint32_t) atoi(optarg);
			break;
		case 'r':
			options->runs = (uint32_t) atoi(optarg);
			break;
		case 't':
			options->only_write = true;
			break;
		case 'i':
			if (!FimSetIsa(optarg))
				Fail("there is no such instruction set");
			break;
		default:
			exit(2);
	}
}

int
main(int argc, char **argv)
{
	Options		options = {.rows = UINT64_MAX,.minsup = 0.5,.workers = 1,.runs = 1};
	FimProbableData *data;
	Rows		rows;
	int			option;

	options.spec.head.size = sizeof(FimProbableSpec);
	options.spec.minprob = 0.5;
	options.spec.exact = true;
	options.spec.min_length = 1;
	options.spec.max_length = FIM_NO_LIMIT;
	random_state = 1;
	while ((option = getopt(argc, argv, "p:euls:n:m:q:db:S:k:w:r:i:t")) != -1)
		TakeOption(&options, option);
	ReadRows(&options, &rows);
	if (options.only_write)
	{
		WriteRows(&options, &rows);
		return 0;
	}
	options.spec.min_expected = options.minsup < 1 ? options.minsup * (double) rows.n : options.minsup;
	options.spec.minsup = (uint32_t) ceil(options.spec.min_expected);
	if (options.spec.minprob == 0)
		options.spec.minprob = NAN;
	data = MakeData(&options, &rows);
	for (uint32_t run = 0; run < options.runs; run++)
		Run(&options, data);
	return 0;
}
