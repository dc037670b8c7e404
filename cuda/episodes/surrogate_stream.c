/*-------------------------------------------------------------------------
 *
 * surrogate_stream.c
 *	  Making surrogates on a device, see surrogates.h.
 *
 * The given stream is hidden once.  Then batches are made of the hidden one.  Where times serve as
 * instants, only they change; elsewhere events are put in order, and gaps are searched for again.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/surrogates.h"

static const char *const what = "making surrogates";

/* ---- memory ---- */

uint64_t
StreamMakerBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_instants)
{
	uint64_t	instants = by_instants ? wanted * 4 * sizeof(uint32_t) : 0;

	return instants + wanted * (sizeof(FimTime) + sizeof(uint32_t)) +
		data->events * (sizeof(FimTime) + 7 * sizeof(uint32_t)) + data->events / 4 +
		(sizeof(FimSpan) + sizeof(uint64_t)) * data->partitions +
		sizeof(uint32_t) * (data->ntypes + data->nedges + 3 * classes + 2 * (uint64_t) data->partitions);
}

uint64_t
SurrogateBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_instants)
{
	if (by_instants)
		return sizeof(uint32_t) * (2 * wanted + classes);
	return wanted * (sizeof(FimTime) + 3 * sizeof(uint64_t) + (8 + (uint64_t) data->nedges) * sizeof(uint32_t)) +
		wanted / 4 + sizeof(uint32_t) * (classes + data->partitions);
}

cudaError_t
TakeMemory(GpuDevice *device, size_t bytes, void *to)
{
	return GpuAlloc(device, bytes > 0 ? bytes : 1, "allocating surrogates", (void **) to);
}

cudaError_t
TakeCopy(EpisodesJob *job, GpuDevice *device, const void *from, size_t bytes, void *to)
{
	GPU_TRY(TakeMemory(device, bytes, to));
	return GpuSend(&job->team, device, GPU_COUNT, *(void **) to, from, bytes, "copying events to the device");
}

static cudaError_t
Take(StreamMaker *m, size_t n, size_t size, void *to)
{
	return TakeMemory(m->device, n * size, to);
}

/* Take an array with the starts of all surrogates of a batch, made of those of one surrogate, from[n + 1]. */
static cudaError_t
TakeStarts(EpisodesJob *job, StreamMaker *m, const uint32_t *from, uint32_t n, uint32_t copies, void *to)
{
	uint32_t   *once;

	GPU_TRY(TakeCopy(job, m->device, from, sizeof(uint32_t) * ((size_t) n + 1), &once));
	GPU_TRY(Take(m, (size_t) n * copies + 1, sizeof(uint32_t), to));
	return RepeatStarts(m->device, once, n, copies, *(uint32_t **) to);
}

/* ---- the stream that was given ---- */

/* Send the tables, and the types of events, to where FindPlaces() sorts them. */
static cudaError_t
SendEvents(EpisodesJob *job, StreamMaker *m, const WantedEvents *w)
{
	const FimEpisodesData *data = job->data;
	size_t		n = data->events;

	GPU_TRY(TakeCopy(job, m->device, job->start, sizeof(uint32_t) * ((size_t) data->ntypes + 1), &m->moving.start));
	GPU_TRY(TakeCopy(job, m->device, w->start, sizeof(uint32_t) * ((size_t) w->nclasses + 1),
					 &m->moving.wanted_start));
	GPU_TRY(TakeCopy(job, m->device, w->skipped, sizeof(uint32_t) * w->nclasses, &m->moving.skipped));
	GPU_TRY(TakeCopy(job, m->device, FIM_EPISODES_GAPS(data), sizeof(FimGapEdges) * (size_t) data->ngaps,
					 &m->stream.gap));
	return GpuSend(&job->team, m->device, GPU_COUNT, m->sort.type[0], FIM_EPISODES_TYPES(data), sizeof(uint32_t) * n,
				   "copying events to the device");
}

/* Find the event at each place.  Sorting uses arrays that batches may use later, so the result is copied. */
static cudaError_t
FindPlaces(StreamMaker *m, const FimEpisodesData *data)
{
	size_t		bytes = sizeof(uint32_t) * (size_t) data->events;
	uint32_t   *by_place;

	GPU_TRY(TakeMemory(m->device, bytes, &m->moving.place));
	m->sort.events = data->events;
	m->sort.ntypes = data->ntypes;
	GPU_TRY(SortByType(m->device, &m->sort, &by_place));
	return GpuCheck(m->device, cudaMemcpyAsync((void *) m->moving.place, by_place, bytes, cudaMemcpyDeviceToDevice,
											   m->device->streams[GPU_COUNT]), what);
}

