/*-------------------------------------------------------------------------
 *
 * product_plan.c
 *	  Plans: which kernel multiplies which class, and how the work is cut.
 *
 * Work is handed out in the order of the plan to whichever worker (a block or a
 * warp) is free.  Classes with many slabs come first, so that small items fill the
 * end.  That is not enough where the last items are large, or where there are
 * fewer tiles than workers.  So what comes last, or takes longer than a worker's
 * fair share of everything, is divided into ranges of slabs, by what promises to
 * end first: each part costs something too.
 *
 * What runs at the same time should read the same: then it comes from the cache.
 * So tiles of a large class follow one another in bands, in which those under way
 * form a square that has few rows; and of tiles that are divided, all first parts
 * come before all second ones.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "bits/product_plan.h"

#define ALIGNMENT		256
#define MAX_ROUNDS		4		/* parts of divided tiles that a worker gets */

/* Where things are in scratch memory. */
typedef struct Layout
{
	size_t		classes;
	size_t		items;
	size_t		counters;		/* one for each batch, then tickets, then sums */
	size_t		end;
} Layout;

static const FimKernel *
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

/* Small classes are the same stream for mma.sync whatever multiplies larger ones. */
static const FimKernel *
ChooseKernel(FimWay way, uint32_t rows)
{
	const FimKernel *kernel = KernelsOf(way == FIM_WGMMA && rows <= FIM_STREAM_ROWS ? FIM_MMA : way);

	while (rows > kernel->limit)
		kernel++;
	return kernel;
}

int
FimKernelsOf(FimWay way, const FimKernel **kernels)
{
	int			n = 0;
	uint32_t	limit = 0;

	do
	{
		kernels[n] = ChooseKernel(way, limit + 1);
		limit = kernels[n++]->limit;
	} while (limit < UINT32_MAX);
	return n;
}

static void
NeedBatch(FimPlan *plan, const FimKernel *kernel)
{
	for (int i = 0; i < plan->nbatches; i++)
		if (plan->batches[i].kernel == kernel)
			return;
	plan->batches[plan->nbatches++].kernel = kernel;
}

/* Make an array longer that has no room for one more element. */
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
AddItem(FimPlan *plan, const FimItem *item)
{
	if (!Enlarge((void **) &plan->items, plan->nitems, &plan->room, sizeof(FimItem)))
		return false;
	plan->items[plan->nitems++] = *item;
	return true;
}

static bool
AddTile(Batch *batch, uint32_t *room, uint32_t of, uint32_t row, uint32_t column, uint32_t slabs)
{
	if (!Enlarge((void **) &batch->tiles, batch->ntiles, room, sizeof(Tile)))
		return false;
	batch->tiles[batch->ntiles++] = (Tile) {of, row, column, slabs};
	batch->slabs += slabs;
	return true;
}

/* Has the tile a row or, if these count as well, a column of the band? */
static bool
IsInBand(const FimCounts *counts, const TileWalk *walk)
{
	return (walk->row < counts->end && walk->row + walk->tile_rows > counts->begin) ||
		(counts->both && walk->column < counts->end &&
		 walk->column + walk->tile_columns > counts->begin);
}

static bool
AddClass(Batch *batch, uint32_t *room, uint32_t of, const FimClass *shape, const FimCounts *counts)
{
	const FimKernel *kernel = batch->kernel;

	for (TileWalk walk = WalkTiles(shape, kernel->tile_rows, kernel->tile_columns);
		 IsAtTile(&walk); GoOn(&walk))
		if (IsInBand(counts, &walk) &&
			!AddTile(batch, room, of, walk.row, walk.column, shape->slabs))
			return false;
	return true;
}

static uint32_t
PartsOf(const Tile *tile, uint64_t length)
{
	return (uint32_t) ((tile->slabs + length - 1) / length);
}

/* When will n tiles be done, if cut into parts no longer than length? */
static uint64_t
EndOf(const Batch *batch, const Tile *tiles, uint32_t n, uint64_t length, uint64_t *parts)
{
	uint64_t	longest = 0;

	*parts = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	slabs = tiles[i].slabs < length ? tiles[i].slabs : length;

		*parts += PartsOf(&tiles[i], length);
		longest = slabs > longest ? slabs : longest;
	}
	return (*parts + batch->workers - 1) / batch->workers * (longest + batch->kernel->overhead);
}

