/*-------------------------------------------------------------------------
 *
 * shares.c
 *	  Sharing out a batch of candidates among the devices, see lists.h.
 *
 * First come the lists that devices make of the candidates found; then a share's memory, how
 * portions of runs are dealt out, and what a device's share of a part is made of; and at last
 * which of its candidates are found.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/lists.h"
#include "team.h"

static DeviceList PrefixListOn(const EpisodesJob *job, const Propagation *p, const EpisodeLevels *levels, int device,
							   uint32_t prefix);
static EpisodeEnd EndOnDevice(const EpisodeLevel *level, const KeptLists *lists, int device, uint32_t number);

/* ---- the lists of the next level's episodes ---- */

static const char *const making_next = "extending lists";

/* The place in the share's lists of a prefix that was not counted with on the device; GPU_NONE: it is not kept there. */
static uint32_t
OtherList(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, int d, Share *share, uint32_t prefix)
{
	DeviceList	list;

	if (share->other_lists > 0 && share->other == prefix)
		return share->nlists + share->other_lists - 1;
	list = PrefixListOn(job, p, batch->levels, d, prefix);
	if (list.end == NULL)
		return GPU_NONE;
	share->host_lists[share->other_lists++] = list;
	share->other = prefix;
	return share->nlists + share->other_lists - 1;
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
	const GpuPiece pieces[] = {
		{share->host_lists, sizeof(DeviceList) * share->other_lists},
		{share->host_made, sizeof(DeviceList) * share->nmade},
		{share->host_extensions, sizeof(Extension) * share->nmade}
	};
	DeviceList *others = share->lists + share->nlists;

	share->made = others + share->other_lists;
	share->making = (Extension *) (share->made + share->nmade);
	return GpuSendPieces(&job->team, job->team.devices[d], GPU_COUNT, others, pieces, sizeof(pieces) / sizeof(pieces[0]),
						 making_next);
}

/* Send a device what makes the part's lists, if it has memory for them.  *run becomes the run to do it. */
static cudaError_t
BeginLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part, int d, ExtensionRun *run)
{
	Share	   *share = &p->share[d];
	KeptLists  *next = &p->lists[1 - p->at_hand];
	uint64_t	reserve = share->remaking.half[1] == NULL ? RemakeLeast(job->most_events) : 0;

	share->other_lists = share->nmade = 0;
	GPU_TRY(TakeListShelf(job, next, d, reserve));
	if (next->shelf[next->nshelves - 1].address[d] != NULL)
	{
		GPU_TRY(DescribeLists(job, p, batch, part, d));
		GPU_TRY(SendMade(job, d, share));
	}
	*run = (ExtensionRun) {.device = job->team.devices[d],.n = share->nmade,.extensions = share->host_extensions,
		.extending = {.mode = WRITE_EXTENSIONS,.stream = p->stream->on[d],.lists = share->lists,
			.extensions = share->making,.pauses = share->pauses,.made = share->made,.legs = share->legs}};
	return cudaSuccess;
}

/*
 * The lists of the pairs found are there already, on a shelf of the first device: each has the places that the
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
			.shelf = 0,.n = end->nplaces,.on = 1};
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
	GPU_TRY(AddListShelf(job, &p->lists[1 - p->at_hand], part->entries));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(BeginLists(job, p, batch, part, d, &runs[d]));
	return RunExtensions(job, runs, job->team.ndevices);
}

/* ---- memory ---- */

/* The bytes of what is found.  The device writes it to a quarter of its ring. */
#define FOUND_BYTES		(sizeof(FoundList) + sizeof(Found) * BATCH_ROOM)

_Static_assert(FOUND_BYTES <= GPU_QUARTER, "a quarter of the ring has room for what is found");

/* The most scratch memory that finding frequent candidates takes. */
#define SCRATCH_BYTES	(UINT64_C(1) << 20)

static const char *const what = "allocating candidates";

/* The most bytes that are sent: when there are as many lists as candidates, and all candidates are frequent. */
#define SENT_BYTES		(BATCH_ROOM * (uint64_t) (2 * sizeof(DeviceList) + sizeof(Extension)))

#define EXTENSION_BYTES	(BATCH_ROOM * (uint64_t) sizeof(Extension))

uint64_t
ShareMemory(void)
{
	return SENT_BYTES + EXTENSION_BYTES + BATCH_ROOM * (uint64_t) (sizeof(Pause) + sizeof(Counted)) + SCRATCH_BYTES +
		LEG_ROOM * (uint64_t) sizeof(Leg);
}

