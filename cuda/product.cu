/*-------------------------------------------------------------------------
 *
 * product.cu
 *	  Plans: which kernel multiplies which class, and how the work is cut.
 *
 * Work is handed out in the order of the plan to whichever block or warp is
 * free.  Classes with many slabs come first, so that small items fill the end.
 * That is not enough where the last items are large, or where there are fewer
 * tiles than multiprocessors.  So no item is larger than a fair share of what is
 * left at its place in the order: towards the end of a launch, tiles are divided
 * into ever more ranges of slabs.
 *
 * Tiles of a large class follow one another in bands, so that the tiles under
 * way at any one time form a square and read few rows: those stay in the cache.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "product_device.h"

#define MAX_KERNELS		8
#define BAND			3072	/* rows of a band of tiles */
#define ALIGNMENT		256

/* A kernel's share of the plan: items that lie together. */
typedef struct Batch
{
	const FimKernel *kernel;
	uint64_t	slabs;			/* of all its tiles */
	uint32_t	from;			/* its first item */
	uint32_t	nitems;
	uint32_t	divided;		/* tiles that are */
} Batch;

struct FimPlan
{
	FimClass   *classes;
	uint32_t	nclasses;
	FimItem    *items;
	uint32_t	nitems;
	uint32_t	room;			/* for items */
	Batch		batches[MAX_KERNELS];
	int			nbatches;
	int			processors;
};

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

static Batch *
BatchOf(FimPlan *plan, const FimKernel *kernel)
{
	int			i;

	for (i = 0; i < plan->nbatches; i++)
		if (plan->batches[i].kernel == kernel)
			return &plan->batches[i];
	memset(&plan->batches[i], 0, sizeof(Batch));
	plan->batches[i].kernel = kernel;
	plan->nbatches++;
	return &plan->batches[i];
}

/* Does the tile have a pair above the diagonal? */
static bool
IsAbove(const FimKernel *kernel, uint32_t row, uint32_t column)
{
	return column + kernel->tile_columns - 1 > row;
}

static uint64_t
CountTiles(const FimKernel *kernel, uint32_t rows)
{
	uint64_t	n = 0;

	for (uint32_t row = 0; row < rows; row += kernel->tile_rows)
		for (uint32_t column = 0; column < rows; column += kernel->tile_columns)
			n += IsAbove(kernel, row, column);
	return n;
}

static bool
AddItem(FimPlan *plan, const FimItem *item)
{
	if (plan->nitems == plan->room)
	{
		uint32_t	room = plan->room * 2 + 1024;
		FimItem    *items = (FimItem *) realloc(plan->items, room * sizeof(FimItem));

		if (items == NULL)
			return false;
		plan->items = items;
		plan->room = room;
	}
	plan->items[plan->nitems++] = *item;
	return true;
}

/* Into how many parts, so that none is more than a fair share of what is left. */
static uint32_t
PartsOf(const FimPlan *plan, const Batch *batch, uint64_t left, uint32_t slabs)
{
	uint64_t	share = left / ((uint64_t) plan->processors * batch->kernel->workers);

	if (share < batch->kernel->least)
		share = batch->kernel->least;
	return (uint32_t) ((slabs + share - 1) / share);
}

static bool
AddTile(FimPlan *plan, Batch *batch, uint64_t *left, uint32_t of, uint32_t row, uint32_t column)
{
	uint32_t	slabs = plan->classes[of].slabs;
	uint32_t	parts = PartsOf(plan, batch, *left, slabs);
	FimItem		item = {of, row, column, 0, 0, parts, batch->divided, 0};

	for (uint32_t part = 0; part < parts; part++)
	{
		item.slab = (uint32_t) ((uint64_t) slabs * part / parts);
		item.slabs = (uint32_t) ((uint64_t) slabs * (part + 1) / parts) - item.slab;
		if (!AddItem(plan, &item))
			return false;
	}
	batch->divided += parts > 1;
	*left -= slabs;
	return true;
}

