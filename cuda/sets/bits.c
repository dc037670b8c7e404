/*-------------------------------------------------------------------------
 *
 * bits.c
 *	  Strategy "bits" on devices, see sets_device.h.
 *
 * A unit is a band of left values with a band of right ones.  The rows of both are stacked into one
 * matrix, which is multiplied with itself (bits/bits.h).  Above its diagonal, the product has the
 * cells of the unit.  It also has counts of two left values, which are wasted, so left bands are
 * narrow.  If left and right are one relation and all of it fits, one stack has all values, which is
 * "the whole": it is made once, and its left bands are the units.  For the best partners, a right band has all
 * values, so that the cells of a row come together.
 *
 * A task that only counts the pairs that have enough witnesses uses the product's own tally, and needs
 * no memory for cells.  Where only existence matters, common bits need not be counted: see
 * AnyInCommon(), and BitsLookForAny() for when that takes less.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "bits/bits.h"
#include "sets/sets.h"
#include "sets/sets_device.h"

/*
 * The time that strategy "bits" is expected to take on a device.
 *
 * Products count all bits that two rows have in common.  Where only existence matters, pairs can
 * also be looked at in tiles, and a tile can be left as soon as all of its pairs have a common bit.
 * But the CUDA cores do that, which look at far fewer bits in the same time than tensor cores.  For
 * 8,000 sets over 25,000 keys, the product takes an H200 0.2 ms.  Looking for a common key takes it
 * 0.5 ms if sets hold 5 percent of the keys, and 3.1 ms if they hold 0.1 percent.  So where a GPU has
 * tensor cores, cells are looked at in tiles if they are few, since that needs no plan of a
 * product, or if there are very many keys and the sets are large.
 */

/*
 * Milliseconds for each pair of bits, on an H200, by test/gpu/check_sets -T.  The other ways, which an H200
 * does not take, are in proportion to what their instructions can do.
 */
static const double product_ms[] = {[FIM_POPC] = 1 / 1.5e11, [FIM_MMA] = 1 / 3e12, [FIM_WGMMA] = 1 / 5e12};
#define ANY_MS			(1 / 2.7e11)	/* a pair of bits that is looked at for existence */
#define CELL_MS			(1 / 1.7e8) /* a cell that is zeroed, written and read */
#define TALLIED_CELL_MS (1 / 2e9)	/* a cell that is only added to a tally */
#define KEY_MS			(1 / 1.6e8) /* a key of a set that becomes a bit */
#define START_MS		0.1		/* taking the memory for the bits */
#define PLAN_MS			0.1		/* making the plan of a product */

/* A tile is expected to be left when its pairs have this many common keys on average: few have none then. */
#define KEYS_TO_LEAVE	9.0

/*
 * Whether the task only counts its results, and a product can do that without having cells in memory.
 *
 * A tally compares numbers of witnesses with a threshold, which does not tell whether sets are similar, or
 * how many partners each value has.
 */
static bool
BitsMayTally(const SetsJob *job)
{
	return !job->listed && job->rule.result != FIM_SETS_SIMILAR && !job->best;
}

static double
Keys(const SetsJob *job)
{
	return (double) FimSlabs(job->data->nkeys) * FIM_SLAB_BITS;
}

static double
PairsOf(const SetsJob *job, const FimSetsSide *side, uint32_t values)
{
	return (double) FIM_SETS_STARTS(job->data, side)[values];
}

/*
 * How many keys are looked at until all pairs of a tile have a common one, if all sets are of average
 * size.
 */
static double
KeysLookedAt(const SetsJob *job, const DensePart *dense)
{
	double		in_common = PairsOf(job, &job->data->left, dense->left) / dense->left *
		(PairsOf(job, &job->data->right, dense->right) / dense->right) / job->data->nkeys;

	return fmin(Keys(job), FIM_SLAB_BITS + Keys(job) * KEYS_TO_LEAVE / fmax(in_common, 1e-9));
}

static double
AnyMs(const SetsJob *job, const DensePart *dense, double cells)
{
	return cells * (KeysLookedAt(job, dense) * ANY_MS + CELL_MS) + START_MS;
}

