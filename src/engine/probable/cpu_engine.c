/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The family of probable itemsets on the CPU: its units of work, a worker's share of them, and the
 *	  table of functions by which the engine calls it.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/ancestors/papriori/papriori.h"
#include "miner.h"
#include "probable.h"

static inline const FimProbableSpec *
SpecOf(const FimTask *task)
{
	return (const FimProbableSpec *) task->spec;
}

static inline const FimProbableData *
DataOf(const FimTask *task)
{
	return (const FimProbableData *) task->data;
}

/*
 * A unit of work is a prefix class: the itemsets whose rarest item is the same, required
 * items not considered.  The first unit is the required items alone.  The number of units
 * is what it would be if all items were selected; how many are, each worker finds out for
 * itself.  If itemsets need one of some items, the classes of the others have none that is wanted.  Where mining goes level by level, all of the work is one unit.
 */
static uint64_t
ProbableUnits(const FimTask *task)
{
	if (task->spec->strategy == FIM_PROBABLE_FFT)
		return 1;
	if (SpecOf(task)->nany > 0)
		return 1 + SpecOf(task)->nany;
	return 1 + DataOf(task)->nitems - SpecOf(task)->nrequired;
}

static size_t
ProbableSummarySize(const FimTask *task)
{
	return sizeof(FimProbableSummary);
}

static void
ProbableSummaryAdd(const FimTask *task, void *into, const void *from)
{
	FimProbableSummaryAdd(into, from);
}

static void
MineByStrategy(ProbableMiner *m, FftTail *tree)
{
#ifdef FIM_KISSFFT
	if (m->spec->head.strategy == FIM_PROBABLE_FFT)
	{
		FimStrategyUsed(m->shared, FIM_PROBABLE_FFT);
		MinePapriori(m, FftTailOf, tree);
		return;
	}
#endif
	FimStrategyUsed(m->shared, FIM_PROBABLE_BOUNDS);
	MineByBounds(m);
}

/* Do the worker's share; longjmp() to m->leave ends here. */
static FimResult
TryTask(ProbableMiner *m, FftTail *tree)
{
	FimResult	result = (FimResult) setjmp(m->leave);

	if (result == FIM_DONE)
	{
		ProbableBegin(m);
		MineByStrategy(m, tree);
		ProbableFlush(m);
		/* a canceled task is not done, even if no unit is left */
		ProbablePoll(m);
	}
	return result;
}

static FimResult
ProbableMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	ProbableMiner m;
	FftTail		tree = {.host = host};
	FimResult	result;

	if (SpecOf(task)->max_length < SpecOf(task)->nrequired)
		return FIM_DONE;
	ProbableInit(&m, task, host, sink);
	result = TryTask(&m, &tree);
	FftTailFree(&tree);
	ProbableEnd(&m);
	return result;
}

/*
 * Probabilities and rows of all transactions, which the view of all of them and the arrays for judging have, and classes
 * of many of them once more; and what the arena's chunks leave over.  Half a million to 2.5 million transactions took 47
 * to 57 bytes each.
 */
static uint64_t
ProbableWorkerSize(const FimTask *task)
{
	return 5 * (sizeof(double) + sizeof(uint32_t)) * (uint64_t) DataOf(task)->nrows;
}

#ifdef FIM_KISSFFT
static const char *const strategies[] = {"auto", "bounds", "fft", NULL};
#else
static const char *const strategies[] = {"auto", "bounds", NULL};
#endif
static const char *const gpu_strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

const FimFamily FimProbableFamily = {
	.name = "probable",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = ProbableUnits,
	.summary_size = ProbableSummarySize,
	.summary_add = ProbableSummaryAdd,
	.cpu_size = ColumnsSize,
	.cpu_prepare = ColumnsCount,
	.cpu_fill = ColumnsFill,
	.mine = ProbableMine,
	.worker_size = ProbableWorkerSize
};
