/*-------------------------------------------------------------------------
 *
 * probable_runs.h
 *	  One call of an engine of probable itemsets, and whether it found the truth.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROBABLE_RUNS_H
#define PROBABLE_RUNS_H

#include "gpu_library.h"
#include "probable_truth.h"

typedef struct ProbableRun
{
	FimResult	result;
	FimProbableSummary summary;
	uint64_t	results;
	double		seconds;
	uint32_t   *words;			/* of the results, if they are kept */
	size_t		nwords;
} ProbableRun;

/*
 * Has an engine mine: the function of FimProbableFamily or that of the library.  The program ends
 * if the engine does not give back all memory.
 */
extern void RunProbable(MineFunction mine, const FimProbableSpec *spec, const FimProbableData *data,
						bool keep, ProbableRun *run);
extern void FreeProbableRun(ProbableRun *run);

/* What is wrong with a run that kept its results; NULL: nothing. */
extern const char *CheckProbableRun(const FimProbableSpec *spec, const FimProbableData *data,
									const Truth *truth, const ProbableRun *run);

/* How the results of a run differ from those of another engine's; NULL: in nothing but rounding. */
extern const char *CompareProbableRuns(const FimProbableSpec *spec, const ProbableRun *run,
									   const ProbableRun *other);

#endif							/* PROBABLE_RUNS_H */
