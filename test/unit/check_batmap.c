/*-------------------------------------------------------------------------
 *
 * check_batmap.c
 *	  Batmaps of random sets: the common elements of two sets, with those that found no
 *	  place; in tables that are as large as they should be, and in ones that are too small.
 *
 * Usage: check_batmap [seed [pairs of sets]]; or FIM_SEED and FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ancestors/batmap/batmap.h"
#include "harness.h"

#define DEFAULT_PAIRS	3000
#define MOST_ELEMENTS	400

typedef struct TestSet
{
	uint8_t    *in;				/* [universe] */
	uint32_t	element[MOST_ELEMENTS];
	uint32_t	n;
	Batmap		batmap;
} TestSet;

static uint64_t failed;
static uint64_t without_failures;

static void
DrawSet(Rng *rng, TestSet *set, uint32_t universe, const TestSet *like)
{
	uint32_t	wanted = RngBelow(rng, RngChance(rng, 0.2) ? MOST_ELEMENTS : 40);

	set->in = calloc(universe, 1);
	set->n = 0;
	for (uint32_t i = 0; i < wanted && set->n < universe; i++)
	{
		uint32_t	element = like != NULL && i < like->n && RngChance(rng, 0.5) ? like->element[i] :
			RngBelow(rng, universe);

		set->n += !set->in[element];
		set->in[element] = 1;
	}
	for (uint32_t e = 0, n = 0; e < universe; e++)
		if (set->in[e])
			set->element[n++] = e;
}

/* Tables of the right range or smaller ones, with many moves or few. */
static void
BuildSet(Rng *rng, Arena *arena, BatmapSpace space, TestSet *set, bool small)
{
	uint32_t	range = BatmapRange(&space, set->n);
	BatmapBuilder builder;

	while (small && range > UINT32_C(1) << space.least && RngChance(rng, 0.8))
		range /= 2;
	BatmapBuilderInit(&builder, arena, &space, range, set->n);
	BatmapBuild(&builder, arena, set->element, set->n, range, &set->batmap);
	failed += set->batmap.nfailed;
	without_failures += set->batmap.nfailed == 0;
}

/* Every element lies in two tables, or in none if it has failed. */
static bool
CheckPlaces(const TestSet *set)
{
	uint32_t	places = 0;

	for (uint32_t p = 0; p < 3 * set->batmap.range; p++)
		places += set->batmap.table[p] != 0;
	for (uint32_t f = 0; f < set->batmap.nfailed; f++)
		if (!set->in[set->batmap.failed[f]] || (f > 0 && set->batmap.failed[f - 1] >= set->batmap.failed[f]))
			return false;
	return places == 2 * (set->n - set->batmap.nfailed);
}

static bool
CheckPair(uint64_t seed)
{
	Rng			rng = {seed};
	uint32_t	universe = 1 + RngBelow(&rng, RngChance(&rng, 0.5) ? 300 : 100000);
	BatmapSpace space = BatmapSpaceOf(universe);
	bool		small = RngChance(&rng, 0.5);
	TestHost	host;
	jmp_buf		leave;
	Arena		arena;
	TestSet		a;
	TestSet		b;
	uint32_t	common = 0;
	bool		good = true;

	if (small)
		space.max_loop = 1 + RngBelow(&rng, 20);
	HostInit(&host);
	ArenaInit(&arena, &host.base, &leave);
	DrawSet(&rng, &a, universe, NULL);
	DrawSet(&rng, &b, universe, &a);
	BuildSet(&rng, &arena, space, &a, small);
	BuildSet(&rng, &arena, space, &b, small);
	for (uint32_t e = 0; e < universe; e++)
		common += a.in[e] && b.in[e];
	for (const char *const *isa = Isas(); *isa != NULL; isa++)
	{
		FimSetIsa(*isa);
		if (BatmapCommon(FimCurrentKernels(), &a.batmap, &b.batmap) != common ||
			BatmapCommon(FimCurrentKernels(), &b.batmap, &a.batmap) != common)
			good = false;
	}
	if (!good || !CheckPlaces(&a) || !CheckPlaces(&b))
	{
		printf("# pair of seed %llu: %u and %u of %u elements, %u common\n", (unsigned long long) seed, a.n, b.n,
			   universe, common);
		good = false;
	}
	free(a.in);
	free(b.in);
	ArenaFree(&arena);
	return good && host.live == 0;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	pairs = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_PAIRS);
	bool		good = CheckSeeds(CheckPair, seed, pairs);

	printf("# %llu pairs of sets as batmaps, seed %llu: %llu elements without a place\n",
		   (unsigned long long) pairs, (unsigned long long) seed, (unsigned long long) failed);
	if (pairs >= 100 && (failed == 0 || without_failures == 0))
		good = Complain("%llu batmaps had places for all elements", (unsigned long long) without_failures);
	return good ? 0 : 1;
}
