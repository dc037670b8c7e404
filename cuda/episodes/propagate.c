/*-------------------------------------------------------------------------
 *
 * propagate.c
 *	  Counting candidates by latest-start propagation.
 *
 * Each candidate extends the list of its prefix by the events of one type, and those that turn
 * out frequent have their lists made by the same kernel.  Lists stay on the device where
 * they were made: the pairs of types are shared out among the devices, and with
 * them all episodes that begin like them.
 *
 * A list for which there was no memory is made again when the candidates that extend it
 * are counted.  A batch is then cut into parts whose lists fit.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/kept_lists.h"
#include "episodes/long_lists.h"
#include "episodes/pairs.h"
#include "episodes/propagate.h"
#include "episodes/remake.h"
#include "episodes/search.h"

/* What a device does of a part of a batch; arrays have BATCH_ROOM elements if nothing else is said. */
typedef struct Share
{
	/* on the device */
	DeviceList *lists;			/* of the prefixes */
	DeviceList *made;			/* of the candidates that are frequent */
	Extension  *extensions;
	Pause	   *pauses;
	Counted    *counted;
	Chunk	   *chunks;			/* [CHUNK_ROOM] */

	/* on the host */
	DeviceList *host_lists;
	uint32_t   *prefix;			/* whose they are */
	uint32_t	nlists;
	DeviceList *host_made;
	uint32_t	nmade;
	Extension  *host_extensions;
	uint32_t	n;
	Counted    *host_counted;
	uint32_t	next;			/* the first that has not been looked at */
	Remaking	remaking;
} Share;

typedef struct Propagation
{
	EventStream *stream;
	bool		keeps;			/* lists, from one level to the next: not those of one section out of many */
	KeptLists	lists[2];		/* of the level at hand and of the next one, by turns */
	int			at_hand;
	Share		share[FIM_GPU_MAX_DEVICES];
} Propagation;

#define SHARE_MEMORY \
	(BATCH_ROOM * (uint64_t) (2 * sizeof(DeviceList) + sizeof(Extension) + sizeof(Pause) + sizeof(Counted)) + \
	 CHUNK_ROOM * (uint64_t) sizeof(Chunk))
#define SPARE_BYTES		(UINT64_C(1) << 16)

/* Up to so many candidates with so many events are counted one after the other, by a thread for each event. */
#define FEW_CANDIDATES	8
#define LONG_TYPE		(1u << 19)

static const char *const what = "extending lists";

uint64_t
PropagateLeast(uint32_t most_events)
{
	return SHARE_MEMORY + RemakeLeast(most_events) + SPARE_BYTES;
}

static cudaError_t
TakeShare(EpisodesJob *job, GpuDevice *device, Share *share)
{
	const GpuArray on_device[] = {
		{(void **) &share->lists, sizeof(DeviceList) * BATCH_ROOM},
		{(void **) &share->made, sizeof(DeviceList) * BATCH_ROOM},
		{(void **) &share->extensions, sizeof(Extension) * BATCH_ROOM},
		{(void **) &share->pauses, sizeof(Pause) * BATCH_ROOM},
		{(void **) &share->counted, sizeof(Counted) * BATCH_ROOM},
		{(void **) &share->chunks, sizeof(Chunk) * CHUNK_ROOM}
	};
	const GpuArray on_host[] = {
		{(void **) &share->host_lists, sizeof(DeviceList) * BATCH_ROOM},
		{(void **) &share->prefix, sizeof(uint32_t) * BATCH_ROOM},
		{(void **) &share->host_made, sizeof(DeviceList) * BATCH_ROOM},
		{(void **) &share->host_extensions, sizeof(Extension) * BATCH_ROOM},
		{(void **) &share->host_counted, sizeof(Counted) * BATCH_ROOM}
	};

	GPU_TRY(GpuAllocArrays(device, on_device, sizeof(on_device) / sizeof(on_device[0]), "allocating candidates"));
	return GpuHostTakeArrays(&job->team, on_host, sizeof(on_host) / sizeof(on_host[0]));
}

/* ---- the shares of a part ---- */