static double
ProductMs(const SetsJob *job, FimWay way, double cells)
{
	return cells * (Keys(job) * product_ms[way] + (BitsMayTally(job) ? TALLIED_CELL_MS : CELL_MS)) + START_MS + PLAN_MS;
}

static double
CellsOf(const SetsJob *job, const DensePart *dense)
{
	return (double) dense->left * dense->right / (job->rule.one ? 2 : 1);
}

/*
 * Whether looking for one common bit of each pair, see AnyInCommon(), is expected to take less than
 * counting all common bits.  False where numbers of witnesses matter.
 */
static bool
BitsLookForAny(const SetsJob *job, FimWay way, const DensePart *dense)
{
	double		cells = CellsOf(job, dense);

	return !job->rule.counted && AnyMs(job, dense, cells) < ProductMs(job, way, cells);
}

double
BitsMs(const SetsJob *job, FimWay way, const DensePart *dense)
{
	double		cells = CellsOf(job, dense);
	double		packed = PairsOf(job, &job->data->left, dense->left) +
		(job->rule.one ? 0 : PairsOf(job, &job->data->right, dense->right));

	if (job->best && (dense->left < job->data->left.nvalues || !BitsHaveRoom(job, way)))
		return INFINITY;
	return packed * KEY_MS +
		(BitsLookForAny(job, way, dense) ? AnyMs(job, dense, cells) : ProductMs(job, way, cells));
}

/* Most bytes of a unit's counts.  Counts may take a third of a device's room, and the stack a half. */
#define MOST_COUNTS		(UINT64_C(1) << 29)
#define COUNTS_PART		3
#define STACK_PART		2

/*
 * A band has at least LEAST_BAND rows.  A left band has at most half as many as the right band that is
 * in its stack, or SHORT_BAND if that is more.
 */
#define LEAST_BAND		32
#define SHORT_BAND		1024

/*
 * With several devices, each gets at least this many left bands, since those of the whole differ in
 * their cells.
 */
#define BANDS_OF_DEVICE	4

/* Pairs of bits that a launch looks at, by way: what takes some milliseconds on a device that has the way. */
static const double most_tests[] = {[FIM_POPC] = 3e11, [FIM_MMA] = 1e13, [FIM_WGMMA] = 3e13};

/*
 * The most scratch memory that a plan is expected to need, and the part of a device's room that it may take:
 * see PlanScratch().  Tiles of products have up to MOST_TILE rows and columns.
 */
#define PLAN_SCRATCH	(UINT64_C(64) << 20)
#define PLAN_PART		4
#define MOST_TILE		256

#define NO_BAND		UINT32_MAX

typedef struct Bits
{
	DensePart	dense;
	FimWay		way;
	bool		whole;			/* one stack has all values, see above */
	bool		any;			/* by AnyInCommon(), not by products */
	bool		tallied;		/* the product counts the results, and cells are not wanted */
	uint32_t	left_rows;		/* of a left band */
	uint32_t	right_rows;		/* of a right band */
	uint32_t	left_bands;
	uint32_t	right_bands;
	uint64_t	stride;			/* from one row's counts to those of the next */
	FimPlan    *plan;			/* the plan that was made last, or NULL */

	/* for each device; all addresses are of its memory */
	BitStack	stack[FIM_GPU_MAX_DEVICES];
	uint32_t   *count[FIM_GPU_MAX_DEVICES];	/* [left_rows][stride], or NULL if tallied */
	void	   *scratch[FIM_GPU_MAX_DEVICES]; /* for products */
	size_t		scratch_bytes[FIM_GPU_MAX_DEVICES];
	uint32_t	packed[FIM_GPU_MAX_DEVICES]; /* the right band whose bits are in the stack, or NO_BAND */
	DenseCounts cells[FIM_GPU_MAX_DEVICES]; /* of the unit that was counted last */
} Bits;

/* ---- shapes ---- */

cudaError_t
BitsWay(const SetsJob *job, FimWay *way)
{
	*way = FIM_WGMMA;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		FimWay		best;

		GPU_TRY(GpuUse(job->on[d].device, "choosing a way to multiply"));
		GPU_TRY(GpuCheck(job->on[d].device, FimBestWay(&best), "choosing a way to multiply"));
		*way = best < *way ? best : *way;
	}
	return cudaSuccess;
}

