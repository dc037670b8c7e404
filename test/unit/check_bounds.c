/*-------------------------------------------------------------------------
 *
 * check_bounds.c
 *	  Bounds on the probability that support reaches a threshold: each must hold the
 *	  truth, and all together should leave little open.
 *
 * -n sets the number of random lists of probabilities, -l the length of the longest;
 * -o reports how many thresholds were left open.
 *
 *-------------------------------------------------------------------------
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/probable/tail.h"

#define LEAST_DOUBLE	0x1p-1074

static uint64_t wrong;
static uint64_t tried;

/* Is the truth, which may itself be off by "slack" of it, in the interval? */
static void
Expect(const char *what, FimInterval found, long double truth, long double slack, double a, double b,
	   double c)
{
	tried++;
	if (found.low >= 0 && found.high <= 1 && found.low <= truth * (1 + slack) &&
		found.high >= truth * (1 - slack))
		return;
	if (wrong++ < 20)
		printf("%s(%.17g, %.17g, %.17g): [%.17g, %.17g] without %.17Lg\n", what, a, b, c, found.low,
			   found.high, truth);
}

static void
Report(const char *name)
{
	printf("%s: %llu intervals\n", name, (unsigned long long) tried);
	tried = 0;
}

/* Not wider than this part of the smaller of both sides. */
static void
ExpectNarrow(const char *what, FimInterval found, double a, double b, double c)
{
	double		side = fmin(found.high, 1 - found.low);

	tried++;
	if (found.high - found.low <= 3e-6 * side + 1e-300 + 4e-16)
		return;
	if (wrong++ < 20)
		printf("%s(%.17g, %.17g, %.17g) is wide: [%.17g, %.17g]\n", what, a, b, c, found.low, found.high);
}

static long double
LogChoose(long double n, long double k)
{
	return lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1);
}

/* Sum terms from k away from the mean, by their logarithms. */
static long double
BinomialSum(long double n, long double mean, long double k, int step)
{
	long double sum = 0;
	long double term;

	for (long double i = k; i >= 0 && i <= n; i += step)
	{
		term = expl(LogChoose(n, i) + i * logl(mean / n) + (n - i) * log1pl(-mean / n));
		sum += term;
		if (term <= sum * 1e-12L)
			break;
	}
	return sum;
}

static long double
PoissonSum(long double mean, long double k, int step)
{
	long double sum = 0;
	long double term;

	for (long double i = k; i >= 0; i += step)
	{
		term = expl(i * logl(mean) - mean - lgammal(i + 1));
		sum += term;
		if (term <= sum * 1e-12L)
			break;
	}
	return sum;
}

static void
CheckBinomial(double n, double mean, double k)
{
	FimInterval found = FimBinomialTail(n, mean, k);
	long double truth = k > mean ? BinomialSum(n, mean, k, 1) : 1 - BinomialSum(n, mean, k - 1, -1);

	if (k < 1 || k > n || mean <= 0 || mean >= n)
		truth = k < 1 || (mean >= n && k <= n);
	/* of the long double, whose logarithms are up to n log n */
	Expect("binomial", found, truth, 1e-11L + 1e-18L * n * logl(n + 1), n, mean, k);
	ExpectNarrow("binomial", found, n, mean, k);
}

static void
CheckPoisson(double mean, double k)
{
	FimInterval found = FimPoissonTail(mean, k);
	long double truth = k > mean ? PoissonSum(mean, k, 1) : 1 - PoissonSum(mean, k - 1, -1);

	Expect("Poisson", found, k < 1 ? 1 : truth, 1e-11L + 1e-18L * mean * logl(mean + 2), mean, k, 0);
	ExpectNarrow("Poisson", found, mean, k, 0);
}

