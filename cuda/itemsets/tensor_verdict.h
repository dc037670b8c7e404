/*-------------------------------------------------------------------------
 *
 * tensor_verdict.h
 *	  What the pairs of a step's members say, from kernel to kernel.
 *
 * Included by tensor_judge.h, tensor_ahead.h and tensor_pairs.h.
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

/* What a member's pairs say of it. */
typedef struct Verdict
{
	uint32_t	kept;			/* members of its class or table, 0 if it has none */
	uint32_t	excluded;		/* so many of these come before it, and are excluded */
} Verdict;

/*
 * A word for the host: what becomes of a member, and how many items are fixed with it.  If
 * the member's itemset is given out together with all that extends it, these are fixed, too.
 */
#define MARK_EMITTED	1u
#define MARK_CLASS		2u
#define MARK_TABLE		4u
#define MARK_TOGETHER	8u
#define MARK_FIXED		4		/* the number is shifted by so many bits */

#endif							/* FIM_TENSOR_VERDICT_H */