static cudaError_t
TakeOnDevice(GpuDevice *device, Share *share)
{
	const GpuArray arrays[] = {
		{(void **) &share->lists, SENT_BYTES},
		{(void **) &share->extensions, EXTENSION_BYTES},
		{(void **) &share->pauses, sizeof(Pause) * BATCH_ROOM},
		{(void **) &share->counted, sizeof(Counted) * BATCH_ROOM},
		{&share->scratch, share->scratch_bytes},
		{(void **) &share->legs, sizeof(Leg) * LEG_ROOM}
	};

	return GpuAllocArrays(device, arrays, sizeof(arrays) / sizeof(arrays[0]), what);
}

static cudaError_t
TakeOnHost(EpisodesJob *job, Share *share)
{
	const GpuArray arrays[] = {
		{(void **) &share->host_lists, sizeof(DeviceList) * BATCH_ROOM},
		{(void **) &share->host_runs, sizeof(JoinedRun) * BATCH_ROOM},
		{(void **) &share->host_ends, sizeof(EpisodeEnd) * BATCH_ROOM},
		{(void **) &share->uses, sizeof(uint32_t) * BATCH_ROOM},
		{(void **) &share->host_found, FOUND_BYTES},
		{(void **) &share->host_made, sizeof(DeviceList) * BATCH_ROOM},
		{(void **) &share->host_extensions, sizeof(Extension) * BATCH_ROOM}
	};

	return GpuHostTakeArrays(&job->team, arrays, sizeof(arrays) / sizeof(arrays[0]));
}

cudaError_t
TakeShare(EpisodesJob *job, GpuDevice *device, Share *share)
{
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, FoundScratch(BATCH_ROOM, &share->scratch_bytes), what));
	GPU_TRY(TakeOnDevice(device, share));
	return TakeOnHost(job, share);
}

/* ---- portions ---- */

/* Pairs of types are dealt out to several devices one by one. */
static uint32_t
SizeOfPortion(const EpisodesJob *job, const CandidateBatch *batch, uint32_t run, uint32_t first)
{
	return job->team.ndevices > 1 && batch->levels->n == 3 ? 1 : EndOfRun(batch, run) - first;
}

Portion
FirstPortion(const EpisodesJob *job, const CandidateBatch *batch, uint32_t run)
{
	uint32_t	first = batch->run[run].first;

	return (Portion) {run, first, SizeOfPortion(job, batch, run, first)};
}

void
NextPortion(const EpisodesJob *job, const CandidateBatch *batch, Portion *portion)
{
	portion->first += portion->n;
	if (portion->first < EndOfRun(batch, portion->run))
		portion->n = SizeOfPortion(job, batch, portion->run, portion->first);
	else if (++portion->run < batch->nruns)
		*portion = FirstPortion(job, batch, portion->run);
}

/* The device that counts what extends an episode: one that has its list, if there is any. */
static int
DeviceOfPrefix(const EpisodesJob *job, const Propagation *p, uint32_t prefix)
{
	uint32_t	ndevices = (uint32_t) job->team.ndevices;
	uint32_t	on = p->keeps ? p->lists[p->at_hand].list[prefix].on : 0;
	uint32_t	d = prefix % ndevices;

	while (on != 0 && (on >> d & 1) == 0)
		d = (d + 1) % ndevices;
	return (int) d;
}

int
DeviceOf(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, const Portion *portion)
{
	if (job->team.ndevices == 1)
		return 0;
	if (batch->levels->n == 3)
		return (int) (portion->first % (uint32_t) job->team.ndevices);
	return DeviceOfPrefix(job, p, batch->run[portion->run].prefix);
}

/* ---- the shares of a part ---- */

/*
 * The list of a prefix on a device; its addresses are NULL if it is not kept there.  The last level of "levels"
 * but one has the prefixes.
 */
static DeviceList
PrefixListOn(const EpisodesJob *job, const Propagation *p, const EpisodeLevels *levels, int d, uint32_t prefix)
{
	if (levels->n == 3)
		return ListOfType(job, &p->stream->on[d], levels->level[1].type[prefix]);
	return p->keeps ? KeptListOn(&p->lists[p->at_hand], prefix, d) : UnkeptList(0);
}

