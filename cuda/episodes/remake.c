/*-------------------------------------------------------------------------
 *
 * remake.c
 *	  Making lists again, see remake.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/remake.h"

#define ARRAYS		(REMAKE_ROOM * (uint64_t) (2 * sizeof(DeviceList) + sizeof(Extension)))
#define SPARE_BYTES	(UINT64_C(1) << 16)

/* Entries of each half that are enough to keep a device busy.  Taking more memory would take long. */
#define ENOUGH_ENTRIES	(UINT64_C(1) << 27)

static const char *const what = "making lists again";

uint64_t
RemakeLeast(uint32_t most_events)
{
	return 2 * LIST_ENTRY * (uint64_t) most_events + ARRAYS + SPARE_BYTES;
}

void
RemakeBegin(Remaking *r, int d, Pause *pauses, Chunk *chunks)
{
	r->d = d;
	r->pauses = pauses;
	r->chunks = chunks;
	r->used = 0;
	r->n = 0;
}

/*
 * Take the tables, and at most half of the device's free memory for the two halves, but at least what the
 * longest list takes.
 */
static cudaError_t
TakeMemory(EpisodesJob *job, Remaking *r)
{
	GpuDevice  *device = job->team.devices[r->d];
	GpuTeam    *team = &job->team;
	uint64_t	least = job->most_events;
	uint64_t	entries;

	GPU_TRY(GpuAlloc(device, sizeof(Extension) * REMAKE_ROOM, what, (void **) &r->extensions));
	for (int half = 0; half < 2; half++)
		GPU_TRY(GpuAlloc(device, sizeof(DeviceList) * REMAKE_ROOM, what, (void **) &r->stage[half]));
	GPU_TRY(GpuHostTake(team, sizeof(Remade) * REMAKE_ROOM, (void **) &r->remade));
	GPU_TRY(GpuHostTake(team, sizeof(DeviceList) * REMAKE_ROOM, (void **) &r->host_lists));
	GPU_TRY(GpuHostTake(team, sizeof(Extension) * REMAKE_ROOM, (void **) &r->host_extensions));
	entries = GpuBetween(least, GpuRoom(device) / LIST_ENTRY / 4, ENOUGH_ENTRIES);
	GPU_TRY(GpuTryAlloc(device, entries * LIST_ENTRY, what, (void **) &r->half[0]));
	if (r->half[0] == NULL)
		GPU_TRY(GpuAlloc(device, (entries = least) * LIST_ENTRY, what, (void **) &r->half[0]));
	r->room = entries;
	return GpuAlloc(device, entries * LIST_ENTRY, what, (void **) &r->half[1]);
}

/* The most entries that the list of an episode or of any of its prefixes can have. */
static uint64_t
MostEntries(const EpisodesJob *job, const EpisodeLevels *levels, uint32_t length, uint32_t number)
{
	uint64_t	most = 0;

	for (uint32_t k = length; k > 0; k--)
	{
		most = GpuGreater(most, EventsOf(job, levels->level[k].type[number]));
		number = levels->level[k].prefix[number];
	}
	return most;
}

/* Where the list of the prefix of so many types goes. */
static DeviceList
ListInHalf(const Remaking *r, const Remade *remade, uint32_t length)
{
	uint32_t   *end = r->half[length % 2] + 2 * remade->at;

	return (DeviceList) {end, end + remade->most, 0};
}

cudaError_t
RemakeAdd(EpisodesJob *job, Remaking *r, const EpisodeLevels *levels, uint32_t length, uint32_t number,
		  uint32_t to, DeviceList *list, bool *fits)
{
	uint64_t	most = MostEntries(job, levels, length, number);

	if (r->half[1] == NULL)
		GPU_TRY(TakeMemory(job, r));
	*fits = r->n < REMAKE_ROOM && r->used + most <= r->room;
	if (!*fits)
		return cudaSuccess;
	r->remade[r->n] = (Remade) {number, to, r->used, most};
	*list = ListInHalf(r, &r->remade[r->n], length);
	r->used += most;
	r->n++;
	return cudaSuccess;
}

/* An episode's prefix of so many types. */
static uint32_t
PrefixOf(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t wanted)
{
	for (; length > wanted; length--)
		number = levels->level[length].prefix[number];
	return number;
}

static cudaError_t
SendLists(EpisodesJob *job, Remaking *r, uint32_t length)
{
	return GpuSend(&job->team, job->team.devices[r->d], GPU_COUNT, r->stage[length % 2], r->host_lists,
				   sizeof(DeviceList) * r->n, what);
}

/* Begin with the lists of the episodes' first types, which are parts of the stream. */
static cudaError_t
FirstLists(EpisodesJob *job, Remaking *r, const DeviceStream *stream, const EpisodeLevels *levels,
		   uint32_t length)
{
	for (uint32_t i = 0; i < r->n; i++)
		r->host_lists[i] = ListOfType(job, stream, levels->level[1].type[PrefixOf(levels, length, r->remade[i].number, 1)]);
	return SendLists(job, r, 1);
}

/* Make the lists of the prefixes of k types from those of k - 1 types. */
static cudaError_t
NextLists(EpisodesJob *job, Remaking *r, const DeviceStream *stream, const EpisodeLevels *levels,
		  uint32_t length, uint32_t k, DeviceList *lists)
{
	GpuDevice  *device = job->team.devices[r->d];
	ExtensionRun run = {.device = device, .extensions = r->host_extensions, .n = r->n,
		.extending = {.mode = WRITE_EXTENSIONS, .stream = *stream, .lists = r->stage[(k - 1) % 2],
			.extensions = r->extensions, .pauses = r->pauses, .made = k == length ? lists : r->stage[k % 2],
			.chunks = r->chunks}};

	for (uint32_t i = 0; i < r->n; i++)
	{
		const Remade *remade = &r->remade[i];
		uint32_t	prefix = PrefixOf(levels, length, remade->number, k);

		r->host_lists[i] = ListInHalf(r, remade, k);
		r->host_extensions[i] = (Extension) {i, levels->level[k].type[prefix], levels->level[k].gap[prefix],
			k == length ? remade->to : i};
	}
	if (k < length)
		GPU_TRY(SendLists(job, r, k));
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, r->extensions, r->host_extensions, sizeof(Extension) * r->n, what));
	return RunExtensions(job, &run, 1);
}

cudaError_t
RemakeAll(EpisodesJob *job, Remaking *r, const EventStream *stream, const EpisodeLevels *levels,
		  uint32_t length, DeviceList *lists)
{
	const DeviceStream *on = &stream->on[r->d];

	if (r->n == 0)
		return cudaSuccess;
	GPU_TRY(FirstLists(job, r, on, levels, length));
	for (uint32_t k = 2; k <= length; k++)
		GPU_TRY(NextLists(job, r, on, levels, length, k, lists));
	return cudaSuccess;
}

cudaError_t
RemakeFree(EpisodesJob *job, Remaking *r)
{
	void	   *on_device[] = {r->extensions, r->stage[0], r->stage[1], r->half[0], r->half[1]};
	void	   *on_host[] = {r->remade, r->host_lists, r->host_extensions};

	for (size_t i = 0; i < sizeof(on_device) / sizeof(on_device[0]); i++)
		GPU_TRY(GpuFree(job->team.devices[r->d], on_device[i]));
	for (size_t i = 0; i < sizeof(on_host) / sizeof(on_host[0]); i++)
		GpuHostFree(&job->team, on_host[i]);
	memset(r, 0, sizeof(*r));
	return cudaSuccess;
}