/* The length of parts with which n tiles are done first. */
static uint64_t
ChooseLength(const Batch *batch, const Tile *tiles, uint32_t n)
{
	uint64_t	longest = 1;
	uint64_t	best;
	uint64_t	best_end;
	uint64_t	parts;

	for (uint32_t i = 0; i < n; i++)
		longest = tiles[i].slabs > longest ? tiles[i].slabs : longest;
	best = longest;
	best_end = EndOf(batch, tiles, n, longest, &parts);
	for (uint64_t pieces = 2; longest / pieces >= batch->kernel->overhead; pieces++)
	{
		uint64_t	length = (longest + pieces - 1) / pieces;
		uint64_t	end = EndOf(batch, tiles, n, length, &parts);

		if (parts > MAX_ROUNDS * batch->workers)
			break;
		if (end < best_end)
		{
			best = length;
			best_end = end;
		}
	}
	return best;
}

/* Items for n tiles: all first parts, all second parts and so on. */
static bool
AddParts(FimPlan *plan, Batch *batch, const Tile *tiles, uint32_t n, uint64_t length)
{
	bool		more = true;

	for (uint32_t part = 0; more; part++)
	{
		uint32_t	divided = batch->divided;

		more = false;
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t	parts = PartsOf(&tiles[i], length);
			uint64_t	slabs = tiles[i].slabs;
			FimItem		item = {tiles[i].of, tiles[i].row, tiles[i].column, 0, 0, parts, divided, 0};

			divided += parts > 1;
			more |= part + 1 < parts;
			item.slab = (uint32_t) (slabs * part / parts);
			item.slabs = (uint32_t) (slabs * (part + 1) / parts) - item.slab;
			if (part < parts && !AddItem(plan, &item))
				return false;
		}
		if (!more)
			batch->divided = divided;
	}
	return true;
}

/*
 * First tiles that are more than a fair share, then whole ones, then those that
 * see to it that all workers end together: as many as there are workers, and
 * what is left over of whole rounds.
 */
static bool
AddItems(FimPlan *plan, Batch *batch)
{
	uint64_t	share = batch->slabs / batch->workers;
	uint32_t	large = 0;
	uint32_t	last = batch->ntiles;

	if (batch->ntiles >= 2 * batch->workers)
	{
		last = (uint32_t) (batch->workers + batch->ntiles % batch->workers);
		while (large < batch->ntiles - last && batch->tiles[large].slabs > share)
			large++;
	}
	batch->from = plan->nitems;
	if (!AddParts(plan, batch, batch->tiles, large, share + 1) ||
		!AddParts(plan, batch, batch->tiles + large, batch->ntiles - last - large, UINT32_MAX))
		return false;
	if (!AddParts(plan, batch, batch->tiles + batch->ntiles - last, last,
				  ChooseLength(batch, batch->tiles + batch->ntiles - last, last)))
		return false;
	batch->nitems = plan->nitems - batch->from;
	return true;
}

/* A class's index and what it is ordered by. */
typedef struct Place
{
	uint32_t	slabs;
	uint32_t	of;
} Place;

static int
ComparePlaces(const void *a, const void *b)
{
	const Place *x = (const Place *) a;
	const Place *y = (const Place *) b;

	if (x->slabs != y->slabs)
		return x->slabs < y->slabs ? 1 : -1;
	return x->of < y->of ? -1 : x->of > y->of;
}

/* The batch of one kernel: its classes' tiles in the order of classes. */
static bool
FillBatch(FimPlan *plan, Batch *batch, FimWay way, const Place *order, const FimCounts *counts)
{
	uint32_t	room = 0;
	bool		done = true;

	for (uint32_t i = 0; i < plan->nclasses && done; i++)
	{
		const FimClass *of = &plan->classes[order[i].of];

		if (!IsEmpty(of) && ChooseKernel(way, of->rows) == batch->kernel)
			done = AddClass(batch, &room, order[i].of, of, counts);
	}
	batch->workers = (uint64_t) plan->processors * batch->kernel->workers;
	done = done && AddItems(plan, batch);
	free(batch->tiles);
	batch->tiles = NULL;
	return done;
}

static bool
CutWork(FimPlan *plan, FimWay way, const Place *order, const FimCounts *counts)
{
	bool		done = true;

	for (uint32_t i = 0; i < plan->nclasses; i++)
		if (!IsEmpty(&plan->classes[i]))
			NeedBatch(plan, ChooseKernel(way, plan->classes[i].rows));
	for (int b = 0; b < plan->nbatches && done; b++)
		done = FillBatch(plan, &plan->batches[b], way, order, counts);
	return done;
}

