/*-------------------------------------------------------------------------
 *
 * fisher.c
 *	  Fisher's exact test for rules, see rules.h.
 *
 * A tail of the hypergeometric distribution is its largest term times the sum of the quotients of the
 * other terms and that one.  The term comes first, by its deviance from what is expected (C. Loader, Fast
 * and accurate computation of binomial probabilities, 2000; here by all four cells of the table).  Then come
 * two ways to the sum: term by term where terms fall quickly or are few, and otherwise as an integral, with
 * the difference between sum and integral by Euler and Maclaurin (NIST Digital Library of Mathematical
 * Functions, 2.10(i)).  At last the side of the distribution is chosen that is the smaller one, so that
 * nothing is lost where the other is near 1.
 *
 *-------------------------------------------------------------------------
 */
#include "rules.h"

#include <math.h>
#include <stdbool.h>

#include "engine/deviance.h"
#include "engine/stirling.h"

/* A table of two by two, as it is met when support is as large as is asked for. */
typedef struct Cells
{
	/* these two grow with support */
	double		both;
	double		neither;
	/* and these fall */
	double		antecedent_only;
	double		consequent_only;

	double		excess;			/* both * neither - antecedent_only * consequent_only */
	double		transactions;
} Cells;

/* ---- the largest term ---- */

/* What n! is larger by than (n / e)^n, but for Stirling's error and the square root, squared; 0! is 1. */
static double
Width(double n)
{
	return n > 0 ? 2 * M_PI * n : 1;
}

/* The logarithm of the probability of just this table, given its margins. */
static double
LogOfTerm(const Cells *at)
{
	double		n = at->transactions;
	double		antecedent = at->both + at->antecedent_only;
	double		consequent = at->both + at->consequent_only;
	double		others = at->consequent_only + at->neither;
	double		rest = at->antecedent_only + at->neither;
	double		d = at->excess / n;
	double		deviance = FimDeviance(at->both, d, antecedent * consequent / n) +
		FimDeviance(at->neither, d, others * rest / n) +
		FimDeviance(at->antecedent_only, -d, antecedent * rest / n) +
		FimDeviance(at->consequent_only, -d, others * consequent / n);
	double		errors = FimStirlingError(antecedent) + FimStirlingError(others) +
		FimStirlingError(consequent) + FimStirlingError(rest) - FimStirlingError(n) -
		FimStirlingError(at->both) - FimStirlingError(at->neither) -
		FimStirlingError(at->antecedent_only) - FimStirlingError(at->consequent_only);
	double		widths = Width(antecedent) * Width(others) * Width(consequent) * Width(rest) /
		(Width(n) * Width(at->both) * Width(at->neither) *
		 Width(at->antecedent_only) * Width(at->consequent_only));

	return errors - deviance + log(widths) / 2;
}

/* ---- the sum of the terms, in units of the largest one ---- */

/* Term by term; the quotients fall, and from the mean on they are below 1. */
static double
SumOfTerms(const Cells *at)
{
	double		both = at->both + 1;
	double		neither = at->neither + 1;
	double		antecedent_only = at->antecedent_only;
	double		consequent_only = at->consequent_only;
	double		term = 1;
	double		sum = 1;

	do
	{
		term *= antecedent_only * consequent_only / (both * neither);
		sum += term;
		both += 1;
		neither += 1;
		antecedent_only -= 1;
		consequent_only -= 1;
	} while (term > sum * 0x1p-56);
	return sum;
}

/*
 * A sum is taken as an integral if it has many terms: if the terms are as wide as a normal
 * distribution of this variance, and the first quotient is at least this.
 */
#define WIDE_VARIANCE	2500
#define WIDE_QUOTIENT	0.9

/* Terms that are smaller than the first one by more than this exponent are left out. */
#define INTEGRAL_DEPTH	34

/* Gauss and Legendre's rule for an integral from 0 to 1. */
#define POINTS			20

