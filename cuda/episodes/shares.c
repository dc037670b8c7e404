/*-------------------------------------------------------------------------
 *
 * shares.c
 *	  Sharing out a batch of candidates among the devices, see shares.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/shares.h"

/* The bytes of what is found.  The device writes it to a piece of its ring. */
#define FOUND_BYTES		(sizeof(FoundList) + sizeof(Found) * BATCH_ROOM)

_Static_assert(FOUND_BYTES <= GPU_PIECE, "a piece of the ring has room for what is found");

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
		CHUNK_ROOM * (uint64_t) sizeof(Chunk);
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
		{(void **) &share->chunks, sizeof(Chunk) * CHUNK_ROOM}
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

DeviceList
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

/* Add the moments at which occurrences of a portion's candidates may begin. */
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

EpisodeEnd
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
		RemakeBegin(&share->remaking, d, share->pauses, share->chunks);
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

cudaError_t
BeginFound(EpisodesJob *job, int d, Share *share, uint32_t n)
{
	GpuDevice  *device = job->team.devices[d];
	int			piece;
	char	   *at;

	GPU_TRY(GpuNextPiece(&job->team, device, &piece, &at));
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