static bool
FillPlan(FimPlan *plan, FimWay way, const FimClass *classes, uint32_t nclasses,
		 const FimCounts *counts)
{
	Place	   *order = (Place *) malloc((nclasses + 1) * sizeof(Place));
	bool		done = false;

	plan->classes = (FimClass *) malloc((nclasses + 1) * sizeof(FimClass));
	plan->nclasses = nclasses;
	if (order != NULL && plan->classes != NULL)
	{
		for (uint32_t i = 0; i < nclasses; i++)
		{
			plan->classes[i] = classes[i];
			order[i].slabs = classes[i].slabs;
			order[i].of = i;
			plan->tests += (double) FimPairsOf(&classes[i]) * classes[i].slabs * FIM_SLAB_BITS;
		}
		qsort(order, nclasses, sizeof(Place), ComparePlaces);
		done = CutWork(plan, way, order, counts);
	}
	free(order);
	return done;
}

cudaError_t
FimPlanMake(FimWay way, const FimClass *classes, uint32_t nclasses, const FimCounts *counts,
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
	if (!FillPlan(plan, way, classes, nclasses, counts))
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
	free(plan->classes);
	free(plan->items);
	free(plan);
}

static size_t
Align(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static Layout
LayOut(const FimPlan *plan)
{
	Layout		layout;

	layout.classes = 0;
	layout.items = Align(plan->nclasses * sizeof(FimClass));
	layout.counters = layout.items + Align(plan->nitems * sizeof(FimItem));
	layout.end = layout.counters + ALIGNMENT;
	for (int b = 0; b < plan->nbatches; b++)
	{
		size_t		divided = plan->batches[b].divided;

		layout.end += Align(divided * FIM_TICKETS * sizeof(uint32_t)) +
			Align(divided * plan->batches[b].kernel->sums * sizeof(uint32_t));
	}
	return layout;
}

size_t
FimPlanScratch(const FimPlan *plan)
{
	return LayOut(plan).end;
}

double
FimPlanTests(const FimPlan *plan)
{
	return plan->tests;
}

/* Bring the plan to the device and zero everything that is counted in. */
static cudaError_t
SendPlan(const FimPlan *plan, const Layout *layout, char *scratch, cudaStream_t stream)
{
	FimClass   *classes = (FimClass *) (scratch + layout->classes);
	FimItem    *items = (FimItem *) (scratch + layout->items);
	uint32_t   *counters = (uint32_t *) (scratch + layout->counters);
	cudaError_t error = cudaMemsetAsync(counters, 0, layout->end - layout->counters, stream);

	if (error != cudaSuccess)
		return error;
	if (plan->classes == NULL)
		return FimFillPlan(plan, classes, items, counters + FIM_MAX_KERNELS, stream);
	error = cudaMemcpyAsync(classes, plan->classes, plan->nclasses * sizeof(FimClass),
							cudaMemcpyHostToDevice, stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(items, plan->items, plan->nitems * sizeof(FimItem),
								cudaMemcpyHostToDevice, stream);
	return error;
}

cudaError_t
FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines, uint32_t minsup,
		   const FimCounts *counts, void *scratch, cudaStream_t stream)
{
	Layout		layout = LayOut(plan);
	char	   *counters = (char *) scratch + layout.counters;
	char	   *at = counters + ALIGNMENT;
	cudaError_t error = cudaSuccess;

	if (plan->nitems > 0)
		error = SendPlan(plan, &layout, (char *) scratch, stream);
	for (int b = 0; b < plan->nbatches && error == cudaSuccess; b++)
	{
		const Batch *batch = &plan->batches[b];
		FimLaunch	launch;

		if (batch->nitems == 0)
			continue;
		launch.lines = (const uint4 *) lines;
		launch.nlines = nlines;
		launch.classes = (const FimClass *) ((char *) scratch + layout.classes);
		launch.items = (const FimItem *) ((char *) scratch + layout.items) + batch->from;
		launch.nitems = batch->nitems;
		launch.minsup = minsup > 0 ? minsup : 1;
		launch.counts = *counts;
		launch.next = (uint32_t *) counters + b;
		launch.tickets = (uint32_t *) at;
		at += Align(batch->divided * FIM_TICKETS * sizeof(uint32_t));
		launch.sums = (uint32_t *) at;
		at += Align((size_t) batch->divided * batch->kernel->sums * sizeof(uint32_t));
		error = batch->kernel->launch(&launch, plan->processors, stream);
	}
	return error;
}
