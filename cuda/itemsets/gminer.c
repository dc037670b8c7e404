/*-------------------------------------------------------------------------
 *
 * gminer.c
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
#include "copies.h"
#include "itemsets/gminer.h"
#include "itemsets/gminer_addresses.h"
#include "itemsets/gminer_kernels.h"
#include "itemsets/gminer_memory.h"

#include <string.h>

/* ---- counting a level ---- */

static void
BeginLevel(void *of, ItemsetLevels *levels, size_t *batch_bytes, size_t *group_bytes, size_t *candidate_bytes)
{
	Gminer	   *gminer = (Gminer *) of;

	if (!gminer->ready)
		GminerTakeMemory(gminer);

	/* an address for each fragment that a candidate can have, and the support */
	gminer->length = (uint32_t) GpuLesser(levels->current->k + 1, GminerFragments(gminer));
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

	GminerCountPartially(gminer->memory[d].views + number, nblocks, &share->on_device, share->next,
						 share->next + n, device->streams[GPU_COUNT]);
	OrLeave(GpuLaunched(device, "counting candidates"));
	OrLeave(GpuEnd(device, GPU_COUNT, timer));
	share->next += n;
	return share->next < share->n;
}

/* A block's rows of single items are complete.  Make the other rows of its fragments from these. */
static void
MakeFragments(void *of, int d, uint32_t number, const BitView *view)
{
	Gminer	   *gminer = (Gminer *) of;
	GpuDevice  *device = gminer->job->team.devices[d];
	GpuTimer   *timer;

	GminerSetView(view, gminer->memory[d].views + number, device->streams[1]);
	OrLeave(GpuLaunched(device, "building fragments"));
	if (gminer->fragment == 1)
		return;
	timer = JobBegin(device, 1, FIM_GPU_BUILD,
					 (double) view->stride * sizeof(uint4) * gminer->bitmaps.nrows * 2);
	for (uint32_t first = 0; first < GminerFragments(gminer); first += GMINER_MOST_FRAGMENTS)
	{
		BitView		from = *view;

		from.bits += (uint64_t) first * gminer->fragment_rows * view->stride;
		GminerFillFragments(&from, gminer->fragment_rows,
							(uint32_t) GpuLesser(GMINER_MOST_FRAGMENTS, GminerFragments(gminer) - first),
							device->streams[1]);
		OrLeave(GpuLaunched(device, "building fragments"));
	}
	OrLeave(GpuEnd(device, 1, timer));
}

/* Write a share's addresses into the pieces of the device's ring, and copy them from there. */
static void
SendAddresses(Gminer *gminer, const ItemsetLevels *levels, const ItemsetBatch *batch, int d,
			  const GminerShare *share)
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
		GminerEncode(&encoding);
		OrLeave(GpuSendPiece(job->team.devices[d], GPU_COUNT, piece, to + done * bytes, n * bytes,
							 "copying candidates"));
	}
}

static void
Send(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
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
Count(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
{
	Gminer	   *gminer = (Gminer *) of;
	BitmapsWork work = {{MakeFragments, gminer}, BeginLaunches, LaunchShare, gminer};

	gminer->current = gminer->shares[batch->number];
	BitmapsCount(gminer->job, &gminer->bitmaps, &work);
}

static void
Collect(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
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
