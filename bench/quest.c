/*-------------------------------------------------------------------------
 *
 * quest.c
 *	  Generates transactions the way IBM's Quest generator does.
 *
 * The method is that of R. Agrawal and R. Srikant, "Fast Algorithms for Mining
 * Association Rules", VLDB 1994 ("Generation of Synthetic Data"), written here
 * from their description.  People buy patterns: sets of items that belong
 * together.  Each pattern has a weight, which says how often it is bought, and
 * a corruption level, which says how much of it is left out when it is.  A
 * transaction draws its size and is filled with patterns until that size is
 * reached.
 *
 * Where the paper leaves things open:
 *
 * - Sizes are at least 1, and a pattern has at most as many items as there are.
 * - Corruption levels are cut to [0, 0.99], so that something is left of any
 *	 pattern now and then; the share of items that a pattern takes from the one
 *	 before it is cut to [0, 1].
 * - A pattern put off to the next transaction is the first one there, and is
 *	 not put off again.  This way there are no empty transactions.
 * - A transaction whose patterns add nothing new for a while is left short.
 *
 * Patterns are drawn with Walker's alias method and sizes by bisecting the
 * distribution function, so that a million transactions take a second.
 *
 *-------------------------------------------------------------------------
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"

#define MAX_MEAN_SIZE	500.0	/* exp(-mean) must stay far from underflow */
#define MAX_CORRUPTION	0.99
#define MAX_FRUITLESS	100		/* patterns in a row that add nothing */

typedef struct Parameters
{
	double		transaction_size; /* T: mean */
	double		pattern_size;	/* I: mean */
	uint64_t	transactions;	/* D */
	uint32_t	items;			/* N */
	uint32_t	patterns;		/* L */
	double		correlation;
	double		corruption;		/* mean ... */
	double		variance;		/* ... and variance */
	uint64_t	seed;
} Parameters;

typedef struct Pattern
{
	uint32_t	size;
	double		corruption;
	uint32_t   *items;
} Pattern;

typedef struct Patterns
{
	Pattern    *patterns;
	Alias		weights;
} Patterns;

/* The distribution function of a Poisson variable, as far as it matters. */
typedef struct Poisson
{
	uint32_t	n;
	double	   *below;			/* below[k] = P(X <= k) */
} Poisson;

const char *const program_name = "quest";

static double
Exponential(double mean)
{
	return -mean * log1p(-Uniform());
}

static void
PoissonInit(Poisson *poisson, double mean)
{
	double		p = exp(-mean);
	double		sum = p;

	/* Twenty standard deviations above the mean nothing is left. */
	poisson->n = (uint32_t) (mean + 20.0 * sqrt(mean) + 20.0);
	poisson->below = Allocate(poisson->n, sizeof(double));
	for (uint32_t k = 0; k < poisson->n; k++)
	{
		poisson->below[k] = sum;
		p *= mean / (k + 1);
		sum += p;
	}
}

/* Draws a size: at least 1. */
static uint32_t
PoissonSize(const Poisson *poisson)
{
	double		u = Uniform();
	uint32_t	low = 0;
	uint32_t	high = poisson->n - 1;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (poisson->below[middle] <= u)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low : 1;
}

/* Moves n items chosen at random to the front. */
static void
ShuffleFront(uint32_t *items, uint32_t size, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = i + Below(size - i);
		uint32_t	item = items[j];

		items[j] = items[i];
		items[i] = item;
	}
}

/*
 * Fills one pattern: a share of its items comes from the pattern before it, the
 * others are picked at random.
 */
static void
MakePattern(Pattern *pattern, const Pattern *previous, const Poisson *sizes,
			const Parameters *par, Basket *scratch)
{
	pattern->size = PoissonSize(sizes);
	if (pattern->size > par->items)
		pattern->size = par->items;
	BasketClear(scratch);

	if (previous != NULL)
	{
		double		share = Cut(Exponential(par->correlation), 0.0, 1.0);
		uint32_t	taken = (uint32_t) (share * pattern->size + 0.5);

		if (taken > previous->size)
			taken = previous->size;
		ShuffleFront(previous->items, previous->size, taken);
		for (uint32_t i = 0; i < taken; i++)
			BasketAdd(scratch, previous->items[i]);
	}
	while (scratch->size < pattern->size)
		BasketAdd(scratch, Below(par->items));

	pattern->items = Allocate(pattern->size, sizeof(uint32_t));
	memcpy(pattern->items, scratch->items, pattern->size * sizeof(uint32_t));
	pattern->corruption = Cut(Normal(par->corruption, par->variance), 0.0, MAX_CORRUPTION);
}

static Patterns
MakePatterns(const Parameters *par, Basket *scratch)
{
	Patterns	result;
	double	   *weights = Allocate(par->patterns, sizeof(double));
	Poisson		sizes;

	PoissonInit(&sizes, par->pattern_size);
	result.patterns = Allocate(par->patterns, sizeof(Pattern));
	for (uint32_t i = 0; i < par->patterns; i++)
		MakePattern(&result.patterns[i], i > 0 ? &result.patterns[i - 1] : NULL, &sizes, par, scratch);
	for (uint32_t i = 0; i < par->patterns; i++)
		weights[i] = Exponential(1.0);
	AliasInit(&result.weights, weights, par->patterns);
	return result;
}

/* Draws a pattern and leaves out items as long as chance says so. */
static void
DrawCorrupted(const Patterns *patterns, Basket *drawn)
{
	const Pattern *pattern = &patterns->patterns[AliasDraw(&patterns->weights)];
	uint32_t	kept = pattern->size;

	while (kept > 0 && Uniform() < pattern->corruption)
		kept--;
	memcpy(drawn->items, pattern->items, pattern->size * sizeof(uint32_t));
	if (kept < pattern->size)
		ShuffleFront(drawn->items, pattern->size, kept);
	drawn->size = kept;
}

