/*-------------------------------------------------------------------------
 *
 * check_rows.c
 *	  Rows beside a dense part of any size, compared with looking at every pair: strategy
 *	  "auto" leaves to tiles only what has many paths, so that it shows little of rows that
 *	  are both short and in the dense part.
 *
 * Usage: check_rows [seed [relations]]; or FIM_SEED and FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sets/joiner.h"
#include "relations.h"

#define DEFAULT_RELATIONS	3000
#define MOST_VALUES			60
#define MOST_KEYS			100

/* Of values with few keys each, whose rows are short. */
#define THIN_VALUES			80
#define THIN_PAIRS			100

/* What is left to tiles, for JoinRows(). */
static Plan dense;

static void
JoinRows(Joiner *j)
{
	RowsJoin(RowsNew(j, CellsNew(j, 1)), &dense, 0, j->product.left.nvalues);
}

/* Does of a task what belongs to rows. */
static FimResult
MineRows(const FimTask *task, FimHost *host, FimSink *sink)
{
	return JoinerMine(task, host, sink, JoinRows);
}

/* Pairs that have no order stand for both. */
static void
NoteResults(const TestRelations *relations, const FimSetsSpec *spec, const WordSink *sink, TestCell *cells)
{
	size_t		n = relations->right.nvalues;

	for (size_t at = 0; at < sink->nwords; at += FimSetsRecordWords(spec, sink->words[at + 1]))
	{
		uint32_t	value = sink->words[at];

		for (uint32_t i = 0; i < sink->words[at + 1]; i++)
		{
			uint32_t	other = sink->words[at + 2 + i];

			cells[value * n + other].given++;
			if (relations->one && other != value)
				cells[other * n + value].given++;
		}
	}
}

/* All cells that are wanted are given once, but for those of the dense part.  Values without keys have no rank. */
static bool
CheckGiven(const TestRelations *relations, const Product *p, const TestCell *cells)
{
	for (uint32_t l = 0; l < p->left.nvalues; l++)
		for (uint32_t r = 0; r < p->right.nvalues; r++)
		{
			const TestCell *cell = &cells[(size_t) p->left.value[l] * relations->right.nvalues + p->right.value[r]];
			bool		wanted = cell->wanted && (l >= dense.left || r >= dense.right);

			if (cell->given != wanted)
				return Complain("ranks %u, %u with %u witnesses were given %u times", l, r, cell->witnesses,
								cell->given);
		}
	return true;
}

static bool
CheckRows(Rng *rng, const TestRelations *relations, const FimSetsData *data)
{
	FimSetsSpec	spec = {.head = {.size = sizeof(spec)}, .min_witnesses = 1 + RngBelow(rng, 2)};
	Product		product;
	TestCell   *cells;
	TaskWorker	worker;
	bool		good;

	if (relations->one)
		spec.result = RngChance(rng, 0.5) ? FIM_SETS_PRODUCT : FIM_SETS_PAIRS;
	spec.witnesses = RngChance(rng, 0.2);
	ProductInit(&product, data, &spec);
	/* of one relation, a part is as wide as it is high */
	dense = (Plan) {.left = RngBelow(rng, product.left.nvalues + 1)};
	dense.right = relations->one ? dense.left : RngBelow(rng, product.right.nvalues + 1);
	cells = FindCells(relations, &spec);
	StartWorkers(MineRows, FimSetsTask(&spec, data, NULL), &worker, 1);
	RunWorkers(&worker, 1);
	NoteResults(relations, &spec, &worker.sink, cells);
	good = (worker.result == FIM_DONE || Complain("result %d", worker.result)) && CheckGiven(relations, &product, cells);
	free(cells);
	return EndWorkers(&worker, 1) && good;
}

static void
DrawThinRelation(Rng *rng, TestRelation *relation, uint8_t **in)
{
	relation->nvalues = THIN_VALUES;
	relation->npairs = THIN_PAIRS;
	relation->pair = malloc(sizeof(FimSetsPair) * THIN_PAIRS);
	*in = calloc(THIN_VALUES * THIN_VALUES, 1);
	for (int p = 0; p < THIN_PAIRS; p++)
	{
		FimSetsPair pair = {RngBelow(rng, THIN_VALUES), RngBelow(rng, THIN_VALUES)};

		relation->pair[p] = pair;
		(*in)[pair.value * THIN_VALUES + pair.key] = 1;
	}
}

static void
DrawThinRelations(Rng *rng, TestRelations *relations)
{
	memset(relations, 0, sizeof(*relations));
	relations->one = RngChance(rng, 0.5);
	relations->nkeys = THIN_VALUES;
	DrawThinRelation(rng, &relations->left, &relations->in_left);
	if (relations->one)
	{
		relations->right.nvalues = THIN_VALUES;
		relations->in_right = relations->in_left;
	}
	else
		DrawThinRelation(rng, &relations->right, &relations->in_right);
}

static bool
CheckRelations(uint64_t seed)
{
	Rng			rng = {seed};
	TestRelations relations;
	FimSetsData *data;
	bool		good;

	if (RngChance(&rng, 0.5))
		DrawThinRelations(&rng, &relations);
	else
		DrawRelations(&rng, &relations, MOST_VALUES, MOST_KEYS);
	data = BuildRelations(&relations);
	good = CheckRows(&rng, &relations, data) ||
		Complain("relations of seed %llu, %u by %u left to tiles", (unsigned long long) seed, dense.left, dense.right);
	OddFree(data);
	FreeRelations(&relations);
	return good;
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	relations = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_RELATIONS);
	bool		good = CheckSeeds(CheckRelations, seed, relations);

	printf("# rows of %llu random relations, seed %llu\n", (unsigned long long) relations, (unsigned long long) seed);
	return good ? 0 : 1;
}
