/*-------------------------------------------------------------------------
 *
 * measures.c
 *	  The measures of association rules, see doc/rule_measures.md for what they mean.
 *
 * A rule is a table of two by two.  Many measures compare what is observed with what would be expected if
 * the sides had nothing to do with each other; all of these are written with the table's determinant, which is
 * computed in whole numbers, so that a small difference of large numbers is exact.  Divisions are those of
 * IEEE 754: what is divided by 0 becomes infinite, and 0 / 0 is NaN.
 *
 *-------------------------------------------------------------------------
 */
#include "rules.h"

#include <math.h>

#include "engine/deviance.h"

/* If one is NaN, it is to be b, and is the result. */
static inline double
Smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double
Larger(double a, double b)
{
	return a > b ? a : b;
}

/* log(p / q), where both may be nearly the same, too. */
static double
LogOfQuotient(double p, double q)
{
	return fabs(p - q) < q / 2 ? log1p((p - q) / q) : log(p / q);
}

/* The entropy of what "part" of n have, in nats. */
static double
Entropy(double part, double n)
{
	double		p = Smaller(part, n - part) / n;

	return p > 0 ? -p * log(p) - (1 - p) * log1p(-p) : 0;
}

void
FimRuleMeasures(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions,
				double *measures)
{
	/* the cells: both sides, the antecedent only, the consequent only, neither */
	double		a = support;
	double		b = antecedent - support;
	double		c = consequent - support;
	double		d = transactions - antecedent - (consequent - support);

	/* how many have the antecedent, or not; the consequent, or not; and all */
	double		x = antecedent;
	double		not_x = transactions - antecedent;
	double		y = consequent;
	double		not_y = transactions - consequent;
	double		n = transactions;

	/* a * d - b * c; what is observed in a cell differs from what is expected by this, divided by n */
	double		det = FimDeterminant(support, antecedent, consequent, transactions);
	double		along_x = FimSideDeviance(a, b, det / n, x * y / n, x * not_y / n);
	double		ratio = FimLogLikelihoodRatio(support, antecedent, consequent, transactions);
	double		phi = FimPhi(support, antecedent, consequent, transactions);
	double		most = Larger(y, not_y);
	double		least = Larger(x + y - n, 1);
	double		fisher = FimFisherLog(support, antecedent, consequent, transactions);

	const double all[] = {
		/* frequency */ a / n,
		/* coverage */ x / n,
		/* prevalence */ y / n,
		/* confidence */ a / x,
		/* lift */ a * n / (x * y),
		/* leverage */ FimLeverage(support, antecedent, consequent, transactions),
		/* conviction */ x * not_y / (n * b),

		/* added_value */ det / (x * n),
		/* certainty */ det > 0 ? det / (x * not_y) : det < 0 ? det / (x * y) : det / x,
		/* zhang */ det / Larger(a * not_x, x * c),
		/* varying_liaison */ det / (x * y),
		/* standardized_lift */ x > 0 && y > 0 ? (a - least) / (Smaller(x, y) - least) : NAN,
		/* relative_risk */ a * not_x / (x * c),
		/* difference_of_confidence */ det / (x * not_x),
		/* odds_ratio */ a * d / (b * c),
		/* yule_q */ det / (a * d + b * c),
		/* yule_y */ det / (a * d + b * c + 2 * sqrt(a * d * b * c)),
		/* phi */ phi,
		/* kappa */ 2 * det / (x * not_y + not_x * y),
		/* relative_linkage_disequilibrium */ det / (det > 0 ? det + n * Smaller(b, c) : det - n * Smaller(a, d)),
		/* collective_strength */ (a + d) * (x * not_y + not_x * y) / ((b + c) * (x * y + not_x * not_y)),
		/* klosgen */ sqrt(a / n) * det / (x * n),

		/* cosine */ a / sqrt(x * y),
		/* jaccard */ a / (a + b + c),
		/* kulczynski */ (a / x + a / y) / 2,
		/* max_confidence */ a / Smaller(x, y),
		/* all_confidence */ a / Larger(x, y),
		/* imbalance */ fabs(b - c) / (a + b + c),

		/* chi_squared */ FimChiSquared(support, antecedent, consequent, transactions),
		/* log_likelihood_ratio */ ratio,
		/* fisher_p_value */ exp(fisher),
		/* fisher_log10_p_value */ fisher / M_LN10,
		/* hyper_confidence */ -expm1(fisher),
		/* lerman */ det / sqrt(n * x * y),
		/* implication_index */ -det / sqrt(n * x * not_y),

		/* mutual_information */ Smaller(1, ratio / 2 / n / Smaller(Entropy(x, n), Entropy(y, n))),
		/* j_measure */ along_x / n,
		/* gini */ 2 * det * det / (n * n * x * not_x),
		/* lambda */ (Larger(a, b) + Larger(c, d) - most) / (n - most),

		/* laplace */ (a + 1) / (x + 2),
		/* importance */ LogOfQuotient(a + 1, b + 1) / M_LN10,
		/* casual_confidence */ (a / x + d / not_x) / 2,
		/* casual_support */ (a + d) / n,
		/* confirmed_confidence */ (a - b) / x,
		/* counterexample_rate */ (a - b) / a,
		/* least_contradiction */ (a - b) / y,
		/* sebag */ a / b,
		/* ralambondrainy */ b / n,
		/* rule_power_factor */ a * a / (n * x)
	};

	_Static_assert(sizeof(all) == FIM_RULE_MEASURES * sizeof(double), "a measure is missing");

	/* -0 is 0 to everybody */
	for (int i = 0; i < FIM_RULE_MEASURES; i++)
		measures[i] = all[i] + 0.0;
}
