/*-------------------------------------------------------------------------
 *
 * rule_tests.c
 *	  The number of tests and the p-values of all rules, before the first rule is given out.
 *
 * Methods that go by the rank of a p-value need all of them, and there may be far more rules than memory
 * can hold.  But a p-value depends on three supports only, which many rules have in common: so
 * the engine goes through all rules twice, and the first time gives no rules but their supports, with the number of rules that
 * have the same.  Adjusted p-values are exact that way.  What is kept takes memory by the number of
 * different supports, and is under gpufim.memory_limit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "engine/rules/rules.h"
#include "gpufim.h"
#include "itemsets/itemsets.h"
#include "itemsets/rules.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "work/work.h"

#define WHAT	"the p-values of all rules"

/* Rules with the same supports. */
typedef struct EqualTests
{
	FimTest		test;			/* whose "times" mean nothing here */
	uint64		times;			/* 0: a free place of the table */
} EqualTests;

typedef struct TestsSink
{
	FimSink		sink;			/* must be first */
	struct Job *job;
	MemoryContext context;
	EqualTests *table;			/* [room], a hash table */
	Size		room;			/* a power of 2 */
	Size		n;
} TestsSink;

#define FIRST_ROOM		1024
#define INTERRUPT_TESTS	4096

static EqualTests *
AllocateTable(TestsSink *sink, Size room)
{
	Size		size = room * sizeof(EqualTests);

	JobTakeMemory(sink->job, size, WHAT);
	return MemoryContextAllocExtended(sink->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static void
AddTests(EqualTests *table, Size room, const EqualTests *tests, Size *n)
{
	Size		t = FimTestHash(&tests->test) & (room - 1);

	for (; table[t].times != 0; t = (t + 1) & (room - 1))
	{
		if (FimSameTest(&table[t].test, &tests->test))
		{
			table[t].times += tests->times;
			return;
		}
	}
	table[t] = *tests;
	(*n)++;
}

static void
GrowTable(TestsSink *sink)
{
	Size		room = 2 * sink->room;
	EqualTests *larger = AllocateTable(sink, room);
	Size		n = 0;

	for (Size t = 0; t < sink->room; t++)
	{
		if (t % INTERRUPT_TESTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (sink->table[t].times > 0)
			AddTests(larger, room, &sink->table[t], &n);
	}
	pfree(sink->table);
	JobGiveBackMemory(sink->job, sink->room * sizeof(EqualTests));
	sink->table = larger;
	sink->room = room;
}

static bool
TakeBatch(FimSink *fim_sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	TestsSink  *sink = (TestsSink *) fim_sink;

	CHECK_FOR_INTERRUPTS();
	for (size_t i = 0; i < nresults; i++, words += FIM_TEST_WORDS)
	{
		EqualTests	tests;

		memcpy(&tests.test, words, sizeof(FimTest));
		tests.times = tests.test.times;
		if (sink->n > sink->room / 4 * 3)
			GrowTable(sink);
		AddTests(sink->table, sink->room, &tests, &sink->n);
	}
	return true;
}

static void
ForgetTests(FimSink *fim_sink)
{
	TestsSink  *sink = (TestsSink *) fim_sink;

	memset(sink->table, 0, sink->room * sizeof(EqualTests));
	sink->n = 0;
}

#define ST_SORT SortByPValue
#define ST_ELEMENT_TYPE FimPValues
#define ST_COMPARE(a, b) (((a)->log_p > (b)->log_p) - ((a)->log_p < (b)->log_p))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The p-values of the table's tests, ascending, each once.  Sets *n to their number. */
static FimPValues *
SortPValues(const TestsSink *sink, uint32 transactions, MemoryContext context, Size *n)
{
	FimPValues *p = MemoryContextAllocHuge(context, (sink->n + 1) * sizeof(FimPValues));
	Size		found = 0;
	Size		distinct = 0;

	for (Size t = 0; t < sink->room; t++)
	{
		const FimTest *test = &sink->table[t].test;

		if (t % INTERRUPT_TESTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (sink->table[t].times > 0)
			p[found++] = (FimPValues) {
			FimFisherLog(test->support, test->antecedent, test->consequent, transactions), 0, sink->table[t].times
		};
	}
	SortByPValue(p, found);
	for (Size i = 0; i < found; i++)
	{
		if (distinct > 0 && p[distinct - 1].log_p == p[i].log_p)
			p[distinct - 1].times += p[i].times;
		else
			p[distinct++] = p[i];
	}
	*n = distinct;
	return p;
}

/* Do the task of rules that the spec is for, but with this output.  Returns the number of tests. */
static uint64
RunFirst(struct Job *job, FimRulesSpec *spec, FimRulesOutput output, FimSink *sink)
{
	static const EngineCost cost = {.only_cpu = true};

	spec->output = output;
	spec->itemsets.head.count_only = output == FIM_RULES_COUNTED;
	JobContinue(job, &spec->itemsets.head, &cost);
	spec->output = FIM_RULES_LISTED;
	spec->itemsets.head.count_only = false;
	return FimRulesTests(spec, JobRun(job, sink));
}

static uint64
TakeAllTests(struct Job *job, FimRulesSpec *spec, uint32 transactions, FimAdjust method, RulePValues *to)
{
	TestsSink	sink = {.sink = {.write = TakeBatch,.restart = ForgetTests},.job = job,.context = CurrentMemoryContext,
	.room = FIRST_ROOM};
	uint64		tests;

	sink.table = AllocateTable(&sink, sink.room);
	tests = RunFirst(job, spec, FIM_RULES_TESTS, &sink.sink);
	JobTakeMemory(job, (sink.n + 1) * sizeof(FimPValues), WHAT);
	to->p = SortPValues(&sink, transactions, to->context, &to->n);
	FimAdjustAll(to->p, to->n, tests, method);
	pfree(sink.table);
	JobGiveBackMemory(job, sink.room * sizeof(EqualTests));
	return tests;
}

/* The largest logarithm of a listed p-value whose adjusted p-value, as it is shown, is no more than max_p. */
static double
LargestListed(const RulePValues *p_values, double max_p)
{
	Size		low = 0;
	Size		high = p_values->n;

	while (low < high)
	{
		Size		middle = low + (high - low) / 2;

		if (exp(p_values->p[middle].log_adjusted) <= max_p)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? -INFINITY : p_values->p[low - 1].log_p;
}

/* The same among all numbers of type float8, for a max_p below 1 and adjusting by a factor. */
static double
LargestByFactor(double log_factor, double max_p)
{
	double		low = -DBL_MAX / 2;
	double		high = 0;
	double		middle;

	while ((middle = low + (high - low) / 2) != low && middle != high)
	{
		if (exp(middle + log_factor) <= max_p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void
TestRules(struct Job *job, FimRulesSpec *spec, uint32 transactions, FimAdjust method, double max_p,
		  RulePValues *p_values)
{
	uint64		tests = 0;

	if (method == FIM_ADJUST_BONFERRONI)
	{
		tests = RunFirst(job, spec, FIM_RULES_COUNTED, NULL);
		p_values->log_factor = tests > 0 ? log((double) tests) : 0;
	}
	else if (method != FIM_ADJUST_NONE)
		tests = TakeAllTests(job, spec, transactions, method, p_values);
	if (method != FIM_ADJUST_NONE)
		RunAddDetail("tests", (int64) tests);
	if (max_p < 1)
		spec->max_log_p = p_values->p != NULL ? LargestListed(p_values, max_p) :
			LargestByFactor(p_values->log_factor, max_p);
}