static uint64_t
RowBytes(const FimSetsData *data)
{
	return (uint64_t) FimSlabs(data->nkeys) * FIM_LINE_BYTES;
}

/*
 * The most scratch memory that the plan for a stack of so many rows is expected to need: counts of all tiles, if each
 * is cut into several ranges, and the ranges.
 */
static uint64_t
PlanScratch(uint64_t rows)
{
	uint64_t	counts = (rows + MOST_TILE) * (rows + MOST_TILE);

	return GpuLesser(sizeof(uint32_t) * counts + (UINT64_C(1) << 20), PLAN_SCRATCH);
}

uint64_t
BitsLeast(const FimSetsData *data)
{
	uint64_t	rows = 4 * LEAST_BAND;

	return STACK_PART * COUNTS_PART * (rows * RowBytes(data) + rows * rows * sizeof(uint32_t)) +
		PLAN_PART * PlanScratch(rows);
}

/* The most cells of a launch. */
static uint64_t
MostCells(const SetsJob *job, const Bits *bits)
{
	double		bits_of_row = (double) FimSlabs(job->data->nkeys) * FIM_SLAB_BITS;

	return (uint64_t) (most_tests[bits->any ? FIM_POPC : bits->way] / bits_of_row);
}

/*
 * How many rows a left band may have so that a unit is neither too long for a launch nor has too many
 * counts.  A row has up to "columns" counts.
 */
static uint32_t
LeftRows(const SetsJob *job, const Bits *bits, uint64_t columns, uint64_t room)
{
	uint64_t	most = MostCells(job, bits) / columns;

	if (!bits->tallied)
		most = GpuLesser(most, GpuLesser(room / COUNTS_PART, MOST_COUNTS) / sizeof(uint32_t) / columns);
	if (job->team.ndevices > 1)
		most = GpuLesser(most, bits->dense.left / (BANDS_OF_DEVICE * (uint64_t) job->team.ndevices));
	return (uint32_t) GpuBetween(LEAST_BAND, most, bits->dense.left);
}

/*
 * Whether the product's tally is the number of results.  It is not for units of one relation that are not
 * left bands of the whole, since these may have both orders of a pair.  FimCanTally() says whether there is a
 * kernel with a tally; for stacks of few rows there is none.
 */
static bool
IsTallied(const SetsJob *job, const Bits *bits)
{
	return !bits->any && BitsMayTally(job) && (bits->whole || !job->rule.one) &&
		FimCanTally(bits->way, bits->right_rows);
}

/* With so much room on each device. */
static void
ChooseShape(const SetsJob *job, Bits *bits, uint64_t room)
{
	uint64_t	row = RowBytes(job->data);
	uint64_t	scratch = GpuLesser(room / PLAN_PART, PLAN_SCRATCH);
	uint64_t	most;

	room -= scratch;
	most = GpuLesser(room / STACK_PART / row, FIM_MAX_LINES / FimSlabs(job->data->nkeys));
	while (most > 3 * LEAST_BAND && PlanScratch(most) > scratch)
		most -= most / 8;
	most = GpuBetween(3 * LEAST_BAND, most, MostCells(job, bits) / LEAST_BAND);
	bits->whole = job->rule.one && bits->dense.left == bits->dense.right && bits->dense.right <= most;
	bits->right_rows = bits->whole ? bits->dense.right :
		(uint32_t) GpuBetween(LEAST_BAND, most * 2 / 3, bits->dense.right);
	bits->tallied = IsTallied(job, bits);
	if (bits->whole)
	{
		bits->left_rows = LeftRows(job, bits, bits->right_rows, room);
		bits->stride = bits->right_rows;
	}
	else
	{
		bits->left_rows = LeftRows(job, bits, (uint64_t) bits->right_rows * 3 / 2 + SHORT_BAND, room);
		bits->left_rows = (uint32_t)
			GpuBetween(LEAST_BAND, GpuLesser(bits->left_rows, most / 3),
					   GpuLesser(bits->dense.left, GpuGreater(bits->right_rows / 2, SHORT_BAND)));
		bits->stride = (uint64_t) bits->left_rows + bits->right_rows;
	}
	bits->left_bands = GpuBlocks(bits->dense.left, bits->left_rows);
	bits->right_bands = GpuBlocks(bits->dense.right, bits->right_rows);
}

