/*-------------------------------------------------------------------------
 *
 * tensor_steps.c
 *	  A database that strategy tensor mines in several steps a level, see tensor_steps.h.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>

#include "itemset_runs.h"
#include "tensor_steps.h"

/*
 * Strategy tensor multiplies as many classes of a level at a time as its memory has room
 * for, and numbers the lines and counts of a step from where the step begins.  Only a
 * level of several steps shows whether it does so, and random databases have none, since
 * with the least memory a step has room for half a million counts.  Here nearly all pairs
 * of 300 items are frequent, so the classes below the root have 8 million counts, or 12
 * million with excluded members.  They take 15 to 22 steps of at most 91 classes, few
 * enough for the host to plan their products.  In each class hundreds of pairs are
 * frequent, so that no step can go wrong without a difference.
 */
#define STEPS_ITEMS			300
#define STEPS_ROWS			400
#define STEPS_DENSITY		0.15
#define STEPS_MINSUP		5
#define STEPS_MEMORY		(UINT64_C(72) << 20)	/* just enough for tensor to begin */

static FimDatabase *
StepsDatabase(void)
{
	Rng			rng = {1};
	uint32_t	row[STEPS_ITEMS];
	FimDatabase *db;
	Table		table;

	TableInit(&table, STEPS_ITEMS);
	for (uint32_t r = 0; r < STEPS_ROWS; r++)
	{
		uint32_t	length = 0;

		for (uint32_t i = 0; i < STEPS_ITEMS; i++)
			if (RngChance(&rng, STEPS_DENSITY))
				row[length++] = i;
		TableAdd(&table, row, length);
	}
	db = BuildDatabase(&table);
	TableFree(&table);
	return db;
}

static bool
CheckStepsOfKind(const FimDatabase *db, FimKind kind, bool count_only)
{
	FimItemsetsSpec spec = {.kind = kind,.minsup = STEPS_MINSUP,.min_length = 1,.max_length = FIM_NO_LIMIT};
	ItemsetRun	expected;
	ItemsetRun	found;
	const char *error;

	spec.head.count_only = count_only;
	RunItemsets(FimMine, &spec, db, NEVER, true, &expected);
	spec.head.strategy = FIM_GPU_TENSOR;
	SetMemoryLimit(STEPS_MEMORY);
	RunItemsets(MineOnGpu, &spec, db, NEVER, true, &found);
	error = CompareRuns(&spec, &expected, &found);
	if (error == NULL && library->report()->strategies != UINT32_C(1) << FIM_GPU_TENSOR)
		error = "another strategy mined, for lack of memory";
	if (error != NULL)
		printf("FAILED: steps: %s: %s, %s\n", error, KindName(kind), count_only ? "counted" : "listed");
	FreeItemsetRun(&expected);
	FreeItemsetRun(&found);
	return error == NULL;
}

bool
CheckTensorSteps(void)
{
	FimDatabase *db = StepsDatabase();
	int			failed = 0;

	for (int kind = FIM_ALL; kind <= FIM_MAXIMAL; kind++)
	{
		failed += !CheckStepsOfKind(db, (FimKind) kind, false);
		failed += !CheckStepsOfKind(db, (FimKind) kind, true);
	}
	printf("# levels of several steps, %d of 6 failed\n", failed);
	FreeDatabase(db);
	return failed > 0;
}