/* A place around a mean: near, some deviations away, or anywhere. */
static double
PlaceAround(Rng *rng, double mean, double deviation, double most)
{
	double		k = floor(mean) + (double) RngBelow(rng, 5) - 2;

	if (RngChance(rng, 0.5))
		k = floor(mean + (RngUnit(rng) - 0.5) * 20 * deviation);
	else if (RngChance(rng, 0.3))
		k = floor(RngUnit(rng) * (most + 2));
	return k < 0 ? 0 : k > most + 1 ? most + 1 : k;
}

static void
CheckTails(Rng *rng, int cases)
{
	for (int i = 0; i < cases; i++)
	{
		double		n = 1 + (double) (RngNext(rng) % (UINT64_C(1) << (1 + RngBelow(rng, 20))));
		double		mean = n * (RngChance(rng, 0.3) ? pow(RngUnit(rng), 9) : RngUnit(rng));

		if (RngChance(rng, 0.2))
			mean = floor(mean);
		CheckBinomial(n, mean, PlaceAround(rng, mean, sqrt(mean * (1 - mean / n)), n));
	}
	CheckBinomial(4294967295.0, 2147483647.0, 2147483648.0);
	CheckBinomial(4294967295.0, 2147483647.0, 2147600000.0);
	CheckBinomial(4294967295.0, 1e-5, 1);
	Report("binomial tails");
	for (int i = 0; i < cases; i++)
	{
		double		mean = 3 * pow(RngUnit(rng), 3) * (double) (UINT64_C(1) << RngBelow(rng, 16));

		if (mean > 0)
			CheckPoisson(mean, PlaceAround(rng, mean, sqrt(mean), floor(4 * mean + 5)));
	}
	Report("Poisson tails");
	for (double x = -40; x < 40; x += 0.0078125 * (1 + RngUnit(rng)))
		Expect("normal", FimNormalTail(x), 0.5L * erfcl((long double) x * sqrtl(0.5L)), 0, x, 0, 0);
	Report("normal tails");
}

/* The median rule's reason: P(X <= m) >= 1/2 + P(X = m) / 3 for a binomial X of mean m. */
static void
CheckMedianOfBinomials(void)
{
	for (double n = 2; n < 200; n++)
		for (double m = 1; m < n; m++)
		{
			long double beyond = BinomialSum(n, m, m + 1, 1);

			Expect("half without", (FimInterval) {0, 0.5 - 0.7 / 3 / sqrt(n)}, beyond, 0, n, m, 0);
		}
	Report("what is beyond a binomial's mean");
}

static const struct
{
	const char *name;
	FimProbableRule rule;
}			bounds[] = {
	{"median", FIM_RULE_MEDIAN},
	{"Hoeffding", FIM_RULE_HOEFFDING},
	{"Berry-Esseen", FIM_RULE_BERRY_ESSEEN},
	{"Chernoff", FIM_RULE_CHERNOFF},
	{"Ehm", FIM_RULE_BINOMIAL},
	{"Poisson", FIM_RULE_POISSON}
};

static const double minprobs[] = {1e-300, 1e-9, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1 - 1e-9, 1};

#define NMINPROBS	((int) (sizeof(minprobs) / sizeof(*minprobs)))

typedef struct Open
{
	uint64_t	questions;
	uint64_t	open[NMINPROBS];
	uint64_t	values;			/* that bounds know */
	uint64_t	lists;
} Open;

static void
CheckDecision(const Support *support, const FimMoments *moments, uint32_t k, int which, Open *open,
			  long double slack)
{
	FimGoal		goal;
	FimProbableRule rule;
	double		low;
	long double truth = support->reaches[k];
	FimVerdict	verdict;

	FimGoalInit(&goal, k, minprobs[which]);
	verdict = FimBoundsDecide(&goal, moments, &rule, &low);
	tried++;
	open->open[which] += verdict == FIM_OPEN;
	if (verdict == FIM_OPEN || (verdict == FIM_YES ? truth >= minprobs[which] * (1 - 1e-16L) * (1 - slack) :
								truth < minprobs[which] * (1 + slack)))
	{
		if (verdict == FIM_OPEN || low <= truth * (1 + slack))
			return;
	}
	if (wrong++ < 20)
		printf("P(S >= %u) >= %g: %d by rule %d, low %.17g, in truth %.17Lg\n", k, minprobs[which],
			   (int) verdict, (int) rule, low, truth);
}

