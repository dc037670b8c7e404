/*-------------------------------------------------------------------------
 *
 * gminer.c
 *	  Strategies tfl and hil: GMiner.
 *
 * After Chon, Hwang and Kim, "GMiner: A fast GPU-based frequent itemset mining
 * method for large-scale data" (Information Sciences 439-440, 2018).  Nothing is
 * kept on the devices but the bitmaps of the first level, cut into sheets (the
 * paper's transaction blocks).  A candidate is a list of relative addresses, of rows of a sheet, and
 * its support is the sum of the partial supports that the sheets give it: rows
 * are read, ANDed and counted, and nothing is written but the sum.
 *
 * TFL (traversal from the first level, section 3) has one address for each item.
 * HIL (hopping from the intermediate level, section 4) divides the items into
 * fragments of H and holds a row for each subset of a fragment, so that items of
 * the same fragment take one address.
 *
 * Sheets that do not fit on the device stream through it (nested-loop
 * streaming), and devices divide the addresses among them (section 5).
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/gminer/gminer.h"
#include "team.h"

/*
 * The addresses of GMiner's candidates.
 */

/* Candidates of a batch that are written together. */
typedef struct GminerEncoding
{
	const Gminer *gminer;
	const ItemsetLevel *level;
	const ItemsetBatch *batch;
	uint32_t	first;
	uint32_t	end;
	uint32_t   *to;				/* [end - first][gminer->length] */
} GminerEncoding;

/* How many candidates a thread encodes at a time. */
#define ENCODED_AT_ONCE	2048

static bool
SameFragment(const Gminer *gminer, uint32_t row, uint32_t other)
{
	return gminer->fragment > 1 && row / gminer->fragment_rows == other / gminer->fragment_rows;
}

/*
 * Add an item to a candidate that has n addresses so far.  Items must be added in ascending
 * order.  Returns how many addresses the candidate has then.
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
	/* within a fragment, the number of a row is the set of its items, as bits, minus one */
	addresses[n - 1] += row % gminer->fragment_rows + 1;
	return n;
}

/* Write the addresses of the items with which a group's candidates begin.  Returns their number. */
static uint32_t
AddressPrefix(const Gminer *gminer, const ItemsetLevel *level, const ItemsetGroup *group, uint32_t *to)
{
	const uint32_t *prefix = ClassPrefix(level, group->class_of);
	uint32_t	n = 0;

	for (uint32_t i = 0; i + 1 < level->k; i++)
		n = AddAddress(gminer, to, n, prefix[i]);
	return AddAddress(gminer, to, n, level->last[group->member]);
}

