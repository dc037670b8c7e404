/*-------------------------------------------------------------------------
 *
 * bitmaps.cu
 *	  Building vertical bitmaps on the devices, and counting in them.
 *
 * The host writes parcels.  A parcel holds the items of some transactions, and says which bit
 * of the sheet belongs to each transaction.  Threads of the host fill several parcels at a
 * time.  On the device a few threads take a transaction and set its bit in the rows of its items.
 * Bits are set with atomics, which the second level cache does at about 1e11 a second.
 * Two streams load parcels in turn, so that some are copied while the bits of others are
 * set.  Meanwhile the third stream counts in another sheet.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "itemsets/itemsets.h"
#include "team.h"

#define THREADS			256
#define LANES			8		/* threads that take a transaction */

/*
 * The events that a device has for its family are used for slots.  A slot's first event says
 * that the counting in the slot's sheet has been done, and its second one that the sheet has
 * been loaded.
 */
static inline cudaEvent_t *
UsedSlot(GpuDevice *device, uint32_t slot)
{
	return &device->events[slot];
}

static inline cudaEvent_t *
LoadedSlot(GpuDevice *device, uint32_t slot)
{
	return &device->events[BITMAP_SLOTS + slot];
}

static_assert(2 * BITMAP_SLOTS <= GPU_EVENTS, "a device has too few events for the slots");

/* ---- building ---- */

/* Parcels that have come to a device. */
typedef struct Loaded
{
	const char *parcels;		/* one after the other; each has items, then places */
	size_t		size;			/* bytes of a parcel */
	uint32_t	nitems[BITMAP_PARCELS];
	uint32_t	nplaces[BITMAP_PARCELS];
} Loaded;

/* Set the bits of parcels.  The second dimension of the grid is the number of the parcel. */
static __global__ void __launch_bounds__(THREADS)
SetBitsKernel(const __grid_constant__ Loaded loaded, const uint32_t *map, uint32_t nmap,
			  uint32_t *words, uint64_t row_words)
{
	const uint32_t *items = (const uint32_t *) (loaded.parcels + blockIdx.y * loaded.size);
	const BitPlace *places = (const BitPlace *) (items + loaded.nitems[blockIdx.y]);
	uint32_t	p = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;

	if (p >= loaded.nplaces[blockIdx.y])
		return;

	BitPlace	place = places[p];
	uint32_t	bit = 1u << place.bit % 32;

	for (uint32_t i = threadIdx.x % LANES; i < place.length; i += LANES)
	{
		uint32_t	item = items[place.from + i];
		uint32_t	row = item < nmap ? map[item] : GPU_NONE;

		if (row != GPU_NONE)
			atomicOr(&words[row * row_words + place.bit / 32], bit);
	}
}

/*
 * A planned parcel.  It begins with the bits of a row that did not fit into the parcel before,
 * and goes on with the bits of the rows after it.  In memory a parcel has the rows' items, which
 * follow one another in the database, and then the places of the bits.
 */
typedef struct SheetParcel
{
	uint32_t	row;			/* the first row */
	uint32_t	given;			/* how many bits of this row are in parcels before */
	uint32_t	next[BITMAP_PLANES]; /* in each plane, the first bit that no transaction has yet */
	size_t		nitems;
	size_t		nplaces;
} SheetParcel;

/* Parcels that are being filled in a half of the shared buffer, for all devices. */
typedef struct HalfFilling
{
	const Bitmaps *bitmaps;
	const BitSheet *sheet;
	char	   *half;
	uint32_t	nparcels;
	SheetParcel	parcels[BITMAP_PARCELS];
} HalfFilling;

/*
 * The number of bits of a row: one for each transaction that it stands for, or one for each
 * plane that its weight is in.
 */
static uint32_t
BitsOfRow(const BitSheet *sheet, const FimRow *row)
{
	return sheet->copies ? row->weight : (uint32_t) __builtin_popcount(row->weight);
}

/*
 * Give up to "most" bits to a row that has got "given" bits before.  next[] has the first free
 * bit of each plane, and is advanced.  "from" is the index of the row's items in the parcel.
 * Returns how many bits the row is given now, and writes their places to "to" unless that is
 * NULL.
 */
