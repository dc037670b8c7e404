/*-------------------------------------------------------------------------
 *
 * engine_choice.h
 *	  Which engine, and which of its strategies, a call runs on.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ENGINE_CHOICE_H
#define GPUFIM_ENGINE_CHOICE_H

#include "engine/family.h"
#include "gpufim.h"

/*
 * The least time that a task takes each engine, in ms, even if there is nothing to find.
 * Families calculate it with constants that were measured; engine_choice.c says what it
 * decides.
 */
typedef struct EngineCost
{
	double		cpu_ms;
	double		gpu_ms;			/* without what making contexts takes */
} EngineCost;

/*
 * Raises an error if the settings are not in order, or if the engine or the strategy
 * that is set cannot be used for tasks of this family.  It may have to start a GPU
 * worker to find out.
 */
extern void CheckEngineChoice(const FimFamily *family);

/*
 * The engine to begin with, GPUFIM_ENGINE_CPU or GPUFIM_ENGINE_GPU, and the index of
 * its strategy.  Raises an error if what is set cannot be used.
 */
extern GpufimEngineChoice ChooseEngine(const FimFamily *family, const EngineCost *cost,
									   int *strategy);

/*
 * A job that waits in the GPU worker's queue goes to the CPU if another session's job
 * has been under way for longer than this, in ms.  -1: it stays in the queue.
 */
extern double QueuePatience(const FimFamily *family, const EngineCost *cost);

/*
 * How long the CPU mines before a GPU may take over, in ms, without what making contexts takes:
 * a GPU that would take longer than that itself leaves the CPU as much time.
 */
extern double CpuPatience(const EngineCost *cost);

/* May a job that one engine has begun start over on the other? */
extern bool MayChangeEngine(const FimFamily *family);

/*
 * The strategy for an engine that takes over: the one that is set, if that engine
 * has it, otherwise "auto".
 */
extern int	StrategyOf(const FimFamily *family, GpufimEngineChoice engine);

#endif							/* GPUFIM_ENGINE_CHOICE_H */
