/*-------------------------------------------------------------------------
 *
 * dci_drop.cu
 *	  Dropping transactions from the bitmaps of gpuDCI that stay on the devices.
 *
 * A transaction that holds an itemset of the next level has at least as many live items as
 * that itemset has items.  So the bits of transactions with fewer live items are dropped.
 * The others are moved together, row by row, from the bitmaps into their spare copy.  One
 * kernel finds the transactions that are kept, and counts those of each word.  The host adds
 * these numbers up, which gives the places to which a second kernel moves the bits.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/gpudci/dci_drop.h"
#include "ancestors/gpudci/dci_pairs.h"
#include "team.h"

#define THREADS			256

/* Bits are moved if at most this part of the chunks would be left. */
#define COMPACT_AT		0.8

#define ITEM_PLANES		6		/* bits of a counter for the items of a transaction */

/* ---- on the device ---- */

/*
 * Find the transactions that have a bit in at least "least" of the live rows.  A thread does
 * the 32 transactions of a word.
 */
static __global__ void __launch_bounds__(THREADS)
FindColumnsKernel(const uint32_t *words, uint64_t row_words, const uint32_t *live, uint32_t nlive,
				  uint32_t least, uint32_t *kept, uint32_t *nkept)
{
	uint32_t	w = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	planes[ITEM_PLANES] = {0};
	uint32_t	result = 0;
	uint32_t	equal = ~0u;

	if (w >= row_words)
		return;
	for (uint32_t i = 0; i < nlive; i++)
	{
		uint32_t	carry = words[live[i] * row_words + w];

#pragma unroll
		for (int p = 0; p < ITEM_PLANES; p++)
		{
			uint32_t	sum = planes[p] ^ carry;

			carry &= planes[p];
			planes[p] = sum;
		}
		result |= carry;		/* more items than the planes can count */
	}
#pragma unroll
	for (int p = ITEM_PLANES - 1; p >= 0; p--)
	{
		uint32_t	wanted = least >> p & 1 ? ~0u : 0;

		result |= equal & planes[p] & ~wanted;
		equal &= ~(planes[p] ^ wanted);
	}
	result |= equal;
	kept[w] = result;
	nkept[w] = __popc(result);
}

/* Move those bits of each live row that are kept.  places[] says where the bits of each word go. */
static __global__ void __launch_bounds__(THREADS)
MoveColumnsKernel(const uint32_t *words, uint64_t row_words, const uint32_t *live, uint32_t nlive,
			  const uint32_t *kept, const uint32_t *places, uint32_t *to, uint64_t to_row_words)
{
	uint64_t	nwords = row_words * nlive;

	for (uint64_t i = (uint64_t) blockIdx.x * THREADS + threadIdx.x; i < nwords;
		 i += (uint64_t) gridDim.x * THREADS)
	{
		uint64_t	row = live[i / row_words];
		uint32_t	w = (uint32_t) (i % row_words);
		uint32_t	mask = kept[w];
		uint32_t	left = words[row * row_words + w] & mask;
		uint32_t	place = places[w];
		uint64_t	bits = 0;
		uint32_t   *at = to + row * to_row_words + place / 32;

		for (; left != 0; left &= left - 1)
		{
			uint32_t	lowest = left & -left;

			bits |= 1ull << (__popc(mask & (lowest - 1)) + place % 32);
		}
		if ((uint32_t) bits != 0)
			atomicOr(at, (uint32_t) bits);
		if (bits >> 32 != 0)
			atomicOr(at + 1, (uint32_t) (bits >> 32));
	}
}

/* ---- on the host ---- */

/* What dropping needs on the host. */
typedef struct Dropping
{
	uint32_t	nlive;
	uint32_t   *live;			/* [nlive] the rows of live items */
	uint32_t   *words;			/* for each word of a row: first the number of bits that are kept, then
								 * where they go */
	size_t		row_bytes;
	Planes		planes;			/* of the bitmaps that dropping leaves */
} Dropping;

/* What dropping needs on a device besides the bitmaps, in the memory of the prefix caches. */
typedef struct DroppingMemory
{
	uint32_t   *kept;
	uint32_t   *places;
	uint32_t   *live;
} DroppingMemory;

static DroppingMemory
MemoryOf(const Dci *dci, int d, const Dropping *dropping)
{
	char	   *at = dci->memory[d].cache;

	return (DroppingMemory) {(uint32_t *) at, (uint32_t *) (at + dropping->row_bytes),
		(uint32_t *) (at + 2 * dropping->row_bytes)};
}