/* A value that moments tell is the nearest double, or of a long list a little below the truth. */
static void
CheckValue(const Support *support, const FimMoments *moments, uint32_t k, Open *open, long double slack)
{
	long double truth = support->reaches[k];
	double		value;

	tried++;
	if (!FimBoundsValue(moments, k, &value))
		return;
	open->values++;
	if (value == 1 ? truth * (1 + slack) >= 1 - 0x1p-54L :
		moments->n > FIM_FEW_TRANSACTIONS && value <= truth * (1 + slack) &&
		value >= truth * (1 - slack) - FIM_VALUE_ERROR)
		return;
	if (wrong++ < 20)
		printf("P(S >= %u) of %llu: value %.17g, in truth %.17Lg\n", k, (unsigned long long) moments->n, value,
			   truth);
}

static void
CheckList(Rng *rng, Chances kind, uint32_t n, Open *open)
{
	double	   *p = malloc(sizeof(double) * n);
	long double slack = n * 1e-18L;
	FimMoments	moments;
	FimMoments	two;
	Support		support;

	MakeChances(rng, kind, p, n);
	SupportInit(&support, p, n);
	FimMomentsOf(p, n, 0, &moments);
	two = moments;
	two.variance = NAN;
	for (uint32_t k = 1; k <= n + 1; k++)
	{
		/* all k of short lists; the interesting ones and some others of long lists */
		if (n > 200 && fabs(k - moments.mean) > 6 * sqrt(moments.variance) + 3 && !RngChance(rng, 30.0 / n))
			continue;
		open->questions++;
		for (size_t b = 0; k <= n && b < sizeof(bounds) / sizeof(*bounds); b++)
		{
			Expect(bounds[b].name, FimBoundBy(bounds[b].rule, &moments, k), support.reaches[k], slack,
				   moments.mean, n, k);
			Expect(bounds[b].name, FimBoundBy(bounds[b].rule, &two, k), support.reaches[k], slack,
				   moments.mean, n, k);
		}
		CheckValue(&support, &moments, k, open, slack);
		CheckValue(&support, &two, k, open, slack);
		for (int which = 0; which < NMINPROBS; which++)
		{
			Open		unused = {0};

			CheckDecision(&support, &moments, k, which, open, slack);
			CheckDecision(&support, &two, k, which, &unused, slack);
		}
	}
	open->lists++;
	SupportFree(&support);
	free(p);
}

/* Moments that are given as right to an error must hold for all moments within. */
static void
CheckErrors(Rng *rng, int cases)
{
	for (int i = 0; i < cases; i++)
	{
		uint32_t	n = 1 + RngBelow(rng, 60);
		double		given[64];
		double		truth[64];
		double		error = pow(10, -1 - (double) RngBelow(rng, 15));
		FimMoments	moments;
		Support		support;

		MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), truth, n);
		for (uint32_t j = 0; j < n; j++)
			given[j] = fmin(1, truth[j] * (1 + (RngUnit(rng) * 2 - 1) * error * 0.99));
		SupportInit(&support, truth, n);
		FimMomentsOf(given, n, error, &moments);
		for (uint32_t k = 1; k <= n; k++)
			for (size_t b = 0; b < sizeof(bounds) / sizeof(*bounds); b++)
				Expect(bounds[b].name, FimBoundBy(bounds[b].rule, &moments, k), support.reaches[k], 1e-16L,
					   moments.mean, n, k);
		SupportFree(&support);
	}
	Report("bounds from moments with errors");
}

