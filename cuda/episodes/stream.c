/*-------------------------------------------------------------------------
 *
 * stream.c
 *	  Putting the events on the devices, see episodes.h.
 *
 * The first device gets types and times, the latter packed where that is possible, sorts events by
 * type, and searches how far back edges reach.  The other devices get copies of what it has made.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "team.h"

/* ---- packing times ---- */

/* Times that the host's threads pack into a half of the buffer that devices share. */
typedef struct Packing
{
	int			half;
	PackedTimes *to;
	const FimTime *times;		/* [events] */
	uint32_t	events;
	bool		fails;			/* atomic: some difference does not fit in 32 bits */
} Packing;

/* How many packets a thread packs at a time, and how many a half of the shared buffer holds. */
#define PACKETS_AT_ONCE	4
#define PACKETS_OF_HALF	(GPU_SHARED / sizeof(PackedTimes))

/* Pack the times of n events into a packet.  Returns whether the differences fit. */
static bool
PackTimes(PackedTimes *to, const FimTime *times, uint32_t n)
{
	PackedTimes packet;
	uint64_t	all = 0;

	packet.first = times[0].integer;
	packet.unused = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	later = (uint64_t) times[i].integer - (uint64_t) packet.first;

		packet.later[i] = (int32_t) (uint32_t) later;
		all |= later + (UINT64_C(1) << 31);
	}
	for (uint32_t i = n; i < PACKED_EVENTS; i++)
		packet.later[i] = 0;
	GpuStreamOut(to, &packet, sizeof(packet));
	return all >> 32 == 0;
}

static void
PackPart(void *of, uint32_t number, uint32_t thread)
{
	Packing    *packing = (Packing *) of;
	uint32_t	begin = number * PACKETS_AT_ONCE * PACKED_EVENTS;
	uint32_t	end = (uint32_t) GpuLesser(packing->events, (uint64_t) begin + PACKETS_AT_ONCE * PACKED_EVENTS);

	for (uint32_t at = begin; at < end && !__atomic_load_n(&packing->fails, __ATOMIC_RELAXED); at += PACKED_EVENTS)
		if (!PackTimes(&packing->to[at / PACKED_EVENTS], packing->times + at,
					   (uint32_t) GpuLesser(PACKED_EVENTS, end - at)))
			__atomic_store_n(&packing->fails, true, __ATOMIC_RELAXED);
}

/* Whether the half has room for so many events. */
static bool
CanBePacked(uint32_t events)
{
	return events <= PACKETS_OF_HALF * PACKED_EVENTS;
}

/*
 * BeginPacking() has the host's threads begin to pack times, which are integers, while the caller goes on.
 * Whatever fails in between, SendPacked() has to follow before the threads get other work.  It packs what is
 * left, and sends all to an array on a device.  If packing->fails then, nothing has been sent.
 */
static cudaError_t
BeginPacking(GpuTeam *team, const FimTime *times, uint32_t events, Packing *packing)
{
	char	   *at;

	GPU_TRY(GpuNextHalf(team, &packing->half, &at));
	packing->to = (PackedTimes *) at;
	packing->times = times;
	packing->events = events;
	packing->fails = false;
	HostBegin(GpuBlocks(events, PACKETS_AT_ONCE * PACKED_EVENTS), PackPart, packing);
	return cudaSuccess;
}

static cudaError_t
SendPacked(GpuTeam *team, GpuDevice *device, int stream, void *to, Packing *packing)
{
	GPU_TRY(HostEnd(team));
	if (packing->fails)
		return cudaSuccess;
	return GpuSendShared(device, stream, packing->half, to,
						 sizeof(PackedTimes) * GpuBlocks(packing->events, PACKED_EVENTS),
						 "copying events to the device");
}

/* ---- sizes ---- */

#define LOADER			1			/* the device's stream by which times are sent */
#define LITTLE			((size_t) 256 << 10)	/* bytes up to which the host's threads are not worth waking */
#define EVENTS_A_LAUNCH	(UINT32_C(1) << 24)
#define SPARE_BYTES		(UINT64_C(1) << 20) /* for small arrays, and for rounding up all arrays */

/*
 * Making the stream on the first device.  The arrays are in one block of memory that is freed afterwards, if nothing
 * else is said.
 */
