/*-------------------------------------------------------------------------
 *
 * relations.c
 *	  Random relations, and what a task of sets finds in them.
 *
 *-------------------------------------------------------------------------
 */
#include "relations.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How the pairs of a relation are drawn. */
typedef enum Shape
{
	SHAPE_UNIFORM,
	SHAPE_SKEWED,				/* low values and keys have most of the pairs */
	SHAPE_EQUAL,				/* all values have the same keys */
	SHAPE_DISTINCT,				/* no key has two values */
	SHAPE_BLOCKS,				/* groups of values have keys of their own */
	SHAPE_CROWDED,				/* a value has all keys, and a key all values */
	SHAPE_FULL,					/* all values have nearly all keys */
	SHAPES
} Shape;

static bool
IsIn(Rng *rng, Shape shape, double density, uint32_t value, uint32_t key)
{
	switch (shape)
	{
		case SHAPE_SKEWED:
			return RngChance(rng, fmin(1, 3.0 / ((value + 1) * sqrt(key + 1.0))));
		case SHAPE_EQUAL:
			return key % 3 == 1;
		case SHAPE_DISTINCT:
			return false;
		case SHAPE_BLOCKS:
			return value / 5 % 4 == key / 7 % 4 && RngChance(rng, 0.7);
		case SHAPE_CROWDED:
			return value == 1 || key == 1 || RngChance(rng, density / 4);
		case SHAPE_FULL:
			return RngChance(rng, 0.97);
		default:
			return RngChance(rng, density);
	}
}

static void
DrawRelation(Rng *rng, TestRelation *relation, uint32_t nkeys, uint8_t *in)
{
	Shape		shape = (Shape) RngBelow(rng, SHAPES);
	double		density = pow(RngUnit(rng), 2);

	relation->pair = malloc(sizeof(FimSetsPair) * (2 * (size_t) relation->nvalues * nkeys + 1));
	relation->npairs = 0;
	for (uint32_t v = 0; v < relation->nvalues; v++)
		for (uint32_t k = 0; k < nkeys; k++)
			in[(size_t) v * nkeys + k] = IsIn(rng, shape, density, v, k);
	for (uint32_t k = 0; k < nkeys && shape == SHAPE_DISTINCT && relation->nvalues > 0; k++)
		in[(size_t) RngBelow(rng, relation->nvalues) * nkeys + k] = true;
	for (uint32_t v = 0; v < relation->nvalues; v++)
		for (uint32_t k = 0; k < nkeys; k++)
			for (uint32_t n = in[(size_t) v * nkeys + k] ? 1 + RngChance(rng, 0.1) : 0; n > 0; n--)
				relation->pair[relation->npairs++] = (FimSetsPair) {k, v};
	for (uint32_t p = relation->npairs; p > 1; p--)
	{
		uint32_t	other = RngBelow(rng, p);
		FimSetsPair pair = relation->pair[p - 1];

		relation->pair[p - 1] = relation->pair[other];
		relation->pair[other] = pair;
	}
}

static uint32_t
DrawNumber(Rng *rng, uint32_t most)
{
	return RngBelow(rng, 1 + (uint32_t) (most * pow(RngUnit(rng), 2)));
}

void
DrawRelations(Rng *rng, TestRelations *relations, uint32_t most_values, uint32_t most_keys)
{
	memset(relations, 0, sizeof(*relations));
	relations->one = RngChance(rng, 0.5);
	relations->nkeys = DrawNumber(rng, most_keys);
	relations->left.nvalues = DrawNumber(rng, most_values);
	relations->in_left = calloc((size_t) relations->left.nvalues * relations->nkeys + 1, 1);
	DrawRelation(rng, &relations->left, relations->nkeys, relations->in_left);
	if (relations->one)
	{
		relations->right.nvalues = relations->left.nvalues;
		relations->in_right = relations->in_left;
		return;
	}
	relations->right.nvalues = DrawNumber(rng, most_values);
	relations->in_right = calloc((size_t) relations->right.nvalues * relations->nkeys + 1, 1);
	DrawRelation(rng, &relations->right, relations->nkeys, relations->in_right);
}

void
FreeRelations(TestRelations *relations)
{
	free(relations->left.pair);
	free(relations->in_left);
	if (!relations->one)
	{
		free(relations->right.pair);
		free(relations->in_right);
	}
}

/* Copied to a place of just the size that the data say. */
static FimSetsData *
Move(FimSetsData *data, size_t room)
{
	FimSetsData *moved = OddAlloc(room);

	memcpy(moved, data, data->head.size);
	OddFree(data);
	return moved;
}

