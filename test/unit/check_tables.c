/*-------------------------------------------------------------------------
 *
 * check_tables.c
 *	  The CPU engine against brute force on fixed tables, or on one in a file.
 *
 * Usage:
 *	  check_tables [-s seed]
 *	  check_tables -f FILE -m minsup [-k kind] [-S strategy] [-I isa] [-w workers]
 *				   [-c] [-a min_length] [-b max_length] [-p nrequired] [-y first_any]
 *
 * Each itemset needs an item from first_any on.  The seed is also taken from FIM_SEED.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine_cases.h"
#include "tables.h"

/* With every kind and strategy. */
static bool
CheckKinds(Case *c, const Table *table)
{
	bool		good = true;

	for (c->spec.kind = FIM_ALL; c->spec.kind <= FIM_MAXIMAL; c->spec.kind++)
		for (c->spec.head.strategy = FIM_AUTO; c->spec.head.strategy <= FIM_PROJECTED; c->spec.head.strategy++)
			good = good && CheckOnTable(c, table);
	return good;
}

/* How many items are looked at together: the searches' flags, and words of bits. */
#define ITEMS_TOGETHER	64

/*
 * Tables with about so many items, the two rarest of which are always together: what
 * leaves the last item out finds itemsets without it.
 */
static bool
CheckLastItems(void)
{
	Case		c = DEFAULT_CASE;
	bool		good = true;

	for (uint32_t n = ITEMS_TOGETHER - 1; n <= ITEMS_TOGETHER + 2; n++)
	{
		uint32_t	last[] = {0, n - 2, n - 1};
		Table		table;

		TableInit(&table, n);
		for (uint32_t i = 0; i < (n - 2) * 2; i++)
		{
			uint32_t	row[] = {i % (n - 2), (i + 1) % (n - 2)};

			TableAdd(&table, row, 2);
		}
		TableAdd(&table, last, 3);
		good = good && CheckKinds(&c, &table);
		TableFree(&table);
	}
	return good;
}

/* Most pairs of more items than are looked at together are frequent. */
static bool
CheckCrowdedItems(uint64_t seed)
{
	Case		c = DEFAULT_CASE;
	Rng			rng = {seed};
	Table		table;
	bool		good;

	c.spec.minsup = CROWDED_MINSUP;
	CrowdedTable(&table, &rng);
	good = CheckKinds(&c, &table);
	TableFree(&table);
	return good;
}

/* A FIMI file; its items are numbers from 0 up. */
static void
ReadTable(Table *table, const char *path)
{
	FILE	   *file = fopen(path, "r");
	char	   *line = NULL;
	size_t		size = 0;

	if (file == NULL)
	{
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	TableInit(table, 0);
	while (getline(&line, &size, file) > 0)
	{
		uint32_t   *row = calloc(strlen(line) + 1, sizeof(uint32_t));
		uint32_t	length = 0;

		assert(row != NULL);
		for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n"))
		{
			row[length] = (uint32_t) strtoul(word, NULL, 10);
			if (row[length] >= table->nitems)
				table->nitems = row[length] + 1;
			length++;
		}
		TableAdd(table, row, length);
		free(row);
	}
	free(line);
	fclose(file);
}

static FimItemsetsStrategy
StrategyNamed(const char *name)
{
	for (uint32_t i = 0; FimItemsetsFamily.strategies[i] != NULL; i++)
		if (strcmp(FimItemsetsFamily.strategies[i], name) == 0)
			return (FimItemsetsStrategy) i;
	fprintf(stderr, "no strategy %s\n", name);
	exit(2);
}

static uint32_t
Number(const char *text)
{
	return (uint32_t) strtoul(text, NULL, 10);
}

/* What the options say, see above. */
typedef struct Options
{
	uint64_t	seed;
	const char *path;			/* NULL: the tables are fixed ones */
	Case		c;				/* of the file at path */
	uint32_t	first_any;
} Options;

static bool
ReadOptions(int argc, char **argv, Options *options)
{
	Case	   *c = &options->c;
	int			option;

	while ((option = getopt(argc, argv, "s:f:m:k:S:I:w:ca:b:p:y:")) != -1)
	{
		switch (option)
		{
			case 's':
				options->seed = strtoull(optarg, NULL, 10);
				break;
			case 'f':
				options->path = optarg;
				break;
			case 'm':
				c->spec.minsup = Number(optarg);
				break;
			case 'k':
				c->spec.kind = KindNamed(optarg);
				break;
			case 'S':
				c->spec.head.strategy = StrategyNamed(optarg);
				break;
			case 'I':
				snprintf(c->isa, sizeof(c->isa), "%s", optarg);
				break;
			case 'w':
				c->workers = Number(optarg);
				break;
			case 'c':
				c->spec.head.count_only = true;
				break;
			case 'a':
				c->spec.min_length = Number(optarg);
				break;
			case 'b':
				c->spec.max_length = Number(optarg);
				break;
			case 'p':
				c->spec.nrequired = Number(optarg);
				break;
			case 'y':
				options->first_any = Number(optarg);
				break;
			default:
				return false;
		}
	}
	return true;
}

static bool
CheckFile(const Options *options)
{
	Case		c = options->c;
	Table		table;
	bool		good;

	ReadTable(&table, options->path);
	if (options->first_any < table.nitems)
		c.spec.nany = table.nany = table.nitems - options->first_any;
	good = CheckOnTable(&c, &table);
	TableFree(&table);
	return good;
}

int
main(int argc, char **argv)
{
	Options		options = {.seed = EnvironmentOr("FIM_SEED", (uint64_t) time(NULL)),.c = DEFAULT_CASE,.first_any = UINT32_MAX};
	bool		good;

	if (!ReadOptions(argc, argv, &options) || !CasesInit())
		return 2;
	if (options.path != NULL)
		return CheckFile(&options) ? 0 : 1;
	printf("# seed %llu\n", (unsigned long long) options.seed);
	good = CheckLastItems() && CheckCrowdedItems(options.seed);
	return good ? 0 : 1;
}
