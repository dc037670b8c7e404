/*-------------------------------------------------------------------------
 *
 * moments.c
 *	  Sums over an itemset's probabilities, with the error of summing.
 *
 *-------------------------------------------------------------------------
 */
#include "moments.h"

#include <string.h>

#include "interval.h"

#define LANES	8
#define ROUNDS	64				/* values that a lane adds up before its sum goes to the total */

typedef struct LaneSums
{
	double		mean[LANES];
	double		variance[LANES];
	double		third[LANES];
} LaneSums;

static inline void
AddValue(LaneSums *sums, int lane, double p)
{
	double		variance = p * (1 - p);

	sums->mean[lane] += p;
	sums->variance[lane] += variance;
	sums->third[lane] += variance * (1 - 2 * variance);
}

static double
SumOfLanes(const double *lane)
{
	double		sum = 0;

	for (int i = 0; i < LANES; i++)
		sum += lane[i];
	return sum;
}

/* Add the sums over n values, at most LANES * ROUNDS, to the moments. */
static void
AddBlock(FimMoments *moments, const double *p, uint64_t n)
{
	LaneSums	sums;
	uint64_t	i = 0;

	memset(&sums, 0, sizeof(sums));
	for (; i + LANES <= n; i += LANES)
		for (int lane = 0; lane < LANES; lane++)
			AddValue(&sums, lane, p[i + (uint64_t) lane]);
	for (; i < n; i++)
		AddValue(&sums, (int) (i % LANES), p[i]);
	moments->mean += SumOfLanes(sums.mean);
	moments->variance += SumOfLanes(sums.variance);
	moments->third += SumOfLanes(sums.third);
}

/*
 * Computing a term takes at most five roundings; then it goes through ROUNDS + LANES
 * additions and those of the blocks.  All terms are positive and at most p.  An error of
 * e * p in p causes one of at most e * p in p (1 - p) and in the third moment, since their
 * derivatives are within -1 and 1.  The sum of squares is the mean less the variance, so it
 * has the errors of both.
 */
void
FimMomentsOf(const double *p, uint64_t n, double error, FimMoments *moments)
{
	const uint64_t block = LANES * ROUNDS;
	double		additions = ROUNDS + LANES + (double) (n / block);

	memset(moments, 0, sizeof(*moments));
	moments->n = n;
	for (uint64_t i = 0; i < n; i += block)
		AddBlock(moments, p + i, n - i < block ? n - i : block);
	moments->squares = moments->mean - moments->variance;
	moments->error = 2.001 * (error + (additions + 8) * UNIT_ROUNDOFF);
}
