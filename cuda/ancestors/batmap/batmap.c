/*-------------------------------------------------------------------------
 *
 * batmap.c
 *	  Strategy "batmap" on devices, see batmap.h.
 *
 * The sets of each side are cut, by rank, into bands of at most BAND_RANKS sets and a bounded
 * number of places.  A unit is a left band p with a right band q; if one relation is both sides,
 * only those with p <= q are done.  A device builds the batmaps of a band when a unit needs them, and
 * keeps them until it needs another band of that side.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/batmap/batmap.h"
#include "sets/sets_device.h"
#include "team.h"

/* Most sets of a band, and most bytes of its tables, or those of one set if that takes more. */
#define BAND_RANKS		4096
#define BAND_BYTES		(UINT64_C(1) << 28)

#define MAX_LOOP		256
#define MOST_LEVEL		30

/* About the most keys of the sets that a launch builds, and most bytes of places in device memory. */
#define BUILD_KEYS		(UINT64_C(1) << 23)
#define PLACE_BYTES		(UINT64_C(1) << 28)

/* A band has at most one bundle that is not full for each size of tables. */
#define MOST_BUNDLES		(BAND_RANKS / BATMAP_BUNDLE + 32)

/* Bytes that allocations may take beyond their sizes. */
#define ROUNDING		(UINT64_C(1) << 16)

#define NO_BAND			UINT32_MAX

/* The bands of a side: ranks cut[e] .. cut[e + 1] - 1 are band e. */
typedef struct Cuts
{
	uint32_t	n;
	uint32_t   *cut;			/* [n + 1] host memory */
	uint32_t	ranks;			/* most sets, ... */
	uint64_t	keys;			/* ... most keys ... */
	uint64_t	lines;			/* ... and most lines of a band */
} Cuts;

/* The band of a side that a device has. */
typedef struct Held
{
	uint32_t	number;			/* number of the band, or NO_BAND */
	BatmapBand	band;
	BatmapBundle bundles[MOST_BUNDLES];	/* the host's copy of band.bundles */
} Held;

typedef struct Batmaps
{
	BatmapSpace space;
	uint32_t	band_ranks;		/* most sets of a band */
	uint64_t	band_bytes;		/* most bytes of a band's tables */
	Cuts		left;
	Cuts		right;			/* the same as "left" if one relation is both sides */
	uint64_t	shared_bytes;	/* most bytes of a set's places in shared memory, on all devices */
	uint32_t	blocks;			/* blocks of threads that have places in device memory */

	/* for each device; addresses are of its memory */
	Held		held[FIM_GPU_MAX_DEVICES][2]; /* left and right */
	uint32_t   *places[FIM_GPU_MAX_DEVICES]; /* see BatmapBuild */
	uint32_t   *count[FIM_GPU_MAX_DEVICES];	/* [left.ranks][right.ranks] */
	DenseCounts cells[FIM_GPU_MAX_DEVICES]; /* of the unit that was counted last */
} Batmaps;

static const char *const what = "intersecting batmaps";

/* ---- sizes ---- */

static BatmapSpace
SpaceOf(uint32_t n)
{
	BatmapSpace space = {.bits = 2, .least = BATMAP_LINE_LEVEL, .max_loop = MAX_LOOP};

	while (space.bits < 32 && n > UINT32_C(1) << space.bits)
		space.bits++;
	if (space.bits > BATMAP_CODE_PLANES + space.least)
		space.least = space.bits - BATMAP_CODE_PLANES;
	return space;
}

/*
 * The level of the tables of a set of n keys: 2n to 4n places for each, so at most a third of all are
 * taken.
 */
static uint32_t
LevelOf(const BatmapSpace *space, uint32_t n)
{
	uint32_t	level = space->least;

	while (UINT64_C(1) << level < 2 * (uint64_t) n && level < MOST_LEVEL)
		level++;
	return level;
}

static uint64_t
SetBytes(uint32_t level)
{
	return BatmapLines(level) * BATMAP_LINE_BYTES;
}

