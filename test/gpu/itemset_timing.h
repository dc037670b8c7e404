/*-------------------------------------------------------------------------
 *
 * itemset_timing.h
 *	  How long a GPU takes for the itemsets of a file.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITEMSET_TIMING_H
#define ITEMSET_TIMING_H

#include "engine/gpu.h"
#include "engine/itemsets/itemsets.h"

typedef struct ItemsetTiming
{
	const char *file;			/* of transactions in FIMI form */
	const char *minsup;			/* a fraction if below 1, or a number */
	FimItemsetsSpec spec;		/* all but minsup; its strategy -1: each but "auto" */
	uint64_t	memory_limit;	/* in bytes; 0: none */
	bool		compare;		/* with what the CPU engine finds */
	int			repetitions;
} ItemsetTiming;

/* Mines the file and prints a line for each run.  Returns 0, or 1 if something went wrong. */
extern int	TimeItemsets(const FimGpuFamily *gpu, const ItemsetTiming *timing);

#endif							/* ITEMSET_TIMING_H */
