/*-------------------------------------------------------------------------
 *
 * rules.h
 *	  Association rules: what association_rules() does with the itemsets of its source.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_RULES_H
#define GPUFIM_RULES_H

#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "fmgr.h"
#include "items.h"
#include "scan/scan.h"
#include "work/work.h"

/*
 * rule_supports.c: The frequent itemsets that rules are made of.
 */

/*
 * Run a job that lists all frequent itemsets, and put their supports in place of its data.  What the caller
 * has to set is left to the caller.
 */
extern FimSupports *MineSupports(struct Job *job, const GpufimItems *items);

/*
 * minsup_of_rules.c: A threshold that the itemsets of the k best rules by leverage reach.
 */

/*
 * Raise the threshold of the itemsets that the job is to find next, as far as the rules of two items show that none of the k best rules
 * by leverage is made of rarer ones, and set the least leverage of these rules.  The spec selects no rules but by their confidence and lift.
 */
extern void RaiseMinsup(struct Job *job, FimRulesSpec *spec, FimItemsetsSpec *itemsets, const EngineCost *cost,
						const GpufimItems *items, uint32 transactions, uint32 k);

/*
 * rule_tests.c: The number of tests and the p-values of all rules.
 */

/* From a p-value to the adjusted one: by a list of all p-values, or by a factor. */
typedef struct RulePValues
{
	MemoryContext context;		/* where the list is */
	FimPValues *p;				/* [n], ascending; NULL: adjusted by the factor */
	Size		n;
	double		log_factor;
} RulePValues;

/*
 * Do what has to be done before the first rule is given out: count the tests, and take all p-values.  What
 * is needed to adjust p-values is added to *p_values, and the spec gets the limit that max_p means.  The
 * spec is that of the job's next task.
 */
extern void TestRules(struct Job *job, FimRulesSpec *spec, uint32 transactions, FimAdjust method, double max_p,
					  RulePValues *p_values);

/*
 * rule_rows.c: Turning rules into rows.
 */

/* The columns of the result. */
typedef enum RuleColumn
{
	RULE_ANTECEDENT,
	RULE_CONSEQUENT,
	RULE_SUPPORT,
	RULE_ANTECEDENT_SUPPORT,
	RULE_CONSEQUENT_SUPPORT,
	RULE_TRANSACTIONS,
	RULE_CONFIDENCE,
	RULE_LIFT,
	RULE_P_VALUE,
	RULE_ADJUSTED_P_VALUE
} RuleColumn;

/*
 * Create a sink for batches of rules, perhaps of the best ones, whose memory counts as scan.h says, and set *p_values to what its rows
 * take their adjusted p-values from.
 */
extern RowSink *RuleRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items,
							   uint32 transactions, bool best, RulePValues **p_values);

/* If rows have p-values, make room to remember some.  So many itemsets are what rules are made of. */
extern void RuleRowsRemember(RowSink *sink, uint32 itemsets);

#endif							/* GPUFIM_RULES_H */