static uint32_t
LongestSet(const FimSetsData *data)
{
	return (uint32_t) GpuGreater(data->left.longest, data->right.longest);
}

/*
 * The memory of a band with "ranks" sets, "bytes" bytes of tables and at most "keys" keys.  Each of a set's
 * three tables has at least two places, of a byte each, for a key.
 */
static uint64_t
BandMemory(uint64_t ranks, uint64_t bytes, uint64_t keys)
{
	return bytes + GpuLesser(bytes / 6 + 1, keys) + sizeof(uint32_t) * ranks + sizeof(BatmapBundle) * MOST_BUNDLES;
}

static uint64_t
MemoryOf(const FimSetsData *data, uint64_t ranks, uint64_t bytes)
{
	return BandMemory(ranks, bytes, data->left.npairs) + BandMemory(ranks, bytes, data->right.npairs) +
		sizeof(uint32_t) * ranks * ranks + ROUNDING;
}

uint64_t
BatmapLeast(const FimSetsData *data)
{
	BatmapSpace space = SpaceOf(data->nkeys);
	uint32_t	level = LevelOf(&space, LongestSet(data));

	return MemoryOf(data, 1, SetBytes(level)) + BatmapPlaceBytes(level);
}

/* Sets the limits of bands to the largest that there is room for, beside the places of a set. */
static void
ChooseBands(const SetsJob *job, Batmaps *b)
{
	uint64_t	longest = SetBytes(LevelOf(&b->space, LongestSet(job->data)));
	uint64_t	room = GpuLeastRoom(&job->team);
	uint64_t	places = BatmapPlaceBytes(LevelOf(&b->space, LongestSet(job->data)));

	room = room > places ? room - places : 0;
	b->band_ranks = BAND_RANKS;
	b->band_bytes = GpuGreater(BAND_BYTES, longest);
	while (MemoryOf(job->data, b->band_ranks, b->band_bytes) > room)
	{
		uint64_t	counts = sizeof(uint32_t) * (uint64_t) b->band_ranks * b->band_ranks;

		if (b->band_bytes > longest && (b->band_bytes > counts || b->band_ranks == 1))
			b->band_bytes = GpuGreater(longest, b->band_bytes / 2);
		else if (b->band_ranks > 1)
			b->band_ranks /= 2;
		else
			break;
	}
}

/*
 * Returns the end of the band that begins with rank "from", and updates the most that a band has in
 * *cuts.
 */
static uint32_t
EndOfBand(const SetsJob *job, const Batmaps *b, const FimSetsSide *side, uint32_t from, Cuts *cuts)
{
	uint64_t	lines = 0;
	uint64_t	keys = 0;
	uint32_t	to;

	for (to = from; to < side->nvalues && to - from < b->band_ranks; to++)
	{
		uint64_t	more = BatmapLines(LevelOf(&b->space, FimSetsLength(job->data, side, to)));

		if (to > from && (lines + more) * BATMAP_LINE_BYTES > b->band_bytes)
			break;
		lines += more;
		keys += FimSetsLength(job->data, side, to);
	}
	cuts->ranks = (uint32_t) GpuGreater(cuts->ranks, to - from);
	cuts->lines = GpuGreater(cuts->lines, lines);
	cuts->keys = GpuGreater(cuts->keys, keys);
	return to;
}

static cudaError_t
CutSide(SetsJob *job, const Batmaps *b, const FimSetsSide *side, Cuts *cuts)
{
	uint64_t	room = 0;
	uint32_t	end = 0;

	memset(cuts, 0, sizeof(*cuts));
	do
	{
		GPU_TRY(GpuHostRoom(&job->team, (void **) &cuts->cut, cuts->n, (uint64_t) cuts->n + 1, &room, sizeof(uint32_t)));
		cuts->cut[cuts->n++] = end;
		if (end == side->nvalues)
			break;
		end = EndOfBand(job, b, side, end, cuts);
		GPU_TRY(HostWork(job, 4 * (uint64_t) (end - cuts->cut[cuts->n - 1])));
	} while (true);
	cuts->n--;
	return cudaSuccess;
}

