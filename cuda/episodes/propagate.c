/*-------------------------------------------------------------------------
 *
 * propagate.c
 *	  Counting candidates by latest-start propagation.
 *
 * Each candidate extends the list of its prefix by the events of one type.  For candidates that
 * turn out frequent, the same kernel then makes their lists.  Lists stay on the device where they
 * were made, see shares.h.
 *
 * The first device begins alone.  It is quicker than several if there is little to do, because each would have to
 * get the events.  It calls the others when it has counted for longer than that takes.
 *
 * A list for which there was no memory is made again when the candidates that extend it
 * are counted.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/pairs.h"
#include "episodes/propagate.h"
#include "episodes/search.h"
#include "episodes/shares.h"

#define SPARE_BYTES		(UINT64_C(1) << 16)

/*
 * Milliseconds that calling another device takes at most, with making lists again that the first one has, and bytes
 * of the stream that are copied to it in one, if they go by way of the host.
 */
#define CALL_MS			20.0
#define BYTES_A_MS		3e7

static const char *const what = "extending lists";

uint64_t
PropagateLeast(uint32_t most_events)
{
	return ShareMemory() + RemakeLeast(most_events) + SPARE_BYTES;
}

/* ---- counting ---- */

/* The run that counts a share's candidates, or, with WRITE_EXTENSIONS, makes the lists of those found. */
static ExtensionRun
RunOf(const EpisodesJob *job, const Propagation *p, int d, ExtensionMode mode)
{
	const Share *share = &p->share[d];
	ExtensionRun run = {.device = job->team.devices[d],
		.extending = {.mode = mode, .stream = p->stream->on[d], .lists = share->lists,
			.pauses = share->pauses, .counted = share->counted, .least = job->least, .chunks = share->chunks}};

	if (mode == COUNT_EXTENSIONS)
	{
		run.extending.extensions = share->extensions;
		run.n = share->n;
		run.ends = share->host_ends;
		run.uses = share->uses;
		run.nends = share->nends;
	}
	else
	{
		run.extending.extensions = share->making;
		run.extending.made = share->made;
		run.n = share->nmade;
		run.extensions = share->host_extensions;
	}
	return run;
}

/* Send what the extensions are made of. */
static cudaError_t
SendShare(EpisodesJob *job, int d, Share *share, bool with_free)
{
	const GpuPart parts[] = {
		{share->host_lists, sizeof(DeviceList) * share->nlists},
		{share->host_runs, sizeof(JoinedRun) * share->nruns},
		{share->host_ends, sizeof(EpisodeEnd) * share->nends},
		{share->host_free, sizeof(uint32_t) * (with_free ? share->n : 0)}
	};

	share->runs = (JoinedRun *) (share->lists + share->nlists);
	share->ends = (EpisodeEnd *) (share->runs + share->nruns);
	share->free = with_free ? (uint32_t *) (share->ends + share->nends) : NULL;
	return GpuSendParts(&job->team, job->team.devices[d], GPU_COUNT, share->lists, parts,
						sizeof(parts) / sizeof(parts[0]), what);
}

/* Send what makes the lists of the candidates found. */
static cudaError_t
SendMade(EpisodesJob *job, int d, Share *share)
{
	const GpuPart parts[] = {
		{share->host_made, sizeof(DeviceList) * share->nmade},
		{share->host_extensions, sizeof(Extension) * share->nmade}
	};

	share->made = share->lists + share->nlists;
	share->making = (Extension *) (share->made + share->nmade);
	return GpuSendParts(&job->team, job->team.devices[d], GPU_COUNT, share->made, parts,
						sizeof(parts) / sizeof(parts[0]), what);
}

/*
 * Send a share to its device, make its extensions, and remake lists that are not there.  *run becomes the run
 * to count it.
 */
static cudaError_t
BeginShare(EpisodesJob *job, Propagation *p, int d, const CandidateBatch *batch, ExtensionRun *run)
{
	GpuDevice  *device = job->team.devices[d];
	Share	   *share = &p->share[d];

	*run = RunOf(job, p, d, COUNT_EXTENSIONS);
	if (run->n == 0)
		return cudaSuccess;
	GPU_TRY(SendShare(job, d, share, batch->free != NULL));
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(JoinRuns(device, share->runs, share->nruns, share->ends, share->extensions, share->n, share->free,
					 share->counted));
	run->extending.resumes = share->free != NULL;
	run->extending.counts_entries = batch->extended && p->keeps && p->pairs.address == NULL;
	return RemakeAll(job, &share->remaking, p->stream, batch->levels, batch->levels->n - 2, share->lists);
}

