/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Strategy "rows" on devices, see sets_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/sets/measure.h"
#include "sets/sets.h"
#include "sets/sets_device.h"
#include "team.h"

/* Most right values for which a heavy row is counted at a time, and most paths of a launch that does. */
#define HEAVY_WIDTH		(UINT32_C(1) << 22)
#define HEAVY_LAUNCH	(UINT32_C(1) << 28)

/* Rows of one kind: those at the places from .. to - 1 of the order. */
typedef struct RowUnit
{
	RowKind		kind;
	uint32_t	from;
	uint32_t	to;
} RowUnit;

typedef struct Rows
{
	RowCells	cells[FIM_GPU_MAX_DEVICES];
	RowOrder	order[FIM_GPU_MAX_DEVICES];	/* the same on all devices */
	RowUnit    *units;			/* host memory */
	uint32_t	nunits;

	/* heavy rows; a unit is one span of right values of one row */
	uint32_t   *heavy;			/* [nheavy] the rows; host memory, as is ... */
	uint64_t   *heavy_paths;	/* [nheavy] the paths of all heavy rows up to each one */
	uint32_t	nheavy;
	uint32_t	width;			/* right values of a span */
	uint32_t	spans;			/* of each row */
	uint32_t   *count[FIM_GPU_MAX_DEVICES]; /* [width] accumulators; device memory */
} Rows;

/* ---- memory ---- */

static uint32_t
HeavyWidth(const FimSetsData *data)
{
	return (uint32_t) GpuLesser(data->right.nvalues, HEAVY_WIDTH);
}

uint64_t
RowsLeast(const FimSetsData *data)
{
	/* ends; kinds and rows twice, and once more while they are sorted; costs and sums */
	uint64_t	of_row = sizeof(uint32_t) + 3 * (1 + sizeof(uint32_t)) + 2 * sizeof(uint64_t);

	return of_row * data->left.nvalues + ScratchOf(data->left.nvalues) + sizeof(uint32_t) * HeavyWidth(data);
}

static cudaError_t
OpenOrder(GpuDevice *device, uint32_t n, RowCells *cells, RowOrder *order)
{
	const char *what = "allocating rows";

	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * n, what, (void **) &cells->end));
	for (int i = 0; i < 2; i++)
	{
		GPU_TRY(GpuAlloc(device, n, what, (void **) &order->kind[i]));
		GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * n, what, (void **) &order->row[i]));
	}
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * n, what, (void **) &order->cost));
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * n, what, (void **) &order->sum));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * (ROW_KINDS + 1), what, (void **) &order->first));
	GPU_TRY(GpuCheck(device, RowOrderScratch(n, &order->scratch_bytes), what));
	return GpuAlloc(device, order->scratch_bytes, what, &order->scratch);
}

/* ---- kinds and units ---- */

/*
 * Right ranks from here on have fewer keys than a cell must have witnesses.  For similar sets, that is
 * the end of all ranks.
 */
static uint32_t
LongEnough(const SetsJob *job)
{
	const FimSetsSide *side = &job->data->right;

	return RanksOfSize(FIM_SETS_STARTS(job->data, side), side->nvalues, job->rule.least);
}

static cudaError_t
OrderOnDevice(SetsJob *job, Rows *rows, int d, const DensePart *dense)
{
	GpuDevice  *device = job->on[d].device;
	RowCells   *cells = &rows->cells[d];
	uint32_t	n = job->data->left.nvalues;
	GpuTimer   *timer;

	*cells = (RowCells) {.relations = job->on[d].relations, .dense = *dense, .columns = LongEnough(job)};
	GPU_TRY(GpuUse(device, "ordering rows"));
	GPU_TRY(OpenOrder(device, n, cells, &rows->order[d]));
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, (double) sizeof(uint64_t) * (double) job->data->left.npairs, &timer));
	GPU_TRY(ClassifyRows(device, cells, &rows->order[d]));
	GPU_TRY(OrderRows(device, &rows->order[d], n));
	return GpuEnd(device, GPU_COUNT, timer);
}

/*
 * Makes units of the rows that are not heavy.  A unit begins where a kind begins, which "first" says, and at
 * each of the ncuts places in "cut"; both are ascending.
 */
