/*-------------------------------------------------------------------------
 *
 * check_probable_work.c
 *	  How much the CPU engine of probable itemsets does: the candidates that it counts, and
 *	  what settles them.
 *
 * The counts are those of one worker on databases made for it, so that they do not
 * depend on the machine.  What the itemsets are is for check_probable to say.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/probable/probable.h"
#include "harness.h"

#define MOST_ITEMS	32

/* What a run did. */
typedef struct Work
{
	uint64_t	nodes;
	uint64_t	results;
	FimProbableSummary summary;
} Work;

/* Rows of items and one probability, or one for each item. */
typedef struct Building
{
	FimProbableData *data;
	size_t		size;
} Building;

static Building
Begin(uint32_t nrows, uint32_t nitems, bool by_entry)
{
	Building	building;

	building.size = FimProbableBound(nrows, (uint64_t) nrows * nitems, nitems, by_entry);
	building.data = OddAlloc(building.size);
	FimProbableBegin(building.data, building.size, nrows, (uint64_t) nrows * nitems, nitems, by_entry);
	return building;
}

static FimProbableData *
Finish(Building *building)
{
	FimProbableData *data;
	TestHost	host;

	HostInit(&host);
	if (!FimProbableFinish(building->data, &host.base))
		abort();
	data = OddAlloc(FimProbableFamily.cpu_size(&building->data->head));
	memcpy(data, building->data, building->data->head.size);
	OddFree(building->data);
	if (!FimProbableFamily.cpu_prepare(&data->head, &host.base))
		abort();
	return data;
}

static FimProbableSpec
SpecOf(uint32_t minsup, FimKind kind, bool exact)
{
	FimProbableSpec spec;

	memset(&spec, 0, sizeof(spec));
	spec.head.size = sizeof(spec);
	spec.kind = kind;
	spec.minsup = minsup;
	spec.minprob = 0.5;
	spec.exact = exact;
	spec.min_length = 1;
	spec.max_length = FIM_NO_LIMIT;
	return spec;
}

static Work
Run(const FimProbableData *data, const FimProbableSpec *spec)
{
	Work		work;
	TestHost	host;
	WordSink	sink;
	FimTask		task = FimProbableTask(spec, data, &work.summary);
	FimShared  *shared = OddAlloc(FimSharedSize(&task));

	memset(&work, 0, sizeof(work));
	memset(shared, 0, FimSharedSize(&task));
	task.shared = shared;
	FimSharedInit(&task);
	HostInit(&host);
	WordSinkInit(&sink);
	if (FimMine(&task, &host.base, &sink.base) != FIM_DONE || host.live > 0)
		abort();
	work.nodes = shared->nodes;
	work.results = shared->results;
	free(sink.words);
	OddFree(shared);
	return work;
}

static bool
ExpectAtMost(const char *what, uint64_t found, uint64_t most)
{
	return found <= most || Complain("%s: %llu, not at most %llu", what, (unsigned long long) found,
									 (unsigned long long) most);
}

static bool
ExpectEqual(const char *what, uint64_t found, uint64_t expected)
{
	return found == expected || Complain("%s: %llu, not %llu", what, (unsigned long long) found,
										 (unsigned long long) expected);
}

/*
 * Groups of items that are always together: a row lacks one of the groups, and three
 * together are selected.  So there are as many closed itemsets as choices of one to
 * three groups, of which those of three are maximal, but 15 * 15 * 15 itemsets for each of these.
 */
#define GROUPS			5
#define GROUP_ITEMS		4
#define ROWS			60
#define CHOICES_OF_3	10
#define CHOICES			25
#define MOST_CANDIDATES	200		/* without what is certain, hundreds or thousands */
#define ALL_SUBSETS		(10 * 15 * 15 * 15 + 10 * 15 * 15 + 5 * 15)

static FimProbableData *
MakeGroups(bool by_entry)
{
	Building	building = Begin(ROWS, GROUPS * GROUP_ITEMS, by_entry);

	for (uint32_t r = 0; r < ROWS; r++)
	{
		uint32_t	items[MOST_ITEMS];
		double		p[MOST_ITEMS];
		uint32_t	n = 0;

		for (uint32_t i = 0; i < GROUPS * GROUP_ITEMS; i++)
			if (i / GROUP_ITEMS != r % GROUPS)
			{
				p[n] = 1;
				items[n++] = i;
			}
		FimProbableAdd(building.data, items, p, n, 0.95);
	}
	return Finish(&building);
}