/* Add a prefix to a device's share.  *fits becomes false if the part has to end before it. */
static cudaError_t
AddPrefix(EpisodesJob *job, Propagation *p, const EpisodeLevels *levels, int d, uint32_t prefix, bool *fits)
{
	Share	   *share = &p->share[d];
	DeviceList *list = &share->host_lists[share->nlists];

	*fits = true;
	*list = PrefixListOn(job, p, levels, d, prefix);
	if (list->end == NULL)
		GPU_TRY(RemakeAdd(job, &share->remaking, levels, levels->n - 2, prefix, share->nlists, list, fits));
	if (*fits)
	{
		share->prefix = prefix;
		share->nlists++;
	}
	return cudaSuccess;
}

/* Add the instants at which occurrences of a portion's candidates may begin. */
static cudaError_t
AddFree(EpisodesJob *job, Share *share, const CandidateBatch *batch, const Portion *portion)
{
	if (share->host_free == NULL)
		GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * BATCH_ROOM, (void **) &share->host_free));
	memcpy(share->host_free + share->n, batch->free + portion->first, sizeof(uint32_t) * portion->n);
	return cudaSuccess;
}

/*
 * Add a portion, which extends the share's last list.  For now, the numbers of its ends are those of the
 * level's episodes.
 */
static cudaError_t
AddPortion(EpisodesJob *job, Share *share, const CandidateBatch *batch, const Portion *portion)
{
	const CandidateRun *run = &batch->run[portion->run];

	share->host_runs[share->nruns++] = (JoinedRun) {share->n, share->nlists - 1,
		run->suffix + portion->first - run->first, run->gap};
	if (batch->free != NULL)
		GPU_TRY(AddFree(job, share, batch, portion));
	share->n += portion->n;
	return cudaSuccess;
}

static uint32_t
EndOfJoined(const Share *share, uint32_t run)
{
	return run + 1 < share->nruns ? share->host_runs[run + 1].first : share->n;
}

/* The end of an episode of the level, with the places of its list if that is on the device. */
static EpisodeEnd
EndOnDevice(const EpisodeLevel *level, const KeptLists *lists, int d, uint32_t number)
{
	EpisodeEnd	end = {level->gap[number], level->type[number], NULL, 0};
	DeviceList	list = number < lists->n ? KeptListOn(lists, number, d) : UnkeptList(0);

	if (list.placed)
	{
		end.place = PlacesOf(&list);
		end.nplaces = list.n;
	}
	return end;
}

/* Add the ends of n of the level's episodes, from "first" on, each with so many uses. */
static void
TakeEnds(const EpisodeLevel *level, const KeptLists *lists, Share *share, uint32_t first, uint32_t n,
		 uint32_t uses)
{
	for (uint32_t i = 0; i < n; i++)
	{
		share->host_ends[share->nends + i] = EndOnDevice(level, lists, share->remaking.d, first + i);
		share->uses[share->nends + i] = uses;
	}
	share->nends += n;
}

/* Let all runs share the ends of n of the level's episodes, from "first" on. */
static void
ShareEnds(const EpisodeLevel *level, const KeptLists *lists, Share *share, uint32_t first, uint32_t n)
{
	TakeEnds(level, lists, share, first, n, 0);
	/* uses[i] becomes how many more runs have this end than the one before it; then these are added up */
	for (uint32_t r = 0; r < share->nruns; r++)
	{
		JoinedRun  *run = &share->host_runs[r];
		uint32_t	end;

		run->end -= first;
		end = run->end + EndOfJoined(share, r) - run->first;
		share->uses[run->end]++;
		if (end < n)
			share->uses[end]--;
	}
	for (uint32_t i = 1; i < n; i++)
		share->uses[i] += share->uses[i - 1];
}

/* Give each run ends of its own. */
static void
CopyEnds(const EpisodeLevel *level, const KeptLists *lists, Share *share)
{
	for (uint32_t r = 0; r < share->nruns; r++)
	{
		JoinedRun  *run = &share->host_runs[r];
		uint32_t	first = run->end;

		run->end = share->nends;
		TakeEnds(level, lists, share, first, EndOfJoined(share, r) - run->first, 1);
	}
}

/*
 * Take the ends of the runs.  All those from the first to the last that is needed are taken once, if they are
 * not more than there are candidates; otherwise each run gets its own.
 */
