/*-------------------------------------------------------------------------
 *
 * rules.h
 *	  What association rules are judged by, and applying them to transactions.
 *
 * A rule says that transactions which hold its antecedent tend to hold its consequent.  All
 * that its measures depend on is how many transactions there are, how many hold the antecedent,
 * how many the consequent, and how many hold both, which is the rule's support.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RULES_H
#define RULES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/*
 * Measures by which rules are ranked.
 *
 * The determinant of a rule's table of two by two, computed in whole numbers: what is observed less what would be
 * expected, times the transactions.
 */
static inline double
FimDeterminant(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	return (double) ((__int128) support * transactions - (__int128) antecedent * consequent);
}

static inline double
FimLeverage(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	double		n = (double) transactions;

	return FimDeterminant(support, antecedent, consequent, transactions) / (n * n);
}

/* The correlation coefficient of the two sides; NaN if all transactions hold one of them. */
static inline double
FimPhi(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	double		x = (double) antecedent;
	double		not_x = (double) (transactions - antecedent);
	double		y = (double) consequent;
	double		not_y = (double) (transactions - consequent);

	return FimDeterminant(support, antecedent, consequent, transactions) / sqrt((x * not_x) * (y * not_y));
}

static inline double
FimChiSquared(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	double		phi = FimPhi(support, antecedent, consequent, transactions);

	return (double) transactions * phi * phi;
}

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

/*
 * matcher.c: Which rules apply to a transaction.
 *
 * A rule applies to a transaction that holds its antecedent.  Items are numbered by the caller, the rarest first: the rules are
 * the same in any order, but are found quickest in this one.
 */
typedef struct FimMatchRule
{
	uint64_t	antecedent;		/* where its items begin; they are ascending, and each is there once */
	uint32_t	nantecedent;
	uint32_t	consequent;		/* its number */
} FimMatchRule;

typedef struct FimMatchRules
{
	uint32_t	nitems;
	uint32_t	nrules;
	uint32_t	nconsequents;
	uint32_t	longest;		/* items of the longest antecedent */
	uint64_t	nentries;		/* items of all antecedents; fewer than 2^32 - 1 */
	const FimMatchRule *rules;	/* [nrules] the best first */
	const uint32_t *items;		/* [nentries] */
	const uint64_t *consequent_at;	/* [nconsequents + 1] where the items of each begin */
	const uint32_t *consequent_items;
} FimMatchRules;

typedef struct FimMatcher FimMatcher;

/*
 * Make a matcher in memory of FimMatcherSize() bytes, which the rules must outlive.  Returns NULL if the host, of which
 * nothing but its poll is called, says stop.
 */
extern size_t FimMatcherSize(const FimMatchRules *rules);
extern FimMatcher *FimMatcherMake(void *memory, const FimMatchRules *rules, FimHost *host);

/*
 * Find the rules that apply to a transaction of n items, which may be repeated, and whose consequents it does not hold wholly: for each consequent, only the best.  Writes their numbers, nconsequents at most, and returns how many there are.
 */
extern uint32_t FimMatch(FimMatcher *m, const uint32_t *items, uint32_t n, uint32_t *found);

#endif							/* RULES_H */
