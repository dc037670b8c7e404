/*-------------------------------------------------------------------------
 *
 * set_checks.h
 *	  Whether an engine finds the products, pairs and similar sets that are there: those that
 *	  are found by looking at every pair of values of random relations, and where that
 *	  takes too long, those that the CPU engine finds by rows.
 *
 * The functions print what is wrong, as comments, and return false if something is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SET_CHECKS_H
#define SET_CHECKS_H

#include "engine/sets/sets.h"
#include "harness.h"

/*
 * Of what values relations are made that "auto" has to split: so many with each of the keys with a
 * probability, the density, and so many with a few keys.
 */
typedef struct SplitShape
{
	uint32_t	dense;
	uint32_t	sparse;
	double		density;
	uint64_t	min_witnesses;	/* to be asked for ... */
	double		threshold;		/* ... of similar sets, so that some of the dense ones are */
} SplitShape;

typedef struct SetsEngine
{
	const char *const *strategies; /* NULL-terminated, in the order of FimSetsStrategy */
	int			strategy;		/* the only one to check, or -1 */
	bool		one_worker;		/* a task has one, and no instruction set to choose */
	SplitShape	split;
	void		(*prepare) (const FimTask *task); /* before each task; may be NULL */
	FimResult	(*mine) (const FimTask *task, FimHost *host, FimSink *sink);
} SetsEngine;

extern const SetsEngine cpu_sets_engine;

/* Sets up n workers of a task for the engine. */
extern void StartSetsTask(const SetsEngine *engine, const FimSetsSpec *spec, const FimSetsData *data, TaskWorker *workers,
						  uint32_t n);

/* Random relations of all shapes, with random tasks, which are stopped, too. */
extern bool CheckRandomRelations(const SetsEngine *engine, uint64_t seed);

/* Relations of several hundred values, whose results are only counted. */
extern bool CheckCountedRelations(const SetsEngine *engine, uint64_t seed);

/*
 * Relations of which "auto" leaves a part to tiles and a part to rows; with keys of which tiles
 * leave some out; with more right values than have accumulators at a time; with rows of very many
 * paths, and rows of all numbers of paths; with few paths in all rows; with more left values than
 * rows have stamps.
 */
extern bool CheckSplitRelations(const SetsEngine *engine, uint64_t seed);
extern bool CheckGapRelations(const SetsEngine *engine);
extern bool CheckWideRelations(const SetsEngine *engine, uint64_t seed);
extern bool CheckHeavyRelations(const SetsEngine *engine, uint64_t seed);
extern bool CheckThinRelations(const SetsEngine *engine, uint64_t seed);
extern bool CheckTallRelations(const SetsEngine *engine);

#endif							/* SET_CHECKS_H */
