/*-------------------------------------------------------------------------
 *
 * engine_choice.c
 *	  Which engine and which of its strategies a call runs on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "lib/stringinfo.h"
#include "work/gpu_queue.h"
#include "work/work.h"

static const char *const *
StrategiesOf(const FimFamily *family, GpufimEngineChoice engine)
{
	return engine == GPUFIM_ENGINE_GPU ? family->gpu_strategies : family->strategies;
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
ListStrategies(StringInfo list, const char *const *strategies, bool with_auto)
{
	for (int i = with_auto ? 0 : 1; strategies[i] != NULL; i++)
		appendStringInfo(list, "%s\"%s\"", list->len > 0 ? ", " : "", strategies[i]);
}

static void
RaiseNotOnGpu(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s() cannot run on engine \"gpu\"", CurrentRun->function),
			 errhint("Set \"gpufim.engine\" to \"auto\" or \"cpu\".")));
}

static void
RaiseUnknownStrategy(const FimFamily *family, bool cpu, bool gpu)
{
	StringInfoData known;

	if (!cpu && family->gpu_strategies[0] == NULL)
		RaiseNotOnGpu();
	initStringInfo(&known);
	if (cpu)
		ListStrategies(&known, family->strategies, true);
	if (gpu)
		ListStrategies(&known, family->gpu_strategies, !cpu);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 cpu && gpu ?
			 errmsg("no engine has a strategy \"%s\" for %s()", gpufim_strategy, CurrentRun->function) :
			 errmsg("engine \"%s\" has no strategy \"%s\" for %s()",
					cpu ? "cpu" : "gpu", gpufim_strategy, CurrentRun->function),
			 errhint("Set \"gpufim.strategy\" to one of %s.", known.data)));
}

/*
 * Is the GPU the better engine to begin with?  The time of both engines grows with the
 * number of results, which nobody knows beforehand, but that of the GPU grows far less.
 * On the other hand a call on the GPU has a fixed cost, and contexts may have to be
 * made.  So the GPU begins if even with nothing to find the CPU would take longer than
 * this fixed cost.  Otherwise the CPU begins, and what it has not done after a while starts over
 * on the GPU.  Either way a call takes little longer than on the better engine.
 */
static bool
GpuPays(const EngineCost *cost)
{
	return cost->cpu_ms > cost->gpu_ms + GpuDelay();
}

/*
 * A job waits for those of other sessions unless the one under way has taken longer than this
 * by now, in ms.  Then it would probably take long to come, which short jobs, even a dozen, do not.
 */
static double
OthersPatience(const EngineCost *cost)
{
	return Max(gpufim_gpu_patience, 0) + cost->cpu_ms;
}

double
CpuPatience(const EngineCost *cost)
{
	return Max(gpufim_gpu_patience, cost->gpu_ms);
}

double
QueuePatience(const FimFamily *family, const EngineCost *cost)
{
	return MayChangeEngine(family) && gpufim_gpu_patience > 0 ? OthersPatience(cost) : -1;
}

static bool
GpuBegins(const EngineCost *cost)
{
	if (gpufim_gpu_patience == 0)
		return GpuUnusable() == NULL;
	return GpuPays(cost) && GpuUnusable() == NULL && GpuBusy() <= OthersPatience(cost);
}

/*
 * Engine "auto": either engine, if both have the strategy that is set.  A strategy
 * that only one engine has chooses that engine.
 */
static GpufimEngineChoice
EnginesOfStrategy(const FimFamily *family)
{
	bool		on_cpu = FindStrategy(family->strategies) >= 0;
	bool		on_gpu = FindStrategy(family->gpu_strategies) >= 0;
	bool		usable;

	if (on_cpu)
		return on_gpu ? GPUFIM_ENGINE_AUTO : GPUFIM_ENGINE_CPU;
	usable = GpuUnusable() == NULL;
	if (!usable || !on_gpu)
		RaiseUnknownStrategy(family, true, usable);
	return GPUFIM_ENGINE_GPU;
}

static void
CheckGpuEngine(const FimFamily *family)
{
	char	   *reason;

	if (FindStrategy(family->gpu_strategies) < 0)
		RaiseUnknownStrategy(family, false, true);
	reason = GpuUnusable();
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no GPU that can mine"),
				 errdetail_internal("%s", reason),
				 errhint("Set \"gpufim.engine\" to \"auto\" or \"cpu\"; "
						 "gpufim_devices() lists what can be used.")));
}

/* The engine that the settings name, or GPUFIM_ENGINE_AUTO if they leave it open. */
static GpufimEngineChoice
EngineOfSettings(const FimFamily *family)
{
	switch (gpufim_engine)
	{
		case GPUFIM_ENGINE_CPU:
			if (FindStrategy(family->strategies) < 0)
				RaiseUnknownStrategy(family, true, false);
			return GPUFIM_ENGINE_CPU;
		case GPUFIM_ENGINE_GPU:
			CheckGpuEngine(family);
			return GPUFIM_ENGINE_GPU;
		default:
			return EnginesOfStrategy(family);
	}
}

void
CheckEngineChoice(const FimFamily *family, bool only_cpu)
{
	CheckLimitsAreInForce();
	if (only_cpu && gpufim_engine == GPUFIM_ENGINE_GPU)
		RaiseNotOnGpu();
	(void) EngineOfSettings(family);
}

GpufimEngineChoice
ChooseEngine(const FimFamily *family, const EngineCost *cost, int *strategy)
{
	GpufimEngineChoice engine = EngineOfSettings(family);

	if (cost->only_cpu)
		engine = GPUFIM_ENGINE_CPU;
	else if (engine == GPUFIM_ENGINE_AUTO)
		engine = !cost->wants_few && GpuBegins(cost) ? GPUFIM_ENGINE_GPU : GPUFIM_ENGINE_CPU;
	*strategy = StrategyOf(family, engine);
	return engine;
}

bool
MayChangeEngine(const FimFamily *family)
{
	return gpufim_engine == GPUFIM_ENGINE_AUTO && gpufim_gpu_patience >= 0 &&
		FindStrategy(family->gpu_strategies) >= 0 && FindStrategy(family->strategies) >= 0 &&
		GpuMayBeThere();
}

int
StrategyOf(const FimFamily *family, GpufimEngineChoice engine)
{
	return Max(FindStrategy(StrategiesOf(family, engine)), 0);
}
