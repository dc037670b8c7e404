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
#include "tally.h"

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

void
FimTallyAdd(FimTally *into, const FimTally *from)
{
	for (uint32_t i = 0; i < into->lengths; i++)
		into->counts[i] = Put(AddSaturating(Get(into->counts[i]), Get(from->counts[i])));
}

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
 * Each coefficient is the one before it times (n - k + 1) / k.  With that fraction in
 * lowest terms the division can come first and leaves no rest, so only a coefficient
 * that is too large itself is saturated.  Those that follow it up to the middle are
 * larger still, and the other half mirrors the first.
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
