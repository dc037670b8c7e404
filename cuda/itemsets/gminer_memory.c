/*-------------------------------------------------------------------------
 *
 * gminer_memory.c
 *	  Fragments, transaction blocks and other memory of a job of GMiner, see gminer_memory.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "itemsets/gminer_memory.h"

#include <string.h>

#define MAX_FRAGMENT	5		/* items: the paper's optimum */
#define MAX_BLOCKS		60000	/* a grid's second dimension is limited */

/* The fewest chunks of a streamed block, if fragments have more than one item. */
#define LEAST_CHUNKS	64

/* The most bytes of a batch.  It is small, so that the host forms one batch while another is counted. */
#define BATCH_BYTES		((uint64_t) 4 << 20)
/* The most bytes of a batch if blocks stream, since they do so once for each batch. */
#define STREAMED_BYTES	((uint64_t) 1 << 30)

uint32_t
GminerFragments(const Gminer *gminer)
{
	uint32_t	nitems = gminer->job->nitems - gminer->job->skip;

	return (nitems + gminer->fragment - 1) / gminer->fragment;
}

/* Use fragments of "fragment" items.  The row of an item is that of the set that holds it alone. */
static void
SetFragment(Gminer *gminer, uint32_t fragment)
{
	const ItemsetJob *job = gminer->job;

	gminer->fragment = fragment;
	gminer->fragment_rows = (UINT32_C(1) << fragment) - 1;
	for (uint32_t i = 0; i < job->skip; i++)
		gminer->map[i] = GPU_NONE;
	for (uint32_t i = job->skip; i < job->nitems; i++)
	{
		uint32_t	n = i - job->skip;

		gminer->map[i] = n / fragment * gminer->fragment_rows + (UINT32_C(1) << n % fragment) - 1;
	}
	gminer->bitmaps.nrows = GminerFragments(gminer) * gminer->fragment_rows;
}

/*
 * Transaction blocks are so wide that a block's rows fill most of the second level
 * cache.  The paper's 262,144 bits are right for the devices of its time.
 */
static uint64_t
BlockWidth(const Gminer *gminer, uint64_t room)
{
	uint64_t	cache = GpuLesser(gminer->job->team.devices[0]->l2_size / 4 * 3, room / 8);
	uint64_t	chunks = cache / (sizeof(uint4) * GpuGreater(gminer->bitmaps.nrows, 1));
	uint64_t	least = BitmapsColumns(&gminer->bitmaps.from) / MAX_BLOCKS / BITMAP_CHUNK + 2;

	return GpuGreater(chunks, least) * BITMAP_CHUNK;
}

/* Plan for fragments of "fragment" items.  Returns the bytes that are needed of each device. */
static uint64_t
PlanFragment(Gminer *gminer, uint32_t fragment, uint64_t room)
{
	Bitmaps    *bitmaps = &gminer->bitmaps;
	uint64_t	least = 256 + sizeof(uint32_t) * ((uint64_t) gminer->job->db->max_row + 8);
	uint64_t	width;
	uint64_t	fixed;
	uint64_t	resident;
	uint64_t	columns;

	SetFragment(gminer, fragment);
	BitmapsPlanPieces(bitmaps, room);
	gminer->batch_bytes = GpuBetween(least, room / 16, BATCH_BYTES);
	width = BlockWidth(gminer, room);
	fixed = sizeof(uint32_t) * (uint64_t) bitmaps->nmap + BitmapsPiecesBytes(bitmaps) + 4096;
	bitmaps->resident = true;
	BitmapsPlan(gminer->job, bitmaps, width);
	resident = fixed + sizeof(BitView) * (uint64_t) bitmaps->nblocks + 2 * gminer->batch_bytes +
		BitmapsBytes(bitmaps, true);
	if (resident <= room)
		return resident;

	/* blocks come once for each batch, so larger batches mean fewer copies */
	bitmaps->resident = false;
	gminer->batch_bytes = GpuBetween(least, room / 8, STREAMED_BYTES);
	fixed += sizeof(BitView) * BITMAP_SLOTS + 2 * gminer->batch_bytes;
	columns = room > fixed ? (room - fixed) / BITMAP_SLOTS /
		(sizeof(uint4) * GpuGreater(bitmaps->nrows, 1)) * BITMAP_CHUNK : 0;
	BitmapsPlan(gminer->job, bitmaps, GpuLesser(columns, UINT32_MAX));
	return fixed + BitmapsBytes(bitmaps, false);
}

/*
 * Plan for the largest fragments whose blocks stay on the device.  If there are none,
 * plan for the largest fragments whose streamed blocks are not too narrow.
 */
static uint64_t
Plan(void *of, uint64_t room)
{
	Gminer	   *gminer = (Gminer *) of;
	uint32_t	most = gminer->job->asked->head.strategy == FIM_GPU_TFL ? 1 : MAX_FRAGMENT;
	uint64_t	needed = UINT64_MAX;

	for (uint32_t fragment = most; fragment > 0; fragment--)
	{
		needed = PlanFragment(gminer, fragment, room);
		if (needed <= room && gminer->bitmaps.resident)
			return needed;
	}
	for (uint32_t fragment = most; fragment > 1; fragment--)
	{
		needed = PlanFragment(gminer, fragment, room);
		if (needed <= room && gminer->bitmaps.widest >= LEAST_CHUNKS)
			return needed;
	}
	return PlanFragment(gminer, 1, room);
}

static bool
TakePlanned(void *of)
{
	Gminer	   *gminer = (Gminer *) of;
	ItemsetJob *job = gminer->job;
	bool		enough = BitmapsTake(job, &gminer->bitmaps);

	for (int d = 0; d < job->team.ndevices && enough; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		GminerMemory *memory = &gminer->memory[d];
		uint32_t	nviews = gminer->bitmaps.resident ? gminer->bitmaps.nblocks : BITMAP_SLOTS;

		for (int i = 0; i < 2 && enough; i++)
		{
			memory->batch[i] = (char *) JobTryAlloc(device, gminer->batch_bytes, "allocating batches");
			enough = memory->batch[i] != NULL;
		}
		if (enough)
			memory->views = (BitView *) JobTryAlloc(device, sizeof(BitView) * ((size_t) nviews + 1),
													"allocating batches");
		enough &= memory->views != NULL;
	}
	if (enough)
		return true;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		for (int i = 0; i < 2; i++)
			OrLeave(GpuFree(job->team.devices[d], gminer->memory[d].batch[i]));
		OrLeave(GpuFree(job->team.devices[d], gminer->memory[d].views));
		memset(&gminer->memory[d], 0, sizeof(GminerMemory));
	}
	BitmapsFree(job, &gminer->bitmaps);
	return false;
}

void
GminerTakeMemory(Gminer *gminer)
{
	BitmapsUser user = {Plan, TakePlanned, gminer};

	BitmapsTakeMost(gminer->job, &gminer->bitmaps, &user);
	gminer->ready = true;
}
