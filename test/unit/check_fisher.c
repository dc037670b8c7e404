/*-------------------------------------------------------------------------
 *
 * check_fisher.c
 *	  Fisher's exact test for rules: all small tables against whole numbers, and large ones
 *	  against references that were made with many digits.
 *
 * -s prints the nanoseconds that a call takes, for tables of several kinds.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "engine/rules/rules.h"

/* A fifth of what is promised of the logarithm. */
#define RELATIVELY		2e-12L

/* The references' logarithms that are nearer to 0 than this are 0. */
#define LEAST			1e-290L

/* All binomial coefficients up to this n are below 2^127. */
#define MOST			120
#define ALL_UP_TO		24
#define RANDOM_TABLES	20000

typedef struct Reference
{
	uint64_t	support;
	uint64_t	antecedent;
	uint64_t	consequent;
	uint64_t	transactions;
	long double log;
} Reference;

static const Reference references[] = {
#include "fisher_references.h"
};

static unsigned __int128 choose[MOST + 1][MOST + 1];
static uint64_t tried;
static uint64_t wrong;
static long double worst;

static void
Expect(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions, long double truth)
{
	double		found = FimFisherLog(support, antecedent, consequent, transactions);
	long double error = fabsl(found - truth);

	tried++;
	if (isinf(truth) ? found == truth : error <= RELATIVELY * -truth || (truth == 0 && error <= LEAST))
	{
		if (isfinite(truth) && truth < 0 && error > -truth * worst)
			worst = error / -truth;
		return;
	}
	if (wrong++ < 20)
		printf("support %llu, antecedent %llu, consequent %llu of %llu: %.17g for %.20Lg\n",
			   (unsigned long long) support, (unsigned long long) antecedent, (unsigned long long) consequent,
			   (unsigned long long) transactions, found, truth);
}

static void
Report(const char *what)
{
	printf("%s: %llu tables, the largest relative error is %.2Lg\n", what, (unsigned long long) tried, worst);
	tried = 0;
	worst = 0;
}

static void
MakeCoefficients(void)
{
	for (int n = 0; n <= MOST; n++)
		for (int k = 0; k <= n; k++)
			choose[n][k] = k == 0 || k == n ? 1 : choose[n - 1][k - 1] + choose[n - 1][k];
}

/* All supports, and one on either side that cannot be. */
static void
CheckMargins(uint32_t antecedent, uint32_t consequent, uint32_t transactions)
{
	uint32_t	others = transactions - consequent;
	long double all = choose[transactions][antecedent];
	unsigned __int128 below = 0;

	for (uint32_t support = 0; support <= antecedent + 1; support++)
	{
		unsigned __int128 above = choose[transactions][antecedent] - below;
		long double truth = above < below ? logl(above / all) : log1pl(-(below / all));

		Expect(support, antecedent, consequent, transactions, truth);
		if (support <= consequent && support <= antecedent && antecedent - support <= others)
			below += choose[consequent][support] * choose[others][antecedent - support];
	}
}

static void
CheckSmall(Rng *rng)
{
	for (uint32_t transactions = 0; transactions <= ALL_UP_TO; transactions++)
		for (uint32_t antecedent = 0; antecedent <= transactions; antecedent++)
			for (uint32_t consequent = 0; consequent <= transactions; consequent++)
				CheckMargins(antecedent, consequent, transactions);
	for (int i = 0; i < RANDOM_TABLES; i++)
	{
		uint32_t	transactions = 1 + RngBelow(rng, MOST);

		CheckMargins(RngBelow(rng, transactions + 1), RngBelow(rng, transactions + 1), transactions);
	}
	Report("small tables");
}

static void
CheckReferences(void)
{
	for (size_t i = 0; i < sizeof(references) / sizeof(*references); i++)
	{
		const Reference *r = &references[i];

		/* both sides play the same part */
		Expect(r->support, r->antecedent, r->consequent, r->transactions, r->log);
		Expect(r->support, r->consequent, r->antecedent, r->transactions, r->log);
	}
	Report("references");
}

static void
ShowSpeed(void)
{
	static const Reference kinds[] = {
		{30, 200, 9000, 88162, 0},
		{200, 1000, 5000, 88162, 0},
		{80, 1000, 5000, 88162, 0},
		{2000, 20000, 8000, 100000, 0},
		{4000, 4500, 7000, 8124, 0},
		{137000, 300000, 450000, 990000, 0},
		{268438456, 1 << 30, 1 << 29, UINT64_C(1) << 31, 0}
	};
	const int	calls = 1000000;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
	{
		const Reference *k = &kinds[i];
		clock_t		start = clock();
		volatile double log;

		for (int call = 0; call < calls; call++)
			log = FimFisherLog(k->support, k->antecedent, k->consequent, k->transactions + call % 2);
		printf("%llu, %llu, %llu, %llu: %.6g, %.0f ns\n", (unsigned long long) k->support,
			   (unsigned long long) k->antecedent, (unsigned long long) k->consequent,
			   (unsigned long long) k->transactions, log, (double) (clock() - start) / CLOCKS_PER_SEC / calls * 1e9);
	}
}

int
main(int argc, char **argv)
{
	Rng			rng = {EnvironmentOr("FIM_SEED", 1)};
	int			option;

	while ((option = getopt(argc, argv, "s")) != -1)
	{
		if (option != 's')
			return 2;
		ShowSpeed();
	}
	MakeCoefficients();
	CheckSmall(&rng);
	CheckReferences();
	return wrong > 0;
}
