/*-------------------------------------------------------------------------
 *
 * rules.h
 *	  What association rules are judged by.
 *
 * A rule says that transactions which hold its antecedent tend to hold its consequent.  All
 * that its measures depend on is how many transactions there are, how many hold the antecedent,
 * how many the consequent, and how many hold both, which is the rule's support.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RULES_H
#define RULES_H

#include <stdint.h>

/*
 * fisher.c: Fisher's exact test, one-sided: the natural logarithm of the probability that at least
 * "support" transactions hold both sides, when "antecedent" and "consequent" of the transactions
 * hold one side each and which do so is left to chance.  The probability is that of the
 * hypergeometric distribution.
 *
 * No number may exceed 2^53, and neither side may exceed the transactions.  The logarithm is right to
 * 1e-11 of itself; test/unit/check_fisher.c compares it with 25 digits.  That holds near a
 * probability of 1, too, where it is the logarithm of 1 less a small number, down to numbers of 1e-300.  It is
 * 0 if no support could be smaller, and -INFINITY if none could be as large.
 */
extern double FimFisherLog(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions);

/*
 * measures.c: all measures of a rule.  They are in the order of the columns of the SQL type
 * gpufim_rule_measures, and NaN where they are not defined.  The numbers must be those of a rule, and at most
 * 2^53.
 */
#define FIM_RULE_MEASURES	49

extern void FimRuleMeasures(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions,
							double *measures);

#endif							/* RULES_H */
