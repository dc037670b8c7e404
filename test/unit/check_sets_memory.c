/*-------------------------------------------------------------------------
 *
 * check_sets_memory.c
 *	  Whether products of sets can do with little memory of a GPU, by every strategy.
 *
 * The GPU library says what a job needs at least by sizes alone.  So the relations here have
 * nothing but sizes, and what runs on devices is not linked.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "engine/gpu.h"
#include "engine/sets/sets.h"

#define LITTLE_MEMORY	(UINT64_C(60) * 1024 * 1024)

extern const FimGpuFamily FimSetsGpuFamily;

static int	failures;

static void
CheckShape(const char *shape, const FimSetsData *data, const FimSetsSpec *asked)
{
	FimSetsSpec spec = *asked;
	FimTask		task = {.spec = &spec.head, .data = &data->head};

	for (int s = 0; FimSetsGpuFamily.strategies[s] != NULL; s++)
	{
		uint64_t	wanted;
		uint64_t	least;

		spec.head.strategy = s;
		FimSetsGpuFamily.estimate(&task, &wanted, &least);
		if (least <= LITTLE_MEMORY && least <= wanted)
			continue;
		failures++;
		printf("%s by %s needs %llu bytes\n", shape, FimSetsGpuFamily.strategies[s], (unsigned long long) least);
	}
}

int
main(void)
{
	FimSetsSide side = {.nvalues = 60000, .npairs = 420000, .longest = 3000};
	FimSetsData two = {.nkeys = 60000, .left = side, .right = side};
	FimSetsData one = two;
	FimSetsSpec	product = {.head = {.size = sizeof(FimSetsSpec)}, .result = FIM_SETS_PRODUCT, .witnesses = true,
	.min_witnesses = 1};
	FimSetsSpec	similar = {.head = {.size = sizeof(FimSetsSpec)}, .result = FIM_SETS_SIMILAR, .witnesses = true,
	.min_witnesses = 1, .measure = FIM_JACCARD, .threshold = 0.5};
	FimSetsSpec	best = {.head = {.size = sizeof(FimSetsSpec)}, .result = FIM_SETS_BEST, .witnesses = true,
	.min_witnesses = 1, .most_partners = 10, .transactions = 60000};

	one.one = true;
	CheckShape("a product of two relations", &two, &product);
	CheckShape("a product of a relation with itself", &one, &product);
	CheckShape("similar sets", &one, &similar);
	CheckShape("best partners", &one, &best);
	return failures > 0;
}
