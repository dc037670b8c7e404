/*-------------------------------------------------------------------------
 *
 * engine_choice.c
 *	  Which engine and which of its strategies a call runs on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "work/gpu_worker.h"
#include "lib/stringinfo.h"

/*
 * What the transactions' frequent items cost each engine at least, measured
 * on an H200 and a core beside it (bench/results/gpu.md, "Which engine auto takes").
 * The CPU indexes them and counts what occurs together; the GPU has them copied.
 */
#define CPU_ITEM_MS		10e-6
#define GPU_ITEM_MS		0.6e-6
#define GPU_CALL_MS		0.8

static const char *const GpuStrategies[] = FIM_GPU_STRATEGY_NAMES;

const char *
StrategyName(GpufimEngineChoice engine, int strategy)
{
	return engine == GPUFIM_ENGINE_GPU ? GpuStrategies[strategy] :
		FimCpuEngine.strategies[strategy];
}

/* The index of the strategy that is set, or -1. */
static int
FindStrategy(const char *const *strategies)
{
	for (int i = 0; strategies[i] != NULL; i++)
		if (strcmp(strategies[i], gpufim_strategy) == 0)
			return i;
	return -1;
}

static void
ListStrategies(StringInfo list, const char *const *strategies, bool first)
{
	for (int i = first ? 0 : 1; strategies[i] != NULL; i++)
		appendStringInfo(list, "%s\"%s\"", list->len > 0 ? ", " : "", strategies[i]);
}

static void
RaiseUnknownStrategy(bool cpu, bool gpu)
{
	StringInfoData known;

	initStringInfo(&known);
	if (cpu)
		ListStrategies(&known, FimCpuEngine.strategies, true);
	if (gpu)
		ListStrategies(&known, GpuStrategies, !cpu);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 cpu && gpu ? errmsg("no engine has a strategy \"%s\"", gpufim_strategy) :
			 errmsg("engine \"%s\" has no strategy \"%s\"", cpu ? "cpu" : "gpu", gpufim_strategy),
			 errhint("Set \"gpufim.strategy\" to one of %s.", known.data)));
}

static double
CpuLeast(const GpufimItems *items)
{
	return items->entries * CPU_ITEM_MS;
}

/*
 * Does the GPU pay at once?  Both engines' time grows with the itemsets to be
 * found, which nobody knows beforehand, but the GPU's by far less: what it has to
 * make up for is what a call costs there, and the contexts, if there are none.  So
 * it pays if the CPU takes longer even if there is nothing to find.  Otherwise the
 * CPU begins, and what it has not done after a while starts over on the GPU
 * (job.c): so a call never takes much longer than on the better one.
 */
static bool
GpuPays(const GpufimItems *items)
{
	return CpuLeast(items) > items->entries * GPU_ITEM_MS + GPU_CALL_MS + GpuDelay();
}

/*
 * Another's job that has been under way for longer, in ms, is not waited for.
 * Waiting for short ones takes less than the CPU, even for a dozen of them.
 */
static double
LongJob(const GpufimItems *items)
{
	return Max(gpufim_gpu_patience, 0) + CpuLeast(items);
}

/* The same for a job that is in the queue; -1: it stays there. */
double
QueuePatience(const GpufimItems *items)
{
	return MayChangeEngine() && gpufim_gpu_patience > 0 ? LongJob(items) : -1;
}

static bool
GpuBegins(const GpufimItems *items)
{
	if (gpufim_gpu_patience == 0)
		return GpuUnusable() == NULL;
	return GpuPays(items) && GpuUnusable() == NULL && GpuBusy() <= LongJob(items);
}

static GpufimEngineChoice
ChooseForAuto(const GpufimItems *items, int *strategy)
{
	int			on_cpu = FindStrategy(FimCpuEngine.strategies);
	int			on_gpu = FindStrategy(GpuStrategies);

	if (on_cpu >= 0)
	{
		*strategy = on_cpu;
		if (on_gpu < 0)
			return GPUFIM_ENGINE_CPU;
		if (items == NULL)
			return GPUFIM_ENGINE_AUTO;
		if (!GpuBegins(items))
			return GPUFIM_ENGINE_CPU;
	}
	else
	{
		/* A strategy that only one engine has chooses that engine. */
		bool		usable = GpuUnusable() == NULL;

		if (!usable || on_gpu < 0)
			RaiseUnknownStrategy(true, usable);
	}
	*strategy = on_gpu;
	return GPUFIM_ENGINE_GPU;
}

GpufimEngineChoice
ChooseEngine(const GpufimItems *items, int *strategy)
{
	char	   *reason;

	if (gpufim_engine == GPUFIM_ENGINE_AUTO)
		return ChooseForAuto(items, strategy);
	if (gpufim_engine == GPUFIM_ENGINE_CPU)
	{
		*strategy = FindStrategy(FimCpuEngine.strategies);
		if (*strategy < 0)
			RaiseUnknownStrategy(true, false);
		return GPUFIM_ENGINE_CPU;
	}

	*strategy = FindStrategy(GpuStrategies);
	if (*strategy < 0)
		RaiseUnknownStrategy(false, true);
	reason = GpuUnusable();
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no GPU that can mine"),
				 errdetail_internal("%s", reason),
				 errhint("Set \"gpufim.engine\" to \"auto\" or \"cpu\"; "
						 "gpufim_devices() lists what can be used.")));
	return GPUFIM_ENGINE_GPU;
}

/* Whether what one engine has begun may go on on the other. */
bool
MayChangeEngine(void)
{
	return gpufim_engine == GPUFIM_ENGINE_AUTO && gpufim_gpu_patience >= 0 &&
		FindStrategy(GpuStrategies) >= 0 && FindStrategy(FimCpuEngine.strategies) >= 0 &&
		GpuMayBeThere();
}

/* For what the other engine began: a strategy that only that one has is none of this. */
int
StrategyOf(GpufimEngineChoice engine)
{
	return Max(FindStrategy(engine == GPUFIM_ENGINE_GPU ? GpuStrategies : FimCpuEngine.strategies), 0);
}