typedef struct Making
{
	uint32_t   *event[2];		/* [events] */
	uint32_t   *key[2];			/* [events] types to sort by */
	uint32_t   *partition;		/* [partitions + 1] the first event of each */
	uint32_t   *by_place;		/* the one of event[2] that has the events in their places */
	FimTime    *time;			/* [events], or PackedTimes */
	bool		packed;			/* "time" has PackedTimes */
	void	   *scratch;		/* the memory of the stream's "back", which is filled in after sorting */
	size_t		scratch_bytes;
} Making;

static const char *const what = "allocating events";
static const char *const copying = "copying events to the device";

/* The bytes of the tables, which lie one after the other: edges of gaps, gaps, and the types' first places. */
static uint64_t
TableBytes(const FimEpisodesData *data)
{
	return sizeof(uint64_t) * (uint64_t) data->nedges + sizeof(FimGapEdges) * (uint64_t) data->ngaps +
		sizeof(uint32_t) * ((uint64_t) data->ntypes + 1);
}

static uint64_t
BytesOfBack(const FimEpisodesData *data, const Section *section)
{
	return sizeof(uint32_t) * (uint64_t) data->nedges * section->events;
}

/* The same for back_of. */
static uint64_t
BytesOfBackOf(const FimEpisodesData *data, const Section *section, StreamForm form)
{
	return form == STREAM_BY_EVENT ? BytesOfBack(data, section) : sizeof(uint32_t) * (uint64_t) section->events;
}

uint64_t
StreamMemory(const FimEpisodesData *data, const Section *section, StreamForm form, bool making)
{
	uint64_t	events = section->events;
	uint64_t	back = BytesOfBack(data, section) + BytesOfBackOf(data, section, form);
	uint64_t	stream = TableBytes(data) + SPARE_BYTES + sizeof(uint32_t) * events + back;

	return stream + (making ? (4 * sizeof(uint32_t) + sizeof(FimTime)) * events + sizeof(uint32_t) * (uint64_t) section->partitions : 0);
}

/* ---- memory ---- */

/* Take the arrays of a device's stream.  "back" has room for so many bytes of scratch memory, too. */
static cudaError_t
AllocStream(const EpisodesJob *job, GpuDevice *device, StreamForm form, size_t scratch_bytes, DeviceStream *on)
{
	const FimEpisodesData *data = job->data;
	uint64_t   *edge;
	const GpuArray arrays[] = {
		{(void **) &on->back, GpuGreater(BytesOfBack(data, &job->section), scratch_bytes)},
		{(void **) &edge, TableBytes(data)},
		{(void **) &on->type, sizeof(uint32_t) * (size_t) job->section.events},
		{(void **) &on->back_of, BytesOfBackOf(data, &job->section, form)}
	};

	on->events = job->section.events;
	GPU_TRY(GpuAllocArrays(device, arrays, sizeof(arrays) / sizeof(arrays[0]), what));
	on->gap = (FimGapEdges *) (edge + data->nedges);
	on->start = (uint32_t *) (on->gap + data->ngaps);
	return cudaSuccess;
}

/* Where the tables begin, with the edges. */
static uint64_t *
EdgesOf(const EpisodesJob *job, const DeviceStream *on)
{
	return (uint64_t *) on->gap - job->data->nedges;
}

static cudaError_t
AllocMaking(const EpisodesJob *job, GpuDevice *device, Making *making)
{
	size_t		bytes = sizeof(uint32_t) * (size_t) job->section.events;
	const GpuArray arrays[] = {
		{(void **) &making->event[0], bytes},
		{(void **) &making->event[1], bytes},
		{(void **) &making->key[0], bytes},
		{(void **) &making->key[1], bytes},
		{(void **) &making->time, sizeof(FimTime) * (size_t) job->section.events},
		{(void **) &making->partition, sizeof(uint32_t) * ((size_t) job->section.partitions + 1)}
	};

	return GpuAllocArrays(device, arrays, sizeof(arrays) / sizeof(arrays[0]), what);
}

static cudaError_t
AllocAll(EpisodesJob *job, StreamForm form, Making *making, DeviceStream *on)
{
	GpuDevice  *device = job->team.devices[0];

	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, TypeSortScratch(job->section.events, job->data->ntypes, &making->scratch_bytes), what));
	GPU_TRY(AllocStream(job, device, form, making->scratch_bytes, on));
	making->scratch = on->back;
	return AllocMaking(job, device, making);
}