static bool
AddClass(FimPlan *plan, Batch *batch, uint64_t *left, uint32_t of)
{
	const FimKernel *kernel = batch->kernel;
	uint32_t	rows = plan->classes[of].rows;
	uint32_t	band = (BAND + kernel->tile_rows - 1) / kernel->tile_rows * kernel->tile_rows;

	for (uint32_t top = 0; top < rows; top += band)
		for (uint32_t column = 0; column < rows; column += kernel->tile_columns)
			for (uint32_t row = top; row < rows && row < top + band; row += kernel->tile_rows)
				if (IsAbove(kernel, row, column) &&
					!AddTile(plan, batch, left, of, row, column))
					return false;
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

static bool
IsEmpty(const FimClass *of)
{
	return of->rows < 2 || of->slabs == 0;
}

static bool
CutWork(FimPlan *plan, FimWay way, const Place *order)
{
	for (uint32_t i = 0; i < plan->nclasses; i++)
	{
		const FimClass *of = &plan->classes[i];

		if (!IsEmpty(of))
		{
			const FimKernel *kernel = ChooseKernel(way, of->rows);

			BatchOf(plan, kernel)->slabs += CountTiles(kernel, of->rows) * of->slabs;
		}
	}
	for (int b = 0; b < plan->nbatches; b++)
	{
		Batch	   *batch = &plan->batches[b];
		uint64_t	left = batch->slabs;

		batch->from = plan->nitems;
		for (uint32_t i = 0; i < plan->nclasses; i++)
		{
			const FimClass *of = &plan->classes[order[i].of];

			if (!IsEmpty(of) && ChooseKernel(way, of->rows) == batch->kernel &&
				!AddClass(plan, batch, &left, order[i].of))
				return false;
		}
		batch->nitems = plan->nitems - batch->from;
	}
	return true;
}

static bool
FillPlan(FimPlan *plan, FimWay way, const FimClass *classes, uint32_t nclasses)
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
		}
		qsort(order, nclasses, sizeof(Place), ComparePlaces);
		done = CutWork(plan, way, order);
	}
	free(order);
	return done;
}

cudaError_t
FimPlanMake(FimWay way, const FimClass *classes, uint32_t nclasses, FimPlan **result)
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
	if (!FillPlan(plan, way, classes, nclasses))
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

/* Bring the plan to the device and zero everything that is counted in. */
static cudaError_t
SendPlan(const FimPlan *plan, char *scratch, cudaStream_t stream)
{
	Layout		layout = LayOut(plan);
	cudaError_t error;

	error = cudaMemcpyAsync(scratch + layout.classes, plan->classes,
							plan->nclasses * sizeof(FimClass), cudaMemcpyHostToDevice, stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(scratch + layout.items, plan->items,
								plan->nitems * sizeof(FimItem), cudaMemcpyHostToDevice, stream);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(scratch + layout.counters, 0, layout.end - layout.counters, stream);
	return error;
}

cudaError_t
FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines, uint32_t minsup,
		   const FimPairs *pairs, void *scratch, cudaStream_t stream)
{
	Layout		layout = LayOut(plan);
	char	   *counters = (char *) scratch + layout.counters;
	char	   *at = counters + ALIGNMENT;
	cudaError_t error = cudaSuccess;

	if (plan->nitems > 0)
		error = SendPlan(plan, (char *) scratch, stream);
	for (int b = 0; b < plan->nbatches && error == cudaSuccess; b++)
	{
		const Batch *batch = &plan->batches[b];
		FimLaunch	launch;

		launch.lines = (const uint4 *) lines;
		launch.nlines = nlines;
		launch.classes = (const FimClass *) ((char *) scratch + layout.classes);
		launch.items = (const FimItem *) ((char *) scratch + layout.items) + batch->from;
		launch.nitems = batch->nitems;
		launch.minsup = minsup > 0 ? minsup : 1;
		launch.pairs = *pairs;
		launch.next = (uint32_t *) counters + b;
		launch.tickets = (uint32_t *) at;
		at += Align(batch->divided * FIM_TICKETS * sizeof(uint32_t));
		launch.sums = (uint32_t *) at;
		at += Align((size_t) batch->divided * batch->kernel->sums * sizeof(uint32_t));
		error = batch->kernel->launch(&launch, plan->processors, stream);
	}
	return error;
}