/* What is certain wherever an itemset is costs closed and maximal ones no search of its own. */
static bool
CheckGroups(bool by_entry)
{
	FimProbableData *data = MakeGroups(by_entry);
	FimProbableSpec all = SpecOf(20, FIM_ALL, false);
	FimProbableSpec closed = SpecOf(20, FIM_CLOSED, false);
	FimProbableSpec maximal = SpecOf(20, FIM_MAXIMAL, false);
	Work		of_all = Run(data, &all);
	Work		of_closed = Run(data, &closed);
	Work		of_maximal = Run(data, &maximal);
	bool		good;

	good = ExpectEqual("itemsets of groups", of_all.results, ALL_SUBSETS) &
		ExpectEqual("closed itemsets of groups", of_closed.results, CHOICES) &
		ExpectEqual("maximal itemsets of groups", of_maximal.results, CHOICES_OF_3) &
		ExpectAtMost("candidates of closed itemsets", of_closed.nodes, MOST_CANDIDATES) &
		ExpectAtMost("candidates of maximal itemsets", of_maximal.nodes, MOST_CANDIDATES);
	OddFree(data);
	return good;
}

#define MANY_ITEMS		300000
#define LONG_ROW		10

/*
 * Many items in two rows each.  What is done for an item must not grow with the number of
 * items or rows: that would take many minutes.
 */
static bool
CheckManyItems(void)
{
	uint32_t	nrows = 2 * MANY_ITEMS / LONG_ROW;
	uint32_t	stride = MANY_ITEMS / LONG_ROW;
	size_t		size = FimProbableBound(nrows, 2 * MANY_ITEMS, MANY_ITEMS, false);
	Building	building = {OddAlloc(size), size};
	FimProbableSpec spec = SpecOf(2, FIM_MAXIMAL, false);
	FimProbableData *data;
	Work		work;

	FimProbableBegin(building.data, size, nrows, 2 * MANY_ITEMS, MANY_ITEMS, false);
	for (uint32_t r = 0; r < nrows; r++)
	{
		uint32_t	items[LONG_ROW];
		double		p[LONG_ROW];
		uint32_t	first = r % stride;

		/* neighbours are together in one row, and items far from each other in another one */
		for (uint32_t i = 0; i < LONG_ROW; i++)
		{
			p[i] = 1;
			items[i] = r < stride ? first * LONG_ROW + i : first + i * stride;
		}
		FimProbableAdd(building.data, items, p, LONG_ROW, 0.75);
	}
	data = Finish(&building);
	work = Run(data, &spec);
	OddFree(data);
	return ExpectEqual("maximal itemsets of many items", work.results, MANY_ITEMS);
}

#define RANDOM_ROWS		2000
#define NITEMS			12

/* One in so many candidates may stay open. */
#define MOST_OPEN_PART	12

static FimProbableData *
MakeRandom(Rng *rng, bool by_entry, double equal)
{
	Building	building = Begin(RANDOM_ROWS, NITEMS, by_entry);

	for (uint32_t r = 0; r < RANDOM_ROWS; r++)
	{
		uint32_t	items[MOST_ITEMS];
		double		p[MOST_ITEMS];
		uint32_t	n = 0;

		for (uint32_t i = 0; i < NITEMS; i++)
			if (RngChance(rng, 0.8))
			{
				p[n] = 0.5 + 0.5 * RngUnit(rng);
				items[n++] = i;
			}
		FimProbableAdd(building.data, items, p, n, equal > 0 ? equal : 1 - RngUnit(rng));
	}
	return Finish(&building);
}

static uint64_t
Settled(const Work *work)
{
	uint64_t	settled = 0;

	for (int rule = 0; rule < FIM_RULES; rule++)
		settled += work->summary.settled[rule];
	return settled;
}

/* Those that took more than bounds to decide. */
static uint64_t
Doubtful(const Work *work)
{
	return work->summary.settled[FIM_RULE_INVERSION] + work->summary.settled[FIM_RULE_CONVOLUTION] +
		work->summary.settled[FIM_RULE_DOUBLE_DOUBLE] +
		work->summary.settled[FIM_RULE_EXACT];
}

/*
 * Bounds settle all but a few.  They tell the values of results that are far above the threshold; of
 * the others they are computed if they are wanted, and never if not.
 */
