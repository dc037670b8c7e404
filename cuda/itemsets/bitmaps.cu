/*-------------------------------------------------------------------------
 *
 * bitmaps.cu
 *	  Vertical bitmaps on the devices, in blocks of transactions.
 *
 * Building: the host says for each transaction which bit is its own, in pieces
 * with the transactions' items, several of which are filled at a time by as many
 * threads; on the device a few threads take a transaction and set its bit in the
 * rows of its items.  Bits are set with atomics, which the second level cache does
 * at about 1e11 a second.  Two streams load pieces in turn, so that some are copied
 * while the bits of others are set, and a third stream counts in another block
 * meanwhile.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "host_threads.h"
#include "itemsets/bitmaps.h"

#define THREADS			256
#define LANES			8		/* that take a transaction */

/* Pieces that are filled at the same time and copied together, if each holds a transaction. */
#define PIECES			16

/* A bit of a block and the items in whose rows it is to be set. */
typedef struct BitPlace
{
	uint32_t	from;			/* the index of the first item in the piece */
	uint32_t	length;			/* how many items there are */
	uint32_t	bit;			/* its number in the rows */
} BitPlace;

/* Of the events that a device has for its family: a slot's block has been counted, or loaded. */
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

void
TransactionsOfDatabase(const ItemsetJob *job, Transactions *to)
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

/* How many bits wide all transactions are, or a little more. */
uint64_t
BitmapsColumns(const Transactions *from)
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

/* The planes of rows first to end. */
static void
PlanPlanes(const Transactions *from, BitBlock *block)
{
	uint64_t	rows[BITMAP_PLANES] = {0};
	uint64_t	total = 0;
	Planes	   *planes = &block->planes;

	memset(planes, 0, sizeof(Planes));
	if (from->weighted)
		for (uint32_t r = block->first; r < block->end; r++)
		{
			total += from->rows[r].weight;
			for (uint32_t left = from->rows[r].weight; left != 0; left &= left - 1)
				rows[__builtin_ctz(left)]++;
		}
	else
		total = rows[0] = block->end - block->first;
	block->chunks = 0;
	for (int s = 0; s < BITMAP_PLANES; s++)
	{
		if (rows[s] == 0)
			continue;
		block->chunks += ChunksOf(rows[s]);
		planes->shift[planes->n] = (uint8_t) s;
		planes->end[planes->n++] = block->chunks;
	}
	block->copies = total <= UINT32_MAX && ChunksOf(total) <= block->chunks;
	if (block->copies)
	{
		planes->n = 1;
		planes->shift[0] = 0;
		planes->end[0] = block->chunks = ChunksOf(total);
	}
}

static void
AddBlock(ItemsetJob *job, Bitmaps *bitmaps, uint32_t first, uint32_t end)
{
	BitBlock   *block;

	bitmaps->blocks = (BitBlock *) JobGrow(job, bitmaps->blocks, bitmaps->nblocks,
											   bitmaps->nblocks + UINT64_C(1), &bitmaps->room,
											   sizeof(BitBlock));
	block = &bitmaps->blocks[bitmaps->nblocks++];
	block->first = first;
	block->end = end;
	PlanPlanes(&bitmaps->from, block);
	block->at = bitmaps->chunks;
	bitmaps->chunks += block->chunks;
	if (block->chunks > bitmaps->widest)
		bitmaps->widest = block->chunks;
}

/* Cut the transactions into blocks of at most so many bits, one row at least. */
void
BitmapsPlan(ItemsetJob *job, Bitmaps *bitmaps, uint64_t width)
{
	const Transactions *from = &bitmaps->from;
	uint32_t	first = 0;

	bitmaps->nblocks = 0;
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
		AddBlock(job, bitmaps, first, end);
		first = end;
	}
}

uint64_t
BitmapsBytes(const Bitmaps *bitmaps, bool resident)
{
	uint64_t	chunks = resident ? bitmaps->chunks : (uint64_t) bitmaps->widest * BITMAP_SLOTS;

	return chunks * bitmaps->nrows * sizeof(uint4);
}