uint64_t
BitsRoom(const SetsJob *job)
{
	uint64_t	room = GpuLeastRoom(&job->team);
	uint64_t	strips = StripsLeast(job->spec);

	return room > strips ? (room - strips) / ROOM_PART * (ROOM_PART - 1) : 0;
}

bool
BitsHaveRoom(const SetsJob *job, FimWay way)
{
	Bits		bits = {.dense = {job->data->left.nvalues, job->data->right.nvalues}, .way = way};

	if (BitsRoom(job) < BitsLeast(job->data))
		return false;
	bits.any = BitsLookForAny(job, way, &bits.dense);
	ChooseShape(job, &bits, BitsRoom(job));
	return bits.right_bands == 1;
}

static uint32_t
StackRows(const Bits *bits)
{
	return bits->whole ? bits->right_rows : bits->left_rows + bits->right_rows;
}

/* ---- memory and bits ---- */

static cudaError_t
OpenOnDevice(SetsJob *job, Bits *bits, int d)
{
	GpuDevice  *device = job->on[d].device;
	BitStack   *stack = &bits->stack[d];
	size_t		bytes = (size_t) StackRows(bits) * RowBytes(job->data);

	stack->rows = StackRows(bits);
	stack->slabs = FimSlabs(job->data->nkeys);
	bits->packed[d] = NO_BAND;
	GPU_TRY(GpuUse(device, "allocating bit matrices"));
	GPU_TRY(GpuAlloc(device, bytes, "allocating bit matrices", (void **) &stack->lines));
	if (!bits->tallied)
		GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * bits->left_rows * bits->stride, "allocating numbers of witnesses",
						 (void **) &bits->count[d]));
	return GpuCheck(device, cudaMemsetAsync(stack->lines, 0, bytes, device->streams[GPU_COUNT]), "making bits of sets");
}

static cudaError_t
CloseOnDevice(SetsJob *job, Bits *bits, int d)
{
	GpuDevice  *device = job->on[d].device;

	GPU_TRY(GpuWait(&job->team, device, GPU_COUNT, "multiplying bit matrices"));
	GPU_TRY(GpuFree(device, bits->stack[d].lines));
	GPU_TRY(GpuFree(device, bits->count[d]));
	return GpuFree(device, bits->scratch[d]);
}

/* Sets the bits of n rows of a stack to 0. */
static cudaError_t
ClearRows(SetsDevice *on, const BitStack *stack, uint32_t row, uint32_t n)
{
	size_t		pitch = (size_t) stack->rows * FIM_LINE_BYTES;

	return GpuCheck(on->device, cudaMemset2DAsync((char *) stack->lines + (size_t) row * FIM_LINE_BYTES, pitch, 0,
												  (size_t) n * FIM_LINE_BYTES, stack->slabs,
												  on->device->streams[GPU_COUNT]), "making bits of sets");
}

/*
 * Makes the rows of a side's values from .. to - 1 in the stack, from "row" on.  If these are fewer
 * than n, the rest of n rows become 0.
 */
static cudaError_t
Pack(SetsDevice *on, const DeviceSide *side, uint32_t from, uint32_t to, const BitStack *stack, uint32_t row, uint32_t n)
{
	GpuTimer   *timer;

	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_BUILD, (double) n * stack->slabs * FIM_LINE_BYTES, &timer));
	GPU_TRY(ClearRows(on, stack, row, n));
	GPU_TRY(PackRows(on->device, side, from, to, stack, row));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

/* The ranks of a unit: left .. left_end - 1 and right .. right_end - 1. */
typedef struct UnitRanks
{
	uint32_t	left;
	uint32_t	left_end;
	uint32_t	right;
	uint32_t	right_end;
} UnitRanks;

/* Units with the same right band follow one another. */
static UnitRanks
RanksOf(const Bits *bits, uint64_t unit)
{
	uint32_t	left = (uint32_t) (unit % bits->left_bands) * bits->left_rows;
	uint32_t	right = (uint32_t) (unit / bits->left_bands) * bits->right_rows;

	return (UnitRanks) {left, (uint32_t) GpuLesser((uint64_t) left + bits->left_rows, bits->dense.left),
		bits->whole ? left : right, (uint32_t) GpuLesser((uint64_t) right + bits->right_rows, bits->dense.right)};
}

