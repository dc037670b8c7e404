/*-------------------------------------------------------------------------
 *
 * rules.h
 *	  The rules that settle whether an itemset of uncertain transactions is wanted.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_RULES_H
#define FIM_RULES_H

/*
 * From cheap to expensive.  The first ones take the number, mean, variance and third
 * moment of an itemset's probabilities; the convolutions take all probabilities.
 */
typedef enum FimProbableRule
{
	FIM_RULE_COUNT,				/* fewer occurrences than the threshold */
	FIM_RULE_MEDIAN,			/* the median is within 1 of the mean */
	FIM_RULE_HOEFFDING,			/* bounded by binomial tails */
	FIM_RULE_BERRY_ESSEEN,		/* close to the normal distribution */
	FIM_RULE_CHERNOFF,			/* far tails */
	FIM_RULE_BINOMIAL,			/* close to the binomial distribution */
	FIM_RULE_POISSON,			/* close to the Poisson distribution */
	FIM_RULE_INVERSION,			/* by the characteristic function, to a few digits */
	FIM_RULE_CONVOLUTION,		/* in double precision, with a certified error */
	FIM_RULE_DOUBLE_DOUBLE,
	FIM_RULE_EXACT,				/* integers as wide as it takes */
	FIM_RULE_EXPECTATION,		/* selected by expected support */
	FIM_RULES
} FimProbableRule;

#endif							/* FIM_RULES_H */
