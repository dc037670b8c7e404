/*-------------------------------------------------------------------------
 *
 * tensor_verdict.h
 *	  What kernels find out from the pairs of a step's members, and pass to other kernels.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_VERDICT_H
#define FIM_TENSOR_VERDICT_H

#include <stdint.h>

/* A step's counts of pairs on the device, see FimCounts. */
typedef struct StepCounts
{
	const uint32_t *count;
	uint64_t	from;			/* the number of the first count */
	uint32_t	begin;			/* the first member of each class that has counts */
} StepCounts;

/* What becomes of a member, as its pairs say. */
typedef struct Verdict
{
	uint32_t	kept;			/* the number of members of its class or table; 0 if it has neither */
	uint32_t	excluded;		/* the number of these members that come before it and are excluded */
} Verdict;

/*
 * A word for each member that the host reads, too: what becomes of the member, and the number
 * of items that are fixed with it.  If the member's itemset is given out together with
 * everything that extends it, that is fixed, too.
 */
#define MARK_EMITTED	1u		/* its itemset is given out */
#define MARK_CLASS		2u		/* it has a class */
#define MARK_TABLE		4u		/* it has a table */
#define MARK_TOGETHER	8u		/* its itemset is given out with everything that extends it */
#define MARK_FIXED		4		/* the number of fixed items is shifted by this many bits */

#endif							/* FIM_TENSOR_VERDICT_H */