/* Makes the bits of a unit, as far as the device does not have them. */
static cudaError_t
PackUnit(SetsDevice *on, Bits *bits, int d, uint64_t unit)
{
	UnitRanks	ranks = RanksOf(bits, unit);
	const BitStack *stack = &bits->stack[d];
	uint32_t	right_band = (uint32_t) (unit / bits->left_bands);

	if (bits->whole && bits->packed[d] != NO_BAND)
		return cudaSuccess;
	if (bits->packed[d] != right_band)
	{
		uint32_t	row = bits->whole ? 0 : bits->left_rows;
		uint32_t	from = bits->whole ? 0 : ranks.right;

		GPU_TRY(Pack(on, &on->relations.right, from, ranks.right_end, stack, row, bits->right_rows));
		bits->packed[d] = right_band;
	}
	if (bits->whole)
		return cudaSuccess;
	return Pack(on, &on->relations.left, ranks.left, ranks.left_end, stack, 0, bits->left_rows);
}

/* ---- counting ---- */

static void
ForgetPlan(Bits *bits)
{
	if (bits->plan != NULL)
		FimPlanFree(bits->plan);
	bits->plan = NULL;
}

/* Makes the plan for a unit.  Left bands of the whole need a plan each; otherwise, one plan is for all units. */
static cudaError_t
PlanUnit(SetsDevice *on, Bits *bits, const BitStack *stack, const FimCounts *counts)
{
	FimMatrix	matrix = {.rows = stack->rows, .slabs = stack->slabs};

	if (bits->plan != NULL && !bits->whole)
		return cudaSuccess;
	ForgetPlan(bits);
	return GpuCheck(on->device, FimPlanMake(bits->way, &matrix, 1, counts, &bits->plan), "planning a product");
}

static cudaError_t
PlanRoom(SetsJob *job, SetsDevice *on, Bits *bits, int d)
{
	size_t		bytes = FimPlanScratch(bits->plan);

	if (bytes <= bits->scratch_bytes[d])
		return cudaSuccess;
	GPU_TRY(GpuWait(&job->team, on->device, GPU_COUNT, "multiplying bit matrices"));
	GPU_TRY(GpuFree(on->device, bits->scratch[d]));
	bits->scratch[d] = NULL;
	bits->scratch_bytes[d] = bytes;
	return GpuAlloc(on->device, bytes, "allocating for a product", &bits->scratch[d]);
}

/* Says which rows of the product a unit counts: those of its left values. */
static FimCounts
CountsOf(const Bits *bits, int d, const UnitRanks *ranks)
{
	FimCounts	counts = {.count = bits->count[d], .begin = 0, .end = bits->left_rows};

	if (bits->whole)
	{
		counts.begin = ranks->left;
		counts.end = ranks->left_end;
	}
	return counts;
}

static cudaError_t
Multiply(SetsJob *job, SetsDevice *on, Bits *bits, int d, const FimCounts *counts)
{
	const BitStack *stack = &bits->stack[d];
	cudaStream_t stream = on->device->streams[GPU_COUNT];
	const char *what = "multiplying bit matrices";
	GpuTimer   *timer;

	GPU_TRY(PlanUnit(on, bits, stack, counts));
	GPU_TRY(PlanRoom(job, on, bits, d));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, FimPlanTests(bits->plan), &timer));
	if (!bits->tallied)
		GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(bits->count[d], 0,
													 sizeof(uint32_t) * bits->left_rows * bits->stride,
													 stream), what));
	GPU_TRY(GpuCheck(on->device, FimPlanRun(bits->plan, stack->lines, (uint64_t) stack->rows * stack->slabs,
											job->rule.least, counts, bits->scratch[d], stream), what));
	GPU_TRY(GpuLaunched(on->device, what));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

/*
 * Whether cells of a value with itself must be added, since products of the whole leave their diagonal
 * out.
 */
static bool
HasSelves(const SetsJob *job, const Bits *bits)
{
	return bits->whole && job->rule.result == FIM_SETS_PRODUCT;
}

