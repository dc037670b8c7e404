/*-------------------------------------------------------------------------
 *
 * itemset_runs.h
 *	  One call of an engine of itemsets, and comparing what two of them found.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITEMSET_RUNS_H
#define ITEMSET_RUNS_H

#include "gpu_library.h"
#include "../unit/harness.h"

typedef struct ItemsetRun
{
	FimResult	result;
	TestSink	sink;
	FimTally	tally;
	double		seconds;
} ItemsetRun;

extern double most_seconds;		/* runs on GPUs that take longer are given up, FIM_STOPPED */

/*
 * Has an engine mine: the function of FimItemsetsFamily or that of the library.  At most so many
 * batches of itemsets are taken, and kept if that is wanted; the program ends if the engine does
 * not give back all memory.
 */
extern void RunItemsets(MineFunction mine, const FimItemsetsSpec *spec, const FimDatabase *db,
						uint64_t batches, bool keep, ItemsetRun *run);
extern void FreeItemsetRun(ItemsetRun *run);

/* What is wrong with a run on a GPU, beside one on the CPU, both of which kept all; NULL: nothing. */
extern const char *CompareRuns(const FimItemsetsSpec *spec, ItemsetRun *expected, ItemsetRun *found);

#endif							/* ITEMSET_RUNS_H */