/* ---- memory ---- */

static cudaError_t
OpenBand(GpuDevice *device, const Cuts *cuts, Held *held)
{
	BatmapBand *band = &held->band;

	held->number = NO_BAND;
	GPU_TRY(GpuAlloc(device, cuts->lines * BATMAP_LINE_BYTES, "allocating batmaps", (void **) &band->lines));
	GPU_TRY(GpuAlloc(device, cuts->keys, "allocating batmaps", (void **) &band->failed));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * cuts->ranks, "allocating batmaps", (void **) &band->nfailed));
	return GpuAlloc(device, sizeof(BatmapBundle) * MOST_BUNDLES, "allocating batmaps", (void **) &band->bundles);
}

static cudaError_t
CloseBand(GpuDevice *device, const Held *held)
{
	GPU_TRY(GpuFree(device, held->band.lines));
	GPU_TRY(GpuFree(device, held->band.failed));
	GPU_TRY(GpuFree(device, held->band.nfailed));
	return GpuFree(device, held->band.bundles);
}

static uint64_t
CountBytes(const Batmaps *b)
{
	return sizeof(uint32_t) * (uint64_t) b->left.ranks * b->right.ranks;
}

/* Takes device memory for places, if the longest set needs more than there is shared memory. */
static cudaError_t
OpenPlaces(SetsJob *job, Batmaps *b, int d)
{
	GpuDevice  *device = job->on[d].device;
	uint64_t	bytes = BatmapPlaceBytes(LevelOf(&b->space, LongestSet(job->data)));

	b->places[d] = NULL;
	if (bytes <= b->shared_bytes)
		return cudaSuccess;
	return GpuAlloc(device, bytes * b->blocks, "allocating for building batmaps", (void **) &b->places[d]);
}

static cudaError_t
Open(SetsJob *job, Batmaps *b)
{
	uint64_t	bytes = BatmapPlaceBytes(LevelOf(&b->space, LongestSet(job->data)));

	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->on[d].device;

		GPU_TRY(GpuUse(device, what));
		GPU_TRY(OpenBand(device, &b->left, &b->held[d][0]));
		GPU_TRY(OpenBand(device, &b->right, &b->held[d][1]));
		GPU_TRY(GpuAlloc(device, CountBytes(b), "allocating numbers of witnesses", (void **) &b->count[d]));
	}
	b->blocks = (uint32_t) GpuBetween(1, GpuLesser(GpuLeastRoom(&job->team), PLACE_BYTES) / bytes, BAND_RANKS);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->on[d].device, what));
		GPU_TRY(OpenPlaces(job, b, d));
	}
	return cudaSuccess;
}

static cudaError_t
Close(SetsJob *job, Batmaps *b)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->on[d].device;

		GPU_TRY(GpuWait(&job->team, device, GPU_COUNT, what));
		GPU_TRY(CloseBand(device, &b->held[d][0]));
		GPU_TRY(CloseBand(device, &b->held[d][1]));
		GPU_TRY(GpuFree(device, b->count[d]));
		GPU_TRY(GpuFree(device, b->places[d]));
	}
	GpuHostFree(&job->team, b->left.cut);
	if (!job->data->one)
		GpuHostFree(&job->team, b->right.cut);
	return cudaSuccess;
}

/* ---- building ---- */

/* Bundles the sets of a band. */
static void
MakeBundles(const SetsJob *job, const Batmaps *b, const FimSetsSide *side, Held *held)
{
	BatmapBand *band = &held->band;
	BatmapBundle *last = NULL;
	uint64_t	line = 0;

	band->nbundles = 0;
	for (uint32_t i = 0; i < band->n; i++)
	{
		uint32_t	level = LevelOf(&b->space, FimSetsLength(job->data, side, band->from + i));

		if (last == NULL || last->level != level || last->n == BATMAP_BUNDLE)
		{
			last = &held->bundles[band->nbundles++];
			*last = (BatmapBundle) {.first = i, .level = level, .line = line};
		}
		last->n++;
		line += BatmapLines(level);
	}
}

