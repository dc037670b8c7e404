/*-------------------------------------------------------------------------
 *
 * judge.h
 *	  Whether itemsets are selected, and their values.
 *
 * Included by the depth-first miner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_JUDGE_H
#define FIM_PROBABLE_JUDGE_H

#include "view.h"

/*
 * Is the extension of a node selected?  The itemset at hand is the node's.  Sets the
 * extension's probability if so.
 */
extern bool JudgeExtension(ProbableMiner *m, const Node *node, Extension *extension);

/* Is it certain from its n and mean that the extension is not?  Then it has been judged. */
extern bool IsRuledOut(ProbableMiner *m, const Extension *extension);

/* The same as the first of a node's itemset, which is at hand, given its n and mean. */
extern bool JudgeNode(ProbableMiner *m, const Node *node, Extension *itemset);

/*
 * The same in two steps, for whoever has no node.  The first takes n and mean, which is
 * off by the given part of it at most, besides what products of so many factors are; it
 * may return FIM_OPEN.  The second takes m->probabilities[n] and m->rows[n] of the
 * itemset at hand, the latter under attribute uncertainty only.
 */
extern FimVerdict JudgeMean(ProbableMiner *m, Extension *itemset, double error, uint32_t nfactors);
extern bool JudgeProbabilities(ProbableMiner *m, Extension *itemset);

/* Could an itemset in so many rows be selected? */
static inline bool
MayBeSelected(const ProbableMiner *m, uint64_t n)
{
	return m->by_expectation ? (double) n >= m->job->min_expected : n >= m->job->minsup;
}

/* Does it take a node to write an itemset that has been judged and is not extended? */
static inline bool
NeedsNode(const ProbableMiner *m, const Extension *judged)
{
	return m->job->kind != FIM_ALL || (m->job->exact && !judged->settled);
}

/*
 * Write the itemset at hand, which is a node's and was judged, if its length is
 * wanted.  Without a node, m->probabilities and m->rows are there if a value is wanted and
 * not settled.
 */
extern void EmitItemset(ProbableMiner *m, const Node *node, const Extension *judged);

#endif							/* FIM_PROBABLE_JUDGE_H */