static void
FindColumns(Dci *dci, int d, const Dropping *dropping, uint32_t least)
{
	static const char what[] = "dropping transactions";
	GpuDevice  *device = dci->job->team.devices[d];
	DroppingMemory memory = MemoryOf(dci, d, dropping);
	uint64_t	words = dropping->row_bytes / sizeof(uint32_t);

	OrLeave(GpuSend(&dci->job->team, device, GPU_COUNT, memory.live, dropping->live,
					sizeof(uint32_t) * dropping->nlive, what));
	FindColumnsKernel<<<GpuBlocks(words, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		((const uint32_t *) dci->bitmaps.memory[d].bits, words, memory.live, dropping->nlive, least,
		 memory.kept, memory.places);
	OrLeave(GpuLaunched(device, what));
}

/* Turn the number of bits that are kept of each word into the place where they go. */
static void
PlaceColumns(const Planes *planes, Dropping *dropping)
{
	uint32_t	w = 0;
	uint32_t	chunks = 0;

	dropping->planes = *planes;
	for (uint32_t p = 0; p < planes->n; p++)
	{
		uint32_t	place = chunks * BITMAP_CHUNK;

		for (; w < planes->end[p] * 4; w++)
		{
			uint32_t	n = dropping->words[w];

			dropping->words[w] = place;
			place += n;
		}
		dropping->planes.end[p] = chunks = (place + BITMAP_CHUNK - 1) / BITMAP_CHUNK;
	}
}

static uint32_t
ChunksOfPlanes(const Planes *planes)
{
	return planes->end[planes->n - 1];
}

static void
MoveColumns(Dci *dci, int d, const Dropping *dropping)
{
	static const char what[] = "dropping transactions";
	GpuDevice  *device = dci->job->team.devices[d];
	Bitmaps    *bitmaps = &dci->bitmaps;
	DroppingMemory memory = MemoryOf(dci, d, dropping);
	uint64_t	row_words = dropping->row_bytes / sizeof(uint32_t);
	uint64_t	to_row_words = (uint64_t) ChunksOfPlanes(&dropping->planes) * 4;
	uint64_t	blocks = (row_words * dropping->nlive + THREADS - 1) / THREADS;
	uint4	   *to = dci->memory[d].spare;

	OrLeave(GpuSend(&dci->job->team, device, GPU_COUNT, memory.places, dropping->words,
					dropping->row_bytes, what));
	OrLeave(GpuCheck(device, cudaMemsetAsync(to, 0, sizeof(uint32_t) * to_row_words * bitmaps->nrows,
											 device->streams[GPU_COUNT]), what));
	MoveColumnsKernel<<<(uint32_t) GpuLesser(blocks, 1 << 20), THREADS, 0, device->streams[GPU_COUNT]>>>
		((const uint32_t *) bitmaps->memory[d].bits, row_words, memory.live, dropping->nlive,
		 memory.kept, memory.places, (uint32_t *) to, to_row_words);
	OrLeave(GpuLaunched(device, what));
	dci->memory[d].spare = bitmaps->memory[d].bits;
	bitmaps->memory[d].bits = to;
}

/* List the rows of live items. */
static void
FindLiveRows(Dci *dci, const ItemsetLevel *level, Dropping *dropping)
{
	uint32_t	nitems = dci->job->nitems;

	DciCountOccurrences(dci, level, dropping->live);
	dropping->nlive = 0;
	for (uint32_t i = 0; i < nitems; i++)
		if (dropping->live[i] >= level->k)
			dropping->live[dropping->nlive++] = dci->map[i];
}

/* Keep only transactions that have at least "least" live items, if that pays. */
static void
DropColumns(Dci *dci, uint32_t least, Dropping *dropping)
{
	ItemsetJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	BitBlock   *block = &bitmaps->blocks[0];

	for (int d = 0; d < job->team.ndevices; d++)
		FindColumns(dci, d, dropping, least);
	OrLeave(GpuReceive(&job->team, job->team.devices[0], GPU_COUNT, dropping->words,
					   MemoryOf(dci, 0, dropping).places, dropping->row_bytes, "dropping transactions"));
	PlaceColumns(&block->planes, dropping);
	if (ChunksOfPlanes(&dropping->planes) > block->chunks * COMPACT_AT)
		return;
	for (int d = 0; d < job->team.ndevices; d++)
		MoveColumns(dci, d, dropping);
	block->planes = dropping->planes;
	bitmaps->chunks = bitmaps->widest = block->chunks = ChunksOfPlanes(&dropping->planes);
}

void
DciDropOnDevice(Dci *dci, const ItemsetLevel *level)
{
	ItemsetJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	BitBlock   *block = &bitmaps->blocks[0];
	Dropping	dropping;

	memset(&dropping, 0, sizeof(dropping));
	if (bitmaps->nblocks != 1 || bitmaps->nbuilt == 0 || !dci->has_spare)
		return;
	dropping.row_bytes = sizeof(uint4) * (size_t) block->chunks;
	if (level->k + 1 >= 1 << ITEM_PLANES || block->chunks == 0 ||
		dci->cache_bytes < 2 * dropping.row_bytes + sizeof(uint32_t) * job->nitems)
		return;
	dropping.live = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * job->nitems);
	dropping.words = (uint32_t *) JobAlloc(job, dropping.row_bytes);
	FindLiveRows(dci, level, &dropping);
	if (dropping.nlive > level->k)
		DropColumns(dci, level->k + 1, &dropping);
	JobFree(job, dropping.live);
	JobFree(job, dropping.words);
}