static void
DescribeMoves(const EpisodesJob *job, StreamMaker *m, const WantedEvents *w)
{
	const FimEpisodesData *data = job->data;

	m->moving.partitions = data->partitions;
	m->moving.wanted = w->events;
	m->moving.ntypes = data->ntypes;
	m->moving.nclasses = w->nclasses;
	m->moving.moves = FimMovesOf(job->spec, data->real != 0);
	m->moving.least = w->least;
}

/* Send the span of each partition; 0 where there are no events. */
static cudaError_t
SendSpans(EpisodesJob *job, StreamMaker *m)
{
	const FimEpisodesData *data = job->data;
	const uint32_t *first = FIM_EPISODES_PARTITIONS(data);
	size_t		bytes = sizeof(FimSpan) * (size_t) data->partitions;
	FimSpan    *span;

	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &span));
	memset(span, 0, bytes);
	for (uint32_t p = 0; p < data->partitions; p++)
		if (first[p] < first[p + 1])
			span[p] = FimSpanOf(data, p);
	GPU_TRY(HostWork(job, 4 * (uint64_t) data->partitions));
	GPU_TRY(TakeCopy(job, m->device, span, bytes, &m->moving.span));
	GpuHostFree(&job->team, span);
	return cudaSuccess;
}

/* Send the time of each event, and find its partition. */
static cudaError_t
SendTimes(EpisodesJob *job, StreamMaker *m)
{
	const FimEpisodesData *data = job->data;
	size_t		n = data->events;
	uint32_t   *first;

	GPU_TRY(SendSpans(job, m));
	GPU_TRY(TakeCopy(job, m->device, FIM_EPISODES_TIMES(data), sizeof(FimTime) * n, &m->moving.time));
	GPU_TRY(TakeCopy(job, m->device, FIM_EPISODES_PARTITIONS(data),
					 sizeof(uint32_t) * ((size_t) data->partitions + 1), &first));
	GPU_TRY(TakeMemory(m->device, sizeof(uint32_t) * n, &m->moving.partition));
	return FillPartitions(m->device, first, data->partitions, data->events, (uint32_t *) m->moving.partition);
}

/* Make the hidden stream. */
static cudaError_t
OpenHidden(EpisodesJob *job, StreamMaker *m)
{
	GPU_TRY(SendTimes(job, m));
	GPU_TRY(Take(m, m->moving.wanted, sizeof(FimTime), &m->moving.hidden));
	GPU_TRY(Take(m, m->moving.wanted, sizeof(uint32_t), &m->moving.partition_of));
	return HideStream(m->device, &m->moving);
}

/* ---- where times serve as instants ---- */

/*
 * Take room for batches of so many surrogates, and for sorting the events of the stream that was given by
 * type.
 */
static cudaError_t
TakeInstants(EpisodesJob *job, StreamMaker *m, const WantedEvents *w, uint32_t copies)
{
	uint32_t	all = job->data->events;
	size_t		n = (size_t) w->events * copies;
	uint32_t  **once[] = {&m->instants.origin, &m->instants.type, &m->instants.first, &m->instants.end};

	GPU_TRY(Take(m, n, sizeof(uint32_t), &m->stream.back));
	GPU_TRY(Take(m, n, sizeof(uint32_t), &m->instants.moved));
	for (size_t k = 0; k < sizeof(once) / sizeof(once[0]); k++)
		GPU_TRY(Take(m, w->events, sizeof(uint32_t), once[k]));
	for (int half = 0; half < 2; half++)
	{
		GPU_TRY(Take(m, all, sizeof(uint32_t), &m->sort.event[half]));
		GPU_TRY(Take(m, all, sizeof(uint32_t), &m->sort.type[half]));
	}
	GPU_TRY(GpuCheck(m->device, TypeSortScratch(all, job->data->ntypes, &m->sort.scratch_bytes), what));
	return TakeMemory(m->device, m->sort.scratch_bytes, &m->sort.scratch);
}

static cudaError_t
OpenInstants(EpisodesJob *job, StreamMaker *m, const InstantPlan *plan)
{
	uint32_t   *origin;

	GPU_TRY(TakeCopy(job, m->device, plan->reach, sizeof(uint32_t) * job->data->nedges, &m->stream.reach));
	GPU_TRY(TakeCopy(job, m->device, plan->origin, sizeof(uint32_t) * (size_t) job->data->events, &origin));
	return FillInstants(m->device, &m->moving, origin, &m->instants);
}

/* ---- where they do not ---- */