/* Write the addresses of candidates first .. end - 1, which must be candidates of the group. */
static void
EncodeGroup(const GminerEncoding *encoding, const ItemsetGroup *group, uint32_t first, uint32_t end)
{
	const Gminer *gminer = encoding->gminer;
	uint32_t	length = gminer->length;
	uint32_t   *to = encoding->to + (size_t) (first - encoding->first) * length;
	uint32_t	n = AddressPrefix(gminer, encoding->level, group, to);
	uint32_t	last = to[n - 1];

	for (uint32_t c = first; c < end; c++)
	{
		uint32_t	used;

		/* the first k items are the same as in the candidate before */
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
static const ItemsetGroup *
FindGroup(const ItemsetBatch *batch, uint32_t candidate)
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
	const ItemsetGroup *group = FindGroup(encoding->batch, first);

	for (; first < end; group++)
	{
		uint32_t	group_end = (uint32_t) GpuLesser(group->first + group->n, end);

		EncodeGroup(encoding, group, first, group_end);
		first = group_end;
	}
}

/*
 * Writes the addresses of the candidates, with threads of the host.  It leaves by JobLeave() if the
 * job is to stop.
 */
static void
GminerEncode(const GminerEncoding *encoding)
{
	uint32_t	n = encoding->end - encoding->first;

	OrLeave(HostRun(&encoding->gminer->job->team, GpuBlocks(n, ENCODED_AT_ONCE), EncodeSome, (void *) encoding));
}

/*
 * Fragments, sheets and other memory of a job of GMiner.
 */

#define MAX_FRAGMENT	5		/* items: the paper's optimum */
#define MAX_SHEETS		60000	/* a grid's second dimension is limited */

/* The fewest chunks of a streamed sheet, if fragments have more than one item. */
#define LEAST_CHUNKS	64

/* The most bytes of a batch.  It is small, so that the host forms one batch while another is counted. */
#define BATCH_BYTES		((uint64_t) 4 << 20)
/* The most bytes of a batch if sheets stream, since they do so once for each batch. */
#define STREAMED_BYTES	((uint64_t) 1 << 30)

/* The number of fragments. */
static uint32_t
GminerFragments(const Gminer *gminer)
{
	uint32_t	nitems = gminer->job->nitems - gminer->job->skip;

	return (nitems + gminer->fragment - 1) / gminer->fragment;
}

/* Use fragments of "fragment" items.  The row of an item is that of the set that holds it alone. */
static void
SetFragment(Gminer *gminer, uint32_t fragment)
{
	const ItemsetsJob *job = gminer->job;

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
 * Sheets are so wide that a sheet's rows fill most of the second level cache.  The paper's
 * 262,144 bits are right for the devices of its time.
 */
static uint64_t
SheetWidth(const Gminer *gminer, uint64_t room)
{
	uint64_t	cache = GpuLesser(gminer->job->team.devices[0]->l2_size / 4 * 3, room / 8);
	uint64_t	chunks = cache / (sizeof(uint4) * GpuGreater(gminer->bitmaps.nrows, 1));
	uint64_t	least = BitmapsWidth(&gminer->bitmaps.from) / MAX_SHEETS / BITMAP_CHUNK + 2;

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

	SetFragment(gminer, fragment);
	BitmapsPlanParcels(bitmaps, room);
	gminer->batch_bytes = GpuBetween(least, room / 16, BATCH_BYTES);
	width = SheetWidth(gminer, room);
	fixed = sizeof(uint32_t) * (uint64_t) bitmaps->nmap + BitmapsParcelsBytes(bitmaps) + 4096;
	bitmaps->resident = true;
	BitmapsPlan(gminer->job, bitmaps, width);
	resident = fixed + sizeof(BitView) * (uint64_t) bitmaps->nsheets + 2 * gminer->batch_bytes +
		BitmapsBytes(bitmaps, true);
	if (resident <= room)
		return resident;

	/* sheets come once for each batch, so larger batches mean fewer copies */
	bitmaps->resident = false;
	gminer->batch_bytes = GpuBetween(least, room / 8, STREAMED_BYTES);
	fixed += sizeof(BitView) * BITMAP_SLOTS + 2 * gminer->batch_bytes;
	width = room > fixed ? (room - fixed) / BITMAP_SLOTS /
		(sizeof(uint4) * GpuGreater(bitmaps->nrows, 1)) * BITMAP_CHUNK : 0;
	BitmapsPlan(gminer->job, bitmaps, GpuLesser(width, UINT32_MAX));
	return fixed + BitmapsBytes(bitmaps, false);
}

/*
 * Plan for the largest fragments whose sheets stay on the device.  If there are none,
 * plan for the largest fragments whose streamed sheets are not too narrow.
 */
static uint64_t
Plan(void *of, uint64_t room)
{
	Gminer	   *gminer = (Gminer *) of;
	uint32_t	most = gminer->job->spec->head.strategy == FIM_GPU_TFL ? 1 : MAX_FRAGMENT;
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
	ItemsetsJob *job = gminer->job;
	bool		enough = BitmapsTake(job, &gminer->bitmaps);

	for (int d = 0; d < job->team.ndevices && enough; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		GminerMemory *memory = &gminer->memory[d];
		uint32_t	nviews = gminer->bitmaps.resident ? gminer->bitmaps.nsheets : BITMAP_SLOTS;

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

/*
 * Plans for all the memory that there is, and takes it: for the largest fragments that there is
 * room for, and sheets that stay on the devices if they fit.  It leaves by JobLeave() if
 * something fails.
 */
static void
GminerTakeMemory(Gminer *gminer)
{
	BitmapsUser user = {Plan, TakePlanned, gminer};

	BitmapsTakeMost(gminer->job, &gminer->bitmaps, &user);
	gminer->ready = true;
}

/*
 * Counting a level.
 */

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
LaunchShare(void *of, int d, const BitView *view, uint32_t number, uint32_t nsheets)
{
	Gminer	   *gminer = (Gminer *) of;
	GpuDevice  *device = gminer->job->team.devices[d];
	GminerShare *share = &gminer->current[d];
	uint64_t	chunks = nsheets > 1 ? gminer->bitmaps.chunks : view->stride;
	double		each = (double) GpuGreater(chunks, 1) * BITMAP_CHUNK;
	double		amount = GpuLaunchAmount(device, each, 4096 * each);
	uint32_t	n = (uint32_t) GpuLesser(share->n - share->next, (uint64_t) (amount / each));
	GpuTimer   *timer = JobBegin(device, GPU_COUNT, FIM_GPU_COUNT, each * n);

	GminerCountPartially(gminer->memory[d].views + number, nsheets, &share->on_device, share->next,
						 share->next + n, device->streams[GPU_COUNT]);
	OrLeave(GpuLaunched(device, "counting candidates"));
	OrLeave(GpuEnd(device, GPU_COUNT, timer));
	share->next += n;
	return share->next < share->n;
}

/* A sheet's rows of single items are complete.  Make the other rows of its fragments from these. */
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

/* Write a share's addresses into the quarters of the device's ring, and copy them from there. */
static void
SendAddresses(Gminer *gminer, const ItemsetLevels *levels, const ItemsetBatch *batch, int d,
			  const GminerShare *share)
{
	ItemsetsJob *job = gminer->job;
	size_t		bytes = sizeof(uint32_t) * gminer->length;
	uint32_t	most = (uint32_t) (GPU_QUARTER / bytes);
	char	   *to = (char *) share->on_device.rows;
	uint32_t	n;

	for (uint32_t done = 0; done < share->n; done += n)
	{
		uint32_t	first = share->first + done;
		int			quarter;
		char	   *ring;
		GminerEncoding encoding;

		OrLeave(GpuNextQuarter(&job->team, job->team.devices[d], &quarter, &ring));
		n = (uint32_t) GpuLesser(share->n - done, most);
		encoding = (GminerEncoding) {gminer, levels->current, batch, first, first + n, (uint32_t *) ring};
		GminerEncode(&encoding);
		OrLeave(GpuSendQuarter(job->team.devices[d], GPU_COUNT, quarter, to + done * bytes, n * bytes,
							 "copying candidates"));
	}
}

static void
Send(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
{
	Gminer	   *gminer = (Gminer *) of;
	ItemsetsJob *job = gminer->job;

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

		OrLeave(GpuReceive(&gminer->job->team, gminer->job->team.devices[d], batch->counts + share->first,
						   share->on_device.supports, sizeof(uint32_t) * share->n, "returning supports"));
	}
}

static const LevelCounter gminer_counter = {NULL, BeginLevel, Send, Count, Collect};

void
GminerMine(ItemsetsJob *job)
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