static uint32_t
GiveBits(const BitSheet *sheet, const FimRow *row, uint32_t given, uint64_t most, uint32_t *next,
		 uint32_t from, BitPlace *to)
{
	uint32_t	n = 0;

	if (sheet->copies)
	{
		n = (uint32_t) GpuLesser(row->weight - given, most);
		for (uint32_t i = 0; i < n && to != NULL; i++)
			to[i] = BitPlace {from, row->length, next[0] + i};
		next[0] += n;
		return n;
	}
	for (uint32_t p = 0; p < sheet->planes.n && n < most; p++)
	{
		if ((row->weight >> sheet->planes.shift[p] & 1) == 0)
			continue;
		if (given > 0)
		{
			given--;
			continue;
		}
		if (to != NULL)
			to[n] = BitPlace {from, row->length, next[p]};
		next[p]++;
		n++;
	}
	return n;
}

/* Plan a parcel with as many bits as fit, from *at on.  Advances *at to where the next parcel begins. */
static void
PlanParcel(const HalfFilling *filling, SheetParcel *at, SheetParcel *parcel)
{
	const BitSheet *sheet = filling->sheet;
	const FimRow *rows = filling->bitmaps->from.rows;
	size_t		size = filling->bitmaps->parcel_bytes;
	uint64_t	first = rows[at->row].at;

	at->nitems = at->nplaces = 0;
	*parcel = *at;
	while (at->row < sheet->end)
	{
		const FimRow *row = &rows[at->row];
		size_t		nitems = (size_t) (row->at - first) + row->length;
		size_t		used = sizeof(uint32_t) * nitems + sizeof(BitPlace) * parcel->nplaces;
		uint32_t	n;

		if (used + sizeof(BitPlace) > size)
			break;
		n = GiveBits(sheet, row, at->given, (size - used) / sizeof(BitPlace), at->next, 0, NULL);
		parcel->nitems = nitems;
		parcel->nplaces += n;
		at->given += n;
		if (at->given < BitsOfRow(sheet, row))
			break;
		at->row++;
		at->given = 0;
	}
}

static void
FillParcel(void *of, uint32_t number, uint32_t thread)
{
	const HalfFilling *filling = (const HalfFilling *) of;
	const Bitmaps *bitmaps = filling->bitmaps;
	const FimRow *row = &bitmaps->from.rows[filling->parcels[number].row];
	SheetParcel	parcel = filling->parcels[number];
	char	   *to = filling->half + number * bitmaps->parcel_bytes;
	BitPlace   *places = (BitPlace *) (to + sizeof(uint32_t) * parcel.nitems);
	uint64_t	first = row->at;

	memcpy(to, bitmaps->from.items + first, sizeof(uint32_t) * parcel.nitems);
	for (size_t n = 0; n < parcel.nplaces; row++)
	{
		n += GiveBits(filling->sheet, row, parcel.given, parcel.nplaces - n, parcel.next,
					  (uint32_t) (row->at - first), places + n);
		parcel.given = 0;
	}
}

/* The view of a sheet on a device.  The sheet's bits may not have been set yet. */
static BitView
ViewOf(const Bitmaps *bitmaps, int d, const BitSheet *sheet, uint32_t slot)
{
	uint64_t	at = bitmaps->resident ? sheet->at : (uint64_t) bitmaps->widest * slot;

	return BitView {bitmaps->memory[d].bits + at * bitmaps->nrows, sheet->chunks, sheet->planes};
}

/* Copy the parcels to a device and set their bits. */
static void
SendParcels(GpuDevice *device, const HalfFilling *filling, int half, int loader, const BitMemory *memory,
		   const BitView *view)
{
	static const char what[] = "building transaction bitmaps";
	const Bitmaps *bitmaps = filling->bitmaps;
	int			stream = 1 + loader;
	Loaded		loaded = {memory->parcels[loader], bitmaps->parcel_bytes};
	size_t		most = 0;
	size_t		used = 0;
	double		amount = 0;
	GpuTimer   *timer;

	for (uint32_t i = 0; i < filling->nparcels; i++)
	{
		const SheetParcel *parcel = &filling->parcels[i];
		size_t		items = sizeof(uint32_t) * parcel->nitems;

		loaded.nitems[i] = (uint32_t) parcel->nitems;
		loaded.nplaces[i] = (uint32_t) parcel->nplaces;
		most = GpuGreater(most, parcel->nplaces);
		used = items + sizeof(BitPlace) * parcel->nplaces;
		amount += (double) (items + used);
	}
	OrLeave(GpuSendShared(device, stream, half, memory->parcels[loader],
						  (filling->nparcels - 1) * bitmaps->parcel_bytes + used, "copying transactions"));
	timer = JobBegin(device, stream, FIM_GPU_BUILD, amount);
	SetBitsKernel<<<dim3(GpuBlocks(most * LANES, THREADS), filling->nparcels), THREADS, 0,
		device->streams[stream]>>> (loaded, memory->map, bitmaps->nmap, (uint32_t *) view->bits,
									view->stride * 4);
	OrLeave(GpuLaunched(device, what));
	OrLeave(GpuEnd(device, stream, timer));
}