/* Add a prefix to a device's share.  *fits becomes false if the part has to end before it. */
static cudaError_t
AddPrefix(EpisodesJob *job, Propagation *p, const Levels *levels, int d, uint32_t prefix, bool *fits)
{
	uint32_t	length = levels->n - 2;
	Share	   *share = &p->share[d];
	DeviceList *list = &share->host_lists[share->nlists];

	*fits = true;
	if (length == 1)
		*list = ListOfType(job, &p->stream->on[d], levels->level[1].type[prefix]);
	else if (p->keeps)
		*list = p->lists[p->at_hand].list[prefix];
	else
		list->end = NULL;
	if (list->end == NULL)
		GPU_TRY(RemakeAdd(job, &share->remaking, levels, length, prefix, share->nlists, list, fits));
	if (*fits)
		share->prefix[share->nlists++] = prefix;
	return cudaSuccess;
}

/* The device that counts a candidate. */
static int
DeviceOf(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, uint32_t c)
{
	if (job->team.ndevices == 1)
		return 0;
	if (batch->levels->n == 3)
		return (int) (c % (uint32_t) job->team.ndevices);
	if (!p->keeps)
		return (int) (batch->prefix[c] % (uint32_t) job->team.ndevices);
	return p->lists[p->at_hand].device[batch->prefix[c]];
}

static void
EmptyShares(const EpisodesJob *job, Propagation *p)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		Share	   *share = &p->share[d];

		share->n = share->nlists = share->nmade = share->next = 0;
		RemakeBegin(&share->remaking, d, share->pauses, share->chunks);
	}
}

/* The end of the candidates from c on that extend the same list on the same device, before "end". */
static uint32_t
EndOfRun(const EpisodesJob *job, const CandidateBatch *batch, uint32_t c, uint32_t end)
{
	uint32_t	prefix = batch->prefix[c++];

	/* pairs of types are dealt out one by one */
	if (job->team.ndevices > 1 && batch->levels->n == 3)
		return c;
	while (c < end && batch->prefix[c] == prefix)
		c++;
	return c;
}

/* Add the candidates from "first" to end - 1 to a share, which has their list last. */
static void
AddRun(Share *share, const CandidateBatch *batch, uint32_t first, uint32_t end)
{
	Extension  *to = share->host_extensions + share->n;

	for (uint32_t c = first; c < end; c++)
		*to++ = (Extension) {share->nlists - 1, batch->type[c], batch->gap[c], share->n + c - first};
	if (batch->free != NULL)
		for (uint32_t c = first; c < end; c++)
			share->host_counted[share->n + c - first].free = batch->free[c];
	share->n += end - first;
}

/* Share out candidates from "first" on; *end becomes the first that has to wait for the next part. */
static cudaError_t
DividePart(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, uint32_t first, uint32_t *end)
{
	uint32_t	next;

	EmptyShares(job, p);
	for (*end = first; *end < batch->n; *end = next)
	{
		uint32_t	prefix = batch->prefix[*end];
		int			d = DeviceOf(job, p, batch, *end);
		Share	   *share = &p->share[d];
		bool		fits = true;

		if (share->nlists == 0 || share->prefix[share->nlists - 1] != prefix)
			GPU_TRY(AddPrefix(job, p, batch->levels, d, prefix, &fits));
		if (!fits)
			break;
		next = EndOfRun(job, batch, *end, batch->n);
		AddRun(share, batch, *end, next);
	}
	return HostWork(job, 4 * (uint64_t) (*end - first));
}

/* ---- counting ---- */

static ExtensionRun
RunOf(const EpisodesJob *job, const Propagation *p, int d, ExtensionMode mode, uint32_t n)
{
	const Share *share = &p->share[d];

	return (ExtensionRun) {.device = job->team.devices[d], .extensions = share->host_extensions, .n = n,
		.extending = {.mode = mode, .stream = p->stream->on[d], .lists = share->lists,
			.extensions = share->extensions, .pauses = share->pauses, .counted = share->counted,
			.made = share->made, .least = job->least, .chunks = share->chunks}};
}

/* Send so many of a share's extensions. */
static cudaError_t
SendExtensions(EpisodesJob *job, GpuDevice *device, const Share *share, uint32_t n)
{
	return GpuSend(&job->team, device, GPU_COUNT, share->extensions, share->host_extensions, sizeof(Extension) * n, what);
}

/* The most events that an extension of a share looks at. */
static uint32_t
MostEvents(const EpisodesJob *job, const Share *share)
{
	uint64_t	most = 0;

	for (uint32_t i = 0; i < share->n; i++)
		most = GpuGreater(most, EventsOf(job, share->host_extensions[i].type));
	return (uint32_t) most;
}