/* The end of the bundles from "first" on that one launch builds. */
static uint32_t
BundlesAtOnce(const SetsJob *job, const FimSetsSide *side, const Held *held, uint32_t first)
{
	const BatmapBundle *bundle = held->bundles;
	uint64_t	keys = 0;
	uint32_t	g = first;

	do
	{
		keys += (uint64_t) bundle[g].n * FimSetsLength(job->data, side, held->band.from + bundle[g].first);
		g++;
	} while (g < held->band.nbundles && bundle[g].level == bundle[first].level && keys < BUILD_KEYS);
	return g;
}

static cudaError_t
BuildBundles(SetsJob *job, SetsDevice *on, Batmaps *b, const DeviceSide *side, const Held *held, uint32_t first,
			uint32_t end)
{
	int			d = (int) (on - job->on);
	const BatmapBundle *bundle = &held->bundles[first];
	const BatmapBundle *last = &held->bundles[end - 1];
	BatmapBuild build = {.space = b->space, .band = held->band, .side = *side, .first = bundle->first,
		.n = last->first + last->n - bundle->first, .level = bundle->level, .line = bundle->line, .blocks = b->blocks};
	GpuTimer   *timer;

	build.places = BatmapPlaceBytes(bundle->level) <= b->shared_bytes ? NULL : b->places[d];
	GPU_TRY(GpuThrottle(&job->team, on->device, "building batmaps"));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_BUILD, (double) build.n * SetBytes(build.level), &timer));
	GPU_TRY(BuildBatmaps(on->device, &build));
	return GpuEnd(on->device, GPU_COUNT, timer);
}

/* Builds a band, unless the device has it. */
static cudaError_t
HoldBand(SetsJob *job, SetsDevice *on, Batmaps *b, bool right, uint32_t number)
{
	const FimSetsSide *side = right ? &job->data->right : &job->data->left;
	const uint64_t *start = FIM_SETS_STARTS(job->data, side);
	const Cuts *cuts = right ? &b->right : &b->left;
	Held	   *held = &b->held[on - job->on][right];
	BatmapBand *band = &held->band;
	cudaStream_t stream = on->device->streams[GPU_COUNT];

	if (held->number == number)
		return cudaSuccess;
	held->number = number;
	band->from = cuts->cut[number];
	band->n = cuts->cut[number + 1] - band->from;
	MakeBundles(job, b, side, held);
	GPU_TRY(GpuSend(&job->team, on->device, GPU_COUNT, band->bundles, held->bundles, sizeof(BatmapBundle) * band->nbundles,
					"building batmaps"));
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(band->failed, 0, start[band->from + band->n] - start[band->from], stream),
					 "building batmaps"));
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(band->nfailed, 0, sizeof(uint32_t) * band->n, stream),
					 "building batmaps"));
	for (uint32_t g = 0, end; g < band->nbundles; g = end)
	{
		end = BundlesAtOnce(job, side, held, g);
		GPU_TRY(BuildBundles(job, on, b, right ? &on->relations.right : &on->relations.left, held, g, end));
	}
	return cudaSuccess;
}

/* ---- counting ---- */

/* The pairs of bits that a tile compares, at most. */
static double
TileTests(const Held *left, const Held *right, uint32_t tile)
{
	uint32_t	a = left->bundles[tile / right->band.nbundles].level;
	uint32_t	b = right->bundles[tile % right->band.nbundles].level;

	return (double) SetBytes((uint32_t) GpuGreater(a, b)) * BATMAP_PLANES * BATMAP_BUNDLE * BATMAP_BUNDLE;
}