/* Send the sheet's parcels to all devices, by their loading streams in turn. */
static void
FillSheet(ItemsetsJob *job, const Bitmaps *bitmaps, const BitSheet *sheet, uint32_t slot)
{
	int			loader = 0;
	SheetParcel	at;
	HalfFilling	filling;

	memset(&at, 0, sizeof(at));
	at.row = sheet->first;
	for (uint32_t p = 1; p < sheet->planes.n; p++)
		at.next[p] = sheet->planes.end[p - 1] * BITMAP_CHUNK;
	filling.bitmaps = bitmaps;
	filling.sheet = sheet;
	for (; at.row < sheet->end; loader = (loader + 1) % GPU_LOADERS)
	{
		int			half;

		OrLeave(GpuNextHalf(&job->team, &half, &filling.half));
		filling.nparcels = 0;
		while (filling.nparcels < bitmaps->nparcels && at.row < sheet->end)
			PlanParcel(&filling, &at, &filling.parcels[filling.nparcels++]);
		OrLeave(HostRun(&job->team, filling.nparcels, FillParcel, &filling));
		for (int d = 0; d < job->team.ndevices; d++)
		{
			BitView		view = ViewOf(bitmaps, d, sheet, slot);

			SendParcels(job->team.devices[d], &filling, half, loader, &bitmaps->memory[d], &view);
		}
	}
}

/* Have the loading streams clear the sheet's memory, once all counting there has been done. */
static void
ClearSheet(ItemsetsJob *job, const Bitmaps *bitmaps, int d, const BitSheet *sheet, uint32_t slot)
{
	static const char what[] = "building transaction bitmaps";
	GpuDevice  *device = job->team.devices[d];
	BitView		view = ViewOf(bitmaps, d, sheet, slot);

	OrLeave(GpuUse(device, what));
	if (!bitmaps->resident)
		OrLeave(GpuCheck(device, cudaStreamWaitEvent(device->streams[1], *UsedSlot(device, slot), 0), what));
	OrLeave(GpuCheck(device, cudaMemsetAsync((void *) view.bits, 0,
											 sizeof(uint4) * view.stride * bitmaps->nrows,
											 device->streams[1]), what));
	for (int i = 2; i < GPU_STREAMS; i++)
		OrLeave(GpuFollow(device, i, 1, what));
}

/* Have the first loading stream wait for the others, and complete the sheet. */
static void
FinishSheet(ItemsetsJob *job, const Bitmaps *bitmaps, int d, uint32_t sheet, uint32_t slot,
			BitmapsBuilt built)
{
	static const char what[] = "building transaction bitmaps";
	GpuDevice  *device = job->team.devices[d];
	BitView		view = ViewOf(bitmaps, d, &bitmaps->sheets[sheet], slot);

	OrLeave(GpuUse(device, what));
	for (int i = 2; i < GPU_STREAMS; i++)
		OrLeave(GpuFollow(device, 1, i, what));
	if (built.function != NULL)
		built.function(built.of, d, bitmaps->resident ? sheet : slot, &view);
	OrLeave(GpuCheck(device, cudaEventRecord(*LoadedSlot(device, slot), device->streams[1]), what));
}

/*
 * Sets *slot to the slot in which a sheet is or will be loaded, and returns whether the sheet
 * is there already.  Resident sheets lie one after the other and use the events of the first
 * slot.
 */
static bool
SlotOf(const Bitmaps *bitmaps, uint32_t sheet, uint32_t *slot)
{
	*slot = 0;
	if (bitmaps->resident)
		return sheet < bitmaps->nbuilt;
	while (*slot < BITMAP_SLOTS && bitmaps->loaded[*slot] != sheet)
		++*slot;
	if (*slot < BITMAP_SLOTS)
		return true;
	*slot = bitmaps->next_slot;
	return false;
}