/* Copy to the first device. */
static cudaError_t
SendFirst(EpisodesJob *job, int stream, void *to, const void *from, size_t bytes)
{
	void	   *only[FIM_GPU_MAX_DEVICES] = {to};

	/* copying a little is quicker than waking threads for it */
	if (bytes <= LITTLE)
		return GpuSend(&job->team, job->team.devices[0], stream, to, from, bytes, copying);
	return GpuSendAll(&job->team, stream, only, from, bytes, copying);
}

/* ---- places ---- */

static cudaError_t
Sort(EpisodesJob *job, uint32_t *type, bool narrow, Making *making)
{
	GpuDevice  *device = job->team.devices[0];
	TypeSort	sort = {.types = type, .narrow = narrow ? (const uint16_t *) making->key[1] : NULL,
	.events = job->section.events, .ntypes = job->data->ntypes, .scratch = making->scratch,
	.scratch_bytes = making->scratch_bytes};

	GPU_TRY(GpuUse(device, "sorting events by type"));
	for (int half = 0; half < 2; half++)
	{
		sort.type[half] = making->key[half];
		sort.event[half] = making->event[half];
	}
	return SortByType(device, &sort, &making->by_place);
}

/* Send types as 16-bit numbers, if that holds all of them and is worth while: then *narrow becomes true. */
static cudaError_t
SendTypes(EpisodesJob *job, const DeviceStream *on, const Making *making, bool *narrow)
{
	const uint32_t *types = FIM_EPISODES_TYPES(job->data) + job->section.first_event;
	size_t		bytes = sizeof(uint32_t) * (size_t) job->section.events;
	void	   *to[FIM_GPU_MAX_DEVICES] = {making->key[1]};

	*narrow = bytes > LITTLE && job->data->ntypes <= UINT16_MAX;
	if (!*narrow)
		return SendFirst(job, GPU_COUNT, on->type, types, bytes);
	return GpuSendNarrow(&job->team, to, types, job->section.events, copying);
}

/*
 * Send the times that threads are packing.  *packed becomes false, and nothing is sent, if the differences do
 * not fit.
 */
static cudaError_t
SendPackedTimes(EpisodesJob *job, Making *making, Packing *packing, bool *packed)
{
	GPU_TRY(SendPacked(&job->team, job->team.devices[0], LOADER, making->time, packing));
	*packed = making->packed = !packing->fails;
	return cudaSuccess;
}

/* Find the events' places, and send their times.  Times are packed and sent while types are being sorted. */
static cudaError_t
FindPlaces(EpisodesJob *job, const DeviceStream *on, Making *making)
{
	const FimTime *times = FIM_EPISODES_TIMES(job->data) + job->section.first_event;
	size_t		bytes = sizeof(FimTime) * (size_t) job->section.events;
	bool		packed = bytes > LITTLE && job->data->real == 0 && CanBePacked(job->section.events);
	bool		narrow;
	Packing		packing;
	cudaError_t error;

	GPU_TRY(SendTypes(job, on, making, &narrow));
	if (packed)
		GPU_TRY(BeginPacking(&job->team, times, job->section.events, &packing));
	error = Sort(job, on->type, narrow, making);
	if (packed)
	{
		cudaError_t sending = SendPackedTimes(job, making, &packing, &packed);

		error = error == cudaSuccess ? sending : error;
	}
	GPU_TRY(error);
	return packed ? cudaSuccess : SendFirst(job, LOADER, making->time, times, bytes);
}

/* ---- edges ---- */

/*
 * Find back[nedges][events] for each place, and instant_of[events] unless this is NULL.  event[events] has the
 * event at each place; if it is NULL, places are events.
 */
static cudaError_t
SearchEdges(EpisodesJob *job, const Making *making, const uint64_t *edge, const uint32_t *event, uint32_t *back,
			uint32_t *instant_of)
{
	GpuDevice  *device = job->team.devices[0];
	const FimEpisodesData *data = job->data;
	uint32_t	events = job->section.events;
	BackSearch	search = {.time = making->time,
		.packed = making->packed ? (const PackedTimes *) making->time : NULL, .partition = making->partition, .edge = edge,
	.event = event, .back = back, .instant_of = instant_of, .partitions = job->section.partitions, .events = events,
	.nedges = data->nedges, .real = data->real != 0};
	GpuTimer   *timer;

	GPU_TRY(GpuUse(device, "finding how far back gaps reach"));
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, (double) data->nedges * events * sizeof(uint32_t), &timer));
	for (uint32_t first = 0; first < events;)
	{
		uint32_t	n = (uint32_t) GpuLesser(EVENTS_A_LAUNCH, events - first);

		GPU_TRY(FindBack(device, &search, first, first + n));
		first += n;
	}
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Send the tables of gaps and types to a device of the team. */
static cudaError_t
SendTables(EpisodesJob *job, int d, const DeviceStream *on)
{
	const FimEpisodesData *data = job->data;
	const GpuPiece pieces[] = {
		{FIM_EPISODES_EDGES(data), sizeof(uint64_t) * (size_t) data->nedges},
		{FIM_EPISODES_GAPS(data), sizeof(FimGapEdges) * (size_t) data->ngaps},
		{job->start, sizeof(uint32_t) * ((size_t) data->ntypes + 1)}
	};

	return GpuSendPieces(&job->team, job->team.devices[d], GPU_COUNT, EdgesOf(job, on), pieces,
						 sizeof(pieces) / sizeof(pieces[0]), "copying gaps to the device");
}

