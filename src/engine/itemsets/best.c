/*-------------------------------------------------------------------------
 *
 * best.c
 *	  The threshold of the k best results, which rises while they are counted.
 *
 * Whoever has counted some scores adds them to the shared counts and looks from the highest range down where the
 * k-th one is.  This needs no lock: counts only grow, and each is of a result that has been met, so a
 * threshold that was found is right, whatever others add meanwhile.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "engine/itemsets/itemsets.h"

/* Scores are kept back until they are this part of k, within the limits. */
#define PART_KEPT_BACK		16
#define LEAST_KEPT_BACK		64

double
FimBestLeast(uint32_t range)
{
	int64_t		bits = range + ((int64_t) (1023 - FIM_BEST_EXPONENTS) << FIM_BEST_BITS);
	double		least;

	if (range == 0)
		return -INFINITY;
	bits <<= 52 - FIM_BEST_BITS;
	memcpy(&least, &bits, sizeof(least));
	return least;
}

void
FimBestInit(FimBest *best, uint32_t k, double least)
{
	memset(best, 0, sizeof(*best));
	best->k = k;
	best->range = FimBestRange(least);
}

void
FimBestBegin(FimBestCounter *counter, FimBest *best)
{
	memset(counter, 0, sizeof(*counter));
	counter->best = best;
	counter->most = best->k / PART_KEPT_BACK;
	if (counter->most < LEAST_KEPT_BACK)
		counter->most = LEAST_KEPT_BACK;
}

/* Set a number that only rises. */
static void
RaiseTo(uint32_t *number, uint32_t value)
{
	uint32_t	old = __atomic_load_n(number, __ATOMIC_RELAXED);

	while (old < value && !__atomic_compare_exchange_n(number, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void
FimBestTell(FimBestCounter *counter)
{
	FimBest    *best = counter->best;
	uint32_t	threshold = FimBestThreshold(best);
	uint64_t	above = 0;

	RaiseTo(&best->highest, counter->highest);
	for (uint32_t range = __atomic_load_n(&best->highest, __ATOMIC_RELAXED); range > threshold; range--)
	{
		uint64_t	more = counter->counts[range];

		counter->counts[range] = 0;
		above += more == 0 ? __atomic_load_n(&best->counts[range], __ATOMIC_RELAXED) :
			__atomic_fetch_add(&best->counts[range], more, __ATOMIC_RELAXED) + more;
		if (above >= best->k)
		{
			threshold = range;
			RaiseTo(&best->range, range);
		}
	}
	counter->n = counter->highest = 0;
}

uint64_t
FimBestCounted(const FimBest *best, double least)
{
	uint64_t	counted = 0;

	for (uint32_t range = FimBestRange(least); range <= best->highest; range++)
		counted += best->counts[range];
	return counted;
}