static cudaError_t
CountCells(SetsJob *job, SetsDevice *on, Bits *bits, int d, const UnitRanks *ranks)
{
	FimCounts	counts = CountsOf(bits, d, ranks);

	GPU_TRY(Multiply(job, on, bits, d, &counts));
	if (!HasSelves(job, bits))
		return cudaSuccess;
	return CountSelves(on->device, &on->relations.left, ranks->left, ranks->left_end - ranks->left, job->rule.least,
					   bits->count[d] + ranks->left, bits->stride);
}

/* Adds the number of results of a unit to *results, without having its cells in memory. */
static cudaError_t
TallyCells(SetsJob *job, SetsDevice *on, Bits *bits, int d, const UnitRanks *ranks, unsigned long long *results)
{
	FimCounts	counts = CountsOf(bits, d, ranks);

	counts.tally = results;
	counts.weight = HasSelves(job, bits) ? 2 : 1;
	counts.first_column = bits->whole ? 0 : bits->left_rows;
	GPU_TRY(Multiply(job, on, bits, d, &counts));
	if (!HasSelves(job, bits))
		return cudaSuccess;
	return TallySelves(on->device, &on->relations.left, ranks->left, ranks->left_end - ranks->left, job->rule.least,
					   results);
}

static cudaError_t
LookForAny(SetsDevice *on, Bits *bits, int d, const UnitRanks *ranks)
{
	AnyTile		tile = {.stack = bits->stack[d], .left = bits->whole ? ranks->left : 0,
		.nleft = ranks->left_end - ranks->left, .right = bits->whole ? ranks->left : bits->left_rows,
		.nright = ranks->right_end - ranks->right, .stride = bits->stride};
	double		tests = (double) tile.nleft * tile.nright * tile.stack.slabs * FIM_SLAB_BITS;
	GpuTimer   *timer;

	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, tests, &timer));
	GPU_TRY(AnyInCommon(on->device, &tile, bits->count[d] + tile.right));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

/* Whether a unit of one relation has only cells below the diagonal, which are the reverse of others. */
static bool
IsBelow(const SetsJob *job, const UnitRanks *ranks)
{
	return job->rule.one && ranks->right_end <= ranks->left;
}

static cudaError_t
CountUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const StripCounts *counts, Strips *strips)
{
	Bits	   *bits = (Bits *) of;
	int			d = (int) (on - job->on);
	UnitRanks	ranks = RanksOf(bits, unit);

	if (IsBelow(job, &ranks))
		return cudaSuccess;
	GPU_TRY(GpuThrottle(&job->team, on->device, "multiplying bit matrices"));
	GPU_TRY(PackUnit(on, bits, d, unit));
	if (bits->tallied)
		return TallyCells(job, on, bits, d, &ranks, counts->results);
	bits->cells[d] = (DenseCounts) {.count = bits->count[d] + (bits->whole ? ranks.left : bits->left_rows),
		.stride = bits->stride, .row = ranks.left, .rows = ranks.left_end - ranks.left, .column = ranks.right,
		.columns = ranks.right_end - ranks.right};
	if (bits->any)
		GPU_TRY(LookForAny(on, bits, d, &ranks));
	else
		GPU_TRY(CountCells(job, on, bits, d, &ranks));
	return DenseCount(job, on, &bits->cells[d], counts, strips);
}

static cudaError_t
FillUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const Strips *strips, uint32_t from, uint32_t to,
		 const CellTarget *target)
{
	return DenseFill(job, on, &((Bits *) of)->cells[on - job->on], strips, from, to, target);
}

/* ---- all ---- */

static cudaError_t
Find(SetsJob *job, Bits *bits)
{
	Finder		finder = {FIM_SETS_BITS, 0, CountUnit, FillUnit};

	GPU_TRY(BitsWay(job, &bits->way));
	bits->any = BitsLookForAny(job, bits->way, &bits->dense);
	ChooseShape(job, bits, job->best ? job->bits_room : GpuLeastRoom(&job->team));
	finder.units = (uint64_t) bits->left_bands * bits->right_bands;
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(OpenOnDevice(job, bits, d));
	GPU_TRY(FindCells(job, &finder, bits));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(CloseOnDevice(job, bits, d));
	return cudaSuccess;
}

cudaError_t
BitsMine(SetsJob *job, const DensePart *dense)
{
	Bits		bits = {.dense = *dense};
	cudaError_t error = Find(job, &bits);

	ForgetPlan(&bits);
	return error;
}
