/*-------------------------------------------------------------------------
 *
 * probable_cases.c
 *	  Random uncertain data and jobs, see probable_cases.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probable_cases.h"
#include "uncertain_rows.h"

#define MOST_ITEMS			7		/* of a random database */

#define LEAST_WIDE			66		/* of one with many of them */
#define MOST_WIDE			90

/* A database with many transactions, one in so many. */
#define LONG_PART	40

static void
RandomSpec(FimProbableSpec *spec, Rng *rng, const FimProbableData *data)
{
	spec->kind = (FimKind) RngBelow(rng, 3);
	spec->exact = RngChance(rng, 0.6);
	spec->minsup = 1 + RngBelow(rng, data->nrows + data->nrows / 10 + 1);
	if (data->nrows > 100)
		spec->minsup = 1 + (uint32_t) (data->nrows * (0.1 + 0.8 * RngUnit(rng)));
	spec->min_length = RngChance(rng, 0.2) ? 1 + RngBelow(rng, 3) : 1;
	spec->max_length = RngChance(rng, 0.3) ? RngBelow(rng, data->nitems + 1) : FIM_NO_LIMIT;
	switch (RngBelow(rng, 4))
	{
		case 0:
			spec->minprob = 0.5;
			break;
		case 1:
			spec->minprob = RngChance(rng, 0.5) ? 0.99 : 1 - pow(10, -1 - 14 * RngUnit(rng));
			break;
		case 2:
			spec->minprob = pow(10, -20 * RngUnit(rng));
			break;
		default:
			spec->minprob = NAN;
	}
	spec->min_expected = 0.001 + data->nrows * RngUnit(rng) * 0.5;
}

/* Some thresholds are what some itemset reaches. */
static void
HitThreshold(FimProbableSpec *spec, Rng *rng, const FimProbableData *data)
{
	Truth	   *truth = FindTruth(spec, data);
	const Truth *of = &truth[1 + RngBelow(rng, (1u << data->nitems) - 1)];

	if (isnan(spec->minprob) && of->expected > 0)
		spec->min_expected = (double) of->expected;
	else if (of->tail > 1e-300L)
		spec->minprob = (double) of->tail;
	free(truth);
}

/*
 * In data of many transactions, a threshold that is near what an item's support is expected to be, on
 * the side where the item is probable: a mean that is off by a few hundredths, or a bound that allows for
 * too little, decides wrongly there.
 */
static void
NearExpected(FimProbableSpec *spec, Rng *rng, const FimProbableData *data)
{
	uint32_t	item = RngBelow(rng, data->nitems);
	double		mean = 0;
	double		variance = 0;

	for (uint32_t r = 0; r < data->nrows; r++)
		for (uint64_t e = FIM_PROBABLE_STARTS(data)[r]; e < FIM_PROBABLE_STARTS(data)[r + 1]; e++)
			if (FIM_PROBABLE_ITEMS(data)[e] == item)
			{
				double		p = FIM_PROBABLE_PROBABILITIES(data)[data->by_entry ? e : r];

				mean += p;
				variance += p * (1 - p);
			}
	mean -= RngUnit(rng) * sqrt(variance);
	if (mean >= 1)
	{
		spec->minsup = (uint32_t) mean;
		spec->minprob = 0.5;
	}
}

FimProbableData *
RandomProbableCase(FimProbableSpec *spec, Rng *rng, uint32_t number, Truth **truth)
{
	bool		is_long = number % LONG_PART == LONG_PART / 2;
	bool		is_equal = is_long && RngChance(rng, 0.5);
	UncertainRows of;
	FimProbableData *data;

	memset(&of, 0, sizeof(of));
	memset(spec, 0, sizeof(*spec));
	spec->head.size = sizeof(*spec);
	of.nitems = 1 + RngBelow(rng, is_equal ? 2 : is_long ? 3 : MOST_ITEMS);
	of.nrows = is_equal ? 20000 + RngBelow(rng, 40000) : is_long ? 3000 + RngBelow(rng, 30000) :
		1 + RngBelow(rng, RngChance(rng, 0.3) ? 300 : 20);
	of.by_entry = RngChance(rng, 0.5);
	if (RngChance(rng, 0.25))
		spec->nrequired = RngBelow(rng, of.nitems < 3 ? of.nitems + 1 : 3);
	RandomRows(&of, rng, spec->nrequired, is_equal ? EQUAL_SMALL : (Shape) RngBelow(rng, SHAPES));
	data = BuildData(&of);
	FreeRows(&of);
	if (data->nrows == 0)
	{
		*truth = NULL;
		return data;
	}
	RandomSpec(spec, rng, data);
	/* of values, more is seen */
	spec->exact |= is_equal;
	if (is_long && (is_equal || RngChance(rng, 0.3)))
		NearExpected(spec, rng, data);
	else if (RngChance(rng, 0.3))
		HitThreshold(spec, rng, data);
	*truth = FindTruth(spec, data);
	if (!MarkGiven(spec, data, *truth))
	{
		free(*truth);
		*truth = NULL;
	}
	return data;
}

FimProbableData *
RandomWideCase(FimProbableSpec *spec, Rng *rng)
{
	UncertainRows of;
	FimProbableData *data;

	memset(&of, 0, sizeof(of));
	memset(spec, 0, sizeof(*spec));
	spec->head.size = sizeof(*spec);
	of.nitems = LEAST_WIDE + RngBelow(rng, MOST_WIDE - LEAST_WIDE + 1);
	of.nrows = 20 + RngBelow(rng, 180);
	of.by_entry = RngChance(rng, 0.5);
	spec->nrequired = RngBelow(rng, 2);
	RandomRows(&of, rng, spec->nrequired, UNIFORM);
	data = BuildData(&of);
	FreeRows(&of);
	RandomSpec(spec, rng, data);
	spec->kind = FIM_ALL;
	spec->head.part = RandomPart(rng);
	spec->min_length = 1;
	/* a level of some ten thousand candidates meets the limit of memory that the caller sets */
	spec->max_length = spec->nrequired + (RngChance(rng, 0.25) ? 3 : 2);
	return data;
}
