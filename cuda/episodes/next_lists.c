/*-------------------------------------------------------------------------
 *
 * next_lists.c
 *	  Making the lists of the next level's episodes, see next_lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "episodes/next_lists.h"

static const char *const what = "extending lists";

/* The place in the share's lists of a prefix that was not counted with on the device; GPU_NONE: it is not kept there. */
static uint32_t
OtherList(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, int d, Share *share, uint32_t prefix)
{
	DeviceList	list;

	if (share->nothers > 0 && share->other == prefix)
		return share->nlists + share->nothers - 1;
	list = PrefixListOn(job, p, batch->levels, d, prefix);
	if (list.end == NULL)
		return GPU_NONE;
	share->host_lists[share->nothers++] = list;
	share->other = prefix;
	return share->nlists + share->nothers - 1;
}

/* Add the extension that makes the list of candidate c, which is in a run and becomes an episode of the next level. */
static void
AddMade(Propagation *p, const CandidateBatch *batch, int d, const CandidateRun *run, uint32_t c, uint32_t list,
		uint32_t number)
{
	Share	   *share = &p->share[d];
	KeptLists  *next = &p->lists[1 - p->at_hand];
	EpisodeEnd	end = EndOnDevice(LevelOfBatch(batch), &p->lists[p->at_hand], d, run->suffix + c - run->first);

	next->list[number].on |= UINT32_C(1) << d;
	share->host_made[share->nmade] = KeptListOn(next, number, d);
	share->host_extensions[share->nmade] = (Extension) {list, end.type, run->gap != GPU_NONE ? run->gap : end.gap,
		share->nmade, end.place, end.nplaces};
	share->nmade++;
}

/* Put together what makes the part's lists on a device. */
static cudaError_t
DescribeLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part, int d)
{
	Share	   *share = &p->share[d];
	uint32_t	number = p->lists[1 - p->at_hand].n - (batch->nfound - part->found);
	uint32_t	i = part->found;
	uint32_t	joined = 0;

	for (Portion portion = FirstPortion(job, batch, part->first); portion.run < part->end; NextPortion(job, batch, &portion))
	{
		const CandidateRun *run = &batch->run[portion.run];
		bool		own = DeviceOf(job, p, batch, &portion) == d;
		uint32_t	before = i;
		uint32_t	list = GPU_NONE;

		if (own)
			list = share->host_runs[joined++].list;
		else if (i < batch->nfound && batch->found[i] < portion.first + portion.n)
			list = OtherList(job, p, batch, d, share, run->prefix);
		for (; i < batch->nfound && batch->found[i] < portion.first + portion.n; i++, number++)
			if (list != GPU_NONE)
				AddMade(p, batch, d, run, batch->found[i], list, number);
		GPU_TRY(HostWork(job, 10 + 10 * (uint64_t) (i - before)));
	}
	return cudaSuccess;
}

/* Send what makes the lists. */
static cudaError_t
SendMade(EpisodesJob *job, int d, Share *share)
{
	const GpuPart parts[] = {
		{share->host_lists, sizeof(DeviceList) * share->nothers},
		{share->host_made, sizeof(DeviceList) * share->nmade},
		{share->host_extensions, sizeof(Extension) * share->nmade}
	};
	DeviceList *others = share->lists + share->nlists;

	share->made = others + share->nothers;
	share->making = (Extension *) (share->made + share->nmade);
	return GpuSendParts(&job->team, job->team.devices[d], GPU_COUNT, others, parts, sizeof(parts) / sizeof(parts[0]),
						what);
}

/* Send a device what makes the part's lists, if it has memory for them.  *run becomes the run to do it. */
static cudaError_t
BeginLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part, int d, ExtensionRun *run)
{
	Share	   *share = &p->share[d];
	KeptLists  *next = &p->lists[1 - p->at_hand];
	uint64_t	reserve = share->remaking.half[1] == NULL ? RemakeLeast(job->most_events) : 0;

	share->nothers = share->nmade = 0;
	GPU_TRY(TakeListBlock(job, next, d, reserve));
	if (next->block[next->nblocks - 1].address[d] != NULL)
	{
		GPU_TRY(DescribeLists(job, p, batch, part, d));
		GPU_TRY(SendMade(job, d, share));
	}
	*run = (ExtensionRun) {.device = job->team.devices[d],.n = share->nmade,.extensions = share->host_extensions,
		.extending = {.mode = WRITE_EXTENSIONS,.stream = p->stream->on[d],.lists = share->lists,
			.extensions = share->making,.pauses = share->pauses,.made = share->made,.chunks = share->chunks}};
	return cudaSuccess;
}

/*
 * The lists of the pairs found are there already, in a block on the first device: each has the places that the
 * candidate was tried with.
 */
static cudaError_t
FindLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part)
{
	KeptLists  *next = &p->lists[1 - p->at_hand];
	KeptList   *list = &next->list[next->n - (batch->nfound - part->found)];

	for (uint32_t i = part->found; i < batch->nfound; i++, list++)
	{
		const EpisodeEnd *end = &p->share[0].host_ends[batch->found[i] - batch->run[part->first].first];

		*list = (KeptList) {.at = ((uint64_t) (end->place - p->pairs.address) - 2 * (uint64_t) end->nplaces) / 3,
			.block = 0,.n = end->nplaces,.on = 1};
	}
	return HostWork(job, 10 * (uint64_t) (batch->nfound - part->found));
}

cudaError_t
MakeNextLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part)
{
	ExtensionRun runs[FIM_GPU_MAX_DEVICES];

	if (batch->nfound == part->found)
		return cudaSuccess;
	if (p->pairs.address != NULL)
		return FindLists(job, p, batch, part);
	GPU_TRY(AddListBlock(job, &p->lists[1 - p->at_hand], part->entries));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(BeginLists(job, p, batch, part, d, &runs[d]));
	return RunExtensions(job, runs, job->team.ndevices);
}
