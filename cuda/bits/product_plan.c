/*-------------------------------------------------------------------------
 *
 * product_plan.c
 *	  Plans of products: which kernels a way has, which of them multiplies which matrix, and how the work is cut.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "bits/bits.h"
#include "bits/product_kernel.h"

/*
 * The ways to multiply bit matrices, and which kernels each has.
 */

#define STREAM_ROWS		32		/* the most rows of matrices that even FIM_WGMMA streams through mma.sync */

static const FimProductKernel *
KernelsOf(FimWay way)
{
	switch (way)
	{
		case FIM_WGMMA:
			return FimWgmmaKernels;
		case FIM_MMA:
			return FimMmaKernels;
		default:
			return FimPopcKernels;
	}
}

cudaError_t
FimBestWay(FimWay *way)
{
	int			wgmma = 0;
	int			mma = 0;
	cudaError_t error = FimWgmmaCompiled(&wgmma);

	if (error == cudaSuccess)
		error = FimMmaCompiled(&mma);
	if (error == cudaSuccess)
		*way = wgmma ? FIM_WGMMA : mma ? FIM_MMA : FIM_POPC;
	return error;
}

/*
 * The way's kernel for matrices of "rows" rows.
 *
 * Where wgmma multiplies larger matrices, mma.sync multiplies small ones, as a stream.
 */
static const FimProductKernel *
KernelFor(FimWay way, uint32_t rows)
{
	const FimProductKernel *kernel = KernelsOf(way == FIM_WGMMA && rows <= STREAM_ROWS ? FIM_MMA : way);

	while (rows > kernel->limit)
		kernel++;
	return kernel;
}

bool
FimCanTally(FimWay way, uint32_t rows)
{
	return KernelFor(way, rows)->tally != NULL;
}

int
FimKernelsOf(FimWay way, const FimProductKernel **kernels)
{
	int			n = 0;
	uint32_t	limit = 0;

	do
	{
		kernels[n] = KernelFor(way, limit + 1);
		limit = kernels[n++]->limit;
	} while (limit < UINT32_MAX);
	return n;
}

/*
 * Making and freeing plans of products of bit matrices.
 *
 * Work is handed out in the order of the plan to whichever worker (a thread block or a warp) is
 * free.  Matrices with many slabs come first, so that small ranges fill the end.  That is not
 * enough if the last ranges are large, or if there are fewer tiles than workers.  So tiles that
 * come last, or that have more slabs than the average worker gets, are divided into
 * ranges of slabs.  Each range has a cost of its own, so the length of ranges is chosen such
 * that the work promises to end first.
 *
 * Ranges that are done at the same time should read the same lines, which then come from the
 * cache.  So the tiles of a large matrix follow one another in belts: the tiles under way then
 * form a square, which has few rows and columns.  And of tiles that are divided, all first
 * ranges come before all second ones.
 */

#define MAX_ROUNDS		4		/* ranges of divided tiles that a worker gets, at most */

static void
NeedKernel(FimPlan *plan, const FimProductKernel *kernel)
{
	for (int i = 0; i < plan->nkernels; i++)
		if (plan->by_kernel[i].kernel == kernel)
			return;
	plan->by_kernel[plan->nkernels++].kernel = kernel;
}

/* Make an array longer if it has no room for one more element.  Returns false if there is no memory. */
static bool
Enlarge(void **array, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t	more = *room * 2 + 1024;
	void	   *larger;

	if (n < *room)
		return true;
	larger = realloc(*array, more * size);
	if (larger == NULL)
		return false;
	*array = larger;
	*room = more;
	return true;
}

static bool
AddRange(FimPlan *plan, const FimRange *range)
{
	if (!Enlarge((void **) &plan->ranges, plan->nranges, &plan->room, sizeof(FimRange)))
		return false;
	plan->ranges[plan->nranges++] = *range;
	return true;
}

static bool
AddTile(KernelRanges *ranges, uint32_t *room, uint32_t of, uint32_t row, uint32_t column, uint32_t slabs)
{
	if (!Enlarge((void **) &ranges->tiles, ranges->ntiles, room, sizeof(Tile)))
		return false;
	ranges->tiles[ranges->ntiles++] = (Tile) {of, row, column, slabs};
	ranges->slabs += slabs;
	return true;
}

