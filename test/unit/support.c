/*-------------------------------------------------------------------------
 *
 * support.c
 *	  The distribution of support by definition, for the unit tests.
 *
 *-------------------------------------------------------------------------
 */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

const char *
ChancesName(Chances kind)
{
	static const char *const names[] = {"uniform", "normal", "high", "small", "rare", "half",
		"equal", "decimal", "few", "certain", "tiny", "mixed"};

	return names[kind];
}

/* Normal by summing, cut off at the ends. */
static double
NormalChance(Rng *rng, double mean, double variance)
{
	double		sum = 0;

	for (int i = 0; i < 12; i++)
		sum += RngUnit(rng);
	sum = mean + (sum - 6) * sqrt(variance);
	return sum < 0.001 ? 0.001 : sum > 1 ? 1 : sum;
}

static double
TinyChance(Rng *rng)
{
	static const double tiny[] = {0x1p-1074, 1e-310, DBL_MIN, 1e-300, 1e-200, 1e-100, 1e-50, 1e-20,
	1e-17, 1e-9};

	return tiny[RngBelow(rng, sizeof(tiny) / sizeof(*tiny))] * (1 + (double) RngBelow(rng, 3));
}

static double
CertainChance(Rng *rng)
{
	switch (RngBelow(rng, 4))
	{
		case 0:
			return 1 - RngUnit(rng) * 1e-9;
		case 1:
			return nextafter(1, 0);
		case 2:
			return 1 - RngUnit(rng);
		default:
			return 1;
	}
}

#define FEW		6

static double
FewChance(Rng *rng, double value)
{
	switch (RngBelow(rng, 4))
	{
		case 0:
			return value * 0.001;
		case 1:
			return CertainChance(rng);
		default:
			return value;
	}
}

void
MakeChances(Rng *rng, Chances kind, double *p, uint32_t n)
{
	double		equal = 1 - RngUnit(rng);
	double		few[FEW];
	uint32_t	nfew = 1 + RngBelow(rng, FEW);

	for (uint32_t i = 0; i < nfew; i++)
		few[i] = FewChance(rng, 1 - RngUnit(rng));
	for (uint32_t i = 0; i < n; i++)
	{
		switch (kind == CHANCES_MIXED ? (Chances) RngBelow(rng, CHANCES_MIXED) : kind)
		{
			case CHANCES_NORMAL:
				p[i] = NormalChance(rng, 0.5, 0.02);
				break;
			case CHANCES_HIGH:
				p[i] = NormalChance(rng, 0.8, 0.01);
				break;
			case CHANCES_SMALL:
				p[i] = 0.02 * (1 - RngUnit(rng));
				break;
			case CHANCES_RARE:
				p[i] = fmin(1, 6 * (1 - RngUnit(rng)) / n);
				break;
			case CHANCES_HALF:
				p[i] = 0.5;
				break;
			case CHANCES_EQUAL:
				p[i] = equal;
				break;
			case CHANCES_DECIMAL:
				p[i] = (1 + RngBelow(rng, 10)) / 10.0;
				break;
			case CHANCES_FEW:
				p[i] = few[(uint32_t) (nfew * pow(RngUnit(rng), 3))];
				break;
			case CHANCES_CERTAIN:
				p[i] = CertainChance(rng);
				break;
			case CHANCES_TINY:
				p[i] = TinyChance(rng);
				break;
			default:
				p[i] = 1 - RngUnit(rng);
				break;
		}
	}
}

void
SupportInit(Support *support, const double *p, uint32_t n)
{
	long double *f = calloc((size_t) n + 2, sizeof(long double));

	support->n = n;
	support->exactly = f;
	support->reaches = calloc((size_t) n + 2, sizeof(long double));
	support->misses = calloc((size_t) n + 2, sizeof(long double));
	f[0] = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		long double yes = p[i];
		long double no = 1 - yes;

		for (uint32_t k = i + 1; k > 0; k--)
			f[k] = f[k] * no + f[k - 1] * yes;
		f[0] *= no;
	}
	for (uint32_t k = n + 1; k-- > 0;)
		support->reaches[k] = support->reaches[k + 1] + f[k];
	for (uint32_t k = 0; k <= n; k++)
		support->misses[k + 1] = support->misses[k] + f[k];
}

void
SupportFree(Support *support)
{
	free(support->exactly);
	free(support->reaches);
	free(support->misses);
}
