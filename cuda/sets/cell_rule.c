/*-------------------------------------------------------------------------
 *
 * cell_rule.c
 *	  Which cells are results, see cell_rule.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "sets/cell_rule.h"

/*
 * Every cosine that there is reaches the first, since sets have less than 2^32 keys, and none reaches
 * the second.
 */
#define LEAST_COSINE	0x1p-33
#define MOST_COSINE		1.5

/*
 * Sets the middle between the threshold and the float8 before it.  The float8 before a power of 2 is only
 * half as far away as others.
 */
static void
SetCosine(CellRule *rule)
{
	int			exponent;
	double		fraction = frexp(fmin(fmax(rule->threshold, LEAST_COSINE), MOST_COSINE), &exponent);
	uint64_t	middle = (uint64_t) ldexp(fraction, 54);

	rule->cosine_middle = fraction == 0.5 ? 2 * middle - 1 : middle - 1;
	rule->cosine_shift = (uint32_t) (54 - exponent + (fraction == 0.5));
}

CellRule
CellRuleOf(const FimSetsJob *job, bool one)
{
	CellRule	rule = {.result = job->result, .measure = job->measure, .one = one, .threshold = job->threshold};

	rule.counted = job->result == FIM_SETS_SIMILAR || job->min_witnesses > 1 || (job->witnesses && !job->head.count_only);
	rule.least = 1;
	if (job->result != FIM_SETS_SIMILAR)
		rule.least = (uint32_t) GpuBetween(1, job->min_witnesses, UINT32_MAX);
	else if (job->measure == FIM_COSINE)
		SetCosine(&rule);
	return rule;
}