/* With all pairs added. */
static FimSetsData *
BeginRelations(const TestRelations *relations, bool part, size_t *bound)
{
	const TestRelation *left = &relations->left;
	const TestRelation *right = &relations->right;
	FimSetsSize size = {.left_pairs = left->npairs, .right_pairs = right->npairs,
		.left_values = left->nvalues, .right_values = relations->one ? 0 : right->nvalues,
	.keys = relations->nkeys, .one = relations->one, .whole = relations->whole, .part = part};
	FimSetsData *data;

	*bound = FimSetsBound(&size);
	data = OddAlloc(*bound);
	FimSetsBegin(data, *bound, &size);
	for (uint32_t p = 0; p < left->npairs; p++)
		FimSetsAddLeft(data, left->pair[p].key, left->pair[p].value);
	for (uint32_t p = 0; p < right->npairs; p++)
		FimSetsAddRight(data, right->pair[p].key, right->pair[p].value);
	return data;
}

FimResult
BuildWithHost(const TestRelations *relations, TestHost *host)
{
	size_t		bound;
	FimSetsData *data = BeginRelations(relations, false, &bound);
	FimResult	result = FimSetsFinish(data, &host->base);

	assert(host->live == 0 && !host->wrong_free);
	OddFree(data);
	return result;
}

/* The spec is NULL for the whole. */
FimSetsData *
BuildPart(const TestRelations *relations, const FimSetsSpec *spec)
{
	size_t		bound;
	FimSetsData *data = BeginRelations(relations, spec != NULL, &bound);
	uint64_t	fingerprint;
	TestHost	host;
	bool		good;

	HostInit(&host);
	good = FimSetsFinish(data, &host.base) == FIM_DONE &&
		(spec == NULL || FimSetsKeepPart(data, spec, &host.base, &fingerprint) == FIM_DONE) && data->head.size <= bound;
	assert(good && host.live == 0);
	data = Move(data, FimSetsFamily.cpu_size(&data->head));
	good = FimSetsFamily.cpu_prepare(&data->head, &host.base);
	assert(good && host.live == 0 && !host.wrong_free);
	return data;
}

FimSetsData *
BuildRelations(const TestRelations *relations)
{
	return BuildPart(relations, NULL);
}

/* The values that have a key, as their ranks, in ascending order.  Returns how many there are. */
static uint32_t
RecordOf(const TestRelations *relations, uint32_t key, const uint32_t *value, uint32_t nvalues, uint32_t *ranks)
{
	uint32_t	n = 0;

	for (uint32_t r = 0; r < nvalues; r++)
		if (relations->in_left[(size_t) value[r] * relations->nkeys + key])
			ranks[n++] = r;
	return n;
}

/* Count, or write, the records of all batches, the last one first. */
static void
TakeRecords(const TestRelations *relations, FimSetsData *data, bool write)
{
	uint32_t   *ranks = malloc(sizeof(uint32_t) * ((size_t) relations->left.nvalues + 1));

	for (uint32_t batch = data->nbatches; batch-- > 0;)
	{
		uint32_t   *count = write ? NULL : FimSetsCounts(data, batch);
		uint32_t	end = (uint32_t) ((uint64_t) relations->nkeys * (batch + 1) / data->nbatches);

		for (uint32_t key = (uint32_t) ((uint64_t) relations->nkeys * batch / data->nbatches); key < end; key++)
		{
			uint32_t	n = RecordOf(relations, key, FIM_SETS_VALUES(data, &data->left), data->left.nvalues, ranks);

			if (write)
				FimSetsWriteRecord(data, batch, ranks, n);
			else
				count[n]++;
		}
	}
	free(ranks);
}

/* Returns false if the records have not the values that were counted, or if the host says stop. */
static bool
FinishRecords(const TestRelations *relations, FimSetsData *data, FimHost *host)
{
	TakeRecords(relations, data, false);
	if (!FimSetsNumberKeys(data))
		return false;
	TakeRecords(relations, data, true);
	for (uint32_t range = data->nranges; range-- > 0;)
		if (FimSetsCountRange(data, range, host) != FIM_DONE)
			return false;
	if (!FimSetsPlaceRanges(data))
		return false;
	for (uint32_t range = data->nranges; range-- > 0;)
		if (FimSetsWriteRange(data, range, host) != FIM_DONE)
			return false;
	return true;
}