/*
 * Send where the partitions begin, in events of the section.  The first partition may begin before the
 * section, and the last one may end after it.
 */
static cudaError_t
SendPartitions(EpisodesJob *job, const Making *making)
{
	const Section *section = &job->section;
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(job->data) + section->first_partition;
	size_t		bytes = sizeof(uint32_t) * ((size_t) section->partitions + 1);
	uint32_t   *moved;

	if (section->first_event == 0)
		return SendFirst(job, GPU_COUNT, making->partition, first_of, bytes);
	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &moved));
	for (uint32_t p = 0; p <= section->partitions; p++)
		moved[p] = first_of[p] - (uint32_t) GpuLesser(first_of[p], section->first_event);
	GPU_TRY(SendFirst(job, GPU_COUNT, making->partition, moved, bytes));
	GpuHostFree(&job->team, moved);
	return HostWork(job, section->partitions);
}

static cudaError_t
FindEdges(EpisodesJob *job, StreamForm form, const Making *making, const DeviceStream *on)
{
	GpuDevice  *device = job->team.devices[0];
	const uint64_t *edge = EdgesOf(job, on);

	GPU_TRY(SendPartitions(job, making));
	GPU_TRY(SendTables(job, 0, on));
	GPU_TRY(GpuUse(device, copying));
	GPU_TRY(GpuFollow(device, GPU_COUNT, LOADER, copying));
	GPU_TRY(SearchEdges(job, making, edge, making->by_place, on->back, form == STREAM_BY_PLACE ? on->back_of : NULL));
	return form == STREAM_BY_EVENT ? SearchEdges(job, making, edge, NULL, on->back_of, NULL) : cudaSuccess;
}

/* ---- devices ---- */

cudaError_t
StreamCopy(EpisodesJob *job, EventStream *stream, StreamForm form, int d)
{
	GpuDevice  *device = job->team.devices[d];
	GpuDevice  *first = job->team.devices[0];
	const DeviceStream *from = &stream->on[0];
	DeviceStream *on = &stream->on[d];
	size_t		back = BytesOfBack(job->data, &job->section);
	size_t		back_of = BytesOfBackOf(job->data, &job->section, form);

	GPU_TRY(GpuUse(device, what));
	GPU_TRY(AllocStream(job, device, form, 0, on));
	GPU_TRY(SendTables(job, d, on));
	GPU_TRY(GpuCopyAcross(&job->team, device, on->back, first, from->back, back, copying));
	GPU_TRY(GpuCopyAcross(&job->team, device, on->type, first, from->type, sizeof(uint32_t) * (size_t) from->events, copying));
	return GpuCopyAcross(&job->team, device, on->back_of, first, from->back_of, back_of, copying);
}

cudaError_t
StreamOpen(EpisodesJob *job, EventStream *stream, StreamForm form)
{
	Making		making;

	memset(stream, 0, sizeof(*stream));
	memset(&making, 0, sizeof(making));
	GPU_TRY(AllocAll(job, form, &making, &stream->on[0]));
	GPU_TRY(FindPlaces(job, &stream->on[0], &making));
	GPU_TRY(FindEdges(job, form, &making, &stream->on[0]));
	GPU_TRY(GpuFree(job->team.devices[0], making.event[0]));
	for (int d = 1; d < job->team.ndevices; d++)
		GPU_TRY(StreamCopy(job, stream, form, d));
	return cudaSuccess;
}

cudaError_t
StreamClose(EpisodesJob *job, EventStream *stream)
{
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuFree(job->team.devices[d], stream->on[d].back));
	return cudaSuccess;
}
