/*-------------------------------------------------------------------------
 *
 * adjust.c
 *	  p-values of many tests at a time.
 *
 * What is adjusted is not the p-values of the tests but the distinct ones with their numbers, as
 * there may be far more tests than values.  Of sides that are not frequent together nobody knows the
 * p-value: they are tests whose p-value may as well be 1, which makes no other one smaller.  All is done in logarithms, since p-values of rules
 * are often far below the least number of type double.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "engine/itemsets/itemsets.h"

/* Each p-value times the number of tests. */
static void
AdjustByFactor(FimPValues *p, size_t n, double factor)
{
	for (size_t i = 0; i < n; i++)
		p[i].log_adjusted = fmin(p[i].log_p + log(factor), 0);
}

/*
 * S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
 * Statistics 6, 1979: from the least p-value on, each times the number of tests that are left.  Of equal
 * p-values the first one has the largest product, which is that of all.
 */
static void
StepDown(FimPValues *p, size_t n, uint64_t tests)
{
	double		most = -INFINITY;

	for (size_t i = 0; i < n; i++)
	{
		most = fmax(most, p[i].log_p + log((double) tests));
		p[i].log_adjusted = fmin(most, 0);
		tests -= p[i].times;
	}
}

/*
 * Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, Journal of the Royal
 * Statistical Society B 57, 1995: from the largest p-value on, each times "factor" and divided by the number of
 * p-values that are no larger.
 */
static void
StepUp(FimPValues *p, size_t n, double factor)
{
	double		least = 0;
	uint64_t	no_larger = 0;

	for (size_t i = 0; i < n; i++)
		no_larger += p[i].times;
	for (size_t i = n; i-- > 0; no_larger -= p[i].times)
	{
		least = fmin(least, p[i].log_p + log(factor / (double) no_larger));
		p[i].log_adjusted = least;
	}
}

/* 1 + 1/2 + ... + 1/n; from 1,000 on by the asymptotic series, of which the next term is below 1e-20. */
static double
Harmonic(uint64_t n)
{
	double		sum = 0;
	double		x = (double) n;

	if (n >= 1000)
		return log(x) + 0.57721566490153286061 + 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * x * x * x * x);
	for (uint64_t k = n; k > 0; k--)
		sum += 1.0 / (double) k;
	return sum;
}

void
FimAdjustAll(FimPValues *p, size_t n, uint64_t tests, FimAdjust method)
{
	double		m = (double) tests;

	switch (method)
	{
		case FIM_ADJUST_NONE:
			AdjustByFactor(p, n, 1);
			break;
		case FIM_ADJUST_BONFERRONI:
			AdjustByFactor(p, n, m);
			break;
		case FIM_ADJUST_HOLM:
			StepDown(p, n, tests);
			break;
		case FIM_ADJUST_BH:
			StepUp(p, n, m);
			break;
		case FIM_ADJUST_BY:
			/* Y. Benjamini and D. Yekutieli, Annals of Statistics 29, 2001: whatever the tests depend on */
			StepUp(p, n, m * Harmonic(tests));
	}
}
