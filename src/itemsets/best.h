/*-------------------------------------------------------------------------
 *
 * best.h
 *	  The k best results: what top_itemsets() and top_rules() do with what the engine finds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_BEST_H
#define GPUFIM_BEST_H

#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "items.h"
#include "scan/scan.h"
#include "work/work.h"

/* How many results a call wants. */
typedef struct BestWanted
{
	uint32		k;				/* 0: all */
	bool		ties;			/* those, too, that are as good as the k-th one */
} BestWanted;

/*
 * A result that is kept: a record of the engine that can be read alone, with its place among all results.  The best one has the
 * smallest place.
 */
typedef struct BestEntry
{
	uint64		place[3];		/* by score, and, set last, among those of the same score */
	uint64		at;				/* index of its first word */
} BestEntry;

/* What is different for itemsets and rules. */
typedef struct BestKind
{
	/*
	 * Read a record of a batch, and go on to the next one.  Returns the score, and sets *nwords to what the record takes if it
	 * is to be read alone.
	 */
	double		(*read) (void *state, const uint32 **record, size_t *nwords);

	/* Write the record that was read, so that it can be read alone. */
	void		(*keep) (const void *state, uint32 *to);

	/*
	 * Put the items of a record that is kept into the order in which results are compared, and set the last two numbers of its
	 * place, by which most results of the same score differ.  This may be done more than once.
	 */
	void		(*settle) (const void *state, uint32 *record, uint64 *place);

	/* Compare two settled records of the same places. */
	int			(*compare) (const uint32 *a, const uint32 *b);

	/* The words of a record that is kept. */
	size_t		(*words) (const uint32 *record);

	/*
	 * Write a settled record to a batch, behind that of another one unless it is NULL.  Returns the number of words, which
	 * is not above that of the record.
	 */
	size_t		(*write) (const uint32 *record, const uint32 *previous, uint32 *to);
} BestKind;

/*
 * best_itemsets.c: Itemsets, whose scores are their supports.
 *
 * No support is less than "least".  The state's memory counts in the job.
 */
extern const BestKind BestItemsets;
extern void *BestItemsetsState(struct Job *job, const GpufimItems *items, uint32 least);

/*
 * best_rules.c: Rules.
 */
extern const BestKind BestRules;
extern void *BestRulesState(FimRanking by, uint32 transactions);

/*
 * best.c: Keeping the best results, and putting them in order.
 */

/*
 * Have the sink's job find all results that may be among the best, write the best to the sink, the best one first, and end
 * the job.  This is the last thing that a function does.  Returns the score of the k-th result; NaN if there are not so many.
 */
extern double MineBest(RowSink *to, const BestKind *kind, void *state, const BestWanted *wanted);

#endif							/* GPUFIM_BEST_H */
