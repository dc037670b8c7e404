/*-------------------------------------------------------------------------
 *
 * gminer.cu
 *	  Strategies tfl and hil: GMiner.
 *
 * After Chon, Hwang and Kim, "GMiner: A fast GPU-based frequent itemset mining
 * method for large-scale data" (Information Sciences 439-440, 2018).  Nothing is
 * kept on the devices but the bitmaps of the first level, cut into transaction
 * blocks.  A candidate is a list of relative addresses, of rows of a block, and
 * its support is the sum of the partial supports that the blocks give it: rows
 * are read, ANDed and counted, and nothing is written but the sum.
 *
 * TFL (traversal from the first level, section 3) has one address for each item.
 * HIL (hopping from the intermediate level, section 4) divides the items into
 * fragments of H and holds a row for each subset of a fragment, so that items of
 * the same fragment take one address.
 *
 * Transaction blocks that do not fit on the device stream through it (nested-loop
 * streaming), and devices divide the addresses among them (section 5).
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "host_threads.h"
#include "itemsets/bitmaps.h"
#include "itemsets/gminer.h"
#include "itemsets/levels.h"

#define THREADS			256
#define WARPS			(THREADS / 32)
#define CHUNKS_AT_ONCE	4		/* that a lane has */

#define MAX_FRAGMENT	5		/* items: the paper's optimum */
#define MAX_BLOCKS		60000	/* a grid's second dimension is limited */

/* If fragments have more than one item, streamed blocks are at least so wide. */
#define LEAST_CHUNKS	64

/* Batches are small, so that the host forms one while another is counted ... */
#define BATCH_BYTES		((uint64_t) 4 << 20)
/* ... unless blocks stream through the device for each of them. */
#define STREAMED_BYTES	((uint64_t) 1 << 30)

/* How many candidates a thread encodes at a time. */
#define ENCODED_AT_ONCE	2048

/* A device's candidates, as kernels see them. */
typedef struct Addresses
{
	const uint32_t *rows;		/* [candidates][length] addresses, then GPU_NONE */
	uint32_t   *supports;		/* [candidates] added to */
	uint32_t	length;			/* addresses of a candidate, at most */
} Addresses;

/* A device's part of a batch. */
typedef struct GminerShare
{
	uint32_t	first;			/* its first candidate */
	uint32_t	n;				/* how many it has */
	uint32_t	next;			/* the next one to be counted */
	Addresses	on_device;
} GminerShare;

typedef struct GminerMemory
{
	char	   *batch[2];
	BitView    *views;			/* of the blocks, or of the slots that they stream through */
} GminerMemory;

typedef struct Gminer
{
	ItemsetJob *job;
	Bitmaps		bitmaps;
	uint32_t	fragment;		/* how many items a fragment has; 1 for TFL */
	uint32_t	fragment_rows;	/* rows of bits of a fragment */
	uint32_t   *map;			/* see Bitmaps */
	uint64_t	batch_bytes;
	GminerMemory memory[FIM_GPU_MAX_DEVICES];
	bool		ready;			/* memory has been taken */
	uint32_t	length;			/* addresses of a candidate of this level, at most */
	GminerShare	shares[2][FIM_GPU_MAX_DEVICES];
	GminerShare *current;
} Gminer;

/* ---- on the device ---- */

static __global__ void
SetViewKernel(const __grid_constant__ BitView view, BitView *to)
{
	*to = view;
}