/* Up to GPU_SHARED there is a place for it. */
size_t
BitmapsLeastPiece(const Transactions *from)
{
	return sizeof(uint32_t) * (size_t) from->longest + sizeof(BitPlace);
}

/* Choose the pieces, where there is so much memory for all else, too. */
void
BitmapsPlanPieces(Bitmaps *bitmaps, uint64_t room)
{
	uint64_t	bytes = GpuLesser(room / 16, GPU_SHARED);
	uint64_t	piece = GpuGreater(BitmapsLeastPiece(&bitmaps->from), bytes / PIECES);

	bitmaps->piece_bytes = (piece + 15) / 16 * 16;
	bitmaps->npieces = (uint32_t) GpuBetween(1, bytes / bitmaps->piece_bytes, PIECES);
}

/* What holds them on a device, for all loading streams. */
size_t
BitmapsPiecesBytes(const Bitmaps *bitmaps)
{
	return GPU_LOADERS * bitmaps->npieces * bitmaps->piece_bytes;
}

/* Take the memory on all devices; false, and none taken, if one has too little. */
bool
BitmapsTake(ItemsetJob *job, Bitmaps *bitmaps)
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
			memory->pieces[i] = (char *) JobTryAlloc(device, bitmaps->npieces * bitmaps->piece_bytes, what);
			enough &= memory->pieces[i] != NULL;
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

/* Nothing may be under way in them. */
void
BitmapsFree(ItemsetJob *job, Bitmaps *bitmaps)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		BitMemory  *memory = &bitmaps->memory[d];

		OrLeave(GpuFree(job->team.devices[d], memory->map));
		for (int i = 0; i < GPU_LOADERS; i++)
			OrLeave(GpuFree(job->team.devices[d], memory->pieces[i]));
		OrLeave(GpuFree(job->team.devices[d], memory->bits));
		memset(memory, 0, sizeof(BitMemory));
	}
}

/* ---- building ---- */

/* Pieces on a device. */
typedef struct Loaded
{
	const char *pieces;			/* each of size bytes: items, then places */
	size_t		size;
	uint32_t	nitems[PIECES];
	uint32_t	nplaces[PIECES];
} Loaded;

