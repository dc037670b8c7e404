/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The family of products of sets on the CPU.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/ancestors/batmap/batmap.h"
#include "joiner.h"

#include <string.h>

/* The steps, as for JoinerWorked(), that taking a unit counts as, since many units may be small. */
#define UNIT_STEPS		100

static void
PlanFor(Plan *plan, const FimSetsSpec *spec, const Product *product)
{
	PlanTask(plan, spec, product,
			 spec->head.strategy == FIM_SETS_BATMAP ? BatmapTileRanks(product) : TILE_RANKS);
}

static uint64_t
SetsUnits(const FimTask *task)
{
	const FimSetsSpec *spec = (const FimSetsSpec *) task->spec;
	Product		product;
	Plan		plan;

	ProductInit(&product, (const FimSetsData *) task->data, spec);
	PlanFor(&plan, spec, &product);
	return plan.units + (plan.rows ? ((const FimSetsData *) task->data)->nblocks : 0);
}

static size_t
SetsSummarySize(const FimTask *task)
{
	return sizeof(FimSetsSummary);
}

static void
SetsSummaryAdd(const FimTask *task, void *into, const void *from)
{
	FimSetsSummary *sum = into;
	const FimSetsSummary *added = from;

	sum->pairs += added->pairs;
	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
		sum->found[s] += added->found[s];
	/* the plan, which is the same for all workers */
	sum->tiled_left = added->tiled_left;
	sum->tiled_right = added->tiled_right;
	sum->rows_ms = added->rows_ms;
	sum->split_ms = added->split_ms;
	sum->prefix_ms = added->prefix_ms;
}

/* A worker's plan, and what its strategies have. */
typedef struct Ways
{
	Joiner	   *j;
	Plan		plan;
	Cells	   *cells;			/* this and what follows is NULL until it is used */
	Rows	   *rows;
	Prefix	   *prefix;
	Bits	   *bits;
	BatmapTiles *batmaps;
} Ways;

static void
NotePlan(const Plan *plan, FimSetsSummary *summary)
{
	summary->tiled_left = plan->left;
	summary->tiled_right = plan->right;
	summary->rows_ms = plan->rows_ns / 1e6;
	summary->split_ms = plan->split_ns / 1e6;
	summary->prefix_ms = plan->prefix_ns / 1e6;
}

/* Strategies take memory when they are first used, so that a worker that comes late takes none. */
static void
WaysInit(Ways *ways, Joiner *j)
{
	memset(ways, 0, sizeof(*ways));
	ways->j = j;
	PlanFor(&ways->plan, j->spec, &j->product);
	NotePlan(&ways->plan, j->summary);
}

static void
Use(Ways *ways, FimSetsStrategy strategy)
{
	if (ways->cells == NULL)
		ways->cells = CellsNew(ways->j, ways->plan.units > 0 ? ways->plan.tile_ranks : 1);
	ways->j->strategy = strategy;
	FimStrategyUsed(ways->j->shared, strategy);
}

/* The ranks of a tile, by its number along a side of the dense part that has "ranks" ranks. */
static Range
RanksOfTile(const Plan *plan, uint32_t tile, uint32_t ranks)
{
	uint32_t	from = tile * plan->tile_ranks;

	return (Range) {from, ranks - from > plan->tile_ranks ? from + plan->tile_ranks : ranks};
}

static void
JoinTiles(Ways *ways, uint64_t unit)
{
	const Plan *plan = &ways->plan;
	uint32_t	tile = (uint32_t) (unit % plan->units_a_row) * plan->tiles_a_unit;
	uint32_t	end = plan->right_tiles - tile > plan->tiles_a_unit ? tile + plan->tiles_a_unit : plan->right_tiles;
	Range		left = RanksOfTile(plan, (uint32_t) (unit / plan->units_a_row), plan->left);

	Use(ways, plan->tiles);
	/*
	 * BatmapTilesJoin() gives back whatever is taken from the arena after BatmapTilesNew().  That may
	 * be, since strategy "batmap" leaves no rows, which would take memory there.
	 */
	if (plan->tiles == FIM_SETS_BATMAP && ways->batmaps == NULL)
		ways->batmaps = BatmapTilesNew(ways->j, ways->cells, plan);
	else if (plan->tiles == FIM_SETS_BITS && ways->bits == NULL)
		ways->bits = BitsNew(ways->j, ways->cells, plan->frequent_keys);
	CellsBeginRows(ways->cells, left);
	for (; tile < end; tile++)
	{
		Range		right = RanksOfTile(plan, tile, plan->right);

		if (plan->tiles == FIM_SETS_BATMAP)
			BatmapTilesJoin(ways->batmaps, left, right);
		else
			BitsJoinTile(ways->bits, left, right);
	}
	CellsEndRows(ways->cells, left);
}

static void
JoinBlock(Ways *ways, uint32_t from, uint32_t to)
{
	Use(ways, ways->plan.row_strategy);
	if (ways->plan.row_strategy == FIM_SETS_PREFIX && ways->prefix == NULL)
		ways->prefix = PrefixNew(ways->j, ways->cells);
	else if (ways->plan.row_strategy == FIM_SETS_ROWS && ways->rows == NULL)
		ways->rows = RowsNew(ways->j, ways->cells);
	if (ways->plan.row_strategy == FIM_SETS_PREFIX)
		PrefixJoin(ways->prefix, from, to);
	else
		RowsJoin(ways->rows, &ways->plan, from, to);
}

static void
JoinUnits(Joiner *j)
{
	const uint32_t *block = j->product.block;
	uint64_t	taken;
	Ways		ways;

	WaysInit(&ways, j);
	while (FimTakeUnit(j->shared, j->sink, &taken))
	{
		if (taken < ways.plan.units)
			JoinTiles(&ways, taken);
		else
		{
			taken -= ways.plan.units;
			JoinBlock(&ways, block[taken], block[taken + 1]);
		}
		FimUnitDone(j->shared);
		JoinerWorked(j, UNIT_STEPS);
	}
}

static FimResult
SetsMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	return JoinerMine(task, host, sink, JoinUnits);
}

static const char *const strategies[] = FIM_SETS_STRATEGY_NAMES;
static const char *const gpu_strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;

const FimFamily FimSetsFamily = {
	.name = "sets",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = SetsUnits,
	.summary_size = SetsSummarySize,
	.summary_add = SetsSummaryAdd,
	.cpu_size = ProductSize,
	.cpu_prepare = ProductPrepare,
	.mine = SetsMine
};