static void
CheckMoments(Rng *rng, int cases)
{
	double	   *p = malloc(sizeof(double) * 5000);

	for (int i = 0; i < cases; i++)
	{
		uint32_t	n = RngBelow(rng, RngChance(rng, 0.5) ? 40 : 5000);
		long double sum[4] = {0};
		long double error;
		FimMoments	moments;

		MakeChances(rng, (Chances) RngBelow(rng, CHANCES_KINDS), p, n);
		for (uint32_t j = 0; j < n; j++)
		{
			long double v = (long double) p[j] * (1 - (long double) p[j]);

			sum[0] += p[j];
			sum[1] += v;
			sum[2] += v * (1 - 2 * v);
			sum[3] += (long double) p[j] * p[j];
		}
		FimMomentsOf(p, n, 0, &moments);
		error = (long double) moments.error * moments.mean + n * 0x1p-1070L;
		tried++;
		if (moments.n != n || !(moments.error < 1e-13) ||
			fabsl(sum[0] - moments.mean) > error || fabsl(sum[1] - moments.variance) > error ||
			fabsl(sum[2] - moments.third) > error || fabsl(sum[3] - moments.squares) > error)
			if (wrong++ < 20)
				printf("moments of %u values are off: %.17g, %.17Lg\n", n, moments.mean, sum[0]);
	}
	free(p);
	Report("moments");
}

static void
CheckExpectations(void)
{
	double		p[4] = {0.5, 0.25, 0.125, 0.125};
	FimMoments	moments;

	FimMomentsOf(p, 4, 0, &moments);
	tried += 3;
	if (FimExpectationDecide(1, &moments) != FIM_OPEN || FimExpectationDecide(0.999, &moments) != FIM_YES ||
		FimExpectationDecide(1.001, &moments) != FIM_NO)
	{
		wrong++;
		printf("the expected support of 1 is decided wrongly\n");
	}
	Report("expected supports");
}

/* What an itemset's exponent is compared with must not be less than it is in truth, if only by a rounding. */
static void
CheckGoals(Rng *rng, int cases)
{
	for (int i = 0; i < cases; i++)
	{
		double		minprob = pow(RngUnit(rng), 1 + (double) RngBelow(rng, 40));
		FimGoal		goal;

		if (minprob <= 0 || minprob >= 1)
			continue;
		FimGoalInit(&goal, 1, minprob);
		tried++;
		if (goal.missed < minprob && goal.no_exponent >= -logl(goal.missed) &&
			goal.yes_exponent >= -log1pl(-(long double) minprob))
			continue;
		if (wrong++ < 20)
			printf("exponents of %.17g: %.17g, %.17g\n", minprob, goal.no_exponent, goal.yes_exponent);
	}
	Report("exponents of thresholds");
}

/* A mean that is right to an error may be at either end, and thresholds be next to that. */
static void
CheckEnds(Rng *rng, int cases)
{
	for (int i = 0; i < cases; i++)
	{
		double		mean = 1 + RngUnit(rng) * 1000;
		double		error = UNIT_ROUNDOFF * (1 + RngUnit(rng) * 1000);
		long double least = mean * (1 - (long double) error);
		long double most = mean * (1 + (long double) error);
		FimMoments	moments = {.n = 2000,.mean = mean,.variance = NAN,.error = error};
		double		low = (double) least;
		double		high = (double) most;

		if (low <= least)
			low = nextafter(low, INFINITY);
		if (high >= most)
			high = nextafter(high, 0);
		tried += 2;
		if (FimExpectationDecide(low, &moments) != FIM_YES && FimExpectationDecide(high, &moments) != FIM_NO)
			continue;
		if (wrong++ < 20)
			printf("a mean of %.17g that is right to %g is decided at its ends\n", mean, error);
	}
	Report("means at the ends of an error");
}

/* Where all transactions are needed, or one of them, Chernoff's bound is the truth. */
static void
CheckTight(Rng *rng, int cases)
{
	for (int i = 0; i < cases; i++)
	{
		uint32_t	n = 1 + RngBelow(rng, 4);
		double		p = (double) (1 + RngBelow(rng, (1 << 20) - 1)) / (1 << 20);
		FimMoments	moments = {.n = n,.mean = n * p,.variance = NAN};

		Expect("Chernoff of all", FimBoundBy(FIM_RULE_CHERNOFF, &moments, n), powl(p, n), 0, n, p, n);
		Expect("Chernoff of one", FimBoundBy(FIM_RULE_CHERNOFF, &moments, 1), 1 - powl(1 - (long double) p, n), 0, n, p, 1);
	}
	Report("Chernoff's bounds that are the truth");
}