/* Count the shares of all devices, and receive what is found. */
static cudaError_t
CountShares(EpisodesJob *job, Propagation *p, const CandidateBatch *batch)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
	{
		p->share[d].host_found->n = 0;
		GPU_TRY(BeginShare(job, p, d, batch, &runs[d]));
	}
	GPU_TRY(RunExtensions(job, runs, job->team.ndevices));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->team.devices[d], what));
		if (runs[d].n > 0)
			GPU_TRY(BeginFound(job, d, &p->share[d], runs[d].n));
	}
	for (int d = 0; d < job->team.ndevices; d++)
		if (runs[d].n > 0)
			GPU_TRY(ReceiveFound(job, d, &p->share[d]));
	return cudaSuccess;
}

/* ---- lists of the next level ---- */

/* Place the lists of the candidates found in a share, from an address on.  NULL: they are not kept. */
static cudaError_t
PlaceLists(EpisodesJob *job, Share *share, uint32_t *at)
{
	uint32_t	run = 0;

	for (uint32_t i = 0; i < share->host_found->n; i++)
	{
		const Found *found = &share->host_found->found[i];
		uint32_t	n = found->counted.entries;

		share->host_extensions[i] = ExtensionAt(share, found->number, &run);
		share->host_extensions[i].to = i;
		share->host_made[i] = at != NULL ? (DeviceList) {at, at + n, n, 1} : UnkeptList(n);
		if (at != NULL)
			at += 3 * (size_t) n;
	}
	share->nmade = at != NULL ? share->host_found->n : 0;
	return HostWork(job, 10 * (uint64_t) share->host_found->n);
}

/*
 * Send what makes the lists of the candidates found in a share, if there is memory for them.  *run becomes
 * the run to do it.
 */
static cudaError_t
BeginLists(EpisodesJob *job, Propagation *p, int d, ExtensionRun *run)
{
	Share	   *share = &p->share[d];
	const FoundList *found = share->host_found;
	uint64_t	reserve = share->remaking.half[1] == NULL ? RemakeLeast(job->most_events) : 0;
	uint64_t	entries = 0;
	uint32_t   *at = NULL;

	for (uint32_t i = 0; i < found->n; i++)
		entries += found->found[i].counted.entries;
	if (entries > 0)
		GPU_TRY(TakeListBlock(job, &p->lists[1 - p->at_hand], d, entries, reserve, &at));
	GPU_TRY(PlaceLists(job, share, at));
	GPU_TRY(SendMade(job, d, share));
	*run = RunOf(job, p, d, WRITE_EXTENSIONS);
	return cudaSuccess;
}

/*
 * Find the lists of the pairs found, which are there already: each has the places that the candidate was
 * tried with.
 */
static cudaError_t
FindLists(EpisodesJob *job, Share *share)
{
	uint32_t	run = 0;

	for (uint32_t i = 0; i < share->host_found->n; i++)
	{
		Extension	extension = ExtensionAt(share, share->host_found->found[i].number, &run);
		uint32_t	n = extension.nplaces;

		share->host_made[i] = (DeviceList) {extension.place - 2 * (size_t) n, extension.place - n, n, 1};
	}
	return HostWork(job, 10 * (uint64_t) share->host_found->n);
}

/* Make the lists of the candidates found in all shares, if they are not there and can be kept. */
static cudaError_t
MakeLists(EpisodesJob *job, Propagation *p)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	if (p->pairs.address != NULL)
		return FindLists(job, &p->share[0]);
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(BeginLists(job, p, d, &runs[d]));
	return RunExtensions(job, runs, job->team.ndevices);
}

/* ---- devices ---- */

/* Whether the other devices are to count, too.  The lists of pairs that are counted now are on the first one. */
static bool
IsToCall(const EpisodesJob *job, const Propagation *p)
{
	double		bytes = (double) StreamMemory(job->data, &job->section, STREAM_BY_PLACE, false);

	return p->pairs.address == NULL && GpuTeamIsToCall(&job->team, CALL_MS + bytes / BYTES_A_MS);
}