static cudaError_t
PlaceEnds(EpisodesJob *job, const KeptLists *lists, Share *share, const EpisodeLevel *level)
{
	uint32_t	first = GPU_NONE;
	uint32_t	end = 0;

	for (uint32_t r = 0; r < share->nruns; r++)
	{
		const JoinedRun *run = &share->host_runs[r];

		first = (uint32_t) GpuLesser(first, run->end);
		end = (uint32_t) GpuGreater(end, run->end + EndOfJoined(share, r) - run->first);
	}
	if (share->n > 0 && end - first <= share->n)
		ShareEnds(level, lists, share, first, end - first);
	else
		CopyEnds(level, lists, share);
	return HostWork(job, 4 * (uint64_t) share->nends + 8 * (uint64_t) share->nruns);
}

/* The end of a pair of types, with the places of the pair's list.  Pairs ascend from call to call. */
static EpisodeEnd
NextPairEnd(PairLists *pairs, uint32_t pair, uint32_t gap, uint32_t type)
{
	const PairBound *bound;

	while (pairs->bound[pairs->next].pair != pair)
		pairs->next++;
	bound = &pairs->bound[pairs->next++];
	return (EpisodeEnd) {gap, type, pairs->address + 3 * (size_t) bound->at + 2 * (size_t) bound->bound, bound->bound};
}

/* Give each candidate, which is a pair of types, an end of its own, with the places of its own list. */
static cudaError_t
PlacePairEnds(EpisodesJob *job, PairLists *pairs, Share *share, const CandidateBatch *batch, uint32_t first)
{
	const EpisodeLevel *level = LevelOfBatch(batch);

	for (uint32_t r = 0; r < share->nruns; r++)
	{
		const CandidateRun *run = &batch->run[first + r];
		uint32_t	key = level->type[run->prefix] * job->data->ngaps + run->gap;

		share->host_runs[r].end = share->nends;
		for (uint32_t i = 0; i < EndOfJoined(share, r) - share->host_runs[r].first; i++)
		{
			uint32_t	type = level->type[run->suffix + i];

			share->uses[share->nends] = 1;
			share->host_ends[share->nends++] = NextPairEnd(pairs, key * job->data->ntypes + type, run->gap, type);
		}
	}
	return HostWork(job, 10 * (uint64_t) share->nends);
}

static void
EmptyShares(const EpisodesJob *job, Propagation *p)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		Share	   *share = &p->share[d];

		share->n = share->nlists = share->nruns = share->nends = 0;
		RemakeBegin(&share->remaking, d, share->pauses, share->legs);
	}
}

cudaError_t
DividePart(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, Part *part)
{
	Portion		portion = FirstPortion(job, batch, part->first);

	EmptyShares(job, p);
	for (; portion.run < batch->nruns; NextPortion(job, batch, &portion))
	{
		uint32_t	prefix = batch->run[portion.run].prefix;
		int			d = DeviceOf(job, p, batch, &portion);
		Share	   *share = &p->share[d];
		bool		fits = true;

		if (share->nlists == 0 || share->prefix != prefix)
			GPU_TRY(AddPrefix(job, p, batch->levels, d, prefix, &fits));
		if (!fits)
			break;
		GPU_TRY(AddPortion(job, share, batch, &portion));
		GPU_TRY(HostWork(job, 20));
	}
	part->end = portion.run;
	if (p->pairs.address != NULL)
		return PlacePairEnds(job, &p->pairs, &p->share[0], batch, part->first);
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(PlaceEnds(job, &p->lists[p->at_hand], &p->share[d], LevelOfBatch(batch)));
	return cudaSuccess;
}

/* ---- what is found ---- */

cudaError_t
BeginFound(EpisodesJob *job, int d, Share *share, uint32_t n)
{
	GpuDevice  *device = job->team.devices[d];
	int			quarter;
	char	   *at;

	GPU_TRY(GpuNextQuarter(&job->team, device, &quarter, &at));
	share->found = (FoundList *) at;
	return SelectFound(device, share->scratch, share->scratch_bytes, share->counted, n, job->least, share->found);
}

cudaError_t
ReceiveFound(EpisodesJob *job, int d, Share *share)
{
	GpuDevice  *device = job->team.devices[d];
	size_t		bytes;

	GPU_TRY(GpuWait(&job->team, device, GPU_COUNT, "finding frequent candidates"));
	bytes = sizeof(FoundList) + sizeof(Found) * share->found->n;
	memcpy(share->host_found, share->found, bytes);
	device->amount[FIM_GPU_RETURN] += (double) bytes;
	return cudaSuccess;
}
