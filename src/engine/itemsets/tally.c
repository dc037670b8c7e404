/*-------------------------------------------------------------------------
 *
 * tally.c
 *	  Counts of itemsets by length, 128 bits wide and saturating.
 *
 * A transaction of 200 items alone has 2^200 - 1 itemsets, which perfect
 * extensions count in no time.  Saturation keeps such counts recognizable.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

typedef unsigned __int128 Wide;

static const Wide saturated = ~(Wide) 0;

static inline Wide
Get(FimCount c)
{
	return (Wide) c.high << 64 | c.low;
}

static inline FimCount
Put(Wide w)
{
	return (FimCount) {(uint64_t) w, (uint64_t) (w >> 64)};
}

static inline Wide
AddSaturating(Wide a, Wide b)
{
	Wide		sum;

	return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

uint32_t
FimTallyLengths(const FimItemsetsJob *job, const FimDatabase *db)
{
	return job->nrequired + db->max_row + 1;
}

void
FimTallyAdd(FimTally *into, const FimTally *from)
{
	for (uint32_t i = 0; i < into->lengths; i++)
		into->counts[i] = Put(AddSaturating(Get(into->counts[i]), Get(from->counts[i])));
}

/* into += times * what */
void
FimCountAddProduct(FimCount *into, uint64_t times, FimCount what)
{
	Wide		product;

	if (__builtin_mul_overflow((Wide) times, Get(what), &product))
		product = saturated;
	*into = Put(AddSaturating(Get(*into), product));
}

static uint32_t
GreatestDivisor(uint32_t a, uint32_t b)
{
	while (b != 0)
	{
		uint32_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * C(n, 0..n).  Each is the one before times (n - k + 1) / k.  With that fraction
 * in lowest terms the division comes first and leaves no rest, so that nothing
 * is saturated but what is too large itself; what follows it up to the middle is
 * larger still, and the other half is the same backwards.
 */
void
FimBinomials(FimCount *choose, uint32_t n)
{
	Wide		value = 1;

	choose[0] = choose[n] = Put(value);
	for (uint32_t k = 1; k <= n / 2; k++)
	{
		if (value != saturated)
		{
			uint32_t	divisor = GreatestDivisor(n - k + 1, k);
			Wide		factor = (n - k + 1) / divisor;

			if (__builtin_mul_overflow(value / (k / divisor), factor, &value))
				value = saturated;
		}
		choose[k] = choose[n - k] = Put(value);
	}
}