static cudaError_t
MakeUnits(SetsJob *job, Rows *rows, const uint32_t *first, const uint32_t *cut, uint32_t ncuts)
{
	uint32_t	u = 0;

	GPU_TRY(GpuHostTake(&job->team, sizeof(RowUnit) * ((size_t) ncuts + ROW_KINDS), (void **) &rows->units));
	for (RowKind kind = ROW_OF_WARP; kind < ROW_HEAVY; kind++)
		for (uint32_t from = first[kind]; from < first[kind + 1];)
		{
			uint32_t	to;

			while (u < ncuts && cut[u] <= from)
				u++;
			to = u < ncuts ? (uint32_t) GpuLesser(cut[u], first[kind + 1]) : first[kind + 1];
			rows->units[rows->nunits++] = (RowUnit) {kind, from, to};
			from = to;
		}
	return HostWork(job, ncuts);
}

/* The rows before them have costs of "before". */
static cudaError_t
FindHeavy(SetsJob *job, Rows *rows, const uint32_t *first, uint64_t before)
{
	rows->nheavy = first[ROW_HEAVY + 1] - first[ROW_HEAVY];
	rows->width = HeavyWidth(job->data);
	rows->spans = GpuBlocks(job->data->right.nvalues, rows->width);
	if (rows->nheavy == 0)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * rows->nheavy, (void **) &rows->heavy));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint64_t) * rows->nheavy, (void **) &rows->heavy_paths));
	GPU_TRY(GpuReceive(&job->team, job->on[0].device, rows->heavy, rows->order[0].row[1] + first[ROW_HEAVY],
					   sizeof(uint32_t) * rows->nheavy, "returning heavy rows"));
	GPU_TRY(GpuReceive(&job->team, job->on[0].device, rows->heavy_paths, rows->order[0].sum + first[ROW_HEAVY],
					   sizeof(uint64_t) * rows->nheavy, "returning heavy rows"));
	for (uint32_t i = 0; i < rows->nheavy; i++)
		rows->heavy_paths[i] -= before;
	return HostWork(job, rows->nheavy);
}

/* Cuts the rows into units.  The first device says where, since the order is the same on all of them. */
static cudaError_t
CutUnits(SetsJob *job, Rows *rows)
{
	GpuDevice  *device = job->on[0].device;
	const RowOrder *order = &rows->order[0];
	uint32_t	n = job->data->left.nvalues;
	uint32_t	first[ROW_KINDS + 1];
	uint64_t	sum = 0;			/* of all rows that are not heavy */
	uint32_t	ncuts;
	uint32_t   *cut;
	uint32_t   *at_home;

	GPU_TRY(GpuReceive(&job->team, device, first, order->first, sizeof(first), "returning kinds of rows"));
	if (first[ROW_HEAVY] > 0)
		GPU_TRY(GpuReceive(&job->team, device, &sum, order->sum + first[ROW_HEAVY] - 1, sizeof(sum),
						   "returning paths"));
	ncuts = (uint32_t) (sum / UNIT_COST) + 1;
	GPU_TRY(GpuUse(device, "cutting rows"));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * ncuts, "cutting rows", (void **) &cut));
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ncuts, (void **) &at_home));
	GPU_TRY(CutRows(device, order, n, cut, ncuts));
	GPU_TRY(GpuReceive(&job->team, device, at_home, cut, sizeof(uint32_t) * ncuts, "returning units of rows"));
	GPU_TRY(MakeUnits(job, rows, first, at_home, ncuts));
	GPU_TRY(FindHeavy(job, rows, first, sum));
	GpuHostFree(&job->team, at_home);
	return GpuFree(device, cut);
}

/* ---- rows with accumulators in shared memory ---- */

static cudaError_t
CountUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t number, const StripCounts *counts, Strips *strips)
{
	Rows	   *rows = (Rows *) of;
	const RowUnit *unit = &rows->units[number];
	int			d = (int) (on - job->on);
	GpuTimer   *timer;

	strips->per_row = SpansOf(unit->kind, job->data->right.nvalues);
	strips->n = (unit->to - unit->from) * strips->per_row;
	strips->rows = rows->order[d].row[1] + unit->from;
	GPU_TRY(GpuThrottle(&job->team, on->device, "counting cells of rows"));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, (double) UNIT_COST, &timer));
	GPU_TRY(CountRows(on->device, &rows->cells[d], unit->kind, strips, counts));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