/* As TakeInstants(). */
static cudaError_t
TakeOrder(EpisodesJob *job, StreamMaker *m, const WantedEvents *w, uint32_t copies)
{
	const FimEpisodesData *data = job->data;
	uint64_t	partitions = (uint64_t) data->partitions * copies;
	size_t		n = (size_t) w->events * copies;
	uint32_t	sorted = (uint32_t) GpuGreater(n, data->events);
	size_t		order_bytes;

	m->moved.key_bits = w->key_bits;
	m->moved.partition_bits = BitsUpTo(partitions - 1);
	GPU_TRY(Take(m, data->nedges * n, sizeof(uint32_t), &m->stream.back));
	GPU_TRY(Take(m, n, sizeof(FimTime), &m->time));
	GPU_TRY(Take(m, n, sizeof(uint64_t), &m->moved.key_of));
	GPU_TRY(Take(m, n, sizeof(uint32_t), &m->moved.type_of));
	if (partitions > 1)
		GPU_TRY(Take(m, n, sizeof(uint32_t), &m->moved.partition_of));
	for (int half = 0; half < 2; half++)
	{
		GPU_TRY(Take(m, n, sizeof(uint64_t), &m->moved.key[half]));
		if (partitions > 1)
			GPU_TRY(Take(m, n, sizeof(uint32_t), &m->moved.partition[half]));
		GPU_TRY(Take(m, sorted, sizeof(uint32_t), &m->moved.event[half]));
		GPU_TRY(Take(m, sorted, sizeof(uint32_t), &m->sort.type[half]));
		m->sort.event[half] = m->moved.event[half];
	}
	GPU_TRY(GpuCheck(m->device, OrderScratch(&m->moved, (uint32_t) n, &order_bytes), what));
	GPU_TRY(GpuCheck(m->device, TypeSortScratch(sorted, w->nclasses * copies, &m->moved.scratch_bytes), what));
	m->sort.scratch_bytes = m->moved.scratch_bytes = GpuGreater(m->moved.scratch_bytes, order_bytes);
	GPU_TRY(TakeMemory(m->device, m->moved.scratch_bytes, &m->moved.scratch));
	m->sort.scratch = m->moved.scratch;
	return cudaSuccess;
}

static cudaError_t
OpenOrder(EpisodesJob *job, StreamMaker *m, const WantedEvents *w, uint32_t copies)
{
	const FimEpisodesData *data = job->data;

	m->search.real = data->real != 0;
	m->search.time = m->time;
	m->search.back = m->stream.back;
	m->search.nedges = data->nedges;
	GPU_TRY(TakeCopy(job, m->device, FIM_EPISODES_EDGES(data), sizeof(uint64_t) * data->nedges, &m->search.edge));
	return TakeStarts(job, m, w->partition, data->partitions, copies, &m->search.partition);
}

/* Move the batch's events, put them into order by time and then by type, and find how far back gaps reach. */
static cudaError_t
MakeInOrder(StreamMaker *m, uint32_t first, uint32_t end)
{
	uint32_t	n = m->stream.events;
	const uint32_t *event;
	uint32_t   *by_place;

	m->search.events = m->sort.events = n;
	m->sort.ntypes = (end - first) * m->moving.nclasses;
	m->search.partitions = (end - first) * m->moving.partitions;
	GPU_TRY(MoveEvents(m->device, &m->moving, first, end, &m->moved));
	GPU_TRY(OrderEvents(m->device, &m->moved, n, &event));
	GPU_TRY(GatherTimes(m->device, &m->moving, m->moved.key_of, event, n, m->time));
	GPU_TRY(Gather(m->device, m->moved.type_of, event, n, m->sort.type[0]));
	GPU_TRY(SortByType(m->device, &m->sort, &by_place));
	m->search.event = by_place;
	return FindBack(m->device, &m->search, 0, n);
}

/* ---- both ---- */

cudaError_t
OpenStreamMaker(EpisodesJob *job, StreamMaker *m, GpuDevice *device, const WantedEvents *w, const InstantPlan *instants,
				uint32_t copies)
{
	memset(m, 0, sizeof(*m));
	m->device = device;
	GPU_TRY(instants->fits ? TakeInstants(job, m, w, copies) : TakeOrder(job, m, w, copies));
	GPU_TRY(SendEvents(job, m, w));
	GPU_TRY(FindPlaces(m, job->data));
	DescribeMoves(job, m, w);
	GPU_TRY(OpenHidden(job, m));
	GPU_TRY(TakeStarts(job, m, w->start, w->nclasses, copies, &m->stream.start));
	return instants->fits ? OpenInstants(job, m, instants) : OpenOrder(job, m, w, copies);
}

cudaError_t
MakeSurrogates(StreamMaker *m, uint32_t first, uint32_t end)
{
	GpuTimer   *timer;

	m->stream.events = (end - first) * m->moving.wanted;
	GPU_TRY(GpuBegin(m->device, GPU_COUNT, FIM_GPU_BUILD, m->stream.events, &timer));
	if (m->stream.reach != NULL)
		GPU_TRY(MoveInstants(m->device, &m->moving, &m->instants, first, end, m->stream.back));
	else
		GPU_TRY(MakeInOrder(m, first, end));
	return GpuEnd(m->device, GPU_COUNT, timer);
}