/* Whether the tile has a row that is counted or, with "both", a column that is one of these rows. */
static bool
IsCounted(const FimCounts *counts, const TileWalk *walk)
{
	return (walk->row < counts->end && walk->row + walk->tile_rows > counts->begin) ||
		(counts->both && walk->column < counts->end &&
		 walk->column + walk->tile_columns > counts->begin);
}

static bool
AddMatrix(KernelRanges *ranges, uint32_t *room, uint32_t of, const FimMatrix *shape, const FimCounts *counts)
{
	const FimProductKernel *kernel = ranges->kernel;

	for (TileWalk walk = WalkTiles(shape, kernel->tile_rows, kernel->tile_columns);
		 IsAtTile(&walk); GoOn(&walk))
		if (IsCounted(counts, &walk) &&
			!AddTile(ranges, room, of, walk.row, walk.column, shape->slabs))
			return false;
	return true;
}

static uint32_t
PartsOf(const Tile *tile, uint64_t length)
{
	return (uint32_t) ((tile->slabs + length - 1) / length);
}

/*
 * When n tiles will be done if they are cut into parts of at most "length" slabs, as a number
 * of slabs that a worker does.  Sets *parts to the number of parts.
 */
static uint64_t
EndOf(const KernelRanges *ranges, const Tile *tiles, uint32_t n, uint64_t length, uint64_t *parts)
{
	uint64_t	longest = 0;

	*parts = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	slabs = tiles[i].slabs < length ? tiles[i].slabs : length;

		*parts += PartsOf(&tiles[i], length);
		longest = slabs > longest ? slabs : longest;
	}
	return (*parts + ranges->workers - 1) / ranges->workers * (longest + ranges->kernel->overhead);
}

/* The length of parts, in slabs, with which n tiles are done soonest. */
static uint64_t
ChooseLength(const KernelRanges *ranges, const Tile *tiles, uint32_t n)
{
	uint64_t	longest = 1;
	uint64_t	best;
	uint64_t	best_end;
	uint64_t	parts;

	for (uint32_t i = 0; i < n; i++)
		longest = tiles[i].slabs > longest ? tiles[i].slabs : longest;
	best = longest;
	best_end = EndOf(ranges, tiles, n, longest, &parts);
	for (uint64_t pieces = 2; longest / pieces >= ranges->kernel->overhead; pieces++)
	{
		uint64_t	length = (longest + pieces - 1) / pieces;
		uint64_t	end = EndOf(ranges, tiles, n, length, &parts);

		if (parts > MAX_ROUNDS * ranges->workers)
			break;
		if (end < best_end)
		{
			best = length;
			best_end = end;
		}
	}
	return best;
}

/* Add the ranges of n tiles: all first parts, then all second parts and so on. */
static bool
AddParts(FimPlan *plan, KernelRanges *ranges, const Tile *tiles, uint32_t n, uint64_t length)
{
	bool		more = true;

	for (uint32_t part = 0; more; part++)
	{
		uint32_t	divided = ranges->divided;

		more = false;
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t	parts = PartsOf(&tiles[i], length);
			uint64_t	slabs = tiles[i].slabs;
			FimRange	range = {tiles[i].of, tiles[i].row, tiles[i].column, 0, 0, parts, divided, 0};

			divided += parts > 1;
			more |= part + 1 < parts;
			range.slab = (uint32_t) (slabs * part / parts);
			range.slabs = (uint32_t) (slabs * (part + 1) / parts) - range.slab;
			if (part < parts && !AddRange(plan, &range))
				return false;
		}
		if (!more)
			ranges->divided = divided;
	}
	return true;
}

/*
 * Add the ranges of a kernel's tiles.  First come tiles that have more slabs than the average
 * worker gets; these are divided.  Then come tiles that are not divided.  The last tiles are divided
 * such that all workers end together: there is one for each worker, and the remainder of the
 * number of tiles divided by that of workers.  With less than two tiles for each worker, all
 * are last ones.
 */