/*
 * Start building a sheet on all devices, unless it is there.  The host goes through the
 * transactions once for all devices.  With two slots, a sheet that streams replaces the last
 * but one, as soon as the counting in that has been done.  Resident sheets are loaded in their
 * order.
 */
static void
LoadSheet(ItemsetsJob *job, Bitmaps *bitmaps, uint32_t number, BitmapsBuilt built)
{
	const BitSheet *sheet = &bitmaps->sheets[number];
	uint32_t	slot;

	if (SlotOf(bitmaps, number, &slot))
		return;
	for (int d = 0; d < job->team.ndevices; d++)
		ClearSheet(job, bitmaps, d, sheet, slot);
	FillSheet(job, bitmaps, sheet, slot);
	for (int d = 0; d < job->team.ndevices; d++)
		FinishSheet(job, bitmaps, d, number, slot, built);
	if (bitmaps->resident)
		bitmaps->nbuilt = number + 1;
	else
	{
		bitmaps->loaded[slot] = number;
		bitmaps->next_slot = (slot + 1) % BITMAP_SLOTS;
	}
}

/* Have the counting stream wait until the slot's sheet is loaded. */
static void
AwaitSheet(GpuDevice *device, uint32_t slot)
{
	OrLeave(GpuUse(device, "building transaction bitmaps"));
	OrLeave(GpuCheck(device, cudaStreamWaitEvent(device->streams[GPU_COUNT], *LoadedSlot(device, slot), 0),
					 "building transaction bitmaps"));
}

/* Launch on all devices in turn, until none of them has anything left to count. */
static void
LaunchOnAll(ItemsetsJob *job, Bitmaps *bitmaps, const BitmapsWork *work, uint32_t sheet, uint32_t nsheets)
{
	bool		more[FIM_GPU_MAX_DEVICES];
	BitView		view[FIM_GPU_MAX_DEVICES];
	uint32_t	slot;
	bool		any = true;
	bool		prefetched = bitmaps->resident;

	(void) SlotOf(bitmaps, sheet, &slot);
	/* a device that has nothing to count must wait, too, because its bits may be moved next */
	for (int d = 0; d < job->team.ndevices; d++)
	{
		view[d] = ViewOf(bitmaps, d, &bitmaps->sheets[sheet], slot);
		AwaitSheet(job->team.devices[d], slot);
		more[d] = work->begin(work->of, d);
	}
	while (any)
	{
		any = false;
		for (int d = 0; d < job->team.ndevices; d++)
		{
			GpuDevice  *device = job->team.devices[d];

			if (!more[d])
				continue;
			OrLeave(GpuThrottle(&job->team, device, "counting candidates"));
			more[d] = work->launch(work->of, d, &view[d], bitmaps->resident ? sheet : slot, nsheets);
			any |= more[d];
		}
		/* while the first launches run, load the next sheet */
		if (!prefetched && sheet + 1 < bitmaps->nsheets)
			LoadSheet(job, bitmaps, sheet + 1, work->built);
		prefetched = true;
	}
}

/* Record, in the counting streams, that the counting in the sheet has been done. */
static void
LeaveSheet(ItemsetsJob *job, const Bitmaps *bitmaps, uint32_t sheet)
{
	uint32_t	slot;

	(void) SlotOf(bitmaps, sheet, &slot);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];

		OrLeave(GpuUse(device, "counting candidates"));
		OrLeave(GpuCheck(device, cudaEventRecord(*UsedSlot(device, slot), device->streams[GPU_COUNT]),
						 "counting candidates"));
	}
}

/*
 * Resident sheets are counted in together.  Otherwise one sheet after the other is counted in,
 * while the next one is loaded.  (This is the nested-loop streaming of Chon, Hwang and Kim,
 * section 3; its outer operand is the batch.)
 */
void
BitmapsCount(ItemsetsJob *job, Bitmaps *bitmaps, const BitmapsWork *work)
{
	for (uint32_t b = 0; b < bitmaps->nsheets; b++)
	{
		LoadSheet(job, bitmaps, b, work->built);
		if (bitmaps->resident)
			continue;
		LaunchOnAll(job, bitmaps, work, b, 1);
		LeaveSheet(job, bitmaps, b);
	}
	if (bitmaps->resident && bitmaps->nsheets > 0)
		LaunchOnAll(job, bitmaps, work, 0, bitmaps->nsheets);
}