static cudaError_t
CountOneByOne(EpisodesJob *job, Share *share, bool resumes, LongLists *l, DeviceList *room)
{
	for (uint32_t i = 0; i < share->n; i++)
	{
		const Extension *extension = &share->host_extensions[i];
		Counted    *counted = &share->host_counted[i];

		GPU_TRY(LongListsExtend(job, l, &share->host_lists[extension->list], extension->type, extension->gap, room));
		counted->entries = room->n;
		counted->support = 0;
		if (!resumes)
			counted->free = 0;
		if (room->n >= job->least)
			GPU_TRY(LongListsCount(job, l, room, counted));
	}
	return cudaSuccess;
}

/*
 * Count a share's candidates one by one, if they are few and have many events.  *done
 * becomes false if that is not so, or if there is too little memory for it.
 */
static cudaError_t
CountFew(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, int d, bool *done)
{
	Share	   *share = &p->share[d];
	GpuDevice  *device = job->team.devices[d];
	uint32_t	most = share->n <= FEW_CANDIDATES ? MostEvents(job, share) : 0;
	LongLists	l;
	DeviceList	room;

	*done = false;
	if (most < LONG_TYPE || share->remaking.n > 0 ||
		LongListsMemory(most) + LIST_ENTRY * (uint64_t) most > GpuRoom(device) / 2)
		return cudaSuccess;
	GPU_TRY(GpuTryAlloc(device, LIST_ENTRY * (size_t) most, what, (void **) &room.end));
	if (room.end == NULL)
		return cudaSuccess;
	room.start = room.end + most;
	GPU_TRY(LongListsOpen(&l, device, &p->stream->on[d], most, done));
	if (*done)
	{
		GPU_TRY(CountOneByOne(job, share, batch->free != NULL, &l, &room));
		GPU_TRY(LongListsClose(&l));
	}
	return GpuFree(device, room.end);
}

/* Send what there is to count; the run becomes empty if that has been done already. */
static cudaError_t
BeginShare(EpisodesJob *job, Propagation *p, int d, const CandidateBatch *batch, ExtensionRun *run)
{
	const Levels *levels = batch->levels;
	GpuDevice  *device = job->team.devices[d];
	Share	   *share = &p->share[d];
	bool		done;

	*run = RunOf(job, p, d, COUNT_EXTENSIONS, 0);
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, share->lists, share->host_lists,
					sizeof(DeviceList) * share->nlists, what));
	GPU_TRY(CountFew(job, p, batch, d, &done));
	if (done)
		return cudaSuccess;
	run->n = share->n;
	GPU_TRY(SendExtensions(job, device, share, share->n));
	run->extending.counts_entries = batch->extended && p->keeps;
	run->extending.resumes = batch->free != NULL;
	if (run->extending.resumes)
		GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, share->counted, share->host_counted,
						sizeof(Counted) * share->n, what));
	return RemakeAll(job, &share->remaking, p->stream, levels, levels->n - 2, share->lists);
}

static cudaError_t
CountShares(EpisodesJob *job, Propagation *p, const CandidateBatch *batch)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(BeginShare(job, p, d, batch, &runs[d]));
	GPU_TRY(RunExtensions(job, runs, job->team.ndevices));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuReceive(&job->team, job->team.devices[d], GPU_COUNT, p->share[d].host_counted,
						   p->share[d].counted, sizeof(Counted) * runs[d].n, "copying supports"));
	return cudaSuccess;
}

/* ---- lists of the next level ---- */

/* Of a device's share, the extensions that are frequent, with the places of their lists. */
static cudaError_t
PlaceLists(EpisodesJob *job, Propagation *p, int d)
{
	Share	   *share = &p->share[d];
	uint64_t	reserve = share->remaking.half[1] == NULL ? RemakeLeast(job->most_events) : 0;
	uint64_t	entries = 0;
	uint32_t   *at;

	for (uint32_t i = 0; i < share->n; i++)
		if (share->host_counted[i].support >= job->asked->minsup)
			entries += share->host_counted[i].entries;
	if (entries == 0)
		return cudaSuccess;
	GPU_TRY(TakeListBlock(job, &p->lists[1 - p->at_hand], d, entries, reserve, &at));
	for (uint32_t i = 0; i < share->n; i++)
	{
		uint32_t	n = share->host_counted[i].entries;

		if (share->host_counted[i].support < job->asked->minsup)
			continue;
		share->host_extensions[share->nmade] = share->host_extensions[i];
		share->host_extensions[share->nmade].to = share->nmade;
		share->host_made[share->nmade++] = at != NULL ? (DeviceList) {at, at + n, n} : (DeviceList) {NULL, NULL, n};
		if (at != NULL)
			at += 2 * (size_t) n;
	}
	if (at == NULL)
		return cudaSuccess;
	GPU_TRY(SendExtensions(job, job->team.devices[d], share, share->nmade));
	return GpuSend(&job->team, job->team.devices[d], GPU_COUNT, share->made, share->host_made,
				   sizeof(DeviceList) * share->nmade, what);
}