static uint32_t
AddDrawn(Basket *transaction, const Basket *drawn)
{
	uint32_t	before = transaction->size;

	for (uint32_t i = 0; i < drawn->size; i++)
		BasketAdd(transaction, drawn->items[i]);
	return transaction->size - before;
}

/*
 * Fills one transaction.  drawn holds a pattern that the transaction before put
 * off, or nothing, and is left in the same state.
 */
static void
FillTransaction(Basket *transaction, uint32_t size, const Patterns *patterns, Basket *drawn)
{
	int			fruitless = 0;

	BasketClear(transaction);
	AddDrawn(transaction, drawn);
	drawn->size = 0;

	while (transaction->size < size &&
		   (fruitless < MAX_FRUITLESS || transaction->size == 0))
	{
		DrawCorrupted(patterns, drawn);

		/* What does not fit goes in anyway half of the time. */
		if (transaction->size > 0 && drawn->size > size - transaction->size &&
			(Random64() >> 63) != 0)
			return;
		fruitless = AddDrawn(transaction, drawn) > 0 ? 0 : fruitless + 1;
		drawn->size = 0;
	}
}

static void
SortItems(uint32_t *items, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		uint32_t	item = items[i];
		uint32_t	j = i;

		for (; j > 0 && items[j - 1] > item; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
}

static void
Generate(const Parameters *par)
{
	Basket		transaction;
	Basket		drawn;
	Patterns	patterns;
	Poisson		sizes;

	BasketInit(&transaction, par->items);
	BasketInit(&drawn, par->items);
	patterns = MakePatterns(par, &transaction);
	PoissonInit(&sizes, par->transaction_size);

	for (uint64_t i = 0; i < par->transactions; i++)
	{
		FillTransaction(&transaction, PoissonSize(&sizes), &patterns, &drawn);
		SortItems(transaction.items, transaction.size);
		WriteTransaction(&transaction);
	}
	FinishOutput();
}

static void
Help(void)
{
	printf("quest generates transactions like IBM's Quest generator (Agrawal and Srikant 1994)\n"
		   "and writes them to standard output, one a line, as ascending item numbers from 0.\n"
		   "\n"
		   "Usage: quest [OPTION]...\n"
		   "\n"
		   "  -T, --transaction-size=NUM      mean items of a transaction (default 10)\n"
		   "  -I, --pattern-size=NUM          mean items of a pattern (default 4)\n"
		   "  -D, --transactions=NUM[K|M]     transactions (default 100K)\n"
		   "  -N, --items=NUM[K|M]            items to choose from (default 1K)\n"
		   "  -L, --patterns=NUM[K|M]         patterns (default 2K)\n"
		   "  -c, --correlation=NUM           mean share of items that a pattern takes from the\n"
		   "                                  one before it (default 0.5)\n"
		   "  -m, --corruption=NUM            mean corruption of patterns (default 0.5)\n"
		   "  -v, --corruption-variance=NUM   its variance (default 0.1)\n"
		   "  -s, --seed=NUM                  same seed, same transactions (default 1)\n"
		   "  -h, --help                      show this help\n"
		   "\n"
		   "T10I4D100K of the literature is the default; quest -T 40 -I 10 is T40I10D100K.\n");
}

static void
ParseArguments(int argc, char **argv, Parameters *par)
{
	static const struct option options[] = {
		{"transaction-size", required_argument, NULL, 'T'},
		{"pattern-size", required_argument, NULL, 'I'},
		{"transactions", required_argument, NULL, 'D'},
		{"items", required_argument, NULL, 'N'},
		{"patterns", required_argument, NULL, 'L'},
		{"correlation", required_argument, NULL, 'c'},
		{"corruption", required_argument, NULL, 'm'},
		{"corruption-variance", required_argument, NULL, 'v'},
		{"seed", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}
	};
	int			c;

	while ((c = getopt_long(argc, argv, "T:I:D:N:L:c:m:v:s:h", options, NULL)) != -1)
	{
		switch (c)
		{
			case 'T':
				par->transaction_size = ParseReal(optarg, 1.0, MAX_MEAN_SIZE, "transaction-size");
				break;
			case 'I':
				par->pattern_size = ParseReal(optarg, 1.0, MAX_MEAN_SIZE, "pattern-size");
				break;
			case 'D':
				par->transactions = ParseCount(optarg, 0, UINT64_MAX, "transactions");
				break;
			case 'N':
				par->items = (uint32_t) ParseCount(optarg, 1, INT32_MAX, "items");
				break;
			case 'L':
				par->patterns = (uint32_t) ParseCount(optarg, 1, INT32_MAX, "patterns");
				break;
			case 'c':
				par->correlation = ParseReal(optarg, 0.0, 1.0, "correlation");
				break;
			case 'm':
				par->corruption = ParseReal(optarg, 0.0, 1.0, "corruption");
				break;
			case 'v':
				par->variance = ParseReal(optarg, 0.0, 1.0, "corruption-variance");
				break;
			case 's':
				par->seed = ParseCount(optarg, 0, UINT64_MAX, "seed");
				break;
			case 'h':
				Help();
				exit(0);
			default:
				WrongOption();
		}
	}
	NoMoreArguments(argc, argv);
}

int
main(int argc, char **argv)
{
	Parameters	par = {
		.transaction_size = 10.0,
		.pattern_size = 4.0,
		.transactions = 100000,
		.items = 1000,
		.patterns = 2000,
		.correlation = 0.5,
		.corruption = 0.5,
		.variance = 0.1,
		.seed = 1
	};

	ParseArguments(argc, argv, &par);
	random_state = par.seed;
	Generate(&par);
	return 0;
}
