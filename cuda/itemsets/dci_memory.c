/*-------------------------------------------------------------------------
 *
 * dci_memory.c
 *	  Memory of a job of gpuDCI, see dci_memory.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "itemsets/dci_memory.h"

#include <string.h>

/* The number of intersections that a thread block's cache has room for, if there is enough memory. */
#define CACHED_PREFIXES	12

/* The most bytes of a batch. */
#define MOST_BATCH_BYTES	((uint64_t) 8 << 20)

uint64_t
DciLeastBatch(const Dci *dci)
{
	return 256 + sizeof(uint32_t) * ((uint64_t) dci->job->db->max_row + 8);
}

/*
 * Plan what to take of devices that have "room" bytes.  Bitmaps come first, all of them if they
 * fit.  What is left goes to their spare copy and to the caches.  Returns the bytes that are
 * needed, which may be more than "room".
 */
static uint64_t
Plan(void *of, uint64_t room)
{
	Dci		   *dci = (Dci *) of;
	ItemsetJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	uint64_t	fixed;
	uint64_t	bits;
	uint64_t	wanted;

	BitmapsPlanPieces(bitmaps, room);
	dci->batch_bytes = GpuBetween(DciLeastBatch(dci), room / 16, MOST_BATCH_BYTES);
	fixed = sizeof(uint32_t) * (uint64_t) bitmaps->nmap + BitmapsPiecesBytes(bitmaps) +
		2 * dci->batch_bytes + 4096;
	dci->cache_bytes = 0;
	dci->has_spare = false;
	bitmaps->resident = true;
	BitmapsPlan(job, bitmaps, UINT32_MAX);
	bits = BitmapsBytes(bitmaps, true);
	if (fixed + bits > room)
	{
		/* a quarter of what is left is for the caches */
		uint64_t	columns = room > fixed ? (room - fixed) / 4 * 3 /
			(BITMAP_SLOTS * sizeof(uint4) * (uint64_t) GpuGreater(bitmaps->nrows, 1)) * BITMAP_CHUNK : 0;

		bitmaps->resident = false;
		BitmapsPlan(job, bitmaps, GpuLesser(columns, UINT32_MAX));
		bits = BitmapsBytes(bitmaps, false);
		if (fixed + bits > room)
			return fixed + bits;
	}
	else if (fixed + 2 * bits <= room)
	{
		dci->has_spare = true;
		bits *= 2;
	}
	wanted = (uint64_t) job->team.devices[0]->processors * DCI_THREAD_BLOCKS * CACHED_PREFIXES *
		bitmaps->widest * sizeof(uint4);
	dci->cache_bytes = GpuLesser(wanted, room - fixed - bits);
	return fixed + bits + dci->cache_bytes;
}

void
DciFreeMemory(Dci *dci)
{
	for (int d = 0; d < dci->job->team.ndevices; d++)
	{
		DciMemory  *memory = &dci->memory[d];

		for (int i = 0; i < 2; i++)
			OrLeave(GpuFree(dci->job->team.devices[d], memory->batch[i]));
		OrLeave(GpuFree(dci->job->team.devices[d], memory->cache));
		OrLeave(GpuFree(dci->job->team.devices[d], memory->spare));
		memset(memory, 0, sizeof(DciMemory));
	}
	BitmapsFree(dci->job, &dci->bitmaps);
}

static bool
TakePlanned(void *of)
{
	Dci		   *dci = (Dci *) of;
	bool		enough = BitmapsTake(dci->job, &dci->bitmaps);

	for (int d = 0; d < dci->job->team.ndevices && enough; d++)
	{
		GpuDevice  *device = dci->job->team.devices[d];
		DciMemory  *memory = &dci->memory[d];

		for (int i = 0; i < 2 && enough; i++)
		{
			memory->batch[i] = (char *) JobTryAlloc(device, dci->batch_bytes, "allocating batches");
			enough = memory->batch[i] != NULL;
		}
		if (enough && dci->cache_bytes > 0)
		{
			memory->cache = (char *) JobTryAlloc(device, dci->cache_bytes, "allocating prefix caches");
			enough = memory->cache != NULL;
		}
		if (enough && dci->has_spare)
		{
			memory->spare = (uint4 *) JobTryAlloc(device, BitmapsBytes(&dci->bitmaps, true) + 1,
												  "allocating transaction bitmaps");
			enough = memory->spare != NULL;
		}
	}
	if (!enough)
		DciFreeMemory(dci);
	return enough;
}

void
DciTakeMemory(Dci *dci)
{
	BitmapsUser user = {Plan, TakePlanned, dci};

	BitmapsTakeMost(dci->job, &dci->bitmaps, &user);
	dci->encoded = (char *) JobAlloc(dci->job, dci->batch_bytes);
	dci->ready = true;
}
