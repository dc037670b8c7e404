/*-------------------------------------------------------------------------
 *
 * sums.h
 *	  A tiny family, to test that there can be more than one: its job and its data.
 *
 * It sums a column of numbers for each distinct value of another.  A unit of work
 * is a block of SUMS_UNIT items.  A record of a result is an item's number and its
 * sum, a double, in three words.  A task that only counts writes no records; its
 * summary is a SumsSummary.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SUMS_H
#define SUMS_H

#include "engine/family.h"
#include "engine/gpu.h"

extern const FimFamily FimSumsFamily;
extern const FimGpuFamily FimSumsGpuFamily;

#define SUMS_UNIT			16
#define SUMS_RECORD_WORDS	3

/* Strategies of the CPU engine; all but the first two make tests independent of time. */
typedef enum SumsStrategy
{
	SUMS_AUTO,					/* SUMS_PLAIN */
	SUMS_PLAIN,
	SUMS_TOGETHER,				/* a unit waits until somebody has taken the next */
	SUMS_ENDLESS,				/* the first unit waits until the task is stopped */
	SUMS_GREEDY,				/* the first unit takes memory until there is no more */
	SUMS_GREEDY_WORKER,			/* the first unit waits, the second asks for far too much */
	SUMS_HANDOVER,				/* the second unit waits until the task is stopped, but
								 * a GPU does all */

	/*
	 * The second unit and the third take more memory together than there is, when a process
	 * does one of them for the first time: so the third finds none, or the second does, or
	 * the third takes all, so that none is left for results; or the second does, and whoever
	 * does the third ends by an error then, with all that it has taken; or the third finds none,
	 * and whoever does the second, which is the session, then asks for far too much.
	 */
	SUMS_CROWDED_WORKER,
	SUMS_CROWDED_LEADER,
	SUMS_CROWDED_RESULTS,
	SUMS_CROWDED_ERROR,
	SUMS_CROWDED_OWN_ERROR,

	/*
	 * A process is known to take SUMS_KNOWN_BYTES: it writes results first, and takes the
	 * memory bit by bit, or it waits until the task is stopped.
	 */
	SUMS_KNOWN,
	SUMS_KNOWN_ENDLESS
} SumsStrategy;

#define SUMS_KNOWN_BYTES	((size_t) 20 << 20)

/* Those of the GPU engine. */
#define SUMS_GPU_STRATEGY_NAMES	{"auto", "plain", "endless", "greedy", "handover", NULL}

typedef struct SumsSpec
{
	FimSpec		head;
} SumsSpec;

/* The entries in the order of the source. */
typedef struct SumsData
{
	FimData		head;
	uint64_t	nentries;
	uint32_t	nitems;
	uint32_t	indexed;		/* starts and order have been filled in */

	/* byte offsets from the start of this struct */
	uint64_t	value_at;		/* double[nentries] */
	uint64_t	item_at;		/* uint32[nentries] */
	uint64_t	start_at;		/* uint64[nitems + 1], into order; for the CPU engine */
	uint64_t	order_at;		/* uint64[nentries], entries by item; likewise */
} SumsData;

typedef struct SumsSummary
{
	uint64_t	items;
	double		total;
} SumsSummary;

/*
 * The bytes of data, with or without what only the CPU engine needs, and how to lay
 * them out.  The caller fills in values and items.
 */
extern size_t SumsSize(uint64_t nentries, uint32_t nitems, bool indexed);
extern void SumsLayout(SumsData *data, uint64_t nentries, uint32_t nitems);

#define SUMS_VALUES(data)	((double *) ((char *) (data) + (data)->value_at))
#define SUMS_ITEMS(data)	((uint32_t *) ((char *) (data) + (data)->item_at))

#endif							/* SUMS_H */