static bool
AddRanges(FimPlan *plan, KernelRanges *ranges)
{
	uint64_t	average = ranges->slabs / ranges->workers;
	uint32_t	large = 0;
	uint32_t	last = ranges->ntiles;

	if (ranges->ntiles >= 2 * ranges->workers)
	{
		last = (uint32_t) (ranges->workers + ranges->ntiles % ranges->workers);
		while (large < ranges->ntiles - last && ranges->tiles[large].slabs > average)
			large++;
	}
	ranges->from = plan->nranges;
	if (!AddParts(plan, ranges, ranges->tiles, large, average + 1) ||
		!AddParts(plan, ranges, ranges->tiles + large, ranges->ntiles - last - large, UINT32_MAX))
		return false;
	if (!AddParts(plan, ranges, ranges->tiles + ranges->ntiles - last, last,
				  ChooseLength(ranges, ranges->tiles + ranges->ntiles - last, last)))
		return false;
	ranges->n = plan->nranges - ranges->from;
	return true;
}

/* A matrix's index, and the size by which matrices are ordered. */
typedef struct SizedMatrix
{
	uint32_t	slabs;
	uint32_t	of;
} SizedMatrix;

static int
CompareSizes(const void *a, const void *b)
{
	const SizedMatrix *x = (const SizedMatrix *) a;
	const SizedMatrix *y = (const SizedMatrix *) b;

	if (x->slabs != y->slabs)
		return x->slabs < y->slabs ? 1 : -1;
	return x->of < y->of ? -1 : x->of > y->of;
}

/* Make the ranges of one kernel from its matrices' tiles, in the order of matrices. */
static bool
MakeRanges(FimPlan *plan, KernelRanges *ranges, FimWay way, const SizedMatrix *order, const FimCounts *counts)
{
	uint32_t	room = 0;
	bool		done = true;

	for (uint32_t i = 0; i < plan->nmatrices && done; i++)
	{
		const FimMatrix *of = &plan->matrices[order[i].of];

		if (!IsEmpty(of) && KernelFor(way, of->rows) == ranges->kernel)
			done = AddMatrix(ranges, &room, order[i].of, of, counts);
	}
	ranges->workers = (uint64_t) plan->processors * ranges->kernel->workers;
	done = done && AddRanges(plan, ranges);
	free(ranges->tiles);
	ranges->tiles = NULL;
	return done;
}

static bool
CutWork(FimPlan *plan, FimWay way, const SizedMatrix *order, const FimCounts *counts)
{
	bool		done = true;

	for (uint32_t i = 0; i < plan->nmatrices; i++)
		if (!IsEmpty(&plan->matrices[i]))
			NeedKernel(plan, KernelFor(way, plan->matrices[i].rows));
	for (int b = 0; b < plan->nkernels && done; b++)
		done = MakeRanges(plan, &plan->by_kernel[b], way, order, counts);
	return done;
}

static bool
FillPlan(FimPlan *plan, FimWay way, const FimMatrix *matrices, uint32_t nmatrices,
		 const FimCounts *counts)
{
	SizedMatrix *order = (SizedMatrix *) malloc((nmatrices + 1) * sizeof(SizedMatrix));
	bool		done = false;

	plan->matrices = (FimMatrix *) malloc((nmatrices + 1) * sizeof(FimMatrix));
	plan->nmatrices = nmatrices;
	if (order != NULL && plan->matrices != NULL)
	{
		for (uint32_t i = 0; i < nmatrices; i++)
		{
			plan->matrices[i] = matrices[i];
			order[i].slabs = matrices[i].slabs;
			order[i].of = i;
			plan->tests += (double) FimPairsOf(&matrices[i]) * matrices[i].slabs * FIM_SLAB_BITS;
		}
		qsort(order, nmatrices, sizeof(SizedMatrix), CompareSizes);
		done = CutWork(plan, way, order, counts);
	}
	free(order);
	return done;
}

cudaError_t
FimPlanMake(FimWay way, const FimMatrix *matrices, uint32_t nmatrices, const FimCounts *counts,
			FimPlan **result)
{
	FimPlan    *plan;
	int			device;
	int			processors;
	cudaError_t error = cudaGetDevice(&device);

	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (error != cudaSuccess)
		return error;
	plan = (FimPlan *) calloc(1, sizeof(FimPlan));
	if (plan == NULL)
		return cudaErrorMemoryAllocation;
	plan->processors = processors;
	if (!FillPlan(plan, way, matrices, nmatrices, counts))
	{
		FimPlanFree(plan);
		return cudaErrorMemoryAllocation;
	}
	*result = plan;
	return cudaSuccess;
}

void
FimPlanFree(FimPlan *plan)
{
	free(plan->matrices);
	free(plan->ranges);
	free(plan);
}