static cudaError_t
FillUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t number, const Strips *strips, uint32_t from, uint32_t to,
		 const CellTarget *target)
{
	Rows	   *rows = (Rows *) of;
	double		part = (double) UNIT_COST * (to - from) / strips->n;
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, on->device, "writing cells of rows"));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, part, &timer));
	GPU_TRY(FillRows(on->device, &rows->cells[on - job->on], rows->units[number].kind, strips, from, to, target));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

/* ---- heavy rows ---- */

static DenseCounts
HeavyCounts(const SetsJob *job, const Rows *rows, int d, uint64_t unit)
{
	uint32_t	column = (uint32_t) (unit % rows->spans) * rows->width;

	return (DenseCounts) {.count = rows->count[d], .stride = rows->width, .row = rows->heavy[unit / rows->spans],
		.rows = 1, .column = column, .columns = (uint32_t) GpuLesser(job->data->right.nvalues - column, rows->width)};
}

/* How many paths a key of a heavy row has on average, at least 1. */
static uint64_t
PathsOfKey(const Rows *rows, uint64_t heavy, uint64_t keys)
{
	uint64_t	paths = rows->heavy_paths[heavy] - (heavy > 0 ? rows->heavy_paths[heavy - 1] : 0);

	return GpuGreater(1, paths / keys);
}

static cudaError_t
CountHeavy(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const StripCounts *counts, Strips *strips)
{
	Rows	   *rows = (Rows *) of;
	int			d = (int) (on - job->on);
	DenseCounts dense = HeavyCounts(job, rows, d, unit);
	const uint64_t *start = FIM_SETS_STARTS(job->data, &job->data->left);
	uint64_t	end = start[dense.row + 1];
	uint64_t	step = GpuGreater(32, HEAVY_LAUNCH / rows->width);
	uint64_t	most = GpuGreater(step, HEAVY_LAUNCH / PathsOfKey(rows, unit / rows->spans, end - start[dense.row]));
	uint64_t	to;

	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(rows->count[d], 0, sizeof(uint32_t) * rows->width,
												 on->device->streams[GPU_COUNT]), "counting paths of a heavy row"));
	for (uint64_t from = start[dense.row]; from < end; from = to)
	{
		GpuTimer   *timer;

		to = GpuLesser(end, from + step);
		GPU_TRY(GpuThrottle(&job->team, on->device, "counting paths of a heavy row"));
		GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, HEAVY_LAUNCH, &timer));
		GPU_TRY(AddHeavyPaths(on->device, &rows->cells[d], dense.row, from, to, dense.column,
							  dense.column + dense.columns, rows->count[d]));
		GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
		/* a key has no more values than those before it */
		step = GpuLesser(2 * step, most);
	}
	return DenseCount(job, on, &dense, counts, strips);
}

static cudaError_t
FillHeavy(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const Strips *strips, uint32_t from, uint32_t to,
		  const CellTarget *target)
{
	DenseCounts dense = HeavyCounts(job, (const Rows *) of, (int) (on - job->on), unit);

	return DenseFill(job, on, &dense, strips, from, to, target);
}

static cudaError_t
FindHeavyCells(SetsJob *job, Rows *rows)
{
	Finder		finder = {FIM_SETS_ROWS, (uint64_t) rows->nheavy * rows->spans, CountHeavy, FillHeavy};

	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->on[d].device, "allocating a heavy row"));
		GPU_TRY(GpuAlloc(job->on[d].device, sizeof(uint32_t) * rows->width, "allocating a heavy row",
						 (void **) &rows->count[d]));
	}
	return FindCells(job, &finder, rows);
}

/* ---- all ---- */

cudaError_t
RowsMine(SetsJob *job, const DensePart *dense)
{
	Rows		rows = {.nunits = 0};
	Finder		finder = {FIM_SETS_ROWS, 0, CountUnit, FillUnit};

	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(OrderOnDevice(job, &rows, d, dense));
	GPU_TRY(CutUnits(job, &rows));
	finder.units = rows.nunits;
	GPU_TRY(FindCells(job, &finder, &rows));
	return rows.nheavy > 0 ? FindHeavyCells(job, &rows) : cudaSuccess;
}