/* From now on all devices count. */
static cudaError_t
CallOthers(EpisodesJob *job, Propagation *p)
{
	GpuTeamCall(&job->team);
	for (int d = 1; d < job->team.ndevices; d++)
	{
		GPU_TRY(StreamCopy(job, p->stream, STREAM_BY_PLACE, d));
		GPU_TRY(TakeShare(job, job->team.devices[d], &p->share[d]));
	}
	p->called = true;
	return DealLists(job, &p->lists[p->at_hand]);
}

/* ---- batches ---- */

/* How much of a share has been put into the batch. */
typedef struct Taken
{
	uint32_t	n;				/* candidates */
	uint32_t	found;			/* candidates that are frequent */
} Taken;

/* Put what was found of the share's next candidates, which are a portion of the batch, into the batch. */
static cudaError_t
TakePortion(EpisodesJob *job, Propagation *p, CandidateBatch *batch, const Portion *portion, int d, Taken *taken)
{
	const Share *share = &p->share[d];
	uint32_t	from = taken->n;

	taken->n += portion->n;
	for (; taken->found < share->host_found->n; taken->found++)
	{
		const Found *found = &share->host_found->found[taken->found];
		uint32_t	c = portion->first + found->number - from;

		if (found->number >= taken->n)
			break;
		batch->found[batch->nfound++] = c;
		batch->support[c] = found->counted.support;
		if (batch->free != NULL)
			batch->free[c] = found->counted.free;
		if (batch->extended && p->keeps)
			GPU_TRY(KeepList(job, &p->lists[1 - p->at_hand], &share->host_made[taken->found], d));
	}
	return cudaSuccess;
}

/* The same for all runs of a part, from "first" to end - 1. */
static cudaError_t
TakePart(EpisodesJob *job, Propagation *p, CandidateBatch *batch, uint32_t first, uint32_t end)
{
	Taken		taken[FIM_GPU_MAX_DEVICES] = {{0, 0}};
	Portion		portion = FirstPortion(job, batch, first);

	for (; portion.run < end; NextPortion(job, batch, &portion))
	{
		int			d = DeviceOf(job, p, batch, &portion);

		GPU_TRY(TakePortion(job, p, batch, &portion, d, &taken[d]));
		GPU_TRY(HostWork(job, 20));
	}
	return cudaSuccess;
}

static cudaError_t
CountBatch(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	Propagation *p = (Propagation *) of;
	uint32_t	end;

	if (IsToCall(job, p))
		GPU_TRY(CallOthers(job, p));
	batch->nfound = 0;
	for (uint32_t first = 0; first < batch->nruns; first = end)
	{
		GPU_TRY(DividePart(job, p, batch, first, &end));
		GPU_TRY(CountShares(job, p, batch));
		if (batch->extended && p->keeps)
			GPU_TRY(MakeLists(job, p));
		GPU_TRY(TakePart(job, p, batch, first, end));
	}
	/* with many sections, the next one needs the memory */
	for (int d = 0; d < job->team.ndevices && !p->keeps; d++)
		GPU_TRY(RemakeFree(job, &p->share[d].remaking));
	return cudaSuccess;
}

static cudaError_t
EndLevel(EpisodesJob *job, void *of)
{
	Propagation *p = (Propagation *) of;

	GPU_TRY(DropLists(job, &p->lists[p->at_hand]));
	p->pairs.address = NULL;
	p->at_hand = 1 - p->at_hand;
	/* those that were made before the call are on the first device */
	if (p->called)
		GPU_TRY(DealLists(job, &p->lists[p->at_hand]));
	p->called = false;
	return cudaSuccess;
}

static cudaError_t
PairsOf(EpisodesJob *job, void *of, uint32_t nfrequent, PairBounds *bounds)
{
	Propagation *p = (Propagation *) of;
	KeptLists  *lists = p->keeps ? &p->lists[1 - p->at_hand] : NULL;

	GPU_TRY(BoundPairs(job, p->stream, nfrequent, bounds, lists, &p->pairs.address));
	p->pairs.bound = bounds->bound;
	p->pairs.next = 0;
	return cudaSuccess;
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
