/*-------------------------------------------------------------------------
 *
 * output_state.h
 *	  The itemset being extended, and the results that have not been given out yet.
 *
 * Included by miner.h, since each Miner has one.  The functions that give itemsets
 * out are in output.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_OUTPUT_STATE_H
#define FIM_OUTPUT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Items are the caller's.  The items of perfect[] are in every transaction that
 * holds the path.  If all itemsets are wanted, each subset of them goes with each
 * itemset below, so they are kept apart and multiplied out only when itemsets are
 * listed.
 */
typedef struct Output
{
	uint32_t   *path;
	uint32_t	depth;			/* items on the path */
	uint32_t   *perfect;
	uint32_t	nperfect;
	uint32_t	min_depth;		/* the job's limits, without the required items */
	uint32_t	max_depth;
	bool		count_only;

	/*
	 * Counting: counted[e][d] is the number of paths of d items that were met with e
	 * perfect items.  A row is made when it is needed.
	 */
	uint64_t  **counted;

	/* listing */
	uint32_t   *batch;
	size_t		batch_size;		/* in words, as is used */
	size_t		used;
	size_t		nitemsets;		/* in the batch */
	uint32_t	same;			/* leading items of path that the last record has too */

	uint64_t	results;		/* not yet added to the shared figure */
} Output;

static inline void
OutputPush(Output *out, uint32_t item)
{
	if (out->same > out->depth)
		out->same = out->depth;
	out->path[out->depth++] = item;
}

static inline void
OutputPop(Output *out, uint32_t n)
{
	out->depth -= n;
}

#endif							/* FIM_OUTPUT_STATE_H */