FimSetsData *
BuildFromRecords(const TestRelations *relations, uint32_t batches, uint32_t more, uint32_t less, TestHost *host)
{
	uint32_t	nvalues = relations->left.nvalues;
	FimSetsSize size = {.left_pairs = relations->left.npairs + more, .left_values = nvalues, .keys = relations->nkeys,
	.one = true, .batches = batches, .longest = nvalues};
	size_t		bound = FimSetsBound(&size);
	FimSetsData *data = OddAlloc(bound);
	uint32_t   *number = calloc((size_t) nvalues + 2, sizeof(uint32_t));
	uint32_t	most = 0;		/* the value in the most records */
	FimResult	ranked;
	bool		good;

	for (uint32_t v = 0; v < nvalues; v++)
	{
		for (uint32_t k = 0; k < relations->nkeys; k++)
			number[v] += relations->in_left[(size_t) v * relations->nkeys + k];
		most = number[v] > number[most] ? v : most;
	}
	number[most] -= less;
	number[most == 0] += more;
	FimSetsBegin(data, bound, &size);
	ranked = FimSetsRankValues(data, number, &host->base);
	good = ranked == FIM_DONE;
	for (uint32_t r = 0; r < data->left.nvalues && good; r++)
		good = number[FIM_SETS_VALUES(data, &data->left)[r]] == r;
	free(number);
	assert(good || ranked == FIM_STOPPED);
	if (!good || !FinishRecords(relations, data, &host->base))
	{
		OddFree(data);
		return NULL;
	}
	assert(data->head.size <= bound);
	data = Move(data, FimSetsFamily.cpu_size(&data->head));
	good = FimSetsFamily.cpu_prepare(&data->head, &host->base);
	assert(host->live == 0 && !host->wrong_free);
	if (good)
		return data;
	OddFree(data);
	return NULL;
}

/* Has more than twice the digits of a float8, so that a result is hardly ever rounded otherwise for being rounded twice. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 LongReal;
#else
typedef long double LongReal;
#endif

static double
Cosine(uint32_t both, uint32_t n, uint32_t m)
{
	LongReal	product = (LongReal) n * m;
	LongReal	root = sqrtl((long double) product);

	/* a step of Newton's method doubles the digits that are right */
	root = (root + product / root) / 2;
	return (double) (both / root);
}

static double
Similarity(FimSetsMeasure measure, uint32_t both, uint32_t n, uint32_t m)
{
	switch (measure)
	{
		case FIM_JACCARD:
			return (double) ((LongReal) both / (n + m - both));
		case FIM_COSINE:
			return Cosine(both, n, m);
		case FIM_OVERLAP:
			return (double) ((LongReal) both / (n < m ? n : m));
		default:
			return (double) ((LongReal) both / n);
	}
}

static uint32_t
CountKeys(const uint8_t *in, const uint8_t *in_other, uint32_t nkeys)
{
	uint32_t	n = 0;

	for (uint32_t k = 0; k < nkeys; k++)
		n += in[k] && in_other[k];
	return n;
}

TestCell *
FindCells(const TestRelations *relations, const FimSetsSpec *spec)
{
	uint32_t	nkeys = relations->nkeys;
	size_t		n = relations->right.nvalues;
	TestCell   *cells = calloc(relations->left.nvalues * n + 1, sizeof(TestCell));

	for (uint32_t l = 0; l < relations->left.nvalues; l++)
		for (uint32_t r = 0; r < n; r++)
		{
			const uint8_t *left = relations->in_left + (size_t) l * nkeys;
			const uint8_t *right = relations->in_right + (size_t) r * nkeys;
			TestCell   *cell = &cells[l * n + r];

			cell->witnesses = CountKeys(left, right, nkeys);
			if (spec->result == FIM_SETS_SIMILAR)
			{
				if (cell->witnesses > 0)
					cell->similarity = Similarity(spec->measure, cell->witnesses, CountKeys(left, left, nkeys),
												  CountKeys(right, right, nkeys));
				cell->wanted = (l != r || !relations->one) && cell->witnesses > 0 && cell->similarity >= spec->threshold;
			}
			else
				cell->wanted = cell->witnesses >= spec->min_witnesses &&
					(spec->result == FIM_SETS_PRODUCT || l != r);
		}
	return cells;
}

static void
PrintRelation(const char *name, const TestRelation *relation)
{
	printf("# %s, %u values:", name, relation->nvalues);
	for (uint32_t p = 0; p < relation->npairs; p++)
		printf(" %u-%u", relation->pair[p].key, relation->pair[p].value);
	printf("\n");
}

void
PrintRelations(const TestRelations *relations)
{
	printf("# %u keys\n", relations->nkeys);
	PrintRelation("left", &relations->left);
	if (!relations->one)
		PrintRelation("right", &relations->right);
}
