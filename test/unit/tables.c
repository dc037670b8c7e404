/*-------------------------------------------------------------------------
 *
 * tables.c
 *	  Random transaction databases of many shapes, for the unit tests.
 *
 * First distinct rows of some shape are drawn; then what miners have to cope
 * with is added by chance: items in all rows, equal rows, empty rows, items in
 * no row.  At last items are renumbered and everything is shuffled.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

/* A row as flags, one a item. */
typedef struct Shape
{
	Rng		   *rng;
	uint32_t	nitems;
	uint32_t	nrows;
	char	   *holds;			/* nrows * nitems */
} Shape;

static char *
Row(Shape *shape, uint32_t r)
{
	return shape->holds + (size_t) r * shape->nitems;
}

static void
UniformRows(Shape *shape)
{
	double		p = RngUnit(shape->rng);

	for (uint32_t r = 0; r < shape->nrows; r++)
		for (uint32_t i = 0; i < shape->nitems; i++)
			Row(shape, r)[i] = RngChance(shape->rng, p);
}

/* Each item has a frequency of its own, most of them low, some near 1. */
static void
SkewedRows(Shape *shape)
{
	double		power = 1 + 3 * RngUnit(shape->rng);

	for (uint32_t i = 0; i < shape->nitems; i++)
	{
		double		p = pow(RngUnit(shape->rng), power);

		for (uint32_t r = 0; r < shape->nrows; r++)
			Row(shape, r)[i] = RngChance(shape->rng, p);
	}
}

/* One value for each of some columns, as in data made from a table. */
static void
ColumnRows(Shape *shape)
{
	uint32_t	width = 2 + RngBelow(shape->rng, 3);
	double		usual = RngUnit(shape->rng);

	for (uint32_t r = 0; r < shape->nrows; r++)
		for (uint32_t i = 0; i < shape->nitems; i += width)
		{
			uint32_t	values = shape->nitems - i < width ? shape->nitems - i : width;
			uint32_t	value = RngBelow(shape->rng, values);

			if (RngChance(shape->rng, usual))
				value = 0;
			Row(shape, r)[i + value] = 1;
		}
}

/* A few patterns, copied with errors. */
static void
PatternRows(Shape *shape)
{
	uint32_t	npatterns = 1 + RngBelow(shape->rng, 6);
	double		density = RngUnit(shape->rng);
	double		noise = 0.2 * RngUnit(shape->rng);
	char	   *patterns = calloc((size_t) npatterns * shape->nitems + 1, 1);

	assert(patterns != NULL);
	for (uint32_t i = 0; i < npatterns * shape->nitems; i++)
		patterns[i] = RngChance(shape->rng, density);
	for (uint32_t r = 0; r < shape->nrows; r++)
	{
		char	   *pattern = patterns + (size_t) RngBelow(shape->rng, npatterns) * shape->nitems;

		for (uint32_t i = 0; i < shape->nitems; i++)
			Row(shape, r)[i] = pattern[i] ^ RngChance(shape->rng, noise);
	}
	free(patterns);
}

/* All items but a few: as many closed itemsets as there can be. */
static void
ComplementRows(Shape *shape)
{
	for (uint32_t r = 0; r < shape->nrows; r++)
	{
		memset(Row(shape, r), 1, shape->nitems);
		for (uint32_t n = 1 + RngBelow(shape->rng, 3); n > 0; n--)
			Row(shape, r)[RngBelow(shape->rng, shape->nitems)] = 0;
	}
}

/* Each row within another one. */
static void
NestedRows(Shape *shape)
{
	for (uint32_t r = 0; r < shape->nrows; r++)
		memset(Row(shape, r), 1, RngBelow(shape->rng, shape->nitems + 1));
}

/* Groups of items that never meet. */
static void
BlockRows(Shape *shape)
{
	uint32_t	blocks = 2 + RngBelow(shape->rng, 3);
	double		p = 0.3 + 0.7 * RngUnit(shape->rng);

	for (uint32_t r = 0; r < shape->nrows; r++)
	{
		uint32_t	block = RngBelow(shape->rng, blocks);

		for (uint32_t i = 0; i < shape->nitems; i++)
			Row(shape, r)[i] = i % blocks == block && RngChance(shape->rng, p);
	}
}

/* Pairs of items that are nearly always together. */
static void
TwinRows(Shape *shape)
{
	UniformRows(shape);
	for (uint32_t r = 0; r < shape->nrows; r++)
		for (uint32_t i = 0; i + 1 < shape->nitems; i += 2)
			if (!RngChance(shape->rng, 0.05))
				Row(shape, r)[i + 1] = Row(shape, r)[i];
}

static void (*const shapes[]) (Shape *) =
{
	UniformRows, SkewedRows, ColumnRows, PatternRows, ComplementRows, NestedRows, BlockRows, TwinRows
};

#define NSHAPES	(sizeof(shapes) / sizeof(shapes[0]))

static void
AddUniversalItems(Shape *shape)
{
	for (uint32_t n = 1 + RngBelow(shape->rng, 3); n > 0; n--)
	{
		uint32_t	item = RngBelow(shape->rng, shape->nitems);

		for (uint32_t r = 0; r < shape->nrows; r++)
			Row(shape, r)[item] = 1;
	}
}