/* Make the lists for which there is memory. */
static cudaError_t
MakeLists(EpisodesJob *job, Propagation *p)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
	{
		Share	   *share = &p->share[d];

		GPU_TRY(PlaceLists(job, p, d));
		runs[d] = RunOf(job, p, d, WRITE_EXTENSIONS,
						share->nmade > 0 && share->host_made[0].end != NULL ? share->nmade : 0);
	}
	return RunExtensions(job, runs, job->team.ndevices);
}

/* ---- batches ---- */

/* Put down what was found out of candidates that a device has in its share one after the other. */
static void
TakeRun(Share *share, CandidateBatch *batch, uint32_t first, uint32_t end)
{
	const Counted *counted = share->host_counted + share->next;

	for (uint32_t c = first; c < end; c++)
		batch->support[c] = counted[c - first].support;
	if (batch->free != NULL)
		for (uint32_t c = first; c < end; c++)
			batch->free[c] = counted[c - first].free;
	share->next += end - first;
}

/* The same for all candidates of a part, in their order. */
static cudaError_t
TakePart(EpisodesJob *job, Propagation *p, CandidateBatch *batch, uint32_t first, uint32_t end)
{
	uint32_t	made[FIM_GPU_MAX_DEVICES] = {0};
	bool		keeps = batch->extended && p->keeps;
	uint32_t	next;

	for (uint32_t begin = first; begin < end; begin = next)
	{
		int			d = DeviceOf(job, p, batch, begin);
		Share	   *share = &p->share[d];

		next = EndOfRun(job, batch, begin, end);
		TakeRun(share, batch, begin, next);
		for (uint32_t c = begin; keeps && c < next; c++)
			if (batch->support[c] >= job->asked->minsup)
				GPU_TRY(KeepList(job, &p->lists[1 - p->at_hand], &share->host_made[made[d]++], d));
	}
	return HostWork(job, 4 * (uint64_t) (end - first));
}

static cudaError_t
CountBatch(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	Propagation *p = (Propagation *) of;
	uint32_t	end;

	for (uint32_t first = 0; first < batch->n; first = end)
	{
		GPU_TRY(DividePart(job, p, batch, first, &end));
		GPU_TRY(CountShares(job, p, batch));
		if (batch->extended && p->keeps)
			GPU_TRY(MakeLists(job, p));
		GPU_TRY(TakePart(job, p, batch, first, end));
	}
	/* the next section is to take this one's place */
	for (int d = 0; d < job->team.ndevices && !p->keeps; d++)
		GPU_TRY(RemakeFree(job, &p->share[d].remaking));
	return cudaSuccess;
}

static cudaError_t
EndLevel(EpisodesJob *job, void *of)
{
	Propagation *p = (Propagation *) of;

	/* lists may still be made from those at hand */
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuWait(&job->team, job->team.devices[d], GPU_COUNT, what));
	GPU_TRY(DropLists(job, &p->lists[p->at_hand]));
	p->at_hand = 1 - p->at_hand;
	return cudaSuccess;
}

static cudaError_t
PairsOf(EpisodesJob *job, void *of, uint32_t nfrequent, uint32_t **bounds)
{
	return BoundPairs(job, ((Propagation *) of)->stream, nfrequent, bounds);
}

cudaError_t
PropagateMine(EpisodesJob *job, Sections *sections)
{
	static const SearchStrategy strategy = {.bound_pairs = PairsOf, .count = CountBatch, .end_level = EndLevel};
	Propagation p;

	memset(&p, 0, sizeof(p));
	p.stream = &sections->stream;
	p.keeps = sections->n == 1;
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(TakeShare(job, job->team.devices[d], &p.share[d]));
	return SearchEpisodes(job, sections, &strategy, &p);
}