static const double place[POINTS] = {
	0.00343570040745253761, 0.0180140363610431044, 0.0438827858743370471, 0.0804415140888905883,
	0.126834046769924604, 0.181973159636742487, 0.244566499024586451, 0.313146955642290220,
	0.386107074429177461, 0.461736739433251333, 0.538263260566748667, 0.613892925570822539,
	0.686853044357709780, 0.755433500975413549, 0.818026840363257513, 0.873165953230075396,
	0.919558485911109412, 0.956117214125662953, 0.981985963638956896, 0.996564299592547462
};
static const double weight[POINTS] = {
	0.00880700356957605916, 0.0203007149001934707, 0.0313360241670545318, 0.0416383707883523744,
	0.0509650599086202175, 0.0590972659807592087, 0.0658443192245883134, 0.0710480546591910257,
	0.0745864932363018734, 0.0763766935653629253, 0.0763766935653629253, 0.0745864932363018734,
	0.0710480546591910257, 0.0658443192245883134, 0.0590972659807592087, 0.0509650599086202175,
	0.0416383707883523744, 0.0313360241670545318, 0.0203007149001934707, 0.00880700356957605916
};

/*
 * With z = x + 1/2, the logarithm of the quotient of Gamma(x + 1 + y) and Gamma(x + 1), less y log(z): by
 * Stirling's formula in z, which has no square root.  Its next term is below 1e-13 for what is met
 * here: x is at least WIDE_VARIANCE and y at most a sixth of it.
 */
static inline double
LogGammaRest(double z, double y)
{
	return FimNearDeviance(z + y, y, y / (2 * z + y)) + y / (24 * z * (z + y));
}

/*
 * The terms as a function of a real number y, f(y) = exp(g(y)), where support is larger by y.  The sum over
 * all whole y from 0 on is the integral + f(0) / 2 - f'(0) / 12 + f'''(0) / 720 - f'''''(0) / 30240.  The
 * derivatives of f follow from those of g at 0, which are -slope - skew / 24, -curvature and skew, and
 * small beyond.
 */
static double
SumAsIntegral(const Cells *at)
{
	double		a = at->both + 0.5;
	double		b = at->antecedent_only + 0.5;
	double		c = at->consequent_only + 0.5;
	double		d = at->neither + 0.5;
	double		slope = log1p((at->excess + (a + d - b - c) / 2) / (b * c));
	double		curvature = 1 / a + 1 / b + 1 / c + 1 / d;
	double		skew = 1 / (a * a) + 1 / (d * d) - 1 / (b * b) - 1 / (c * c);
	double		length = 2 * INTEGRAL_DEPTH / (slope + sqrt(slope * slope + 2 * INTEGRAL_DEPTH * curvature));
	double		square = slope * slope;
	double		exponent[POINTS];
	double		integral = 0;

	/* without exp(), which comes after, this is a loop for vectors */
	for (int i = 0; i < POINTS; i++)
	{
		double		y = length * place[i];

		exponent[i] = -slope * y -
			(LogGammaRest(a, y) + LogGammaRest(b, -y) + LogGammaRest(c, -y) + LogGammaRest(d, y));
	}
	for (int i = 0; i < POINTS; i++)
		integral += weight[i] * exp(exponent[i]);
	return integral * length + 0.5 + slope / 12 + skew * 7 / 1440 - slope * (square - 3 * curvature) / 720 +
		slope * (square * square - 10 * square * curvature + 15 * curvature * curvature) / 30240;
}

static bool
IsWide(const Cells *at)
{
	double		falling = at->antecedent_only * at->consequent_only;

	return falling > WIDE_QUOTIENT * at->both * at->neither &&
		(1 / at->both + 1 / at->neither + 1 / at->antecedent_only + 1 / at->consequent_only) * WIDE_VARIANCE < 1;
}

/* ---- the test ---- */

/* log P(X >= support), for a support beyond the mean and within the distribution. */
static double
LogOfTail(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	Cells		at = {
		.both = support,
		.neither = transactions - antecedent - (consequent - support),
		.antecedent_only = antecedent - support,
		.consequent_only = consequent - support,
		.excess = (__int128) support * transactions - (__int128) antecedent * consequent,
		.transactions = transactions
	};

	return LogOfTerm(&at) + log(IsWide(&at) ? SumAsIntegral(&at) : SumOfTerms(&at));
}

/*
 * A side that does not reach the mean is at most 1/2, or nearly so.  If the mean lies between support - 1 and
 * support, neither side reaches it, and either may be the one near 1.
 */
double
FimFisherLog(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	if (support == 0 || antecedent + consequent >= transactions + support)
		return 0;
	if (support > antecedent || support > consequent)
		return -INFINITY;
	if ((__int128) support * transactions > (__int128) antecedent * consequent)
	{
		double		p = LogOfTail(support, antecedent, consequent, transactions);

		if (p < -0.5)
			return p;
	}
	return log1p(-exp(LogOfTail(antecedent - support + 1, antecedent, transactions - consequent, transactions)));
}