/* The second dimension of the grid is the piece's number. */
static __global__ void __launch_bounds__(THREADS)
SetBitsKernel(const __grid_constant__ Loaded loaded, const uint32_t *map, uint32_t nmap,
			  uint32_t *words, uint64_t row_words)
{
	const uint32_t *items = (const uint32_t *) (loaded.pieces + blockIdx.y * loaded.size);
	const BitPlace   *places = (const BitPlace *) (items + loaded.nitems[blockIdx.y]);
	uint32_t	p = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;

	if (p >= loaded.nplaces[blockIdx.y])
		return;

	BitPlace		place = places[p];
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
 * Some of a block's bits: for rows from one on, of which some bits have been given
 * out before.  In memory these are the rows' items, which follow one another in the
 * database, and then the places.
 */
typedef struct BlockPiece
{
	uint32_t	row;
	uint32_t	given;
	uint32_t	next[BITMAP_PLANES];	/* the next bit of each plane */
	size_t		nitems;
	size_t		nplaces;
} BlockPiece;

/* Pieces being filled in half of the shared buffer, for all devices. */
typedef struct HalfFilling
{
	const Bitmaps *bitmaps;
	const BitBlock *block;
	char	   *half;
	uint32_t	npieces;
	BlockPiece		pieces[PIECES];
} HalfFilling;

/* Bits of a row: one for each copy, or for each plane that it is in. */
static uint32_t
BitsOfRow(const BitBlock *block, const FimRow *row)
{
	return block->copies ? row->weight : BitsOf(row->weight);
}

/*
 * Give out up to "most" bits of the row, the first "given" of which are gone; says
 * how many, and where they are unless "to" is NULL.
 */
static uint32_t
GiveBits(const BitBlock *block, const FimRow *row, uint32_t given, uint64_t most, uint32_t *next,
		 uint32_t from, BitPlace *to)
{
	uint32_t	n = 0;

	if (block->copies)
	{
		n = (uint32_t) GpuLesser(row->weight - given, most);
		for (uint32_t i = 0; i < n && to != NULL; i++)
			to[i] = BitPlace {from, row->length, next[0] + i};
		next[0] += n;
		return n;
	}
	for (uint32_t p = 0; p < block->planes.n && n < most; p++)
	{
		if ((row->weight >> block->planes.shift[p] & 1) == 0)
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

/* As many bits as fit in a piece; *at becomes where the next piece begins. */
static void
PlanPiece(const HalfFilling *filling, BlockPiece *at, BlockPiece *piece)
{
	const BitBlock *block = filling->block;
	const FimRow *rows = filling->bitmaps->from.rows;
	size_t		size = filling->bitmaps->piece_bytes;
	uint64_t	first = rows[at->row].at;

	at->nitems = at->nplaces = 0;
	*piece = *at;
	while (at->row < block->end)
	{
		const FimRow *row = &rows[at->row];
		size_t		nitems = (size_t) (row->at - first) + row->length;
		size_t		used = sizeof(uint32_t) * nitems + sizeof(BitPlace) * piece->nplaces;
		uint32_t	n;

		if (used + sizeof(BitPlace) > size)
			break;
		n = GiveBits(block, row, at->given, (size - used) / sizeof(BitPlace), at->next, 0, NULL);
		piece->nitems = nitems;
		piece->nplaces += n;
		at->given += n;
		if (at->given < BitsOfRow(block, row))
			break;
		at->row++;
		at->given = 0;
	}
}

static void
FillPiece(void *of, uint32_t number, uint32_t thread)
{
	const HalfFilling *filling = (const HalfFilling *) of;
	const Bitmaps *bitmaps = filling->bitmaps;
	const FimRow *row = &bitmaps->from.rows[filling->pieces[number].row];
	BlockPiece		piece = filling->pieces[number];
	char	   *to = filling->half + number * bitmaps->piece_bytes;
	BitPlace	   *places = (BitPlace *) (to + sizeof(uint32_t) * piece.nitems);
	uint64_t	first = row->at;

	memcpy(to, bitmaps->from.items + first, sizeof(uint32_t) * piece.nitems);
	for (size_t n = 0; n < piece.nplaces; row++)
	{
		n += GiveBits(filling->block, row, piece.given, piece.nplaces - n, piece.next,
					  (uint32_t) (row->at - first), places + n);
		piece.given = 0;
	}
}

/* Where a block is on the device, or will be. */
static BitView
ViewOf(const Bitmaps *bitmaps, int d, const BitBlock *block, uint32_t slot)
{
	uint64_t	at = bitmaps->resident ? block->at : (uint64_t) bitmaps->widest * slot;

	return BitView {bitmaps->memory[d].bits + at * bitmaps->nrows, block->chunks, block->planes};
}

/* Copy the pieces to a device and set their bits. */
static void
SendPieces(GpuDevice *device, const HalfFilling *filling, int half, int loader, const BitMemory *memory,
		   const BitView *view)
{
	static const char what[] = "building transaction bitmaps";
	const Bitmaps *bitmaps = filling->bitmaps;
	int			stream = 1 + loader;
	Loaded		loaded = {memory->pieces[loader], bitmaps->piece_bytes};
	size_t		most = 0;
	size_t		used = 0;
	double		amount = 0;
	GpuTimer   *timer;

	for (uint32_t i = 0; i < filling->npieces; i++)
	{
		const BlockPiece *piece = &filling->pieces[i];
		size_t		items = sizeof(uint32_t) * piece->nitems;

		loaded.nitems[i] = (uint32_t) piece->nitems;
		loaded.nplaces[i] = (uint32_t) piece->nplaces;
		most = GpuGreater(most, piece->nplaces);
		used = items + sizeof(BitPlace) * piece->nplaces;
		amount += (double) (items + used);
	}
	OrLeave(GpuSendShared(device, stream, half, memory->pieces[loader],
						  (filling->npieces - 1) * bitmaps->piece_bytes + used, "copying transactions"));
	timer = JobBegin(device, stream, FIM_GPU_BUILD, amount);
	SetBitsKernel<<<dim3(GpuBlocks(most * LANES, THREADS), filling->npieces), THREADS, 0,
		device->streams[stream]>>> (loaded, memory->map, bitmaps->nmap, (uint32_t *) view->bits,
									view->stride * 4);
	OrLeave(GpuLaunched(device, what));
	OrLeave(GpuEnd(device, stream, timer));
}

/* Give the loading streams of all devices, in turn, what it takes to build the block. */
static void
FillBlock(ItemsetJob *job, const Bitmaps *bitmaps, const BitBlock *block, uint32_t slot)
{
	int			loader = 0;
	BlockPiece		at;
	HalfFilling		filling;

	memset(&at, 0, sizeof(at));
	at.row = block->first;
	for (uint32_t p = 1; p < block->planes.n; p++)
		at.next[p] = block->planes.end[p - 1] * BITMAP_CHUNK;
	filling.bitmaps = bitmaps;
	filling.block = block;
	for (; at.row < block->end; loader = (loader + 1) % GPU_LOADERS)
	{
		int			half;

		OrLeave(GpuNextHalf(&job->team, &half, &filling.half));
		filling.npieces = 0;
		while (filling.npieces < bitmaps->npieces && at.row < block->end)
			PlanPiece(&filling, &at, &filling.pieces[filling.npieces++]);
		OrLeave(HostRun(&job->team, filling.npieces, FillPiece, &filling));
		for (int d = 0; d < job->team.ndevices; d++)
		{
			BitView		view = ViewOf(bitmaps, d, block, slot);

			SendPieces(job->team.devices[d], &filling, half, loader, &bitmaps->memory[d], &view);
		}
	}
}

/* The loading streams clear the block's place once what was counted there is done. */
static void
ClearBlock(ItemsetJob *job, const Bitmaps *bitmaps, int d, const BitBlock *block, uint32_t slot)
{
	static const char what[] = "building transaction bitmaps";
	GpuDevice  *device = job->team.devices[d];
	BitView		view = ViewOf(bitmaps, d, block, slot);

	OrLeave(GpuUse(device, what));
	if (!bitmaps->resident)
		OrLeave(GpuCheck(device, cudaStreamWaitEvent(device->streams[1], *UsedSlot(device, slot), 0), what));
	OrLeave(GpuCheck(device, cudaMemsetAsync((void *) view.bits, 0,
											 sizeof(uint4) * view.stride * bitmaps->nrows,
											 device->streams[1]), what));
	for (int i = 2; i < GPU_STREAMS; i++)
		OrLeave(GpuFollow(device, i, 1, what));
}

/* The loading streams meet in the first of them. */
static void
FinishBlock(ItemsetJob *job, const Bitmaps *bitmaps, int d, uint32_t block, uint32_t slot,
			BitmapsBuilt built)
{
	static const char what[] = "building transaction bitmaps";
	GpuDevice  *device = job->team.devices[d];
	BitView		view = ViewOf(bitmaps, d, &bitmaps->blocks[block], slot);

	OrLeave(GpuUse(device, what));
	for (int i = 2; i < GPU_STREAMS; i++)
		OrLeave(GpuFollow(device, 1, i, what));
	if (built.function != NULL)
		built.function(built.of, d, bitmaps->resident ? block : slot, &view);
	OrLeave(GpuCheck(device, cudaEventRecord(*LoadedSlot(device, slot), device->streams[1]), what));
}

/*
 * Which slot has the block, or will; false: it is not there yet.  Blocks that stay
 * are one after the other and share the first slot's events.
 */
static bool
SlotOf(const Bitmaps *bitmaps, uint32_t block, uint32_t *slot)
{
	*slot = 0;
	if (bitmaps->resident)
		return block < bitmaps->nbuilt;
	while (*slot < BITMAP_SLOTS && bitmaps->loaded[*slot] != block)
		++*slot;
	if (*slot < BITMAP_SLOTS)
		return true;
	*slot = bitmaps->next_slot;
	return false;
}

/*
 * Start building a block on all devices unless it is there: the host goes through
 * the transactions once for all of them.  It takes the place of the one that was
 * loaded before the last, as soon as that has been counted.  Resident blocks are
 * loaded in their order.
 */
static void
LoadBlock(ItemsetJob *job, Bitmaps *bitmaps, uint32_t number, BitmapsBuilt built)
{
	const BitBlock *block = &bitmaps->blocks[number];
	uint32_t	slot;

	if (SlotOf(bitmaps, number, &slot))
		return;
	for (int d = 0; d < job->team.ndevices; d++)
		ClearBlock(job, bitmaps, d, block, slot);
	FillBlock(job, bitmaps, block, slot);
	for (int d = 0; d < job->team.ndevices; d++)
		FinishBlock(job, bitmaps, d, number, slot, built);
	if (bitmaps->resident)
		bitmaps->nbuilt = number + 1;
	else
	{
		bitmaps->loaded[slot] = number;
		bitmaps->next_slot = (slot + 1) % BITMAP_SLOTS;
	}
}

/* All that the device counts from now on can use the block, which is being loaded. */
static void
AwaitBlock(GpuDevice *device, uint32_t slot)
{
	OrLeave(GpuUse(device, "building transaction bitmaps"));
	OrLeave(GpuCheck(device, cudaStreamWaitEvent(device->streams[GPU_COUNT], *LoadedSlot(device, slot), 0),
					 "building transaction bitmaps"));
}

/* Launches on all devices in turn, until all of them have nothing more to count. */
static void
LaunchOnAll(ItemsetJob *job, Bitmaps *bitmaps, const BitmapsWork *work, uint32_t block, uint32_t nblocks)
{
	bool		more[FIM_GPU_MAX_DEVICES];
	BitView		view[FIM_GPU_MAX_DEVICES];
	uint32_t	slot;
	bool		any = true;
	bool		prefetched = bitmaps->resident;

	(void) SlotOf(bitmaps, block, &slot);
	/* one that has nothing to count must wait too: its bits may be compacted next */
	for (int d = 0; d < job->team.ndevices; d++)
	{
		view[d] = ViewOf(bitmaps, d, &bitmaps->blocks[block], slot);
		AwaitBlock(job->team.devices[d], slot);
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
			more[d] = work->launch(work->of, d, &view[d], bitmaps->resident ? block : slot, nblocks);
			any |= more[d];
		}
		/* while the first launches run, the next block is loaded */
		if (!prefetched && block + 1 < bitmaps->nblocks)
			LoadBlock(job, bitmaps, block + 1, work->built);
		prefetched = true;
	}
}

/* All that is to use the block has been given to the counting streams. */
static void
LeaveBlock(ItemsetJob *job, const Bitmaps *bitmaps, uint32_t block)
{
	uint32_t	slot;

	(void) SlotOf(bitmaps, block, &slot);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];

		OrLeave(GpuUse(device, "counting candidates"));
		OrLeave(GpuCheck(device, cudaEventRecord(*UsedSlot(device, slot), device->streams[GPU_COUNT]),
						 "counting candidates"));
	}
}

/*
 * Count in all blocks: in resident ones together, in others one after the other,
 * the next one being loaded meanwhile (the nested-loop streaming of Chon, Hwang
 * and Kim, section 3, whose outer operand is the batch).
 */
void
BitmapsCount(ItemsetJob *job, Bitmaps *bitmaps, const BitmapsWork *work)
{
	for (uint32_t b = 0; b < bitmaps->nblocks; b++)
	{
		LoadBlock(job, bitmaps, b, work->built);
		if (bitmaps->resident)
			continue;
		LaunchOnAll(job, bitmaps, work, b, 1);
		LeaveBlock(job, bitmaps, b);
	}
	if (bitmaps->resident && bitmaps->nblocks > 0)
		LaunchOnAll(job, bitmaps, work, 0, bitmaps->nblocks);
}