static void
Shuffle(Rng *rng, uint32_t *values, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--)
	{
		uint32_t	j = RngBelow(rng, i);
		uint32_t	value = values[i - 1];

		values[i - 1] = values[j];
		values[j] = value;
	}
}

static uint32_t *
Permutation(Rng *rng, uint32_t n)
{
	uint32_t   *values = calloc(n + 1, sizeof(uint32_t));

	assert(values != NULL);
	for (uint32_t i = 0; i < n; i++)
		values[i] = i;
	Shuffle(rng, values, n);
	return values;
}

static void
AddRow(Table *table, Shape *shape, uint32_t r, const uint32_t *names)
{
	uint32_t   *row = calloc(shape->nitems + 1, sizeof(uint32_t));
	uint32_t	length = 0;

	assert(row != NULL);
	for (uint32_t i = 0; i < shape->nitems; i++)
		if (Row(shape, r)[i])
			row[length++] = names[i];
	Shuffle(shape->rng, row, length);
	TableAdd(table, row, length);
	free(row);
}

/* How often a row is to be there. */
static uint32_t
Copies(Rng *rng, TableSize size, bool duplicates)
{
	double		u = RngUnit(rng);

	if (size == HEAVY)
		return 1 + (uint32_t) (u * u * u * u * 250);
	if (size == WIDE)
		return duplicates ? RngBelow(rng, 3) : 1;
	if (!duplicates || u < 0.6)
		return 1;
	return 1 + RngBelow(rng, 6);
}

static bool
HasRoom(const Table *table, TableSize size)
{
	return size != WIDE || table->nrows < BRUTE_ROWS;
}

static void
ChooseSize(Shape *shape, TableSize size)
{
	Rng		   *rng = shape->rng;

	switch (size)
	{
		case SMALL:
			shape->nitems = 1 + RngBelow(rng, RngChance(rng, 0.1) ? 16 : 11);
			shape->nrows = RngChance(rng, 0.1) ? RngBelow(rng, 2) : RngBelow(rng, 40);
			break;
		case LARGE:
			shape->nitems = 17 + RngBelow(rng, 104);
			shape->nrows = RngChance(rng, 0.2) ? 500 + RngBelow(rng, 200) : RngBelow(rng, 300);
			break;
		case WIDE:
			shape->nitems = BRUTE_WIDE + RngBelow(rng, RngChance(rng, 0.3) ? 800 : 200);
			shape->nrows = 1 + RngBelow(rng, BRUTE_ROWS);
			break;
		case HEAVY:
			shape->nitems = 5 + RngBelow(rng, 60);
			shape->nrows = 20 + RngBelow(rng, 100);
			break;
		case TALL:
			shape->nitems = 17 + RngBelow(rng, 8);
			shape->nrows = 600 + RngBelow(rng, 800);
			break;
	}
}

void
RandomTable(Table *table, Rng *rng, TableSize size)
{
	Shape		shape = {.rng = rng};
	bool		duplicates = RngChance(rng, 0.4);
	bool		empty = RngChance(rng, 0.3);
	uint32_t	absent = RngChance(rng, 0.2) ? 1 + RngBelow(rng, 3) : 0;
	uint32_t   *names;
	uint32_t   *order;

	ChooseSize(&shape, size);
	shape.holds = calloc((size_t) shape.nrows * shape.nitems + 1, 1);
	assert(shape.holds != NULL);
	shapes[RngBelow(rng, NSHAPES)] (&shape);
	if (RngChance(rng, 0.25))
		AddUniversalItems(&shape);

	if (shape.nitems + absent > BRUTE_SUBSETS && size == SMALL)
		absent = 0;
	TableInit(table, shape.nitems + absent);
	names = Permutation(rng, shape.nitems + absent);
	order = Permutation(rng, shape.nrows);
	for (uint32_t r = 0; r < shape.nrows; r++)
	{
		for (uint32_t n = Copies(rng, size, duplicates); n > 0 && HasRoom(table, size); n--)
		{
			/* equal rows next to one another or apart */
			bool		apart = (duplicates || size == HEAVY) && RngChance(rng, 0.5);

			AddRow(table, &shape, order[apart ? RngBelow(rng, r + 1) : r], names);
		}
		if (empty && RngChance(rng, 0.1) && HasRoom(table, size))
			TableAdd(table, NULL, 0);
	}
	free(names);
	free(order);
	free(shape.holds);
}

#define CROWDED_ITEMS	90
#define CROWDED_ROWS	40

void
CrowdedTable(Table *table, Rng *rng)
{
	TableInit(table, CROWDED_ITEMS);
	for (uint32_t r = 0; r < CROWDED_ROWS; r++)
	{
		uint32_t	row[CROWDED_ITEMS];
		uint32_t	length = 0;

		for (uint32_t i = 0; i < CROWDED_ITEMS; i++)
			if (RngChance(rng, 0.5))
				row[length++] = i;
		TableAdd(table, row, length);
	}
}