/* AND a candidate's rows in N chunks of the lane, a warp's width apart, and count the bits. */
template <int N>
static __device__ __forceinline__ uint32_t
CountChunks(const BitView *view, const uint32_t *rows, uint32_t length, uint32_t first, uint32_t *plane)
{
	uint4		x[N];
	uint32_t	sum = 0;

#pragma unroll
	for (int i = 0; i < N; i++)
		x[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
	for (uint32_t r = 0; r < length; r++)
	{
		uint32_t	row = rows[r];
		const uint4 *at = view->bits + row * view->stride + first;

		if (row == GPU_NONE)
			break;
#pragma unroll
		for (int i = 0; i < N; i++)
			if (N == 1 || first + i * 32 < view->stride)
				x[i] = AndChunk(x[i], at[i * 32]);
	}
#pragma unroll
	for (int i = 0; i < N; i++)
		if (first + i * 32 < view->stride)
		{
			while (first + i * 32 >= view->planes.end[*plane])
				++*plane;
			sum += CountChunk(x[i]) << view->planes.shift[*plane];
		}
	return sum;
}

/*
 * A warp takes a candidate and a block.  Candidates come first in the order of
 * the grid, so that while a block is read it stays in the cache.
 */
static __global__ void __launch_bounds__(THREADS)
PartialSupportsKernel(const BitView *views, const Addresses addresses, uint32_t first, uint32_t end)
{
	uint32_t	candidate = first + blockIdx.x * WARPS + threadIdx.x / 32;
	const BitView *view = &views[blockIdx.y];
	const uint32_t *rows;
	uint32_t	chunk = threadIdx.x % 32;
	uint32_t	plane = 0;
	uint32_t	sum = 0;

	if (candidate >= end)
		return;
	rows = addresses.rows + (size_t) candidate * addresses.length;
	for (; chunk / 32 * 32 + 32 < view->stride; chunk += 32 * CHUNKS_AT_ONCE)
		sum += CountChunks<CHUNKS_AT_ONCE> (view, rows, addresses.length, chunk, &plane);
	if (chunk < view->stride)
		sum += CountChunks<1> (view, rows, addresses.length, chunk, &plane);
	sum = SumWarp(sum);
	if (threadIdx.x % 32 == 0 && sum != 0)
		atomicAdd(&addresses.supports[candidate], sum);
}

/*
 * Fill a block's fragments: rows of single items are there, each other subset is
 * the one without its lowest item, and that item.  A thread does a chunk of one
 * fragment's rows.
 */
static __global__ void __launch_bounds__(THREADS)
FragmentsKernel(const __grid_constant__ BitView view, uint32_t fragment_rows)
{
	uint32_t	c = blockIdx.x * THREADS + threadIdx.x;
	uint4	   *rows = (uint4 *) view.bits + (uint64_t) blockIdx.y * fragment_rows * view.stride;

	if (c >= view.stride)
		return;
	for (uint32_t set = 3; set <= fragment_rows; set++)
	{
		uint32_t	rest = set & (set - 1);

		if (rest != 0)
			rows[(set - 1) * view.stride + c] =
				AndChunk(rows[(rest - 1) * view.stride + c], rows[((set ^ rest) - 1) * view.stride + c]);
	}
}

/* ---- memory ---- */

static uint32_t
CountFragments(const Gminer *gminer)
{
	uint32_t	nitems = gminer->job->nitems - gminer->job->skip;

	return (nitems + gminer->fragment - 1) / gminer->fragment;
}

/* Use fragments of this many items.  The row of an item is that of the set that holds it alone. */
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
	gminer->bitmaps.nrows = CountFragments(gminer) * gminer->fragment_rows;
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

/* Plan for fragments of a size.  Returns the bytes that are needed of each device. */
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
Plan(Gminer *gminer, uint64_t room)
{
	uint32_t	most = gminer->job->team.strategy == FIM_GPU_HIL ? MAX_FRAGMENT : 1;
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
TakeMemory(Gminer *gminer)
{
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

/* Plan for all the memory that there is, and take it.  If that fails, plan for less and less. */
static void
Prepare(Gminer *gminer)
{
	ItemsetJob *job = gminer->job;
	uint64_t	room = GpuLeastRoom(&job->team);
	uint64_t	needed;

	do
	{
		needed = BitmapsLeastPiece(&gminer->bitmaps.from) > GPU_SHARED ? UINT64_MAX : Plan(gminer, room);
		if (needed > room)
			OrLeave(GpuOutOfMemory(job->team.devices[0], needed, "allocating transaction bitmaps"));
		room = room / 4 * 3;
	} while (!TakeMemory(gminer));
	gminer->ready = true;
}

/* ---- addresses ---- */

static bool
SameFragment(const Gminer *gminer, uint32_t row, uint32_t other)
{
	return gminer->fragment > 1 && row / gminer->fragment_rows == other / gminer->fragment_rows;
}

/*
 * Add an item to a candidate that has n addresses, all of items before it.  Returns how many
 * addresses the candidate has then.
 */
static inline uint32_t
AddAddress(const Gminer *gminer, uint32_t *addresses, uint32_t n, uint32_t item)
{
	uint32_t	row = gminer->map[item];

	if (n == 0 || !SameFragment(gminer, addresses[n - 1], row))
	{
		addresses[n] = row;
		return n + 1;
	}
	/* the set of a fragment's items is the number of its row there plus one */
	addresses[n - 1] += row % gminer->fragment_rows + 1;
	return n;
}

/* Write the addresses of the items with which a group's candidates begin.  Returns their number. */
static uint32_t
AddressPrefix(const Gminer *gminer, const Level *level, const CandidateGroup *group, uint32_t *to)
{
	const uint32_t *prefix = ClassPrefix(level, group->class_of);
	uint32_t	n = 0;

	for (uint32_t i = 0; i + 1 < level->k; i++)
		n = AddAddress(gminer, to, n, prefix[i]);
	return AddAddress(gminer, to, n, level->last[group->member]);
}

/* Candidates of a batch that are written together. */
typedef struct GminerEncoding
{
	const Gminer *gminer;
	const Level *level;
	const CandidateBatch *batch;
	uint32_t	first;
	uint32_t	end;
	uint32_t   *to;
} GminerEncoding;

/* Write candidates from first to end - 1, all of which are the group's. */
static void
EncodeGroup(const GminerEncoding *encoding, const CandidateGroup *group, uint32_t first, uint32_t end)
{
	const Gminer *gminer = encoding->gminer;
	uint32_t	length = gminer->length;
	uint32_t   *to = encoding->to + (size_t) (first - encoding->first) * length;
	uint32_t	n = AddressPrefix(gminer, encoding->level, group, to);
	uint32_t	last = to[n - 1];

	for (uint32_t c = first; c < end; c++)
	{
		uint32_t	used;

		/* all but the last item is the same as in the candidate before */
		if (c > first)
			memcpy(to, to - length, sizeof(uint32_t) * (n - 1));
		to[n - 1] = last;
		used = AddAddress(gminer, to, n, CandidateItem(encoding->level, encoding->batch, c));
		while (used < length)
			to[used++] = GPU_NONE;
		to += length;
	}
}

/* The group of a candidate, by its number in the batch. */
static const CandidateGroup *
FindGroup(const CandidateBatch *batch, uint32_t candidate)
{
	uint32_t	low = 0;
	uint32_t	high = batch->ngroups;

	while (low + 1 < high)
	{
		uint32_t	middle = (low + high) / 2;

		if (batch->groups[middle].first <= candidate)
			low = middle;
		else
			high = middle;
	}
	return &batch->groups[low];
}

static void
EncodeSome(void *of, uint32_t part, uint32_t thread)
{
	const GminerEncoding *encoding = (const GminerEncoding *) of;
	uint32_t	first = encoding->first + part * ENCODED_AT_ONCE;
	uint32_t	end = (uint32_t) GpuLesser((uint64_t) first + ENCODED_AT_ONCE, encoding->end);
	const CandidateGroup *group = FindGroup(encoding->batch, first);

	for (; first < end; group++)
	{
		uint32_t	group_end = (uint32_t) GpuLesser(group->first + group->n, end);

		EncodeGroup(encoding, group, first, group_end);
		first = group_end;
	}
}

/* ---- counting a level ---- */

static void
BeginLevel(void *of, Levels *levels, size_t *batch_bytes, size_t *group_bytes, size_t *candidate_bytes)
{
	Gminer	   *gminer = (Gminer *) of;

	if (!gminer->ready)
		Prepare(gminer);

	/* an address for each fragment that a candidate can have, and the support */
	gminer->length = (uint32_t) GpuLesser(levels->current->k + 1, CountFragments(gminer));
	*group_bytes = 0;
	*candidate_bytes = sizeof(uint32_t) * ((size_t) gminer->length + 1);
	*batch_bytes = gminer->batch_bytes - 64;
}

static bool
BeginLaunches(void *of, int d)
{
	Gminer	   *gminer = (Gminer *) of;
	GminerShare *share = &gminer->current[d];

	share->next = 0;
	return share->n > 0;
}

static bool
LaunchShare(void *of, int d, const BitView *view, uint32_t number, uint32_t nblocks)
{
	Gminer	   *gminer = (Gminer *) of;
	GpuDevice  *device = gminer->job->team.devices[d];
	GminerShare *share = &gminer->current[d];
	uint64_t	chunks = nblocks > 1 ? gminer->bitmaps.chunks : view->stride;
	double		each = (double) GpuGreater(chunks, 1) * BITMAP_CHUNK;
	double		amount = GpuLaunchAmount(device, each, 4096 * each);
	uint32_t	n = (uint32_t) GpuLesser(share->n - share->next, (uint64_t) (amount / each));
	GpuTimer   *timer = JobBegin(device, GPU_COUNT, FIM_GPU_COUNT, each * n);
	dim3		grid(GpuBlocks(n, WARPS), nblocks);

	PartialSupportsKernel<<<grid, THREADS, 0, device->streams[GPU_COUNT]>>>
		(gminer->memory[d].views + number, share->on_device, share->next, share->next + n);
	OrLeave(GpuLaunched(device, "counting candidates"));
	OrLeave(GpuEnd(device, GPU_COUNT, timer));
	share->next += n;
	return share->next < share->n;
}

/* Make the rows of a block's fragments from those of single items, which are there. */
static void
MakeFragments(void *of, int d, uint32_t number, const BitView *view)
{
	Gminer	   *gminer = (Gminer *) of;
	GpuDevice  *device = gminer->job->team.devices[d];
	uint32_t	most = 65535;	/* fragments in a launch */
	GpuTimer   *timer;

	SetViewKernel<<<1, 1, 0, device->streams[1]>>> (*view, gminer->memory[d].views + number);
	OrLeave(GpuLaunched(device, "building fragments"));
	if (gminer->fragment == 1)
		return;
	timer = JobBegin(device, 1, FIM_GPU_BUILD,
					 (double) view->stride * sizeof(uint4) * gminer->bitmaps.nrows * 2);
	for (uint32_t first = 0; first < CountFragments(gminer); first += most)
	{
		BitView		from = *view;
		dim3		grid(GpuBlocks(view->stride + 1, THREADS),
						 (uint32_t) GpuLesser(most, CountFragments(gminer) - first));

		from.bits += (uint64_t) first * gminer->fragment_rows * view->stride;
		FragmentsKernel<<<grid, THREADS, 0, device->streams[1]>>> (from, gminer->fragment_rows);
		OrLeave(GpuLaunched(device, "building fragments"));
	}
	OrLeave(GpuEnd(device, 1, timer));
}

/* Write a share's addresses where they are copied from, a piece at a time. */
static void
SendAddresses(Gminer *gminer, const Levels *levels, const CandidateBatch *batch, int d, const GminerShare *share)
{
	ItemsetJob *job = gminer->job;
	size_t		bytes = sizeof(uint32_t) * gminer->length;
	uint32_t	most = (uint32_t) (GPU_PIECE / bytes);
	char	   *to = (char *) share->on_device.rows;
	uint32_t	n;

	for (uint32_t done = 0; done < share->n; done += n)
	{
		uint32_t	first = share->first + done;
		int			piece;
		char	   *ring;
		GminerEncoding encoding;

		OrLeave(GpuNextPiece(&job->team, job->team.devices[d], &piece, &ring));
		n = (uint32_t) GpuLesser(share->n - done, most);
		encoding = (GminerEncoding) {gminer, levels->current, batch, first, first + n, (uint32_t *) ring};
		OrLeave(HostRun(&job->team, GpuBlocks(n, ENCODED_AT_ONCE), EncodeSome, &encoding));
		OrLeave(GpuSendPiece(job->team.devices[d], GPU_COUNT, piece, to + done * bytes, n * bytes,
							 "copying candidates"));
	}
}

static void
Send(void *of, const Levels *levels, CandidateBatch *batch)
{
	Gminer	   *gminer = (Gminer *) of;
	ItemsetJob *job = gminer->job;

	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		GminerShare *share = &gminer->shares[batch->number][d];
		uint32_t   *rows = (uint32_t *) gminer->memory[d].batch[batch->number];

		share->first = (uint32_t) ((uint64_t) batch->n * d / job->team.ndevices);
		share->n = (uint32_t) ((uint64_t) batch->n * (d + 1) / job->team.ndevices) - share->first;
		share->on_device.rows = rows;
		share->on_device.length = gminer->length;
		share->on_device.supports = rows + (size_t) share->n * gminer->length;
		SendAddresses(gminer, levels, batch, d, share);
		OrLeave(GpuUse(device, "copying candidates"));
		OrLeave(GpuCheck(device, cudaMemsetAsync(share->on_device.supports, 0, sizeof(uint32_t) * share->n,
												 device->streams[GPU_COUNT]), "copying candidates"));
	}
}

static void
Count(void *of, const Levels *levels, CandidateBatch *batch)
{
	Gminer	   *gminer = (Gminer *) of;
	BitmapsWork work = {{MakeFragments, gminer}, BeginLaunches, LaunchShare, gminer};

	gminer->current = gminer->shares[batch->number];
	BitmapsCount(gminer->job, &gminer->bitmaps, &work);
}

static void
Collect(void *of, const Levels *levels, CandidateBatch *batch)
{
	Gminer	   *gminer = (Gminer *) of;

	for (int d = 0; d < gminer->job->team.ndevices; d++)
	{
		const GminerShare *share = &gminer->shares[batch->number][d];

		OrLeave(GpuReceive(&gminer->job->team, gminer->job->team.devices[d], GPU_COUNT, batch->counts + share->first,
						   share->on_device.supports, sizeof(uint32_t) * share->n, "returning supports"));
	}
}

static const LevelCounter gminer_counter = {NULL, BeginLevel, Send, Count, Collect};

void
GminerMine(ItemsetJob *job)
{
	Gminer	   *gminer = (Gminer *) JobAlloc(job, sizeof(Gminer));

	memset(gminer, 0, sizeof(Gminer));
	gminer->job = job;
	TransactionsOfDatabase(job, &gminer->bitmaps.from);
	gminer->map = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * ((size_t) job->nitems + 1));
	gminer->bitmaps.map = gminer->map;
	gminer->bitmaps.nmap = job->nitems;
	LevelsMine(job, &gminer_counter, gminer);
}
