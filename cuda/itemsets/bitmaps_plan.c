/*-------------------------------------------------------------------------
 *
 * bitmaps_plan.c
 *	  How bitmaps are cut into sheets, and what they take of the devices.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "itemsets/itemsets.h"
#include "team.h"

void
TransactionsOfDatabase(const ItemsetsJob *job, ItemsetTransactions *to)
{
	to->rows = job->rows;
	to->items = job->items;
	to->nrows = job->db->nrows;
	to->longest = job->db->max_row;
	to->entries = job->db->entries;
	to->weighted = job->db->weighted != 0;
}

/* ---- planning ---- */

static uint32_t
BitsOf(uint32_t weight)
{
	return (uint32_t) __builtin_popcount(weight);
}

static uint32_t
ChunksOf(uint64_t bits)
{
	return (uint32_t) ((bits + BITMAP_CHUNK - 1) / BITMAP_CHUNK);
}

uint64_t
BitmapsWidth(const ItemsetTransactions *from)
{
	uint64_t	bits = from->nrows;

	if (from->weighted)
	{
		bits = BITMAP_PLANES * BITMAP_CHUNK;
		for (uint32_t r = 0; r < from->nrows; r++)
			bits += BitsOf(from->rows[r].weight);
	}
	return bits;
}

/* Find the planes of a sheet's rows. */
static void
PlanPlanes(const ItemsetTransactions *from, BitSheet *sheet)
{
	uint64_t	rows[BITMAP_PLANES] = {0};
	uint64_t	total = 0;
	Planes	   *planes = &sheet->planes;

	memset(planes, 0, sizeof(Planes));
	if (from->weighted)
		for (uint32_t r = sheet->first; r < sheet->end; r++)
		{
			total += from->rows[r].weight;
			for (uint32_t left = from->rows[r].weight; left != 0; left &= left - 1)
				rows[__builtin_ctz(left)]++;
		}
	else
		total = rows[0] = sheet->end - sheet->first;
	sheet->chunks = 0;
	for (int s = 0; s < BITMAP_PLANES; s++)
	{
		if (rows[s] == 0)
			continue;
		sheet->chunks += ChunksOf(rows[s]);
		planes->shift[planes->n] = (uint8_t) s;
		planes->end[planes->n++] = sheet->chunks;
	}
	sheet->copies = total <= UINT32_MAX && ChunksOf(total) <= sheet->chunks;
	if (sheet->copies)
	{
		planes->n = 1;
		planes->shift[0] = 0;
		planes->end[0] = sheet->chunks = ChunksOf(total);
	}
}

static void
AddSheet(ItemsetsJob *job, Bitmaps *bitmaps, uint32_t first, uint32_t end)
{
	BitSheet   *sheet;

	bitmaps->sheets = (BitSheet *) JobGrow(job, bitmaps->sheets, bitmaps->nsheets,
											   bitmaps->nsheets + UINT64_C(1), &bitmaps->room,
											   sizeof(BitSheet));
	sheet = &bitmaps->sheets[bitmaps->nsheets++];
	sheet->first = first;
	sheet->end = end;
	PlanPlanes(&bitmaps->from, sheet);
	sheet->at = bitmaps->chunks;
	bitmaps->chunks += sheet->chunks;
	if (sheet->chunks > bitmaps->widest)
		bitmaps->widest = sheet->chunks;
}

void
BitmapsPlan(ItemsetsJob *job, Bitmaps *bitmaps, uint64_t width)
{
	const ItemsetTransactions *from = &bitmaps->from;
	uint32_t	first = 0;

	bitmaps->nsheets = 0;
	bitmaps->widest = 0;
	bitmaps->chunks = 0;
	while (first < from->nrows)
	{
		uint64_t	rows[BITMAP_PLANES] = {0};
		uint64_t	chunks = 0;
		uint32_t	end = first;

		if (!from->weighted)
			end = (uint32_t) GpuLesser(from->nrows, first + GpuGreater(width, 1));
		else
			for (; end < from->nrows; end++)
			{
				for (uint32_t left = from->rows[end].weight; left != 0; left &= left - 1)
					chunks += rows[__builtin_ctz(left)]++ % BITMAP_CHUNK == 0;
				if (chunks * BITMAP_CHUNK > width && end > first)
					break;
			}
		AddSheet(job, bitmaps, first, end);
		first = end;
	}
}