/* Counts all cells of a unit: its tiles in launches of some milliseconds, and then the failures. */
static cudaError_t
CountAllTiles(SetsJob *job, SetsDevice *on, const BatmapPairs *pairs, const Held *left, const Held *right)
{
	uint32_t	ntiles = left->band.nbundles * right->band.nbundles;
	uint32_t	first = 0;

	while (first < ntiles)
	{
		double		most = GpuLaunchAmount(on->device, 0, 1e12);
		double		tests = 0;
		uint32_t	end = first;
		uint32_t	level = (uint32_t) GpuGreater(left->bundles[first / right->band.nbundles].level, right->bundles[0].level);
		GpuTimer   *timer;

		do
			tests += TileTests(left, right, end++);
		while (end < ntiles && tests < most);
		GPU_TRY(GpuThrottle(&job->team, on->device, what));
		GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_COUNT, tests, &timer));
		GPU_TRY(CountTiles(on->device, pairs, first, end - first, level));
		GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
		first = end;
	}
	return CountFailures(on->device, pairs);
}

static cudaError_t
CountUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const StripCounts *counts, Strips *strips)
{
	Batmaps    *b = (Batmaps *) of;
	int			d = (int) (on - job->on);
	uint32_t	p = (uint32_t) (unit / b->right.n);
	uint32_t	q = (uint32_t) (unit % b->right.n);
	bool		same = job->data->one && p == q;
	const Held *left = &b->held[d][0];
	const Held *right = &b->held[d][!same];
	BatmapPairs pairs = {.space = b->space, .left_side = on->relations.left, .right_side = on->relations.right,
		.same = same, .count = b->count[d], .stride = b->right.ranks};

	if (job->data->one && q < p)
		return cudaSuccess;
	GPU_TRY(HoldBand(job, on, b, false, p));
	if (!same)
		GPU_TRY(HoldBand(job, on, b, true, q));
	pairs.left = left->band;
	pairs.right = right->band;
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(pairs.count, 0, CountBytes(b), on->device->streams[GPU_COUNT]), what));
	GPU_TRY(CountAllTiles(job, on, &pairs, left, right));
	b->cells[d] = (DenseCounts) {.count = pairs.count, .stride = pairs.stride, .row = left->band.from,
		.rows = left->band.n, .column = right->band.from, .columns = right->band.n};
	return DenseCount(job, on, &b->cells[d], counts, strips);
}

static cudaError_t
FillUnit(SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const Strips *strips, uint32_t from, uint32_t to,
		 const CellTarget *target)
{
	return DenseFill(job, on, &((Batmaps *) of)->cells[on - job->on], strips, from, to, target);
}

/* ---- all ---- */

static cudaError_t
Find(SetsJob *job, Batmaps *b)
{
	Finder		finder = {FIM_SETS_BATMAP, 0, CountUnit, FillUnit};

	b->space = SpaceOf(job->data->nkeys);
	b->shared_bytes = UINT64_MAX;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		uint64_t	bytes;

		GPU_TRY(GpuUse(job->on[d].device, what));
		GPU_TRY(BatmapSharedPlaces(job->on[d].device, &bytes));
		b->shared_bytes = GpuLesser(b->shared_bytes, bytes);
	}
	ChooseBands(job, b);
	GPU_TRY(CutSide(job, b, &job->data->left, &b->left));
	if (job->data->one)
		b->right = b->left;
	else
		GPU_TRY(CutSide(job, b, &job->data->right, &b->right));
	GPU_TRY(Open(job, b));
	finder.units = (uint64_t) b->left.n * b->right.n;
	GPU_TRY(FindCells(job, &finder, b));
	return Close(job, b);
}

cudaError_t
BatmapMine(SetsJob *job)
{
	Batmaps    *b;

	GPU_TRY(GpuHostTake(&job->team, sizeof(Batmaps), (void **) &b));
	memset(b, 0, sizeof(*b));
	GPU_TRY(Find(job, b));
	GpuHostFree(&job->team, b);
	return cudaSuccess;
}