/* Two products of two factors, each 9/16 of the least double and so rounded to all of it, are not twice that. */
static void
CheckUnderflow(void)
{
	double		p[2] = {LEAST_DOUBLE, LEAST_DOUBLE};
	FimMoments	moments;

	FimMomentsOf(p, 2, 0x1p-52, &moments);
	tried++;
	if (FimExpectationDecide(2 * LEAST_DOUBLE, &moments) != FIM_OPEN)
	{
		wrong++;
		printf("the expected support is decided by products that underflow\n");
	}
	Report("expected supports that underflow");
}

/* All of n transactions with probability 1/2 fail with 2^-n, which rounds 1 - 2^-n to 1 from n = 54 on. */
static void
CheckValuesOfHalves(void)
{
	double		p[60];

	for (uint32_t n = 50; n <= 60; n++)
	{
		FimMoments	moments;
		double		value = 0;
		bool		told;

		for (uint32_t i = 0; i < n; i++)
			p[i] = 0.5;
		FimMomentsOf(p, n, 0, &moments);
		told = FimBoundsValue(&moments, 1, &value);
		tried++;
		if (n == 54 || (n > 54 ? told && value == 1 : !told))
			continue;
		wrong++;
		printf("P(S >= 1) of %u halves: %s %.17g\n", n, told ? "told to be" : "not told", value);
	}
	Report("values of halves");
}

static void
PrintOpen(const char *name, const Open *open)
{
	printf("%s: open per list of %.0f thresholds:", name, (double) open->questions / (double) open->lists);
	for (int i = 0; i < NMINPROBS; i++)
		printf("  %g: %.1f", minprobs[i], (double) open->open[i] / (double) open->lists);
	printf("\n");
}

int
main(int argc, char **argv)
{
	Rng			rng = {EnvironmentOr("FIM_SEED", 1)};
	int			lists = 300;
	uint32_t	longest = 3000;
	bool		report = false;
	int			option;

	while ((option = getopt(argc, argv, "n:l:o")) != -1)
	{
		if (option == 'n')
			lists = atoi(optarg);
		else if (option == 'l')
			longest = (uint32_t) strtoul(optarg, NULL, 10);
		else if (option == 'o')
			report = true;
		else
			return 2;
	}
	CheckTails(&rng, 20 * lists);
	CheckMedianOfBinomials();
	CheckMoments(&rng, lists);
	CheckErrors(&rng, 2 * lists);
	CheckExpectations();
	CheckUnderflow();
	CheckGoals(&rng, 100 * lists);
	CheckEnds(&rng, 100 * lists);
	CheckTight(&rng, 100 * lists);
	CheckValuesOfHalves();
	for (Chances kind = 0; kind < CHANCES_KINDS; kind++)
	{
		Open		open = {0};

		for (int i = 0; i < lists; i++)
			CheckList(&rng, kind, 1 + RngBelow(&rng, i < 4 ? longest : i % 4 == 0 ? 400 : 20), &open);
		if (lists >= 4 && kind == CHANCES_UNIFORM && open.values == 0)
		{
			wrong++;
			printf("bounds tell no value\n");
		}
		if (report)
			PrintOpen(ChancesName(kind), &open);
		Report(ChancesName(kind));
	}
	if (report)
		for (uint32_t n = 1000; n <= 16000; n *= 4)
		{
			Open		open = {0};
			char		name[32];

			CheckList(&rng, CHANCES_UNIFORM, n, &open);
			snprintf(name, sizeof(name), "uniform, n = %u", n);
			PrintOpen(name, &open);
		}
	return wrong > 0;
}