static bool
CheckRules(Rng *rng, bool by_entry)
{
	FimProbableData *data = MakeRandom(rng, by_entry, 0);
	FimProbableSpec decide = SpecOf(250, FIM_ALL, false);
	FimProbableSpec exact = SpecOf(250, FIM_ALL, true);
	FimProbableSpec count = decide;
	Work		decided;
	Work		valued;
	Work		counted;
	bool		good;

	decide.minprob = exact.minprob = count.minprob = 0.9;
	count.head.count_only = true;
	decided = Run(data, &decide);
	valued = Run(data, &exact);
	counted = Run(data, &count);
	good = ExpectEqual("values without a wish", decided.summary.values + counted.summary.values, 0) &
		ExpectAtMost("values that bounds do not tell", valued.summary.values, valued.results * 2 / 3) &
		ExpectAtMost("too few values", 10, valued.summary.values) &
		ExpectEqual("itemsets decided", decided.results, valued.results) &
		ExpectEqual("itemsets counted", counted.results, valued.results) &
		ExpectEqual("candidates that bounds settle", Settled(&decided), Settled(&valued)) &
		ExpectEqual("candidates that are settled", Settled(&decided), decided.nodes + NITEMS) &
		ExpectAtMost("candidates that bounds leave open", Doubtful(&decided), decided.nodes / MOST_OPEN_PART) &
		ExpectEqual("the same with values", Doubtful(&valued), Doubtful(&decided)) &
		ExpectAtMost("too few itemsets", 100, decided.results);
	OddFree(data);
	return good;
}

/* Where all probabilities are the same, bounds leave nothing open. */
static bool
CheckEqual(Rng *rng)
{
	FimProbableData *data = MakeRandom(rng, false, 0.7);
	bool		good = true;
	uint64_t	binomial = 0;

	for (uint32_t minsup = 230; minsup < 600; minsup += 7)
	{
		FimProbableSpec spec = SpecOf(minsup, FIM_ALL, false);
		Work		work;

		spec.minprob = 0.99;
		work = Run(data, &spec);
		binomial += work.summary.settled[FIM_RULE_BINOMIAL];
		good = ExpectEqual("equal probabilities that bounds leave open",
						   Doubtful(&work), 0) & good;
	}
	OddFree(data);
	return (binomial > 0 || Complain("nothing is settled by the binomial distribution")) & good;
}

/*
 * Which itemsets of two items are maximal takes no more candidates than finding all itemsets of
 * three, though much longer ones are selected.
 */
static bool
CheckShortMaximal(Rng *rng, bool by_entry)
{
	FimProbableData *data = MakeRandom(rng, by_entry, 0);
	bool		good = true;

	for (int s = 0; FimProbableFamily.strategies[s] != NULL; s++)
	{
		FimProbableSpec all = SpecOf(60, FIM_ALL, false);
		FimProbableSpec maximal = SpecOf(60, FIM_MAXIMAL, false);

		all.head.strategy = maximal.head.strategy = s;
		all.max_length = 3;
		maximal.max_length = 2;
		good = ExpectAtMost("candidates of short maximal itemsets", Run(data, &maximal).nodes,
							Run(data, &all).nodes) & good;
	}
	OddFree(data);
	return good;
}

/* Itemsets longer than there can be take a small part of the candidates of all: none, or the items alone. */
static bool
CheckLong(bool by_entry)
{
	Rng			rng = {2};
	FimProbableData *data = MakeRandom(&rng, by_entry, 0);
	bool		good = true;

	for (int s = 0; FimProbableFamily.strategies[s] != NULL; s++)
		for (FimKind kind = FIM_ALL; kind <= FIM_MAXIMAL; kind++)
		{
			FimProbableSpec every = SpecOf(60, kind, false);
			FimProbableSpec longer = SpecOf(60, kind, false);

			every.head.strategy = longer.head.strategy = s;
			longer.min_length = MOST_ITEMS;
			good = ExpectAtMost("candidates of long itemsets", 5 * Run(data, &longer).nodes + 1,
								Run(data, &every).nodes) & good;
		}
	OddFree(data);
	return good;
}

int
main(void)
{
	Rng			rng = {1};
	bool		good = true;

	for (int by_entry = 0; by_entry < 2; by_entry++)
	{
		good = CheckGroups(by_entry > 0) & good;
		good = CheckRules(&rng, by_entry > 0) & good;
		good = CheckShortMaximal(&rng, by_entry > 0) & good;
		good = CheckLong(by_entry > 0) & good;
	}
	good = CheckEqual(&rng) & good;
	good = CheckManyItems() & good;
	return !good;
}
