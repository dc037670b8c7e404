/*-------------------------------------------------------------------------
 *
 * output_state.h
 *	  The itemset being extended, and the results that have not been given out yet.
 *
 * The functions that give itemsets out are in output.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_OUTPUT_STATE_H
#define FIM_OUTPUT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path is the itemset at hand, which the search extends.  All items here have the
 * caller's numbers.  The items of perfect[] are in every transaction that holds the path.
 * If all itemsets are wanted, each subset of them goes with each itemset that the search
 * finds below, so they are kept apart and multiplied out only when itemsets are listed.
 */
typedef struct Output
{
	uint32_t   *path;			/* [depth], room for the longest row */
	uint32_t	depth;			/* items on the path */
	uint32_t   *perfect;
	uint32_t	nperfect;
	uint32_t   *chosen;			/* while subsets are listed: which perfect item each place of the path has */
	uint32_t	min_depth;		/* the job's limits, without the required items */
	uint32_t	max_depth;
	bool		count_only;

	/*
	 * For counting: counted[e][d] is the number of paths of d items that were given out with
	 * e perfect items.  counted[e] is allocated when it is first needed, and NULL before.
	 */
	uint64_t  **counted;

	/* for listing */
	uint32_t   *batch;
	size_t		batch_size;		/* words after which the batch is handed over */
	size_t		used;			/* words in the batch */
	size_t		nitemsets;		/* itemsets in the batch */
	uint32_t	same;			/* leading items of the path that the last record has, too */

	uint64_t	results;		/* results that are not yet added to the shared figure */
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

/* Can the path become long enough, if "more" items can be added to it? */
static inline bool
OutputReaches(const Output *out, uint32_t more)
{
	return (uint64_t) out->depth + more >= out->min_depth;
}

#endif							/* FIM_OUTPUT_STATE_H */