uint64_t
BitmapsBytes(const Bitmaps *bitmaps, bool resident)
{
	uint64_t	chunks = resident ? bitmaps->chunks : (uint64_t) bitmaps->widest * BITMAP_SLOTS;

	return chunks * bitmaps->nrows * sizeof(uint4);
}

size_t
BitmapsLeastParcel(const ItemsetTransactions *from)
{
	return sizeof(uint32_t) * (size_t) from->longest + sizeof(BitPlace);
}

void
BitmapsPlanParcels(Bitmaps *bitmaps, uint64_t room)
{
	uint64_t	bytes = GpuLesser(room / 16, GPU_SHARED);
	uint64_t	parcel = GpuGreater(BitmapsLeastParcel(&bitmaps->from), bytes / BITMAP_PARCELS);

	bitmaps->parcel_bytes = (parcel + 15) / 16 * 16;
	bitmaps->nparcels = (uint32_t) GpuBetween(1, bytes / bitmaps->parcel_bytes, BITMAP_PARCELS);
}

size_t
BitmapsParcelsBytes(const Bitmaps *bitmaps)
{
	return GPU_LOADERS * bitmaps->nparcels * bitmaps->parcel_bytes;
}

bool
BitmapsTake(ItemsetsJob *job, Bitmaps *bitmaps)
{
	static const char what[] = "allocating transaction bitmaps";

	bitmaps->nbuilt = 0;
	bitmaps->next_slot = 0;
	for (int i = 0; i < BITMAP_SLOTS; i++)
		bitmaps->loaded[i] = GPU_NONE;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		BitMemory  *memory = &bitmaps->memory[d];
		bool		enough = true;

		memory->map = (uint32_t *) JobTryAlloc(device, sizeof(uint32_t) * (size_t) bitmaps->nmap + 1, what);
		enough &= memory->map != NULL;
		for (int i = 0; i < GPU_LOADERS && enough; i++)
		{
			memory->parcels[i] = (char *) JobTryAlloc(device, bitmaps->nparcels * bitmaps->parcel_bytes, what);
			enough &= memory->parcels[i] != NULL;
		}
		if (enough)
			memory->bits = (uint4 *) JobTryAlloc(device, BitmapsBytes(bitmaps, bitmaps->resident) + 1,
												   what);
		if (!enough || memory->bits == NULL)
		{
			BitmapsFree(job, bitmaps);
			return false;
		}
		OrLeave(GpuSend(&job->team, device, GPU_COUNT, memory->map, bitmaps->map,
						sizeof(uint32_t) * (size_t) bitmaps->nmap, "copying the items' rows"));
		for (int i = 1; i < GPU_STREAMS; i++)
			OrLeave(GpuFollow(device, i, GPU_COUNT, "copying the items' rows"));
	}
	return true;
}

void
BitmapsFree(ItemsetsJob *job, Bitmaps *bitmaps)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		BitMemory  *memory = &bitmaps->memory[d];

		OrLeave(GpuFree(job->team.devices[d], memory->map));
		for (int i = 0; i < GPU_LOADERS; i++)
			OrLeave(GpuFree(job->team.devices[d], memory->parcels[i]));
		OrLeave(GpuFree(job->team.devices[d], memory->bits));
		memset(memory, 0, sizeof(BitMemory));
	}
}

void
BitmapsTakeMost(ItemsetsJob *job, const Bitmaps *bitmaps, const BitmapsUser *user)
{
	uint64_t	room = GpuLeastRoom(&job->team);
	uint64_t	needed;

	do
	{
		needed = BitmapsLeastParcel(&bitmaps->from) > GPU_SHARED ? UINT64_MAX : user->plan(user->of, room);
		if (needed > room)
			OrLeave(GpuOutOfMemory(job->team.devices[0], needed, "allocating transaction bitmaps"));
		room = room / 4 * 3;
	} while (!user->take(user->of));
}
