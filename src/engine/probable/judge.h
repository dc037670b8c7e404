/*-------------------------------------------------------------------------
 *
 * judge.h
 *	  Whether itemsets are selected, and their values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_JUDGE_H
#define FIM_PROBABLE_JUDGE_H

#include "bounds.h"
#include "interval.h"
#include "sums.h"
#include "view.h"

/*
 * P(S >= k) to a few digits, from the characteristic function of support.
 */

/*
 * An interval that holds P(S >= k) and is less than 10^-4 wide, or [0, 1] where the method
 * does not apply: S has too small a variance, or k is too far from its mean.  p[n] have a
 * relative error of at most "error", and all of their moments must be given.  Where n is
 * large, this takes a fraction of the time of FimTailBracket().
 */
extern FimInterval FimInversionBracket(const ProbableSums *sums, const double *p, double error,
									   const FimMoments *moments, uint32_t k);

/*
 * Is an extension of a node, whose n and mean have been counted, selected?  The itemset at
 * hand must be the node's.  If so, sets the extension's probability.
 */
extern bool JudgeExtension(ProbableMiner *m, const ProbableNode *node, Extension *extension);

/*
 * Is it certain from its n and mean that an extension is not selected?  If so, this counts as
 * the judgement in the summary, and it must not be judged again.
 */
extern bool IsRuledOut(ProbableMiner *m, const Extension *extension);

/* The same as JudgeExtension() for the node's itemset itself, which is at hand, given its n and mean. */
extern bool JudgeNode(ProbableMiner *m, const ProbableNode *node, Extension *itemset);

/*
 * The same in two steps, for callers without a node.  JudgeMean() judges by n and by the
 * mean, whose relative error is at most "error", besides that of products of nfactors
 * factors.  If it returns FIM_OPEN, JudgeProbabilities() judges the itemset at hand by
 * m->probabilities[n] and, under attribute uncertainty, m->rows[n].
 */
extern FimVerdict JudgeMean(ProbableMiner *m, Extension *itemset, double error, uint32_t nfactors);
extern bool JudgeProbabilities(ProbableMiner *m, Extension *itemset);

/* Could an itemset that n rows hold be selected? */
static inline bool
MayBeSelected(const ProbableMiner *m, uint64_t n)
{
	return m->by_expectation ? (double) n >= m->job->min_expected : n >= m->job->minsup;
}

/* Does it take a node to write an itemset that has been judged and will not be extended? */
static inline bool
NeedsNode(const ProbableMiner *m, const Extension *judged)
{
	return m->job->kind != FIM_ALL || (m->job->exact && !judged->settled);
}

/*
 * Write the itemset at hand, which is the node's and was judged, if its length is wanted.
 * If node is NULL, and the value is wanted but not settled, the caller must have set
 * m->probabilities and m->rows.
 */
extern void EmitItemset(ProbableMiner *m, const ProbableNode *node, const Extension *judged);

#endif							/* FIM_PROBABLE_JUDGE_H */
