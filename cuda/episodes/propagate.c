/*-------------------------------------------------------------------------
 *
 * propagate.c
 *	  Counting candidates by latest-start propagation.
 *
 * Each candidate extends the list of its prefix by the events of one type.  For candidates that
 * turn out frequent, the same kernel then makes their lists, on each device.
 *
 * The first device begins alone.  It is quicker than several if there is little to do, because each would have to
 * get the events and the lists.  It calls the others when it has counted for longer than that takes.
 *
 * A list for which there was no memory is made again when the candidates that extend it
 * are counted.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "episodes/lists.h"
#include "team.h"

#define SPARE_BYTES		(UINT64_C(1) << 16)

static const char *const what = "extending lists";

uint64_t
PropagateLeast(uint32_t most_events)
{
	return ShareMemory() + RemakeLeast(most_events) + SPARE_BYTES;
}

/* ---- counting ---- */

/* The run that counts a share's candidates. */
static ExtensionRun
RunOf(const EpisodesJob *job, const Propagation *p, int d)
{
	const Share *share = &p->share[d];

	return (ExtensionRun) {.device = job->team.devices[d],.n = share->n,.ends = share->host_ends,.uses = share->uses,
		.nends = share->nends,
		.extending = {.mode = COUNT_EXTENSIONS,.stream = p->stream->on[d],.lists = share->lists,
			.extensions = share->extensions,.pauses = share->pauses,.counted = share->counted,.least = job->least,
			.legs = share->legs}};
}

/* Send what the extensions are made of. */
static cudaError_t
SendShare(EpisodesJob *job, int d, Share *share, bool with_free)
{
	const GpuPiece pieces[] = {
		{share->host_lists, sizeof(DeviceList) * share->nlists},
		{share->host_runs, sizeof(JoinedRun) * share->nruns},
		{share->host_ends, sizeof(EpisodeEnd) * share->nends},
		{share->host_free, sizeof(uint32_t) * (with_free ? share->n : 0)}
	};

	share->runs = (JoinedRun *) (share->lists + share->nlists);
	share->ends = (EpisodeEnd *) (share->runs + share->nruns);
	share->free = with_free ? (uint32_t *) (share->ends + share->nends) : NULL;
	return GpuSendPieces(&job->team, job->team.devices[d], GPU_COUNT, share->lists, pieces,
						 sizeof(pieces) / sizeof(pieces[0]), what);
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

	*run = RunOf(job, p, d);
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

/* ---- devices ---- */

/* Whether the other devices are to count, too.  The lists of pairs that are counted now are on the first one. */
static bool
IsToCall(const EpisodesJob *job, const Propagation *p)
{
	uint64_t	bytes = StreamMemory(job->data, &job->section, STREAM_BY_PLACE, false) + BytesOfLists(&p->lists[0]) +
		BytesOfLists(&p->lists[1]);

	return p->pairs.address == NULL && GpuTeamIsToCall(&job->team, bytes);
}

/* From now on all devices count. */
static cudaError_t
CallOthers(EpisodesJob *job, Propagation *p)
{
	GPU_TRY(GpuTeamCall(&job->team));
	for (int d = 1; d < job->team.ndevices; d++)
	{
		GPU_TRY(StreamCopy(job, p->stream, STREAM_BY_PLACE, d));
		GPU_TRY(TakeShare(job, job->team.devices[d], &p->share[d]));
		for (int i = 0; i < 2; i++)
			GPU_TRY(CopyLists(job, &p->lists[i], d, RemakeLeast(job->most_events)));
	}
	return cudaSuccess;
}

/* ---- batches ---- */

/* How much of a share has been put into the batch. */
typedef struct Taken
{
	uint32_t	n;				/* candidates */
	uint32_t	found;			/* candidates that are frequent */
} Taken;

/*
 * Put what was found of the share's next candidates, which are a portion of the batch, into the batch.  Their lists
 * will be on a shelf of their own.
 */
static cudaError_t
TakePortion(EpisodesJob *job, Propagation *p, CandidateBatch *batch, Part *part, const Portion *portion, int d,
			Taken *taken)
{
	const Share *share = &p->share[d];
	KeptLists  *next = &p->lists[1 - p->at_hand];
	uint32_t	from = taken->n;

	taken->n += portion->n;
	for (; taken->found < share->host_found->n; taken->found++)
	{
		const Found *found = &share->host_found->found[taken->found];
		KeptList	list = {.at = part->entries,.shelf = next->nshelves,.n = found->counted.entries};
		uint32_t	c = portion->first + found->number - from;

		if (found->number >= taken->n)
			break;
		batch->found[batch->nfound++] = c;
		batch->support[c] = found->counted.support;
		if (batch->free != NULL)
			batch->free[c] = found->counted.free;
		if (batch->extended && p->keeps)
			GPU_TRY(KeepList(job, next, &list));
		part->entries += list.n;
	}
	return cudaSuccess;
}

/* The same for all runs of a part. */
static cudaError_t
TakePart(EpisodesJob *job, Propagation *p, CandidateBatch *batch, Part *part)
{
	Taken		taken[FIM_GPU_MAX_DEVICES] = {{0, 0}};
	Portion		portion = FirstPortion(job, batch, part->first);

	for (; portion.run < part->end; NextPortion(job, batch, &portion))
	{
		int			d = DeviceOf(job, p, batch, &portion);

		GPU_TRY(TakePortion(job, p, batch, part, &portion, d, &taken[d]));
		GPU_TRY(HostWork(job, 20));
	}
	return cudaSuccess;
}

static cudaError_t
CountBatch(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	Propagation *p = (Propagation *) of;
	Part		part = {0};

	if (IsToCall(job, p))
		GPU_TRY(CallOthers(job, p));
	batch->nfound = 0;
	while (part.end < batch->nruns)
	{
		part = (Part) {.first = part.end,.found = batch->nfound};
		GPU_TRY(DividePart(job, p, batch, &part));
		GPU_TRY(CountShares(job, p, batch));
		GPU_TRY(TakePart(job, p, batch, &part));
		if (batch->extended && p->keeps)
			GPU_TRY(MakeNextLists(job, p, batch, &part));
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
