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
FimTallyLengths(const FimJob *job, const FimDatabase *db)
{
	return job->prefix_length + db->max_row + 1;
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

/* From C(n-1, 0..n-1) to C(n, 0..n), in place. */
void
FimBinomialsNext(FimCount *choose, uint32_t n)
{
	for (uint32_t j = n; j > 0; j--)
		choose[j] = Put(AddSaturating(Get(choose[j]), Get(choose[j - 1])));
}
